"""Texts to vectors: sentence encoders, the cache of what they computed, and the index that searches it.

Importing this package loads neither torch nor a client library; `open_encoder` does, when it must.
"""

from __future__ import annotations

import re
from pathlib import Path

from clew.encoding.hashing import HashEncoder
from clew.encoding.local import DEFAULT, Dtype, Engine, LocalEncoder, find_weights
from clew.protocols import TextEncoder

__all__ = ["DEFAULT", "HashEncoder", "LocalEncoder", "open_encoder"]

_HASH = re.compile(r"hash-(\d{1,6})")


def open_encoder(
    name: str = DEFAULT,
    *,
    device: str = "auto",
    dtype: Dtype = "auto",
    batch: int = 256,
    engine: Engine = "auto",
    models: Path | None = None,
) -> TextEncoder:
    """The text encoder called `name`.

    Args:
        name: a sentence-transformers model (hub name or folder; the default needs no network where the package of
            the extra `offline` is installed), or `hash-256` for character n-grams without a model.
        device, dtype, batch, engine: see `LocalEncoder`.
        models: folder in which downloaded models are kept; default: the hub library's own.

    Raises:
        NotFoundError: no such weights here. MissingExtraError: packages are missing. ConfigError: a bad setting.
    """
    hashed = _HASH.fullmatch(name)
    if hashed:
        return HashEncoder(int(hashed[1]))
    return LocalEncoder(name, find_weights(name, models), device=device, dtype=dtype, batch=batch, engine=engine)
