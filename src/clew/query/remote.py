"""Plans over a graph in a server: names become ids, and the server executes the whole plan as one query.

Kept apart from the executor, which is for graphs at hand. A plan is read-only by what it is; text somebody typed is
parsed into one before anything reaches the server, terms are written as all others of a store, and the reply is bounded
in rows by `limit` and in time by the store's `timeout_s`. What SPARQL cannot say (units), and a property graph, which
speaks no SPARQL, are executed here over a copy in memory, as long as the graph is small.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from clew.errors import InputError, NotFoundError, UnsupportedError, unknown
from clew.graph import Graph
from clew.graph.layout import LITERAL, NAMED
from clew.graph.remote import ServerGraph
from clew.graph.remote.pull import mirror, topics_of
from clew.graph.remote.sparql import SparqlServer
from clew.graph.strings import Strings
from clew.graph.terms import Terms
from clew.query import plan as p
from clew.query.binding import TYPE_LABELS, TYPES, local_name
from clew.query.columns import column
from clew.query.english import sentence
from clew.query.execute import execute
from clew.query.sparql import SparqlDialect, to_sparql
from clew.query.table import Table, tabulated
from clew.query.text import show

SAMPLED = 200  # values that tell how what a relation leads to is read


def ask(plan: p.Plan, store: ServerGraph, *, limit: int = 1000) -> Table:
    """Execute a plan in the server, at most `limit` rows of it.

    Raises:
        NotFoundError: an entity, class or relation is not in the graph; the message holds the nearest.
        UnsupportedError: the plan cannot be said in the server's language, and the graph is too large to be copied.
        UnavailableError: the server does not answer, or not in time.
    """
    server = store.server
    try:
        bound, query = translated(plan, store)
    except UnsupportedError as reason:
        copy = _copy(store, str(reason))
        return tabulated(execute(plan, copy), copy, limit=limit)
    assert isinstance(server, SparqlServer)
    if isinstance(bound, p.TruthPlan):
        truth = server.truth(query)
        return _table(plan, ("value",), [("yes" if truth else "no",)], 1)
    rows = server.rows(f"{query} LIMIT {int(limit) + 1}")
    if isinstance(bound, (p.SetPlan, p.Values)):
        key = "x" if isinstance(bound, p.SetPlan) else "v"
        ids = [id for row in rows if key in row and (id := server.ids.read(row[key])) is not None]
        records = store.entities([id for id in ids if not id.startswith('"')])
        texts = [records[id].label if id in records else store.record(id).label for id in ids]
        total = len(ids)
        if key == "v":
            return _table(plan, ("value",), [(text,) for text in texts[:limit]], total, more=total > limit)
        shown = sorted(zip(texts, ids, strict=True), key=lambda row: row[1])[:limit]
        return _table(plan, ("entity", "id"), shown, total, more=total > limit)
    value = rows[0].get("n") if rows else None
    return _table(plan, ("value",), [] if value is None else [(_number(value["value"]),)], int(value is not None))


def translated(plan: p.Plan, store: ServerGraph) -> tuple[p.Plan, str]:
    """The plan with ids for names, and as one SPARQL query. Raises UnsupportedError where there is none."""
    server = store.server
    _ = store.profile  # how the graph is asked is found out
    if not isinstance(server, SparqlServer):
        raise UnsupportedError(f"graph {store.address.shown}: plans are executed in SPARQL endpoints only")

    def term(id: str) -> str:
        written = server.ids.write(id)
        if written is None:
            raise UnsupportedError(f"{id!r}: SPARQL cannot name it; reach it by a relation")
        return written

    bound = _Names(store).bound(plan)
    label = server.labelling[:1]
    dialect = SparqlDialect(term, lambda step: _kind(step, store), *label)
    return bound, to_sparql(bound, dialect=dialect)


class _Names:
    """The names of a plan as ids of a server's graph, looked up as `binding` does in a folder."""

    def __init__(self, store: ServerGraph) -> None:
        self._store = store
        self._relations: dict[str, list[str]] = {}
        for relation in store.relations():
            label = relation.label.casefold()
            for name in {label, label.replace("_", " "), local_name(relation.id)}:
                self._relations.setdefault(name, []).append(relation.id)

    def bound(self, node: Any) -> Any:
        if isinstance(node, p.Class):
            of = p.Entities(tuple(topics_of(self._store, [node.id])))
            sets = [p.Follow(of, (p.Step(id, False),)) for id in self._types()]
            return sets[0] if len(sets) == 1 else p.Or(tuple(sets))
        if isinstance(node, p.Entities):
            return p.Entities(tuple(topics_of(self._store, node.ids)))
        if isinstance(node, p.Step):
            return replace(node, relation=self._relation(node.relation))
        if isinstance(node, tuple):
            return tuple(self.bound(each) for each in node)
        if isinstance(node, (p.Plan, p.Test, p.Key)):
            record: Any = node
            return replace(record, **{f.name: self.bound(getattr(record, f.name)) for f in fields(record)})
        return node

    def _relation(self, name: str) -> str:
        ids = {relation.id for relation in self._store.relations()}
        if name in ids:
            return name
        found = self._relations.get(name.casefold()) or self._relations.get(local_name(name)) or []
        if len(found) > 1:
            raise InputError(f"{name!r} is the name of {len(found)} relations: {', '.join(found[:5])}; give the id")
        if not found:
            raise NotFoundError(f"graph {self._store.title!r}: {unknown('relation', name, [*ids, *self._relations])}")
        return found[0]

    def _types(self) -> list[str]:
        relations = self._store.relations()
        known = [r.id for r in relations if r.id in TYPES] or [
            r.id for r in relations if r.label.casefold() in TYPE_LABELS
        ]
        if not known:
            raise InputError(f"graph {self._store.title!r} has no type relation (such as rdf:type), so no classes")
        return known


def _kind(step: p.Step, store: ServerGraph) -> str:
    """How a relation's values are read, by some of them."""
    server = store.server
    assert isinstance(server, SparqlServer)
    relation = server.ids.write(step.relation)
    here = server.fact("?e", str(relation), "?n")
    rows = server.rows(f"SELECT ?n WHERE {{ {here} FILTER(isLiteral(?n)) }} LIMIT {SAMPLED}") if step.forward else []
    values = dict.fromkeys(id for row in rows if (id := server.ids.read(row["n"])) is not None)
    if not values:
        return ""
    kinds = np.array([NAMED] + [LITERAL] * len(values), np.uint8)
    terms = Terms(Strings(more=["", *values]), [store.relation_record(step.relation).label], kinds)
    sample = np.array([(0, 0, i) for i in range(1, len(kinds))], np.int32)
    found = column(Graph.of_arrays(sample, terms, title="sample"), 0)
    if found.kind == "number" and found.dimension:
        raise UnsupportedError(
            f"{step.relation} holds quantities with units ({found.unit}), which SPARQL cannot convert"
        )
    if found.kind == "number":
        return "number"
    return "year" if found.kind == "date" and found.precision == "year" else ""


def _copy(store: ServerGraph, reason: str) -> Graph:
    copy = mirror(store)
    if copy is None:
        raise UnsupportedError(
            f"{reason}; copy the part it is about:  clew pull {store.address.shown} -o part.kg --around topics.txt"
        )
    return copy


def _number(text: str) -> str:
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value == int(value) else str(value)


def _table(
    plan: p.Plan, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int, *, more: bool = False
) -> Table:
    notes = ("the server was asked for no more rows than are shown",) if more else ()
    return Table(show(plan), sentence(plan, None), columns, tuple(rows), total, notes, not more)
