"""Writing a name index of any size: names come in blocks, hashes are sorted in parts, posting lists merged from runs.

Kept apart from `names`, which searches what lies here. Nothing is held but a block of names and, for each of the
quarter million lists, the last name it got: so a run's lists go on where those of the run before it ended, and merging
them is putting them one behind the other. The files are those that `NameIndex.build` writes at once, and from
`MANY` names on their halves (see `halves`), which an index of any size may lack.

Shapes: L names, n of a block, B buckets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph import halves, postings, spelling
from clew.graph.external import Dealt, OnDisk, sort_keys
from clew.graph.layout import put
from clew.graph.memory import Memory
from clew.graph.spelling import Bytes, Longs

VERSION = 1
MANY = 1_000_000  # from this many rows on the halves of names are kept, so that one letter off reads a few pages
BRUTE_FORCE = 20_000  # up to this many rows no postings are kept: they are made when first needed
MAX_WORDS = 40  # of a mention
BLOCK = 1 << 20  # entries of halves made at once
NAME = 160  # bytes that a name and its trigrams take while a run is made
Block = tuple[Bytes, Longs, NDArray[np.int32]]
"""Texts as bytes and (n+1,) offsets, and the entity of each."""
OnPart = Callable[[float], None]


class Growing:
    """A `.npy` file of one dimension that is written piece by piece."""

    def __init__(self, file: Path, dtype: type[np.generic]) -> None:
        self.file, self.dtype, self.count = file, np.dtype(dtype), 0
        self._handle: IO[bytes] = file.open("wb")
        self._head()

    def _head(self) -> None:
        described = {"descr": np.lib.format.dtype_to_descr(self.dtype), "fortran_order": False, "shape": (self.count,)}
        np.lib.format.write_array_header_1_0(self._handle, described)

    def write(self, array: NDArray[Any]) -> None:
        put(array.astype(self.dtype, copy=False), self._handle)
        self.count += len(array)

    def __enter__(self) -> Growing:
        return self

    def __exit__(self, *_: object) -> None:
        with self._handle:
            self._handle.seek(0)
            self._head()  # of the same length: numpy keeps room for the largest number


class _Npy(OnDisk):
    """A finished `.npy` file, read by slices."""

    def __init__(self, file: Path) -> None:
        self.file, self.width = file, 1
        head = np.load(file, mmap_mode="r", allow_pickle=False) if file.stat().st_size else np.empty(0)
        self.dtype, self._length = head.dtype, len(head)
        self._skip = file.stat().st_size - len(head) * head.dtype.itemsize

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        start, stop, _ = rows.indices(self._length)
        count = max(stop - start, 0)
        return np.fromfile(self.file, self.dtype, count, offset=self._skip + start * self.dtype.itemsize)


def write_index(
    directory: Path, blocks: Iterable[Block], aliases: int, memory: Memory, *, on_part: OnPart = lambda _: None
) -> None:
    """Index the names of all blocks, the last `aliases` of which are aliases; a `NameIndex` opens it.

    Raises:
        InputError: more names than an index can hold.
    """
    directory.mkdir(parents=True, exist_ok=True)
    scratch = directory / "scratch"
    scratch.mkdir(exist_ok=True)
    rows, max_words = _write_names(directory, scratch, blocks)
    if rows > np.iinfo(np.int32).max:
        raise InputError(f"name index: {rows:,} texts, expected at most {np.iinfo(np.int32).max:,}")
    on_part(0.4)
    hashes = OnDisk(scratch / "hashes.u64")
    with Growing(directory / "hashes.npy", np.uint64) as keys, Growing(directory / "order.npy", np.int32) as order:
        for sorted_keys, numbers in sort_keys(hashes.blocks(1 << 20), rows, memory.rows(40), scratch, "hashes"):
            keys.write(sorted_keys)
            order.write(numbers)
    hashes.file.unlink()
    on_part(0.5)
    if rows > BRUTE_FORCE:
        write_postings(directory, scratch, memory, on_part=lambda done: on_part(0.5 + 0.4 * done))
    else:
        for stem, dtype in (("buckets", np.int64), ("postings", np.uint8), ("grams", np.uint8)):
            with Growing(directory / f"{stem}.npy", dtype):
                pass
    if rows >= MANY:
        write_halves(directory, scratch, memory)
    scratch.rmdir()
    meta = {"format": "clew names", "version": VERSION, "rows": rows}
    meta |= {"aliases_from": rows - aliases, "max_words": min(MAX_WORDS, max_words)}
    (directory / "names.json").write_text(json.dumps(meta), encoding="utf-8")


def _write_names(directory: Path, scratch: Path, blocks: Iterable[Block]) -> tuple[int, int]:
    """Normal forms and whom they belong to; hashes as they come. Returns how many, and the most words of one."""
    rows, end, max_words = 0, 0, 0
    with (
        Growing(directory / "names.npy", np.uint8) as names,
        Growing(directory / "offsets.npy", np.int64) as places,
        Growing(directory / "raw.npy", np.uint32) as raw,
        Growing(directory / "numbers.npy", np.int32) as owners,
        (scratch / "hashes.u64").open("wb") as hashes,
    ):
        places.write(np.zeros(1, np.int64))
        for texts, bounds, numbers in blocks:
            data, offsets = spelling.normalise_all(texts, bounds)
            names.write(data)
            places.write(offsets[1:] + end)
            put(spelling.hash_all(data, offsets), hashes)
            raw.write((spelling.hash_all(texts, bounds) >> np.uint64(32)).astype(np.uint32))
            owners.write(numbers)
            max_words = max(max_words, spelling.most_words(data, offsets))
            rows, end = rows + len(numbers), end + len(data)
    return rows, max_words


def write_halves(directory: Path, scratch: Path, memory: Memory) -> None:
    """The halves of an index whose names are written."""
    names, offsets = _Npy(directory / "names.npy"), _Npy(directory / "offsets.npy")
    count, step = len(offsets) - 1, memory.rows(NAME)
    bits = halves.bits_for(count)

    def keys() -> Iterator[NDArray[np.uint64]]:
        for start in range(0, count, step):
            bounds = offsets[start : min(start + step, count) + 1]
            yield halves.keys_of(names[int(bounds[0]) : int(bounds[-1])], bounds - bounds[0])

    sizes = np.zeros((1 << bits) + 1, np.int64)
    with Growing(directory / "halves.npy", np.uint64) as out:
        for sorted_keys, places in sort_keys(keys(), 2 * count, memory.rows(60), scratch, "halves"):
            for at in range(0, len(sorted_keys), BLOCK):
                here = slice(at, at + BLOCK)
                buckets, entries = halves.entries_of(sorted_keys[here], places[here] >> 1, bits)
                if len(buckets):
                    first = int(buckets[0])
                    there = np.bincount(buckets - first)
                    sizes[first + 1 : first + 1 + len(there)] += there
                out.write(entries)
    with Growing(directory / "halves_at.npy", np.int64) as starts:
        starts.write(np.cumsum(sizes))


def write_postings(directory: Path, scratch: Path, memory: Memory, *, on_part: OnPart) -> None:
    """The posting lists of an index whose names are written, as `postings.postings` makes them at once."""
    names, offsets = _Npy(directory / "names.npy"), _Npy(directory / "offsets.npy")
    count = len(offsets) - 1
    bits = postings.bits_for(len(names))
    runs: list[Longs] = []  # where each list begins in a run
    seen, written = np.full(1 << bits, -1, np.int64), np.full(1 << bits, -1, np.int64)
    merged = Dealt(scratch, "run")
    step = memory.rows(NAME)
    with Growing(directory / "grams.npy", np.uint8) as grams:
        for start in range(0, count, step):
            bounds = offsets[start : min(start + step, count) + 1]
            data = names[int(bounds[0]) : int(bounds[-1])]
            sizes, coded, found = postings.run_of_postings(data, bounds - bounds[0], start, seen, written)
            grams.write(found)
            merged.put_bytes(len(runs), 0, coded)
            runs.append(sizes)
            on_part(0.8 * min(start + step, count) / max(count, 1))
    total = np.sum([np.diff(run) for run in runs], axis=0, dtype=np.int64)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(total)])
    with Growing(directory / "buckets.npy", np.int64) as buckets:
        buckets.write(ends)
    with Growing(directory / "postings.npy", np.uint8) as lists:
        for piece in _merged(scratch, runs, ends, memory.rows(2, 1 << 30)):
            lists.write(piece)
    for number in range(len(runs)):
        (scratch / f"run-{number}-0").unlink(missing_ok=True)
    on_part(1.0)


def _merged(scratch: Path, runs: list[Longs], ends: Longs, most: int) -> Iterator[Bytes]:
    """The lists one after the other, each from all runs; about `most` bytes at a time."""
    low, buckets = 0, len(ends) - 1
    while low < buckets:
        high = max(int(np.searchsorted(ends, ends[low] + most, "right")) - 1, low + 1)
        result = np.empty(int(ends[high] - ends[low]), np.uint8)
        filled = ends[low:high] - ends[low]
        for number, run in enumerate(runs):
            coded = np.fromfile(
                scratch / f"run-{number}-0", np.uint8, int(run[high] - run[low]), offset=int(run[low])
            ) if run[-1] else np.empty(0, np.uint8)  # fmt: skip
            postings.append_lists(coded, run[low : high + 1] - run[low], result, filled)
        yield result
        low = high
