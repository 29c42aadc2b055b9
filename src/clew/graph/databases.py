"""Which files of a build are the tables of a relational database, and what is made of them.

Kept apart from `relational`, which decides from facts and touches no file, and from the reading of rows. The files are
looked at in the process that parses (`apart`), each once, before anything is read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clew.graph.apart import Apart
from clew.graph.arrow import hashes_of, text_array
from clew.graph.columns import ARRAYS, SQLITE, ColumnFacts, TableFile, unpacked_facts
from clew.graph.inputs import Problems, size_of, split_suffix
from clew.graph.nouns import fit, noun_of, said_by
from clew.graph.property_graph import PropertyTable, header_of
from clew.graph.query_results import names_results
from clew.graph.relational import RelationalTable, decided, hang_together, with_key_first
from clew.graph.tabular import SYNONYMS
from clew.graph.unpacking import Unpacked

_EXPORTED = re.compile(r"(?i)(?: [0-9a-f]{32}(?:_all)?|-(?:grid view|all [^-]*|[^-]* view))$")  # Notion, Airtable
_NAMING = frozenset(["id", "node_id", "uid", "identifier", "name"])  # columns that every table may have, and no triple
FIGURES = 0.9  # of the cells of a column that have no letter: numbers, dates, amounts of money
QUESTION = 400  # letters of a question of a survey that names a column
TRIPLE = 3
LOOKED_AT = 256 << 20  # bytes of tables up to which their values are looked at whatever the columns are called
Looked = tuple[TableFile, list[ColumnFacts], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Databases:
    """Plans of the tables that a file holds, by file, and what was decided, in lines."""

    plans: Mapping[Path, list[dict[str, Any]]] = field(default_factory=dict)
    told: tuple[str, ...] = ()


def databases_of(
    unpacked: Unpacked,
    others: Mapping[Path, PropertyTable],
    *,
    delimiter: str | None,
    header: bool | None,
    foreign_keys: Mapping[str, str] | None,
    problems: Problems,
) -> Databases:
    """The databases among the files of a build.

    Text and Parquet are one together, where columns of one point to another, or alone, where their rows show that the
    first names columns. Sheets of a workbook are tables of things in any case, beside which others are looked at in the
    same way.

    Args:
        others: the files that are known as tables of nodes and edges.
        foreign_keys: of `table.column` the table it points to, "" for none; None leaves it open whether text and
            Parquet are a database.
    """
    plans: dict[Path, list[dict[str, Any]]] = {}
    told: list[str] = []
    for file, suffix in unpacked.files:
        if suffix in SQLITE:
            found, left_out = _look(file, "sqlite", problems)
            plans[file] = _plans(decided(found, foreign_keys or {}), told)
            told += [f"left out: {each}" for each in left_out]
    for dump in unpacked.dumps:
        plans |= _dumped(dump, foreign_keys or {}, problems, told)
    texts = [
        (file, suffix)
        for file, suffix in unpacked.files
        if suffix in ("csv", "tsv", "txt", "parquet") and file not in plans
    ]
    nodes = [file for file, table in others.items() if table.kind == "nodes" and not table.neo4j]
    if header is False or not texts or (others and len(nodes) < 2):
        return Databases(plans, tuple(told))
    headed = [
        table
        for file, suffix in texts
        if (table := _headed(file, suffix, delimiter, problems, sheet=file in unpacked.sheets))
    ]
    surely = foreign_keys is not None or (bool(unpacked.sheets) and not others)
    large = size_of([Path(each.file) for each in headed]) > LOOKED_AT
    if not surely and large and not _may_point(headed) and all(len(each.columns) <= TRIPLE for each in headed):
        return Databases(plans, tuple(told))
    parts = _parts(headed)
    looked: list[Looked] = []
    starts: dict[str, int] = {}  # rows of a table in files before this one
    for name, files_of in parts.items():
        for number, table in enumerate(files_of):
            for _, facts, stated in _look(Path(table.file), table.form, problems, table)[0]:
                starts[table.file] = looked[-1][1][0].rows if number else 0
                if number:
                    for mine, more in zip(looked[-1][1], facts, strict=True):
                        mine.add(more)
                else:
                    looked.append((replace(table, name=name), facts, stated))
    tables = decided(looked, foreign_keys or {})
    if not surely and not hang_together(tables, [str(file) for file in nodes]):
        looked = [each for each in looked if not others and _of_things(each[1])]
        tables = decided(looked, foreign_keys or {})
    if looked:
        for plan in _plans(tables, told):
            for table in parts[plan["source"]["name"]]:
                source = replace(table, name=plan["source"]["name"]).asdict()
                plans[Path(table.file)] = [{**plan, "source": source, "start": starts[table.file]}]
    return Databases(plans, tuple(told))


def _of_things(columns: Sequence[ColumnFacts]) -> bool:
    """Whether a file that points to no other is a table of things and no list of triples without a header: what its
    first line says comes in no row again, and the rows show that it names columns, by figures or dates below words, or
    by a first column that tells the rows apart where there are more columns than a triple has."""
    again = any(hashes_of(text_array([each.name]))[0] in each.hashes for each in columns)
    if again or not columns[0].rows:
        return False
    told = any(each.name.casefold() in _NAMING for each in columns)
    figures = any(each.filled - each.worded >= FIGURES * each.filled > 0 for each in columns)
    apart = columns[0].unique == 1.0 and columns[0].rows > 1
    return told or figures or (apart and len(columns) > TRIPLE + 1)


def _parts(tables: Sequence[TableFile]) -> dict[str, list[TableFile]]:
    """The files of each table by its name: `orders_2023` and `orders_2024` with the same columns are one."""
    groups: dict[tuple[str, tuple[str, ...]], list[TableFile]] = {}
    for table in tables:
        stem = re.sub(r"(?:[-_. ]*\d+)+$", "", re.sub(r"(?i)[-_. ]*\bpart(?=[-_. ]*\d)", "", table.name))
        groups.setdefault((stem or table.name, table.columns), []).append(table)
    found: dict[str, list[TableFile]] = {}
    for (stem, _), mine in groups.items():
        if len(mine) > 1 and stem not in found:
            found[stem] = mine
        else:
            for table in mine:
                found.setdefault(table.name, []).append(table)
    return found


def _plans(tables: Sequence[RelationalTable], told: list[str]) -> list[dict[str, Any]]:
    for table in tables:
        told += table.summary(tables)
    with_key_first(tables)
    return [table.plan(tables) for table in tables]


def _dumped(
    dump: Sequence[Mapping[str, Any]], foreign_keys: Mapping[str, str], problems: Problems, told: list[str]
) -> dict[Path, list[dict[str, Any]]]:
    """The tables of a dump, each in a file, with the keys and types that it states."""
    looked: list[Looked] = []
    for each in dump:
        table = TableFile(each["file"], "parquet", each["name"], tuple(each["columns"]))
        looked += [
            (source, facts, each["stated"])
            for source, facts, _ in _look(Path(each["file"]), "parquet", problems, table)[0]
        ]
    plans = _plans(decided(looked, foreign_keys), told)
    return {Path(plan["source"]["file"]): [plan] for plan in plans}


def _headed(
    file: Path, suffix: str, delimiter: str | None, problems: Problems, *, sheet: bool = False
) -> TableFile | None:
    """A file of text or Parquet whose first line names columns, and not those of triples."""
    if str(file) == "-" or not file.is_file():
        return None
    name = file.name.removesuffix(f".{suffix}") if split_suffix(file)[1] is None else file.name.split(".")[0]
    name = _EXPORTED.sub("", name) or name
    if suffix == "parquet":
        apart = Apart(file, problems)
        try:
            said = apart.found("look", table=TableFile(str(file), "parquet", name, ()).asdict(), deep=False)
        finally:
            apart.close()
        columns, delimiter = tuple(said[0]["columns"]) if said else (), ","
    else:
        names, _, delimiter = header_of(file, suffix, delimiter)
        columns = tuple(names)
    if len(columns) < 2 or len(set(columns)) < len(columns) or not (sheet or _name_columns(columns)):
        return None
    lowered = {column.casefold() for column in columns}
    if names_results(list(columns)):
        return None
    if sum(any(word in lowered for word in words) for words in SYNONYMS) > 1 and len(columns) < 5:
        return None
    return TableFile(str(file), "parquet" if suffix == "parquet" else "text", name, columns, delimiter)


def _name_columns(texts: Sequence[str]) -> bool:
    """Whether a first line may name columns: questions of a survey or years as well, beside more than a triple has."""
    wide = len(texts) > TRIPLE + 1
    longest = QUESTION if wide else 64
    worded = [text for text in texts if re.search(r"[^\W\d_]", text)]
    years = [text for text in texts if wide and re.fullmatch(r"(?:1[89]|20)\d\d", text)]
    return (
        len(worded) + len(years) == len(texts)
        and texts[0] in worded
        and all(len(text) <= longest and "://" not in text for text in texts)
    )


def _may_point(tables: Sequence[TableFile]) -> bool:
    """Whether some column is called as if it pointed to another table: only then the tables are looked at."""
    nouns = [(n, noun_of(table.name)) for n, table in enumerate(tables)]
    said = [(n, said_by(column)) for n, table in enumerate(tables) for column in table.columns]
    return any(each.end or any(n != m and fit(each, noun) >= 2.8 for m, noun in nouns) for n, each in said)


def _look(file: Path, form: str, problems: Problems, table: TableFile | None = None) -> tuple[list[Looked], list[str]]:
    """The tables of a file with facts of their columns, and what of it is left out."""
    apart = Apart(file, problems)
    try:
        stated = (table or TableFile(str(file.absolute()), form, file.name.split(".")[0], ())).asdict()
        said = apart.found("look", table=stated, deep=True)
    finally:
        apart.close()
    if said is None:
        return [], []
    found, arrays = said
    looked: list[Looked] = []
    for each in found["tables"]:
        source = TableFile(**{**each["source"], "columns": tuple(each["source"]["columns"])})
        count = len(ARRAYS) * len(each["facts"])
        looked.append((source, unpacked_facts(each["facts"], arrays[:count]), each["stated"]))
        arrays = arrays[count:]
    return looked, found["left_out"]
