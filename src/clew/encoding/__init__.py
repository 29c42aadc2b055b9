"""Texts to vectors: sentence encoders, the cache of what they computed, and the index that searches it.

Importing this package loads neither torch nor a client library; `open_encoder` does, when it must.
"""

from __future__ import annotations

import re
from pathlib import Path

from clew.encoding.hashing import HashEncoder
from clew.encoding.index import VectorIndex
from clew.encoding.local import DEFAULT, Dtype, Engine, LocalEncoder, find_weights
from clew.encoding.remote import RemoteEncoder
from clew.encoding.vectors import CachedEncoder, TextVectors, text_vectors
from clew.errors import ConfigError
from clew.protocols import TextEncoder

__all__ = [
    "DEFAULT",
    "CachedEncoder",
    "HashEncoder",
    "LocalEncoder",
    "RemoteEncoder",
    "TextVectors",
    "VectorIndex",
    "open_encoder",
    "text_vectors",
]

_HASH = re.compile(r"hash-(\d{1,6})")


def open_encoder(
    name: str = DEFAULT,
    *,
    device: str = "auto",
    dtype: Dtype = "auto",
    batch: int = 256,
    engine: Engine = "auto",
    models: Path | None = None,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout_s: float = 60.0,
    cache: Path | None = None,
) -> TextEncoder:
    """The text encoder called `name`.

    Args:
        name: a sentence-transformers model (hub name or folder; the default needs no network where the package of
            the extra `offline` is installed), `remote:MODEL` behind an OpenAI-compatible server, or `hash-256` for
            character n-grams without a model.
        device, dtype, batch, engine: see `LocalEncoder`.
        models: folder in which downloaded models are kept; default: the hub library's own.
        base_url, api_key, timeout_s: of a remote server, see `RemoteEncoder`; a base_url makes any name remote.
        cache: folder in which vectors are kept by (encoder, role, text); None keeps nothing.

    Raises:
        NotFoundError: no such weights here. MissingExtraError: packages are missing. ConfigError: a bad setting.
    """
    encoder: TextEncoder
    hashed = _HASH.fullmatch(name)
    if base_url is not None or name.startswith("remote:"):
        model = name.removeprefix("remote:")
        encoder = RemoteEncoder(model, base_url=base_url, api_key=api_key, batch=batch, timeout_s=timeout_s)
    elif api_key is not None:
        raise ConfigError(f"encoder {name!r}: an api_key but no server; name it remote:{name} or give a base_url")
    elif hashed:
        encoder = HashEncoder(int(hashed[1]))
    else:
        folder = find_weights(name, models)
        encoder = LocalEncoder(name, folder, device=device, dtype=dtype, batch=batch, engine=engine)
    return encoder if cache is None else CachedEncoder(encoder, cache)
