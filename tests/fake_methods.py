"""Methods that find nothing, or one path, for tests of what stands around a method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from clew.protocols import GraphStore, OnEvent, ignore
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question


class Nothing:
    """A method that finds nothing, so that only what is composed can answer."""

    name: ClassVar[str] = "nothing"

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return Answer(question, self.name)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self.answer(question, graph) for question in questions]


class Finds(Nothing):
    """A method that answers with what a relation path leads to, or would have."""

    name = "finds"

    def __init__(self, start: str, *steps: tuple[str, bool], score: float = 0.6, sure: bool = True) -> None:
        self.start, self.steps, self.score, self.sure = start, steps, score, sure

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        paths = [Path(graph.entity(self.start), (), self.score)]
        for relation, forward in self.steps:
            side = "out" if forward else "in"
            paths = [
                Path(path.start, (*path.hops, Hop(triple, forward)), self.score)
                for path in paths
                for triple in graph.neighbors([path.end.id], relations={relation}, direction=side)
            ]
        if not self.sure:
            return Answer(question, self.name, details={"guess": [path.end.id for path in paths]})
        ends = tuple(Candidate(path.end.label, self.score, path.end, (i,)) for i, path in enumerate(paths))
        return Answer(question, self.name, ends, Evidence(tuple(paths)))


class Sure(Finds):
    """The same, and surer of it."""

    def __init__(self, start: str, *steps: tuple[str, bool]) -> None:
        super().__init__(start, *steps, score=0.9)
