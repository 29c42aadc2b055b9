"""Training records: a question, the plans that compete for it, and which of them say what it asks.

From a graph, plans are grown as in answering and told right or wrong by a stated path or by the gold answers. From a
schema alone (a question with its relation path, no graph), plans are made by spoiling the right one: one hop more or
less, there and back, a sibling relation, the wrong direction, a topic dropped. Relations are renamed at random, also
turned round ("parents" as "child" the other way), so that words are read and no schema is remembered.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from typing import Any

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import follow
from clew.graph.sets import shared
from clew.reading.growth import Growth, GrowthLimits, PlanCandidate
from clew.reading.plantext import Sheet, padded, sheet, tokens_of
from clew.reading.trails import Hops, PathHypothesis
from clew.reading.wording import Floats, QuestionWording, WordedStep, Wording, made_features, stems, step_features
from clew.retrieval.scoring import relation_text
from clew.synthesis.lexicon import meaning_of

MOST = 40  # plans of a record
TRAINING = GrowthLimits(hops=3, beam=10, frontier=200, kept=30, meeting=10, plans=160)
RIGHT, CLOSE = 0.5, 0.6  # least F1 of a right plan; share of the best F1 from which a plan is neither right nor wrong


@dataclass(frozen=True, eq=False)
class TrainingRecord:
    """One question. Labels: 1 right, 0 wrong, -1 neither."""

    group: str
    text: str
    spans: tuple[tuple[int, int, int], ...]
    sheet: Sheet
    labels: list[int]  # (P,)
    asked_steps: list[int]  # (S,) 1 where a right plan walks the step


def renaming(
    graph: Subgraph, wording: Wording, chance: random.Random, share: float
) -> Callable[[int], tuple[str, bool]] | None:
    """Other words for a graph's relations, drawn when a relation is first met; None for a `share` that stay as is."""
    if chance.random() > share:
        return None
    known: dict[int, tuple[str, bool]] = {}

    def rename(number: int) -> tuple[str, bool]:
        if number not in known:
            known[number] = reworded(wording.relation(number), graph.relation(number).label, chance)
        return known[number]

    return rename


_meaning = lru_cache(maxsize=None)(meaning_of)


def reworded(words: str, label: str, chance: random.Random) -> tuple[str, bool]:
    """Other words for a relation at random: a synonym, the words of its inverse, its last part; or itself."""
    last = label.rsplit(".", 1)[-1].replace("_", " ") if label.count(".") >= 2 else words
    meaning = _meaning(last)
    draw = chance.random()
    if meaning is not None and meaning.nouns and draw < 0.3:
        return chance.choice(meaning.nouns), False
    if meaning is not None and meaning.converse and draw < 0.45:
        return chance.choice(meaning.converse), True
    if draw < 0.55 and not words.endswith(("s", " in", " at", " to", " for", " with", " on")):
        return relation_text(words, False), True
    if draw < 0.75:
        return last, False
    return words, False


def from_graph(
    group: str,
    graph: Subgraph,
    wording: Wording,
    asked: QuestionWording,
    starts: Sequence[int],
    mentions: Sequence[int],
    gold: Sequence[int],
    relevance: Callable[[Sequence[Hops]], Floats],
    chance: random.Random,
    stated: Sequence[tuple[Hops, ...]] = (),
    meant: PlanCandidate | None = None,
    nothing: bool = False,
) -> TrainingRecord | None:
    """The record of one question over a graph; None where no plan gives the gold answers.

    Args:
        starts: the topics; mentions: which part of the question names each.
        stated: the right steps from the first topic, where the source names them.
        meant: the right plan, where the source names all of it.
        nothing: that no plan is right.
    """
    plans = Growth(graph, starts, mentions, relevance, TRAINING, frozenset(wording.types)).run()
    if meant is not None and all(plan.key != meant.key for plan in plans):
        plans = [meant, *plans]
    wanted = np.unique(np.asarray(gold, np.int32))
    f1 = np.array([_f1(plan.ends, wanted) for plan in plans])
    if nothing:
        labels = [0] * len(plans)
    elif meant is not None:
        labels = [1 if plan.key == meant.key else -1 if f >= CLOSE else 0 for plan, f in zip(plans, f1, strict=True)]
    elif stated:
        right = [len(plan.trails) == 1 and not plan.after and plan.trails[0].steps in stated for plan in plans]
        if not any(right):
            made = [walked(graph, starts, ((0, steps),), ()) for steps in stated]
            plans = [*(plan for plan in made if plan is not None), *plans]
            f1 = np.array([_f1(plan.ends, wanted) for plan in plans])
            right = [len(plan.trails) == 1 and plan.trails[0].steps in stated for plan in plans]
        if not any(right):
            return None
        labels = [1 if r else -1 if f >= CLOSE else 0 for r, f in zip(right, f1, strict=True)]
    else:
        if not len(f1) or f1.max() < RIGHT:
            return None
        best = f1.max()
        labels = [1 if f >= best - 1e-6 else -1 if f >= CLOSE * best else 0 for f in f1]
        # Of equally good plans the shortest that use most topics are right.
        size = [(-len({mentions[t.topic] for t in p.trails}), len(p.steps)) for p in plans]
        least = min(s for s, label in zip(size, labels, strict=True) if label == 1)
        labels = [-1 if label == 1 and s > least else label for s, label in zip(size, labels, strict=True)]
    order = _picked(labels, chance)
    if not order:
        return None
    plans, labels = [plans[i] for i in order], [labels[i] for i in order]
    page = sheet(asked, plans, wording, starts, mentions)
    return _record(group, asked, page, labels)


def _record(group: str, asked: QuestionWording, page: Sheet, labels: list[int]) -> TrainingRecord:
    wanted = {
        int(ref)
        for row, label in zip(page.tokens, labels, strict=True)
        if label == 1
        for role, _, _, ref in row
        if role in (2, 3)
    }
    return TrainingRecord(
        group, asked.text, asked.spans, page, labels, [int(i in wanted) for i in range(len(page.steps))]
    )


def _picked(labels: Sequence[int], chance: random.Random) -> list[int]:
    """Right plans, the likeliest wrong ones (plans come best first), and some of the rest."""
    right = [i for i, label in enumerate(labels) if label == 1][:6]
    wrong = [i for i, label in enumerate(labels) if label == 0]
    near, far = wrong[: MOST // 2], wrong[MOST // 2 :]
    chance.shuffle(far)
    chosen = [*right, *near, *far[: MOST - len(near) - len(right)]]
    chance.shuffle(chosen)
    return chosen


def _f1(ends: np.ndarray, gold: np.ndarray) -> float:
    if not len(ends) or not len(gold):
        return 0.0
    common = int(np.isin(ends, gold, assume_unique=True).sum())
    return 2 * common / (len(ends) + len(gold))


def walked(
    graph: Subgraph, starts: Sequence[int], trails: Sequence[tuple[int, tuple[Hops, ...]]], after: tuple[Hops, ...]
) -> PlanCandidate | None:
    """The plan of some trails, by the positions of their topics, and the steps after; None where it leads nowhere."""
    found = []
    for topic, steps in trails:
        ends = follow(graph, [starts[topic]], [hop for step in steps for hop in step]).entities
        found.append(PathHypothesis(topic, steps, ends))
    ends = reduce(shared, (each.ends for each in found))
    if after:
        ends = follow(graph, ends.tolist(), [hop for step in after for hop in step]).entities
    if after or len(found) > 1 or len(found[0].steps) > 1:
        ends = ends[~np.isin(ends, [starts[topic] for topic, _ in trails])]
    return PlanCandidate(tuple(found), ends, after) if len(ends) else None


# -- from a schema alone -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Made:
    """A right plan without a graph: per trail its mention and steps, and steps after they meet."""

    trails: tuple[tuple[int, tuple[WordedStep, ...]], ...]
    after: tuple[WordedStep, ...] = ()
    kind: str = ""  # of the answers
    value: str = ""


def from_schema(
    group: str,
    question: str,
    names: Sequence[str],
    right: Made,
    pool: Sequence[WordedStep],
    siblings: Callable[[WordedStep], Sequence[WordedStep]],
    chance: random.Random,
    kind_of: Callable[[WordedStep], tuple[str, str]] | None = None,
) -> TrainingRecord:
    """The record of a question whose relation path is known but whose graph is not at hand.

    Args:
        pool: steps of the same schema. siblings: those most like a step, by words or by domain.
        kind_of: (kind, value) of what a step leads to, where known.
    """
    asked = QuestionWording.of(question, list(dict.fromkeys(names)))
    wrong: dict[Any, Made] = {}

    def add(made: Made) -> None:
        if (made.trails, made.after) != (right.trails, right.after) and made.trails and all(s for _, s in made.trails):
            wrong.setdefault((made.trails, made.after), made)

    def any_step() -> WordedStep:
        return chance.choice(pool)

    for which, (mention, steps) in enumerate(right.trails):
        rest = right.trails[:which], right.trails[which + 1 :]

        def put(new: Sequence[WordedStep], rest: Any = rest, mention: int = mention) -> None:
            add(Made((*rest[0], (mention, tuple(new)), *rest[1]), right.after))

        for at, step in enumerate(steps):
            for other in siblings(step)[: 10 if len(steps) == 1 else 6]:
                put([*steps[:at], other, *steps[at + 1 :]])
            for other in (any_step() for _ in range(3)):
                put([*steps[:at], other, *steps[at + 1 :]])
            put([*steps[:at], turned(step), *steps[at + 1 :]])
        if len(steps) > 1:
            put(steps[:-1])
            put(steps[1:])
            put(steps[::-1])
        if len(steps) < 3:
            for other in (any_step() for _ in range(4)):
                put([*steps, other])
                put([other, *steps])
            for other in siblings(steps[-1])[:3]:
                put([*steps, other])
            put([*steps, turned(steps[-1])])
            put([*steps, turned(steps[-1]), steps[-1]] if len(steps) == 1 else [*steps, steps[-1]])
    if len(right.trails) > 1:
        for which in range(len(right.trails)):
            add(Made((*right.trails[:which], *right.trails[which + 1 :]), right.after))
            add(Made((right.trails[which],), right.after))
    if right.after:
        add(Made(right.trails))
    for mention in range(len(set(names))):
        for other in (any_step() for _ in range(4)):
            add(Made(((mention, (other,)),)))
    others = list(wrong.values())
    chance.shuffle(others)
    made = [right, *others[: MOST - 1]]
    chance.shuffle(made)
    numbers: dict[WordedStep, int] = {}
    rows, features, kinds = [], [], []
    for each in made:
        trails = [(m, [numbers.setdefault(s, len(numbers)) for s in chain]) for m, chain in each.trails]
        rows.append(tokens_of(trails, [numbers.setdefault(s, len(numbers)) for s in each.after]))
        walked = [s for _, chain in each.trails for s in chain] + list(each.after)
        last = walked[-1]
        kind, value = kind_of(last) if kind_of is not None else ("", "")
        held = stems(kind).union(*(stems(s.first) | stems(s.second) for s in walked))
        chains = [steps for _, steps in each.trails]
        features.append(
            made_features(
                asked,
                held,
                kind,
                value if kind_of is not None else None,
                width=None,
                back=any(b == turned(a) for c in chains for a, b in pairwise(c)),
                twice=any(len(set(c)) < len(c) for c in chains),
                loop=False,
                unused=len(set(names)) - len({m for m, _ in each.trails}),
                joined=len(each.trails) - 1,
                named=0.0,
            )
        )
        kinds.append(kind)
    distinct = list(numbers)
    page = Sheet(
        distinct,
        [" ".join(filter(None, kind_of(step))) if kind_of is not None else "" for step in distinct],
        step_features(asked, distinct),
        padded(rows),
        np.array(features, np.float32),
        kinds,
        [""] * len(set(names)),
    )
    return _record(group, asked, page, [int(each is right) for each in made])


def turned(step: WordedStep) -> WordedStep:
    """A step walked the other way."""
    if not step.second:
        return WordedStep(step.first, "", 1 - step.way)
    first, second = (step.way - 2) // 2, (step.way - 2) % 2
    return WordedStep(step.second, step.first, 2 + 2 * (1 - second) + (1 - first))


def likeness(
    asked: QuestionWording, states: Floats, wording: Wording, encode: Callable[[Sequence[str]], Floats]
) -> Callable[[Sequence[Hops]], Floats]:
    """A relevance for growing before there is a reader: how like a step's words are to the question's.

    Args:
        states: (n, D) of the question's tokens.
    """
    tokens = states / np.maximum(np.linalg.norm(states, axis=1, keepdims=True), 1e-9)
    whole = tokens.mean(axis=0)
    known: dict[Hops, float] = {}

    def rate(steps: Sequence[Hops]) -> Floats:
        new = [step for step in dict.fromkeys(steps) if step not in known]
        if new:
            worded = [wording.step(step) for step in new]
            vectors = encode([f"{s.first} {s.second}".strip() for s in worded])
            best = (tokens @ vectors.T).max(axis=0) + vectors @ whole
            shared = step_features(asked, worded)[:, 0]
            known.update(zip(new, (4 * (best + 0.5 * shared) - 5).tolist(), strict=True))
        return np.array([-np.logaddexp(0.0, -known[step]) for step in steps], np.float32)

    return rate
