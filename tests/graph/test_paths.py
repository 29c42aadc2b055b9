"""Path mining and relation paths against plain recursion over a list of triples."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph import Graph, paths
from clew.graph.paths import follow, mine_paths, path_record, relation_paths, trace
from clew.graph.subgraph import Subgraph
from effort import examples

Step = tuple[int, bool]  # position of a triple, walked forward
NAMES = [f"e{i}" for i in range(6)]
rows = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from("pq"), st.sampled_from(NAMES)), max_size=14)
some = st.lists(st.integers(0, 5), max_size=3)
repeated = st.sampled_from(["nothing", "entities", "triples"])
directions = st.sampled_from(["forward", "any"])


def whole(triples) -> Subgraph:
    """The triples as a subgraph in which local number i is e<i>."""
    return Graph.from_triples([*((x, "name", x) for x in NAMES), *triples]).whole


def walks_from(graph: Subgraph, start: int, direction: str, max_len: int) -> list[tuple[list[int], list[Step]]]:
    """Every walk of 1..max_len hops that never turns round at once over a triple, as (entities, steps)."""
    found, level = [], [([start], [])]
    for _ in range(max_len):
        longer = []
        for entities, steps in level:
            for t in range(graph.num_triples):
                before = steps[-1] if steps else None
                h, u = int(graph.heads[t]), int(graph.tails[t])
                if h == entities[-1] and before != (t, False):
                    longer.append(([*entities, u], [*steps, (t, True)]))
                if direction == "any" and u == entities[-1] and h != u and before != (t, True):
                    longer.append(([*entities, h], [*steps, (t, False)]))
        found += longer
        level = longer
    return found


def slow_pair(graph, source, target, direction, slack, max_len, returns, repeats):
    """(length, steps) of every path that `mine_paths` promises for one pair, in its order."""
    if source == target and not returns:
        return []
    paths = [(e, s) for e, s in walks_from(graph, source, direction, max_len) if e[-1] == target]
    if repeats != "triples":
        paths = [(e, s) for e, s in paths if len({t for t, _ in s}) == len(s)]
    if repeats == "nothing":
        inner = [e[1:] if source == target else e for e, _ in paths]
        paths = [path for path, e in zip(paths, inner, strict=True) if len(set(e)) == len(e)]
    if not paths:
        return []
    limit = max_len if slack is None else min(len(s) for _, s in paths) + slack

    def order(path):
        entities, steps = path
        return len(steps), [
            (not forward, int(graph.rels[t]), entities[i + 1], t) for i, (t, forward) in enumerate(steps)
        ]

    return [tuple(s) for e, s in sorted(paths, key=order) if len(s) <= limit]


def steps_of(path):
    return tuple(zip(path.triples, path.forward, strict=True))


@given(rows, some, some, directions, st.sampled_from([0, 1, None]), st.integers(1, 4), st.booleans(), repeated)
@examples(300)
def test_mining_is_the_filtered_list_of_all_walks(
    triples, sources, targets, direction, slack, max_len, returns, repeats
):
    graph = whole(triples)
    options = {"direction": direction, "slack": slack, "max_len": max_len, "returns": returns, "repeats": repeats}
    mined = mine_paths(graph, sources, targets, max_paths_per_pair=10**6, max_total=10**6, **options)
    pairs = list(product(dict.fromkeys(sources), dict.fromkeys(targets)))
    wanted = [slow_pair(graph, s, t, direction, slack, max_len, returns, repeats) for s, t in pairs]
    assert [steps_of(path) for path in mined] == [steps for pair in wanted for steps in pair]
    assert mined.truncated == ()
    assert mined.ends.tolist() == [path.entities[-1] for path in mined]
    for path in mined:
        for i, (t, forward) in enumerate(steps_of(path)):
            ends = (int(graph.heads[t]), int(graph.tails[t]))
            assert path.entities[i : i + 2] == (ends if forward else ends[::-1])
            assert path.relations[i] == graph.rels[t]

    capped = mine_paths(graph, sources, targets, max_paths_per_pair=2, max_total=5, **options)
    kept = [steps_of(path) for path in capped]
    firsts = [pair[:2] for pair in wanted]
    assert len(kept) == min(5, sum(map(len, firsts)))
    assert set(kept) <= {steps for pair in firsts for steps in pair}
    assert bool(capped.truncated) == (kept != [steps for pair in wanted for steps in pair])
    if len([pair for pair in firsts if pair]) <= 5:  # shared fairly: every pair keeps its first path
        assert {pair[0] for pair in firsts if pair} <= set(kept)
    assert not any(mark.any() for mark in graph.marks)


def test_the_spouse_of_the_spouse():
    graph = Graph.from_triples([("ann", "spouse", "bob"), ("bob", "spouse", "ann"), ("ann", "child", "cy")]).whole
    ann = graph.local("ann")
    assert len(mine_paths(graph, [ann], [ann])) == 0
    [there_and_back, *rest] = mine_paths(graph, [ann], [ann], returns=True)
    assert str(path_record(graph, there_and_back, 1.0)) == "ann -spouse→ bob -spouse→ ann"
    assert [str(path_record(graph, path, 1.0)) for path in rest] == ["ann ←spouse- bob ←spouse- ann"]
    assert len(mine_paths(graph, [ann], [ann], returns=True, direction="forward")) == 1


def test_the_mother_of_the_child_of_the_mother():
    graph = Graph.from_triples([("ann", "mother", "eve"), ("eve", "child", "ann")]).whole
    ann, eve = graph.local("ann"), graph.local("eve")
    options = {"slack": None, "max_len": 3, "direction": "forward"}
    assert [len(path.triples) for path in mine_paths(graph, [ann], [eve], **options)] == [1]
    assert [len(path.triples) for path in mine_paths(graph, [ann], [eve], **options, repeats="entities")] == [1]
    walks = mine_paths(graph, [ann], [eve], **options, repeats="triples")
    assert [str(path_record(graph, path, 1.0)) for path in walks] == [
        "ann -mother→ eve",
        "ann -mother→ eve -child→ ann -mother→ eve",
    ]


def test_parallel_and_reciprocal_relations_are_separate_paths(toy):
    graph = toy.whole
    mined = mine_paths(graph, [graph.local("Paris")], [graph.local("Germany")])
    assert sorted(str(path_record(graph, path, 0.5)) for path in mined) == [
        "Paris -capital of→ France -borders→ Germany",
        "Paris -capital of→ France ←borders- Germany",
        "Paris -located in→ France -borders→ Germany",
        "Paris -located in→ France ←borders- Germany",
    ]
    assert set(mined.relation_paths().values()) == {1}
    record = path_record(graph, mined[-1], 0.5)
    assert (record.start.id, record.end.id, record.score) == ("Paris", "Germany", 0.5)


def test_a_hub_between_does_not_blow_up_the_search():
    spokes = [(f"x{i}", "p", "hub") for i in range(3000)] + [(f"x{i}", "q", "far") for i in range(3000)]
    graph = Graph.from_triples([("a", "in", "hub"), *spokes, ("far", "r", "z")]).whole
    a, z = graph.local("a"), graph.local("z")
    mined = mine_paths(graph, [a], [z], max_len=4)
    assert len(mined) == 64
    assert mined.truncated == ("1 pairs have more than 64 paths (max_paths_per_pair)",)
    assert len(mine_paths(graph, [a], [z], max_len=4, max_paths_per_pair=5000, max_total=5000)) == 3000
    assert len(mine_paths(graph, [a], [z], max_len=3)) == 0


def test_empty_and_bad_input():
    graph = whole([])
    assert len(mine_paths(graph, [], [1])) == len(mine_paths(graph, [0], [])) == len(mine_paths(graph, [0], [1])) == 0
    assert follow(graph, [], [(0, True)]).entities.tolist() == []
    with pytest.raises(InputError, match="max_len=0"):
        mine_paths(graph, [0], [1], max_len=0)
    with pytest.raises(InputError, match="no steps"):
        trace(graph, [0], [])
    mined = mine_paths(whole([("e0", "p", "e1")]), [0], [1])
    assert mined[-1] == mined[0] == mined[0:1][0]
    with pytest.raises(IndexError):
        mined[1]


def slow_walks(graph: Subgraph, starts: list[int], steps: list[tuple[int, bool]]) -> list[tuple[int, tuple[int, ...]]]:
    """(start, triples) of every walk along the steps."""
    walks = [(s, s, ()) for s in sorted(set(starts))]
    for relation, forward in steps:
        walks = [
            (start, there, (*used, t))
            for start, here, used in walks
            for t in range(graph.num_triples)
            for near, there in [(graph.heads[t], graph.tails[t])[:: 1 if forward else -1]]
            if near == here and graph.rels[t] == relation
        ]
    return [(start, used, int(end)) for start, end, used in walks]


@given(
    rows, some, st.lists(st.tuples(st.integers(0, 2), st.booleans()), min_size=1, max_size=3), some, st.integers(1, 9)
)
def test_following_a_relation_path(triples, starts, steps, ends, limit):
    graph = whole([*triples, ("e0", "p", "e0"), ("e0", "q", "e0")])
    walks = slow_walks(graph, starts, steps)
    counts = Counter(end for _, _, end in walks)
    reached = follow(graph, starts, steps)
    assert dict(zip(reached.entities.tolist(), reached.walks.tolist(), strict=True)) == counts
    assert reached.entities.tolist() == sorted(counts)

    for wanted in (None, ends):
        kept = [(start, used) for start, used, end in walks if wanted is None or end in wanted]
        traced = trace(graph, starts, steps, wanted, limit=10**6)
        assert sorted((path.entities[0], path.triples) for path in traced) == sorted(kept)
        assert all(path.steps == tuple(steps) for path in traced)
        assert traced.truncated == ()
        first = trace(graph, starts, steps, wanted, limit=limit)
        assert list(first) == list(traced)[:limit]
        assert bool(first.truncated) == (len(kept) > limit)


@given(rows, st.lists(st.integers(0, 5), min_size=1, max_size=2), directions, st.integers(1, 3))
def test_relation_paths_are_all_that_can_be_followed(triples, seeds, direction, max_len):
    graph = whole(triples)
    found = relation_paths(graph, seeds, max_len, direction=direction, max_paths=10**6)
    senses = [True, False] if direction == "any" else [True]
    kinds = list(product(range(graph.num_relations), senses))
    wanted = {
        steps: follow(graph, seeds, steps).entities.tolist()
        for length in range(1, max_len + 1)
        for steps in product(kinds, repeat=length)
    }
    assert {path.steps: path.ends.tolist() for path in found.paths} == {s: e for s, e in wanted.items() if e}
    assert len({path.steps for path in found.paths}) == len(found.paths)
    assert found.truncated == ()


def test_relation_paths_say_what_they_left_out():
    graph = Graph.from_triples([("a", f"r{i % 5}", f"x{i}") for i in range(50)]).whole
    few = relation_paths(graph, [graph.local("a")], 2, max_paths=7)
    assert len(few.paths) == 7
    assert few.truncated == ("stopped at 7 relation paths, in hop 2 (max_paths)",)
    wide = relation_paths(graph, [graph.local("a")], 2, max_ends=9)
    assert [len(path.ends) for path in wide.paths] == [10] * 5
    assert wide.truncated == ("5 relation paths reach more than 9 entities and were not extended (max_ends)",)


@examples(60)
@given(rows, st.lists(st.sampled_from(range(6)), max_size=4), st.integers(0, 2), st.booleans())
def test_a_first_question_walks_the_steps_that_compiled_code_walks(triples, frontier, relation, forward) -> None:
    graph = whole(triples)
    relation = min(relation, graph.num_relations - 1)
    csr, at = paths._side(graph, forward), np.array(frontier, np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "loaded", lambda: False)
        ours = paths._along(csr, at, relation)
        patch.setattr(paths, "FEWER_THAN_COMPILED", -1)
        theirs = paths._along(csr, at, relation)
    for mine, other in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(mine, other)
