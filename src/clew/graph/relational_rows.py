"""Rows of relational tables to triples, as `relational` decided.

A row is a thing: its kind a triple of the relation "type", its name its label, its foreign keys relations to other
things, other cells literals. A table that is a relation gives a triple for each row; one with other cells also gets
a mediator between its two ends, which carries them, as an edge with properties does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from clew.graph.arrow import FLOAT, XSD, hashes_of, joined, literal_ids, rows_of, terms_of
from clew.graph.columns import (
    TableFile,
    batches,
    database_tables,
    facts_of,
    packed_facts,
    parquet_columns,
)
from clew.graph.inputs import CHOSEN, Batch, Notes, Problems, Stream, column
from clew.graph.listed import names_in, parts_of
from clew.graph.property_files import TYPE
from clew.labels import label_to_text


def looked_at(table: Mapping[str, Any], deep: bool, stream: Stream, problems: Problems) -> tuple[dict[str, Any], Any]:
    """Facts of the tables in a file, as JSON and arrays; not `deep`: the names of its columns alone."""
    source = TableFile(**{**table, "columns": tuple(table["columns"])})
    if not deep:
        return {"columns": parquet_columns(stream)}, []
    tables: list[tuple[TableFile, dict[str, Any]]]
    tables, left_out = database_tables(source, problems) if source.form == "sqlite" else ([(source, {})], [])
    found, arrays = [], []
    for each, stated in tables:
        facts, more = packed_facts(facts_of(each, stream, Problems()))  # what is wrong is told when it is read
        found.append({"source": each.asdict(), "facts": facts, "stated": stated})
        arrays += more
    return {"tables": found, "left_out": left_out}, arrays


def read_tables(plans: Sequence[Mapping[str, Any]], stream: Stream, problems: Problems) -> Iterator[Batch]:
    """Triples and names of the tables in a file, some thousand rows at a time."""
    for plan in plans:
        seen: set[str] = set()  # keys that several rows have
        source = TableFile(**{**plan["source"], "columns": tuple(plan["source"]["columns"])})
        yield from _called(plan)
        row = plan.get("start", 0)
        for columns in batches(source, stream, problems):
            count = len(columns[0])
            if plan["relation"]:
                yield from _edges(plan, columns, row)
            else:
                yield from _things(plan, columns, row, problems, seen)
            row += count


def _called(plan: Mapping[str, Any]) -> Iterator[Batch]:
    """What relations are called, where their ids do not say it."""
    if plan["relation"]:
        return
    named = {
        each["relation"]: each["words"]
        for each in plan["references"]
        if each["words"] != label_to_text(each["relation"]).casefold()
    }
    if named:
        ranks = np.full(len(named), CHOSEN, np.int16)
        yield Notes("label", column(list(named)), column(list(named.values())), ranks)


def _things(
    plan: Mapping[str, Any], columns: list[Any], row: int, problems: Problems, seen: set[str]
) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.compute as pc

    source = plan["source"]
    numbers = pa.array(np.arange(row + 1, row + 1 + len(columns[0]))).cast(pa.large_string())
    keyed = _joined_keys([columns[at] for at in plan["key"]]) if plan["key"] else numbers
    good = pc.is_valid(keyed)
    if (bad := len(keyed) - int(pc.sum(good).as_py() or 0)) > 0:
        where = next(i for i, there in enumerate(good.to_pylist()) if not there)
        problems.add(source["file"], row + where + 2, "empty", f"a row of {source['name']} without a key", bad)
        keyed, columns = keyed.filter(good), [each.filter(good) for each in columns]
    if plan["repeated"]:
        keyed = _told_apart(keyed, plan["repeated"], row, seen)
    ids = joined(plan["prefix"], keyed)
    yield rows_of(ids, TYPE, pa.array([plan["kind"]] * len(ids), pa.large_string()))
    names = pa.nulls(len(ids), pa.large_string())
    if plan["named"]:
        parts = [columns[at] for at in plan["named"]]
        names = parts[0]
        if len(parts) > 1:  # of a single column the join would lose the rows without a name
            names = pc.binary_join_element_wise(*parts, pa.scalar(" ", pa.large_string()), null_handling="skip")
        names = pc.if_else(pc.equal(names, ""), pa.scalar(None, pa.large_string()), names)
    if plan["numbered"]:
        names = pc.coalesce(names, joined(plan["kind"], " ", keyed))
    there = pc.is_valid(names)
    if pc.any(there).as_py():
        owners, names = ids.filter(there), names.filter(there)
        yield Notes("label", terms_of(owners), terms_of(names), np.full(len(owners), CHOSEN, np.int16))
    yield from _cells(plan, ids, columns)
    for each in plan["references"]:
        if each["many"]:
            owners, tails = names_in(columns[each["columns"][0]], each["missing"], each["commas"])
            if len(owners):
                yield rows_of(ids.take(pa.array(owners)), each["relation"], joined(each["prefix"], tails))
            continue
        tails, there = _pointed(each, columns)
        if pc.any(there).as_py():
            yield rows_of(ids.filter(there), each["relation"], tails.filter(there))


def _told_apart(keyed: Any, repeated: Sequence[int], row: int, seen: set[str]) -> Any:
    """Keys of which those that came before have the number of their row behind them."""
    import pyarrow as pa

    keys = keyed.to_pylist()
    for place in np.flatnonzero(np.isin(hashes_of(keyed), np.array(repeated, np.uint64))).tolist():
        if keys[place] in seen:
            keys[place] += f" #{row + place + 1}"
        else:
            seen.add(keys[place])
    return pa.array(keys, pa.large_string())


def _edges(plan: Mapping[str, Any], columns: list[Any], row: int) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.compute as pc

    (heads, first), (tails, second) = (_pointed(each, columns) for each in plan["references"])
    there = pc.and_(first, second)
    numbers = pa.array(np.arange(row, row + len(columns[0]))).cast(pa.large_string())
    mediators = joined(f"_:{plan['source']['name']}.", numbers).filter(there)
    heads, tails, columns = heads.filter(there), tails.filter(there), [each.filter(there) for each in columns]
    if not len(heads):
        return
    yield rows_of(heads, plan["relation"], tails)
    if any(each["role"] != "none" for each in plan["columns"]):  # a row without values counts among the others, too
        yield rows_of(heads, plan["relation"], mediators)
        yield rows_of(mediators, plan["relation"], tails)
        yield from _cells(plan, mediators, columns)


def _pointed(reference: Mapping[str, Any], columns: list[Any]) -> tuple[Any, Any]:
    """The ids that cells point to, and which of them point to something."""
    import pyarrow as pa
    import pyarrow.compute as pc

    values = _joined_keys([columns[at] for at in reference["columns"]])
    there = pc.is_valid(values)
    if reference["missing"]:
        filled = pc.fill_null(values, "")
        known = ~np.isin(hashes_of(filled), np.array(reference["missing"], np.uint64))
        there = pc.and_(there, pa.array(known))
    return joined(reference["prefix"], pc.fill_null(values, "")), there


def _joined_keys(columns: list[Any]) -> Any:
    """Keys as text, those of several columns with a stroke between them; null where one is."""
    import pyarrow as pa
    import pyarrow.compute as pc

    whole = [pc.replace_substring_regex(each, FLOAT, r"\1") for each in columns]
    return whole[0] if len(whole) == 1 else pc.binary_join_element_wise(*whole, pa.scalar("/", pa.large_string()))


def _cells(plan: Mapping[str, Any], ids: Any, columns: list[Any]) -> Iterator[Batch]:
    """The cells of the columns that point nowhere, as literals."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for at, each in enumerate(plan["columns"]):
        values = columns[at]
        if each["kind"] == "checked":
            values = pc.if_else(
                pc.is_valid(values), *(pa.scalar(said, pa.large_string()) for said in ("true", "false"))
            )
        there = pc.is_valid(values)
        if each["role"] == "none" or not pc.any(there).as_py():
            continue
        owners, values = ids.filter(there), values.filter(there)
        if each["kind"] == "list":
            places, parts = parts_of(values)
            owners, values = owners.take(pa.array(places)), pa.array(parts, pa.large_string())
        yield rows_of(owners, each["relation"], _literals(values, each["kind"]), literal=True)


def _literals(values: Any, kind: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if kind == "text":
        return joined('"', values, '"')
    if kind == "truth":
        yes = pc.match_substring_regex(values, r"^(?i:t|true|1)$")
        ends = (pa.scalar(f'"{said}"^^<{XSD}boolean>', pa.large_string()) for said in ("true", "false"))
        return pc.if_else(yes, *ends)
    if kind == "whole":
        return literal_ids(pc.replace_substring_regex(values, FLOAT, r"\1"))
    if kind == "day":
        return literal_ids(pc.utf8_slice_codeunits(values, 0, 10))
    if kind == "time":
        written = pc.replace_substring_regex(values, r"^(\d{4}-\d\d-\d\d) ", r"\1T")
        written = pc.replace_substring_regex(written, r"^(\d{4}-\d\d-\d\d)$", r"\1T00:00")  # of a midnight
        written = pc.replace_substring_regex(written, r"T(\d\d:\d\d)(Z|[+-]\d\d:?\d\d)?$", r"T\1:00\2")
        return joined('"', written, f'"^^<{XSD}dateTime>')
    return literal_ids(values)
