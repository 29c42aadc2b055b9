"""The rows of a SELECT, checked: whatever a server sends, its readers meet texts under the names they asked for.

They come as JSON, or as CSV from servers that write it much faster (Virtuoso: in a tenth of the time). CSV does not
tell an address from a text (SPARQL 1.1 Query Results CSV and TSV Formats, §3), so a query that is read as CSV says with
each term whether it is a text, of which datatype and language.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from clew.errors import InputError

CSV = "text/csv"
_IS, _TYPE, _LANGUAGE = "_is", "_type", "_lang"
_TRIPLE = {"type": "triple", "value": ""}
LARGEST = 1 << 28  # bytes of a value; a reply as long as this is refused before
_BLANK = "nodeID://"  # how Virtuoso writes nameless nodes


class Solution(dict[str, Mapping[str, str]]):
    """What a row binds: each term has a `type` and a `value`, may have a `datatype` or `xml:lang`, all of them texts.

    Asking for a variable that is not bound raises InputError; those that may be absent are looked for with `in`.
    """

    def __missing__(self, variable: str) -> Mapping[str, str]:
        raise InputError(
            f"a row of a SPARQL result binds no ?{variable}, which was asked for: the endpoint is at fault"
        )

    def count(self, variable: str) -> int:
        """A number of rows."""
        text = self[variable]["value"]
        if not text.isascii() or not text.isdigit() or len(text) > 18:
            raise InputError(f"a SPARQL result counts {text[:40]!r}, expected a whole number: the endpoint is at fault")
        return int(text)


def solutions(found: Any) -> list[Solution]:
    """The rows of a result in JSON. Raises ValueError where they are none."""
    if type(found) is not list:
        raise ValueError("no list of bindings")
    try:
        for row in found:
            for name, term in row.items():
                if type(term["value"]) is str and type(term["type"]) is str:
                    if type(term.get("datatype", "")) is not str or type(term.get("xml:lang", "")) is not str:
                        raise ValueError("a datatype or language that is no text")
                elif term["type"] == "triple":  # its value is three terms, and it has no id
                    row[name] = _TRIPLE
                else:
                    raise ValueError("a term that is no text")
    except (TypeError, KeyError, AttributeError):
        raise ValueError("a row or term that is none") from None
    return [Solution(row) for row in found]


def told(variable: str) -> str:
    """What says in a SELECT which kind of term a variable holds."""
    # Virtuoso gives an address that stands in VALUES the datatype of a string.
    kinds = {_IS: "isLiteral", _TYPE: "DATATYPE", _LANGUAGE: "LANG"}
    return " ".join(f"({function}({variable}) AS {variable}{ending})" for ending, function in kinds.items())


def bindings(body: bytes) -> list[Solution]:
    """The rows of a result in CSV; a variable without a kind holds an address or a plain text.

    Raises ValueError where the table is not whole.
    """
    if not body.endswith(b"\n"):
        raise ValueError("it ends within a row")
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST))
    rows = csv.reader(io.StringIO(body.decode("utf-8"), newline=""), strict=True)
    found = []
    try:
        header = next(rows, [])
        places = {name: place for place, name in enumerate(header)}
        columns = [
            (name, place, places.get(name + _IS), places.get(name + _TYPE, 0), places.get(name + _LANGUAGE, 0))
            for name, place in places.items()
            if not name.endswith((_IS, _TYPE, _LANGUAGE))
        ]
        for row in rows:
            if len(row) != len(header):
                raise ValueError(f"a row of {len(row)} values under {len(header)} names")
            bound = Solution()
            for name, place, of_kind, of_type, of_language in columns:
                value = row[place]
                if of_kind is not None and row[of_kind] == "1":
                    language, datatype = row[of_language], row[of_type]
                    kind = {"xml:lang": language} if language else {"datatype": datatype} if datatype else {}
                    bound[name] = {"type": "literal", "value": value, **kind}
                elif value:
                    bound[name] = {"type": "bnode" if value.startswith(_BLANK) else "uri", "value": value}
            found.append(bound)
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return found
