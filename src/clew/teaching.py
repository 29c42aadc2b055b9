"""Learning from a user's choices: two readings of a question, one is chosen, and `auto` is fitted to the graph.

Apart from the command so that a page or a notebook can ask the same. The choices lie beside the graph as a question
file that every `clew train` reads; the model is made again from all of them each time.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clew.datasets import read_plain
from clew.datasets.plain import check_question
from clew.errors import InputError
from clew.extras import load
from clew.methods.auto.fitting import LEAST
from clew.methods.auto.method import Auto, OfferedReading
from clew.protocols import Example, OnEvent, TrainResult, ignore
from clew.types import Question
from clew.workspace import Workspace

CHOICES = "taught.jsonl"
"""In the folder of a graph's models."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A question with the readings among which the user chooses."""

    question: Question
    readings: tuple[OfferedReading, ...]


class Teacher:
    """Shows readings, keeps choices, fits.

    Args:
        space: a workspace of a graph on disk whose method is `auto`.
    """

    def __init__(self, space: Workspace) -> None:
        if space.folder is None:
            raise InputError("the graph is not on disk: what is taught is kept beside it (clew build makes a folder)")
        self._space, self._models = space, space.folder / "models"
        method = load(space.card().method)(space.method_config(), space.tools())
        assert isinstance(method, Auto)
        self._method = method
        if why := method.walk_only(space.graph):
            raise InputError(f"there is nothing to teach where walk answers alone: {why}")

    @property
    def file(self) -> Path:
        """Where the choices are kept."""
        return self._models / CHOICES

    def choices(self) -> list[Example]:
        """Everything that was taught; of a question taught twice the later choice."""
        if not self.file.is_file():
            return []
        _cut_torn_line(self.file)
        last = {example.question.text: example for example in read_plain(self.file)}
        return list(last.values())

    def lesson(self, text: str, most: int = 2) -> Lesson:
        """The likeliest readings whose answers differ; none where no path leads from a topic."""
        check_question(text)
        question = Question("q", text.strip())
        return Lesson(question, tuple(self._method.readings(question, self._space.graph, most)))

    def choose(self, lesson: Lesson, reading: OfferedReading) -> None:
        """Keep that `reading` is what was asked. One line more in the file, on the disk when this returns."""
        self._models.mkdir(exist_ok=True)
        _cut_torn_line(self.file)
        number = sum(1 for _ in read_plain(self.file)) if self.file.is_file() else 0
        row = {
            "id": f"taught-{number + 1}",
            "question": lesson.question.text,
            "q_entity": list(reading.topics),
            "answer": list(reading.answers),
            "a_entity": list(reading.entities),
        }
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def learn(self, on_event: OnEvent = ignore) -> TrainResult | None:
        """Fit `auto` to every choice, and put it in the place where `ask` finds it; None for too few choices."""
        choices = self.choices()
        if len(choices) < LEAST:
            return None
        new, place = self._models / "auto.new", self._models / "auto"
        shutil.rmtree(new, ignore_errors=True)
        result = self._space.train(choices, [], new, on_event=on_event)
        if not place.exists():
            new.rename(place)
        elif not _exchanged(new, place):  # a system that cannot: for a moment there is no model
            old = self._models / "auto.old"
            shutil.rmtree(old, ignore_errors=True)
            place.rename(old)
            new.rename(place)
            shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(new, ignore_errors=True)
        return result


def _cut_torn_line(file: Path) -> None:
    """A last line without an end is half of a choice that was never said to be kept: it was cut off by a crash."""
    if not file.is_file():
        return
    content = file.read_bytes()
    if content and not content.endswith(b"\n"):
        os.truncate(file, content.rfind(b"\n") + 1)


def _exchanged(first: Path, second: Path) -> bool:
    """Whether two folders have changed places, in one step: Linux's renameat2 with RENAME_EXCHANGE."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    here, exchange = -100, 2  # AT_FDCWD, RENAME_EXCHANGE
    return rename is not None and rename(here, os.fsencode(first), here, os.fsencode(second), exchange) == 0


def teach(
    teacher: Teacher, questions: Callable[[], str | None], pick: Callable[[Lesson], int | None], number: int
) -> int:
    """Go through `number` questions at most; how many choices were kept.

    Args:
        questions: the next question, None at the end. pick: position of the reading chosen, None for none of them.
    """
    kept = 0
    while kept < number and (text := questions()) is not None:
        lesson = teacher.lesson(text)
        chosen = pick(lesson)
        if chosen is not None:
            teacher.choose(lesson, lesson.readings[chosen])
            kept += 1
    return kept
