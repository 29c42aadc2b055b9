"""Which part of a graph resembles a question: hybrid scores, then a connected tree over the best (sections 4.2, 4.3).

Vectors of labels and relations are made once per graph and mapped from disk where the graph has a folder. A question
costs two matrix-vector products; edges are scored by relation and broadcast, so that triples of one relation are one
level, as in G-Retriever.

Shapes: N entities, T triples, R relations, L distinct labels, D width of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.encoding import VectorIndex, text_vectors
from clew.graph.kernels import components, distances, select, union
from clew.graph.neighborhood import around
from clew.graph.subgraph import Ints, Subgraph
from clew.labels import label_to_text
from clew.methods.decompose.config import Config
from clew.protocols import TextEncoder
from clew.retrieval.pcst import Selection, connect, edge_prizes, node_prizes

Floats = NDArray[np.float32]
REGION_TRIPLES = 10_000  # most of the region in which a tree may grow
TREE = 300  # triples of the tree for one query; more are no reading matter
NONE = np.empty(0, np.int32)
EXACT = 200_000  # labels compared one by one; above, candidates come from an index
SHORTLIST = 64  # entities that the index hands over for each one wanted


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The graph for one query. `note` says what a limit cut off before the tree was grown."""

    graph: Subgraph
    note: str = ""


class GraphVectors:
    """A graph with the vectors of its entities and relations."""

    def __init__(self, graph: Subgraph, encoder: TextEncoder, cache: Path | None = None) -> None:
        self.graph, self.encoder = graph, encoder
        named = np.flatnonzero(~graph.mediators).astype(np.int32) if graph.num_entities else NONE
        labels = [label_to_text(label) for label in graph.labels(named)]
        distinct = {text: i for i, text in enumerate(dict.fromkeys(labels))}
        # A mediator has no text, so it resembles nothing: it points at an extra row that is always 0.
        self._place = np.full(graph.num_entities, len(distinct), np.int64)
        self._place[named] = [distinct[text] for text in labels]
        relations = [label_to_text(graph.relation(r).label) for r in range(graph.num_relations)]
        if cache is None:
            self._labels = encoder.encode(list(distinct))
        else:
            self._labels = text_vectors(cache / "vectors", encoder, list(distinct)).matrix()
        self.relations = encoder.encode(relations)

    def entity_scores(self, query: Floats) -> Floats:
        """(N,) similarity of every entity to a query (D,); 0 for mediators."""
        return np.append(self._labels @ query, np.float32(0))[self._place]

    def relation_scores(self, query: Floats) -> Floats:
        """(R,) similarity of every relation."""
        return self.relations @ query

    def entities(self, numbers: Ints) -> Floats:
        """(n, D) vectors of some entities; zeros for mediators."""
        place = self._place[numbers]
        found = np.zeros((len(place), self.encoder.dim), np.float32)
        known = place < len(self._labels)
        found[known] = self._labels[place[known]]
        return found

    @cached_property
    def _index(self) -> VectorIndex:
        return VectorIndex.build(np.asarray(self._labels), self.encoder.name)

    def best(self, query: Floats, limit: int) -> Ints:
        """The `limit` most similar entities of the whole graph; from an index where the graph is large."""
        if len(self._labels) <= EXACT:
            scores = self.entity_scores(query)
        else:
            _, rows = self._index.search(query[None], SHORTLIST * max(limit, 1))
            scores = np.full(self.graph.num_entities, -1, np.float32)
            near = np.flatnonzero(np.isin(self._place, rows[0]))
            scores[near] = self.entities(near.astype(np.int32)) @ query
        return np.flatnonzero(node_prizes(scores, limit)).astype(np.int32)

    def retrieve(self, query: Floats, config: Config, topics: Ints = NONE) -> Retrieved:
        """The part of the graph for one query vector.

        Args:
            topics: local numbers of what is asked about, the question's entities and the answer before; the tree grows
                around them with `around = "topics"`, or where there are none around the entities most similar to the
                query. `around = "whole"` is G-Retriever's rule on the graph as it is. With `anchored` they carry the
                highest prize, and are in the result whatever the tree holds.
        """
        region, inside, note, anchors = self.graph, None, "", topics
        if config.around != "whole":
            seeds = topics if config.around == "topics" and len(topics) else self.best(query, config.nodes)
            region = around(self.graph, seeds, config.region, max_triples=REGION_TRIPLES, keep="induced")
            note = "; ".join(region.truncated)
            anchors = region.seeds
            region = replace(region, seeds=NONE, truncated=())
            inside = self._inside(region)
        anchors = anchors if config.anchored else NONE
        vectors = self.entity_scores(query) if inside is None else self.entities(inside) @ query
        edges = self.relation_scores(query)[region.rels]
        chosen = _connected(region, vectors, edges, config, anchors)
        triples = _with_facts(region, chosen.triples) if config.mediator_facts else chosen.triples
        kept = np.union1d(chosen.entities, anchors).astype(np.int32)
        if config.anchored and len(triples) > TREE:
            sources = anchors if len(anchors) else np.array([np.argmax(vectors)], np.int32)
            triples, kept = _nearest(region, triples, sources, edges + vectors[region.heads] + vectors[region.tails])
            note = "; ".join(filter(None, (note, f"the tree was cut at {TREE} triples, those near the topics first")))
        return Retrieved(select(region, triples, keep=kept), note)

    def of(self, part: Subgraph) -> Floats:
        """(n, D) vectors of the entities of a part of the graph."""
        return self.entities(self._inside(part))

    def triple_scores(self, part: Subgraph, query: Floats) -> Floats:
        """(t,) how well triples of a part suit a query: their relation's similarity plus that of both ends."""
        ends = self.of(part) @ query
        scores: Floats = self.relation_scores(query)[part.rels] + ends[part.heads] + ends[part.tails]
        return scores

    def _inside(self, region: Subgraph) -> Ints:
        """(n,) local numbers in the whole graph of a region's entities."""
        if self.graph.numbered_as_store:
            return region.entities
        return self._order[np.searchsorted(self.graph.entities[self._order], region.entities)]

    @cached_property
    def _order(self) -> Ints:
        return np.argsort(self.graph.entities, kind="stable").astype(np.int32)


def hybrid(whole: Floats, part: Floats, complex_weight: float) -> Floats:
    """(D,) the query whose inner product with any unit vector is `w cos(z_Q, ·) + (1 - w) cos(z_i, ·)` (Figure 3).

    The paper's figure puts the weight on the sub-question, its text and its check against G-Retriever on the complex
    question; the text is followed, see the room's README.
    """
    return whole if complex_weight == 1.0 else complex_weight * whole + (1 - complex_weight) * part


def _connected(graph: Subgraph, nodes: Floats, edges: Floats, config: Config, anchors: Ints) -> Selection:
    if config.connectivity == "pcst":
        prizes = node_prizes(nodes, config.nodes)
        prizes[anchors] = max(config.nodes, 1)
        return connect(graph, prizes, edge_prizes(edges, config.edges), edge_cost=config.edge_cost)
    entities = np.flatnonzero(node_prizes(nodes, config.nodes)).astype(np.int32)
    # Triples of one relation are equally similar: their ends decide among them.
    closeness = edges + 1e-3 * (nodes[graph.heads] + nodes[graph.tails])
    triples = np.sort(np.argsort(-closeness, kind="stable")[: config.edges]).astype(np.int32)
    return Selection(entities, triples)


def _nearest(graph: Subgraph, triples: Ints, sources: Ints, scores: Floats) -> tuple[Ints, Ints]:
    """(t,) `TREE` of the triples, by hops from the sources and then by score, and the sources: still in one piece."""
    tree = Subgraph(graph.heads[triples], graph.rels[triples], graph.tails[triples], graph.entities, graph.names)
    hops = distances(tree, sources)
    near = np.minimum(*(np.where(hops[ends] < 0, len(hops), hops[ends]) for ends in (tree.heads, tree.tails)))
    return np.sort(triples[np.lexsort((-scores[triples], near))[:TREE]]), sources


def _with_facts(graph: Subgraph, triples: Ints) -> Ints:
    """(t,) the chosen triples and every other one of the mediators they touch: a nameless node is nothing but these."""
    touched = np.zeros(graph.num_entities, bool)
    touched[graph.heads[triples]] = touched[graph.tails[triples]] = True
    touched &= graph.mediators
    return np.union1d(triples, np.flatnonzero(touched[graph.heads] | touched[graph.tails])).astype(np.int32)


def merge(parts: Sequence[Subgraph]) -> Subgraph:
    """Every entity and triple of the parts once; connectivity is not repaired (section 4.3)."""
    return union(parts)


def shape(graph: Subgraph) -> dict[str, float | int | bool]:
    """Size, density (Figure 11) and connectivity of a retrieved graph, for the row of a run."""
    n, t = graph.num_entities, graph.num_triples
    return {
        "entities": n,
        "triples": t,
        "density": round(2 * t / (n * (n - 1)), 6) if n > 1 else 0.0,
        "connected": bool(n and components(graph).max() == 0),
    }
