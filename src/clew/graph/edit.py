"""Editing a graph folder without rebuilding it: `add`, `remove`, `compact`.

Kept apart from reading because only these write: a change is one line at the end of `delta.log`, pushed to the disk
before the call returns, and everybody who opens the graph from then on sees it. `compact` writes arrays and log as one
new generation and swaps it in; entities, relations and triples keep their numbers, and so the graph keeps its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from clew.graph.delta import Change, applied, change
from clew.graph.generation import Generation
from clew.graph.journal import append
from clew.graph.layout import DELTA
from clew.graph.save import save
from clew.graph.store import Graph
from clew.graph.writing import locked, saying_what_failed


def _append(folder: Path, change: Change) -> None:
    files = Generation.open(folder)
    append(files.place / DELTA, files.log, change)


def add(path: str | Path, triples: Iterable[Sequence[str]], *, labels: Mapping[str, str] | None = None) -> int:
    """Add triples (ids) to a graph folder; new entities and relations come with them.

    A tail written like a literal's id (`"1889-03-31"^^<…#date>`, `"word"@en`, `"word"`) becomes a literal.

    Args:
        labels: entity id → label, for new entities or to rename old ones.

    Returns:
        How many triples the graph did not hold before.

    Raises:
        InputError: something is not a triple, or a label belongs to an entity that is not in the graph.
        FormatError: the graph is damaged; nothing is written over what may be an acknowledged edit.
    """
    folder = Path(path)
    edit = change(triples, (), labels)
    with saying_what_failed(folder), locked(folder):
        before = Graph.open(folder)
        after = applied(before, [edit])
        if edit.add or edit.labels:
            _append(folder, edit)
    return after.num_triples - before.num_triples


def remove(path: str | Path, triples: Iterable[Sequence[str]]) -> int:
    """Remove triples (ids) from a graph folder; their entities stay. Returns how many were there."""
    folder = Path(path)
    edit = change((), triples)
    with saying_what_failed(folder), locked(folder):
        before = Graph.open(folder)
        after = applied(before, [edit])
        if after.num_triples != before.num_triples:
            _append(folder, edit)
    return before.num_triples - after.num_triples


def compact(path: str | Path) -> bool:
    """Write a graph and its edits as one graph without edits, swapped in at once; False where there was no edit."""
    folder = Path(path)
    with saying_what_failed(folder), locked(folder):
        files = Generation.open(folder)
        if not files.log.changes:
            return False
        graph = Graph.open(folder)
        save(graph, folder, fingerprint=graph.fingerprint, held=True)
    return True
