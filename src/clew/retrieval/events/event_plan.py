"""A plan over the events of a graph that a question may mean, and what speaks for it.

Apart from what makes such plans (`candidates`) and from what tells which is meant (`ranking`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from clew.query import plan as p

Form = Literal[
    "list_e", "list_k", "count_e", "count_k", "sum", "mean", "max_date", "min_date", "dates", "max_fig", "min_fig",
    "values_fig", "attr_e", "attr_k", "top_k_count", "top_k_sum", "top_k_mean", "top_c_count", "top_c_sum",
    "top_c_mean", "top_own", "top_own_k", "minus", "exists_e", "exists_k", "compare_count", "compare_sum",
    "compare_mean", "truth_count", "truth_sum", "truth_mean", "common", "wherecount",
    "held_against", "differ", "count_minus", "where_sum", "compare_own", "gap_count", "gap_sum", "gap_mean", "gap_own",
    "left", "left_sum", "truth_all", "attr_top", "count_each", "sum_each", "attr_two",
]  # fmt: skip
"""What is asked of events (e), of things of a kind (k) that they lead to, or of what a column (c) says of them."""
BELOW_ZERO = frozenset[Form](["gap_count", "gap_sum", "gap_mean", "gap_own", "left", "left_sum"])
"""What nobody asks for where it is below zero: the gap of two goes by the larger first."""
Signs = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class EventPlan:
    """A plan that may be meant."""

    plan: p.Plan
    form: Form
    kind: str  # what its things are of
    signs: Signs  # what speaks for it, by names
