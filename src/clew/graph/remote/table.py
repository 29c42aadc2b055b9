"""The rows of a SELECT, checked: whatever a server sends, its readers meet texts under the names they asked for.

They come as JSON, as XML or TSV from servers that write no JSON, or as CSV from those that write it much faster
(Virtuoso: in a tenth of the time). CSV does not tell an address from a text (SPARQL 1.1 Query Results CSV and TSV
Formats, §3), so a query that is read as CSV says with each term whether it is a text, of which datatype and language.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from clew.errors import InputError

CSV, TSV, XML = "text/csv", "text/tab-separated-values", "application/sparql-results+xml"
XMLS = (XML, "application/xml", "text/xml")
_IS, _TYPE, _LANGUAGE = "_is", "_type", "_lang"
# Virtuoso gives an address that stands in VALUES the datatype of a string.
_KINDS = {_IS: ("isLiteral", "0"), _TYPE: ("DATATYPE", '""'), _LANGUAGE: ("LANG", '""')}  # what asks, and for no text
_STRING = "<http://www.w3.org/2001/XMLSchema#string>"  # without it Virtuoso may refuse to group by part of a text
_TRIPLE = {"type": "triple", "value": ""}
LARGEST = 1 << 28  # bytes of a value; a reply as long as this is refused before
_BLANK = "nodeID://"  # how Virtuoso writes nameless nodes
_COUNT, _PACKED = "rows_in", "packed_"  # the second with the names of the terms
_BETWEEN, _AFTER = "\x1f", "\x1e"  # unit and record separator of ASCII


class MixedError(Exception):
    """Packed rows cannot be told apart: a text of the graph holds what parts them. They are to be asked for plainly."""


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


def other(body: bytes, kind: str) -> dict[str, Any]:
    """A result in XML or TSV as one in JSON is decoded. Raises ValueError where it is none or not whole."""
    import pyoxigraph as ox

    formats = ox.QueryResultsFormat
    try:
        found = ox.parse_query_results(body, format=formats.TSV if kind == TSV else formats.XML)
        if isinstance(found, ox.QueryBoolean):
            return {"boolean": bool(found)}
        names = [variable.value for variable in found.variables]
        known: dict[Any, Mapping[str, str]] = {}  # most terms come again and again
        rows = []
        for row in found:
            bound = Solution()
            for name, term in zip(names, row, strict=True):
                if term is not None:
                    bound[name] = known.get(term) or known.setdefault(term, _of_term(term))
            rows.append(bound)
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    return {"results": {"bindings": rows}}


def _of_term(term: Any) -> Mapping[str, str]:
    import pyoxigraph as ox

    if isinstance(term, ox.Literal):
        more = {"xml:lang": term.language} if term.language else {"datatype": term.datatype.value}
        return {"type": "literal", "value": term.value, **more}
    if isinstance(term, ox.Triple):
        return _TRIPLE
    return {"type": "uri" if isinstance(term, ox.NamedNode) else "bnode", "value": term.value}


def told(variable: str) -> str:
    """What says in a SELECT which kind of term a variable holds."""
    return " ".join(f"({function}({variable}) AS {variable}{ending})" for ending, (function, _) in _KINDS.items())


def as_one(*terms: str, texts: Sequence[str], kinds: Sequence[str]) -> str:
    """A pattern that binds ?x to terms in one text, and their kinds, as `pack` wants them; "" stands for no term.

    Args:
        texts: those of them that may be bound to texts here: asking for the kind of each term is half of what a large
            result costs Virtuoso.
        kinds: as `pack` is given them.
    """
    each = [f"STR({term})" if term else '""' for term in terms]
    bound = [
        f"BIND({f'{function}({term})' if term in texts else nothing} AS {term}{ending})"
        for term in kinds
        for ending, (function, nothing) in _KINDS.items()
    ]
    return f"{' '.join(bound)} BIND(CONCAT({f', {_quoted(_BETWEEN)}, '.join(each)}) AS ?x)"


def pack(keys: str, terms: Sequence[str], kinds: Sequence[str], distinct: str, where: str, most: int) -> str:
    """A SELECT whose rows come packed into few, as Virtuoso's own `sql:GROUP_CONCAT` makes them.

    Virtuoso gives 10,000 rows a reply as a rule, whatever is in them. Rows with equal keys and terms of the same kinds
    become one, which holds the texts of their terms and says how many they are.

    Args:
        keys: variables bound to addresses or to texts of the query, not to other texts.
        terms: variables that are packed, in the order of `as_one`. kinds: those of them that may be bound to texts
            somewhere in `where`, of which every part binds the kinds.
        distinct: "DISTINCT " or nothing.
        most: rows that are packed.
    """
    groups = " ".join([*keys.split(), *(f"{term}{ending}" for term in kinds for ending in _KINDS)])
    together = f"(sql:GROUP_CONCAT(?x, {_quoted(_AFTER)}) AS ?{_PACKED}{'_'.join(term[1:] for term in terms)})"
    return (
        f"SELECT {groups} (COUNT(*) AS ?{_COUNT}) {together} WHERE {{ "
        f"{{ SELECT {distinct}{groups} ?x ({_STRING}(SUBSTR(?x, STRLEN(?x) - 1, 1)) AS ?of) WHERE {{ {where} }} "
        f"LIMIT {most} }} }} GROUP BY {groups} ?of"  # its time grows with the square of the rows that become one
    )


def _quoted(sign: str) -> str:
    return f'"\\u{ord(sign):04X}"'


def bindings(body: bytes) -> tuple[list[Solution], int]:
    """The rows of a result in CSV, and how many came; a variable without a kind holds an address or a plain text.

    Raises ValueError where the table is not whole, MixedError where rows were packed that cannot be told apart.
    """
    if not body.endswith(b"\n"):
        raise ValueError("it ends within a row")
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST))
    rows = csv.reader(io.StringIO(body.decode("utf-8"), newline=""), strict=True)
    found: list[Solution] = []
    came = 0
    try:
        header = next(rows, [])
        places = {name: place for place, name in enumerate(header)}
        packed = next((name for name in header if name.startswith(_PACKED)), "")
        together = packed.removeprefix(_PACKED).split("_") if packed else []
        kinds = {
            name: (places[name + _IS], places.get(name + _TYPE), places.get(name + _LANGUAGE))
            for name in (*header, *together)
            if name + _IS in places
        }
        plain = [
            (name, place, kinds.get(name))
            for name, place in places.items()
            if not name.endswith((_IS, _TYPE, _LANGUAGE)) and name not in (_COUNT, packed)
        ]
        for row in rows:
            came += 1
            if len(row) != len(header):
                raise ValueError(f"a row of {len(row)} values under {len(header)} names")
            bound = Solution()
            for name, place, kind in plain:
                if (term := _term(row[place], *_kind(row, kind))) is not None:
                    bound[name] = term
            if packed:
                terms = [(name, *_kind(row, kinds.get(name))) for name in together]
                found += _unpacked(row[places[packed]], row[places[_COUNT]], bound, terms)
            else:
                found.append(bound)
    except csv.Error as error:
        raise ValueError(str(error)) from None
    return found, came


def _kind(row: Sequence[str], places: tuple[int, int | None, int | None] | None) -> tuple[bool, str, str]:
    """Whether a term is a text, of which datatype and language."""
    if places is None or row[places[0]] != "1":
        return False, "", ""
    _, datatype, language = (place if place is None else row[place] for place in places)
    return True, datatype or "", language or ""


def _term(value: str, text: bool, datatype: str, language: str) -> Mapping[str, str] | None:
    if text:
        more = {"xml:lang": language} if language else {"datatype": datatype} if datatype else {}
        return {"type": "typed-literal", "value": value, **more}
    return {"type": "bnode" if value.startswith(_BLANK) else "uri", "value": value} if value else None


def _unpacked(
    packed: str, count: str, bound: Solution, terms: Sequence[tuple[str, bool, str, str]]
) -> Iterator[Solution]:
    """The rows that one packed row holds, each with what is `bound` in all of them."""
    each = packed.split(_AFTER)
    if str(len(each)) != count:
        raise MixedError(f"{len(each)} rows, expected {count}")
    for texts in each:
        values = texts.split(_BETWEEN)
        if len(values) != len(terms):
            raise MixedError(f"{len(values)} terms, expected {len(terms)}")
        solution = Solution(bound)
        for value, (name, text, datatype, language) in zip(values, terms, strict=True):
            if (term := _term(value, text, datatype, language)) is not None:
                solution[name] = term
        yield solution
