"""What a question may ask for beside its set, as records, and the words that its grammar is made of.

Kept apart from the readers of operators (`question`, `comparisons`, `superlatives`, `filters`), which all fill them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from clew.query import plan as p
from clew.query.vocabulary import NUMBERS

Kind = Literal[
    "plain", "count", "superlative", "ordinal", "comparison", "boolean", "value", "number filter", "date filter",
    "negation", "arithmetic",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition with a stated value, or with the value that a thing has: `words` describe what is compared."""

    words: tuple[str, ...]
    op: p.Op
    value: p.Number | p.Date | p.Entities
    upper: p.Number | p.Date | None = None
    of_count: bool = False  # "with more than two children"
    base: str = ""  # the adjective behind "longer than"
    of: str = ""  # the noun that the condition stands behind: "villages" of "huts near villages with over 600 people"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A superlative: "the second largest", "the most cities" (`noun`), "the highest population" (`noun`)."""

    words: tuple[str, ...]  # what the adjective measures
    largest: bool
    k: int = 1
    skip: int = 0
    noun: str = ""  # what stands behind "most" or the adjective
    date: bool = False  # "latest", "first": the key is a date
    verb: str = ""  # of "flows through the most states"
    base: str = ""  # the adjective behind it: which way its values go may depend on what they are


@dataclass(frozen=True, slots=True)
class ReadQuestion:
    """What a question asks for, beside the set that it is about."""

    text: str
    kind: Kind
    rest: str  # the question without its operator
    answer: Literal["entity", "number", "truth", "value"] = "entity"
    count: bool = False
    ranked: Ranked | None = None
    summary: str = ""  # sum, mean, min, max
    summary_words: tuple[str, ...] = ()
    filters: tuple[Filter, ...] = ()
    without: str = ""  # what stands behind "except", "other than"
    negated: bool = False  # "does not", "no rivers"
    sides: tuple[str, str] | None = None  # of a comparison: the two names
    difference: bool = False
    of_key: bool = False  # "how long is the longest …": the value itself is asked for
    whoever: bool = False  # "does anyone …": whether there is somebody
    unsaid: str = ""  # what no plan can say, in words
    removed: tuple[str, ...] = field(default=())  # the operator words, as they stood
    stated: str = ""  # `rest` with its "not", "no" and "except": whoever joins the parts knows what they deny
    ends: tuple[str, ...] = ()  # words for what a time goes from and to ("from departure to arrival"): not in `stated`
    dated: tuple[str, ...] = ()  # verbs that only say which date is meant ("hired before 2012"): not in `stated`


WH = r"(?:what|which|who|whom|whose|when|where|how|name|list|give|show|tell|find|return|state|count)"
AMOUNT = (  # "more than a day", but "heavier than a Steel Coil S355"
    r"(?P<n>[$€£]?\d[\d,]*(?:\.\d+)?|(?!an? (?-i:[A-Z]))(?:"
    + "|".join(sorted(NUMBERS, key=len, reverse=True))
    + r")\b)"
)
SCALE = r"(?: (?P<scale>hundred|thousand|million|billion))?"
UNITS = (
    "km2|km²|sq km|square kilomet(?:er|re)s?|m2|m²|sq m|square met(?:er|re)s?|square (?:miles?|feet)|hectares?|ha|"
    "acres?|km/h|mph|km|kilomet(?:er|re)s?|miles?|met(?:er|re)s?|centimet(?:er|re)s?|cm|mm|inch(?:es)?|feet|ft|m|"
    "kg|kilograms?|kilos?|grams?|g|pounds?|tonnes?|tons?|litres?|liters?|percent|%|"
    "ml|millilit(?:er|re)s?|cl|centilit(?:er|re)s?|hl|hectolit(?:er|re)s?|mg|milligrams?|oz|ounces?|kwh|mwh|kcal|kj|"
    "dollars?|euros?|eur|usd|chf|gbp|€|francs?|yen|watts?|kw|kilowatts?|megawatts?|mw|"
    "kilobytes?|kb|meg(?:abyte)?s?|mb|gig(?:abyte)?s?|gb|terabytes?|tb|"
    "years?|seconds?|minutes?|mins?|hours?|days?|weeks?|months?"
)
UNIT = rf"(?: ?(?P<unit>{UNITS}))?"
STOPS = r"(?:in|of|on|for|from|to|with|by|at|that|which|who|and|or|does|do|did|is|are|was|were|have|has|had)\b"


def dating_verb(before: str) -> tuple[str, ...]:
    """The verb that a date or "first" belongs to, by the words before it: "hired" before 2012."""
    words = before.lower().split()
    if len(words) > 2 and words[-1] in PARTICLES and words[-2].isalpha():
        return (f"{words[-2]} {words[-1]}",)  # "came out"
    if (happened := _TAKES_PLACE.search(before.rstrip())) is not None:
        return (happened.group(0).lower(),)
    if not words or not words[-1].isalpha():
        return ()
    passive = len(words) > 1 and words[-2] in ("was", "were", "is", "are", "been", "be")
    return (words[-1],) if passive or words[-1].endswith("ed") or words[-1] in DATING_VERBS else ()


def owned_date(before: str) -> tuple[str, str] | None:
    """What a date is of that something has ("had its premiere before 1970"), and all the words that say so."""
    match = _OWNS.search(before.rstrip())
    if match is None and not dating_verb(before):
        match = _WHOSE.search(before.rstrip())  # "stations whose highest level dates from 2013"
    return None if match is None else (match["what"].lower(), match.group(0))


_OWNS = re.compile(
    r"\b(?:(?:that|which|who) )?(?:had|has|have|having|with) (?:their|its|his|her|an?|the) "
    r"(?P<what>[\w-]+(?: [\w-]+)?)$",
    re.IGNORECASE,
)
_WHOSE = re.compile(r"\bwhose (?P<what>[\w-]+(?: [\w-]+){0,2})$", re.IGNORECASE)
PARTICLES = frozenset(["out", "off", "up", "down", "in", "on", "together", "over", "through", "away", "into"])
_TAKES_PLACE = re.compile(r"\b(?:takes?|took|taken|taking) place$", re.IGNORECASE)
_DATING = """
born made make makes came come out held built written won sold begun began begin die died
"""
DATING_VERBS = frozenset(_DATING.split())


def cut(found: ReadQuestion, match: re.Match[str], put: str = "", **changes: object) -> ReadQuestion:
    rest = f"{found.rest[: match.start()]} {put} {found.rest[match.end() :]}"
    removed = (*found.removed, match.group(0).strip())
    return replace(found, rest=re.sub(r"\s+", " ", rest).strip(), removed=removed, **changes)  # type: ignore[arg-type]
