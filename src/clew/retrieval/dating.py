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
_YEAR_1000 = (datetime(1000, 1, 1, tzinfo=UTC) - _EPOCH).total_seconds()

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
_MONTHLY = re.compile(  # "the March delivery from X"
    rf"\b(?P<the>the|our|The|Our) (?P<month>(?i:{_NAMES})) (?P<thing>[a-z]{{3,}})\b"
)
_DAYS_OF = re.compile(  # "between the 1st and the 7th of December 2024"
    rf"\b(?P<from>between|from) (?:the )?(?P<first>\d{{1,2}}){_TH} (?P<to>and|to|until|till) (?:the )?"
    rf"(?P<last>\d{{1,2}}){_TH}(?: of)? (?P<month>{_NAMES})\b(?P<year>,? \d{{4}})?",
    re.IGNORECASE,
)


def with_years(question: Question, graph: Graph) -> Question:
    """A question whose days and months have their year: "on the 18th of July" → "on 2025-07-18", "in October" → "in
    October 2024", where only that year fits."""
    text = _EDGE.sub(lambda m: f"{m['after'] or m['before']} {m['month'].capitalize()}", _DATED.sub("", question.text))
    text = _DAYS_OF.sub(lambda match: _two_days(match, graph), text)
    if _EARLY_YEAR.search(text) is not None and _has_early_years(graph):
        text = _EARLY_YEAR.sub(lambda match: f"{match['before']} {int(match['year']):04d}", text)
    if _HOUR.search(text) is not None and _has_times(graph):
        text = _HOUR.sub(_hour, text)
    if _PART_OF_DAY.search(text) is not None and _has_times(graph):
        text = _PART_OF_DAY.sub(lambda match: _PARTS[match["part"].lower()], text)
    text = _MONTHLY.sub(lambda match: f"{match['the']} {match['thing']} in {match['month'].capitalize()}", text)
    text = _BARE.sub(lambda match: f"in {match['month']}", text)
    text = _MONTH.sub(lambda match: _with_year(match, graph), text)
    if text != question.text:
        question = replace(question, text=text)
    match = _DAY.search(text)
    alone = _ALONE.search(text) if match is None else None
    if (match is None and alone is None) or graph.whole.num_triples > MOST:
        return question
    days = _days(graph)
    if match is not None:
        month = _number(match["month"] or match["month2"])
        day = int(match["day"] or match["day2"])
        fitting = [each for each in days if each[5:] == f"{month:02d}-{day:02d}"]
        if not fitting and (year := _year_of(month, graph)):  # a day on which nothing is dated
            fitting = [f"{year}-{month:02d}-{day:02d}"]
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


_EARLY_YEAR = re.compile(  # "before the year 200", "after 250"
    r"\b(?P<before>before|prior to|after|since|until|till|in|by|from) (?:the year )?(?P<year>\d{1,3})"
    r"(?=\W*$|,? (?:and|or|but)\b)",
    re.IGNORECASE,
)
_EDGE = re.compile(  # "after the end of April", "since the start of June"
    r"\b(?:(?P<after>after|until|till|by) the (?:very )?end|(?P<before>before|since|from) the (?:start|beginning)) of"
    rf" (?P<month>{_NAMES}|\d{{4}})\b",
    re.IGNORECASE,
)
_PARTS = {"morning": "before 12:00", "afternoon": "after 12:00", "evening": "after 18:00"}
_PART_OF_DAY = re.compile(r"\bin the (?P<part>morning|afternoon|evening)s?\b", re.IGNORECASE)


_HOURS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_PAST = {"five": 5, "ten": 10, "quarter": 15, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
_SAID_HOUR = rf"(?P<hour>{'|'.join(_HOURS)}|1?\d)"
_HOUR = re.compile(  # "before seven in the morning", "after half past two", "before ten to nine in the evening"
    rf"\b(?P<before>before|after|since|until|till|by|at) (?:(?P<minutes>{'|'.join(_PAST)}) (?P<side>past|to) )?"
    rf"{_SAID_HOUR}"
    r"(?: o'?clock)?(?P<part> in the (?:morning|afternoon|evening)| at night)?(?![\w:./%-])(?! [\w-])",
    re.IGNORECASE,
)


def _hour(match: re.Match[str]) -> str:
    """A time of the day in figures, where a word says that it is one."""
    part, minutes = (match["part"] or "").lower(), _PAST.get((match["minutes"] or "").lower(), 0)
    said = match.group(0).lower()
    if not (part or minutes or "clock" in said):
        return match.group(0)
    hour = _HOURS.index(match["hour"].lower()) + 1 if match["hour"].lower() in _HOURS else int(match["hour"])
    late = hour < 12 and any(each in part for each in ("afternoon", "evening", "night"))
    at = (hour + 12 * late) * 60 + (-minutes if (match["side"] or "").lower() == "to" else minutes)
    return f"{match['before']} {at // 60 % 24:02d}:{at % 60:02d}"


def _has_times(graph: Graph) -> bool:
    """Whether the graph states times of the day."""

    def made() -> bool:
        return any(column(graph, number).precision == "clock" for number in range(graph.num_relations))

    return graph.derived(("dating.times",), made) if graph.whole.num_triples <= MOST else False


def _has_early_years(graph: Graph) -> bool:
    """Whether the graph dates things to years before 1000, which a question writes with fewer than four digits."""

    def made() -> bool:
        dated = (column(graph, number) for number in range(graph.num_relations))
        years = (each for each in dated if each.kind == "date" and each.ordered and each.precision == "year")
        return any(each.low.min() < _YEAR_1000 for each in years if len(each.low))

    return graph.derived(("dating.early",), made) if graph.whole.num_triples <= MOST else False


def _with_year(match: re.Match[str], graph: Graph) -> str:
    """A month with the one year in which the graph has days of it; as it stands where there are several, or none."""
    said = match.group(0)
    if graph.whole.num_triples > MOST or (
        match["month"].lower() in ("may", "march")
        and match["month"].islower()
        and match["before"].lower() not in ("in", "during", "throughout")
    ):
        return said  # "for may" is no month
    if re.search(rf"\d{_TH}\s*$", match.string[: match.start()]):
        return said  # "the 2nd of April"
    month = _number(match["month"])
    year = _year_of(month, graph)
    if not year:
        return said
    before = "in" if match["before"].lower() in ("for", "of", "throughout") else match["before"]
    return f"{before} {MONTHS[month - 1].capitalize()} {year}"


def _two_days(match: re.Match[str], graph: Graph) -> str:
    """Two days of one month, each with its month and, where only one fits, its year."""
    year = match["year"] or ""
    if not year and graph.whole.num_triples <= MOST:
        year = f" {_year_of(_number(match['month']), graph)}".rstrip()
    first, last = (f"{match[day]} {match['month']}{year}" for day in ("first", "last"))
    return f"{match['from']} {first} {match['to']} {last}"


def _number(month: str) -> int:
    """The number of a month, by its name or the first three letters of it."""
    return next(i for i, name in enumerate(MONTHS, 1) if name.startswith(month[:3].lower()))


def _year_of(month: int, graph: Graph) -> str:
    """The one year in which all the graph's dates have days of a month, those that have any; nothing where there are
    several, or none."""
    found = [years for days in _dates(graph) if (years := {each[:4] for each in days if each[5:7] == f"{month:02d}"})]
    years = set.intersection(*found) if found else set[str]()
    return years.pop() if len(years) == 1 else ""


def _days(graph: Graph) -> list[str]:
    """The days that the graph's dates fall on, each once, ascending."""
    return sorted(set[str]().union(*_dates(graph)))


def _dates(graph: Graph) -> list[frozenset[str]]:
    """The days that each of the graph's dates falls on."""

    def made() -> list[frozenset[str]]:
        found = []
        for number in range(graph.num_relations):
            dates = column(graph, number)
            if dates.kind == "date" and dates.ordered and dates.precision in ("day", "second"):
                seconds = (second for second in np.unique(dates.low).tolist() if abs(second) < 6e10)
                found.append(frozenset((_EPOCH + timedelta(seconds=each)).date().isoformat() for each in seconds))
        return found

    return graph.derived(("dating.days",), made)
