"""Frontier expansion against walks listed one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph import Graph
from clew.paths.walks import entities_reached, follow, from_codes, prune, to_codes, turns_back


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000))
def test_pruned_moves_are_those_on_a_walk_to_an_answer(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = {(f"e{rng.integers(5)}", f"r{rng.integers(2)}", f"e{rng.integers(5)}") for _ in range(12)}
    graph = Graph.from_triples(sorted(rows)).whole
    codes = rng.integers(0, 2 * graph.num_relations, 3).tolist()
    levels, _ = follow(graph, 0, codes)
    path = from_codes(codes, graph.num_relations)
    assert to_codes(path, graph.num_relations) == tuple(codes)
    walks: list[list[tuple[int, int, int]]] = [[]]
    for code in codes:
        longer = []
        for walk in walks:
            here, last = (walk[-1][2], walk[-1][1]) if walk else (0, -1)
            for t in range(graph.num_triples):
                sides = (
                    (graph.heads[t], graph.tails[t]) if code < graph.num_relations else (graph.tails[t], graph.heads[t])
                )
                if t != last and graph.rels[t] == code % graph.num_relations and sides[0] == here:
                    longer.append([*walk, (int(sides[0]), t, int(sides[1]))])
        walks = longer
    assert entities_reached(graph, 0, path).tolist() == sorted({walk[-1][2] for walk in walks})
    if not walks:
        assert not len(levels[-1].targets)
        return
    for depth, level in enumerate(prune(levels, np.array([1, 2]))):
        expected = {walk[depth] for walk in walks if walk[-1][2] in (1, 2)}
        assert set(zip(level.sources.tolist(), level.triples.tolist(), level.targets.tolist(), strict=True)) == expected


def test_a_path_that_goes_back_over_its_relation_may_turn_round() -> None:
    assert turns_back(((0, True), (0, False)))
    assert not turns_back(((0, True), (0, True), (1, False)))
