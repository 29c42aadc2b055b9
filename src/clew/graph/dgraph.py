"""Reader of the RDF that Dgraph exports: N-Quads with uids for IRIs (`<0x1>`), short types (`<xs:int>`) and facets.

Apart from `rdf` because no parser of RDF takes relative IRIs, and because types are texts (`dgraph.type`) and facets
are properties of an edge. Its export in JSON is read by `records`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.property_files import PropertyTriples
from clew.graph.property_values import XSD, TypedText, dated

_NODE = r"<[^<>\s]+>|_:[^\s<>]+"
_LINE = re.compile(
    rf"""\s*({_NODE})\s+<([^<>]+)>\s+(?:({_NODE})|"((?:[^"\\]|\\.)*)"(?:@([\w:.-]+)|\^\^<([^<>]+)>)?)\s*"""
    r"""(?:<[^<>]*>\s*)?(?:\((.*)\)\s*)?\.\s*(?:#.*)?"""
)
_BEGIN = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<0x[0-9a-fA-F]+>|_:\S+)\s+<[^<>:/]+>\s")
_FACET = re.compile(r'\s*([^=,\s]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^,]*))\s*(?:,|$)')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))")
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_TYPES = {"int": "integer", "float": "double", "boolean": "boolean", "bool": "boolean"}


def is_dgraph(sample: bytes) -> bool:
    """Whether a file called RDF begins with a statement about a uid."""
    return _BEGIN.match(sample) is not None


def dgraph(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Statements of Dgraph's export, one a line; what is none is told."""
    made = PropertyTriples(file, problems)
    for raw in stream.lines():
        text = raw.decode("utf-8", "replace").strip()
        if text and not text.startswith("#") and not _take(text, made):
            problems.add(str(file), stream.line, "syntax", f"is no statement of Dgraph's: {text[:80]}")
        yield from made.batches()
    yield from made.batches(whole=True)


def _take(text: str, made: PropertyTriples) -> bool:
    match = _LINE.fullmatch(text)
    if match is None:
        return False
    subject, predicate, node, said, _, kind, facets = match.groups()
    id = _id(subject)
    if predicate == "dgraph.type":
        if said and not said.startswith("dgraph."):
            made.node(id, [_plain(said)], {})
    elif predicate.startswith("dgraph."):  # of the database's own
        pass
    elif node is not None:
        made.edge(id, _id(node), predicate, _facets(facets or ""))
    else:
        made.node(id, [], {predicate: _value(_plain(said or ""), (kind or "").rpartition(":")[2].rpartition("#")[2])})
    return True


def _id(node: str) -> str:
    return node[1:-1] if node.startswith("<") else node


def _value(text: str, kind: str) -> Any:
    return TypedText(text, f"{XSD}{_TYPES[kind]}") if kind in _TYPES else dated(text)


def _facets(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, quoted, bare in _FACET.findall(text):
        value = bare.strip()
        if re.fullmatch(r"[-+]?\d{1,18}", value):
            found[name] = int(value)
        elif re.fullmatch(r"[-+]?\d+\.\d+(?:[eE][-+]?\d+)?", value):
            found[name] = float(value)
        else:
            found[name] = {"true": True, "false": False}.get(value, dated(value)) if value else _plain(quoted)
    return found


def _plain(text: str) -> str:
    """A quoted text without its escapes."""
    return _ESCAPE.sub(_letter, text) if "\\" in text else text


def _letter(match: re.Match[str]) -> str:
    short, long, byte, letter = match.groups()
    if letter is not None:
        return _LETTERS.get(letter, letter)
    number = int(short or long or byte, 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "�"
