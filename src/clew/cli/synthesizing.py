"""`synthesize`: questions with answers from a graph alone, for a graph nobody wrote questions for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional, TextIO

import typer

from clew.cli.options import ConfigFile, GraphArgument, Json, Quiet, Set, workspace

if TYPE_CHECKING:
    from clew.cli.screen import Bar
    from clew.synthesis import SynthesisReport
    from clew.workspace import Workspace


def synthesize(
    graph: GraphArgument,
    count: Annotated[int, typer.Option("--number", "-n", min=1, help="Questions to make.")] = 1000,
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", "-o", metavar="JSONL", help="File to write; without it the lines go to stdout."),
    ] = None,
    seed: Annotated[int, typer.Option(help="The same seed gives the same questions.")] = 0,
    hops: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(metavar="W1,W2,…", help="Weights of 1, 2, … hops; default 0.4,0.35,0.2,0.05."),
    ] = None,
    balance: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option(help="0: relations as often as their triples; 1: all equally often; default 0.5."),
    ] = None,
    writer: Annotated[
        Literal["grammar", "model"], typer.Option(help="Who finds the words: the built-in grammar, or your model.")
    ] = "grammar",
    kinds: Annotated[
        Literal["paths", "plans"],
        typer.Option(
            help="paths: what walking methods are trained on; plans: counts, superlatives, filters, yes or no …"
        ),
    ] = "paths",
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make questions with answers from a graph alone; every clew train reads them.

    Each line holds the question, its topics and all its answers, and what a planner learns from: the masked triples,
    a sentence for each, and the strategy. Further settings: --set synthesis.fork=0.2, synthesis.max_answers=20, …
    """
    from clew.cli.screen import clean, progress, put_json
    from clew.errors import BudgetError, InputError
    from clew.questions import synthetic
    from clew.synthesis import SynthesisReport

    if json and out is None:
        raise InputError("--json prints the report on stdout: name the file of the questions with -o")
    flags = {"hops": None if hops is None else _weights(hops), "balance": balance}
    space = workspace(graph, config=config, assignments=assignments, synthesis=flags)
    if kinds == "plans":
        if writer == "model":
            raise InputError("--kinds plans is written by the grammar: leave out --writer model")
        _plans(space, count, seed, out, json=json, quiet=quiet)
        return
    report = SynthesisReport()
    with progress("synthesize", quiet=quiet) as bar, _written(out) as stream:
        made = synthetic(space, count, seed=seed, writer=writer, report=report)
        stopped = _write((each.to_row() for each in made), stream, count, bar)
    if warning := report.warning():
        sys.stderr.write(f"warning: {clean(warning)}\n")
    if json:
        put_json({**report.to_json(), "path": str(out)})
    elif out is not None:
        _show(report, out)
    elif not quiet:
        sys.stderr.write(f"{report.questions:,} questions\n")
    if stopped:
        raise BudgetError(stopped)


def _plans(space: Workspace, count: int, seed: int, out: Path | None, *, json: bool, quiet: bool) -> None:
    from clew.cli.screen import progress, put_json
    from clew.errors import BudgetError, UnsupportedError
    from clew.graph import Graph
    from clew.synthesis.plans import PlanWriter

    if not isinstance(space.graph, Graph):
        raise UnsupportedError("questions about plans are made from an embedded graph: clew pull it first")
    made = PlanWriter(space.graph, seed)
    with progress("synthesize", quiet=quiet) as bar, _written(out) as stream:
        stopped = _write((each.to_row() for each in made.questions(count)), stream, count, bar)
    if json:
        put_json({"questions": made.made.total(), "kinds": dict(made.made.most_common()), "path": str(out)})
    elif not quiet:
        sys.stderr.write(f"{made.made.total():,} questions of {len(made.made)} kinds\n")
    if stopped:
        raise BudgetError(stopped)


def _weights(text: str) -> list[float]:
    from clew.errors import InputError

    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"--hops {text!r}: expected weights of 1, 2, … hops, such as 0.5,0.3,0.2") from None


@contextmanager
def _written(path: Path | None) -> Iterator[TextIO]:
    """A stream whose content becomes `path` as a whole, once everything is written; stdout without a path."""
    from clew.errors import InputError

    if path is None:
        yield sys.stdout
        return
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        stream = beside.open("w", encoding="utf-8", newline="\n")
    except OSError as error:
        raise InputError(f"{path}: cannot write questions: {error.strerror}") from None
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def _write(rows: Iterator[dict[str, Any]], stream: TextIO, count: int, bar: Bar) -> str:
    from json import dumps

    from clew.errors import BudgetError

    number = 0
    try:
        for number, row in enumerate(rows, 1):
            stream.write(dumps(row, ensure_ascii=False) + "\n")
            if number % 200 == 0:
                bar(number, count)
    except BudgetError as error:
        if not number:
            raise
        return f"{error}; {number:,} of {count:,} questions were finished and are kept"
    return ""


def _show(report: SynthesisReport, out: Path) -> None:
    from clew.cli.screen import clean, put_table

    told = report.to_json()
    rows = [(key.replace("_", " "), value) for key, value in told.items() if not isinstance(value, dict)]
    for key in ("hops", "strategies", "dropped"):
        rows += [(f"{key.replace('_', ' ')}: {name}", value) for name, value in told[key].items()]
    put_table(("", "synthetic questions"), rows)
    common = list(told["forms"].items())[:10]
    put_table(("construction", "questions"), common, title=f"{len(told['forms'])} constructions, the commonest")
    sys.stdout.write(clean(f"wrote {out}; train with  clew train METHOD GRAPH --questions {out}") + "\n")
