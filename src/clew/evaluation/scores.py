"""The result of scoring: one frozen record that holds every question's values, so that it can be compared and shown.

Kept apart from scoring so that reports, comparisons and stored files share one shape. Values are columns: position i of
every column belongs to question `ids[i]`.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from clew.errors import FormatError
from clew.evaluation.calibration import Calibration, ReliabilityBin
from clew.evaluation.statistics import Estimate
from clew.types import to_json

PRIMARY = ("hit", "hits@1", "precision", "recall", "f1")
FORMAT = 1
JOULES_PER_TOKEN = 1.0
"""Of a language model elsewhere: Decompositional, Table 4, 4.62 kWh for 5,159 questions of some 3,200 tokens (7 B)."""
KG_PER_KWH = 0.48
"""CO2 of a kilowatt hour, mean of the world in 2023 (Ember)."""


@dataclass(frozen=True, slots=True)
class Counts:
    """What became of the questions. answered + abstained + failed + missing = questions."""

    questions: int = 0
    answered: int = 0
    abstained: int = 0
    failed: int = 0
    missing: int = 0
    unanswerable: int = 0  # of the questions, those whose gold is the empty set
    abstained_rightly: int = 0
    unscored: int = 0  # left out, because the source states no gold


@dataclass(frozen=True, slots=True)
class StageScores:
    """Wall clock of one stage over the answered questions, in seconds."""

    total: float
    mean: float
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class Cost:
    """What the answers cost together."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    seconds: Mapping[str, StageScores] = field(default_factory=dict)  # by stage, and "total"
    joules: float | None = None  # of this machine; None: nothing was recorded
    joules_from: str = ""  # which counters, or what the estimate is made of
    served_joules: float = 0.0  # of a language model elsewhere: always an estimate, by its tokens

    @property
    def carbon(self) -> float:
        """kg of CO2, at the world's mean of `KG_PER_KWH`."""
        return ((self.joules or 0.0) + self.served_joules) / 3.6e6 * KG_PER_KWH


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics of one set of predictions over all scored questions, with intervals and what they are made of."""

    name: str
    counts: Counts
    metrics: Mapping[str, Estimate]  # "f1", "micro f1", "entity f1", "evidence recall", "rog f1", …
    breakdowns: Mapping[str, Mapping[str, Mapping[str, Estimate]]]  # grouping → group → metric
    cost: Cost
    calibration: Calibration | None  # None: scores are no probabilities, or nothing was answered
    ids: tuple[str, ...]
    status: tuple[str, ...]  # answered, abstained, failed or missing
    values: Mapping[str, tuple[float | None, ...]]  # per question; None where a metric does not apply
    sizes: Mapping[str, float]  # mean evidence size: entities, triples, tokens
    notices: tuple[str, ...] = ()  # must stand wherever the scores stand
    level: float = 0.95

    def __str__(self) -> str:
        shown = "  ".join(f"{name} {self.metrics[name]}" for name in PRIMARY if name in self.metrics)
        return f"{self.name}: {shown}  ({self.counts.questions} questions)"

    def _repr_html_(self) -> str:
        cells = "".join(
            f"<tr><th scope='row'>{html.escape(name)}</th><td>{each}</td><td>{each.n}</td></tr>"
            for name, each in self.metrics.items()
        )
        notices = "".join(f"<p><small>{html.escape(notice)}</small></p>" for notice in self.notices)
        return (
            f"<table><caption>{html.escape(self.name)}: {self.counts.questions} questions, {self.counts.abstained} "
            f"abstained, {self.counts.failed + self.counts.missing} failed</caption><thead><tr><th>metric</th>"
            f"<th>% [{100 * self.level:.0f} % interval]</th><th>questions</th></tr></thead>"
            f"<tbody>{cells}</tbody></table>{notices}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values; `scores_from_json` reads them back."""
        return {"format": FORMAT, **to_json(self)}


def scores_from_json(data: Mapping[str, Any]) -> Scores:
    """The inverse of `Scores.to_json`. Raises FormatError when it is damaged or from another version."""
    if data.get("format") != FORMAT:
        raise FormatError(f"scores: format {data.get('format')!r}, this version reads {FORMAT}: score the run again")
    try:
        calibration, cost = data["calibration"], data["cost"]
        return Scores(
            name=data["name"],
            counts=Counts(**data["counts"]),
            metrics=_estimates(data["metrics"]),
            breakdowns={
                grouping: {group: _estimates(metrics) for group, metrics in groups.items()}
                for grouping, groups in data["breakdowns"].items()
            },
            cost=Cost(**{**cost, "seconds": {stage: StageScores(**each) for stage, each in cost["seconds"].items()}}),
            calibration=_calibration(calibration) if calibration else None,
            ids=tuple(data["ids"]),
            status=tuple(data["status"]),
            values={name: tuple(column) for name, column in data["values"].items()},
            sizes=dict(data["sizes"]),
            notices=tuple(data["notices"]),
            level=data["level"],
        )
    except (KeyError, TypeError) as error:
        raise FormatError(f"scores: damaged ({error}): score the run again") from None


def _estimates(data: Mapping[str, Any]) -> dict[str, Estimate]:
    return {name: Estimate(**each) for name, each in data.items()}


def _calibration(data: Mapping[str, Any]) -> Calibration:
    return Calibration(
        **{
            **data,
            "bins": tuple(ReliabilityBin(**each) for each in data["bins"]),
            "coverage": tuple(data["coverage"]),
            "risk": tuple(data["risk"]),
        }
    )
