"""Conditions with a stated number or date: "more than 400 pages", "before 2008", "in the 1990s", "two genres"."""

from __future__ import annotations

import re
from dataclasses import replace

from clew.query import plan as p
from clew.query.asked import (
    AMOUNT,
    PARTICLES,
    SCALE,
    STOPS,
    UNIT,
    UNITS,
    Filter,
    Kind,
    ReadQuestion,
    cut,
    dating_verb,
    owned_date,
)
from clew.query.meanings import dimension_of
from clew.query.values import unit_of
from clew.query.vocabulary import COMPARATIVES, KNOWN_MEASURES, MEASURES, MONTHS, NUMBERS, base_of, is_down, measures_of

_MORE = (
    rf"(?P<more>(?:more|less|fewer|{'|'.join(COMPARATIVES)}) than|over|above|"
    r"exceeding|at least|no less than|not less than|a minimum of|minimum|"
    r"under|below|at most|no more than|not more than|up to|exactly|equal to)"
)
_NO_ARTICLE = (  # "over a year", but no number in "under a roof"
    r"(?!(?:(?<=over )|(?<=above )|(?<=under )|(?<=below ))an? "
    rf"(?!(?:hundred|thousand|million|billion|dozen|{UNITS})\b))"
)
_SOME_SIZE = frozenset(["greater", "larger", "higher", "bigger", "smaller", "lower"])  # of whatever is named beside
_NUMBER_FILTER = re.compile(
    rf"(?:\b(?:with|has|have|having|whose|and|that|which|is|are|was|were)\b )*(?:\b(?:an?|the) )?"
    rf"(?P<noun>\b\w+ )?(?:of |is |are |was )?\b{_MORE} {_NO_ARTICLE}{AMOUNT}{SCALE}{UNIT}\b"
    rf"(?: (?P<counted>(?!{STOPS})\w+(?: (?!{STOPS})[a-z]+(?=$))?))?",
    re.IGNORECASE,
)
_DATE_STATED = (
    rf"(?P<date>(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)}),? (?:\d{{1,2}},? )?\d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}"
    r"|(?:the )?\d{3,4}'?s|(?:the )?\d{1,2}(?:st|nd|rd|th) century|\d{4}(?! \w*(?:people|inhabitants|km|miles|meters)))"
)
_MONTH_OR_YEAR = rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:(?:\d{{1,2}}(?:st|nd|rd|th)? )?(?:{'|'.join(MONTHS)}),? )?\d{{4}})"
_BETWEEN_YEARS = re.compile(
    rf"\b(?:between|from) (?P<low>{_MONTH_OR_YEAR}) (?:and|to|until|till) (?P<high>{_MONTH_OR_YEAR})\b", re.IGNORECASE
)
_BETWEEN_NUMBERS = re.compile(
    r"(?:\b(?P<owned>with|has|have|having|whose) (?:an? |the )?)?(?:\b(?P<before>\w+) (?:is |are |was |were |of )?)?"
    rf"\bbetween (?P<low>[$€£]?\d[\d,]*(?:\.\d+)?) and (?P<high>[$€£]?\d[\d,]*(?:\.\d+)?){UNIT}\b"
    r"(?: (?P<noun>[a-z]+(?: [a-z]+(?=$))?))?",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:which|what|who|how many)\b(?: \w+)?", re.IGNORECASE
)  # what is asked for is compared with nothing
_TWO_YEARS = re.compile(r"\bin (?P<one>\d{4}) (?:or|and) (?:in )?(?P<other>\d{4})\b", re.IGNORECASE)
_DATE_FILTER = re.compile(
    r"\b(?P<when>before|prior to|earlier than|until|till|after|later than|since|in|during|on|as of|by)"
    rf"(?: the year(?:s)?| year)? {_DATE_STATED}\b",
    re.IGNORECASE,
)


_AT = r"(?:\d{1,2}(?:[:.]\d{2})? ?(?:[ap]\.?m\b\.?|o['’]?clock)|\d{1,2}:\d{2}|noon|midday|midnight)(?!\w)"
_CLOCK_FILTER = re.compile(  # "before 9:30", "at 3 pm or later", "after noon"
    r"\b(?P<when>before|after|until|till|by|from|since|(?:at )?at least|(?:at )?at most|at(?! (?:noon|mid))|later than"
    rf"|earlier than) (?:about |exactly )?(?P<time>{_AT})(?: or (?P<also>later|after|earlier|before)\b)?",
    re.IGNORECASE,
)
_CLOCK_BETWEEN = re.compile(rf"\b(?:between|from) (?P<low>{_AT}) (?:and|to|until|till) (?P<high>{_AT})", re.IGNORECASE)
_OF_CLOCK = re.compile(r"(?P<h>\d{1,2})(?:[:.](?P<m>\d{2}))? ?(?:(?P<half>[ap])\.?m\.?|o['’]?clock)?", re.IGNORECASE)
SEVERAL = 3  # conditions with a number in a question
_RELATIVE = re.compile(
    r"\b(?P<of>[a-z]+),? (?:that|which|who|whose|with|having|of(?= (?:more|less|at|over|under|above|below|no|up)\b))\b",
    re.IGNORECASE,
)


def _behind(text: str) -> str:
    """The noun of the clause that a condition at the end of some words stands in; "" where none begins."""
    nouns = [match["of"].lower() for match in _RELATIVE.finditer(text)]
    return nouns[-1] if nouns else ""


def filtered(found: ReadQuestion) -> ReadQuestion:
    filters: list[Filter] = list(found.filters)
    match = _BETWEEN_YEARS.search(found.rest)
    if match is not None:
        ahead = found.rest[: match.start()]
        words, verbs, behind = _dated(ahead)
        ends_stated = _date(match["low"]), _date(match["high"])
        if ends_stated[0] is not None and ends_stated[1] is not None:
            filters.append(Filter((*words, "date", "year"), "between", ends_stated[0][0], ends_stated[1][0], of=behind))
            found = cut(found, match, dated=(*found.dated, *verbs))
    match = _TWO_YEARS.search(found.rest)
    if match is not None and abs(int(match["one"]) - int(match["other"])) == 1:
        first, last = sorted((match["one"], match["other"]))
        words, verbs, behind = _dated(found.rest[: match.start()])
        filters.append(Filter((*words, "date", "year"), "between", p.Date(first), p.Date(last), of=behind))
        found = cut(found, match, dated=(*found.dated, *verbs))
    match = _DATE_FILTER.search(found.rest)
    if match is not None and (stated := _date(match["date"])) is not None:
        low, high = stated
        when = match["when"].lower()
        op: p.Op = "between" if high is not None else "="
        if when in ("before", "prior to", "earlier than"):
            op, high = "<", None
        elif when in ("until", "till", "by"):
            op, low, high = "<=", high or low, None
        elif when in ("after", "later than"):
            op, low, high = ">", high or low, None
        elif when == "since":
            op, high = ">=", None
        ahead = found.rest[: match.start()]
        said = [word.lower() for word in ahead.split()[-2:] if word.isalpha()]
        if said[-1:] and said[-1] not in PARTICLES:
            said = said[-1:]  # of "came out" both, or else the verb
        words, verbs, behind = _dated(ahead, tuple(said))
        filters.append(Filter((*words, "date", "year"), op, low, high, of=behind))
        found = cut(found, match, dated=(*found.dated, *verbs))
    match = _CLOCK_BETWEEN.search(found.rest)
    if match is not None:
        words, verbs, behind = _dated(found.rest[: match.start()])
        filters.append(Filter((*words, "time"), "between", _clock(match["low"]), _clock(match["high"]), of=behind))
        found = cut(found, match, dated=(*found.dated, *verbs))
    match = _CLOCK_FILTER.search(found.rest)
    if match is not None:
        when, also = match["when"].lower(), (match["also"] or "").lower()
        ops: dict[str, p.Op] = {"before": "<", "earlier than": "<", "after": ">", "later than": ">", "until": "<=",
                                "till": "<=", "by": "<=", "from": ">=", "since": ">="}  # fmt: skip
        op = ops.get(when, "=")
        op = ">=" if also in ("later", "after") or when.endswith("least") else op
        op = "<=" if also in ("earlier", "before") or when.endswith("most") else op
        words, verbs, behind = _dated(found.rest[: match.start()])
        filters.append(Filter((*words, "time"), op, _clock(match["time"]), of=behind))
        found = cut(found, match, dated=(*found.dated, *verbs))
    asked = _ASKS.match(found.rest)
    match = _BETWEEN_NUMBERS.search(found.rest, asked.end() if asked else 0)
    if match is not None:
        unit, noun = _unit(match["unit"], match["low"]), (match["noun"] or "").lower()
        before = (match["before"] or "").lower()
        key = before in _MEASURING or before in KNOWN_MEASURES or (match["owned"] is not None and not noun)
        noun = before if key else noun
        ends = [p.Number(float(match[side].lstrip("$€£").replace(",", "")), unit) for side in ("low", "high")]
        behind = _behind(found.rest[: match.end("low")])
        filters.append(Filter((noun,) if noun else ("number",), "between", ends[0], ends[1], of=behind))
        found = cut(found, match, "" if key else match["before"] or "")
    numbered = False
    for _ in range(SEVERAL):  # "over 400 metres up which are bigger than 15 hectares"
        asks = re.match(
            r"(?:which|what|who|how many)\b(?:(?: \w+){1,3}?(?= (?:is|are|was|were) ))?", found.rest, re.IGNORECASE
        )
        match = _NUMBER_FILTER.search(found.rest, asks.end() if asks else 0)  # "which films are" is no part of it
        if match is None:
            break
        numbered = True
        found = _compared(found, match, filters)
    match = _SO_MANY.search(found.rest) if not numbered else None
    if match is not None:
        value = p.Number(float(NUMBERS.get(match["n"].lower(), match["n"])))
        behind = _behind(found.rest[: match.end("n")])
        filters.append(Filter((match["counted"].lower(),), "=", value, of_count=True, of=behind))
        found = cut(found, match)
    if not filters or filters == list(found.filters):
        return found
    dated = any(isinstance(each.value, p.Date) for each in filters)
    kind: Kind = found.kind if found.kind != "plain" else "date filter" if dated else "number filter"
    return replace(found, filters=tuple(filters), kind=kind)


def _compared(found: ReadQuestion, match: re.Match[str], filters: list[Filter]) -> ReadQuestion:
    """The question without a comparison with a number, which is added to `filters`."""
    more = match["more"].lower()
    ops: dict[str, p.Op] = {"at least": ">=", "no less than": ">=", "not less than": ">=", "a minimum of": ">=",
                            "minimum": ">=", "at most": "<=", "no more than": "<=", "not more than": "<=",
                            "up to": "<=", "exactly": "=", "equal to": "="}  # fmt: skip
    adjective = more.removesuffix(" than")
    down = adjective in ("under", "below") or is_down(adjective)
    op = ops.get(more, "<" if down else ">")
    noun = (match["noun"] or "").strip().lower()
    place = _of_another(found.rest, match)
    noun = (
        ""
        if place
        or noun in ("with", "has", "have", "whose", "is", "are", "that", "which", "in", "for", "and", "a", "an")
        else noun
    )
    before = _OWNED_BEFORE.search(found.rest[: match.start()]) if noun else None
    if before is not None:  # "with an asking price under 300k"
        noun = f"{before['more']} {noun}".lower()
    counted = (match["counted"] or "").lower()
    value = p.Number(_amount(match), _unit(match["unit"], match["n"]))
    measured = measures_of(adjective)
    specific = bool(measured) and adjective not in _SOME_SIZE
    owned = re.search(r"\b(?:with|having|whose|an?|of|is|are|was)\b", match.group(0), re.IGNORECASE) is not None
    if noun and counted and not match["unit"] and not owned and noun not in KNOWN_MEASURES:
        noun = ""  # "treat more than one disease", "works on more than one project": a verb
    named = (noun,) if noun else ()
    verb = "" if noun else (found.rest[: match.start()].split() or [""])[-1].lower()
    words = (*measured, *named) if specific else (*named, *measured) or ((counted,) if counted else ())
    verbs = (verb,) if verb in _MEASURING and not named else ()
    paid = _FOR.match(match.group(0)) is not None and dimension_of(f"price {value.unit or 'EUR'}") == "money"
    if paid and not words:  # "bought a lot for under 2000"
        words = MEASURES["expensive"]
    counts = not noun and bool(counted) and not match["unit"]
    base = "expensive" if paid else base_of(adjective.split()[-1]) or adjective.split()[-1] * bool(measured)
    behind = _behind(found.rest[: match.end("n")])
    filters.append(Filter((*verbs, *words), op, value, of_count=counts and not verbs, base=base, of=behind))
    left_out = found.rest[before.start() : match.start()] if before is not None else ""
    found = cut(found, match, place, dated=(*found.dated, *verbs))
    return replace(found, rest=re.sub(r"\s+", " ", found.rest.replace(left_out.strip(), "", 1)).strip())


def _dated(ahead: str, said: tuple[str, ...] | None = None) -> tuple[tuple[str, ...], tuple[str, ...], str]:
    """The words that name a date by what stands before it, those that say nothing else, and what it stands behind.

    Args:
        said: the words that name it where nothing has it; else the verb.
    """
    if (having := owned_date(ahead)) is not None:
        parts = having[0].split()
        return tuple(dict.fromkeys((having[0], *reversed(parts)))), (having[1],), ""
    verbs = dating_verb(ahead)
    return verbs if said is None else said, verbs, _behind(ahead)


def _of_another(text: str, match: re.Match[str]) -> str:
    """The word before a comparison where it is no key but part of what is asked about: "slopes in Oslo longer than"."""
    if match["noun"] is None:
        return ""
    if (at := match.start("noun")) == 0:  # "animals of at least 150 kg", but "population over 5 million"
        return match["noun"].strip() if match["noun"].strip().lower() not in KNOWN_MEASURES else ""
    noun, before = match["noun"].strip(), [word for word in text[:at].split() if word.lower() != "the"][-1:]
    if not before or noun.lower() in KNOWN_MEASURES:
        return ""
    if before[0].lower() == "of" and noun[:1].isupper():
        return noun  # "tributaries of the Danube are longer than"
    named = noun[:1].isupper() and before[0][:1].isupper() and _ASKS.match(before[0]) is None
    return noun if named or before[0].lower() in ("in", "at", "on", "from", "by", "near") else ""


_OWNED_BEFORE = re.compile(r"\b(?:with|has|have|having|had|whose)(?: an?| the)? (?P<more>[a-z]+)\s*$")
_FOR = re.compile(r"for\b", re.IGNORECASE)
_SO_MANY = re.compile(  # "which films have two genres"
    r"\b(?:with|have|has|having|had) (?:exactly |only )?(?P<n>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})"
    rf" (?P<counted>(?!(?:{UNITS})\b)\w+)$",
    re.IGNORECASE,
)
_MEASURES = """
take takes took cost costs weigh weighs weighed earn earns earned last lasts lasted sold
"""
_MEASURING = frozenset(_MEASURES.split())


def _amount(match: re.Match[str]) -> float:
    stated = match["n"].lower().replace(",", "").lstrip("$€£")
    value = float(NUMBERS[stated]) if stated in NUMBERS else float(stated)
    scales = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
    return value * scales.get((match["scale"] or "").lower(), 1.0)


def _unit(stated: str | None, number: str = "") -> str:
    """The unit that stands behind a number or before it; "" for none that is known: then it is a word like others."""
    if not stated and number[:1] in ("$", "€", "£"):
        return number[0]
    name = (stated or "").lower()
    known = {"tons": "ton", "miles": "mi", "percent": "%", "kilos": "kg", "kilo": "kg"}.get(name, stated or "")
    return known if known and unit_of(known) is not None else ""


def _clock(text: str) -> p.Date:
    """A time of the day as a plan says it: T15:30."""
    named = {"midnight": "T00:00", "noon": "T12:00", "midday": "T12:00"}
    match = _OF_CLOCK.fullmatch(text)
    if match is None:
        return p.Date(named[text.lower()])
    hours, minutes = int(match["h"]), int(match["m"] or 0)
    if match["half"]:
        hours = hours % 12 + 12 * (match["half"].lower() == "p")
    return p.Date(f"T{min(hours, 29):02d}:{min(minutes, 59):02d}")


def _date(text: str) -> tuple[p.Date, p.Date | None] | None:
    """A stated date; of a decade its first and last year."""
    from clew.query.values import parse_date, shown_date, untyped

    decade = re.fullmatch(r"(?:the )?(\d{3,4})'?s", text, re.IGNORECASE)
    if decade:
        first = int(decade[1])
        return p.Date(f"{first:04d}"), p.Date(f"{first + 9:04d}")
    century = re.fullmatch(r"(?:the )?(\d{1,2})(?:st|nd|rd|th) century", text, re.IGNORECASE)
    if century:
        return p.Date(f"{100 * int(century[1]) - 99:04d}"), p.Date(f"{100 * int(century[1]):04d}")
    reading = parse_date(text) or untyped(text)
    if reading is None:
        return None
    return (p.Date(text) if reading.kind == "number" else p.Date(shown_date(reading))), None
