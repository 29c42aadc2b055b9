"""Tables as the statements of an SQL dump state them, and their rows on the way to Parquet files.

Kept apart from the statements (`sql_dump`): here are columns, types and keys, and what the types say of the cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from clew.graph.sql_script import SqlError, SqlToken

BYTES = ("bytea", "blob", "longblob", "mediumblob", "tinyblob", "image")
_CONSTRAINTS = ("CONSTRAINT", "PRIMARY", "FOREIGN", "UNIQUE", "KEY", "INDEX", "FULLTEXT", "SPATIAL", "CHECK", "EXCLUDE",
                "LIKE", "PERIOD")  # fmt: skip


class DumpTable:
    """A table as it is stated, and its rows on their way to a file."""

    def __init__(self, name: tuple[str, str], file: Path) -> None:
        self.schema, self.name, self.file = *name, file
        self.columns: list[str] = []
        self.types: dict[str, str] = {}
        self.computed: set[str] = set()
        self.primary: list[str] = []
        self.foreign: list[tuple[list[str], tuple[str, str], list[str | None]]] = []
        self.rows: list[list[str | None]] = []
        self._writer: Any = None

    def add_column(self, name: str, type: str) -> None:
        if name not in self.types:
            self.columns.append(name)
            self.types[name] = type

    def flush(self) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        if self._writer is None:
            schema = pa.schema([(name, pa.large_string()) for name in self.columns])
            self._writer = parquet.ParquetWriter(self.file, schema, compression="snappy")
        if self.rows:
            columns = [
                _column(pa.array(cells, pa.large_string()), self.types[name])
                for name, cells in zip(self.columns, zip(*self.rows, strict=True), strict=True)
            ]
            self._writer.write_table(pa.Table.from_arrays(columns, names=self.columns))
            self.rows = []

    def close(self) -> None:
        self.flush()
        self._writer.close()


def _column(cells: Any, type: str) -> Any:
    """Cells of a column as the readers of tables take them, by the type that is stated."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if type in BYTES:
        return pa.nulls(len(cells), pa.large_string())
    if type in ("date", "datetime", "timestamp", "timestamptz"):
        cells = pc.replace_substring_regex(cells, r"(:\d\d(?:\.\d+)?[+-]\d\d)$", r"\1:00")  # a zone in whole hours
        return pc.if_else(pc.starts_with(cells, "0000-00-00"), pa.scalar(None, pa.large_string()), cells)
    if type in ("float", "double", "real") and pc.any(pc.match_substring_regex(cells, "[eE]")).as_py():
        return pa.array([_spelled_out(cell) for cell in cells.to_pylist()], pa.large_string())
    return cells


def _spelled_out(cell: str | None) -> str | None:
    """A number without an exponent."""
    try:
        return f"{Decimal(cell):f}" if cell and "e" in cell.lower() else cell
    except ArithmeticError:
        return cell


def named(tokens: Sequence[SqlToken], at: int, schema: str) -> tuple[tuple[str, str], int]:
    """The schema and the name of a table, and where it ends."""
    parts: list[str] = []
    while at < len(tokens) and tokens[at].kind != "sign":
        parts.append(tokens[at].value)
        at += 1
        if tokens[at : at + 1] != [("sign", ".")]:
            break
        at += 1
    if not parts:
        raise SqlError("no name of a table where one was expected")
    return (parts[-2] if len(parts) > 1 else schema, parts[-1]), at


def parted(tokens: Sequence[SqlToken]) -> list[list[SqlToken]]:
    """Tokens between the commas that stand in no bracket."""
    found: list[list[SqlToken]] = [[]]
    depth = 0
    for each in tokens:
        if each.kind == "sign":
            depth += (each.value == "(") - (each.value == ")")
            if each.value == "," and not depth:
                found.append([])
                continue
        found[-1].append(each)
    return [each for each in found if each]


def items_in(tokens: Sequence[SqlToken], at: int) -> tuple[list[list[SqlToken]], int]:
    """What a bracket lists, and where it ends."""
    depth = 0
    for end in range(at, len(tokens)):
        if tokens[end].kind == "sign":
            depth += (tokens[end].value == "(") - (tokens[end].value == ")")
            if not depth:
                return parted(tokens[at + 1 : end]), end + 1
    raise SqlError("a bracket that is not closed")


def _bracket(tokens: Sequence[SqlToken], at: int) -> tuple[list[str], int]:
    """The names of columns in the bracket that begins there, if one does, and where it ends."""
    if tokens[at : at + 1] != [("sign", "(")]:
        return [], at
    items, end = items_in(tokens, at)
    return [item[0].value for item in items], end


def take_item(table: DumpTable, item: list[SqlToken], schema: str) -> None:
    """What one line of CREATE TABLE states: a column, or a key."""
    words = [each.value.upper() if each.kind == "word" else "" for each in item]
    if words[0] in _CONSTRAINTS and not _is_column(item):
        at = 0
        if words[0] == "CONSTRAINT":
            at = 1 if words[1:2] in (["PRIMARY"], ["FOREIGN"]) else 2
        bracket = next((i for i in range(at, len(item)) if item[i] == ("sign", "(")), len(item))
        if words[at : at + 2] == ["PRIMARY", "KEY"]:
            table.primary = _bracket(item, bracket)[0]
        elif words[at : at + 2] == ["FOREIGN", "KEY"] and "REFERENCES" in words:
            _refer(table, _bracket(item, bracket)[0], item, words.index("REFERENCES") + 1, schema)
        return
    name, words = item[0].value, words[1:]
    yes = words[:1] in (["TINYINT"], ["BIT"]) and [each.value for each in item[2:5]] == ["(", "1", ")"]
    table.add_column(name, "boolean" if yes else item[1].value.lower() if len(item) > 1 else "")
    if ("GENERATED" in words or "AS" in words) and "IDENTITY" not in words:
        table.computed.add(name)
    if "PRIMARY" in words and words[words.index("PRIMARY") + 1 :][:1] == ["KEY"]:
        table.primary = [name]
    if "REFERENCES" in words:
        _refer(table, [name], item, words.index("REFERENCES") + 2, schema)


def _is_column(item: Sequence[SqlToken]) -> bool:
    """Whether a line that begins like a key is of a column that is called so: `key text`, `index varchar(20)`."""
    if len(item) < 2 or not item[0].is_word("KEY", "INDEX", "LIKE", "PERIOD", "CHECK"):
        return False
    bracket = next((i for i, each in enumerate(item) if each == ("sign", "(")), None)
    return bracket is None or (bracket > 1 and item[bracket + 1].kind == "number")


def _refer(table: DumpTable, here: list[str], item: Sequence[SqlToken], at: int, schema: str) -> None:
    target, end = named(item, at, schema or table.schema)
    there = _bracket(item, end)[0]
    table.foreign.append((here, target, [*there] if there else [None] * len(here)))
