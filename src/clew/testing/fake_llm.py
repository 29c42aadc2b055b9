"""A scripted language model: as an object, and as a local server that speaks the OpenAI chat API and can misbehave.

Shipped so that a method, a runner or a user's own code can be tested without weights, network or key.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from clew.llm.ability import check_request
from clew.protocols import Ability, LLMReply, LLMRequest, LLMText
from clew.types import Usage

Script = str | Mapping[str, str] | Sequence[Any] | Callable[..., Any]


def _words(text: str) -> int:
    return len(text.split())


def scripted(script: Script, prompt: str, position: int, argument: Any) -> Any:
    """What `script` says to a prompt: always the same, by a part of the prompt, one after another, or by a function.

    Raises KeyError when it says nothing: a test should learn of a call that it did not expect.
    """
    if isinstance(script, str):
        return script
    if isinstance(script, Mapping):
        for part, text in script.items():
            if part in prompt:
                return text
        raise KeyError(f"the script has no reply to {prompt!r}")
    if callable(script):
        return script(argument)
    if position >= len(script):
        raise KeyError(f"the script has {len(script)} replies, this is call {position + 1}: {prompt!r}")
    return script[position]


class FakeLanguageModel:
    """A language model that reads its lines from a script.

    Args:
        script: one text; a mapping from a part of the prompt to the text; a list of texts, one per request; or a
            function of the LLMRequest. A list as text stands for the n texts of one reply.
    """

    def __init__(
        self, script: Script, *, name: str = "fake", abilities: Sequence[Ability] = ("json_schema", "logprobs", "beams")
    ) -> None:
        self._script, self._name, self._abilities = script, name, frozenset(abilities)
        self._lock = threading.Lock()
        self.requests: list[LLMRequest] = []  # everything asked, in order

    @property
    def name(self) -> str:
        return self._name

    @property
    def abilities(self) -> frozenset[Ability]:
        return self._abilities

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        return [self._one(request) for request in requests]

    def stream(self, request: LLMRequest) -> Iterator[str]:
        """The text word by word."""
        words = self._one(request).text.split(" ")
        yield from (word if i == 0 else " " + word for i, word in enumerate(words))

    def _one(self, request: LLMRequest) -> LLMReply:
        check_request(self, request)
        with self._lock:
            position = len(self.requests)
            self.requests.append(request)
        prompt = "\n".join(message.content for message in request.messages)
        found = scripted(self._script, prompt, position, request)
        texts = [found] if isinstance(found, str) else list(found)
        texts = (texts * request.n)[: max(request.n, 1)] if len(texts) < request.n else texts[: request.n]
        counts = [_words(text) for text in texts]
        return LLMReply(
            tuple(
                LLMText(text, -0.5 * count if request.logprobs or request.beams else None, count)
                for text, count in zip(texts, counts, strict=True)
            ),
            Usage(1, 0, _words(prompt), sum(counts)),
        )


@dataclass(frozen=True)
class Fault:
    """A way in which the server misbehaves once."""

    status: int = 200
    message: str = "scripted fault"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0  # before anything is sent
    body: bytes | None = None  # sent as it is instead of a chat completion
    cut: bool = False  # the body is announced in full and breaks off in the middle
    dribble_s: float = 0.0  # the pause after every byte of the body


class FakeServer:
    """An OpenAI-compatible server on a free local port; use as a context manager.

    Args:
        script: as for FakeLanguageModel, but a function gets the decoded request body; an item may be a Fault.
        refuses: parameters answered with status 400, as servers do: "max_tokens", "temperature", "response_format",
            "json_schema" (only that response format), "n", "seed", "logprobs".
        honours_schema: whether a JSON schema in `response_format` binds the reply (a simple instance is made of it
            where the scripted text does not fit); vLLM's `structured_outputs` likewise.
        ignores: parameters silently ignored, e.g. "n" (one text only) or "logprobs".
    """

    def __init__(
        self,
        script: Script,
        *,
        refuses: Sequence[str] = (),
        ignores: Sequence[str] = (),
        honours_schema: bool = True,
        models: Sequence[str] = ("fake",),
        key: str | None = None,
    ) -> None:
        self.script, self.refuses, self.ignores = script, frozenset(refuses), frozenset(ignores)
        self.honours_schema, self.models, self.key = honours_schema, tuple(models), key
        self.bodies: list[dict[str, Any]] = []  # every decoded request, in order
        self.paths: list[str] = []  # and where it was sent to
        self.under_way = 0
        self.most_under_way = 0
        self.lock = threading.Lock()
        server = self

        class Connection(_Connection):
            owner = server

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Connection)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def __enter__(self) -> FakeServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def refusal(self, body: Mapping[str, Any]) -> str | None:
        """The message of a 400 for a parameter this server does not take."""
        kind = (body.get("response_format") or {}).get("type")
        if "max_tokens" in self.refuses and "max_tokens" in body:
            return "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
        if "temperature" in self.refuses and body.get("temperature", 1) != 1:
            return "Unsupported value: 'temperature' does not support this value with this model."
        if kind and ("response_format" in self.refuses or (kind == "json_schema" and "json_schema" in self.refuses)):
            return f"Invalid parameter: 'response_format' of type '{kind}' is not supported with this model."
        for name in ("n", "seed", "logprobs", "stop"):
            if name in self.refuses and name in body:
                return f"Unsupported parameter: '{name}' is not supported with this model."
        return None


class _Connection(BaseHTTPRequestHandler):
    owner: FakeServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": m, "object": "model"} for m in self.owner.models]})
        else:
            self._error(404, f"no such path {self.path}")

    def do_POST(self) -> None:
        owner = self.owner
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with owner.lock:
            position = len(owner.bodies)
            owner.bodies.append(body)
            owner.paths.append(self.path)
            owner.under_way += 1
            owner.most_under_way = max(owner.most_under_way, owner.under_way)
        try:
            self._answer(body, position)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True  # the client went away, as after its timeout
        finally:
            with owner.lock:
                owner.under_way -= 1

    def _answer(self, body: dict[str, Any], position: int) -> None:
        owner = self.owner
        if owner.key is not None and self.headers.get("authorization") != f"Bearer {owner.key}":
            return self._error(401, "Incorrect API key provided")
        if body["model"] not in owner.models:
            return self._error(404, f"The model '{body['model']}' does not exist")
        if (refused := owner.refusal(body)) is not None:
            return self._error(400, refused)
        prompt = "\n".join(m["content"] for m in body["messages"])
        try:
            found = scripted(owner.script, prompt, position, body)
        except KeyError as error:
            return self._error(400, str(error))
        if isinstance(found, Fault):
            time.sleep(found.delay_s)
            if found.status != 200:
                return self._error(found.status, found.message, found.headers)
            payload = found.body if found.body is not None else self._completion(body, ["late"], prompt)
            return self._raw(200, payload, found.headers, cut=found.cut, dribble_s=found.dribble_s)
        texts = [found] if isinstance(found, str) else list(found)
        if owner.honours_schema and (schema := _schema(body)) is not None:
            texts = [text if _fits(text, schema) else json.dumps(instance(schema)) for text in texts]
        if body.get("stream"):
            return self._stream(texts[0])
        return self._raw(200, self._completion(body, texts, prompt), {})

    def _completion(self, body: dict[str, Any], texts: Sequence[str], prompt: str) -> bytes:
        n = 1 if "n" in self.owner.ignores else int(body.get("n", 1))
        limit = body.get("max_completion_tokens", body.get("max_tokens", 10**9))
        choices: list[dict[str, Any]] = []
        for i in range(n):
            words = texts[i % len(texts)].split(" ")
            cut = len(words) > limit
            content = " ".join(words[:limit])
            choice: dict[str, Any] = {
                "index": i,
                "message": {"role": "assistant", "content": content},
                "finish_reason": "length" if cut else "stop",
            }
            if body.get("logprobs") and "logprobs" not in self.owner.ignores:
                choice["logprobs"] = {"content": [{"token": w, "logprob": -0.25} for w in words[:limit]]}
            choices.append(choice)
        spent = sum(_words(c["message"]["content"]) for c in choices)
        usage = {"prompt_tokens": _words(prompt), "completion_tokens": spent, "total_tokens": _words(prompt) + spent}
        completion = {"id": "fake", "object": "chat.completion", "created": 0, "model": body["model"]}
        return json.dumps({**completion, "choices": choices, "usage": usage}).encode()

    def _stream(self, text: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for i, word in enumerate(text.split(" ")):
            delta = {"content": word if i == 0 else " " + word}
            event = {"id": "fake", "object": "chat.completion.chunk", "created": 0, "model": "fake"}
            chunk = json.dumps({**event, "choices": [{"index": 0, "delta": delta}]})
            self.wfile.write(f"data: {chunk}\n\n".encode())
            self.wfile.flush()
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _error(self, status: int, message: str, headers: Mapping[str, str] = {}) -> None:
        self._raw(status, json.dumps({"error": {"message": message, "type": "fake", "code": None}}).encode(), headers)

    def _send(self, status: int, value: Any) -> None:
        self._raw(status, json.dumps(value).encode(), {})

    def _raw(
        self,
        status: int,
        payload: bytes,
        headers: Mapping[str, str],
        *,
        cut: bool = False,
        dribble_s: float = 0.0,
    ) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(payload)))
        for key, value in headers.items():
            self.send_header(key, value)
        self.end_headers()
        payload = payload[: len(payload) // 2] if cut else payload
        for at in range(0, len(payload), 1 if dribble_s else len(payload)):
            self.wfile.write(payload[at:] if not dribble_s else payload[at : at + 1])
            time.sleep(dribble_s)
        if cut:
            self.close_connection = True


def _schema(body: Mapping[str, Any]) -> Mapping[str, Any] | None:
    response_format = body.get("response_format") or {}
    if response_format.get("type") == "json_schema":
        return dict(response_format["json_schema"]["schema"])
    structured = body.get("structured_outputs")
    return dict(structured["json"]) if structured else None


def _fits(text: str, schema: Mapping[str, Any]) -> bool:
    from clew.llm.reply import check_json

    try:
        return not check_json(json.loads(text), schema)
    except ValueError:
        return False


def instance(schema: Mapping[str, Any]) -> Any:
    """A simple value that fits a schema made of objects, arrays, enums and plain types."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        wanted = schema.get("required", list(schema.get("properties", {})))
        return {name: instance(schema["properties"][name]) for name in wanted}
    if kind == "array":
        return [instance(schema["items"])] * int(schema.get("minItems", 0))
    return {"string": "text", "integer": 0, "number": 0.0, "boolean": False, "null": None}[kind]
