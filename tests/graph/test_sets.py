"""Sets as ascending arrays, against Python's own sets; surroundings against a loop over the triples."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.graph import Graph
from clew.graph.sets import distinct, first_tails, held, shared, surroundings, touched, without
from clew.graph.strings import Strings, Texts

NUMBERS = st.lists(st.integers(0, 30), max_size=40)


@given(NUMBERS, NUMBERS)
def test_sets_are_those_of_python(first: list[int], second: list[int]) -> None:
    a, b = distinct(np.array(first, np.int32)), distinct(np.array(second, np.int32))
    assert a.dtype == np.int32
    assert a.tolist() == sorted(set(first))
    assert shared(a, b).tolist() == sorted(set(first) & set(second))
    assert without(a, b).tolist() == sorted(set(first) - set(second))
    assert held(np.array(first, np.int32), b).tolist() == [number in set(second) for number in first]


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3), st.integers(0, 6)), min_size=1, max_size=30),
    st.sets(st.integers(0, 6)),
    st.booleans(),
)
def test_what_lies_around_a_set(rows: list[tuple[int, int, int]], names: set[int], compiled: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("MANY", "HUB") if compiled else ():  # as around the millions of a large graph
            patch.setattr(f"clew.graph.sets.{name}", 0)
        _what_lies_around(rows, names, ends=not compiled)


def _what_lies_around(rows: list[tuple[int, int, int]], names: set[int], *, ends: bool) -> None:
    graph = Graph.from_triples([(f"e{h}", f"r{r}", f"e{t}") for h, r, t in rows]).whole
    numbers = {name: number for name in range(7) if (number := graph.local(f"e{name}")) is not None}
    members = distinct(np.array([numbers[name] for name in names if name in numbers], np.int32))
    around_all = surroundings(graph, members)
    found = [(graph.relation(r).id, forward, graph.labels(some)) for (r, forward), some in around_all]
    wanted = {(f"r{r}", True): {f"e{t}" for h, q, t in rows if q == r and h in names} for _, r, _ in rows}
    wanted |= {(f"r{r}", False): {f"e{h}" for h, q, t in rows if q == r and t in names} for _, r, _ in rows}
    assert {(r, forward): set(some) for r, forward, some in found} == {
        key: some for key, some in wanted.items() if some
    }
    assert all(len(set(some)) == len(some) for _, _, some in found)
    for side, forward in ((graph.out, True), (graph.inc, False)):
        relations, met = touched(graph, side, members)
        assert [graph.relation(r).id for r in relations.tolist()] == [r for r, way, _ in found if way == forward]
        if ends:  # else of each relation's ends a sample of none
            assert set(graph.labels(met)) == {end for _, way, some in found if way == forward for end in some}
    assert [forward for _, forward, _ in found] == sorted((forward for _, forward, _ in found), reverse=True)


def test_the_first_triples_of_a_relation_are_found_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"e{i}", f"r{i % 3}", f"e{(7 * i) % 50}") for i in range(50)]
    whole = Graph.from_triples(rows).as_subgraph
    expected = whole.tails[whole.rels == 1]
    for piece in (1, 7, 1000):
        monkeypatch.setattr("clew.graph.sets.PIECE", piece)
        for most in (1, 5, 100):
            assert first_tails(whole, 1, most).tolist() == expected[:most].tolist()
    assert len(first_tails(whole, None, 5)) == 0


def test_a_label_is_looked_up_without_copying_what_it_is_sought_among() -> None:
    owners = np.arange(0, 2_000_000, 2, dtype=np.int32)
    texts = Texts(owners, Strings(np.arange(len(owners) + 1, dtype=np.int64), np.full(len(owners), 97, np.uint8)))
    tracemalloc.start()
    try:
        assert texts.first(20) == "a" and texts.first(21) is None
        assert texts.all(20) == ["a"]
        assert texts.firsts(np.array([20, 21], np.int64)) == ["a", None]
        assert tracemalloc.get_traced_memory()[1] < owners.nbytes // 10
    finally:
        tracemalloc.stop()


def test_of_the_ends_of_a_hub_an_even_sample_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.graph.sets.HUB", 5)
    rows = [(f"e{i:03}", "type", "Thing") for i in range(100)] + [("e000", "of", "Thing"), ("Thing", "of", "e001")]
    graph = Graph.from_triples(rows).as_subgraph
    relations, ends = touched(graph, graph.inc, np.array([graph.local("Thing")], np.int32))
    assert [graph.relation(r).id for r in relations.tolist()] == ["of", "type"]
    assert graph.labels(ends) == ["e000", "e000", "e020", "e040", "e060", "e080"]
