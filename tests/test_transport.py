"""One deadline, bounded replies, redirects that stay: against a server that sends raw bytes as it is told."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from clew.errors import ConfigError
from clew.secrecy import public_url, redact, remember_secret, secret_begins
from clew.transport import Server, TransportError

Act = Callable[[socket.socket, bytes], None]
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"


class RawServer:
    """Hands every request, as the bytes that came, to `act`; the connection is closed after it unless it is kept."""

    def __init__(self, act: Act, keep: bool = False) -> None:
        self.act, self.keep, self.requests, self.connections = act, keep, list[bytes](), 0
        self.ended = 0  # how many calls of `act` came to their own end
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        try:
            while request := _request(connection):
                self.requests.append(request)
                self.act(connection, request)
                self.ended += 1
                if not self.keep:
                    break
        except OSError:
            pass
        finally:
            connection.close()

    def __enter__(self) -> RawServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._open:
            connection.close()


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        block = connection.recv(65536)
        if not block:
            return b""
        data += block
    head, _, body = data.partition(b"\r\n\r\n")
    length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


def say(*pieces: bytes, pause_s: float = 0.0) -> Act:
    def act(connection: socket.socket, _: bytes) -> None:
        for piece in pieces:
            connection.sendall(piece)
            time.sleep(pause_s)

    return act


def call(server: RawServer, seconds: float = 30.0, key: str | None = None, **options: int) -> bytes:
    client = Server(server.url, what="base_url", key=key)
    try:
        return client.call("POST", "/x", b"{}", until=time.monotonic() + seconds, **options).body
    finally:
        client.close()


def endless(block: bytes, pause_s: float) -> Act:
    def act(connection: socket.socket, _: bytes) -> None:
        while True:
            connection.sendall(block)
            time.sleep(pause_s)

    return act


DRIBBLES: dict[str, Act] = {
    "nothing": say(b"", pause_s=60),
    "status line": endless(b"H", 0.05),
    "headers": say(b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 90, pause_s=0.05),
    "one header": say(b"HTTP/1.1 200 OK\r\nX: ", *[b"y"] * 1200, pause_s=0.05),
    "continues": endless(b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
    "body": say(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n", *[b"y"] * 1200, pause_s=0.05),
    "chunks": say(CHUNKED, *[b"1\r\ny\r\n"] * 1200, pause_s=0.05),
    "trailers": say(CHUNKED + b"0\r\n", *[b"X: y\r\n"] * 90, pause_s=0.05),
    "no end": say(b"HTTP/1.1 200 OK\r\n\r\n", *[b"y"] * 1200, pause_s=0.05),
}


@pytest.mark.parametrize("name", DRIBBLES)
def test_whatever_dribbles_ends_at_the_deadline(name: str) -> None:
    with RawServer(DRIBBLES[name]) as server:
        begun = time.monotonic()
        with pytest.raises(TransportError) as caught:
            call(server, seconds=0.4)
        assert caught.value.timed_out
        assert time.monotonic() - begun > 0.3
        assert not server.ended, "the server came to its end before the caller"


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (say(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), "ends 7 bytes early"),
        (say(CHUNKED + b"5\r\nab"), "IncompleteRead"),
        (
            say(CHUNKED + b"zz\r\nab"),
            "Incomplete|invalid",
        ),
        (say(b"garbage\r\n\r\n"), "BadStatusLine"),
        (say(b"HTTP/1.1 999999 OK\r\n\r\n"), "BadStatusLine"),
        (say(), "RemoteDisconnected|reset"),
        (say(b"HTTP/1.1 200 OK\r\n", *[b"X: " + b"y" * 70000 + b"\r\n"]), "LineTooLong"),
        (say(b"HTTP/1.1 200 OK\r\n", *[b"X: y\r\n"] * 200, b"\r\n"), "more than 100 headers"),
        (say(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab"), "compressed .'gzip'"),
        (say(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + b"y" * 5000), "longer than 1,000 bytes"),
        (endless(b"HTTP/1.1 200 OK\r\n\r\n" + b"y" * 5000, 0), "longer than 1,000 bytes"),
        (
            say(CHUNKED, *[b"100\r\n" + b"y" * 256 + b"\r\n"] * 9),
            "longer",
        ),
    ],
)
def test_what_is_no_whole_reply_is_an_error(act: Act, words: str) -> None:
    with RawServer(act) as server, pytest.raises(TransportError, match=words):
        call(server, limit=1000)


def test_whole_replies_of_every_shape() -> None:
    bodies = (
        OK + b"ab",
        b"HTTP/1.0 200 OK\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"ab",
    )
    for body in bodies:
        with RawServer(say(body)) as server:
            assert call(server, limit=2) == b"ab"


def test_redirects_stay_on_the_server_and_end() -> None:
    def act(connection: socket.socket, request: bytes) -> None:
        target = request.split(b" ")[1]
        if target.endswith(b"3"):
            connection.sendall(OK + b"ab")
            return
        there = {b"/v1/x": "/1", b"/1": "2", b"/2": f"{server.url}/3"}[target]
        connection.sendall(f"HTTP/1.1 307 T\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode())

    with RawServer(act) as server:
        assert call(server, key="sk-0123456789") == b"ab"
        assert len(server.requests) == 4
        assert all(b"Bearer sk-0123456789" in request and request.endswith(b"{}") for request in server.requests)
    with (
        RawServer(say(b"HTTP/1.1 307 T\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n")) as server,
        pytest.raises(TransportError, match="more than 3 redirects"),
    ):
        call(server)


@pytest.mark.parametrize(
    "where", ["http://127.0.0.1:{other}/v1/x", "http://localhost:{port}/x", "https://127.0.0.1:{port}/x",
              "//evil.example/", "http://u:p@127.0.0.1:{port}/x", "http://[::1", "file:///etc/passwd", "http://127.0.0.1:99999/"],
)  # fmt: skip
def test_a_redirect_elsewhere_gets_no_key(where: str) -> None:
    with RawServer(say(OK + b"ab")) as other:
        ports = {"other": other.url[17:-3]}

        def act(connection: socket.socket, _: bytes) -> None:
            there = where.format(port=server.url[17:-3], **ports)
            connection.sendall(f"HTTP/1.1 302 T\r\nLocation: {there}\r\nContent-Length: 0\r\n\r\n".encode())

        with RawServer(act) as server, pytest.raises(TransportError, match="redirects to another one"):
            call(server, key="sk-0123456789")
        assert len(server.requests) == 1
        assert other.requests == []


def test_connections_are_kept_and_replaced_when_the_server_has_closed_them() -> None:
    with RawServer(say(OK + b"ab"), keep=True) as server:
        client = Server(server.url, what="base_url")
        for _ in range(5):
            assert client.call("POST", "/x", b"{}", until=time.monotonic() + 60).body == b"ab"
        assert server.connections == 1
        server.keep = False
        for _ in range(3):
            assert client.call("POST", "/x", b"{}", until=time.monotonic() + 60).body == b"ab"
        client.close()


def test_threads_share_a_server() -> None:
    def echo(connection: socket.socket, request: bytes) -> None:
        body = request.rpartition(b"\r\n\r\n")[2]
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    with RawServer(echo, keep=True) as server:
        client = Server(server.url, what="base_url")

        def one(i: int) -> bool:
            body = str(i).encode() * 50
            return client.call("POST", "/x", body, until=time.monotonic() + 60).body == body

        with ThreadPoolExecutor(12) as pool:
            assert all(pool.map(one, range(300)))
        client.close()
        assert server.connections < 60


def test_a_name_that_never_resolves_ends_at_the_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    given_up = threading.Event()

    def never(*_: object, **__: object) -> list[object]:
        given_up.wait(60)
        resolved.append(1)
        return []

    resolved: list[int] = []
    monkeypatch.setattr(socket, "getaddrinfo", never)
    with pytest.raises(TransportError) as caught:
        Server("http://slow.example/v1", what="base_url", key="x" * 9).call("GET", "/", until=time.monotonic() + 0.3)
    assert caught.value.timed_out
    assert not caught.value.reached
    assert not resolved, "the caller waited for the name"
    given_up.set()


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with RawServer(say(OK + b"ab")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        client = Server("http://far.example/v1", what="base_url")
        assert client.call("POST", "/x", b"{}", until=time.monotonic() + 60).body == b"ab"
        client.close()
        assert proxy.requests[0].startswith(b"POST http://far.example/v1/x HTTP/1.1\r\nHost: far.example\r\n")


@pytest.mark.parametrize(
    "url",
    ["localhost:1", "ftp://x/v1", "http://", "http://a b/v1", "http://x:port/v1", "http://u:p@x/v1", "http://x\n/", ""],
)
def test_bad_addresses(url: str) -> None:
    with pytest.raises(ConfigError, match="base_url"):
        Server(url, what="base_url")
    with pytest.raises(ConfigError, match="characters"):
        Server("http://x/v1", what="base_url", key="sk-\r\nX: y")


@pytest.fixture
def secret() -> Iterator[str]:
    yield "se/cret+key 0123"


def test_redaction(secret: str) -> None:
    remember_secret(secret)
    remember_secret("ollama")  # a placeholder, and a word that replies may hold
    for form in (secret, "se%2Fcret%2Bkey%200123", "se/cret%2Bkey%200123"):
        assert redact(f"a {form} b") == "a [key] b"
    assert redact("ollama") == "ollama"
    assert public_url("https://u:p@h:1/v1?api-key=x&api-version=2#f") == "https://h:1/v1?api-version=2"
    assert public_url(f"http://h/{secret}") == "http://h/[key]"


def test_what_may_begin_a_secret_is_found(secret: str) -> None:
    remember_secret(secret)
    assert secret_begins("nothing of it") == len("nothing of it")
    for end in range(1, len(secret)):
        assert secret_begins("a key: " + secret[:end]) == len("a key: ")
    assert secret_begins("se cret") == len("se cret")
