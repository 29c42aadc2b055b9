"""Readers of tables: TSV, CSV and other delimited text, Parquet, JSON lines.

Kept apart from RDF because here an id is its own label and nothing is parsed but the columns. Delimited text is split
by compiled code that never stops at a bad line and always knows its number; columns go by name (head, relation, tail
or a synonym) or are the first three.

Shapes: n rows of a batch.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.inputs import (
    ALIAS,
    BLOCK,
    CHOSEN,
    LINE_LIMIT,
    TERM_LIMIT,
    Batch,
    Notes,
    Problems,
    Rows,
    Stream,
    TableColumn,
    column,
)
from clew.graph.query_results import names_results, query_table

SYNONYMS = (
    ("head", "subject", "source", "subj", "head_id", "h", "s", "from", "start"),
    ("relation", "predicate", "edge", "pred", "relation_id", "rel", "r", "p", "property", "type"),
    ("tail", "object", "target", "obj", "tail_id", "t", "o", "to", "end"),
)
ROLES = ("head", "relation", "tail")
WHY = {
    1: ("fields", "wrong number of fields"),
    2: ("empty", "an empty head, relation or tail"),
    3: ("nul", "contains a NUL byte"),
    4: ("utf8", "is not valid UTF-8"),
    5: ("long", f"a term longer than {TERM_LIMIT:,} bytes"),
    6: ("quote", "a quoted field that is not closed"),
}


def named_columns(names: Sequence[str]) -> list[int] | None:
    """Positions of head, relation and tail among column names; None when not one of them is there.

    Raises:
        InputError: some are there and others are not.
    """
    lowered = [name.strip().strip('"').casefold() for name in names]
    found = [next((lowered.index(word) for word in words if word in lowered), None) for words in SYNONYMS]
    if all(place is None for place in found):
        return None
    missing = [role for role, place in zip(ROLES, found, strict=True) if place is None]
    if missing:
        raise InputError(f"no column {missing[0]!r}; the columns are {some(names)}")
    return [place for place in found if place is not None]


def some(names: Sequence[str]) -> str:
    """Names for a message, however many and long they are."""
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return f"{shown} and {len(names) - 12:,} more" if len(names) > 12 else shown


def sniff(sample: str, suffix: str) -> str:
    """The delimiter of a text table: what splits its first lines into three or more fields most evenly."""
    order = {"tsv": "\t", "csv": ",;\t|"}.get(suffix, "\t|,;")
    lines = [line for line in sample.split("\n")[:50] if line.strip()][:20]
    if len(order) == 1 or not lines:
        return order[0]

    def evenness(delimiter: str) -> float:
        counts = [line.count(delimiter) for line in lines]
        usual = max(set(counts), key=counts.count)
        return counts.count(usual) / len(counts) if usual >= 2 else 0.0

    return max(order, key=lambda delimiter: (evenness(delimiter), -order.index(delimiter)))


def delimited(
    file: Path, suffix: str, problems: Problems, stream: Stream, delimiter: str | None, header: bool | None
) -> Iterator[Batch]:
    """Rows of a delimited file. `header` None: the first line is one when it names head, relation and tail."""
    from clew.graph import bulk

    name = str(file)
    pending = stream.read(BLOCK)
    if not pending:
        return
    if pending.startswith(b"\xef\xbb\xbf"):
        pending = pending[3:]
    first_end = pending.find(b"\n", 1 << 16, TERM_LIMIT) if b"\n" not in pending[: 1 << 16] else 0
    if first_end < 0 and len(pending) > 1 << 16:
        problems.add(name, 1, "long", f"a first line longer than {TERM_LIMIT:,} bytes: no header and no triple")
        return
    sample = pending[: max(1 << 16, first_end)].decode("utf-8", "replace")
    delimiter = delimiter or sniff(sample, suffix)
    quote = '"' if suffix == "csv" else ""
    first = next((line for line in sample.split("\n") if line.strip()), "").rstrip("\r")
    if "\r" in first and "\n" not in sample:
        problems.add(name, 1, "columns", "its lines end in CR alone: save it with line feeds")
        return
    fields = [field.strip() for field in split_line(first, delimiter, quote)]
    if header is not False and names_results(fields):
        yield from query_table(file, delimiter, problems, pending, stream)
        return
    lowered = {field.casefold() for field in fields}
    named = sum(any(word in lowered for word in words) for words in SYNONYMS)
    is_header = named >= 2 if header is None else header  # a row of data that looks like two column names is unheard of
    if header is None and not is_header and _names_columns(fields, sample, delimiter, quote):
        problems.add(
            name, 1, "columns", f"the columns {some(fields)} are not head, relation and tail; build a "
            "table of nodes together with its table of edges, read a single table of things with --table, or say "
            "--no-header where this line is a triple"
        )  # fmt: skip
        return
    picks = [0, 1, 2]
    if is_header:
        try:
            picks = named_columns(fields) or picks
        except InputError as error:
            problems.add(name, 1, "columns", str(error))
            return
    if len(fields) < 3:
        problems.add(
            name, 1, "columns", f"{len(fields)} column{'s' * (len(fields) != 1)} where split at {delimiter!r}; "
            "three are needed: head, relation, tail (set the delimiter where it is another)"
        )  # fmt: skip
        return
    wanted = np.array(picks, np.int64)
    line, skip = 0, is_header
    header_line = next((i for i, text in enumerate(sample.split("\n"), 1) if text.strip()), 1)
    while pending:
        more = stream.read(BLOCK)
        final = not more
        if final:
            pending = stream.whole_lines(pending)
        data = np.frombuffer(bytearray(pending), np.uint8)
        room = int(np.count_nonzero(data == 10)) + 1
        used, lines, starts, lengths, numbers, bad, reasons = bulk.split_rows(
            data, len(data), ord(delimiter), ord(quote or "\0"), wanted, len(fields), TERM_LIMIT, final, room
        )
        words = {**WHY, bulk.FIELDS: ("fields", f"not {len(fields)} fields separated by {delimiter!r}")}
        problems.add_lines(name, bad + line, reasons, words)
        if skip and lines:
            if len(numbers) and numbers[0] == header_line:
                starts, lengths = starts[1:], lengths[1:]
            skip = False
        line += lines
        stream.line = line
        if len(starts):
            heads, relations, tails = (TableColumn(data, _own(starts, k), _own(lengths, k)) for k in range(3))
            yield Rows(heads, relations, tails)
        pending = pending[used:] + more
        if not final and used == 0 and len(pending) > LINE_LIMIT:
            problems.add(name, line + 1, "long", f"a line longer than {LINE_LIMIT:,} bytes")
            pending = _after_line(stream, pending)
            line += 1
        if final:
            break


def _own(table: NDArray[np.int64], k: int) -> NDArray[np.int64]:
    return np.ascontiguousarray(table[:, k])


def _names_columns(fields: Sequence[str], sample: str, delimiter: str, quote: str) -> bool:
    """Whether a first line that names no triple still names columns: an id among words that come only once."""
    said = {field.strip().strip('"').casefold() for field in fields}
    if not said & {"id", "node_id", "uid", "identifier", "name"} or len(said) < len(fields):
        return False
    rows = [split_line(line, delimiter, quote) for line in sample.split("\n")[1:50] if line.strip()]
    return all(field.isidentifier() for field in said) and not any(
        said & {f.strip().casefold() for f in r} for r in rows
    )


def split_line(line: str, delimiter: str, quote: str) -> list[str]:
    """The fields of one line; `quote` is "" where nothing is quoted."""
    if not quote:
        return line.split(delimiter)
    import csv

    try:
        return next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:  # a field of more than 128 KB, say: the rows will tell
        return line.split(delimiter)


def _after_line(stream: Stream, pending: bytes) -> bytes:
    """What follows the line that `pending` is in the middle of."""
    while pending and b"\n" not in pending:
        pending = stream.read(BLOCK)
    return pending.partition(b"\n")[2]


def parquet(stream: Stream, problems: Problems) -> Iterator[Batch]:
    """Rows of a Parquet file, one row group at a time."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = str(stream.file)
    try:
        with pq.ParquetFile(stream.raw) as table:
            names = table.schema_arrow.names
            try:
                places = named_columns(names) or [0, 1, 2]
            except InputError as error:
                problems.add(name, None, "columns", str(error))
                return
            if len(names) < 3:
                problems.add(name, None, "columns", f"{len(names)} columns; three are needed: head, relation, tail")
                return
            wanted = [names[place] for place in places]
            row = 0
            for batch in table.iter_batches(batch_size=1 << 18, columns=wanted):
                columns = [batch.column(batch.schema.get_field_index(each)) for each in wanted]
                columns = [each.dictionary_decode() if pa.types.is_dictionary(each.type) else each for each in columns]
                rows, keep = _clean([_as_bytes(each) for each in columns], problems, name, row)
                row += batch.num_rows
                heads, relations, tails = (TableColumn(c.data, c.starts[keep], c.lengths[keep]) for c in rows)
                yield Rows(heads, relations, tails)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: a column's name is no text
        problems.add(name, None, "unreadable", f"cannot be read as Parquet: {str(error).splitlines()[0]}")


def parquet_labels(stream: Stream, problems: Problems) -> Iterator[Batch]:
    """Labels from the first two columns of a Parquet file, an id and a label; the later labels of an id are aliases."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    name = str(stream.file)
    try:
        with pq.ParquetFile(stream.raw) as table:
            wanted = table.schema_arrow.names[:2]
            if len(wanted) < 2:
                problems.add(name, None, "columns", "1 column; two are needed: id, label")
                return
            row = 0
            for batch in table.iter_batches(batch_size=1 << 18, columns=wanted):
                columns = [batch.column(batch.schema.get_field_index(each)) for each in wanted]
                columns = [each.dictionary_decode() if pa.types.is_dictionary(each.type) else each for each in columns]
                texts, keep = _clean([_as_bytes(each) for each in columns], problems, name, row)
                row += batch.num_rows
                owners, labels = (TableColumn(c.data, c.starts[keep], c.lengths[keep]) for c in texts)
                yield Notes("label", owners, labels, np.full(len(keep), CHOSEN, np.int16))
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:  # the last: a column's name is no text
        problems.add(name, None, "unreadable", f"cannot be read as Parquet: {str(error).splitlines()[0]}")


def _as_bytes(array: Any) -> Any:
    """Any column as large_binary: its texts may be of bytes that are none."""
    import pyarrow as pa

    kind = array.type
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    if not any(test(kind) for test in texts):
        array = array.cast(pa.large_string())
    return array.cast(pa.large_binary())


def _clean(arrays: list[Any], problems: Problems, name: str, row: int) -> tuple[list[TableColumn], NDArray[np.int64]]:
    """Columns of large_binary arrays and which rows have all three terms."""
    import pyarrow.compute as pc

    columns, good = [], np.ones(len(arrays[0]), bool)
    for array in arrays:
        filled = pc.fill_null(array, b"")
        offsets = np.frombuffer(filled.buffers()[1], np.int64)[filled.offset : filled.offset + len(filled) + 1]
        buffer = filled.buffers()[2]
        data = np.frombuffer(buffer, np.uint8) if buffer is not None else np.empty(0, np.uint8)
        columns.append(TableColumn(data, offsets[:-1], np.diff(offsets)))
    for kind, bad in (
        ("empty", np.any([c.lengths == 0 for c in columns], axis=0)),
        ("long", np.any([c.lengths > TERM_LIMIT for c in columns], axis=0)),
        ("nul", _has_nul(arrays, columns)),
        ("utf8", _not_utf8(arrays)),
    ):
        bad &= good
        good &= ~bad
        message = next(text for word, text in WHY.values() if word == kind)
        for i in np.flatnonzero(bad).tolist():
            problems.add(name, row + i + 1, kind, f"row: {message}")
    return columns, np.flatnonzero(good)


def _has_nul(arrays: list[Any], columns: list[TableColumn]) -> NDArray[np.bool_]:
    import pyarrow.compute as pc

    found = np.zeros(len(arrays[0]), bool)
    for array, c in zip(arrays, columns, strict=True):
        low, high = (int(c.starts[0]), int(c.starts[-1] + c.lengths[-1])) if len(c.starts) else (0, 0)
        if np.any(c.data[low:high] == 0):
            found |= np.asarray(pc.fill_null(pc.match_substring(array, "\0"), False))
    return found


def _not_utf8(arrays: list[Any]) -> NDArray[np.bool_]:
    import pyarrow as pa

    found = np.zeros(len(arrays[0]), bool)
    for array in arrays:
        try:
            array.cast(pa.large_string())
        except pa.ArrowInvalid:
            found |= [value is not None and not _readable(value) for value in array.to_pylist()]
    return found


def _readable(value: bytes) -> bool:
    try:
        value.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _lines(name: str, problems: Problems, stream: Stream) -> Iterator[list[tuple[int, bytes]]]:
    """The lines that are not blank, numbered from 1, a block at a time."""
    line, pending = 0, b""
    while True:
        block = stream.read(BLOCK)
        pending += block
        if len(pending) > LINE_LIMIT and b"\n" not in pending:
            line += 1
            problems.add(name, line, "long", f"a line longer than {LINE_LIMIT:,} bytes")
            pending = _after_line(stream, pending)
        if not block:
            pending = stream.whole_lines(pending)
        cut = pending.rfind(b"\n") + 1 if block else len(pending)
        lines = pending[:cut].split(b"\n")[: -1 if block else None]
        yield [(line + i, text) for i, text in enumerate(lines, 1) if text.strip()]
        line += len(lines)
        stream.line, pending = line, pending[cut:]
        if not block:
            return


def json_lines(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Rows of JSON lines: objects with head, relation and tail, or lists of three."""
    name = str(file)
    for lines in _lines(name, problems, stream):
        rows = [row for line, text in lines if (row := _json_row(text, name, line, problems))]
        if rows:
            heads, relations, tails = zip(*rows, strict=True)
            yield Rows(column(list(heads)), column(list(relations)), column(list(tails)))


def may_be_triple(sample: bytes) -> bool:
    """Whether the first line of JSON lines is a triple, or is for `json_lines` to complain of."""
    line = next((line for line in sample.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()), b"")
    try:
        value = json.loads(line)
        return not isinstance(value, dict) or not value or named_columns(list(map(str, value))) is not None
    except InputError:  # some of head, relation and tail
        return sum(any(word in map(str.lower, value) for word in words) for words in SYNONYMS) > 1
    except (ValueError, RecursionError):
        return True


def _json_row(text: bytes, name: str, line: int, problems: Problems) -> tuple[str, str, str] | None:
    try:
        value = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError:
        problems.add(name, line, "utf8", WHY[4][1])
        return None
    except ValueError as error:
        problems.add(name, line, "syntax", f"is not JSON: {error}")
        return None
    except RecursionError:
        problems.add(name, line, "syntax", "is nested too deeply")
        return None
    if isinstance(value, dict):
        keys = list(map(str, value))
        try:
            places = named_columns(keys)
        except InputError as error:
            problems.add(name, line, "columns", str(error))
            return None
        if places is None:
            problems.add(name, line, "columns", f"no head, relation and tail among {some(keys) or 'no keys'}")
            return None
        value = [value[keys[place]] for place in places]
    if not isinstance(value, list) or len(value) < 3 or not all(isinstance(x, (str, int, float)) for x in value[:3]):
        problems.add(name, line, "columns", "is not an object with head, relation and tail, nor a list of three texts")
        return None
    head, relation, tail = (x if isinstance(x, str) else json.dumps(x) for x in value[:3])
    for bad, kind in ((not (head and relation and tail), "empty"), ("\0" in head + relation + tail, "nul")):
        if bad:
            problems.add(name, line, kind, next(message for word, message in WHY.values() if word == kind))
            return None
    if max(map(len, (head, relation, tail))) * 4 > TERM_LIMIT and any(
        len(x.encode("utf-8", "replace")) > TERM_LIMIT for x in (head, relation, tail)
    ):
        problems.add(name, line, "long", WHY[5][1])
        return None
    try:
        (head + relation + tail).encode()
    except UnicodeEncodeError:
        problems.add(name, line, "utf8", "holds half of a surrogate pair")
        return None
    return head, relation, tail


def label_file(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Labels from `id<TAB>label` lines; a third and later field is an alias each."""
    name = str(file)
    for lines in _lines(name, problems, stream):
        notes: list[tuple[str, str, int]] = []
        for line, raw in lines:
            try:
                fields = raw.decode("utf-8").rstrip("\r").split("\t")
            except UnicodeDecodeError:
                problems.add(name, line, *WHY[4])
                continue
            if len(fields) < 2 or not fields[0] or not fields[1].strip():
                problems.add(name, line, "fields", "is not an id, a tab and a label")
            elif b"\0" in raw:
                problems.add(name, line, *WHY[3])
            elif len(raw) > TERM_LIMIT:
                problems.add(name, line, *WHY[5])
            else:
                notes += [
                    (fields[0], text.strip(), ALIAS if rank else CHOSEN)
                    for rank, text in enumerate(fields[1:])
                    if text.strip()
                ]
        if notes:
            owners, texts, ranks = zip(*notes, strict=True)
            yield Notes("label", column(list(owners)), column(list(texts)), np.array(ranks, np.int16))
