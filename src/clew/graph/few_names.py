"""The searches of a name index that is small enough to be read through: no posting lists, no compiled code.

Kept apart from `spelling`, whose compiled searches serve millions of names: importing and loading them costs a process
half a second, thirty times what Python's own substring search takes for twenty thousand names.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.graph.spelling import Bytes, Longs

_SMALL_WORDS = rb"(?:(?:of|the|and|for) )*"


class FewNames:
    """Names in normal form, as one text in which each stands behind a line feed, between two spaces.

    Args:
        data, offsets: (bytes,) and (L+1,), as an index keeps them.
    """

    def __init__(self, data: Bytes, offsets: Longs) -> None:
        raw, bounds = data.tobytes(), offsets.tolist()
        lines = [b"\n %b " % raw[low:high] for low, high in pairwise(bounds)]
        self._text = b"".join(lines)
        self._starts: list[int] = np.cumsum([0, *map(len, lines)]).tolist()
        self._lengths = np.diff(offsets)

    def holding(self, parts: Sequence[bytes], limit: int) -> NDArray[np.int32]:
        """Numbers of the names that hold the words of each of `parts`, in this order, among others; of more than
        `limit` the shortest."""
        rows = np.fromiter(self._rows_with(parts), np.int32)
        rows = rows[self._lengths[rows] > sum(map(len, parts))]
        shortest = np.argsort(self._lengths[rows], kind="stable")[:limit]
        return rows[np.sort(shortest)]

    def initials(self, wanted: bytes, limit: int) -> NDArray[np.int32]:
        """Numbers of the first `limit` names whose words begin with the letters `wanted`; of, the, and, for may be
        left out, but not before the first."""
        words = [re.escape(wanted[i : i + 1]) + rb"[^ \n]* " for i in range(len(wanted))]
        # A literal beginning is what makes the search fast.
        pattern = re.compile(rb"\n " + _SMALL_WORDS.join(words) + _SMALL_WORDS + rb"(?=\n|\Z)")
        rows = [self._row(found.start()) for found in pattern.finditer(self._text)]
        long = [row for row in rows if self._lengths[row] >= 2 * len(wanted)]
        return np.array(long[:limit], np.int32)

    def within(self, text: bytes, limit: int) -> NDArray[np.int32]:
        """As `spelling.within`."""
        buckets, rows, grams = self._trigrams
        wanted = np.unique(_buckets(np.frombuffer(b" %b " % text, np.uint8)))
        low, high = np.searchsorted(buckets, wanted, "left"), np.searchsorted(buckets, wanted, "right")
        found = [rows[a:b] for a, b in zip(low.tolist(), high.tolist(), strict=True)]
        shared = np.bincount(np.concatenate(found), minlength=len(grams)) if found else np.zeros_like(grams)
        missing = grams - shared
        near = np.flatnonzero((shared > 1) & ((missing * 2 <= grams) | (missing <= 3)))
        # Not the best `limit` but those that share more than the first number with which there would be too many.
        at_least = np.cumsum(np.bincount(shared[near], minlength=2)[::-1])[::-1]
        least = max(2, int(np.argmax(at_least <= limit))) if (at_least <= limit).any() else len(at_least)
        return near[shared[near] >= least].astype(np.int32)

    @cached_property
    def _trigrams(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """(P,) trigrams, ascending, and (P,) the name that has each; (L,) how many each name has."""
        data = np.frombuffer(self._text, np.uint8)
        inside = (data[:-2] != 10) & (data[1:-1] != 10) & (data[2:] != 10)
        rows = np.repeat(np.arange(len(self._lengths)), np.diff(self._starts))[:-2][inside]
        pairs = np.unique(_buckets(data)[inside] << 32 | rows)
        rows = pairs & 0xFFFFFFFF
        return pairs >> 32, rows, np.bincount(rows, minlength=len(self._lengths))

    def _rows_with(self, parts: Sequence[bytes]) -> Iterator[int]:
        first, *others = parts
        later = re.compile(rb"(?:[^\n]* )?" + b" (?:[^\n]* )?".join(map(re.escape, others)) + b" ")
        first = b" %b " % first
        at = self._text.find(first)
        while at >= 0:
            row = self._row(at)
            if not others or later.match(self._text, at + len(first)):
                yield row
            at = self._text.find(first, self._starts[row + 1])

    def _row(self, at: int) -> int:
        return bisect_right(self._starts, at) - 1


def _buckets(data: Bytes) -> NDArray[np.int64]:
    """(bytes - 2,) every three successive bytes as a number."""
    if len(data) < 3:
        return np.zeros(0, np.int64)
    a, b, c = (data[i : len(data) - 2 + i].astype(np.int64) for i in range(3))
    return a << 16 | b << 8 | c
