"""A text encoder behind any server that speaks the OpenAI embeddings API: the cloud, vLLM, TEI, Ollama, llama.cpp.

The one place of this package that retries.

Shapes: L texts, D width.
"""

from __future__ import annotations

import json
import os
import random
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError, UnavailableError
from clew.protocols import EncoderAbility, Role
from clew.secrecy import redact
from clew.transport import Server, TransportError

RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
LONGEST_WAIT_S = 60.0
_BYTES, _BYTES_PER_TEXT = 2**20, 2**19  # of a reply: 16,384 numbers of 32 characters a text


class RemoteEncoder:
    """Vectors from `base_url`/embeddings.

    Args:
        model: what the server calls the model.
        base_url: e.g. "http://localhost:8000/v1"; default: the environment variable OPENAI_BASE_URL.
        api_key: default: the environment variable OPENAI_API_KEY; a server on this machine needs none.
        batch: most texts of one request.
        timeout_s: of one request, from resolving the name to the last byte of the reply. A server that cannot be
            reached at all is reported at once.
        retries: after a refusal that may pass (429, 5xx), obeying Retry-After up to a minute.
        prompts: what to put before a text by role, for models that treat queries and passages differently.
    """

    abilities: frozenset[EncoderAbility] = frozenset()  # the API hands out pooled vectors only

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        batch: int = 128,
        timeout_s: float = 60.0,
        retries: int = 4,
        prompts: dict[str, str] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ):
        if not model or batch < 1:
            raise ConfigError(f"encoder {model!r} with batch = {batch}: expected a model's name and at least 1")
        key = api_key or os.environ.get("OPENAI_API_KEY") or None
        url = base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
        self._server = Server(url, what=f"encoder {model!r}: base_url", key=key)
        weakref.finalize(self, self._server.close)
        if not key and not self._server.is_local:
            raise ConfigError(
                f"encoder {model!r} at {self._server.url}: no API key; set the environment variable OPENAI_API_KEY"
            )
        self.name = f"{model}@{self._server.url}"
        self._model, self._sleep = model, sleep
        self._batch, self._timeout, self._retries, self._prompts = batch, timeout_s, retries, prompts or {}
        self._dim: int | None = None

    @property
    def dim(self) -> int:
        """The width of the vectors; asks the server once when nothing has been encoded yet."""
        if self._dim is None:
            self._post(["width"])
        assert self._dim is not None
        return self._dim

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32 unit vectors. Raises UnavailableError with URL, model and cause."""
        prompt = self._prompts.get(role, "")
        parts = [
            self._post([prompt + (text or " ") for text in texts[start : start + self._batch]])
            for start in range(0, len(texts), self._batch)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, self.dim), np.float32)

    def _post(self, texts: list[str]) -> NDArray[np.float32]:
        body = json.dumps({"model": self._model, "input": texts, "encoding_format": "float"}).encode()
        limit = _BYTES + len(texts) * _BYTES_PER_TEXT
        for attempt in range(self._retries + 1):
            wait = min(30.0, 0.5 * 2**attempt) * random.uniform(0.5, 1.0)
            until = time.monotonic() + self._timeout
            try:
                reply = self._server.call("POST", "/embeddings", body, until=until, limit=limit)
            except TransportError as error:
                if not error.reached or attempt == self._retries:
                    said = (
                        f"no whole reply within {self._timeout:g} s" if error.timed_out and error.sent else str(error)
                    )
                    raise self._failure(said) from None
            else:
                if reply.status == 200:
                    return self._read(reply.body, len(texts))
                if reply.status not in RETRIED or attempt == self._retries:
                    raise self._failure(f"HTTP {reply.status}: {_message(reply.body)}")
                asked = _retry_after(reply.headers.get("retry-after"))
                wait = wait if asked is None else asked
            self._sleep(wait)
        raise self._failure("no attempt was made; retries must be at least 0")

    def _read(self, raw: bytes, count: int) -> NDArray[np.float32]:
        try:
            rows = json.loads(raw)["data"]
            # The API numbers its rows and does not promise their order.
            rows = sorted(rows, key=lambda row: row["index"])
            if [row["index"] for row in rows] != list(range(len(rows))):
                raise ValueError("its rows are not numbered from 0")
            vectors = np.array([row["embedding"] for row in rows], np.float32)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            said = redact(str(error))[:200]
            raise self._failure(f"its reply is no list of embeddings ({type(error).__name__}: {said})") from None
        if vectors.ndim != 2 or len(vectors) != count:
            raise self._failure(f"it returned vectors of shape {vectors.shape} for {count} texts")
        if self._dim not in (None, vectors.shape[1]):
            raise self._failure(f"it returned vectors of width {vectors.shape[1]} after width {self._dim}")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or (lengths == 0).any():
            raise self._failure("it returned a vector that is zero or not finite")
        self._dim = int(vectors.shape[1])
        unit: NDArray[np.float32] = vectors / lengths
        return unit

    def _failure(self, cause: str) -> UnavailableError:
        return UnavailableError(
            f"encoder {self._model!r} at {self._server.url}: {cause}. Is the server running, and its URL right?"
        )


def _message(body: bytes) -> str:
    """The server's own words out of its error, at most 300 characters."""
    said = body[:2000].decode("utf-8", "replace")
    try:
        data: Any = json.loads(body[:65536])
        error = data.get("error", data)
        said = str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError, RecursionError):
        pass
    return redact(said.strip())[:300] or "no message"


def _retry_after(value: str | None) -> float | None:
    try:
        return None if value is None else min(LONGEST_WAIT_S, max(0.0, float(value)))
    except ValueError:  # a date: the usual pause will do
        return None
