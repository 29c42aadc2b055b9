"""Tables as they lie in files (delimited text, Parquet, an SQLite database): columns in batches, and facts of them.

Kept apart from what is decided of them (`relational`): here a table is columns of text in which nothing means an empty
cell, `\\N` or NULL. Facts are gathered in one pass and in bounded memory: distinct values are held as hashes, of a
large column a sample of them that is the same in every column, so that one column's values can be sought in another's.

Shapes: n rows of a batch, d distinct values.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from clew.graph.arrow import FLOAT, RawStream, hashes_of, text_array
from clew.graph.inputs import BLOCK, TERM_LIMIT, Problems, Stream
from clew.graph.listed import parts_of

NULLS = ("", "\\N", "NULL", "null", "(null)", "NaN", "nan", "N/A", "#N/A")
HELD = 1 << 20  # distinct values of a column that are held; of more every second, every fourth …
AT_ONCE = 1 << 14  # rows read from a database at a time
SQLITE = ("db", "sqlite", "sqlite3", "db3")
FEW = 2000  # values that are held one by one for a special use
LONGEST = 1000  # letters of a cell that may be a list


@dataclass(frozen=True, slots=True)
class TableFile:
    """Where a table lies and how it is read."""

    file: str
    form: str  # "text", "parquet", "sqlite"
    name: str
    columns: tuple[str, ...]
    delimiter: str = ","

    def asdict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(slots=True)
class ColumnFacts:
    """What is known of a column when all its cells were seen."""

    name: str
    rows: int = 0
    filled: int = 0
    whole: int = 0  # cells that are whole numbers
    floats: int = 0  # cells such as 5.0
    padded: int = 0  # numbers with a zero before them, as codes have
    stamps: int = 0  # points in time to the second
    midnights: int = 0
    days: int = 0  # dates without a time
    truths: int = 0  # t, f, true, false, in any case
    worded: int = 0  # cells with a letter
    letters: int = 0  # of all cells together
    low: int = 0  # the least whole number
    level: int = 0  # values are held whose hash has so many zeros at its end
    sampled: int = 0  # cells whose value is held
    declared: str = ""  # the type that a database states
    hashes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))  # (d,) sorted
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))  # (d,)
    pieces: int = 0  # parts of the cells that have a comma, a semicolon or several lines
    listed: int = 0  # such cells, in which several names may stand; -1: too many parts for names
    parts: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))  # of cells parted at commas
    commas: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))  # values with one, if few

    @property
    def unique(self) -> float:
        """Share of different values among the cells that have one."""
        return len(self.hashes) / self.sampled if self.sampled else 0.0

    def held_in(self, other: ColumnFacts) -> float:
        """Share of this column's distinct values that another column has as well."""
        mine, missing = self._against(other)
        return 1 - len(missing) / len(mine) if len(mine) else 0.0

    def missing_from(self, other: ColumnFacts) -> NDArray[np.uint64]:
        """Hashes of the values that another column has not."""
        return self._against(other)[1]

    def _against(self, other: ColumnFacts) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        level = max(self.level, other.level)
        mine, theirs = _at(self.hashes, level), _at(other.hashes, level)
        if not len(theirs):
            return mine, mine
        places = np.minimum(np.searchsorted(theirs, mine), len(theirs) - 1)
        return mine, mine[theirs[places] != mine]

    def as_parts(self) -> ColumnFacts:
        """The values that cells parted at commas have, with no more facts than are compared."""
        hashes, level = (self.parts, 0) if self.listed > 0 else (self.hashes, self.level)
        return ColumnFacts(self.name, hashes=hashes, level=level)

    def add(self, more: ColumnFacts) -> None:
        """Facts of the same column in another file."""
        low = min((each.low for each in (self, more) if each.whole), default=0)
        for name in _COUNTED:
            setattr(self, name, getattr(self, name) + getattr(more, name))
        self._list([each.parts if each.listed > 0 else each.hashes for each in (self, more)], more.listed)
        self.commas = np.union1d(self.commas, more.commas)[: FEW + 1]
        self.low, self.level = low, max(self.level, more.level)
        self._merge(more.hashes, more.counts)

    def see(self, array: Any) -> None:
        """More cells, a large_string array as `cleaned` makes it."""
        import pyarrow.compute as pc

        self.rows += len(array)
        there = array.drop_null()
        if not len(there):
            return
        self.filled += len(there)
        self.letters += pc.sum(pc.utf8_length(there)).as_py()

        def matching(pattern: str) -> int:
            return int(pc.sum(pc.match_substring_regex(there, pattern)).as_py() or 0)

        whole = there.filter(pc.match_substring_regex(there, r"^-?\d{1,18}$"))
        if len(whole):
            low = int(pc.min(whole.cast("int64")).as_py())
            self.low = low if not self.whole else min(self.low, low)
            self.whole += len(whole)
            self.padded += matching(r"^0\d+$")
        self.floats += matching(FLOAT)
        if len(whole) < len(there):
            self.stamps += matching(r"^\d{4}-\d\d-\d\d[ T]\d\d:\d\d")
            self.midnights += matching(r"^\d{4}-\d\d-\d\d[ T]00:00(:00(\.0+)?)?(Z|\+00:?00)?$")
            self.days += matching(r"^\d{4}-\d\d-\d\d$")
            self.truths += matching(r"^(?i:t|f|true|false)$")
            self.worded += matching(r"\pL")
            self._part(there)
        self._hold(hashes_of(there))

    def _part(self, there: Any) -> None:
        """Hold what stands between the commas of cells, from the first that has one; too many are no names."""
        import pyarrow.compute as pc

        comma = pc.and_(
            pc.match_substring_regex(there, r"[,;\n]| / |notion\."), pc.less(pc.utf8_length(there), LONGEST)
        )
        listing = there.filter(comma)
        if self.listed < 0 or not (len(listing) or self.listed):
            return
        if len(self.commas) <= FEW:
            self.commas = np.union1d(self.commas, hashes_of(listing))
        mine = self.parts if self.listed else self.hashes
        plain = hashes_of(there.filter(pc.invert(comma)))
        parts = parts_of(listing)[1]
        self.pieces += len(parts)
        self._list([mine, plain, hashes_of(text_array(parts))], len(listing))

    def _list(self, parts: Sequence[NDArray[np.uint64]], cells: int) -> None:
        """Hold parts of so many more cells with a comma; where that is too much, none any more."""
        if not (self.listed or cells):
            return
        every = np.unique(np.concatenate(parts))
        prose = self.listed < 0 or cells < 0 or self.level > 0 or len(every) > HELD
        self.parts, self.listed = (every[:0], -1) if prose else (every, self.listed + cells)

    def _hold(self, hashes: NDArray[np.uint64]) -> None:
        self._merge(*np.unique(hashes, return_counts=True))

    def _merge(self, hashes: NDArray[np.uint64], counts: NDArray[np.int64]) -> None:
        both, place = np.unique(np.concatenate([self.hashes, hashes]), return_inverse=True)
        total = np.bincount(place, np.concatenate([self.counts, counts]), len(both)).astype(np.int64)
        kept = _at(both, self.level)
        while len(kept) > HELD:
            self.level += 1
            kept = _at(both, self.level)
        both, total = kept, total[np.isin(both, kept, assume_unique=True)]
        self.hashes, self.counts, self.sampled = both, total, int(total.sum())


ARRAYS = ("hashes", "counts", "parts", "commas")
_COUNTED = (
    "rows",
    "filled",
    "whole",
    "floats",
    "padded",
    "stamps",
    "midnights",
    "days",
    "truths",
    "worded",
    "letters",
    "pieces",
)


def _at(hashes: NDArray[np.uint64], level: int) -> NDArray[np.uint64]:
    return hashes[(hashes & np.uint64((1 << level) - 1)) == 0] if level else hashes


def batches(table: TableFile, stream: Stream, problems: Problems) -> Iterator[list[Any]]:
    """The columns of a table, (n,) large_string arrays in which nothing is null, some rows at a time."""
    import pyarrow as pa

    name = table.file if table.form != "sqlite" else f"{table.file}: table {table.name}"
    read = {"text": _text, "parquet": _parquet, "sqlite": _sqlite}[table.form]
    try:
        for columns in read(table, stream, problems):
            yield [_cleaned(column) for column in columns]
    except (pa.ArrowException, OSError, sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        problems.add(name, None, "unreadable", f"cannot be read on: {first}")


def _cleaned(column: Any) -> Any:
    """A column as trimmed text; what says that there is nothing is null, and so is what is too long for a term."""
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    none = pc.is_in(trimmed, value_set=pa.array(NULLS, pa.large_string()))
    none = pc.or_(none, pc.greater(pc.binary_length(trimmed), TERM_LIMIT - 64))
    none = pc.or_(none, pc.match_substring(trimmed, "\0"))
    return pc.if_else(none, pa.scalar(None, pa.large_string()), trimmed)


def _text(table: TableFile, stream: Stream, problems: Problems) -> Iterator[list[Any]]:
    import pyarrow as pa
    from pyarrow import csv

    def bad(row: Any) -> str:
        message = f"not {row.expected_columns} fields separated by {table.delimiter!r}"
        problems.add(table.file, row.number, "fields", message)
        return "skip"

    names = [f"c{i}" for i in range(len(table.columns))]
    told = False
    for batch in csv.open_csv(
        RawStream(stream),
        read_options=csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=names, skip_rows=1),
        parse_options=csv.ParseOptions(delimiter=table.delimiter, newlines_in_values=True, invalid_row_handler=bad),
        convert_options=csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_binary())),
    ):
        columns = []
        for column in batch.columns:
            try:
                columns.append(column.cast(pa.large_string()))
            except pa.ArrowInvalid:
                columns.append(pa.array([_decoded(cell.as_py()) for cell in column], pa.large_string()))
                if not told:
                    problems.add(table.file, None, "utf8", "is not UTF-8; what is not was read as Windows-1252")
                    told = True
        yield columns


def _decoded(cell: bytes | None) -> str | None:
    if cell is None:
        return None
    try:
        return cell.decode("utf-8")
    except UnicodeDecodeError:
        return cell.decode("cp1252", "replace")


def _parquet(_: TableFile, stream: Stream, __: Problems) -> Iterator[list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    with pq.ParquetFile(stream.raw) as file:
        for batch in file.iter_batches(batch_size=1 << 17):
            columns = []
            for column in batch.columns:
                try:
                    decoded = column.dictionary_decode() if pa.types.is_dictionary(column.type) else column
                    columns.append(decoded.cast(pa.large_string()))
                except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # lists, bytes
                    columns.append(pa.nulls(batch.num_rows, pa.large_string()))
            yield columns


def parquet_columns(stream: Stream) -> list[str]:
    """The names of a Parquet file's columns; none where it cannot be read, which is for its reader to say."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(stream.raw) as file:
            return [str(name) for name in file.schema_arrow.names]
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        return []


# -- SQLite ----------------------------------------------------------------------------------------------------------


def open_database(file: Path) -> sqlite3.Connection:
    """A database that can only be read: it may come from anywhere, so nothing that it says is run but tables' rows."""
    connection = sqlite3.connect(f"file:{quote(str(file.absolute()))}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 16 << 20)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _sqlite(table: TableFile, _: Stream, __: Problems) -> Iterator[list[Any]]:
    import pyarrow as pa

    connection = open_database(Path(table.file))
    try:
        said = ", ".join(map(_quoted, table.columns))
        cursor = connection.execute(f"SELECT {said} FROM {_quoted(table.name)}")
        while rows := cursor.fetchmany(AT_ONCE):
            yield [pa.array(map(_said, column), pa.large_string()) for column in zip(*rows, strict=True)]
    finally:
        connection.close()


def _said(cell: Any) -> str | None:
    return None if cell is None or isinstance(cell, bytes) else cell if isinstance(cell, str) else repr(cell)


def database_tables(
    database: TableFile, problems: Problems
) -> tuple[list[tuple[TableFile, dict[str, Any]]], list[str]]:
    """The tables of a database, each with the keys and types that it states, and what is left out."""
    found: list[tuple[TableFile, dict[str, Any]]] = []
    left_out: list[str] = []
    file = Path(database.file)
    for end in ("-wal", "-journal"):
        beside = file.with_name(file.name + end)
        if beside.is_file() and beside.stat().st_size:
            problems.add(
                str(file), None, "unreadable", f"is in use, or was left in the middle of a change: what {beside.name} "
                "holds is not read; close it everywhere, or open and close it once with sqlite3"
            )  # fmt: skip
    connection = None
    try:
        connection = open_database(file)
        listed = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE type IN ('table', 'view')")
        for kind, name, sql in sorted(listed.fetchall(), key=lambda row: str(row[1])):
            if kind == "view":
                left_out.append(f"view {name}")
            elif str(sql or "").upper().lstrip().startswith("CREATE VIRTUAL"):
                left_out.append(f"virtual table {name}")
            elif not name.startswith("sqlite_"):
                found.append(_database_table(connection, str(file), name))
    except sqlite3.Error as error:
        problems.add(str(file), None, "unreadable", f"cannot be read as an SQLite database: {error}")
    finally:
        if connection is not None:
            connection.close()
    return found, left_out


def _database_table(connection: sqlite3.Connection, file: str, name: str) -> tuple[TableFile, dict[str, Any]]:
    info = connection.execute(f"PRAGMA table_info({_quoted(name)})").fetchall()
    links: dict[int, tuple[str, list[str], list[str | None]]] = {}
    for link, _, target, here, there, *_ in connection.execute(f"PRAGMA foreign_key_list({_quoted(name)})"):
        entry = links.setdefault(link, (target, [], []))
        entry[1].append(here)
        entry[2].append(there)
    stated = {
        "types": {row[1]: str(row[2] or "") for row in info},
        "primary": [column for _, column in sorted((row[5], row[1]) for row in info if row[5])],
        "foreign": [[here, target, there] for target, here, there in links.values()],
    }
    return TableFile(file, "sqlite", name, tuple(row[1] for row in info)), stated


# -- facts -----------------------------------------------------------------------------------------------------------


def facts_of(table: TableFile, stream: Stream, problems: Problems) -> list[ColumnFacts]:
    """Facts of every column, in one pass over the table."""
    found = [ColumnFacts(name) for name in table.columns]
    for columns in batches(table, stream, problems):
        for facts, column in zip(found, columns, strict=True):
            facts.see(column)
    return found


def packed_facts(facts: Sequence[ColumnFacts]) -> tuple[list[dict[str, Any]], list[NDArray[Any]]]:
    """Facts as JSON and arrays, `ARRAYS` for each column."""
    names = [name for name in ColumnFacts.__slots__ if name not in ARRAYS]
    stated = [{name: getattr(each, name) for name in names} for each in facts]
    return stated, [getattr(each, name) for each in facts for name in ARRAYS]


def unpacked_facts(stated: Sequence[Mapping[str, Any]], arrays: Sequence[NDArray[Any]]) -> list[ColumnFacts]:
    found = []
    for i, each in enumerate(stated):
        held: dict[str, Any] = dict(zip(ARRAYS, arrays[i * len(ARRAYS) :], strict=False))
        found.append(ColumnFacts(**each, **held))
    return found
