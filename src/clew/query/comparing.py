"""Comparing a column with stated values: kinds are made to fit or refused, then intervals are compared at once.

"Before 2008" means wholly before that year, "in 2008" within it: a date known to the year only is not "on 3 May 2008".

Shapes: m ends, v values compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import InputError
from clew.graph.strings import packed
from clew.graph.subgraph import Ints
from clew.query.columns import Bools, Column, Floats
from clew.query.values import ReadValue, from_base, in_base, parse_date, shown_date, shown_number, unit_of


@dataclass(frozen=True, slots=True)
class Readings:
    """Values to compare with: numbers in `unit` (not converted yet), or dates as intervals: (v,) each."""

    kind: str
    low: Floats
    high: Floats
    unit: str = ""
    precision: str = ""
    upper: Readings | None = None  # the end of a `between`


def text_matches(labels: Sequence[str], op: str, text: str) -> Bools:
    """Which labels equal, differ from, contain or start with a text, whatever the case: (m,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data, offsets = packed(labels)
    column = pa.LargeStringArray.from_buffers(len(labels), pa.py_buffer(offsets), pa.py_buffer(data))
    lowered = pc.utf8_lower(column)
    wanted = text.lower()
    if op == "contains":
        found = pc.match_substring(lowered, wanted)
    elif op == "starts":
        found = pc.starts_with(lowered, wanted)
    elif op in ("=", "!="):
        found = pc.equal(lowered, wanted) if op == "=" else pc.not_equal(lowered, wanted)
    else:
        raise InputError(f"a text has no order: {op!r} needs a number or a date")
    return np.asarray(found.to_numpy(zero_copy_only=False), bool)


def satisfied(column: Column, ends: Ints, op: str, against: Readings, name: str, note: Callable[[str], None]) -> Bools:
    """Which ends have a value that satisfies `op` with at least one of the values: (m,)."""
    known, low, high = column.of(ends)
    wanted = _fitted(column, against, name, note)
    if against.upper is not None:
        upper = _fitted(column, against.upper, name, note)
        held = (low >= wanted.low[0]) & _until(low, high, upper.low[0], upper.high[0])
    elif op in ("=", "!="):
        held = np.zeros(len(ends), bool)
        for w_low, w_high in zip(wanted.low.tolist(), wanted.high.tolist(), strict=True):
            if column.kind == "number":
                held |= np.isclose(low, w_low, rtol=1e-12, atol=0.0)
            else:
                held |= (low >= w_low) & _until(low, high, w_low, w_high)
        if op == "!=":
            held = ~held if len(wanted.low) == 1 else np.ones(len(ends), bool)
    elif op == "<":
        held = (high <= wanted.low.max()) & (low < wanted.low.max())
    elif op == "<=":
        held = _until(low, high, wanted.low[np.argmax(wanted.high)], wanted.high.max())
    elif op == ">":
        held = (low >= wanted.high.min()) & (low > wanted.low[np.argmin(wanted.high)])
    else:
        held = low >= wanted.low.min()
    return np.asarray(known & held, bool)


def _until(low: Floats, high: Floats, w_low: float, w_high: float) -> Bools:
    """Which intervals end no later than one; a moment at the end of a day is the next day's first."""
    return (high <= w_high) & ((low < w_high) | (w_low == w_high))


def _fitted(column: Column, against: Readings, name: str, note: Callable[[str], None]) -> Readings:
    """The values in the column's kind and base unit. Raises InputError where the two do not fit."""
    if column.kind == "number" and against.kind == "number":
        return _converted(column, against, name, note)
    if column.kind == against.kind == "date" and (column.precision == "clock") != (against.precision == "clock"):
        holds = "times of the day" if column.precision == "clock" else "dates"
        raise InputError(
            f"{name} holds {holds}; compare with {'date(T15:30)' if holds != 'dates' else 'date(2008-05-03)'}"
        )
    if column.kind == "date" and against.kind == "number":
        years = [parse_date(f"{int(v):04d}") if v == int(v) and 0 < v < 10_000 else None for v in against.low.tolist()]
        if against.unit or not all(years):
            shown = f"{shown_number(float(against.low[0]))} {against.unit}".strip()
            raise InputError(f"{name} holds dates, and {shown} is none; compare with date(2008) or date(2008-05-03)")
        return Readings("date", np.array([y.low for y in years if y]), np.array([y.high for y in years if y]))
    if column.kind == "number" and against.kind == "date":
        if against.precision != "year" or column.dimension:
            raise InputError(f"{name} holds numbers, which cannot be compared with a date; years can be: date(2008)")
        years_ = np.array([float(shown_date(ReadValue("date", v, v, "year"))) for v in against.low.tolist()])
        return Readings("number", years_, years_)
    return against


def _converted(column: Column, against: Readings, name: str, note: Callable[[str], None]) -> Readings:
    unit = against.unit
    if unit and not column.dimension and column.stated:
        meant, own = unit_of(unit), unit_of(column.stated)
        assert own is not None
        if meant is not None and meant.dimension != own.dimension:
            raise InputError(f"{name} is in {column.stated}: {unit} cannot be compared with it")
        own_values = np.array([from_base(in_base(v, unit), column.stated) for v in against.low.tolist()])
        return Readings("number", own_values, own_values)
    if unit and not column.dimension:
        note(f"{name} states no unit: {unit} was not converted")
        unit = ""
    elif unit:
        meant = unit_of(unit)
        if meant is not None and meant.dimension != column.dimension:
            raise InputError(f"{name} is a {column.dimension} (in {column.unit}): {unit} cannot be compared with it")
    else:
        unit = column.unit
    base = np.array([in_base(v, unit) for v in against.low.tolist()])
    return Readings("number", base, base)
