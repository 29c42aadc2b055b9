"""Any server that speaks the OpenAI chat API: the cloud, vLLM, SGLang, Ollama, llama.cpp.

The only place in clew that retries. Servers differ in what they refuse (`max_tokens`, `temperature`, `seed`,
`response_format`) and silently ignore unknown keys, so a refusal is remembered per model and every JSON reply is
checked again here.
"""

from __future__ import annotations

import json
import os
import random
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Literal, cast
from urllib.parse import urlsplit

from clew.errors import ConfigError, InputError, MissingExtraError, UnavailableError, UnsupportedError
from clew.llm.ability import check_request
from clew.llm.refusal import cause, is_connect, of_transport, refusal, retry_after
from clew.llm.reply import clean, parse_json
from clew.llm.settings import ModelSettings
from clew.protocols import Ability, LLMReply, LLMRequest, LLMText, Message
from clew.types import Usage

CLOUD = "https://api.openai.com/v1"
JsonMode = Literal["json_schema", "structured_outputs", "json_object", "prompt"]
_JSON_MODES: tuple[JsonMode, ...] = ("json_schema", "structured_outputs", "json_object", "prompt")
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_MAX_BYTES = 64 * 2**20
_PROBE_SCHEMA = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "enum": ["moin"]}},
    "required": ["greeting"],
    "additionalProperties": False,
}


class RemoteModel:
    """A model behind an OpenAI-compatible server."""

    def __init__(
        self,
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not settings.model:
            raise ConfigError("language_model.model is empty: name the model the server should use")
        self.settings = settings
        self.url = (settings.base_url or os.environ.get("OPENAI_BASE_URL") or CLOUD).rstrip("/")
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"language_model.base_url = {self.url!r}: expected http(s)://host[:port]/v1")
        if parts.username or parts.password:
            raise ConfigError("language_model.base_url holds a user name: put the key in the environment instead")
        key = api_key or os.environ.get(settings.api_key_env)
        local = parts.hostname in ("localhost", "::1") or parts.hostname.startswith("127.")
        if not key and not local:
            raise ConfigError(f"{self.url}: no API key; set the environment variable {settings.api_key_env}")
        self._sleep = sleep
        self._client = _client(self.url, key or "none", settings)
        weakref.finalize(self, self._client.close)  # nobody else knows when its connections are no longer needed
        self._lock = threading.Lock()
        self._refused: set[str] = set()  # parameters this model does not take
        self._json_mode: JsonMode | None = None if settings.json_mode == "probe" else settings.json_mode
        self._reached = False
        self._probe_usage = Usage()  # spent on probing, booked with the next reply

    @property
    def name(self) -> str:
        return f"{self.settings.model}@{self.url}"

    @property
    def abilities(self) -> frozenset[Ability]:
        able: set[Ability] = {"json_schema", "stream"}
        if self.settings.logprobs and "logprobs" not in self._refused:
            able.add("logprobs")
        return frozenset(able)

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, in order, at most `concurrency` at a time.

        Raises:
            UnavailableError: the server cannot be reached, refuses the key or the model, or keeps failing.
            UnsupportedError: a request needs what only a local model can do.
        """
        for request in requests:
            self._check(request)
        if len(requests) <= 1:
            return [self._one(request) for request in requests]
        with ThreadPoolExecutor(min(self.settings.concurrency, len(requests))) as pool:
            return list(pool.map(self._one, requests))

    def stream(self, request: LLMRequest) -> Iterator[str]:
        """The pieces of one text as they arrive. Not cached and not retried once the first piece is out."""
        self._check(request)
        parameters = self._parameters(replace(request, n=1))
        events = self._call(lambda p: self._client.chat.completions.create(**p, stream=True), parameters)
        try:
            for event in events:
                if event.choices and event.choices[0].delta.content:
                    yield event.choices[0].delta.content
        except Exception as error:
            if not of_transport(error):
                raise
            raise UnavailableError(f"{self.name}: the stream broke off: {cause(error)}") from None

    def models(self) -> list[str]:
        """Names of the models the server offers; the cheapest way to learn whether it is there."""
        page = self._call(lambda _: self._client.models.list(), {})
        return [model.id for model in page.data]

    @property
    def json_mode(self) -> JsonMode:
        """How this server is made to write JSON; found out by a probe on first use."""
        if self._json_mode is None:
            with self._lock:
                if self._json_mode is None:
                    self._json_mode = self._probe_json()
        return self._json_mode

    def remember(self, known: Mapping[str, Any]) -> None:
        """Take over what an earlier process found out about this server (see `findings`)."""
        if self._json_mode is None and known.get("json_mode") in _JSON_MODES:
            self._json_mode = cast(JsonMode, known["json_mode"])

    def findings(self) -> dict[str, Any]:
        """What was found out about the server and is worth keeping."""
        return {} if self._json_mode is None else {"json_mode": self._json_mode}

    def _check(self, request: LLMRequest) -> None:
        check_request(self, request)
        if not request.messages:
            raise InputError("a request without messages")

    def _one(self, request: LLMRequest) -> LLMReply:
        if request.json_schema is None:
            return self._ask(request, None)
        mode = self.json_mode
        try:
            reply = self._ask(request, mode)
        except _FormatRefused:
            if self.settings.json_mode != "probe":
                raise
            with self._lock:  # the server has changed since it was probed
                self._json_mode = None if self._json_mode == mode else self._json_mode
            reply = self._ask(request, self.json_mode)
        with self._lock:
            reply, self._probe_usage = LLMReply(reply.texts, reply.usage + self._probe_usage), Usage()
        problem = parse_json(reply.text, request.json_schema).problem
        if problem and request.n == 1:  # one repair: say what is wrong and ask again
            again = (
                *request.messages,
                Message("assistant", clean(reply.text) or "(nothing)"),
                Message("user", f"This does not fit the JSON schema: {problem}. Reply with the corrected JSON only."),
            )
            second = self._ask(replace(request, messages=again), self.json_mode)
            reply = LLMReply(second.texts, reply.usage + second.usage)
        return reply

    def _ask(self, request: LLMRequest, mode: JsonMode | None) -> LLMReply:
        """One call, or several where a server gives fewer texts than asked."""
        texts: list[LLMText] = []
        usage = Usage()
        while len(texts) < request.n:
            wanted = replace(request, n=request.n - len(texts))
            if texts and request.seed is not None:  # another text needs another seed
                wanted = replace(wanted, seed=request.seed + len(texts))
            parameters = self._parameters(wanted, mode)
            data = self._call(self._send, parameters)
            more, spent = self._read(data, request)
            if request.logprobs and any(text.logprob is None for text in more):
                self._refused.add("logprobs")
                raise UnsupportedError(f"{self.name} gives no log-probabilities: asked for, but absent from its reply")
            texts += more[: request.n - len(texts)]
            usage += spent
        return LLMReply(tuple(texts), usage)

    def _parameters(self, request: LLMRequest, mode: JsonMode | None = None) -> dict[str, Any]:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body: dict[str, Any] = dict(self.settings.extra_body)
        parameters: dict[str, Any] = {
            "model": self.settings.model,
            "messages": messages,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
        }
        seed = self.settings.seed if request.seed is None else request.seed
        if seed is not None:
            parameters["seed"] = seed
        if request.n > 1:
            parameters["n"] = request.n
        if request.stop:
            parameters["stop"] = list(request.stop)
        if request.logprobs:
            parameters["logprobs"] = True
        schema = request.json_schema
        if schema is not None and mode == "json_schema":
            parameters["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "reply", "schema": dict(schema), "strict": True},
            }
        elif schema is not None and mode == "structured_outputs":
            body["structured_outputs"] = {"json": dict(schema)}
        elif schema is not None:
            if mode == "json_object":
                parameters["response_format"] = {"type": "json_object"}
            note = f"\n\nReply with JSON only, fitting this JSON schema: {json.dumps(schema, ensure_ascii=False)}"
            messages[-1] = {**messages[-1], "content": messages[-1]["content"] + note}
        if body:
            parameters["extra_body"] = body
        return parameters

    def _adapted(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """`parameters` without what the model has refused before."""
        mine = {key: value for key, value in parameters.items() if key not in self._refused or key == "max_tokens"}
        if "max_tokens" in self._refused and "max_tokens" in mine:
            mine["max_completion_tokens"] = mine.pop("max_tokens")
        return mine

    def _send(self, parameters: dict[str, Any]) -> Any:
        """The decoded body of one call, read under one deadline: a server that dribbles must not hold us for ever."""
        until = time.monotonic() + self.settings.timeout_s
        body = bytearray()
        with self._client.chat.completions.with_streaming_response.create(**parameters) as response:
            try:
                for piece in response.iter_bytes():
                    body += piece
                    if time.monotonic() > until:
                        raise _BadReply(f"the reply has not ended within {self.settings.timeout_s:g} s")
                    if len(body) > _MAX_BYTES:
                        raise _BadReply(f"the reply is longer than {_MAX_BYTES:,} bytes")
            except Exception as error:
                if not of_transport(error):
                    raise
                raise _BadReply(f"the connection broke: {cause(error)}") from None
        try:
            return json.loads(body)
        except ValueError:
            raise _BadReply(f"the reply is no JSON: {bytes(body[:200]).decode(errors='replace')!r}") from None

    def _call(self, send: Callable[[dict[str, Any]], Any], parameters: dict[str, Any]) -> Any:
        """`send(parameters)` with retries. What a server refuses is left out, once, and remembered."""
        import openai

        tries = 0
        while True:
            pause: float | None = None
            adapted = self._adapted(parameters)
            try:
                result = send(adapted)
                self._reached = True
                return result
            except openai.APIStatusError as error:
                self._reached = True
                status, message = error.status_code, cause(error)
                refused = refusal(status, message, adapted)
                if refused == "response_format":
                    raise _FormatRefused(f"{self.name}: {message}") from None
                if refused is not None:  # it was sent, so this cannot go on for ever
                    self._refused.add(refused)
                    if refused == "logprobs":
                        raise UnsupportedError(f"{self.name} gives no log-probabilities: {message}") from None
                    continue
                if status not in _RETRIED:
                    raise UnavailableError(
                        f"{self.name} refused the call ({status}): {message}{_hint(status, self)}"
                    ) from None
                if status == 429 and "insufficient_quota" in message:
                    raise UnavailableError(f"{self.name}: the account's quota is used up: {message}") from None
                problem, pause = f"status {status}: {message}", retry_after(error.response.headers)
            except openai.APITimeoutError as error:
                if not self._reached and is_connect(error):
                    raise self._unreachable(error) from None
                problem = f"no reply within {self.settings.timeout_s:g} s"
            except openai.APIConnectionError as error:
                if not self._reached and is_connect(error):  # nothing has ever answered here: say so at once
                    raise self._unreachable(error) from None
                problem = f"the connection broke: {cause(error)}"
            except _BadReply as error:
                problem = str(error)
            if tries >= self.settings.max_retries:
                raise UnavailableError(f"{self.name} failed {tries + 1} times, last with {problem}")
            backoff = min(0.5 * 2.0**tries, self.settings.max_wait_s)
            wait = backoff if pause is None else pause
            if wait > self.settings.max_wait_s:
                raise UnavailableError(
                    f"{self.name} asks to wait {wait:.0f} s, max_wait_s is {self.settings.max_wait_s:g}: {problem}"
                )
            self._sleep(wait * (1 + 0.25 * random.random()))
            tries += 1

    def _unreachable(self, error: Exception) -> UnavailableError:
        return UnavailableError(
            f"no language model server at {self.url} (model {self.settings.model!r}): {cause(error)}; "
            "start it, or set language_model.base_url"
        )

    def _read(self, data: Any, request: LLMRequest) -> tuple[list[LLMText], Usage]:
        """The texts and the tokens of one decoded reply. Raises UnavailableError when it is not of the API's shape."""
        try:
            choices = data["choices"]
            texts = [_text(choice, request.logprobs) for choice in choices]
            spent = data.get("usage") or {}
            usage = Usage(1, 0, int(spent.get("prompt_tokens") or 0), int(spent.get("completion_tokens") or 0))
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UnavailableError(f"{self.name}: not a chat completion ({error!r}): {str(data)[:200]}") from None
        if not texts:
            raise UnavailableError(f"{self.name}: the reply holds no choices: {str(data)[:200]}")
        return texts, usage

    def _probe_json(self) -> JsonMode:
        """The strongest JSON mode the server honours: an odd schema the prompt does not hint at must come back."""
        probe = LLMRequest((Message("user", "Greet me."),), max_tokens=200, json_schema=_PROBE_SCHEMA)
        for mode in _JSON_MODES[:2]:
            try:
                reply = self._ask(probe, mode)
            except (_FormatRefused, UnavailableError) as error:
                if isinstance(error, _FormatRefused) or "refused the call (4" in str(error):
                    continue
                raise
            self._probe_usage += reply.usage
            if parse_json(reply.text, _PROBE_SCHEMA).ok:
                return mode
        try:
            self._probe_usage += self._ask(probe, "json_object").usage
        except _FormatRefused:
            return "prompt"
        return "json_object"


class _BadReply(Exception):
    """The body of a 200 reply never ends, or is not JSON (a proxy's page, a truncated transfer)."""


class _FormatRefused(UnavailableError):
    """The server refuses the way in which JSON was asked for."""


def _client(url: str, key: str, settings: ModelSettings) -> Any:
    try:
        import openai
    except ImportError:
        raise MissingExtraError("a remote language model", "llm") from None
    timeout = openai.Timeout(settings.timeout_s, connect=min(settings.connect_timeout_s, settings.timeout_s))
    return openai.OpenAI(base_url=url, api_key=key, timeout=timeout, max_retries=0)


def _text(choice: Any, logprobs: bool) -> LLMText:
    content = choice["message"].get("content") or ""
    if not isinstance(content, str):
        raise TypeError(f"content is {type(content).__name__}")
    finished = choice.get("finish_reason") != "length"
    if not logprobs:
        return LLMText(content, finished=finished)
    tokens = (choice.get("logprobs") or {}).get("content")
    if tokens is None:
        return LLMText(content, finished=finished)
    return LLMText(content, float(sum(t["logprob"] for t in tokens)), len(tokens), finished)


def _hint(status: int, model: RemoteModel) -> str:
    if status in (401, 403):
        return f"; check the key in {model.settings.api_key_env}"
    return "; check language_model.model and base_url" if status == 404 else ""
