"""Sorting what does not fit into memory: rows are dealt out into parts by key, and each part is sorted by itself.

Kept apart because triples, ids, texts and names are all sorted so. Files are read by slices and not mapped, so that
what was read once does not count as memory, and written, not mapped: on a full disk a mapped file ends the process.
The result does not depend on how many parts there are.

Shapes: n rows of a block.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.layout import TYPES, close_all, put

Longs = NDArray[np.int64]


class OnDisk:
    """A file of rows, of which slices are read: (n,), or (n, width) for a width above one."""

    def __init__(self, file: Path, width: int = 1) -> None:
        self.file, self.width = file, width
        self.dtype = np.dtype(TYPES[file.suffix])
        self._length = file.stat().st_size // (self.dtype.itemsize * width)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, rows: slice) -> NDArray[Any]:
        start, stop, _ = rows.indices(self._length)
        found = np.fromfile(
            self.file,
            self.dtype,
            max(stop - start, 0) * self.width,
            offset=start * self.width * self.dtype.itemsize,
        )
        return found if self.width == 1 else found.reshape(-1, self.width)

    def blocks(self, rows: int) -> Iterator[NDArray[Any]]:
        for start in range(0, self._length, rows):
            yield self[start : start + rows]


class SideBySide:
    """Columns on disk as a table whose last column is the number of the row."""

    def __init__(self, columns: Sequence[OnDisk]) -> None:
        self._columns, self.width = columns, len(columns) + 1

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, rows: slice) -> NDArray[np.int32]:
        start, stop, _ = rows.indices(len(self))
        numbers = np.arange(start, stop, dtype=np.int32)
        return np.stack([*(column[start:stop] for column in self._columns), numbers], axis=1)


class StringsOnDisk:
    """Strings as `layout.open_strings` reads them, block by block."""

    def __init__(self, folder: Path, stem: str) -> None:
        self.offsets, self.data = OnDisk(folder / f"{stem}.i64"), OnDisk(folder / f"{stem}.u8")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def blocks(self, rows: int, most: int) -> Iterator[tuple[int, NDArray[np.uint8], Longs]]:
        """First number, bytes, and (n+1,) offsets into them: up to `rows` strings of about `most` bytes together."""
        start = 0
        while start < len(self):
            offsets = self.offsets[start : start + rows + 1]
            fit = max(int(np.searchsorted(offsets, offsets[0] + most, "right")) - 1, 1)
            offsets = offsets[: fit + 1]
            yield start, self.data[int(offsets[0]) : int(offsets[-1])], offsets - offsets[0]
            start += len(offsets) - 1


class Dealt:
    """Rows dealt out into parts, each column of a part a file of its own, in the order in which they came."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._folder, self._stem = folder, stem
        self._dtypes: list[np.dtype[Any]] = []
        for left in folder.glob(f"{stem}-*"):  # by a build that was killed
            left.unlink()

    def _file(self, part: int, column: int) -> Path:
        return self._folder / f"{self._stem}-{part}-{column}"

    def put(self, part: NDArray[Any], *columns: NDArray[Any]) -> None:
        """Rows and the part each belongs to."""
        self._dtypes = [column.dtype for column in columns]
        order = np.argsort(part, kind="stable")
        counts = np.bincount(part)
        at = 0
        for k in np.flatnonzero(counts).tolist():
            rows = order[at : at + int(counts[k])]
            for number, column in enumerate(columns):
                with self._file(k, number).open("ab") as handle:
                    put(column[rows], handle)
            at += len(rows)

    def put_bytes(self, part: int, column: int, data: NDArray[np.uint8]) -> None:
        """Bytes of any length behind those of a part."""
        with self._file(part, column).open("ab") as handle:
            put(data, handle)

    def bytes_of(self, part: int, column: int) -> NDArray[np.uint8]:
        return self._taken(self._file(part, column), np.dtype(np.uint8))

    def take(self, part: int) -> list[NDArray[Any]]:
        """The columns of a part; its files are gone then."""
        return [self._taken(self._file(part, number), dtype) for number, dtype in enumerate(self._dtypes)]

    @staticmethod
    def _taken(file: Path, dtype: np.dtype[Any]) -> NDArray[Any]:
        if not file.exists():
            return np.empty(0, dtype)
        found = np.fromfile(file, dtype)
        file.unlink()
        return found


def sort_keys(
    blocks: Iterable[NDArray[Any]], count: int, size: int, scratch: Path, stem: str
) -> Iterator[tuple[NDArray[Any], NDArray[np.int32]]]:
    """Unsigned keys in order, and the row each came from; equal ones in order of row. Evenly spread keys are cheapest.

    Args:
        size: rows sorted at once, about.
    """
    if count <= size:
        pieces = list(blocks)
        keys = np.concatenate(pieces) if pieces else np.empty(0, np.uint64)
        del pieces
        yield from _sorted_part(keys, None)
        return
    bits = min(max((2 * count // size).bit_length(), 1), 12)
    dealt = Dealt(scratch, stem)
    row = 0
    for keys in blocks:
        shift = keys.dtype.type(keys.dtype.itemsize * 8 - bits)
        dealt.put((keys >> shift).astype(np.int64), keys, np.arange(row, row + len(keys), dtype=np.int32))
        row += len(keys)
    for part in range(1 << bits):
        keys, rows = dealt.take(part)
        yield from _sorted_part(keys, rows)


def _sorted_part(
    keys: NDArray[Any], rows: NDArray[np.int32] | None
) -> Iterator[tuple[NDArray[Any], NDArray[np.int32]]]:
    order = np.argsort(keys, kind="stable")
    yield keys[order], order.astype(np.int32) if rows is None else rows[order]


def parts(
    table: OnDisk | SideBySide, column: int, num: int, size: int, scratch: Path
) -> Iterator[tuple[NDArray[np.int32], int, int]]:
    """The rows of a table in parts of about `size`, cut by the value of one column: (rows, from value, to value).

    Rows keep their order within a part. A single value with more rows than `size` makes a larger part.
    """
    from clew.graph import bulk

    if len(table) <= size:
        yield table[0 : len(table)], 0, num
        return
    block = max(size // 2, 1)
    counts = np.zeros(num, np.int32)
    for start in range(0, len(table), block):
        bulk.count_into(counts, np.ascontiguousarray(table[start : start + block][:, column]))
    cuts, begins = bulk.cuts(counts, size)
    del counts
    filled = begins[:-1].copy()
    with scratch.open("wb") as deal:
        for start in range(0, len(table), block):
            rows = table[start : start + block]
            part = np.searchsorted(cuts[1:], rows[:, column], "right")
            order = np.argsort(part, kind="stable")
            there = np.bincount(part, minlength=len(filled))
            at = 0
            for k in np.flatnonzero(there).tolist():
                n = int(there[k])
                deal.seek(int(filled[k]) * 4 * table.width)
                put(rows[order[at : at + n]], deal)
                filled[k] += n
                at += n
    dealt = OnDisk(scratch, table.width)
    for k in range(len(cuts) - 1):
        yield dealt[int(begins[k]) : int(begins[k + 1])], int(cuts[k]), int(cuts[k + 1])
    scratch.unlink()


class Sides:
    """Columns written side by side, each in its file."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._files: list[IO[bytes]] = [(folder / name).open("wb") for name in names]
        self._dtypes = [TYPES[Path(name).suffix] for name in names]

    def __enter__(self) -> Sides:
        return self

    def __exit__(self, *_: object) -> None:
        close_all(*self._files)

    def write(self, *columns: NDArray[Any]) -> None:
        for column, file, dtype in zip(columns, self._files, self._dtypes, strict=True):
            put(np.ascontiguousarray(column, dtype), file)
