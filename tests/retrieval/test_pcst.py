"""Prizes as G-Retriever sets them, and the part of a graph that they choose."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from clew.graph import Graph
from clew.retrieval.pcst import connect, edge_prizes, node_prizes
from effort import examples

CHAIN = Graph.from_triples([(f"e{i}", "r", f"e{i + 1}") for i in range(6)]).whole


def test_node_prizes_are_ranks() -> None:
    assert node_prizes(np.array([0.1, 0.9, 0.5, 0.9]), 3).tolist() == [0, 3, 1, 2]
    assert node_prizes(np.array([0.3]), 5).tolist() == [1]
    assert node_prizes(np.zeros(0), 5).tolist() == []


def test_edge_levels_share_their_prize_and_stay_below_the_level_above() -> None:
    prizes = edge_prizes(np.array([0.9, 0.9, 0.9, 0.9, 0.5, 0.4]), 2)
    assert prizes.tolist() == [0.5, 0.5, 0.5, 0.5, 0.5 * 0.99, 0.0]
    assert edge_prizes(np.array([0.9, 0.5, 0.5]), 2).tolist() == [2.0, 0.5, 0.5]


@given(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.4]), max_size=30), st.integers(0, 6))
def test_edge_prizes_fall_with_similarity(values: list[float], limit: int) -> None:
    similarity = np.array(values)
    prizes = edge_prizes(similarity, limit)
    for a, b in combinations(range(len(values)), 2):
        if similarity[a] > similarity[b]:
            assert prizes[a] > prizes[b] or prizes[a] == prizes[b] == 0


def test_two_prizes_are_joined_when_the_way_pays() -> None:
    assert connect(CHAIN, np.array([3.0, 0, 0, 2.0, 0, 0, 0]), np.zeros(6)).entities.tolist() == [0, 1, 2, 3]
    assert connect(CHAIN, np.array([3.0, 0, 0, 0.4, 0, 0, 0]), np.zeros(6)).entities.tolist() == [0]


def test_a_triple_that_pays_for_itself_comes_along() -> None:
    found = connect(CHAIN, np.array([1.0, 0, 0, 0, 0, 0, 0]), np.array([5.0, 0, 0, 0, 0, 0]))
    assert found.triples.tolist() == [0]
    assert found.entities.tolist() == [0, 1]


def test_nothing_resembles_the_question() -> None:
    found = connect(CHAIN, np.zeros(7), np.zeros(6))
    assert not len(found.entities)
    assert not len(found.triples)


@examples(80)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 1), st.integers(0, 6)), min_size=1, max_size=15, unique=True),
    st.data(),
)
def test_what_is_chosen_hangs_together(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    graph = Graph.from_triples([(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rows]).whole
    numbers = st.sampled_from([0.0, 0.0, 0.3, 1.0, 2.0])
    nodes = np.array(data.draw(st.lists(numbers, min_size=graph.num_entities, max_size=graph.num_entities)))
    edges = np.array(data.draw(st.lists(numbers, min_size=len(rows), max_size=len(rows))))
    found = connect(graph, nodes, edges)
    assert bool(len(found.entities)) == bool(nodes.any() or (edges > 0).any())
    if len(found.triples):
        part = nx.Graph((int(graph.heads[t]), int(graph.tails[t])) for t in found.triples)
        assert nx.is_connected(part)
        assert set(part) == set(found.entities.tolist())
    else:
        assert len(found.entities) <= 1
