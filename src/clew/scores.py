"""Joins the rows of runs with gold: the one place where answers and right answers meet.

Kept apart from `clew.evaluation`, which takes rows and gold as arguments, and from `clew.runs`, which keeps both and
compares neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clew.datasets import load, question_sets
from clew.encoding import DEFAULT, open_encoder
from clew.errors import InputError, NotFoundError, unknown
from clew.evaluation import Scores, read_predictions, score
from clew.evaluation.evidence import Likeness
from clew.evaluation.scores import JOULES_PER_TOKEN, Cost
from clew.runs import Run, read_energy


def score_run(folder: Path, modes: Sequence[str] = (), matching: float | None = None) -> Scores:
    """Score a run against the gold that lies in its folder. Raises NotFoundError or FormatError.

    Args:
        matching: add Matching: the share of questions whose evidence holds an entity at least so similar to an answer,
            by the default encoder (Decompositional, 6.1: 0.9).
    """
    run = Run.open(folder)
    similar = None if matching is None else Likeness(open_encoder(DEFAULT), matching)
    examples = [(example.question, example.gold) for example in run.examples()]
    scores = score(run.rows(), examples, name=folder.name, modes=modes, notices=_notices(run), similar=similar)
    return replace(scores, cost=_with_energy(scores.cost, run))


def score_runs(folders: Sequence[Path]) -> list[Scores]:
    """Score several runs; where two folders share a name, each is called by its path."""
    names = [folder.name for folder in folders]
    return [
        replace(scores, name=str(folder)) if names.count(folder.name) > 1 else scores
        for folder, scores in ((folder, score_run(folder)) for folder in folders)
    ]


def table_rows(folders: Sequence[Path], scores: Sequence[Scores]) -> list[tuple[str, str, Scores]]:
    """Question set, method and scores of each run, for the generated table of results."""
    manifests = [Run.open(folder).manifest["identity"] for folder in folders]
    return [
        (str(manifest["data"]["questions"]), str(manifest["method"]), each)
        for manifest, each in zip(manifests, scores, strict=True)
    ]


def score_file(path: Path, format: str = "rog", questions: str | None = None, modes: Sequence[str] = ()) -> Scores:
    """Score somebody else's output file; the format `rog` adds the metrics that its authors publish."""
    predictions = read_predictions(path, format)
    asked = list(predictions.questions)
    if questions is not None:
        asked = [(example.question, example.gold) for example in load(questions)]
    if not asked:
        raise InputError(f"{path}: format {format!r} states no gold; name it with --questions FILE")
    wanted = tuple(dict.fromkeys((*(("rog",) if format == "rog" else ()), *modes)))
    return score(predictions.rows, asked, name=path.name, modes=wanted)


def expectation(folder: Path, scores: Scores) -> list[dict[str, Any]]:
    """Whether each value that the run's experiment file expects was reached, within its tolerance."""
    expected = Run.open(folder).manifest["sessions"][-1].get("expected")
    verdicts = []
    for name, value in (expected or {"metrics": {}})["metrics"].items():
        if name not in scores.metrics:
            raise NotFoundError(f"{folder}: the experiment expects {unknown('metric', name, scores.metrics)}")
        found, tolerance = scores.metrics[name].value, expected["tolerance"]
        verdicts.append(
            {
                "metric": name,
                "expected": value,
                "tolerance": tolerance,
                "source": expected["source"],
                "found": found,
                "holds": found is not None and abs(found - value) <= tolerance,
            }
        )
    return verdicts


def _with_energy(cost: Cost, run: Run) -> Cost:
    """The energy that a run's sessions recorded, and what its tokens took elsewhere."""
    records, sessions = read_energy(run.folder), len(run.manifest["sessions"])
    if not records:
        return cost
    sources = " and ".join(dict.fromkeys(record["source"] for record in records))
    missing = f"; {sessions - len(records)} of {sessions} sessions left no record" if len(records) < sessions else ""
    served = any(record.get("served") for record in records)
    tokens = cost.prompt_tokens + cost.completion_tokens if served else 0
    joules = sum(record["joules"] for record in records)
    return replace(cost, joules=joules, joules_from=sources + missing, served_joules=tokens * JOULES_PER_TOKEN)


def _notices(run: Run) -> tuple[str, ...]:
    name = str(run.manifest["identity"].get("data", {}).get("questions", "")).partition(":")[0]
    known = question_sets().get(name)
    return (known.notice,) if known is not None and known.notice else ()
