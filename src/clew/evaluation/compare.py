"""Is one system better than another on the same questions? Paired tests, corrected for asking several times.

Kept apart from scoring because it needs two results and no gold. Metrics that are 0 or 1 per question get McNemar's
exact test, the others a sign-flip permutation test of the mean difference; Holm's correction runs over all metrics
compared. Intervals are bootstrap percentiles of the paired difference.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.errors import InputError, NotFoundError, unknown
from clew.evaluation.scores import Scores
from clew.evaluation.statistics import estimates, holm, mcnemar, paired_permutation

COMPARED = ("hit", "hits@1", "f1")


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """One metric of two systems on the questions it applies to in both; `difference` is second minus first."""

    metric: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    better: int  # questions on which the second is better
    worse: int
    n: int
    test: str  # "mcnemar" or "permutation"
    p: float
    p_holm: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two systems on the same questions."""

    first: str
    second: str
    questions: int
    left_out: int  # questions that only one of the two has
    differences: tuple[PairedDifference, ...]
    notices: tuple[str, ...] = ()
    level: float = 0.95

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th scope='row'>{html.escape(d.metric)}</th><td>{100 * d.first:.1f}</td><td>{100 * d.second:.1f}</td>"
            f"<td>{100 * d.difference:+.1f} [{100 * d.low:+.1f}, {100 * d.high:+.1f}]</td><td>{d.better}</td>"
            f"<td>{d.worse}</td><td>{d.p:.2g}</td><td>{d.p_holm:.2g}</td><td>{d.test}</td></tr>"
            for d in self.differences
        )
        return (
            f"<table><caption>{html.escape(self.second)} against {html.escape(self.first)}, {self.questions} questions"
            f"</caption><thead><tr><th>metric</th><th>{html.escape(self.first)}</th><th>{html.escape(self.second)}</th>"
            f"<th>difference</th><th>better</th><th>worse</th><th>p</th><th>p (Holm)</th><th>test</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>"
        )


def compare(
    first: Scores,
    second: Scores,
    metrics: Sequence[str] = COMPARED,
    *,
    common: bool = False,
    samples: int = 10_000,
    level: float = 0.95,
    seed: int = 0,
) -> Comparison:
    """Compare two results question by question.

    Args:
        metrics: per-question metrics that both hold.
        common: compare on the questions both have, where they differ; without it a difference is an error.

    Raises:
        InputError: other questions, or none in common. NotFoundError: an unknown metric.
    """
    shared = [id for id in first.ids if id in set(second.ids)]
    left_out = len(first.ids) + len(second.ids) - 2 * len(shared)
    if not shared or (left_out and not common):
        only = next(iter(set(first.ids) ^ set(second.ids)), "")
        raise InputError(
            f"{first.name} and {second.name} answer different questions: {len(shared)} in common, {left_out} in one "
            f"only, such as {only!r}; score both on the same questions"
            + (", or compare the common ones" * bool(shared))
        )
    found = []
    for metric in metrics:
        for each in (first, second):
            if metric not in each.values:
                raise NotFoundError(f"{each.name}: {unknown('metric', metric, each.values)}")
        found.append(_difference(metric, first, second, shared, samples, level, seed))
    corrected = holm([d[-1] for d in found])
    differences = tuple(
        PairedDifference(*each, p_holm=p)
        for each, p in zip(found, corrected, strict=True)
    )  # fmt: skip
    notices = tuple(dict.fromkeys((*first.notices, *second.notices)))
    return Comparison(first.name, second.name, len(shared), left_out, differences, notices, level)


def compare_all(first: Scores, others: Sequence[Scores], metrics: Sequence[str] = COMPARED) -> list[Comparison]:
    """Each of `others` against `first`, with Holm's correction over every metric of every pair."""
    found = [compare(first, other, metrics) for other in others]
    corrected = iter(holm([d.p for comparison in found for d in comparison.differences]))
    return [
        replace(comparison, differences=tuple(replace(d, p_holm=next(corrected)) for d in comparison.differences))
        for comparison in found
    ]


def _column(scores: Scores, metric: str, ids: list[str]) -> list[float | None]:
    place = {id: i for i, id in enumerate(scores.ids)}
    return [scores.values[metric][place[id]] for id in ids]


def _difference(
    metric: str, first: Scores, second: Scores, ids: list[str], samples: int, level: float, seed: int
) -> tuple[str, float, float, float, float, float, int, int, int, str, float]:
    columns = zip(_column(first, metric, ids), _column(second, metric, ids), strict=True)
    pairs = np.array([(a, b) for a, b in columns if a is not None and b is not None], float).reshape(-1, 2)
    if not len(pairs):
        raise InputError(f"metric {metric!r} applies to no question of both {first.name} and {second.name}")
    gaps = pairs[:, 1] - pairs[:, 0]
    better, worse = int((gaps > 0).sum()), int((gaps < 0).sum())
    (interval,) = estimates(gaps[:, None], np.ones((len(gaps), 1)), samples=samples, level=level, seed=seed,
                            kind="percentile")  # fmt: skip
    binary = bool(np.isin(pairs, (0.0, 1.0)).all())
    p = mcnemar(better, worse) if binary else paired_permutation(gaps, samples=samples, seed=seed)
    means = pairs.mean(axis=0)
    gap = float(gaps.mean())
    return (
        metric, float(means[0]), float(means[1]), gap,
        gap if interval.low is None else interval.low, gap if interval.high is None else interval.high,
        better, worse, len(gaps), "mcnemar" if binary else "permutation", p,
    )  # fmt: skip
