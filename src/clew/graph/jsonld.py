"""JSON-LD as it lies about: contexts named by address, a document a line, in a `.json` file, in the pages of a site.

Kept apart from `rdf`, which has one parser for every syntax: here all of these become the one document that it reads.
The parser would fetch a context from its address, if it could; what stands there is written into the stream instead.

Shapes: B bytes of a block.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Protocol

from clew.graph.contexts import as_json, written_out
from clew.graph.inputs import BLOCK, BOM, LINE_LIMIT, STEP, Problems, Stream

SAMPLE = 1 << 16  # bytes in which the kind of a document shows
LARGEST_PAGE = 64 << 20  # bytes of a page
KEPT = 1000  # different contexts of one file that are remembered
PAGES = ("html", "htm", "xhtml")
_KEY = re.compile(rb'"@context"\s*:\s*')
_PART_OF_KEY = re.compile(rb'"(?:@(?:c(?:o(?:n(?:t(?:e(?:x(?:t(?:"\s*)?)?)?)?)?)?)?)?)?\Z')
_TOKEN = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{}]', re.DOTALL)
_KEYWORDS = re.compile(rb'"@(?:context|graph)"\s*:|"@(?:id|type)"\s*:[\s[]*"(?:_|[A-Za-z][A-Za-z0-9+.-]*):')
_SCRIPT = re.compile(
    rb"<script\b[^>]*\btype\s*=\s*[\"']?application/ld\+json\b[^>]*>(.*?)</script\s*>", re.DOTALL | re.IGNORECASE
)
_WRAPPING = re.compile(rb"^\s*(?:<!--|(?://|/\*)?\s*<!\[CDATA\[(?:\s*\*/)?)|(?:-->|(?://|/\*)?\s*\]\]>(?:\s*\*/)?)\s*$")


class Readable(Protocol):
    """What can be read as bytes."""

    def read(self, size: int = ...) -> bytes: ...


def is_jsonld(sample: bytes) -> bool:
    """Whether the object that a file begins with, or the first of its list, has a keyword of JSON-LD as a key."""
    depth, listed = 0, sample.removeprefix(BOM).lstrip()[:1] == b"["
    for token in _TOKEN.finditer(sample):
        text = token[0]
        if text in (b"{", b"["):
            depth += 1
        elif text in (b"}", b"]"):
            depth -= 1
            if depth <= listed:
                return False
        elif depth == 1 + listed and _KEYWORDS.match(sample, token.start()):
            return True
    return False


def a_line(sample: bytes) -> bool:
    """Whether a file has an object a line, and not one in several."""
    lines = [line.strip() for line in sample.removeprefix(BOM).split(b"\n")[:-1]]
    first, second, *_ = [*[line for line in lines if line][:2], b"", b""]
    if not (first.startswith(b"{") and first.endswith(b"}")):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return not second or second.startswith(b"{")


class DocumentStream:
    """A stream of one list of JSON documents."""

    def __init__(self, documents: Iterable[bytes]) -> None:
        self._pieces = self._listed(documents)
        self._rest = BytesIO()

    def read(self, size: int = BLOCK) -> bytes:
        while not (piece := self._rest.read(size)):
            following = next(self._pieces, None)
            if following is None:
                return b""
            self._rest = BytesIO(following)
        return piece

    @staticmethod
    def _listed(documents: Iterable[bytes]) -> Iterator[bytes]:
        before = b"["
        for document in documents:
            yield before + document
            before = b","
        yield b"]" if before == b"," else b"[]"


def lines(stream: Stream, problems: Problems) -> Iterator[bytes]:
    """The documents of a file that has one a line; what is no JSON is told and left out."""
    for text in stream.lines():
        if text.strip():
            try:
                json.loads(text)
            except (ValueError, RecursionError) as error:
                problems.add(str(stream.file), stream.line, "syntax", f"is not JSON: {str(error)[:100]}")
            else:
                yield text


def scripts(stream: Stream, problems: Problems) -> Iterator[bytes]:
    """The documents in the scripts of a page; what is no JSON is told and left out."""
    page = stream.read(LARGEST_PAGE + 1)
    if len(page) > LARGEST_PAGE:
        problems.add(str(stream.file), None, "long", f"a page larger than {LARGEST_PAGE >> 20} MB")
        return
    found = 0
    for script in _SCRIPT.finditer(page):
        text = _WRAPPING.sub(b"", script[1]).strip().rstrip(b";")
        line = page.count(b"\n", 0, script.start(1)) + 1
        found += 1
        for attempt in (text, html.unescape(text.decode("utf-8", "replace")).encode()):
            try:
                json.loads(attempt, strict=False)
                yield attempt
                break
            except (ValueError, RecursionError) as error:
                why = str(error)[:100]
        else:
            problems.add(str(stream.file), line, "syntax", f"its JSON-LD is not JSON: {why}")
    if not found:
        why = 'a page without JSON-LD (<script type="application/ld+json">); microdata and RDFa are not read'
        problems.add(str(stream.file), None, "syntax", why)


class WithContexts:
    """A stream of JSON-LD in which contexts that are named by address are written out.

    A key cannot be told from a text by its letters alone, but `"@context"` with a quote that no backslash is before can
    only begin a string, and a colon follows keys alone.
    """

    def __init__(self, stream: Readable, file: str, problems: Problems) -> None:
        self._stream, self._file, self._problems = stream, file, problems
        self._rest, self._out = b"", BytesIO()
        self._sample: str | None = None
        self._told: set[str] = set()
        self._known: dict[bytes, bytes] = {}  # what was written for a context

    def read(self, size: int = BLOCK) -> bytes:
        while not (piece := self._out.read(size)):
            block = self._stream.read(BLOCK)
            data = self._rest + block
            if not data:
                return b""
            if self._sample is None:
                self._sample = data[:SAMPLE].decode("utf-8", "replace")
            ready, self._rest = self._replaced(data, final=not block)
            self._out = BytesIO(ready)
        return piece

    def _replaced(self, data: bytes, *, final: bool) -> tuple[bytes, bytes]:
        """What can be handed on, and what must wait for more."""
        pieces: list[bytes] = []
        at = 0
        while key := _KEY.search(data, at):
            end = _end_of_value(data, key.end())
            if end is None and not final and len(data) - key.start() < LINE_LIMIT:
                return b"".join([*pieces, data[at : key.start()]]), data[key.start() :]
            pieces.append(data[at : key.end()])
            at = key.end()
            if end is not None and end > at and data[key.start() - 1 : key.start()] != b"\\":
                pieces.append(self._context(data[at:end]))
                at = end
        cut = _PART_OF_KEY.search(data, max(at, len(data) - STEP)) if not final else None
        end = cut.start() if cut else len(data)
        return b"".join([*pieces, data[at:end]]), data[end:]

    def _context(self, text: bytes) -> bytes:
        if len(self._known) > KEPT:
            self._known.clear()
        if text not in self._known:
            self._known[text] = self._made(text)
        return self._known[text]

    def _made(self, text: bytes) -> bytes:
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):  # the parser says so
            return text
        new, unknown = written_out(value, self._sample or "")
        for address in unknown:
            if address not in self._told:
                self._told.add(address)
                self._problems.add(self._file, None, "context", _UNKNOWN.format(address=address[:200]))
        if new == value:
            return text
        return as_json(new) + b"\n" * text.count(b"\n")  # so that lines keep their numbers


_UNKNOWN = (
    'the context "{address}" was not fetched (nothing ever is): its terms are taken as they are written, and texts '
    "that it would read as ids or dates stay texts; where that matters, write what stands there into the file"
)


def _end_of_value(data: bytes, at: int) -> int | None:
    """Where a text or a list ends that begins here; `at` for anything else, None where the end is not there yet."""
    if at >= len(data):
        return None
    if data[at : at + 1] not in (b'"', b"["):
        return at
    depth = 0
    for token in _TOKEN.finditer(data, at):
        text = token[0]
        depth += (text in (b"[", b"{")) - (text in (b"]", b"}"))
        if depth <= 0:
            return token.end()
    return None
