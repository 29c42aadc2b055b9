"""Prize-collecting Steiner tree: the small connected part of a graph that holds what a question resembles.

The rules for prizes and costs are G-Retriever's (He et al. 2024, section 5.2, and its public code), which the
Decompositional method takes over (its section 4.2): ranks as node prizes, levels of equal similarity as edge prizes,
edges worth more than they cost become nodes of their own. Kept apart from any method because the solver is general.

Shapes: N entities, T triples of a subgraph.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.steiner import Floats, steiner_tree
from clew.graph.subgraph import Ints, Subgraph

FADE = 0.99  # a level's prize stays just below the level above


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen part: local entities and triples, sorted."""

    entities: Ints  # (n,)
    triples: Ints  # (t,)


def node_prizes(similarity: NDArray[np.floating[Any]], limit: int) -> Floats:
    """(N,) the `limit` most similar entities get limit, limit-1, …, 1; every other 0. Ties go to the lower number."""
    prizes = np.zeros(len(similarity), np.float64)
    limit = min(limit, len(similarity))
    if limit > 0:
        best = np.argpartition(-similarity, limit - 1)[:limit]
        # Everything as good as the last one competes, so that ties do not depend on the partition.
        tied = np.flatnonzero(similarity >= similarity[best].min())
        ranked = tied[np.argsort(-similarity[tied], kind="stable")][:limit]
        prizes[ranked] = np.arange(limit, 0, -1)
    return prizes


def edge_prizes(similarity: NDArray[np.floating[Any]], limit: int) -> Floats:
    """(T,) the `limit` highest distinct similarities are levels; the triples of a level share its prize.

    Level k (from 0) is worth limit - k, divided by its triples, and never as much as a triple of the level above.
    """
    prizes = np.zeros(len(similarity), np.float64)
    levels, inverse, counts = np.unique(similarity, return_inverse=True, return_counts=True)
    limit = min(limit, len(levels))
    ceiling = float(limit)
    for k in range(limit):
        level = len(levels) - 1 - k
        prize = min((limit - k) / counts[level], ceiling)
        prizes[inverse == level] = prize
        ceiling = prize * FADE
    return prizes


def connect(graph: Subgraph, nodes: Floats, edges: Floats, *, edge_cost: float = 0.5) -> Selection:
    """The connected part of `graph` that collects most prize for its cost; nothing when nothing has a prize.

    Args:
        nodes: (N,) prizes of entities.
        edges: (T,) prizes of triples.
        edge_cost: of every triple; lowered to just under the largest edge prize, so that one triple at least is free.
    """
    n, top = graph.num_entities, float(edges.max(initial=0.0))
    cost = min(edge_cost, top * (1 - (1 - FADE) / 2)) if top > 0 else edge_cost
    worth = np.flatnonzero(edges > cost)  # become vertices: a triple that pays for itself is reached for nothing
    plain = np.flatnonzero(edges <= cost)
    own = np.arange(n, n + len(worth), dtype=np.int32)
    vertices, picked = steiner_tree(
        np.concatenate([graph.heads[plain], graph.heads[worth], own]),
        np.concatenate([graph.tails[plain], own, graph.tails[worth]]),
        np.concatenate([cost - edges[plain], np.zeros(2 * len(worth))]),
        np.concatenate([nodes, edges[worth] - cost]),
    )
    triples = np.concatenate([plain[picked[picked < len(plain)]], worth[vertices[vertices >= n] - n]])
    triples = np.unique(triples).astype(np.int32)
    ends = np.concatenate([vertices[vertices < n], graph.heads[triples], graph.tails[triples]])
    return Selection(np.unique(ends).astype(np.int32), triples)
