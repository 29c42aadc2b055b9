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
from clew.graph.paths import RelationPath, relation_paths
from clew.graph.subgraph import Ints
from clew.methods.eperm.config import TrainConfig
from clew.paths.examples import Statement
from clew.paths.gold import GoldLimits, PathCandidate, candidates, f1, in_common, judge, near_best

NEARLY = math.log(3)  # a plan this much less likely than the best is one of another question
MAX_PLANS = 4  # gold ones of a question
DISTRACTORS = 60  # relation paths of a topic that distractors are chosen from
MAX_PATHS, MAX_ENDS = 3000, 5000  # most relation paths listed of a topic; one that reaches more is not extended


@dataclass(frozen=True, slots=True)
class TopicPlan:
    """A relation path from one topic of a question, and what it reaches."""

    topic: int  # position among the topics
    candidate: PathCandidate

    @property
    def steps(self) -> RelationPath:
        return self.candidate.path

    @property
    def reached(self) -> int:
        """How many entities."""
        return len(self.candidate.reached)


@dataclass(frozen=True, slots=True)
class Posterior:
    """The plans of a question: gold ones, and others that start at its topics."""

    gold: tuple[TopicPlan, ...]
    others: tuple[TopicPlan, ...]
    fallback: bool = False  # none passed the threshold, the best one was kept
    truncated: bool = False


def posterior(
    graph: Subgraph,
    topics: Sequence[int],
    answers: Ints,
    config: TrainConfig,
    stated: Sequence[Statement] = (),
) -> Posterior:
    """Gold plans and distractors of one question, topics and answers in local numbers.

    Args:
        stated: relation paths that the question set names as gold.
    """
    named = [TopicPlan(i, judge(graph, topics[i], path, answers)) for i, path in stated if len(path) <= config.longest]
    gold, fallback, cut = [each for each in named if len(each.candidate.right)], False, False
    if not gold:
        searched = [candidates(graph, topic, answers, GoldLimits(config.longest)) for topic in topics]
        cut = any(cut for _, cut in searched)
        found = [[TopicPlan(i, each) for each in own if each.path] for i, (own, _) in enumerate(searched)]
        gold, fallback = _gold(found, answers, config)
    kept = {(each.topic, each.steps) for each in gold}
    others = [
        each
        for i, topic in enumerate(topics)
        for each in _around(graph, i, topic, answers, config)
        if (i, each.steps) not in kept and each.reached and each.candidate.precision < config.threshold
    ]
    return Posterior(tuple(gold[:MAX_PLANS]), tuple(others), fallback, cut)


def _gold(found: Sequence[Sequence[TopicPlan]], answers: Ints, config: TrainConfig) -> tuple[list[TopicPlan], bool]:
    """The positive plans, and whether none passed the threshold."""
    hits = [each for own in found for each in own]
    if not hits:
        return [], False
    if both := _together(found, answers, config.threshold):
        return both, False
    passed = [each for each in hits if each.candidate.precision >= config.threshold]
    if not passed:
        return [max(hits, key=lambda x: (x.candidate.f1, x.candidate.precision, -len(x.steps)))], True
    if config.posterior == "ratio":
        return sorted(passed, key=lambda x: (-x.candidate.precision, -x.candidate.f1, len(x.steps))), False
    return _near_best(passed, np.array([each.candidate.f1 for each in passed])), False


def _near_best(plans: Sequence[TopicPlan], scores: np.ndarray) -> list[TopicPlan]:
    chosen = {id(each) for each in near_best([each.candidate for each in plans], scores)}
    return [each for each in plans if id(each.candidate) in chosen]


def _together(found: Sequence[Sequence[TopicPlan]], answers: Ints, threshold: float) -> list[TopicPlan]:
    """The best plans of every topic, in turn, where what they reach together is as good as what any reaches alone.

    "Which film with X did Y direct" needs a plan from each: the films with X are many, and by themselves below t.
    """
    topics = [own[0].topic for own in found if own]
    if len(topics) < 2:
        return []
    kept, scores = in_common([[each.candidate for each in own] for own in found if own], answers)
    best = [
        [TopicPlan(topic, each) for each in near_best(own, its)]
        for topic, own, its in zip(topics, kept, scores, strict=True)
    ]
    common = reduce(np.intersect1d, [own[0].candidate.reached for own in best])
    right = np.isin(common, answers).sum()
    alone = max(each.candidate.f1 for own in found for each in own)
    if not right or right / len(common) < threshold or f1(common, np.unique(answers)) < alone:
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
    for own, its in zip(words, plans, strict=True):
        for plan in its:
            total[plan] = total.get(plan, 0.0) + 1 / len(its)
            counts = seen.setdefault(plan, {})
            for word in own:
                counts[word] = counts.get(word, 0.0) + 1 / len(its)
    kept = []
    for own, its in zip(words, plans, strict=True):
        scores = [
            math.log(total[plan]) + sum(math.log((seen[plan][word] + 0.1) / (total[plan] + 0.2)) for word in own)
            for plan in its
        ]
        kept.append([score >= max(scores) - NEARLY for score in scores])
    return kept


def _around(graph: Subgraph, i: int, topic: int, answers: Ints, config: TrainConfig) -> list[TopicPlan]:
    """A sample of the relation paths from a topic, spread over all lengths."""
    every = relation_paths(graph, [topic], config.longest, max_paths=MAX_PATHS, max_ends=MAX_ENDS).paths
    chosen = every[:: max(1, len(every) // DISTRACTORS)]
    return [TopicPlan(i, judge(graph, topic, each.steps, answers)) for each in chosen]
