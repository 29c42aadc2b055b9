"""The report: several results on one page that opens without a network, in a dark and in a light window.

Kept apart from the plots so that a page without matplotlib is still whole: its tables hold every number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path

from clew.errors import InputError, MissingExtraError
from clew.evaluation.compare import compare_all
from clew.evaluation.compat import MODES
from clew.evaluation.files import write_whole
from clew.evaluation.plots import group_plot, metric_plot, reliability_plot, risk_plot
from clew.evaluation.scores import PRIMARY, Scores
from clew.evaluation.statistics import Estimate

STYLE = """
:root { color-scheme: light dark; --page: #ffffff; --ink: #1c2024; --faint: #5b6570; --line: #d5dae0; --row: #f5f7f9 }
@media (prefers-color-scheme: dark) {
  :root { --page: #14171a; --ink: #e6e9ec; --faint: #9aa4ae; --line: #343b42; --row: #1c2126 } }
body { background: var(--page); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; max-width: 72rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin: 2.4rem 0 .6rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: .6rem 0 1rem }
caption { text-align: left; color: var(--faint); padding-bottom: .3rem; white-space: nowrap }
th, td { padding: .28rem .8rem .28rem 0; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap }
th[scope=row], thead th:first-child { text-align: left; font-weight: 500 }
thead th { color: var(--faint); font-weight: 500 }
tbody tr:hover { background: var(--row) }
small, .interval { color: var(--faint); font-size: .85em }
figure { margin: .6rem 1.5rem .6rem 0; display: inline-block; vertical-align: top; max-width: 100% }
figcaption { color: var(--faint); font-size: .9em }
svg { max-width: 100%; height: auto }
.notice { border-left: 3px solid #e07b39; padding: .1rem .8rem; margin: .5rem 0 }
"""


def report(scores: Sequence[Scores], out: str | Path | None = None, *, title: str = "clew: results") -> str:
    """The page as text, also written to `out` where given.

    Plots need the extra `report`; without it the page says so and holds the tables alone.

    Raises:
        InputError: no scores, two results with one name, or a file that cannot be written.
    """
    if not scores:
        raise InputError("report: no results to show; name at least one run")
    names = [each.name for each in scores]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"report: two results are called {twice.pop()!r}; give them different names")
    parts = [_overview(scores), *_comparisons(scores), *_breakdowns(scores), *_evidence(scores), *_modes(scores)]
    parts += [*_calibration(scores), *_cost(scores)]
    page = (
        f"<!doctype html>\n<html lang='en'><head><meta charset='utf-8'><title>{escape(title)}</title>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'><style>{STYLE}</style></head>"
        f"<body><h1>{escape(title)}</h1>{''.join(parts)}</body></html>\n"
    )
    if out is not None:
        try:
            write_whole(Path(out), page)
        except OSError as error:
            raise InputError(f"{out}: cannot write the report: {error.strerror}") from None
    return page


def _overview(scores: Sequence[Scores]) -> str:
    notices = dict.fromkeys(notice for each in scores for notice in each.notices)
    shown = "".join(f"<p class='notice'>{escape(notice)}</p>" for notice in notices)
    counts = [
        (each.name, *map(_count, (c.questions, c.answered, c.abstained, c.failed, c.missing, c.unscored)))
        for each, c in ((each, each.counts) for each in scores)
    ]
    head = ("", "questions", "answered", "abstained", "failed", "missing", "without gold")
    rows = [(each.name, *(_cell(each.metrics.get(name)) for name in PRIMARY)) for each in scores]
    micro = ("micro precision", "micro recall", "micro f1", "entity hits@1", "entity f1")
    used = [name for name in micro if any(name in each.metrics for each in scores)]
    more = [(each.name, *(_cell(each.metrics.get(name)) for name in used)) for each in scores]
    level = f"{100 * scores[0].level:.0f} %"
    caption = f"% of all questions, with {level} bootstrap intervals; failures count as wrong"
    return (
        shown
        + _table(head, counts, "What became of the questions; those without gold are left out of every score")
        + "<h2>Answers</h2>"
        + _table(("", *PRIMARY), rows, caption)
        + _figure(lambda: metric_plot(scores), "Points are values, bars their intervals")
        + _table(("", *used), more, "Micro averages count answers instead of questions; entity scores compare ids")
    )


def _comparisons(scores: Sequence[Scores]) -> Iterable[str]:
    """Each result against the first, where both answer the same questions."""
    first = scores[0]
    same = [each for each in scores[1:] if set(each.ids) == set(first.ids)]
    if same:
        yield f"<h2>Against {escape(first.name)}</h2>"
    for comparison in compare_all(first, same):
        yield f"<div class='scroll'>{comparison._repr_html_()}</div>"
    others = [each.name for each in scores[1:] if each not in same]
    if others:
        listed = escape(", ".join(others))
        yield f"<p><small>Not compared with {escape(first.name)}, because of other questions: {listed}</small></p>"


def _breakdowns(scores: Sequence[Scores]) -> Iterable[str]:
    for grouping in dict.fromkeys(grouping for each in scores for grouping in each.breakdowns):
        rows = [
            (
                f"{each.name}: {group}",
                _count(metrics["f1"].n),
                *(_cell(metrics.get(m)) for m in ("hit", "hits@1", "f1")),
            )
            for each in scores
            for group, metrics in each.breakdowns.get(grouping, {}).items()
        ]
        yield f"<h2>By {escape(grouping)}</h2>"
        groups = {group for each in scores for group in each.breakdowns.get(grouping, {})}
        if len(groups) <= 12:
            yield _figure(lambda grouping=grouping: group_plot(scores, grouping), f"F1 by {grouping}")  # type: ignore[misc]
        yield _table(("", "questions", "hit", "hits@1", "f1"), rows)


def _evidence(scores: Sequence[Scores]) -> Iterable[str]:
    names = [name for name in dict.fromkeys(n for each in scores for n in each.metrics) if name.startswith("evidence ")]
    if not names:
        return
    yield "<h2>Evidence</h2>"
    rows = [(each.name, *(_cell(each.metrics.get(name)) for name in names)) for each in scores]
    yield _table(("", *(name.removeprefix("evidence ") for name in names)), rows, "% of the questions it applies to")
    sizes = [(each.name, *(f"{value:.1f}" for value in each.sizes.values())) for each in scores if each.sizes]
    yield _table(("", "entities", "triples", "tokens (estimated)"), sizes, "Mean size per question")


def _modes(scores: Sequence[Scores]) -> Iterable[str]:
    for mode in MODES.values():
        names = [n for n in dict.fromkeys(n for each in scores for n in each.metrics) if n.startswith(f"{mode.name} ")]
        if names:
            yield f"<h2>As {escape(mode.name)} counts</h2>"
            rows = [(each.name, *(_cell(each.metrics.get(name)) for name in names)) for each in scores]
            yield _table(("", *(name.removeprefix(f"{mode.name} ") for name in names)), rows, mode.flag)


def _calibration(scores: Sequence[Scores]) -> Iterable[str]:
    known = [(each, each.calibration) for each in scores if each.calibration is not None]
    if not known:
        return
    yield "<h2>Do scores mean what they say?</h2>"
    rows = [
        (each.name, _count(c.n), f"{c.ece:.3f}", f"{c.brier:.3f}", "–" if c.aurc is None else f"{c.aurc:.3f}")
        for each, c in known
    ]
    caption = "Of the first answers; ECE: expected calibration error, AURC: area under risk over coverage; 0 is best"
    yield _table(("", "answered", "ECE", "Brier", "AURC"), rows, caption)
    yield _figure(lambda: reliability_plot([each for each, _ in known]), "Right answers over stated confidence")
    yield _figure(lambda: risk_plot([each for each, _ in known]), "Wrong answers over share of questions answered")


def _cost(scores: Sequence[Scores]) -> Iterable[str]:
    yield "<h2>Cost</h2>"
    rows = []
    for each in scores:
        cost, n = each.cost, max(1, each.counts.questions)
        rows.append(
            (each.name, _count(cost.calls), _count(cost.cached_calls), _count(cost.prompt_tokens),
             _count(cost.completion_tokens), f"{cost.calls / n:.2f}", f"{cost.money:.4f}")
        )  # fmt: skip
    yield _table(("", "calls", "cached", "prompt tokens", "completion tokens", "calls per question", "money"), rows)
    stages = [
        (f"{each.name}: {stage}", f"{s.total:.2f}", f"{s.mean:.4f}", f"{s.median:.4f}", f"{s.p95:.4f}")
        for each in scores
        for stage, s in each.cost.seconds.items()
    ]
    if stages:
        yield _table(("", "total", "mean", "median", "p95"), stages, "Seconds of wall clock by stage")


def _cell(estimate: Estimate | None) -> str:
    return "–" if estimate is None else str(estimate)


def _count(number: int) -> str:
    return f"{number:,}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    heads = "".join(f"<th scope='col'>{escape(each)}</th>" for each in head)
    body = "".join(
        f"<tr><th scope='row'>{escape(row[0])}</th>" + "".join(f"<td>{_split(each)}</td>" for each in row[1:]) + "</tr>"
        for row in rows
    )
    shown = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<div class='scroll'><table>{shown}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"


def _split(cell: str) -> str:
    """A value and its interval, the interval set back."""
    value, bracket, interval = cell.partition(" [")
    return f"{escape(value)} <span class='interval'>[{escape(interval)}</span>" if bracket else escape(cell)


def _figure(draw: Callable[[], str], caption: str) -> str:
    try:
        drawing = draw()
    except MissingExtraError as error:
        return f"<p><small>{escape(str(error))}</small></p>"
    return f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>"
