"""Reader of N-Triples and N-Quads, where every line is a statement and an error costs one line.

Kept apart from `rdf` because files of these syntaxes are the large ones: what is more than a block is read by compiled
code (`lines`), which gives only odd lines to the parser.

Shapes: n statements of a block, m odd lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any

import numpy as np
import pyoxigraph as ox
from numpy.typing import NDArray

from clew.graph.inputs import BLOCK, LINE_LIMIT, Batch, Notes, Problems, Rows, Stream, TableColumn
from clew.graph.statements import ALIASES, DESCRIPTIONS, DROPPED, LABELS, LANG_STRING, STRING, Statements

NESTED = 100  # statements within statements in one line


def by_lines(
    name: str, syntax: ox.RdfFormat, problems: Problems, stream: Stream, statements: Statements
) -> Iterator[Batch]:
    """A syntax of one statement a line: after an error the next line is read as if nothing had happened.

    What is larger than a block is read by compiled code, which gives only odd lines to the parser.
    """
    pending, line = b"", 0
    lines: Lines | None = None
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
        if lines is None and len(block) == BLOCK:
            lines = Lines(name, syntax, problems, statements)
        if lines is not None:
            yield from lines.batches(chunk, line)
            line += chunk.count(b"\n")
        else:
            read = chunk.count(b"\n")
            _parse_lines(chunk, name, line, syntax, problems, statements)
            line += read
            yield from statements.batches()
        stream.line = line
        if not block:
            return


def _parse_lines(
    chunk: bytes, name: str, line: int, syntax: ox.RdfFormat, problems: Problems, statements: Statements
) -> None:
    """Take in what the parser reads of some lines, the first of which comes after `line`."""
    if b"\0" in chunk or len(chunk) > LINE_LIMIT or chunk.count(b"<<") > NESTED:
        chunk = _parsable(chunk, name, line, problems)
    done = at = 0
    while at < len(chunk):
        try:
            # A slice for each of many errors would copy the whole chunk every time.
            rest: Any = chunk if not at else BytesIO(chunk)
            if at:
                rest.seek(at)
            statements.add(ox.parse(rest, syntax))
            return
        except SyntaxError as error:
            bad = max(error.lineno or 1, 1)
            problems.add(name, line + done + bad, *diagnosis(error))
            at = _after_lines(chunk, at, bad)
            done += bad


def _after_lines(chunk: bytes, at: int, lines: int) -> int:
    """Where the line begins that comes so many lines after the one at `at`."""
    for _ in range(lines):
        at = chunk.find(b"\n", at) + 1
        if not at:
            return len(chunk)
    return at


class Lines:
    """Batches from blocks of lines: plain ones by compiled code, odd ones by the parser, in the order they have."""

    def __init__(self, name: str, syntax: ox.RdfFormat, problems: Problems, statements: Statements) -> None:
        self._name, self._syntax, self._problems, self._statements = name, syntax, problems, statements
        self._noted = [*LABELS, *sorted(ALIASES), *DESCRIPTIONS]
        known = [text.encode() for text in (*self._noted, STRING, LANG_STRING)]
        self._known = np.frombuffer(b"".join(known), np.uint8)
        self._known_at = np.cumsum([0, *map(len, known)])

    def batches(self, chunk: bytes, line: int) -> Iterator[Batch]:
        """What a block says, the first line of which comes after `line`; triples first, as `Statements` has them."""
        from clew.graph import lines

        data = np.frombuffer(bytearray(chunk), np.uint8)
        starts, lengths, literal, which, text_at, text_size, tags, at, _, odd = lines.read_lines(
            data, len(data), self._syntax == ox.RdfFormat.N_QUADS, not self._statements.prefixed,
            self._known, self._known_at, lines.CLASSES, chunk.count(b"\n") + 1,
        )  # fmt: skip
        others, other_at = self._odd(chunk, odd, line)
        kept = np.ones(len(at), bool)
        for tag in np.unique(tags).tolist() if self._statements.choosy else ():
            if tag and not self._statements.wants(_tag_text(tag)):
                kept &= tags != tag
        rows = np.flatnonzero(kept & (which < 0))
        columns = [TableColumn(data, starts[k, rows], lengths[k, rows]) for k in range(4)]
        plain = Rows(columns[0], columns[1], columns[2], literal[rows], columns[3] if lengths[3, rows].any() else None)
        odd_rows = [batch for batch in others if isinstance(batch, Rows)]
        if len(rows) or odd_rows:
            yield _rows_in_order(plain, at[rows], odd_rows, other_at["rows"])
        for kind in ("label", "description"):
            ranks = self._ranks(kind, which, tags)
            mine = np.flatnonzero(kept & (ranks != DROPPED) & (text_size > 0))
            note = Notes(
                kind, TableColumn(data, starts[0, mine], lengths[0, mine]),
                TableColumn(data, text_at[mine], text_size[mine]),
                ranks[mine].astype(np.int16),
            )  # fmt: skip
            odd_notes = [batch for batch in others if isinstance(batch, Notes) and batch.kind == kind]
            if len(mine) or odd_notes:
                yield _notes_in_order(note, at[mine], odd_notes, other_at[kind])

    def _odd(self, chunk: bytes, odd: NDArray[np.int64], line: int) -> tuple[list[Batch], dict[str, list[int]]]:
        """What the parser makes of odd lines, and the line of each row and note."""
        places: dict[str, list[int]] = {"rows": [], "label": [], "description": []}
        for number, begin, end in odd.tolist():
            before = self._statements.sizes()
            text = chunk[begin:end].rstrip(b"\n")  # at which the parser would count the next line
            _parse_lines(text, self._name, line + number - 1, self._syntax, self._problems, self._statements)
            for kind, size in self._statements.sizes().items():
                places[kind] += [number] * (size - before.get(kind, 0))
        return list(self._statements.batches()), places

    def _ranks(self, kind: str, which: NDArray[np.int8], tags: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The rank of each text of a kind as `Statements` gives it; DROPPED for what is not of the kind or unwanted."""
        found = np.full(len(which), DROPPED, np.int64)
        noted = np.flatnonzero(which >= 0)
        pairs, inverse = np.unique(
            np.stack([which[noted].astype(np.uint64), tags[noted]], axis=1), axis=0, return_inverse=True
        )
        ranks = [self._statements.rank_of(self._noted[int(k)], _tag_text(int(tag))) for k, tag in pairs]
        values = np.array([DROPPED if rank is None or rank[0] != kind else rank[1] for rank in ranks], np.int64)
        if len(noted):
            found[noted] = values[inverse.reshape(-1)]
        return found


def _tag_text(tag: int) -> str | None:
    """A language from the number that its letters make."""
    return tag.to_bytes(8, "big").lstrip(b"\0").decode("ascii") or None


def _joined(column: TableColumn, others: Sequence[TableColumn], order: NDArray[np.int64]) -> TableColumn:
    """Columns one behind the other, in another order."""
    data, starts, lengths = [column.data], [column.starts], [column.lengths]
    size = len(column.data)
    for other in others:
        data.append(other.data)
        starts.append(other.starts + size)
        lengths.append(other.lengths)
        size += len(other.data)
    return TableColumn(np.concatenate(data), np.concatenate(starts)[order], np.concatenate(lengths)[order])


def _rows_in_order(plain: Rows, at: NDArray[np.int64], others: Sequence[Rows], other_at: list[int]) -> Rows:
    """Plain rows and those of odd lines, in order of their lines."""
    if not others:
        return plain
    order = np.argsort(np.concatenate([at, np.array(other_at, np.int64)]), kind="stable")
    heads = _joined(plain.heads, [other.heads for other in others], order)
    relations = _joined(plain.relations, [other.relations for other in others], order)
    tails = _joined(plain.tails, [other.tails for other in others], order)
    literal = np.concatenate([each.literal_tails for each in (plain, *others) if each.literal_tails is not None])
    sources = None
    if plain.sources is not None or any(other.sources is not None for other in others):
        stated = [each.sources or _nothing(len(each.heads.starts)) for each in (plain, *others)]
        sources = _joined(stated[0], stated[1:], order)
    return Rows(heads, relations, tails, literal[order], sources)


def _nothing(count: int) -> TableColumn:
    return TableColumn(np.empty(0, np.uint8), np.zeros(count, np.int64), np.zeros(count, np.int64))


def _notes_in_order(plain: Notes, at: NDArray[np.int64], others: Sequence[Notes], other_at: list[int]) -> Notes:
    if not others:
        return plain
    order = np.argsort(np.concatenate([at, np.array(other_at, np.int64)]), kind="stable")
    owners = _joined(plain.owners, [other.owners for other in others], order)
    texts = _joined(plain.texts, [other.texts for other in others], order)
    return Notes(plain.kind, owners, texts, np.concatenate([plain.ranks, *(o.ranks for o in others)])[order])


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


def diagnosis(error: SyntaxError) -> tuple[str, str]:
    message = re.sub(r"^Parser error[^:]*: ", "", str(error.msg or error))
    kind = "utf8" if "UTF-8" in message else "quote" if "string literal" in message else "syntax"
    return kind, message
