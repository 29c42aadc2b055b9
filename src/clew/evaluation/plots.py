"""Scores as inline SVG, readable on a dark and on a light page.

Kept apart from the page because matplotlib is an extra. Ink is drawn in a placeholder colour that becomes
`currentColor`, so a plot follows the page; text stays text. Every number drawn also stands in one of the page's tables.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from clew.errors import MissingExtraError
from clew.evaluation.scores import PRIMARY, Scores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#010203"
PALETTE = ("#3b82c4", "#e07b39", "#3f9b6c", "#b5579c", "#b39b2e", "#7d74cf", "#c94f4f", "#4aa3a8")
"""Colours with a contrast of at least 3:1 against both a white and a near-black page."""


def _figure(width: float, height: float) -> tuple[Any, Axes]:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("the plots of a report", "report") from None
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(INK)
    axes.tick_params(colors=INK, labelsize=9)
    axes.patch.set_alpha(0)
    return figure, axes


def _svg(figure: Any, label: str) -> str:
    from matplotlib import rc_context

    out = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": label, "font.family": "sans-serif"}):
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = out.getvalue()
    text = text[text.index("<svg") :].replace(INK, "currentColor")
    # Ids are unique per plot only; several plots share one page.
    prefix = re.sub(r"\W+", "-", label)
    text = re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{prefix}-", text)
    return text.replace("<svg ", f'<svg role="img" aria-label="{escape(label, quote=True)}" ', 1)


def _plain(text: str) -> str:
    return text.replace("$", r"\$")


def _legend(axes: Axes, n: int) -> None:
    """Above the axes, where it hides nothing."""
    if n > 1:
        axes.legend(
            frameon=False, fontsize=9, labelcolor=INK, loc="lower left", bbox_to_anchor=(0, 1), ncols=3,
            borderaxespad=0.2, handlelength=1.2, columnspacing=1.2,
        )  # fmt: skip


def metric_plot(scores: Sequence[Scores], metrics: Sequence[str] = PRIMARY) -> str:
    """Each metric of each result with its interval."""
    figure, axes = _figure(7.2, 0.9 + 0.22 * len(metrics) * (len(scores) + 1))
    for s, each in enumerate(scores):
        for m, name in enumerate(metrics):
            estimate = each.metrics.get(name)
            if estimate is None or estimate.value is None:
                continue
            low = estimate.value if estimate.low is None else estimate.low
            high = estimate.value if estimate.high is None else estimate.high
            y = m * (len(scores) + 1) + s
            axes.plot([100 * low, 100 * high], [y, y], color=PALETTE[s % len(PALETTE)], linewidth=2)
            label = _plain(each.name) if m == 0 else None
            axes.plot([100 * estimate.value], [y], "o", color=PALETTE[s % len(PALETTE)], markersize=6, label=label)
    axes.set_yticks([m * (len(scores) + 1) + (len(scores) - 1) / 2 for m in range(len(metrics))], list(metrics))
    axes.invert_yaxis()
    axes.set_xlim(0, 100)
    axes.set_xlabel("%", color=INK)
    axes.grid(axis="x", color=INK, alpha=0.15)
    _legend(axes, len(scores))
    return _svg(figure, "metrics with their intervals")


def group_plot(scores: Sequence[Scores], grouping: str, metric: str = "f1") -> str:
    """One metric by group, with intervals."""
    groups = list(dict.fromkeys(group for each in scores for group in each.breakdowns.get(grouping, {})))
    figure, axes = _figure(max(4.0, 1.2 + 0.9 * len(groups)), 2.8)
    width = 0.8 / max(1, len(scores))
    for s, each in enumerate(scores):
        for g, group in enumerate(groups):
            estimate = each.breakdowns.get(grouping, {}).get(group, {}).get(metric)
            if estimate is None or estimate.value is None:
                continue
            x = g + (s - (len(scores) - 1) / 2) * width
            colour, label = PALETTE[s % len(PALETTE)], _plain(each.name) if g == 0 else None
            axes.bar(x, 100 * estimate.value, width * 0.9, color=colour, label=label)
            if estimate.low is not None and estimate.high is not None:
                axes.plot([x, x], [100 * estimate.low, 100 * estimate.high], color=INK, linewidth=1.2)
    axes.set_xticks(range(len(groups)), [_plain(group) for group in groups])
    axes.set_ylim(0, 100)
    axes.set_ylabel(f"{metric}, %", color=INK)
    axes.set_xlabel(_plain(grouping), color=INK)
    _legend(axes, len(scores))
    return _svg(figure, f"{metric} by {grouping}")


def reliability_plot(scores: Sequence[Scores]) -> str:
    """Accuracy over stated confidence; the diagonal is honest."""
    figure, axes = _figure(3.6, 3.2)
    axes.plot([0, 1], [0, 1], color=INK, alpha=0.4, linewidth=1, linestyle="--")
    for s, each in enumerate(scores):
        if each.calibration is not None:
            bins = each.calibration.bins
            axes.plot(
                [b.confidence for b in bins], [b.accuracy for b in bins], "o-", color=PALETTE[s % len(PALETTE)],
                label=_plain(each.name), markersize=4,
            )  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("confidence", color=INK)
    axes.set_ylabel("hits@1", color=INK)
    _legend(axes, len(scores))
    return _svg(figure, "reliability")


def risk_plot(scores: Sequence[Scores]) -> str:
    """Share of wrong answers over the share of questions answered, as the threshold falls."""
    figure, axes = _figure(3.6, 3.2)
    for s, each in enumerate(scores):
        if each.calibration is not None and each.calibration.coverage:
            axes.plot(
                each.calibration.coverage, each.calibration.risk, color=PALETTE[s % len(PALETTE)],
                label=_plain(each.name), drawstyle="steps-post", marker=".", markersize=3,
            )  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_xlabel("coverage", color=INK)
    axes.set_ylabel("risk (wrong answers)", color=INK)
    _legend(axes, len(scores))
    return _svg(figure, "risk over coverage")
