"""Denotation accuracy: whether an answer is the gold set, no more and no less, with numbers and dates read as values.

Kept apart from hit and F1, which compare names: "8,100" and "8100.0" are one number, "1999" is not "May 1999". The
second function repeats the official evaluator of WikiTableQuestions (Pasupat and Liang, ACL 2015; its version 1.0.2,
without the values tagged by CoreNLP, which only its own target files hold), under its own name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from clew.evaluation.matching import accepted, distinct, key, matched
from clew.graph.strings import literal_parts, shown
from clew.query.values import ReadValue, untyped
from clew.types import Answer, Gold

MOMENT = "http://www.w3.org/2001/XMLSchema#dateTime"
_TRUTHS = {"true": "yes", "false": "no"}


def denotation(answer: Answer | None, gold: Gold) -> float:
    """1 where the answers are the gold ones, each once, and nothing else; a failed question is wrong."""
    if answer is None:
        return 0.0
    if not gold.answers:
        return float(not answer.candidates)
    golds = accepted(gold)
    names = distinct(answer.texts)
    if len(names) == len(golds) and matched(names, golds) == len(golds):
        return 1.0
    said, wanted = list(dict.fromkeys(answer.texts)), list(dict.fromkeys(gold.answers))
    if len(said) < len(wanted):
        return 0.0
    stated = {c.text: literal_parts(c.entity.id)[0] for c in answer.candidates if c.entity and c.entity.datatype}
    used: set[int] = set()
    for text in said:  # a literal is shown as people read it: what the graph states is the same answer
        plain = _without_asked_unit(text, answer.question.text)
        found = next(
            (
                i
                for i, each in enumerate(wanted)
                if same_value(text, each) or stated.get(text) == each or (plain and same_value(plain, each))
            ),
            None,
        )
        if found is None:
            return 0.0
        used.add(found)
    return float(len(used) == len(wanted))


_COUNTED = re.compile(r"(?P<number>-?\d+(?:\.\d+)?) (?P<unit>seconds|minutes|hours|days|weeks|months|years)")


def _without_asked_unit(said: str, question: str) -> str:
    """The number of a time in the unit that a question asks for: "168 days" and "168" are one answer to "how many
    days" and to "average days"; "" for another unit, or where the question states none."""
    match = _COUNTED.fullmatch(said)
    asked = match is not None and re.search(rf"\b{match['unit']}\b", question, re.IGNORECASE)
    old = match is not None and match["unit"] == "years" and re.search(r"\bhow old\b|\bage\b", question, re.IGNORECASE)
    return match["number"] if match is not None and (asked or old) else ""


def same_value(said: str, gold: str) -> bool:
    """Whether two texts are one name, number, date or truth; a number may have more digits than the gold states, and
    midnight of a day is the day."""
    mine, theirs = (_TRUTHS.get(key(text), key(text)) for text in (said, gold))
    if mine == theirs:
        return True
    a, b = (untyped(shown(text, MOMENT)) for text in (said, gold))
    if a is None or b is None or a.kind != b.kind:
        return False
    if a.kind == "date":
        return (a.low, a.high) == (b.low, b.high)
    if a.dimension and b.dimension and a.dimension != b.dimension:
        return False
    return _close(a, b, gold)


def _close(a: ReadValue, b: ReadValue, gold: str) -> bool:
    if a.low == b.low:
        return True
    try:
        digits = -int(Decimal(gold.strip()).as_tuple().exponent)
    except (InvalidOperation, ValueError, TypeError):
        return abs(a.low - b.low) <= 1e-9 * max(abs(a.low), abs(b.low))
    return digits > 0 and round(a.low, digits) == b.low


# -- WikiTableQuestions ------------------------------------------------------------------------------------------------


def wtq(lines: Sequence[str], golds: Sequence[str], _question: str = "") -> dict[str, float]:
    """The official `check_denotation`: as many different values as the target, each of which is matched by one."""
    said, wanted = _values(lines), _values(golds)
    if len(said) != len(wanted):
        return {"denotation": 0.0}
    return {"denotation": float(all(any(_wtq_same(target, each) for each in said) for target in wanted))}


_WtqValue = tuple[str, float | None, tuple[int, int, int] | None]


def wtq_normalise(text: str) -> str:
    """The official `normalize`: no accents, plain quotes and dashes, no citations, brackets or outer quotes."""
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if unicodedata.category(c) != "Mn")
    text = re.sub("[‘’´`]", "'", text)
    text = re.sub("[“”]", '"', text)
    text = re.sub("[‐‑‒–—−]", "-", text)
    while True:
        before = text
        text = re.sub(r"((?<!^)\[[^\]]*\]|\[\d+\]|[•♦†‡*#+])*$", "", text.strip())
        text = re.sub(r"(?<!^)( \([^)]*\))*$", "", text.strip())
        text = re.sub(r'^"([^"]*)"$', r"\1", text.strip())
        if text == before:
            break
    return re.sub(r"\s+", " ", text.removesuffix(".")).lower().strip()


def _values(texts: Sequence[str]) -> set[_WtqValue]:
    return {_value(text) for text in texts}


def _value(text: str) -> _WtqValue:
    """A number, else a date as year-month-day with xx for what is unknown, else a text."""
    normal = wtq_normalise(text)
    if re.fullmatch(r"\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?\s*", text):
        number = float(text)
        return normal, number, None
    parts = text.lower().split("-")
    if len(parts) == 3:
        try:
            year = -1 if parts[0] in ("xx", "xxxx") else int(parts[0])
            month = -1 if parts[1] == "xx" else int(parts[1])
            day = -1 if parts[2] == "xx" else int(parts[2])
        except ValueError:
            return normal, None, None
        if (year, month, day) != (-1, -1, -1) and (month == -1 or 1 <= month <= 12) and (day == -1 or 1 <= day <= 31):
            return normal, None, (year, month, day)
    return normal, None, None


def _wtq_same(target: _WtqValue, said: _WtqValue) -> bool:
    if target[0] == said[0]:
        return True
    if target[1] is not None and said[1] is not None:
        return abs(target[1] - said[1]) < 1e-6
    return target[2] is not None and target[2] == said[2]
