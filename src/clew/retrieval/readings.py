"""Other ways to write what a graph knows under one name: adjectives of places, short forms, dates, numbers.

Kept apart because these are tables and patterns of English, not a procedure. A reading is only a text to look up: where
the graph has no such name, it comes to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_ADJECTIVES = """
afghan:Afghanistan albanian:Albania algerian:Algeria american:United_States andorran:Andorra angolan:Angola
argentine:Argentina argentinian:Argentina armenian:Armenia australian:Australia austrian:Austria
azerbaijani:Azerbaijan bahraini:Bahrain bangladeshi:Bangladesh barbadian:Barbados basque:Basque_Country
belarusian:Belarus belgian:Belgium bolivian:Bolivia bosnian:Bosnia_and_Herzegovina brazilian:Brazil
british:United_Kingdom bulgarian:Bulgaria burmese:Myanmar cambodian:Cambodia cameroonian:Cameroon canadian:Canada
catalan:Catalonia chadian:Chad chilean:Chile chinese:China colombian:Colombia congolese:Congo costa_rican:Costa_Rica
croatian:Croatia cuban:Cuba cypriot:Cyprus czech:Czech_Republic danish:Denmark dane:Denmark dutch:Netherlands
ecuadorian:Ecuador egyptian:Egypt english:England estonian:Estonia ethiopian:Ethiopia fijian:Fiji filipino:Philippines
finnish:Finland french:France georgian:Georgia german:Germany ghanaian:Ghana greek:Greece guatemalan:Guatemala
haitian:Haiti honduran:Honduras hungarian:Hungary icelandic:Iceland indian:India indonesian:Indonesia iranian:Iran
iraqi:Iraq irish:Ireland islamic:Islam israeli:Israel italian:Italy ivorian:Ivory_Coast jamaican:Jamaica
japanese:Japan jewish:Judaism jordanian:Jordan kazakh:Kazakhstan kenyan:Kenya korean:Korea kuwaiti:Kuwait laotian:Laos
latvian:Latvia lebanese:Lebanon liberian:Liberia libyan:Libya lithuanian:Lithuania macedonian:Macedonia
malaysian:Malaysia maltese:Malta mexican:Mexico moldovan:Moldova mongolian:Mongolia moroccan:Morocco
mozambican:Mozambique namibian:Namibia nepalese:Nepal nepali:Nepal nicaraguan:Nicaragua nigerian:Nigeria
norwegian:Norway omani:Oman pakistani:Pakistan palestinian:Palestine panamanian:Panama paraguayan:Paraguay
peruvian:Peru persian:Iran polish:Poland portuguese:Portugal puerto_rican:Puerto_Rico qatari:Qatar romanian:Romania
russian:Russia rwandan:Rwanda saudi:Saudi_Arabia scottish:Scotland senegalese:Senegal serbian:Serbia
singaporean:Singapore slovak:Slovakia slovenian:Slovenia somali:Somalia south_african:South_Africa
south_korean:South_Korea north_korean:North_Korea spanish:Spain sri_lankan:Sri_Lanka sudanese:Sudan swedish:Sweden
swiss:Switzerland syrian:Syria taiwanese:Taiwan tanzanian:Tanzania thai:Thailand tibetan:Tibet tunisian:Tunisia
turkish:Turkey ugandan:Uganda ukrainian:Ukraine uruguayan:Uruguay uzbek:Uzbekistan venezuelan:Venezuela
vietnamese:Vietnam welsh:Wales yemeni:Yemen zambian:Zambia zimbabwean:Zimbabwe european:Europe african:Africa
asian:Asia central_american:Central_America latin_american:Latin_America north_american:North_America
south_american:South_America eastern_european:Eastern_Europe western_european:Western_Europe
middle_eastern:Middle_East christian:Christianity buddhist:Buddhism hindu:Hinduism muslim:Islam
"""
_SHORT = """
us:United_States usa:United_States u_s:United_States u_s_a:United_States america:United_States
united_states:United_States_of_America uk:United_Kingdom u_k:United_Kingdom britain:United_Kingdom
great_britain:United_Kingdom holland:Netherlands the_netherlands:Netherlands ussr:Soviet_Union
uae:United_Arab_Emirates eu:European_Union burma:Myanmar czechia:Czech_Republic bombay:Mumbai bangalore:Bengaluru
calcutta:Kolkata peking:Beijing saigon:Ho_Chi_Minh_City nyc:New_York_City new_york:New_York_City
la:Los_Angeles dc:Washington_D_C wwi:World_War_I ww1:World_War_I wwii:World_War_II ww2:World_War_II
superbowl:Super_Bowl tv:Television
"""
_FIRST_NAMES = """
abe:Abraham al:Albert alex:Alexander andy:Andrew barb:Barbara ben:Benjamin bill:William bob:Robert chris:Christopher
chuck:Charles dan:Daniel dave:David don:Donald ed:Edward fred:Frederick gabe:Gabriel greg:Gregory jack:John jeff:Jeffrey
jim:James joe:Joseph ken:Kenneth larry:Lawrence liz:Elizabeth matt:Matthew mike:Michael nick:Nicholas pat:Patrick
pete:Peter ray:Raymond rob:Robert ron:Ronald sam:Samuel steve:Steven sue:Susan ted:Theodore teddy:Theodore tim:Timothy
tom:Thomas tony:Anthony will:William st:Saint mt:Mount dr:Doctor jr:Junior sr:Senior
"""


def _table(text: str) -> dict[str, str]:
    return {key.replace("_", " "): name.replace("_", " ") for key, name in (pair.split(":") for pair in text.split())}


ADJECTIVES, SHORT, FIRST_NAMES = _table(_ADJECTIVES), _table(_SHORT), _table(_FIRST_NAMES)
TWO_NAMES = ("United States of America", "United States", "USA", "US"), ("United Kingdom", "UK", "Great Britain")
LONGEST = 3  # words of an entry


def names_for(words: str) -> Iterator[tuple[str, str]]:
    """What normalised `words` may stand for, and how: ("Brazil", "adjective of") for "brazilian"."""
    plural = words[:-1] if words.endswith("s") and len(words) > 4 else ""
    for form in (words, plural):
        if form in ADJECTIVES:
            place = ADJECTIVES[form]
            yield from ((name, "adjective of a place") for name in _spellings(place))
            for ending in (" language", " people"):
                yield form + ending, f"with {ending.strip()!r}"
        if form in SHORT:
            yield from ((name, "short form") for name in _spellings(SHORT[form]))
    first, _, rest = words.partition(" ")
    if rest and first in FIRST_NAMES:
        yield f"{FIRST_NAMES[first]} {rest}", f"{first} is short for {FIRST_NAMES[first]}"


def _spellings(place: str) -> tuple[str, ...]:
    return next((names for names in TWO_NAMES if place in names), (place,))


class Value(NamedTuple):
    """A date or a number in a text, and how graphs write it."""

    start: int
    end: int
    forms: tuple[str, ...]
    kind: str  # "date", "number"


_MONTHS = "january february march april may june july august september october november december".split()  # noqa: SIM905
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" if month != "may" else "may" for month in _MONTHS)
_SHORT_MONTHS = [month[:3] for month in _MONTHS]
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>\d{3,4})"
_DATES = tuple(
    re.compile(rf"(?<![\w.])(?:{pattern})(?![\w])", re.IGNORECASE)
    for pattern in (
        rf"(?P<month>{_MONTH})\.?\s+{_DAY}(?:\s*,\s*|\s+){_YEAR}",
        rf"{_DAY}\s+(?:of\s+)?(?P<month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR}",
        rf"(?P<month>{_MONTH})\.?,?\s+(?:of\s+)?{_YEAR}",
        r"(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})",
        r"(?P<month>\d{1,2})[-/.](?P<day>\d{1,2})[-/.](?P<year>\d{4})",
    )
)
_NUMBER = re.compile(r"(?<![\w.,-])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w,])|(?<![\w.,-])-?\d+(?:\.\d+)?(?![\w,]|\.\d)")


def values_in(text: str) -> list[Value]:
    """Dates ("October 1977", "June 6, 1968", "06-06-1968") and numbers ("36,000") in a text; they do not overlap."""
    found: list[Value] = []
    taken: list[tuple[int, int]] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if any(start < match.end() and match.start() < end for start, end in taken):
                continue
            dates = _date_forms(match.groupdict())
            if dates:
                taken.append(match.span())
                found.append(Value(*match.span(), dates, "date"))
    for match in _NUMBER.finditer(text):
        if any(start < match.end() and match.start() < end for start, end in taken):
            continue
        plain = match.group().replace(",", "")
        forms = dict.fromkeys((match.group(), plain, plain if "." in plain else f"{plain}.0", _shortest(plain)))
        found.append(Value(*match.span(), tuple(forms), "number"))
    return sorted(found)


def _date_forms(parts: dict[str, str | None]) -> tuple[str, ...]:
    year, said, day = (parts.get("year") or "").zfill(4), parts["month"] or "", int(parts.get("day") or 0)
    month = int(said) if said.isdigit() else _SHORT_MONTHS.index(said[:3].casefold()) + 1
    if said.isdigit() and month > 12 >= day > 0:  # 25-12-1990: the day comes first
        month, day = day, month
    if not 1 <= month <= 12 or day > 31:
        return ()
    if day:
        return f"{year}-{month:02}-{day:02}", f"{_MONTHS[month - 1].title()} {day}, {year}"
    return f"{year}-{month:02}", f"{_MONTHS[month - 1].title()} {year}"


def _shortest(number: str) -> str:
    return number.rstrip("0").rstrip(".") if "." in number else number
