"""Tables as graphs: a row is a thing, a column a relation, and the order of the rows is kept.

Kept apart from `property_graph`, where a table lists nodes or edges by ids: here nothing is known of a table but its
header. The first column that names its rows (texts, hardly one twice) gives them their labels and their kind; every
other cell is a triple. `row number` and `next row` hold the order, so that "the first", "the one after" can be asked.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from clew.errors import InputError
from clew.graph.store import Graph
from clew.graph.tabular import sniff

ORDER, NEXT, TYPE = "row number", "next row", "type"
UNNAMED = "row"  # the kind of rows that no column names
MOST_BYTES = 200_000_000
DISTINCT = 0.9  # share of different texts from which a column names its rows
TEXTUAL = 0.6  # share of cells with a letter that a naming column has
_DATED = re.compile(r"\d{4}|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b", re.IGNORECASE)
_NUMBERED = re.compile(r"^\W*\d[\d,.:/\s%-]*\W*\w{0,3}$")


def build_table(file: Path, out: Path, *, delimiter: str | None = None) -> Graph:
    """A graph folder from one table with a header (.csv, .tsv, .txt).

    Raises:
        InputError: no such file, no header, no row, or too large to be held in memory.
    """
    if not file.is_file():
        raise InputError(f"no file {str(file)[:200]}: check the spelling")
    if file.stat().st_size > MOST_BYTES:
        raise InputError(
            f"{file}: a table of more than {MOST_BYTES:,} bytes; build it as nodes and edges without --table"
        )
    text = file.read_bytes().decode("utf-8-sig", "replace").replace("\0", "")
    chosen = delimiter or sniff(text[: 1 << 16], file.suffix.lstrip(".").lower())
    csv.field_size_limit(MOST_BYTES)
    try:
        lines = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=chosen) if any(map(str.strip, row))]
    except csv.Error as error:
        raise InputError(f"{file}: not a table: {error}") from None
    if len(lines) < 2:
        raise InputError(f"{file}: a table needs a header and at least one row, found {len(lines)} lines")
    return table_graph(lines[0], lines[1:], name=file.stem).save(out)


def table_graph(header: Sequence[str], rows: Sequence[Sequence[str]], *, name: str = "table") -> Graph:
    """A table as a graph in memory. Cells are texts; short rows lack their last cells, longer ones are refused."""
    columns = _columns(header)
    cells = [[_clean(cell) for cell in row] for row in rows]
    long = next((i for i, row in enumerate(cells, 1) if len(row) > len(columns)), None)
    if long is not None:
        raise InputError(f"row {long} of the table has {len(cells[long - 1])} cells, its header {len(columns)}")
    naming = _naming(columns, cells)
    kind = columns[naming] if naming is not None else UNNAMED
    labels, triples = {f"kind/{kind}": kind}, list[tuple[str, str, str]]()
    for number, row in enumerate(cells, 1):
        id = f"row/{number}"
        labels[id] = row[naming] if naming is not None and naming < len(row) and row[naming] else f"row {number}"
        triples += [(id, TYPE, f"kind/{kind}"), (id, ORDER, str(number))]
        triples += [
            (id, c, cell) for i, (c, cell) in enumerate(zip(columns, row, strict=False)) if cell and i != naming
        ]
        if number > 1:
            triples.append((f"row/{number - 1}", NEXT, id))
    return Graph.from_triples(triples, name=name, labels=labels)


def _clean(cell: str) -> str:
    return re.sub(r"\s+", " ", cell).strip()


def _columns(header: Sequence[str]) -> list[str]:
    """The names of the columns, each once, none of them empty or one that the order of rows needs."""
    found: list[str] = []
    for number, name in enumerate(map(_clean, header), 1):
        name = name or f"column {number}"
        while name in found or name.casefold() in (ORDER, NEXT, TYPE):
            name += " (column)"
        found.append(name)
    if not found:
        raise InputError("the table has no column")
    return found


def _naming(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> int | None:
    """The first column whose cells name the rows: words, nearly all of them different; no numbers and no dates."""
    for place in range(len(columns)):
        cells = [row[place] for row in rows if place < len(row) and row[place]]
        words = [c for c in cells if any(map(str.isalpha, c)) and not _NUMBERED.match(c) and not _DATED.search(c)]
        if len(cells) < 0.8 * len(rows) or len(words) < TEXTUAL * len(cells):
            continue
        if len(Counter(cells)) >= DISTINCT * len(cells):
            return place
    return None
