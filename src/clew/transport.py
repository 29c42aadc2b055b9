"""HTTP to one server: the one way in which clew talks to a model server.

Over the standard library's `http.client`, because what is asked here no client library promises: one deadline for
resolving, connecting, the TLS handshake, headers and body together, so that nothing a server dribbles outlasts it;
replies bounded in size; redirects at most three and never to another server, so that a key stays where it was meant
for. Retries are the caller's affair: it alone knows what they cost.
"""

from __future__ import annotations

import base64
import http.client
import io
import socket
import ssl
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, Queue
from typing import Any
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit

from clew.errors import ConfigError
from clew.secrecy import PUBLIC_PARAMETERS, public_url, redact, remember_secret

MAX_BYTES = 64 * 2**20
MAX_REDIRECTS = 3
_REDIRECTS = frozenset({301, 302, 307, 308})
_IDLE = 16  # connections kept open between calls
_BLOCK = 65536


class TransportError(Exception):
    """No whole reply. `reached`: a connection stood; `sent`: the request may have been worked on."""

    def __init__(self, message: str, *, reached: bool, sent: bool, timed_out: bool = False) -> None:
        super().__init__(message)
        self.reached, self.sent, self.timed_out = reached, sent, timed_out


@dataclass(frozen=True, slots=True)
class HttpReply:
    """A whole reply; header names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def _failed(message: str) -> TransportError:
    return TransportError(message, reached=True, sent=True)


class Server:
    """A server at `url`, e.g. "http://localhost:8000/v1"; safe between threads.

    Args:
        what: the setting that `url` comes from, for messages.
        key: sent as a bearer token. It, and every value of the URL's query, is redacted wherever it would be written.
        connect_timeout_s: for resolving and connecting, within the deadline of a call.

    Raises:
        ConfigError: `url` is no http(s) address, or holds a user name.
    """

    def __init__(self, url: str, *, what: str, key: str | None = None, connect_timeout_s: float = 10.0) -> None:
        try:
            parts = urlsplit(url.rstrip("/"))
            port = parts.port
        except ValueError:
            raise ConfigError(f"{what} = {public_url(url)!r}: expected http(s)://host[:port]/v1") from None
        if parts.scheme not in ("http", "https") or not parts.hostname or not url.isprintable() or " " in url:
            raise ConfigError(f"{what} = {public_url(url)!r}: expected http(s)://host[:port]/v1")
        if parts.username or parts.password:
            raise ConfigError(f"{what} holds a user name: put the key in the environment instead")
        remember_secret(key)
        for pair in parts.query.split("&"):
            name, _, value = pair.partition("=")
            if name not in PUBLIC_PARAMETERS:
                remember_secret(unquote(value))
        if key is not None and not (key.isascii() and key.isprintable()):
            raise ConfigError(f"{what}: the key holds characters that no HTTP header can carry")
        self._headers = {} if key is None else {"Authorization": f"Bearer {key}"}
        self.url = public_url(url.rstrip("/"))
        self.host = parts.hostname
        self.is_local = parts.hostname in ("localhost", "::1") or _loopback(parts.hostname)
        self._parts, self._port = parts, port or (443 if parts.scheme == "https" else 80)
        self._connect_s = connect_timeout_s
        self._proxy = None if self.is_local else _proxy(parts)
        self._idle: list[_Connection] = []
        self._lock = threading.Lock()

    def call(
        self, method: str, path: str, body: bytes | None = None, *, until: float, limit: int = MAX_BYTES
    ) -> HttpReply:
        """One request below the server's URL, answered whole.

        Args:
            until: the deadline, as `time.monotonic()` counts.
            limit: most bytes of the reply.

        Raises:
            TransportError: no connection, a broken one, one that is too slow, a reply that is too long, or a redirect
                to another server.
        """
        connection, response, headers = self._answered(method, path, body, until)
        reusable = False
        try:
            with _explained(sent=True):
                parts: list[bytes] = []
                size = 0
                while block := response.read(min(_BLOCK, limit + 1 - size)):
                    parts.append(block)
                    size += len(block)
                    if size > limit:
                        raise _failed(f"the reply is longer than {limit:,} bytes")
                if response.length:
                    raise _failed(f"the reply ends {response.length:,} bytes early")
            reusable = not response.will_close and response.isclosed()
            return HttpReply(response.status, headers, b"".join(parts))
        finally:
            self._leave(connection, reusable)

    @contextmanager
    def stream(
        self, path: str, body: bytes, *, until: float
    ) -> Iterator[tuple[int, Mapping[str, str], Iterator[bytes]]]:
        """A POST whose reply is read line by line as it arrives: status, headers, lines. Raises as `call`."""
        connection, response, headers = self._answered("POST", path, body, until)
        try:
            yield response.status, headers, self._lines(response)
        finally:
            connection.close()

    def close(self) -> None:
        """Close the connections that are kept open."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def _lines(self, response: http.client.HTTPResponse) -> Iterator[bytes]:
        left = MAX_BYTES
        while True:
            with _explained(sent=True):
                line = response.readline(_BLOCK)
            if not line:
                return
            left -= len(line)
            if left < 0:
                raise _failed(f"the reply is longer than {MAX_BYTES:,} bytes")
            yield line

    def _answered(
        self, method: str, path: str, body: bytes | None, until: float
    ) -> tuple[_Connection, http.client.HTTPResponse, dict[str, str]]:
        """The beginning of the reply, redirects followed."""
        target = self._parts.path + path + (f"?{self._parts.query}" if self._parts.query else "")
        for _ in range(MAX_REDIRECTS + 1):
            connection, response = self._asked(method, target, body, until)
            try:
                headers = {name.lower(): value for name, value in response.getheaders()}
                coding = headers.get("content-encoding", "identity").lower()
                if coding != "identity":
                    raise _failed(f"the reply is compressed ({coding[:20]!r}), which nobody asked for")
                where = headers.get("location")
                if response.status not in _REDIRECTS or where is None:
                    return connection, response, headers
                target = self._redirected(target, where)
            except BaseException:
                connection.close()
                raise
            connection.close()
        raise _failed(f"more than {MAX_REDIRECTS} redirects")

    def _redirected(self, target: str, where: str) -> str:
        """The target on this very server that a redirect names."""
        here = f"{self._parts.scheme}://{self._parts.netloc}"
        try:
            there = urlsplit(urljoin(here + target, where))
            port = there.port or (443 if there.scheme == "https" else 80)
            same = (there.scheme, there.hostname, port) == (self._parts.scheme, self._parts.hostname, self._port)
        except ValueError:
            same = False
        if not same or there.username or not where.isprintable():
            raise _failed(
                f"the server redirects to another one, {public_url(where)[:200]!r}, which the key is not meant for; "
                "name that address yourself if it is right"
            )
        return quote(there.path or "/", safe="/%:@!$&'()*+,;=~") + (f"?{there.query}" if there.query else "")

    def _asked(
        self, method: str, target: str, body: bytes | None, until: float
    ) -> tuple[_Connection, http.client.HTTPResponse]:
        """A connection on which the request was sent, and the beginning of its reply. An idle one that the server has
        closed meanwhile is replaced once."""
        headers = {"Accept": "application/json", "Accept-Encoding": "identity", **self._headers}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self._proxy is not None and self._parts.scheme == "http":
            headers |= _proxy_headers(self._proxy)
        while True:
            with self._lock:
                connection = self._idle.pop() if self._idle else None
            fresh = connection is None
            if connection is None:
                connection = self._connect(until)
            try:
                with _explained(sent=True):
                    connection.until = until
                    return connection, connection.ask(method, self._absolute(target), body, headers)
            except TransportError as error:
                connection.close()
                if fresh or error.timed_out or connection.heard:
                    raise
            except BaseException:
                connection.close()
                raise

    def _absolute(self, target: str) -> str:
        """Through a proxy a plain request names the whole URL."""
        if self._proxy is None or self._parts.scheme == "https":
            return target
        return f"http://{self._parts.netloc}{target}"

    def _connect(self, until: float) -> _Connection:
        limit = min(until, time.monotonic() + self._connect_s)
        over = self._proxy
        host, port = (self.host, self._port) if over is None else (str(over.hostname), over.port or 80)
        with _explained(sent=False):
            plain = _opened(host, port, limit)
            try:
                connection = _Connection(self._parts.netloc.rpartition("@")[2], plain, limit)
                if over is not None and self._parts.scheme == "https":
                    connection.tunnel(self.host, self._port, _proxy_headers(over))
                if self._parts.scheme == "https":
                    connection.secure(self.host)
            except BaseException:
                plain.close()
                raise
        return connection

    def _leave(self, connection: _Connection, reusable: bool) -> None:
        with self._lock:
            if reusable and len(self._idle) < _IDLE:
                self._idle.append(connection)
                return
        connection.close()


class _Connection:
    """One connection whose every read and write gets what is left until `until`."""

    def __init__(self, netloc: str, sock: socket.socket, until: float) -> None:
        self.sock, self.until, self.heard = sock, until, False
        self._netloc = netloc

    def tunnel(self, host: str, port: int, headers: Mapping[str, str]) -> None:
        lines = [f"CONNECT {host}:{port} HTTP/1.1", f"Host: {host}:{port}", *(f"{k}: {v}" for k, v in headers.items())]
        self.sendall("\r\n".join([*lines, "", ""]).encode("latin-1"))
        response = http.client.HTTPResponse(self, method="CONNECT")  # type: ignore[arg-type]
        response.begin()
        if response.status != 200:
            raise OSError(f"the proxy refuses with status {response.status}")

    def secure(self, host: str) -> None:
        self._arm()
        self.sock = ssl.create_default_context().wrap_socket(self.sock, server_hostname=host)

    def ask(self, method: str, target: str, body: bytes | None, headers: Mapping[str, str]) -> http.client.HTTPResponse:
        sender = http.client.HTTPConnection(self._netloc)
        sender.sock = self
        self.heard = False
        sender.request(method, target, body, dict(headers))
        response = http.client.HTTPResponse(self, method=method)  # type: ignore[arg-type]
        response.begin()
        return response

    def close(self) -> None:
        self.sock.close()

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            self._arm()
            view = view[self.sock.send(view) :]

    def receive_into(self, buffer: Any) -> int:
        self._arm()
        count = self.sock.recv_into(buffer)
        self.heard = self.heard or count > 0
        return count

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Reader(self))

    def _arm(self) -> None:
        left = self.until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self.sock.settimeout(left)


class _Reader(io.RawIOBase):
    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._connection.receive_into(buffer)


@contextmanager
def _explained(*, sent: bool) -> Iterator[None]:
    """What goes wrong on a connection, as a TransportError in words."""
    try:
        yield
    except TimeoutError:
        said = "no whole reply in time" if sent else "no connection in time"
        raise TransportError(said, reached=sent, sent=sent, timed_out=True) from None
    except ssl.SSLError as error:
        raise TransportError(f"TLS: {error.reason or error}", reached=False, sent=sent) from None
    except http.client.HTTPException as error:
        said = redact(" ".join(str(error).split()))[:200]
        raise TransportError(f"no HTTP reply: {type(error).__name__}: {said}", reached=True, sent=True) from None
    except (OSError, ValueError) as error:  # ValueError: a port or chunk size that is no number
        said = redact(" ".join(str(error).split()))[:200]
        raise TransportError(said or type(error).__name__, reached=sent, sent=sent) from None


def _opened(host: str, port: int, until: float) -> socket.socket:
    """A connected socket. Names are resolved beside, because the resolver knows no deadline."""
    found: Queue[Any] = Queue()

    def resolve() -> None:
        try:
            found.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            found.put(OSError(f"the name {host!r} has no address: {error}"))

    threading.Thread(target=resolve, name="clew-resolve", daemon=True).start()
    try:
        addresses = found.get(timeout=max(0.001, until - time.monotonic()))
    except Empty:
        raise TimeoutError from None
    if isinstance(addresses, OSError):
        raise addresses
    problem: OSError = OSError(f"the name {host!r} has no address")
    for family, kind, protocol, _, address in addresses:
        left = until - time.monotonic()
        if left <= 0:
            raise TimeoutError
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(left)
            sock.connect(address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except OSError as error:
            sock.close()
            problem = error
            continue
        return sock
    raise problem


def _loopback(host: str) -> bool:
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(part.isdigit() for part in parts)


def _proxy(parts: SplitResult) -> SplitResult | None:
    """The proxy that the environment names for this server."""
    if urllib.request.proxy_bypass(str(parts.hostname)):
        return None
    named = urllib.request.getproxies().get(parts.scheme)
    if not named:
        return None
    proxy = urlsplit(named if "//" in named else f"//{named}", scheme="http")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ConfigError(f"{parts.scheme}_proxy = {public_url(named)!r}: expected http://host:port")
    remember_secret(proxy.password)
    return proxy


def _proxy_headers(proxy: SplitResult) -> dict[str, str]:
    if not proxy.username:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"Proxy-Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
