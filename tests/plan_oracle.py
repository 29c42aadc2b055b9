"""Random graphs and plans, and an interpreter of plans that is obviously right: sets of ids, loops, no arrays."""

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

BASE = "http://example.org/"
XSD = "http://www.w3.org/2001/XMLSchema#"
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LINKS = [BASE + name for name in ("knows", "likes", "owns")]
NUMBER, DAY, NOTE = BASE + "size", BASE + "day", BASE + "note"
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
            self.store.add(ox.Quad(ox.NamedNode(head), ox.NamedNode(relation), _object(tail)))

    def ids(self) -> set[str]:
        return {id for h, _, t in self.triples for id in (h, t)}


def _object(id: str) -> Any:
    if not id.startswith('"'):
        return ox.NamedNode(id)
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
        if rng.random() < 0.6:
            triples.add((each, NOTE, literal(rng.choice(WORDS))))
    triples |= {(things[0], NUMBER, literal("1", "integer")), (things[0], DAY, literal("2008-03-01", "date"))}
    triples |= {(things[-1], relation, things[0]) for relation in LINKS}
    triples.add((things[0], NOTE, literal("red fox")))
    ordered = sorted(triples)
    rng.shuffle(ordered)
    return World(ordered)


class Planner:
    """Draws random plans over a world's names."""

    def __init__(self, rng: random.Random, world: World) -> None:
        self._rng = rng
        self._things = sorted(h for h in {h for h, _, _ in world.triples})
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
            return p.Difference(make(depth), make(depth), self.number_key())
        if kind == 12:
            return p.Arithmetic(rng.choice("+-*"), p.Count(make(depth)), p.Count(make(depth)))  # type: ignore[arg-type]
        return p.Compare(make(depth), make(depth), self.key(), rng.random() < 0.5)

    def aggregate(self, depth: int) -> p.Aggregate:
        how = self._rng.choice(["sum", "mean", "min", "max"])
        relation = self._rng.choice([NUMBER, DAY]) if how in ("min", "max") else NUMBER
        return p.Aggregate(how, self.set(depth), self.path(relation))  # type: ignore[arg-type]

    def set(self, depth: int) -> p.SetPlan:
        rng = self._rng
        if depth <= 0:
            kind = rng.randint(0, 5)
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
            return p.WhereCount(inner, self.path(rng.choice(LINKS)), op, rng.randint(0, 3))  # type: ignore[arg-type]
        return p.Top(inner, self.key(), rng.random() < 0.5, rng.randint(1, 3), rng.choice([0, 0, 1, 2]))

    def link(self) -> p.Step:
        return p.Step(self._rng.choice(LINKS), self._rng.random() < 0.7)

    def path(self, last: str) -> p.Path:
        first = (self.link(),) if self._rng.random() < 0.25 else ()
        return (*first, p.Step(last))

    def number_key(self) -> p.Key:
        how = self._rng.choice(["value", "value", "count", "sum", "mean"])
        return p.Key(self.path(self._rng.choice(LINKS) if how == "count" else NUMBER), how)  # type: ignore[arg-type]

    def key(self) -> p.Key:
        return p.Key(self.path(DAY)) if self._rng.random() < 0.3 else self.number_key()

    def test(self, depth: int = 0) -> p.Test:
        rng = self._rng
        kind = rng.randint(0, 5)
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


class Naive:
    """Interprets plans over a list of triples."""

    def __init__(self, world: World) -> None:
        self._triples = world.triples
        self._ids = world.ids()

    def run(self, plan: p.Plan) -> Any:
        match plan:
            case p.SetPlan():
                return self.set(plan)
            case p.Values(of, path):
                return {end for x in self.set(of) for end in self.ends(x, path)}
            case p.ValuePlan():
                return self.number(plan)
            case p.Exists(of):
                return bool(self.set(of))
            case p.Is(of, within):
                return bool(self.set(of)) and self.set(of) <= self.set(within)
        raise TypeError

    def ends(self, x: str, path: p.Path) -> set[str]:
        here = {x}
        for step in path:
            here = {
                (t if step.forward else h)
                for h, r, t in self._triples
                if r == step.relation and (h if step.forward else t) in here
            }
        return here

    def set(self, node: p.SetPlan) -> set[str]:
        match node:
            case p.Entities(ids):
                return set(ids)
            case p.Class(id):
                return {h for h, r, t in self._triples if r == TYPE and t == id}
            case p.All():
                return {id for id in self._ids if not id.startswith('"')}
            case p.Follow(of, path, qualifiers):
                found = set()
                for x in self.set(of):
                    for m in self.ends(x, path[:1]):
                        if all(self.holds(m, test) for test in qualifiers):
                            found |= self.ends(m, path[1:])
                return found
            case p.And(sets):
                return set.intersection(*map(self.set, sets))
            case p.Or(sets):
                return set.union(*map(self.set, sets))
            case p.Minus(of, without):
                return self.set(of) - self.set(without)
            case p.Where(of, test):
                return {x for x in self.set(of) if self.holds(x, test)}
            case p.WhereCount(of, path, op, n):
                return {x for x in self.set(of) if _holds(op, len(self.ends(x, path)), n)}
            case p.Top(of, key, largest, k, skip):
                return self.top(self.set(of), key, largest, k, skip)
            case p.Compare(a, b, key, largest):
                return self.top(self.set(a) | self.set(b), key, largest, 1, 0)
        raise TypeError

    def values(self, x: str, path: p.Path) -> list[Any]:
        return [v for v in map(value_of, self.ends(x, path)) if v is not None]

    def top(self, members: set[str], key: p.Key, largest: bool, k: int, skip: int) -> set[str]:
        keys = {}
        for x in members:
            values = self.values(x, key.path)
            if key.how == "count":
                keys[x] = float(len(self.ends(x, key.path)))
            elif values:
                best = max(values) if largest else min(values)
                keys[x] = {"value": best, "sum": 0.0, "mean": 0.0}[key.how]
                if key.how != "value":
                    keys[x] = sum(values) / (len(values) if key.how == "mean" else 1)
        chosen = set()
        for x, mine in keys.items():
            better = sum(other > mine if largest else other < mine for other in keys.values())
            equal = sum(other == mine for other in keys.values())
            places = range(better + 1, better + equal + 1)
            if any(skip < place <= skip + k for place in places):
                chosen.add(x)
        return chosen

    def holds(self, x: str, test: p.Test) -> bool:
        value = test.value
        if isinstance(value, p.Text):
            texts = [(end[1:].split('"')[0] if end.startswith('"') else end).lower() for end in self.ends(x, test.path)]
            wanted = value.text.lower()
            return any(
                {"=": t == wanted, "!=": t != wanted, "contains": wanted in t, "starts": t.startswith(wanted)}[test.op]
                for t in texts
            )
        if isinstance(value, p.Entities):
            return any((end in value.ids) == (test.op == "=") for end in self.ends(x, test.path))
        mine = self.values(x, test.path)
        if isinstance(value, p.Date):
            first, last = days(value.text)
            if test.upper is not None:
                return any(first <= v <= days(test.upper.text)[1] for v in mine)  # type: ignore[union-attr]
            tests = {
                "<": lambda v: v < first, "<=": lambda v: v <= last, ">": lambda v: v > last,
                ">=": lambda v: v >= first,
                "=": lambda v: first <= v <= last, "!=": lambda v: not first <= v <= last,
            }  # fmt: skip
            return any(tests[test.op](v) for v in mine)
        if isinstance(value, p.Number):
            if test.upper is not None:
                return any(value.value <= v <= test.upper.value for v in mine)  # type: ignore[union-attr]
            return any(_holds(test.op, v, value.value) for v in mine)
        if isinstance(value, p.Values):
            others: list[Any] = [v for o in self.set(value.of) for v in self.values(o, value.path)]
        else:
            number = self.number(value)  # type: ignore[arg-type]
            others = [] if number is None else [number]
        return any(_holds(test.op, v, other) for v in mine for other in others)

    def number(self, node: p.ValuePlan) -> Any:
        match node:
            case p.Count(of):
                return float(len(self.set(of)))
            case p.Aggregate(how, of, path):
                return _summary(how, [v for x in self.set(of) for v in self.values(x, path)])
            case p.Difference(a, b, key):
                left, right = self.scalar(a, key), self.scalar(b, key)
                return None if left is None or right is None else left - right
            case p.Arithmetic(sign, a, b):
                left, right = self.number(a), self.number(b)
                if sign == "/":
                    return None if left is None or not right else left / right
                return {"+": left + right, "-": left - right, "*": left * right}[sign]
        raise TypeError

    def scalar(self, of: p.SetPlan, key: p.Key) -> Any:
        if key.how == "count":
            return float(len({end for x in self.set(of) for end in self.ends(x, key.path)}))
        values = [v for x in self.set(of) for v in self.values(x, key.path)]
        return _summary("max" if key.how == "value" else key.how, values)


def value_of(id: str) -> Any:
    """A float, a date or nothing."""
    if not id.startswith('"'):
        return None
    text, rest = id[1:].rsplit('"', 1)
    if rest.endswith("date>"):
        return date.fromisoformat(text)
    return float(text) if rest else None


def days(text: str) -> tuple[date, date]:
    parts = list(map(int, text.split("-")))
    first = date(parts[0], parts[1] if len(parts) > 1 else 1, parts[2] if len(parts) > 2 else 1)
    if len(parts) == 3:
        return first, first
    after = date(first.year + 1, 1, 1) if len(parts) == 1 or first.month == 12 else date(first.year, first.month + 1, 1)
    return first, after - timedelta(days=1)


def _summary(how: str, values: list[Any]) -> Any:
    if not values:
        return 0.0 if how == "sum" else None
    if how in ("min", "max"):
        return min(values) if how == "min" else max(values)
    return sum(values) / (len(values) if how == "mean" else 1)


def _holds(op: str, a: Any, b: Any) -> bool:
    return {"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


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
    datatype = node.datatype.value
    return literal(node.value) if datatype.endswith("#string") else literal(node.value, datatype.rsplit("#", 1)[-1])


def agree(a: Any, b: Any) -> bool:
    """Equal, numbers up to rounding."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-9 * max(1.0, abs(a), abs(b))
    return bool(a == b)
