"""What a plan found, in words: rows for a screen, a notebook or JSON.

Kept apart from the executor, which knows numbers only.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

from clew.graph import Graph
from clew.query.english import sentence
from clew.query.execute import Result
from clew.query.text import show, show_key


@dataclass(frozen=True)
class Table:
    """Rows of texts under `columns`; `total` rows in all, of which the first are here."""

    text: str  # the plan as one line
    sentence: str  # the plan in English
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    notes: tuple[str, ...] = ()
    complete: bool = True

    def to_json(self) -> dict[str, Any]:
        return {
            "plan": self.text,
            "sentence": self.sentence,
            "columns": list(self.columns),
            "rows": [list(row) for row in self.rows],
            "total": self.total,
            "notes": list(self.notes),
            "complete": self.complete,
        }

    def __str__(self) -> str:
        lines = ["\t".join(row) for row in self.rows]
        more = [f"… and {self.total - len(self.rows):,} more"] if self.total > len(self.rows) else []
        return "\n".join([*lines, *more, *(f"note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(column)}</th>" for column in self.columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows)
        notes = "".join(f"<br><small>{html.escape(note)}</small>" for note in self.notes)
        return f"<table><caption>{html.escape(self.sentence)}{notes}</caption><tr>{head}</tr>{body}</table>"


def tabulated(result: Result, graph: Graph, *, limit: int = 1000) -> Table:
    """A result as a table of at most `limit` rows."""
    columns: tuple[str, ...] = ("value",)
    rows: list[tuple[str, ...]]
    total = 1
    if result.makes == "truth":
        rows = [("yes" if result.truth else "no",)]
    elif result.makes == "number":
        rows = [] if result.quantity is None else [(str(result.quantity),)]
        total = len(rows)
    else:
        shown, total = result.members[:limit], len(result.members)
        labels, ids = graph.labels_at(shown), graph.ids_at(shown)
        columns = ("entity", "id") if result.makes == "set" else ("value",)
        rows = list(zip(labels, ids, strict=True)) if result.makes == "set" else [(label,) for label in labels]
        if result.ranking is not None:
            columns = (*columns, show_key(result.plan.key))  # type: ignore[attr-defined]
            rows = [
                (*row, result.ranking.said(float(key))) for row, key in zip(rows, result.ranking.keys, strict=False)
            ]
    return Table(
        show(result.plan), sentence(result.plan, graph), columns, tuple(rows), total, result.notes, result.complete
    )
