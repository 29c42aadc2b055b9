"""Cells that list several names: parted at commas, semicolons, lines or slashes, as Airtable, Notion and people do.

Kept apart because facts of columns (`columns`), links between tables (`links`) and the reading of rows all part cells
in the same way.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.arrow import hashes_of, text_array

PARTING = ("\n", ";", ",", " / ")
RUN = 5  # parts that may be one name
_NOTION = re.compile(r"\s*\(https?://(?:www\.)?notion\.(?:so|site)/[^)\s]*\)")


def parts_of(array: Any) -> tuple[NDArray[np.int64], list[str]]:
    """The parts of cells, and (p,) the place of the cell of each.

    In quotes nothing is parted, and where there is a semicolon or a line end no comma parts.
    """
    owners: list[int] = []
    parts: list[str] = []
    for place, cell in enumerate(array.to_pylist()):
        if cell is None:
            continue
        found = _split(cell)
        owners += [place] * len(found)
        parts += found
    return np.array(owners, np.int64), parts


def _split(cell: str) -> list[str]:
    if "notion." in cell and len(pieces := _NOTION.split(cell)) > 1:  # each name is followed by its page
        return [piece for each in pieces if (piece := each.strip(" ,"))]
    between = next((sign for sign in PARTING if sign in cell), "")
    if not between:
        return [cell]
    pieces = cell.split(between)
    if '"' in cell and between != "\n":
        with suppress(csv.Error, StopIteration):
            pieces = next(csv.reader([cell], delimiter=between, skipinitialspace=True, strict=True))
    return [piece for each in pieces if (piece := each.strip())]


def names_in(array: Any, missing: Sequence[int], commas: Sequence[int]) -> tuple[NDArray[np.int64], Any]:
    """The names that cells hold, as texts, and (p,) the place of the cell of each.

    Args:
        missing: hashes of parts that are no names.
        commas: hashes of names that hold a comma, which need not be in quotes.
    """
    owners, parts = parts_of(array)
    if commas and len(parts):
        owners, parts = _joined(owners, parts, set(commas))
    texts = text_array(parts)
    if missing and len(parts):
        there = ~np.isin(hashes_of(texts), np.array(missing, np.uint64))
        owners, texts = owners[there], texts.filter(there)
    return owners, texts


def _joined(owners: NDArray[np.int64], parts: list[str], commas: set[int]) -> tuple[NDArray[np.int64], list[str]]:
    """Parts of one cell that together are a name, put together; the longest such name wins."""
    ends = np.searchsorted(owners, owners, "right").tolist()
    runs = [(i, j) for i, end in enumerate(ends) for j in range(min(end, i + RUN), i + 1, -1)]
    if not runs:
        return owners, parts
    known = np.isin(
        hashes_of(text_array([", ".join(parts[i:j]) for i, j in runs])), np.array(sorted(commas), np.uint64)
    )
    best: dict[int, int] = {}
    for (i, j), there in zip(runs, known.tolist(), strict=True):
        if there:
            best.setdefault(i, j)
    kept: list[int] = []
    texts: list[str] = []
    at = 0
    while at < len(parts):
        end = best.get(at, at + 1)
        kept.append(int(owners[at]))
        texts.append(", ".join(parts[at:end]))
        at = end
    return np.array(kept, np.int64), texts
