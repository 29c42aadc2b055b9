"""A graph pass in which only those names are encoded that the answer can depend on.

What a first answer over a large graph costs is the text encoder, at some milliseconds a name; a pass of the network
over the triples around the topics costs next to nothing. So a first pass knows the names of what lies nearest, each
relation having its share, and is searched with a wider beam; a second pass knows the names around what that search
reached as well. Entities without a name count as mediators do: their neighbours say what they are.

On the demo graph and MetaQA-R as if they were too large (docs/log.md) the answers are as good as with every name, and a
quarter of the names is encoded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.neighborhood import around
from clew.graph.subgraph import Ints
from clew.methods.scr.asking import run_search
from clew.methods.scr.features import entity_vectors
from clew.methods.scr.model import GraphView, ScrModel, pass_over, view
from clew.methods.scr.search import SearchSettings
from clew.protocols import TextEncoder

NEAREST = 300  # triples whose ends are known to the first search
REACHED = 400  # further ones, around what it reached
WIDER = 3  # its beam, and how much less likely a walk may be, as multiples of the answer's


def has_few_names(part: Subgraph) -> bool:
    """Whether a pass that knows every name of `part` costs no more than the two."""
    return part.num_triples <= NEAREST + REACHED


def near_view(
    model: ScrModel,
    encoder: TextEncoder,
    settings: SearchSettings,
    part: Subgraph,
    texts: Sequence[str],
    topics: Sequence[int],
) -> GraphView:
    """`view` of the surroundings of one question's topics.

    Args:
        part: with local numbers in the order of the store. texts: the question as each topic sees it.
        topics: local numbers, one for each text; at least one.
    """
    vectors = np.zeros((part.num_entities, encoder.dim), np.float32)
    near = _ends(part, part.seeds, settings.hops + 1, NEAREST)
    vectors[near] = entity_vectors(part, encoder, near)
    first = view(model.network, part, encoder, vectors)
    wide = replace(settings, beam=WIDER * settings.beam, floor=settings.floor / WIDER)
    walks, _ = run_search(model, encoder, wide, first, texts, topics, [0] * len(topics))
    reached = np.unique(np.array([entity for walk in walks for entity in walk.entities], np.int32))
    more = np.setdiff1d(_ends(part, reached, 1, REACHED), near)
    if not len(more):
        return first
    vectors[more] = entity_vectors(part, encoder, more)
    return pass_over(model.network, part, vectors, first.relations)


def _ends(part: Subgraph, entities: Ints, hops: int, triples: int) -> NDArray[np.int64]:
    """Local numbers of what `triples` triples around some entities join, and of these."""
    found = around(part, entities, hops, max_triples=triples).entities
    numbers: NDArray[np.int64] = np.unique(np.searchsorted(part.entities, found))
    return numbers
