"""`teach`: the user's choices between two readings make the answers over one graph better."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from clew.cli.options import ConfigFile, GraphArgument, Quiet, Set, workspace

if TYPE_CHECKING:
    from clew.teaching import Lesson

SHOWN = 5  # answers of a reading


def teach(
    graph: GraphArgument,
    questions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--questions", metavar="TEXT", help="A question a line; without it you type them."),
    ] = None,
    number: Annotated[int, typer.Option("--number", "-n", min=1, help="Most questions.")] = 50,
    config: ConfigFile = None,
    assignments: Set = None,
    quiet: Quiet = False,
) -> None:
    """Show two readings of each question, take your choice, and read this graph better from then on.

    Ten to fifty choices suffice. They are kept in GRAPH/models/taught.jsonl; what was learned is used by clew ask where
    it does better on choices left out of its own fit.
    """
    from clew.cli.screen import clean, progress
    from clew.errors import InputError, NotFoundError
    from clew.teaching import Teacher
    from clew.teaching import teach as taught

    lines: list[str] | None = None
    if questions is not None:
        try:
            lines = [line.strip() for line in questions.read_text(encoding="utf-8").splitlines() if line.strip()]
        except FileNotFoundError:
            raise NotFoundError(f"{questions}: no such file; expected a text with a question a line") from None
        except UnicodeDecodeError as error:
            raise InputError(f"{questions}: not UTF-8 at byte {error.start}; expected a question a line") from None
    teacher = Teacher(workspace(graph, config=config, assignments=assignments, method="auto"))

    def following() -> str | None:
        if lines is None:
            return _asked("question (empty ends)> ") or None
        return lines.pop(0) if lines else None

    kept = taught(teacher, following, _pick, number)
    every = len(teacher.choices())
    with progress("teach", quiet=quiet):
        result = teacher.learn()
    sys.stdout.write(f"{kept} choices kept, {every} in all: {clean(str(teacher.file))}\n")
    if result is None:
        sys.stdout.write("too few to learn from; go on with clew teach\n")
        return
    told = {name: f"{value:.0%}" for name, value in result.metrics.items()}
    sys.stdout.write(
        f"right first answers on choices left out: {told['hits@1 learned']}, before {told['hits@1 untrained']}; "
        f"{result.details['kept']}\n"
    )


def _asked(prompt: str) -> str:
    try:
        return input(prompt if sys.stdin.isatty() else "").strip()
    except EOFError:
        return ""


def _pick(lesson: Lesson) -> int | None:
    """The reading that the user chooses, by its number."""
    from clew.cli.screen import clean

    out = sys.stdout
    out.write(f"\n{clean(lesson.question.text)}\n")
    if not lesson.readings:
        out.write("  no reading: no path leads from what the question names\n")
        return None
    for i, reading in enumerate(lesson.readings, start=1):
        more = f" and {len(reading.answers) - SHOWN} more" if len(reading.answers) > SHOWN else ""
        out.write(f"  {i}  {clean(', '.join(reading.answers[:SHOWN]))}{more}\n     {clean(reading.plan)}\n")
    while True:
        said = _asked("which? (number; empty: neither)> ")
        if not said:
            return None
        if said.isdigit() and 1 <= int(said) <= len(lesson.readings):
            return int(said) - 1
        out.write(f"  {clean(said)!r}: expected 1 to {len(lesson.readings)}, or nothing for neither\n")
