"""Questions with plans: the answers by an interpreter of sets, the kinds, and what is left out."""

import random
import sys
from collections import Counter
from pathlib import Path

import pytest

from clew.errors import ClewError, InputError
from clew.graph import Graph
from clew.query import execute, parse
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.synthesis.plans import PlanWriter

sys.path.insert(0, str(Path(__file__).parents[1]))
import plan_oracle

COUNTRIES = [f"Land {i}" for i in "abcdefghij"]
TRIPLES = [
    *[(c, "type", "country") for c in COUNTRIES],
    *[(c, "population", str(1000 * (i + 1) ** 2)) for i, c in enumerate(COUNTRIES)],
    *[(c, "founded", str(1900 + 7 * i)) for i, c in enumerate(COUNTRIES)],
    *[(c, "continent", "Europe" if i % 3 else "Asia") for i, c in enumerate(COUNTRIES)],
    *[(c, "borders", COUNTRIES[(i + k) % 10]) for i, c in enumerate(COUNTRIES) for k in (1, 3)],
    *[("Europe", "type", "continent"), ("Asia", "type", "continent"), ("Africa", "type", "continent")],
]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(TRIPLES, name="lands")


def test_every_answer_is_what_an_interpreter_of_sets_finds() -> None:
    compared = 0
    for seed in range(60):
        world = plan_oracle.random_world(random.Random(seed))
        try:
            asked = list(PlanWriter(world.graph, seed).questions(5))
        except InputError:
            continue  # too few things of one kind
        for each in asked:
            mine = plan_oracle.plain(execute(each.plan, world.graph), world.graph)
            assert plan_oracle.agree(mine, plan_oracle.naive(each.plan, world)), each.text
            compared += 1
    assert compared >= 30


def test_all_kinds_are_asked_with_plans_that_can_be_read_back(graph: Graph) -> None:
    asked = list(PlanWriter(graph, 3).questions(250))
    kinds = Counter(each.kind for each in asked)
    assert {
        "count",
        "superlative",
        "comparison",
        "boolean",
        "number filter",
        "date filter",
        "negation",
        "nested",
    } <= set(kinds)
    assert len({each.text for each in asked}) == 250 and len(kinds) >= 15
    for each in asked:
        row = each.to_row()
        assert parse(row["plan"]) == each.plan and row["answer"]
    assert [each.text for each in PlanWriter(graph, 3).questions(20)] == [each.text for each in asked[:20]]


def test_nothing_joins_on_a_number_and_no_value_is_a_topic(graph: Graph) -> None:
    binding = Binding.of(graph)
    for each in PlanWriter(graph, 5).questions(150):
        for node in p.walk(each.plan):
            if isinstance(node, p.Follow):
                assert not any(column(graph, *move).ordered for move in binding.moves(node.path)), each.text
            if isinstance(node, p.Entities):
                assert not any(id.isdigit() for id in node.ids), each.text


def test_a_graph_without_kinds_or_with_too_few_questions_says_so() -> None:
    with pytest.raises(InputError, match="no class"):
        PlanWriter(Graph.from_triples([("a", "knows", "b")]))
    small = Graph.from_triples([(x, "type", "thing") for x in ("ann", "bob", "eve")] + [("ann", "likes", "bob")])
    with pytest.raises(ClewError, match="only about"):
        list(PlanWriter(small).questions(10_000))
