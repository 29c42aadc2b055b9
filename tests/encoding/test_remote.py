"""The encoder behind a server: a real local HTTP server that can misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from clew.encoding import HashEncoder, RemoteEncoder, open_encoder
from clew.errors import ConfigError, UnavailableError
from clew.protocols import TextEncoder
from clew.testing.text_encoder import TextEncoderSuite

Reply = tuple[int, dict[str, str], Any]


class Server:
    """Embeds with the hashing encoder, its rows in reversed order; `script` replies come first."""

    def __init__(self) -> None:
        self.script: list[Reply] = []
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers.get("Authorization"))
                status, headers, data = outer.script.pop(0) if outer.script else outer.good(body)
                raw = data if isinstance(data, bytes) else json.dumps(data).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(raw)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @staticmethod
    def good(body: dict[str, Any]) -> Reply:
        vectors = 3 * HashEncoder(64).encode(body["input"])
        rows = [{"index": i, "embedding": vector.tolist()} for i, vector in enumerate(vectors)]
        return 200, {}, {"data": rows[::-1]}

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture(scope="module")
def running() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def server(running: Server) -> Server:
    running.script.clear()
    running.bodies.clear()
    running.keys.clear()
    return running


class TestRemote(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls, running: Server) -> TextEncoder:
        return open_encoder("remote:m", base_url=running.url, batch=3)


def opened(server: Server, **settings: Any) -> tuple[RemoteEncoder, list[float]]:
    pauses: list[float] = []
    return RemoteEncoder("m", base_url=server.url, sleep=pauses.append, **settings), pauses


def test_batches_and_prompts_reach_the_server(server: Server) -> None:
    encoder, _ = opened(server, batch=2, prompts={"query": "ask: "}, api_key="secret")
    vectors = encoder.encode(["a", "b", "c"], role="query")
    assert [body["input"] for body in server.bodies] == [["ask: a", "ask: b"], ["ask: c"]]
    assert server.keys == ["Bearer secret"] * 2
    np.testing.assert_allclose(vectors, HashEncoder(64).encode(["ask: a", "ask: b", "ask: c"]), atol=1e-6)
    assert "secret" not in encoder.name


def test_the_width_is_asked_once(server: Server) -> None:
    encoder, _ = opened(server)
    assert encoder.dim == encoder.dim == 64
    assert len(server.bodies) == 1


def test_a_refusal_that_may_pass_is_retried_as_the_server_says(server: Server) -> None:
    encoder, pauses = opened(server)
    server.script = [(429, {"Retry-After": "7"}, {}), (503, {"Retry-After": "Fri, 01 Jan 2100 00:00:00 GMT"}, {})]
    assert encoder.encode(["a"]).shape == (1, 64)
    assert pauses[0] == 7
    assert 0 < pauses[1] <= 1


def test_it_gives_up_in_the_end(server: Server) -> None:
    encoder, pauses = opened(server, retries=2)
    server.script = [(500, {}, {"error": {"message": "out of memory"}})] * 3
    with pytest.raises(UnavailableError, match=r"'m' at http://127.*HTTP 500: out of memory"):
        encoder.encode(["a"])
    assert len(pauses) == 2


def test_a_refusal_that_stays_is_told_at_once(server: Server) -> None:
    encoder, pauses = opened(server)
    server.script = [(404, {}, {"error": {"message": "no model m"}})]
    with pytest.raises(UnavailableError, match="HTTP 404: no model m"):
        encoder.encode(["a"])
    assert pauses == []


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (b"<html>", "no list of embeddings"),
        ({"data": [{"index": 0}]}, "no list of embeddings"),
        ({"data": []}, r"shape \(0,\) for 1 texts"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "zero or not finite"),
    ],
)
def test_malformed_replies_are_refused(server: Server, reply: Any, message: str) -> None:
    encoder, _ = opened(server)
    server.script = [(200, {}, reply)]
    with pytest.raises(UnavailableError, match=message):
        encoder.encode(["a"])


def test_a_change_of_width_is_refused(server: Server) -> None:
    encoder, _ = opened(server)
    encoder.encode(["a"])
    server.script = [(200, {}, {"data": [{"index": 0, "embedding": [1.0, 0.0]}]})]
    with pytest.raises(UnavailableError, match="width 2 after width 64"):
        encoder.encode(["b"])


def test_an_unreachable_server_is_told_at_once() -> None:
    pauses: list[float] = []
    with pytest.raises(UnavailableError, match=r"'m' at http://127\.0\.0\.1:9/v1: .*refused"):
        RemoteEncoder("m", base_url="http://127.0.0.1:9/v1", sleep=pauses.append).encode(["a"])
    assert not pauses


@pytest.mark.parametrize(
    ("open_it", "message"),
    [
        (lambda: RemoteEncoder("m", base_url="ftp://x"), r"expected http\(s\)"),
        (lambda: RemoteEncoder("m", base_url="http://user:pw@localhost/v1"), "holds a user name"),
        (lambda: RemoteEncoder("m", base_url="https://example.org/v1"), "OPENAI_API_KEY"),
        (lambda: RemoteEncoder("m", base_url="http://localhost/v1", batch=0), "batch = 0"),
        (lambda: open_encoder("some-model", api_key="k"), "remote:some-model"),
    ],
)
def test_bad_settings_are_named(open_it: Callable[[], object], message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=message):
        open_it()
