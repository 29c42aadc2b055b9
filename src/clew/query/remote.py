"""Plans over a graph in a server: names become ids, and the server executes the whole plan as one query.

Kept apart from the executor, which is for graphs at hand. A plan is read-only by what it is; text somebody typed is
parsed into one before anything reaches the server, terms are written as all others of a store, and the reply is bounded
in rows by `limit` and in time by the store's `timeout_s`. What a server's language cannot say (units) is executed here
over a copy in memory, as long as the graph is small.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from clew.errors import InputError, NotFoundError, UnsupportedError, unknown
from clew.graph import Graph
from clew.graph.kinds import by_names
from clew.graph.property_values import literals
from clew.graph.remote import ServerGraph
from clew.graph.remote.cypher import CypherServer
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.mirror import mirror
from clew.graph.remote.nodes import LABEL
from clew.graph.remote.pull import collect, topics_of
from clew.graph.remote.sparql import SparqlServer
from clew.query import plan as p
from clew.query.binding import local_name
from clew.query.english import sentence
from clew.query.execute import execute
from clew.query.property_plan import PropertyPlanWriter
from clew.query.sampled import SAMPLED, sampled_column
from clew.query.sparql import SparqlDialect, to_sparql
from clew.query.table import Table, tabulated
from clew.query.text import show
from clew.query.values import shown_number

RANKED = 100  # members of a superlative whose keys are shown


def ask(plan: p.Plan, store: ServerGraph, *, limit: int = 1000) -> Table:
    """Execute a plan in the server, at most `limit` rows of it.

    What its language cannot say, or its engine not do, is executed here over a copy of a small graph; a note says so.

    Raises:
        NotFoundError: an entity, class or relation is not in the graph; the message holds the nearest.
        UnsupportedError: the server cannot execute the plan, and the graph is too large to be copied.
        UnavailableError: the server does not answer, or not in time.
    """
    _ = store.profile  # how the graph is asked is found out
    try:
        bound = bound_to(plan, store)
        found = (_in_cypher if isinstance(store.server, CypherServer) else _in_sparql)(plan, bound, store, limit)
        return _ranked(found, bound, store)
    except (UnsupportedError, TooMuchError, RefusedError) as reason:
        copy = _copy(store, str(reason))
        table = tabulated(execute(plan, copy), copy, limit=limit)
        return replace(table, notes=(*table.notes, f"executed over a copy in memory: {reason}"))


def _in_sparql(plan: p.Plan, bound: p.Plan, store: ServerGraph, limit: int) -> Table:
    server = store.server
    assert isinstance(server, SparqlServer)
    query = in_sparql(bound, store)
    if isinstance(bound, p.TruthPlan):
        return _truth(plan, server.truth(query))
    rows = server.rows(f"{query} LIMIT {int(limit) + 1}")
    if isinstance(bound, (p.SetPlan, p.Values)):
        key = "x" if isinstance(bound, p.SetPlan) else "v"
        ids = [id for row in rows if key in row and (id := server.ids.read(row[key])) is not None]
        records = store.entities([id for id in ids if not id.startswith('"')])
        named = {id: (records[id] if id in records else store.record(id)).label for id in ids}
        return _members(plan, named, limit)
    value = rows[0].get("n") if rows else None
    return _figure(plan, None if value is None else value["value"])


def _in_cypher(plan: p.Plan, bound: p.Plan, store: ServerGraph, limit: int) -> Table:
    server = store.server
    assert isinstance(server, CypherServer)
    query, parameters = in_cypher(bound, store)
    made = isinstance(bound, (p.SetPlan, p.Values))
    rows = server.rows(f"{query} LIMIT {int(limit) + 1}" if made else query, **parameters)
    if made:
        named: dict[str, str] = {}
        for row in rows:
            if "value" in row:
                named |= {id: store.record(id).label for id in literals(row["value"])}
            else:
                id, label = server.read(row)
                named[id] = label or store.record(id).label
        return _members(plan, named, limit)
    if isinstance(bound, p.TruthPlan):
        return _truth(plan, bool(rows[0]["truth"]))
    value = rows[0]["n"] if rows else None
    return _figure(plan, None if value is None else str(value))


def _members(plan: p.Plan, named: Mapping[str, str], limit: int) -> Table:
    """The first members of a set in the order of their ids, or values; `named` is one longer where there are more."""
    total = len(named)
    if isinstance(plan, p.SetPlan):
        shown = [(text, id) for id, text in sorted(named.items())[:limit]]
        return _table(plan, ("entity", "id"), shown, total, more=total > limit)
    return _table(plan, ("value",), [(text,) for text in list(named.values())[:limit]], total, more=total > limit)


def _ranked(found: Table, bound: p.Plan, store: ServerGraph) -> Table:
    """The members of a superlative with their keys, best first; as they are where there are too many to look at."""
    if not isinstance(bound, p.Top) or not 0 < len(found.rows) == found.total <= RANKED:
        return found
    ids = sorted(row[1] for row in found.rows)
    path, beside = bound.key.path, bound.key.beside
    before = path[:-1] if isinstance(beside, p.Combined) else ()
    paths = [path, *([] if beside is None else [(*before, *beside.path)])]
    walked = {step.relation for path in paths for step in path}
    near, cut = collect(store, ids, max(1, *map(len, paths)), relations=walked)
    if cut:
        return found
    again = replace(bound, of=p.Entities(tuple(ids)), k=len(ids), skip=0)
    try:
        table = tabulated(execute(again, near), near)
    except (NotFoundError, InputError):  # none of them has what they are counted by
        return found
    return replace(found, columns=table.columns, rows=table.rows) if len(table.rows) == len(found.rows) else found


def _figure(plan: p.Plan, value: str | None) -> Table:
    """A number as a table, with the unit that a plan states; none where the server found none."""
    unit = plan.unit if isinstance(plan, p.Difference) else None
    if isinstance(plan, p.Aggregate) and isinstance(plan.beside, p.Since):
        unit = plan.beside.unit
    if value is None:
        return _table(plan, ("value",), [], 0)
    return _table(plan, ("value",), [(f"{_number(value)} {unit or ''}".strip(),)], 1)


def _truth(plan: p.Plan, truth: bool) -> Table:
    return _table(plan, ("value",), [("yes" if truth else "no",)], 1)


def as_sent(plan: p.Plan, store: ServerGraph) -> dict[str, str]:
    """A plan in the language of the server, as it is executed there, and why there is no text in the other."""
    bound = bound_to(plan, store)
    mine = "cypher" if isinstance(store.server, CypherServer) else "sparql"
    other = "sparql" if mine == "cypher" else "cypher"
    shown = {other: f"# the server speaks {store.server.kind.split()[0]}; another text needs a folder:  clew pull"}
    try:
        if isinstance(store.server, CypherServer):
            query, parameters = in_cypher(bound, store)
            given = [f"// ${name} = {json.dumps(value, ensure_ascii=False)}" for name, value in parameters.items()]
            return {**shown, mine: "\n".join([*given, store.server.written(query)])}
        return {**shown, mine: in_sparql(bound, store)}
    except UnsupportedError as reason:
        return {**shown, mine: f"# {reason}"}


def in_cypher(bound: p.Plan, store: ServerGraph) -> tuple[str, dict[str, Any]]:
    """A plan whose names are ids as one openCypher query with its parameters. Raises UnsupportedError."""
    writer = PropertyPlanWriter(store)
    return writer.query(bound), writer.parameters


def in_sparql(bound: p.Plan, store: ServerGraph) -> str:
    """A plan whose names are ids as one SPARQL query. Raises UnsupportedError where there is none."""
    server = store.server
    assert isinstance(server, SparqlServer)

    def term(id: str) -> str:
        written = server.ids.write(id)
        if written is None:
            raise UnsupportedError(f"{id!r}: SPARQL cannot name it; reach it by a relation")
        return written

    dialect = SparqlDialect(term, lambda step: _kind(step, store), *server.labelling[:1])
    return to_sparql(bound, dialect=dialect)


def bound_to(plan: p.Plan, store: ServerGraph) -> p.Plan:
    """The plan with ids for names. Raises NotFoundError with the nearest."""
    bound: p.Plan = _Names(store).bound(plan)
    return bound


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
            of = p.Entities(tuple(self._classes(node.id)))
            sets = [p.Follow(of, (p.Step(id, False),)) for id in self._types()]
            return sets[0] if len(sets) == 1 else p.Or(tuple(sets))
        if isinstance(node, p.Entities):
            return p.Entities(tuple(topics_of(self._store, node.ids)))
        if isinstance(node, (p.Step, p.EdgesOf)):
            return replace(node, relation=self._relation(node.relation))
        if isinstance(node, tuple):
            return tuple(self.bound(each) for each in node)
        if isinstance(node, (p.Plan, p.Test, p.Key, p.Since, p.Combined)):
            return p.rebuilt(node, self.bound)
        return node

    def _classes(self, name: str) -> list[str]:
        label = LABEL + name  # of nodes: no name index is needed to find it
        if isinstance(self._store.server, CypherServer) and label in self._store.entities([label]):
            return [label]
        return topics_of(self._store, [name])

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
        known = [relations[r].id for r in by_names((n, r.id, r.label) for n, r in enumerate(relations))]
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
    values = [id for row in rows if (id := server.ids.read(row["n"])) is not None]
    found = sampled_column(values, store, step.relation)
    if found is None:
        return ""
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
        return shown_number(float(text))
    except ValueError:
        return text


def _table(
    plan: p.Plan, columns: tuple[str, ...], rows: Sequence[tuple[str, ...]], total: int, *, more: bool = False
) -> Table:
    notes = ("the server was asked for no more rows than are shown",) if more else ()
    return Table(show(plan), sentence(plan, None), columns, tuple(rows), total, notes, not more)
