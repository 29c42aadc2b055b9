"""What a graph's entities are called, decided once at the end of a build: labels, aliases, kinds and the look-ups.

Kept apart from sorting because it works on texts, not on triples: of all the names an entity was given the best ranked
becomes its label, the others its aliases; what has no name and looks like a nameless node is a mediator.

Shapes: N entities, m texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.assembly import KINDS_OF_TEXT, Assembly, OnPart, Spooled, relation_ranks
from clew.graph.external import Dealt, OnDisk, Sides, StringsOnDisk, sort_keys
from clew.graph.inputs import (
    ALIAS,
    FOREIGN,
    FOREIGN_ALIAS,
    FOREIGN_LANGUAGES,
    TableColumn,
    column,
)
from clew.graph.layout import LITERAL, MEDIATOR, NAME_INDEX, NAMED, open_strings, write_array
from clew.graph.memory import Memory
from clew.graph.strings import arrow_numbers, truths
from clew.graph.subgraph import Ints
from clew.labels import readable

TEXT = 120  # bytes that a text takes while it is sorted
STRING = 160  # bytes that an id takes while it is looked through
BLOCK = 1 << 20
FEW_LANGUAGES = 24  # that nobody asked for, up to which names in them count; a dump has hundreds

_PROPERTY = re.compile(r"(.*/)prop/(?:[a-z-]+/)*(P\d+)")
DEFAULT_MEDIATOR = r"[mg]\.[0-9a-z_]+|.*/statement/[^/]+"  # Freebase's ids, and statements as Wikidata writes them

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


def resolve_owners(assembly: Assembly) -> int:
    """Find whom each text belongs to, while terms can be looked up by hash; returns how many belong to nothing."""
    unused = 0
    for kind in KINDS_OF_TEXT:
        spool = Spooled(assembly.scratch, kind)
        named = _relations_by_hash(assembly)
        with Sides(assembly.scratch, (spool.owner_file.name, spool.relation_file.name)) as out:
            for start in range(0, len(spool), BLOCK):
                first, second = spool.first[start : start + BLOCK], spool.second[start : start + BLOCK]
                owners, relations = assembly.entities.find(first, second), named(first, second)
                unused += int(np.count_nonzero((owners < 0) & (relations < 0)))
                out.write(owners, relations)
    return unused


def _relations_by_hash(assembly: Assembly) -> Callable[[NDArray[np.uint64], NDArray[np.uint64]], Ints]:
    """A function that tells which relation each text belongs to, -1 for none.

    Wikidata names its properties as entities (`entity/P106`) and uses them as relations (`prop/direct/P106`); a
    part of it may have the label of a relation that it states nothing with.
    """
    from clew.graph import bulk

    ids = list(open_strings(assembly.scratch, "relations"))
    elsewhere = [
        (i, f"{m[1]}{place}{m[2]}")
        for i, id in enumerate(ids)
        if (m := _PROPERTY.fullmatch(id))
        for place in ("entity/", "prop/direct/", "prop/", "prop/statement/", "prop/qualifier/")
    ]
    keys, others = bulk.hash_terms(*column([id for _, id in elsewhere]))
    order = np.argsort(keys)
    keys, others = keys[order], others[order]
    numbers = np.array([i for i, _ in elsewhere], np.int32)[order]

    def find(first: NDArray[np.uint64], second: NDArray[np.uint64]) -> Ints:
        found = assembly.relations.find(first, second)
        if len(keys):
            at = np.minimum(np.searchsorted(keys, first), len(keys) - 1)
            same = (found < 0) & (keys[at] == first) & (others[at] == second)
            found[same] = numbers[at[same]]
        return found

    return find


class _Chosen:
    """Texts of known things, best first within an owner: which is the name, and which are others.

    Args:
        few: names in languages nobody asked for are names too, behind all in those asked for; else they are a last
            resort.
    """

    def __init__(
        self, owners: Ints, ranks: NDArray[np.int16], data: NDArray[np.uint8], lengths: Ints, *, few: bool = False
    ) -> None:
        from clew.graph import bulk

        foreign, alias = ranks >= FOREIGN, ranks >= FOREIGN_ALIAS
        as_label, as_alias = (ALIAS - 1, 2 * ALIAS) if few else (FOREIGN, FOREIGN + 1)
        ranks = np.where(alias, as_alias, np.where(foreign, as_label, ranks)).astype(np.int16)
        ends = np.cumsum(lengths, dtype=np.int64)
        self._texts = TableColumn(data, ends - lengths, lengths.astype(np.int64))
        rows = np.argsort((owners.astype(np.int64) << 16) + (ranks.astype(np.int64) + (1 << 15)), kind="stable")
        owners, ranks = owners[rows], ranks[rows]
        leading = np.ones(len(rows), bool)
        leading[1:] = owners[1:] != owners[:-1]
        # The same text twice for one owner is one name: keep where it stands first.
        several = ~leading
        several[:-1] |= ~leading[1:]
        at = np.flatnonzero(several)
        hashes = bulk.hash_terms(data, self._texts.starts[rows[at]], self._texts.lengths[rows[at]])[0]
        by_text = np.lexsort((hashes, owners[at]))
        same = (owners[at][by_text[1:]] == owners[at][by_text[:-1]]) & (hashes[by_text[1:]] == hashes[by_text[:-1]])
        again = np.zeros(len(rows), bool)
        again[at[by_text[1:]]] = same
        rest = ~leading & ~again & (ranks < FOREIGN)
        self.first, self.first_owners = rows[leading], owners[leading]
        self.others, self.other_owners = rows[rest], owners[rest]

    def write(self, out: _TextFiles, owners: Ints, rows: NDArray[np.int64]) -> None:
        from clew.graph import bulk

        for start in range(0, len(rows), 1 << 18):
            packed, ends = bulk.gather(*self._texts, rows[start : start + (1 << 18)])
            out.write(owners[start : start + (1 << 18)], packed, ends)


class _TextFiles:
    """Texts with their owners on the way to disk, as `layout.open_texts` reads them."""

    def __init__(self, folder: Path, stem: str) -> None:
        self._columns = Sides(folder, (f"{stem}.owners.i32", f"{stem}.i64", f"{stem}.u8"))
        self._end = 0
        self._columns.write(np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.uint8))

    def write(self, owners: Ints, packed: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self._columns.write(owners, ends + self._end, packed)
        self._end += len(packed)

    def __enter__(self) -> _TextFiles:
        return self

    def __exit__(self, *_: object) -> None:
        self._columns.__exit__()


def write_labels(folder: Path, scratch: Path, memory: Memory, *, on_part: OnPart) -> None:
    """Choose and write labels, aliases, descriptions and relation labels."""
    for kind in KINDS_OF_TEXT:
        spool = Spooled(scratch, kind)
        if not len(spool):
            continue
        stems = ("labels", "aliases") if kind == "label" else ("descriptions",)
        named, few = [_TextFiles(folder, stem) for stem in stems], _few_languages(spool)
        with named[0], named[-1]:
            for texts, done in _by_owner(spool, scratch, memory):
                chosen = _Chosen(*texts, few=few)
                chosen.write(named[0], chosen.first_owners, chosen.first)
                if kind == "label":
                    chosen.write(named[1], chosen.other_owners, chosen.others)
                on_part(done)
        if kind == "label":
            _write_relation_labels(spool, folder, scratch)


def _few_languages(spool: Spooled) -> bool:
    """Whether the texts are in few languages beside those asked for."""
    seen = np.zeros(FOREIGN_LANGUAGES, bool)
    for block in spool.ranks.blocks(BLOCK):
        seen[block[(block >= FOREIGN) & (block < FOREIGN_ALIAS)] - FOREIGN] = True
    return int(seen.sum()) <= FEW_LANGUAGES


_OfOwners = tuple[Ints, NDArray[np.int16], NDArray[np.uint8], Ints]


def _by_owner(spool: Spooled, scratch: Path, memory: Memory) -> Iterator[tuple[_OfOwners, float]]:
    """Owners, ranks, bytes and lengths of the texts of entities, in parts of ascending owners; the share done."""
    from clew.graph import bulk

    owners = OnDisk(spool.owner_file)
    rows, size = memory.rows(TEXT), (memory.limit if memory.part is None else 1 << 30) // 8
    total = spool.total
    if len(spool) <= rows and total <= size:
        lengths = spool.lengths(slice(0, len(spool)))[1]
        yield _known(owners[:], spool.ranks[:], spool.bytes(0, total), lengths), 1.0
        return
    # Owners in ranges that hold about as many texts each, as a coarse count over all of them says.
    shift = max(int(max((int(block.max(initial=0)) for block in owners.blocks(BLOCK)), default=0)).bit_length() - 20, 0)
    counts = np.zeros((1 << 20) + 1, np.int32)
    for block in owners.blocks(BLOCK):
        bulk.count_into(counts, block[block >= 0] >> shift)
    cuts = bulk.cuts(counts, max(min(rows, len(spool) * size // max(total, 1)), 1))[0]
    dealt = Dealt(scratch, "texts")
    data = Dealt(scratch, "bytes")
    step = max(rows // 2, 1)
    at = 0
    while at < len(spool):
        stop = min(at + step, len(spool))
        start, lengths = spool.lengths(slice(at, stop))
        here, ranks = owners[at:stop], spool.ranks[at:stop]
        packed = TableColumn(spool.bytes(start, int(lengths.sum())), np.cumsum(lengths) - lengths, lengths)
        part = np.searchsorted(cuts[1:], here >> shift, "right")
        known = here >= 0
        dealt.put(part[known], here[known], ranks[known], lengths[known].astype(np.int32))
        for k in np.unique(part[known]).tolist():
            data.put_bytes(k, 0, bulk.gather(*packed, np.flatnonzero((part == k) & known))[0])
        at = stop
    done = 0
    for k in range(len(cuts) - 1):
        who, ranks, sizes = dealt.take(k)
        done += len(who)
        yield (who, ranks, data.bytes_of(k, 0), sizes), done / len(spool)


def _known(owners: Ints, ranks: NDArray[np.int16], data: NDArray[np.uint8], lengths: NDArray[np.int64]) -> _OfOwners:
    """The texts that belong to something."""
    from clew.graph import bulk

    rows = np.flatnonzero(owners >= 0)
    packed, _ = bulk.gather(data, np.cumsum(lengths) - lengths, lengths, rows)
    return owners[rows], ranks[rows], packed, lengths[rows].astype(np.int32)


def _write_relation_labels(spool: Spooled, folder: Path, scratch: Path) -> None:
    """Relations are few: their texts are taken out one after the other."""
    ids, rank = relation_ranks(scratch)
    owners, ranks, texts, lengths = [np.empty(0, np.int32)], [np.empty(0, np.int16)], [np.empty(0, np.uint8)], [0]
    at = 0
    for block in OnDisk(spool.relation_file).blocks(BLOCK):
        for row in (np.flatnonzero(block >= 0) + at).tolist():
            start, length = spool.lengths(slice(row, row + 1))
            owners.append(rank[block[row - at : row - at + 1]])
            ranks.append(spool.ranks[row : row + 1])
            texts.append(spool.bytes(start, int(length[0])))
            lengths.append(int(length[0]))
        at += len(block)
    labelled = {int(owner): row for row, owner in reversed(list(enumerate(np.concatenate(owners).tolist())))}
    for relation, other in _namesakes(ids, labelled).items():
        for part in (ranks, texts, lengths):
            part.append(part[labelled[other] + 1])
        owners.append(np.array([relation], np.int32))
    sizes = np.array(lengths[1:], np.int32)
    chosen = _Chosen(np.concatenate(owners), np.concatenate(ranks), np.concatenate(texts), sizes)
    with _TextFiles(folder, "relation_labels") as out:
        chosen.write(out, chosen.first_owners, chosen.first)


def _namesakes(ids: Sequence[str], labelled: Collection[int]) -> dict[int, int]:
    """Relations without a label that state a property which another relation has a label for.

    Wikidata has up to four of one property: `prop/direct/P39`, `prop/P39`, `prop/statement/P39`, `prop/qualifier/P39`.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for i, id in enumerate(ids):
        if m := _PROPERTY.fullmatch(id):
            groups.setdefault((m[1], m[2]), []).append(i)
    named = ((group, next((i for i in group if i in labelled), None)) for group in groups.values())
    return {i: first for group, first in named if first is not None for i in group if i not in labelled}


def write_kinds(folder: Path, scratch: Path, predicate: Predicate) -> dict[str, int]:
    """Tell mediators from named things and write the kind of every entity; returns how many literals and mediators."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kinds = np.fromfile(scratch / "kinds.u8", np.uint8)
    candidates = kinds == NAMED
    if (folder / "labels.owners.i32").exists():
        for block in OnDisk(folder / "labels.owners.i32").blocks(BLOCK):
            candidates[block] = False
    test = mediator_test(predicate)
    for start, data, offsets in StringsOnDisk(folder, "ids").blocks(1 << 18, 1 << 26):
        here = np.flatnonzero(candidates[start : start + len(offsets) - 1])
        if not len(here):
            continue
        array = pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))
        if predicate is None:
            found = truths(pc.match_substring_regex(array, rf"^(?:_:.*|(?:{DEFAULT_MEDIATOR}))\z"))
            kinds[here[found[here]] + start] = MEDIATOR
        else:
            ids = array.take(arrow_numbers(here)).to_pylist()
            kinds[[start + i for i, id in zip(here.tolist(), ids, strict=True) if test(id)]] = MEDIATOR
    write_array(folder / "kinds.u8", kinds)
    return {
        "literals": int(np.count_nonzero(kinds == LITERAL)),
        "mediators": int(np.count_nonzero(kinds == MEDIATOR)),
    }


def write_id_lookup(folder: Path, memory: Memory) -> None:
    """Write the look-up id → entity."""
    from clew.graph import bulk

    ids = StringsOnDisk(folder, "ids")
    keys = (bulk.checksums(data, offsets) for _, data, offsets in ids.blocks(BLOCK, 1 << 26))
    with Sides(folder, ("ids.keys.u32", "ids.order.i32")) as out:
        for columns in sort_keys(keys, len(ids), memory.rows(24), folder, "lookup"):
            out.write(*columns)


def write_name_index(folder: Path, memory: Memory, *, on_part: OnPart) -> None:
    """Write the name index label or alias → entities."""
    from clew.graph.name_files import write_index

    unnamed = np.fromfile(folder / "kinds.u8", np.uint8)
    literal = unnamed == LITERAL
    unnamed = unnamed != MEDIATOR
    aliases = len(OnDisk(folder / "aliases.owners.i32")) if (folder / "aliases.owners.i32").exists() else 0
    if (folder / "labels.owners.i32").exists():
        for block in OnDisk(folder / "labels.owners.i32").blocks(BLOCK):
            unnamed[block] = False
    write_index(folder / NAME_INDEX, _names(folder, unnamed, literal, memory), aliases, memory, on_part=on_part)


def write_lookups(folder: Path) -> None:
    """Write the look-up id → entity, and the name index label or alias → entities."""
    memory = Memory.of(None)
    write_id_lookup(folder, memory)
    write_name_index(folder, memory, on_part=lambda _: None)


def _names(
    folder: Path, unnamed: NDArray[np.bool_], literal: NDArray[np.bool_], memory: Memory
) -> Iterator[tuple[NDArray[np.uint8], NDArray[np.int64], Ints]]:
    """Every name as bytes, offsets and entity numbers: ids that are their own name, IRIs as words, labels, aliases."""
    from clew.graph import bulk

    rows, most = memory.rows(STRING), memory.rows(4, 1 << 28)
    iris = np.zeros(len(unnamed), bool)
    for start, data, offsets in StringsOnDisk(folder, "ids").blocks(rows, most):
        here = slice(start, start + len(offsets) - 1)
        starts, lengths, iris[here] = bulk.label_spans(data, offsets, literal[here])
        plain = np.flatnonzero(unnamed[here] & ~iris[here])
        packed, ends = bulk.gather(data, starts, lengths, plain)
        yield packed, np.concatenate([np.zeros(1, np.int64), ends]), (plain + start).astype(np.int32)
    iris &= unnamed
    if iris.any():
        for start, data, offsets in StringsOnDisk(folder, "ids").blocks(rows, most):
            picks = np.flatnonzero(iris[start : start + len(offsets) - 1])
            if len(picks):
                yield *_readable(data, offsets, picks), (picks + start).astype(np.int32)
    for stem in ("labels", "aliases"):
        if (folder / f"{stem}.i64").exists():
            owners = OnDisk(folder / f"{stem}.owners.i32")
            for start, data, offsets in StringsOnDisk(folder, stem).blocks(rows, most):
                yield data, offsets, owners[start : start + len(offsets) - 1]


def _readable(
    data: NDArray[np.uint8], offsets: NDArray[np.int64], picks: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """`labels.readable` of some IRIs: compiled where the local name is plain words, else by the function itself."""
    from clew.graph import bulk

    packed, ends, plain = bulk.local_names(data, offsets, picks)
    bounds = np.concatenate([np.zeros(1, np.int64), ends])
    if plain.all():
        return packed, bounds
    odd = np.flatnonzero(~plain)
    raw = data.tobytes() if len(odd) > 64 else None
    texts = []
    for i in picks[odd].tolist():
        low, high = int(offsets[i]), int(offsets[i + 1])
        id = (raw[low:high] if raw is not None else data[low:high].tobytes()).decode("utf-8", "replace")
        texts.append(readable(id))
    said = column(texts)
    both = TableColumn(
        np.concatenate([packed, said.data]), np.concatenate([bounds[:-1], said.starts + len(packed)]),
        np.concatenate([np.diff(bounds), said.lengths]),
    )  # fmt: skip
    order = np.arange(len(picks))
    order[odd] = len(picks) + np.arange(len(odd))
    packed, ends = bulk.gather(*both, order)
    return packed, np.concatenate([np.zeros(1, np.int64), ends])
