"""From a question and the trails found to one number per trail: features, their weights, and the calibration.

Separate from search because this is the part that is fitted (scripts/fit_walk.py): a score over a few general
features, no parameter of which knows a graph. A path is good when each of its steps is asked for by its own phrase,
when every content word of the question is asked for by some step, and when its end is the kind of thing asked for.

Shapes: P paths (of any length), K steps, G phrases, W content words, U distinct steps, D width of a vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from clew.retrieval.scoring import QuestionParts

Floats = NDArray[np.float32]

FEATURES = (
    "asked",  # mean over steps of the likeness to the step's own phrase
    "asked_least",  # the least of these
    "covered",  # mean over content words of the likeness to the best step (or the kind of the ends)
    "covered_least",  # the least of these
    "covered_special",  # the same mean, words weighing as much as they tell the question's relations apart
    "whole",  # likeness of the question to the path as one text
    "mean",  # likeness of the question to the mean of the steps
    "last",  # likeness of the question to the last step
    "order",  # share of steps whose phrase stands further from the topic than the step before's
    "kind",  # likeness of what is asked for (the noun after "which", "person" for "who") to the kind of the ends
    "head",  # likeness of what is asked for to the last step, walked forward
    "head_elsewhere",  # the last step is walked backward, yet some relation's objects are what is asked for
    "backward",  # the last step is walked backward
    "value_fits",  # the ends are times or numbers and the question asks for such
    "value_misfits",  # they are and it does not, or it does and they are not
    "steps_2",
    "steps_3",
    "fewer_steps",  # than the question has linking words
    "more_steps",  # than the question has linking words, or one
    "pair",  # two topics' paths that meet
    "pair_missed",  # several topics are named together, and the path starts from one
    "through_value",  # an inner step leads to a literal, a number or a time
    "width",  # log of the number of ends
    "back",  # a step walks back over the one before
    "back_shared",  # the same where the question asks for something in common
    "short_shared",  # one step where the question asks for something in common
    "repeated",  # the same step twice
    "inverse",  # share of steps walked against their direction
    "topics",  # share of the question's topics that the path uses
    "linked",  # how certain the topics are
    "named",  # share of the ends that the question itself names
)

Steps = tuple[Floats, Floats, Floats]
"""Vectors of the distinct steps, each (U, D): as walked forward, as walked backward, and as really walked."""


@dataclass(frozen=True, slots=True)
class Rating:
    """One score per path: a linear part, and a few hidden units for what counts only together.

    "Walks back over its own relation" is right where something shared is asked for and wrong elsewhere; "two steps" is
    right where the question chains two things. A linear score can only weigh such signs against each other.
    Shapes: H hidden units.
    """

    linear: Floats  # (F,)
    inner: Floats  # (F, H)
    shift: Floats  # (H,)
    outer: Floats  # (H,)

    @classmethod
    def of(cls, linear: Mapping[str, float], units: Mapping[str, Sequence[float]]) -> Rating:
        """From names to numbers: what each feature gives each unit, its "bias", and what it "gives" in the end."""
        return cls(
            np.array([linear[name] for name in FEATURES], np.float32),
            np.array([units.get(name, [0.0] * len(units["bias"])) for name in FEATURES], np.float32),
            np.array(units["bias"], np.float32),
            np.array(units["gives"], np.float32),
        )

    def __call__(self, rows: Floats) -> Floats:
        """(P, F) features -> (P,) scores; only differences between paths of one question mean anything."""
        scores: Floats = rows @ self.linear + np.tanh(rows @ self.inner + self.shift) @ self.outer
        return scores


NEAREST = 5  # phrases per step that compete for it


@dataclass(frozen=True, slots=True)
class RankedPath:
    """One candidate, reduced to what ranking needs. Branches are the trails of different topics with common ends."""

    branches: tuple[tuple[int, ...], ...]  # distinct-step numbers per branch
    back: bool
    inverse: float
    backward: bool  # the last step is walked against its direction
    width: int
    topics: float
    linked: float
    named: float
    kinds: tuple[int, ...]  # per step, number of the text that names the kind of what it leads to
    through_value: bool  # an inner step leads to a literal, a number or a time
    value: str  # of the ends: "time", "number", "none"


def features(
    asked: QuestionParts,
    question: Floats,
    phrases: Floats,
    steps: Steps,
    kinds: Floats,
    paths: Sequence[RankedPath],
) -> Floats:
    """(P, len(FEATURES)).

    Args:
        question: (D,) the masked question.
        phrases: (G, D).
        steps: texts of the distinct steps as vectors.
        kinds: (any, D).

    For "whole" the mean of the steps stands in.
    """
    table = np.zeros((len(paths), len(FEATURES)), np.float32)
    forward, backward, along = steps
    likeness = np.maximum(phrases @ forward.T, phrases @ backward.T)  # (G, U): words say little about direction
    common = likeness.mean(axis=1, keepdims=True)  # "films" is like every relation of a film graph: it asks for none
    special = likeness - common
    spans = np.array(asked.spans, np.int64).reshape(-1, 2)
    distance = _distances(asked, spans)
    words = np.array(asked.words, np.int64)
    to_step = np.maximum(forward @ question, backward @ question)
    heads = np.array(asked.heads, np.int64)
    kind = np.array([path.kinds[-1] for path in paths])
    to_kind = phrases @ kinds.T
    column = {name: table[:, i] for i, name in enumerate(FEATURES)}
    by_length: dict[int, list[int]] = {}
    for i, path in enumerate(paths):
        by_length.setdefault(sum(map(len, path.branches)), []).append(i)
    for members in by_length.values():
        chosen = np.array([[s for branch in paths[i].branches for s in branch] for i in members], np.int64)  # (P, K)
        follows = np.array([len(paths[i].branches[0]) for i in members])  # where the second branch begins
        values, column["order"][members] = _assign(special, spans, distance, chosen, follows)
        column["asked"][members] = values.mean(axis=1)
        column["asked_least"][members] = values.min(axis=1)
        if len(words):
            covered = likeness[words][:, chosen].max(axis=2).T  # (P, W)
            passed = np.array([paths[i].kinds for i in members])
            covered = np.maximum(covered, to_kind[words][:, passed].max(axis=2).T)
            column["covered"][members] = covered.mean(axis=1)
            column["covered_least"][members] = covered.min(axis=1)
            telling = special[words].max(axis=1)
            told = ((covered - common[words].T) * telling).sum(axis=1)
            column["covered_special"][members] = told / max(float(telling.sum()), 1e-9)
        mean = along[chosen].mean(axis=1)
        column["mean"][members] = (mean @ question) / np.maximum(np.linalg.norm(mean, axis=1), 1e-9)
        last = chosen[np.arange(len(members)), follows - 1], chosen[:, -1]
        column["last"][members] = (to_step[last[0]] + to_step[last[1]]) / 2
        if len(heads):
            column["head"][members] = special[heads][:, [last[0], last[1]]].max(axis=(0, 1))
        ranked = np.sort(chosen, axis=1)
        column["repeated"][members] = (ranked[:, 1:] == ranked[:, :-1]).any(axis=1)
    column["whole"][:] = column["mean"]
    if len(heads):
        column["kind"][:] = to_kind[heads].max(axis=0)[kind]
    valued = np.array([path.value != "none" for path in paths])
    column["value_fits"][:] = valued & (asked.cue in ("number", "time"))
    column["value_misfits"][:] = valued != (asked.cue in ("number", "time"))
    column["width"][:] = np.log1p([path.width for path in paths])
    alone = asked.shared and len(asked.topics) < 2
    backward_last = np.array([path.backward for path in paths])
    column["backward"][:] = backward_last
    if len(heads):
        column["head_elsewhere"][:] = special[heads].max() * backward_last
        column["head"][:] *= ~backward_last
    column["back_shared"][:] = [path.back and alone for path in paths]
    column["short_shared"][:] = [alone and sum(map(len, path.branches)) == 1 for path in paths]
    longest = np.array([max(map(len, path.branches)) for path in paths])
    column["steps_2"][:], column["steps_3"][:] = longest == 2, longest >= 3
    column["fewer_steps"][:] = np.maximum(min(asked.links, 3) - longest, 0)
    column["more_steps"][:] = np.maximum(longest - max(asked.links, 1), 0)
    pair = np.array([len(path.branches) > 1 for path in paths])
    column["pair"][:], column["pair_missed"][:] = pair, asked.joint & ~pair
    for name in ("back", "through_value", "inverse", "topics", "linked", "named"):
        column[name][:] = [getattr(path, name) for path in paths]
    return table


def _distances(asked: QuestionParts, spans: NDArray[np.int64]) -> Floats:
    """(G,) words between a phrase and the nearest topic; 0 where no topic stands in the text."""
    if not asked.topics or not len(spans):
        return np.zeros(len(spans), np.float32)
    topics = np.array(asked.topics)
    middle = (spans[:, 0] + spans[:, 1] - 1) / 2
    nearest: Floats = np.abs(middle[:, None] - topics[None]).min(axis=1).astype(np.float32)
    return nearest


@lru_cache(maxsize=64)
def _combos(near: int, length: int) -> NDArray[np.int64]:
    """(C, K) every choice of one of `near` phrases per step; `near` itself means: none."""
    return np.array(list(product(range(near + 1), repeat=length)))


def _assign(
    likeness: Floats,
    spans: NDArray[np.int64],
    distance: Floats,
    chosen: NDArray[np.int64],
    follows: NDArray[np.int64],
) -> tuple[Floats, Floats]:
    """Give each step its own phrase, none overlapping another's, so that the sum of likenesses is greatest.

    Args:
        follows: (P,) the step with which the second branch begins; K where there is one branch.

    Returns:
        (P, K) likeness of each step to its phrase, and (P,) the share of neighbouring steps in reading order.
    """
    count, length = chosen.shape
    near = min(NEAREST, len(likeness))
    if near == 0:
        return np.zeros((count, length), np.float32), np.full(count, 0.5, np.float32)
    top = np.argpartition(-likeness, near - 1, axis=0)[:near]  # (T, U)
    mine = top[:, chosen].transpose(1, 2, 0)  # (P, K, T) phrase numbers
    value = likeness[mine, chosen[:, :, None]]
    combos = _combos(near, length)
    value = np.concatenate([value, np.zeros((count, length, 1), np.float32)], axis=2)
    start = np.concatenate([spans[mine, 0], np.full((count, length, 1), -1)], axis=2)
    end = np.concatenate([spans[mine, 1], np.full((count, length, 1), -1)], axis=2)
    far = np.concatenate([distance[mine], np.full((count, length, 1), np.nan, np.float32)], axis=2)  # (P, K, T + 1)
    total = value[:, 0][:, combos[:, 0]]  # (P, C)
    for k in range(1, length):
        total = total + value[:, k][:, combos[:, k]]
    clash = np.zeros(total.shape, bool)
    for a in range(length):
        for b in range(a):
            same = (a < follows) == (b < follows)  # two topics may be asked for by one phrase: "borders both"
            first = start[:, a, :, None] < end[:, b, None, :]
            second = start[:, b, None, :] < end[:, a, :, None]
            overlap = (first & second & same[:, None, None]).reshape(count, -1)  # of each two phrases: (P, (T + 1)²)
            clash |= overlap[:, combos[:, a] * (near + 1) + combos[:, b]]
    best = np.where(clash, -np.inf, total).argmax(axis=1)
    places = np.arange(length)
    rows = np.arange(count)
    values = value[rows[:, None], places, combos[best]]
    gaps = far[rows[:, None], places, combos[best]]
    both = ~np.isnan(gaps[:, 1:]) & ~np.isnan(gaps[:, :-1]) & (places[1:] != follows[:, None])
    right = (gaps[:, 1:] > gaps[:, :-1]) & both
    pairs = both.sum(axis=1)
    order = np.where(pairs > 0, right.sum(axis=1) / np.maximum(pairs, 1), 0.5).astype(np.float32)
    result: Floats = values
    return result, order
