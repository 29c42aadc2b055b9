"""Random graphs and plans, which clew.testing.plan_oracle interprets, and pyoxigraph by their SPARQL."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import pyoxigraph as ox

from clew.graph import Graph
from clew.graph.layout import LITERAL
from clew.graph.terms import Terms
from clew.query import plan as p
from clew.query.execute import Result
from clew.query.sparql import to_sparql
from clew.testing.plan_oracle import TYPE, Naive

BASE = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
LINKS = [BASE + name for name in ("knows", "likes", "owns")]
NUMBER, DAY, END, NOTE = BASE + "size", BASE + "day", BASE + "end", BASE + "note"
CLASSES = [BASE + name for name in ("A", "B", "C")]
WORDS = ["red fox", "Red", "blue", "green fox"]


def literal(text: str, datatype: str = "") -> str:
    return f'"{text}"^^<{XSD}{datatype}>' if datatype else f'"{text}"'


@dataclass
class World:
    """A graph as a list of triples of ids, in clew, and in pyoxigraph."""

    triples: list[tuple[str, str, str]]
    graph: Graph = field(init=False)
    store: ox.Store = field(init=False)

    def __post_init__(self) -> None:
        built = Graph.from_triples(self.triples)
        rows = [[built.whole.heads[i], built.whole.rels[i], built.whole.tails[i]] for i in range(built.num_triples)]
        ids = list(built.terms.ids)
        kinds = built.terms.kinds.copy()
        kinds[[id.startswith('"') for id in ids]] = LITERAL
        import numpy as np

        terms = Terms(built.terms.ids, built.terms.relation_ids, kinds)
        self.graph = Graph.of_arrays(np.array(rows, np.int32).reshape(-1, 3), terms, title="world")
        self.store = ox.Store()
        for head, relation, tail in self.triples:
            self.store.add(ox.Quad(_object(head), ox.NamedNode(relation), _object(tail)))

    def ids(self) -> set[str]:
        return {id for h, _, t in self.triples for id in (h, t)}


def _object(id: str) -> Any:
    if not id.startswith('"'):
        return ox.BlankNode(id[2:]) if id.startswith("_:") else ox.NamedNode(id)
    text, _, rest = id[1:].rpartition('"')
    return ox.Literal(text, datatype=ox.NamedNode(rest[3:-1])) if rest else ox.Literal(text)


def random_world(rng: random.Random) -> World:
    things = [f"{BASE}e{i}" for i in range(rng.randint(3, 12))]
    triples = {(h, rng.choice(LINKS), rng.choice(things)) for h in rng.choices(things, k=rng.randint(2, 30))}
    triples |= {(each, TYPE, rng.choice(CLASSES)) for each in things if rng.random() < 0.9}
    triples.add((things[0], TYPE, CLASSES[0]))
    for each in things:
        for _ in range(rng.choice([0, 1, 1, 1, 2])):
            size = rng.choice(
                [literal(str(rng.randint(-3, 6)), "integer"), literal(f"{rng.randint(0, 9)}.5", "decimal")]
            )
            triples.add((each, NUMBER, size))
        for _ in range(rng.choice([0, 1, 1, 2])):
            day = date(2007, 6, 1) + timedelta(days=rng.randint(0, 900))
            triples.add((each, DAY, literal(day.isoformat(), "date")))
        for _ in range(rng.choice([0, 1, 1, 2])):
            day = date(2007, 11, 1) + timedelta(days=rng.randint(0, 1200))
            triples.add((each, END, literal(day.isoformat(), "date")))
        if rng.random() < 0.6:
            triples.add((each, NOTE, literal(rng.choice(WORDS))))
    triples |= {(things[0], NUMBER, literal("1", "integer")), (things[0], DAY, literal("2008-03-01", "date"))}
    triples.add((things[0], END, literal("2009-02-28", "date")))
    triples |= {(things[-1], relation, things[0]) for relation in LINKS}
    triples.add((things[0], NOTE, literal("red fox")))
    for i in range(rng.choice([0, 0, 1, 3])):  # edges that state something
        edge, link = f"_:edge{i}", rng.choice(LINKS)
        triples |= {(rng.choice(things), link, edge), (edge, link, rng.choice(things))}
        triples.add((edge, NUMBER, literal(str(rng.randint(-3, 6)), "integer")))
    ordered = sorted(triples)
    rng.shuffle(ordered)
    return World(ordered)


class Planner:
    """Draws random plans over a world's names."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self._rng = rng
        self._things = sorted(h for h in {h for h, _, _ in world.triples} if h[:2] != "_:")
        self._classes = sorted({t for _, r, t in world.triples if r == TYPE})

    def plan(self) -> p.Plan:
        rng, make = self._rng, self.set
        kind = rng.randint(0, 13)
        depth = rng.randint(0, 3)
        if kind <= 5:
            return make(depth)
        if kind == 6:
            return p.Values(make(depth), self.path(rng.choice([LINKS[0], NUMBER, DAY, NOTE])))
        if kind == 7:
            return p.Count(make(depth))
        if kind == 8:
            return self.aggregate(depth)
        if kind == 9:
            return p.Exists(make(depth))
        if kind == 10:
            return p.Is(make(depth), make(depth))
        if kind == 11:
            if rng.random() < 0.5:
                return p.Difference(make(depth), make(depth), p.Key(self.path(DAY)), self.unit())
            return p.Difference(make(depth), make(depth), self.number_key())
        if kind == 12:
            return p.Arithmetic(rng.choice("+-*"), p.Count(make(depth)), p.Count(make(depth)))  # type: ignore[arg-type]
        return p.Compare(make(depth), make(depth), self.key(), rng.random() < 0.5)

    def aggregate(self, depth: int) -> p.Aggregate:
        how = self._rng.choice(["sum", "mean", "min", "max"])
        if self._rng.random() < 0.3:
            return p.Aggregate(how, self.set(depth), self.path(END), self.since())  # type: ignore[arg-type]
        if self._rng.random() < 0.3:
            return p.Aggregate(how, self.set(depth), self.path(NUMBER), self.combined("+-*/"))  # type: ignore[arg-type]
        relation = self._rng.choice([NUMBER, DAY]) if how in ("min", "max") else NUMBER
        return p.Aggregate(how, self.set(depth), self.path(relation))  # type: ignore[arg-type]

    def set(self, depth: int) -> p.SetPlan:
        rng = self._rng
        if depth <= 0:
            kind = rng.randint(0, 6)
            if kind == 6:
                return p.EdgesOf(rng.choice(LINKS))
            if kind <= 2:
                return p.Entities(tuple(sorted(set(rng.choices(self._things, k=rng.choice([1, 1, 2]))))))
            return p.All() if kind == 5 else p.Class(rng.choice(self._classes))
        inner = self.set(depth - 1)
        kind = rng.randint(0, 8)
        if kind <= 1:
            return p.Follow(inner, (self.link(),))
        if kind == 2:
            tests = tuple(self.test() for _ in range(rng.choice([0, 1, 1, 2])))
            return p.Follow(inner, (self.link(), self.link()), tests)
        if kind == 3:
            sets = (inner, self.set(rng.randint(0, depth - 1)))
            return p.And(sets) if rng.random() < 0.5 else p.Or(sets)
        if kind == 4:
            return p.Minus(inner, self.set(rng.randint(0, depth - 1)))
        if kind in (5, 6):
            return p.Where(inner, self.test(depth))
        if kind == 7:
            op = rng.choice(["=", "!=", "<", "<=", ">", ">="])
            n = self.path(NUMBER) if rng.random() < 0.25 else rng.randint(0, 3)
            return p.WhereCount(inner, self.path(rng.choice(LINKS)), op, n, self.among(depth))  # type: ignore[arg-type]
        return p.Top(inner, self.key(depth - 1), rng.random() < 0.5, rng.randint(1, 3), rng.choice([0, 0, 1, 2]))

    def link(self) -> p.Step:
        return p.Step(self._rng.choice(LINKS), self._rng.random() < 0.7)

    def path(self, last: str) -> p.Path:
        first = (self.link(),) if self._rng.random() < 0.25 else ()
        return (*first, p.Step(last))

    def number_key(self, depth: int = 0) -> p.Key:
        how = self._rng.choice(["value", "value", "count", "sum", "mean"])
        path = self.path(self._rng.choice(LINKS) if how == "count" else NUMBER)
        among = self.among(depth) if how == "count" or (len(path) > 1 and how != "value") else None
        beside = self.combined() if how != "count" and self._rng.random() < 0.3 else None
        return p.Key(path, how, among, beside)  # type: ignore[arg-type]

    def among(self, depth: int) -> p.SetPlan | None:
        """The set of what is counted or added up, in some plans."""
        return self.set(min(depth, 1)) if self._rng.random() < 0.4 else None

    def key(self, depth: int = 0) -> p.Key:
        if self._rng.random() < 0.25:
            return p.Key(self.path(END), beside=self.since())
        return p.Key(self.path(DAY)) if self._rng.random() < 0.3 else self.number_key(depth)

    def unit(self) -> p.TimeUnit:
        return self._rng.choice(["days", "weeks", "months", "years"])  # type: ignore[return-value]

    def since(self) -> p.Since:
        return p.Since(self.path(DAY), self.unit())

    def combined(self, signs: str = "+-*") -> p.Combined:
        """Another number of the same thing; what is divided is compared with nothing, since no two divide alike."""
        return p.Combined(self.path(NUMBER), self._rng.choice(signs))  # type: ignore[arg-type]

    def test(self, depth: int = 0) -> p.Test:
        rng = self._rng
        kind = rng.randint(0, 8)
        if kind == 8:
            return self.measured(depth)
        if kind == 6:
            return self.lasting(depth)
        if kind == 7:
            return self.summed(depth)
        if kind <= 1:
            op = rng.choice(["=", "!=", "<", "<=", ">", ">=", "between"])
            low = p.Number(rng.choice([-1, 0, 1, 2.5, 4]))
            return p.Test(self.path(NUMBER), op, low, p.Number(low.value + 2) if op == "between" else None)  # type: ignore[arg-type]
        if kind == 2:
            op = rng.choice(["=", "!=", "<", "<=", ">", ">=", "between"])
            day = rng.choice(["2008", "2008-03", "2008-03-01", "2009-05-31"])
            return p.Test(self.path(DAY), op, p.Date(day), p.Date("2009-02") if op == "between" else None)  # type: ignore[arg-type]
        if kind == 3:
            op, text = rng.choice(["=", "!=", "contains", "starts"]), rng.choice(["red", "Fox", "blue", "red fox"])
            return p.Test(self.path(NOTE), op, p.Text(text))  # type: ignore[arg-type]
        if kind == 4:
            return p.Test((self.link(),), rng.choice(["=", "!="]), p.Entities((rng.choice(self._things),)))  # type: ignore[arg-type]
        if depth:
            op = rng.choice(["<", ">=", "="])
            value = rng.choice([p.Count(self.set(depth - 1)), p.Values(self.set(depth - 1), (p.Step(NUMBER),))])
            return p.Test(self.path(NUMBER), op, value)  # type: ignore[arg-type]
        return p.Test(self.path(NUMBER), ">", p.Number(0))

    def summed(self, depth: int) -> p.Test:
        """A condition on the sum or the mean of what a member has."""
        rng, path = self._rng, (self.link(), p.Step(NUMBER)) if self._rng.random() < 0.7 else (p.Step(NUMBER),)
        how = rng.choice(["sum", "mean"])
        if depth and rng.random() < 0.2:
            return p.Test(path, rng.choice(["<", ">="]), p.Count(self.set(depth - 1)), how=how)  # type: ignore[arg-type]
        op = rng.choice(["=", "!=", "<", "<=", ">", ">=", "between"])
        low, among = p.Number(rng.choice([-1, 0, 2, 4.5, 7])), self.among(depth - 1) if len(path) > 1 else None
        upper = p.Number(low.value + 4) if op == "between" else None
        beside = self.combined() if rng.random() < 0.3 else None
        return p.Test(path, op, low, upper, beside, how, among)  # type: ignore[arg-type]

    def measured(self, depth: int) -> p.Test:
        """A condition on two numbers of a member put together."""
        rng, beside, path = self._rng, self.combined(), self.path(NUMBER)
        if depth and rng.random() < 0.2:
            return p.Test(path, rng.choice(["<", ">="]), p.Count(self.set(depth - 1)), beside=beside)  # type: ignore[arg-type]
        op = rng.choice(["=", "!=", "<", "<=", ">", ">=", "between"])
        low = p.Number(rng.choice([-1, 0, 0, 2, 4.5]))
        return p.Test(path, op, low, p.Number(low.value + 4) if op == "between" else None, beside)  # type: ignore[arg-type]

    def lasting(self, depth: int) -> p.Test:
        """A condition on the time between two dates; a stated unit may be another."""
        rng, since = self._rng, self.since()
        if depth and rng.random() < 0.3:
            other = p.Aggregate(rng.choice(["mean", "max"]), self.set(depth - 1), self.path(END), since)  # type: ignore[arg-type]
            value = rng.choice([p.Count(self.set(depth - 1)), other])
            return p.Test(self.path(END), rng.choice(["<", ">="]), value, beside=since)  # type: ignore[arg-type]
        if rng.random() < 0.3:
            low, high = p.Number(rng.choice([-2, 0, 3])), p.Number(rng.choice([8, 30]))
            return p.Test(self.path(END), "between", low, high, since)
        op = rng.choice(["=", "!=", "<", "<=", ">", ">="])
        stated = p.Number(rng.choice([-1, 0, 1, 2.5, 40]), rng.choice(["", "days", "years"]))
        return p.Test(self.path(END), op, stated, beside=since)  # type: ignore[arg-type]


def naive(plan: p.Plan, world: World) -> Any:
    """What the interpreter makes of a plan."""
    nameless = {id for id in world.ids() if id.startswith("_:")}
    return Naive(world.triples, nameless=nameless).run(plan)


def plain(result: Result, graph: Graph) -> Any:
    """What the executor made, as the interpreter says it."""
    if result.makes in ("set", "values"):
        return set(graph.ids_at(result.members))
    if result.makes == "truth":
        return result.truth
    if result.quantity is None:
        return None
    if result.quantity.reading.kind == "date":
        return date.fromisoformat(str(result.quantity))
    return result.quantity.value


def by_sparql(plan: p.Plan, world: World) -> Any:
    """What pyoxigraph makes of the plan's SPARQL."""
    found = world.store.query(to_sparql(plan, world.graph))
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    rows = [solution[0] for solution in found]  # type: ignore[union-attr]
    if isinstance(plan, (p.SetPlan, p.Values)):
        return {_id(row) for row in rows if row is not None}
    if not rows or rows[0] is None:
        return None
    text = rows[0].value
    return date.fromisoformat(text) if rows[0].datatype.value.endswith("date") else float(text)


def _id(node: Any) -> str:
    if isinstance(node, ox.NamedNode):
        return str(node.value)
    if isinstance(node, ox.BlankNode):
        return f"_:{node.value}"
    datatype = node.datatype.value
    return literal(node.value) if datatype.endswith("#string") else literal(node.value, datatype.rsplit("#", 1)[-1])


def agree(a: Any, b: Any) -> bool:
    """Equal, numbers up to rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return bool(a == b)
