"""The time between two dates in a unit, as people count it: days of the calendar, completed months and years.

Kept apart from the executor because it is arithmetic of the calendar and nothing else.

Shapes: n pairs of dates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clew.query.columns import Bools, Floats
from clew.query.plan import TimeUnit
from clew.query.values import DAY

_SECONDS: dict[TimeUnit, float] = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0, "days": DAY, "weeks": 7 * DAY}
_MOMENT, _OF_DAY, _OF_MONTH, _OF_YEAR, _LONGER = range(5)  # how exactly a date is known
_FARTHEST = 1e13  # seconds: dates beyond it are no dates of a calendar


def elapsed(
    first_low: Floats, first_high: Floats, last_low: Floats, last_high: Floats, unit: TimeUnit
) -> tuple[Bools, Floats]:
    """How long after one date another is, of dates as intervals in seconds since 1970.

    Returns:
        Which pairs are known exactly enough: (n,); and how many of `unit` lie between each, below zero where the last
        comes before the first: (n,).
    """
    coarsest = np.maximum(_exactness(first_low, first_high), _exactness(last_low, last_high))
    near = (np.abs(first_low) < _FARTHEST) & (np.abs(last_low) < _FARTHEST)
    first, last = (np.where(near, each, 0.0) for each in (first_low, last_low))
    if unit in _SECONDS:
        known = near & (coarsest <= (_OF_DAY if unit in ("days", "weeks") else _MOMENT))
        by_day = coarsest == _OF_DAY  # one of them may be a moment of its day
        apart = np.where(by_day, np.floor(last / DAY) * DAY - np.floor(first / DAY) * DAY, last - first)
        return known, apart / _SECONDS[unit]
    backward = last < first
    early, late = np.where(backward, last, first), np.where(backward, first, last)
    months_a, within_a = _months(early)
    months_b, within_b = _months(late)
    exact = coarsest < _OF_MONTH
    months = months_b - months_a - (exact & (within_b < within_a))
    years_apart = np.floor_divide(months_b, 12) - np.floor_divide(months_a, 12)
    count = months if unit == "months" else np.where(coarsest >= _OF_YEAR, years_apart, np.floor_divide(months, 12))
    known = near & (coarsest < (_OF_YEAR if unit == "months" else _LONGER))
    return known, np.where(backward, -count, count).astype(np.float64)


def _exactness(low: Floats, high: Floats) -> NDArray[np.int64]:
    """How exactly dates are known, by how long they are."""
    return np.searchsorted(np.array([0.0, DAY, 31 * DAY, 366 * DAY]), high - low, side="left")


def _months(seconds: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The months from 1970 to the one that each moment is in, and the seconds since its beginning."""
    days = np.floor(seconds / DAY).astype(np.int64).astype("datetime64[D]")
    months = days.astype("datetime64[M]")
    begins = months.astype("datetime64[D]").astype(np.int64) * DAY
    return months.astype(np.int64), seconds - begins
