"""Editing a graph folder without rebuilding it: `add`, `remove`, `compact`.

Kept apart from reading because only these write: a change is one line at the end of `delta.log`, pushed to the disk
before the call returns, and everybody who opens the graph from then on sees it. `compact` writes arrays and log as one
new graph and swaps it in; entities, relations and triples keep their numbers, and so the graph keeps its name.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from clew.errors import NotFoundError
from clew.graph.delta import Change, applied, change, parsed, read
from clew.graph.layout import DELTA, sync_folder
from clew.graph.save import save
from clew.graph.store import Graph


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer at a time; also while another process swaps the folder, which then is waited for."""
    while True:
        try:
            descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        except OSError:
            raise NotFoundError(
                f"no graph at {folder}: nothing to edit; build it first:  clew build INPUT -o {folder}"
            ) from None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            if os.fstat(descriptor).st_ino == folder.stat().st_ino:
                yield
                return
        finally:
            os.close(descriptor)


def _append(folder: Path, change: Change) -> None:
    log = folder / DELTA
    _, whole = parsed(log)
    with log.open("r+b" if log.exists() else "wb") as handle:
        handle.truncate(whole)
        handle.seek(whole)
        handle.write(change.to_line())
        handle.flush()
        os.fsync(handle.fileno())
    sync_folder(folder)


def add(path: str | Path, triples: Iterable[Sequence[str]], *, labels: Mapping[str, str] | None = None) -> int:
    """Add triples (ids) to a graph folder; new entities and relations come with them.

    A tail written like a literal's id (`"1889-03-31"^^<…#date>`, `"word"@en`, `"word"`) becomes a literal.

    Args:
        labels: entity id → label, for new entities or to rename old ones.

    Returns:
        How many triples the graph did not hold before.

    Raises:
        InputError: something is not a triple, or a label belongs to an entity that is not in the graph.
    """
    folder = Path(path)
    edit = change(triples, (), labels)
    with _locked(folder):
        before = Graph.open(folder)
        after = applied(before, [edit])
        if edit.add or edit.labels:
            _append(folder, edit)
    return after.num_triples - before.num_triples


def remove(path: str | Path, triples: Iterable[Sequence[str]]) -> int:
    """Remove triples (ids) from a graph folder; their entities stay. Returns how many were there."""
    folder = Path(path)
    edit = change((), triples)
    with _locked(folder):
        before = Graph.open(folder)
        after = applied(before, [edit])
        if after.num_triples != before.num_triples:
            _append(folder, edit)
    return before.num_triples - after.num_triples


def compact(path: str | Path) -> bool:
    """Write a graph and its edits as one graph without edits, swapped in at once; False where there was no edit."""
    folder = Path(path)
    with _locked(folder):
        if not read(folder / DELTA):
            return False
        graph = Graph.open(folder)
        save(graph, folder, fingerprint=graph.fingerprint)
    return True
