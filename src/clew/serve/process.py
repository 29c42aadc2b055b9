"""The process: a socket, uvicorn, and an end to connections that never say what they want.

Kept apart from the application, which a test may call without a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from socket import IPPROTO_TCP, TCP_NODELAY

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from clew.errors import InputError
from clew.serve.api import build_app
from clew.serve.hosting import Host
from clew.serve.memory import steady_memory
from clew.serve.observe import log_to_stderr
from clew.serve.settings import ServeSettings


def protocol(header_s: float) -> type[H11Protocol]:
    """uvicorn's HTTP/1.1 protocol that closes a connection whose next request has no end of headers in time.

    uvicorn waits for ever for a first request, and stops its keep-alive clock at the first byte of a next one; a
    client that sends a byte a minute would hold a connection for ever.
    """

    class Impatient(H11Protocol):
        _clock: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._start()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._idle():
                self._start()
            else:
                self._stop()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop()
            super().connection_lost(exc)

        def _idle(self) -> bool:
            return self.cycle is None or self.cycle.response_complete

        def _start(self) -> None:
            if self._clock is None:
                self._clock = self.loop.call_later(header_s, self._expired)

        def _stop(self) -> None:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None

        def _expired(self) -> None:
            self._clock = None
            if self._idle() and not self.transport.is_closing():
                self.transport.close()

    return Impatient


def uvicorn_config(app: ASGIApp, settings: ServeSettings) -> uvicorn.Config:
    """How uvicorn is to serve the application."""
    return uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol(settings.limits.header_s),
        ws="none",
        lifespan="on",
        access_log=False,
        server_header=False,
        log_config=None,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=int(settings.grace_s) + 1,
        limit_concurrency=settings.limits.connections,
        proxy_headers=False,
    )


def run(host: Host, settings: ServeSettings, *, told: Callable[[str], None]) -> None:
    """Serve until a signal asks to stop; requests under way are finished first.

    Args:
        told: called with the address once the socket is bound.

    Raises:
        InputError: the address cannot be bound. ConfigError: it needs a token.
    """
    steady_memory()
    settings.checked()
    log_to_stderr()
    config = uvicorn_config(build_app(host, settings), settings)
    try:
        socket = config.bind_socket()
    except SystemExit:  # uvicorn says so in its own log and leaves
        raise InputError(
            f"cannot listen on {settings.host}:{settings.port}: the port is taken or not allowed; choose another --port"
        ) from None
    # Accepted connections inherit it. uvicorn binds without naming TCP, by which asyncio would know to set it: the
    # second packet of a reply then waits 40 ms for the client's acknowledgement of the first.
    socket.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
    socket.listen(2048)  # from here on clients wait instead of being refused
    name = f"[{settings.host}]" if ":" in settings.host else settings.host
    told(f"http://{name}:{socket.getsockname()[1]}/")
    uvicorn.Server(config).run(sockets=[socket])
