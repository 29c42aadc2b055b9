"""Vectors of texts met before, kept in memory: the one memo of text vectors for every method and for linking.

Kept apart from `vectors`, which keeps them on disk for as long as the graph lives. What is bounded here is the memory
of a process that answers for weeks.

Shapes: L texts, D width.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.errors import UnsupportedError
from clew.protocols import EncoderAbility, Role, TextEncoder, TokenEncoder, TokenStates, encodes_tokens

MOST = 50_000


def remembering(encoder: TextEncoder, most: int = MOST) -> RememberingEncoder:
    """`encoder` with a memo; itself where it has one."""
    return encoder if isinstance(encoder, RememberingEncoder) else RememberingEncoder(encoder, most)


class RememberingEncoder:
    """An encoder that encodes no text twice as long as it remembers it. Safe between threads.

    It remembers `most` texts, of each role apart, and forgets those first that were not asked for the longest: at most
    4 · most · D bytes of vectors (77 MB for 50,000 of 384) and the texts themselves. A call with more texts than half
    of that goes past the memo, so that a pass over a graph's names does not push out what questions need. What two
    threads ask for at the same moment may be encoded twice, with one result.
    """

    def __init__(self, encoder: TextEncoder, most: int = MOST):
        self._encoder, self._most = encoder, most
        self._lock = Lock()
        self._rows: OrderedDict[tuple[Role, str], int] = OrderedDict()  # the least recently used first
        self._vectors: NDArray[np.float32] | None = None  # (at most `most`, D), doubled when full

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dim(self) -> int:
        return self._encoder.dim

    @property
    def abilities(self) -> frozenset[EncoderAbility]:
        return self._encoder.abilities

    def __len__(self) -> int:
        return len(self._rows)

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32; only texts that are not remembered reach the encoder, each once."""
        if not len(texts) or 2 * len(texts) > self._most:
            return self._encoder.encode(texts, role=role)
        result = np.empty((len(texts), self.dim), np.float32)
        missing: dict[str, list[int]] = {}
        with self._lock:
            rows = self._rows
            found, at = [], []
            for i, text in enumerate(texts):
                row = rows.get((role, text))
                if row is None:
                    missing.setdefault(text, []).append(i)
                else:
                    rows.move_to_end((role, text))
                    found.append(row)
                    at.append(i)
            if found:
                assert self._vectors is not None
                result[at] = self._vectors[found]
        if missing:
            fresh = self._encoder.encode(list(missing), role=role)
            sizes = [len(places) for places in missing.values()]
            result[[i for places in missing.values() for i in places]] = np.repeat(fresh, sizes, axis=0)
            with self._lock:
                self._keep(list(missing), fresh, role)
        return result

    def encode_tokens(self, texts: Sequence[str], *, role: Role = "query") -> TokenStates:
        """See `TokenEncoder`; not remembered. Raises UnsupportedError where the encoder inside cannot."""
        return tokens_of(self._encoder).encode_tokens(texts, role=role)

    def token_spans(self, texts: Sequence[str], *, role: Role = "query") -> NDArray[np.int64]:
        """See `TokenEncoder`."""
        return tokens_of(self._encoder).token_spans(texts, role=role)

    def _keep(self, texts: Sequence[str], vectors: NDArray[np.float32], role: Role) -> None:
        places = []
        for text in texts:
            key = (role, text)
            row = self._rows.get(key)  # another thread was quicker
            if row is None:
                row = len(self._rows) if len(self._rows) < self._most else self._rows.popitem(last=False)[1]
                self._rows[key] = row
            places.append(row)
        held = 0 if self._vectors is None else len(self._vectors)
        if max(places) >= held:
            size = min(self._most, max(1024, 2 * held, max(places) + 1))
            grown = np.empty((size, vectors.shape[1]), np.float32)
            if self._vectors is not None:
                grown[:held] = self._vectors
            self._vectors = grown
        assert self._vectors is not None
        self._vectors[places] = vectors


def tokens_of(encoder: TextEncoder) -> TokenEncoder:
    """`encoder`, known to have the ability "tokens". Raises UnsupportedError."""
    if not encodes_tokens(encoder):
        raise UnsupportedError(f"encoder {encoder.name!r}: gives no token states; use a local sentence encoder")
    return encoder
