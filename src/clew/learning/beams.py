"""Which of a small decoder's beams to believe: its own log-probability and a frozen encoder's similarity, weighed on
held-out questions.

A decoder from scratch knows the words of its training questions; the encoder knows many more and nothing about order.
Together they are right more often than either (docs/log.md). Shared by every room whose small decoder writes relation
paths.

Shapes: P beams of one question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SIMILARITY_WEIGHTS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Weights of the encoder's similarity that are tried."""


@dataclass(frozen=True, slots=True)
class ScoredBeams:
    """The beams of one held-out question, at least one; all (P,)."""

    logprobs: NDArray[np.floating]  # per token
    similarities: NDArray[np.floating]  # to the question, by the encoder
    right: NDArray[np.bool_]  # whether it leads to the answers

    def scores(self, weight: float) -> NDArray[np.floating]:
        """(P,) what the beams are ordered by."""
        return self.logprobs + weight * self.similarities

    def best(self, weight: float) -> int:
        """The heaviest beam."""
        return int(self.scores(weight).argmax())


def best_similarity_weight(questions: Sequence[ScoredBeams]) -> float:
    """The weight of the similarity by which the heaviest beam is right most often; of equals the lowest."""
    return max(
        SIMILARITY_WEIGHTS, key=lambda weight: (sum(bool(each.right[each.best(weight)]) for each in questions), -weight)
    )
