"""A plan over a property graph in a server, as one read-only openCypher query with parameters.

Kept apart from `cypher`, which writes for graphs in the form of clew's exporters: here nodes are found by their ids in
the store, what a node has is a property of it, and its labels are its classes. What differs between engines, and what a
property graph says otherwise than its triples do (relationships with properties, lists, quantities with units), is
refused, so that whoever asks can execute the plan elsewhere.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

from clew.errors import UnsupportedError
from clew.graph.property_values import literals
from clew.graph.remote import ServerGraph
from clew.graph.remote.cypher import CypherServer
from clew.graph.remote.nodes import LABEL, TYPE, quoted_name
from clew.graph.remote.terms import is_literal
from clew.query import plan as p
from clew.query.columns import Column
from clew.query.cypher import CypherPlanWriter
from clew.query.sampled import SAMPLED, sampled_column
from clew.query.values import shown_date, shown_number


@dataclass(frozen=True, slots=True)
class KnownRelation:
    """What a relation of the store is in the property graph."""

    kind: Literal["relationship", "property"]
    column: Column | None = None  # of a property: how its values read


_KNOWN: WeakKeyDictionary[ServerGraph, dict[str, KnownRelation]] = WeakKeyDictionary()  # asked for once a store


class PropertyPlanWriter(CypherPlanWriter):
    """Writes one plan whose names are ids of the store. Raises UnsupportedError for what it cannot say."""

    def __init__(self, store: ServerGraph) -> None:
        super().__init__(None)
        assert isinstance(store.server, CypherServer)
        self._store, self._server = store, store.server
        self._relations = _KNOWN.setdefault(store, {})
        self.parameters: dict[str, Any] = {}

    def _parameter(self, value: Any) -> str:
        name = f"p{len(self.parameters)}"
        self.parameters[name] = value
        return f"${name}"

    # -- what a relation is ------------------------------------------------------------------------------------------

    def _known(self, relation: str) -> KnownRelation:
        if relation not in self._relations:
            self._relations[relation] = self._found(relation)
        return self._relations[relation]

    def _found(self, relation: str) -> KnownRelation:
        if relation == TYPE and self._server.nodes.labels_are_types:
            raise UnsupportedError("what the labels of nodes are is asked of all nodes of a label only")
        if relation in self._server.nodes.naming:
            raise UnsupportedError(f"{relation} names some nodes and is a property of others")
        name = self._quoted(relation)
        linked, carrying = self._server.relationships(name)
        values = self._server.values(name, SAMPLED)
        if linked and not values and not (carrying and self._server.nodes.relationships_are_nodes):
            return KnownRelation("relationship")
        if not values or linked or relation in self._server.nodes.on_relationships:
            raise UnsupportedError(f"{relation}: relationships with properties are walked hop by hop only")
        if any(isinstance(value, (list, dict)) for value in values):
            raise UnsupportedError(f"{relation} holds lists")
        found = sampled_column([id for value in values for id in literals(value)], self._store, relation)
        return KnownRelation("property", found)

    def _quoted(self, name: str) -> str:
        written = quoted_name(name)
        if written is None:
            raise UnsupportedError(f"{name!r} cannot be written as a name in openCypher")
        return written

    def _is_value(self, path: p.Path) -> bool:
        return bool(path) and self._known(path[-1].relation).kind == "property"

    def _set_is_values(self, plan: p.SetPlan) -> bool:
        """Whether members are values of properties; sets of nodes and values together are refused."""
        if isinstance(plan, p.Follow):
            if self._set_is_values(plan.of):
                raise UnsupportedError("a walk on from values of properties is no pattern of openCypher")
            return not self._of_label(plan) and self._is_value(plan.path)
        inside = [getattr(plan, name) for name in ("of", "without", "a", "b") if hasattr(plan, name)]
        inside += list(getattr(plan, "sets", ()))
        if any(self._set_is_values(each) for each in inside if isinstance(each, p.SetPlan)):
            raise UnsupportedError("values of properties are shown or counted only")
        return False

    # -- what is written otherwise -----------------------------------------------------------------------------------

    def _type(self, step: p.Step) -> str:
        return self._quoted(step.relation)

    def _hop(self, start: str, step: p.Step, end: str) -> str:
        if self._known(step.relation).kind == "relationship":
            return super()._hop(start, step, end)
        if not step.forward or end != "v":
            raise UnsupportedError("a walk on from values of properties is no pattern of openCypher")
        return f"WITH {self._carried()}x, {start}.{self._quoted(step.relation)} AS v"

    def members(self, node: p.SetPlan) -> str:
        self._set_is_values(node)
        match node:
            case p.Entities(ids):
                return self._nodes(ids)
            case p.Follow(of, path, ()) if self._of_label(node):
                assert isinstance(of, p.Entities)
                label = self._quoted(of.ids[0].removeprefix(LABEL))
                first = self._keep("collect(DISTINCT x)", before=f"OPTIONAL MATCH (x:{label})")
                return self._keep("collect(DISTINCT v)", before=self._rows(first, path[1:])) if path[1:] else first
            case p.WhereCount(_, _, _, tuple(), _):
                raise UnsupportedError("a count cannot be held against a property of each member")
            case p.EdgesOf():
                raise UnsupportedError("relationships themselves are no nodes of openCypher")
            case p.All() | p.Class():
                raise UnsupportedError("a set of all entities is no pattern over a label or a node")
            case p.Follow(_, _, qualifiers) if qualifiers:
                raise UnsupportedError("relationships with properties are walked hop by hop only")
        return super().members(node)

    def _of_label(self, node: p.Follow) -> bool:
        """Whether a set is the nodes of a label: back over the type relation from it."""
        of, first = node.of, node.path[0] if node.path else None
        return (
            self._server.nodes.labels_are_types
            and first == p.Step(TYPE, False)
            and isinstance(of, p.Entities)
            and len(of.ids) == 1
            and of.ids[0].startswith(LABEL)
        )

    def _nodes(self, ids: tuple[str, ...]) -> str:
        inner = self._server.inner(ids)
        if any(id not in inner for id in ids):
            kind = "a value" if any(map(is_literal, ids)) else "no node"
            raise UnsupportedError(f"{next(id for id in ids if id not in inner)!r} is {kind} of the property graph")
        given = self._parameter([inner[id] for id in ids])
        # A list in the condition would be compared with every node; one value each is sought.
        return self._keep("collect(DISTINCT x)", before=f"UNWIND {given} AS i OPTIONAL MATCH (x) WHERE ID(x) = i")

    def _number_at(self, path: p.Path) -> str:
        found = self._known(path[-1].relation).column if path else None
        if found is None or not found.ordered or found.dimension:
            raise UnsupportedError("only plain numbers and years of properties are compared in openCypher")
        if found.kind == "date" and found.precision != "year":
            raise UnsupportedError("dates differ from engine to engine")
        return "v"

    def _between(self, unit: p.TimeUnit, first: str = "a", last: str = "b") -> str:
        raise UnsupportedError("dates differ from engine to engine, and so does the time between them")

    def _label_at(self, path: p.Path) -> str:
        if not self._is_value(path):
            return self._server.name_of("v")
        found = self._known(path[-1].relation).column
        if found is None or found.kind != "text":
            raise UnsupportedError("how a number is written differs from engine to engine")
        return "v"

    def _text(self, text: str) -> str:
        return self._parameter(text)

    def _among(self, value: p.Entities) -> str:
        if len(value.ids) != 1:
            raise UnsupportedError("a test against several entities is no pattern of openCypher")
        (inner,) = self._server.inner(value.ids).values() or (None,)
        if inner is None:
            raise UnsupportedError(f"{value.ids[0]!r} is no node of the property graph")
        return f"ID(v) = {self._parameter(inner)}"

    def _dated(self, test: p.Test, value: p.Date) -> str:
        years = [each.reading for each in (value, test.upper) if isinstance(each, p.Date)]
        if any(each.dimension != "year" for each in years):
            raise UnsupportedError("dates differ from engine to engine")
        first, *last = [self._parameter(int(shown_date(each)[:4])) for each in years]
        return f"v >= {first} AND v <= {last[0]}" if last else f"v {'<>' if test.op == '!=' else test.op} {first}"

    def _stated(self, value: Any) -> str:
        if isinstance(value, p.Number) and not value.unit:
            return self._parameter(float(value.value) if value.value != int(value.value) else int(value.value))
        if isinstance(value, p.Number):
            raise UnsupportedError(f"{shown_number(value.value)} {value.unit}: openCypher cannot convert units")
        return super()._stated(value)

    def _shown(self, value: bool) -> str:
        return "v AS value" if value else "ID(v) AS i, properties(v) AS p, labels(v) AS l"
