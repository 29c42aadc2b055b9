"""The Triple-GNN: which entities around a question matter for its schema triples (paper Eq. 3-7 and 18-28).

Two forms. The default is the one with about 10 M parameters that the paper's counts point at: DistMult messages,
summed, plus the start state, a residual, LayerNorm and an MLP head on state and query; `printed` is the form of the
equations. Many questions run as one graph whose parts do not touch.

Shapes: N entities, T edges, R relations, Q questions, E width of the encoder, D width of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from clew.graph import Subgraph
from clew.methods.stem.config import NetworkConfig


@dataclass(frozen=True, eq=False)
class QuestionInput:
    """What the network reads of one question: its surroundings, its topics, its schema's vectors."""

    graph: Subgraph
    topics: NDArray[np.int64]  # local numbers
    query: NDArray[np.float32]  # (3E,) mean over schema triples of head, relation and tail vectors


@dataclass(frozen=True, eq=False)
class JoinedInput:
    """Several parts as one graph."""

    heads: Tensor  # (T,)
    tails: Tensor
    rels: Tensor
    owner: Tensor  # (N,) question of each entity
    topic: Tensor  # (N,) 1 at topics
    queries: Tensor  # (Q, 3E)
    sizes: tuple[int, ...]  # entities per part

    @classmethod
    def of(cls, parts: Sequence[QuestionInput], device: torch.device | str = "cpu") -> JoinedInput:
        sizes = [part.graph.num_entities for part in parts]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        topic = np.zeros(starts[-1], np.float32)
        for part, start in zip(parts, starts, strict=False):
            topic[part.topics + start] = 1.0

        def whole(arrays: Sequence[NDArray[np.int64]]) -> Tensor:
            return torch.from_numpy(np.concatenate(arrays).astype(np.int64)).to(device)

        return cls(
            whole([p.graph.heads + s for p, s in zip(parts, starts, strict=False)]),
            whole([p.graph.tails + s for p, s in zip(parts, starts, strict=False)]),
            whole([p.graph.rels.astype(np.int64) for p in parts]),
            whole([np.full(size, i, np.int64) for i, size in enumerate(sizes)]),
            torch.from_numpy(topic).to(device),
            torch.from_numpy(np.stack([part.query for part in parts])).to(device),
            tuple(sizes),
        )


class TripleNetwork(nn.Module):
    """Entity logits from schema triples; the sigmoid is P_Q of Eq. 5."""

    def __init__(self, config: NetworkConfig, text_width: int) -> None:
        super().__init__()
        self.config, d = config, config.width
        self.query = nn.Linear(3 * text_width, d)  # φ2
        self.relation = nn.Linear(text_width, d)  # φ4
        self.reading = nn.ModuleList(
            nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d)) for _ in range(config.layers)
        )  # g_l
        self.update = nn.ModuleList(nn.Linear(2 * d, d) for _ in range(config.layers))
        self.norm = nn.ModuleList(nn.LayerNorm(d) for _ in range(config.layers))
        self.head: nn.Module = nn.Linear(d, 1)  # φ1
        if not config.printed:
            self.head = nn.Sequential(nn.Linear(2 * d, 2 * d), nn.ReLU(), nn.Linear(2 * d, 1))

    def forward(self, joined: JoinedInput, relations: Tensor) -> Tensor:
        """(N,) logits; `relations` is (2R, E): the relations' vectors, then those of their inverses."""
        printed, n = self.config.printed, len(joined.owner)
        queries = self.query(joined.queries)  # (Q, D)
        asked = queries[joined.owner]
        start = asked * joined.topic[:, None]
        table = self.relation(relations)
        senders, receivers, codes = joined.heads, joined.tails, joined.rels
        if not printed:
            shift = len(relations) // 2
            senders, receivers = torch.cat([joined.heads, joined.tails]), torch.cat([joined.tails, joined.heads])
            codes = torch.cat([joined.rels, joined.rels + shift])
        share = 1.0 / torch.bincount(receivers, minlength=n).clamp(min=1).to(start.dtype)[:, None]
        state = start
        for reading, update, norm in zip(self.reading, self.update, self.norm, strict=True):
            message = state[senders] * reading(table)[codes]
            gathered = torch.zeros_like(state).index_add_(0, receivers, message)
            gathered = gathered * share if printed else gathered + start
            new = F.relu(norm(update(torch.cat([state, gathered], 1))))
            state = new if printed else state + new
        logits: Tensor = self.head(state if printed else torch.cat([state, asked], 1)).squeeze(1)
        return logits


def balanced_loss(logits: Tensor, labels: Tensor, owner: Tensor, questions: int) -> Tensor:
    """Cross entropy in which the positives of a question weigh as much as its negatives, averaged over questions.

    The printed loss (Eq. 37) has the positive term alone, which predicting 1 everywhere minimises.
    """
    each = F.binary_cross_entropy_with_logits(logits, labels, reduction="none")
    total = logits.new_zeros(())
    for side in (labels, 1 - labels):
        count = logits.new_zeros(questions).index_add_(0, owner, side)
        total = total + (each * side / count.clamp(min=1)[owner]).sum()
    return total / (2 * questions)
