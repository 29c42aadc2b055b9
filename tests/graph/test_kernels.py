"""Every kernel against networkx or a few obvious lines."""

from __future__ import annotations

import subprocess
import sys

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.kernels import (
    components,
    dedupe,
    distances,
    induced,
    pagerank,
    select,
    to_networkx,
    union,
)
from clew.graph.neighborhood import neighborhood
from clew.graph.subgraph import Subgraph, csr

NAMES = [f"e{i}" for i in range(8)]
rows = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from("pqr"), st.sampled_from(NAMES)), max_size=25)
some = st.lists(st.integers(0, 7), max_size=4)


def whole(triples, seeds=()) -> Subgraph:
    """The triples, repeated ones kept, as a subgraph in which local number i is e<i>."""
    base = Graph.from_triples([(x, r, x) for x in NAMES for r in "pqr"])
    numbers = [(base.number_of(h), "pqr".index(r), base.number_of(t)) for h, r, t in triples]
    h, r, t = np.array(numbers, np.int32).reshape(-1, 3).T.copy()
    where = np.arange(len(triples), dtype=np.int32)
    return Subgraph(h, r, t, base.whole.entities, base, np.array(seeds, np.int32), where)


def views(graph: Subgraph) -> tuple[networkx.MultiDiGraph, networkx.MultiGraph]:
    directed = networkx.MultiDiGraph()
    directed.add_nodes_from(range(graph.num_entities))
    directed.add_edges_from(zip(graph.heads.tolist(), graph.tails.tolist(), strict=True))
    return directed, directed.to_undirected()


def ids(graph: Subgraph) -> list[tuple[str, str, str]]:
    triples = [graph.triple(t) for t in range(graph.num_triples)]
    return [(t.head.id, t.relation.id, t.tail.id) for t in triples]


@given(rows)
def test_csr_is_a_lexical_sort(triples):
    graph = whole(triples)
    for side, keys, values in ((graph.out, graph.heads, graph.tails), (graph.inc, graph.tails, graph.heads)):
        order = np.lexsort((values, graph.rels, keys))
        assert side.triples.tolist() == order.tolist()
        assert side.neighbors.tolist() == values[order].tolist()
        assert side.relations.tolist() == graph.rels[order].tolist()
        assert side.offsets.tolist() == np.searchsorted(keys[order], np.arange(graph.num_entities + 1)).tolist()


def test_csr_of_many_triples():
    draw = np.random.default_rng(0)
    keys, values, relations = (draw.integers(0, n, 200_000, dtype=np.int32) for n in (900, 70_000, 4))
    assert (csr(keys, values, relations, 1000).triples == np.lexsort((values, relations, keys))).all()


@given(rows, some, st.sampled_from(["forward", "in", "any"]), st.integers(0, 4) | st.none())
def test_distances(triples, sources, direction, max_len):
    graph = whole(triples)
    directed, undirected = views(graph)
    view = {"forward": directed, "in": directed.reverse(), "any": undirected}[direction]
    limit = 99 if max_len is None else max_len
    best = [-1] * graph.num_entities
    for source in sources:
        for v, d in networkx.single_source_shortest_path_length(view, source, cutoff=limit).items():
            best[v] = d if best[v] < 0 else min(d, best[v])
    assert distances(graph, sources, direction=direction, max_len=max_len).tolist() == best


@given(rows, st.lists(st.integers(0, 7), min_size=1, max_size=3), st.sampled_from(["out", "in", "both"]))
def test_pagerank_is_the_stationary_state_of_its_walk(triples, seeds, direction):
    graph = whole(triples)
    n, alpha = graph.num_entities, 0.85
    walk = np.zeros((n, n))
    if direction != "in":
        np.add.at(walk, (graph.heads, graph.tails), 1)
    if direction != "out":
        np.add.at(walk, (graph.tails, graph.heads), 1)
    restart = np.bincount(seeds, minlength=n) / len(seeds)
    walk = np.array([line / line.sum() if line.any() else restart for line in walk])
    wanted = np.linalg.solve(np.eye(n) - alpha * walk.T, (1 - alpha) * restart)
    score = pagerank(graph, seeds, alpha=alpha, direction=direction)
    assert score.sum() == pytest.approx(1)
    assert score == pytest.approx(wanted, abs=1e-6)


def test_pagerank_weights_and_bad_input(toy):
    graph = toy.whole
    france, berlin = graph.local("France"), graph.local("Berlin")
    both = pagerank(graph, [france, berlin], weights=[3, 1])
    apart = [pagerank(graph, [seed]) for seed in (france, berlin)]
    assert both == pytest.approx(0.75 * apart[0] + 0.25 * apart[1], abs=1e-6)
    with pytest.raises(InputError, match="at least one seed"):
        pagerank(graph, [])
    with pytest.raises(InputError, match=r"alpha is 1\.0"):
        pagerank(graph, [france], alpha=1.0)
    with pytest.raises(InputError, match=r"still changing by .* after 2 rounds"):
        pagerank(graph, [france], max_rounds=2)


@given(rows)
def test_components(triples):
    graph = whole(triples)
    _, undirected = views(graph)
    found = components(graph)
    wanted = sorted(map(sorted, networkx.connected_components(undirected)))
    assert [np.flatnonzero(found == c).tolist() for c in range(found.max() + 1)] == wanted


@given(rows, some, some)
def test_induced(triples, entities, seeds):
    graph = whole(triples, list(dict.fromkeys(seeds)))
    part = induced(graph, entities)
    names = [f"e{i}" for i in dict.fromkeys(entities)]
    assert [part.entity(i).id for i in range(part.num_entities)] == names
    assert ids(part) == [(h, r, t) for h, r, t in triples if h in names and t in names]
    assert [part.entity(i).id for i in part.seeds] == [f"e{i}" for i in dict.fromkeys(seeds) if i in entities]


@given(rows, st.data())
def test_select(triples, data):
    graph = whole(triples, [3])
    chosen = data.draw(st.lists(st.sampled_from(range(len(triples))), max_size=6)) if triples else []
    part = select(graph, chosen, keep=[5])
    assert ids(part) == [triples[t] for t in dict.fromkeys(chosen)]
    assert part.triple_numbers.tolist() == list(dict.fromkeys(chosen))
    names = dict.fromkeys(["e3", "e5", *(x for t in chosen for x in triples[t][::2])])
    assert [part.entity(i).id for i in range(part.num_entities)] == list(names)


@given(rows)
def test_dedupe_keeps_the_first(triples):
    graph = whole(triples)
    assert ids(dedupe(graph)) == list(dict.fromkeys(triples))


@given(rows, st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=4), min_size=1, max_size=3))
def test_union(triples, groups):
    graph = whole(triples)
    parts = [induced(graph, group) for group in groups]
    found = union(parts)
    assert ids(found) == list(dict.fromkeys(row for part in parts for row in ids(part)))
    names = dict.fromkeys(part.entity(i).id for part in parts for i in range(part.num_entities))
    assert [found.entity(i).id for i in range(found.num_entities)] == list(names)


def test_union_keeps_seeds_and_what_was_cut(toy):
    parts = [neighborhood(toy, seeds, 1, max_triples=3) for seeds in (["Paris", "Euro"], ["Euro", "Berlin"])]
    found = union(parts)
    assert [found.entity(i).id for i in found.seeds] == ["Paris", "Euro", "Berlin"]
    assert found.truncated == parts[0].truncated != ()
    with pytest.raises(InputError, match="different stores"):
        union([parts[0], whole([])])
    with pytest.raises(InputError, match="at least one"):
        union([])


def test_a_view_for_networkx(toy):
    graph = neighborhood(toy, ["France"], 1)
    view = to_networkx(graph)
    assert sorted(view.edges(keys=True)) == sorted((h, t, r) for h, r, t in ids(graph))
    assert view.nodes["m.0abc12"] == {"label": "m.0abc12", "kind": "mediator", "seed": False}


def test_importing_clew_does_not_load_numba():
    script = "import sys, clew.graph.neighborhood, clew.graph.paths, clew.graph.kernels; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
