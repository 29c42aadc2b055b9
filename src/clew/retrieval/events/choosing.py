"""Whether the likeliest plan over events is the answer, or what was found otherwise.

Logistic regressions over how sure both are and what each of them is; scripts/fit_events.py fits their numbers on
questions over graphs that the plan was not ranked by. One tells the two apart ("choice"), and one each how often the
plan ("plan") and what was found ("found") are right. Apart from `ranking` because here an answer is looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from clew.protocols import TextEncoder
from clew.retrieval.events.ranking import FORMS, RankedPlan, network, ranked
from clew.retrieval.events.scene import Scene
from clew.retrieval.unnamed.weighing import probability
from clew.types import Answer

SURE = 0.9  # what was found is not looked at again from this probability on
TAKEN = 0.5  # probability that the plan is right and the other is not from which it is taken
MOST = 0.98  # nothing is surer than this
UNNAMED = "unnamed"  # in the details of an answer: no word names what it compares by
_SORTS: dict[str, tuple[str, ...]] = {
    "lists": ("list_e", "list_k"),
    "counts": ("count_e", "count_k"),
    "figures": ("sum", "mean", "max_fig", "min_fig", "values_fig"),
    "dates": ("max_date", "min_date", "dates"),
    "columns": ("attr_e", "attr_k"),
    "tops": tuple(form for form in FORMS if form.startswith("top_")),
    "lacks": ("minus", "wherecount", "held_against"),
    "truths": ("exists_e", "exists_k", "truth_count", "truth_sum", "truth_mean"),
    "pairs": ("compare_count", "compare_sum", "compare_mean", "common"),
}
_OF_PLAN = (
    "e_coded", "e_spoken", "e_edge", "e_people", "left", "left_soft", "dropped", "loose", "k_asked", "k_is_e", "out",
    "val", "fig_said", "fig_amount", "k_len", "bare", "e_named", "asked_e", "counts_unused", "neg_unused", "cue_unused",
)  # fmt: skip
_OPERATES = re.compile(r"(?:count|sum|mean|min|max|compare|exists|is|top|values|difference|calc)\(")
_MANY = 10
SIGNS = (
    "ranked", "found", "refused", "planned", "unnamed", "surer", "operates", "says", "finds", "topics", "words",
    "ranked_refused", "ranked_planned", "read", "read_refused", "other_read", "surer_read", *_SORTS, *_OF_PLAN,
)  # fmt: skip


def signs_of(ranked: RankedPlan, answer: Answer) -> dict[str, float]:
    """What is seen of a plan over events beside an answer, by the names of `SIGNS`."""
    refused, planned = not answer.candidates, answer.plan is not None
    sure, other = _log_odds(ranked.probability), answer.candidates[0].score if answer.candidates else 0.0
    plan = answer.plan.text if answer.plan is not None else ""
    of, looked = ranked.candidate, ranked.looked
    signs = {
        "ranked": sure, "found": 0.0 if refused else _log_odds(other), "refused": refused, "planned": planned,
        "unnamed": UNNAMED in answer.details, "surer": ranked.probability > other,
        "operates": _OPERATES.match(plan) is not None, "says": min(len(answer.candidates), _MANY) / _MANY,
        "finds": min(ranked.things, _MANY) / _MANY, "topics": ranked.topics / 3, "words": ranked.words / 10,
        "ranked_refused": sure * refused, "ranked_planned": sure * planned, "read": looked.plan - looked.none,
        "read_refused": (looked.plan - looked.none) * refused, "other_read": looked.found - looked.none,
        "surer_read": (looked.plan - looked.found) * (not refused),
    }  # fmt: skip
    signs |= {name: of.form in forms for name, forms in _SORTS.items()}
    return {name: float(value) for name, value in signs.items()} | {name: of.signs.get(name, 0.0) for name in _OF_PLAN}


@dataclass(frozen=True, slots=True)
class Decision:
    """What to answer."""

    plan: RankedPlan | None  # None: what was found
    probability: float  # that it is right


def chosen(answer: Answer, scene: Callable[[], Scene], encoder: TextEncoder) -> Decision | None:
    """The likeliest plan over events where it is likelier to be right than an answer, or how likely the answer is;
    None where that is sure or nothing is ranked."""
    if answer.candidates and answer.candidates[0].score >= SURE:
        return None
    best = ranked(scene(), encoder, answer)
    return None if best is None else decided(best, answer, network().choosing)


def decided(best: RankedPlan, answer: Answer, numbers: Mapping[str, Mapping[str, float]]) -> Decision | None:
    """Whether the likeliest plan is taken, by the numbers of the regressions; None where nothing is answered."""
    signs = signs_of(best, answer)
    if probability(signs, numbers["choice"]) > TAKEN:
        return Decision(best, min(MOST, probability(signs, numbers["plan"])))
    return Decision(None, min(MOST, probability(signs, numbers["found"]))) if answer.candidates else None


def _log_odds(share: float) -> float:
    return math.log(max(share, 1e-3) / (1 - min(share, 0.999)))
