"""Triples on their way to disk: terms become numbers, rows are sorted from both ends, all without holding the input.

Kept apart because it is what makes a graph larger than memory possible. Strings go straight to their file, about 28
bytes of hash and table stay in memory per entity; triples go to a file of numbers that is cut by head (and again by
tail) into parts that fit in memory and are sorted one after the other. Where the table of terms itself outgrows what it
may take, it goes on in a file. The result does not depend on any of this.

Shapes: n rows of a batch, T triples, N entities, R relations.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.external import OnDisk, SideBySide, Sides, StringsOnDisk, parts
from clew.graph.inputs import Batch, Notes, Rows, TableColumn
from clew.graph.layout import LITERAL, close_all, open_strings, put, write_array, write_strings
from clew.graph.memory import Memory
from clew.graph.subgraph import Ints

ROW = 64  # bytes that a triple takes while it is sorted
KINDS_OF_TEXT = ("label", "description")
SPOOLED = ("first.u64", "second.u64", "rank.i16", "ends.i64", "u8")  # owners as hashes, ranks, ends and bytes of texts
OnPart = Callable[[float], None]
"""Told how much of a step is done, in [0, 1]."""


class Numbering:
    """Terms to numbers in order of appearance; the strings go to `<stem>.u8`, where each ends to `<stem>.i64`."""

    def __init__(self, folder: Path, stem: str, scratch: Path | None = None, limit: int = 1 << 62) -> None:
        """`limit`: bytes that the table may take in memory; beyond it lies in files in `scratch`."""
        self._folder, self._scratch, self._stem, self._limit = folder, scratch or folder, stem, limit
        self._data: IO[bytes] = (folder / f"{stem}.u8").open("wb")
        self._offsets: IO[bytes] = (folder / f"{stem}.i64").open("wb")
        put(np.zeros(1, np.int64), self._offsets)
        self.count, self._bytes = 0, 0
        self._slots = np.full(1 << 12, -1, np.int32)  # a power of two of them, at least a quarter more than terms
        self._first, self._second = np.empty(1 << 11, np.uint64), np.empty(1 << 11, np.uint64)

    def number(self, terms: TableColumn) -> tuple[Ints, NDArray[np.int64]]:
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
        size = max(self.count + more, len(self._first) * 5 // 4)
        slots = 1 << (size * 5 // 4 - 1).bit_length()
        # What is asked for is taken only as it is filled; the slots are filled at once.
        in_file = 16 * size + 4 * slots > self._limit
        for name in ("_first", "_second"):
            grown = self._array(name, size, np.uint64, in_file)
            grown[: self.count] = getattr(self, name)[: self.count]
            setattr(self, name, grown)
        if slots > len(self._slots):
            self._slots = np.empty(0, np.int32)  # given back before the larger one is taken
            self._slots = self._array("_slots", slots, np.int32, in_file)
            self._slots.fill(-1)
            bulk.rehash(self._slots, self._first, self.count)

    def _array(self, name: str, size: int, dtype: type[np.generic], in_file: bool) -> NDArray[Any]:
        """Room for so many numbers, in memory or in a file."""
        if not in_file:
            return np.empty(size, dtype)
        file = self._scratch / f"table.{self._stem}{name}"
        with file.open("wb") as handle:  # all of it now: a mapped file on a full disk would end the process
            os.posix_fallocate(handle.fileno(), 0, size * np.dtype(dtype).itemsize)
        table = np.asarray(np.memmap(file, dtype, "r+", shape=(size,)))
        file.unlink()
        return table

    def find(self, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Ints:
        """Numbers of terms given by their hashes, -1 for unknown ones."""
        from clew.graph import bulk

        found: Ints = bulk.intern(first, second, self._slots, self._first, self._second, self.count, False)[0]
        return found

    def keep(self, kept: NDArray[np.bool_]) -> Ints:
        """Forget all terms but some; (count,) the new number of each, -1 of what is gone."""
        from clew.graph import bulk

        self.flush()
        numbers = np.where(kept, np.cumsum(kept) - 1, -1).astype(np.int32)
        rows = np.flatnonzero(kept)
        terms = StringsOnDisk(self._folder, self._stem)
        with Sides(self._folder, (f"kept.{self._stem}.i64", f"kept.{self._stem}.u8")) as out:
            out.write(np.zeros(1, np.int64), np.empty(0, np.uint8))
            self._bytes = 0
            for start, data, offsets in terms.blocks(1 << 20, 1 << 28):
                here = np.flatnonzero(kept[start : start + len(offsets) - 1])
                packed, ends = bulk.gather(data, offsets[:-1], np.diff(offsets), here)
                out.write(ends + self._bytes, packed)
                self._bytes += len(packed)
        self.close()
        for suffix in ("i64", "u8"):
            (self._folder / f"kept.{self._stem}.{suffix}").replace(self._folder / f"{self._stem}.{suffix}")
        self._data = (self._folder / f"{self._stem}.u8").open("ab")
        self._offsets = (self._folder / f"{self._stem}.i64").open("ab")
        self.count = len(rows)
        for known in (self._first, self._second):
            known[: self.count] = known[rows]
        self._slots.fill(-1)
        bulk.rehash(self._slots, self._first, self.count)
        return numbers

    def flush(self) -> None:
        self._data.flush()
        self._offsets.flush()

    def close(self) -> None:
        close_all(self._data, self._offsets)


class Assembly:
    """Takes batches of triples and texts and turns them into the files of a graph."""

    def __init__(self, folder: Path, scratch: Path, memory: Memory) -> None:
        self.folder, self.scratch, self.memory = folder, scratch, memory
        self.entities = Numbering(folder, "ids", scratch, memory.table)
        self.relations = Numbering(scratch, "relations")
        self.sources = Numbering(scratch, "sources")
        self.rows = 0
        self.sourced = False
        self._kinds: IO[bytes] = (scratch / "kinds.u8").open("wb")
        self._triples: IO[bytes] = (scratch / "triples.i32").open("wb")  # (rows, 4): head, relation, tail, source
        self.spools = {kind: Spool(scratch, kind) for kind in KINDS_OF_TEXT}

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
            some = TableColumn(batch.sources.data, batch.sources.starts[stated], batch.sources.lengths[stated])
            table[stated, 3] = self.sources.number(some)[0]
        put(table, self._triples)
        self.rows += len(heads)

    def narrow(self, file: Path, entities: NDArray[np.bool_], relations: NDArray[np.bool_]) -> None:
        """Go on with other triples, numbered as those so far, and with no other entities and relations than some.

        Args:
            file: the triples, as rows of four; it is gone afterwards.
            entities: (N,) which are kept; `relations`: (R,) the same.
        """
        self.flush()
        write_array(self.scratch / "kinds.u8", self.kinds()[entities])
        owners, names = self.entities.keep(entities), self.relations.keep(relations)
        close_all(self._kinds, self._triples)
        self._kinds = (self.scratch / "kinds.u8").open("ab")
        self._triples = (self.scratch / "triples.i32").open("wb")
        self.rows = 0
        for block in OnDisk(file, 4).blocks(1 << 20):
            rows = np.stack([owners[block[:, 0]], names[block[:, 1]], owners[block[:, 2]], block[:, 3]], axis=1)
            put(rows, self._triples)
            self.rows += len(rows)
        file.unlink()

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


class Spool:
    """Texts on their way: whom they belong to as hashes, their bytes, their ranks."""

    def __init__(self, scratch: Path, kind: str) -> None:
        self.names = [scratch / f"{kind}.{part}" for part in SPOOLED]
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


class Spooled:
    """What a spool holds once its owners are known: owner and relation of each text (-1: none), ranks and texts."""

    def __init__(self, scratch: Path, kind: str) -> None:
        first, second, rank, ends, data = (scratch / f"{kind}.{part}" for part in SPOOLED)
        self.first, self.second, self.ranks = OnDisk(first), OnDisk(second), OnDisk(rank)
        self._ends, self._data = OnDisk(ends), OnDisk(data)
        self.owner_file, self.relation_file = scratch / f"{kind}.owner.i32", scratch / f"{kind}.relation.i32"

    def __len__(self) -> int:
        return len(self.ranks)

    @property
    def total(self) -> int:
        """Bytes of all texts."""
        return len(self._data)

    def lengths(self, rows: slice) -> tuple[int, NDArray[np.int64]]:
        """Where the texts of some rows begin, and how long each is."""
        start, stop, _ = rows.indices(len(self))
        ends = self._ends[max(start - 1, 0) : stop]
        bounds = ends if start else np.concatenate([np.zeros(1, np.int64), ends])
        return int(bounds[0]), np.diff(bounds)

    def bytes(self, start: int, length: int) -> NDArray[np.uint8]:
        return self._data[start : start + length]


def relation_ranks(scratch: Path) -> tuple[list[str], Ints]:
    """The relation ids in order, and the place of each relation in that order."""
    ids = list(open_strings(scratch, "relations"))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    return [ids[i] for i in order], rank


def sort_by_head(folder: Path, scratch: Path, memory: Memory, *, sourced: bool, on_part: OnPart) -> int:
    """Write the triples in order of (head, relation, tail); returns how many remain.

    Relations are renumbered in the order of their ids, so that the same facts in another order give the same
    relation numbers.
    """
    from clew.graph import bulk

    relations, rank = relation_ranks(scratch)
    write_strings(folder, "relations", relations)
    if sourced:
        write_strings(folder, "sources", open_strings(scratch, "sources"))
    num = len(StringsOnDisk(folder, "ids"))
    raw = OnDisk(scratch / "triples.i32", 4)
    sources = ("sources.of.i32",) if sourced else ()
    total, rows = 0, 0
    with (
        Sides(folder, ("heads.i32", "rels.i32", "tails.i32", *sources)) as out,
        Sides(folder, ("out.offsets.i64",)) as offsets,
    ):
        offsets.write(np.zeros(1, np.int64))
        for part, low, high in parts(raw, 0, num, memory.rows(ROW), scratch / "by-head.i32"):
            h, r, t = part[:, 0] - np.int32(low), rank[part[:, 1]], np.ascontiguousarray(part[:, 2])
            rows += len(part)
            source = part[:, 3].copy() if sourced else None
            del part
            order = np.arange(len(h), dtype=np.int32)
            for column, size in ((t, num), (r, len(rank)), (h, high - low)):
                order = bulk.sorted_by(column, order, size)
            order = bulk.distinct(h, r, t, order)
            h = h[order]
            offsets.write(total + np.cumsum(np.bincount(h, minlength=high - low)))
            out.write(h + np.int32(low), r[order], t[order], *(() if source is None else (source[order],)))
            total += len(order)
            on_part(rows / max(len(raw), 1))
    with Sides(folder, ("out.triples.i32",)) as numbers:
        for start in range(0, total, 1 << 22):
            numbers.write(np.arange(start, min(start + (1 << 22), total), dtype=np.int32))
    return total


def sort_by_tail(folder: Path, scratch: Path, memory: Memory, *, on_part: OnPart) -> None:
    """Write the triples once more, in order of (tail, relation, head)."""
    from clew.graph import bulk

    num = len(StringsOnDisk(folder, "ids"))
    relations = len(StringsOnDisk(folder, "relations"))
    table = SideBySide([OnDisk(folder / f"{name}.i32") for name in ("heads", "rels", "tails")])
    total = 0
    with (
        Sides(folder, ("in.heads.i32", "in.rels.i32", "in.triples.i32")) as inc,
        Sides(folder, ("in.offsets.i64",)) as offsets,
    ):
        offsets.write(np.zeros(1, np.int64))
        for part, low, high in parts(table, 2, num, memory.rows(ROW), scratch / "by-tail.i32"):
            keys, rels = part[:, 2] - np.int32(low), np.ascontiguousarray(part[:, 1])
            order = np.arange(len(part), dtype=np.int32)
            for column, size in ((rels, relations), (keys, high - low)):
                order = bulk.sorted_by(column, order, size)
            offsets.write(total + np.cumsum(np.bincount(keys, minlength=high - low)))
            inc.write(part[order, 0], rels[order], part[order, 3])
            total += len(part)
            on_part(total / max(len(table), 1))
