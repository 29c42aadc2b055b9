"""What a reply may say in a state: the items that are answered, and those that are explored, each at most once."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Marks:
    """What surrounds the items of a written action."""

    nothing: str
    answers: str  # before the answers
    between: str  # between two items
    explore: str  # after the answers, before the explored
    explore_only: str  # before the explored where there are no answers
    answers_only: str  # after the answers where nothing is explored
    end: str


class ActionGrammar:
    """The actions that a state allows: each item at most once and in order, so that every text ends."""

    def __init__(self, tags: Sequence[str], marks: Marks) -> None:
        self.tags, self._marks = tuple(tags), marks
        told = "\0".join((*self.tags, repr(marks)))
        self.key = "roe:" + hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def start(self) -> Hashable:
        return ("start", -1)

    def steps(self, state: Any) -> Iterator[tuple[str, Hashable]]:
        phase, last = state
        marks = self._marks
        if phase == "start":
            yield marks.nothing, ("end", 0)
            for i, tag in enumerate(self.tags):
                yield marks.answers + tag, ("answers", i)
                yield marks.explore_only + tag, ("explore", i)
        elif phase in ("answers", "explore"):
            for i in range(last + 1, len(self.tags)):
                yield marks.between + self.tags[i], (phase, i)
            if phase == "answers":
                for i, tag in enumerate(self.tags):
                    yield marks.explore + tag, ("explore", i)
                if marks.answers_only:
                    yield marks.answers_only, ("end", 0)
            elif marks.end:
                yield marks.end, ("end", 0)

    def complete(self, state: Any) -> bool:
        phase = state[0]
        if phase == "answers":
            return not self._marks.answers_only
        return phase == "end" or (phase == "explore" and not self._marks.end)

    def write(self, answers: Sequence[str], explore: Sequence[str]) -> str:
        """The text of these items."""
        marks = self._marks
        if not answers and not explore:
            return marks.nothing
        asked, walked = marks.between.join(answers), marks.between.join(explore)
        if not explore:
            return marks.answers + asked + marks.answers_only
        return (marks.answers + asked + marks.explore if answers else marks.explore_only) + walked + marks.end
