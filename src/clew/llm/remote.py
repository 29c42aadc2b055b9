"""Any server that speaks the OpenAI chat API: the cloud, vLLM, SGLang, Ollama, llama.cpp.

The only place in clew that retries. Servers differ in what they refuse (`max_tokens`, `temperature`, `seed`,
`response_format`) and silently ignore unknown keys, so a refusal is remembered per model and every JSON reply is
checked again here.
"""

from __future__ import annotations

import json
import math
import os
import random
import threading
import time
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, TypeVar, cast

from clew.errors import ConfigError, InputError, UnavailableError
from clew.llm.ability import check_request, estimate_tokens
from clew.llm.budget import BudgetExhausted, Meter, Reservation
from clew.llm.refusal import message_of, refusal, retry_after
from clew.llm.reply import clean, parse_json
from clew.llm.settings import ModelSettings
from clew.protocols import Ability, LLMReply, LLMRequest, LLMText, Message
from clew.secrecy import redact, redact_value, secret_begins
from clew.transport import HttpReply, Server, TransportError
from clew.types import Usage

CLOUD = "https://api.openai.com/v1"
JsonMode = Literal["json_schema", "structured_outputs", "json_object", "prompt"]
Result = TypeVar("Result")
_JSON_MODES: tuple[JsonMode, ...] = ("json_schema", "structured_outputs", "json_object", "prompt")
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_BYTES = 2**20  # of a reply, beside what its tokens may take
_BYTES_PER_TOKEN = 1024  # with its log-probability and names in full
_THINKING = 4096  # tokens left to a model that turned out to think before it writes
_MORE = 4  # times as much room for a reply that was cut
_CHARACTERS_PER_TOKEN = 64  # a text longer than this is not what was asked for, and is cut
_PROBE_SCHEMA = {
    "type": "object",
    "properties": {"greeting": {"type": "string", "enum": ["moin"]}},
    "required": ["greeting"],
    "additionalProperties": False,
}


class RemoteModel:
    """A model behind an OpenAI-compatible server.

    Args:
        meter: every request to the server is reserved and booked there, retries, probes and repairs included; default:
            one without limits.
    """

    def __init__(
        self,
        settings: ModelSettings,
        *,
        api_key: str | None = None,
        meter: Meter | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        if not settings.model:
            raise ConfigError("language_model.model is empty: name the model the server should use")
        self.settings = settings
        key = api_key or os.environ.get(settings.api_key_env) or None
        self._server = Server(
            settings.base_url or os.environ.get("OPENAI_BASE_URL") or CLOUD,
            what="language_model.base_url",
            key=key,
            connect_timeout_s=min(settings.connect_timeout_s, settings.timeout_s),
        )
        if not key and not self._server.is_local:
            raise ConfigError(f"{self.url}: no API key; set the environment variable {settings.api_key_env}")
        self._meter, self._sleep = meter or Meter(), sleep
        weakref.finalize(self, self._server.close)
        self._lock = threading.Lock()
        self._refused: set[str] = set()  # parameters this model does not take
        self._json_mode: JsonMode | None = None if settings.json_mode == "probe" else settings.json_mode
        self._reached = False
        self._thinking = settings.thinking_tokens or 0  # tokens added to every request, see `_roomier`
        self._probe_usage = Usage()  # spent on probing, told with the next reply

    @property
    def url(self) -> str:
        return self._server.url

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
            BudgetExhausted: before a request that the budget does not allow.
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
        one = replace(request, n=1)
        with ExitStack() as open_:

            def begin(body: bytes, until: float) -> Iterator[bytes]:
                status, headers, lines = open_.enter_context(
                    self._server.stream("/chat/completions", body, until=until)
                )
                if status != 200:
                    raise _Refused(HttpReply(status, headers, b"".join(islice(lines, 100))))
                return lines

            lines, reservation, _ = self._call(begin, {**self._parameters(one), "stream": True}, one)
            pieces = 0

            def counted() -> Iterator[str]:
                nonlocal pieces
                for pieces, piece in enumerate(_pieces(lines), start=1):  # noqa: B007
                    yield piece

            try:
                yield from _redacted(counted())
            except TransportError as error:
                raise UnavailableError(f"{self.name}: the stream broke off: {error}") from None
            finally:  # servers give no usage in a stream by default: a piece is about a token
                prompt = reservation.worst.prompt_tokens
                self._meter.settle(reservation, Usage(1, 0, prompt, pieces, 0.0, 1))

    def models(self) -> list[str]:
        """Names of the models the server offers; the cheapest way to learn whether it is there."""
        try:
            reply = self._server.call("GET", "/models", until=time.monotonic() + self.settings.timeout_s)
        except TransportError as error:
            raise self._unreachable(error) if not error.reached else UnavailableError(f"{self.name}: {error}") from None
        if reply.status != 200:
            raise self._refusal(reply.status, message_of(reply.body))
        try:
            return [str(model["id"]) for model in _decoded(reply.body)["data"]]
        except (KeyError, TypeError, _BadReply):
            raise UnavailableError(f"{self.name}: no list of models: {message_of(reply.body)}") from None

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
        if known.get("thinks") is True and self.settings.thinking_tokens is None:
            self._thinking = _THINKING
        if known.get("logprobs") is False:
            self._refused.add("logprobs")

    def findings(self) -> dict[str, Any]:
        """What was found out about the server and is worth keeping."""
        found: dict[str, Any] = {} if self._json_mode is None else {"json_mode": self._json_mode}
        if self._thinking and self.settings.thinking_tokens is None:
            found["thinks"] = True
        if "logprobs" in self._refused:
            found["logprobs"] = False
        return found

    def _check(self, request: LLMRequest) -> None:
        # That a server gives no log-probabilities is learnt on the way; what was asked for before is then done without.
        check_request(self, replace(request, logprobs=False) if "logprobs" in self._refused else request)
        if not request.messages:
            raise InputError("a request without messages")

    def _one(self, request: LLMRequest) -> LLMReply:
        """The reply to a request; asked for once more, with more room, where it was cut at its limit."""
        reply = self._formed(replace(request, max_tokens=request.max_tokens + self._thinking))
        if not self.settings.retry_cut or any(text.finished for text in reply.texts):
            return reply
        thought = all(not clean(text.text) for text in reply.texts)
        if thought and self.settings.thinking_tokens is None:
            self._thinking = _THINKING
        try:
            more = self._formed(replace(request, max_tokens=_MORE * request.max_tokens + self._thinking))
        except (BudgetExhausted, UnavailableError):  # its context may be too short; the cut reply is paid for
            return reply
        better = more if any(clean(text.text) for text in more.texts) else reply
        return LLMReply(better.texts, reply.usage + more.usage)

    def _formed(self, request: LLMRequest) -> LLMReply:
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
            try:
                second = self._ask(replace(request, messages=again), self.json_mode)
            except BudgetExhausted:
                return reply  # it is paid for, and says more than nothing
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
            more, spent = self._completion(parameters, wanted)
            if request.logprobs and any(text.logprob is None for text in more):
                self._without_logprobs("asked for, but absent from its reply")
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
        return {**parameters, **body}

    def _completion(self, parameters: dict[str, Any], request: LLMRequest) -> tuple[list[LLMText], Usage]:
        """The texts of one call and what they cost, tries that failed included. Broken replies are asked for again."""
        limit = _BYTES + _BYTES_PER_TOKEN * request.max_tokens * request.n

        def send(body: bytes, until: float) -> Any:
            reply = self._server.call("POST", "/chat/completions", body, until=until, limit=limit)
            if reply.status != 200:
                raise _Refused(reply)
            return _decoded(reply.body)

        data, reservation, failed = self._call(send, parameters, request)
        usage: Usage | None = reservation.worst
        try:
            texts = self._texts(data, request)
            usage = stated_usage(data, texts, reservation)
        finally:
            usage = self._meter.settle(reservation, usage)
        return texts, failed + usage

    def _adapted(self, parameters: dict[str, Any]) -> dict[str, Any]:
        """`parameters` without what the model has refused before."""
        mine = {key: value for key, value in parameters.items() if key not in self._refused or key == "max_tokens"}
        if "max_tokens" in self._refused and "max_tokens" in mine:
            mine["max_completion_tokens"] = mine.pop("max_tokens")
        return mine

    def _call(
        self, send: Callable[[bytes, float], Result], parameters: dict[str, Any], request: LLMRequest
    ) -> tuple[Result, Reservation, Usage]:
        """What `send` made of the server's reply, its reservation (to be settled), and what failed tries cost.

        What a server refuses is left out, once, and remembered.
        """
        tries, failed = 0, Usage()
        while True:
            reservation = self._meter.reserve([request])
            adapted = self._adapted(parameters)
            until = time.monotonic() + min(self.settings.timeout_s, self._meter.seconds_left())
            pause: float | None = None
            booked: Usage | None = reservation.worst  # it was sent, and who knows what it cost
            try:
                body = json.dumps(_whole(adapted), default=str).encode()
                result = send(body, until)
                self._reached = True
                booked = None
                return result, reservation, failed
            except _Refused as error:
                self._reached = True
                booked = replace(reservation.worst, completion_tokens=0)
                if (problem := self._adapt(error.reply, adapted)) is None:
                    continue
                pause = retry_after(error.reply.headers)
            except TransportError as error:
                if not error.sent:
                    booked = Usage(calls=1)
                self._reached = self._reached or error.reached
                if not self._reached:  # nothing has ever answered here: say so at once
                    raise self._unreachable(error) from None
                problem = f"no whole reply within {self.settings.timeout_s:g} s" if error.timed_out else str(error)
            except _BadReply as error:
                self._reached = True
                problem = str(error)
            finally:
                if booked is not None:
                    failed += self._meter.settle(reservation, booked)
            self._wait(tries, pause, problem)
            tries += 1

    def _adapt(self, reply: HttpReply, sent: Mapping[str, Any]) -> str | None:
        """None where a refused parameter is now left out, the problem where trying again may help; else raises."""
        status, message = reply.status, message_of(reply.body)
        refused = refusal(status, message, sent)
        if refused == "response_format":
            raise _FormatRefused(f"{self.name}: {message}") from None
        if refused is not None:  # it was sent, so this cannot go on for ever
            if refused == "logprobs":
                self._without_logprobs(message)
            self._refused.add(refused)
            return None
        if status == 429 and "insufficient_quota" in message:
            raise UnavailableError(f"{self.name}: the account's quota is used up: {message}") from None
        if status not in _RETRIED:
            raise self._refusal(status, message)
        return f"status {status}: {message}"

    def _without_logprobs(self, why: str) -> None:
        """Remember that the server gives none, and say so once: texts then come without, and count alike."""
        with self._lock:
            if "logprobs" in self._refused:
                return
            self._refused.add("logprobs")
        warnings.warn(
            f"{self.name} gives no log-probabilities ({why}): its texts are taken as equally likely; "
            "--set language_model.logprobs=false keeps clew from asking",
            stacklevel=2,
        )

    def _wait(self, tries: int, asked: float | None, problem: str) -> None:
        """Pause before another try. Raises where there is none left, or no time for the pause."""
        if self._meter.seconds_left() <= 0:
            raise self._meter.out_of_time()
        if tries >= self.settings.max_retries:
            raise UnavailableError(f"{self.name} failed {tries + 1} times, last with {problem}")
        wait = min(0.5 * 2.0 ** min(tries, 20), self.settings.max_wait_s) if asked is None else asked
        if wait > self.settings.max_wait_s:
            raise UnavailableError(
                f"{self.name} asks to wait {wait:.0f} s, max_wait_s is {self.settings.max_wait_s:g}: {problem}"
            )
        wait *= 1 + 0.25 * random.random()
        if wait >= self._meter.seconds_left():
            raise self._meter.out_of_time()
        self._sleep(wait)

    def _refusal(self, status: int, message: str) -> UnavailableError:
        return UnavailableError(f"{self.name} refused the call ({status}): {message}{_hint(status, self)}")

    def _unreachable(self, error: Exception) -> UnavailableError:
        return UnavailableError(
            f"no language model server at {self.url} (model {self.settings.model!r}): {error}; "
            "start it, or set language_model.base_url"
        )

    def _texts(self, data: Any, request: LLMRequest) -> list[LLMText]:
        """The texts of one decoded reply. Raises UnavailableError when it is not of the API's shape."""
        try:
            longest = _CHARACTERS_PER_TOKEN * (request.max_tokens + 64)
            texts = [_text(choice, request.logprobs, longest) for choice in data["choices"][: request.n]]
        except (KeyError, TypeError, AttributeError, ValueError, OverflowError) as error:
            raise UnavailableError(f"{self.name}: not a chat completion ({error!r}): {str(data)[:200]}") from None
        if not texts:
            raise UnavailableError(f"{self.name}: the reply holds no choices: {str(data)[:200]}")
        return texts

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
    """The body of a 200 reply is not JSON (a proxy's page, a truncated transfer)."""


class _Refused(Exception):
    """A status other than 200."""

    def __init__(self, reply: HttpReply) -> None:
        super().__init__(reply.status)
        self.reply = reply


class _FormatRefused(UnavailableError):
    """The server refuses the way in which JSON was asked for."""


def _decoded(body: bytes) -> Any:
    """The JSON of a body, without keys that the server echoes and without what no text can hold."""
    try:
        data = json.loads(body.decode("utf-8"))
        return redact_value(_whole(data))
    except UnicodeDecodeError as error:
        raise _BadReply(f"the reply is not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise _BadReply("the reply is nested too deeply") from None
    except ValueError:
        said = redact(body.decode("utf-8", "replace"))
        raise _BadReply(f"the reply is no JSON: {said[:200]!r}") from None


def _whole(value: Any) -> Any:
    """A JSON value whose texts hold no half of a surrogate pair: it could be written nowhere."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return {key: _whole(item) for key, item in value.items()} if isinstance(value, dict) else value


def _text(choice: Any, logprobs: bool, longest: int) -> LLMText:
    content = choice["message"].get("content") or ""
    if isinstance(content, list):  # parts, as some servers write them
        content = "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError(f"content is {type(content).__name__}")
    finished = choice.get("finish_reason") != "length" and len(content) <= longest
    content = content[:longest]
    tokens = (choice.get("logprobs") or {}).get("content") if logprobs else None
    if tokens is None:
        return LLMText(content, finished=finished)
    chances = [float(token["logprob"]) for token in tokens]
    if not all(map(math.isfinite, chances)):
        raise ValueError("a log-probability is no number")
    return LLMText(content, math.fsum(chances), len(chances), finished)


def stated_usage(data: Any, texts: Sequence[LLMText], reserved: Reservation) -> Usage:
    """The tokens that a reply says it took; where it says nothing, or what cannot be, our estimate."""
    stated = data.get("usage") if isinstance(data, Mapping) else None
    stated = stated if isinstance(stated, Mapping) else {}
    worst = reserved.worst
    written = sum(estimate_tokens(text.text) for text in texts if text.text)
    prompt = _count(stated.get("prompt_tokens"), max(1, worst.prompt_tokens // 50), 3 * worst.prompt_tokens)
    completion = _count(stated.get("completion_tokens"), written // 50, 4 * max(written, worst.completion_tokens))
    return Usage(
        1,
        0,
        worst.prompt_tokens if prompt is None else prompt,
        (written or worst.completion_tokens) if completion is None else completion,
        0.0,
        int(prompt is None or completion is None),
    )


def _count(value: Any, least: int, most: int) -> int | None:
    """A stated number of tokens, if it is one that can be; a server may add some thousands of its own."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if least <= value <= most + 10_000 else None


def _pieces(lines: Iterator[bytes]) -> Iterator[str]:
    """The texts of a stream of events."""
    for line in lines:
        if not line.startswith(b"data:") or (event := line[5:].strip()) == b"[DONE]":
            continue
        try:
            choices = _decoded(event)["choices"]
            piece = choices[0]["delta"].get("content") if choices else None
        except (_BadReply, KeyError, TypeError, IndexError, AttributeError):
            raise TransportError(f"no event of a stream: {message_of(event)}", reached=True, sent=True) from None
        if isinstance(piece, str) and piece:
            yield piece


def _redacted(pieces: Iterator[str]) -> Iterator[str]:
    """The pieces of a text without keys, also where one arrives in parts: what may begin a key is held back."""
    held = ""
    for piece in pieces:
        held = redact(held + piece)
        if at := secret_begins(held):
            yield held[:at]
            held = held[at:]
    if held:
        yield held


def _hint(status: int, model: RemoteModel) -> str:
    if status in (401, 403):
        return f"; check the key in {model.settings.api_key_env}"
    return "; check language_model.model and base_url" if status == 404 else ""
