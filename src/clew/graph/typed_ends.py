"""Typed edge lists: columns of a table of edges that say of what kind its ends are, as in `source,source_type,relation,
target,target_type`.

Kept apart from `property_graph`, where a header alone decides: some of these columns hold kinds or names, and only
values tell; and ids may be unique within a kind alone. Values are looked at in the first megabyte of a file.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.graph.inputs import Problems, Stream
from clew.labels import label_to_text

if TYPE_CHECKING:
    from clew.graph.property_graph import PropertyTable

LOOKED_AT = 1 << 20  # bytes of a file
REPEATED = 2  # ends for each kind, in the mean, from which on a column called a label holds kinds
_PAIRS = {
    "source": ("target", "destination", "dest"), "src": ("dst", "dest", "tgt", "target"), "from": ("to",),
    "start": ("end",), "head": ("tail",), "subject": ("object",), "subj": ("obj",), "node1": ("node2",),
    "node 1": ("node 2",), "entity1": ("entity2",), "entity 1": ("entity 2",), "h": ("t",), "s": ("o",),
}  # fmt: skip
_KIND = re.compile(r"(?P<end>.+?)(?: (?:node|entity|vertex|thing))? (?P<word>type|kind|class|category|label)s?")
_OWN = ("", " id", " node", " node id", " entity", " entity id")  # what the column of an end itself is called


def said_by_header(name: str) -> str:
    """A column's name in words: `~sourceType`, `source_type` and "Source Type" are the same."""
    return " ".join(re.split(r"[\s_~:.]+", label_to_text(name.strip().lstrip("~")).casefold())).strip()


def kind_columns(names: Sequence[str], head: int, tail: int) -> tuple[int, int, bool] | None:
    """The places of the columns that say the kinds of both ends, and whether they may be names instead.

    Where there is but one of them it says something else: `object_type` alone often is that of a literal.
    """
    said = [said_by_header(name) for name in names]
    parts = {i: match for i, name in enumerate(said) if (match := _KIND.fullmatch(name))}
    for i, mine in parts.items():
        for j, other in parts.items():
            if other["end"] not in _PAIRS.get(mine["end"], ()) or other["word"] != mine["word"]:
                continue
            if _speaks_of(said, mine["end"], head) and _speaks_of(said, other["end"], tail):
                return i, j, mine["word"] == "label"
    return None


def _speaks_of(said: Sequence[str], end: str, at: int) -> bool:
    """Whether what is called so is the column at this place, or no other column is called so."""
    places = [i for i, name in enumerate(said) if name in {end + more for more in _OWN}]
    return not places or at in places


@dataclass(slots=True)
class _Sample:
    """What the first rows of a table say of ids and their kinds."""

    whole: bool  # they are all
    kinds: dict[str, set[str]] = field(default_factory=dict)  # by id, in small letters
    named: dict[str, set[str]] = field(default_factory=dict)  # by id, the names of its rows
    spelled: dict[str, str] = field(default_factory=dict)  # kinds in small letters to kinds as they are written


def with_kinds(
    tables: Mapping[Path, PropertyTable], texts: Sequence[Path], told: dict[Path, list[str]]
) -> tuple[dict[Path, PropertyTable], bool]:
    """The tables of edges with the columns of kinds marked, ids told apart by kind where they must be; and whether the
    tables are a graph without a table of nodes.

    Args:
        texts: all files of the build that may be tables.
        told: is given what was found of a file, in lines.
    """
    found = dict(tables)
    samples: dict[Path, tuple[list[list[str]], bool]] = {}
    for file, table in tables.items():
        if table.kind == "edges" and not table.neo4j:
            found[file] = _marked(file, table, samples)
    typed = [file for file, table in found.items() if table.where("head kind")]
    if not typed:
        return found, False
    nodes = [file for file, table in found.items() if table.kind == "nodes" and not table.neo4j]
    seen = {
        file: _seen(found[file], *(samples.get(file) or _rows(file, found[file].delimiter)))
        for file in (*nodes, *typed)
    }
    spelled = {key: kind for file in nodes for key, kind in seen[file].spelled.items()}
    untyped = [file for file, table in found.items() if table.kind == "edges" and file not in typed]
    by_kind = (
        not untyped  # whose ids would lead nowhere
        and all(found[file].where("type") for file in nodes)
        and any(_shared(seen[file], nodes=file in nodes) for file in (*nodes, *typed))
    )
    known: dict[str, set[str]] = {}
    for file in nodes:
        for id, mine in seen[file].kinds.items():
            known.setdefault(id, set()).update(mine)
    whole = all(seen[file].whole for file in (*nodes, *typed))
    for file in (*nodes, *typed):
        found[file] = replace(found[file], by_kind=by_kind, kinds=tuple(spelled.items()))
    for file in typed:
        names = {field.role: field.name for field in found[file].fields}
        kinds = sorted({each for kinds in seen[file].kinds.values() for each in kinds})
        shown = ", ".join(spelled.get(kind, kind) for kind in kinds[:8]) + " …" * (len(kinds) > 8)
        ends = f"{names['head kind']} and {names['tail kind']}"
        lines = [f"{file.name}: {ends} are the kinds of what an edge leads from and to: {shown}"]
        if by_kind:
            lines.append("  an id is one of its kind: 1 of one kind is not 1 of another")
        told[file] = lines
        if whole and all(id in known and (not by_kind or mine <= known[id]) for id, mine in seen[file].kinds.items()):
            found[file] = replace(found[file], kinds_known=True)
    return found, set(texts) <= set(typed)


def _marked(file: Path, table: PropertyTable, samples: dict[Path, tuple[list[list[str]], bool]]) -> PropertyTable:
    head, tail = table.where("head")[0], table.where("tail")[0]
    places = kind_columns([field.name for field in table.fields], head, tail)
    if places is None:
        return table
    i, j, perhaps = places
    if table.fields[i].role != "property" or table.fields[j].role != "property":
        return table
    if perhaps:
        rows, _ = samples[file] = _rows(file, table.delimiter)
        ends = {row[at] for row in rows for at in (head, tail) if len(row) > at}
        kinds = {row[at] for row in rows for at in (i, j) if len(row) > at}
        if len(ends) < REPEATED * len(kinds):
            return table
    roles = {i: "head kind", j: "tail kind"}
    fields = (replace(each, role=roles.get(at, each.role)) for at, each in enumerate(table.fields))
    return replace(table, fields=tuple(fields))


def _rows(file: Path, delimiter: str) -> tuple[list[list[str]], bool]:
    """The first rows of a table, without its header and the one that is cut off; and whether they are all."""
    stream = Stream(file, Problems())
    try:
        text = stream.read(LOOKED_AT).decode("utf-8", "replace").removeprefix("\ufeff")
        whole = not stream.read(1)
    finally:
        stream.close()
    lines = text.splitlines()
    reader = csv.reader(lines if whole else lines[:-1], delimiter=delimiter)
    rows: list[list[str]] = []
    try:
        rows += ([cell.strip() for cell in row] for row in reader)
    except csv.Error:  # what was read so far is enough to look at
        whole = False
    return rows[1:], whole


def _seen(table: PropertyTable, rows: Sequence[Sequence[str]], whole: bool) -> _Sample:
    sample = _Sample(whole)
    ways: list[tuple[Any, Any]] = [(table.where("id"), table.where("type"))]
    if table.kind == "edges":
        ways = [(table.where(end), table.where(f"{end} kind")) for end in ("head", "tail")]
    names = table.where("name")
    for row in rows:
        for ids, kinds in ways:
            if not ids or not kinds or len(row) <= max(ids[0], kinds[0]) or not row[kinds[0]]:
                continue
            id, kind = row[ids[0]], row[kinds[0]]
            sample.kinds.setdefault(id, set()).add(kind.casefold())
            sample.spelled.setdefault(kind.casefold(), kind)
            if names and len(row) > names[0]:
                sample.named.setdefault(id, set()).add(row[names[0]])
    return sample


def _shared(sample: _Sample, *, nodes: bool) -> bool:
    """Whether one id is that of things of several kinds, and not that of a thing that is of several."""
    several = [id for id, kinds in sample.kinds.items() if len(kinds) > 1]
    if nodes and sample.named:
        return any(len(sample.named.get(id, ())) > 1 for id in several)
    return any(id.isdigit() for id in several)
