"""What a method's answer is put together from, whatever the method: the time of its stages, the paths that its
candidates share, what there is to say about linking."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from clew.types import Answer, Candidate, Path


class StageClock:
    """Wall clock by stage, shared out over the questions that went through a stage together."""

    def __init__(self, questions: int) -> None:
        self._questions, self._last = max(1, questions), time.perf_counter()
        self.seconds: dict[str, float] = {}

    def stage(self, name: str) -> None:
        """Book the time since the last call on a stage."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + (now - self._last) / self._questions
        self._last = now


class AnswerPaths:
    """The evidence paths of an answer, each listed once however many candidates share it."""

    def __init__(self) -> None:
        self._places: dict[Path, int] = {}

    @property
    def paths(self) -> tuple[Path, ...]:
        return tuple(self._places)

    def place(self, path: Path) -> int:
        """The position of a path in the evidence."""
        return self._places.setdefault(path, len(self._places))


def unproven(texts: Sequence[str]) -> tuple[Candidate, ...]:
    """The answers of a language model that was shown no paths; the score is (n - rank) / n, no probability."""
    return tuple(Candidate(text, (len(texts) - rank) / len(texts)) for rank, text in enumerate(texts))


def noted(answer: Answer, *notes: str) -> Answer:
    """`answer` with these notes, those that say anything, before its own."""
    said = "; ".join(dict.fromkeys(filter(None, (*notes, answer.note))))
    return answer if said == answer.note else replace(answer, note=said)
