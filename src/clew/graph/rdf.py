"""Reader of RDF in every syntax, through pyoxigraph.

Kept apart because RDF says more than triples: labels in many languages, descriptions, typed literals, nameless nodes
and named graphs. A literal becomes an entity whose id is its text in quotes with language or datatype behind
(`"1889-03-31"^^<http://www.w3.org/2001/XMLSchema#date>`), so that a date or a number can be an answer.

Shapes: n rows of a batch.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyoxigraph as ox

from clew.graph.inputs import (
    ALIAS,
    BLOCK,
    FOREIGN,
    LINE_LIMIT,
    TERM_LIMIT,
    Batch,
    Notes,
    Problems,
    Rows,
    Stream,
    column,
)

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
}
LABELS = {
    "http://www.w3.org/2004/02/skos/core#prefLabel": 0,
    "http://www.w3.org/2000/01/rdf-schema#label": 1,
    "http://schema.org/name": 2,
    "https://schema.org/name": 2,
    "http://xmlns.com/foaf/0.1/name": 3,
    "http://rdf.freebase.com/ns/type.object.name": 4,
}
ALIASES = {
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://rdf.freebase.com/ns/common.topic.alias",
}
DESCRIPTIONS = {
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://purl.org/dc/terms/description",
    "http://rdf.freebase.com/ns/common.topic.description",
}
STRING = "http://www.w3.org/2001/XMLSchema#string"
LANG_STRING = "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString"

CHUNK = 1 << 16  # statements per batch
MOST_LETTERS = 1 << 26  # of the texts in a batch
NESTED = 100  # statements within statements in one line
DEEP = 500  # objects within objects of JSON-LD
GROWN = 10_000  # letters that an XML entity may stand for


def literal_id(literal: Any) -> str:
    """The id of a literal; see `strings.literal_parts` for the way back."""
    if literal.language:
        return f'"{literal.value}"@{literal.language}'
    datatype = literal.datatype.value
    return f'"{literal.value}"' if datatype == STRING else f'"{literal.value}"^^<{datatype}>'


class Statements:
    """Sorts statements into triples, labels and descriptions, and hands them over in batches."""

    def __init__(
        self,
        languages: Sequence[str],
        blank_prefix: str,
        problems: Problems,
        name: str,
        *,
        renumber: bool,
        only: Sequence[str] = (),
    ) -> None:
        self._languages = [language.casefold() for language in languages]
        self._only, self._kept = [language.casefold() for language in only], dict[str, bool]()
        self._ranks: dict[str | None, int | None] = {None: len(languages), "": len(languages)}
        self._blank, self._problems, self._name = f"_:{blank_prefix}", problems, name
        # The parser invents random names for anonymous nodes: numbered, the same file gives the same graph.
        self._blanks: dict[str, str] | None = {} if renumber else None
        self._clear()

    def _blank_id(self, name: str) -> str:
        if self._blanks is None:
            return self._blank + name
        if name not in self._blanks:
            self._blanks[name] = f"{self._blank}b{len(self._blanks)}"
        return self._blanks[name]

    def _clear(self) -> None:
        self._heads: list[str] = []
        self._relations: list[str] = []
        self._tails: list[str] = []
        self._literal: list[bool] = []
        self._sources: list[str] = []
        self._sourced = False
        self._letters = 0  # of texts taken in
        self._notes: dict[str, tuple[list[str], list[str], list[int]]] = {}

    def _rank(self, language: str | None) -> int:
        """0 is the language liked best; FOREIGN for one that was not asked for."""
        if language not in self._ranks:
            tag = (language or "").casefold()
            matches = [i for i, want in enumerate(self._languages) if tag == want or tag.startswith(want + "-")]
            self._ranks[language] = matches[0] if matches else FOREIGN
        return self._ranks[language] or 0

    def wants(self, language: str) -> bool:
        """Whether texts of a language are to be read."""
        if language not in self._kept:
            tag = language.casefold()
            self._kept[language] = not self._only or any(tag == x or tag.startswith(x + "-") for x in self._only)
        return self._kept[language]

    def add(self, quads: Iterable[Any], line: int | None = None) -> None:
        """Take in statements until they end; what the parser raises passes through."""
        heads, relations, tails = self._heads.append, self._relations.append, self._tails.append
        literal, sources = self._literal.append, self._sources.append
        named, blank, text = ox.NamedNode, ox.BlankNode, ox.Literal
        blank_id = self._blank_id
        for subject, predicate, tail, graph in quads:
            kind = type(subject)
            if kind is named:
                head = subject.value
            elif kind is blank:
                head = blank_id(subject.value)
            else:
                self._problems.add(self._name, line, "syntax", "a statement about a statement is not supported")
                continue
            relation = predicate.value
            kind = type(tail)
            if kind is text:
                if len(tail.value) * 4 > TERM_LIMIT and len(tail.value.encode()) > TERM_LIMIT:
                    self._problems.add(
                        self._name, line, "long", f"a text of {len(tail.value):,} letters about {head[:200]}"
                    )
                    continue
                if self._only and tail.language and not self.wants(tail.language):
                    continue
                self._letters += len(tail.value)
                if self._noted(head, relation, tail):
                    continue
                heads(head)
                tails(literal_id(tail))
                literal(True)
            else:
                if kind is named:
                    heads(head)
                    tails(tail.value)
                elif kind is blank:
                    heads(head)
                    tails(blank_id(tail.value))
                else:
                    self._problems.add(self._name, line, "syntax", "a statement about a statement is not supported")
                    continue
                literal(False)
            relations(relation)
            if type(graph) is ox.DefaultGraph:
                sources("")
            else:
                self._sourced = True
                sources(graph.value if type(graph) is named else blank_id(graph.value))

    def _noted(self, head: str, relation: str, text: Any) -> bool:
        """Whether the statement only names or describes its subject, and was put aside for that."""
        if relation in LABELS:
            language = self._rank(text.language)
            kind, rank = "label", language if language >= FOREIGN else language * 5 + LABELS[relation]
        elif relation in ALIASES:
            language = self._rank(text.language)
            if language >= FOREIGN:
                return True
            kind, rank = "label", ALIAS + language
        elif relation in DESCRIPTIONS:
            kind, rank = "description", self._rank(text.language)
        else:
            return False
        if text.value.strip():
            owners, texts, ranks = self._notes.setdefault(kind, ([], [], []))
            owners.append(head)
            texts.append(text.value.strip())
            ranks.append(rank)
        return True

    def __len__(self) -> int:
        return len(self._heads) + sum(len(owners) for owners, _, _ in self._notes.values())

    @property
    def full(self) -> bool:
        """Whether it is time to hand over what was taken in."""
        return len(self) >= CHUNK or self._letters > MOST_LETTERS

    def batches(self) -> Iterator[Batch]:
        """What was taken in since the last call."""
        if self._heads:
            yield Rows(
                column(self._heads),
                column(self._relations),
                column(self._tails),
                np.array(self._literal, bool),
                column(self._sources) if self._sourced else None,
            )
        for kind, (owners, texts, ranks) in self._notes.items():
            yield Notes(kind, column(owners), column(texts), np.array(ranks, np.int16))
        self._clear()


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
    prefix = f"f{number}." if number else ""
    statements = Statements(languages, prefix, problems, str(file), renumber=not by_line, only=only)
    syntax = SYNTAXES[suffix]
    if by_line:
        yield from _by_lines(str(file), syntax, problems, stream, statements)
    else:
        yield from _streamed(str(file), syntax, problems, stream, statements, prefixes)


def _by_lines(
    name: str, syntax: ox.RdfFormat, problems: Problems, stream: Stream, statements: Statements
) -> Iterator[Batch]:
    """A syntax of one statement a line: after an error the next line is read as if nothing had happened."""
    pending, line = b"", 0
    while True:
        block = stream.read(BLOCK)
        pending += block
        if not block:
            pending = stream.whole_lines(pending)
        cut = pending.rfind(b"\n") + 1 if block else len(pending)
        if cut == 0 and len(pending) > LINE_LIMIT:
            line += 1
            problems.add(name, line, "long", f"a line longer than {LINE_LIMIT:,} bytes")
            while pending and b"\n" not in pending:
                pending = stream.read(BLOCK)
            pending = pending.partition(b"\n")[2]
            continue
        chunk, pending = pending[:cut], pending[cut:]
        lines = chunk.count(b"\n")
        done = 0
        if b"\0" in chunk or len(chunk) > LINE_LIMIT or chunk.count(b"<<") > NESTED:
            chunk = _parsable(chunk, name, line, problems)
        while chunk:
            try:
                statements.add(ox.parse(chunk, syntax))
                break
            except SyntaxError as error:
                bad = max(error.lineno or 1, 1)
                problems.add(name, line + done + bad, *_diagnosis(error))
                chunk = _skip_lines(chunk, bad)
                done += bad
        line += lines
        stream.line = line
        yield from statements.batches()
        if not block:
            return


def _parsable(chunk: bytes, name: str, line: int, problems: Problems) -> bytes:
    """The chunk with those of its lines made blank after which the parser could not go on."""
    lines = chunk.split(b"\n")
    for i, text in enumerate(lines):
        if b"\0" in text:
            problems.add(name, line + i + 1, "nul", "contains a NUL byte")
        elif len(text) > LINE_LIMIT:
            problems.add(name, line + i + 1, "long", f"a line longer than {LINE_LIMIT:,} bytes")
        elif text.count(b"<<") > NESTED:
            problems.add(name, line + i + 1, "syntax", f"more than {NESTED} statements within statements")
        else:
            continue
        lines[i] = b""
    return b"\n".join(lines)


def _skip_lines(chunk: bytes, lines: int) -> bytes:
    at = 0
    for _ in range(lines):
        at = chunk.find(b"\n", at) + 1
        if not at:
            return b""
    return chunk[at:]


def _diagnosis(error: SyntaxError) -> tuple[str, str]:
    message = re.sub(r"^Parser error[^:]*: ", "", str(error.msg or error))
    kind = "utf8" if "UTF-8" in message else "quote" if "string literal" in message else "syntax"
    return kind, message


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

    def __init__(self, stream: _CleanUtf8) -> None:
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
    name: str,
    syntax: ox.RdfFormat,
    problems: Problems,
    stream: Stream,
    statements: Statements,
    prefixes: dict[str, str],
) -> Iterator[Batch]:
    """Any other syntax: the parser recovers by itself where the syntax allows it."""
    clean = _CleanUtf8(stream, problems)
    guarded: Any = clean
    if syntax == ox.RdfFormat.RDF_XML:
        guarded = _Declared(clean)
    elif syntax == ox.RdfFormat.JSON_LD:
        guarded = _Shallow(clean)
    quads = ox.parse(guarded, syntax)
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
                problems.add(name, error.lineno, *_diagnosis(error))
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
