"""What is damaged in a graph folder, and rebuilding what can be derived from the rest.

Kept apart because neither is part of reading or writing a sound graph. The triples lie on disk twice, by head and by
tail, and all look-ups are made from ids and names: of each of these one may be lost. What was derived must have the
checksum of what was lost. Names and labels stand once; without them a graph has to be built again. What an earlier clew
did not write of the name index is added.

Shapes: N entities, T triples.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, InputError
from clew.graph.delta import Change, Merge
from clew.graph.generation import Generation
from clew.graph.journal import Log, written
from clew.graph.layout import DELTA, GENERATION, META, NAME_INDEX, STAMP, digest, write_array, write_whole
from clew.graph.store import Graph
from clew.graph.subgraph import csr
from clew.graph.writing import TICK_S, locked, remove_leftovers, replacing, saying_what_failed, seal, stamp

LOOKUPS = ("ids.keys.u32", "ids.order.i32")
OWN = ("format", "version", "fingerprint", "files", "generation", "checksum")


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did. `log` is where a damaged log of edits was set aside."""

    rebuilt: tuple[str, ...]
    edits_kept: int
    edits_lost: tuple[str, ...]
    log: Path | None


def damage(path: str | Path) -> list[str]:
    """Everything that is wrong with a graph folder, in words: each file against its checksum, arrays, log of edits.

    What is found in order is stamped, so that opening the graph need not look it through again.
    """
    folder = Path(path)
    files = Generation.open(folder, damaged=True)
    found = [*files.found(verify=True), *(f"{DELTA}: {fault}" for fault in files.log.damage)]
    if not found:
        found = _replayed(folder)
    if not found and not files.trusted and files.meta["version"] > 1:
        with suppress(OSError):  # a folder that nobody may write to is in order all the same
            stamp(files.place, files.seen)
    return found


def _replayed(folder: Path) -> list[str]:
    """What opening and reading every name says, after all checksums agreed."""
    try:
        graph = Graph.open(folder)
        for strings in (graph.terms.ids, graph.terms.labels.strings, graph.terms.aliases.strings):
            for _ in strings:
                pass
    except FormatError as error:
        return [str(error)]
    return []


def repair(path: str | Path) -> Repair:
    """Rebuild what is damaged in a graph folder from what is not, as a new generation of its files.

    The same for what an earlier clew did not write: halves of names, by which one letter off is found at once.
    Edits that cannot be read are lost; the log that held them is kept beside the graph's files.

    Raises:
        FormatError: something is damaged that nothing else tells; the graph has to be built again.
    """
    folder = Path(path)
    with saying_what_failed(folder), locked(folder):
        _restore_manifest(folder)
        files = Generation.open(folder, damaged=True)
        bad = files.bad()
        lacking = [] if bad else _lacking(files)
        if not bad and not files.log.damage and not lacking:
            for fault in (*files.found(verify=True), *_replayed(folder)):
                raise FormatError(f"{folder}: {fault}, although every checksum is right: no clew wrote this graph")
            remove_leftovers(folder.resolve())  # of a repair that was killed when all was done
            return Repair((), len(files.log.changes), (), None)
        with replacing(folder, held=True) as generation:
            rebuilt = [*_rebuilt(files, bad, generation), *lacking]
            if lacking:
                _write_halves(generation)
            meta = {key: value for key, value in files.meta.items() if key not in OWN}
            seal(generation, meta, files.meta["fingerprint"])
            kept, lost = _applicable(Graph.open(generation.parent), files.log)
            write_whole(generation / DELTA, written(kept))
        aside = _set_aside(folder, files) if files.log.damage or lost else None
        _stamp_again(folder)
    return Repair(tuple(rebuilt), len(kept), (*files.log.damage, *lost), aside)


def _stamp_again(folder: Path) -> None:
    """A file that stood in two generations was changed, as its time says, when it was taken out of the earlier one."""
    files = Generation.open(folder, damaged=True)
    said = json.loads((files.place / STAMP).read_text(encoding="ascii"))
    if all(said[name][:3] == seen[:3] for name, seen in files.seen.items()):
        time.sleep(TICK_S)
        stamp(files.place, files.seen)


def _lacking(files: Generation) -> list[str]:
    """Files of the name index that a build of today would have written."""
    from clew.graph.name_files import MANY

    if f"{NAME_INDEX}/hashes.npy" not in files.meta["files"] or f"{NAME_INDEX}/halves.npy" in files.meta["files"]:
        return []
    rows = len(files.name_index()[f"{NAME_INDEX}/hashes.npy"])
    return [f"{NAME_INDEX}/halves.npy", f"{NAME_INDEX}/halves_at.npy"] if rows >= MANY else []


def _write_halves(generation: Path) -> None:
    from clew.graph.memory import Memory
    from clew.graph.name_files import write_halves

    scratch = generation / NAME_INDEX / "scratch"
    scratch.mkdir()
    write_halves(generation / NAME_INDEX, scratch, Memory.of(None))
    scratch.rmdir()


def _restore_manifest(folder: Path) -> None:
    """Put the copy of the manifest in its place that lies among the files, where the manifest is damaged."""
    try:
        Generation.open(folder, damaged=True)
    except FormatError:
        copies = [f for f in folder.glob(f"*/{META}") if GENERATION.fullmatch(f.parent.name)]
        if len(copies) != 1:
            raise
        damaged = (folder / META).read_bytes() if (folder / META).is_file() else None
        write_whole(folder / META, copies[0].read_bytes())
        try:
            Generation.open(folder, damaged=True)
        except FormatError:
            if damaged is not None:
                write_whole(folder / META, damaged)
            raise


def _rebuilt(files: Generation, bad: dict[str, str], generation: Path) -> list[str]:
    """Write a whole generation: sound files as they are, the others derived. Returns the names of those."""
    triples = _Triples(files, bad)
    makers: dict[str, Callable[[], NDArray[Any]]] = {
        "heads.i32": triples.heads,
        "rels.i32": triples.rels,
        "tails.i32": triples.tails,
        "out.offsets.i64": lambda: _offsets(triples.heads(), triples.n),
        "out.triples.i32": lambda: np.arange(triples.t, dtype=np.int32),
        "in.offsets.i64": lambda: triples.inc().offsets,
        "in.heads.i32": lambda: triples.inc().neighbors,
        "in.rels.i32": lambda: triples.inc().relations,
        "in.triples.i32": lambda: triples.inc().triples,
    }
    lookups = any(name in LOOKUPS or name.startswith(f"{NAME_INDEX}/") for name in bad)
    lost = [name for name in bad if name not in makers and name not in LOOKUPS and not name.startswith(NAME_INDEX)]
    if lost:
        raise FormatError(
            f"{files.folder}: {bad[lost[0]]}, and nothing else tells what it held: "
            f"build it again:  clew build INPUT -o {files.folder}"
        )
    for name in files.meta["files"]:
        there = generation / name
        if name in bad or (lookups and (name in LOOKUPS or name.startswith(f"{NAME_INDEX}/"))):
            if name in makers:
                write_array(there, makers[name]())
            continue
        there.parent.mkdir(exist_ok=True)
        try:
            os.link(files.place / name, there)
        except OSError:  # another file system, or one without links
            shutil.copyfile(files.place / name, there)
    if lookups:
        from clew.graph.naming import write_lookups

        write_lookups(generation)
    for name in bad:
        if not name.startswith(f"{NAME_INDEX}/") and digest(generation / name) != files.meta["files"][name]["sha256"]:
            raise FormatError(
                f"{files.folder}: {bad[name]}, and what follows from the other files is not what it held: "
                f"build it again:  clew build INPUT -o {files.folder}"
            )
    return sorted(bad)


class _Triples:
    """Heads, relations and tails, from their own files or from the copy sorted by tail."""

    def __init__(self, files: Generation, bad: dict[str, str]) -> None:
        self._files, self._bad = files, bad
        self.n, self.t = files.meta["entities"], files.meta["triples"]

    def _sound(self, *names: str) -> list[NDArray[Any]] | None:
        if any(name in self._bad for name in names):
            return None
        return [self._files.array(name) for name in names]

    def _from_tails(self, name: str, other: str, values: Callable[[NDArray[Any]], NDArray[Any]]) -> NDArray[np.int32]:
        found = self._sound("in.triples.i32", other)
        if found is None:
            raise FormatError(
                f"{self._files.folder}: {self._bad[name]}, and its copy is damaged as well: "
                f"build it again:  clew build INPUT -o {self._files.folder}"
            )
        places, source = found
        result = np.empty(self.t, np.int32)
        result[places] = values(source)
        return result

    def heads(self) -> NDArray[np.int32]:
        if (own := self._sound("heads.i32")) is not None:
            return own[0]
        if (offsets := self._sound("out.offsets.i64")) is not None:
            return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(offsets[0]))
        return self._from_tails("heads.i32", "in.heads.i32", lambda array: array)

    def rels(self) -> NDArray[np.int32]:
        own = self._sound("rels.i32")
        return own[0] if own is not None else self._from_tails("rels.i32", "in.rels.i32", lambda array: array)

    def tails(self) -> NDArray[np.int32]:
        if (own := self._sound("tails.i32")) is not None:
            return own[0]
        numbers = np.arange(self.n, dtype=np.int32)
        return self._from_tails("tails.i32", "in.offsets.i64", lambda offsets: np.repeat(numbers, np.diff(offsets)))

    def inc(self) -> Any:
        return csr(self.tails(), self.heads(), self.rels(), self.n)


def _offsets(heads: NDArray[np.int32], n: int) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(heads, minlength=n), dtype=np.int64)])


def _applicable(graph: Graph, log: Log) -> tuple[tuple[Change, ...], list[str]]:
    """The edits that can be played back, and what is to be said of the others."""
    kept: list[Change] = []
    lost = []
    for change in log.changes:
        merge = Merge(graph)
        try:
            for known in (*kept, change) if change.labels else ():  # only a label can miss its entity
                merge.play(known)
            kept.append(change)
        except InputError as error:
            lost.append(str(error))
    return tuple(kept), lost


def _set_aside(folder: Path, files: Generation) -> Path:
    number = 1
    while (aside := folder / f"{DELTA}.damaged-{number}").exists():
        number += 1
    write_whole(aside, files.log_bytes)
    return aside
