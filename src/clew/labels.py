"""Labels and identifiers as words: the one place that turns `locatedIn` or `people.person.sibling_s` into text.

Below every other package, because graphs show labels, encoders read them and methods compare them with questions.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote

SEGMENTS = 2
"""How many last parts of a dotted name are read. Ranked by similarity to 3,015 WebQSP training questions, the first
gold relation among 3,148 of Freebase has mean reciprocal rank 0.283; with all parts 0.228, with only the last 0.259."""

_IRI = re.compile(r"<?(?:[A-Za-z][A-Za-z0-9+.-]*://|urn:)\S*>?")
_CURIE = re.compile(r"(?:[a-z][\w.-]*)?:([^\W\d_][^\s:/]*)")
_DOTTED = re.compile(r"[^\W\d_]\w+(?:\.{1,2}[^\W\d_]\w*)+|(?:/[^\W\d_]\w*\.?){2,}")
_KEBAB = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})+")
_MANY = re.compile(r"n[A-Z][a-z]{2,}s")  # nTurbines
_SEPARATORS = re.compile(r"[_\s]+")


def readable(id: str) -> str:
    """What to show for something without a label: the local name of an IRI as words; any other id as it is."""
    if _IRI.fullmatch(id) is None:
        return id
    local = _local(id)
    return (local if _DOTTED.fullmatch(local) else " ".join(_words(local))) or id


@lru_cache(maxsize=1 << 16)
def label_to_text(label: str) -> str:
    """The label of a relation, a type or an entity as plain words; "?" where it has none.

    An IRI or a CURIE gives its local name, a dotted name its last `SEGMENTS` parts; camel case, `_` and, in lower case,
    `-` become spaces. What has spaces already is only cleaned of underscores, and an identifier such as `P106` or `USA`
    stays. Any text is allowed, and what comes out comes out again.
    """
    text = label.strip()
    while (said := _read(text)) != text:  # an IRI may end in a CURIE, a CURIE in a dotted name: each turn is shorter
        text = said
    return text or "?"


def _read(text: str) -> str:
    if _IRI.fullmatch(text):
        return _local(text) or text
    if curie := _CURIE.fullmatch(text):
        return curie[1]
    if not _DOTTED.fullmatch(text):
        return " ".join(_words(text))
    parts = [part for part in re.split(r"[./]+", text) if part]
    kept: list[str] = []
    for word in (word for part in parts[-SEGMENTS:] for word in _words(part)):
        if word == "s" and kept:  # `sibling_s` means one or several
            kept[-1] = kept[-1].removesuffix("s") + "s"
        elif not kept or word.casefold() != kept[-1].casefold():
            kept.append(word)
    return " ".join(kept)


def _local(iri: str) -> str:
    """The part of an IRI behind its last `/`, `#`, `:` or `=`, or all behind the scheme where that is empty."""
    whole = iri.removeprefix("<").removesuffix(">").rstrip("/#")
    return unquote(re.split(r"[/#:=]", whole)[-1]).strip()


def _words(text: str) -> list[str]:
    """Words of one name: several where spaces, underscores, camel case or lower-case hyphens part them."""
    rough = [part for part in _SEPARATORS.split(text) if part]
    if len(rough) > 1 or not rough:
        # Capitals throughout, as in DIRECTED_BY, are a habit of databases and not acronyms.
        loud = "_" in text and not any(c.isspace() for c in text) and text.isupper() and _all_letters(rough)
        if loud or any(c.isspace() for c in text):
            return [part.lower() for part in rough] if loud else rough
        return [word for part in rough for word in _camel(part)]  # `ratedPower_kW`
    word = rough[0]
    if word.islower() and _KEBAB.fullmatch(word):
        return word.split("-")
    return _camel(word)


def _all_letters(parts: list[str]) -> bool:
    return all(part.isalpha() for part in parts)


def _camel(word: str) -> list[str]:
    """`locatedIn` is "located in"; `FootballClub` is "Football Club"; McDonald, iPhone, USA and P106 stay."""
    if word.islower():
        return [word]
    cuts = [0]
    for i in range(1, len(word)):
        here, before = word[i].isupper(), word[i - 1].islower() or word[i - 1].isdigit()
        acronym_ends = here and word[i - 1].isupper() and word[i + 1 : i + 2].islower()
        if (here and before) or acronym_ends:
            cuts.append(i)
    parts = [word[a:b] for a, b in zip(cuts, [*cuts[1:], len(word)], strict=True)]
    if _MANY.fullmatch(word):
        return ["number", "of", word[1:].lower()]
    if len(parts) < 2 or len(parts[0]) == 1 or parts[0] in _PREFIXES or not all(part[0].isalpha() for part in parts):
        return [word]
    if any(not c.isalnum() for c in word):
        return [word]
    if word[0].isupper():
        return parts
    return [part if len(part) > 1 and part.isupper() else part.lower() for part in parts]


_PREFIXES = frozenset({"Mc", "Mac", "De", "Di", "La", "Le", "Van", "Von", "Fitz", "Du", "Del", "Al", "El"})


ABBREVIATIONS = {
    "acct": "account", "acq": "acquired", "addr": "address", "agmt": "agreement", "amt": "amount",
    "appt": "appointment", "asst": "assistant", "avg": "average", "bal": "balance", "cnt": "count",
    "ctry": "country", "cust": "customer", "deliv": "delivered", "dept": "department", "descr": "description",
    "dest": "destination",
    "diag": "diagnosis", "dist": "distance", "dlv": "delivery", "dob": "birth date", "dod": "death date", "dt": "date",
    "dur": "duration", "elev": "elevation", "emp": "employee", "equip": "equipment", "fname": "first name",
    "freq": "frequency", "hgt": "height", "hr": "hour", "hrs": "hours", "insp": "inspection", "instr": "instructor",
    "inv": "invoice", "len": "length", "lgth": "length", "lname": "last name", "loc": "location", "ltrs": "litres",
    "lvl": "level", "mfr": "manufacturer", "mgr": "manager", "mngr": "manager", "mth": "month", "nm": "name",
    "nr": "number", "num": "number", "org": "organization", "orig": "origin", "pcode": "postcode", "pct": "percent",
    "pmt": "payment", "prereq": "prerequisite", "prev": "previous", "pts": "points", "pymt": "payment",
    "qty": "quantity", "rcpt": "recipient", "rcvd": "received", "recd": "received", "rsn": "reason", "sal": "salary",
    "sched": "scheduled", "src": "source", "stk": "stock", "sts": "status", "supp": "supplier", "supv": "supervisor",
    "svc": "service", "tgt": "target", "tot": "total", "trt": "treatment", "veh": "vehicle", "wgt": "weight",
    "whse": "warehouse", "wk": "week", "yr": "year", "yrs": "years",
}  # fmt: skip
"""What names of columns and properties shorten, where the short word is hardly a word of its own."""
_BESIDE_OTHERS = {
    "cd": "code", "cert": "certificate", "chg": "charge", "coll": "collection", "cond": "condition", "exp": "expiry",
    "hsg": "housing", "ins": "insurance", "lic": "licence", "min": "minimum", "max": "maximum", "meth": "method",
    "mob": "mobile", "ord": "order", "pr": "price", "prod": "product", "prop": "property", "purch": "purchase",
    "qual": "qualification", "reg": "registration", "reord": "reorder", "stat": "status", "tel": "telephone",
    "temp": "temperature", "typ": "type", "vol": "volume", "wt": "weight",
}  # fmt: skip
"""The same where it is one beside other words of a name."""
_BEFORE_DATES = {
    "arr": "arrival", "comp": "completed", "compl": "completed", "del": "delivery", "fin": "finish",
    "iss": "issued", "prom": "promised", "pur": "purchase", "rep": "reported", "req": "requested",
    "ret": "returned", "st": "start", "strt": "start",
}  # fmt: skip
_UNITS_TOO = ("min", "wt")  # the last word of a name is no minimum


def in_full(words: str) -> str:
    """Words with abbreviations written out: "mgr dob" → "manager birth date", "comp dt" → "completed date"."""
    said = words.split(" ")
    short = [word.casefold().strip(".") for word in said]
    full = [ABBREVIATIONS.get(each, word) for each, word in zip(short, said, strict=True)]
    for n, each in enumerate(short if len(said) > 1 else ()):
        by_date = {"dt", "date"} & {*short[n + 1 : n + 2], *short[max(0, n - 1) : n]}
        if by_date and each in _BEFORE_DATES:
            full[n] = _BEFORE_DATES[each]
        elif each in _BESIDE_OTHERS and not (n == len(said) - 1 and each in _UNITS_TOO):
            full[n] = _BESIDE_OTHERS[each]
    return " ".join(
        each.capitalize() if each != word and word.istitle() else each for each, word in zip(full, said, strict=True)
    )


def unabridged(name: str) -> str:
    """The name of a column or a property with its abbreviations written out, as words; a name without any, and the
    dotted name of a relation of Freebase, stays as it is."""
    words = label_to_text(name)
    full = in_full(words)
    return name if full == words or _DOTTED.fullmatch(name) else full


IRREGULAR_PLURALS = {
    "people": "person", "children": "child", "men": "man", "women": "woman", "wives": "wife", "movies": "movie",
    "cookies": "cookie", "calories": "calorie",
}  # fmt: skip
_NOT_PLURAL = ("ss", "us", "is", "series", "species", "headquarters", "news", "proceedings")


def singular_of(noun: str) -> str:
    """The singular of a (possibly compound) noun; a noun that is no plural stays as it is."""
    head, space, rest = noun.partition(" of ")
    *before, last = head.split(" ")
    if last in IRREGULAR_PLURALS:
        last = IRREGULAR_PLURALS[last]
    elif last.endswith("s") and not last.endswith(_NOT_PLURAL) and len(last) > 3:
        if last.endswith("ies"):
            last = last[:-3] + "y"
        elif last.endswith(("opses", "yses", "theses")):
            last = last[:-2] + "is"
        elif last.endswith(("sses", "xes", "ches", "shes", "puses", "nuses", "ruses", "tuses", "buses")):
            last = last[:-2]
        else:
            last = last[:-1]
    return " ".join([*before, last]) + space + rest
