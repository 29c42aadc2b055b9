"""Replies and a log of calls in one SQLite file.

A reply is found again by a hash of the model, every parameter and the prompt. Each reply is committed as soon as it
arrives, in WAL mode, so that a killed process loses at most the calls under way; several processes may share a file.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from clew.errors import FormatError, UnavailableError
from clew.protocols import LLMReply, LLMRequest, LLMText
from clew.secrecy import redact
from clew.types import Usage

FORMAT = 3  # 1 had no checksums, 2 none of calls and servers
KEYS = 2  # how requests are hashed
_SCHEMA = """
CREATE TABLE replies (key TEXT PRIMARY KEY, model TEXT NOT NULL, request TEXT NOT NULL, reply TEXT NOT NULL, time REAL NOT NULL, sum BLOB) WITHOUT ROWID;
CREATE TABLE calls (id INTEGER PRIMARY KEY, time REAL NOT NULL, model TEXT NOT NULL, key TEXT, cached INTEGER NOT NULL,
  seconds REAL NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, cost REAL NOT NULL, error TEXT, sum BLOB);
CREATE TABLE servers (model TEXT PRIMARY KEY, findings TEXT NOT NULL, sum BLOB) WITHOUT ROWID;
"""  # noqa: E501
_SUMMED = {  # what the checksum of a row is of, its key first
    "replies": "key, request, reply",
    "calls": "id, time, model, key, cached, seconds, prompt_tokens, completion_tokens, cost, error",
    "servers": "model, findings",
}


@dataclass(frozen=True, slots=True)
class Call:
    """One row of the call log."""

    time: float  # seconds since the epoch
    model: str
    key: str | None
    cached: bool
    seconds: float
    usage: Usage
    error: str | None
    prompt: tuple[dict[str, str], ...] = ()  # role and content of each message, where the reply was kept
    texts: tuple[str, ...] = ()


def request_key(model: str, request: LLMRequest) -> str | None:
    """Hash of the model and every field of a request; None for a constraint without a key."""
    described = describe(request)
    if described is None:
        return None
    text = json.dumps({"format": KEYS, "model": model, **described}, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def describe(request: LLMRequest) -> dict[str, Any] | None:
    """Every field of a request as JSON values; arrays stand by their hash."""
    described: dict[str, Any] = {}
    for field in fields(request):
        value = getattr(request, field.name)
        if field.name == "messages":
            value = [asdict(message) for message in value]
        elif field.name == "soft_prompt" and value is not None:
            value = [list(value.shape), hashlib.sha256(value.tobytes()).hexdigest()]
        elif field.name == "json_schema" and value is not None:
            value = json.loads(json.dumps(value))
        elif field.name == "constraint" and value is not None:
            value = getattr(value, "key", None)
            if not isinstance(value, str):
                return None
        described[field.name] = list(value) if isinstance(value, tuple) else value
    return described


def _sum(*parts: object) -> bytes:
    """What a stored row must still add up to."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(str(part).encode("utf-8", "surrogatepass") + b"\0")
    return digest.digest()


class ReplyCache:
    """The file of replies and calls; thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=30, check_same_thread=False, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise UnavailableError(f"{path}: the reply cache cannot be opened: {error}") from None
        weakref.finalize(self, self._db.close)
        try:
            with self._guard():
                self._open()
        except BaseException:
            self._db.close()
            raise

    def _open(self) -> None:
        self._use_wal()
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.execute("BEGIN IMMEDIATE")  # two processes may create the file at the same moment
        try:
            version = self._db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                if self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                    raise FormatError(f"{self.path}: an SQLite file, but not a reply cache; choose another path")
                for statement in _SCHEMA.split(";"):
                    self._db.execute(statement)
                self._db.execute(f"PRAGMA user_version={FORMAT}")
            elif version < FORMAT:
                self._give_sums(("calls", "servers") if version == 2 else tuple(_SUMMED))
                self._db.execute(f"PRAGMA user_version={FORMAT}")
            elif version != FORMAT:
                raise FormatError(
                    f"{self.path}: reply cache of format {version}, this clew reads {FORMAT}; "
                    "upgrade clew or choose another path"
                )
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def _give_sums(self, tables: Sequence[str]) -> None:
        """Rows of an earlier format get checksums, as they are."""
        for table in tables:
            self._db.execute(f"ALTER TABLE {table} ADD COLUMN sum BLOB")
            for row in self._db.execute(f"SELECT {_SUMMED[table]} FROM {table}").fetchall():
                key = _SUMMED[table].partition(",")[0]
                self._db.execute(f"UPDATE {table} SET sum=? WHERE {key}=?", (_sum(*row), row[0]))

    def _use_wal(self, patience_s: float = 10.0) -> None:
        """Switch to WAL; SQLite does not wait for another process that does the same, so we do."""
        until = time.monotonic() + patience_s
        while True:
            try:
                self._db.execute("PRAGMA journal_mode=WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > until:
                    raise
            time.sleep(0.01)

    @contextmanager
    def _guard(self) -> Iterator[None]:
        """The lock, and SQLite's errors in our words."""
        with self._lock:
            try:
                yield
            except UnicodeDecodeError:  # SQLite's own message quotes what lies in the file
                raise self._damaged("it holds what is no text") from None
            except sqlite3.DatabaseError as error:
                if isinstance(error, sqlite3.OperationalError) and "malformed" not in str(error):
                    raise UnavailableError(f"{self.path}: the reply cache does not work: {error}") from None
                raise self._damaged(str(error)) from None

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _damaged(self, why: str) -> FormatError:
        return FormatError(
            f"{self.path}: the reply cache is damaged ({why}); move it away, replies will be asked for again"
        )

    def _texts(self, key: object, request: object, reply: object, sum: object) -> tuple[LLMText, ...]:
        """The texts of a stored row. Raises FormatError where it is not what was written."""
        if sum != _sum(key, request, reply):
            raise self._damaged(f"the checksum of reply {str(key)[:16]} differs")
        return tuple(LLMText(**text) for text in json.loads(str(reply)))

    def get(self, key: str) -> LLMReply | None:
        """The stored reply; its usage is one cached call and nothing else."""
        with self._guard():
            row = self._db.execute("SELECT key, request, reply, sum FROM replies WHERE key=?", (key,)).fetchone()
        if row is None:
            return None
        if row[0] != key:
            raise self._damaged("its index leads to another row")
        return LLMReply(self._texts(*row), Usage(cached_calls=1))

    def put(self, key: str, model: str, request: LLMRequest, reply: LLMReply) -> None:
        """Keep a reply."""
        asked = redact(json.dumps(describe(request), ensure_ascii=True))
        said = redact(json.dumps([asdict(text) for text in reply.texts], ensure_ascii=True))
        row = (key, model, asked, said, time.time(), _sum(key, asked, said))
        with self._guard():
            self._db.execute("INSERT OR REPLACE INTO replies VALUES (?,?,?,?,?,?)", row)

    def log(self, model: str, key: str | None, seconds: float, usage: Usage, error: str | None = None) -> None:
        """Note a call, whether it came from the cache, and how it ended."""
        cached = int(usage.cached_calls > 0)
        tokens = (usage.prompt_tokens, usage.completion_tokens)
        row = (time.time(), model, key, cached, float(seconds), *tokens, float(usage.cost), error)
        columns = _SUMMED["calls"].partition(", ")[2]
        with self._guard():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                made = self._db.execute(f"INSERT INTO calls({columns}) VALUES (?,?,?,?,?,?,?,?,?)", row).lastrowid
                self._db.execute("UPDATE calls SET sum=? WHERE id=?", (_sum(made, *row), made))
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
            self._db.execute("COMMIT")

    def calls(self, limit: int = 20) -> list[Call]:
        """The last calls, newest first, with prompt and texts where they were kept."""
        columns = ", ".join(f"c.{name}" for name in _SUMMED["calls"].split(", "))
        with self._guard():
            rows = self._db.execute(
                f"SELECT {columns}, c.sum, r.key, r.request, r.reply, r.sum FROM calls c "
                "LEFT JOIN replies r ON r.key = c.key ORDER BY c.id DESC LIMIT ?",
                (limit,),
            ).fetchall()
        calls = []
        for *said, mark, key_kept, request, reply, reply_mark in rows:
            if mark != _sum(*said):
                raise self._damaged(f"the checksum of call {str(said[0])[:16]} differs")
            _, when, model, key, cached, seconds, prompt, completion, cost, error = said
            texts: tuple[str, ...] = ()
            messages: tuple[dict[str, str], ...] = ()
            if key_kept is not None:
                texts = tuple(text.text for text in self._texts(key_kept, request, reply, reply_mark))
                messages = tuple(json.loads(request)["messages"])
            usage = Usage(int(not cached), int(cached), prompt, completion, cost)
            calls.append(Call(when, model, key, bool(cached), seconds, usage, error, messages, texts))
        return calls

    def findings(self, model: str) -> dict[str, Any]:
        """What was found out about a server before."""
        with self._guard():
            row = self._db.execute("SELECT findings, sum FROM servers WHERE model=?", (model,)).fetchone()
        if row is None:
            return {}
        if row[1] != _sum(model, row[0]):
            raise self._damaged("the checksum of what it says about a server differs")
        try:
            return dict(json.loads(row[0]))
        except (ValueError, TypeError, RecursionError):
            raise self._damaged("what it says about a server is no JSON") from None

    def remember(self, model: str, findings: dict[str, Any]) -> None:
        """Keep what was found out about a server."""
        with self._guard():
            said = json.dumps(findings)
            self._db.execute("INSERT OR REPLACE INTO servers VALUES (?,?,?)", (model, said, _sum(model, said)))
