"""`train` and `predict`."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Optional

import typer

from clew.cli.options import ConfigFile, Json, MethodName, ModelFolder, Quiet, Set, Verbose, workspace

if TYPE_CHECKING:
    from clew.cli.screen import Bar
    from clew.protocols import OnEvent
    from clew.types import Event

Resume = Annotated[bool, typer.Option("--resume", help="Go on where an earlier start stopped.")]
OptionalGraph = Annotated[
    Optional[str],  # noqa: UP045
    typer.Argument(metavar="[GRAPH]", help="A folder made by clew build, or a server; or graph.path of the file."),
]


QUIET_S = 30.0  # seconds between two lines of a training that has no terminal


def train(
    method: Annotated[Optional[str], typer.Argument(metavar="[METHOD]", help="See clew methods.")] = None,  # noqa: UP045
    graph: OptionalGraph = None,
    questions: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--questions", help="JSONL with answers, or a known set such as pq-2h:train; may be repeated."),
    ] = None,
    synthetic: Annotated[
        Optional[int],  # noqa: UP045
        typer.Option("--synthetic", metavar="N", min=1, help="Also N questions made from the graph; needs no others."),
    ] = None,
    dev: Annotated[Optional[str], typer.Option("--dev", help="For early stopping; the same formats.")] = None,  # noqa: UP045
    out: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--out", "-o", help="Folder of the model; default GRAPH/models/METHOD, which ask finds."),
    ] = None,
    model: Annotated[Optional[Path], typer.Option("--from", help="A trained model to start from.")] = None,  # noqa: UP045
    resume: Resume = False,
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """Train a method on questions with answers; the same command for every method that trains."""
    from clew.cli.screen import clean, progress, put_json, put_table
    from clew.protocols import ignore
    from clew.questions import training_examples
    from clew.synthesis import SynthesisReport

    space = workspace(
        graph,
        config=config,
        assignments=assignments,
        method=method,
        model=model,
        data={"train": questions or None, "dev": dev, "synthetic": synthetic},
    )
    name = space.method_name()
    folder = out if out is not None else space.model_folder()
    report = SynthesisReport()
    examples, held_out = training_examples(space, report=report)
    if warning := report.warning():
        sys.stderr.write(f"warning: {clean(warning)}\n")
    with progress(f"train {name}", quiet=quiet or verbose) as bar:
        listener = _spoken if verbose else ignore if quiet else _shown(bar)
        result = space.train(examples, held_out, folder, resume=resume, on_event=listener)
    if json:
        put_json(
            {
                "model": str(result.model),
                "method": name,
                "metrics": dict(result.metrics),
                "seconds": dict(result.seconds),
                "details": dict(result.details),
            }
        )
        return
    sys.stdout.write(f"trained {name} on {len(examples):,} questions: {result.model}\n")
    if result.metrics:
        put_table(("dev metric", "value"), [(key, float(value)) for key, value in result.metrics.items()])
    told = f"--model {result.model}"
    place = graph or space.configuration.graph.folder
    if place is not None:  # else the graph came with the questions
        told = f'clew ask {place} {told} "…"'
    sys.stdout.write(f"ask with  {clean(told)}\n")


def predict(
    graph: OptionalGraph = None,
    questions: Annotated[
        Optional[str],  # noqa: UP045
        typer.Argument(metavar="[QUESTIONS]", help="JSONL, a known set such as pq-2h:test, or - for JSONL on stdin."),
    ] = None,
    run: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--run", help="Folder of the run; without it the rows go to stdout."),
    ] = None,
    method: MethodName = None,
    model: ModelFolder = None,
    resume: Resume = False,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Only a sample of so many questions.")] = None,  # noqa: UP045
    batch: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--batch", metavar="DIR", help="Write requests to a language model as batch files, and go on."),
    ] = None,
    engine: Annotated[Literal["local", "ray"] | None, typer.Option(help="local, or ray for many machines.")] = None,
    config: ConfigFile = None,
    assignments: Set = None,
    quiet: Quiet = False,
) -> None:
    """Answer many questions; survives kill -9, and a question that fails costs one row."""
    from clew.api import predict_lines, predict_run
    from clew.cli.screen import clean, progress, put_json_line
    from clew.errors import InputError
    from clew.graph.remote import ServerGraph
    from clew.questions import QuestionSource, StandardInput

    space = workspace(
        graph,
        config=config,
        assignments=assignments,
        method=method,
        model=model,
        data={"questions": questions, "limit": limit},
        run={"engine": engine},
        language_model={"batch": batch},
    )
    if batch is not None:
        if not space.uses_language_model():
            raise InputError(f"--batch: {space.method_name()} asks no language model here; name one, or leave it out")
        run, resume = run or batch / "run", True  # a round goes on where the last one stopped
    data = space.configuration.data
    if not data.questions:
        raise InputError("no questions: name a JSONL file or a known set such as pq-2h:test, or - for stdin")
    source = StandardInput() if data.questions == "-" else QuestionSource(data, data.questions)
    if run is None:
        for row in predict_lines(space, source):
            put_json_line(row)
        return
    with progress(f"predict {space.method_name()}", quiet=quiet) as bar:
        folder = predict_run(
            space,
            source,
            run,
            resume=resume,
            on_progress=lambda p: bar(
                p.done, p.total, f"{p.rate:.1f}/s" + (f"  {p.failed} failed" if p.failed else "")
            ),
        )
    if isinstance(space.graph, ServerGraph) and (changed := space.graph.changed()):
        sys.stderr.write(f"warning: {clean(changed)}: rows before and after that may not agree\n")
    errors = folder.errors()
    if not quiet:
        sys.stderr.write(f"{run}: {len(folder.answered()):,} answered, {len(errors):,} failed; now  clew score {run}\n")
    if not quiet and (asked := space.batch_model()) is not None:
        paid = asked.paid()
        tokens = f"{paid.prompt_tokens:,} tokens read, {paid.completion_tokens:,} written"
        cost = f", {paid.cost:.2f} by your prices" if paid.cost else ""
        sys.stderr.write(f"{paid.calls:,} replies: {tokens}{cost}\n")
    for id, error in list(errors.items())[:3]:
        sys.stderr.write(f"  {clean(id)[:60]}: {clean(error['type'])}: {clean(error['message'])[:300]}\n")


def _spoken(event: Event) -> None:
    from clew.cli.screen import clean

    sys.stderr.write(f"{clean(event.stage)}: {clean(event.message)}\n")


def _shown(bar: Bar) -> OnEvent:
    from clew.cli.screen import clean

    spoken = time.monotonic()

    def show(event: Event) -> None:
        data: dict[str, Any] = event.data
        nonlocal spoken
        # Where no bar is drawn, as into a file, a line each half minute says how far it is.
        if "takes" in data or (not sys.stderr.isatty() and time.monotonic() - spoken > QUIET_S):
            sys.stderr.write(f"{clean(event.message)}\n")
            spoken = time.monotonic()
        if "step" in data:
            said = "  ".join(f"{k} {v:.4g}" for k, v in data.items() if isinstance(v, float))
            bar(data["step"], data.get("steps"), f"{event.stage}  {said}")

    return show
