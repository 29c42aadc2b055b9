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
from clew.query.vocabulary import (
    DOWN,
    KNOWN_MEASURES,
    MEASURES,
    MONTHS,
    NUMBERS,
    ORDINALS,
    base_of,
    is_down,
    later_wins,
    measures_of,
)

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
    verb: str = ""  # of "flows through the most states"


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
    stated: str = ""  # `rest` with its "not", "no" and "except": whoever joins the parts knows what they deny


_WH = r"(?:what|which|who|whom|whose|when|where|how|name|list|give|show|tell|find|return|state|count)"
_AMOUNT = r"(?P<n>\$?\d[\d,]*(?:\.\d+)?|" + "|".join(sorted(NUMBERS, key=len, reverse=True)) + r")"
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
_OWN_MOST = re.compile(r"(?:the )?(?:most|least|fewest) (?!popul|dens|spars|expens|recent|costl)", re.IGNORECASE)
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
        if re.search(r"\b(?:number|amount) of\b", match["inner"]):
            continue  # "by the largest number of countries" is the question's own superlative
        if re.match(
            r"(?:the )?(?:most|least|fewest) (?!\w*(?:popul|dens|spars|expens|recent|popular|costl))",
            match["inner"],
            re.I,
        ):
            continue  # and so is "borders the most countries"
        if known and content and match["link"].lower() not in ("has", "have", "with"):
            last = before, match["inner"]
    return last


def read_question(text: str) -> ReadQuestion:
    """Read a question once. What is not understood as an operator stays in `rest`."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    measured = re.match(r"how \w+ (?:is|are|was|were) ", plain, re.IGNORECASE) is not None
    plain = re.sub(r"(\d+(?: \w+)?) or (?:more|less|fewer|higher|lower|above|below|greater)\b", r"\1", plain)
    found = ReadQuestion(text, "plain", plain, of_key=measured and not plain.lower().startswith("how many"))
    for step in (_comparison, _truth, _counted, _summed, _superlative, _filtered):
        found = step(found)
    found = replace(found, rest=re.sub(r"\s+", " ", found.rest).strip())
    return replace(_negation(found), stated=found.rest)


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
_MORE_OR_LESS = r"more|most|fewer|less|fewest|(?:a|the) (?:larger|higher|greater|smaller|lower|bigger)"
_TWO = re.compile(  # "who has more people, A or B", "does A or B have more people"
    r"^(?:who|which|what)(?: \w+)? (?:has|have|had|got|won|scored|received|earned|speaks|borders|uses) (?:the )?"
    rf"(?P<most>{_MORE_OR_LESS}) (?P<noun>[\w ]+?)(?:,|:|;| between|--| -) ?(?:the )?(?P<a>[^,]+?),? (?:or|and) "
    r"(?:the )?(?P<b>.+)$|^(?:does|do|did|has|have|is|are|was) (?:the )?(?P<c>[^,]+?) or (?:the )?(?P<d>.+?) "
    rf"(?:have |has |had |get |win )?(?:the )?(?P<most2>{_MORE_OR_LESS}) (?P<noun2>[\w ]+?)$",
    re.IGNORECASE,
)
_IS_MORE = re.compile(
    r"^(?:is|are|was|were|does|do) (?:the )?(?P<a>.+?) (?:have )?(?:an? )?(?P<adj>more(?! than)|less(?! than)|\w+er)"
    r"(?: (?P<noun>\w+(?: \w+)?))? than (?:the )?(?P<b>\D+)$",
    re.IGNORECASE,
)
_INHABITANTS = ("people", "inhabitants", "residents", "citizens")
_DIFFERENCE = re.compile(
    r"^how (?:much|many \w+) (?P<adj>more \w+|less \w+|\w+er) (?:is|was|are|does) (?:the )?"
    r"(?P<a>.+?) than (?:the )?(?P<b>.+)$"
    r"|^how many more (?P<people>\w+) (?:live |are there |are |were |has |have |does |did )?(?:in )?(?:the )?(?P<e>.+?)"
    r"(?: have| has| get| got| win)? than (?:in |does |did )?(?:the )?(?P<f>.+?)(?: does| did| has)?$"
    r"|^what (?:is|was) the difference (?:in|of) (?P<noun>[\w ]+?) (?:between|of) (?:the )?(?P<c>.+?) and (?:the )?"
    r"(?P<d>.+)$",
    re.IGNORECASE,
)


def _comparison(found: ReadQuestion) -> ReadQuestion:
    match = _DIFFERENCE.match(found.rest)
    if match:
        noun = (match["people"] or match["noun"] or "").lower()
        words = measures_of(match["adj"] or "") or (("population",) if noun in _INHABITANTS else tuple(noun.split()))
        sides = (match["a"] or match["c"] or match["e"], match["b"] or match["d"] or match["f"])
        ranked = Ranked(words, not is_down(match["adj"] or ""), noun=noun)
        return replace(
            found,
            kind="arithmetic",
            answer="number",
            difference=True,
            sides=sides,
            ranked=ranked,
            rest=" and ".join(sides),
        )
    match = _TWO.match(found.rest)
    if match:
        noun, most = (match["noun"] or match["noun2"]).lower(), (match["most"] or match["most2"]).lower()
        words = ("population", noun) if noun in _INHABITANTS else (noun,)
        sides = ((match["a"] or match["c"]).strip(), (match["b"] or match["d"]).strip())
        least = re.search(r"few|less|small|low", most) is not None
        return replace(
            found, kind="comparison", sides=sides, rest=" and ".join(sides), ranked=Ranked(words, not least, noun=noun)
        )
    match = _IS_MORE.match(found.rest)
    if match is not None and (match["noun"] or measures_of(match["adj"])):
        noun = (match["noun"] or "").lower()
        words = ("population",) if noun in _INHABITANTS else ((noun,) if noun else ()) + measures_of(match["adj"])
        dated = later_wins(match["adj"])
        largest = dated if dated is not None and not noun else not is_down(match["adj"])
        sides = (match["a"].strip(), match["b"].strip())
        return replace(
            found, kind="boolean", answer="truth", sides=sides, rest=" and ".join(sides),
            ranked=Ranked(words, largest, noun=noun, date=dated is not None and not noun),
        )  # fmt: skip
    match = _COMPARED.match(found.rest)
    if match is None or not measures_of(match["adj"]):
        return found
    noun = (match["noun"] or "").strip().removeprefix("the ")
    words = (noun.lower(), *measures_of(match["adj"])) if noun else measures_of(match["adj"])
    adjective = match["adj"].split()[-1]
    dated = later_wins(adjective)
    largest = dated if dated is not None else not is_down(match["adj"])
    sides = (match["a"].strip(), match["b"].strip())
    return replace(
        found, kind="comparison", sides=sides, rest=" and ".join(sides),
        ranked=Ranked(words, largest, noun=noun, date=dated is not None),
    )  # fmt: skip


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
    r"|^how many (?:inhabitants|residents|citizens) "
    r"|^(?:what (?:is|was) )?(?:the )?number of (?:people|inhabitants|residents|citizens) (?:in|of|living) ",
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
        return replace(found, unsaid=f"{what} of {noun}, for every one of several")
    after = found.rest[match.end() :].strip()
    rest = re.sub(r"^(?:of|for|in|across) (?:all )?(?:the )?", "", after) or noun
    return replace(
        found, kind="arithmetic", answer="number", summary=summary, summary_words=tuple(noun.split()),
        rest=f"which {rest}", removed=(*found.removed, match.group(0)),
    )  # fmt: skip


# -- superlatives ------------------------------------------------------------------------------------------------------

_HOW_MANY = r"(?:(?P<k>\d+|two|three|four|five|six|seven|eight|nine|ten) )?"
_ORDER = r"(?:(?P<order>second|third|fourth|fifth|2nd|3rd|4th|5th)[ -](?:to |the )?)?"
_STOPS = r"(?:in|of|on|for|from|to|with|by|at|that|which|who|and|or|does|do|did|is|are|was|were|have|has|had)\b"
_MOST_ADJECTIVE = re.compile(
    rf"\b(?:the )?(?:top )?{_HOW_MANY}{_ORDER}(?P<most>most|least) "
    r"(?P<adj>populous|populated|densely populated|sparsely populated|expensive|recent|popular|dense|costly)\b",
    re.IGNORECASE,
)
_WITH_MOST = re.compile(
    r"\b(?:(?P<verb>\w+(?: (?:through|in|on|by|with|for|to|from|into|over))?) )?(?:the )?(?<!\bat )"
    r"(?P<most>most(?! (?:of|common|recent|popul|dens|spars|expens|costl|famous|important))|least(?! popul)|fewest|"
    r"greatest number of|largest number of|"
    r"smallest number of|highest number of|lowest number of|maximum number of|minimum number of)(?: number of)? "
    r"(?:other |different |distinct )?(?P<noun>\w+)",
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


_NOUN = re.compile(
    r" ?(?!(?:by|in|of|on|for|from|to|with|is|are|was|were|that|who)\b)(\w+)(?: (?!(?:in|of|on)\b)(\w+))?"
)
_BY = re.compile(
    r" (?:by|in terms of|measured by|according to|in) (?:its |their |the )?(?P<key>\w+(?: \w+)?)$", re.IGNORECASE
)


OFTEN = "times"  # what is counted where a question says no more than "the most"
_OFTEN = re.compile(
    r"\b(?:the )?(?:most|(?P<least>least|fewest))(?: (?:often|frequently|commonly|times|number of times))"
    r"|\b(?:the )?(?:most|(?P<fewest>least))(?= (?:on|in) (?:this|the) (?:chart|list|table)$|$)",
    re.IGNORECASE,
)
_HAVING = ("with", "has", "have", "having", "had", "got", "by", "of", "which", "who", "what", "is", "are", "in")
_WITH_EST = re.compile(  # "the state with the lowest population density", "which state has the largest city"
    rf"\b(?:with|has|have|having|had) (?:the )?{_ORDER}(?P<adj>[a-z]+est) (?P<noun>\w+(?: (?!{_STOPS})\w+){{0,2}})",
    re.IGNORECASE,
)


def _superlative(found: ReadQuestion) -> ReadQuestion:
    """A superlative, with the measure that is stated beside it: "the biggest country by area"."""
    made = _superlative_itself(found)
    if made.ranked is None or made.sides is not None:
        return made
    match = _BY.search(made.rest)
    said = match["key"].lower() if match else ""
    if match is None or (" in " in f" {match.group(0)}"[:5] and said not in KNOWN_MEASURES) or said in ("far", "the"):
        return made
    ranked = replace(made.ranked, words=(said, *made.ranked.words))
    return replace(_cut(made, match), ranked=ranked)


def _superlative_itself(found: ReadQuestion) -> ReadQuestion:
    if found.sides is not None or found.summary:
        return found
    kind: Kind = "superlative" if found.kind == "plain" else found.kind
    match = _OFTEN.search(found.rest)
    if match is not None:
        return _cut(found, match, "", kind=kind, ranked=Ranked((OFTEN,), match["least"] is None, noun=OFTEN))
    match = _WITH_MOST.search(found.rest)
    if match is not None:
        largest = re.match(r"most|great|large|high|max", match["most"], re.IGNORECASE) is not None
        noun, verb = match["noun"].lower(), (match["verb"] or "").lower()
        ranked = Ranked((noun,), largest, noun=noun, verb="" if verb in _HAVING else verb)
        return _cut(found, match, "", kind=kind, ranked=ranked)
    match = _WITH_EST.search(found.rest)
    if match is not None and (base := base_of(match["adj"])):
        noun = match["noun"].lower()
        words = (f"{match['adj'].lower()} {noun}", *MEASURES[base])
        ranked = Ranked(words, base not in DOWN, 1, _skip(match), noun)
        return _cut(found, match, "", kind="ordinal" if ranked.skip else kind, ranked=ranked)
    match = _MOST_ADJECTIVE.search(found.rest)
    if match is not None:
        adjective = match["adj"].lower()
        measures = ("density",) if adjective.startswith(("densely", "sparsely")) else MEASURES[adjective.split()[-1]]
        largest = (match["most"].lower() == "most") != adjective.startswith("sparsely")
        dated = later_wins(adjective)
        made = Ranked(measures, largest, _k(match), _skip(match), date=dated is not None)
        return _cut(found, match, "", kind="ordinal" if made.skip else kind, ranked=made)
    for match in _EST.finditer(found.rest):
        base = base_of(match["adj"])
        if not base or match["adj"].lower() in _NOT_SUPERLATIVE:
            continue
        dated = later_wins(base) if base not in ("old", "young") else None
        largest = dated if dated is not None else base not in DOWN
        made = Ranked(MEASURES[base], largest, _k(match), _skip(match), date=dated is not None)
        noun = _NOUN.match(found.rest[match.end() :])
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
    return max(1, int(stated) if stated and stated.isdigit() else NUMBERS.get((stated or "one").lower(), 1))


def _skip(match: re.Match[str]) -> int:
    return ORDINALS.get((match["order"] or "").lower(), 0)


# -- filters -----------------------------------------------------------------------------------------------------------

_MORE = (
    r"(?P<more>more than|greater than|larger than|higher than|bigger than|longer than|taller than|older than|over|"
    r"above|"
    r"exceeding|at least|no less than|not less than|a minimum of|minimum|less than|fewer than|lower than|smaller than|"
    r"shorter than|younger than|under|below|at most|no more than|not more than|up to|exactly|equal to)"
)
_NUMBER_FILTER = re.compile(
    rf"(?:\b(?:with|has|have|having|whose|and|that|which|is|are|was|were)\b )*(?:\b(?:an?|the) )?"
    rf"(?P<noun>\b\w+ )?(?:of |is |are |was )?\b{_MORE} {_AMOUNT}{_SCALE}{_UNIT}\b(?: (?P<counted>\w+))?",
    re.IGNORECASE,
)
_DATE_STATED = (
    rf"(?P<date>(?:\d{{1,2}} )?(?:{'|'.join(MONTHS)}),? (?:\d{{1,2}},? )?\d{{4}}|\d{{4}}-\d{{2}}-\d{{2}}"
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
        verb = (found.rest[: match.start()].split() or [""])[-1].lower()
        filters.append(Filter((verb, "date", "year") if verb.isalpha() else ("date", "year"), op, low, high))
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
        measured = measures_of(more.split()[0])
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
    value = float(NUMBERS[stated]) if stated in NUMBERS else float(stated)
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
