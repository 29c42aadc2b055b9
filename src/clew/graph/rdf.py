"""Reader of RDF in every syntax, through pyoxigraph.

Kept apart because RDF says more than triples: labels in many languages, descriptions, typed literals, nameless nodes
and named graphs; what becomes of them is in `statements`.

Shapes: n rows of a batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
import pyoxigraph as ox

from clew.graph.inputs import BLOCK, BOM, LINE_LIMIT, Batch, Problems, Stream
from clew.graph.jsonld import PAGES, SAMPLE, DocumentStream, Readable, WithContexts, a_line, lines, scripts
from clew.graph.ntriples import by_lines, diagnosis
from clew.graph.statements import Statements

SYNTAXES = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "jsonld": ox.RdfFormat.JSON_LD,
    "rdf": ox.RdfFormat.RDF_XML,
    "xml": ox.RdfFormat.RDF_XML,
    "owl": ox.RdfFormat.RDF_XML,
    "n3": ox.RdfFormat.N3,
    **dict.fromkeys(PAGES, ox.RdfFormat.JSON_LD),
}
DEEP = 500  # objects within objects of JSON-LD
GROWN = 10_000  # letters that an XML entity may stand for


def rdf(
    file: Path,
    suffix: str,
    problems: Problems,
    stream: Stream,
    languages: Sequence[str],
    number: int,
    prefixes: dict[str, str],
    only: Sequence[str] = (),
) -> Iterator[Batch]:
    """Statements of one RDF file; `number` keeps the nameless nodes of several files apart.

    Args:
        languages: in order of liking; `only`: those whose texts are read, none for all.
    """
    by_line = suffix in ("nt", "nq")
    if SYNTAXES[suffix] == ox.RdfFormat.RDF_XML:
        suffix, why = _really(stream.peek(SAMPLE), suffix)
        if why:
            problems.add(str(file), None, "syntax", why)
            return
    prefix = f"f{number}." if number else ""
    syntax = SYNTAXES[suffix]
    loose = syntax == ox.RdfFormat.JSON_LD
    statements = Statements(languages, prefix, problems, str(file), renumber=not by_line, only=only, loose=loose)
    if by_line:
        yield from by_lines(str(file), syntax, problems, stream, statements)
    else:
        text = _text_of(suffix, stream, problems)
        yield from _streamed(text, file, syntax, problems, statements, prefixes)


_TURTLE = re.compile(rb"(?:\s|#[^\n]*\n)*(?:@prefix|@base|prefix\s+[\w-]*:\s*<|base\s*<)", re.IGNORECASE)
_NO_RDF = (
    (re.compile(rb"(?:\s|#[^\n]*\n)*(?:Prefix|Ontology)\s*\("), "functional syntax"),
    (re.compile(rb"(?:\s|#[^\n]*\n)*(?:Prefix|Ontology)\s*:\s"), "Manchester syntax"),
    (re.compile(rb"(?>(?:\s|<\?(?>(?:[^?]|\?(?!>))*)\?>|<!--(?>(?:[^-]|-(?!->))*)-->|<!DOCTYPE[^\[>]*+(?:\[[^\]]*+\])?\s*+>)*)"
                rb"<Ontology\s"), "OWL/XML"),
)  # fmt: skip


def _really(head: bytes, suffix: str) -> tuple[str, str]:
    """The syntax of a file that is called RDF/XML, by its beginning; why it cannot be read, where it is no RDF.

    Tools write ontologies in five syntaxes, and each of them into `.owl`.
    """
    head = head.removeprefix(BOM)
    for pattern, name in _NO_RDF:
        if pattern.match(head):
            return suffix, (
                f"is an ontology in {name}, which is no RDF: save it as Turtle or RDF/XML (Protégé: Save as; "
                "robot convert --input FILE --output FILE.ttl)"
            )
    return ("ttl" if _TURTLE.match(head) else suffix), ""


def _text_of(suffix: str, stream: Stream, problems: Problems) -> Any:
    """The stream that the parser sees."""
    if suffix in PAGES:
        documents = scripts(stream, problems)
    elif suffix == "jsonld" and a_line(stream.peek(SAMPLE)):
        documents = lines(stream, problems)
    else:
        clean = _CleanUtf8(stream, problems)
        if SYNTAXES[suffix] == ox.RdfFormat.RDF_XML:
            return _Declared(clean)
        return WithContexts(_Shallow(clean), str(stream.file), problems) if suffix == "jsonld" else clean
    return WithContexts(_Shallow(DocumentStream(documents)), str(stream.file), problems)


class _CleanUtf8:
    """A stream for the parser in which broken UTF-8 is replaced, because the parser cannot go on after it."""

    def __init__(self, stream: Stream, problems: Problems) -> None:
        self._stream, self._problems = stream, problems
        self._rest, self._line = b"", 1

    def read(self, size: int = BLOCK) -> bytes:
        wanted = BLOCK if size is None or size < 0 else max(size - 8, 1)
        while True:
            block = self._stream.read(wanted)
            data = self._rest + block
            if not data:
                return b""
            self._rest = b""
            cleaned = self._clean(data, final=not block)
            if cleaned:
                self._line += cleaned.count(b"\n")
                self._stream.line = self._line
                return cleaned

    def _clean(self, data: bytes, final: bool) -> bytes:
        if b"\0" in data:
            line = self._line + data[: data.index(b"\0")].count(b"\n")
            times = data.count(b"\0")
            self._problems.add(str(self._stream.file), line, "nul", "contains a NUL byte; read with � instead", times)
            data = data.replace(b"\0", "�".encode())
        good: list[bytes] = []
        while True:
            try:
                data.decode("utf-8")
                return b"".join([*good, data])
            except UnicodeDecodeError as error:
                if not final and error.end == len(data) and error.reason == "unexpected end of data":
                    self._rest = data[error.start :]
                    return b"".join([*good, data[: error.start]])
                good += [data[: error.start], "�".encode()]
                line = self._line + sum(part.count(b"\n") for part in good)
                self._problems.add(str(self._stream.file), line, "utf8", "is not valid UTF-8; read with � instead")
                data = data[error.end :]


class _Refused(Exception):
    """A file that no parser should see; the text says why."""


_ENTITY = re.compile(rb"""<!ENTITY\s+([^\s%]+)\s+(?:"([^"]*)"|'([^']*)')\s*>""")
_MENTION = re.compile(rb"&([^;#\s]+);")
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))


def refuse_growing_entities(head: bytes) -> None:
    """Raises _Refused where an entity that an XML document declares stands for more than `GROWN` letters."""
    declared = {name: double or single for name, double, single in _ENTITY.findall(head)}
    used = {name: _MENTION.findall(text) for name, text in declared.items()}
    sizes = {name: len(text) for name, text in declared.items()}
    while True:  # one may use those declared after it; each round either grows one or is the last
        grown = {name: len(text) + sum(sizes.get(other, 0) for other in used[name]) for name, text in declared.items()}
        large = next((name for name, size in grown.items() if size > GROWN), None)
        if large is not None:
            raise _Refused(
                f"the entity {large.decode('utf-8', 'replace')[:80]!r} stands for more than {GROWN:,} letters"
            )
        if grown == sizes:
            return
        sizes = grown


class _Shallow:
    """A stream of JSON that ends with _Refused where objects and lists are nested too deeply to be read in time."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._rest, self._depth = b"", 0

    def read(self, size: int = BLOCK) -> bytes:
        block = self._stream.read(size)
        bare = _STRING.sub(b"", self._rest + block)
        self._rest = b""
        if (cut := bare.find(b'"')) >= 0:
            text = bare[cut:]  # goes on in the next block: all that matters is whether a backslash ends this one
            self._rest = b'"' + b"\\" * ((len(text) - len(text.rstrip(b"\\"))) % 2)
            bare = bare[:cut]
        brackets = np.frombuffer(bare.translate(None, _NO_BRACKETS), np.uint8)
        if len(brackets):
            depths = self._depth + np.cumsum(np.where((brackets == 91) | (brackets == 123), 1, -1))
            self._depth = int(depths[-1])
            if depths.max() > DEEP:
                raise _Refused(f"objects are nested more than {DEEP} deep")
        return block


class _Declared:
    """A stream of XML whose declarations were looked through before the parser sees them."""

    def __init__(self, stream: _CleanUtf8) -> None:
        self._stream, self._head = stream, b""
        self._looked = False

    def read(self, size: int = BLOCK) -> bytes:
        if not self._looked:
            self._looked = True
            self._head = self._stream.read(BLOCK)
            if b"<!DOCTYPE" in self._head:
                refuse_growing_entities(self._head)
        if not self._head:
            return self._stream.read(size)
        piece, self._head = self._head[:size], self._head[size:]
        return piece


def _streamed(
    text: Any,
    file: Path,
    syntax: ox.RdfFormat,
    problems: Problems,
    statements: Statements,
    prefixes: dict[str, str],
) -> Iterator[Batch]:
    """Any other syntax: the parser recovers by itself where the syntax allows it."""
    name = str(file)
    # Without a base the parser passes over what has a relative id, in JSON-LD without a word.
    quads = ox.parse(text, syntax, base_iri=f"file:///{quote(file.name)}")
    last: tuple[Any, Any] | None = None
    at_end = False
    while not at_end:
        try:
            at_end = True
            for quad in quads:
                statements.add((quad,))
                if statements.full:
                    at_end = False
                    break
        except SyntaxError as error:
            place = (error.lineno, error.offset)
            at_end = place == last  # an error twice at one place: it cannot go on
            last = place
            if not at_end:
                problems.add(name, error.lineno, *diagnosis(error))
        except _Refused as error:
            at_end = True
            problems.add(name, None, "syntax", f"{error}; the rest of the file is not read")
        except MemoryError:  # what the parser raises for a term beyond its buffer, and it cannot go on
            at_end = True
            problems.add(
                name, None, "long", f"a term longer than {LINE_LIMIT:,} bytes; the rest of the file is not read"
            )
        prefixes.update(quads.prefixes)
        if statements.full or at_end:
            yield from statements.batches()
