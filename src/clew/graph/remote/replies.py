"""Replies of an endpoint kept on disk for a while: a question asked again next minute costs the server nothing.

Apart from the client so that it can fail alone: a cache that cannot be read or written is none, and says so once. It
belongs to one state of the graph as it can be told from outside, and to who asked: two users may see different facts.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from clew.graph.remote.address import digest

T = TypeVar("T")
LARGEST = 4 << 20  # bytes of a reply that is kept: pages of a scan are asked for once anyway
MOST = 20_000  # replies


class Replies:
    """Decoded replies by query. Safe between threads and processes.

    Args:
        identity: of the graph's state and of who asks; replies of another are dropped.
        age_s: how long a reply counts.
    """

    def __init__(self, path: Path, identity: str, age_s: float) -> None:
        self._path, self._identity, self._age = path, identity, age_s
        self._lock = threading.Lock()
        self._base: sqlite3.Connection | None = None
        self._trying(self._open)

    def _open(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._base = sqlite3.connect(self._path, timeout=5, isolation_level=None, check_same_thread=False)
        self._base.execute("PRAGMA journal_mode=WAL")
        self._base.execute("PRAGMA synchronous=NORMAL")
        self._base.execute(
            "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, identity TEXT, at REAL, body BLOB) WITHOUT ROWID"
        )
        self._base.execute("DELETE FROM replies WHERE identity != ? OR at < ?", (self._identity, self._oldest))
        self._base.execute(
            "DELETE FROM replies WHERE key IN (SELECT key FROM replies ORDER BY at DESC LIMIT -1 OFFSET ?)", (MOST,)
        )

    @property
    def _oldest(self) -> float:
        return time.time() - self._age

    def _key(self, query: str) -> str:
        return digest(f"{self._identity}\0{query}")

    def get(self, query: str) -> dict[str, Any] | None:
        """A reply that still counts."""

        def read(base: sqlite3.Connection) -> dict[str, Any] | None:
            row = base.execute(
                "SELECT body FROM replies WHERE key = ? AND at >= ?", (self._key(query), self._oldest)
            ).fetchone()
            found: dict[str, Any] | None = None if row is None else json.loads(zlib.decompress(row[0]))
            return found

        return self._with(read)

    def put(self, query: str, reply: dict[str, Any]) -> None:
        body = json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode()
        if len(body) > LARGEST:
            return
        row = (self._key(query), self._identity, time.time(), zlib.compress(body, 1))
        self._with(lambda base: base.execute("INSERT OR REPLACE INTO replies VALUES (?, ?, ?, ?)", row) and None)

    def clear(self) -> None:
        """Drop all of them, so that the server is asked as it is now."""
        self._with(lambda base: base.execute("DELETE FROM replies") and None)

    def close(self) -> None:
        with self._lock:
            if self._base is not None:
                self._base.close()
            self._base = None

    def _with(self, work: Callable[[sqlite3.Connection], T]) -> T | None:
        with self._lock:
            base = self._base
            return None if base is None else self._trying(lambda: work(base))

    def _trying(self, work: Callable[[], T]) -> T | None:
        try:
            return work()
        except (sqlite3.Error, OSError, ValueError, zlib.error) as error:
            warnings.warn(f"{self._path}: replies are not kept: {error}; delete the file to begin anew", stacklevel=3)
            if self._base is not None:
                self._base.close()
            self._base = None
            return None
