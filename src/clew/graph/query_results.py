"""Results of SPARQL queries as a graph: `item,itemLabel,country,countryLabel` and their like, as JSON, CSV or TSV.

Kept apart from tables and plain JSON: which variable the others are said of, and that one names another, is a habit of
those who ask the Wikidata Query Service.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.property_files import PropertyTriples
from clew.graph.property_values import dated

LARGEST = 256 << 20  # bytes of a table of results
_TERM = re.compile(r'<([^<>"\s]*)>|"(.*)"(?:@[\w-]+|\^\^<[^<>\s]*>)?', re.DOTALL)  # as TSV has them


def names_results(columns: list[str]) -> bool:
    """Whether columns are those of a query in which one variable names another."""
    bare = {column.strip().lstrip("?") for column in columns}
    return any(f"{column}Label" in bare for column in bare)


def query_table(file: Path, delimiter: str, problems: Problems, begun: bytes, stream: Stream) -> Iterator[Batch]:
    """The triples of a table of results with a header, of which `begun` was read already."""
    text = begun + stream.read(LARGEST + 1)
    if len(text) > LARGEST:
        problems.add(str(file), None, "long", f"results larger than {LARGEST >> 20} MB; ask for parts of them")
        return
    held = StringIO(text.decode("utf-8", "replace"), newline="")
    # TSV of SPARQL quotes terms and not fields.
    quoted = csv.reader(held, delimiter=delimiter)
    lines = csv.reader(held, delimiter="\t", quoting=csv.QUOTE_NONE) if delimiter == "\t" else quoted
    made = PropertyTriples(file, problems)
    try:
        names = [name.strip().lstrip("?") for name in next(lines)]
        rows = [dict(zip(names, map(_bare, line), strict=False)) for line in lines if any(line)]
    except csv.Error as error:
        problems.add(str(file), lines.line_num, "fields", f"is no table: {error}")
        return
    if why := of_rows(rows, made):
        problems.add(str(file), None, "syntax", why)
    yield from made.batches(whole=True)


def _bare(text: str) -> Any:
    """A term of TSV without what marks it; numbers as such."""
    term = _TERM.fullmatch(text)
    plain = text if term is None else term[1] if term[1] is not None else term[2]
    if re.fullmatch(r"-?\d{1,15}", plain) and not re.match(r"-?0\d", plain):
        return int(plain)
    return float(plain) if re.fullmatch(r"-?\d+\.\d+", plain) else plain


def query_rows(held: Any) -> list[dict[str, Any]] | None:
    """The rows of a SPARQL query: its results as JSON, or what the Wikidata Query Service makes of them."""
    if isinstance(held, Mapping) and isinstance(results := held.get("results"), Mapping) and "head" in held:
        bindings = results.get("bindings")
        if isinstance(bindings, list) and all(isinstance(row, Mapping) for row in bindings):
            return [{key: _bound(value) for key, value in row.items()} for row in bindings]
    if _listed(held) and any(f"{key}Label" in held[0] for key in held[0]) and not any(
        isinstance(value, (Mapping, list)) for row in held[:100] for value in row.values()
    ):  # fmt: skip
        return [dict(row) for row in held]
    return None


def _bound(said: Any) -> Any:
    if not isinstance(said, Mapping):
        return said
    value = said.get("value")
    kind = str(said.get("datatype", "")).rpartition("#")[2]
    try:
        if kind in ("integer", "decimal", "double", "float"):
            return int(str(value)) if re.fullmatch(r"[+-]?\d+", str(value)) else float(str(value))
    except ValueError:
        return value
    else:
        return value


def of_rows(rows: list[dict[str, Any]], made: PropertyTriples) -> str:
    """Put the rows of a query in: of each the first variable is what the others are said of; why not, where not."""
    names = list(dict.fromkeys(key for row in rows for key in row))
    if not names:
        return "a query without results"
    if len(names) == 3 and all(_address(row.get(names[1])) for row in rows):  # ?s ?p ?o
        for row in rows:
            head, relation, tail = (row.get(name) for name in names)
            if _address(tail):
                made.edge(str(head), str(tail), str(relation), {})
            else:
                made.node(str(head), [], {str(relation): dated(tail)})
        return ""
    said = [name for name in names if not (name.endswith(_TEXTS) and name[: -len(_suffix(name))] in names)]
    about = next((name for name in said if any(_address(row.get(name)) for row in rows)), said[0])
    told: dict[str, set[str]] = {}
    for row in rows:
        head = row.get(about)
        if head in (None, ""):
            continue
        for name in said:
            value = row.get(name)
            if value in (None, ""):
                continue
            label = row.get(f"{name}Label")
            thing = _address(value) or label not in (None, "", value)
            if thing and str(value) not in told.setdefault(name, set()):
                told[name].add(str(value))
                notes = {"name": label, "aliases": row.get(f"{name}AltLabel")}
                made.node(str(value), [], {key: text for key, text in notes.items() if text not in (None, "", value)})
            if name == about:
                continue
            if thing:
                made.edge(str(head), str(value), name, {})
            else:
                made.node(str(head), [], {name: dated(value)}, named_by="")
    return ""


_TEXTS = ("Label", "AltLabel", "Description")


def _suffix(name: str) -> str:
    return next(end for end in ("AltLabel", "Description", "Label") if name.endswith(end))


def _address(value: Any) -> bool:
    return isinstance(value, str) and re.match(r"[a-z][a-z0-9+.-]*://\S+$", value) is not None


def _listed(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)
