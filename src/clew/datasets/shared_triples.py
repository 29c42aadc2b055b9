"""Questions with a graph each, held as triple numbers over one store in which every triple stands once.

Kept apart from the sets that use it. A prepared folder holds `graph.kg`, one JSONL of questions a split, and three
arrays: the triple numbers of all distinct graphs end to end, where each begins, and which one a question has. Questions
with the same graph share it. The folder is made beside its place and renamed into it.

Shapes: Q questions of a split, G distinct graphs, T triples of the store, S triples of all distinct graphs.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.datasets.plain import parse_example
from clew.datasets.source import assert_count
from clew.errors import FormatError, InputError, NotFoundError, unknown
from clew.graph import Graph, build
from clew.protocols import Example

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1
ENTITY_BITS, RELATION_BITS = 25, 14
MERGE = 4_000_000
"""Triples gathered before they are merged into the table of distinct ones."""

Keys = NDArray[np.uint64]
Batch = tuple[list[dict[str, Any]], NDArray[np.int64], "pa.Array"]


class SharedTriples:
    """A prepared folder, opened."""

    def __init__(self, folder: Path, meta: dict[str, Any]) -> None:
        self.folder, self.meta = folder, meta

    @classmethod
    def open(cls, folder: str | Path) -> SharedTriples:
        """Raises FormatError when the folder is damaged or of another version."""
        folder = Path(folder)
        try:
            meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
            version, splits = meta["format"], meta["splits"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{folder}: not a prepared question set ({error}); prepare it again") from None
        if version != FORMAT:
            raise FormatError(f"{folder}: format {version}, this clew reads {FORMAT}; prepare it again")
        for name, size in meta["bytes"].items():
            path = folder / name
            if not path.is_file() or path.stat().st_size != size:
                raise FormatError(f"{path}: missing or not {size:,} bytes long; prepare the set again")
        if not isinstance(splits, dict):
            raise FormatError(f"{folder}: damaged meta.json; prepare the set again")
        return cls(folder, meta)

    @cached_property
    def graph(self) -> Graph:
        """The union of all the graphs."""
        return Graph.open(self.folder / "graph.kg")

    @cached_property
    def _triples(self) -> NDArray[np.int32]:
        return _mapped(self.folder / "triples.i32", np.dtype(np.int32))

    @cached_property
    def _offsets(self) -> NDArray[np.int64]:
        return _mapped(self.folder / "offsets.i64", np.dtype(np.int64))

    def count(self, split: str) -> int:
        """Questions of a split."""
        splits = self.meta["splits"]
        if split not in splits:
            raise NotFoundError(f"{self.folder}: {unknown('split', split, splits)}")
        return int(splits[split]["questions"])

    def examples(self, split: str) -> Iterator[Example]:
        """The questions of a split, each with a view of the store as its graph; neighbours with one graph share it."""
        count = self.count(split)
        place = _mapped(self.folder / f"{split}.graphs.i32", np.dtype(np.int32))
        last, view = -1, None
        with (self.folder / f"{split}.jsonl").open(encoding="utf-8") as stream:
            for i, line in enumerate(stream):
                number = int(place[i])
                if number != last or view is None:
                    numbers = self._triples[self._offsets[number] : self._offsets[number + 1]]
                    last, view = number, self.graph.view(numbers, title=f"{self.folder.name} {number}")
                example = parse_example(json.loads(line))
                yield Example(example.question, example.gold, view)
        if i + 1 != count:
            raise FormatError(f"{self.folder}: {i + 1} questions in {split}.jsonl, meta.json says {count}")


def prepare(
    splits: Mapping[str, Iterable[Batch]], out: str | Path, *, counts: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """Write a prepared folder and return its meta data.

    Memory: the table of distinct triples (8 bytes each), the distinct names, and one batch. Disk beside `out`: 8 bytes
    per triple of every distinct graph.

    Args:
        splits: per split, batches of (questions as plain JSON objects, triples per question, their terms flat).
        counts: questions expected per split.

    Raises:
        InputError: `out` is taken, a malformed question, or another number of questions than expected.
    """
    out = Path(out)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise InputError(f"{out}: already exists; prepare into a new folder, or remove it first")
    out.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        meta = _write(splits, folder, counts or {})
        if out.exists():
            out.rmdir()
        folder.rename(out)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return meta


def _write(splits: Mapping[str, Iterable[Batch]], folder: Path, counts: Mapping[str, int]) -> dict[str, Any]:
    entities, relations, graphs = _Numbers(ENTITY_BITS), _Numbers(RELATION_BITS), _Graphs(folder / "keys.u64")
    described: dict[str, dict[str, int]] = {}
    try:
        for split, batches in splits.items():
            described[split] = _write_split(split, batches, folder, entities, relations, graphs)
            if split in counts:
                assert_count(f"split {split!r}", described[split]["questions"], counts[split])
    finally:
        graphs.close()
    table = graphs.table()
    np.array(graphs.ends, np.int64).tofile(folder / "offsets.i64")
    dropped = _write_triples(folder, table, entities, relations)
    (folder / "keys.u64").unlink()
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in files}
    meta = {
        "format": FORMAT,
        "splits": described,
        "graphs": len(graphs.ends) - 1,
        "triples": len(table) - dropped,
        "dropped_triples": dropped,  # that a graph cannot hold, such as ones with an empty name
        "references": int(graphs.ends[-1]),
        "bytes": sizes,
    }
    (folder / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
    return meta


def _write_split(
    split: str, batches: Iterable[Batch], folder: Path, entities: _Numbers, relations: _Numbers, graphs: _Graphs
) -> dict[str, int]:
    places: list[int] = []
    ids: set[str] = set()
    total = differing = empty = 0
    with (folder / f"{split}.jsonl").open("w", encoding="utf-8", newline="\n") as stream:
        for questions, sizes, terms in batches:
            keys = _keys(terms, entities, relations)
            ends = np.cumsum(sizes)
            for row, end, size in zip(questions, ends.tolist(), sizes.tolist(), strict=True):
                row = {key: value for key, value in row.items() if value is not None}
                id = parse_example(row).question.id
                if id in ids:
                    raise InputError(f"split {split!r}: id {id!r} stands twice; ids must differ")
                ids.add(id)
                stream.write(json.dumps(row, ensure_ascii=False) + "\n")
                places.append(graphs.add(np.unique(keys[end - size : end])))
                total += size
                differing += row.get("answer") != row.get("a_entity")
                empty += size == 0
    np.array(places, np.int32).tofile(folder / f"{split}.graphs.i32")
    return {
        "questions": len(places),
        "triples_as_published": total,
        "answer_differs_from_a_entity": differing,
        "empty_graphs": empty,
    }


class _Numbers:
    """Names to numbers in order of appearance; a Python look-up per distinct name of a batch, never per triple."""

    def __init__(self, bits: int) -> None:
        self.of: dict[str, int] = {}
        self.limit = 1 << bits

    def numbers(self, names: list[str]) -> NDArray[np.uint64]:
        found = np.fromiter((self.of.setdefault(name, len(self.of)) for name in names), np.uint64, len(names))
        if len(self.of) > self.limit:
            raise InputError(f"more than {self.limit:,} distinct names, which is more than a prepared set can hold")
        return found


class _Graphs:
    """The distinct graphs as they come: keys to a file, digests in memory."""

    def __init__(self, path: Path) -> None:
        self._file: IO[bytes] = path.open("wb")
        self._known: dict[bytes, int] = {}
        self._table: Keys = np.empty(0, np.uint64)
        self._waiting: list[Keys] = []
        self._gathered = 0
        self.ends = [0]

    def add(self, keys: Keys) -> int:
        """The number of the graph with these sorted keys."""
        digest = hashlib.blake2b(keys.tobytes(), digest_size=16).digest()
        number = self._known.setdefault(digest, len(self._known))
        if number == len(self.ends) - 1:
            keys.tofile(self._file)
            self.ends.append(self.ends[-1] + len(keys))
            self._waiting.append(keys)
            self._gathered += len(keys)
            if self._gathered > MERGE:
                self._merge()
        return number

    def _merge(self) -> None:
        self._table = np.unique(np.concatenate([self._table, *self._waiting]))
        self._waiting, self._gathered = [], 0

    def table(self) -> Keys:
        """(T,) the distinct triples, sorted."""
        self._merge()
        return self._table

    def close(self) -> None:
        self._file.close()


def _keys(terms: pa.Array, entities: _Numbers, relations: _Numbers) -> Keys:
    """(T,) one number per triple of a batch: head, relation and tail packed into 64 bits."""
    if not len(terms):
        return np.empty(0, np.uint64)
    encoded = terms.dictionary_encode()
    names = encoded.dictionary.to_pylist()
    codes = encoded.indices.to_numpy(zero_copy_only=False).reshape(-1, 3)
    known = []
    for numbers, columns in ((entities, codes[:, [0, 2]]), (relations, codes[:, 1])):
        used = np.unique(columns)
        mine = np.zeros(len(names), np.uint64)
        mine[used] = numbers.numbers([names[code] for code in used.tolist()])
        known.append(mine)
    ends, middle = known
    return _packed(ends[codes[:, 0]], middle[codes[:, 1]], ends[codes[:, 2]])


def _packed(heads: Keys, relations: Keys, tails: Keys) -> Keys:
    shifted: Keys = (heads << np.uint64(RELATION_BITS + ENTITY_BITS)) | (relations << np.uint64(ENTITY_BITS)) | tails
    return shifted


def _write_triples(folder: Path, table: Keys, entities: _Numbers, relations: _Numbers) -> int:
    """Build the store of the distinct triples and turn keys into its triple numbers; returns how many it refused."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    mask = np.uint64((1 << ENTITY_BITS) - 1)
    parts = (
        table >> np.uint64(RELATION_BITS + ENTITY_BITS),
        (table >> np.uint64(ENTITY_BITS)) & np.uint64((1 << RELATION_BITS) - 1),
        table & mask,
    )
    names = [pa.array(list(numbers.of), pa.large_string()) for numbers in (entities, relations)]
    with pq.ParquetWriter(folder / "union.parquet", pa.schema([(c, pa.large_string()) for c in COLUMNS])) as writer:
        for start in range(0, len(table), MERGE):
            piece = [part[start : start + MERGE].astype(np.int64) for part in parts]
            columns = [names[i % 2].take(pa.array(numbers)) for i, numbers in enumerate(piece)]
            writer.write_table(pa.table(columns, names=list(COLUMNS)))
    build([folder / "union.parquet"], folder / "graph.kg")
    (folder / "union.parquet").unlink()
    graph = Graph.open(folder / "graph.kg")
    own_entity = _store_numbers(entities.of, graph.number_of)
    own_relation = _store_numbers(relations.of, {r.id: i for i, r in enumerate(graph.relations())}.get)
    held = _packed_int(graph.as_subgraph.heads, graph.as_subgraph.rels, graph.as_subgraph.tails)
    order = np.argsort(held)
    h, r, t = (own[part] for own, part in zip((own_entity, own_relation, own_entity), parts, strict=True))
    wanted = _packed_int(h, r, t)
    place = np.minimum(np.searchsorted(held[order], wanted), len(held) - 1)
    number = order[place].astype(np.int32)
    number[(held[number] != wanted) | (h < 0) | (r < 0) | (t < 0)] = -1
    offsets = np.fromfile(folder / "offsets.i64", np.int64)
    keys = _mapped(folder / "keys.u64", np.dtype(np.uint64))
    sizes = []
    with (folder / "triples.i32").open("wb") as out:
        for start, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            mine = number[np.searchsorted(table, keys[start:end])]
            kept = np.sort(mine[mine >= 0])
            kept.tofile(out)
            sizes.append(len(kept))
    np.append(0, np.cumsum(sizes, dtype=np.int64)).astype(np.int64).tofile(folder / "offsets.i64")
    return int((number < 0).sum())


COLUMNS = ("head", "relation", "tail")


def _packed_int(heads: NDArray[Any], relations: NDArray[Any], tails: NDArray[Any]) -> Keys:
    return _packed(*(np.asarray(side, np.int64).astype(np.uint64) for side in (heads, relations, tails)))


def _store_numbers(names: Iterable[str], number_of: Any) -> NDArray[np.int64]:
    """(N,) the store's number of each name, -1 where it has none."""
    return np.array([-1 if (number := number_of(name)) is None else number for name in names], np.int64)


def _mapped(path: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.memmap(path, dtype, "r") if path.stat().st_size else np.empty(0, dtype)
