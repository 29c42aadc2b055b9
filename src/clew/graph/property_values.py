"""Property values to literals of a graph and back.

Apart from the queries because a property graph has types and a literal has a text: `"1999"^^<…#integer>` is the integer
1999 again when somebody asks who has it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from clew.graph.strings import literal_parts

XSD = "http://www.w3.org/2001/XMLSchema#"


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
