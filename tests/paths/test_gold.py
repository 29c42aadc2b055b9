"""Gold relation paths: by the F1 of what they reach, of several topics together, as stated, by similarity."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph import Graph
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Subgraph
from clew.paths.examples import EntityIndex, resolve, stated_paths
from clew.paths.gold import GoldLimits, candidates, f1, gold_paths
from clew.paths.walks import entities_reached
from clew.protocols import Example
from clew.types import Gold, Question
from effort import examples

LIMITS = GoldLimits(hops=2, hub_limit=100, max_states=10_000)


def random_graph(seed: int, entities: int = 7, relations: int = 3, triples: int = 14) -> Subgraph:
    rng = np.random.default_rng(seed)
    rows = {
        (f"e{rng.integers(entities)}", f"r{rng.integers(relations)}", f"e{rng.integers(entities)}")
        for _ in range(triples)
    }
    return Graph.from_triples(sorted(rows)).whole


def every_path(graph: Subgraph, hops: int) -> list[RelationPath]:
    steps = list(product(range(graph.num_relations), (True, False)))
    return [path for n in range(1, hops + 1) for path in product(steps, repeat=n)]


def film_world() -> Subgraph:
    """A film's own genre is one hop away; that of the director's other films takes three."""
    return Graph.from_triples(
        [
            ("f", "by", "d"), ("g", "by", "d"), ("h", "by", "d"),
            ("f", "genre", "Drama"), ("f", "genre", "War"), ("g", "genre", "Drama"), ("h", "genre", "Crime"),
        ]
    ).whole  # fmt: skip


def numbers(graph: Subgraph, *names: str) -> list[int]:
    found = [graph.local(name) for name in names]
    assert None not in found
    return [number for number in found if number is not None]


@examples(60)
@given(seed=st.integers(0, 10_000))
def test_candidates_are_all_relation_paths_that_reach_an_answer(seed: int) -> None:
    graph = random_graph(seed)
    answers = np.unique(np.random.default_rng(seed).integers(0, graph.num_entities, 2))
    found, cut = candidates(graph, 0, answers, LIMITS)
    assert not cut
    expected = {}
    for path in every_path(graph, 2):
        reached = entities_reached(graph, 0, path)
        if np.isin(reached, answers).any():
            expected[path] = (reached.tolist(), pytest.approx(f1(reached, answers)))
    assert {each.path: (each.reached.tolist(), each.f1) for each in found if each.path} == expected
    assert any(not each.path for each in found) == (0 in answers)


def test_the_path_that_reaches_the_answers_alone_is_gold() -> None:
    graph = film_world()
    f, drama, crime = numbers(graph, "f", "Drama", "Crime")
    by, genre = (next(r for r in range(2) if graph.relation(r).id == name) for name in ("by", "genre"))
    gold = gold_paths(graph, [f], np.array([drama, crime]), GoldLimits(3))
    assert [each.path for each in gold.of_topics[0]] == [((by, True), (by, False), (genre, True))]
    assert gold.of_topics[0][0].f1 == 1.0 and gold.of_topics[0][0].precision == 1.0
    assert [each.path for each in gold_paths(graph, [f], np.array([f]), LIMITS).of_topics[0]] == [()]


def test_topics_are_judged_together() -> None:
    # One country has the euro and borders Germany. Alone, each topic has an odd path that reaches it and less besides.
    graph = Graph.from_triples(
        [
            *((country, "currency", "euro") for country in ("France", "Italy", "Spain", "Portugal")),
            *(("Germany", "borders", country) for country in ("France", "Poland", "Denmark", "Norway")),
            ("Germany", "rival", "cup"), ("France", "won", "cup"),
            ("euro", "shown in", "film"), ("film", "set in", "France"),
        ]
    ).whole  # fmt: skip
    names = {graph.relation(r).id: r for r in range(graph.num_relations)}
    topics, answers = numbers(graph, "euro", "Germany"), np.array(numbers(graph, "France"))
    alone = gold_paths(graph, topics, answers, LIMITS, together=False)
    assert [[len(each.path) for each in mine] for mine in alone.of_topics] == [[2], [2]]
    together = gold_paths(graph, topics, answers, LIMITS)
    expected = [[((names["currency"], False),)], [((names["borders"], True),)]]
    assert [[each.path for each in mine] for mine in together.of_topics] == expected


def test_topics_with_nothing_in_common_are_judged_alone() -> None:
    graph = Graph.from_triples([("a", "r", "x"), ("b", "s", "y")]).whole
    gold = gold_paths(graph, numbers(graph, "a", "b"), np.array(numbers(graph, "x", "y")), LIMITS)
    assert [len(mine) for mine in gold.of_topics] == [1, 1]


@examples(60)
@given(seed=st.integers(0, 10_000))
def test_no_topic_can_do_better_given_the_paths_of_the_others(seed: int) -> None:
    graph = random_graph(seed)
    answers = np.random.default_rng(seed).choice(np.arange(2, graph.num_entities), 2, replace=False)
    gold = gold_paths(graph, [0, 1], answers, LIMITS)
    if not all(gold.of_topics):
        return
    first, second = (mine[0] for mine in gold.of_topics)
    value = f1(np.intersect1d(first.reached, second.reached), answers)
    best_of_first = max(
        f1(np.intersect1d(each.reached, second.reached), answers) for each in candidates(graph, 0, answers, LIMITS)[0]
    )
    assert value >= 0.95**2 * best_of_first  # paths that score within 5 % of the best are as good, for either topic


def test_of_paths_that_fit_alike_the_most_similar_is_taken() -> None:
    graph = Graph.from_triples([("m", "directed", "f"), ("m", "wrote", "f")]).whole
    (m, f) = numbers(graph, "m", "f")
    wrote = next(r for r in range(2) if graph.relation(r).id == "wrote")
    both = gold_paths(graph, [m], np.array([f]), LIMITS).of_topics[0]
    assert len(both) == 2
    gold = gold_paths(
        graph,
        [m],
        np.array([f]),
        LIMITS,
        similarity=lambda paths: np.array([float(path == ((wrote, True),)) for path in paths]),
    )
    assert [each.path for each in gold.of_topics[0]] == [((wrote, True),)]


def test_a_stated_path_goes_first_and_one_that_misses_the_answers_is_not_believed() -> None:
    graph = film_world()
    f, drama, war = numbers(graph, "f", "Drama", "War")
    by, genre = (next(r for r in range(2) if graph.relation(r).id == name) for name in ("by", "genre"))
    roundabout: RelationPath = ((by, True), (by, False), (genre, True))
    answers = np.array([drama, war])
    stated = gold_paths(graph, [f], answers, GoldLimits(3), stated=[(0, roundabout)])
    assert [each.path for each in stated.of_topics[0]] == [roundabout]
    wrong = gold_paths(graph, [f], answers, GoldLimits(3), stated=[(0, ((by, True),))])
    assert [each.path for each in wrong.of_topics[0]] == [((genre, True),)]


def test_stated_paths_are_read_from_either_end() -> None:
    graph = film_world()
    index, (d, f) = EntityIndex(graph), numbers(graph, "d", "f")
    by, genre = (next(r for r in range(2) if graph.relation(r).id == name) for name in ("by", "genre"))
    triples = (("g", "by", "d"), ("g", "genre", "Drama"))
    assert stated_paths([triples], index, [f, d]) == ((1, ((by, False), (genre, True))),)
    assert stated_paths([triples[::-1]], index, [d]) == ((0, ((by, False), (genre, True))),)
    for bad in ((), (("g", "unknown", "d"),), (("f", "by", "d"), ("h", "genre", "Crime"))):
        assert stated_paths([bad], index, [f]) == ()


def test_examples_are_resolved_or_left_out_with_a_reason() -> None:
    index = EntityIndex(film_world())

    def example(id: str, topics: tuple[str, ...], gold: Gold) -> Example:
        return Example(Question(id, "?", topics), gold)

    usable, left = resolve(
        [
            example("good", ("F",), Gold(("drama", "Crime"))),
            example("none", ("f",), Gold((), kind="unanswerable")),
            example("topic", ("z",), Gold(("Drama",))),
            example("answers", ("f",), Gold(("z",))),
            example("empty", ("f",), Gold(())),
        ],
        index,
    )
    assert [(each.example.question.id, len(each.answers)) for each in usable] == [("good", 2), ("none", 0)]
    assert left == {"unknown topic": ["topic"], "unknown answers": ["answers"], "no answers": ["empty"]}
