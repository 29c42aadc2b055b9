"""The time between two dates: days of the calendar, completed months and years, and what is not known exactly."""

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.query.elapsed import elapsed
from clew.query.plan import TimeUnit
from clew.query.values import parse_date
from clew.testing.plan_oracle import between
from effort import examples


def apart(first: str, last: str, unit: TimeUnit) -> float | None:
    read = [parse_date(text) for text in (first, last)]
    ends = [np.array([end]) for each in read if each is not None for end in (each.low, each.high)]
    known, times = elapsed(ends[0], ends[1], ends[2], ends[3], unit)
    return float(times[0]) if known[0] else None


@pytest.mark.parametrize(
    ("first", "last", "unit", "wanted"),
    [
        ("1949-07-22", "1996-07-21", "years", 46),
        ("1949-07-22", "1996-07-22", "years", 47),
        ("2000-02-29", "2001-02-28", "years", 0),
        ("2020-01-31", "2020-03-01", "months", 1),
        ("2021-03-01", "2020-01-31", "months", -13),
        ("-0044-03-15", "0014-08-19", "years", 58),
        ("1998", "2004", "years", 6),
        ("1998", "2004-05-03", "years", 6),
        ("1998", "2004", "days", None),
        ("1998-05", "2004-04", "years", 5),
        ("1998-05", "1998-09", "months", 4),
        ("1998-05", "1998-09", "days", None),
        ("2025-01-22T08:03:00Z", "2025-01-22T10:48:00Z", "minutes", 165),
        ("2025-01-22T08:03:00+02:00", "2025-01-22T08:03:00Z", "hours", 2),
        ("2025-01-22", "2025-01-23", "hours", None),
        ("2025-01-22T23:00:00Z", "2025-01-24", "days", 2),
        ("2025-01-01", "2025-01-15", "weeks", 2),
    ],
)
def test_times_as_people_count_them(first: str, last: str, unit: TimeUnit, wanted: float | None) -> None:
    assert apart(first, last, unit) == wanted


@examples(300)
@given(
    st.dates(date(1600, 1, 1), date(2200, 1, 1)),
    st.integers(-9000, 9000),
    st.sampled_from(["days", "weeks", "months", "years"]),
)
def test_times_agree_with_counting_one_by_one(first: date, later: int, unit: TimeUnit) -> None:
    last = first + timedelta(days=later)
    assert apart(first.isoformat(), last.isoformat(), unit) == pytest.approx(between(first, last, unit))
