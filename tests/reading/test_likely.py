"""In a large graph: only hops spelled like the question, and no path to everything."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph import Graph
from clew.reading.growth import Growth
from clew.reading.likely import LikelyHops
from clew.reading.trails import PathHypothesis
from clew.retrieval.scoring import take_apart

TRIPLES = [("Ada", "date of birth", "1990"), ("Ada", "employer", "Acme"), ("Ada", "type", "Person")] + [
    (f"person {i}", "type", "Person") for i in range(50)
]


@pytest.fixture
def graph() -> Graph:
    return Graph.from_triples(TRIPLES)


def test_hops_spelled_like_the_question_are_let_through(graph: Graph) -> None:
    whole = graph.whole
    start = PathHypothesis(0, (), np.array([whole.local("Ada")], np.int32))
    likely = LikelyHops(whole, ["when is the birthday of it", "date of birth"], most=1)
    along = likely.along([start], 10)
    assert along == {(graph.relation_number("date of birth"), True)} and likely.left_out == 2
    assert LikelyHops(whole, ["date of birth"], most=3).along([start], 10) is None


def test_a_small_graph_is_looked_at_whole(graph: Graph) -> None:
    assert LikelyHops.of(graph.whole, lambda: take_apart("birth", [])) is None


def test_paths_to_everything_are_dropped_and_told(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.reading.likely.WHOLE_UP_TO", 0)
    monkeypatch.setattr("clew.reading.likely.WIDEST", 20)
    whole = graph.whole
    start = whole.local("Ada")
    assert start is not None

    def even(steps: object) -> np.ndarray:
        return np.zeros(len(steps), np.float32)  # type: ignore[arg-type]

    bound = Growth(whole, [start], [0], even, likely=LikelyHops.of(whole, lambda: take_apart("date of birth", [])))
    assert max(len(plan.ends) for plan in bound.run()) <= 20
    assert any("were not followed" in told for told in bound.cut)
    free = Growth(whole, [start], [0], even)
    assert max(len(plan.ends) for plan in free.run()) == 50 and not free.cut
