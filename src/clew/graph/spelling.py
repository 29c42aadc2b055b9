"""How names are compared: one normal form and its hash.

The arithmetic under `names`, kept apart because it is kernels over byte arrays and knows nothing of entities.
Normalising is a map from single characters to texts (compatibility forms, case and accents folded, apostrophes
dropped, other punctuation and underscores to spaces), so that the Python form for a query and the compiled form for
millions of names cannot drift apart: both read the same table.

Shapes: L names, U bytes of all of them.
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
APOSTROPHES = "'’‘ʼ`´"
PIECE = 1 << 16  # names whose words are counted at once
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


def initials(wanted: bytes, data: Bytes, offsets: Longs, limit: int) -> NDArray[np.int32]:
    """Numbers of the first `limit` names whose words begin with the letters `wanted`; of, the, and, for may
    be left out."""
    result: NDArray[np.int32] = _initials(np.frombuffer(wanted, np.uint8), data, offsets, limit)
    return result


def _text(raw: bytes) -> str:
    return raw.decode("utf-8")


@njit(cache=True, nogil=True)
def next_letter(data, at, end):  # type: ignore[no-untyped-def]
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
        code, at = next_letter(data, at, end)
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
            code, at = next_letter(data, at, end)
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
    most = -1
    for first in range(0, len(offsets) - 1 if len(data) else 0, PIECE):  # places take sixteen times what the names take
        bounds = offsets[first : first + PIECE + 1]
        here = data[bounds[0] : bounds[-1]]
        # From U+0800 on, where these scripts are, a character begins with a byte of at least 0xE0.
        parts = np.concatenate([[0], np.cumsum((here == 32) | (here >= 0xE0))])
        most = max(most, int(np.diff(parts[bounds - bounds[0]]).max()))
    return most + 1


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
