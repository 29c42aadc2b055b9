"""Reading values: numbers, quantities with units, dates of any precision, durations, out of text or typed literals.

Kept apart because a graph says "5 ft 11", "$3.5 million", "3 May 1999" or `"1999"^^xsd:gYear`, and to order or add
them all is one question. A value is an interval on a line: a number is a point, the year 2008 is from its first second
up to the first of 2009. Quantities are converted to one unit of their dimension; currencies never into each other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Literal, NamedTuple

Kind = Literal["number", "date"]

XSD = "http://www.w3.org/2001/XMLSchema#"
NUMBERS = frozenset(
    XSD + name
    for name in (
        "integer", "decimal", "double", "float", "long", "int", "short", "byte", "nonNegativeInteger",
        "positiveInteger", "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort",
        "unsignedByte",
    )
)  # fmt: skip
DAY = 86_400.0
LONGEST = 80  # characters of a text that may still be a value


class Unit(NamedTuple):
    """A unit: `factor` of them make one of the dimension's base unit, after `offset` (temperatures)."""

    dimension: str
    factor: float
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class ReadValue:
    """A value as an interval: numbers have `low` == `high`; of dates `low` is the first second, `high` the end."""

    kind: Kind
    low: float
    high: float
    dimension: str = ""  # of a quantity: length, mass, area, time, USD, …; of a date: year, month, day, second, clock
    unit: str = ""  # as written


CURRENCIES = ("USD", "EUR", "GBP", "JPY", "INR", "CHF", "CAD", "AUD", "CNY", "SEK", "NOK", "DKK", "PLN", "CZK")
_UNITS: dict[str, tuple[Unit, str]] = {}


def _define(dimension: str, *rows: tuple[float, str]) -> None:
    for factor, names in rows:
        for name in names.split("|"):
            _UNITS[name] = (Unit(dimension, factor), name)


_define(
    "length", (1, "m|metre|meter|metres|meters"), (1000, "km|kilometre|kilometer|kilometres|kilometers|kms"),
    (0.01, "cm|centimetre|centimeter|centimetres|centimeters"),
    (0.001, "mm|millimetre|millimeter|millimetres|millimeters"),
    (1609.344, "mi|mile|miles"), (0.3048, "ft|foot|feet"), (0.0254, "inch|inches"), (0.9144, "yd|yds|yard|yards"),
    (1852, "nmi|nautical miles"),
)  # fmt: skip
_define(
    "area", (1, "m2|m²|sq m|square metres|square meters"),
    (1e6, "km2|km²|sq km|square km|square kilometres|square kilometers"),
    (2_589_988.110336, "sq mi|mi2|mi²|square mile|square miles"), (1e4, "ha|hectare|hectares"),
    (4046.8564224, "acre|acres"), (0.09290304, "sq ft|square feet|ft2"),
)  # fmt: skip
_define(
    "volume", (1, "m3|m³|cubic metres|cubic meters"), (0.001, "l|litre|liter|litres|liters"),
    (1e-6, "ml|millilitre|milliliter|millilitres|milliliters"),
    (1e-5, "cl|centilitre|centiliter|centilitres|centiliters"),
    (0.1, "hl|hectolitre|hectoliter|hectolitres|hectoliters"),
)  # fmt: skip
_define(
    "mass", (1, "kg|kilogram|kilograms|kgs|kilo|kilos"), (0.001, "g|gram|grams"),
    (1e-6, "mg|milligram|milligrams"), (0.028349523125, "oz|ounce|ounces"), (1000, "t|tonne|tonnes"),
    (907.18474, "ton|tons"), (0.45359237, "lb|lbs|pound|pounds"),
)  # fmt: skip
_define(
    "time", (1, "s|sec|secs|second|seconds"), (60, "min|mins|minute|minutes"), (3600, "h|hr|hrs|hour|hours"),
    (DAY, "d|day|days"), (7 * DAY, "week|weeks"), (30.436875 * DAY, "month|months"),
    (365.2425 * DAY, "year|years|yr|yrs"),
)  # fmt: skip
_define("speed", (1, "m/s"), (1 / 3.6, "km/h|kph|kmh"), (0.44704, "mph"), (1852 / 3600, "kn|knots"))
_define("share", (0.01, "%|percent|per cent"))
_define("power", (1, "W|watt|watts"), (1000, "kW|kilowatt|kilowatts"), (1e6, "MW|megawatt|megawatts"), (1e9, "GW"))
_define(
    "energy", (3.6e6, "kWh|kilowatt hours"), (3.6e9, "MWh|megawatt hours"), (4184, "kcal|kilocalories"), (1000, "kJ")
)
_define(
    "data", (1e3, "kB|kilobyte|kilobytes"), (1e6, "MB|meg|megs|megabyte|megabytes"),
    (1e9, "GB|gig|gigs|gigabyte|gigabytes"), (1e12, "TB|terabyte|terabytes"),
)  # fmt: skip
for _sign, _code in (("$", "USD"), ("US$", "USD"), ("€", "EUR"), ("£", "GBP"), ("¥", "JPY"), ("₹", "INR")):
    _UNITS[_sign] = (Unit(_code, 1.0), _code)
for _code in CURRENCIES:
    _UNITS[_code] = (Unit(_code, 1.0), _code)
    for _many, _names in ((1e6, "M{0}|million {0}|{0} million|{0} mn|mn {0}|{0} mln|mln {0}|mio {0}|{0} m"),
                          (1e3, "k{0}|thousand {0}|{0} thousand|{0} k"),
                          (1e9, "bn{0}|billion {0}|{0} billion|{0} bn|bn {0}")):  # fmt: skip
        for _name in _names.format(_code).split("|"):
            _UNITS[_name] = (Unit(_code, _many), _name)
_BY_WORD = {"euro": "EUR", "dollar": "USD", "franc": "CHF", "yen": "JPY", "rupee": "INR", "yuan": "CNY"}
for _word, _code in _BY_WORD.items():
    _UNITS[_word] = _UNITS[f"{_word}s"] = (Unit(_code, 1.0), _code)
_ALSO = {"dollar": ("USD", "CAD", "AUD"), "pound": ("GBP", "lb")}  # what a word may mean; the graph's own unit decides
_UNITS["pence"] = (Unit("GBP", 0.01), "pence")
for _sign, _kelvin in (("°C", (1.0, 273.15)), ("°F", (5 / 9, 459.67 * 5 / 9)), ("K", (1.0, 0.0))):
    _UNITS[_sign] = (Unit("temperature", *_kelvin), _sign)
_FOLDED = {name.casefold(): entry for name, entry in reversed(_UNITS.items())}


def unit_of(name: str) -> Unit | None:
    """What a unit's name means; None for a name that is none."""
    found = _UNITS.get(name) or _FOLDED.get(name.casefold().rstrip("."))
    return None if found is None else found[0]


def unit_for(name: str, dimension: str) -> str:
    """What a unit's name means beside a quantity of a dimension: "pounds" are money where the graph states money."""
    names = (name, *_ALSO.get(name.casefold().removesuffix("s"), ()))
    return next((each for each in names if (unit := unit_of(each)) and unit.dimension == dimension), name)


def in_base(value: float, unit: str) -> float:
    """A number of a unit, in the base unit of its dimension."""
    known = unit_of(unit) if unit else None
    return value if known is None else value * known.factor + known.offset


def from_base(value: float, unit: str) -> float:
    known = unit_of(unit) if unit else None
    return value if known is None else (value - known.offset) / known.factor


_SCALES = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "b": 1e9,
           "trillion": 1e12, "tn": 1e12}  # fmt: skip
_NUMBER = r"[+\-−]?(?:\d{1,3}(?:[, ']\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?"
_PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_QUANTITY = re.compile(
    rf"(?:about |approx\.? |ca?\. ?|~ ?|≈ ?)?(?P<before>US\$|[$€£¥₹]|[A-Z]{{3}} )? ?(?P<number>{_NUMBER})"
    r"(?: ?(?P<scale>thousand|million|billion|trillion|mn|bn|tn)\b\.?)?"
    r" ?(?P<unit>[^\d\s(\[][^\d(\[]{0,24}?|(?:sq |square )?[a-zA-Z]+[23²³])?"
    r" ?(?P<rest>[(\[].*)?",
)
_FEET = re.compile(r"(\d+)\s?(?:ft|feet|foot|′|')\.?(?:\s?(\d+(?:\.\d+)?)\s?(?:in|inch|inches|″|\"|'')?\.?)?")
_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):(\d{2}(?:\.\d+)?)")
_DURATION = re.compile(
    r"(-)?P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?"
)
_SPELLED_SPAN = re.compile(
    r"(-)?(?=\d)(?:(\d+) years? ?)?(?:(\d+) months? ?)?(?:(\d+) weeks? ?)?(?:(\d+) days? ?)?(?:(\d+) h ?)?"
    r"(?:(\d+) min ?)?(?:(\d+(?:\.\d+)?) s)?"
)
_SPANS = (
    ("years", 365.2425 * DAY), ("months", 30.436875 * DAY), ("weeks", 7 * DAY), ("days", DAY), ("h", 3600.0),
    ("min", 60.0), ("s", 1.0),
)  # fmt: skip
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th)")
_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
            "september sep sept", "october oct", "november nov", "december dec",
        ),
        1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_ISO = re.compile(
    r"(?P<year>[+-]?\d{4,6})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2})"
    r"(?:[T ](?P<h>\d{2}):(?P<m>\d{2})(?::(?P<s>\d{2}(?:\.\d+)?))?)?)?)?"
    r"(?P<zone>Z|[+-]\d{2}:\d{2})?"
)
_WORDS = [
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH},?(?: (?P<year>\d{{3,4}}))?"),
    re.compile(rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?!\d)(?:, ?| )?(?P<year>\d{{4}})?"),
    re.compile(rf"{_MONTH},? (?P<year>\d{{3,4}})"),
    re.compile(r"(?P<year>\d{1,4}) ?(?P<era>bce?|ad|ce)\.?"),
    re.compile(r"(?:the )?(?P<year>\d{3,4})'?s"),
    re.compile(r"(?P<year>\d{3,4})"),
]
_NUMERIC = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")
_NO_YEAR = 4  # a leap year: "29 February" without a year is a day of it


def _day(year: int, month: int = 1, day: int = 1) -> float | None:
    """Seconds from 1970 to the start of a day of the proleptic Gregorian calendar; None for no such day."""
    if not (1 <= month <= 12 and -100_000 < year < 100_000):
        return None
    cycle, within = divmod(year - 1, 400)  # `date` knows the years 1 to 9999; the calendar repeats every 400
    try:
        ordinal = date(within + 1, month, day).toordinal()
    except ValueError:
        return None
    return (ordinal + cycle * 146_097 - 719_163) * DAY


def _interval(year: int, month: int | None, day: int | None) -> ReadValue | None:
    low = _day(year, month or 1, day or 1)
    if low is None:
        return None
    if day:
        return ReadValue("date", low, low + DAY, "day")
    after = _day(year + 1) if not month or month == 12 else _day(year, month + 1)
    return None if after is None else ReadValue("date", low, after, "month" if month else "year")


def parse_date(text: str) -> ReadValue | None:
    """A date written as in ISO 8601 or XSD: a year of at least four digits, a month, a day or a moment; or, behind a T,
    the time of a day whichever: T15:30."""
    match = _ISO.fullmatch(text.strip())
    if match is None:
        return time_of_day(text.strip()[1:]) if text.strip()[:1] == "T" else None
    month, day = (int(match[name]) if match[name] else None for name in ("month", "day"))
    found = _interval(int(match["year"]), month, day)
    if found is None or match["h"] is None:
        return found
    hours, minutes, seconds = int(match["h"]), int(match["m"]), float(match["s"] or 0)
    if hours > 24 or minutes > 59 or seconds >= 61:
        return None
    at = found.low + 3600 * hours + 60 * minutes + seconds - _zone(match["zone"])
    return ReadValue("date", at, at, "second")


_TIME = re.compile(r"(?P<h>\d{1,2})[:.h](?P<m>\d{2})(?::(?P<s>\d{2}))?(?: ?(?P<half>[ap])\.?m\.?)?", re.IGNORECASE)


def time_of_day(text: str) -> ReadValue | None:
    """A time of the day in seconds since midnight, some hours after it too: "07:15", "3:30 pm", "24:10"."""
    match = _TIME.fullmatch(text.strip())
    if (
        match is None
        or int(match["m"]) > 59
        or int(match["s"] or 0) > 59
        or int(match["h"]) > (12 if match["half"] else 29)
    ):
        return None
    hours = int(match["h"]) % 12 + 12 * (match["half"].lower() == "p") if match["half"] else int(match["h"])
    at = 3600.0 * hours + 60 * int(match["m"]) + int(match["s"] or 0)
    return ReadValue("date", at, at, "clock")


def _zone(text: str | None) -> float:
    if not text or text == "Z":
        return 0.0
    return (1 if text[0] == "+" else -1) * (3600 * int(text[1:3]) + 60 * int(text[4:6]))


def _worded_date(text: str) -> ReadValue | None:
    """A date as people write it; a bare number is none of these."""
    folded = re.sub(r"^(?:c\. ?|ca\. ?|circa |about |around |early |late )", "", text.casefold().strip())
    numeric = _NUMERIC.fullmatch(folded)
    if numeric:
        first, second, year = map(int, numeric.groups())
        american = first <= 12 and "/" in folded
        return _interval(year, first, second) if american else _interval(year, second, first)
    for number, pattern in enumerate(_WORDS):
        match = pattern.fullmatch(folded)
        if match is None or (number == 5 and folded == text.casefold().strip()):
            continue
        parts = match.groupdict()
        year = int(parts["year"]) if parts.get("year") else _NO_YEAR
        if (parts.get("era") or "").startswith("b"):
            year = 1 - year
        if number == 4:
            low, high = _day(year), _day(year + 10)
            return None if low is None or high is None else ReadValue("date", low, high, "year")
        month = _MONTHS[parts["month"]] if parts.get("month") else None
        return _interval(year, month, int(parts["day"]) if parts.get("day") else None)
    return None


def _duration(text: str) -> ReadValue | None:
    """A duration as in XML Schema, or as such a one is shown: "PT65M", "1 h 5 min"."""
    match = _DURATION.fullmatch(text) or _SPELLED_SPAN.fullmatch(text)
    if match is None or not any(match.groups()[1:]):
        return None
    sign, *counts = match.groups()
    seconds = sum(float(count or 0) * size for count, (_, size) in zip(counts, _SPANS, strict=True))
    seconds = -seconds if sign else seconds
    unit = next(unit for count, (unit, _) in zip(counts[::-1], _SPANS[::-1], strict=True) if count)
    return ReadValue("number", seconds, seconds, "time", unit)


def typed(text: str, datatype: str) -> ReadValue | None:
    """The value of a literal whose datatype is stated; None where the text is none of that type."""
    if datatype in NUMBERS:
        return _number(text)
    local = datatype.removeprefix(XSD)
    if local in ("date", "dateTime", "dateTimeStamp", "gYear", "gYearMonth"):
        return parse_date(text)
    if local in ("duration", "dayTimeDuration", "yearMonthDuration"):
        return _duration(text)
    return None if local == "boolean" else untyped(text)


def _number(text: str) -> ReadValue | None:
    if not _PLAIN.fullmatch(text.strip()):
        return None
    value = float(text)
    return ReadValue("number", value, value) if abs(value) < 1e300 else None


def untyped(text: str) -> ReadValue | None:
    """The value that a text of an untyped file states, or None: "1,234 km", "$3.5 million", "5 ft 11", "3 May 1999".

    A bare number is a number, also where it may be a year: the column it stands in decides (`columns`).
    """
    text = text.strip()
    if not text or len(text) > LONGEST or not any(c.isdigit() for c in text):
        return None
    plain = _number(text)
    if plain is not None:
        return plain
    for parse in (parse_date, _feet, _clock, _duration, _worded_date, _quantity):
        found = parse(text)
        if found is not None:
            return found
    return None


_SEASON = re.compile(r"(\d{4})\s?[-–/]\s?\d{2,4}")
_NOTE = re.compile(r"\s*[\[({†‡*#♦].*$")
_LEADING = re.compile(r"[^\w\s]?\s?(\d[\d,]*(?:\.\d+)?)(?:st|nd|rd|th)?\b(?![-–/.:]\d)")


def loosely(text: str) -> ReadValue | None:
    """The value that a text begins with, where more stands behind it: "9.0 lb (4.1 kg)", "2006–07", "12 (3)[4]".

    For columns that mostly read so; a text by itself is not taken for a number because it begins with one.
    """
    text = text.strip()
    if not text or len(text) > LONGEST or not any(c.isdigit() for c in text):
        return None
    season = _SEASON.match(text)
    if season:
        return parse_date(season[1])
    plain = _NOTE.sub("", text)
    if plain != text and (found := untyped(plain)) is not None:
        return found
    number = _LEADING.match(plain)
    return _number(number[1]) if number else None


def _feet(text: str) -> ReadValue | None:
    match = _FEET.fullmatch(text)
    if match is None or match[2] is None:
        return None
    metres = int(match[1]) * 0.3048 + float(match[2]) * 0.0254
    return ReadValue("number", metres, metres, "length", "ft")


def _clock(text: str) -> ReadValue | None:
    match = _CLOCK.fullmatch(text)
    if match is None:
        return None
    hours, minutes, seconds = match.groups()
    total = 3600 * int(hours or 0) + 60 * int(minutes) + float(seconds)
    return ReadValue("number", total, total, "time", "s")


def _quantity(text: str) -> ReadValue | None:
    ordinal = _ORDINAL.fullmatch(text)
    if ordinal:
        return ReadValue("number", float(ordinal[1]), float(ordinal[1]))
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    value = float(re.sub(r"[, ']", "", match["number"]).replace("−", "-"))
    unit = (match["unit"] or "").strip(" .,")
    scale = _SCALES.get(match["scale"] or "", 1.0)
    if match["before"] and unit.casefold() in _SCALES:
        scale, unit = scale * _SCALES[unit.casefold()], ""
    if match["before"]:
        if unit and unit_of(unit) is None:
            return None
        unit = match["before"].strip()
    known = unit_of(unit) if unit else None
    if unit and known is None:
        return None
    value *= scale
    if known is not None:
        value = value * known.factor + known.offset
        return ReadValue("number", value, value, known.dimension, _spelled(unit))
    return ReadValue("number", value, value)


def _spelled(unit: str) -> str:
    found = _UNITS.get(unit) or _FOLDED[unit.casefold().rstrip(".")]
    return found[1]


def shown_number(value: float) -> str:
    """A number as people write it: no exponent where it can be avoided, no more digits than it has."""
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.10g}"


def shown_date(reading: ReadValue) -> str:
    """A date by its precision: 2008, 2008-05, 2008-05-03 or a moment; a time of the day as 15:30."""
    if reading.dimension == "clock":
        return f"{int(reading.low) // 3600:02d}:{int(reading.low) // 60 % 60:02d}"
    days, seconds = divmod(reading.low, DAY)
    cycle, ordinal = divmod(int(days) + 719_162, 146_097)
    day = date.fromordinal(ordinal + 1)
    year = day.year + 400 * cycle
    shown = f"{year:04d}" if year >= 0 else f"-{-year:04d}"
    if reading.dimension == "year":
        return shown
    if reading.dimension == "month":
        return f"{shown}-{day.month:02d}"
    shown = f"{shown}-{day.month:02d}-{day.day:02d}"
    if reading.dimension == "day":
        return shown
    minutes, second = divmod(seconds, 60)
    return f"{shown}T{int(minutes) // 60:02d}:{int(minutes) % 60:02d}:{int(second):02d}"
