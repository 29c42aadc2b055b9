"""Telling the system how mapped arrays are read changes no result, whatever lies on disk and whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.graph import Graph, pages
from clew.graph.layout import mapped
from clew.graph.neighborhood import neighborhood
from clew.graph.paths import follow
from clew.graph.sets import surroundings
from clew.graph.summary import info

quick = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def cold() -> Iterator[None]:
    """Arrays of any size count as large, and none of their pages as in memory."""
    waits = count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "LARGE", 0)
        patch.setattr(pages, "PROBED", 2)
        patch.setattr(pages, "PROBES", 1)
        patch.setattr(pages, "_read_from_disk", lambda: next(waits))
        yield


@given(st.lists(st.integers(-9, 99), max_size=80), st.lists(st.integers(-20, 120), max_size=40))
@quick
def test_places_are_found_as_a_bisection_finds_them(cold: None, keys: list[int], asked: list[int]) -> None:
    ordered, wanted = np.sort(np.array(keys, np.int32)), np.array(asked, np.int32)
    assert pages.searched(ordered, wanted).tolist() == np.searchsorted(ordered, wanted).tolist()


def test_any_range_may_be_asked_for(cold: None, tmp_path: Path) -> None:
    (tmp_path / "x.i32").write_bytes(np.arange(50_000, dtype=np.int32).tobytes())
    array = mapped(tmp_path / "x.i32")
    pages.at_random(array)
    pages.wanted(array, [], [])
    pages.wanted(array, [0, 49_999, 7, 7, 30_000, 50_000], [50_000, 50_000, 8, 7, 30_001, 50_000])
    pages.wanted_at(array, np.arange(0, 50_000, 999))
    pages.wanted(array[10:], [0], [49_990])
    with pages.in_order(array, np.arange(3)):
        assert int(array.sum()) == 1_249_975_000


def test_a_graph_says_the_same_however_its_pages_are_read(
    cold: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [(f"e{i % 70}", f"r{i % 7}", f"e{(i * i) % 90}") for i in range(900)]
    labels = {f"e{i}": f"Thing number {i}" for i in range(80)}
    Graph.from_triples(rows, labels=labels).save(tmp_path / "x.kg")
    found = told(Graph.open(tmp_path / "x.kg"))
    monkeypatch.setattr(pages, "LARGE", 1 << 25)
    assert found == told(Graph.open(tmp_path / "x.kg"))


def told(graph: Graph) -> list[Any]:
    whole, members = graph.as_subgraph, np.arange(0, graph.num_entities, 2, dtype=np.int32)
    return [
        list(graph.triples()),
        graph.labels_at(range(graph.num_entities)),
        [graph.number_of(f"e{i}") for i in range(95)],
        whole.out.degrees().tolist(),
        whole.inc.counts(members).tolist(),
        whole.mediators.tolist(),
        [(hop, ends.tolist()) for hop, ends in surroundings(whole, members)],
        list(map(list, follow(whole, members, [(0, True), (1, False)]))),
        neighborhood(graph, ["e1"], 2).heads.tolist(),
        graph.search("thing numbr 7", 3),
        info(graph)["memory_bytes"],
    ]
