"""Just enough English verb morphology to turn relation names into questions.

Kept apart because it is knowledge about English, not about graphs: relation names use third-person forms ("borders"),
participles ("directed by") and nouns ("capital"), questions need base forms ("did … direct") and past forms ("who
wrote …").
"""

from __future__ import annotations

import re

from clew.labels import IRREGULAR_PLURALS

# participle → (base, past), where the rules below would be wrong.
_IRREGULAR = {
    "agreed": ("agree", "agreed"),
    "begun": ("begin", "began"),
    "born": ("bear", "bore"),
    "bought": ("buy", "bought"),
    "broken": ("break", "broke"),
    "built": ("build", "built"),
    "caught": ("catch", "caught"),
    "chosen": ("choose", "chose"),
    "done": ("do", "did"),
    "drawn": ("draw", "drew"),
    "driven": ("drive", "drove"),
    "fought": ("fight", "fought"),
    "freed": ("free", "freed"),
    "flown": ("fly", "flew"),
    "found": ("find", "found"),
    "given": ("give", "gave"),
    "grown": ("grow", "grew"),
    "held": ("hold", "held"),
    "kept": ("keep", "kept"),
    "known": ("know", "knew"),
    "led": ("lead", "led"),
    "lost": ("lose", "lost"),
    "made": ("make", "made"),
    "met": ("meet", "met"),
    "paid": ("pay", "paid"),
    "played": ("play", "played"),
    "sent": ("send", "sent"),
    "set": ("set", "set"),
    "shot": ("shoot", "shot"),
    "sold": ("sell", "sold"),
    "spoken": ("speak", "spoke"),
    "sung": ("sing", "sang"),
    "taken": ("take", "took"),
    "taught": ("teach", "taught"),
    "told": ("tell", "told"),
    "united": ("unite", "united"),
    "won": ("win", "won"),
    "worn": ("wear", "wore"),
    "written": ("write", "wrote"),
}
_STEMS_IN_EAT = {"treat", "defeat", "heat", "repeat", "seat", "cheat", "beat"}
_NO_PARTICIPLES = {"hundred", "kindred", "pedigreed", "sacred", "thoroughbred"}
_LOST_AN_E = ("et", "ut", "ed", "ud", "ap", "um")  # of "competed", "attributed", "preceded", "included", "escaped"
_LOST_NONE = ("eet", "out", "ebut", "eed", "oud", "rket", "rget", "ret", "icket", "ocket", "anquet", "oset", "dget")
_ONE_SYLLABLE = re.compile(
    r"(?:[^aeiou]|(?<=q)u)*[aeiou][^aeiouwxy]"
)  # "rul", "shar": it would be doubled without its e
_PARTICIPLES_IN_S_OR_NOUN = {"based", "born", "held", "found", "made", "set", "known", "led"}

# Third-person forms that occur as relation names; anything else in -s is taken for a plural noun.
_THIRD_PERSON = {
    "adjoins": "adjoin",
    "borders": "border",
    "causes": "cause",
    "contains": "contain",
    "covers": "cover",
    "employs": "employ",
    "follows": "follow",
    "includes": "include",
    "influences": "influence",
    "inhibits": "inhibit",
    "interacts": "interact",
    "knows": "know",
    "leads": "lead",
    "likes": "like",
    "manages": "manage",
    "offers": "offer",
    "owns": "own",
    "plays": "play",
    "precedes": "precede",
    "produces": "produce",
    "provides": "provide",
    "represents": "represent",
    "requires": "require",
    "serves": "serve",
    "speaks": "speak",
    "studies": "study",
    "succeeds": "succeed",
    "supports": "support",
    "teaches": "teach",
    "treats": "treat",
    "uses": "use",
    "wears": "wear",
    "works": "work",
    "lives": "live",
    "writes": "write",
    "wrote": "write",
    "belongs": "belong",
    "flows": "flow",
}

PREPOSITIONS = frozenset(
    {"about", "after", "against", "among", "as", "at", "before", "between", "by", "for", "from", "in", "into", "near"}
    | {"of", "on", "onto", "over", "to", "under", "with", "within"}
)


def is_participle(word: str) -> bool:
    """Whether `word` reads as a past participle."""
    if word in _IRREGULAR or word in _PARTICIPLES_IN_S_OR_NOUN:
        return True
    return word.endswith("ed") and len(word) > 4 and not word.endswith("eed") and word not in _NO_PARTICIPLES


def third_person_base(word: str) -> str | None:
    """The base of a third-person verb form, or None when `word` is not known to be one."""
    return _THIRD_PERSON.get(word)


def third_person_of(base: str) -> str:
    """`direct` → `directs`, `study` → `studies`, `teach` → `teaches`."""
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "o", "ch", "sh")) else "s")


def base_of(participle: str) -> str:
    """`directed` → `direct`, `produced` → `produce`, `written` → `write`."""
    if participle in _IRREGULAR:
        return _IRREGULAR[participle][0]
    if participle.endswith("ied"):
        return participle[:-3] + "y"
    stem = participle[:-2]
    if len(stem) > 2 and stem[-1] == stem[-2] and (stem[-1] not in "ls" or (stem.endswith("roll") and len(stem) > 6)):
        return stem[:-1]
    drops_e = (
        stem.endswith(("c", "v", "z", "u", "ir", "bl", "pl", "tl", "dl", "gl", "cl", "rg", "ng", "dg", "ag", "as"))
        or (stem.endswith("at") and stem not in _STEMS_IN_EAT)
        or (stem.endswith("ur") and not stem.endswith("our"))
        or (stem.endswith(_LOST_AN_E) and not stem.endswith(_LOST_NONE))
        or _ONE_SYLLABLE.fullmatch(stem) is not None
        or (stem.endswith("s") and not stem.endswith("ss"))
        or (
            stem.endswith(("am", "in", "id", "iv", "uc", "os", "zl"))
            and not stem.endswith(("ain", "oin", "aid", "eam"))
        )
    )
    return stem + "e" if drops_e else stem


def past_of(participle: str) -> str:
    """`written` → `wrote`; regular verbs have one form."""
    return _IRREGULAR[participle][1] if participle in _IRREGULAR else participle


_ONE_FORM = ("series", "species", "headquarters", "news", "aircraft", "information", "media", "people", "proceedings")


def plural_of(noun: str) -> str:
    """The plural of a (possibly compound) noun; the head of `place of birth` is `place`."""
    head, space, rest = noun.partition(" of ")
    *before, last = head.split(" ")
    plurals = {singular: plural for plural, singular in IRREGULAR_PLURALS.items()}
    if last in plurals:
        last = plurals[last]
    elif last in _ONE_FORM:
        pass
    elif last.endswith("sis"):
        last = last[:-2] + "es"
    elif last.endswith("y") and last[-2:-1] not in "aeiou":
        last = last[:-1] + "ies"
    elif last.endswith(("s", "x", "ch", "sh")):
        last = last if last.endswith("s") and not last.endswith(("ss", "us")) else last + "es"
    else:
        last += "s"
    return " ".join([*before, last]) + space + rest


def article_for(noun: str) -> str:
    """`a` or `an`, by the first letter."""
    return "an" if noun[:1].lower() in "aeiou" else "a"
