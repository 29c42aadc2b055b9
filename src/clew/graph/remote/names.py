"""The name index of a graph in a server: fetched once, page by page, and kept on this machine.

Apart from the store because it is the only thing of a graph that is ever copied: ids, names and how many triples each
entity has, no fact. It is a graph without triples in the format of every other, so that linking finds in it exactly
what it finds in an embedded graph. A build that is interrupted goes on where it stopped.

Shapes: N entities.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, NotFoundError
from clew.graph.layout import META
from clew.graph.remote.records import GraphServer
from clew.graph.store import Graph
from clew.graph.strings import Strings, Texts
from clew.graph.subgraph import Ints
from clew.graph.terms import Terms
from clew.types import Entity

NO_RELATIONS: tuple[str, ...] = ()
KindOf = Callable[[str, bool], int]  # id, whether it has a label → kind as on disk


class Named(NamedTuple):
    """An entity whose name was found: how like the name is, why, and how many triples the entity has."""

    entity: Entity
    likeness: float
    reason: str
    degree: int


class NamedSpan(NamedTuple):
    """A part of a text that is a name, and who is called so, the closest names first."""

    start: int
    end: int
    text: str
    named: tuple[Named, ...]


@dataclass(frozen=True, slots=True)
class Fetched:
    """How far the fetching of names is; `total` is None where nobody knows."""

    stage: str  # "entities", "names", "index"
    done: int
    total: int | None = None


class RemoteNames:
    """An open name index."""

    def __init__(self, graph: Graph, degrees: NDArray[np.int64], identity: str) -> None:
        self.graph, self.identity = graph, identity
        self.degrees = degrees  # (N,) how many triples each entity has in the server

    def __len__(self) -> int:
        return self.graph.num_entities

    @classmethod
    def open(cls, folder: Path) -> RemoteNames | None:
        """The index in `folder`, None where there is none that is whole."""
        counted = ""
        while True:
            before = counted
            try:
                graph = Graph.open(folder)
                identity, counted = graph.meta["inputs"]
                degrees = np.load(_degrees(folder, counted), allow_pickle=False)
            except FileNotFoundError:
                if counted == before:
                    return None
                continue  # replaced while it was being opened
            except (NotFoundError, FormatError, OSError, ValueError, KeyError, TypeError):
                return None
            whole = degrees.shape == (graph.num_entities,) and _sum(degrees) == counted
            return cls(graph, degrees, str(identity)) if whole else None

    def entity(self, id: str) -> Entity | None:
        number = self.graph.number_of(id)
        return None if number is None else self.graph.entity_at(number)

    def places(self, ids: Sequence[str]) -> dict[str, str]:
        """Where the server keeps entities, for those of which it said so."""
        numbers = {id: number for id in ids if (number := self.graph.number_of(id)) is not None}
        held = self.graph.terms.descriptions  # of a graph without facts nothing else is described
        return {id: place for id, number in numbers.items() if (place := held.first(number))}

    def spans(self, text: str) -> list[NamedSpan]:
        """As `Graph.spans`."""
        return [
            NamedSpan(span.start, span.end, span.text, tuple(self._named(found) for found in span.found))
            for span in self.graph.spans(text)
        ]

    def search(self, text: str, limit: int) -> list[Named]:
        """As `Graph.search`."""
        return [self._named(found) for found in self.graph.search(text, limit)]

    def _named(self, found: Any) -> Named:
        return Named(self.graph.entity_at(found.number), found.score, found.reason, int(self.degrees[found.number]))


def _degrees(folder: Path, counted: str) -> Path:
    return folder.parent / f"{folder.stem}-degrees-{counted}.npy"


def _sum(degrees: NDArray[np.int64]) -> str:
    """The checksum of the degrees, by which an index names the file that holds them."""
    return hashlib.sha256(degrees.tobytes()).hexdigest()[:16]


def fetch_names(
    server: GraphServer,
    folder: Path,
    *,
    identity: str,
    kind_of: KindOf,
    expected: int | None = None,
    on_progress: Callable[[Fetched], None] = lambda _: None,
) -> RemoteNames:
    """Fetch every entity and every name of a server's graph and index them in `folder`.

    What was fetched so far lies beside it; an interrupted fetch of the same state of the graph (`identity`) goes on.
    Where another process or thread is fetching, it is waited for, and what it made is taken.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _Spool(folder, identity) as spool:
        if spool.waited and (made := RemoteNames.open(folder)) is not None and made.identity == identity:
            spool.remove()
            return made
        if spool.stage == "entities":
            for after, pairs in server.terms(spool.start):
                spool.add("entities", after, pairs)
                on_progress(Fetched("entities", after))
            spool.next("names")
        for start, texts in server.texts(spool.start):
            spool.add("names", start, texts)
            on_progress(Fetched("names", start))
        on_progress(Fetched("index", 0, expected))
        names = _index(spool, folder, identity, kind_of)
        spool.remove()
    return names


def remove_leftovers(folder: Path) -> None:
    """Delete fetched pages that the index in `folder` holds already: a kill came before they were removed."""
    with suppress(OSError), _Spool.lines(folder).open("rb") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # or somebody is fetching
        if os.fstat(handle.fileno()).st_mtime_ns <= (folder / META).stat().st_mtime_ns:
            _Spool.state(folder).unlink(missing_ok=True)
            _Spool.lines(folder).unlink()


class _Spool:
    """Fetched pages as lines of JSON, and a state file that says how far they reach; killing leaves both usable.

    One process or thread at a time holds it; `waited` tells that another one did before.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self._lines, self._state = self.lines(folder), self.state(folder)
        self._handle, self.waited = self._held()
        self.stage, self.start, self._bytes, self._crc = "entities", 0, 0, 0
        self._identity = identity
        try:
            summed, _, said = self._state.read_text("utf-8").partition(" ")
            if summed == _crc(said):  # then this class wrote it
                whose, stage, start, bytes, crc = json.loads(said)
                if whose == identity and self._crc_of(bytes) == crc:
                    self.stage, self.start, self._bytes, self._crc = stage, start, bytes, crc
        except (OSError, UnicodeDecodeError):
            pass
        self._handle.truncate(self._bytes)

    @staticmethod
    def lines(folder: Path) -> Path:
        return folder.with_suffix(".lines")

    @staticmethod
    def state(folder: Path) -> Path:
        return folder.with_suffix(".state")

    def _held(self) -> tuple[IO[bytes], bool]:
        waited = False
        while True:
            handle = self._lines.open("a+b")
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                waited = True
                fcntl.flock(handle, fcntl.LOCK_EX)
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(handle.fileno()), self._lines.stat()):
                    return handle, waited
            handle.close()  # whoever held it has removed it

    def __enter__(self) -> _Spool:
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()

    def _crc_of(self, bytes: int) -> int | None:
        """Of what was fetched; None where there is less than that."""
        self._handle.seek(0)
        crc = 0
        while bytes > 0 and (piece := self._handle.read(min(bytes, 1 << 20))):
            crc, bytes = zlib.crc32(piece, crc), bytes - len(piece)
        return crc if bytes == 0 else None

    def add(self, stage: str, start: int, rows: Sequence[tuple[Any, ...]]) -> None:
        page = "".join(json.dumps([stage, *row]) + "\n" for row in rows).encode()
        self._handle.write(page)
        self._handle.flush()
        os.fsync(self._handle.fileno())
        self._bytes, self._crc = self._bytes + len(page), zlib.crc32(page, self._crc)
        self.start = start
        self._note(stage)

    def next(self, stage: str) -> None:
        self.start = 0
        self._note(stage)

    def _note(self, stage: str) -> None:
        self.stage = stage
        said = json.dumps([self._identity, stage, self.start, self._bytes, self._crc])
        temporary = self._state.with_suffix(".new")
        temporary.write_text(f"{_crc(said)} {said}", encoding="utf-8")
        temporary.replace(self._state)

    def rows(self) -> Any:
        self._handle.seek(0)
        for line in self._handle:
            yield json.loads(line)

    def remove(self) -> None:
        self._state.unlink(missing_ok=True)
        self._lines.unlink(missing_ok=True)


def _crc(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


def _index(spool: _Spool, folder: Path, identity: str, kind_of: KindOf) -> RemoteNames:
    degrees: dict[str, int] = {}
    places: dict[str, str] = {}
    named: dict[str, list[tuple[int, str]]] = {}
    for stage, id, *row in spool.rows():
        if stage == "entities":
            degrees[id] = degrees.get(id, 0) + int(row[0])
            if row[1]:
                places[id] = row[1]
        elif id in degrees:
            named.setdefault(id, []).append((int(row[1]), row[0]))
    degrees = dict(sorted(degrees.items()))  # namesakes that tie come in the order of ids, as everywhere
    number = {id: i for i, id in enumerate(degrees)}
    labels, aliases = [], []
    for id, texts in named.items():
        ordered = list(dict.fromkeys(text for _, text in sorted(texts)))
        labels.append((number[id], ordered[0]))
        aliases += [(number[id], text) for text in ordered[1:]]
    kinds = np.array([kind_of(id, id in named) for id in degrees], np.uint8)
    terms = Terms(
        Strings(more=list(degrees)),
        NO_RELATIONS,
        kinds,
        labels=Texts.of(labels),
        aliases=Texts.of(aliases),
        descriptions=Texts.of([(number[id], place) for id, place in places.items()]),
    )
    rows: Ints = np.empty((0, 3), np.int32)
    graph = Graph.of_arrays(rows, terms, title="names")
    counts = np.array(list(degrees.values()), np.int64)
    place = _degrees(folder, _sum(counts))
    temporary = place.with_suffix(".new")
    with temporary.open("wb") as handle:
        np.save(handle, counts, allow_pickle=False)
    temporary.replace(place)
    graph.meta["inputs"] = [identity, _sum(counts)]
    saved = graph.save(folder)
    for old in {*place.parent.glob(f"{folder.stem}-degrees-*")} - {place}:
        old.unlink()
    return RemoteNames(saved, counts, identity)
