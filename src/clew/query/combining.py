"""Two numbers of one thing put together: the quantity of a line times its price, the stock less its minimum.

Kept apart from the executor, which finds the numbers; here they meet, each with each where a thing has several. Units
are those of the one that has any: a price in euros times a quantity is in euros.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from clew.errors import InputError
from clew.query import plan as p
from clew.query.columns import Column, Floats
from clew.query.pairs import Places
from clew.query.text import show_measure
from clew.query.values import unit_of


@dataclass(frozen=True, slots=True)
class Figures:
    """The values of members that have an order: m of them, each with the place of its owner among the members."""

    owners: Places  # (m,) ascending
    low: Floats  # (m,) in the column's base unit or in seconds
    high: Floats  # (m,)
    column: Column


def joined(groups: Any, owners: Places, n: int) -> tuple[Places, Places]:
    """(place in `groups`, place in `owners`) of all pairs that name one group: m by k of them, none twice.

    `groups` (m,) names a group of n each; `owners` (k,), ascending, does so too.
    """
    counts = np.bincount(owners, minlength=n)
    first = np.cumsum(counts) - counts
    times = counts[groups]
    places = np.arange(int(times.sum())) + np.repeat(first[groups] - (np.cumsum(times) - times), times)
    return np.repeat(np.arange(len(groups)), times), places


def combined(mine: Figures, other: Figures, path: p.Path, beside: p.Combined, n: int) -> Figures:
    """The numbers of n things, each put together with each of the same thing's others.

    What would be divided by zero has no number. Raises InputError for dates and for units that do not fit.
    """
    name, sign, a, b = show_measure(path, beside), beside.sign, mine.column, other.column
    known = len(mine.low) and len(other.low)
    if known and "date" in (a.kind, b.kind):
        raise InputError(f"{name}: dates are not put together; the time between two is span(FIRST, LAST, days)")
    added = sign in ("+", "-")
    if known and added and a.dimension and b.dimension and a.dimension != b.dimension:
        raise InputError(f"{name}: {a.unit} and {b.unit} cannot be added or subtracted")
    first, second = joined(mine.owners, other.owners, n)
    left, right = mine.low[first], other.low[second]
    unit, dimension = a.unit or b.unit, a.dimension or b.dimension
    if added and bool(a.dimension) != bool(b.dimension):  # what has no unit is meant in that of the other
        left, right = (v if c.dimension else _in_base(v, unit) for v, c in ((left, a), (right, b)))
    if not added and a.dimension and b.dimension:
        left, right = _stated(left, a.unit), _stated(right, b.unit if b.dimension != a.dimension else a.unit)
        unit = dimension = ""
    owners = mine.owners[first]
    if sign == "/":
        if b.dimension and not a.dimension:
            right, unit, dimension = _stated(right, b.unit), "", ""
        some = right != 0
        owners, left, right = owners[some], left[some], right[some]
    made = {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide}[sign](left, right)
    nodes = np.arange(len(made), dtype=np.int32)
    return Figures(owners, made, made, Column("number", 1.0, nodes, made, made, dimension, unit))


def _in_base(values: Floats, unit: str) -> Floats:
    known = unit_of(unit)
    return values if known is None else values * known.factor + known.offset


def _stated(values: Floats, unit: str) -> Floats:
    known = unit_of(unit)
    return values if known is None else (values - known.offset) / known.factor
