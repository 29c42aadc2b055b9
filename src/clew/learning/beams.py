"""Which of a small decoder's beams to believe: its own log-probability and a frozen encoder's likeness, weighed on
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

WORDS = (0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Weights of the encoder's likeness that are tried."""


@dataclass(frozen=True, slots=True)
class Chance:
    """The beams of one held-out question, at least one; all (P,)."""

    logprobs: NDArray[np.floating]  # per token
    alike: NDArray[np.floating]  # the encoder's likeness to the question
    right: NDArray[np.bool_]  # whether it leads to the answers

    def scores(self, words: float) -> NDArray[np.floating]:
        """(P,) what the beams are ordered by."""
        return self.logprobs + words * self.alike

    def best(self, words: float) -> int:
        """The heaviest beam."""
        return int(self.scores(words).argmax())


def best_words(chances: Sequence[Chance]) -> float:
    """The weight of the likeness by which the heaviest beam is right most often; of equals the lowest."""
    return max(WORDS, key=lambda words: (sum(bool(each.right[each.best(words)]) for each in chances), -words))
