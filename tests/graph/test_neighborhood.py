"""Neighbourhoods against an obvious walk over sets of triples, and what the limits promise."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError, NotFoundError
from clew.graph import Graph
from clew.graph.neighborhood import around, from_records, neighborhood
from clew.graph.subgraph import Subgraph
from clew.types import Triple
from effort import examples

Row = tuple[str, str, str]
NAMES = [f"e{i}" for i in range(8)]
rows = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from("pqr"), st.sampled_from(NAMES)), max_size=30)
directions = st.sampled_from(["out", "in", "both"])


class Records:
    """A store that only speaks records, as a remote one does; counts how often it is asked."""

    def __init__(self, graph: Graph) -> None:
        self.graph, self.asked, self.name = graph, 0, "records"
        self.entity, self.relations, self.triples, self.find = graph.entity, graph.relations, graph.triples, graph.find

    def neighbors(self, entities, *, relations=None, direction="both", limit=None):
        self.asked += 1
        return self.graph.neighbors(entities, relations=relations, direction=direction, limit=limit)


def row(triple: Triple) -> Row:
    return triple.head.id, triple.relation.id, triple.tail.id


def ids(graph: Subgraph) -> list[Row]:
    return [row(graph.triple(t)) for t in range(graph.num_triples)]


def slow(triples: set[Row], seeds: list[str], hops: int, direction: str) -> tuple[set[str], set[Row]]:
    """Entities reached and triples walked, one set comprehension a hop."""
    reached, walked = set(seeds), set()
    for _ in range(hops):
        step = {
            (h, r, t)
            for h, r, t in triples
            if (direction != "in" and h in reached) or (direction != "out" and t in reached)
        }
        walked |= step
        reached |= {x for h, _, t in step for x in (h, t)}
    return reached, walked


def check_whole(found: Subgraph) -> None:
    """What holds whatever the limits: no triple twice, every entity is a seed or an end of a triple."""
    assert len(set(ids(found))) == found.num_triples
    ends = {*found.heads.tolist(), *found.tails.tolist(), *found.seeds.tolist()}
    assert ends == set(range(found.num_entities))
    assert len(set(found.entities.tolist())) == found.num_entities


@given(rows, st.lists(st.sampled_from(NAMES), max_size=3), st.integers(0, 4), directions, st.booleans(), st.booleans())
def test_without_limits_it_is_the_walk_over_sets(triples, seeds, hops, direction, induced, remote):
    graph = Graph.from_triples([*triples, *((x, "self", x) for x in seeds)])
    everything = {row(t) for t in graph.triples()}
    reached, walked = slow(everything, seeds, hops, direction)
    if induced:
        walked = {(h, r, t) for h, r, t in everything if h in reached and t in reached}
    store = Records(graph) if remote else graph
    found = neighborhood(store, seeds, hops, direction=direction, keep="induced" if induced else "walked")
    check_whole(found)
    assert set(ids(found)) == walked
    assert {found.entity(i).id for i in range(found.num_entities)} == reached
    assert [found.entity(i).id for i in found.seeds] == list(dict.fromkeys(seeds))
    assert found.truncated == ()
    if remote:
        assert store.asked <= hops + induced


@given(
    rows,
    st.lists(st.sampled_from(NAMES), min_size=1, max_size=3),
    st.integers(0, 3),
    directions,
    st.integers(1, 3) | st.none(),
    st.integers(1, 12) | st.none(),
    st.booleans(),
    st.booleans(),
)
@examples(300)
def test_limits_hold_and_are_told(triples, seeds, hops, direction, fanout, max_triples, induced, remote):
    graph = Graph.from_triples([*triples, *((x, "self", x) for x in seeds)])
    store = Records(graph) if remote else graph
    keep = "induced" if induced else "walked"
    whole = set(ids(neighborhood(graph, seeds, hops, direction=direction, keep=keep)))
    limits = {"fanout": fanout, "max_triples": max_triples}
    found = neighborhood(store, seeds, hops, direction=direction, keep=keep, **limits)
    check_whole(found)
    kept = set(ids(found))
    assert kept <= whole
    assert max_triples is None or len(kept) <= max_triples
    assert bool(found.truncated) or kept == whole
    if not remote and kept == whole and fanout is None:
        assert not found.truncated
    again = neighborhood(store, seeds, hops, direction=direction, keep=keep, **limits)
    assert ids(again) == ids(found)


def test_a_cut_hub_keeps_every_relation():
    spokes = [("hub", f"r{i % 7}", f"x{i}") for i in range(500)] + [(f"y{i}", "of", "hub") for i in range(500)]
    found = neighborhood(Graph.from_triples(spokes), ["hub"], 1, max_triples=24)
    assert Counter(Counter((r, h == "hub") for h, r, _ in ids(found)).values()) == {3: 8}
    assert found.truncated == ("hop 1 was cut at 24 triples (max_triples); later hops are absent",)


def test_fanout_is_per_direction_and_relation():
    spokes = [("hub", f"r{i % 7}", f"x{i}") for i in range(500)] + [(f"y{i}", "r0", "hub") for i in range(3)]
    found = neighborhood(Graph.from_triples(spokes), ["hub"], 1, fanout=5)
    assert Counter((r, h == "hub") for h, r, _ in ids(found)) == {("r0", False): 3} | {
        (f"r{i}", True): 5 for i in range(7)
    }
    assert found.truncated == ("1 entities have more than 5 triples in a relation (fanout)",)


def test_mediators_stay_whole_where_a_hub_is_cut():
    facts = [("a", "acts", f"m.0{i}") for i in range(20)]
    facts += [(f"m.0{i}", role, f"{role}{i}") for i in range(20) for role in ("film", "part", "year")]
    facts += [("a", "country", "hub")] + [(f"z{i}", "country", "hub") for i in range(1000)]
    found = neighborhood(Graph.from_triples(facts), ["a"], 2, max_triples=120)
    kept = ids(found)
    assert set(facts[:81]) <= set(kept)
    assert len(kept) == 120
    assert found.truncated


def test_a_triple_cut_at_a_hub_is_kept_by_its_small_end():
    facts = [(f"x{i:03}", "p", "hub") for i in range(50)] + [("x000", "q", "x049")]
    found = neighborhood(Graph.from_triples(facts), ["hub"], 3, fanout=2)
    assert ("x049", "p", "hub") in ids(found)
    assert ("x020", "p", "hub") not in ids(found)


def test_relations_and_exclusion(toy):
    assert {r for _, r, _ in ids(neighborhood(toy, ["France"], 2, relations=["currency", "borders"]))} == {
        "currency",
        "borders",
    }
    assert "continent" not in {r for _, r, _ in ids(neighborhood(toy, ["France"], 2, excluded=["continent"]))}
    remote = neighborhood(Records(toy), ["France"], 2, excluded=["continent"])
    assert set(ids(remote)) == set(ids(neighborhood(toy, ["France"], 2, excluded=["continent"])))


def test_bad_input(toy):
    with pytest.raises(NotFoundError, match="nearest: 'France'"):
        neighborhood(toy, ["Paris", "Frnce"], 2)
    with pytest.raises(NotFoundError, match="nearest: 'borders'"):
        neighborhood(toy, ["Paris"], 2, relations=["border"])
    with pytest.raises(InputError, match="max_triples is 0, expected at least 1"):
        neighborhood(toy, ["Paris"], 2, max_triples=0)
    with pytest.raises(InputError, match="hops is -1"):
        neighborhood(toy, ["Paris"], -1)


def test_a_remote_hub_is_not_fetched_whole():
    store = Records(Graph.from_triples([("hub", "p", f"x{i}") for i in range(100)]))
    found = neighborhood(store, ["hub"], 1, max_triples=10)
    assert found.num_triples == 10
    assert "1 entities have 10 triples or more" in found.truncated[0]


def test_subgraph_of_records(toy):
    triples = list(toy.triples())
    found = from_records([*triples, *triples])
    assert [found.triple(t) for t in range(found.num_triples)] == triples
    assert found.local("Euro") is not None
    assert [found.entity(int(i)).id for i in found.mediators.nonzero()[0]] == ["m.0abc12"]


def test_around_is_the_neighborhood_inside_a_subgraph(toy):
    inside = neighborhood(toy, ["France"], 1)
    paris = inside.local("Paris")
    part = around(inside, [paris, paris], 1)
    assert sorted(ids(part)) == [("Paris", "capital of", "France"), ("Paris", "located in", "France")]
    assert part.entity(int(part.seeds[0])).id == "Paris"
    assert [toy.whole.triple(t) for t in part.triple_numbers] == [part.triple(t) for t in range(2)]
    allowed = [inside.relation(r).id == "capital of" for r in range(inside.num_relations)]
    assert around(inside, [paris], 1, allowed=np.array(allowed)).num_triples == 1
    with pytest.raises(InputError, match="local numbers below"):
        around(inside, [99], 1)


def test_a_saved_and_an_edited_graph_are_walked_alike(toy, tmp_path):
    saved = toy.save(tmp_path / "toy.kg")
    for keep in ("walked", "induced"):
        assert set(ids(neighborhood(saved, ["Paris"], 2, keep=keep))) == set(
            ids(neighborhood(toy, ["Paris"], 2, keep=keep))
        )
    edited = saved.edited(add=[("Paris", "twin", "Rome")], remove=[("Paris", "capital of", "France")])
    assert set(ids(neighborhood(edited, ["Paris"], 1))) == {
        ("Paris", "twin", "Rome"),
        ("Paris", "located in", "France"),
    }
