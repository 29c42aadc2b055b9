"""Whether the likeliest plan over events is the answer, or what was found otherwise.

A logistic regression over how sure both are and what each of them is; scripts/fit_events.py fits its numbers on
questions over graphs that the plan was not ranked by. Apart from `ranking` because here an answer is looked at.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping

from clew.protocols import TextEncoder
from clew.retrieval.events.ranking import FORMS, RankedPlan, network, ranked
from clew.retrieval.events.scene import Scene
from clew.retrieval.unnamed.weighing import probability
from clew.types import Answer

SURE = 0.9  # what was found is not looked at again from this probability on
TAKEN = 0.5  # probability that the plan is right and the other is not from which it is taken
BELIEVED = 0.9  # of its probability: so often plans were right, beside it, on graphs that the network had not seen
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
    "ranked_refused", "ranked_planned", *_SORTS, *_OF_PLAN,
)  # fmt: skip


def signs_of(ranked: RankedPlan, answer: Answer) -> dict[str, float]:
    """What is seen of a plan over events beside an answer, by the names of `SIGNS`."""
    refused, planned = not answer.candidates, answer.plan is not None
    sure, other = _log_odds(ranked.probability), answer.candidates[0].score if answer.candidates else 0.0
    plan = answer.plan.text if answer.plan is not None else ""
    of = ranked.candidate
    signs = {
        "ranked": sure, "found": 0.0 if refused else _log_odds(other), "refused": refused, "planned": planned,
        "unnamed": UNNAMED in answer.details, "surer": ranked.probability > other,
        "operates": _OPERATES.match(plan) is not None, "says": min(len(answer.candidates), _MANY) / _MANY,
        "finds": min(ranked.things, _MANY) / _MANY, "topics": ranked.topics / 3, "words": ranked.words / 10,
        "ranked_refused": sure * refused, "ranked_planned": sure * planned,
    }  # fmt: skip
    signs |= {name: of.form in forms for name, forms in _SORTS.items()}
    return {name: float(value) for name, value in signs.items()} | {name: of.signs.get(name, 0.0) for name in _OF_PLAN}


def likelier(answer: Answer, scene: Callable[[], Scene], encoder: TextEncoder) -> RankedPlan | None:
    """The likeliest plan over events where it is likelier to be right than an answer; None where it is not."""
    if answer.candidates and answer.candidates[0].score >= SURE:
        return None
    best = ranked(scene(), encoder)
    return best if best is not None and prefers(best, answer, network().choice) else None


def prefers(ranked: RankedPlan, answer: Answer, numbers: Mapping[str, float]) -> bool:
    """Whether the plan is likelier to be right than the answer."""
    return probability(signs_of(ranked, answer), numbers) > TAKEN


def _log_odds(share: float) -> float:
    return math.log(max(share, 1e-3) / (1 - min(share, 0.999)))
