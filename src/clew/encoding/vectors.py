"""Vectors of texts that outlive the process: append-only rows on disk, found again by the hash of their text.

Kept apart from the encoders because it must survive kill -9 and several processes at once, which has nothing to do
with models. One folder per (encoder, role): `vectors.f32` holds rows, `keys.b16` a 16-byte hash for each row, written
after it, so a row without its key is cut off at the next append. All rows lie in one file and are mapped: many small
arrays of a large graph would take several times the memory.

Shapes: L texts, D width, V rows on disk.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, UnsupportedError
from clew.protocols import EncoderAbility, Role, TextEncoder, TokenEncoder, TokenStates, encodes_tokens

VERSION = 1
KEY = 16
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
        self._refresh()

    def __len__(self) -> int:
        return len(self._vectors)

    def rows(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """(L,) the row of each text, -1 where it has none yet."""
        get = self._rows.get
        return np.fromiter((get(key(text), -1) for text in texts), np.int64, len(texts))

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """(L, D) the vectors in these rows."""
        result: NDArray[np.float32] = self._vectors[rows]
        return result

    @property
    def vectors(self) -> NDArray[np.float32]:
        """(V, D) every row, mapped."""
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
            with (self._folder / "vectors.f32").open("r+b") as file:
                file.truncate(count * self.dim * 4)  # a row whose key was never written
                file.seek(0, os.SEEK_END)
                file.write(np.ascontiguousarray(vectors[list(fresh.values())], "<f4").tobytes())
            with (self._folder / "keys.b16").open("r+b") as file:
                file.truncate(count * KEY)
                file.seek(0, os.SEEK_END)
                file.write(b"".join(fresh))
            self._refresh()

    def refresh(self) -> None:
        """See what other processes have added."""
        with self._thread:
            self._refresh()

    def _refresh(self) -> None:
        known = len(self._rows)
        keys = self._folder / "keys.b16"
        count = min(keys.stat().st_size // KEY, (self._folder / "vectors.f32").stat().st_size // (4 * self.dim))
        if count == known:
            return
        if count < known:
            raise FormatError(f"{self._folder}: shrank from {known} to {count} rows while in use; delete the folder")
        with keys.open("rb") as file:
            file.seek(known * KEY)
            added = file.read((count - known) * KEY)
        vectors = np.memmap(self._folder / "vectors.f32", "<f4", "r", shape=(count, self.dim))
        for i in range(count - known):
            self._rows.setdefault(added[i * KEY : (i + 1) * KEY], known + i)
        if len(self._rows) != count:
            raise FormatError(f"{self._folder}: two rows have one key, the file is damaged; delete the folder")
        self._vectors = vectors

    def _check(self, encoder: str, role: Role) -> None:
        meta = {"format": "clew vectors", "version": VERSION, "encoder": encoder, "dim": self.dim, "role": role}
        path = self._folder / "meta.json"
        with self._locked():
            if not path.exists():
                partial = path.with_suffix(".partial")
                partial.write_text(json.dumps(meta), encoding="utf-8")
                for name in ("vectors.f32", "keys.b16"):
                    (self._folder / name).touch()
                partial.replace(path)
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
            different = [f"{k} {stored[k]!r}, expected {v!r}" for k, v in meta.items() if stored[k] != v]
        except (ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{path}: damaged ({error}); delete the folder, the vectors will be made again") from None
        if different:
            raise FormatError(f"{self._folder}: holds {'; '.join(different)}. Use the same encoder or another folder")
        for name in ("vectors.f32", "keys.b16"):
            if not (self._folder / name).is_file():
                raise FormatError(f"{self._folder / name}: missing; delete the folder, the vectors will be made again")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        import fcntl  # the only lock that the system gives back when a process is killed

        with (self._folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def key(text: str) -> bytes:
    """The 16-byte hash under which a text is kept."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def vector_file(folder: Path, encoder: TextEncoder, role: Role = "passage") -> VectorFile:
    """The file of this encoder and role below `folder`; created when absent."""
    slug = re.sub(r"[^\w.@-]+", "_", encoder.name)
    mark = blake2b(encoder.name.encode(), digest_size=4).hexdigest()  # two names may share a slug
    return VectorFile(folder / f"{slug}-{mark}-{role}", encoder.name, encoder.dim, role)


class CachedEncoder:
    """An encoder that never encodes the same text twice: what it has seen is kept below `folder`."""

    def __init__(self, encoder: TextEncoder, folder: Path):
        self._encoder, self._folder = encoder, folder
        self.name, self.dim = encoder.name, encoder.dim
        self._files: dict[Role, VectorFile] = {}
        self._lock = Lock()

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32; only texts without a row reach the encoder."""
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
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
        return self._tokens().encode_tokens(texts, role=role)

    def token_spans(self, texts: Sequence[str], *, role: Role = "query") -> NDArray[np.int64]:
        """See `TokenEncoder`."""
        return self._tokens().token_spans(texts, role=role)

    def _tokens(self) -> TokenEncoder:
        if not encodes_tokens(self._encoder):
            raise UnsupportedError(f"encoder {self.name!r}: gives no token states; use a local sentence encoder")
        return self._encoder


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
