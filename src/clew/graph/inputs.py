"""What a build reads and what it says about it: files as streams of bytes, problems with file and line, the report.

Kept apart so that every reader meets the same bad input in the same way: it is counted and reported with its place,
and the build goes on, unless it is strict.

Shapes: B bytes of a block, n rows of a batch.
"""

from __future__ import annotations

import bz2
import gzip
import sys
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.strings import packed

BLOCK = 8 << 20
TERM_LIMIT = 1 << 20  # bytes of one id, label or literal
LINE_LIMIT = 16 << 20
BOM = b"\xef\xbb\xbf"
STEP = 1 << 16  # bytes decompressed at a time
SHOWN = 20  # problems kept word for word
SAMPLED = 1000  # problems written to a file
MANY = 10_000  # problems from which on their share counts

ALIAS = 100  # rank of an alternative label
ALIAS_IN_NO_LANGUAGE = 150  # the same where no language is said
FOREIGN, FOREIGN_LANGUAGES = 500, 199  # ranks of labels in languages nobody asked for, each about its own
FOREIGN_ALIAS = FOREIGN + FOREIGN_LANGUAGES  # the same of an alternative label
CHOSEN = -1  # rank of a label from a label file: before every other

COMPRESSIONS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd"}


@dataclass(frozen=True, slots=True)
class InputProblem:
    """Something in the input that is no triple."""

    file: str
    line: int | None
    kind: str  # "fields", "empty", "nul", "utf8", "long", "quote", "syntax", "truncated", "unreadable", "columns", …
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}" if self.line else f"{self.file}: {self.message}"


@dataclass(slots=True)
class Problems:
    """Counts what goes wrong and keeps the first few. With `strict` the first one ends the build."""

    strict: bool = False
    most: float = 1.0  # share of bad statements that is borne
    counts: Counter[str] = field(default_factory=Counter)
    first: list[InputProblem] = field(default_factory=list)
    sample: list[InputProblem] = field(default_factory=list)  # every `_stride`-th
    shown: dict[str, tuple[str, int]] = field(
        default_factory=dict
    )  # of a file of ours: what it came from, lines before
    _stride: int = 1
    _seen: int = 0

    def add(self, file: str, line: int | None, kind: str, message: str, times: int = 1) -> None:
        file, before = self.shown.get(file, (file, 0))
        problem = InputProblem(file, line + before if line and before >= 0 else None, kind, message)
        self.counts[kind] += times
        if len(self.first) < SHOWN:
            self.first.append(problem)
        if self._seen % self._stride == 0:
            self.sample.append(problem)
            if len(self.sample) == SAMPLED:
                self.sample = self.sample[::2]
                self._stride *= 2
        self._seen += 1
        if self.strict:
            raise InputError(f"{problem}; correct the input, or build without strict to pass over such lines")

    def add_lines(
        self, file: str, lines: NDArray[np.int64], reasons: NDArray[np.int8], words: Mapping[int, tuple[str, str]]
    ) -> None:
        """Bad lines of a block, (n,) each with its reason: the first ones and some of the others by themselves, the
        rest as a number; a block may be all bad lines."""
        told = np.zeros(len(lines), bool)
        told[:SHOWN] = told[:: max(len(lines) // 100, 1)] = True
        for line, reason in zip(lines[told].tolist(), reasons[told].tolist(), strict=True):
            self.add(file, line, *words[reason])
        for reason, times in zip(*np.unique(reasons[~told], return_counts=True), strict=True):
            self.add(file, None, *words[int(reason)], int(times))

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    def stop_when_too_many(self, good: int) -> None:
        """Raises InputError where more of the input than is borne is bad."""
        bad = self.total
        if bad >= MANY and bad > self.most * (bad + good):
            told = "".join(f"\n  {problem}" for problem in self.first[:5])
            raise InputError(
                f"{bad:,} of the first {bad + good:,} statements are none: this is not what its name says, or damaged; "
                f"correct it, or bear more with --most-bad:{told}"
            )

    def sample_to(self, file: Path) -> None:
        """Write the sample to a file of file, line, kind and message, where more went wrong than is shown."""
        if self.total <= SHOWN:
            return
        with suppress(OSError):  # what cannot be written down is still counted
            lines = (
                "\t".join(_one_line(part) for part in (p.file, p.line or "", p.kind, p.message)) for p in self.sample
            )
            file.write_text("".join(line + "\n" for line in lines), "utf-8", "surrogateescape")


def _one_line(part: object) -> str:
    return " ".join(str(part).split())


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far a build is. Bytes are those of the files as they lie on disk; the total is 0 where it is unknown."""

    stage: str  # "read", "sort", "names", "write"
    bytes_read: int
    bytes_total: int
    triples: int
    seconds: float = 0.0  # since the build began
    share: float = 0.0  # of the whole build that is done, about

    def __str__(self) -> str:
        said = f"{self.stage} {self.triples:,} triples"
        if self.stage == "read" and self.seconds > 1:
            said += f", {self.triples / self.seconds:,.0f} a second"
        return said if self.left is None else f"{said}, about {_duration(self.left)} left"

    @property
    def left(self) -> float | None:
        """Seconds until the build is done, about; None while nobody can tell."""
        return self.seconds / self.share * (1 - self.share) if self.share > 0.01 and self.bytes_total else None


def _duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made of its input."""

    path: Path
    name: str
    triples: int
    entities: int
    relations: int
    duplicates: int
    literals: int
    mediators: int
    labels: int
    labels_unused: int  # labels and descriptions of things that no triple mentions
    bytes_read: int
    seconds: dict[str, float]
    problem_counts: dict[str, int]
    problems: tuple[InputProblem, ...]  # the first ones
    things: int = 0  # entities that could have a name: neither literals nor mediators
    names_from: dict[str, int] = field(default_factory=dict)  # properties found or chosen as names: how many they name
    schema: int = 0  # triples set aside that are no facts
    inherited: int = 0  # kinds that things have by a class above theirs
    inverted: int = 0  # facts that a property has from its inverse
    values: int = 0  # nodes read as the one value that they hold
    kept: int = 0  # triples of schema that stay among the facts because there are too many
    members: int = 0  # of lists, read as values of what has the list
    resumed: tuple[str, ...] = ()  # stages that an earlier build of the same command had finished when it was killed
    tables: tuple[str, ...] = ()  # what was decided of tables, ends of edges and references, in lines
    opaque_ids: tuple[str, ...] = ()  # examples, where many things have no name and an id that says nothing

    @property
    def num_problems(self) -> int:
        return sum(self.problem_counts.values())

    def __str__(self) -> str:
        seconds = sum(self.seconds.values())
        lines = [
            f"{self.path}: {self.triples:,} triples, {self.entities:,} entities, {self.relations:,} relations "
            f"({self.duplicates:,} duplicates dropped) in {seconds:.1f} s"
        ]
        if self.resumed:
            lines.append(f"gone on with after {self.resumed[-1]!r}, which an earlier build had finished")
        lines += self.tables
        if self.schema:
            lines.append(f"schema: {self.schema:,} triples set aside that are no facts; clew query sees them")
        if self.kept:
            lines.append(f"schema: {self.kept:,} triples are no facts, too many to be set aside: they stay as facts")
        if self.inherited:
            lines.append(f"kinds: {self.inherited:,} more of things, by classes above theirs (rdfs:subClassOf)")
        if self.inverted:
            lines.append(f"inverses: {self.inverted:,} facts more of properties that another is the inverse of")
        if self.values:
            lines.append(f"values: {self.values:,} nodes that only hold a value read as the value")
        if self.members:
            lines.append(f"lists: {self.members:,} members read as values of what has the list")
        for property, named in self.names_from.items():
            lines.append(
                f"names: {property} names {named:,} of {self.things:,} things ({_percent(named, self.things)})"
            )
        if self.opaque_ids:
            lines.append(
                f"warning: {_percent(self.labels, self.things)} of {self.things:,} things have a name; others show "
                f"as {', '.join(self.opaque_ids)}: say which property names them with --label PROPERTY, or give "
                "--labels FILE"
            )
        if self.num_problems:
            counts = ", ".join(f"{count:,} {kind}" for kind, count in sorted(self.problem_counts.items()))
            lines.append(f"{self.num_problems:,} problems: {counts}")
            lines += [f"  {problem}" for problem in self.problems]
        return "\n".join(lines)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(whole, 1):.3g} %"


class TableColumn(NamedTuple):
    """Terms of one position: term i is data[starts[i] : starts[i] + lengths[i]], UTF-8."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]  # (n,)
    lengths: NDArray[np.int64]  # (n,)


class Rows(NamedTuple):
    """Triples as text."""

    heads: TableColumn
    relations: TableColumn
    tails: TableColumn
    literal_tails: NDArray[np.bool_] | None = None  # (n,)
    sources: TableColumn | None = None  # an empty term: no source


class Notes(NamedTuple):
    """Labels or descriptions as text; the lowest rank of an entity's labels is its label, the others are aliases."""

    kind: str  # "label", "description"
    owners: TableColumn
    texts: TableColumn
    ranks: NDArray[np.int16]  # (n,)


Batch = Rows | Notes


def column(texts: list[str]) -> TableColumn:
    """A list of strings as a column."""
    data, offsets = packed(texts)
    return TableColumn(data, offsets[:-1], np.diff(offsets))


def split_suffix(file: Path) -> tuple[str, str | None]:
    """Format suffix and compression of a file name: ("ttl", "gzip") for movies.ttl.gz."""
    suffixes = [suffix.lower() for suffix in file.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1]) if suffixes else None
    if compression:
        suffixes.pop()
    return (suffixes[-1][1:] if suffixes else ""), compression


class Stream:
    """A file, compressed or not, as blocks of bytes; knows how much of the file has been read.

    A stream that ends before its time or cannot be read is a problem, not an exception: what came before it counts.
    """

    def __init__(self, file: Path, problems: Problems, raw: IO[bytes] | None = None) -> None:
        """`raw` is the file where it is open already."""
        self.file, self.problems = file, problems
        self._raw: IO[bytes] | None = raw
        self._stream: Any = None
        self.cut = False  # whether it ended before its time
        self.line = 0  # of the last line handed out, where the reader keeps count
        self._ahead = b""
        try:
            if str(file) == "-" and raw is None:
                self._raw = self._stream = sys.stdin.buffer
                return
            if raw is None and file.is_dir():
                problems.add(
                    str(file),
                    None,
                    "unreadable",
                    "is a folder without a file of a known format",
                )
                return
            compression = split_suffix(file)[1]
            self._raw = file.open("rb") if raw is None else raw
            if compression == "gzip":
                self._stream = gzip.GzipFile(fileobj=self._raw)
            elif compression == "bz2":
                self._stream = bz2.BZ2File(self._raw)
            elif compression == "zstd":
                import pyarrow as pa

                self._stream = pa.CompressedInputStream(pa.PythonFile(self._raw, "rb"), "zstd")
            else:
                self._stream = self._raw
        except OSError as error:
            problems.add(str(file), None, "unreadable", f"cannot be read: {error.strerror or error}")

    @property
    def raw(self) -> Any:
        """The file as it is, for readers that are at home in it."""
        return self._raw

    @property
    def failed(self) -> bool:
        """Whether the file could not even be opened."""
        return self._stream is None

    @property
    def position(self) -> int:
        """Bytes of the file read so far."""
        try:
            return 0 if self._raw is None or self._raw.closed else self._raw.tell()
        except OSError:  # a pipe
            return 0

    def read(self, size: int = BLOCK) -> bytes:
        """Up to `size` bytes; none at the end and after a problem."""
        pieces, self._ahead = [self._ahead[:size]], self._ahead[size:]
        size -= len(pieces[0])
        while self._stream is not None and size > 0:
            try:
                # In small steps, so that little is lost with the step that fails.
                piece: bytes = self._stream.read(min(size, STEP))
            except (EOFError, zlib.error, OSError) as error:
                self._fail(error)
                break
            if not piece:
                break
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def peek(self, size: int) -> bytes:
        """Up to `size` bytes at the beginning, which are read again."""
        self._ahead = self.read(size)
        return self._ahead

    def lines(self) -> Iterator[bytes]:
        """The lines without their ends and without a byte order mark; `line` is the number of the last.

        One that is longer than `LINE_LIMIT` bytes is a problem, and the rest is not read.
        """
        pending, first = b"", True
        while True:
            block = self.read()
            pending += block
            if first and (len(pending) >= len(BOM) or not block):
                pending, first = pending.removeprefix(BOM), False
            cut = pending.rfind(b"\n") + 1 if block else len(pending)
            if not cut and len(pending) > LINE_LIMIT:
                why = f"a line longer than {LINE_LIMIT:,} bytes; the rest is not read"
                self.problems.add(str(self.file), self.line + 1, "long", why)
                return
            for text in pending[:cut].splitlines():
                self.line += 1
                yield text
            pending = pending[cut:]
            if not block:
                return

    def _fail(self, error: Exception) -> None:
        broken = not isinstance(error, OSError) or error.errno is None
        kind = "truncated" if broken else "unreadable"
        what = "is cut off or not what its name says" if broken else "cannot be read on"
        self._stream, self.cut = None, True
        self.problems.add(str(self.file), self.line or None, kind, f"{what} ({error}); what came before it counts")

    def whole_lines(self, rest: bytes) -> bytes:
        """What is left at the end of the stream, without a last line that was cut in two."""
        return rest[: rest.rfind(b"\n") + 1] if self.cut else rest

    def close(self) -> None:
        if self._raw is not None and self._raw is not sys.stdin.buffer:
            self._raw.close()


def size_of(files: list[Path]) -> int:
    """Bytes of all files together, 0 where one is a pipe or gone."""
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except OSError:
            return 0
    return total
