"""Numbered strings: ids, labels and everything else a graph knows as text, mapped from disk or held in a list.

Kept apart because a graph of ten million triples must open in milliseconds: no Python object is made for a string
before somebody asks for it, and a look-up searches a sorted array of checksums instead of a dict. An edit that is not
compacted yet hangs new strings behind the mapped ones.

Shapes: n strings, m texts (some entities have none, some have several).
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, InputError
from clew.graph import pages
from clew.graph.subgraph import Ints, Offsets

Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint32]

_BULK = 64  # from here on one call of pyarrow beats a Python loop
_FEW = 5_000


def checked(text: str) -> str:
    """`text`. Raises InputError where it holds half of a surrogate pair, which no file can hold."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{text[:100]!a} is not text: half of a surrogate pair at letter {error.start}") from None
    return text


def packed(texts: Sequence[str | None]) -> tuple[Bytes, Offsets]:
    """(U,) bytes and (L+1,) offsets of some texts; None becomes empty.

    `pa.array` first imports pandas wherever it is installed, a third of a second that few texts are not worth.
    """
    if len(texts) < _FEW:
        encoded = [b"" if text is None else text.encode() for text in texts]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(each) for each in encoded], out=offsets[1:])
        return np.frombuffer(b"".join(encoded), np.uint8), offsets
    import pyarrow as pa

    array = pa.array(texts, pa.large_string()).fill_null("")
    _, ends, data = array.buffers()
    places = np.frombuffer(ends, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8), places


def arrow_numbers(numbers: NDArray[np.integer]) -> Any:
    """Whole numbers as a pyarrow array, without `pa.array` (see `packed`)."""
    import pyarrow as pa

    values = pa.py_buffer(np.ascontiguousarray(numbers, np.int64))
    return pa.Array.from_buffers(pa.int64(), len(numbers), [None, values])


def truths(array: Any) -> NDArray[np.bool_]:
    """The values of a pyarrow array of truths without nulls, without numpy's way to it (see `packed`)."""
    bits = np.unpackbits(np.frombuffer(array.buffers()[1], np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].astype(bool)


def literal_parts(id: str) -> tuple[str, str | None, str | None]:
    """Text, datatype and language of a literal's id, which is `"text"`, `"text"@language` or `"text"^^<datatype>`."""
    end = id.rfind('"')
    if end < 1:  # no literal was ever written so: the graph is damaged, and this is what it says
        return id, None, None
    text, rest = id[1:end], id[end + 1 :]
    if rest.startswith("@"):
        return text, "http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", rest[1:]
    return text, rest[3:-1] if rest else None, None


_POWER = re.compile(r"[+-]?\d(?:\.\d+)?[eE][+-]?\d+", re.ASCII)  # how JSON-LD and RDF write a double
_SPAN = re.compile(
    r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?", re.ASCII
)
_PARTS = ("year", "month", "week", "day", "h", "min", "s")
_MIDNIGHT = re.compile(r"[+]?(-?\d{4,}-\d\d-\d\d)T00:00:00(?:\.0+)?(?:Z|[+-]00:00)?")
_UNKNOWN = re.compile(r"(?:-00)+$")  # months and days that Wikibase does not know


def shown(text: str, datatype: str | None) -> str:
    """A literal as people read it: `+880` is 880, midnight of a day the day, the year 0794 794, PT65M 1 h 5 min."""
    if datatype is None or not text or not (text[0] in "+0P" or text[-1] in "Z0" or _POWER.fullmatch(text)):
        return text
    local = datatype.rsplit("#", 1)[-1]
    if text[0] == "P" and (span := _SPAN.fullmatch(text)):
        return _spelled_out(span) or text
    if local in ("double", "float") and _POWER.fullmatch(text):
        return f"{float(text):.15g}"
    if local == "dateTime" and (day := _MIDNIGHT.fullmatch(text)):
        return _UNKNOWN.sub("", day[1])
    if local == "gYear":
        return text.lstrip("+").lstrip("0") or text
    return text[1:] if text[0] == "+" and text[1:2].isdigit() else text


def _spelled_out(span: re.Match[str]) -> str:
    """A duration of XML Schema in words: minutes and seconds from sixty on are hours and minutes."""
    counts = [float(count or 0) for count in span.groups()]
    hours, minutes, seconds = counts[4:]
    if minutes >= 60 or seconds >= 60:
        total = 3600 * hours + 60 * minutes + seconds
        counts[4:] = [total // 3600, total % 3600 // 60, total % 60]
    said = [f"{count:.10g} {unit if count == 1 or not long else unit + 's'}"
            for count, unit, long in zip(counts, _PARTS, (1, 1, 1, 1, 0, 0, 0), strict=True) if count]  # fmt: skip
    return " ".join(said)


class Strings:
    """Strings by number: `offsets` (n+1,) into UTF-8 `data`, and behind them any that live in memory."""

    def __init__(
        self,
        offsets: Offsets | None = None,
        data: Bytes | None = None,
        more: Sequence[str] = (),
        *,
        source: str = "strings in memory",
    ) -> None:
        self._offsets = np.zeros(1, np.int64) if offsets is None else offsets
        self._data = np.empty(0, np.uint8) if data is None else data
        self._view = memoryview(self._data)  # type: ignore[arg-type]
        self._mapped = len(self._offsets) - 1
        self._more = list(more)
        self._source = source  # where they lie, for messages

    def __len__(self) -> int:
        return self._mapped + len(self._more)

    def __getitem__(self, number: int) -> str:
        if number >= self._mapped:
            return self._more[number - self._mapped]
        try:
            return str(self._view[int(self._offsets[number]) : int(self._offsets[number + 1])], "utf-8")
        except UnicodeDecodeError as error:
            raise self._damaged(error) from None

    def _damaged(self, error: Exception) -> FormatError:
        return FormatError(f"{self._source}: a text that is not UTF-8 ({error}): see what is damaged with  clew doctor")

    def __iter__(self) -> Iterator[str]:
        for start in range(0, self._mapped, 1 << 16):
            yield from self.take(np.arange(start, min(start + (1 << 16), self._mapped)))
        yield from self._more

    def starting(self, numbers: Ints, prefix: bytes) -> NDArray[np.bool_]:
        """Which of the strings with these numbers start so; (n,)."""
        if self._more:
            return np.array([self[i].encode().startswith(prefix) for i in numbers.tolist()], bool)
        starts = self._offsets[numbers]
        long = self._offsets[numbers + 1] - starts >= len(prefix)
        found = long.copy()
        for place, byte in enumerate(prefix):
            found[long] &= self._data[starts[long] + place] == byte
        return found

    def at_hand(self, numbers: Ints | NDArray[np.int64]) -> None:
        """Have the strings with these numbers read from disk together, if they are not in memory."""
        if self._offsets.nbytes >= pages.LARGE and pages.helps(len(numbers)):
            mapped = numbers[numbers < self._mapped].astype(np.int64)
            pages.wanted(self._offsets, mapped, mapped + 2)
            pages.wanted(self._data, self._offsets[mapped], self._offsets[mapped + 1])

    def take(self, numbers: Ints | NDArray[np.int64]) -> list[str]:
        """The strings with these numbers, in order."""
        if not self._mapped:
            return [self._more[i] for i in numbers.tolist()]
        self.at_hand(numbers)
        if len(numbers) < _BULK or (self._more and len(numbers) and int(numbers.max()) >= self._mapped):
            return [self[i] for i in numbers.tolist()]
        import pyarrow as pa

        column = pa.LargeStringArray.from_buffers(self._mapped, pa.py_buffer(self._offsets), pa.py_buffer(self._data))
        try:
            taken: list[str] = column.take(arrow_numbers(numbers)).to_pylist()
        except UnicodeDecodeError as error:
            raise self._damaged(error) from None
        return taken

    def extended(self, more: Sequence[str]) -> Strings:
        """These strings followed by others."""
        return Strings(self._offsets, self._data, [*self._more, *more], source=self._source)

    @property
    def arrays(self) -> tuple[Offsets, Bytes]:
        """The mapped part as offsets and bytes."""
        return self._offsets, self._data

    @property
    def nbytes(self) -> int:
        return self._offsets.nbytes + self._data.nbytes + sum(map(len, self._more))


class Lookup:
    """String → numbers, by sorted CRC-32 checksums (n,) of the strings and the numbers that go with them."""

    def __init__(self, keys: Keys, numbers: Ints, text_of: Callable[[int], str]) -> None:
        self._keys, self._numbers, self._text_of = keys, numbers, text_of

    def all(self, text: str) -> list[int]:
        """Every number whose string is `text`; a checksum only nominates, the string itself decides."""
        try:
            key = np.uint32(zlib.crc32(text.encode()))
        except UnicodeEncodeError:  # half of a surrogate pair: nothing on disk is called so
            return []
        low, high = pages.located(self._keys, np.array([key], np.uint32))
        return [n for n in dict.fromkeys(self._numbers[low[0] : high[0]].tolist()) if self._text_of(n) == text]


class Texts:
    """Texts that belong to numbered things: `owners` (m,) ascending; one may recur or be absent.

    What is sought among owners must have their type: for another numpy copies all of them first.
    """

    def __init__(self, owners: Ints, strings: Strings) -> None:
        self.owners, self.strings = owners, strings

    def __len__(self) -> int:
        return len(self.owners)

    def first(self, owner: int) -> str | None:
        """The only (or first) text of a thing."""
        low = int(np.searchsorted(self.owners, np.int32(owner)))
        return self.strings[low] if low < len(self.owners) and self.owners[low] == owner else None

    def all(self, owner: int) -> list[str]:
        key = np.int32(owner)
        low, high = np.searchsorted(self.owners, key, "left"), np.searchsorted(self.owners, key, "right")
        return [self.strings[i] for i in range(int(low), int(high))]

    def firsts(self, owners: Ints | NDArray[np.int64]) -> list[str | None]:
        """The first text of each, None where there is none."""
        if not len(self.owners):
            return [None] * len(owners)
        at = np.minimum(pages.searched(self.owners, owners.astype(np.int32)), len(self.owners) - 1)
        held = self.owners[at] == owners
        found: list[str | None] = list(self.strings.take(at))
        if not held.all():
            found = [text if has else None for text, has in zip(found, held.tolist(), strict=True)]
        return found

    def at_hand(self, owners: Ints | NDArray[np.int64]) -> None:
        """Have the first text of each read from disk, if they are not in memory."""
        if self.owners.nbytes >= pages.LARGE and pages.helps(len(owners)):
            at = np.minimum(pages.searched(self.owners, owners.astype(np.int32)), len(self.owners) - 1)
            self.strings.at_hand(at)

    @classmethod
    def of(cls, rows: Sequence[tuple[int, str]]) -> Texts:
        """From (owner, text) rows in any order; the order within an owner stays."""
        rows = sorted(rows, key=lambda row: row[0])
        return cls(np.array([owner for owner, _ in rows], np.int32), Strings(more=[text for _, text in rows]))

    def merged(self, rows: Sequence[tuple[int, str]]) -> Texts:
        """These texts with those of some owners replaced; made for a handful of edits."""
        if not rows:
            return self
        owners = {owner for owner, _ in rows}
        keep = np.flatnonzero(~np.isin(self.owners, np.fromiter(owners, np.int32)))
        kept = list(zip(self.owners[keep].tolist(), self.strings.take(keep), strict=True))
        return Texts.of([*kept, *rows])
