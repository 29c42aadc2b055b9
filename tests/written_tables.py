"""A graph of a few tables that a test holds as text."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from clew.graph import build


def built(folder: Path, tables: Mapping[str, str]) -> Path:
    """Writes each table as CSV into a folder and builds them together; the graph's folder."""
    for name, text in tables.items():
        (folder / f"{name}.csv").write_text(text)
    build(sorted(folder.glob("*.csv")), folder / "x.kg")
    return folder / "x.kg"
