"""`diagnose`, `sweep`: where a method errs, stage by stage, and what one of its settings does."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

from clew.cli.options import ConfigFile, Json, MethodName, ModelFolder, Quiet, Set, workspace


def diagnose(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by clew predict.")],
    graph: Annotated[
        str, typer.Argument(metavar="GRAPH", help="The graph that was asked: a folder made by clew build.")
    ],
    hops: Annotated[int, typer.Option(min=1, help="Longest gold chain that is looked for.")] = 3,
) -> None:
    """What went wrong where in a run, against gold, as JSON: plans, strategies, evidence, seconds of each stage."""
    from clew.cli.screen import put_json
    from clew.errors import UnsupportedError
    from clew.extras import load
    from clew.graph.store import has_arrays
    from clew.methods.registry import card, cards
    from clew.runs import Run

    done = Run.open(run)
    name = done.manifest["identity"]["method"]
    room = card(name)
    if room.report is None:
        able = ", ".join(name for name, each in cards().items() if each.report)
        raise UnsupportedError(f"method {name!r} has no report of its stages (those that have one: {able}); clew score")
    space = workspace(graph)
    if not has_arrays(space.graph):
        raise UnsupportedError(
            f"graph {graph!r}: its gold chains are looked for in an embedded graph: clew pull it first"
        )
    put_json(load(room.report)(done.answers(), done.examples(), space.graph.as_subgraph, hops=hops))


def sweep(
    graph: Annotated[str, typer.Argument(metavar="GRAPH", help="A folder made by clew build.")],
    questions: Annotated[str, typer.Argument(metavar="QUESTIONS", help="JSONL with answers, or a known set.")],
    vary: Annotated[
        str, typer.Option("--vary", metavar="NAME=A,B,…", help="One setting, such as method.theta=0.4,0.6.")
    ],
    run: Annotated[
        Path, typer.Option("--run", help="Folder for a run of each value; finished ones are not run again.")
    ],
    method: MethodName = None,
    model: ModelFolder = None,
    limit: Annotated[Optional[int], typer.Option(min=1, help="Only a sample of so many questions.")] = None,  # noqa: UP045
    config: ConfigFile = None,
    assignments: Set = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Ask the same questions with each value of one setting; each value is tested against the first, in pairs."""
    from clew.api import predict_run
    from clew.cli.screen import progress, put_json, put_table
    from clew.errors import InputError
    from clew.evaluation import compare
    from clew.questions import QuestionSource
    from clew.scores import score_run

    name, _, values = vary.partition("=")
    each = [value.strip() for value in values.split(",") if value.strip()]
    if "." not in name or not each:
        raise InputError(f"--vary {vary!r}: expected a setting and its values, such as method.theta=0.4,0.5,0.6")
    scores = []
    for value in each:
        space = workspace(
            graph,
            config=config,
            assignments=[*(assignments or ()), f"{name}={value}"],
            method=method,
            model=model,
            data={"questions": questions, "limit": limit},
        )
        folder = run / f"{name}-{value}".replace("/", "_")
        with progress(f"{name} = {value}", quiet=quiet) as bar:
            predict_run(
                space,
                QuestionSource(space.configuration.data, questions, training=True),
                folder,
                resume=True,
                on_progress=lambda p: bar(p.done, p.total, f"{p.rate:.1f}/s"),
            )
        scores.append(score_run(folder))
    rows = []
    for value, own in zip(each, scores, strict=True):
        tests = {d.metric: d.p for d in compare(scores[0], own).differences} if own is not scores[0] else {}
        rows.append(
            {"value": value}
            | {metric: own.metrics[metric].value for metric in ("hits@1", "hit", "f1")}
            | {f"p {metric}": tests.get(metric) for metric in ("hits@1", "f1")}
        )
    if json:
        put_json({"setting": name, "questions": scores[0].counts.questions, "rows": rows})
        return
    put_table(
        (name, "hits@1", "hit", "f1", "p of hits@1", "p of f1"),
        [
            (
                row["value"], row["hits@1"], row["hit"], row["f1"],
                *("–" if row[f"p {m}"] is None else f"{row[f'p {m}']:.2g}" for m in ("hits@1", "f1")),
            )
            for row in rows
        ],
        title=f"{scores[0].counts.questions} questions",
    )  # fmt: skip
