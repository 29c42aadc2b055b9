"""What must hold between the arrays of a graph, so that no kernel reads outside one whatever lies on disk.

Kept apart from opening because it knows arrays only: `faults` is the list of rules, each checked by whole arrays, a
gigabyte or more a second. That the content is the one that was written is another matter, for which there are
checksums.

Shapes: N entities, T triples, R relations, S sources, L rows of the name index.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
NAME_ARRAYS = {
    "names": np.uint8,
    "offsets": np.int64,
    "hashes": np.uint64,
    "order": np.int32,
    "raw": np.uint32,
    "numbers": np.int32,
    "buckets": np.int64,
    "postings": np.uint8,
    "grams": np.uint8,
}
HALVES = {"halves": np.uint64, "halves_at": np.int64}  # which an index of few names does not have
STEPS = ("heads.i32", "rels.i32", "tails.i32", "out.triples.i32", "in.heads.i32", "in.rels.i32", "in.triples.i32")
_PIECE = 1 << 22


def faults(arrays: Arrays, meta: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong, in words; nothing where every index leads where it should."""
    counts = {"entities": len(arrays["kinds.u8"]), "relations": len(arrays["relations.i64"]) - 1}
    counts["triples"] = len(arrays["heads.i32"])
    for what, count in counts.items():
        if meta[what] != count:
            yield f"the manifest says {meta[what]:,} {what}, the files hold {count:,}"
    n, r, t = counts["entities"], counts["relations"], counts["triples"]
    absent = [name for name in (*STEPS, "out.offsets.i64", "in.offsets.i64", "ids.keys.u32", "ids.order.i32")
              if name not in arrays]  # fmt: skip
    if absent:
        yield f"{absent[0]} is missing"
        return
    limits = dict(zip(STEPS, (n, r, n, t, n, r, t), strict=True))
    for name, limit in limits.items():
        yield from _numbers(arrays, name, t, limit)
    for name in ("out.offsets.i64", "in.offsets.i64"):
        yield from _offsets(arrays, name, n, t)
    yield from _numbers(arrays, "ids.order.i32", n, n)
    if len(arrays["ids.keys.u32"]) != n:
        yield f"ids.keys.u32 holds {len(arrays['ids.keys.u32']):,} numbers, {n:,} were expected"
    if n and int(arrays["kinds.u8"].max()) > 2:
        yield "kinds.u8 holds a kind of entity that there is not"
    yield from _strings(arrays, "ids", n)
    yield from _strings(arrays, "relations", r)
    sources = 0
    if "sources.i64" in arrays:
        sources = len(arrays["sources.i64"]) - 1
        yield from _strings(arrays, "sources", sources)
    if "sources.of.i32" in arrays:
        yield from _numbers(arrays, "sources.of.i32", t, sources, least=-1)
    for stem, owners in (("labels", n), ("aliases", n), ("descriptions", n), ("relation_labels", r)):
        name = f"{stem}.owners.i32"
        if name in arrays:
            yield from _numbers(arrays, name, len(arrays[name]), owners)
            if not _ascending(arrays[name]):
                yield f"{name} is not in order"
            yield from _strings(arrays, stem, len(arrays[name]))
    yield from name_faults({k.split("/")[1]: a for k, a in arrays.items() if k.startswith("names/")}, n)


def name_faults(files: Arrays, entities: int | None = None) -> Iterator[str]:
    """The same for the files of a name index: `names.json` and one `.npy` for each array."""
    absent = [name for name in (*(f"{stem}.npy" for stem in NAME_ARRAYS), "names.json") if name not in files]
    if absent:
        yield f"names/{absent[0]} is missing"
        return
    try:
        rows = names_meta(files["names.json"].tobytes())["rows"]
    except ValueError as error:
        yield f"names/names.json is damaged ({error})"
        return
    arrays = {stem: files[f"{stem}.npy"] for stem in NAME_ARRAYS}
    for stem, dtype in NAME_ARRAYS.items():
        if arrays[stem].dtype != dtype:
            yield f"names/{stem}.npy holds {arrays[stem].dtype}, expected {np.dtype(dtype)}"
            return
    lengths = {"offsets": rows + 1, "hashes": rows, "order": rows, "raw": rows}
    for stem in ("numbers", "grams"):
        lengths[stem] = rows if len(arrays[stem]) else 0
    for stem, length in lengths.items():
        if len(arrays[stem]) != length:
            yield f"names/{stem}.npy holds {len(arrays[stem]):,} numbers, {length:,} were expected"
            return
    named = {f"names/{stem}.npy": array for stem, array in arrays.items()}
    yield from _offsets(named, "names/offsets.npy", rows, len(arrays["names"]))
    yield from _numbers(named, "names/order.npy", rows, rows)
    if len(arrays["numbers"]):
        yield from _numbers(named, "names/numbers.npy", rows, np.iinfo(np.int32).max if entities is None else entities)
    buckets = len(arrays["buckets"]) - 1
    if len(arrays["grams"]) and (buckets < 1 << 16 or buckets & (buckets - 1)):
        yield f"names/buckets.npy holds {buckets + 1:,} numbers, a power of two and one were expected"
    elif len(arrays["grams"]):
        yield from _offsets(named, "names/buckets.npy", buckets, len(arrays["postings"]))
    if any(f"{stem}.npy" in files for stem in HALVES):
        yield from _halves(files, rows)


def _halves(files: Arrays, rows: int) -> Iterator[str]:
    """What is wrong with the halves of names."""
    for stem, dtype in HALVES.items():
        if f"{stem}.npy" not in files:
            yield f"names/{stem}.npy is missing"
            return
        if files[f"{stem}.npy"].dtype != dtype:
            yield f"names/{stem}.npy holds {files[f'{stem}.npy'].dtype}, expected {np.dtype(dtype)}"
            return
    entries, starts = files["halves.npy"], files["halves_at.npy"]
    buckets = len(starts) - 1
    if buckets < 1 or buckets & (buckets - 1) or buckets > 1 << 25:
        yield f"names/halves_at.npy holds {buckets + 1:,} numbers, a power of two and one were expected"
        return
    yield from _offsets({"names/halves_at.npy": starts}, "names/halves_at.npy", buckets, len(entries))
    largest = max(
        (int((entries[at : at + _PIECE] & np.uint64(0xFFFFFFFF)).max()) for at in range(0, len(entries), _PIECE)),
        default=-1,
    )
    if largest >= rows:
        yield f"names/halves.npy holds a number outside 0…{rows - 1}"


def names_meta(content: bytes) -> dict[str, int]:
    """What `names.json` says. Raises ValueError where it is no such file."""
    try:
        meta = json.loads(content)
        found = {key: meta[key] for key in ("version", "rows", "aliases_from", "max_words")}
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    if any(type(value) is not int or value < 0 for value in found.values()):
        raise ValueError("a number that is none")
    return found


def _numbers(arrays: Arrays, name: str, length: int, limit: int, *, least: int = 0) -> Iterator[str]:
    """As many as there must be, each at least `least` and below `limit`."""
    array = arrays[name]
    if len(array) != length:
        yield f"{name} holds {len(array):,} numbers, {length:,} were expected"
    elif length and (int(array.min()) < least or int(array.max()) >= limit):
        yield f"{name} holds a number outside {least}…{limit - 1}"


def _offsets(arrays: Arrays, name: str, length: int, total: int) -> Iterator[str]:
    """Places that begin at 0, end at `total` and never go back."""
    array = arrays[name]
    if not len(array) or len(array) != length + 1:
        yield f"{name} holds {len(array):,} numbers, {length + 1:,} were expected"
    elif int(array[0]) != 0 or int(array[-1]) != total or not _ascending(array):
        yield f"{name} does not go from 0 to {total:,} in order"


def _ascending(array: NDArray[Any]) -> bool:
    return all(
        bool(np.all(array[start + 1 : start + _PIECE + 1] >= array[start : start + _PIECE][: len(array) - start - 1]))
        for start in range(0, len(array) - 1, _PIECE)
    )


def _strings(arrays: Arrays, stem: str, count: int) -> Iterator[str]:
    if f"{stem}.i64" not in arrays or f"{stem}.u8" not in arrays:
        yield f"{stem}.i64 or {stem}.u8 is missing"
    else:
        yield from _offsets(arrays, f"{stem}.i64", count, len(arrays[f"{stem}.u8"]))
