"""What a graph's entities are called, decided once at the end of a build: labels, aliases, kinds and the look-ups.

Kept apart from sorting because it works on texts, not on triples: of all the names an entity was given the best ranked
becomes its label, the others its aliases; what has no name and looks like a nameless node is a mediator.

Shapes: N entities, m texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.assembly import Assembly, Spool
from clew.graph.inputs import FOREIGN, column
from clew.graph.layout import (
    LITERAL,
    MEDIATOR,
    NAME_INDEX,
    NAMED,
    mapped,
    open_strings,
    open_texts,
    put,
    write_array,
    write_texts,
)
from clew.graph.strings import Strings, Texts
from clew.graph.subgraph import Ints
from clew.labels import readable

_PROPERTY = re.compile(r"(.*/)prop/(?:direct|statement|qualifier)/(P\d+)")
DEFAULT_MEDIATOR = r"[mg]\.[0-9a-z_]+"

Predicate = str | re.Pattern[str] | Callable[[str], bool] | None


def mediator_test(predicate: Predicate) -> Callable[[str], bool]:
    """Whether an id is a nameless n-ary node's. A pattern must match the whole id; None is the default one."""
    if callable(predicate):
        return predicate
    try:
        pattern = re.compile(DEFAULT_MEDIATOR if predicate is None else predicate)
    except (re.error, OverflowError, RecursionError) as error:
        raise InputError(f"the pattern of mediators {str(predicate)[:200]!r} is none: {error}") from None
    return lambda id: id.startswith("_:") or pattern.fullmatch(id) is not None


class _Chosen:
    """Rows of a spool that belong to known things, best first within an owner."""

    def __init__(self, spool: Spool, owners: Ints) -> None:
        from clew.graph import bulk

        ranks, ends = mapped(spool.names[2]), mapped(spool.names[3])
        self._data = mapped(spool.names[4])
        self._starts = np.concatenate([np.zeros(min(len(ends), 1), np.int64), ends[:-1]])
        self._lengths = ends - self._starts
        rows = np.flatnonzero(owners >= 0)
        rows = rows[np.lexsort((rows, ranks[rows], owners[rows]))]
        owners, ranks = owners[rows], ranks[rows]
        hashes = bulk.hash_terms(self._data, self._starts[rows], self._lengths[rows])[0]
        leading = np.ones(len(rows), bool)
        leading[1:] = owners[1:] != owners[:-1]
        # The same text twice for one owner is one name: keep where it stands first.
        by_text = np.lexsort((np.arange(len(rows)), hashes, owners))
        again = np.zeros(len(rows), bool)
        again[by_text[1:]] = (owners[by_text[1:]] == owners[by_text[:-1]]) & (
            hashes[by_text[1:]] == hashes[by_text[:-1]]
        )
        rest = ~leading & ~again & (ranks < FOREIGN)
        self.first, self.first_owners = rows[leading], owners[leading]
        self.others, self.other_owners = rows[rest], owners[rest]

    def texts(self, rows: NDArray[np.int64]) -> Strings:
        return Strings(*self._packed(rows))

    def _packed(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        from clew.graph import bulk

        packed, ends = bulk.gather(self._data, self._starts, self._lengths, rows)
        return np.concatenate([np.zeros(1, np.int64), ends]), packed

    def write(self, folder: Path, stem: str, owners: Ints, rows: NDArray[np.int64]) -> None:
        """The texts of some rows, some hundred thousand at a time."""
        write_array(folder / f"{stem}.owners.i32", owners.astype(np.int32))
        with (folder / f"{stem}.i64").open("wb") as offsets, (folder / f"{stem}.u8").open("wb") as data:
            put(np.zeros(1, np.int64), offsets)
            end = 0
            for start in range(0, len(rows), 1 << 18):
                ends, packed = self._packed(rows[start : start + (1 << 18)])
                put(ends[1:] + end, offsets)
                put(packed, data)
                end += len(packed)


def write_labels(assembly: Assembly) -> int:
    """Choose and write labels, aliases, descriptions and relation labels; returns how many texts belong to nothing."""
    folder, unused = assembly.folder, 0
    for kind, spool in assembly.spools.items():
        first, second = mapped(spool.names[0]), mapped(spool.names[1])
        if not len(first):
            continue
        owners = assembly.entities.find(first, second)
        relations = _relations_named(assembly, first, second)
        unused += int(np.count_nonzero((owners < 0) & (relations < 0)))
        chosen = _Chosen(spool, owners)
        if kind == "label":
            chosen.write(folder, "labels", chosen.first_owners, chosen.first)
            chosen.write(folder, "aliases", chosen.other_owners, chosen.others)
            known = relations >= 0
            relations[known] = assembly.relation_rank[relations[known]]
            named = _Chosen(spool, relations)
            write_texts(folder, "relation_labels", Texts(named.first_owners, named.texts(named.first)))
        else:
            chosen.write(folder, "descriptions", chosen.first_owners, chosen.first)
    return unused


def _relations_named(assembly: Assembly, first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Ints:
    """The relation that each text belongs to, -1 for none.

    Wikidata names its properties as entities (`entity/P106`) and uses them as relations (`prop/direct/P106`).
    """
    from clew.graph import bulk

    found = assembly.relations.find(first, second)
    ids = list(open_strings(assembly.scratch, "relations"))
    elsewhere = [(i, f"{m[1]}entity/{m[2]}") for i, id in enumerate(ids) if (m := _PROPERTY.fullmatch(id))]
    if elsewhere:
        keys, others = bulk.hash_terms(*column([id for _, id in elsewhere]))
        order = np.argsort(keys)
        at = order[np.minimum(np.searchsorted(keys[order], first), len(keys) - 1)]
        same = (found < 0) & (keys[at] == first) & (others[at] == second)
        found[same] = np.array([i for i, _ in elsewhere], np.int32)[at[same]]
    return found


def write_kinds(assembly: Assembly, predicate: Predicate) -> NDArray[np.uint8]:
    """Tell mediators from named things and write the kind of every entity: (N,)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = assembly.kinds()
    labelled = open_texts(assembly.folder, "labels").owners
    candidates = kinds == NAMED
    candidates[labelled] = False
    ids = open_strings(assembly.folder, "ids")
    test = mediator_test(predicate)
    offsets, data = mapped(assembly.folder / "ids.i64"), mapped(assembly.folder / "ids.u8")
    for start in range(0, len(kinds), 1 << 18):
        stop = min(start + (1 << 18), len(kinds))
        here = np.flatnonzero(candidates[start:stop]) + start
        if not len(here):
            continue
        if predicate is None:
            array = pa.LargeStringArray.from_buffers(
                stop - start, pa.py_buffer(offsets[start : stop + 1]), pa.py_buffer(data)
            )
            found = np.asarray(pc.match_substring_regex(array, rf"^(?:_:.*|{DEFAULT_MEDIATOR})\z"))
            kinds[here[found[here - start]]] = MEDIATOR
        else:
            kinds[[i for i, id in zip(here.tolist(), ids.take(here), strict=True) if test(id)]] = MEDIATOR
    write_array(assembly.folder / "kinds.u8", kinds)
    return kinds


def write_lookups(folder: Path) -> None:
    """Write the look-up id → entity, and the name index label or alias → entities."""
    import pyarrow as pa

    from clew.graph import bulk
    from clew.graph.names import NameIndex

    offsets, data = mapped(folder / "ids.i64"), mapped(folder / "ids.u8")
    kinds = mapped(folder / "kinds.u8")
    keys = bulk.checksums(data, offsets)
    order = np.argsort(keys, kind="stable")
    write_array(folder / "ids.keys.u32", keys[order])
    write_array(folder / "ids.order.i32", order.astype(np.int32))
    ids, labels, aliases = open_strings(folder, "ids"), open_texts(folder, "labels"), open_texts(folder, "aliases")
    unnamed = kinds != MEDIATOR
    unnamed[labels.owners] = False
    starts, lengths, iris = bulk.label_spans(data, offsets, kinds == LITERAL)
    plain, by_iri = np.flatnonzero(unnamed & ~iris), np.flatnonzero(unnamed & iris)
    packed, ends = bulk.gather(data, starts, lengths, plain)
    texts = [
        _array(np.concatenate([np.zeros(1, np.int64), ends]), packed),
        pa.array(map(readable, _taken(ids, by_iri)), pa.large_string()),
        _array(*labels.strings.arrays),
        _array(*aliases.strings.arrays),
    ]
    numbers = np.concatenate([plain, by_iri, labels.owners, aliases.owners])
    everything = pa.concat_arrays(texts)
    NameIndex.build(everything, folder / NAME_INDEX, numbers=numbers, aliases_from=len(numbers) - len(aliases))


def _array(offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> Any:
    """Packed strings as a pyarrow array, not copied."""
    import pyarrow as pa

    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))


def _taken(strings: Strings, numbers: NDArray[np.int64]) -> Iterator[str]:
    for start in range(0, len(numbers), 1 << 16):
        yield from strings.take(numbers[start : start + (1 << 16)])
