"""Batch files: what would be asked is written down, and answered by whoever reads OpenAI's batch format.

A batch service, `vllm run-batch` on a cluster, or a person. `requests-0001.jsonl` holds requests, `replies-0001.jsonl`
what came back for them. The replies of all rounds are the memory: every start asks the method anew, and what has no
reply yet is written down. Nothing else is kept, so nothing is lost, and the folder repeats its run without a model.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from clew.errors import ConfigError, InputError, ReplyPendingError, UnavailableError
from clew.jsontext import read_json, write_json
from clew.llm.ability import estimate_tokens
from clew.llm.budget import Meter, Reservation
from clew.llm.refusal import message_of, refusal
from clew.llm.remote import RemoteModel, stated_usage
from clew.llm.settings import ModelSettings
from clew.protocols import LLMReply, LLMRequest, LLMText
from clew.secrecy import redact, redact_value
from clew.types import Usage

MOST_REQUESTS = 50_000  # of one file, as batch services allow
MOST_BYTES = 100 * 2**20
THINKING = 4096  # a round may take a day: a model that thinks shall not need another one for want of room
_REQUESTS = re.compile(r"requests-(\d{4,})\.jsonl")


class BatchFolder:
    """The files of a batch: replies that are there, requests that wait; thread-safe.

    Raises:
        InputError: a file of replies is unreadable or belongs to other requests.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.waiting: dict[str, str] = {}  # custom_id → line, in the order in which they were met
        self._lock = threading.Lock()
        self._bodies: dict[str, dict[str, Any]] = {}  # custom_id → chat completion
        self._prompts: dict[str, int] = {}  # custom_id → estimated tokens of its prompt
        self.refused: set[str] = set()  # parameters that the model did not take
        self.open_files: list[tuple[Path, int]] = []  # requests without a file of replies, and how many they are
        self._last = 0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            numbers = sorted(int(found[1]) for path in folder.iterdir() if (found := _REQUESTS.fullmatch(path.name)))
            for number in numbers:
                self._last = number
                self._take(number)
        except OSError as error:
            raise InputError(f"{folder}: no folder for batch files: {error.strerror or error}") from None

    def _take(self, number: int) -> None:
        requests, replies = self._file("requests", number), self._file("replies", number)
        asked = {str(row["custom_id"]): row for _, row in _rows(requests)}
        if not replies.exists():
            self.open_files.append((requests, len(asked)))
            return
        counts: dict[str, list[str]] = {"are doubled, the first counts": [], "are foreign and left out": []}
        failed: dict[str, str] = {}
        here: set[str] = set()
        for at, row in _rows(replies):
            name = str(row.get("custom_id"))
            if name not in asked:
                counts["are foreign and left out"].append(name)
                continue
            body, problem = _completion(row)
            if body is None:
                failed.setdefault(name, f"line {at}: {problem}")
                self.refused.update(filter(None, [refusal(400, problem, asked[name].get("body") or {})]))
                continue
            if name in here:
                counts["are doubled, the first counts"].append(name)
                continue
            here.add(name)
            self._bodies[name] = body
            self._prompts[name] = estimate_tokens(json.dumps(asked[name].get("body"), ensure_ascii=False))
        failures = {name: problem for name, problem in failed.items() if name not in here}
        lacking = len(asked) - len(here) - len(failures)
        if asked and not here and not failures:
            raise InputError(
                f"{replies}: none of its rows has the custom_id of a request in {requests.name}; "
                "put the replies to these requests there, or remove the file"
            )
        for said, names in counts.items():
            if names:
                warnings.warn(f"{replies}: {len(names)} rows {said}, such as {names[0][:80]!r}", stacklevel=3)
        if failures:
            first = next(iter(failures.values()))
            warnings.warn(
                f"{replies}: {len(failures)} requests failed and are asked again; {first[:300]}", stacklevel=3
            )
        if lacking:
            warnings.warn(f"{replies}: {lacking} requests have no reply and are asked again", stacklevel=3)

    def _file(self, kind: str, number: int) -> Path:
        return self.folder / f"{kind}-{number:04d}.jsonl"

    def reply(self, name: str) -> dict[str, Any] | None:
        """The chat completion that came for a request."""
        return self._bodies.get(name)

    def wait(self, name: str, body: Mapping[str, Any]) -> bool:
        """Put a request among those that wait; False where it is there already."""
        row = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
        with self._lock:
            if name in self.waiting:
                return False
            self.waiting[name] = redact(write_json(row)) + "\n"
            return True

    def completions(self) -> Iterator[tuple[dict[str, Any], int]]:
        """Every chat completion that is there, once, and an estimate of its prompt's tokens."""
        for name, body in self._bodies.items():
            yield body, self._prompts[name]

    def flush(self) -> list[tuple[Path, int]]:
        """Write what waits as new files of requests, whole or not at all."""
        written: list[tuple[Path, int]] = []
        lines: list[str] = []
        size = 0
        for line in [*self.waiting.values(), ""]:
            length = len(line.encode())
            if lines and (not line or len(lines) >= MOST_REQUESTS or size + length > MOST_BYTES):
                self._last += 1
                path = self._file("requests", self._last)
                temporary = path.with_name(path.name + ".new")
                with temporary.open("w", encoding="utf-8", newline="\n") as file:
                    file.writelines(lines)
                    file.flush()
                    os.fsync(file.fileno())
                temporary.replace(path)
                written.append((path, len(lines)))
                lines, size = [], 0
            lines.append(line)
            size += length
        self.waiting.clear()
        return written


class BatchModel(RemoteModel):
    """A served model that is never called: replies come from the files of a folder.

    `generate` raises ReplyPendingError where a reply is not there yet, after every request of the call was put among
    those that wait. What waits is booked with its worst case, so that a budget bounds a round before it is paid for.
    """

    def __init__(self, settings: ModelSettings, folder: BatchFolder, *, meter: Meter | None = None) -> None:
        if settings.backend != "openai":
            raise ConfigError("batch files are for served models: leave out language_model.backend, or --batch")
        chosen: dict[str, Any] = {"base_url": "http://localhost"}  # never called
        if settings.json_mode == "probe":
            chosen["json_mode"] = "prompt" if "response_format" in folder.refused else "json_schema"
        if settings.thinking_tokens is None:
            chosen["thinking_tokens"] = THINKING
        super().__init__(settings.model_copy(update=chosen), meter=meter)
        self._refused |= {"max_tokens", *folder.refused}  # max_completion_tokens is understood by all that read batches
        self.folder = folder
        self.estimate = Usage()  # of what waits, at worst

    @property
    def name(self) -> str:
        return f"{self.settings.model}@batch"

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, in order. Raises ReplyPendingError where one is still to come."""
        replies: list[LLMReply] = []
        pending: ReplyPendingError | None = None
        for request in requests:
            self._check(request)
            try:
                replies.append(self._one(request))
            except ReplyPendingError as error:
                pending = error
        if pending is not None:
            raise pending
        return replies

    def _completion(self, parameters: dict[str, Any], request: LLMRequest) -> tuple[list[LLMText], Usage]:
        asked = {key: value for key, value in parameters.items() if key != "logprobs"}  # replies count with or without
        text = json.dumps(asked, sort_keys=True, default=str)
        name = "clew-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:48]
        body = self.folder.reply(name)
        reservation = self._meter.reserve([request])
        usage: Usage | None = None
        try:
            if body is None:
                if self.folder.wait(name, self._adapted(parameters)):
                    usage = reservation.worst
                    self.estimate += usage
                raise ReplyPendingError(
                    f"{self.name}: no reply yet in {self.folder.folder}; clew predict … --batch writes what is asked"
                )
            texts = self._texts(body, request)
            usage = stated_usage(body, texts, reservation)
        finally:
            booked = self._meter.settle(reservation, usage)
        return texts, booked

    def raise_for_open(self) -> None:
        """Raises ReplyPendingError where requests of an earlier start still have no file of replies."""
        if self.folder.open_files:
            raise ReplyPendingError(self._told(self.folder.open_files))

    def finish(self) -> None:
        """End a start: write what waits. Raises ReplyPendingError that says how many requests wait, and where."""
        if not self.folder.waiting:
            return
        try:
            written = self.folder.flush()
        except OSError as error:
            raise UnavailableError(f"{self.folder.folder}: cannot be written: {error.strerror}") from None
        worst = self.estimate
        said = f" (about {worst.prompt_tokens:,} tokens, and at most {worst.completion_tokens:,} written"
        said += f"; at most {worst.cost:.2f} by your prices)" if worst.cost else ")"
        raise ReplyPendingError(self._told(written, said))

    def _told(self, files: Sequence[tuple[Path, int]], cost: str = "") -> str:
        first, more = files[0][0], len(files) - 1
        where = f"{first}" + (f" and {more} more files" if more else "")
        return (
            f"{sum(count for _, count in files):,} requests wait in {where}{cost}; put the replies to it beside it as "
            f"{first.name.replace('requests', 'replies')} and start the same command again"
        )

    def paid(self) -> Usage:
        """What all replies that are there took, each once."""
        total = Usage()
        for body, prompt in self.folder.completions():
            texts = self._texts(body, LLMRequest((), max_tokens=10**6, n=10**6))
            total += stated_usage(body, texts, Reservation(Usage(1, 0, prompt)))
        return self._meter.priced(total)


def _rows(path: Path) -> list[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines with their line numbers. Raises InputError that names the bad line."""
    rows: list[tuple[int, dict[str, Any]]] = []
    with path.open("rb") as file:
        for at, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = read_json(line)
            except InputError as error:
                raise InputError(
                    f"{path}:{at}: {error}; expected one JSON object a line, as batch services write them"
                ) from None
            if not isinstance(row, dict) or "custom_id" not in row:
                raise InputError(f"{path}:{at}: no object with a custom_id; expected a row of a batch")
            rows.append((at, row))
    return rows


def _completion(row: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """The chat completion of a row, or why there is none. A person may have written `content` alone."""
    content = row.get("content")
    if isinstance(content, str):
        return redact_value({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}), ""
    response = row.get("response")
    if row.get("error") or not isinstance(response, Mapping):
        return None, _said(row["error"]) if row.get("error") else "no response"
    body = response.get("body")
    if response.get("status_code") != 200 or not isinstance(body, dict):
        return None, f"status {response.get('status_code')}: {_said(body)}"
    if not isinstance(body.get("choices"), list) or not body["choices"]:
        return None, "not a chat completion"
    return redact_value(body), ""


def _said(error: Any) -> str:
    return message_of(json.dumps(error, default=str, ensure_ascii=False).encode("utf-8", "replace"))
