"""Questions for the time between two dates: "how many days did X last", "how old was X when she died", "how many years
lie between the completion of A and B".

Kept apart from `question`: which dates are meant, and of what, only a graph can tell, so that what is read here is used
where a graph has them and changes nothing elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clew.query.asked import ReadQuestion
from clew.query.meanings import TENURE
from clew.query.plan import Number, TimeUnit
from clew.query.values import unit_of
from clew.query.vocabulary import BEGUN, forms, stem

_FROM = """
from start begin began begun since open create raise report submit log file book order request depart departure leave
sail send sent ship dispatch issue borrow lend lent loan rent hire join appoint elect enrol enroll employ crown marry
found establish build built construct construction commission launch plant sign admit admission arrive arrival birth
born detect discover activate effective premiere accede ascend check buy bought purchase acquire first
"""
_TO = """
to until till end finish close resolve solve fix complete completion done arrive arrival deliver delivery receive
return back died die death discharge release leave left depart departure retire resign dismiss terminate depose
abdicate divorce dissolve abolish demolish decommission harvest expire expiry graduate cancel through thru ship fulfil
settle paid sink sunk wreck scrap destroy decide sell sold
"""
_GOING_ON = """
last lasts lasted lasting run runs ran running take takes took taken taking go goes went on stay stays stayed remain
remains remained spend spent exist existed reign reigned live lived be been
"""
LASTING = frozenset(_GOING_ON.split())  # verbs that say of any thing how long it went on
_BASES = frozenset(["last", "run", "take", "go", "on", "stay", "remain", "reign", "live", "exist", "spend"])
_NOUNS = {"decision": "decided", "resolution": "resolved", "closure": "closed", "admission": "admitted", "sale": "sold"}
LIVING = frozenset(["live", "lived", "lives", "old", "alive", "age"])


_UNITS = r"(?P<{0}>seconds|minutes|hours|days|nights|weeks|months|years)"
_HEAD = re.compile(
    r"^(?:(?:can|could) you )?(?:tell me |say |work out )?(?:for |in |over |after |within |by )?(?:about |roughly )?(?:"
    rf"how many (?:whole |full |complete |calendar )?{_UNITS.format('unit')}\b(?! (?:old|older|younger)\b)"
    r"|how (?P<long>long|much time)\b|(?:how (?:many years )?(?P<old>old)|(?:at )?what (?P<age>age))\b"
    rf"|what (?:is|was|are|were) the (?:time|interval|gap|period|number of {_UNITS.format('unit2')})"
    rf"(?: in {_UNITS.format('unit3')})? (?=between\b|from\b|that passed\b))",
    re.IGNORECASE,
)
_APART = re.compile(
    rf"^(?:by )?how many {_UNITS.format('unit')} (?:older|younger|earlier|later|newer)\b", re.IGNORECASE
)
_COMPARED = re.compile(r" (?:[a-z]+er|more|less)\b", re.IGNORECASE)  # "how many days longer was A than B"
_NOT_A_VALUE = re.compile(
    r"\b(?:longer|shorter|more|less|fewer|earlier|later|older|younger|than|longest|shortest|most|least|average|total"
    r"|now|today|ago|so far|currently|still|will|usually|typically|should|could)\b",
    re.IGNORECASE,
)
_STATES = re.compile(  # of what something is as long as it goes on: they name nothing of a graph
    r" (?:at sea|at work|on loan|in office|in power|in force|in use|in service|in operation|in business|in post|on air"
    r"|on the road|on tour|on display|on show|on view|in hospital|in prison|in jail|on the throne|underway|under way"
    r"|active|open|alive|running|going(?: on)?|altogether|in total|overall|in all|for)$",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:from|between) (?:its |their |his |her |the |being )?(?P<since>[a-z]+) (?:to|until|till|and) "
    r"(?:its |their |his |her |the |being )?(?P<until>[a-z]+)\b(?! of\b)"
)
_RELATIVE = frozenset(["for", "that", "which", "who", "was", "were"])
_ASKS_VERB = re.compile(r"\b(?:do|does|did|to|can|will|would)\b", re.IGNORECASE)
_TO_END = re.compile(r"\bto (?:be |get |become )?(?P<until>[a-z]+)$")


@lru_cache
def _formed(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in forms(word))


def verb_of(word: str) -> str:
    """The verb whose noun a word is, where the two are not written alike; else the word."""
    return _NOUNS.get(stem(word), word)


def begins(word: str) -> bool:
    """Whether a word may name the date from which something goes on."""
    return bool(forms(word) & _formed(_FROM)) or stem(word) in BEGUN


def ends(word: str) -> bool:
    """Whether a word may name the date at which something is over."""
    return bool(forms(verb_of(word)) & _formed(_TO))


@dataclass(frozen=True, slots=True)
class Lapse:
    """A question for a time: what is left of it beside the words that ask."""

    unit: TimeUnit | Literal[""]  # "": however long it is said
    age: bool
    rest: str


def lapse(text: str) -> Lapse | None:
    """How a question asks for a time that passed; None for any other question."""
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    match = _HEAD.match(plain)
    if match is None:
        return None
    rest = plain[match.end() :].strip(" ,")
    if _NOT_A_VALUE.search(rest) or re.match(r"(?:is|are|can|must|may)\b(?!.*\bbetween\b)", rest, re.IGNORECASE):
        return None
    age = bool(match["old"] or match["age"])
    if age and re.search(r"\bwhen\b|\bdie\b", rest, re.IGNORECASE) is None:
        return None  # how old something is now, no two dates say
    said = match["unit"] or match["unit2"] or match["unit3"] or ("years" if age else "")
    return Lapse(_unit(said), age, _STATES.sub("", rest))


def asks_how_long(text: str) -> TimeUnit | Literal[""] | None:
    """The unit of the time that a question asks for, "" where any will do; None where it asks for none."""
    plain = re.sub(r"\s+", " ", text.strip())
    match = _HEAD.match(plain)
    if match is None or match["old"] or match["age"] or _COMPARED.match(plain, match.end()):
        return None
    return _unit(match["unit"] or match["unit2"] or match["unit3"] or "")


def about_what(text: str) -> str:
    """A question for the days of something as one for the thing: "how many days did loan" → "which loan"."""
    match = _HEAD.match(text)
    if match is None or not match["unit"]:
        return text
    return f"which {re.sub(r'^ ?(?:did|do|does|was|were|is|are|has|have|had) ', '', text[match.end() :].strip())}"


def between_two(text: str) -> TimeUnit | None:
    """The unit in which a question asks how far two things are apart: "how many years older is A than B"."""
    match = _APART.match(text.strip())
    return None if match is None else _unit(match["unit"]) or None


def _unit(said: str) -> TimeUnit | Literal[""]:
    unit: TimeUnit | Literal[""] = "days" if said.lower() == "nights" else said.lower()  # type: ignore[assignment]
    return unit


def of_time(read: ReadQuestion) -> bool:
    """Whether what a question compares may be how long things went on."""
    if read.ranked is not None and (read.ranked.base in ("long", "short", TENURE) or is_time(read.ranked.noun)):
        return True
    return any(isinstance(each.value, Number) and is_time(each.value.unit) for each in read.filters)


def is_time(word: str) -> bool:
    """Whether a word is "time" or a unit of it: "days"."""
    known = unit_of(word) if word else None
    return word == "time" or (known is not None and known.dimension == "time" and len(word) > 2)


_PARTNERS = tuple(
    tuple(side.strip() for side in line.split(":"))
    for line in """
    from start begin began begun since first:to until till end finish through thru complete
    open create raise report submit log detect discover:close resolve solve fix
    depart departure leave sail send sent ship dispatch order request:arrive arrival deliver delivery receive fulfil
    birth born:death died die
    borrow lend lent loan rent issue check:return back
    admit admission:discharge release
    hire join appoint elect enrol enroll employ:leave left retire resign dismiss terminate graduate
    found establish:dissolve abolish close
    crown accede ascend:abdicate depose
    marry married:divorce
    build built construct launch commission:demolish scrap decommission sink sunk wreck destroy
    file:decide settle
    plant:harvest
    buy bought purchase acquire:sell sold
    """.strip().splitlines()
)


def partners(begun: str, over: str) -> bool:
    """Whether two words are the usual ones for the beginning and the end of one thing: "opened" and "closed"."""
    mine, theirs = forms(begun), forms(verb_of(over))
    return any(mine & _formed(one) and theirs & _formed(other) for one, other in _PARTNERS)


def spanning(text: str) -> tuple[str, tuple[str, ...]]:
    """Some words without those that say from when until when a time goes, or that something went on; and these words.

    "which voyage from departure to arrival" → "which voyage"; "which loans lasted" → "which loans".
    """
    said: list[str] = []
    match = _ENDS.search(text)
    if match is not None and begins(match["since"]) and ends(match["until"]):
        said += [match["since"], match["until"]]
        text = f"{text[: match.start()]} {text[match.end() :]}"
    text = re.sub(r"\s+", " ", text).strip()
    if (until := _TO_END.search(text)) is not None and ends(until["until"]):
        said.append(until["until"])
        text = text[: until.start()].strip()
    words = text.split()
    verbs = LASTING | _RELATIVE  # "the longest stay" is a noun, and "did it stay" none
    verbs = verbs if _ASKS_VERB.search(text) else verbs - _BASES
    while len(words) > 1 and words[-1].lower() in verbs:
        said.append(words.pop().lower())
    return " ".join(words), tuple(word for word in said if word not in _RELATIVE)
