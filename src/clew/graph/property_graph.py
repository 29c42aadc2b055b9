"""Reader of property graphs in tables: nodes with properties, edges with a type and properties of their own.

Kept apart from `tabular`, where a row is a triple: here a row of a node table is several, and its header says what the
columns are. Two kinds of header are known: neo4j-admin's (`id:ID`, `:LABEL`, `:START_ID`, `:END_ID`, `:TYPE`) and plain
ones (`id,name,type` and `source,target,type,role`), the latter only where a build has both kinds.

A node's types are triples of the relation "type", its name is its label, other properties are literals. An edge is a
triple; one with properties also gets a mediator between its two ends, which carries them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from clew.graph.arrow import RawStream, joined, literal_ids, rows_of, terms_of
from clew.graph.inputs import ALIAS, BLOCK, CHOSEN, Batch, Notes, Problems, Rows, Stream
from clew.graph.labelling import OTHER_NAMES
from clew.graph.property_files import EDGE_KINDS, LINKED, TYPE
from clew.graph.tabular import SYNONYMS, sniff, split_line
from clew.graph.typed_ends import with_kinds
from clew.labels import label_to_text

HEAD, PEEK = 1 << 16, 1 << 20
_NEO4J = re.compile(r"(?P<name>[^:]*):(?P<role>ID|LABEL|START_ID|END_ID|TYPE|IGNORE)(?:\((?P<space>[^)]*)\))?")
_ROLES = {"ID": "id", "LABEL": "type", "START_ID": "head", "END_ID": "tail", "TYPE": "relation"}
_ANNOTATED = re.compile(r"(?P<name>[^:]+):(?P<kind>[a-zA-Z]+)(?P<many>\[\])?(?:\{.*\})?")
_IDS = ("id", "node id", "nodeid", "key", "identifier", "uid", "uuid", "nid", "vertex id", "entity id", "iri", "uri")
_NAMES = ("name", "full name", "title", "display name", "node name", "entity name")
_RELATIONS = frozenset([*SYNONYMS[1], *(label_to_text(name).casefold().replace(" ", "_") for name in EDGE_KINDS)])
_ENDINGS = ("", "_id", "_node", "_node_id", "_entity", "_name", "id")


def _ends(synonyms: Sequence[str], *words: str) -> frozenset[str]:
    """What the column of one end of an edge may be called."""
    return frozenset([*synonyms, *(word + ending for word in words for ending in _ENDINGS)])


HEADS = _ends(
    SYNONYMS[0], "source", "src", "from", "start", "head", "subject", "node1", "node_1", "entity1", "entity_1"
)
TAILS = _ends(
    SYNONYMS[2], "target", "dst", "dest", "to", "end", "tail", "object", "node2", "node_2", "entity2", "entity_2"
)
_GEPHI = ("directed", "undirected", "mutual")  # values of a column "Type" that names no relation
_PERHAPS_ENDS = frozenset(["start", "end", "from", "to", "h", "t", "s", "o"])  # of an edge, or of a time
_APOC = {"_id", "_labels", "_start", "_end", "_type"}
_TYPES = ("type", "types", "kind", "class", "category", "node type", "entity type", "labels", "node label")


@dataclass(frozen=True, slots=True)
class Field:
    """A column of a table: what it is for, what it is called, the id space it speaks of, whether it lists several."""

    role: str  # "id", "type", "name", "alias", "head", "tail", "head kind", "tail kind", "relation", "property", "none"
    name: str
    space: str = ""
    many: bool = False


@dataclass(frozen=True, slots=True)
class PropertyTable:
    """What the header of a file says."""

    kind: str  # "nodes", "edges", "both": a row is one or the other
    fields: tuple[Field, ...]
    delimiter: str
    neo4j: bool
    by_kind: bool = False  # ids are unique within their kind alone
    kinds_known: bool = False  # of edges: the tables of nodes say of what kind each end is
    kinds: tuple[tuple[str, str], ...] = ()  # of edges: kinds in small letters and as the tables of nodes write them

    @classmethod
    def of(cls, stated: Mapping[str, Any]) -> PropertyTable:
        """The table that `dataclasses.asdict` made a dictionary of, as it comes out of JSON."""
        return cls(**{**stated, "fields": tuple(Field(**field) for field in stated["fields"])})

    def where(self, role: str) -> list[int]:
        return [i for i, field in enumerate(self.fields) if field.role == role]


def tables_of(
    files: Sequence[tuple[Path, str]], delimiter: str | None, header: bool | None, told: dict[Path, list[str]]
) -> dict[Path, PropertyTable]:
    """The files that are tables of nodes or edges; plain headers count only where a build has both, or where all its
    tables are of edges that say the kinds of their ends.

    Args:
        told: is given what was found of a file, in lines.
    """
    if header is False:
        return {}
    found = {file: table for file, suffix in files if (table := _table(file, suffix, delimiter)) is not None}
    texts = [file for file, suffix in files if suffix in ("csv", "tsv", "txt", "parquet")]
    found, alone = with_kinds(found, texts, told)
    if alone or {table.kind for table in found.values()} >= {"nodes", "edges"}:
        return found
    told.clear()
    return {file: table for file, table in found.items() if table.neo4j}


def _table(file: Path, suffix: str, delimiter: str | None) -> PropertyTable | None:
    if suffix not in ("csv", "tsv", "txt") or str(file) == "-" or not file.is_file():
        return None
    names, row, delimiter = header_of(file, suffix, delimiter)
    if set(names) >= _APOC:
        return _apoc(names, delimiter)
    if len(names) < 2 or not all(names) or len(set(names)) < len(names):
        return None
    return _neo4j(names, delimiter) or _plain(names, row, delimiter)


def _decoded(head: bytes) -> str:
    """The beginning of a file as text: in Windows-1252 where its first line is not UTF-8."""
    first, text = head.partition(b"\n")[0], head.decode("utf-8", "replace").removeprefix("\ufeff")
    return head.decode("cp1252", "replace") if "\ufffd" in first.decode("utf-8", "replace") else text


def header_of(file: Path, suffix: str, delimiter: str | None) -> tuple[list[str], list[str], str]:
    """The fields of the first two lines of a text table that are not blank, and what parts them."""
    stream = Stream(file, Problems())
    try:
        sample = _decoded(stream.read(HEAD))
    finally:
        stream.close()
    lines = [line.rstrip("\r") for line in sample.split("\n") if line.strip()][:2]
    first = lines[0] if lines else ""
    delimiter = delimiter or sniff(sample, suffix)
    if delimiter not in first:
        delimiter = next((d for d in ",;\t|" if d in first), delimiter)
    names = [name.strip() for name in split_line(first, delimiter, '"')]
    return names, split_line(lines[1], delimiter, '"') if len(lines) > 1 else [], delimiter


def _neo4j(names: Sequence[str], delimiter: str) -> PropertyTable | None:
    fields, roles = [], set()
    for name in names:
        match = _NEO4J.fullmatch(name)
        if match is None:
            fields.append(_property(name))
            continue
        role = {"ID": "id", "LABEL": "type", "START_ID": "head", "END_ID": "tail", "TYPE": "relation"}.get(
            match["role"]
        )
        roles.add(role)
        fields.append(Field(role or "none", match["name"], match["space"] or "", role == "type"))
    if {"head", "tail"} <= roles:
        return PropertyTable("edges", tuple(fields), delimiter, True)
    if "id" in roles:
        return PropertyTable("nodes", tuple(_named(fields)), delimiter, True)
    return None


def _apoc(names: Sequence[str], delimiter: str) -> PropertyTable:
    """The table that `apoc.export.csv.all` writes: properties of nodes, then `_start`, then those of relationships."""
    roles = {"_id": "id", "_labels": "type", "_start": "head", "_end": "tail", "_type": "relation"}
    start = names.index("_start")
    fields = [Field(roles[name], name, many=name == "_labels") if name in roles else Field("property", name)
              for name in names]  # fmt: skip
    return PropertyTable("both", (*_named(fields[:start]), *fields[start:]), delimiter, True)


def _plain(names: Sequence[str], row: Sequence[str], delimiter: str) -> PropertyTable | None:
    """The table that a plain header says, with its first row: what names a relation may be no name of one."""
    said = [label_to_text(name.lstrip("~")).casefold() for name in names]  # Neptune's ~id, ~from, ~to, ~label
    keys = [name.replace(" ", "_") for name in said]
    heads = [i for i, key in enumerate(keys) if key in HEADS]
    tails = [i for i, key in enumerate(keys) if key in TAILS]
    ids = [i for i, name in enumerate(said) if name in _IDS]
    things = ids and not set(_NAMES).isdisjoint(said)  # with ids and names: what starts and ends is no edge then
    if heads and tails and not (things and {said[heads[0]], said[tails[0]]} <= _PERHAPS_ENDS):
        roles = dict.fromkeys(ids, "none") | {heads[0]: "head", tails[0]: "tail"}
        idle = [i for i, key in enumerate(keys) if key == "type" and row[i : i + 1] and row[i].casefold() in _GEPHI]
        relations = [i for i, key in enumerate(keys) if key in _RELATIONS and i not in (*idle, *roles)]
        roles |= dict.fromkeys(idle, "none") | dict.fromkeys(relations[:1], "relation")
        return PropertyTable("edges", tuple(_as(roles.get(i), name) for i, name in enumerate(names)), delimiter, False)
    if not ids:
        return None
    kinds = [
        i
        for i, name in enumerate(said)
        if name in _TYPES or (name == "label" and (names[i][0] == "~" or not set(_NAMES).isdisjoint(said)))
    ]
    roles = {ids[0]: "id"} | dict.fromkeys(kinds[:1], "type")
    return PropertyTable(
        "nodes", tuple(_named([_as(roles.get(i), name) for i, name in enumerate(names)])), delimiter, False
    )


def _as(role: str | None, name: str) -> Field:
    return Field(role, name, many=role == "type") if role else _property(name)


def _property(name: str) -> Field:
    match = _ANNOTATED.fullmatch(name)
    return Field("property", match["name"], many=bool(match["many"])) if match else Field("property", name)


def _named(fields: Sequence[Field]) -> list[Field]:
    """The fields of a node table with the one that names it, and its aliases, marked as such."""
    said = [label_to_text(field.name).casefold() if field.role == "property" else "" for field in fields]
    name = next((said.index(word) for word in (*_NAMES, "label") if word in said), None)
    result = []
    for i, field in enumerate(fields):
        role = "name" if i == name else "alias" if said[i] in OTHER_NAMES else field.role
        result.append(Field(role, field.name, field.space, field.many or role == "alias"))
    return result


def read_table(file: Path, table: PropertyTable, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Triples and names of a table, a few thousand rows at a time."""
    import pyarrow as pa
    from pyarrow import csv

    def bad(row: Any) -> str:
        message = f"not {row.expected_columns} fields separated by {table.delimiter!r}"
        problems.add(str(file), row.number, "fields", message)
        return "skip"

    columns = [f"c{i}" for i in range(len(table.fields))]
    try:
        batches = csv.open_csv(
            RawStream(stream),
            read_options=csv.ReadOptions(use_threads=False, block_size=BLOCK, column_names=columns, skip_rows=1),
            parse_options=csv.ParseOptions(delimiter=table.delimiter, newlines_in_values=True, invalid_row_handler=bad),
            convert_options=csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.large_string()), strings_can_be_null=True, null_values=[""]
            ),
        )
        row = 0
        for batch in batches:
            if table.kind == "both":
                yield from _both(batch, table, file, problems, row)
            else:
                yield from (_nodes if table.kind == "nodes" else _edges)(batch, table, file, problems, row)
            row += batch.num_rows
    except (pa.ArrowException, OSError) as error:
        problems.add(str(file), None, "unreadable", f"cannot be read on: {str(error).splitlines()[0]}")


def _both(batch: Any, table: PropertyTable, file: Path, problems: Problems, row: int) -> Iterator[Batch]:
    """Rows of nodes and of relationships in one table, the columns of which are apart."""
    import pyarrow as pa
    import pyarrow.compute as pc

    start = table.where("head")[0]
    for kind, first, fields in (("nodes", 0, table.fields[:start]), ("edges", start, table.fields[start:])):
        part = replace(table, kind=kind, fields=fields)
        there = pc.is_valid(batch.column(first))
        columns = []
        for place, field in enumerate(fields, first):
            column = batch.column(place)
            if field.role == "type":  # ":Movie:Film"
                column = pc.replace_substring(pc.utf8_ltrim(column, ":"), ":", ";")
            columns.append(column.filter(there))
        rows = pa.RecordBatch.from_arrays(columns, [f"c{i}" for i in range(len(columns))])
        yield from (_nodes if kind == "nodes" else _edges)(rows, part, file, problems, row)


def _nodes(batch: Any, table: PropertyTable, file: Path, problems: Problems, row: int) -> Iterator[Batch]:
    import pyarrow.compute as pc

    (id_at,) = table.where("id")[:1]
    ids = _ids(batch.column(id_at), table.fields[id_at])
    if table.by_kind:
        ids = _of_kind(ids, batch.column(table.where("type")[0]))
    batch, (ids,) = _kept(batch, [ids], "an empty id", file, problems, row)
    for i, field in enumerate(table.fields):
        column = batch.column(i)
        owners, values = _several(ids, column) if field.many else (ids, column)
        there = pc.is_valid(values)
        owners, values = owners.filter(there), pc.utf8_trim_whitespace(values.filter(there))
        if not len(values):
            continue
        if field.role in ("name", "alias"):
            rank = CHOSEN if field.role == "name" else ALIAS
            yield Notes("label", terms_of(owners), terms_of(values), np.full(len(values), rank, np.int16))
        elif field.role == "type":
            yield rows_of(owners, TYPE, values)
        elif field.role == "property":
            owners, values = _written_as_lists(owners, values)
            yield rows_of(owners, field.name, literal_ids(values), literal=True)


def _edges(batch: Any, table: PropertyTable, file: Path, problems: Problems, row: int) -> Iterator[Batch]:
    import pyarrow as pa
    import pyarrow.compute as pc

    (head_at,), (tail_at,) = table.where("head")[:1], table.where("tail")[:1]
    relation_at = table.where("relation")
    sides = [_ids(batch.column(at), table.fields[at]) for at in (head_at, tail_at)]
    stating = [at for end in ("head", "tail") for at in table.where(f"{end} kind")]
    if table.by_kind:
        sides = [_of_kind(ids, batch.column(at)) for ids, at in zip(sides, stating, strict=True)]
    numbers = pa.array(np.arange(row, row + batch.num_rows)).cast(pa.large_string())
    mediators = joined(f"_:{file.name.split('.')[0]}.", numbers)
    stated = batch.column(relation_at[0]) if relation_at else pa.nulls(batch.num_rows, pa.large_string())
    relations = pc.fill_null(stated, LINKED)
    batch, (heads, tails, relations, mediators) = _kept(
        batch, [*sides, relations, mediators], "an empty head or tail", file, problems, row
    )
    yield Rows(terms_of(heads), terms_of(relations), terms_of(tails))
    if stating and not table.kinds_known:
        yield from _kinds_stated([heads, tails], [batch.column(at) for at in stating], table)
    properties = [i for i in table.where("property") if batch.column(i).null_count < batch.num_rows]
    if not properties:
        return
    some = pc.is_valid(batch.column(properties[0]))
    for i in properties[1:]:
        some = pc.or_(some, pc.is_valid(batch.column(i)))
    between = mediators.filter(some)
    yield Rows(terms_of(heads.filter(some)), terms_of(relations.filter(some)), terms_of(between))
    yield Rows(terms_of(between), terms_of(relations.filter(some)), terms_of(tails.filter(some)))
    for i in properties:
        field, column = table.fields[i], batch.column(i)
        owners, values = _several(mediators, column) if field.many else (mediators, column)
        there = pc.is_valid(values)
        if pc.any(there).as_py():
            owners, values = _written_as_lists(owners.filter(there), values.filter(there))
            yield rows_of(owners, field.name, literal_ids(values), literal=True)


def _kinds_stated(ends: Sequence[Any], stated: Sequence[Any], table: PropertyTable) -> Iterator[Batch]:
    """What the ends of edges are, each said once; without a table of nodes, ids of a kind are read with its name."""
    import pyarrow as pa
    import pyarrow.compute as pc

    spelled = dict(table.kinds)
    kinds = pc.utf8_trim_whitespace(pa.concat_arrays(stated))
    pairs = pa.table({"id": pa.concat_arrays(ends), "kind": kinds}).filter(pc.greater(pc.utf8_length(kinds), 0))
    once = pairs.group_by(["id", "kind"], use_threads=False).aggregate([]).combine_chunks()
    ids, kinds = (once.column(name).combine_chunks() for name in ("id", "kind"))
    words = [spelled.get(kind.casefold(), kind) for kind in kinds.to_pylist()]
    if not words:
        return
    yield rows_of(ids, TYPE, pa.array(words, pa.large_string()))
    if table.by_kind and not spelled:
        names = [f"{kind} {id.partition('/')[2]}" for kind, id in zip(words, ids.to_pylist(), strict=True)]
        ranks = np.full(len(names), CHOSEN, np.int16)
        yield Notes("label", terms_of(ids), terms_of(pa.array(names, pa.large_string())), ranks)


def _of_kind(ids: Any, kinds: Any) -> Any:
    """Ids with their kind before them, where it is stated."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = pc.utf8_lower(pc.utf8_trim_whitespace(kinds))
    return pc.coalesce(pc.binary_join_element_wise(kinds, ids, pa.scalar("/", pa.large_string())), ids)


def _ids(column: Any, field: Field) -> Any:
    """Ids as text, with their space before them where the header names one."""
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(column)
    return joined(f"{field.space}/", trimmed) if field.space else trimmed


def _kept(batch: Any, columns: list[Any], what: str, file: Path, problems: Problems, row: int) -> tuple[Any, list[Any]]:
    """The rows whose ids are all there."""
    import pyarrow.compute as pc

    good = pc.is_valid(columns[0])
    for column in columns[1:]:
        good = pc.and_(good, pc.is_valid(column))
    for i in np.flatnonzero(~np.asarray(good)).tolist():
        problems.add(str(file), row + i + 2, "empty", what)
    return batch.filter(good), [column.filter(good) for column in columns]


def _written_as_lists(ids: Any, values: Any) -> tuple[Any, Any]:
    """Ids and values where a cell may be a list in JSON, `["Neo","Morpheus"]`, as Neo4j writes it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    listing = pc.match_substring_regex(values, r"^\[.*\]$")
    if not pc.any(listing).as_py():
        return ids, values
    owners: list[int] = []
    parts: list[str] = []
    for place, cell in enumerate(values.to_pylist()):
        said: Any = cell
        if cell[:1] == "[" and cell[-1:] == "]":
            with suppress(ValueError, RecursionError):
                said = json.loads(cell)
        for each in said if isinstance(said, list) else [cell]:
            text = each if isinstance(each, str) else json.dumps(each)
            owners += [place] * bool(text)
            parts += [text] * bool(text)
    return ids.take(pa.array(owners, pa.int64())), pa.array(parts, pa.large_string())


def _several(ids: Any, column: Any) -> tuple[Any, Any]:
    """Ids and values of a column that lists several in a cell, separated by `;`."""
    import pyarrow.compute as pc

    lists = pc.split_pattern(column, ";")
    return ids.take(pc.list_parent_indices(lists)), pc.list_flatten(lists)
