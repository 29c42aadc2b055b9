"""The method that finds nothing, for tests of what stands around a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from clew.protocols import GraphStore, OnEvent, ignore
from clew.types import Answer, Question


class Nothing:
    """A method that finds nothing, so that only what is composed can answer."""

    name: ClassVar[str] = "nothing"

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return Answer(question, self.name)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self.answer(question, graph) for question in questions]
