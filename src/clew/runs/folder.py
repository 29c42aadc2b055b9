"""The folder of a run: durable rows, a manifest, and a refusal to mix two runs.

A row counts once its line is complete on disk. A process killed in the middle of a write leaves a torn last line,
which the next one cuts off; damage anywhere else is reported, never skipped.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from clew.datasets import parse_example, to_plain
from clew.errors import ConfigError, FormatError, InputError, NotFoundError
from clew.protocols import Example
from clew.types import Answer, answer_from_json, to_json

FORMAT = 1


@dataclass(frozen=True, slots=True)
class RunRow:
    """What happened to one question: an answer, or an error as {"type", "message"}."""

    id: str
    answer: Answer | None = None
    error: Mapping[str, str] | None = None

    def to_json(self) -> dict[str, Any]:
        if self.error is not None:
            return {"id": self.id, "error": dict(self.error)}
        return {"id": self.id, "answer": to_json(self.answer)}

    def to_line(self) -> bytes:
        """One line of rows.jsonl. Raises ValueError for what JSON cannot hold (a score that is no number)."""
        return (json.dumps(self.to_json(), ensure_ascii=False, allow_nan=False) + "\n").encode()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunRow:
        if "error" in data:
            return cls(data["id"], error=data["error"])
        return cls(data["id"], answer_from_json(data["answer"]))


class Run:
    """A run's folder. `Run.create` begins or resumes one, `Run.open` reads one.

    Only one process may write to a folder at a time; the second is told so.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self._file: IO[bytes] | None = None
        self._lock: IO[bytes] | None = None

    @classmethod
    def create(
        cls,
        folder: Path,
        identity: Mapping[str, Any],
        examples: Iterable[Example],
        *,
        session: Mapping[str, Any],
        resume: bool = False,
    ) -> Run:
        """A folder ready for rows.

        Args:
            identity: what every row of the folder has in common (method, configuration, checksums of graph and
                model). JSON values. Rows made under two identities are never mixed.
            examples: all questions in order; read once, stored with their gold beside the rows, graphs left out.
            session: what may differ between two starts of one run (versions, commit, time); kept as a list.

        Raises:
            InputError: the folder holds rows already and `resume` is False; or two questions share an id.
            ConfigError: the folder belongs to another identity or other questions.
        """
        if folder.exists() and not folder.is_dir():
            raise InputError(f"run {folder}: is a file, expected a folder")
        folder.mkdir(parents=True, exist_ok=True)
        run = cls(folder, {})
        run._acquire()
        try:
            run._begin(identity, examples, session, resume)
        except BaseException:
            run.close()
            raise
        return run

    def _begin(
        self,
        identity: Mapping[str, Any],
        examples: Iterable[Example],
        session: Mapping[str, Any],
        resume: bool,
    ) -> None:
        text, count = _question_lines(examples)
        identity = json.loads(json.dumps({**identity, "questions": {"sha256": _sha256(text), "count": count}}))
        path = self.folder / "manifest.json"
        if path.exists():
            self.manifest = _read_manifest(self.folder)
            if not resume and self.row_count():
                raise InputError(
                    f"run {self.folder}: already holds {self.row_count()} rows; "
                    "go on with --resume, or name another folder"
                )
            differences = _differences(self.manifest["identity"], identity)
            if differences and self.row_count():
                raise ConfigError(
                    f"run {self.folder}: was made under other settings ({'; '.join(differences[:3])}); "
                    "use the same ones, or name another folder"
                )
        sessions = [*self.manifest.get("sessions", []), dict(session)]
        self.manifest = {"format": FORMAT, "identity": identity, "sessions": sessions}
        _write_whole(self.folder / "questions.jsonl", text)
        _write_whole(path, (json.dumps(self.manifest, indent=1, ensure_ascii=False) + "\n").encode())
        rows = self.folder / "rows.jsonl"
        if rows.exists():
            _cut_torn_tail(rows)
        self._file = rows.open("ab")
        _sync_folder(self.folder)

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Read a run. Raises NotFoundError when there is none, FormatError when it is damaged or newer."""
        if not (folder / "manifest.json").is_file():
            raise NotFoundError(f"{folder}: not a run folder (no manifest.json); make one with  clew predict … --run")
        return cls(folder, _read_manifest(folder))

    def append(self, rows: Sequence[RunRow]) -> None:
        """Add rows; they are on disk when this returns."""
        if self._file is None:
            raise InputError(f"run {self.folder}: opened for reading")
        self._file.write(b"".join(row.to_line() for row in rows))
        self._file.flush()
        os.fsync(self._file.fileno())

    def rows(self) -> Iterator[RunRow]:
        """The last row of every question, in the order of the questions, whatever the order they were made in."""
        latest = {row["id"]: row for row in self._raw()}
        for id in self.question_ids():
            if id in latest:
                yield RunRow.from_json(latest[id])

    def answers(self) -> Iterator[Answer]:
        """The answers, in the order of the questions, failed questions left out (see `errors`)."""
        return (row.answer for row in self.rows() if row.answer is not None)

    def errors(self) -> dict[str, Mapping[str, str]]:
        """Question id to error, for the questions that failed."""
        return {row.id: row.error for row in self.rows() if row.error is not None}

    def answered(self) -> set[str]:
        """Ids of the questions that have an answer; a failed question is not one of them and is asked again."""
        state = {row["id"]: "answer" in row for row in self._raw()}
        return {id for id, good in state.items() if good}

    def row_count(self) -> int:
        return len({row["id"] for row in self._raw()})

    def examples(self) -> list[Example]:
        """The questions of this run with their gold, in order, without their graphs. For scoring."""
        return [parse_example(data) for data in self._questions()]

    def question_ids(self) -> list[str]:
        return [data["id"] for data in self._questions()]

    def question_count(self) -> int:
        return int(self.manifest["identity"]["questions"]["count"])

    def _questions(self) -> list[dict[str, Any]]:
        path = self.folder / "questions.jsonl"
        try:
            content = path.read_bytes()
        except OSError as error:
            raise FormatError(f"{path}: cannot be read ({error.strerror}); the run needs its questions") from None
        if _sha256(content) != self.manifest["identity"]["questions"]["sha256"]:
            raise FormatError(f"{path}: was changed after the run (checksum differs); restore it or predict again")
        return [json.loads(line) for line in content.splitlines()]

    def _raw(self) -> Iterator[dict[str, Any]]:
        path = self.folder / "rows.jsonl"
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                row = _row(line)
                if row is not None:
                    yield row
                elif file.read(1):
                    raise FormatError(
                        f"{path}:{number}: damaged row in the middle of the file; restore it or start anew"
                    )

    def _acquire(self) -> None:
        import fcntl

        self._lock = (self.folder / ".lock").open("wb")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            self._lock = None
            raise InputError(f"run {self.folder}: another process is writing to it; wait, or name another") from None

    def close(self) -> None:
        for file in (self._file, self._lock):
            if file is not None:
                file.close()
        self._file = self._lock = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def checksum(path: Path) -> str:
    """SHA-256 of a file, or of a folder's files with their names. Raises InputError when it cannot be read."""
    digest = hashlib.sha256()
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    try:
        for file in files:
            digest.update(str(file.relative_to(path)).encode() + b"\0")
            with file.open("rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    return digest.hexdigest()


def _question_lines(examples: Iterable[Example]) -> tuple[bytes, int]:
    seen: dict[str, int] = {}
    lines = []
    for number, example in enumerate(examples, start=1):
        id = example.question.id
        if id in seen:
            raise InputError(f"questions {seen[id]} and {number} have the same id {id!r}; every id must differ")
        seen[id] = number
        lines.append(json.dumps(to_plain(Example(example.question, example.gold)), ensure_ascii=False) + "\n")
    return "".join(lines).encode(), len(lines)


def _row(line: bytes) -> dict[str, Any] | None:
    """A stored row, or None when the line is torn."""
    if not line.endswith(b"\n"):
        return None
    try:
        data = json.loads(line)
    except ValueError:
        return None
    good = isinstance(data, dict) and isinstance(data.get("id"), str) and ("answer" in data) != ("error" in data)
    return data if good else None


def _damaged(path: Path, number: int) -> FormatError:
    return FormatError(f"{path}:{number}: damaged row in the middle of the file; restore it or start anew")


def _cut_torn_tail(path: Path) -> None:
    with path.open("rb+") as file:
        end = 0
        for line in file:
            if _row(line) is None:
                break
            end += len(line)
        torn = path.stat().st_size - end
        file.seek(end)
        if file.read().count(b"\n") > 1:
            number = path.read_bytes()[:end].count(b"\n") + 1
            raise _damaged(path, number)
        if torn:
            file.truncate(end)
            os.fsync(file.fileno())


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    try:
        data = json.loads(path.read_bytes())
        found = data["format"], data["identity"]["questions"]["sha256"], data["sessions"]
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        raise FormatError(f"{path}: damaged; restore it, or predict again into another folder") from None
    if found[0] != FORMAT:
        raise FormatError(f"{path}: run format {found[0]}, this clew reads {FORMAT}; use the clew that wrote it")
    return dict(data)


def _differences(old: Any, new: Any, key: str = "") -> list[str]:
    """`method.beam: 5 there, 8 now`, for every leaf that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = dict.fromkeys((*old, *new))
        return [d for n in names for d in _differences(old.get(n), new.get(n), f"{key}.{n}" if key else n)]
    return [] if old == new else [f"{key}: {_short(old)} there, {_short(new)} now"]


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "…"


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write_whole(path: Path, content: bytes) -> None:
    """Write a small file so that a reader sees the old one or the new one, never a part."""
    temporary = path.with_name(path.name + ".new")
    with temporary.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
