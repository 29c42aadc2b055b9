"""Ids of a store to RDF terms in SPARQL and back: the only door through which a text enters a query.

Apart from the queries so that it can be tested alone against hostile strings. What cannot be a term (an IRI with a
bracket, a language tag with a blank) is none at all: `RemoteTerms.write` says None, nothing of it reaches the server.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import quote, unquote

from clew.graph.statements import LANG_STRING, STRING
from clew.graph.strings import literal_parts

_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\\x7f-\x9f\ud800-\udfff]*\Z")
_TAG = re.compile(r"[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*\Z")
BOOLEAN = "http://www.w3.org/2001/XMLSchema#boolean"
_LITERAL = re.compile(r'"(?s:.*)"(@[A-Za-z0-9-]+|\^\^<[^<>"{}|^`\\\x00-\x20]+>)?\Z')
_PLAIN = re.compile(r"[^\"\\\x00-\x1f\x7f-\x9f\ud800-\udfff]*\Z")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str | None:
    """A text as a SPARQL string literal; None where it holds what no RDF text can hold (a lone surrogate, NUL)."""
    if _PLAIN.match(text):
        return f'"{text}"'
    out: list[str] = []
    after_backslash = False
    for char in text:
        code = ord(char)
        if code == 0 or 0xD800 <= code <= 0xDFFF:
            return None
        if char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif after_backslash and char in "uU":
            # Some engines replace \\uXXXX before they see that its backslash is escaped itself.
            out.append(f"\\u{code:04X}")
        elif code < 0x20 or 0x7F <= code <= 0x9F:
            out.append(f"\\u{code:04X}")
        else:
            out.append(char)
        after_backslash = char == "\\"
    return '"' + "".join(out) + '"'


def iri(text: str) -> str | None:
    """An absolute IRI in angle brackets; None where the text is none."""
    return f"<{text}>" if _IRI.match(text) else None


def is_literal(id: str) -> bool:
    return id.startswith('"') and _LITERAL.match(id) is not None


def is_blank(id: str) -> bool:
    return id.startswith("_:")


class RemoteTerms:
    """The ids of one store. With a `base`, IRIs that start so are known by what follows, percent signs decoded."""

    def __init__(self, base: str = "") -> None:
        self._base = base

    def write(self, id: str) -> str | None:
        """An id as a term of a query; None where it cannot name anything there. Nameless nodes have no term."""
        if is_literal(id):
            text, datatype, language = literal_parts(id)
            body = quoted(text)
            if body is None:
                return None
            if language is not None:
                return f"{body}@{language}" if _TAG.match(language) else None
            if datatype is None:
                return body
            kind = iri(datatype)
            return None if kind is None else f"{body}^^{kind}"
        if is_blank(id):
            return None
        full = iri(id)
        if full is not None or not self._base:
            return full
        try:
            return iri(self._base + quote(id, safe=""))
        except UnicodeEncodeError:  # a lone surrogate
            return None

    def read(self, binding: Mapping[str, str]) -> str | None:
        """The id of a term in a SPARQL JSON result; None for a kind that has none (a quoted triple)."""
        kind, value = binding["type"], binding["value"]
        if kind == "uri":
            return self.of_iri(value)
        if kind == "bnode":
            return f"_:{value.removeprefix('_:')}"
        if kind not in ("literal", "typed-literal"):  # the second is Virtuoso's
            return None
        language = binding.get("xml:lang")
        if language:
            return f'"{value}"@{language}'
        datatype = binding.get("datatype", STRING)
        if datatype == BOOLEAN and kind == "typed-literal":
            value = {"1": "true", "0": "false"}.get(value, value)
        return f'"{value}"' if datatype in (STRING, LANG_STRING) else f'"{value}"^^<{datatype}>'

    def of_iri(self, value: str) -> str:
        """The short form of an IRI, where writing it gives the same IRI back."""
        if not self._base or not value.startswith(self._base):
            return value
        rest = unquote(value[len(self._base) :], errors="replace") if "%" in value else value[len(self._base) :]
        if not rest or is_literal(rest) or is_blank(rest) or self.write(rest) != f"<{value}>":
            return value
        return rest
