"""The folder of a run: durable rows, a manifest, and a refusal to mix two runs.

A row counts once its line is complete on disk. A process killed in the middle of a write leaves a last line without
its end, which the next one cuts off; any other line that is not what was written (each carries a checksum) is damage,
and damage is reported, never skipped.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from pydantic import TypeAdapter, ValidationError

from clew.datasets import parse_example, to_plain
from clew.errors import ClewError, ConfigError, FormatError, InputError, NotFoundError, UnavailableError
from clew.jsontext import read_json, write_json
from clew.protocols import Example
from clew.secrecy import redact
from clew.types import Answer, to_json

FORMAT = 2  # 1 had no checksums; such runs are read, and gone on with as they are
_ANSWER: TypeAdapter[Answer] = TypeAdapter(Answer)
_SUM = b', "crc32": "'


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
        """One line of rows.jsonl, keys redacted, its checksum last. Raises ValueError for a score that is no number."""
        body = redact(write_json(self.to_json())).encode()[:-1]
        return body + _SUM + f'{zlib.crc32(body):08x}"}}\n'.encode()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunRow:
        """A row from its JSON values. Raises FormatError that says what is wrong with it."""
        try:
            if "error" in data:
                error = data["error"]
                return cls(data["id"], error={"type": str(error["type"]), **{k: str(v) for k, v in error.items()}})
            return cls(data["id"], _ANSWER.validate_python(data["answer"]))
        except ValidationError as error:
            first = error.errors()[0]
            said = f"{'.'.join(map(str, first['loc'])) or 'all of it'}: {first['msg']}"
            raise FormatError(f"row {str(data['id'])[:60]!r}: no answer ({said})") from None
        except (KeyError, TypeError, AttributeError) as error:
            raise FormatError(f"row {str(data.get('id'))[:60]!r}: no error record ({error!r})") from None


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
        run = cls(folder, {})
        try:
            if folder.exists() and not folder.is_dir():
                raise InputError(f"run {folder}: is a file, expected a folder")
            folder.mkdir(parents=True, exist_ok=True)
            run._acquire()
        except OSError as error:
            raise InputError(f"run {folder}: cannot be made: {error.strerror}; name another folder") from None
        try:
            run._begin(identity, examples, session, resume)
        except OSError as error:
            run.close()
            raise UnavailableError(f"run {folder}: cannot be written: {error.strerror}") from None
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
        identity = read_json(redact(write_json({**identity, "questions": {"sha256": _sha256(text), "count": count}})))
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
        self.manifest = {"format": self.manifest.get("format", FORMAT), "identity": identity, "sessions": sessions}
        _write_whole(self.folder / "questions.jsonl", text)
        _write_whole(path, _manifest_text(self.manifest))
        rows = self.folder / "rows.jsonl"
        if rows.exists():
            _cut_torn_tail(rows, self._summed)
        self._file = rows.open("ab")
        _sync_folder(self.folder)

    @classmethod
    def open(cls, folder: Path) -> Run:
        """Read a run. Raises NotFoundError when there is none, FormatError when it is damaged or newer."""
        if not os.path.isfile(folder / "manifest.json"):  # noqa: PTH113 - a name too long is none, and no OSError
            raise NotFoundError(f"{folder}: not a run folder (no manifest.json); make one with  clew predict … --run")
        return cls(folder, _read_manifest(folder))

    def append(self, rows: Sequence[RunRow]) -> None:
        """Add rows; they are on disk when this returns."""
        if self._file is None:
            raise InputError(f"run {self.folder}: opened for reading")
        lines = b"".join(row.to_line() for row in rows)
        if not self._summed:
            lines = b"".join(_bare(line) for line in lines.splitlines(keepends=True))
        try:
            self._file.write(lines)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise UnavailableError(
                f"run {self.folder}: rows cannot be written ({error.strerror}); those before are kept, "
                "go on with --resume"
            ) from None

    @property
    def _summed(self) -> bool:
        return bool(self.manifest["format"] != 1)

    def rows(self) -> Iterator[RunRow]:
        """The last row of every question, in the order of the questions, whatever the order they were made in."""
        latest = {row["id"]: row for row in self._raw()}
        for id in self.question_ids():
            if id in latest:
                try:
                    yield RunRow.from_json(latest[id])
                except FormatError as error:
                    raise FormatError(f"{self.folder / 'rows.jsonl'}: {error}; restore it or start anew") from None

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
        return [read_json(line) for line in content.split(b"\n") if line]

    def _raw(self) -> Iterator[dict[str, Any]]:
        path = self.folder / "rows.jsonl"
        if not path.exists():
            return
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    return  # torn by a kill; the question is asked again
                row = _row(line, self._summed)
                if row is None:
                    raise _damaged(path, number)
                yield row

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
        lines.append(write_json(to_plain(Example(example.question, example.gold))) + "\n")
    return "".join(lines).encode(), len(lines)


def _row(line: bytes, summed: bool) -> dict[str, Any] | None:
    """A stored row, or None when the line is not what was written."""
    if summed:
        body, mark, said = line.rstrip(b"\n").rpartition(_SUM)
        if not mark or said != f'{zlib.crc32(body):08x}"}}'.encode():
            return None
        line = body + b"}"
    try:
        data = read_json(line)
    except ClewError:
        return None
    good = isinstance(data, dict) and isinstance(data.get("id"), str) and ("answer" in data) != ("error" in data)
    return data if good else None


def _bare(line: bytes) -> bytes:
    return line.rpartition(_SUM)[0] + b"}\n"


def _damaged(path: Path, number: int) -> FormatError:
    return FormatError(f"{path}:{number}: damaged row; restore it or start anew")


def _cut_torn_tail(path: Path, summed: bool) -> None:
    """Cut off a last line without its end. Raises FormatError for any other line that is no row."""
    end = 0
    with path.open("rb+") as file:
        for number, line in enumerate(file, start=1):
            if not line.endswith(b"\n"):
                break
            if _row(line, summed) is None:
                raise _damaged(path, number)
            end += len(line)
        if path.stat().st_size > end:
            file.truncate(end)
            os.fsync(file.fileno())


def _manifest_text(manifest: Mapping[str, Any]) -> bytes:
    """The manifest as it is stored, with a checksum of its own content."""
    content = read_json(redact(write_json(manifest)))
    mark = _sha256(write_json(content).encode())
    return (write_json({**content, "sha256": mark}, indent=1) + "\n").encode()


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    try:
        data = read_json(path.read_bytes())
        version = data["format"]
        if version not in (1, FORMAT):
            raise FormatError(
                f"{path}: run format {str(version)[:40]}, this clew reads {FORMAT}; use the clew that wrote it"
            )
        mark = data.pop("sha256", None)
        if version == FORMAT and mark != _sha256(write_json(data).encode()):
            raise InputError("its checksum differs")
        expected: tuple[type, ...] = (dict, str, int, list)
        found = data["identity"], data["identity"]["questions"]["sha256"], data["identity"]["questions"]["count"]
        if not all(isinstance(v, kind) for v, kind in zip((*found, data["sessions"]), expected, strict=True)):
            raise InputError("a value of another kind")
    except OSError as error:
        raise FormatError(f"{path}: cannot be read: {error.strerror}") from None
    except (InputError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}: damaged ({error}); restore it, or predict again into another folder") from None
    return dict(data)


def _differences(old: Any, new: Any, key: str = "") -> list[str]:
    """`method.beam: 5 there, 8 now`, for every leaf that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        names = dict.fromkeys((*old, *new))
        return [d for n in names for d in _differences(old.get(n), new.get(n), f"{key}.{n}" if key else n)]
    return [] if old == new else [f"{key}: {_short(old)} there, {_short(new)} now"]


def _short(value: Any) -> str:
    text = write_json(value)
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
