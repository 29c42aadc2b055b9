"""The supervision of a training: questions with one text per topic, the topic's own name masked in it, their gold
relation paths, and the moves that lie on a walk along one to an answer.

Which relation paths are gold is decided in `clew.paths.gold`; the paper takes all shortest ones (mode "shortest").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from clew.graph import Subgraph
from clew.methods.scr.features import without_topic
from clew.paths.examples import EntityIndex, LeftOut, Statement, TrainingQuestion, resolve
from clew.paths.gold import GoldLimits, PathCandidate, candidates, gold_paths
from clew.paths.walks import Codes, Int, Level, follow, prune, to_codes
from clew.protocols import Example


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A training question with its text as each of its topics sees it."""

    source: TrainingQuestion
    texts: tuple[str, ...]  # one per topic

    @property
    def topics(self) -> tuple[int, ...]:
        return self.source.topics

    @property
    def answers(self) -> Int:
        return self.source.answers


def masked_questions(
    examples: Sequence[Example], index: EntityIndex, *, mask: bool
) -> tuple[list[TopicQuestion], LeftOut]:
    """The usable questions, each text with the same topics once, and why each other one was left out."""
    found, left = resolve(examples, index)
    usable: dict[tuple[str, tuple[int, ...]], TopicQuestion] = {}
    for each in found:
        question = each.example.question
        if (question.text, each.topics) in usable:
            left.setdefault("duplicate", []).append(question.id)
            continue
        names = index.graph.labels(np.array(each.topics, np.int32))
        texts = tuple(
            without_topic(question.text, [*question.topics, name]) if mask else question.text for name in names
        )
        usable[question.text, each.topics] = TopicQuestion(each, texts)
    return list(usable.values()), left


@dataclass(frozen=True, slots=True)
class GoldWalks:
    """One gold relation path from one topic: its codes, and per step the moves that lie on a walk to an answer."""

    codes: Codes
    levels: tuple[Level, ...]


STAY = GoldWalks((), ())  # of an unanswerable question: the right first step is to stop


@dataclass(frozen=True, slots=True)
class TopicGold:
    """The gold walks from one topic of a question."""

    walks: tuple[GoldWalks, ...]
    cut: bool  # a limit stopped the search; longer walks may exist


def gold_walks(
    graph: Subgraph,
    topics: Sequence[int],
    answers: Int,
    limits: GoldLimits,
    *,
    mode: Literal["best", "shortest"] = "best",
    topics_answer: bool = True,
    stated: Sequence[Statement] = (),
) -> list[TopicGold]:
    """Per topic the gold walks to `answers`, all in local numbers; see `clew.paths.gold.gold_paths`."""
    if mode == "shortest":
        return [_shortest(graph, topic, answers, limits, topics_answer) for topic in topics]
    found = gold_paths(graph, topics, answers, limits, stated=stated, topics_answer=topics_answer)
    return [
        TopicGold(tuple(_walks(graph, topic, each, each.right) for each in own), cut)
        for topic, own, cut in zip(topics, found.of_topics, found.cut, strict=True)
    ]


def _shortest(graph: Subgraph, topic: int, answers: Int, limits: GoldLimits, topics_answer: bool) -> TopicGold:
    """Every relation path that reaches some answer in as few hops as any."""
    found, cut = candidates(graph, topic, answers, limits, topics_answer=topics_answer)
    nearest: dict[int, int] = {}
    for each in found:
        for answer in each.right.tolist():
            nearest[answer] = min(nearest.get(answer, limits.hops), len(each.path))
    walks = []
    for each in found:
        near = [answer for answer in each.right.tolist() if nearest[answer] == len(each.path)]
        if near:
            walks.append(_walks(graph, topic, each, np.array(near)))
    return TopicGold(tuple(walks), cut)


def _walks(graph: Subgraph, topic: int, candidate: PathCandidate, wanted: Int) -> GoldWalks:
    codes = to_codes(candidate.path, graph.num_relations)
    levels, _ = follow(graph, topic, codes)
    return GoldWalks(codes, tuple(prune(levels, wanted)))
