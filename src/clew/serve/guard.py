"""What every request passes before it reaches a route: who asks, from where, how much, how long.

Kept apart from the routes as one ASGI layer, so that no route can be forgotten. It reads the whole body within its
limits, then watches the connection: a client that leaves cancels its own work.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import time
from collections import OrderedDict
from collections.abc import Callable
from http import HTTPStatus
from secrets import token_hex
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clew.errors import (
    BudgetError,
    ClewError,
    ConfigError,
    InputError,
    MissingExtraError,
    NotFoundError,
    UnavailableError,
    UnsupportedError,
)
from clew.serve.batching import BusyError
from clew.serve.observe import Metrics, noted, request_line
from clew.serve.service import TooSlowError
from clew.serve.settings import ServeSettings

log = logging.getLogger("clew.serve")

OPEN = ("/healthz",)  # needs no token, nor does the page itself: it holds nothing of a graph
PAGE = ("/", "/favicon.ico")
STATIC = "/static/"
CLIENTS = 10_000  # whose rate is remembered
GONE = 499  # in the log: the client left before its reply

HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
}
_ID = re.compile(r"[A-Za-z0-9_.\-]{1,64}")
_PORT = re.compile(r":\d+$")


class Refusal(Exception):
    """A request that is answered by the guard itself."""

    def __init__(self, status: int, detail: str, **headers: str) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers


def status_of(error: ClewError) -> int:
    """The HTTP status that says what kind of problem it is."""
    kinds: tuple[tuple[type[ClewError], int], ...] = (
        (TooSlowError, 504), (BusyError, 503), (NotFoundError, 404), (InputError, 422), (ConfigError, 422),
        (MissingExtraError, 501), (UnsupportedError, 501), (UnavailableError, 502), (BudgetError, 503),
    )  # fmt: skip
    return next((status for kind, status in kinds if isinstance(error, kind)), 500)


def problem(status: int, detail: str, id: str) -> dict[str, Any]:
    """RFC 9457."""
    return {"type": "about:blank", "title": phrase(status), "status": status, "detail": detail, "id": id}


def phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Error"


def openai_problem(status: int, detail: str) -> dict[str, Any]:
    """An error as OpenAI's clients expect it."""
    kinds = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
    codes = {401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"error": {"message": detail, "type": kind, "param": None, "code": codes.get(status)}}


def speaks_openai(path: str) -> bool:
    return path.startswith(("/v1/chat/", "/v1/models", "/v1/responses"))


def error_body(path: str, status: int, detail: str, id: str) -> tuple[bytes, str]:
    """Body and media type of an error in the words of whoever asked."""
    if speaks_openai(path):
        return json.dumps(openai_problem(status, detail)).encode(), "application/json"
    return json.dumps(problem(status, detail, id)).encode(), "application/problem+json"


class Rates:
    """A bucket of tokens for each client; the least recently seen clients are forgotten."""

    def __init__(self, rate: float, burst: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, client: str) -> float:
        """0.0 where the client may go on, else the seconds to wait."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, seen = self._buckets.pop(client, (float(self._burst), now))
        left = min(float(self._burst), left + (now - seen) * self._rate)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left, now)
        while len(self._buckets) > CLIENTS:
            self._buckets.popitem(last=False)
        return 0.0 if allowed else (1 - left) / self._rate


class Guard:
    """The outermost layer."""

    def __init__(self, app: ASGIApp, settings: ServeSettings, metrics: Metrics) -> None:
        self._app, self._settings, self._limits, self._metrics = app, settings, settings.limits, metrics
        rate = self._limits.rate or (0.0 if settings.loopback else 20.0)
        self._rates = Rates(rate, self._limits.burst)
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        headers = {key.decode("latin-1"): value.decode("latin-1") for key, value in scope["headers"]}
        given = headers.get("x-request-id", "")
        id = given if _ID.fullmatch(given) else token_hex(8)
        scope.setdefault("state", {})["id"] = id
        line: dict[str, Any] = {}
        remembering = noted.set(line)
        reply = _Reply(send, id, scope["path"])
        self._under_way += 1
        self._metrics.under_way.set(self._under_way)
        try:
            await self._pass(scope, headers, receive, reply)
        except Refusal as refusal:
            await reply.refuse(refusal.status, refusal.detail, refusal.headers)
        except asyncio.CancelledError:
            reply.status = reply.status or GONE
            raise
        except Exception as error:
            log.exception("request %s failed", id, exc_info=error)
            await reply.refuse(500, f"something went wrong here; the server's log has it under {id}", {})
        finally:
            noted.reset(remembering)
            self._under_way -= 1
            self._metrics.under_way.set(self._under_way)
            self._finish(scope, id, reply.status or GONE, time.perf_counter() - began, line)

    async def _pass(self, scope: Scope, headers: dict[str, str], receive: Receive, reply: _Reply) -> None:
        path = scope["path"]
        self._check_host(headers)
        self._check_origin(headers)
        if path in OPEN:
            await self._run(scope, b"", receive, reply)
            return
        client = self._check_token(path, headers, scope)
        wait = self._rates.take(client)
        if wait:
            raise Refusal(
                429, f"too many requests; try again in {wait:.1f} s", **{"retry-after": str(max(1, round(wait)))}
            )
        if self._under_way > self._limits.waiting:
            raise Refusal(503, f"{self._under_way - 1} requests are under way already", **{"retry-after": "1"})
        body = await self._body(headers, receive)
        await self._run(scope, body, receive, reply)

    def _check_host(self, headers: dict[str, str]) -> None:
        """A page of another site that had its name point here (DNS rebinding) still sends its own name."""
        host = _PORT.sub("", headers.get("host", "")).strip("[]").casefold()
        names = {name.casefold() for name in self._settings.names}
        if self._settings.loopback or names:
            if host in {"localhost", "127.0.0.1", "::1", self._settings.host, *names}:
                return
            raise Refusal(421, f"this server does not answer to the name {host[:100]!r}; see --name")

    def _check_origin(self, headers: dict[str, str]) -> None:
        """No page of another site may use a reader's browser to ask here."""
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2] != headers.get("host"):
            raise Refusal(403, "requests from pages of other sites are refused")
        if headers.get("sec-fetch-site") == "cross-site" and headers.get("sec-fetch-mode") != "navigate":
            raise Refusal(403, "requests from pages of other sites are refused")

    def _check_token(self, path: str, headers: dict[str, str], scope: Scope) -> str:
        """Who asks, for the rate. Raises Refusal without the right token."""
        address = (scope.get("client") or ("", 0))[0]
        token = self._settings.token
        if not token or path in PAGE or path.startswith(STATIC):
            return str(address)
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.casefold() != "bearer" or not hmac.compare_digest(given.strip().encode(), token.encode()):
            raise Refusal(
                401, "a token is needed: send it as  Authorization: Bearer TOKEN", **{"www-authenticate": "Bearer"}
            )
        return str(address)

    async def _body(self, headers: dict[str, str], receive: Receive) -> bytes:
        most = self._limits.body
        length = headers.get("content-length", "0")
        if length.isdecimal() and int(length) > most:
            raise Refusal(413, f"the request has {int(length):,} bytes, at most {most:,} are read", connection="close")
        parts: list[bytes] = []
        size = 0
        try:
            async with asyncio.timeout(self._limits.body_s):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise asyncio.CancelledError
                    parts.append(message.get("body", b""))
                    size += len(parts[-1])
                    if size > most:
                        raise Refusal(413, f"the request has more than {most:,} bytes", connection="close")
                    if not message.get("more_body", False):
                        return b"".join(parts)
        except TimeoutError:
            raise Refusal(
                408, f"the request did not arrive within {self._limits.body_s:g} s", connection="close"
            ) from None

    async def _run(self, scope: Scope, body: bytes, receive: Receive, reply: _Reply) -> None:
        """The routes, for as long as the client stays and time is left."""
        gone = asyncio.Event()
        sent = False

        async def once() -> Message:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body, "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        work = asyncio.ensure_future(self._app(scope, once, reply))
        watching = asyncio.ensure_future(watch())
        try:
            # A little longer than a question may take, so that the route itself can say so.
            await asyncio.wait({work, watching}, timeout=self._limits.seconds + 5, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                left = watching.done()
                await _cancelled(work)
                if not left:
                    raise Refusal(504, f"no reply within {self._limits.seconds:g} s")
                reply.status = reply.status if reply.complete else GONE
            else:
                work.result()
        finally:
            await _cancelled(watching)
            await _cancelled(work)

    def _finish(self, scope: Scope, id: str, status: int, seconds: float, line: dict[str, Any]) -> None:
        route = getattr(scope.get("route"), "path", None) or (
            "/mcp" if scope["path"].startswith("/mcp") else STATIC if scope["path"].startswith(STATIC) else "other"
        )
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        request_line(
            {
                "time": round(time.time(), 3), "id": id, "http": scope["method"], "route": route, "status": status,
                "ms": round(1000 * seconds, 1), **line,
            }
        )  # fmt: skip


class _Reply:
    """`send` that adds the headers of every reply and knows how far it has come."""

    def __init__(self, send: Send, id: str, path: str) -> None:
        self._send, self._id, self._path = send, id, path
        self.status = 0
        self.complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            present = {key.lower() for key, _ in message["headers"]}
            more = {**HEADERS, "x-request-id": self._id, "cache-control": "no-store"}
            added = [(k.encode(), v.encode()) for k, v in more.items() if k.encode() not in present]
            message = {**message, "headers": [*message["headers"], *added]}
        await self._send(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.complete = True

    async def refuse(self, status: int, detail: str, headers: dict[str, str]) -> None:
        """The guard's own reply; where one has begun already the connection is left to end."""
        if self.status:
            return
        body, kind = error_body(self._path, status, detail, self._id)
        named = {"content-type": kind, "content-length": str(len(body)), **headers}
        start = {"type": "http.response.start", "status": status}
        await self({**start, "headers": [(k.encode(), v.encode()) for k, v in named.items()]})
        await self({"type": "http.response.body", "body": body})


async def _cancelled(task: asyncio.Future[Any]) -> None:
    """Cancel a task and wait until it has ended, whatever it has to say."""
    if task.done():
        return
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled() and (error := task.exception()) is not None:
        log.debug("ended with %s", error)
