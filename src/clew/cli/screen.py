"""What goes to the screen: JSON or tables on stdout, progress on stderr where a person is watching.

One place, so that `--json` is pure, colours and bars never reach a file, and labels from a graph are never read as
markup or control codes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """A console that adds no markup, emoji or wrapping of its own."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    wide = None if stream.isatty() else 10_000
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, soft_wrap=True, width=wide)


def put_json(value: Any) -> None:
    """One JSON document on stdout."""
    sys.stdout.write(json.dumps(value, indent=1, ensure_ascii=False) + "\n")


def put_json_line(value: Any) -> None:
    """One JSON document on one line of stdout, at once."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def clean(text: str) -> str:
    """`text` without control characters: a label must not be able to steer a terminal."""
    return "".join(c if c.isprintable() else " " for c in text)


def put_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str = "") -> None:
    """A plain table; columns of numbers stand right."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for position, column in enumerate(columns):
        numeric = bool(rows) and all(isinstance(row[position], (int, float)) for row in rows)
        table.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(_cell(value) for value in row))
    console().print(table)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else clean(str(value))


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
