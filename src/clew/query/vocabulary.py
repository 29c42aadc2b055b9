"""English words that questions use for what a graph calls by a name: what adjectives measure, synonyms, numbers.

Kept apart because they are tables. In another language these are missing and a question is read as plain.
"""

from __future__ import annotations

import re
from functools import lru_cache

KEPT = 65_536  # words whose forms are remembered
# What an adjective measures, most likely first: words that occur in names of relations.
MEASURES: dict[str, tuple[str, ...]] = {
    "long": ("length", "duration", "runtime", "time", "pages", "words"),
    "short": ("length", "duration", "height", "runtime", "time", "pages", "words"),
    "large": ("area", "size", "population", "capacity", "total", "number"),
    "big": ("area", "size", "population", "capacity", "total"),
    "great": ("size", "number", "area"), "small": ("area", "size", "population", "capacity"),
    "little": ("area", "size"),
    "high": ("elevation", "height", "altitude"), "tall": ("height", "elevation", "altitude"),
    "low": ("elevation", "height", "altitude"), "deep": ("depth",), "shallow": ("depth",),
    "steep": ("gradient", "slope", "grade"),
    "populous": ("population",), "populated": ("population",), "dense": ("density",), "sparse": ("density",),
    "heavy": ("weight", "mass"), "light": ("weight", "mass"), "wide": ("width",), "broad": ("width",),
    "rich": ("wealth", "gdp", "income"), "poor": ("gdp", "income"), "fast": ("speed", "time", "duration"),
    "slow": ("speed", "time", "duration"), "quick": ("time", "duration", "speed"),
    "expensive": ("price", "cost", "budget", "fee"), "cheap": ("price", "cost", "budget", "fee"),
    "costly": ("cost", "price", "budget"), "paid": ("salary", "wage", "income", "pay"),
    "old": ("age", "born", "birth", "founded", "date", "year"),
    "young": ("age", "born", "birth", "date", "year"), "busy": ("passengers", "traffic", "visitors"),
    "new": ("date", "year", "founded", "release"),
    "recent": ("date", "year"), "late": ("date", "year", "time"),
    "early": ("date", "year", "time"), "senior": ("age", "hired", "rank"),
    "severe": ("severity", "grade", "level"), "serious": ("severity", "grade", "level"),
    "valuable": ("value", "worth", "price"), "difficult": ("difficulty", "grade"), "hard": ("difficulty", "hardness"),
    "easy": ("difficulty", "grade"), "narrow": ("width",), "thick": ("thickness", "pages"), "thin": ("thickness",),
    "loud": ("loudness", "volume"), "bright": ("brightness", "magnitude"), "powerful": ("power", "strength"),
    "successful": ("success", "gross", "revenue"), "profitable": ("profit", "revenue"),
    "hot": ("temperature",), "warm": ("temperature",), "cold": ("temperature",),
    "good": ("rating", "score", "position", "place", "rank"),
    "bad": ("rating", "score", "position", "place", "rank"), "strong": ("strength", "power"),
    "near": ("distance",), "far": ("distance",), "close": ("distance",), "popular": ("popularity", "votes", "rating"),
    "much": ("total", "number", "amount"), "many": ("total", "number"),
}  # fmt: skip
HOLDING = frozenset(["hold", "seat", "fit", "accommodate"])  # what has a capacity does
KNOWN_MEASURES = frozenset(word for words in MEASURES.values() for word in words)
_DOWN = """
short small little low shallow sparse light poor slow cheap young early cold bad near close few least easy narrow thin
"""
DOWN = frozenset(_DOWN.split())
DATED = {"recent": True, "new": True, "late": True, "early": False, "old": False}  # whether the later date wins
AGES = frozenset(["old", "young"])  # by a date the older is the one of the smaller date, by an age of the larger
PACES = frozenset(["fast", "slow", "quick"])  # by a time the faster is the smaller, by a speed the larger
TIMES = frozenset(["time", "duration", "minutes", "hours", "seconds", "days", "runtime"])
IRREGULAR = {
    "best": "good", "worst": "bad", "biggest": "big", "hottest": "hot", "earliest": "early", "heaviest": "heavy",
    "farthest": "far", "furthest": "far", "latest": "late", "better": "good", "worse": "bad", "bigger": "big",
    "earlier": "early", "heavier": "heavy", "farther": "far", "further": "far", "later": "late", "hotter": "hot",
    "larger": "large", "largest": "large", "priciest": "expensive", "pricier": "expensive", "dearest": "expensive",
    "dearer": "expensive", "eldest": "old", "elder": "old", "tiniest": "small", "tinier": "small",
}  # fmt: skip
_UNNUMBERED = frozenset(["good", "bad", "new", "recent", "late", "early", "much", "many"])  # compared with no number
_NUMBERED = tuple(base for base in MEASURES if base not in _UNNUMBERED)
COMPARATIVES = (
    *(word for word, base in IRREGULAR.items() if word.endswith("er") and base in _NUMBERED),
    *(f"{base[:-1]}ier" if base.endswith("y") else f"{base.removesuffix('e')}er" for base in _NUMBERED),
    "thinner",
    *(f"{way} {base}" for way in ("more", "less") for base in _NUMBERED),
)
"""Adjectives that hold a thing against a stated number: "heavier", "more expensive"."""
ORDINALS = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4, "5th": 4, "next": 1}
NUMBERS = {
    word: i
    for i, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
    )
} | {"a": 1, "an": 1, "no": 0, "twenty": 20, "hundred": 100, "thousand": 1000, "million": 10**6}
_MONTHS = """
january february march april may june july august september october november december
"""
MONTHS = tuple(_MONTHS.split())
UNDONE = r"un[a-z]+(?:ed|id|ld|nt|en)"  # what has not been done, in one word: "unpaid", "unsold"
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_CHILD = ("father", "mother", "parent")
INVERSE = {"child": _CHILD, "children": _CHILD, "kid": _CHILD, "offspring": _CHILD}  # nouns of a relation walked back
_HEAD = re.compile(r"\s+(?:in|of|by|from|at|on|to|for|with|per)\s+|\s*[(,/]")


def base_of(word: str) -> str:
    """The adjective behind a comparative or superlative, "" where the word is none: longest, larger, heavier."""
    word = word.lower()
    if word in IRREGULAR:
        return IRREGULAR[word]
    for ending in ("est", "er"):
        if word.endswith(ending):
            stem = word[: -len(ending)]
            for base in (stem, stem + "e", stem[:-1] if stem[-2:-1] == stem[-1:] else "", stem[:-1] + "y"):
                if base in MEASURES:
                    return base
    return ""


def full_of(word: str) -> tuple[str, ...]:
    """What there is more of in what a comparative in "ier" or a superlative in "iest" says: fattier, fat."""
    root = word.lower().removesuffix("ier").removesuffix("iest")
    once = root[:-1] if root[-2:-1] == root[-1:] else root
    return tuple(dict.fromkeys((once, root, f"{root}e", f"{root}y")))


def measures_of(adjective: str) -> tuple[str, ...]:
    word = adjective.split()[-1].lower() if adjective else ""
    return MEASURES.get(base_of(word) or word, ())


def is_down(adjective: str) -> bool:
    parts = adjective.lower().split()
    if parts and parts[0] in ("less", "least", "fewer", "fewest"):
        return True
    return (base_of(parts[-1]) or parts[-1]) in DOWN if parts else False


def later_wins(adjective: str) -> bool | None:
    """Whether the later date wins; None for an adjective that is not about time."""
    base = base_of(adjective) or adjective
    if base == "young":
        return True
    return DATED.get(base)


@lru_cache(maxsize=KEPT)
def stem(word: str) -> str:
    """A word without its plural ending; "disease" and "diseases", "movie" and "movies" are one each."""
    word = word.lower().replace("isation", "ization")  # of two spellings one
    if word.endswith(("ies", "ie")) and len(word) > 4:
        return word.removesuffix("s")[:-2] + "y"
    if word.endswith(("ses", "xes", "ches", "shes")):
        return word[:-2]
    if word.endswith(("se", "xe", "che", "she")) and len(word) > 3:  # "case" and "cases", not "us" of "use"
        return word[:-1]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


_PAST = """
bought:buy brought:bring built:build caught:catch chosen:choose drawn:draw drew:draw driven:drive drove:drive fed:feed
fought:fight fell:fall fallen:fall flew:fly flown:fly given:give gave:give grew:grow grown:grow held:hold hidden:hide
kept:keep laid:lay led:lead lent:lend lost:lose made:make met:meet paid:pay ran:run sang:sing sung:sing sent:send
shot:shoot sold:sell sank:sink sunk:sink spent:spend spoken:speak spoke:speak stolen:steal stole:steal swum:swim
left:leave taken:take took:take taught:teach thrown:throw threw:throw told:tell worn:wear won:win written:write
wrote:write
"""
PAST = dict(pair.split(":") for pair in _PAST.split())  # of irregular verbs


@lru_cache(maxsize=KEPT)
def forms(word: str) -> frozenset[str]:
    """A word's stem and what it may be the past, participle, act or doer of: "hired" is said of a hire date, "cited" of
    citations, "donated" of a donor."""
    whole = stem(word)
    if whole in PAST:
        return frozenset((whole, PAST[whole], stem(PAST[whole])))
    cut = [whole.removesuffix(end) for end in ("ed", "d", "ing", "er", "or", "ment") if whole.endswith(end)]
    made = [form for each in cut if len(each) > 2 for form in (each, stem(f"{each}e"))]
    acts = [whole.removesuffix(end) for end in ("ation", "or", "al") if whole.endswith(end)]
    made += [form for each in acts if len(each) > 2 for form in (each, f"{each}e", f"{each}ate")]
    return frozenset((whole, *made, *(each[:-1] for each in cut if len(each) > 3 and each[-1] == each[-2])))


def several(noun: str) -> str:
    """A noun as it stands for several: "companies", "loans"."""
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def akin(a: str, b: str) -> bool:
    """Whether two words share their beginning: "director", "directed"."""
    if len(a) < 5 or a[:5] != b[:5]:
        return False
    shared = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    return shared >= 0.6 * max(len(a), len(b))


def head_of(label: str) -> str:
    """A relation's name without what follows a preposition: "area in square kilometres" is an area."""
    return _HEAD.split(label, maxsplit=1)[0].strip() or label


_MANY = frozenset(["children", "people", "men", "women", "feet", "teeth", "mice", "media", "criteria", "alumni"])


def is_plural(label: str) -> bool:
    """Whether a relation's name speaks of several: "borders", "languages of work", "children"."""
    last = head_of(label).lower().split()[-1:]
    if not last:
        return False
    ends = last[0].endswith("s") and not last[0].endswith(("ss", "us", "is", "series", "species"))
    return last[0] in _MANY or (ends and len(last[0]) > 3)


# Words of questions that are said of relations of any graph, and the word that relations are called by.
_SYNONYMS: dict[str, tuple[str, ...]] = {
    "neighbour": ("border",), "neighbor": ("border",), "neighbouring": ("border",), "neighboring": ("border",),
    "adjacent": ("border",), "adjoin": ("border",), "touch": ("border",), "bordering": ("border",), "next": ("border",),
    "inhabitant": ("population",), "people": ("population", "person", "human"),
    "resident": ("population",), "citizen": ("population",),
    "nation": ("country",), "town": ("city",), "cross": ("flow",), "traverse": ("flow",),
    "run": ("flow", "operate", "operator", "manage", "manager", "head", "director", "lead", "leader"),
    "pass": ("flow",), "money": ("currency",), "tongue": ("language",), "size": ("area",),
    "person": ("human", "people"), "human": ("person", "people"), "individual": ("person", "human"),
    "picture": ("film", "movie"), "nationality": ("citizenship", "citizen"),
    "citizenship": ("nationality",),
    "medicine": ("drug", "medication"), "medication": ("drug", "medicine"),
    "illness": ("disease",),
    "peak": ("mountain",), "mountain": ("peak", "summit"), "take": ("capacity",),
    "stream": ("river",), "movie": ("film",), "film": ("movie",), "hill": ("mountain",),
    "speak": ("language", "spoken"), "speaker": ("language",), "located": ("in",), "pay": ("currency", "salary"),
    "earn": ("salary", "earning", "income", "wage"), "salary": ("wage", "income", "earning"),
    "cost": ("price", "budget", "fee"), "price": ("cost",),
    "weigh": ("weight", "mass"), "sale": ("sold", "sell", "copy"), "review": ("score", "rating"),
    "charge": ("rate", "fee", "price", "cost"), "rating": ("score", "grade", "stars"), "score": ("rating",),
    "spend": ("price", "cost", "paid"), "born": ("birth",), "calorie": ("energy", "kcal"),
    "boss": ("manager", "report", "supervisor", "head", "principal", "chief", "director", "leader"),
    "manager": ("report", "supervisor", "manage", "boss"),
    "write": ("author", "writer", "written"), "wrote": ("author", "writer", "written"), "written": ("author", "writer"),
    "cause": ("effect",), "boy": ("male",), "girl": ("female",), "wife": ("spouse",), "husband": ("spouse",),
    "birth": ("born",), "birthday": ("born", "birth"), "birthdate": ("born", "birth"), "death": ("died",),
    "spectator": ("capacity",), "seat": ("capacity",), "hold": ("capacity", "seat"), "fit": ("capacity", "seat"),
    "accommodate": ("capacity", "seat"), "ground": ("area",), "paper": ("publication", "article"),
    "married": ("spouse",), "employee": ("staff", "worker", "headcount"),
    "copy": ("circulation",), "victory": ("win", "won", "winner"), "leaf": ("folio", "page"),
    "audience": ("capacity", "seat"), "staff": ("employee", "worker", "personnel"), "worker": ("employee", "staff"),
    "personnel": ("employee", "staff"), "composer": ("music", "score"), "screenwriter": ("screenplay", "written"),
    "actor": ("starring", "cast"), "actress": ("starring", "cast"), "landlord": ("owner", "owned"),
    "expire": ("until", "expiry", "expiration", "valid"), "lapse": ("until", "expiry", "expires", "expire"),
    "expiry": ("until", "expires"), "bedroom": ("bed",), "bed": ("bedroom",), "bathroom": ("bath",),
    "turnover": ("revenue", "sale"), "revenue": ("turnover", "sale"), "taking": ("revenue", "turnover"),
    "funding": ("budget",), "space": ("area",), "startup": ("company",), "firm": ("company",), "company": ("firm",),
}  # fmt: skip
BEGUN = frozenset(map(stem, ("inception", "established", "establishment", "opened", "opening", "built", "created")))
"""What relations call the date from which a thing counts as old."""
SYNONYMS = {stem(word): tuple(map(stem, others)) for word, others in _SYNONYMS.items()}
