"""How names are compared: one normal form, its hash, and lists of which names share a trigram.

The arithmetic under `names`, kept apart because it is kernels over byte arrays and knows nothing of entities.
Normalising is a map from single characters to texts (compatibility forms, case and accents folded, apostrophes
dropped, other punctuation and underscores to spaces), so that the Python form for a query and the compiled form for
millions of names cannot drift apart: both read the same table.

Shapes: L names, U bytes of all of them, P bytes of all posting lists.
"""

from __future__ import annotations

import unicodedata
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.jit import njit
from clew.graph.strings import packed

Bytes = NDArray[np.uint8]
Longs = NDArray[np.int64]

FNV_START, FNV_PRIME, MASK64 = 0xCBF29CE484222325, 0x100000001B3, (1 << 64) - 1
MAX_TEXT_GRAMS = 4096  # of a text in which names are sought
MAX_GRAMS = 120  # of one name: similar spelling is judged by its first 120 bytes, equality by all of it
APOSTROPHES = "'’‘ʼ`´"
FEWER_THAN_COMPILED = 2000  # below this many names Python is done before compiled code is loaded


class _Fold(dict[int, str]):
    """Character → what it becomes, worked out when first met."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if char in APOSTROPHES or unicodedata.combining(char):
            folded = ""
        elif unicodedata.category(char) == "Cs":  # half of a pair, which no text on disk can hold
            folded = " "
        else:
            plain = (c for c in unicodedata.normalize("NFKD", char.casefold()) if not unicodedata.combining(c))
            folded = "".join(c if c.isalnum() else " " for c in "".join(plain).casefold())
        self[code] = folded
        return folded


FOLD = _Fold()


def normalise(text: str) -> str:
    """`text` as it is compared: "The  Amélie_Film!" → "the amelie film". A text of signs alone stays as it is."""
    return " ".join(text.translate(FOLD).split()) or text.encode("utf-8", "replace").decode()


def hash_text(text: str, start: int = FNV_START) -> int:
    """FNV-1a of the UTF-8 bytes, 64 bits; continues from `start`, so a prefix is hashed once."""
    value = start
    for byte in text.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * FNV_PRIME) & MASK64
    return value


def string_buffers(texts: Any) -> tuple[Bytes, Longs]:
    """(U,) bytes and (L+1,) offsets of a sequence of strings or a pyarrow string array; nulls become empty."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    if not isinstance(texts, pa.Array):
        return packed(texts)
    array = texts
    if array.null_count:
        array = array.fill_null("")
    array = array.cast(pa.large_string())
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    _, offsets, data = array.buffers()
    if len(array) == 0:
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    places = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    content = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    return content, places


def normalise_all(data: Bytes, offsets: Longs) -> tuple[Bytes, Longs]:
    """Every name in its normal form: (U',) bytes and (L+1,) offsets."""
    if len(offsets) - 1 < FEWER_THAN_COMPILED:
        raw = data.tobytes()
        names = [_text(raw[offsets[i] : offsets[i + 1]]) for i in range(len(offsets) - 1)]
        encoded = [normalise(name).encode() for name in names]
        places = np.zeros(len(encoded) + 1, np.int64)
        np.cumsum([len(name) for name in encoded], out=places[1:])
        return np.frombuffer(b"".join(encoded), np.uint8), places
    present = np.flatnonzero(_characters(data, offsets))
    replacements = [FOLD[int(code)].encode() for code in present]
    slot = np.zeros(0x110000, np.int32)
    slot[present] = np.arange(len(present))
    starts = np.zeros(len(present) + 1, np.int64)
    np.cumsum([len(replacement) for replacement in replacements], out=starts[1:])
    table = np.frombuffer(b"".join(replacements) or b"\0", np.uint8)
    places = np.zeros(len(offsets), np.int64)
    _fold(data, offsets, slot, table, starts, np.empty(0, np.uint8), places, False)
    np.cumsum(places, out=places)
    result = np.empty(int(places[-1]), np.uint8)
    _fold(data, offsets, slot, table, starts, result, places, True)
    return result, places


def hash_all(data: Bytes, offsets: Longs) -> NDArray[np.uint64]:
    """(L,) the hash of every name."""
    if len(offsets) - 1 < FEWER_THAN_COMPILED:
        raw = data.tobytes()
        hashes = (hash_text(_text(raw[offsets[i] : offsets[i + 1]])) for i in range(len(offsets) - 1))
        return np.fromiter(hashes, np.uint64, len(offsets) - 1)
    result: NDArray[np.uint64] = _hashes(data, offsets)
    return result


def postings(data: Bytes, offsets: Longs) -> tuple[Longs, Bytes, Bytes]:
    """Which names contain a trigram: (B+1,) offsets of B buckets, (P,) coded gaps, (L,) trigrams of each name.

    A bucket is a hashed trigram of bytes, a space standing before and after the name. Gaps between successive name
    numbers take one byte below 254, else an escape and two or four more: a third of the room of plain numbers.
    """
    bits = bits_for(len(data))
    seen, written = np.full(1 << bits, -1, np.int64), np.full(1 << bits, -1, np.int64)
    return run_of_postings(data, offsets, 0, seen, written)


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


def similar(query: bytes, places: Longs, coded: Bytes, grams: Bytes, limit: int) -> NDArray[np.int32]:
    """Numbers of names that share many trigrams with `query`: the best `limit` by Dice's coefficient, and as many of
    the shortest that hold every trigram of it. Candidates, in no order."""
    bits = (len(places) - 1).bit_length() - 1
    wanted = np.empty(MAX_GRAMS, np.int64)
    found = _grams(np.frombuffer(query or b" ", np.uint8), 0, len(query), bits, wanted)
    result: NDArray[np.int32] = _overlap(wanted[:found], places, coded, grams, limit)
    return result


def within(text: bytes, places: Longs, coded: Bytes, grams: Bytes, limit: int) -> NDArray[np.int32]:
    """Numbers of the names that stand in `text` or nearly so: at most three trigrams in eight are missing (one letter
    off costs three). The `limit` with most trigrams there; candidates, in no order."""
    bits = (len(places) - 1).bit_length() - 1
    wanted = np.empty(min(max(len(text) + 1, MAX_GRAMS), MAX_TEXT_GRAMS), np.int64)
    found = _grams(np.frombuffer(text or b" ", np.uint8), 0, len(text), bits, wanted)
    result: NDArray[np.int32] = _inside(wanted[:found], places, coded, grams, limit)
    return result


def holding(
    wanted: bytes, data: Bytes, offsets: Longs, places: Longs, coded: Bytes, grams: Bytes, limit: int
) -> NDArray[np.int32]:
    """Numbers of the names that hold the words `wanted` among others; of more than `limit` some of the shortest."""
    bits = (len(places) - 1).bit_length() - 1
    buckets = np.empty(MAX_GRAMS, np.int64)
    query = np.frombuffer(wanted or b" ", np.uint8)
    found = _grams(query, 0, len(wanted), bits, buckets)
    result: NDArray[np.int32] = _holding(buckets[:found], query, data, offsets, places, coded, grams, limit)
    return result


def initials(wanted: bytes, data: Bytes, offsets: Longs, limit: int) -> NDArray[np.int32]:
    """Numbers of the first `limit` names whose words begin with the letters `wanted`; of, the, and, for may
    be left out."""
    result: NDArray[np.int32] = _initials(np.frombuffer(wanted, np.uint8), data, offsets, limit)
    return result


def _text(raw: bytes) -> str:
    return raw.decode("utf-8")


@njit(cache=True, nogil=True)
def _next(data, at, end):  # type: ignore[no-untyped-def]
    """The character at `at` and the position after it. The bytes are UTF-8, checked by pyarrow."""
    first = np.int64(data[at])
    if first < 0x80:
        return first, at + 1
    length = 2 if first < 0xE0 else (3 if first < 0xF0 else 4)
    code = first & (0xFF >> (length + 1))
    for k in range(1, length):
        if at + k < end:
            code = (code << 6) | (np.int64(data[at + k]) & 0x3F)
    # What is no UTF-8 (in a damaged graph) must not lead outside a table of characters.
    return (code if code <= 0x10FFFF else np.int64(0xFFFD)), min(at + length, end)


@njit(cache=True, nogil=True)
def _characters(data, offsets):  # type: ignore[no-untyped-def]
    seen = np.zeros(0x110000, np.bool_)
    at, end = offsets[0], offsets[-1]
    while at < end:
        code, at = _next(data, at, end)
        seen[code] = True
    return seen


@njit(cache=True, nogil=True)
def _fold(data, offsets, slot, table, starts, result, places, write):  # type: ignore[no-untyped-def]
    """Lengths into places[1:], or, when `write`, the normal forms into `result`."""
    for i in range(len(offsets) - 1):
        at, end = offsets[i], offsets[i + 1]
        out = places[i] if write else 0
        begin = out
        gap = False
        while at < end:
            code, at = _next(data, at, end)
            s = slot[code]
            for k in range(starts[s], starts[s + 1]):
                byte = table[k]
                if byte == 32:
                    gap = out > begin
                    continue
                if gap:
                    if write:
                        result[out] = 32
                    out += 1
                    gap = False
                if write:
                    result[out] = byte
                out += 1
        if out == begin:  # nothing but signs: the text itself
            for k in range(offsets[i], offsets[i + 1]):
                if write:
                    result[out] = data[k]
                out += 1
        if not write:
            places[i + 1] = out


@njit(cache=True, nogil=True)
def _hashes(data, offsets):  # type: ignore[no-untyped-def]
    result = np.empty(len(offsets) - 1, np.uint64)
    for i in range(len(result)):
        value = np.uint64(0xCBF29CE484222325)
        for k in range(offsets[i], offsets[i + 1]):
            value = (value ^ np.uint64(data[k])) * np.uint64(0x100000001B3)
        result[i] = value
    return result


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
def _overlap(wanted, places, coded, grams, limit):  # type: ignore[no-untyped-def]
    """`similar` over bucket numbers."""
    n = len(grams)
    shared = _shared(wanted, places, coded, n)
    # Two histograms choose the cut-offs, so that nothing is sorted.
    alike = np.zeros(256, np.int64)
    whole = np.zeros(256, np.int64)
    for i in range(n):
        if shared[i] > 0:
            alike[min(np.int64(255), (510 * np.int64(shared[i])) // (len(wanted) + np.int64(grams[i])))] += 1
            if shared[i] == len(wanted):
                whole[grams[i]] += 1
    least, total = 255, int(alike[255])
    while least > 1 and total + alike[least - 1] <= limit:
        least -= 1
        total += int(alike[least])
    most, total = 0, int(whole[0])
    while most < 255 and total + whole[most + 1] <= limit:
        most += 1
        total += int(whole[most])
    result = np.empty(2 * limit + 2, np.int32)
    count, ties, contained = 0, limit - min(limit, alike[least:].sum()), limit - min(limit, total)
    for i in range(n):
        if shared[i] == 0:
            continue
        score = min(np.int64(255), (510 * np.int64(shared[i])) // (len(wanted) + np.int64(grams[i])))
        keep = bool(score >= least)
        if not keep and score == least - 1 and ties > 0:
            ties -= 1
            keep = True
        if not keep and shared[i] == len(wanted):
            keep = bool(grams[i] <= most)
            if not keep and grams[i] == most + 1 and contained > 0:
                contained -= 1
                keep = True
        if keep and count < len(result):
            result[count] = i
            count += 1
    return result[:count]


@njit(cache=True, nogil=True)
def _inside(wanted, places, coded, grams, limit):  # type: ignore[no-untyped-def]
    """`within` over bucket numbers."""
    n = len(grams)
    shared = _shared(wanted, places, coded, n)
    counts = np.zeros(256, np.int64)
    for i in range(n):
        missing = np.int64(grams[i]) - np.int64(shared[i])
        if shared[i] > 1 and (missing * 8 <= 3 * np.int64(grams[i]) or missing <= 3):
            counts[shared[i]] += 1
    least, total = 255, int(counts[255])
    while least > 1 and total + counts[least - 1] <= limit:
        least -= 1
        total += int(counts[least])
    result = np.empty(total, np.int32)
    count = 0
    for i in range(n):
        missing = np.int64(grams[i]) - np.int64(shared[i])
        if shared[i] >= least and shared[i] > 1 and (missing * 8 <= 3 * np.int64(grams[i]) or missing <= 3):
            result[count] = i
            count += 1
    return result[:count]


@njit(cache=True, nogil=True)
def _holding(buckets, query, data, offsets, places, coded, grams, limit):  # type: ignore[no-untyped-def]
    # The shortest list nominates: every name sought is in it.
    rarest = buckets[0]
    for bucket in buckets:
        if places[bucket + 1] - places[bucket] < places[rarest + 1] - places[rarest]:
            rarest = bucket
    rows = np.empty(places[rarest + 1] - places[rarest], np.int32)
    count = 0
    sizes = np.zeros(256, np.int64)
    at, end = places[rarest], places[rarest + 1]
    name = -1
    while at < end:
        gap, at = _gap(coded, at, end)
        name += gap
        if gap == 0 or name >= len(grams):
            break
        low, high = offsets[name], offsets[name + 1]
        if high - low <= len(query):
            continue
        for start in range(low, high - len(query) + 1):
            if (start > low and data[start - 1] != 32) or (
                start + len(query) < high and data[start + len(query)] != 32
            ):
                continue
            same = True
            for k in range(len(query)):
                if data[start + k] != query[k]:
                    same = False
                    break
            if same:
                rows[count] = name
                sizes[grams[name]] += 1
                count += 1
                break
    if count <= limit:
        return rows[:count]
    most, total = 0, 0
    while most < 255 and total + sizes[most] < limit:
        total += sizes[most]
        most += 1
    result = np.empty(limit, np.int32)
    kept = 0
    for i in range(count):
        if grams[rows[i]] <= most and kept < limit:
            result[kept] = rows[i]
            kept += 1
    return result[:kept]


@njit(cache=True, nogil=True)
def _initials(wanted, data, offsets, limit):  # type: ignore[no-untyped-def]
    result = np.empty(limit, np.int32)
    count = 0
    for i in range(len(offsets) - 1):
        at, end = offsets[i], offsets[i + 1]
        if end - at < 2 * len(wanted) or data[at] != wanted[0]:
            continue
        used = 0
        good = True
        while at < end and good:
            stop = at
            while stop < end and data[stop] != 32:
                stop += 1
            if used < len(wanted) and data[at] == wanted[used]:
                used += 1
            else:
                good = (stop - at == 2 and data[at] == 111 and data[at + 1] == 102) or (
                    stop - at == 3
                    and (
                        (data[at] == 116 and data[at + 1] == 104 and data[at + 2] == 101)
                        or (data[at] == 97 and data[at + 1] == 110 and data[at + 2] == 100)
                        or (data[at] == 102 and data[at + 1] == 111 and data[at + 2] == 114)
                    )
                )
            at = stop + 1
        if good and used == len(wanted):
            result[count] = i
            count += 1
            if count == limit:
                break
    return result[:count]


def most_words(data: Bytes, offsets: Longs) -> int:
    """A bound of the number of words of any name; in scripts without spaces a character counts as one."""
    if len(offsets) < 2 or not len(data):
        return 0
    # From U+0800 on, where these scripts are, a character begins with a byte of at least 0xE0.
    parts = np.concatenate([[0], np.cumsum((data == 32) | (data >= 0xE0))])
    return int((parts[offsets[1:]] - parts[offsets[:-1]]).max()) + 1


def unspaced(char: str) -> bool:
    """Whether a character is of a script that writes words without spaces, or glues endings to names as Korean does."""
    code = ord(char)
    return code >= 0x0E00 and any(low <= code <= high for low, high in _UNSPACED)


_UNSPACED = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Burmese
    (0x1100, 0x11FF),  # Hangul, as the normal form takes it apart
    (0x1780, 0x17FF),  # Khmer
    (0x3040, 0x30FF),  # Hiragana, Katakana
    (0x3400, 0x9FFF),  # Han
    (0xAC00, 0xD7AF),  # Hangul
    (0xF900, 0xFAFF),
    (0x20000, 0x323AF),
)
