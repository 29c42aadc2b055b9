"""Intervals and tests for metrics that are ratios of sums over questions.

Every aggregate here is sum(numerators) / sum(denominators) over questions: a macro mean has denominators of one, a
micro average has counts, a metric that does not apply to a question has 0 / 0. One resampling then serves all of them.
Written with numpy only, so that scoring needs no statistics package; tests compare with scipy.

Shapes: Q questions, M metrics, B resamples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError

Floats = NDArray[np.float64]
Interval = Literal["percentile", "bca"]
CHUNK = 4_000_000
"""Resampled positions held at once."""
NORMAL = NormalDist()
EXACT_FLIPS = 14
"""Up to so many differing pairs every sign pattern is tried instead of a sample."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric over questions with its confidence interval. `n` is the number of questions it applies to."""

    value: float | None
    low: float | None
    high: float | None
    n: int

    def __str__(self) -> str:
        if self.value is None:
            return "–"
        if self.low is None or self.high is None:
            return f"{100 * self.value:.1f}"
        return f"{100 * self.value:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def estimates(
    numerators: Floats,
    denominators: Floats,
    *,
    samples: int = 2000,
    level: float = 0.95,
    seed: int = 0,
    kind: Interval = "bca",
) -> list[Estimate]:
    """Bootstrap intervals over questions, all metrics from the same resamples.

    Args:
        numerators: (Q, M). denominators: (Q, M), 0 where a metric does not apply to a question.
        samples: resamples; 0 gives values without intervals.
        kind: `percentile`, or `bca` (bias-corrected and accelerated; Efron 1987), which is better near 0 and 1.
    """
    numerators, denominators = np.asarray(numerators, float), np.asarray(denominators, float)
    totals = denominators.sum(axis=0)
    applies = (denominators > 0).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        values = numerators.sum(axis=0) / totals
    bounds: list[tuple[float, float] | None] = [None] * numerators.shape[1]
    if samples and len(numerators):
        resampled = _resample(numerators, denominators, samples, seed)
        for m in np.flatnonzero(totals > 0):
            draws = resampled[:, m][np.isfinite(resampled[:, m])]
            if len(draws):
                shares = _shares(draws, values[m], numerators[:, m], denominators[:, m], level, kind)
                low, high = np.quantile(draws, shares)
                bounds[m] = (float(low), float(high))
    return [
        Estimate(
            float(values[m]) if totals[m] > 0 else None,
            each[0] if each else None,
            each[1] if each else None,
            int(applies[m]),
        )
        for m, each in enumerate(bounds)
    ]


def _resample(numerators: Floats, denominators: Floats, samples: int, seed: int) -> Floats:
    """(B, M) the ratios of `samples` resamples of the questions with replacement; NaN where nothing applies."""
    rng = np.random.default_rng(seed)
    q, m = numerators.shape
    both = np.concatenate([numerators, denominators], axis=1)
    rows = max(1, CHUNK // q)
    parts = []
    for start in range(0, samples, rows):
        b = min(rows, samples - start)
        picked = rng.integers(0, q, (b, q)) + np.arange(b)[:, None] * q
        weights = np.bincount(picked.ravel(), minlength=b * q).reshape(b, q)
        parts.append(weights @ both)
    sums = np.concatenate(parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        ratios: Floats = sums[:, :m] / sums[:, m:]
    return ratios


def _shares(draws: Floats, value: float, top: Floats, bottom: Floats, level: float, kind: Interval) -> list[float]:
    """The two quantiles of the resamples that bound the interval."""
    plain = [(1 - level) / 2, (1 + level) / 2]
    if kind == "percentile":
        return plain
    below = (np.mean(draws < value) + np.mean(draws <= value)) / 2
    if not 0 < below < 1:
        return plain
    bias = NORMAL.inv_cdf(float(below))
    rest = bottom.sum() - bottom
    if (rest <= 0).any():
        return plain
    left_out = (top.sum() - top) / rest
    gaps = left_out.mean() - left_out
    spread = float((gaps**2).sum())
    acceleration = float((gaps**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0
    shares = []
    for share in plain:
        z = bias + NORMAL.inv_cdf(share)
        room = 1 - acceleration * z
        if room <= 0:
            return plain
        shares.append(NORMAL.cdf(bias + z / room))
    return shares


def paired_permutation(differences: Sequence[float] | Floats, *, samples: int = 10_000, seed: int = 0) -> float:
    """Two-sided p of a mean difference of zero, by flipping signs of the pairs' differences.

    Exact for up to 14 differing pairs; above, sampled with the observed one counted in, so that p is never 0.
    """
    gaps = np.asarray(differences, float)
    gaps = gaps[gaps != 0]
    n = len(gaps)
    if n == 0:
        return 1.0
    observed = abs(gaps.sum()) * (1 - 1e-12)
    if n <= EXACT_FLIPS:
        signs = 1.0 - 2.0 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float(np.mean(np.abs(signs @ gaps) >= observed))
    rng = np.random.default_rng(seed)
    extreme, rows = 0, max(1, CHUNK // n)
    for start in range(0, samples, rows):
        b = min(rows, samples - start)
        signs = 1.0 - 2.0 * rng.integers(0, 2, (b, n), dtype=np.int8)
        extreme += int(np.count_nonzero(np.abs(signs @ gaps) >= observed))
    return (extreme + 1) / (samples + 1)


def mcnemar(only_first: int, only_second: int) -> float:
    """Two-sided exact p of McNemar's test on the questions that only one of two systems got right."""
    n, k = only_first + only_second, min(only_first, only_second)
    if n == 0 or 2 * k == n:
        return 1.0
    term = tail = 1
    for i in range(k):
        term = term * (n - i) // (i + 1)
        tail += term
    return min(1.0, 2 * tail / 2**n) if n < 1000 else min(1.0, float(_shifted(2 * tail, n)))


def _shifted(tail: int, n: int) -> float:
    """tail / 2**n for integers far beyond the range of floats."""
    spare = max(0, tail.bit_length() - 64)
    return float((tail >> spare) * 2.0 ** (spare - n)) if spare - n > -1074 else 0.0


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction, in the order given."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    corrected, highest = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = highest
    return corrected


def check_level(level: float) -> None:
    """Raises InputError unless 0 < level < 1."""
    if not 0 < level < 1:
        raise InputError(f"confidence level {level!r}: expected a number between 0 and 1, such as 0.95")
