"""Texts to vectors: sentence encoders, the cache of what they computed, and the index that searches it.

Importing this package loads neither torch nor a client library; `open_encoder` does, when it must.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.encoding.hashing import HashEncoder
from clew.encoding.index import VectorIndex
from clew.encoding.local import DEFAULT, Dtype, Engine, LocalEncoder, find_weights
from clew.encoding.memo import RememberingEncoder, remembering
from clew.encoding.vectors import CachedEncoder, TextVectors, bounded, text_vectors
from clew.errors import ConfigError
from clew.protocols import TextEncoder

if TYPE_CHECKING:
    from clew.encoding.remote import RemoteEncoder

__all__ = [
    "DEFAULT",
    "CachedEncoder",
    "HashEncoder",
    "LocalEncoder",
    "RememberingEncoder",
    "RemoteEncoder",
    "TextVectors",
    "VectorIndex",
    "bounded",
    "open_encoder",
    "remembering",
    "text_vectors",
]


def __getattr__(name: str) -> Any:
    if name != "RemoteEncoder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clew.encoding.remote import RemoteEncoder  # an HTTP client, which encoders on this machine do not need

    return RemoteEncoder


_HASH = re.compile(r"hash-(\d{1,6})")
OPEN = 2  # local encoders kept open in a process


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
    """The text encoder called `name`, with a memo of what it encoded; equal settings share one within a process.

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
        from clew.encoding.remote import RemoteEncoder

        model = name.removeprefix("remote:")
        encoder = remembering(
            RemoteEncoder(model, base_url=base_url, api_key=api_key, batch=batch, timeout_s=timeout_s)
        )
    elif api_key is not None:
        raise ConfigError(f"encoder {name!r}: an api_key but no server; name it remote:{name} or give a base_url")
    elif hashed:
        encoder = HashEncoder(int(hashed[1]))
    else:
        folder = find_weights(name, models)
        encoder = _shared(name, folder, _files(folder), device, dtype, batch, engine)
    return encoder if cache is None else CachedEncoder(encoder, cache)


@lru_cache(maxsize=OPEN)
def _shared(
    name: str, folder: Path, _stamp: object, device: str, dtype: Dtype, batch: int, engine: Engine
) -> RememberingEncoder:
    return remembering(LocalEncoder(name, folder, device=device, dtype=dtype, batch=batch, engine=engine))


def _files(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What changes when a file of a model does."""
    found = ((path, path.stat()) for path in sorted(folder.rglob("*")) if path.is_file())
    return tuple((str(path), info.st_mtime_ns, info.st_size) for path, info in found)
