"""`score`, `compare`, `report`: what the rows of a run are worth. Never runs a method."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from clew.cli.options import Json

if TYPE_CHECKING:
    from clew.evaluation import Scores

Modes = Annotated[
    Optional[list[str]],  # noqa: UP045
    typer.Option("--mode", help="Add metrics as somebody else counts them: rog, gcr, subgraphrag, tog, wtq."),
]


def score(
    run: Annotated[Optional[Path], typer.Argument(metavar="[RUN]", help="A folder made by clew predict.")] = None,  # noqa: UP045
    predictions: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--predictions", help="Score somebody else's output file instead."),
    ] = None,
    format: Annotated[str, typer.Option("--format", help="Of --predictions: rog or plain.")] = "rog",
    questions: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--questions", help="Gold for --format plain: JSONL, or a known set such as pq-2h:test."),
    ] = None,
    mode: Modes = None,
    matching: Annotated[
        Optional[float],  # noqa: UP045
        typer.Option("--matching", help="Add Matching: evidence with an entity at least so like an answer; 0.9."),
    ] = None,
    json: Json = False,
) -> None:
    """Metrics with bootstrap intervals, breakdowns and cost; says whether an experiment's expectation holds."""
    from clew.cli.screen import put_json
    from clew.errors import InputError
    from clew.scores import expectation, score_file, score_run

    if (run is None) == (predictions is None):
        raise InputError("score one thing: a run's folder, or --predictions FILE")
    if predictions is not None:
        scores, verdicts = score_file(predictions, format, questions, mode or ()), []
    else:
        assert run is not None
        scores = score_run(run, mode or (), matching)
        verdicts = expectation(run, scores)
    if json:
        put_json({**scores.to_json(), "expected": verdicts})
        return
    _put(scores)
    for verdict in verdicts:
        state = "holds" if verdict["holds"] else "DOES NOT HOLD"
        sys.stdout.write(
            f"expected {verdict['metric']} {verdict['expected']:.3f} ± {verdict['tolerance']:.3f} "
            f"({verdict['source']}): {verdict['found']:.3f}, {state}\n"
        )
    if not all(verdict["holds"] for verdict in verdicts):
        raise typer.Exit(1)


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="A folder made by clew predict.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="Another on the same questions.")],
    metric: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Option("--metric", help="Default hit, hits@1, f1. May be repeated."),
    ] = None,
    common: Annotated[bool, typer.Option("--common", help="Compare on the questions that both have.")] = False,
    json: Json = False,
) -> None:
    """Paired tests of two runs on the same questions."""
    from clew.cli.screen import put_json, put_table
    from clew.evaluation import compare as compare_scores
    from clew.scores import score_run
    from clew.types import to_json

    pair = score_run(first), score_run(second)
    found = compare_scores(*pair, metrics=metric, common=common) if metric else compare_scores(*pair, common=common)
    if json:
        put_json(to_json(found))
        return
    title = f"{found.second} against {found.first}, {found.questions} questions"
    put_table(
        ("metric", found.first, found.second, "difference", "interval", "better", "worse", "p", "p (Holm)", "test"),
        [
            (
                d.metric, d.first, d.second, d.difference, f"[{d.low:+.3f}, {d.high:+.3f}]", d.better, d.worse,
                f"{d.p:.2g}", f"{d.p_holm:.2g}", d.test,
            )
            for d in found.differences
        ],
        title=title,
    )  # fmt: skip
    sys.stdout.writelines(f"{notice}\n" for notice in found.notices)


def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUNS...", help="Folders made by clew predict.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="The page to write.")] = Path("report.html"),
    table: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option("--table", help="Also put the table of results between the markers of this Markdown file."),
    ] = None,
) -> None:
    """Tables and plots of several runs, as one page that needs no network."""
    from clew.evaluation import markdown_table, replace_between
    from clew.evaluation import report as write_report
    from clew.scores import score_runs, table_rows

    scores = score_runs(runs)
    write_report(scores, out)
    sys.stdout.write(f"wrote {out}\n")
    if table is not None:
        changed = replace_between(table, markdown_table(table_rows(runs, scores)))
        sys.stdout.write(f"{'changed' if changed else 'left as it was'}: {table}\n")


def _put(scores: Scores) -> None:
    from clew.cli.screen import put_table
    from clew.evaluation.scores import KG_PER_KWH

    counts = scores.counts
    sys.stdout.write(
        f"{scores.name}: {counts.questions:,} questions: {counts.answered:,} answered, {counts.abstained:,} abstained, "
        f"{counts.failed:,} failed, {counts.missing:,} missing"
        + (f"; {counts.unscored:,} without gold left out" if counts.unscored else "")
        + "\n"
    )
    put_table(
        ("metric", f"% [{100 * scores.level:.0f} % interval]", "questions"),
        [(name, str(estimate), estimate.n) for name, estimate in scores.metrics.items()],
    )
    for grouping, groups in scores.breakdowns.items():
        names = list(dict.fromkeys(name for metrics in groups.values() for name in metrics))
        put_table(
            (grouping, "questions", *names),
            [
                (group, max((e.n for e in metrics.values()), default=0), *(str(metrics.get(n, "–")) for n in names))
                for group, metrics in groups.items()
            ],
        )
    known = scores.calibration
    if known is not None and known.n:
        sys.stdout.write(
            f"scores of first answers: expected calibration error {known.ece:.3f}, Brier {known.brier:.3f}; "
            "clew report draws right over stated and wrong over answered\n"
        )
    cost = scores.cost
    if cost.calls:
        sys.stdout.write(
            f"language model: {cost.calls:,} calls ({cost.cached_calls:,} from the cache), "
            f"{cost.prompt_tokens:,} + {cost.completion_tokens:,} tokens, cost {cost.money:.4f}\n"
        )
    if cost.joules is not None:
        served = f" and about {cost.served_joules / 1e3:,.1f} kJ at the language model (estimate: 1 J a token)"
        sys.stdout.write(
            f"energy: {cost.joules / 1e3:,.1f} kJ on this machine ({cost.joules_from})"
            f"{served if cost.served_joules else ''}; {1e3 * cost.carbon:,.2f} g of CO2 at {KG_PER_KWH} kg/kWh\n"
        )
    if cost.seconds:
        rows = [(stage, s.total, s.mean, s.median, s.p95) for stage, s in cost.seconds.items()]
        put_table(("stage", "seconds in all", "mean", "median", "p95"), rows)
    sys.stdout.writelines(f"note: {notice}\n" for notice in scores.notices)
