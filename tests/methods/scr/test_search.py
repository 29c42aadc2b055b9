"""The beam search against an exhaustive walk in plain Python, and each of its switches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from clew.graph import Graph, Subgraph
from clew.methods.scr.answers import reach
from clew.methods.scr.gold import gold_walks
from clew.methods.scr.network import CandidateTables
from clew.methods.scr.search import FinishedWalk, SearchSettings, Walks, search
from clew.paths.gold import GoldLimits

PLAN = SearchSettings(
    beam=10_000,
    hops=2,
    floor=0.0,
    returns="edge",
    by_path=False,
    representatives=10_000,
    score_stop=True,
    hub_limit=10_000,
)
WIDTH, HINT = 6, 3
TEMPERATURE = 0.3


def tables_of(graph: Subgraph, seed: int) -> CandidateTables:
    generator = torch.Generator().manual_seed(seed)
    return CandidateTables(
        torch.randn(graph.num_entities, WIDTH, generator=generator),
        torch.randn(2 * graph.num_relations + 1, WIDTH, generator=generator),
        torch.randn(2 * graph.num_relations + 1, HINT, generator=generator),
    )


def query_of(entities: Sequence[int], codes: Sequence[int]) -> Tensor:
    """A query that depends on the whole walk, as the decoder's does."""
    seed = hash((tuple(entities), tuple(codes))) % 2**31
    drawn = torch.randn(WIDTH + HINT, generator=torch.Generator().manual_seed(seed))
    return torch.cat([torch.nn.functional.normalize(drawn[:WIDTH], dim=0), drawn[WIDTH:]])


def ask(live: Walks) -> Tensor:
    return torch.stack([query_of(e, c) for e, c in zip(live.entities.tolist(), live.codes.tolist(), strict=True)])


def run(
    graph: Subgraph, topics: Sequence[int], owners: Sequence[int], seed: int = 0, **plan: Any
) -> list[FinishedWalk]:
    found, _ = search(
        graph, tables_of(graph, seed), TEMPERATURE, ask, np.array(topics), np.array(owners), replace(PLAN, **plan)
    )
    return found


def exhaustive(
    graph: Subgraph, topic: int, hops: int, seed: int = 0, *, by_path: bool
) -> dict[tuple[Any, ...], tuple[float, float]]:
    """Every walk with its own probability and that of its relation path, one candidate after the other.

    The candidates of a walk compete with each other, or with those of all walks over the same relation path.
    """
    tables, r = tables_of(graph, seed), graph.num_relations
    found: dict[tuple[Any, ...], tuple[float, float]] = {}
    Walk = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], float, float]  # entities, codes, triples, chances
    live: list[Walk] = [((topic,), (), (), 1.0, 1.0)]

    def candidates(walk: Walk) -> list[tuple[int, int, int, float]]:
        """Triple, code, entity and exponentiated score of the stop and of each move, those that turn round included."""
        entities, codes = walk[0], walk[1]
        here = entities[-1]
        options = [(-1, 2 * r, here)]
        for t, (head, rel, tail) in enumerate(zip(graph.heads, graph.rels, graph.tails, strict=True)):
            if head == here:
                options.append((t, int(rel), int(tail)))
            if tail == here:
                options.append((t, int(rel) + r, int(head)))
        query = query_of(entities, codes)
        return [
            (
                t,
                c,
                e,
                math.exp(
                    float(
                        query[:WIDTH] @ torch.nn.functional.normalize(tables.entities[e] + tables.relations[c], dim=0)
                    )
                    / TEMPERATURE
                    + (float(query[WIDTH:] @ tables.names[c]) if c < 2 * r else 0.0)
                ),
            )
            for t, c, e in options
        ]

    for depth in range(hops + 1):
        pools: dict[Any, list[tuple[Walk, list[tuple[int, int, int, float]]]]] = {}
        for i, walk in enumerate(live):
            pools.setdefault(walk[1] if by_path else i, []).append((walk, candidates(walk)))
        live = []
        for pool in pools.values():
            everything = sum(c[3] for _, options in pool for c in options)
            # Turning round competes with the stop, and is never taken.
            moves = [(w, c) for w, options in pool for c in options[1:] if not w[2] or c[0] != w[2][-1]]
            onward = sum(options[0][3] for _, options in pool) + sum(c[3] for _, c in moves)
            stops = sum(options[0][3] for _, options in pool) / everything
            for walk, options in pool:
                _, codes, triples, probability, path = walk
                found[(topic, codes, triples)] = (probability * options[0][3] / everything, path * stops)
            if depth == hops:
                continue
            for walk, (t, code, e, share) in moves:
                entities, codes, triples, probability, path = walk
                together = sum(c[3] for _, c in moves if c[1] == code) / onward
                own = (path if by_path else probability) * share / onward
                live.append(((*entities, e), (*codes, code), (*triples, t), own, path * together))
    return found


def as_dict(graph: Subgraph, found: Sequence[FinishedWalk]) -> dict[tuple[Any, ...], tuple[float, float]]:
    return {(f.entities[0], f.codes, f.triples): (f.probability, f.path_probability) for f in found}


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), triples=st.integers(1, 8))
def test_a_wide_beam_finds_every_walk_with_its_probability(seed: int, triples: int) -> None:
    rng = np.random.default_rng(seed)
    rows = {(f"e{rng.integers(4)}", f"r{rng.integers(2)}", f"e{rng.integers(4)}") for _ in range(triples)}
    graph = Graph.from_triples(sorted(rows)).whole
    for by_path in (False, True):
        mine_ = as_dict(graph, run(graph, [0], [0], seed, by_path=by_path))
        slow = exhaustive(graph, 0, 2, seed, by_path=by_path)
        assert mine_.keys() == slow.keys()
        for key, (probability, path) in slow.items():
            assert mine_[key] == pytest.approx((probability, path), rel=1e-4)


def test_probabilities_of_all_walks_and_stops_sum_to_one(toy: Graph) -> None:
    one_hop = run(toy.whole, [0], [0], hops=1)
    two_hops = run(toy.whole, [0], [0], hops=2)
    stopped_early = {f.triples for f in two_hops if len(f.codes) < 2}
    assert {f.triples for f in one_hop} == stopped_early
    assert sum(f.probability for f in two_hops) < 1.0  # the rest walks on after the last hop
    assert sum(f.probability for f in one_hop if not f.codes) < 1.0


def test_the_stop_counts_or_does_not(toy: Graph) -> None:
    counted = as_dict(toy.whole, run(toy.whole, [0], [0]))
    left_out = as_dict(toy.whole, run(toy.whole, [0], [0], score_stop=False))
    assert all(counted[key][0] <= left_out[key][0] for key in counted)
    assert counted[(0, (), ())][0] < 0.9
    assert left_out[(0, (), ())] == (1.0, 1.0)


def test_a_beam_of_one_is_greedy(toy: Graph) -> None:
    greedy = run(toy.whole, [0], [0], beam=1)
    assert [len(f.codes) for f in greedy] == [0, 1, 2]
    everything = run(toy.whole, [0], [0], score_stop=False)
    first = max((f for f in everything if len(f.codes) == 1), key=lambda f: f.probability)
    assert greedy[1].triples == first.triples


def test_all_topics_of_a_question_share_one_beam(toy: Graph) -> None:
    together = run(toy.whole, [0, 4], [0, 0], beam=2, floor=1e-9)
    apart = run(toy.whole, [0, 4], [0, 1], beam=2, floor=1e-9)
    assert sum(len(f.codes) == 1 for f in together) == 2
    assert sum(len(f.codes) == 1 for f in apart) == 4


def test_a_dead_end_does_not_make_the_stop_certain() -> None:
    graph = Graph.from_triples([("a", "r", "b")]).whole
    (walk,) = (f for f in run(graph, [0], [0], score_stop=True) if f.codes)
    (certain,) = (f for f in run(graph, [0], [0], returns="none") if f.codes)
    assert walk.probability < certain.probability


def test_returning_over_another_edge_and_never_over_the_same() -> None:
    graph = Graph.from_triples([("ann", "spouse", "bob"), ("bob", "spouse", "ann"), ("ann", "likes", "tea")]).whole
    ann = graph.local("ann")
    assert ann is not None
    back = [f for f in run(graph, [ann], [0]) if len(f.codes) == 2 and f.entities[-1] == ann]
    assert len(back) == 2 and all(f.triples[0] != f.triples[1] for f in back)
    assert not [f for f in run(graph, [ann], [0], returns="none") if len(f.codes) == 2 and f.entities[-1] == ann]


def test_improbable_walks_are_dropped_without_changing_the_others(toy: Graph) -> None:
    whole, pruned = (
        as_dict(toy.whole, run(toy.whole, [3], [0])),
        as_dict(toy.whole, run(toy.whole, [3], [0], floor=0.05)),
    )
    assert 0 < len(pruned) < len(whole)
    assert pruned == {key: value for key, value in whole.items() if value[0] >= 0.05}


def test_a_hub_is_limited_by_relation_first_and_told() -> None:
    spokes = [("hub", f"r{i % 3}", f"e{i}") for i in range(30)]
    graph = Graph.from_triples(spokes).whole
    hub = graph.local("hub")
    assert hub is not None
    tables = tables_of(graph, 1)
    found, unscored = search(
        graph, tables, TEMPERATURE, ask, np.array([hub]), np.array([0]), replace(PLAN, hops=1, hub_limit=10)
    )
    assert unscored == {0: 20}
    codes = {f.codes[0] for f in found if f.codes}
    query = query_of([hub], [])
    best = int(torch.argmax(tables.relations[:3] @ query[:WIDTH] / TEMPERATURE + tables.names[:3] @ query[WIDTH:]))
    assert codes == {best} and sum(len(f.codes) == 1 for f in found) == 10


def test_few_representatives_leave_room_for_other_relation_paths() -> None:
    graph = Graph.from_triples([*(("x", "many", f"m{i}") for i in range(20)), ("x", "one", "o")]).whole
    x = graph.local("x")
    assert x is not None
    codes = [f.codes for f in run(graph, [x], [0], hops=1, by_path=True, representatives=2, beam=3) if f.codes]
    assert len(codes) == 3 and len(set(codes)) == 2


def test_siblings_are_all_that_the_relation_path_reaches() -> None:
    graph = Graph.from_triples(
        [("x", "made", "a"), ("x", "made", "b"), ("a", "year", "1"), ("b", "year", "2"), ("b", "year", "1")]
    ).whole
    x, year, b = graph.local("x"), 1, graph.local("b")
    two = graph.local("2")
    assert x is not None and b is not None and two is not None
    made = next(r for r in range(2) if graph.relation(r).id == "made")
    walk = FinishedWalk(0, (x, b, two), (made, 1 - made), (1, 3), 0.1, 0.8)
    reached, notes = reach(graph, [walk], {0: x}, siblings=True, conjunction=1.0)
    assert year == 1 and not notes
    assert {graph.entity(each.entity).id: round(each.score, 3) for each in reached} == {"2": 0.8, "1": 0.72}
    assert reached[1].walks[0][2] in {(0, 2), (1, 4)}  # a thread of its own
    alone, _ = reach(graph, [walk], {0: x}, siblings=False, conjunction=1.0)
    assert [(each.entity, each.score) for each in alone] == [(two, 0.1)]


def test_a_topic_is_an_answer_only_where_the_training_questions_had_such() -> None:
    graph = Graph.from_triples([("x", "wrote", "f"), ("x", "directed", "f"), ("y", "wrote", "f")]).whole
    x, f, y = (graph.local(name) for name in "xfy")
    assert x is not None and f is not None and y is not None
    walks = [FinishedWalk(0, (x, f, x), (0, 3), (1, 0), 0.6, 0.6), FinishedWalk(0, (x, f, y), (0, 3), (1, 2), 0.3, 0.3)]
    kept, _ = reach(graph, walks, {0: x}, siblings=False, conjunction=1.0)
    dropped, _ = reach(graph, walks, {0: x}, siblings=False, conjunction=1.0, topics_answer=False)
    alone, _ = reach(graph, walks[:1], {0: x}, siblings=False, conjunction=1.0, topics_answer=False)
    assert [[r.entity for r in found] for found in (kept, dropped, alone)] == [[x, y], [y], [x]]
    # Over "directed" the topic itself is reached, too: no fault where topics never answer.
    without = gold_walks(graph, [x], np.array([y]), GoldLimits(2), topics_answer=False)
    assert len(without[0].walks) == 2
    assert len(gold_walks(graph, [x], np.array([y]), GoldLimits(2))[0].walks) == 1


def test_the_paper_takes_the_shortest_walks_to_each_answer() -> None:
    graph = Graph.from_triples(
        [
            ("f", "by", "d"), ("g", "by", "d"), ("h", "by", "d"),
            ("f", "genre", "Drama"), ("f", "genre", "War"), ("g", "genre", "Drama"), ("h", "genre", "Crime"),
        ]
    ).whole  # fmt: skip
    f, drama, crime = (graph.local(name) for name in ("f", "Drama", "Crime"))
    assert f is not None
    by, genre = (next(r for r in range(2) if graph.relation(r).id == name) for name in ("by", "genre"))
    shortest = gold_walks(graph, [f], np.array([drama, crime]), GoldLimits(3), mode="shortest")[0]
    assert {walks.codes for walks in shortest.walks} == {(genre,), (by, by + 2, genre)}
    best = gold_walks(graph, [f], np.array([drama, crime]), GoldLimits(3))[0]
    assert [walks.codes for walks in best.walks] == [(by, by + 2, genre)]
    assert [set(level.targets.tolist()) for level in best.walks[0].levels][-1] == {drama, crime}


def test_answers_that_topics_agree_on_win() -> None:
    graph = Graph.from_triples([("p", "r", "a"), ("p", "r", "b"), ("q", "r", "b"), ("q", "r", "c")]).whole
    p, a, b, q, c = (graph.local(name) for name in "pabqc")
    assert None not in (p, a, b, q, c)
    walks = [
        FinishedWalk(0, (p, a), (0,), (0,), 0.5, 0.5),  # type: ignore[arg-type]
        FinishedWalk(0, (p, b), (0,), (1,), 0.3, 0.3),  # type: ignore[arg-type]
        FinishedWalk(1, (q, b), (0,), (2,), 0.3, 0.3),  # type: ignore[arg-type]
        FinishedWalk(1, (q, c), (0,), (3,), 0.5, 0.5),  # type: ignore[arg-type]
    ]
    topics = {0: p, 1: q}
    agreed, _ = reach(graph, walks, topics, siblings=False, conjunction=1.0)  # type: ignore[arg-type]
    summed, _ = reach(graph, walks, topics, siblings=False, conjunction=0.0)  # type: ignore[arg-type]
    assert agreed[0].entity == b and agreed[0].score == pytest.approx(0.3)
    assert summed[0].entity == b and summed[0].score == pytest.approx(0.3)
    assert agreed[1].score == pytest.approx(0.125) and summed[1].score == pytest.approx(0.25)


def test_in_the_papers_form_a_neighbour_is_one_candidate_however_many_edges_lead_to_it() -> None:
    graph = Graph.from_triples([("a", "r", "b"), ("a", "s", "b"), ("b", "r", "a"), ("a", "r", "c")]).whole
    a, b = graph.local("a"), graph.local("b")
    tables = tables_of(graph, 3)
    tables = CandidateTables(tables.entities, torch.zeros_like(tables.relations), torch.zeros_like(tables.names))
    paper = replace(PLAN, hops=1, returns="none", hub_limit=None, one_each=True)
    walks, _ = search(graph, tables, TEMPERATURE, ask, np.array([a]), np.array([0]), paper)
    query = query_of((a,), ())[:WIDTH]
    shares = torch.softmax(torch.nn.functional.normalize(tables.entities) @ query / TEMPERATURE, 0)
    moved = {walk.entities[-1]: walk for walk in walks}
    assert len(walks) == 3 and moved[a].probability == pytest.approx(float(shares[a]))
    assert moved[b].codes == (0,)
    # At b nothing is left to visit: the walk ends there for certain.
    assert moved[b].probability == pytest.approx(float(shares[b]))
