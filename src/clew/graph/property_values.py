"""Property values to literals of a graph and back.

Apart from the queries because a property graph has types and a literal has a text: `"1999"^^<…#integer>` is the integer
1999 again when somebody asks who has it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from clew.graph.strings import literal_parts

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"


def literals(value: Any) -> list[str]:
    """The ids of a property's values; a list has several, a map one for each of its entries, nothing has none."""
    if value is None:
        return []
    if isinstance(value, (list, tuple, set, frozenset)):
        return [id for item in value for id in literals(item)]
    if isinstance(value, Mapping):
        return [id for item in value.values() for id in literals(item)]
    return [literal(value)]


def literal(value: Any) -> str:
    """The id of one value."""
    if isinstance(value, bool):
        return f'"{str(value).lower()}"^^<{XSD}boolean>'
    if isinstance(value, int):
        return f'"{value}"^^<{XSD}integer>'
    if isinstance(value, float):
        text = repr(value) if math.isfinite(value) else {math.inf: "INF", -math.inf: "-INF"}.get(value, "NaN")
        return f'"{text}"^^<{XSD}double>'
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, TypedText):
        return f'"{value.text}"^^<{value.datatype}>'
    if isinstance(value, (bytes, bytearray)):
        return f'"{value.hex()}"^^<{XSD}hexBinary>'
    written = value.iso_format() if hasattr(value, "iso_format") else str(value)
    # The names that drivers and Python give to times are those of XML Schema, but for case.
    kind = {"Date": "date", "date": "date", "Time": "time", "time": "time", "Duration": "duration"}.get(
        type(value).__name__,
        "dateTime" if "DateTime" in type(value).__name__ or "datetime" in type(value).__name__ else "",
    )
    return f'"{written}"^^<{XSD}{kind}>' if kind else f'"{written}"'


def value_of(id: str) -> Any:
    """What a literal's id says as a value; None for types that no database compares as a parameter."""
    text, datatype, language = literal_parts(id)
    if datatype is None:
        return text
    if language is not None or not datatype.startswith(XSD):
        return None
    kind = datatype.removeprefix(XSD)
    try:
        if kind == "boolean":
            return {"true": True, "false": False}.get(text)
        if kind == "integer":
            number = int(text)
            return number if -(2**63) <= number < 2**63 else None
        if kind == "double":
            return float(text.replace("INF", "inf").replace("NaN", "nan"))
    except ValueError:
        return None
    return None


# -- values that a text of Cypher makes of texts and maps -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TypedText:
    """A value as XML Schema or WKT writes it."""

    text: str
    datatype: str


def _moment(kind: str, pattern: str) -> Callable[..., TypedText | str]:
    """What makes dates or times of a text in ISO 8601 or a map; another text stays a text."""

    def made(value: str | Mapping[str, Any]) -> TypedText | str:
        text = value if isinstance(value, str) else _of_parts(value, kind)
        text = re.sub(r"\[[^]]*\]$", "", text.strip())  # the name of a zone, which XML Schema has not
        return TypedText(text, XSD + kind) if re.fullmatch(pattern, text) else text

    return made


def _of_parts(parts: Mapping[str, Any], kind: str) -> str:
    if kind == "duration":
        letters = {"years": "Y", "months": "M", "weeks": "W", "days": "D", "hours": "H", "minutes": "M", "seconds": "S"}
        said = [(name, f"{parts[name]}{letter}") for name, letter in letters.items() if name in parts]
        date, time = (
            [text for name, text in said if (name in ("hours", "minutes", "seconds")) == t] for t in (False, True)
        )
        return "P" + "".join(date) + ("T" + "".join(time) if time else "")
    for name, each in (("epochMillis", 1000), ("epochSeconds", 1)):
        if name in parts and kind == "dateTime":
            return datetime.fromtimestamp(parts[name] / each, UTC).isoformat()
    if not all(isinstance(value, int) for value in parts.values() if not isinstance(value, str)):
        raise ValueError
    day = "" if kind == "time" else f"{parts['year']:04d}-{parts.get('month', 1):02d}-{parts.get('day', 1):02d}"
    hour = f"{parts.get('hour', 0):02d}:{parts.get('minute', 0):02d}:{parts.get('second', 0):02d}"
    return day if kind == "date" else f"{day}T{hour}" if day else hour


def _point(place: Mapping[str, Any]) -> TypedText:
    x, y = (place[a] if a in place else place[b] for a, b in (("longitude", "x"), ("latitude", "y")))
    z = place.get("height", place.get("z"))
    return TypedText(f"Point({' '.join(str(float(each)) for each in (x, y, z) if each is not None)})", WKT)


_TIME = r"\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?"
_DATE = r"-?\d{4,9}-\d\d-\d\d"
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "date": _moment("date", _DATE),
    "time": _moment("time", _TIME),
    "localtime": _moment("time", _TIME),
    "datetime": _moment("dateTime", f"{_DATE}T{_TIME}"),
    "localdatetime": _moment("dateTime", f"{_DATE}T{_TIME}"),
    "zoneddatetime": _moment("dateTime", f"{_DATE}T{_TIME}"),
    "duration": _moment("duration", r"-?P[\dYMWDTHS.-]+"),
    "point": _point,
    "tointeger": int,
    "toint": int,
    "tofloat": float,
    "tostring": lambda value: value.text if isinstance(value, TypedText) else str(value),
    "trim": str.strip,
}


_ISO = re.compile(r"-?\d{4,9}-\d\d-\d\d(T\d\d:\d\d.*)?")


def dated(value: Any) -> Any:
    """A value of JSON with its dates, times and points as such: there they are texts and maps."""
    if isinstance(value, str):
        match = _ISO.fullmatch(value)
        return FUNCTIONS["datetime" if match[1] else "date"](value) if match else value
    if isinstance(value, list):
        return [dated(each) for each in value]
    if isinstance(value, Mapping) and "crs" in value and ("x" in value or "longitude" in value):
        try:
            return _point(value)
        except (KeyError, TypeError, ValueError):
            return value
    return value
