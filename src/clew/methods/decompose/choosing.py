"""Which of a small decomposer's plans is asked, and when none of them is sure enough.

A plan weighs its log-probability per token and, times `words`, the encoder's likeness of its relations and the
question. A wrong sub-question retrieves worse than none, so below `least` the question stays whole. Both numbers are
chosen on held-out training questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clew.errors import FormatError, NotFoundError
from clew.methods.decompose.plan import Steps

FILE = "choosing.json"


@dataclass(frozen=True, slots=True)
class Option:
    """A plan that the small decomposer wrote."""

    steps: Steps
    logprob: float  # per token
    alike: float  # cosine of its relations, as words, and the question


@dataclass(frozen=True, slots=True)
class Choosing:
    """How plans are weighed; `least` None asks the best one however little it weighs."""

    words: float = 0.0
    least: float | None = None

    def score(self, option: Option) -> float:
        return option.logprob + self.words * option.alike

    def best(self, options: Sequence[Option]) -> Option | None:
        """The heaviest plan; None where it weighs too little. Of equals the first."""
        best = max(options, key=self.score, default=None)
        return None if best is None or (self.least is not None and self.score(best) < self.least) else best


def best_least(scores: Sequence[float], gains: Sequence[int]) -> float | None:
    """The threshold that gains most: the sum of `gains` over the questions that score at least so much.

    Args:
        scores: of the best plan of each held-out question.
        gains: 1 where asking it retrieves an answer that the whole question does not, -1 where it loses one, else 0.

    Of equal thresholds the lowest, None (no threshold) before any.
    """
    order = sorted(zip(scores, gains, strict=True))
    total = best = sum(gains)
    least = None
    for place, (score, gain) in enumerate(order):
        total -= gain
        above = order[place + 1][0] if place + 1 < len(order) else score + 1.0
        if total > best and above > score:
            best, least = total, (score + above) / 2
    return least


def save_choosing(folder: Path, choosing: Choosing) -> None:
    """Beside the decoder that it was chosen for."""
    from clew.learning.checkpoints import write_json

    write_json(folder / FILE, {"words": choosing.words, "least": choosing.least})


def read_choosing(folder: Path) -> Choosing:
    """What was chosen in training; the plain log-probability where nothing was. Raises FormatError."""
    from clew.learning.checkpoints import read_json  # loads torch, which a small decomposer needs anyway

    try:
        found = read_json(folder / FILE)
    except NotFoundError:
        return Choosing()
    try:
        return Choosing(float(found["words"]), None if found["least"] is None else float(found["least"]))
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{folder / FILE}: not the choice of a decomposer ({error}); train again") from None
