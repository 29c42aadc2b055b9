"""Plans as sequences of tokens: the topic a trail starts from, its steps, and the end, for one question at a time.

Shared by training and answering, so that the network sees the same thing in both.

Shapes: P plans, L tokens of the longest, S distinct steps, F plan features, G step features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.reading.growth import PlanCandidate
from clew.reading.wording import Floats, QuestionWording, WordedStep, Wording, plan_features, step_features

ROLES = 5
NONE, START, STEP, AFTER, END = range(ROLES)
TRAILS, PLACES = 3, 4  # most trails of a plan; most steps of a trail, and its start
Token = tuple[int, int, int, int]
"""(role, trail, place in the trail, what it refers to: a mention for START, a distinct step for STEP and AFTER)."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """What the network is given about a question's plans."""

    steps: list[WordedStep]  # (S,)
    step_kinds: list[str]  # (S,) of what each leads to, where a plan ends with it
    step_features: Floats  # (S, G)
    tokens: NDArray[np.int32]  # (P, L, 4)
    features: Floats  # (P, F)
    kinds: list[str]  # (P,) of the ends
    start_kinds: list[str]  # per mention


def tokens_of(trails: Sequence[tuple[int, Sequence[int]]], after: Sequence[int]) -> list[Token]:
    """The tokens of a plan: per trail its mention and the numbers of its distinct steps; then those walked after."""
    tokens: list[Token] = []
    for number, (mention, steps) in enumerate(trails[:TRAILS]):
        tokens.append((START, number, 0, mention))
        tokens += [(STEP, number, min(i + 1, PLACES - 1), step) for i, step in enumerate(steps)]
    tokens += [(AFTER, 0, min(i + 1, PLACES - 1), step) for i, step in enumerate(after)]
    tokens.append((END, 0, 0, 0))
    return tokens


def padded(rows: Sequence[Sequence[Token]]) -> NDArray[np.int32]:
    """(P, L, 4), zeros where a plan is shorter."""
    table = np.zeros((len(rows), max((len(row) for row in rows), default=1), 4), np.int32)
    for i, row in enumerate(rows):
        table[i, : len(row)] = row
    return table


def sheet(
    asked: QuestionWording,
    plans: Sequence[PlanCandidate],
    wording: Wording,
    starts: Sequence[int],
    mentions: Sequence[int],
) -> Sheet:
    """The sheet of the plans grown for a question."""
    numbers: dict[WordedStep, int] = {}
    rows = []
    said = [plan_features(asked, plan, wording, starts, mentions) for plan in plans]
    leads: dict[int, str] = {}
    for plan, (_, kind) in zip(plans, said, strict=True):
        trails = [
            (mentions[t.topic], [numbers.setdefault(wording.step(s), len(numbers)) for s in t.steps])
            for t in plan.trails
        ]
        after = [numbers.setdefault(wording.step(step), len(numbers)) for step in plan.after]
        rows.append(tokens_of(trails, after))
        if len(trails) == 1 or after:
            leads.setdefault((after or trails[0][1])[-1], kind or wording.value(plan.ends))
    first = dict(zip(reversed(mentions), reversed(starts), strict=True))
    steps = list(numbers)
    return Sheet(
        steps,
        [leads.get(number, "") for number in range(len(steps))],
        step_features(asked, steps),
        padded(rows),
        np.array([row for row, _ in said], np.float32).reshape(len(plans), -1),
        [kind for _, kind in said],
        [wording.kind(first[mention]) for mention in sorted(first)],
    )
