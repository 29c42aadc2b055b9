"""A text encoder without a model: hashed character n-grams. Deterministic, instant, and only as clever as spelling.

Kept apart so that tests, examples and machines without weights have an encoder that needs numpy alone. It sees that
"directed by" and "director" share letters; it does not know that "film" and "movie" mean the same.

Shapes: L texts, D width.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError
from clew.protocols import EncoderAbility, Role

_WORD = re.compile(r"\w+")


class HashEncoder:
    """Bags of words and character trigrams, hashed into `dim` signed buckets; rows have unit length."""

    abilities: frozenset[EncoderAbility] = frozenset()

    def __init__(self, dim: int = 256):
        if dim < 8:
            raise ConfigError(f"encoder 'hash-{dim}': {dim} buckets are too few, expected at least 8")
        self.dim = dim
        self.name = f"hash-{dim}"

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32. A text without a letter or digit gets the same fixed vector as any other such text."""
        vectors = np.zeros((len(texts), self.dim), np.float32)
        for row, text in zip(vectors, texts, strict=True):
            grams = [gram for word in _WORD.findall(text.casefold().replace("_", " ")) for gram in _grams(word)]
            hashes = np.array([crc32(gram.encode()) for gram in grams or [""]], np.uint32)
            signs = np.where(hashes >> 31, np.float32(-1), np.float32(1))
            np.add.at(row, (hashes & 0x7FFFFFFF) % self.dim, signs)
            length = float(np.linalg.norm(row))
            if length > 0:
                row /= length
            else:  # every bucket cancelled out
                row[0] = 1.0
        return vectors


def _grams(word: str) -> list[str]:
    framed = f"<{word}>"
    return [framed, *(framed[i : i + 3] for i in range(len(framed) - 2))]
