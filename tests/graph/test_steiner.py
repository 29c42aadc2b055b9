"""Steiner trees: against exhaustive search, against a published solver's results, and for what is no tree at all."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph.steiner import Pruning, steiner_tree
from effort import examples

COSTS = st.floats(0.0, 1.0, allow_nan=False)


@st.composite
def instances(draw: st.DrawFn) -> tuple[list[tuple[int, int]], list[float], list[float]]:
    n = draw(st.integers(2, 6))
    ends = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), min_size=1, max_size=8))
    costs = draw(st.lists(COSTS, min_size=len(ends), max_size=len(ends)))
    prizes = draw(st.lists(st.just(0.0) | st.floats(1e-6, 2.0), min_size=n, max_size=n))
    return ends, costs, prizes


def solve(
    ends: list[tuple[int, int]], costs: list[float], prizes: list[float], pruning: Pruning
) -> tuple[list[int], list[int]]:
    pairs = np.array(ends, np.int32).reshape(-1, 2)
    vertices, edges = steiner_tree(
        pairs[:, 0].copy(), pairs[:, 1].copy(), np.array(costs), np.array(prizes), pruning=pruning
    )
    return vertices.tolist(), edges.tolist()


def paid_and_forgone(vertices: Any, edges: Any, costs: list[float], prizes: list[float]) -> float:
    return sum(costs[e] for e in edges) + sum(p for i, p in enumerate(prizes) if i not in vertices)


def optimum(ends: list[tuple[int, int]], costs: list[float], prizes: list[float]) -> float:
    """The least paid and forgone over every connected set of edges and every single vertex."""
    best = min(paid_and_forgone({i}, (), costs, prizes) for i in range(len(prizes)))
    for size in range(1, len(ends) + 1):
        for chosen in combinations(range(len(ends)), size):
            part = nx.Graph(ends[e] for e in chosen)
            if nx.is_connected(part):
                best = min(best, paid_and_forgone(set(part), chosen, costs, prizes))
    return best


@examples(150)
@given(instances(), st.sampled_from(["gw", "strong"]))
def test_trees_are_trees_and_within_the_guarantee(
    instance: tuple[list[tuple[int, int]], list[float], list[float]], pruning: Pruning
) -> None:
    ends, costs, prizes = instance
    vertices, edges = solve(ends, costs, prizes, pruning)
    if not any(prizes):
        assert (vertices, edges) == ([], [])
        return
    tree = nx.Graph(ends[e] for e in edges)
    tree.add_nodes_from(vertices)
    assert sorted(tree) == vertices
    assert nx.is_tree(tree)
    assert len(edges) == len(vertices) - 1
    assert paid_and_forgone(vertices, edges, costs, prizes) <= 2 * optimum(ends, costs, prizes) + 1e-6


@examples(100)
@given(instances())
def test_strong_pruning_is_never_worth_less(instance: tuple[list[tuple[int, int]], list[float], list[float]]) -> None:
    ends, costs, prizes = instance
    plain = paid_and_forgone(*solve(ends, costs, prizes, "gw"), costs, prizes)
    assert paid_and_forgone(*solve(ends, costs, prizes, "strong"), costs, prizes) <= plain + 1e-6


def test_the_published_solver_agrees() -> None:
    # Results of pcst_fast 1.0.10, built from source, with one cluster and no root.
    ends = [(0, 1), (1, 2), (2, 3), (3, 4), (1, 4), (0, 4), (2, 5)]
    costs = [0.35, 0.8, 0.25, 0.6, 0.15, 0.9, 0.45]
    for prizes, pruning, vertices, edges in PUBLISHED:
        assert solve(ends, costs, prizes, pruning) == (vertices, edges)


PUBLISHED: list[tuple[list[float], Pruning, list[int], list[int]]] = [
    ([1.0, 0, 0, 0.9, 0, 0], "gw", [0, 1, 3, 4], [0, 3, 4]),
    ([1.0, 0, 0, 0.9, 0, 0], "strong", [0], []),
    ([0.5, 0, 0.31, 0.7, 0, 0.52], "gw", [2, 3, 5], [2, 6]),
    ([0.5, 0, 0.31, 0.7, 0, 0.52], "strong", [2, 3, 5], [2, 6]),
    ([0.2, 0.1, 0.05, 0.9, 0.3, 1.3], "gw", [0, 1, 2, 3, 4, 5], [0, 2, 3, 4, 6]),
    ([0.2, 0.1, 0.05, 0.9, 0.3, 1.3], "strong", [2, 3, 5], [2, 6]),
    ([0.05, 0.1, 0, 0, 0.02, 0.06], "gw", [1], []),
    ([0.05, 0.1, 0, 0, 0.02, 0.06], "strong", [1], []),
    ([2.0, 0, 0, 0, 0.0, 1.1], "gw", [0, 1, 2, 5], [0, 1, 6]),
    ([2.0, 0, 0, 0, 0.0, 1.1], "strong", [0], []),
]


@pytest.mark.parametrize(
    ("costs", "prizes", "what"), [([-1.0], [1.0, 1.0], "cost"), ([1.0], [float("nan"), 1.0], "prize")]
)
def test_impossible_numbers_are_refused(costs: list[float], prizes: list[float], what: str) -> None:
    with pytest.raises(InputError, match=what):
        solve([(0, 1)], costs, prizes, "gw")


def test_a_single_vertex_and_no_edges() -> None:
    none = np.empty(0, np.int32)
    vertices, edges = steiner_tree(none, none, np.empty(0), np.array([0.2, 0.7]))
    assert (vertices.tolist(), edges.tolist()) == ([1], [])
