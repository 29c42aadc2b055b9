"""Hybrid scores and the graphs they choose."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.decompose import hybrid as room
from clew.methods.decompose.config import Config
from clew.methods.decompose.hybrid import TREE, GraphVectors, hybrid, merge, shape
from clew.retrieval.pcst import connect, edge_prizes, node_prizes

ENCODER = HashEncoder(64)
PAPER: dict[str, Any] = {"anchored": False, "mediator_facts": False, "edges": 5, "edge_cost": 0.5}
RELATIONS = ("directed by", "written by", "born in", "starred actors")


@pytest.fixture(scope="module")
def films() -> Graph:
    draw = np.random.default_rng(0)
    rows = {
        (f"film {a}", RELATIONS[r], f"person {b}")
        for a, r, b in zip(draw.integers(0, 60, 300), draw.integers(0, 4, 300), draw.integers(0, 80, 300), strict=True)
    }
    return Graph.from_triples(sorted(rows), name="films")


@pytest.fixture(scope="module")
def vectors(films: Graph) -> GraphVectors:
    return GraphVectors(films.whole, ENCODER)


def queries() -> list[np.ndarray]:
    return [ENCODER.encode([f"who was film {i} {RELATIONS[i % 4]}?"])[0] for i in range(12)]


def test_the_query_scores_as_the_weighted_cosines(vectors: GraphVectors) -> None:
    whole, part = ENCODER.encode(["who directed film 3?", "film 3"])
    for weight in (0.0, 0.3, 0.7, 1.0):
        mixed = weight * vectors.entity_scores(whole) + (1 - weight) * vectors.entity_scores(part)
        assert np.allclose(vectors.entity_scores(hybrid(whole, part, weight)), mixed, atol=1e-5)


def test_a_weight_of_one_is_plain_retrieval(films: Graph, vectors: GraphVectors) -> None:
    """The paper's own check: the complex question alone gives the graph of G-Retriever's rules on the same vectors."""
    graph = films.whole
    labels = ENCODER.encode([graph.entity(i).label for i in range(graph.num_entities)])
    relations = ENCODER.encode([graph.relation(r).label for r in range(graph.num_relations)])
    other = ENCODER.encode(["something else altogether"])[0]
    sizes = set()
    for query in queries():
        plain = connect(graph, node_prizes(labels @ query, 3), edge_prizes((relations @ query)[graph.rels], 5))
        found = vectors.retrieve(hybrid(query, other, 1.0), Config(around="whole", **PAPER)).graph
        assert found.triple_numbers is not None
        assert sorted(found.triple_numbers.tolist()) == graph.numbers_of(plain.triples).tolist()
        assert set(found.entities.tolist()) == set(graph.entities[plain.entities].tolist())
        mixed = vectors.retrieve(hybrid(query, other, 0.5), Config(around="whole", **PAPER)).graph
        sizes.add(mixed.num_triples == found.num_triples)
    assert False in sizes  # the sub-question does matter below 1


def test_the_tree_stays_around_the_topics(films: Graph, vectors: GraphVectors) -> None:
    start = films.whole.local("film 7")
    assert start is not None
    near = {start}
    for h, t in zip(films.whole.heads.tolist(), films.whole.tails.tolist(), strict=True):
        near |= {h, t} if start in (h, t) else set()
    for query in queries():
        found = vectors.retrieve(query, Config(region=1), np.array([start], np.int32)).graph
        assert set(found.entities.tolist()) <= near
        assert len(found.seeds) == 0


def test_topics_are_always_there_and_what_is_found_hangs_together(films: Graph, vectors: GraphVectors) -> None:
    for start in range(0, 60, 7):
        for query in queries():
            found = vectors.retrieve(query, Config(), np.array([start], np.int32)).graph
            assert found.local(films.whole.entity(start).id) is not None
            assert shape(found)["connected"]
            assert found.num_triples <= TREE


def test_a_large_tree_keeps_what_is_near_the_topics() -> None:
    chain = [(f"e{i}", "leads to", f"e{i + 1}") for i in range(6)]
    leaves = [(f"e{i}", "holds", f"leaf {i}.{k}") for i in range(6) for k in range(TREE // 4)]
    graph = Graph.from_triples(chain + leaves, name="comb")
    start = graph.whole.local("e0")
    assert start is not None
    config = Config(region=7)
    found = GraphVectors(graph.whole, ENCODER).retrieve(
        ENCODER.encode(["what does e0 hold?"])[0], config, np.array([start], np.int32)
    )
    assert found.graph.num_triples == TREE and "was cut" in found.note
    assert shape(found.graph)["connected"]
    names = found.graph.labels(np.arange(found.graph.num_entities, dtype=np.int32))
    assert "leaf 0.0" in names and "leaf 5.0" not in names


def test_a_mediator_brings_its_facts() -> None:
    rows = [("Ann", "married", "m.01"), ("m.01", "spouse", "Bob"), ("m.01", "since", "1990"), ("Ann", "born in", "Ulm")]
    graph = Graph.from_triples(rows, name="wedding")
    vectors, start = GraphVectors(graph.whole, ENCODER), np.array([graph.whole.local("Ann")], np.int32)
    query = ENCODER.encode(["married"])[0]
    small = {"nodes": 0, "edges": 1}
    with_facts, without = (
        vectors.retrieve(query, Config(**small, mediator_facts=facts), start).graph for facts in (True, False)
    )
    assert (with_facts.num_triples, without.num_triples) == (3, 1)


def test_a_region_that_was_cut_is_told(vectors: GraphVectors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "REGION_TRIPLES", 20)
    found = vectors.retrieve(queries()[0], Config(region=3), np.array([0], np.int32))
    assert "max_triples" in found.note
    assert found.graph.num_triples <= 20


def test_without_topics_it_grows_around_what_is_similar(vectors: GraphVectors) -> None:
    query = ENCODER.encode(["film 11"])[0]
    found = vectors.retrieve(query, Config(region=1)).graph
    assert "film 11" in found.labels(np.arange(found.num_entities, dtype=np.int32))


def test_top_k_is_not_connected_and_counts_triples(vectors: GraphVectors) -> None:
    for query in queries():
        found = vectors.retrieve(query, Config(connectivity="topk", around="whole", edges=4, nodes=2)).graph
        assert found.num_triples == 4
    joined = [vectors.retrieve(query, Config(around="whole", **PAPER)).graph for query in queries()]
    assert all(shape(graph)["connected"] for graph in joined)


def test_the_index_finds_what_the_exact_search_finds(
    films: Graph, vectors: GraphVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = [vectors.best(query, 3).tolist() for query in queries()]
    monkeypatch.setattr("clew.methods.decompose.hybrid.EXACT", 10)
    assert [GraphVectors(films.whole, ENCODER).best(query, 3).tolist() for query in queries()] == exact


def test_vectors_are_mapped_from_disk_and_equal(toy: Graph, tmp_path: Path) -> None:
    memory, first = GraphVectors(toy.whole, ENCODER), GraphVectors(toy.whole, ENCODER, tmp_path)
    again = GraphVectors(toy.whole, ENCODER, tmp_path)
    query = ENCODER.encode(["Paris"])[0]
    for made in (first, again):
        assert np.allclose(made.entity_scores(query), memory.entity_scores(query), atol=1e-6)
    mediator = toy.whole.local("m.0abc12")
    assert mediator is not None
    assert memory.entity_scores(query)[mediator] == 0.0
    assert not memory.entities(np.array([mediator], np.int32)).any()


def test_union_and_shape(films: Graph, vectors: GraphVectors) -> None:
    parts = [vectors.retrieve(query, Config(around="whole", **PAPER)).graph for query in queries()[:3]]
    merged = merge(parts)
    numbers = {n for part in parts for n in part.triple_numbers.tolist()}  # type: ignore[union-attr]
    assert merged.triple_numbers is not None
    assert sorted(merged.triple_numbers.tolist()) == sorted(numbers)
    told, n = shape(merged), merged.num_entities
    assert told["density"] == pytest.approx(2 * merged.num_triples / (n * (n - 1)), abs=1e-6)
    assert told["entities"] == n and told["triples"] == len(numbers)
