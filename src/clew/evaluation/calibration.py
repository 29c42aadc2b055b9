"""Whether scores mean what they say: reliability, expected calibration error, and risk against coverage.

Kept apart because methods use it to set their thresholds and evaluation uses it to report them. Correctness is any
number in [0, 1] per question, usually hits@1; confidence is the score of the first candidate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import InputError


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """The questions whose confidence lies in [low, high)."""

    low: float
    high: float
    n: int
    confidence: float  # mean
    accuracy: float  # mean


@dataclass(frozen=True, slots=True)
class Calibration:
    """How far confidence is from accuracy, and what abstaining more would buy."""

    ece: float  # expected calibration error, in [0, 1]
    brier: float  # mean squared distance of confidence and correctness
    bins: tuple[ReliabilityBin, ...]  # empty ones left out
    coverage: tuple[float, ...]  # share of all questions answered when the threshold falls
    risk: tuple[float, ...]  # share of wrong ones among those, at each coverage
    aurc: float | None  # area under risk over coverage divided by the coverage reached; None: nothing was answered
    n: int  # answered questions


def calibrate(
    confidence: Sequence[float], correct: Sequence[float], *, unanswered: int = 0, bins: int = 10
) -> Calibration:
    """Calibration of answered questions.

    Args:
        confidence, correct: one number per answered question, both in [0, 1].
        unanswered: questions without an answer; they bound the coverage that can be reached.
        bins: bins of equal width; the last includes 1.

    Raises:
        InputError: a confidence outside [0, 1], or lengths that differ.
    """
    p, y = np.asarray(confidence, float), np.asarray(correct, float)
    if p.shape != y.shape:
        raise InputError(f"calibration: {len(p)} confidences for {len(y)} questions")
    if len(p) and not (np.isfinite(p).all() and p.min() >= 0 and p.max() <= 1):
        raise InputError(f"calibration: confidences from {p.min()} to {p.max()}, expected numbers in [0, 1]")
    n = len(p)
    place = np.minimum((p * bins).astype(int), bins - 1)
    counts = np.bincount(place, minlength=bins)
    said, was = np.bincount(place, p, bins), np.bincount(place, y, bins)
    filled = np.flatnonzero(counts)
    coverage, risk = _risk_coverage(p, y, n + unanswered)
    return Calibration(
        ece=float(np.abs(said - was).sum() / n) if n else 0.0,
        brier=float(np.mean((p - y) ** 2)) if n else 0.0,
        bins=tuple(
            ReliabilityBin(i / bins, (i + 1) / bins, int(counts[i]), said[i] / counts[i], was[i] / counts[i])
            for i in filled.tolist()
        ),
        coverage=tuple(coverage),
        risk=tuple(risk),
        aurc=_area(coverage, risk),
        n=n,
    )


def _risk_coverage(p: np.ndarray, y: np.ndarray, total: int) -> tuple[list[float], list[float]]:
    """Coverage and risk at every distinct confidence, highest first: equal confidences are answered together."""
    if not len(p):
        return [], []
    order = np.argsort(-p, kind="stable")
    last = np.flatnonzero(np.append(np.diff(p[order]) != 0, True))
    wrong = np.cumsum(1 - y[order])[last]
    return ((last + 1) / total).tolist(), (wrong / (last + 1)).tolist()


def _area(coverage: list[float], risk: list[float]) -> float | None:
    if not coverage:
        return None
    x, y = np.array([0.0, *coverage]), np.array([risk[0], *risk])
    return float(np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1]) / 2) / coverage[-1])
