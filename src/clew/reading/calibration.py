"""Signs of a reading to the probability that it is right, by the numbers of a logistic regression."""

from __future__ import annotations

import math
from collections.abc import Mapping

MOST = 0.98  # no question over a graph never seen is surer than this


def calibrated(signs: Mapping[str, float], numbers: Mapping[str, float], most: float = MOST) -> float:
    """In [0, `most`]. A sign that has no number counts nothing."""
    total = numbers.get("bias", 0.0) + sum(numbers.get(name, 0.0) * value for name, value in signs.items())
    return min(most, 1 / (1 + math.exp(-max(-50.0, min(50.0, total)))))
