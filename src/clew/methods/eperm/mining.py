"""The posterior over plans (Eq. 5): which relation paths lead from a topic to the answers and little else.

A plan is positive when the answers among the entities it reaches are at least the share t; where none is, the best one
is kept, so that no question is lost. Gold answers are read here and in evaluation only.

Shapes: A answers, P relation paths.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import zip_longest

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, mine_paths, relation_paths
from clew.graph.subgraph import Ints
from clew.methods.eperm.asking import Plan
from clew.methods.eperm.config import TrainConfig
from clew.methods.eperm.paths import ends_of, turns

NEAR_BEST = 0.95  # plans whose F1 is at least this share of the best one's are as good
NEARLY = math.log(3)  # a plan this much less likely than the best is one of another question
ENOUGH = 60  # relation paths judged of a topic whose gold plans are stated
MAX_ENDS = 5000  # a relation path that reaches more entities is not extended


@dataclass(frozen=True, slots=True)
class Judged:
    """A relation path from one topic and what it reaches."""

    topic: int  # position among the topics of the question
    steps: RelationPath
    reached: int  # entities
    right: int  # answers among them
    f1: float

    @property
    def ratio(self) -> float:
        """Of Eq. 5."""
        return self.right / self.reached if self.reached else 0.0


@dataclass(frozen=True, slots=True)
class Posterior:
    """The plans of a question: gold ones, and others that start at its topics."""

    gold: tuple[Judged, ...]
    others: tuple[Judged, ...]
    fallback: bool = False  # none passed the threshold, the best one was kept
    truncated: bool = False


def posterior(
    graph: Subgraph,
    topics: Sequence[int],
    answers: Ints,
    config: TrainConfig,
    stated: Sequence[tuple[int, RelationPath]] = (),
) -> Posterior:
    """Gold plans and distractors of one question, topics and answers in local numbers.

    Args:
        stated: (position of the topic, relation path) that the question set names as gold.
    """
    judged: list[Judged] = []
    truncated = False
    for i, topic in enumerate(topics):
        found, cut = _candidates(graph, topic, answers, config)
        truncated |= cut
        if stated:  # gold is known: some others are enough to choose distractors from
            found = found[:: max(1, len(found) // ENOUGH)]
        judged += [_judge(graph, i, topic, steps, ends, answers) for steps, ends in found]
    named = [_judge(graph, i, topics[i], steps, None, answers) for i, steps in stated]
    named = [each for each in dict.fromkeys(named) if each.right]
    if named:
        gold, fallback = named, False
    else:
        hits = [each for each in judged if each.right]
        gold, fallback = _positive(hits, config)
        if config.together and (both := _together(graph, topics, answers, hits, config)):
            gold, fallback = both, False
    kept = {(each.topic, each.steps) for each in gold}
    others = [
        each
        for each in judged
        if (each.topic, each.steps) not in kept and each.ratio < config.threshold and each.reached
    ]
    return Posterior(tuple(gold[: config.max_plans]), tuple(others), fallback, truncated)


def _positive(hits: Sequence[Judged], config: TrainConfig) -> tuple[list[Judged], bool]:
    if not hits:
        return [], False
    passed = [each for each in hits if each.ratio >= config.threshold]
    if not passed:
        return [max(hits, key=lambda each: (each.f1, each.ratio, -len(each.steps)))], True
    if config.posterior == "ratio":
        return sorted(passed, key=lambda each: (-each.ratio, -each.f1, len(each.steps))), False
    best = max(each.f1 for each in passed)
    near = [each for each in passed if each.f1 >= NEAR_BEST * best]
    shortest = min(len(each.steps) for each in near)
    return [each for each in near if len(each.steps) == shortest], False


def _together(
    graph: Subgraph, topics: Sequence[int], answers: Ints, hits: Sequence[Judged], config: TrainConfig
) -> list[Judged]:
    """The best plans of every topic, in turn, where what they reach together is as good as what any reaches alone.

    "Which film with X did Y direct" needs a plan from each: the films with X are many, and by themselves below t.
    """
    best = []
    for i in sorted({each.topic for each in hits}):
        mine = [each for each in hits if each.topic == i]
        near = [each for each in mine if each.f1 >= NEAR_BEST * max(other.f1 for other in mine)]
        shortest = min(len(each.steps) for each in near)
        best.append([each for each in near if len(each.steps) == shortest])
    if len(best) < 2:
        return []
    first = [(topics[each[0].topic], Plan(each[0].steps, "", 1.0)) for each in best]
    common = reduce(np.intersect1d, [ends_of(graph, start, plan) for start, plan in first])
    right = int(np.isin(common, answers).sum())
    f1 = 2 * right / (len(common) + len(answers))
    if not right or right / len(common) < config.threshold or f1 < max(each.f1 for each in hits):
        return []
    return [each for turn in zip_longest(*best) for each in turn if each is not None]


def agreed(texts: Sequence[str], plans: Sequence[Sequence[str]]) -> list[list[bool]]:
    """Which gold plans of each question the other questions agree with, by their words (naive Bayes, one round).

    A person who directed a film and wrote it gives "who directed it" two plans that reach the same answer; over many
    questions only one of them goes with "directed". Plans that are nearly as likely as the best stay.

    Args:
        texts: the questions, their topics masked.
        plans: the gold plans of each, as text.
    """
    words = [sorted(set(text.casefold().split())) for text in texts]
    total: dict[str, float] = {}
    seen: dict[str, dict[str, float]] = {}
    for mine, its in zip(words, plans, strict=True):
        for plan in its:
            total[plan] = total.get(plan, 0.0) + 1 / len(its)
            counts = seen.setdefault(plan, {})
            for word in mine:
                counts[word] = counts.get(word, 0.0) + 1 / len(its)
    kept = []
    for mine, its in zip(words, plans, strict=True):
        scores = [
            math.log(total[plan]) + sum(math.log((seen[plan][word] + 0.1) / (total[plan] + 0.2)) for word in mine)
            for plan in its
        ]
        kept.append([score >= max(scores) - NEARLY for score in scores])
    return kept


def _candidates(
    graph: Subgraph, topic: int, answers: Ints, config: TrainConfig
) -> tuple[list[tuple[RelationPath, Ints | None]], bool]:
    """Relation paths from a topic, with their ends where they are known."""
    if config.candidates == "all":
        every = relation_paths(graph, [topic], config.hops, max_paths=config.max_paths, max_ends=MAX_ENDS)
        return [(each.steps, each.ends) for each in every.paths], bool(every.truncated)
    mined = mine_paths(
        graph, [topic], answers, slack=config.slack, max_len=config.hops, returns=True, repeats="triples"
    )
    near = relation_paths(graph, [topic], config.hops, max_paths=10 * max(1, config.distractors), max_ends=MAX_ENDS)
    steps = dict.fromkeys([*mined.relation_paths(), *(each.steps for each in near.paths)])
    return [(each, None) for each in steps], bool(mined.truncated)


def _judge(graph: Subgraph, i: int, topic: int, steps: RelationPath, ends: Ints | None, answers: Ints) -> Judged:
    if ends is None or turns(steps):  # `ends` holds what is reached by turning round over the same triple
        ends = ends_of(graph, topic, Plan(steps, "", 1.0))
    right = int(np.isin(ends, answers).sum())
    total = len(ends) + len(answers)
    return Judged(i, steps, len(ends), right, 2 * right / total if total else 0.0)
