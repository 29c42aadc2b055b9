"""How the pages of mapped arrays come into memory: what is looked up by single pages, what is scanned in order.

Kept apart because it is about discs and not about graphs. A page that is not in memory is read when it is touched: one
wait after the other, and each time with what lies around it, up to megabytes. So arrays that are looked up at random
are mapped such that single pages are read (`at_random`); whoever reads all of one says so (`in_order`), and whoever
knows which parts are needed has these read beforehand, many side by side (`wanted`). Elsewhere than on Linux, for small
arrays and for arrays in memory nothing is done.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAGE = mmap.PAGESIZE
LARGE = 1 << 25  # bytes of an array below which a whole look-around of the system is as good
NEAR = 8  # pages between two ranges that are read with them
STEP = 1 << 9  # pages asked for in one call: of more some devices read the first alone
PROBED = 32  # ranges from which on some are looked at first: where they are in memory so are most others
PROBES = 8
LATELY = 64  # calls during which pages are taken to be on disk after one was waited for
AROUND = 256  # keys on either side of a guess: four times how far off it is


def at_random(array: NDArray[Any]) -> None:
    """Have the system read single pages of a mapped array when they are touched."""
    if (mapping := _mapping(array)) is not None:
        mapping.madvise(mmap.MADV_RANDOM)


@contextmanager
def in_order(*arrays: NDArray[Any]) -> Iterator[None]:
    """While arrays that are `at_random` are read from one end to the other, have the system read ahead in them."""
    mappings = [mapping for mapping in map(_mapping, arrays) if mapping is not None]
    for mapping in mappings:
        mapping.madvise(mmap.MADV_NORMAL)
    try:
        yield
    finally:
        for mapping in mappings:
            mapping.madvise(mmap.MADV_RANDOM)


def wanted(array: NDArray[Any], starts: Any, stops: Any) -> None:
    """Have the items from each of `starts` up to the one in `stops` read, if they are not in memory.

    Args:
        starts, stops: (n,) whole numbers, each range with an item at least.
    """
    if array.nbytes < LARGE or not helps(len(starts)) or (advise := _advise()) is None:
        return
    low, high = np.asarray(starts, np.int64), np.asarray(stops, np.int64)
    if len(low) >= PROBED and not _cold(array, low):
        return
    base, size = array.__array_interface__["data"][0], array.itemsize
    first, last = (base + low * size) // PAGE, (base + high * size - 1) // PAGE
    order = np.argsort(first, kind="stable")
    first, last = first[order], np.maximum.accumulate(last[order])
    begins = np.flatnonzero(np.concatenate([[True], first[1:] > last[:-1] + NEAR]))
    for begin, end in zip(first[begins].tolist(), last[np.append(begins[1:], len(last)) - 1].tolist(), strict=True):
        for page in range(begin, end + 1, STEP):
            advise(page * PAGE, min(end + 1 - page, STEP) * PAGE, mmap.MADV_WILLNEED)


def helps(places: int) -> bool:
    """Whether pages of a large array may be asked for before so many places in it are looked up.

    Asking for a few that are there costs more than looking them up: they are asked for while some had to be waited for.
    """
    return places >= PROBED or (places > 0 and _WAITS.lately())


def wanted_at(array: NDArray[Any], items: Any) -> None:
    """Have single items read, if they are not in memory."""
    if array.nbytes >= LARGE:
        at = np.asarray(items, np.int64)
        wanted(array, at, at + 1)


def _cold(array: NDArray[Any], items: NDArray[np.int64]) -> bool:
    """Whether one of some items had to be read from disk: to ask for a page costs as much as ten that are there."""
    before = _read_from_disk()
    array[np.minimum(items[:: len(items) // PROBES], len(array) - 1)].max()
    return _read_from_disk() > before


class _Waits:
    """Whether pages had to be waited for lately, by any thread; one that is a call off does no harm."""

    def __init__(self) -> None:
        self._seen, self._left = 0, 0

    def lately(self) -> bool:
        waits = _read_from_disk()
        if waits != self._seen:
            self._seen, self._left = waits, LATELY
        elif self._left:
            self._left -= 1
        return self._left > 0


_WAITS = _Waits()


def _read_from_disk() -> int:
    """How many pages this process has waited for so far; none where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt


def searched(keys: NDArray[Any], asked: NDArray[Any]) -> NDArray[np.int64]:
    """As `np.searchsorted`; where keys are not in memory, the looks of all bisections are taken side by side."""
    if keys.nbytes < LARGE or len(asked) < PROBED or _advise() is None:
        return np.searchsorted(keys, asked)
    before = _read_from_disk()
    np.searchsorted(keys, asked[:: len(asked) // PROBES])
    if _read_from_disk() == before:
        return np.searchsorted(keys, asked)
    low, high = np.zeros(len(asked), np.int64), np.full(len(asked), len(keys), np.int64)
    while len(open_ := np.flatnonzero(low < high)):
        middle = (low[open_] + high[open_]) // 2
        wanted_at(keys, middle)
        less = keys[middle] < asked[open_]
        low[open_[less]], high[open_[~less]] = middle[less] + 1, middle[~less]
    return low


def located(keys: NDArray[Any], asked: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where some hashes stand among sorted ones of their type: (q,) first places and places after the last.

    Hashes are spread evenly: a first guess is thousands of places off, a second one tens. So two pages are read where
    a bisection among fifty million touches ten.
    """
    if keys.nbytes < LARGE or not helps(len(asked)):
        return np.searchsorted(keys, asked, "left"), np.searchsorted(keys, asked, "right")
    scale = len(keys) / 2.0 ** (8 * keys.itemsize)
    guess = np.minimum((asked * scale).astype(np.int64), len(keys) - 1)
    wanted_at(keys, guess)
    guess += ((asked.astype(np.float64) - keys[guess].astype(np.float64)) * scale).astype(np.int64)
    low, high = np.clip(guess - AROUND, 0, len(keys)), np.clip(guess + AROUND, 0, len(keys))
    wanted(keys, low, high)
    left, right = np.empty(len(asked), np.int64), np.empty(len(asked), np.int64)
    for i, (key, first, last) in enumerate(zip(asked, low.tolist(), high.tolist(), strict=True)):
        near = keys[first:last]
        if not len(near) or (first > 0 and near[0] >= key) or (last < len(keys) and near[-1] <= key):
            first, near = 0, keys  # unevenly spread, or very many of one hash
        left[i], right[i] = first + np.searchsorted(near, key, "left"), first + np.searchsorted(near, key, "right")
    return left, right


def _mapping(array: NDArray[Any]) -> mmap.mmap | None:
    """The mapping that a large array lies in; None where it lies in memory, or where no system can be told."""
    base: Any = array if array.nbytes >= LARGE and hasattr(mmap, "MADV_RANDOM") else None
    while base is not None and not isinstance(base, mmap.mmap):
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    return base


@cache
def _advise() -> Any:
    """The system's `madvise`; None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        found = ctypes.CDLL(None).madvise
    except (OSError, AttributeError):
        return None
    found.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return found
