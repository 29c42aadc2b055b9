"""Nearest vectors: exact up to fifty thousand rows, faiss above where it is installed.

Kept apart from where vectors come from: it takes a matrix and remembers which encoder made it, so that a question
encoded by another one is refused instead of answered with noise.

Shapes: Q queries, V rows, D width, K results per query.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError, InputError, MissingExtraError

VERSION = 1
EXACT_ROWS = 50_000
BLOCK = 32_768  # rows compared at a time, which bounds memory at Q × BLOCK scores
Kind = Literal["auto", "exact", "ivf"]
Floats = NDArray[np.float32]


class VectorIndex:
    """An index by inner product over unit vectors. Rows added later are searched exactly until the next build."""

    def __init__(self, base: Floats, approximate: Any, encoder: str, added: Floats, note: str = ""):
        self._base, self._approximate, self.encoder, self._added, self.note = base, approximate, encoder, added, note
        self.dim = int(added.shape[1])

    def __len__(self) -> int:
        return self._base_rows() + len(self._added)

    @property
    def kind(self) -> str:
        return "exact" if self._approximate is None else "ivf"

    @classmethod
    def build(cls, vectors: Floats, encoder: str, *, kind: Kind = "auto", probes: int = 32) -> VectorIndex:
        """Index (V, D) unit vectors made by the encoder called `encoder`.

        `auto` is exact up to 50,000 rows and faiss `IVF,SQ8` above; without faiss it stays exact and `note` says so.
        `probes` trades speed for recall. Raises MissingExtraError for kind "ivf" without faiss.
        """
        if vectors.ndim != 2 or vectors.shape[1] == 0:
            raise InputError(f"vector index: an array of shape {vectors.shape}, expected (rows, width)")
        none = np.zeros((0, vectors.shape[1]), np.float32)
        if kind == "exact" or (kind == "auto" and len(vectors) <= EXACT_ROWS):
            return cls(vectors, None, encoder, none)
        faiss = _faiss()
        if faiss is None:
            if kind == "ivf":
                raise MissingExtraError("an approximate vector index", "faiss")
            note = f"faiss is not installed: {len(vectors)} rows are searched exactly (pip install 'clew[faiss]')"
            return cls(vectors, None, encoder, none, note)
        lists = int(max(1, min(4 * len(vectors) ** 0.5, len(vectors) / 39)))
        index = faiss.index_factory(vectors.shape[1], f"IVF{lists},SQ8", faiss.METRIC_INNER_PRODUCT)
        rng = np.random.default_rng(0)
        sample = np.sort(rng.permutation(len(vectors))[: max(64 * lists, 1)])
        index.train(np.ascontiguousarray(vectors[sample], np.float32))
        for start in range(0, len(vectors), BLOCK):
            index.add(np.ascontiguousarray(vectors[start : start + BLOCK], np.float32))
        index.nprobe = min(probes, lists)
        return cls(none, index, encoder, none)

    def add(self, vectors: Floats) -> None:
        """Append rows; they get the next numbers. Costs what was added, not what was there."""
        if vectors.ndim != 2 or vectors.shape[1] != self.dim:
            raise InputError(f"vector index: rows of shape {vectors.shape}, this index holds width {self.dim}")
        self._added = np.concatenate([self._added, vectors.astype(np.float32, copy=False)])

    def search(self, queries: Floats, limit: int) -> tuple[Floats, NDArray[np.int64]]:
        """(Q, K) scores, best first, and (Q, K) rows, with K = min(limit, V)."""
        if queries.ndim != 2 or queries.shape[1] != self.dim:
            raise InputError(
                f"vector index: queries of shape {queries.shape}, expected (questions, {self.dim}): "
                f"they must come from the encoder {self.encoder!r} that made the index"
            )
        limit = min(limit, len(self))
        if limit <= 0:
            return np.zeros((len(queries), 0), np.float32), np.zeros((len(queries), 0), np.int64)
        if self._approximate is None:
            scores, rows = _exact(queries, self._base, limit, 0)
        else:
            scores, rows = self._approximate.search(np.ascontiguousarray(queries, np.float32), limit)
        if len(self._added):
            more, their_rows = _exact(queries, self._added, limit, self._base_rows())
            scores, rows = _best(np.concatenate([scores, more], 1), np.concatenate([rows, their_rows], 1), limit)
        return scores, rows

    def save(self, folder: Path) -> None:
        """Write the index into `folder`, replacing what an earlier one left there."""
        folder.mkdir(parents=True, exist_ok=True)
        meta = {"format": "clew vector index", "version": VERSION, "encoder": self.encoder, "kind": self.kind}
        meta |= {"dim": self.dim, "base": self._base_rows(), "added": len(self._added)}
        (folder / "index.json").unlink(missing_ok=True)  # absent while the files are being replaced
        if self._approximate is None:
            _replace(folder / "base.npy", lambda file: np.save(file, self._base))
        else:
            data = _faiss().serialize_index(self._approximate)
            _replace(folder / "base.faiss", lambda file: file.write(data.tobytes()))
        _replace(folder / "added.npy", lambda file: np.save(file, self._added))
        _replace(folder / "index.json", lambda file: file.write(json.dumps(meta).encode()))

    @classmethod
    def open(cls, folder: Path, encoder: str | None = None) -> VectorIndex:
        """Map a saved index. Raises FormatError when damaged, newer, or made by another encoder than `encoder`."""
        try:
            meta = json.loads((folder / "index.json").read_text(encoding="utf-8"))
            version, made_by, kind, dim = meta["version"], meta["encoder"], meta["kind"], meta["dim"]
            counts = (meta["base"], meta["added"])
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FormatError(f"{folder}: no readable vector index ({error}); build it again") from None
        if version != VERSION:
            raise FormatError(f"{folder}: vector index of version {version}, this clew reads {VERSION}; build it again")
        if encoder is not None and encoder != made_by:
            raise FormatError(
                f"{folder}: made by encoder {made_by!r}, asked for {encoder!r}; use that encoder or build it again"
            )
        base, approximate = np.zeros((0, dim), np.float32), None
        try:
            added = np.load(folder / "added.npy", allow_pickle=False)
            if kind == "exact":
                base = np.load(folder / "base.npy", mmap_mode="r", allow_pickle=False)
            else:
                faiss = _faiss()
                if faiss is None:
                    raise MissingExtraError(f"the vector index {folder}", "faiss")
                approximate = faiss.read_index(str(folder / "base.faiss"), faiss.IO_FLAG_MMAP)
        except (OSError, ValueError, EOFError, RuntimeError) as error:
            raise FormatError(f"{folder}: damaged vector index ({error}); build it again") from None
        index = cls(base, approximate, made_by, added)
        widths = {int(added.shape[1]), int(base.shape[1]) if approximate is None else int(approximate.d)}
        if (index._base_rows(), len(added)) != counts or widths != {dim}:
            raise FormatError(f"{folder}: its files hold other rows than it states; build the vector index again")
        return index

    def _base_rows(self) -> int:
        return len(self._base) if self._approximate is None else int(self._approximate.ntotal)


def _exact(queries: Floats, vectors: Floats, limit: int, offset: int) -> tuple[Floats, NDArray[np.int64]]:
    best = np.zeros((len(queries), 0), np.float32)
    rows = np.zeros((len(queries), 0), np.int64)
    for start in range(0, len(vectors), BLOCK):
        block = queries @ np.asarray(vectors[start : start + BLOCK]).T
        numbers = np.broadcast_to(np.arange(start, start + block.shape[1]) + offset, block.shape)
        if block.shape[1] > limit:
            cut = np.argpartition(-block, limit - 1, axis=1)[:, :limit]
            block, numbers = np.take_along_axis(block, cut, 1), np.take_along_axis(numbers, cut, 1)
        best, rows = _best(np.concatenate([best, block], 1), np.concatenate([rows, numbers], 1), limit)
    return best, rows


def _best(scores: Floats, rows: NDArray[np.int64], limit: int) -> tuple[Floats, NDArray[np.int64]]:
    order = np.lexsort((rows, -scores), axis=1)[:, :limit]
    return np.take_along_axis(scores, order, 1), np.take_along_axis(rows, order, 1)


def _faiss() -> Any:
    try:
        import faiss
    except ImportError:
        return None
    return faiss


def _replace(path: Path, write: Callable[[Any], Any]) -> None:
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        write(file)
    partial.replace(path)
