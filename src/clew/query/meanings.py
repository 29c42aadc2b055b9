"""What the name of a property means beyond its words: abbreviations, the unit it ends in, the adjectives it answers.

Kept apart because these are tables of schemas as people write them (`elev_m`, `dob`, `bar_yr`, `price_eur`), where
`vocabulary` holds words of questions. In another language they say nothing and only the words themselves count.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clew.labels import in_full, label_to_text
from clew.query.values import CURRENCIES, unit_of
from clew.query.vocabulary import forms, stem

BY_UNIT = 0.6  # what a property fits that is measured in what the words measure: `halfboard_eur`, a price
BY_FAMILY = 0.55  # the same of one whose name is of the adjective's family: `amt_claimed`, "biggest"
BORN = 0.95  # of a birth date, for "young" and "old"
BY_BEGINNING = 0.6  # of a date from which things count as old
SOME_BEGINNING = 0.4  # of one that may be either
LATER_DATE = 0.25  # of any other date: a thing is no older for having ended earlier
# Of figures and dates alone; elsewhere most are words of their own.
_OF_FIGURES = {
    "alt": "altitude", "asc": "ascent", "arr": "arrival", "att": "attendance", "attn": "attendance", "cap": "capacity",
    "dep": "departure", "estd": "established", "exp": "expiry", "freq": "frequency", "hr": "hour", "hrs": "hours",
    "ht": "height", "mfg": "manufactured", "occ": "occupancy", "perc": "percent", "pop": "population",
    "prod": "production", "purch": "purchase", "reg": "registered", "rev": "revenue", "temp": "temperature",
    "ts": "time", "vol": "volume", "wt": "weight",
}  # fmt: skip
_SIGNS = {
    "eur": "EUR", "euro": "EUR", "euros": "EUR", "usd": "USD", "dollar": "USD", "dollars": "USD", "gbp": "GBP",
    "chf": "CHF", "jpy": "JPY", "yen": "JPY", "inr": "INR", "cad": "CAD", "aud": "AUD", "cny": "CNY", "sek": "SEK",
    "sqm": "m2", "qm": "m2", "sqkm": "km2", "sqft": "sq ft", "pct": "%", "perc": "%", "watt": "W", "watts": "W",
    "kw": "kW", "mw": "MW", "gw": "GW", "yr": "year", "yrs": "years", "kmh": "km/h", "kph": "km/h",
}  # fmt: skip
_LONE = frozenset(["t", "d", "s", "k", "l", "g", "h", "w", "ton", "in"])  # more often no unit than one
_MEASURES_OF: dict[str, tuple[str, ...]] = {  # by dimension; of several groups a name says which is meant
    "length": ("length distance span size", "height altitude elevation", "ascent climb", "depth", "width"),
    "area": ("area size surface",),
    "mass": ("weight mass",),
    "money": ("price cost budget fee money charge spend spent costing worth value euro give claim",
              "salary pay wage income earn earning paid money"),
    "time": ("duration time runtime",),
    "power": ("power energy electricity consumption",),
    "data": ("memory ram storage disk",),
    "speed": ("speed",),
    "temperature": ("temperature",),
    "share": ("share percentage rate",),
}  # fmt: skip
_SIZES = """
size area surface floor volume capacity population total amount number count staff employee member bed seat room
enrolment enrollment headcount attendance revenue turnover worth value extent acreage tonnage
"""
_PRICES = """
price cost fee rate charge fare rent tariff amount ask asking value worth budget bid premium toll tuition expense
estimate market list sale board hammer
"""
_PAID = frozenset(["hammer", "sold", "paid", "realised", "realized", "final"])  # of several prices the one paid
_PAYING = "sell sold fetch bring brought cost pay paid bill spend spent buy bought raise realise donate owe"
_EARNED = "salary pay wage income earn money amt usd eur gbp chf revenue tuition spending"
SIZES = frozenset(["large", "big", "great", "small", "little"])
_FAMILIES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(sorted(SIZES), tuple(_SIZES.split())),
    **dict.fromkeys(("expensive", "cheap", "costly"), tuple(_PRICES.split())),
    **dict.fromkeys(("high", "tall", "low"), ("summit", "peak", "top")),
    **dict.fromkeys(("long", "short"), ("distance", "span", "extent")),
    **dict.fromkeys(("paid", "rich", "poor"), ("salary", "wage", "income", "revenue", "wealth", "worth", "fortune")),
    **dict.fromkeys(("fast", "slow", "quick"), ("pace", "velocity", "lap", "mph", "kmh")),
    **dict.fromkeys(("good", "bad"), ("rating", "score", "grade", "review", "mark", "star", "point")),
    "severe": ("severity", "grade", "impact", "level", "score"),
    "busy": ("traffic", "passenger", "visitor", "attendance", "footfall", "flight"),
    "popular": ("popularity", "visitor", "attendance", "vote", "download", "view", "listener", "follower"),
    "steep": ("ascent", "incline"),
}
MONEY = frozenset(["money", "cash", "dollars", "euros", "pounds"])
TENURE = "tenured"
"""How long somebody has been somewhere: by a date the first comes first, by a number of years the largest."""
AGEING = frozenset(["old", "young", "new", "senior", TENURE])
_BEGINNINGS = """
birth born founded founding foundation established establishment opened opening inception incorporated built build
construction constructed created creation commissioned installed installation launched launch released release started
start begin began begun since from first formed formation purchase purchased bought acquired acquisition manufactured
made delivered introduced inaugurated completed published publication hired hire joined join appointed employed
enrolled enlisted admitted sworn called registered registration planted issued laid dated
"""
_ENDS = """
end ended ends died death closed closing close expiry expires expired resolved decided until to last due updated
modified retired left demolished abolished cancelled dissolved renovated deadline
"""
_JOINED = """
since hired hire joined join start started appointed employed from enlisted admitted tenure service
"""
_FOUNDED = "founded founding formed formation established inception created since start"
_DATED_BY: tuple[tuple[str, str], ...] = (  # verbs of questions, and what the date is called that they mean
    (
        "start begin began begun commence launch open kick inaugurate",
        "start begin began begun commence launch opening from",
    ),
    (
        "end finish conclude complete wrap close stop expire",
        "end finish conclusion complete closing closed to until expiry",
    ),
    ("expire spoil", "expiry expires expired best use sell"),  # "best before", "use by"
    (
        "found form establish create start",
        _FOUNDED,
    ),
    ("born birth", "birth born birthday"),
    ("died dead death", "death died"),
    ("buy bought purchase acquire get got spent", "purchase purchased bought acquired acquisition ordered"),
    (
        "join hire start employ recruit come came work appoint serve become became took taken sign job post",
        "hired hire joined since start appointed employed from enlisted registered registration member signup",
    ),
    ("build built erect construct raise", "built construction constructed completed completion opened erected year"),
    (
        "release launch publish issue come came appear introduce bring brought",
        "release released launch launched published publication issued live available",
    ),
    ("install commission deploy introduce set use", "commissioned installed installation deployed introduced service"),
    ("decide rule judge settle close", "decided decision judgment ruling verdict closed"),
    ("file lodge bring brought submit open", "filed lodged submitted opened"),
    ("detect discover spot notice report find", "detected discovered reported found first seen"),
    ("resolve fix close solve settle end", "resolved fixed closed resolution solved"),
    ("premiere hear heard perform play stage show", "premiere premiered performed performance staged first"),
    ("marry married wed", "married marriage wedding"),
    ("elect elected", "elected election since"),
)
_UNMEASURED = """
id code phone fax tel telephone zip postal postcode version firmware lat latitude lon lng longitude isbn ssn iban
number no nr port key index order position rank year date detail details note notes comment comments remark remarks
"""
_NO_MEASURE = frozenset(_UNMEASURED.split())


@lru_cache(maxsize=256)
def _formed(table: str) -> frozenset[str]:
    return frozenset(form for word in table.split() for form in forms(word))


@lru_cache(maxsize=1 << 14)
def spelled_out(label: str) -> str:
    """A property's name in whole words: "elev_m" → "elevation m", "dob" → "birth date"."""
    words = label_to_text(label.rsplit(".", 1)[-1]).split()
    if [word.lower() for word in words[:1]] == ["est"]:  # beside another word it is an estimate
        words[0] = "established" if set(map(str.lower, words[1:])) <= {"year", "date", "in"} else "estimate"
    return in_full(" ".join(_OF_FIGURES.get(word.lower().strip("."), word) for word in words))


@lru_cache(maxsize=1 << 14)
def stated_unit(label: str) -> str:
    """The unit that a property's name ends in, as `unit_of` knows it: "length_km", "area (km2)", "height in m"."""
    words = [word.strip("()[],") for word in label_to_text(label.rsplit(".", 1)[-1]).split()]
    if not words:
        return ""
    if (pair := " ".join(words[-2:])) and len(words) > 2 and unit_of(pair) is not None:
        return pair  # "area in square kilometres"
    last, before = words[-1], [word for word in words[:-1] if word.lower() != "per"]
    name = _SIGNS.get(before[-1].lower(), before[-1]) if before else ""
    if (paid := unit_of(name)) is not None and paid.dimension in CURRENCIES:
        return name  # "eur_kg", "usd per night" are prices
    if words[-2:-1] in (["per"], ["square"], ["cubic"]):
        return ""
    name = _SIGNS.get(last.lower(), last)
    if unit_of(name) is None or (len(words) == 1 and (len(last) < 3 or last.lower() in _LONE)):
        return ""
    return "" if last in _LONE and last != "h" and words[-2:-1] != ["in"] else name


def dimension_of(label: str) -> str:
    """What a property is measured in by its name: length, area, money, …; "" where it says nothing."""
    found = unit_of(name) if (name := stated_unit(label)) else None
    return "" if found is None else "money" if found.dimension in CURRENCIES else found.dimension


def meant(words: tuple[str, ...], base: str, label: str, *, date: bool) -> float:
    """How well a property fits by what it is measured in, or by the family of an adjective, where no word of it does.

    Args:
        words: what is asked by ("elevation", "height").
        base: the adjective behind it, if there is one.
        date: the property holds dates.
    """
    said = spelled_out(label).lower()
    parts = {form for part in said.split() for form in forms(part)}
    if date:
        if base in ("old", "young") and parts & _formed("birth born"):
            return BORN
        asked = {form for word in words for part in word.split() for form in forms(part)}
        for verbs, names in _DATED_BY:
            if asked & _formed(verbs) and parts & _formed(names):
                return BY_BEGINNING
        if base not in AGEING:
            return 0.0
        if base == TENURE and parts & _formed(_JOINED):
            return BY_BEGINNING + 0.1
        if parts & _formed(_BEGINNINGS):
            return BY_BEGINNING
        return LATER_DATE if parts & _formed(_ENDS) else SOME_BEGINNING
    if base in AGEING:
        return 0.0
    asked = {form for word in words for part in word.split() for form in forms(part)}
    groups = [_formed(group) for group in _MEASURES_OF.get(dimension_of(label), ())]
    named = [group for group in groups if group & parts]
    if any(asked & group for group in (named or groups)):
        return BY_UNIT
    bought = [*_PRICES.split(), "total", "sum"]
    family = set(map(stem, bought if asked & _formed(_PAYING) else _FAMILIES.get(base, ())))
    paid = BY_UNIT + 0.1 if parts & _PAID and "price" in family else 0.0
    return max(paid, BY_FAMILY if parts & family else 0.0)


def names_other_date(words: tuple[str, ...], label: str) -> bool:
    """Whether words are verbs of a date, and none of them of one that is called so: "closed" of a founding date."""
    asked = {form for word in words for part in word.split() for form in forms(part)}
    parts = {form for part in spelled_out(label).lower().split() for form in forms(part)}
    known = [names for verbs, names in _DATED_BY if asked & _formed(verbs)]
    known += [_FOUNDED] if "open" in asked else []  # of a shop the same; of a season it is not
    return bool(known) and not any(parts & _formed(names) for names in known)


def of_life(label: str) -> bool:
    """Whether a property's name is of somebody's birth or death."""
    return bool(_formed("birth born dob birthday death died deceased") & {*spelled_out(label).lower().split()})


def measures_other(words: tuple[str, ...], label: str) -> bool:
    """Whether a property is by its name another one of the same dimension than words ask for: a length for a width."""
    parts = {form for part in spelled_out(label).lower().split() for form in forms(part)}
    asked = {form for word in words for part in word.split() for form in forms(part)}
    groups = [_formed(group) for group in _MEASURES_OF.get(dimension_of(label) or "length", ())]
    named = [group for group in groups if group & parts]
    return bool(named) and any(asked & group for group in groups) and not any(asked & group for group in named)


def is_price(label: str) -> bool:
    """Whether a property's name is of money: a price, a fee, what was paid."""
    parts = {form for part in spelled_out(label).lower().split() for form in forms(part)}
    return dimension_of(label) == "money" or any(parts & _formed(words) for words in (_PRICES, _PAYING, _EARNED))


def measures(label: str) -> bool:
    """Whether a property's numbers may measure anything: a phone number or a version does not."""
    said = re.sub(r"^(?:number|no|nr) of ", "", spelled_out(label).lower())  # "number of seats"
    return not {stem(word) for word in re.findall(r"[a-z]+", said)} & _NO_MEASURE
