"""Other wordings of stated dates, numbers and exceptions: "from 1960 onwards" → "since 1960", "w/o" → "without".

Kept apart from `rewording`, which puts these rules in their place among the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from clew.query.asked import UNITS
from clew.query.vocabulary import MEASURES, MONTHS, NUMBERS, stem

Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]


def rule(pattern: str, put: str | Callable[[re.Match[str]], str], flags: int = re.IGNORECASE) -> Rule:
    return re.compile(pattern, flags), put


# -- dates -------------------------------------------------------------------------------------------------------------

_YEAR = r"(?:1\d{3}|20\d{2})"
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_DECADES = {f"{ten[:-1]}ies": 20 + 10 * i for i, ten in enumerate(_TENS)}
_CENTURIES = dict(
    zip(
        [
            "tenth",
            "eleventh",
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
            "twenty-first",
        ],
        ["10th", "11th", "12th", "13th", "14th", "15th", "16th", "17th", "18th", "19th", "20th", "21st"],
        strict=True,
    )
)
_QUARTERS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "last": 3, "final": 3}
_SAID_OF = {
    "founding": "founded",
    "release": "released",
    "birth": "born",
    "opening": "opened",
    "launch": "launched",
    "construction": "built",
}


def _years(match: re.Match[str]) -> str:
    """ "1985 to 1990", "1861-65"; a season ("1998-99") and what is no span of years stay."""
    low, high = match["low"], match["high"]
    end = int(low[: 4 - len(high)] + high)
    seasonal = match["by"].strip() in ("-", "–") and end - int(low) < 2
    return match.group(0) if seasonal or end <= int(low) else f"between {low} and {end}"


def _part(match: re.Match[str]) -> str:
    size, parts = (3, 4) if match["part"].lower() == "quarter" else (6, 2)  # months of a part, parts of a year
    which = match["which"].lower()
    at = parts - 1 if which in ("last", "final") else _QUARTERS[which]
    if at >= parts:
        return match.group(0)
    ends = MONTHS[at * size], MONTHS[at * size + size - 1]
    return f"between {ends[0]} {match['year']} and {ends[1]} {match['year']}"


def _day(match: re.Match[str]) -> str:
    day, month = int(match["day"]), int(match["month"])
    return f"{match['year']}-{month:02d}-{day:02d}" if 12 < day <= 31 and 1 <= month <= 12 else match.group(0)


_MONTH = rf"(?:{'|'.join(MONTHS)})"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_STATED = rf"(?:(?:{_DAY} )?{_MONTH},? )?{_YEAR}"


def _months(match: re.Match[str]) -> str:
    """ "The first three months of 2024"."""
    stated = match["n"].lower()
    count = int(stated) if stated.isdigit() else NUMBERS[stated]
    if not 1 < count < 12:
        return match.group(0)
    first = 0 if match["which"].lower() == "first" else 12 - count
    return f"between {MONTHS[first]} {match['year']} and {MONTHS[first + count - 1]} {match['year']}"


def _same_year(match: re.Match[str]) -> str:
    """ "Between March and July 2019", "from 3 to 9 May 2019": what is said once is meant of both."""
    low = match["low"] if match["month"] else f"{match['low']} {match['month2']}"
    return f"between {low} {match['year']} and {match['high']} {match['year']}"


def _middle(match: re.Match[str]) -> str:
    """The day that "before mid-2015" and "after the middle of March 2024" part a period at."""
    day = f"15 {match['month']}" if match["month"] else "1 july"
    return f"{match['when']} {day} {match['year']}"


_WHEN = r"(?= (?:before|after|in|since|between|during|on|until|till|by|from|first|last|earlier|later|prior)\b|$)"
_PHRASAL = {  # what a date is called, of the verbs of two words that ask for it
    r"(?:kicked off|got going|got under ?way|went ahead)": "started", r"got together": "formed",
    r"(?:wrapped up|came to an end|drew to a close)": "ended", r"set up": "founded",
    r"put up": "built", r"taken on": "hired", r"went live": "launched", r"(?:went|put) into service": "commissioned",
    r"passed away": "died", r"tied the knot": "married", r"signed up": "joined",
}  # fmt: skip


_LESS_IS_BETTER = """
rank ranking place placed position pos seed time second minute day severity priority risk damage delay error fault loss
handicap category stage
"""
_BETTER_DOWN = frozenset(_LESS_IS_BETTER.split())


def _or_worse(match: re.Match[str]) -> str:
    """Which way "worse" goes: a severity up, a score down, a place up."""
    noun = match["noun"].lower()
    up = (match["way"].lower() == "better") != (stem(noun) in _BETTER_DOWN)
    return f"{noun} {'at least' if up else 'at most'} {match['n']}"


_PREPOSITIONS = """
in of since before after until till by from to and between during the on early late mid about around end for or through
throughout start beginning middle st nd rd th versus vs
"""
_BEFORE_MONTHS = frozenset(_PREPOSITIONS.split())


def _in_month(match: re.Match[str]) -> str:
    """ "Drinks january 2024" as drinks in that month, where no preposition says how it is meant."""
    said = match["before"].lower()
    alone = said not in _BEFORE_MONTHS and not said[0].isdigit()
    return f"{match['before']} {'in ' if alone else ''}{match['month']}"


DATES: tuple[Rule, ...] = (
    rule(rf"\bfor (?={_MONTH}(?: {_YEAR})?(?:$|[,.?]| (?:do|does|did|have|has|had|are|is|were|was)\b))", "in "),
    rule(rf"\b(?P<before>\w+) (?P<month>{_MONTH} \d{{4}})\b", _in_month),
    rule(r",? (?:that|this) (?:day|date|month|year) included$|,? inclusive(?:ly)?$", ""),
    rule(r"\bgo(?:es)? (?:out of date|off)(?= (?:in|on|before|after|by|since|during|between)\b)", "expires"),
    *(rule(rf"\b{said}\b{_WHEN}", meant) for said, meant in _PHRASAL.items()),
    rule(r"\b([a-z]+ed) for the (?:very )?first time\b", r"\1"),
    rule(r"\bsince (?=before\b)", ""),
    rule(
        rf"\b(before|after) (?:the (?:start|beginning|end) of )?({_YEAR}) (?:began|started|begins|starts|ended|ends)\b",
        r"\1 \2",
    ),
    rule(r"\b(?:has|have|had) run out (?=(?:before|after|in|since|by|on|during)\b)", "expired "),
    rule(
        rf"\b(?:(?:that|which) )?(?:dates?|dating|dated) (?:back )?(?:from|to) "
        rf"(?=(?:the )?(?:{_STATED}\b|\d{{3}}0['’]?s\b|\d{{1,2}}(?:st|nd|rd|th) century\b))",
        "in ",
    ),
    rule(r"\b(?P<day>\d{1,2})/(?P<month>\d{1,2})/(?P<year>\d{4})\b", _day),
    rule(rf"\bthe ({'|'.join(_DECADES)})\b", lambda m: f"the 19{_DECADES[m[1].lower()]}s", 0),
    rule(r"\bthe ['’]?([2-9]0)['’]?s\b", r"the 19\1s"),
    rule(rf"\b({'|'.join(_CENTURIES)}) century\b", lambda m: f"{_CENTURIES[m[1].lower()]} century"),
    rule(
        r"\b(?:in |during )?the (?P<which>first|second|third|fourth|last|final) (?P<part>quarter|half) of "
        r"(?P<year>\d{4})\b",
        _part,
    ),
    rule(
        rf"\b(?:in |during |within )?the (?P<which>first|last) (?P<n>\d+|{'|'.join(n for n in NUMBERS if len(n) > 2)}) "
        rf"months of (?P<year>{_YEAR})\b",
        _months,
    ),
    rule(
        rf"\b(?:between|from) (?:the )?(?P<low>(?:{_DAY} )?(?P<month>{_MONTH})|{_DAY})"
        rf" (?:and|to|until|till) (?:the )?(?P<high>(?:{_DAY} )?(?P<month2>{_MONTH})),? "
        rf"(?P<year>{_YEAR})\b",
        _same_year,
    ),
    rule(r"\bfrom the (\d{3})0'?s (?:to|until|till|through) the (\d{3})0'?s\b", r"between \g<1>0 and \g<2>9"),
    rule(r"\b(?:from|since) the (\d{3}0)'?s(?: onwards?| on)\b", r"since \1"),
    rule(
        r"^(?!.*\b(?:in|during|since|before|after|until|between|by) (?:the )?\d)(.*)\b(?:from|of) (?=the "
        r"(?:\d{3}0'?s|\d{1,2}(?:st|nd|rd|th) century)\b)",
        r"\1in ",
    ),
    rule(
        r",? (?:but )?(?:only |just )?(?:the ones|those) (?=(?:in|since|before|after|until|between) (?:the )?\d)", " "
    ),
    rule(
        rf"\b(?:from|starting|as of) (?:on )?(?:the )?({_YEAR}-\d\d(?:-\d\d)?|{_STATED})(?: onwards?| on(?=$|[,.?]))",
        r"since \1",
    ),
    rule(
        rf"\b(?:from |since |in |during |starting (?:in |from )?)?({_YEAR}) (?:onwards?|"
        rf"and (?:later|after|onwards?)|or (?:later|after))\b(?! (?:the )?\w*\d)",
        r"since \1",
    ),
    rule(rf"\bfrom ({_YEAR}) on(?=$|[,.])", r"since \1"),
    rule(rf"\b(?:in |by |until )?({_YEAR}) or (?:earlier|before)\b(?! (?:the )?\w*\d)", r"until \1"),
    rule(
        rf"\b(?:at (?:the )?latest|no later than|not later than|on or before|not after)(?: in| by| on)? (?=[\w "
        rf"]{{0,20}}{_YEAR})",
        "until ",
    ),
    rule(rf"\b(?:in |by |until )?({_YEAR}) at (?:the )?latest\b", r"until \1"),
    rule(
        rf"\b(?:at (?:the )?earliest|no earlier than|not earlier than|on or after|not before)(?: in| on)? "
        rf"(?=[\w ]{{0,20}}{_YEAR})",
        "since ",
    ),
    rule(rf"\b(?:in |from )?({_YEAR}) at (?:the )?earliest\b", r"since \1"),
    rule(rf"\bpre[- ](?={_YEAR}\b)", "before "),
    rule(rf"\bpost[- ](?={_YEAR}\b)", "after "),
    rule(rf"\b(?:go|goes|going|date|dates|dating) back (?:further|farther|earlier) than (?={_YEAR}\b)", "before "),
    rule(rf"\b({'|'.join(_SAID_OF)}) year(?: is| was| of|:)? (?={_YEAR}$)", lambda m: f"{_SAID_OF[m[1].lower()]} in "),
    rule(
        rf"(?<!between )(?<!from )(?<!the )(?<![-\d])\b(?P<low>{_YEAR})(?P<by> to | until | through | ?[-–] ?)"
        rf"(?P<high>{_YEAR}|\d\d)(?=$|[,.]| (?:in|at|by|for|on|of)\b)",
        _years,
    ),
    rule(
        rf"\b(?P<when>before|after|since|until) (?:the middle of |mid[- ])(?:(?P<month>{_MONTH}),? )?"
        rf"(?P<year>{_YEAR})\b",
        _middle,
    ),
    rule(
        rf"\b(?:between|from) the (?:start|beginning) of (?P<low>{_STATED}) (?:and|to|until|till) the end of "
        rf"(?P<high>{_STATED})\b",
        r"between \g<low> and \g<high>",
    ),
    rule(rf"\b(?:before|until|till|by) the (?:start|beginning) of (?={_STATED}\b)", "before "),
    rule(rf"\b(?:after|since|from) the (?:start|beginning) of (?={_STATED}\b)", "since "),
    rule(rf"\b(?:before|until|till|by) the end of (?={_STATED}\b)", "until "),
    rule(rf"\b(?:after|since|from) the end of (?={_STATED}\b)", "after "),
)


# -- numbers -----------------------------------------------------------------------------------------------------------

_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9}
_WORDS = {**{w: n for w, n in NUMBERS.items() if n < 13 and len(w) > 2}, "a": 1}
_MORE_THAN = (
    r"(?:(?:more|less|fewer|greater|larger|higher|bigger|longer|taller|older|shorter|younger|smaller|lower) than|over"
    r"|above|under|below|at least|at most|up to|exactly|precisely|upwards of|in excess of|exceeding|a minimum of"
    r"|no (?:more|less|fewer) than)"
)
_MORE_AFTER = (
    r",? (?:or (?:more|higher|above|greater|longer|older|better|over|less|fewer|lower|below|under|shorter)"
    r"|and (?:up|above|over|more|upwards)|plus|minimum|at (?:least|most)|maximum)\b"
)
_NUMERAL = (
    r"(?P<half>half (?:a|an) |a quarter of a )?(?P<n>\d+(?:\.\d+)?|"
    + "|".join(sorted((*_WORDS, *_TENS), key=len, reverse=True))
    + r")?(?P<k>k\b|bn\b)?(?: ?(?P<scale>dozen|hundred|thousand|million|billion)\b)?"
)


def _figure(match: re.Match[str]) -> str:
    """A number in words where it is compared: "over half a million", "a dozen or more", "at least 60k"."""
    before, after = match["before"] or "", match["after"] or ""
    if not (before or after) or not (match["n"] or match["half"]):
        return match.group(0)
    if match["half"] and not match["scale"]:
        return match.group(0)
    stated = (match["n"] or "one").lower()
    value = float(20 + 10 * _TENS.index(stated)) if stated in _TENS else float(_WORDS.get(stated, stated))
    if stated == "a" and not match["scale"]:
        return match.group(0)
    value *= {"k": 1e3, "bn": 1e9}.get((match["k"] or "").lower(), 1.0) * _SCALES.get((match["scale"] or "").lower(), 1)
    if match["half"]:
        value *= 0.5 if match["half"].lower().startswith("half") else 0.25
    return f"{before}{value:.12g}{after}"


def _and_a_half(match: re.Match[str]) -> str:
    """ "Two and a half" in figures."""
    stated = match["n"].lower()
    return f"{_WORDS.get(stated) or int(stated)}.5"


_QUANTITY = rf"(?P<n>\d[\d,]*(?:\.\d+)?(?: (?:hundred|thousand|million|billion))?(?: ?(?:{UNITS})\b| [a-z]+)?)"
_AT_MOST = r"no (?:longer|bigger|larger|higher|taller|older|greater|heavier) than|not exceeding"
_EACH_OF = (  # what a price is for
    r"(?:kilo|kilogram|kg|gram|lit(?:er|re)|bottle|glass|piece|tonne|ton|met(?:er|re)|mile|km|head|person|night|day|week"
    r"|month|hour)"
)
_NOTES = {"fiver": "5 pounds", "tenner": "10 pounds"}
FIGURES: tuple[Rule, ...] = (
    rule(r"\ba (?P<note>fiver|tenner)\b", lambda match: _NOTES[match["note"].lower()]),
    rule(r"(?<=\d) ?quid\b", " pounds"),
    rule(r"(?<=\d) ?bucks\b", " dollars"),
    rule(r"(?<=\d) grand\b", " thousand"),
    rule(rf"(?<=\d) ?(?P<unit>{UNITS}) (?:an?|each) {_EACH_OF}\b", r" \g<unit>"),
    rule(rf"\b(?P<n>{'|'.join(w for w in _WORDS if w != 'a')}|\d+) and a half(?= [a-z])", _and_a_half),
    rule(r"\ban? (?P<unit>hour|year|million|billion|kilo|mile|ton|tonne) and a half\b", r"1.5 \g<unit>s"),
    rule(r"\bhalf an hour\b", "30 minutes"),
    rule(  # "towns, 60 000 to 80 000 inhabitants"
        r"^(?P<x>[a-z]+(?: [a-z]+)?)(?:,|:| -| –) (?P<low>\d[\d,. ]*\d|\d) ?(?:to|-|–) ?(?P<high>\d[\d,. ]*\d|\d) "
        r"(?P<noun>(?-i:[a-z]+)(?: (?-i:[a-z]+))?)$",
        r"\g<x> with between \g<low> and \g<high> \g<noun>",
    ),
    rule(r"\b(?P<noun>[a-z]+) (?:of )?(?P<n>\d+(?:\.\d+)?) or (?P<way>worse|better)\b", _or_worse),
    rule(
        r"^where (?:can|could|do|would|might) (?:i|we|you|one|somebody) (?:get|find|buy|have|eat|order|rent|hire) "
        r"(?:an? |the |some )?(?P<x>.+?) (?:for|at|costing) "
        r"(?=(?:less than|under|below|at most|up to|no more than) \D?\d)",
        r"who has a \g<x> ",
    ),
    rule(rf"(?<=[a-z]) (?:us|me|you|them|him|her|it) (?={_MORE_THAN} \D?\d)", " "),  # "cost us over 400 euros"
    rule(
        rf"(?P<before>\b{_MORE_THAN} )?(?<![\w.,]){_NUMERAL}(?![\w,]|\.\d)(?P<after>(?: \w+)?{_MORE_AFTER})?",
        _figure,
        0,
    ),
    rule(r" ?(?:>=|≥) ?(?=\d)", " at least "),
    rule(r" ?(?:<=|≤) ?(?=\d)", " at most "),
    rule(r" ?> ?(?=\d)", " more than "),
    rule(r" ?< ?(?=\d)", " less than "),
    rule(r"\b(\d[\d,]*(?:\.\d+)?)\+(?= |$)", r"at least \1"),
    rule(
        rf"\b(?P<has>with|have|has|having|had) (?:only |just )?(?=\d[\d,]*(?:\.\d+)? ?(?:{UNITS})(?: of [a-z]+)?$)",
        r"\g<has> exactly ",
    ),
    rule(
        r"\b(?:(?:that|which) )?(?:(?:can|could) be|is|are|was|were) (?:ready|done|finished|over) (?:in|within) "
        rf"(?=(?:{_MORE_THAN} )?\d+ (?:second|minute|hour|day|week|month|year)s?\b)",
        "that take ",
    ),
    rule(r"\b(?:upwards of|in excess of|north of) (?=\d)", "more than "),
    rule(r"\bno (?:fewer|less) than (?=\w)", "at least "),
    rule(rf"\b(?:{_AT_MOST}) (?=\d)", "at most "),
    rule(
        r"\b(?:that |which |who )?(?:do|does|did)(?:n't| not) (?:go (?:beyond|over|above)|exceed) (?=\w)", "of at most "
    ),
    rule(r"\bprecisely (?=\d|zero\b|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b)", "exactly "),
    rule(
        rf"\b(more|fewer|less) (?!(?:{'|'.join(MEASURES)}) )([a-z]+) than (\d[\d,]*(?:\.\d+)?)(?= |$)", r"\1 than \3 \2"
    ),
    rule(
        rf"\b{_QUANTITY} (?:and (?:up|above|over|more|upwards)|or (?:better|over|up|upwards)|plus)\b(?! \w+ing)",
        r"at least \g<n>",
    ),
    rule(rf"(?<!at least )(?<!of )\b{_QUANTITY},? (?:minimum|at (?:the )?(?:least|minimum))$", r"at least \g<n>"),
    rule(rf"\b{_QUANTITY},? (?:maximum|tops|at (?:the )?(?:most|maximum))$", r"at most \g<n>"),
)


# -- what is left out --------------------------------------------------------------------------------------------------

DENIED: tuple[Rule, ...] = (
    rule(r"\bw/o\b", "without"),
    rule(r"\bcan(?:'t|not)\b", "can not"),
    rule(r"\bwon't\b", "will not"),
    rule(r"\b(?:that |which |who )?(?:lacking|lack|lacks)(?! of\b)(?: any\b)? (?=\w)", "without "),
    rule(r"\b(?:that (?:are|is) )?anything but (?=[a-z])", "that are not "),
    rule(r"\b(is|are|was|were) non-(?=[a-z])", r"\1 not "),
    rule(r"\b(?:have|has|had) yet to (?=[a-z])", "did not "),
    rule(r"\b(?:(?:have|has|had) )?failed to (?=[a-z])", "did not "),
    rule(r"\b(?:elsewhere|(?:some|any)where else) (?:than|but) (?=(?:in|at|on)\b)", "not "),
    rule(
        r"\b(?:(?:that|which|who) )?(?:(?:are|is) )?(?:(?:held|located|based|situated|lying|set) )?outside(?: of)? "
        r"(?=(?:the )?[A-Z])",
        "not in ",
        0,
    ),
    rule(r"^(.+), ([^,]+) aside$", r"\1 except \2"),
    rule(r"^(?:(?:leaving|setting|putting) )?(?:the )?([^,]+?) aside, (?=\w)", r"besides \1, "),
    rule(r"^(?:excluding|ignoring|disregarding) (?=[^,]+, )", "besides "),
    rule(
        r"^(?:leaving aside|leaving out|not (?:counting|including)|with the exception of|aside from) (?=[^,]+, )",
        "besides ",
    ),
    rule(
        r",? (?:leaving aside|leaving out|not (?:counting|including)|with the exception of|aside from|save for) "
        r"(?!.*,)",
        " except ",
    ),
    rule(r",? leaving ((?:\S+ ){1,6})out$", r" except \1"),
    rule(r",? minus (?=(?:the )?[A-Z])", " except ", 0),
)
