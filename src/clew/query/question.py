"""A question read for its operator: its kind, what is counted, compared or filtered, and what remains to be found.

Kept apart from any method and any graph: it is a grammar of English operator words. What remains (`rest`) is again a
question that a set-finding method can answer: "How many states border Iowa?" leaves "which states border Iowa".
A question in another language, or without such words, is read as plain and nothing changes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from clew.query import plan as p

Kind = Literal[
    "plain", "count", "superlative", "ordinal", "comparison", "boolean", "value", "number filter", "date filter",
    "negation", "arithmetic",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition with a stated value: `words` describe what is compared ("population", "longer")."""

    words: tuple[str, ...]
    op: p.Op
    value: p.Number | p.Date
    upper: p.Number | p.Date | None = None
    of_count: bool = False  # "with more than two children"


@dataclass(frozen=True, slots=True)
class Ranked:
    """A superlative: "the second largest", "the most cities" (`noun`), "the highest population" (`noun`)."""

    words: tuple[str, ...]  # what the adjective measures
    largest: bool
    k: int = 1
    skip: int = 0
    noun: str = ""  # what stands behind "most" or the adjective
    date: bool = False  # "latest", "first": the key is a date


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
    unsaid: str = ""  # what no plan can say, in words
    removed: tuple[str, ...] = field(default=())  # the operator words, as they stood


# What an adjective measures, most likely first: words that occur in names of relations.
MEASURES: dict[str, tuple[str, ...]] = {
    "long": ("length", "duration", "runtime"), "short": ("length", "duration", "height"),
    "large": ("area", "size", "population", "total", "number"), "big": ("area", "size", "population", "total"),
    "great": ("size", "number", "area"), "small": ("area", "size", "population"), "little": ("area", "size"),
    "high": ("elevation", "height", "altitude"), "tall": ("height", "elevation", "altitude"),
    "low": ("elevation", "height", "altitude"), "deep": ("depth",), "shallow": ("depth",),
    "populous": ("population",), "populated": ("population",), "dense": ("density",), "sparse": ("density",),
    "heavy": ("weight", "mass"), "light": ("weight", "mass"), "wide": ("width",), "broad": ("width",),
    "rich": ("wealth", "gdp", "income"), "poor": ("gdp", "income"), "fast": ("speed", "time"),
    "slow": ("speed", "time"),
    "expensive": ("price", "cost"), "cheap": ("price", "cost"), "costly": ("cost", "price"),
    "old": ("age", "born", "birth", "founded", "date", "year"), "young": ("age", "born", "birth", "date", "year"),
    "new": ("date", "year", "founded", "release"), "recent": ("date", "year"), "late": ("date", "year", "time"),
    "early": ("date", "year", "time"), "hot": ("temperature",), "warm": ("temperature",), "cold": ("temperature",),
    "good": ("rating", "score", "rank"), "bad": ("rating", "score", "rank"), "strong": ("strength", "power"),
    "near": ("distance",), "far": ("distance",), "close": ("distance",), "popular": ("popularity", "votes", "rating"),
    "much": ("total", "number", "amount"), "many": ("total", "number"),
}  # fmt: skip
_DOWN = frozenset(
    [
        "short",
        "small",
        "little",
        "low",
        "shallow",
        "sparse",
        "light",
        "poor",
        "slow",
        "cheap",
        "young",
        "early",
        "cold",
        "bad",
        "near",
        "close",
        "few",
        "least",
    ]
)
_DATED = {"recent": True, "new": True, "late": True, "early": False, "old": False}  # whether the later date wins
_IRREGULAR = {
    "best": "good", "worst": "bad", "biggest": "big", "hottest": "hot", "earliest": "early", "heaviest": "heavy",
    "farthest": "far", "furthest": "far", "latest": "late", "better": "good", "worse": "bad", "bigger": "big",
    "earlier": "early", "heavier": "heavy", "farther": "far", "further": "far", "later": "late", "hotter": "hot",
    "larger": "large", "largest": "large",
}  # fmt: skip
_ORDINALS = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4, "next": 1}
_NUMBERS = {
    word: i
    for i, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"a": 1, "an": 1, "no": 0, "twenty": 20, "hundred": 100, "thousand": 1000, "million": 10**6}
_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_WH = r"(?:what|which|who|whom|whose|when|where|how|name|list|give|show|tell|find|return|state|count)"
_AMOUNT = r"(?P<n>\$?\d[\d,]*(?:\.\d+)?|" + "|".join(sorted(_NUMBERS, key=len, reverse=True)) + r")"
_SCALE = r"(?: (?P<scale>hundred|thousand|million|billion))?"
_UNITS = "km2|km|kilometers|kilometres|miles|meters|metres|feet|ft|m|kg|pounds|tons|percent|%|years|dollars"
_UNIT = rf"(?: ?(?P<unit>{_UNITS}))?"


_INNER = re.compile(
    r"\b(?P<link>of|in|on|through|for|with|by|from|to|border(?:s|ing)?|that|traverses?|crosses?|has|have|does|do|than)"
    r" (?P<inner>(?:the |a )?(?:(?:\w+ )?(?:second|third|fourth|fifth) )?(?:\w+est|most \w+|least \w+) .*"
    r"|(?:the |a |all )?\w+(?: \w+)?"
    r" (?:with|that has|which has|having|whose|that borders?|which borders?|with the) (?:the )?"
    r"(?:\w+est|most|least|fewest) .*)$",
    re.IGNORECASE,
)
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "what which who where when how is are was were the a an of in on give me name list show tell find many much "
        "does do did that all has have it there please can you high long large big tall",
    )
)


def nested(text: str) -> tuple[str, str] | None:
    """A question around a superlative that is not its own: what stands before it, and the inner noun phrase.

    "what is the population of the largest state" → ("what is the population of", "the largest state").
    """
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    last = None
    for at in range(len(plain)):
        match = _INNER.match(plain, at) if at == 0 or plain[at - 1] == " " else None
        if match is None:
            continue
        before = plain[: match.start("inner")].strip()
        adjective = re.search(r"\b(\w+est|most|least|fewest)\b", match["inner"], re.IGNORECASE)
        known = adjective and (base_of(adjective[1]) or adjective[1].lower() in ("most", "least", "fewest"))
        content = [w for w in re.findall(r"\w+", before.lower()) if w not in _EMPTY]
        if known and content and match["link"].lower() not in ("has", "have", "with"):
            last = before, match["inner"]
    return last


def base_of(word: str) -> str:
    """The adjective behind a comparative or superlative, "" where the word is none: longest, larger, heavier."""
    word = word.lower()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    for ending in ("est", "er"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            for base in (stem, stem + "e", stem[:-1] if stem[-2:-1] == stem[-1:] else "", stem[:-1] + "y"):
                if base in MEASURES:
                    return base
    return ""


def read_question(text: str) -> ReadQuestion:
    """Read a question once. What is not understood as an operator stays in `rest`."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    measured = re.match(r"how \w+ (?:is|are|was|were) ", plain, re.IGNORECASE) is not None
    found = ReadQuestion(text, "plain", plain, of_key=measured and not plain.lower().startswith("how many"))
    for step in (_comparison, _truth, _counted, _summed, _superlative, _filtered, _negation):
        found = step(found)
    return replace(found, rest=re.sub(r"\s+", " ", found.rest).strip())


def _cut(found: ReadQuestion, match: re.Match[str], put: str = "", **changes: object) -> ReadQuestion:
    rest = f"{found.rest[: match.start()]} {put} {found.rest[match.end() :]}"
    removed = (*found.removed, match.group(0).strip())
    return replace(found, rest=re.sub(r"\s+", " ", rest).strip(), removed=removed, **changes)  # type: ignore[arg-type]


# -- comparison, yes or no ---------------------------------------------------------------------------------------------

_COMPARED = re.compile(
    r"^(?:what|which|who)(?: \w+)?? (?:is|are|has|have|was|were|of the two is) (?:the |a )?"
    r"(?P<adj>more \w+|less \w+|\w+er|better|worse)"
    r"(?: (?P<noun>[\w ]+?))?(?:,|:| between| out of| of)? (?:the )?(?P<a>[^,]+?),? (?:or|and) (?:the )?(?P<b>.+)$",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(
    r"^how (?:much|many \w+) (?P<adj>more \w+|less \w+|\w+er) (?:is|was|are|does) (?:the )?"
    r"(?P<a>.+?) than (?:the )?(?P<b>.+)$"
    r"|^what is the difference (?:in|of) (?P<noun>[\w ]+?) (?:between|of) (?:the )?(?P<c>.+?) and (?:the )?(?P<d>.+)$",
    re.IGNORECASE,
)


def _comparison(found: ReadQuestion) -> ReadQuestion:
    match = _DIFFERENCE.match(found.rest)
    if match:
        words = _measures(match["adj"] or "") or tuple((match["noun"] or "").lower().split())
        sides = (match["a"] or match["c"], match["b"] or match["d"])
        ranked = Ranked(words, not _is_down(match["adj"] or ""), noun=match["noun"] or "")
        return replace(
            found,
            kind="arithmetic",
            answer="number",
            difference=True,
            sides=sides,
            ranked=ranked,
            rest=" and ".join(sides),
        )
    match = _COMPARED.match(found.rest)
    if match is None or not _measures(match["adj"]):
        return found
    noun = (match["noun"] or "").strip().removeprefix("the ")
    words = (noun.lower(), *_measures(match["adj"])) if noun else _measures(match["adj"])
    adjective = match["adj"].split()[-1]
    dated = _dated(adjective)
    largest = dated if dated is not None else not _is_down(match["adj"])
    sides = (match["a"].strip(), match["b"].strip())
    return replace(
        found, kind="comparison", sides=sides, rest=" and ".join(sides),
        ranked=Ranked(words, largest, noun=noun, date=dated is not None),
    )  # fmt: skip


def _measures(adjective: str) -> tuple[str, ...]:
    word = adjective.split()[-1].lower() if adjective else ""
    return MEASURES.get(base_of(word) or word, ())


def _is_down(adjective: str) -> bool:
    parts = adjective.lower().split()
    if parts and parts[0] in ("less", "least", "fewer", "fewest"):
        return True
    return (base_of(parts[-1]) or parts[-1]) in _DOWN if parts else False


def _dated(adjective: str) -> bool | None:
    """Whether the later date wins; None for an adjective that is not about time."""
    base = base_of(adjective) or adjective
    if base == "young":
        return True
    return _DATED.get(base)


_YES_NO = re.compile(
    r"^(?:is it (?:true|correct|right) that |is|are|was|were|does|do|did|has|have|had|can) ?(?P<rest>.+)$",
    re.IGNORECASE,
)


def _truth(found: ReadQuestion) -> ReadQuestion:
    match = _YES_NO.match(found.rest)
    if match is None or found.kind != "plain" or re.search(rf"\b{_WH}\b", found.rest.split(",")[0][:40], re.IGNORECASE):
        return found
    rest = re.sub(r"^there (?:any |an? )?", "", match["rest"], flags=re.IGNORECASE)
    return replace(found, kind="boolean", answer="truth", rest=rest)


# -- counts and sums ---------------------------------------------------------------------------------------------------

_PEOPLE = re.compile(
    r"^how many (?:people|inhabitants|residents|citizens|persons)"
    r" (?:live|lived|reside|are there|are|stay|does|do|did|has)\b"
    r"|^how many (?:inhabitants|residents|citizens) ",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"^(?:how many(?: different| distinct| of the)?"
    r"|(?:what|which) (?:is|are|was) the (?:total )?number of(?: different)?"
    r"|what's the (?:total )?number of|(?:give|tell|show|find|return)(?: me)? the (?:total )?number of"
    r"|the (?:total )?number of|count(?: the)?(?: number of)?|number of)\b(?: the)?",
    re.IGNORECASE,
)
_PERIODS = re.compile(
    r"^how many (?:years|days|months|hours|minutes|points|km|kilometers|miles|meters|feet)\b", re.IGNORECASE
)


def _counted(found: ReadQuestion) -> ReadQuestion:
    if found.kind != "plain" or _PEOPLE.match(found.rest) or _PERIODS.match(found.rest):
        return found
    match = _COUNT.match(found.rest)
    if match is None:
        return found
    made = _cut(found, match, "which", kind="count", answer="number", count=True)
    return replace(made, rest=re.sub(r"\bare there\b|\bdo we have\b|\bexist\b", "are", made.rest, flags=re.IGNORECASE))


_SUMMARY = re.compile(
    r"\b(?:(?P<sum>total|combined|sum of(?: all)?(?: the)?|overall)|(?P<mean>average|mean)"
    r"|(?P<max>maximum)|(?P<min>minimum))"
    r" (?P<noun>\w+(?: \w+)?)(?= (?:of|for|in|across|that|per)\b|$)",
    re.IGNORECASE,
)


def _summed(found: ReadQuestion) -> ReadQuestion:
    match = _SUMMARY.search(found.rest)
    if match is None or found.kind not in ("plain", "value"):
        return found
    summary = next(name for name in ("sum", "mean", "max", "min") if match[name])
    noun = match["noun"].lower()
    if noun.split()[0] in ("number", "amount") or re.search(r"\bper (?!cent)\w+|\bfor each\b|\bof each\b", found.rest):
        what = "an average" if summary == "mean" else f"a {summary}"
        return replace(found, unsaid=f"{what} of {noun}, for every one of several") if "each" in found.rest else found
    after = found.rest[match.end() :].strip()
    rest = re.sub(r"^(?:of|for|in|across) (?:all )?(?:the )?", "", after) or noun
    return replace(
        found, kind="arithmetic", answer="number", summary=summary, summary_words=tuple(noun.split()),
        rest=f"which {rest}", removed=(*found.removed, match.group(0)),
    )  # fmt: skip


# -- superlatives ------------------------------------------------------------------------------------------------------

_HOW_MANY = r"(?:(?P<k>\d+|two|three|four|five|six|seven|eight|nine|ten) )?"
_ORDER = r"(?:(?P<order>second|third|fourth|fifth|2nd|3rd|4th|5th)[ -](?:to |the )?)?"
_MOST_ADJECTIVE = re.compile(
    rf"\b(?:the )?(?:top )?{_HOW_MANY}{_ORDER}(?P<most>most|least) "
    r"(?P<adj>populous|populated|densely populated|sparsely populated|expensive|recent|popular|dense|costly)\b",
    re.IGNORECASE,
)
_WITH_MOST = re.compile(
    r"\b(?P<verb>with|has|have|having|had|got|contains|borders|border|by|won|wins|win|received|scored|speaks|plays|"
    r"starred in|directed|wrote|made|of) (?:the )?(?P<most>most|least|fewest|greatest number of|largest number of|"
    r"smallest number of|highest number of|lowest number of|maximum number of|minimum number of)(?: number of)? "
    r"(?P<noun>\w+)",
    re.IGNORECASE,
)
_EST = re.compile(
    rf"\b(?:the )?(?:top )?{_HOW_MANY}{_ORDER}(?P<adj>[a-z]+est|best|worst)\b(?: {_HOW_MANY.replace('k', 'k2')})?",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"\b(?:the )?(?:(?P<first>first|earliest)|(?P<last>last|final|most recent|latest|newest))\b"
    r"(?! (?:name|lady|language|names|world|division|person))",
    re.IGNORECASE,
)
_NOT_SUPERLATIVE = frozenset(
    [
        "west",
        "west.",
        "forest",
        "interest",
        "rest",
        "test",
        "guest",
        "request",
        "contest",
        "honest",
        "modest",
        "east",
        "priest",
        "budapest",
        "everest",
    ]
)


def _superlative(found: ReadQuestion) -> ReadQuestion:
    if found.sides is not None or found.summary:
        return found
    kind: Kind = "superlative" if found.kind == "plain" else found.kind
    match = _WITH_MOST.search(found.rest)
    if match is not None:
        largest = re.match(r"most|great|large|high|max", match["most"], re.IGNORECASE) is not None
        noun = match["noun"].lower()
        ranked = Ranked((noun,), largest, noun=noun)
        return _cut(found, match, "", kind=kind, ranked=ranked)
    match = _MOST_ADJECTIVE.search(found.rest)
    if match is not None:
        adjective = match["adj"].lower()
        measures = ("density",) if adjective.startswith(("densely", "sparsely")) else MEASURES[adjective.split()[-1]]
        largest = (match["most"].lower() == "most") != adjective.startswith("sparsely")
        dated = _dated(adjective)
        made = Ranked(measures, largest, _k(match), _skip(match), date=dated is not None)
        return _cut(found, match, "", kind="ordinal" if made.skip else kind, ranked=made)
    for match in _EST.finditer(found.rest):
        base = base_of(match["adj"])
        if not base or match["adj"].lower() in _NOT_SUPERLATIVE:
            continue
        dated = _dated(base) if base not in ("old", "young") else None
        largest = dated if dated is not None else base not in _DOWN
        made = Ranked(MEASURES[base], largest, _k(match), _skip(match), date=dated is not None)
        noun = re.match(r" ?(\w+)(?: (\w+))?", found.rest[match.end() :])
        made = replace(made, noun=" ".join(w for w in (noun.groups() if noun else ()) if w).lower())
        return _cut(found, match, "", kind="ordinal" if made.skip else kind, ranked=made)
    match = _LAST.search(found.rest)
    if match is not None and found.kind == "plain":
        made = Ranked(("date", "year", "time"), bool(match["last"]), date=True)
        return _cut(found, match, "", kind="superlative", ranked=made)
    return found


def _k(match: re.Match[str]) -> int:
    groups = match.groupdict()
    stated = groups.get("k") or groups.get("k2")
    return max(1, int(stated) if stated and stated.isdigit() else _NUMBERS.get((stated or "one").lower(), 1))


def _skip(match: re.Match[str]) -> int:
    return _ORDINALS.get((match["order"] or "").lower(), 0)


# -- filters -----------------------------------------------------------------------------------------------------------

_MORE = (
    r"(?P<more>more than|greater than|larger than|higher than|bigger than|longer than|taller than|older than|over|"
    r"above|"
    r"exceeding|at least|no less than|not less than|a minimum of|minimum|less than|fewer than|lower than|smaller than|"
    r"shorter than|younger than|under|below|at most|no more than|not more than|up to|exactly|equal to)"
)
_NUMBER_FILTER = re.compile(
    rf"(?:\b(?:with|has|have|having|whose|and|that|which|is|are|was|were)\b )*(?:an? |the )?"
    rf"(?P<noun>\w+ )?(?:of |is |are |was )?\b{_MORE} {_AMOUNT}{_SCALE}{_UNIT}\b(?: (?P<counted>\w+))?",
    re.IGNORECASE,
)
_DATE_STATED = (
    rf"(?P<date>(?:\d{{1,2}} )?(?:{'|'.join(_MONTHS)}),? (?:\d{{1,2}},? )?\d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}"
    r"|(?:the )?\d{3,4}'?s|\d{4}(?! \w*(?:people|inhabitants|km|miles|meters)))"
)
_BETWEEN_YEARS = re.compile(r"\b(?:between|from) (?P<low>\d{4}) (?:and|to|until|till) (?P<high>\d{4})\b", re.IGNORECASE)
_DATE_FILTER = re.compile(
    r"\b(?P<when>before|prior to|earlier than|until|till|after|later than|since|in|during|on|as of|by)"
    rf"(?: the year(?:s)?| year)? {_DATE_STATED}\b",
    re.IGNORECASE,
)


def _filtered(found: ReadQuestion) -> ReadQuestion:
    filters: list[Filter] = list(found.filters)
    match = _BETWEEN_YEARS.search(found.rest)
    if match is not None:
        filters.append(Filter(("date", "year"), "between", p.Date(match["low"]), p.Date(match["high"])))
        found = _cut(found, match)
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
        filters.append(Filter(("date", "year"), op, low, high))
        found = _cut(found, match)
    match = _NUMBER_FILTER.search(found.rest)
    if match is not None:
        more = match["more"].lower()
        ops: dict[str, p.Op] = {"at least": ">=", "no less than": ">=", "not less than": ">=", "a minimum of": ">=",
                                "minimum": ">=", "at most": "<=", "no more than": "<=", "not more than": "<=",
                                "up to": "<=", "exactly": "=", "equal to": "="}  # fmt: skip
        down = more.split()[0] in ("less", "fewer", "lower", "smaller", "shorter", "younger", "under", "below")
        op = ops.get(more, "<" if down else ">")
        noun = (match["noun"] or "").strip().lower()
        noun = (
            ""
            if noun in ("with", "has", "have", "whose", "is", "are", "that", "which", "in", "and", "a", "an")
            else noun
        )
        counted = (match["counted"] or "").lower()
        value = p.Number(_amount(match), _unit(match["unit"]))
        measured = _measures(more.split()[0])
        specific = more.split()[0] in ("longer", "taller", "shorter", "older", "younger")
        named = (noun,) if noun else ()
        words = (*measured, *named) if specific else (*named, *measured) or ((counted,) if counted else ())
        filters.append(Filter(words, op, value, of_count=not noun and bool(counted) and not match["unit"]))
        found = _cut(found, match)
    if not filters or filters == list(found.filters):
        return found
    dated = any(isinstance(each.value, p.Date) for each in filters)
    kind: Kind = found.kind if found.kind != "plain" else "date filter" if dated else "number filter"
    return replace(found, filters=tuple(filters), kind=kind)


def _amount(match: re.Match[str]) -> float:
    stated = match["n"].lower().replace(",", "").lstrip("$")
    value = float(_NUMBERS[stated]) if stated in _NUMBERS else float(stated)
    scales = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}
    return value * scales.get((match["scale"] or "").lower(), 1.0)


def _unit(stated: str | None) -> str:
    known = {"dollars": "USD", "tons": "ton", "miles": "mi", "percent": "%"}
    return known.get((stated or "").lower(), stated or "")


def _date(text: str) -> tuple[p.Date, p.Date | None] | None:
    """A stated date; of a decade its first and last year."""
    from clew.query.values import parse_date, shown_date, untyped

    decade = re.fullmatch(r"(?:the )?(\d{3,4})'?s", text, re.IGNORECASE)
    if decade:
        first = int(decade[1])
        return p.Date(f"{first:04d}"), p.Date(f"{first + 9:04d}")
    reading = parse_date(text) or untyped(text)
    if reading is None:
        return None
    return (p.Date(text) if reading.kind == "number" else p.Date(shown_date(reading))), None


_EXCEPT = re.compile(
    r",?\s*\b(?:except(?: for)?|excluding|other than|besides|apart from|but not)\b (?:the )?(?P<what>.+)$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:do|does|did|is|are|was|were|have|has|can)(?: not|n't)\b|\bnot\b|\bnever\b", re.IGNORECASE)
_NO = re.compile(
    r"\b(?:has|have|having|with|contains?|had|there are|there is) no\b|\bwithout(?: any)?\b", re.IGNORECASE
)


def _negation(found: ReadQuestion) -> ReadQuestion:
    match = _EXCEPT.search(found.rest)
    if match is not None:
        without = re.sub(r"\b(?:and )?(?:excluding|except(?: for)?)\b", "and", match["what"], flags=re.IGNORECASE)
        return _cut(found, match, without=without, kind="negation" if found.kind == "plain" else found.kind)
    for pattern, put in ((_NOT, ""), (_NO, "has")):
        match = pattern.search(found.rest)
        if match is not None:
            verb = {"is not": "is", "are not": "are", "isn't": "is", "aren't": "are"}.get(match.group(0).lower(), put)
            return _cut(found, match, verb, negated=True, kind="negation" if found.kind == "plain" else found.kind)
    return found
