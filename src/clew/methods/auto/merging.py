"""What two readers propose for one question, side by side: every plan with what each of them thinks of it.

Two readers that were made in different ways (`walk` compares words, `plan` learned from questions) seldom make the same
mistake. Their scores mean different things, so a small rating, fitted on graphs left out, weighs them. It looks at
shares and ranks, never at words, so it holds for graphs that neither reader has seen.

Shapes: O options of a question, F features.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, NotFoundError
from clew.graph import Subgraph
from clew.methods.auto.weights import ANSWERABLE, CALIBRATION, WEIGHTS
from clew.methods.walk.candidates import WalkCandidate
from clew.reading.account import ACCOUNT
from clew.reading.calibration import calibrated
from clew.reading.growth import PlanCandidate, as_said_of_both
from clew.reading.reader import Rated, Reading
from clew.reading.topics import namesakes
from clew.reading.wording import PLAN_FEATURES
from clew.types import Topic

Floats = NDArray[np.float32]
LEAST = -9.0  # log-share of what a reader does not propose
DOUBT = 0.01  # share that is added to each of a reader's: where it is surely wrong, the other and the account decide
FILE = "auto.json"  # in the folder of a model: the numbers fitted to one graph


@dataclass(frozen=True, slots=True)
class RatingNumbers:
    """How far to believe each reader, and how sure to be.

    Two regressions look at the same signs. What is told is how likely the answer is right; whether to answer at all is
    decided by one fitted with many questions that the graph does not answer, which tells those better.
    """

    weights: Mapping[str, float]  # of FEATURES
    calibration: Mapping[str, float]  # of the probability that is told: "bias" and some of `signs`
    answerable: Mapping[str, float]  # of the one that the threshold is compared with

    @classmethod
    def shipped(cls) -> RatingNumbers:
        return cls(WEIGHTS, CALIBRATION, ANSWERABLE)

    @classmethod
    def read(cls, path: Path) -> RatingNumbers:
        """What `to_json` gave. Raises NotFoundError, or FormatError for anything else."""
        try:
            told = json.loads(path.read_bytes())
        except FileNotFoundError:
            raise NotFoundError(f"{path}: not there; make it with  clew train auto") from None
        except (ValueError, RecursionError):
            raise FormatError(f"{path}: damaged (no JSON); train again, or restore it") from None
        parts: dict[str, Any] = {table: told.get(table) if isinstance(told, dict) else None for table in TABLES}
        if parts["answerable"] is None:  # written when one calibration served both
            parts["answerable"] = parts["calibration"]
        for table, known in TABLES.items():
            if not isinstance(parts[table], dict):
                raise FormatError(f"{path}: damaged (expected {', '.join(TABLES)}); train again, or restore it")
            for name, value in parts[table].items():
                if name not in known or not isinstance(value, float) or not math.isfinite(value):
                    raise FormatError(f"{path}: {name} is {value!r}, expected a number of {', '.join(known)}")
        return cls(parts["weights"], *({"bias": 0.0, **parts[table]} for table in ("calibration", "answerable")))

    def to_json(self) -> dict[str, dict[str, float]]:
        return {table: dict(getattr(self, table)) for table in TABLES}


@dataclass(frozen=True, eq=False)
class RatedPlan:
    """One plan and what the readers say about it."""

    rated: Rated
    found: WalkCandidate | None  # None: `walk` does not propose it

    @property
    def plan(self) -> PlanCandidate:
        return self.rated.plan


def key_of(plan: PlanCandidate) -> tuple[object, ...]:
    """What makes two readers' plans the same."""
    return tuple(sorted((trail.topic, trail.steps) for trail in plan.trails)), plan.after


def as_plans(
    found: Sequence[WalkCandidate], graph: Subgraph, starts: Sequence[int]
) -> list[tuple[PlanCandidate, WalkCandidate]]:
    """What `walk` found from topics (local numbers), for `plan` to judge.

    What leads to the same from two topics is also read from what joins them: `walk` knows no such paths.
    """
    made = []
    for each in found:
        plan = PlanCandidate(each.trails, each.ends, (), 0.0, any(trail.sampled for trail in each.trails))
        both = as_said_of_both(plan, graph, starts)
        made += [(plan, each)] if both is None else [(plan, each), (both, each)]
    return made


def options(proposed: Sequence[tuple[PlanCandidate, WalkCandidate]], reading: Reading) -> list[RatedPlan]:
    """Every plan of a reading that has judged what `walk` proposed as well."""
    known = {key_of(plan): each for plan, each in proposed}
    return [RatedPlan(rated, known.get(key_of(rated.plan))) for rated in reading.rated]


FEATURES = (
    "walk",  # log of the share among what `walk` proposes, and DOUBT
    "plan",  # the same among what `plan` read
    "walk_same",  # log-share, with `walk`, of all options with the same ends
    "plan_same",
    "walk_first",  # no option has a greater share with `walk`
    "plan_first",
    "unproposed",  # `walk` does not propose it
    "joined",  # paths of several topics that meet
    "after",  # and go on from there
    "steps_2",
    "steps_3",
    *(f"plan.{name}" for name in PLAN_FEATURES if name != "known"),
    *(f"account.{name}" for name in ACCOUNT),
)


def features(options: Sequence[RatedPlan]) -> Floats:
    """(O, F)."""
    walk = np.array([LEAST if o.found is None else o.found.score for o in options], np.float64)
    proposed = np.array([o.found is not None for o in options])
    plan = np.array([o.rated.logit for o in options], np.float64)
    same: dict[bytes, int] = {}
    group = np.array([same.setdefault(o.plan.ends.tobytes(), len(same)) for o in options], np.int64)
    told = np.stack([np.append(option.rated.features, option.rated.account) for option in options])
    return table(walk, proposed, plan, group, told, _shape(options))


def _shape(options: Sequence[RatedPlan]) -> Floats:
    """(O, 4): paths that meet, whether steps follow, whether the longest path has two steps, or three."""
    rows = []
    for option in options:
        longest = max(len(trail.steps) for trail in option.plan.trails)
        rows.append((len(option.plan.trails) > 1, len(option.plan.after) > 0, longest == 2, longest > 2))
    return np.array(rows, np.float32)


def table(
    walk: NDArray[np.float64],
    proposed: NDArray[np.bool_],
    plan: NDArray[np.float64],
    group: NDArray[np.int64],
    told: Floats,
    shape: Floats,
) -> Floats:
    """(O, F) from (O,) scores of both readers, (O,) numbers of equal ends, and the features that are taken over."""
    rows = np.zeros((len(walk), len(FEATURES)), np.float32)
    for column, (scores, there) in enumerate(((walk, proposed), (plan, np.ones(len(plan), bool)))):
        if not there.any():
            rows[:, [column, column + 2]] = math.log(DOUBT), LEAST
            continue
        share = np.where(there, np.exp(np.where(there, scores, -np.inf) - scores[there].max()), 0.0)
        share /= share.sum()
        rows[:, column] = np.log(share + DOUBT)
        rows[:, column + 2] = np.maximum(np.log(np.maximum(np.bincount(group, share)[group], 1e-12)), LEAST)
        rows[:, column + 4] = share >= share.max()
    rows[:, 6] = ~proposed
    rows[:, 7:11] = shape
    rows[:, 11:] = told[:, 1:]
    return rows


@dataclass(frozen=True, eq=False)
class Merged:
    """The options of one question, best first."""

    options: tuple[RatedPlan, ...]
    shares: Floats  # (O,) of the probability that one of them is right, given that one is
    none: float  # share that `plan` gives to "none of these"
    signs: Mapping[str, float]  # what the calibration looks at
    probability: float  # that the best one is right
    answerable: float  # the same where many questions have no answer in the graph
    why: str  # who proposed it, in words

    def namesakes(self, topics: Sequence[Topic]) -> list[RatedPlan]:
        """Options that differ from the best only in which of several equally likely entities of one name they use."""
        return namesakes(self.options, topics, lambda each: (each.plan.trails, each.plan.after))


def merge(options: Sequence[RatedPlan], none: float, numbers: RatingNumbers) -> Merged:
    """The options by what both readers say.

    Args:
        none: the share that `plan` gives to "none of these".
    """
    rows = features(options)
    logits = rate(rows, numbers)
    order = np.argsort(-logits, kind="stable")
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    best = rows[order[0]]
    told = signs(best, shares[order], rows[order], none)
    return Merged(
        tuple(options[i] for i in order),
        shares[order].astype(np.float32),
        none,
        told,
        calibrated(told, numbers.calibration),
        calibrated(told, numbers.answerable),
        _why(best),
    )


def rate(rows: Floats, numbers: RatingNumbers) -> NDArray[np.float64]:
    """(O, F) -> (O,) logits; only differences between the options of one question mean anything."""
    weights = np.array([numbers.weights.get(name, 0.0) for name in FEATURES])
    logits: NDArray[np.float64] = rows.astype(np.float64) @ weights
    return logits


def _log_odds(share: float) -> float:
    return math.log(max(share, 1e-6) / max(1 - share, 1e-6))


def signs(best: Floats, shares: NDArray[np.float64], rows: Floats, none: float) -> dict[str, float]:
    """What tells whether the best option is right.

    Args:
        best: (F,) its features. shares, rows: (O,) and (O, F), best first.
    """
    value = dict(zip(FEATURES, best.tolist(), strict=True))
    walk, plan = value["walk_same"], value["plan_same"]
    return {
        "share": _log_odds(float(shares[0])),
        "walk": _log_odds(math.exp(walk)),
        "plan": _log_odds(math.exp(plan)),
        "both": value["walk_first"] * value["plan_first"],
        "neither": (1 - value["walk_first"]) * (1 - value["plan_first"]),
        "none": none,
        "none_odds": _log_odds(none),
        "unproposed": value["unproposed"],
        "steps_2": value["steps_2"],
        "steps_3": value["steps_3"],
        "joined": value["joined"],
        "after": value["after"],
        "left": value["plan.left"],
        "taken_up": value["plan.taken_up"],
        "width": value["plan.width"],
        "unused": value["plan.unused"],
        "kind_named": value["plan.kind_named"],
        "options": math.log(len(rows)),
        **{name: value[f"account.{name}"] for name in ACCOUNT},
    }


SIGNS = (
    "bias", "share", "walk", "plan", "both", "neither", "none", "none_odds", "unproposed", "steps_2", "steps_3",
    "joined", "after", "left", "taken_up", "width", "unused", "kind_named", "options", *ACCOUNT,
)  # fmt: skip
TABLES = {"weights": FEATURES, "calibration": SIGNS, "answerable": SIGNS}  # of RatingNumbers, and what they may name


def _why(best: Floats) -> str:
    value = dict(zip(FEATURES, best.tolist(), strict=True))
    walk, plan = (f"{100 * math.exp(value[name]):.0f} %" for name in ("walk_same", "plan_same"))
    if value["walk_first"] and value["plan_first"]:
        return f"walk and plan agree (walk {walk}, plan {plan})"
    if value["plan_first"]:
        return f"plan believed, not walk (walk {walk}, plan {plan})"
    if value["walk_first"]:
        return f"walk believed, not plan (walk {walk}, plan {plan})"
    return f"the first choice of neither, but likely to both (walk {walk}, plan {plan})"
