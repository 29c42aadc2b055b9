"""Dates that a question states without their year, made whole by the dates that the graph holds.

Kept apart from the grammar of questions, which knows no graph: "on Friday 18 July" is one day only where the graph's
dates say of which year. Where several years fit the text stays as it is.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from clew.graph import Graph
from clew.query.columns import column
from clew.query.vocabulary import MONTHS, WEEKDAYS
from clew.types import Question

MOST = 2_000_000  # triples of a graph whose dates are all looked at
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_WEEKDAY = rf"(?:{'|'.join(WEEKDAYS)})"
_NAMES = "|".join((*MONTHS, *(month[:3] for month in MONTHS if month != "may")))
_TH = "(?:st|nd|rd|th)?"
_DAY = re.compile(
    rf"(?:\b{_WEEKDAY},? (?:the )?)?(?:\bthe )?\b(?:(?P<day>\d{{1,2}}){_TH}(?: of)? (?P<month>{_NAMES})\.?"
    rf"|(?P<month2>{_NAMES})\.? (?:the )?(?P<day2>\d{{1,2}}){_TH})(?!\w)(?!,? ?\d{{3,4}})",
    re.IGNORECASE,
)
_DATED = re.compile(
    rf"\b{_WEEKDAY},? (?:the )?(?=\d{{4}}-\d\d-\d\d|\d{{1,2}}{_TH}(?: of)? [A-Za-z]{{3,9}},? \d{{4}})", re.IGNORECASE
)
_ALONE = re.compile(
    rf"\bon (?:the )?(?P<weekday>{_WEEKDAY})(?= ?(?:night|evening|morning|afternoon)?\W*$)", re.IGNORECASE
)


_MONTH = re.compile(
    rf"\b(?P<before>in|during|since|before|after|until|till|for|from|of|throughout) (?P<month>{_NAMES})\b"
    r"(?!\.? (?:\d|the \d))(?P<end>\.?)(?!,? ?(?:of )?\d)",
    re.IGNORECASE,
)
_BARE = re.compile(  # "nora october payees", but no April Jones
    rf"(?<!\w)(?<!\bin )(?<!\bof )(?<!\bthe )(?<![A-Z][a-z] )(?<!\d )(?<!\d\w\w )"
    rf"(?P<month>{'|'.join(month for month in MONTHS if month not in ('may', 'march', 'april', 'june', 'august'))})\b"
    r"(?! \d| the \d| [A-Z])",
)
_DAYS_OF = re.compile(  # "between the 1st and the 7th of December 2024"
    rf"\b(?P<from>between|from) (?:the )?(?P<first>\d{{1,2}}){_TH} (?P<to>and|to|until|till) (?:the )?"
    rf"(?P<last>\d{{1,2}}){_TH}(?: of)? (?P<month>{_NAMES})\b(?P<year>,? \d{{4}})?",
    re.IGNORECASE,
)


def with_years(question: Question, graph: Graph) -> Question:
    """A question whose days and months have their year: "on the 18th of July" → "on 2025-07-18", "in October" → "in
    October 2024", where only that year fits."""
    text = _DATED.sub("", question.text)
    text = _DAYS_OF.sub(
        lambda m: (
            f"{m['from']} {m['first']} {m['month']}{m['year'] or ''} {m['to']} {m['last']} {m['month']}"
            f"{m['year'] or ''}"
        ),
        text,
    )
    if _PART_OF_DAY.search(text) is not None and _has_times(graph):
        text = _PART_OF_DAY.sub(lambda match: _PARTS[match["part"].lower()], text)
    text = _BARE.sub(lambda match: f"in {match['month']}", text)
    text = _MONTH.sub(lambda match: _with_year(match, graph), text)
    if text != question.text:
        question = replace(question, text=text)
    match = _DAY.search(text)
    alone = _ALONE.search(text) if match is None else None
    if (match is None and alone is None) or graph.whole.num_triples > MOST:
        return question if text == question.text else replace(question, text=text)
    days = _days(graph)
    if match is not None:
        month = next(
            i for i, name in enumerate(MONTHS, 1) if name.startswith((match["month"] or match["month2"])[:3].lower())
        )
        day = int(match["day"] or match["day2"])
        fitting = [each for each in days if each[5:] == f"{month:02d}-{day:02d}"]
    else:
        assert alone is not None
        if graph.resolve(alone["weekday"]) or graph.resolve(alone["weekday"].capitalize()):
            return question
        wanted = WEEKDAYS.index(alone["weekday"].lower())
        fitting = [each for each in days if datetime.fromisoformat(each).weekday() == wanted]
    if len(fitting) != 1:
        return question
    if match is not None:
        before = text[: match.start()].rstrip()
        on = "" if re.search(r"\b(?:on|before|after|since|until|by|from|to|between|and)$", before, re.I) else "on "
        return replace(question, text=f"{before} {on}{fitting[0]}{text[match.end() :]}".strip())
    assert alone is not None
    return replace(question, text=f"{text[: alone.start()]}on {fitting[0]}{text[alone.end() :]}")


_PARTS = {"morning": "before 12:00", "afternoon": "after 12:00", "evening": "after 18:00"}
_PART_OF_DAY = re.compile(r"\bin the (?P<part>morning|afternoon|evening)s?\b", re.IGNORECASE)


def _has_times(graph: Graph) -> bool:
    """Whether the graph states times of the day."""

    def made() -> bool:
        return any(column(graph, number).precision == "clock" for number in range(graph.num_relations))

    return graph.derived(("dating.times",), made) if graph.whole.num_triples <= MOST else False


def _with_year(match: re.Match[str], graph: Graph) -> str:
    """A month with the one year in which the graph has days of it; as it stands where there are several, or none."""
    said = match.group(0)
    if graph.whole.num_triples > MOST or (
        match["month"].lower() in ("may", "march")
        and match["month"].islower()
        and match["before"].lower() not in ("in", "during", "throughout")
    ):
        return said  # "for may" is no month
    month = next(i for i, name in enumerate(MONTHS, 1) if name.startswith(match["month"][:3].lower()))
    years = {each[:4] for each in _days(graph) if each[5:7] == f"{month:02d}"}
    return f"{match['before']} {MONTHS[month - 1].capitalize()} {years.pop()}" if len(years) == 1 else said


def _days(graph: Graph) -> list[str]:
    """The days that the graph's dates fall on, each once, ascending."""

    def made() -> list[str]:
        found: set[str] = set()
        for number in range(graph.num_relations):
            dates = column(graph, number)
            if dates.kind != "date" or not dates.ordered or dates.precision not in ("day", "second"):
                continue
            for second in np.unique(dates.low).tolist():
                if abs(second) < 6e10:
                    found.add((_EPOCH + timedelta(seconds=second)).date().isoformat())
        return sorted(found)

    return graph.derived(("dating.days",), made)
