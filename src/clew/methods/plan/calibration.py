"""How likely the best plan is right: the network's own shares, brought to what was seen on graphs left out.

Logistic regression on a few signs of a reading, fitted by clew.reading.train on questions over graphs that the network
was not trained on; its numbers travel in the network's file.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from clew.reading.calibration import calibrated
from clew.reading.reader import Reading


def signs(reading: Reading) -> dict[str, float]:
    """What the calibration looks at."""
    best = reading.rated[0]
    same = sum(
        r.share
        for r in reading.rated
        if len(r.plan.ends) == len(best.plan.ends) and (r.plan.ends == best.plan.ends).all()
    )
    return {
        "share": math.log(max(same, 1e-6) / max(1 - same, 1e-6)),
        "none": math.log(max(reading.none, 1e-6) / max(1 - reading.none, 1e-6)),
        "long": float(len(best.plan.steps) > 1),
        "taken_up": float(best.features[15]),
    }


def probability(reading: Reading, numbers: Mapping[str, float]) -> float:
    """That the best plan is right."""
    return calibrated(signs(reading), numbers)
