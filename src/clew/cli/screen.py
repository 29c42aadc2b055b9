"""What goes to the screen: JSON or tables on stdout, progress on stderr where a person is watching.

One place, so that `--json` is pure, colours and bars never reach a file, and labels from a graph are never read as
markup or control codes: `Escaped` stands before stdout and stderr, whoever writes there, and only the console's own
colours pass beside it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO

from clew.jsontext import write_json
from clew.secrecy import redact

if TYPE_CHECKING:
    from rich.console import Console


_PLAIN = re.compile("[\x20-\x7e\n\t]*")


class Escaped:
    """A text stream that no text can steer: control characters become blanks, and keys are redacted."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        text = redact(text)
        self.stream.write(text if _PLAIN.fullmatch(text) else _escaped(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


def _escaped(text: str) -> str:
    return "".join(c if c.isprintable() or c in "\n\t\u200c\u200d" else " " for c in text)


def console(*, stderr: bool = False) -> Console:
    """A console that adds no markup, emoji or wrapping of its own."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else 10_000
    raw = stream.stream if isinstance(stream, Escaped) else stream  # what it prints went through `clean`
    return Console(file=raw, markup=False, emoji=False, highlight=False, soft_wrap=True, width=wide)


def put_json(value: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(write_json(value, indent=1) + "\n")


def put_json_line(value: Any) -> None:
    """One JSON document on one line of stdout, at once."""
    sys.stdout.write(write_json(value) + "\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """`text` without control characters: a label must not be able to steer a terminal."""
    return redact("".join(c if c.isprintable() or c in "\u200c\u200d" else " " for c in text))


def put_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """A plain table; columns of numbers stand right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=clean(title) or None, title_justify="left", pad_edge=False)
    for position, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[position], (int, float)) for row in rows)
        table.add_column(clean(str(column)), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console().print(table)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) and abs(value) < 10**100 else clean(str(value))


class Bar(Protocol):
    """Shows how far something is."""

    def __call__(self, done: float, total: float | None = None, note: str = "") -> None: ...


def _nothing(done: float, total: float | None = None, note: str = "") -> None:
    pass


@contextmanager
def progress(what: str, *, quiet: bool = False) -> Iterator[Bar]:
    """A bar with rate and time left on stderr, or nothing where stderr is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield _nothing
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bars:
        task = bars.add_task(what, total=None, note="")

        def show(done: float, total: float | None = None, note: str = "") -> None:
            bars.update(task, completed=int(done), total=total, note=clean(note))

        yield show
