"""Which of a small decomposer's plans is asked, and when none of them is sure enough.

A plan weighs its log-probability per token and, times `similarity_weight`, the encoder's similarity of its relations
and the question. A wrong sub-question retrieves worse than none, so below `minimum_score` the question stays whole.
Both numbers are chosen on held-out training questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.config import Settings
from clew.graph.paths import RelationPath
from clew.learning.folders import read_record, write_record

FILE = "choosing.json"


@dataclass(frozen=True, slots=True)
class PlanOption:
    """A plan that the small decomposer wrote."""

    steps: RelationPath
    logprob: float  # per token
    similarity: float  # cosine of its relations, as words, and the question


class PlanChoice(Settings):
    """How plans are weighed; `minimum_score` None asks the best one however little it weighs."""

    similarity_weight: float = 0.0
    minimum_score: float | None = None

    def score(self, option: PlanOption) -> float:
        return option.logprob + self.similarity_weight * option.similarity

    def best(self, options: Sequence[PlanOption]) -> PlanOption | None:
        """The heaviest plan; None where it weighs too little. Of equals the first."""
        best = max(options, key=self.score, default=None)
        return (
            None if best is None or (self.minimum_score is not None and self.score(best) < self.minimum_score) else best
        )


def best_minimum_score(scores: Sequence[float], gains: Sequence[int]) -> float | None:
    """The threshold that gains most: the sum of `gains` over the questions that score at least so much.

    Args:
        scores: of the best plan of each held-out question.
        gains: 1 where asking it retrieves an answer that the whole question does not, -1 where it loses one, else 0.

    Of equal thresholds the lowest, None (no threshold) before any.
    """
    order = sorted(zip(scores, gains, strict=True))
    total = best = sum(gains)
    minimum_score = None
    for place, (score, gain) in enumerate(order):
        total -= gain
        above = order[place + 1][0] if place + 1 < len(order) else score + 1.0
        if total > best and above > score:
            best, minimum_score = total, (score + above) / 2
    return minimum_score


def save_plan_choice(folder: Path, choosing: PlanChoice) -> None:
    """Beside the decoder that it was chosen for."""
    write_record(folder / FILE, choosing)


def read_plan_choice(folder: Path) -> PlanChoice:
    """What was chosen in training; the plain log-probability where nothing was. Raises FormatError."""
    return read_record(PlanChoice, folder / FILE)[0] if (folder / FILE).is_file() else PlanChoice()
