"""Training questions as SCR sees them: one text per topic, the topic's own name masked in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.methods.scr.features import without_topic
from clew.paths.examples import EntityIndex, LeftOut, TrainingQuestion, resolve
from clew.paths.walks import Int
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
