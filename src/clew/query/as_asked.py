"""An answer by a plan in the form that its question asks for: with the figure by which something is the first ("which
rider owes most, and how much"), the day of a moment ("on what date"), a number in the unit that is asked for ("how many
hours" of minutes).

Kept apart from the plans, which make a set or a value as the graph states it: what is said here follows from the plan
and the question alone, so that whoever executes the plan again can check it (`proof`).
"""

from __future__ import annotations

import re
from dataclasses import replace

from clew.graph import Graph
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.text import parse
from clew.query.values import from_base, in_base, shown_number, unit_for, unit_of
from clew.types import Answer, Candidate

FEW = 3  # members, from which on each would have a figure of its own
WORDS = 2  # before what is asked for too
_JOINED = r"(?:\band|[+&,;])\s*(?:(?:also|then)\s+)?(?:(?:by|for|in|of|at|with|to|over|after)\s+)?"
_FIGURE = re.compile(
    rf"{_JOINED}how (?:many|much|long|far|big|large|high|old|heavy|often)\b"
    rf"|{_JOINED}(?:the |its |their |his |her )?(?:totals?|amount|number|count|sum|figure|value|days|hours|minutes)\W*$"
    r"|(?:\band|[+&]) (?:(?:with|at|for|to) )?what\b.{0,40}"
    r"\b(?:total|amount|number|figure|sum|quantity|value|owed?|have|come|came|adds?)\b",
    re.IGNORECASE,
)
_DAY = re.compile(r"\b(?:dates?|(?:what|which) days?)\b", re.IGNORECASE)
_MOMENT = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)T\d\d:\d\d\S*")
_IN_UNIT = re.compile(
    r"\b(?:how many|number of|in|total|average|avg|mean|of)(?: (?:total|full|whole|the))? (?P<unit>[a-z]{3,}|k[gm])\b"
    r"|(?P<sign>[£€$])(?! ?\d)",
    re.IGNORECASE,
)


def as_asked(answer: Answer, graph: Graph) -> Answer:
    """The answer as its question asks for it; as it stands where no plan makes it."""
    if answer.plan is None or not answer.candidates:
        return answer
    if answer.plan.makes == "set":
        return _with_figure(answer, graph) if len(answer.candidates) <= FEW else answer
    texts = _days(answer) or _in_unit(answer, graph)
    if texts is None:
        return answer
    said = zip(texts, answer.candidates, strict=True)
    return replace(answer, candidates=tuple(replace(each, text=text) for text, each in said))


def _with_figure(answer: Answer, graph: Graph) -> Answer:
    asked = _FIGURE.search(answer.question.text)
    if asked is None or answer.plan is None or len(answer.question.text[: asked.start()].split()) < WORDS:
        return answer
    plan: p.Plan = parse(answer.plan.text)
    while isinstance(plan, p.Follow):  # what the first leads to
        plan = plan.of
    ranking = execute(plan, graph).ranking if isinstance(plan, p.Top) and plan.k == 1 else None
    figure = ranking.said(float(ranking.keys[0])) if ranking is not None and len(ranking.keys) else ""
    if not figure or figure in answer.texts:
        return answer
    score = answer.candidates[0].score
    return replace(answer, candidates=(*answer.candidates, Candidate(figure, score, computed=True)))


def _days(answer: Answer) -> list[str] | None:
    """The days of moments, where a date is asked for."""
    moments = [_MOMENT.fullmatch(each.text) for each in answer.candidates]
    days = [match["day"] for match in moments if match is not None]
    return days if len(days) == len(moments) and _DAY.search(answer.question.text) is not None else None


def _in_unit(answer: Answer, graph: Graph) -> list[str] | None:
    """Bare numbers in the unit that is asked for, where the name of what they are of states another one."""
    numbers = [float(each.text) for each in answer.candidates if re.fullmatch(r"-?\d+(?:\.\d+)?", each.text)]
    if answer.plan is None or len(numbers) < len(answer.candidates):
        return None
    matches = list(_IN_UNIT.finditer(answer.question.text))
    path = _measured(parse(answer.plan.text)) if matches else ()
    own = column(graph, Binding.of(graph).relation(path[-1].relation)).stated if path else ""
    stated = unit_of(own) if own else None
    if stated is None:
        return None
    for match in matches:
        name = unit_for((match["unit"] or match["sign"]).lower(), stated.dimension)
        asked = unit_of(name)
        if asked is not None and asked.dimension == stated.dimension and asked.factor != stated.factor:
            return [shown_number(from_base(in_base(number, own), name)) for number in numbers]
    return None


def _measured(plan: p.Plan) -> p.Path:
    """The path to the figures that a plan adds up, averages or lists; () of other plans."""
    match plan:
        case p.Values(_, path) | p.Aggregate(_, _, path, None) | p.Difference(_, _, p.Key(path, _, _, None)):
            return path
        case p.Arithmetic("+" | "-", a, b) if _measured(a)[-1:] == _measured(b)[-1:]:
            return _measured(a)
    return ()
