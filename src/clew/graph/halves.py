"""Names with one letter off among tens of millions: both halves of every name, hashed, with what begins the other half.

Kept apart from `postings`, which find any likeness and read megabytes for it; this finds one letter dropped, added,
changed or swapped with its neighbour, and reads some fifteen pages whatever the number of names. One letter off leaves
one half of a name as it is. So for each length that the name may have, the half of the query that would be whole is
looked up, and of the names found there those are kept whose next five letters, from the middle outwards, are those of
the query but for one. That two halves meet where two letters were swapped is asked for by itself.

An entry is 64 bits: 7 more of the hash, five letters of 5, and the number of the name. Letters are counted as code
points; those of other scripts share the 31 marks, so that more candidates are nominated, never fewer. The caller
compares the names themselves.

Shapes: L names, B buckets, E entries (two for each name that has `SHORTEST` letters or more), q queries, p probes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import pages
from clew.graph.jit import njit
from clew.graph.spelling import Bytes, Longs, next_letter

Hashes = NDArray[np.uint64]
Rows = NDArray[np.int32]

SHORTEST = 3  # letters of a name that is sought so
LONGEST = 1000  # letters of a query
NEXT = 5  # letters of the other half that an entry keeps
REST = 7  # bits of the hash that an entry keeps
ROW = np.uint64(0xFFFFFFFF)


@dataclass(frozen=True, slots=True)
class Halves:
    """The entries of an index, by bucket: (B+1,) places of the buckets, (E,) entries."""

    places: Longs
    entries: Hashes

    def near(self, queries: list[bytes], limit: int) -> Rows:
        """Numbers of the names that may be one letter off one of some texts in normal form, ascending.

        Args:
            limit: names of each half that are taken; of thousands of namesakes these are enough.
        """
        data = np.frombuffer(b"".join(queries) or b" ", np.uint8)
        ends = np.cumsum([0, *map(len, queries)], dtype=np.int64)
        buckets, rests, firsts, codes, masks = _probes(data, ends, (len(self.places) - 2).bit_length())
        pages.wanted(self.places, buckets, buckets + 2)
        pages.wanted(self.entries, self.places[buckets], self.places[buckets + 1])
        found: Rows = _nominated(buckets, rests, firsts, codes, masks, self.places, self.entries, limit)
        return np.unique(found)


def bits_for(names: int) -> int:
    """How many bits number the buckets of some names' halves: eight names a bucket, sixteen entries."""
    return max((names >> 3).bit_length(), 1)


def keys_of(data: Bytes, offsets: Longs) -> Hashes:
    """(2L,) what the entries of each name are ordered by: 32 bits of the hash of a half and the letters that follow."""
    keys = np.empty(2 * (len(offsets) - 1), np.uint64)
    _keys(data, offsets, keys)
    return keys


def entries_of(keys: Hashes, rows: Rows, bits: int) -> tuple[Longs, Hashes]:
    """The bucket of some keys of `keys_of`, and their entries; `rows` says which name each is of."""
    buckets = (keys >> np.uint64(64 - bits)).astype(np.int64)
    rest = (keys >> np.uint64(64 - bits - REST)) & np.uint64((1 << REST) - 1)
    letters = keys & np.uint64((1 << 5 * NEXT) - 1)
    entries: Hashes = np.asarray(
        (rest << np.uint64(57)) | (letters << np.uint64(32)) | rows.astype(np.uint64), np.uint64
    )
    return buckets, entries


@njit(cache=True, nogil=True)
def _letters(data, low, high, letters, starts):  # type: ignore[no-untyped-def]
    """Code points of a text and where each begins; how many, at most as many as there is room for."""
    count, at = 0, low
    while at < high and count < len(letters):
        starts[count] = at
        letters[count], at = next_letter(data, at, high)
        count += 1
    starts[count] = at
    return count


@njit(cache=True, nogil=True)
def _hashed(data, low, high, salt):  # type: ignore[no-untyped-def]
    """32 bits that belong to some bytes; FNV-1a with its bits mixed, because buckets are cut by the first."""
    value = np.uint64(0xCBF29CE484222325) ^ np.uint64(salt)
    for k in range(low, high):
        value = (value ^ np.uint64(data[k])) * np.uint64(0x100000001B3)
    value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(32))) * np.uint64(0x94D049BB133111EB)
    return value >> np.uint64(32)


@njit(cache=True, nogil=True)
def _mark(letter):  # type: ignore[no-untyped-def]
    """A letter in 5 bits, none of which is 0; a to z and the space each have their own."""
    return np.uint64(1 + letter % 31)


@njit(cache=True, nogil=True)
def _keys(data, offsets, keys):  # type: ignore[no-untyped-def]
    most = 1
    for i in range(len(offsets) - 1):
        most = max(most, offsets[i + 1] - offsets[i])
    letters, starts = np.empty(most, np.int64), np.empty(most + 1, np.int64)
    for i in range(len(offsets) - 1):
        n = _letters(data, offsets[i], offsets[i + 1], letters, starts)
        half = (n + 1) // 2
        code = np.uint64(0)
        for k in range(NEXT):
            code = (code << np.uint64(5)) | (_mark(letters[half + k]) if half + k < n else np.uint64(0))
        keys[2 * i] = (_hashed(data, offsets[i], starts[half], 2 * n) << np.uint64(32)) | code
        code = np.uint64(0)
        for k in range(NEXT):
            code = (code << np.uint64(5)) | (_mark(letters[half - 1 - k]) if half - 1 - k >= 0 else np.uint64(0))
        keys[2 * i + 1] = (_hashed(data, starts[half], offsets[i + 1], 2 * n + 1) << np.uint64(32)) | code


@njit(cache=True, nogil=True)
def _patterns(marks, count, change, codes, masks, at):  # type: ignore[no-untyped-def]
    """What the first letters of a half may be in the index where those of the query are `marks`, `count` of them.

    Args:
        change: letters that the name has more than the query: 1, 0 or -1.
    """
    whole = np.uint64((1 << 5 * NEXT) - 1)
    for gone in range(NEXT + 1):
        if (change >= 0 and gone == NEXT) or (change < 0 and gone > count):
            break
        # The letter at `gone` is another (0), stands in the name alone (1), or in the query alone (-1).
        code, mask = np.uint64(0), whole
        for k in range(NEXT):
            source = k if k < gone else k - change
            mark = marks[source] if 0 <= source < count else np.uint64(0)
            if k == gone and change >= 0:
                mark = np.uint64(0)
                mask &= ~(np.uint64(31) << np.uint64(5 * (NEXT - 1 - k)))
            code = (code << np.uint64(5)) | mark
        codes[at], masks[at] = code & mask, mask
        at += 1
    if change == 0:
        for left in range(min(NEXT - 1, count - 1)):
            code = np.uint64(0)
            for k in range(NEXT):
                source = left + 1 if k == left else (left if k == left + 1 else k)
                code = (code << np.uint64(5)) | (marks[source] if source < count else np.uint64(0))
            codes[at], masks[at] = code, whole
            at += 1
    return at


@njit(cache=True, nogil=True)
def _probes(data, ends, bits):  # type: ignore[no-untyped-def]
    """For each half that may be whole: bucket, rest of the hash, and the patterns of what follows it."""
    q = len(ends) - 1
    buckets, rests = np.empty(7 * q, np.int64), np.empty(7 * q, np.uint64)
    firsts = np.zeros(7 * q + 1, np.int64)
    codes, masks = np.empty(7 * q * 2 * NEXT, np.uint64), np.empty(7 * q * 2 * NEXT, np.uint64)
    letters, starts = np.empty(LONGEST + 1, np.int64), np.empty(LONGEST + 2, np.int64)
    marks, swapped = np.zeros(LONGEST + 1, np.uint64), np.empty(8 * LONGEST, np.uint8)
    found = at = 0
    for i in range(q):
        m = _letters(data, ends[i], ends[i + 1], letters, starts)
        if m < SHORTEST - 1 or m > LONGEST:
            continue
        for change in range(-1, 2):
            n = m + change
            half = (n + 1) // 2
            if n < SHORTEST:
                continue
            for side in range(2):
                kept = half if side == 0 else n - half  # letters of the half that is whole
                count = m - kept
                for k in range(min(count, NEXT + 1)):
                    marks[k] = _mark(letters[kept + k] if side == 0 else letters[count - 1 - k])
                low, high = (starts[0], starts[kept]) if side == 0 else (starts[count], starts[m])
                key = _hashed(data, low, high, 2 * n + side)
                buckets[found], rests[found] = _split(key, bits)
                at = _patterns(marks, min(count, NEXT + 1), change, codes, masks, at)
                found += 1
                firsts[found] = at
        half = (m + 1) // 2
        if m >= SHORTEST:  # the two letters where the halves meet, swapped
            a, b, c = starts[half - 1], starts[half], starts[half + 1]
            size = 0
            for k in range(starts[0], a):
                swapped[size] = data[k]
                size += 1
            for k in range(b, c):
                swapped[size] = data[k]
                size += 1
            buckets[found], rests[found] = _split(_hashed(swapped, 0, size, 2 * m), bits)
            code = np.uint64(0)
            for k in range(NEXT):
                source = half - 1 if k == 0 else half + k
                code = (code << np.uint64(5)) | (_mark(letters[source]) if source < m else np.uint64(0))
            codes[at], masks[at] = code, np.uint64((1 << 5 * NEXT) - 1)
            at += 1
            found += 1
            firsts[found] = at
    return buckets[:found], rests[:found], firsts[: found + 1], codes[:at], masks[:at]


@njit(cache=True, nogil=True)
def _split(key, bits):  # type: ignore[no-untyped-def]
    """Bucket and rest of 32 bits."""
    rest = (key >> np.uint64(32 - bits - REST)) & np.uint64((1 << REST) - 1)
    return np.int64(key >> np.uint64(32 - bits)), rest


@njit(cache=True, nogil=True)
def _nominated(buckets, rests, firsts, codes, masks, places, entries, limit):  # type: ignore[no-untyped-def]
    rows = np.empty(64, np.int64)
    found = 0
    letters = np.uint64((1 << 5 * NEXT) - 1)
    for i in range(len(buckets)):
        taken = 0
        for k in range(places[buckets[i]], places[buckets[i] + 1]):
            entry = entries[k]
            if entry >> np.uint64(57) != rests[i]:
                continue
            code = (entry >> np.uint64(32)) & letters
            for j in range(firsts[i], firsts[i + 1]):
                if code & masks[j] == codes[j]:
                    if found == len(rows):
                        rows = np.concatenate((rows, rows))
                    rows[found] = np.int64(entry & ROW)
                    found += 1
                    taken += 1
                    break
            if taken == limit:
                break
    return rows[:found]
