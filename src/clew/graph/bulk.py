"""Compiled loops over bytes and rows for building a graph: hashing, interning, splitting lines, counting sorts.

Kept apart because importing numba costs a third of a second that nobody who only opens a graph should pay: import this
module inside functions. Everything here works on plain arrays; the meaning is in `build` and `tabular`.

Shapes: B bytes of a block, n terms, T triples, N entities, R relations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.compiled import compiled

# Why a line is no triple; 0 is a triple. The texts are in `tabular`.
FIELDS, EMPTY, NUL, UTF8, LONG, QUOTE = 1, 2, 3, 4, 5, 6


def _crc_table() -> NDArray[np.uint32]:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(0xEDB88320), table >> 1).astype(np.uint32)
    return table


_CRC = _crc_table()


@compiled
def hash_terms(data: Any, starts: Any, lengths: Any) -> Any:
    """Two independent 64-bit hashes of each term: together wide enough to stand for it among billions."""
    n = len(starts)
    first, second = np.empty(n, np.uint64), np.empty(n, np.uint64)
    for i in range(n):
        a, b = np.uint64(14695981039346656037), np.uint64(0x9E3779B97F4A7C15)
        for j in range(starts[i], starts[i] + lengths[i]):
            c = np.uint64(data[j])
            a = (a ^ c) * np.uint64(1099511628211)
            b = (b + c) * np.uint64(0xD6E8FEB86659FD93)
            b ^= b >> np.uint64(29)
        a ^= a >> np.uint64(33)
        a *= np.uint64(0xFF51AFD7ED558CCD)
        a ^= a >> np.uint64(33)
        first[i], second[i] = a, b
    return first, second


@compiled
def intern(first: Any, second: Any, slots: Any, known_first: Any, known_second: Any, count: int, insert: bool) -> Any:
    """Number of each hashed term by open addressing; new ones are numbered from `count` on when `insert`.

    Returns (numbers (n,) with -1 for unknown, positions of the new terms, the new count).
    """
    mask = np.uint64(len(slots) - 1)
    n = len(first)
    numbers = np.empty(n, np.int32)
    fresh = np.empty(n if insert else 0, np.int64)
    added = 0
    for i in range(n):
        p = first[i] & mask
        while True:
            k = slots[p]
            if k < 0:
                if insert:
                    k = count + added
                    slots[p] = k
                    known_first[k], known_second[k] = first[i], second[i]
                    fresh[added] = i
                    added += 1
                break
            if known_first[k] == first[i] and known_second[k] == second[i]:
                break
            p = (p + np.uint64(1)) & mask
        numbers[i] = k
    return numbers, fresh[:added].copy(), count + added


@compiled
def rehash(slots: Any, first: Any, count: int) -> None:
    """Fill empty `slots` (-1 everywhere) with the first `count` terms."""
    mask = np.uint64(len(slots) - 1)
    for k in range(count):
        p = first[k] & mask
        while slots[p] >= 0:
            p = (p + np.uint64(1)) & mask
        slots[p] = k


@compiled
def gather(data: Any, starts: Any, lengths: Any, picks: Any) -> Any:
    """The bytes of some terms, one after the other, and where each ends (relative to the first)."""
    ends = np.empty(len(picks), np.int64)
    total = 0
    for i in range(len(picks)):
        total += lengths[picks[i]]
        ends[i] = total
    packed = np.empty(total, np.uint8)
    at = 0
    for i in range(len(picks)):
        start = starts[picks[i]]
        for j in range(lengths[picks[i]]):
            packed[at] = data[start + j]
            at += 1
    return packed, ends


@compiled
def without(data: Any, starts: Any, lengths: Any, prefix: Any) -> Any:
    """Starts and lengths of terms, of those that begin with a prefix and go on without it."""
    new_starts, new_lengths = starts.copy(), lengths.copy()
    for i in range(len(starts)):
        if lengths[i] <= len(prefix):
            continue
        same = True
        for k in range(len(prefix) - 1, -1, -1):  # ids of one source differ at the end of what they share
            if data[starts[i] + k] != prefix[k]:
                same = False
                break
        if same:
            new_starts[i] += len(prefix)
            new_lengths[i] -= len(prefix)
    return new_starts, new_lengths


@compiled
def _checksums(data: Any, offsets: Any, table: Any) -> Any:
    n = len(offsets) - 1
    keys = np.empty(n, np.uint32)
    for i in range(n):
        crc = np.uint32(0xFFFFFFFF)
        for j in range(offsets[i], offsets[i + 1]):
            crc = table[(crc ^ np.uint32(data[j])) & np.uint32(0xFF)] ^ (crc >> np.uint32(8))
        keys[i] = ~crc
    return keys


def checksums(data: Any, offsets: Any) -> NDArray[np.uint32]:
    """CRC-32 of each string, as `zlib.crc32` gives it."""
    keys: NDArray[np.uint32] = _checksums(data, offsets, _CRC)
    return keys


@compiled
def label_spans(data: Any, offsets: Any, literal: Any) -> Any:
    """Where the label stands in each id: the whole of it, or what is between the quotes of a literal.

    The third result is True for IRIs, whose label is made from them in Python.
    """
    n = len(offsets) - 1
    starts, lengths, iris = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n, np.bool_)
    for i in range(n):
        low, high = offsets[i], offsets[i + 1]
        if literal[i]:
            low += 1
            high -= 1
            while high > low and data[high] != 34:
                high -= 1
        else:
            for j in range(low, high - 2):
                if data[j] == 58 and data[j + 1] == 47 and data[j + 2] == 47:
                    iris[i] = True
                    break
            if (
                high - low > 4
                and data[low] == 117
                and data[low + 1] == 114
                and data[low + 2] == 110
                and data[low + 3] == 58
            ):
                iris[i] = True
        starts[i], lengths[i] = low, high - low
    return starts, lengths, iris


@compiled
def local_names(data: Any, offsets: Any, picks: Any) -> Any:
    """`labels.readable` of IRIs whose local name is of ASCII letters, digits and underscores, without camel case.

    Returns (their bytes, where each ends, which of the picks are such; the others stay empty).
    """
    ends, plain = np.empty(len(picks), np.int64), np.zeros(len(picks), np.bool_)
    room = 0
    for i in range(len(picks)):
        room += offsets[picks[i] + 1] - offsets[picks[i]]
    packed = np.empty(room, np.uint8)
    out = 0
    for i in range(len(picks)):
        low, high = offsets[picks[i]], offsets[picks[i] + 1]
        begin = out
        scheme, at = -1, low
        good = high > low and (65 <= data[low] <= 90 or 97 <= data[low] <= 122)
        while good and at < high:  # a scheme, "://", and no blank: what counts as an IRI
            c = data[at]
            if c <= 32 or c >= 127 or c == 62:
                good = False
            if scheme < 0 and not (48 <= c <= 57 or 65 <= c <= 90 or 97 <= c <= 122 or c in (43, 45, 46)):
                good = at + 2 < high and c == 58 and data[at + 1] == 47 and data[at + 2] == 47
                scheme = at
            at += 1
        good = good and scheme >= 0
        stop = high
        while good and stop > low and (data[stop - 1] == 47 or data[stop - 1] == 35):
            stop -= 1
        start = stop
        words, lower, inner = 0, False, False
        while good and start > low:
            c = data[start - 1]
            if c in (47, 35, 58, 61):
                break
            if 97 <= c <= 122:
                lower = True
            elif not (48 <= c <= 57 or 65 <= c <= 90 or c == 95):
                good = False
            start -= 1
        for k in range(start, stop):
            if data[k] != 95 and (k == start or data[k - 1] == 95):
                words += 1
            elif 65 <= data[k] <= 90:
                inner = True
        if good and words and ((words == 1 and not inner) or (words > 1 and lower)):
            plain[i] = True
            for k in range(start, stop):
                if data[k] == 95:
                    continue
                if out > begin and data[k - 1] == 95:
                    packed[out] = 32
                    out += 1
                packed[out] = data[k]
                out += 1
        ends[i] = out
    return packed[:out].copy(), ends, plain


@compiled
def counting_order(keys: Any, order: Any, n: int) -> Any:
    """A stable reordering of `order` by keys[order], for keys in 0..n-1: one pass of a radix sort."""
    places = np.zeros(n + 1, np.int64)
    for i in range(len(keys)):
        places[keys[i] + 1] += 1
    for k in range(n):
        places[k + 1] += places[k]
    result = np.empty_like(order)
    for i in range(len(order)):
        k = keys[order[i]]
        result[places[k]] = order[i]
        places[k] += 1
    return result


def sorted_by(keys: NDArray[np.int32], order: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    """`order`, stably sorted by keys[order], for keys in 0..n-1; in digits, so that the counts stay in the cache."""
    if n <= 1 << 17:
        found: NDArray[np.int32] = counting_order(keys, order, n)
        return found
    low: NDArray[np.int32] = counting_order(keys & np.int32(0xFFFF), order, 1 << 16)
    high: NDArray[np.int32] = counting_order(keys >> np.int32(16), low, (n >> 16) + 1)
    return high


@compiled
def count_into(counts: Any, keys: Any) -> None:
    """Add to each key's count how often it comes."""
    for i in range(len(keys)):
        counts[keys[i]] += 1


@compiled
def cuts(counts: Any, size: int) -> Any:
    """Where to cut values into runs of about `size` rows: the first value of each run, and the row it begins at; both
    end with what is behind the last one. A value of more rows is a run of its own."""
    n = len(counts)
    values, rows = np.zeros(n + 1, np.int64), np.zeros(n + 1, np.int64)
    runs, total, begin = 1, np.int64(0), np.int64(0)
    for k in range(n):
        if total + counts[k] - begin > size and k > values[runs - 1]:
            values[runs], rows[runs] = k, total
            runs += 1
            begin = total
        total += counts[k]
    values[runs], rows[runs] = n, total
    return values[: runs + 1].copy(), rows[: runs + 1].copy()


@compiled
def distinct(heads: Any, rels: Any, tails: Any, order: Any) -> Any:
    """`order` (which sorts the rows) without the rows that equal the one before."""
    kept = 0
    result = np.empty_like(order)
    for i in range(len(order)):
        row = order[i]
        if i:
            last = order[i - 1]
            if heads[row] == heads[last] and rels[row] == rels[last] and tails[row] == tails[last]:
                continue
        result[kept] = row
        kept += 1
    return result[:kept].copy()


@compiled
def _valid_utf8(data: Any, start: int, end: int) -> bool:
    i = start
    while i < end:
        c = data[i]
        if c < 0x80:
            i += 1
            continue
        if 0xC2 <= c <= 0xDF:
            need = 1
        elif 0xE0 <= c <= 0xEF:
            need = 2
        elif 0xF0 <= c <= 0xF4:
            need = 3
        else:
            return False
        if i + need >= end:
            return False
        second = data[i + 1]
        if (c == 0xE0 and second < 0xA0) or (c == 0xED and second > 0x9F):
            return False
        if (c == 0xF0 and second < 0x90) or (c == 0xF4 and second > 0x8F):
            return False
        for k in range(1, need + 1):
            if data[i + k] & 0xC0 != 0x80:
                return False
        i += need + 1
    return True


@compiled
def split_rows(
    data: Any, end: int, delimiter: int, quote: int, picks: Any, fields: int, limit: int, final: bool, room: int
) -> Any:
    """Split lines into fields and keep three of them.

    Quoted fields are unescaped in place. A line that cannot be a row is noted and passed over; blank ones are ignored.

    Args:
        data: (B,) bytes, changed where quotes are removed; `end` of them count.
        quote: byte that quotes a field, 0 for none.
        picks: (3,) positions of head, relation and tail.
        fields: how many fields a row must have.
        limit: bytes a field may have.
        final: whether the last line may lack its line feed.
        room: lines to make room for: at least as many as there are.

    Returns:
        (bytes consumed, lines consumed, starts (n, 3), lengths (n, 3), line of each row, bad lines, why each is bad).
    """
    most = min(room, end // 5 + 2)  # a row has three bytes and two delimiters at least
    starts, lengths, lines = np.empty((most, 3), np.int64), np.empty((most, 3), np.int64), np.empty(most, np.int64)
    bad_lines, reasons = np.empty(room, np.int64), np.empty(room, np.int8)
    rows, bads, line, at = 0, 0, 0, 0
    while at < end:
        begin, field, reason, extra_lines = at, 0, 0, 0
        high, complete = False, False
        while True:
            low, write = at, at
            quoted = quote != 0 and at < end and data[at] == quote
            if quoted:
                at += 1
                low = write = at
                closed, doubled, lines_before = False, False, extra_lines
                while at < end and at - low <= limit:
                    c = data[at]
                    if c == quote:
                        if at + 1 < end and data[at + 1] == quote:
                            at += 1
                            doubled = True
                        elif at + 1 < end or final:
                            closed = True
                            at += 1
                            break
                        else:
                            break
                    if c >= 128:
                        high = True
                    elif c == 0:
                        reason = NUL
                    elif c == 10:
                        extra_lines += 1
                    at += 1
                write = at - 1 if closed else at
                if closed and doubled:  # only now: what is read again, as after a quote without end, must be as it was
                    source, write = low, low
                    while source < at - 1:
                        source += data[source] == quote
                        data[write] = data[source]
                        write += 1
                        source += 1
                if not closed:
                    if at - low <= limit and not final:
                        return (
                            begin,
                            line,
                            starts[:rows],
                            lengths[:rows],
                            lines[:rows],
                            bad_lines[:bads],
                            reasons[:bads],
                        )
                    reason = QUOTE
                    at = low
                    extra_lines = lines_before
                    while at < end and data[at] != 10:
                        at += 1
                    complete = True
                    at = min(at + 1, end)
                    break
                while at < end and data[at] != delimiter and data[at] != 10:
                    if data[at] != 32 and data[at] != 13:
                        reason = QUOTE
                    at += 1
            else:
                while at < end and data[at] != delimiter and data[at] != 10:
                    c = data[at]
                    if c >= 128:
                        high = True
                    elif c == 0:
                        reason = NUL
                    at += 1
                write = at
                while low < write and (data[low] == 32 or data[low] == 13):
                    low += 1
                while low < write and (data[write - 1] == 32 or data[write - 1] == 13):
                    write -= 1
            for k in range(3):
                if picks[k] == field:
                    starts[rows, k], lengths[rows, k] = low, write - low
            field += 1
            if at < end and data[at] == delimiter:
                at += 1
                continue
            if at >= end and not final:
                return begin, line, starts[:rows], lengths[:rows], lines[:rows], bad_lines[:bads], reasons[:bads]
            at = min(at + 1, end)
            break
        line += 1
        number = line
        line += extra_lines
        if not complete:
            if field == 1 and (fields != 1) and write == low and reason == 0:
                continue  # a blank line
            if reason == 0 and field != fields:
                reason = FIELDS
            if reason == 0:
                for k in range(3):
                    if lengths[rows, k] == 0:
                        reason = EMPTY
                    elif lengths[rows, k] > limit:
                        reason = LONG
                    elif high and not _valid_utf8(data, starts[rows, k], starts[rows, k] + lengths[rows, k]):
                        reason = UTF8
        if reason:
            bad_lines[bads], reasons[bads] = number, reason
            bads += 1
        else:
            lines[rows] = number
            rows += 1
    return at, line, starts[:rows], lengths[:rows], lines[:rows], bad_lines[:bads], reasons[:bads]
