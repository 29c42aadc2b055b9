"""Triples on their way to disk: terms become numbers, rows are sorted from both ends, all without holding the input.

Kept apart because it is what makes a graph larger than memory possible. Strings go straight to their file, about 28
bytes of hash and table stay in memory per entity; triples go to a file of numbers that is cut by head (and again by
tail) into parts that fit in memory and are sorted one after the other. The result does not depend on the size of parts.

Shapes: n rows of a batch, T triples, N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.inputs import Batch, Column, Notes, Rows
from clew.graph.layout import LITERAL, mapped, open_strings, put, write_array, write_strings
from clew.graph.subgraph import Ints

PART = 1 << 24  # rows sorted at once: about half a gigabyte


class _Closable(Protocol):
    def close(self) -> None: ...


def close_all(*files: _Closable) -> None:
    """Close every one, also where closing one fails because what it held does not fit on the disk."""
    with ExitStack() as stack:
        for file in files:
            stack.callback(file.close)


class Numbering:
    """Terms to numbers in order of appearance; the strings go to `<stem>.u8`, where each ends to `<stem>.i64`."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._data: IO[bytes] = (folder / f"{stem}.u8").open("wb")
        self._offsets: IO[bytes] = (folder / f"{stem}.i64").open("wb")
        put(np.zeros(1, np.int64), self._offsets)
        self.count, self._bytes = 0, 0
        self._slots = np.full(1 << 12, -1, np.int32)
        self._first, self._second = np.empty(1 << 11, np.uint64), np.empty(1 << 11, np.uint64)

    def number(self, terms: Column) -> tuple[Ints, NDArray[np.int64]]:
        """(n,) numbers, and which positions brought a new term."""
        from clew.graph import bulk

        first, second = bulk.hash_terms(*terms)
        # Room for every term being new would need a table for the batch, not for the graph: distinct ones are fewer.
        numbers, fresh = self._intern_in_slices(first, second)
        packed, ends = bulk.gather(*terms, fresh)
        put(packed, self._data)
        put(ends + self._bytes, self._offsets)
        self._bytes += len(packed)
        return numbers, fresh

    def _intern_in_slices(
        self, first: NDArray[np.uint64], second: NDArray[np.uint64]
    ) -> tuple[Ints, NDArray[np.int64]]:
        from clew.graph import bulk

        numbers, fresh = [np.empty(0, np.int32)], [np.empty(0, np.int64)]
        start = 0
        while start < len(first):
            step = max(len(self._first) // 4, 1 << 10)
            self._room(step)
            end = min(start + step, len(first))
            got, new, self.count = bulk.intern(
                first[start:end], second[start:end], self._slots, self._first, self._second, self.count, True
            )
            numbers.append(got)
            fresh.append(new + start)
            start = end
        return np.concatenate(numbers), np.concatenate(fresh)

    def _room(self, more: int) -> None:
        from clew.graph import bulk

        if self.count + more > 2**31 - 2:
            raise InputError(f"more than {2**31 - 2:,} different terms do not fit into one graph; split the input")
        if self.count + more <= len(self._first):
            return
        size = 1 << (self.count + more).bit_length()
        for name in ("_first", "_second"):
            grown = np.empty(size, np.uint64)
            grown[: self.count] = getattr(self, name)[: self.count]
            setattr(self, name, grown)
        self._slots = np.full(size * 2, -1, np.int32)
        bulk.rehash(self._slots, self._first, self.count)

    def find(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Ints:
        """Numbers of terms given by their hashes, -1 for unknown ones."""
        from clew.graph import bulk

        found: Ints = bulk.intern(first, second, self._slots, self._first, self._second, self.count, False)[0]
        return found

    def flush(self) -> None:
        self._data.flush()
        self._offsets.flush()

    def close(self) -> None:
        close_all(self._data, self._offsets)


class Assembly:
    """Takes batches of triples and texts and turns them into the files of a graph."""

    def __init__(self, folder: Path, scratch: Path, part: int) -> None:
        self.folder, self.scratch, self.part = folder, scratch, part
        self.entities = Numbering(folder, "ids")
        self.relations = Numbering(scratch, "relations")
        self.sources = Numbering(scratch, "sources")
        self.rows = 0
        self.sourced = False
        self._kinds: IO[bytes] = (scratch / "kinds.u8").open("wb")
        self._triples: IO[bytes] = (scratch / "triples.i32").open("wb")  # (rows, 4): head, relation, tail, source
        self.spools = {kind: Spool(scratch, kind) for kind in ("label", "description")}

    def add(self, batch: Batch) -> None:
        if isinstance(batch, Notes):
            self.spools[batch.kind].add(batch)
        else:
            self._add_rows(batch)

    def _add_rows(self, batch: Rows) -> None:
        heads, new_heads = self.entities.number(batch.heads)
        put(np.zeros(len(new_heads), np.uint8), self._kinds)
        tails, new_tails = self.entities.number(batch.tails)
        literal = np.zeros(len(new_tails), np.uint8)
        if batch.literal_tails is not None:
            literal[batch.literal_tails[new_tails]] = LITERAL
        put(literal, self._kinds)
        table = np.empty((len(heads), 4), np.int32)
        table[:, 0], table[:, 1], table[:, 2] = heads, self.relations.number(batch.relations)[0], tails
        table[:, 3] = -1
        if batch.sources is not None:
            self.sourced = True
            stated = np.flatnonzero(batch.sources.lengths > 0)
            some = Column(batch.sources.data, batch.sources.starts[stated], batch.sources.lengths[stated])
            table[stated, 3] = self.sources.number(some)[0]
        put(table, self._triples)
        self.rows += len(heads)

    def flush(self) -> None:
        """Bring everything taken in so far into its files, for those who read them before the end."""
        for table in (self.entities, self.relations, self.sources):
            table.flush()
        for spool in self.spools.values():
            spool.flush()
        self._kinds.flush()
        self._triples.flush()

    def close(self) -> None:
        tables = (self.entities, self.relations, self.sources)
        close_all(*tables, *self.spools.values(), self._kinds, self._triples)

    def kinds(self) -> NDArray[np.uint8]:
        return np.fromfile(self.scratch / "kinds.u8", np.uint8)

    def sort(self) -> int:
        """Write the triples in order of (head, relation, tail) and of (tail, relation, head); returns how many remain.

        Relations are renumbered in the order of their ids, so that the same facts in another order give the same
        relation numbers.
        """
        rank = self._sorted_relations()
        num = self.entities.count
        raw = np.memmap(self.scratch / "triples.i32", np.int32, "r").reshape(-1, 4) if self.rows else _none(4)
        sourced = ("sources.of.i32",) if self.sourced else ()
        counts = np.zeros(num, np.int64)
        with _Sides(self.folder, ("heads.i32", "rels.i32", "tails.i32", *sourced)) as out:
            for part, low, high in _parts(raw, 0, num, self.part, self.scratch / "by-head.i32"):
                h, r, t = np.ascontiguousarray(part[:, 0]), rank[part[:, 1]], np.ascontiguousarray(part[:, 2])
                order = _ordered(h - low, high - low, r, len(rank), t, num)
                counts[low:high] = np.bincount(h[order] - low, minlength=high - low)
                out.write(h[order], r[order], t[order], *((part[order, 3],) if sourced else ()))
        total = int(counts.sum())
        write_array(self.folder / "out.offsets.i64", _offsets(counts))
        _write_range(self.folder / "out.triples.i32", total)
        self._sort_by_tail(total, num, len(rank))
        return total

    def _sort_by_tail(self, total: int, num: int, relations: int) -> None:
        from clew.graph import bulk

        sides = [mapped(self.folder / f"{name}.i32") for name in ("heads", "rels", "tails")]
        table = _Columns(sides)
        counts = np.zeros(num, np.int64)
        with _Sides(self.folder, ("in.heads.i32", "in.rels.i32", "in.triples.i32")) as inc:
            for part, low, high in _parts(table, 2, num, self.part, self.scratch / "by-tail.i32"):
                keys = np.ascontiguousarray(part[:, 2]) - low
                order = np.arange(len(part), dtype=np.int64)
                rels = np.ascontiguousarray(part[:, 1])
                for column, size in ((rels, relations), (keys, high - low)):
                    order = bulk.counting_order(column, order, size)
                counts[low:high] = np.bincount(keys, minlength=high - low)
                inc.write(part[order, 0], rels[order], part[order, 3])
        write_array(self.folder / "in.offsets.i64", _offsets(counts))

    def _sorted_relations(self) -> Ints:
        """Write the relation ids in order; returns the new number of each."""
        ids = list(open_strings(self.scratch, "relations"))
        order = sorted(range(len(ids)), key=ids.__getitem__)
        write_strings(self.folder, "relations", [ids[i] for i in order])
        if self.sourced:
            write_strings(self.folder, "sources", open_strings(self.scratch, "sources"))
        rank = np.empty(len(ids), np.int32)
        rank[order] = np.arange(len(ids), dtype=np.int32)
        self.relation_order = np.array(order, np.int32)
        self.relation_rank = rank
        return rank


class Spool:
    """Texts on their way: whom they belong to as hashes, their bytes, their ranks."""

    def __init__(self, scratch: Path, kind: str) -> None:
        self.names = [scratch / f"{kind}.{part}" for part in ("first.u64", "second.u64", "rank.i16", "ends.i64", "u8")]
        self._files: list[IO[bytes]] = [name.open("wb") for name in self.names]
        self._bytes = 0

    def add(self, notes: Notes) -> None:
        from clew.graph import bulk

        first, second = bulk.hash_terms(*notes.owners)
        packed, ends = bulk.gather(*notes.texts, np.arange(len(first)))
        for array, file in zip((first, second, notes.ranks, ends + self._bytes, packed), self._files, strict=True):
            put(array, file)
        self._bytes += len(packed)

    def flush(self) -> None:
        for file in self._files:
            file.flush()

    def close(self) -> None:
        close_all(*self._files)


class _Sides:
    """Columns written side by side."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self._files = [(folder / name).open("wb") for name in names]

    def __enter__(self) -> _Sides:
        return self

    def __exit__(self, *_: object) -> None:
        close_all(*self._files)

    def write(self, *columns: Ints) -> None:
        for column, file in zip(columns, self._files, strict=True):
            put(np.ascontiguousarray(column, np.int32), file)


class _Columns:
    """Columns on disk that can be sliced like a table whose last column is the row number."""

    def __init__(self, columns: Sequence[Ints]) -> None:
        self._columns = columns

    def __len__(self) -> int:
        return len(self._columns[0])

    def __getitem__(self, rows: slice) -> Ints:
        start, stop, _ = rows.indices(len(self))
        numbers = np.arange(start, stop, dtype=np.int32)
        return np.stack([*(column[rows] for column in self._columns), numbers], axis=1)


def _none(width: int) -> Ints:
    return np.empty((0, width), np.int32)


def _parts(table: Any, column: int, num: int, size: int, scratch: Path) -> Iterator[tuple[Ints, int, int]]:
    """The rows of a table in parts of about `size`, cut by the value of one column: (rows, from value, to value).

    Rows keep their order within a part. A single value with more rows than `size` makes a larger part.
    """
    if len(table) <= size:
        yield np.asarray(table[0 : len(table)]), 0, num
        return
    counts = np.zeros(num, np.int64)
    for start in range(0, len(table), size):
        counts += np.bincount(table[start : start + size][:, column], minlength=num)
    ends = np.cumsum(counts)
    cuts = [0]
    while cuts[-1] < num:
        before = int(ends[cuts[-1] - 1]) if cuts[-1] else 0
        cuts.append(max(int(np.searchsorted(ends, before + size, "right")), cuts[-1] + 1))
    cuts[-1] = num
    # Where each part begins in the scratch file; rows are then dealt out to their parts in one pass.
    begins = np.array([int(ends[cut - 1]) if cut else 0 for cut in cuts], np.int64)
    width = table[0:1].shape[1]
    filled = begins[:-1].copy()
    with scratch.open("wb") as deal:  # written, not mapped: on a full disk a mapped file ends the process
        for start in range(0, len(table), size):
            rows = np.asarray(table[start : start + size])
            part = np.searchsorted(np.array(cuts[1:]), rows[:, column], "right")
            order = np.argsort(part, kind="stable")
            there = np.bincount(part, minlength=len(filled))
            at = 0
            for k in np.flatnonzero(there).tolist():
                n = int(there[k])
                deal.seek(int(filled[k]) * 4 * width)
                put(rows[order[at : at + n]], deal)
                filled[k] += n
                at += n
    dealt = np.memmap(scratch, np.int32, "r", shape=(len(table), width))
    for k in range(len(cuts) - 1):
        yield np.array(dealt[begins[k] : begins[k + 1]]), cuts[k], cuts[k + 1]
    del dealt
    scratch.unlink()


def _ordered(h: Ints, num_heads: int, r: Ints, num_relations: int, t: Ints, num: int) -> NDArray[np.int64]:
    """The rows in order of (head, relation, tail), exact duplicates dropped."""
    from clew.graph import bulk

    order = np.arange(len(h), dtype=np.int64)
    for column, size in ((t, num), (r, num_relations), (h, num_heads)):
        order = bulk.counting_order(column, order, size)
    kept: NDArray[np.int64] = bulk.distinct(h, r, t, order)
    return kept


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _write_range(file: Path, total: int) -> None:
    with file.open("wb") as handle:
        for start in range(0, total, 1 << 22):
            put(np.arange(start, min(start + (1 << 22), total), dtype=np.int32), handle)
