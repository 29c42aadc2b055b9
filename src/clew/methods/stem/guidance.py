"""The guidance graph: the K entities that the Triple-GNN holds for the most likely (paper section 3.3, Eq. 8).

Kept apart from the network, which knows no question, and from tracing, which only asks whether an edge lies in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from clew.graph.subgraph import Ints
from clew.methods.stem.network import JoinedInput, QuestionInput, TripleNetwork

TOGETHER = 100_000  # triples of one pass


@torch.no_grad()
def guide(
    network: TripleNetwork, relations: Tensor, parts: Sequence[QuestionInput], sizes: Sequence[int]
) -> list[Ints]:
    """Per part the `sizes[i]` most likely entities (at most all), as ascending numbers of the store."""
    found: list[Ints] = []
    for chunk in _chunks(parts):
        joined = JoinedInput.of(chunk, relations.device)
        scores = network(joined, relations).float().cpu().numpy()
        bounds = np.cumsum([0, *joined.sizes])
        for part, first, last in zip(chunk, bounds[:-1], bounds[1:], strict=True):
            best = np.argsort(-scores[first:last], kind="stable")[: sizes[len(found)]]
            found.append(np.sort(part.graph.entities[best]).astype(np.int32))
    return found


def _chunks(parts: Sequence[QuestionInput]) -> Iterator[list[QuestionInput]]:
    chunk: list[QuestionInput] = []
    size = 0
    for part in parts:
        if chunk and size + part.graph.num_triples > TOGETHER:
            yield chunk
            chunk, size = [], 0
        chunk.append(part)
        size += part.graph.num_triples
    if chunk:
        yield chunk
