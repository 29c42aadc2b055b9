"""Vectors of texts that outlive the process: append-only rows on disk, found again by the hash of their text.

Kept apart from the encoders because it must survive kill -9 and several processes at once, which has nothing to do
with models. One folder per (encoder, role): `vectors.f32` holds rows, `keys.b16` a 16-byte hash for each row, and
`sums.u32` one record for each append, written last, with the checksums of the block of rows and keys that it added:
what no record covers is cut off at the next append. Records and keys are checked when they are read, a block of vectors
when one of its rows is first used, so that opening stays quick. All rows lie in one file and are mapped: many small
arrays of a large graph would take several times the memory.

Shapes: L texts, D width, V rows on disk, B blocks.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.encoding.memo import tokens_of
from clew.errors import FormatError
from clew.protocols import EncoderAbility, Role, TextEncoder, TokenStates

VERSION = 2
KEY = 16
RECORD = np.dtype([("rows", "<u4"), ("vectors", "<u4"), ("keys", "<u4"), ("record", "<u4")])
FILES = ("vectors.f32", "keys.b16", "sums.u32")
KEPT = 1_000_000  # texts of a bounded cache: a gigabyte and a half
CHUNK = 8192  # texts encoded between two appends: what a kill costs


class VectorFile:
    """The vectors of one encoder in one role. Safe between threads and processes."""

    def __init__(self, folder: Path, encoder: str, dim: int, role: Role):
        self.dim, self._folder = dim, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._check(encoder, role)
        self._thread = Lock()
        self._rows: dict[bytes, int] = {}
        self._vectors: NDArray[np.float32] = np.zeros((0, dim), np.float32)
        self._ends = np.zeros(0, np.int64)  # (B,) the row after each block
        self._sums = np.zeros(0, np.uint32)  # (B,) what its vectors must add up to
        self._checked = np.zeros(0, np.bool_)  # (B,)
        self._refresh()

    def __len__(self) -> int:
        return len(self._vectors)

    def rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """(L,) the row of each text, -1 where it has none yet."""
        get = self._rows.get
        return np.fromiter((get(key(text), -1) for text in texts), np.int64, len(texts))

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(L, D) the vectors in these rows. Raises FormatError when a block they lie in is damaged."""
        self._check_blocks(np.unique(np.searchsorted(self._ends, rows, "right")))
        result: NDArray[np.float32] = self._vectors[rows]
        return result

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(V, D) every row, mapped. Raises FormatError when a block is damaged."""
        self._check_blocks(np.arange(len(self._ends)))
        return self._vectors

    def append(self, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        """Add texts that have no row; those another process added meanwhile keep its row."""
        if vectors.shape != (len(texts), self.dim):
            raise FormatError(
                f"{self._folder}: vectors of shape {vectors.shape} for {len(texts)} texts, expected width {self.dim}"
            )
        with self._thread, self._locked():
            self._refresh()
            fresh = {key(text): i for i, text in enumerate(texts) if key(text) not in self._rows}
            count = len(self)
            if not fresh:
                return
            block = np.ascontiguousarray(vectors[list(fresh.values())], "<f4").tobytes()
            keys = b"".join(fresh)
            sizes = (count * self.dim * 4, count * KEY, len(self._ends) * RECORD.itemsize)
            for name, size, data in zip(FILES, sizes, (block, keys, _record(len(fresh), block, keys)), strict=True):
                with (self._folder / name).open("r+b") as file:
                    file.truncate(size)  # what no record covers
                    file.seek(0, os.SEEK_END)
                    file.write(data)
            self._refresh()

    def refresh(self) -> None:
        """See what other processes have added."""
        with self._thread:
            self._refresh()

    def _refresh(self) -> None:
        known, blocks = len(self._rows), len(self._ends)
        with (self._folder / "sums.u32").open("rb") as file:
            file.seek(blocks * RECORD.itemsize)
            raw = file.read()
        records = np.frombuffer(raw[: len(raw) // RECORD.itemsize * RECORD.itemsize], RECORD)
        if not len(records):
            if not raw and (self._folder / "sums.u32").stat().st_size < blocks * RECORD.itemsize:
                raise self._damaged("shrank while in use")
            return
        counts = records["rows"].astype(np.int64)
        ends = known + np.cumsum(counts)
        count = int(ends[-1])
        if min((self._folder / "vectors.f32").stat().st_size // (4 * self.dim), count) < count:
            raise self._damaged("vectors.f32 is shorter than its records say")
        with (self._folder / "keys.b16").open("rb") as file:
            file.seek(known * KEY)
            added = file.read((count - known) * KEY)
        if len(added) < (count - known) * KEY:
            raise self._damaged("keys.b16 is shorter than its records say")
        start, size = 0, RECORD.itemsize
        told = zip(counts.tolist(), records["record"].tolist(), records["keys"].tolist(), strict=True)
        for i, (rows, itself, keys) in enumerate(told):
            part = added[start : start + rows * KEY]
            if itself != zlib.crc32(raw[i * size : (i + 1) * size - 4]) or keys != zlib.crc32(part):
                raise self._damaged("a checksum differs")
            start += len(part)
        for i in range(count - known):
            self._rows.setdefault(added[i * KEY : (i + 1) * KEY], known + i)
        if len(self._rows) != count:
            raise self._damaged("two rows have one key")
        self._vectors = np.memmap(self._folder / "vectors.f32", "<f4", "r", shape=(count, self.dim))
        self._ends = np.concatenate([self._ends, ends])
        self._sums = np.concatenate([self._sums, records["vectors"]])
        self._checked = np.concatenate([self._checked, np.zeros(len(records), np.bool_)])

    def _check_blocks(self, blocks: NDArray[np.int64]) -> None:
        """Compare blocks of vectors with their checksums, each once."""
        checked, ends, sums = self._checked, self._ends, self._sums
        for block in blocks[~checked[blocks]].tolist():
            first = int(ends[block - 1]) if block else 0
            if zlib.crc32(self._vectors[first : int(ends[block])].tobytes()) != int(sums[block]):
                raise self._damaged(f"rows {first} to {int(ends[block]) - 1} of vectors.f32 are not what was written")
            checked[block] = True

    def _damaged(self, why: str) -> FormatError:
        return FormatError(f"{self._folder}: damaged ({why}); delete the folder, the vectors will be made again")

    def _check(self, encoder: str, role: Role) -> None:
        meta = {"format": "clew vectors", "version": VERSION, "encoder": encoder, "dim": self.dim, "role": role}
        path = self._folder / "meta.json"
        with self._locked():
            if _outdated(path) or not path.exists():
                partial = path.with_suffix(".partial")
                partial.write_text(json.dumps(meta), encoding="utf-8")
                for name in FILES:
                    (self._folder / name).write_bytes(b"")
                partial.replace(path)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            different = [f"{k} {stored[k]!r}, expected {v!r}" for k, v in meta.items() if stored[k] != v]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FormatError(f"{path}: damaged ({error}); delete the folder, the vectors will be made again") from None
        if different:
            raise FormatError(f"{self._folder}: holds {'; '.join(different)}. Use the same encoder or another folder")
        for name in FILES:
            if not (self._folder / name).is_file():
                raise FormatError(f"{self._folder / name}: missing; delete the folder, the vectors will be made again")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        import fcntl  # the only lock that the system gives back when a process is killed

        with (self._folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _record(rows: int, vectors: bytes, keys: bytes) -> bytes:
    record = np.array([(rows, zlib.crc32(vectors), zlib.crc32(keys), 0)], RECORD)
    record["record"] = zlib.crc32(record.tobytes()[:-4])
    return record.tobytes()


def _outdated(path: Path) -> bool:
    """Whether the folder was written without checksums, by an earlier clew: its vectors are made again."""
    try:
        return bool(json.loads(path.read_text(encoding="utf-8"))["version"] == 1)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def key(text: str) -> bytes:
    """The 16-byte hash under which a text is kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def vector_file(folder: Path, encoder: TextEncoder, role: Role = "passage") -> VectorFile:
    """The file of this encoder and role below `folder`; created when absent."""
    slug = re.sub(r"[^\w.@-]+", "_", encoder.name)
    mark = blake2b(encoder.name.encode(), digest_size=4).hexdigest()  # two names may share a slug
    return VectorFile(folder / f"{slug}-{mark}-{role}", encoder.name, encoder.dim, role)


class CachedEncoder:
    """An encoder that never encodes the same text twice: what it has seen is kept below `folder`.

    Args:
        roles: of which texts are kept; others are encoded anew.
    """

    def __init__(self, encoder: TextEncoder, folder: Path, roles: Collection[Role] = ("passage", "query")):
        self._encoder, self._folder, self._roles = encoder, folder, roles
        self.name, self.dim = encoder.name, encoder.dim
        self._files: dict[Role, VectorFile] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32; only texts without a row reach the encoder."""
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        if role not in self._roles:
            return self._encoder.encode(texts, role=role)
        with self._lock:
            if role not in self._files:
                self._files[role] = vector_file(self._folder, self._encoder, role)
        rows = fill(self._files[role], self._encoder, texts, role=role)
        return np.array(self._files[role].take(rows), np.float32)

    @property
    def abilities(self) -> frozenset[EncoderAbility]:
        return self._encoder.abilities

    def encode_tokens(self, texts: Sequence[str], *, role: Role = "query") -> TokenStates:
        """See `TokenEncoder`. Nothing of it is kept. Raises UnsupportedError where the encoder inside cannot."""
        return tokens_of(self._encoder).encode_tokens(texts, role=role)

    def token_spans(self, texts: Sequence[str], *, role: Role = "query") -> NDArray[np.int64]:
        """See `TokenEncoder`."""
        return tokens_of(self._encoder).token_spans(texts, role=role)


def bounded(encoder: TextEncoder, folder: Path, *, most: int = KEPT) -> CachedEncoder:
    """An encoder that keeps about the last `most` names below `folder`, for graphs whose names no disk should hold.

    What people ask (`role="query"`) is not kept. Names go to a folder that is left behind when it is full; that before
    it is deleted, so that a process which still reads the last one finds it.
    """
    folders = sorted((f for f in folder.glob("[0-9]*") if f.name.isdigit()), key=lambda f: int(f.name))
    number = int(folders[-1].name) if folders else 0
    if folders and any(f.stat().st_size >= most * KEY for f in folders[-1].glob("*/keys.b16")):
        number += 1
        for old in folders[:-1]:
            shutil.rmtree(old, ignore_errors=True)
    names: tuple[Role] = ("passage",)
    return CachedEncoder(encoder, folder / str(number), names)


class TextVectors:
    """(L, D) vectors of a list of texts, mapped: `table[numbers]` gathers rows, `matrix()` is all of them."""

    def __init__(self, file: VectorFile, rows: NDArray[np.int64], encoder: str):
        self._file, self._rows, self.encoder, self.dim = file, rows, encoder, file.dim

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, numbers: NDArray[np.integer] | Sequence[int] | slice) -> NDArray[np.float32]:
        return self._file.take(self._rows[numbers])

    def matrix(self) -> NDArray[np.float32]:
        """(L, D). The mapped file itself where its rows are in order, which a first pass over distinct texts gives."""
        if len(self._rows) and np.array_equal(self._rows, np.arange(self._rows[0], self._rows[0] + len(self._rows))):
            return self._file.vectors[self._rows[0] : self._rows[0] + len(self._rows)]
        return self._file.take(self._rows)


def text_vectors(
    folder: Path,
    encoder: TextEncoder,
    texts: Sequence[str],
    *,
    role: Role = "passage",
    progress: Callable[[int, int], None] | None = None,
) -> TextVectors:
    """Vectors of `texts` (the labels of a graph, say), kept below `folder`, each distinct text encoded once ever.

    Resumes where a killed pass stopped, and after an edit encodes the new texts alone. `progress` is told how many of
    how many are done.
    """
    file = vector_file(folder, encoder, role)
    return TextVectors(file, fill(file, encoder, texts, role=role, progress=progress), encoder.name)


def fill(
    file: VectorFile,
    encoder: TextEncoder,
    texts: Sequence[str],
    *,
    role: Role = "passage",
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.int64]:
    """(L,) rows of `texts` in `file`, after encoding in chunks what had none."""
    rows = file.rows(texts)
    if (rows < 0).any():
        file.refresh()
        rows = file.rows(texts)
    missing = list(dict.fromkeys(texts[i] for i in np.flatnonzero(rows < 0).tolist()))
    for start in range(0, len(missing), CHUNK):
        part = missing[start : start + CHUNK]
        file.append(part, encoder.encode(part, role=role))
        if progress is not None:
            progress(min(start + CHUNK, len(missing)), len(missing))
    return file.rows(texts) if missing else rows
