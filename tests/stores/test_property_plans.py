"""Query plans inside openCypher databases: one query each, which finds what the executor finds in the same triples."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from clew.errors import ClewError, NotFoundError
from clew.graph.remote import ServerGraph
from clew.graph.remote.cypher import quoted_name
from clew.graph.remote.mirror import mirror
from clew.query import execute, parse, run, show, tabulated
from clew.query import plan as p
from clew.query.remote import bound_to, in_cypher

Open = Callable[..., ServerGraph]

RIVERS = """CREATE (a:River {id: 'nile', name: 'Nile', length: 6650}),
(b:River {id: 'amazon', name: 'Amazon', length: 6400}), (c:River {id: 'rhine', name: 'Rhine', length: 1230.5}),
(e:Country {id: 'eg', name: 'Egypt', founded: 1922, tags: [1, 2]}),
(s:Country {id: 'su', name: 'Sudan', founded: 1956}), (g:Country {id: 'de', name: 'Germany', founded: 1871}),
(a)-[:crosses]->(e), (a)-[:crosses]->(s), (c)-[:crosses]->(g), (c)-[:`flows in`]->(g), (c)-[:feeds {since: 1}]->(a)"""
INSIDE = [
    'follow(entity("Nile"), crosses)',
    'follow(entity("eg"), ^crosses)',
    'follow(entity("rhine"), "flows in"/^crosses)',
    "count(class(River))",
    "top(class(River), length, largest, 2)",
    "top(class(River), count(crosses), smallest)",
    "where(class(Country), founded, >, 1900)",
    "where(class(Country), founded, =, date(1871))",
    'where(class(River), crosses, =, entity("eg"))',
    'where(class(River), length, >, values(entity("rhine"), length))',
    'minus(class(River), follow(entity("de"), ^crosses))',
    'and(class(River), follow(entity("de"), ^crosses))',
    "or(class(River), class(Country))",
    'values(follow(entity("nile"), crosses), founded)',
    "mean(class(River), length)",
    "sum(class(River), length)",
    'exists(follow(entity("amazon"), crosses))',
    'is(entity("rhine"), class(River))',
    "wherecount(class(River), crosses, =, 0)",
    'difference(entity("nile"), entity("rhine"), length)',
    "follow(class(River), length)",
]
OUTSIDE = ["all()", 'follow(entity("rhine"), feeds)', "values(class(Country), tags)"]


@pytest.fixture
def engine(property_graph: Any) -> Any:
    property_graph.clear()
    return property_graph


def same(plan: p.Plan, store: ServerGraph) -> bool:
    """Whether a plan finds the same in the database and here; False where it was executed here, and a note says so."""
    copy = mirror(store)
    assert copy is not None
    here = tabulated(execute(plan, copy), copy)
    before = store.server.traffic.requests
    there = run(store, plan)
    assert sorted(row[:2] for row in there.rows) == sorted(row[:2] for row in here.rows), show(plan)
    assert there.total == here.total
    if isinstance(plan, p.Top) and len(there.columns) == 3:
        assert there.rows == here.rows  # best first, with what they are ranked by
    inside = not any("over a copy" in note for note in there.notes)
    assert not inside or store.server.traffic.requests > before
    return inside


def test_a_plan_is_one_query_and_what_no_query_says_is_executed_here(engine: Any, opened: Open) -> None:
    engine.run(RIVERS)
    store = opened(engine.url)
    assert [text for text in INSIDE if not same(parse(text), store)] == []
    assert [text for text in OUTSIDE if same(parse(text), store)] == []
    query, parameters = in_cypher(bound_to(parse(INSIDE[0]), store), store)
    assert "nile" not in query.lower()
    assert len(parameters) == 1
    larger = opened(engine.url, triples_at_once=0)
    with pytest.raises(ClewError, match="clew pull"):
        run(larger, OUTSIDE[0])
    assert run(larger, "class(River)", limit=2).total == 3


@pytest.mark.parametrize("hostile", ["x` DETACH DELETE n //", "a\\u0060", "b\nc"])
def test_no_name_leaves_its_quotation(engine: Any, opened: Open, hostile: str) -> None:
    engine.run(RIVERS)
    store = opened(engine.url)
    assert quoted_name(hostile) is None
    with pytest.raises(ClewError):
        run(store, p.Follow(p.Entities((hostile,)), (p.Step("crosses"),)))
    with pytest.raises(NotFoundError):
        run(store, p.Follow(p.Entities(("nile",)), (p.Step(hostile),)))
    text = p.Where(p.Class("River"), p.Test((), "contains", p.Text(hostile)))
    assert run(store, text).rows == ()
    assert engine.run("MATCH (n) RETURN count(n) AS c")[0]["c"] == 6


class Drawn:
    """Random plans over random nodes: labels A and B, relationships r and s, a number `size` on some."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def load(self, server: Any) -> None:
        nodes = [
            {"id": f"e{i}", "name": self.draw.choice(["Red fox", "blue", f"n {i}"])}
            | ({"size": self.draw.choice([self.draw.randint(-3, 6), 2.5])} if self.draw.random() < 0.7 else {})
            for i in range(14)
        ]
        for label in "AB":
            mine = [node for i, node in enumerate(nodes) if i % 2 == (label == "B")]
            server.run(f"UNWIND $rows AS row CREATE (n:{label}) SET n = row", rows=mine)
        for kind in "rs":
            pairs = sorted({(self.draw.randrange(14), self.draw.randrange(14)) for _ in range(18)})
            query = f"UNWIND $rows AS row MATCH (a), (b) WHERE a.id = row.h AND b.id = row.t CREATE (a)-[:{kind}]->(b)"
            server.run(query, rows=[{"h": f"e{h}", "t": f"e{t}"} for h, t in pairs])

    def path(self) -> p.Path:
        return tuple(p.Step(self.draw.choice("rs"), self.draw.random() < 0.6) for _ in range(self.draw.choice([1, 2])))

    def set(self, depth: int) -> p.SetPlan:
        if not depth:
            return self.draw.choice([p.Class(self.draw.choice("AB")), p.Entities((f"e{self.draw.randrange(14)}",))])
        one, two = self.set(depth - 1), self.set(depth - 1)
        op, size, best = (
            self.draw.choice(["<", "<=", ">", ">=", "=", "!="]),
            (p.Step("size"),),
            self.draw.random() < 0.5,
        )
        made: list[p.SetPlan] = [
            p.Follow(one, self.path()),
            p.And((one, two)),
            p.Or((one, two)),
            p.Minus(one, two),
            p.Where(one, p.Test(size, op, p.Number(self.draw.choice([-1, 0, 2, 2.5])))),
            p.Where(one, p.Test((), "contains", p.Text(self.draw.choice(["fox", "N"])))),
            p.WhereCount(one, self.path(), op, self.draw.randint(0, 2)),
            p.Top(one, p.Key(size), best, self.draw.randint(1, 3)),
            p.Top(one, p.Key(self.path(), "count"), best, 1, self.draw.randint(0, 1)),
        ]
        return self.draw.choice(made)

    def plan(self) -> p.Plan:
        made, size = self.set(self.draw.randint(1, 3)), (p.Step("size"),)
        ends: list[p.Plan] = [made, made, p.Count(made), p.Exists(made), p.Values(made, size)]
        ends += [p.Aggregate("sum", made, size), p.Aggregate("max", made, size)]
        return self.draw.choice(ends)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_random_plans_agree(engine: Any, opened: Open, seed: int) -> None:
    drawn = Drawn(seed)
    drawn.load(engine)
    store = opened(engine.url)
    assert sum(same(drawn.plan(), store) for _ in range(25)) == 25
