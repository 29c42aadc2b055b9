"""Asking the system for the pages of a mapped array before they are needed, many at once.

Kept apart because it is about discs and not about graphs. A page that is not in memory is read when it is touched: one
wait after the other, and each time with what lies around it, up to megabytes. Told beforehand which pages are wanted,
Linux reads these alone and side by side. Elsewhere, and for arrays in memory, nothing is done.
"""

from __future__ import annotations

import ctypes
import mmap
import sys
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

PAGE = mmap.PAGESIZE
LARGE = 1 << 25  # bytes of an array below which a whole look-around of the system is as good
NEAR = 8  # pages between two ranges that are read with them
MOST = 128  # ranges asked for at once: a thousand calls of the system take milliseconds, also where all is in memory
AROUND = 256  # keys on either side of a guess: four times how far off it is


def wanted(array: NDArray[Any], starts: Any, stops: Any) -> None:
    """Have the items from each of `starts` up to the one in `stops` read, if they are not in memory.

    Args:
        starts, stops: (n,) whole numbers; of more than `MOST` ranges the first are asked for.
    """
    if array.nbytes < LARGE or (advise := _advise()) is None:
        return
    base, size = array.__array_interface__["data"][0], array.itemsize
    first = (base + np.asarray(starts, np.int64)[:MOST] * size) // PAGE
    last = (base + np.asarray(stops, np.int64)[:MOST] * size - 1) // PAGE
    if not len(first):
        return
    order = np.argsort(first, kind="stable")
    first, last = first[order], np.maximum.accumulate(last[order])
    begins = np.flatnonzero(np.concatenate([[True], first[1:] > last[:-1] + NEAR]))
    for low, high in zip(first[begins].tolist(), last[np.append(begins[1:], len(last)) - 1].tolist(), strict=True):
        advise(low * PAGE, (high - low + 1) * PAGE, mmap.MADV_WILLNEED)


def wanted_at(array: NDArray[Any], items: Any) -> None:
    """Have single items read, if they are not in memory."""
    if array.nbytes >= LARGE:
        at = np.asarray(items, np.int64)
        wanted(array, at, at + 1)


def located(keys: NDArray[np.uint64], asked: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where some hashes stand among sorted ones: (q,) first places and places after the last.

    Hashes are spread evenly: a first guess is thousands of places off, a second one tens. So two pages are read where
    a bisection among fifty million touches ten.
    """
    if keys.nbytes < LARGE:
        return np.searchsorted(keys, asked, "left"), np.searchsorted(keys, asked, "right")
    scale = len(keys) / 2.0**64
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
