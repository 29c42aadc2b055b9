"""Which names hold a trigram: lists of name numbers, how they are made, and what is found with them.

Kept apart because it is kernels over byte arrays and knows nothing of entities. What is sought is found in the rarest
of its trigrams first: a letter off spoils four trigrams at most, so that a name that is meant stands in all but four of
the lists that were read, and reading ends where few names are left that do. So a look-up among fifty million names
reads a few megabytes, in which no name's place is looked at twice. Lists come from disk: what leads outside is passed
over.

Shapes: L names, U bytes of all of them, P bytes of all lists, B lists, k lists that are read, m names that are found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import pages
from clew.graph.jit import njit
from clew.graph.spelling import Bytes, Longs

Rows = NDArray[np.int32]

MAX_TEXT_GRAMS = 4096  # of a text in which names are sought
MAX_GRAMS = 120  # of one name: similar spelling is judged by its first 120 bytes, equality by all of it
SPOILT = 4  # most trigrams that a letter off changes: two neighbours in each other's place
CHEAP = 1 << 21  # bytes of lists that are read without asking whether fewer would do: two milliseconds
FIRST = 8  # lists that are read at least
NAME = 2048  # bytes of a list that take as long as looking at a name
BLOCK = 1 << 15  # names counted at once: what the nearest cache holds


@dataclass(frozen=True, slots=True)
class Postings:
    """The lists of an index: (B+1,) places of B lists, (P,) coded gaps, (L,) how many trigrams each name has."""

    places: Longs
    coded: Bytes
    grams: Bytes

    def similar(self, query: bytes, limit: int) -> Rows:
        """Numbers of names that share many trigrams with `query`: the best `limit` by Dice's coefficient, and as many
        of the shortest that hold every trigram of it. Candidates, in no order.

        Where not all lists were read, the coefficient is that of those that were.
        """
        lists, sizes = self._rarest_first([query], MAX_GRAMS)
        most = len(lists)
        count = _affordable(sizes, FIRST)
        least = 1 if count == most and sizes.sum() <= CHEAP else min(2, count)
        rows, shared = self._counted(lists[:count], least)
        while count < most and np.count_nonzero(shared >= count - SPOILT) > limit:
            self._count_on(lists[count], rows, shared)
            count += 1
            still = shared >= min(count - 2 * SPOILT, max(count // 2, 2))
            rows, shared = rows[still], shared[still]
        grams = self._grams_of(rows)
        alike = 510 * shared.astype(np.int64) * most // (count * (most + grams))
        whole = np.flatnonzero(shared == count)
        whole = whole[_smallest(grams[whole], limit)]
        chosen = np.union1d(_smallest(-alike, limit), whole)
        return rows[chosen]

    def within(self, text: bytes, limit: int) -> Rows:
        """Numbers of the names that stand in `text` or nearly so: at most half of its trigrams are missing (one
        letter off costs three, two letters changed about four). The `limit` with most of them; in no order."""
        lists, _ = self._rarest_first([text], MAX_TEXT_GRAMS)
        pages.wanted(self.coded, self.places[lists], self.places[lists + 1])
        with pages.in_order(self.grams):
            result: Rows = _inside(lists, self.places, self.coded, self.grams, limit)
        return result

    def holding(self, parts: Sequence[bytes], data: Bytes, offsets: Longs, limit: int) -> Rows:
        """Numbers of the names that hold the words of each of `parts`, in this order, among others; of more than
        `limit` some of the shortest.

        Args:
            data, offsets: (U,) and (L+1,), the names.
        """
        lists, sizes = self._rarest_first(parts, MAX_GRAMS)
        count = _affordable(sizes, 1)
        rows, shared = self._counted(lists[:count], count)
        while count < len(lists) and len(rows) > max(limit, sizes[count] // NAME):
            self._count_on(lists[count], rows, shared)
            count += 1
            rows, shared = rows[shared == count], shared[shared == count]
        rows = rows[np.argsort(self._grams_of(rows).astype(np.int16), kind="stable")]
        query, ends = np.frombuffer(b"".join(parts) or b" ", np.uint8), np.cumsum([len(part) for part in parts])
        found, kept = [np.empty(0, np.int32)], 0
        for start in range(0, len(rows), limit):
            some = rows[start : start + limit]
            pages.wanted_at(offsets, some)
            pages.wanted(data, offsets[some], offsets[some + 1])
            found.append(_holding(some, query, ends, data, offsets))
            kept += len(found[-1])
            if kept >= limit:
                break
        return np.sort(np.concatenate(found)[:limit])

    def _rarest_first(self, texts: Sequence[bytes], most: int) -> tuple[Longs, Longs]:
        """The lists of the trigrams of some texts and the bytes of each."""
        bits = (len(self.places) - 1).bit_length() - 1
        each = []
        for text in texts:
            found = np.empty(min(max(len(text) + 1, MAX_GRAMS), most), np.int64)
            each.append(found[: _grams(np.frombuffer(text or b" ", np.uint8), 0, len(text), bits, found)])
        lists = each[0] if len(each) == 1 else np.unique(np.concatenate(each))[:most]
        pages.wanted(self.places, lists, lists + 2)
        sizes = self.places[lists + 1] - self.places[lists]
        order = np.argsort(sizes, kind="stable")
        return lists[order], sizes[order]

    def _counted(self, lists: Longs, least: int) -> tuple[Rows, NDArray[np.uint8]]:
        """(m,) the names that stand in `least` of the lists or more, ascending, and in how many."""
        pages.wanted(self.coded, self.places[lists], self.places[lists + 1])
        found: tuple[Rows, NDArray[np.uint8]] = _counted(lists, self.places, self.coded, len(self.grams), least)
        return found

    def _count_on(self, one: int, rows: Rows, shared: NDArray[np.uint8]) -> None:
        """Count a further list for names already found."""
        pages.wanted(self.coded, [self.places[one]], [self.places[one + 1]])
        _count_on(self.places[one], self.places[one + 1], self.coded, rows, shared)

    def _grams_of(self, rows: Rows) -> Longs:
        pages.wanted_at(self.grams, rows)
        return self.grams[rows].astype(np.int64)


def postings(data: Bytes, offsets: Longs) -> Postings:
    """The lists of some names.

    A bucket is a hashed trigram of bytes, a space standing before and after the name. Gaps between successive name
    numbers take one byte below 254, else an escape and two or four more: a third of the room of plain numbers.
    """
    bits = bits_for(len(data))
    seen, written = np.full(1 << bits, -1, np.int64), np.full(1 << bits, -1, np.int64)
    return Postings(*run_of_postings(data, offsets, 0, seen, written))


def bits_for(size: int) -> int:
    """How many bits number the lists of names of `size` bytes together."""
    return int(np.clip(np.ceil(np.log2(max(size, 1))), 16, 18))


def run_of_postings(data: Bytes, offsets: Longs, first: int, seen: Longs, written: Longs) -> tuple[Longs, Bytes, Bytes]:
    """The posting lists of names from number `first` on, which go on where those of the names before them ended.

    Args:
        seen, written: (B,) the last name in each list, -1 for none; twice the same, changed to what it is afterwards.
    """
    bits = (len(seen) - 1).bit_length()
    sizes = np.zeros(len(seen) + 1, np.int64)
    grams = np.zeros(len(offsets) - 1, np.uint8)
    _measure(data, offsets, bits, first, seen, sizes, grams)
    np.cumsum(sizes, out=sizes)
    result = np.empty(int(sizes[-1]), np.uint8)
    _write(data, offsets, bits, first, written, sizes, result)
    return sizes, result, grams


def _affordable(sizes: Longs, least: int) -> int:
    """How many of the lists are read at once: `least`, or as many as are cheap."""
    return max(min(least, len(sizes)), int(np.searchsorted(np.cumsum(sizes), CHEAP, "right")))


def _smallest(keys: Longs, limit: int) -> Longs:
    """Places of the `limit` smallest of some keys below 2^15, the first of equal ones."""
    return np.argsort(keys.astype(np.int16), kind="stable")[:limit]


@njit(cache=True, nogil=True)
def _grams(data, start, end, bits, found):  # type: ignore[no-untyped-def]
    """The distinct buckets of the name data[start:end] into `found`; returns how many."""
    count = 0
    a, b = np.uint64(32), np.uint64(32)
    for k in range(start, end + 1):
        c = np.uint64(data[k]) if k < end else np.uint64(32)
        if k > start or end == start:
            code = (a << np.uint64(16)) | (b << np.uint64(8)) | c
            bucket = np.int64((code * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - bits))
            known = False
            for j in range(count):
                if found[j] == bucket:
                    known = True
                    break
            if not known:
                found[count] = bucket
                count += 1
                if count == len(found):
                    return count
        a, b = b, c
    return count


@njit(cache=True, nogil=True)
def _measure(data, offsets, bits, first, last, sizes, grams):  # type: ignore[no-untyped-def]
    found = np.empty(MAX_GRAMS, np.int64)
    for i in range(len(offsets) - 1):
        count = _grams(data, offsets[i], offsets[i + 1], bits, found)
        grams[i] = count
        for j in range(count):
            gap = first + i - last[found[j]]
            sizes[found[j] + 1] += 1 if gap < 254 else (3 if gap < 65536 else 5)
            last[found[j]] = first + i


@njit(cache=True, nogil=True)
def _write(data, offsets, bits, first, last, places, coded):  # type: ignore[no-untyped-def]
    found = np.empty(MAX_GRAMS, np.int64)
    at = places[:-1].copy()
    for i in range(len(offsets) - 1):
        for j in range(_grams(data, offsets[i], offsets[i + 1], bits, found)):
            bucket = found[j]
            gap = first + i - last[bucket]
            last[bucket] = first + i
            k = at[bucket]
            if gap < 254:
                coded[k] = gap
                at[bucket] = k + 1
                continue
            width = 2 if gap < 65536 else 4
            coded[k] = 254 if width == 2 else 255
            for byte in range(width):
                coded[k + 1 + byte] = (gap >> (8 * byte)) & 255
            at[bucket] = k + 1 + width


@njit(cache=True, nogil=True)
def append_lists(coded, places, result, filled):  # type: ignore[no-untyped-def]
    """Copy each list of a run behind what `result` holds of it; `filled` says where that ends, and is moved on."""
    for b in range(len(filled)):
        k = filled[b]
        for at in range(places[b], places[b + 1]):
            result[k] = coded[at]
            k += 1
        filled[b] = k


@njit(cache=True, nogil=True)
def _gap(coded, at, end):  # type: ignore[no-untyped-def]
    """The gap to the next name of a posting list, and where the one after it stands; 0 where the list is damaged."""
    gap = int(coded[at])
    at += 1
    if gap >= 254:
        width = 2 if gap == 254 else 4
        if at + width > end:
            return 0, end
        gap = 0
        for byte in range(width):
            gap |= int(coded[at + byte]) << (8 * byte)
        at += width
    return gap, at


@njit(cache=True, nogil=True)
def _counted(lists, places, coded, n, least):  # type: ignore[no-untyped-def]
    k = len(lists)
    at, end = np.empty(k, np.int64), np.empty(k, np.int64)
    name = np.full(k, n, np.int64)
    for j in range(k):
        at[j], end[j] = places[lists[j]], places[lists[j] + 1]
        if at[j] < end[j]:
            gap, at[j] = _gap(coded, at[j], end[j])
            name[j] = gap - 1 if gap > 0 else n
    rows, counts = np.empty(1024, np.int32), np.empty(1024, np.uint8)
    found = 0
    seen, touched = np.zeros(BLOCK, np.uint8), np.empty(BLOCK, np.int32)
    for low in range(0, n, BLOCK):
        high = min(low + BLOCK, n)
        many = 0
        for j in range(k):
            row, place, stop = name[j], at[j], end[j]
            while row < high:
                times = seen[row - low] + 1
                seen[row - low] = times
                if times == least:
                    touched[many] = row - low
                    many += 1
                gap = 0
                if place < stop:
                    gap, place = _gap(coded, place, stop)
                row = row + gap if gap > 0 else n
            name[j], at[j] = row, place
        if many > 0:
            while found + many > len(rows):
                rows, counts = np.concatenate((rows, rows)), np.concatenate((counts, counts))
            if many < BLOCK // 16:
                for row in np.sort(touched[:many]):
                    rows[found], counts[found] = low + row, seen[row]
                    found += 1
            else:
                for row in range(high - low):
                    if seen[row] >= least:
                        rows[found], counts[found] = low + row, seen[row]
                        found += 1
        seen[:] = 0
    return rows[:found], counts[:found]


@njit(cache=True, nogil=True)
def _count_on(at, end, coded, rows, counts):  # type: ignore[no-untyped-def]
    name, i = -1, 0
    while at < end and i < len(rows):
        gap, at = _gap(coded, at, end)
        if gap == 0:
            break
        name += gap
        while i < len(rows) and rows[i] < name:
            i += 1
        if i < len(rows) and rows[i] == name:
            counts[i] += 1


@njit(cache=True, nogil=True)
def _shared(wanted, places, coded, n):  # type: ignore[no-untyped-def]
    """(n,) how many of the wanted lists hold each name. The lists come from disk: what leads outside is passed over."""
    shared = np.zeros(n, np.uint8)
    for bucket in wanted:
        at, end = places[bucket], places[bucket + 1]
        name = -1
        while at < end:
            gap, at = _gap(coded, at, end)
            name += gap
            if gap == 0 or name >= n:
                break
            shared[name] += 1
    return shared


@njit(cache=True, nogil=True)
def _inside(wanted, places, coded, grams, limit):  # type: ignore[no-untyped-def]
    """`within` over bucket numbers."""
    n = len(grams)
    shared = _shared(wanted, places, coded, n)
    counts = np.zeros(256, np.int64)
    for i in range(n):
        missing = np.int64(grams[i]) - np.int64(shared[i])
        if shared[i] > 1 and (missing * 2 <= np.int64(grams[i]) or missing <= 3):
            counts[shared[i]] += 1
    least, total = 255, int(counts[255])
    while least > 1 and total + counts[least - 1] <= limit:
        least -= 1
        total += int(counts[least])
    result = np.empty(total, np.int32)
    count = 0
    for i in range(n):
        missing = np.int64(grams[i]) - np.int64(shared[i])
        if shared[i] >= least and shared[i] > 1 and (missing * 2 <= np.int64(grams[i]) or missing <= 3):
            result[count] = i
            count += 1
    return result[:count]


@njit(cache=True, nogil=True)
def _holding(rows, query, ends, data, offsets):  # type: ignore[no-untyped-def]
    """Those of some names that hold the words of each part of `query` (which end at `ends`), one part behind the
    other, and are not these words alone."""
    result = np.empty(len(rows), np.int32)
    kept = 0
    for name in rows:
        at, high = offsets[name], offsets[name + 1]
        if high - at <= len(query):
            continue
        begin = 0
        for end in ends:
            at = _behind(query, begin, end, data, offsets[name], at, high)
            if at < 0:
                break
            begin = end
        if at >= 0:
            result[kept] = name
            kept += 1
    return result[:kept]


@njit(cache=True, nogil=True)
def _behind(query, begin, end, data, low, at, high):  # type: ignore[no-untyped-def]
    """Where the words query[begin:end] end in the name data[low:high], sought from `at` on; -1: nowhere."""
    size = end - begin
    for start in range(at, high - size + 1):
        if (start > low and data[start - 1] != 32) or (start + size < high and data[start + size] != 32):
            continue
        same = True
        for k in range(size):
            if data[start + k] != query[begin + k]:
                same = False
                break
        if same:
            return start + size
    return -1
