"""A proxy that misbehaves in front of an endpoint: every fault is an error with a reason, or is overcome; never half a
result."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
import server_programs as programs

from clew.errors import ClewError, ConfigError, InputError, UnavailableError
from clew.graph.remote import ServerGraph
from clew.graph.remote.address import parse

Fault = Callable[["Proxy"], bool]


class Proxy(BaseHTTPRequestHandler):
    """Answers every query with one row, unless the server's `faults` has something to do first; it is used once."""

    protocol_version = "HTTP/1.1"
    server: Any

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        query = parse_qs(body.decode()).get("query", [""])[0]
        self.server.seen.append((self.path, dict(self.headers), query))
        fault = self.server.faults.pop(0) if self.server.faults else None
        if fault is None or fault(self):
            self.reply(200, "application/sparql-results+json", answer(query))

    def reply(self, status: int, kind: str, body: bytes, length: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def answer(query: str) -> bytes:
    """What an endpoint with the single fact (a, b, c) says to the queries of the store."""
    iri = {"type": "uri", "value": "http://x/"}
    row: dict[str, Any] = {}
    if "COUNT(*) AS ?n" in query and "GROUP BY" not in query:
        row = {"n": {"type": "literal", "value": "1"}}
    elif "GROUP BY ?p" in query:
        row = {"p": {**iri, "value": "http://x/b"}, "n": {"type": "literal", "value": "1"}}
    elif "AS ?d" in query:
        ends = {"e": {**iri, "value": "http://x/a"}, "n": {**iri, "value": "http://x/c"}}
        row = {"d": {"type": "literal", "value": "o"}, "p": {**iri, "value": "http://x/b"}, **ends}
    elif "?s ?p ?o" in query:
        row = {"s": iri, "p": iri, "o": iri}
    return json.dumps({"head": {"vars": list(row)}, "results": {"bindings": [row] if row else []}}).encode()


@pytest.fixture
def proxy() -> Iterator[Any]:
    with programs.served(Proxy, faults=[], seen=[]) as server:
        yield server


@pytest.fixture
def store(request: pytest.FixtureRequest, proxy: Any, opened: Callable[..., ServerGraph]) -> ServerGraph:
    """A store that waits for a minute, but where a test is about waiting: a busy machine is late as well."""
    fault = getattr(request.node, "callspec", None) and request.node.callspec.params.get("fault")
    made = opened(proxy.url, names="exact", timeout_s=1.5 if fault in SLOW else 60.0, max_wait_s=0.1, retries=2)
    made.relations()
    proxy.seen.clear()
    return made


def reset(handler: Proxy) -> bool:
    handler.connection.shutdown(2)
    handler.close_connection = True
    return False


def truncated(handler: Proxy) -> bool:
    """A body that ends before its stated length."""
    handler.reply(200, "application/sparql-results+json", b'{"head":{"vars":["s"]},"results":{"bindings":[{', 500)
    handler.close_connection = True
    return False


def cut_json(handler: Proxy) -> bool:
    """What Oxigraph sends when a query reaches its time limit: 200, a whole reply, and half of the JSON."""
    handler.reply(200, "application/sparql-results+json", b'{"head":{"vars":["d"]},"results":{"bindings":[{"d":{"ty')
    return False


def slow(handler: Proxy) -> bool:
    time.sleep(20)
    return False


def dribbling(handler: Proxy) -> bool:
    """Bytes that keep coming, so that no pause between two of them is ever too long."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/sparql-results+json")
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(200):
        try:
            handler.wfile.write(b" ")
            handler.wfile.flush()
        except OSError:
            break
        time.sleep(0.1)
    handler.close_connection = True
    return False


def busy(handler: Proxy) -> bool:
    handler.reply(429, "text/plain", b"slow down", Retry_After="0")
    return False


def failing(handler: Proxy) -> bool:
    handler.reply(503, "text/plain", b"restarting")
    return False


def web_page(handler: Proxy) -> bool:
    handler.reply(200, "text/html", b"<!DOCTYPE html><html><body>Welcome</body></html>")
    return False


SLOW = [slow, dribbling]
PASSING = [reset, truncated, cut_json, *SLOW, busy, failing]


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.__name__)
def test_a_fault_that_passes_is_overcome(proxy: Any, store: ServerGraph, fault: Fault) -> None:
    proxy.faults = [fault]
    found = store.facts(["http://x/a"])
    assert found.rows == [("http://x/a", "http://x/b", "http://x/c", None)]
    assert len(proxy.seen) == 2
    assert store.server.traffic.retries == 1


@pytest.mark.parametrize("fault", PASSING, ids=lambda fault: fault.__name__)
def test_a_fault_that_stays_is_said_and_nothing_is_made_up(proxy: Any, store: ServerGraph, fault: Fault) -> None:
    proxy.faults = [fault] * 40
    with pytest.raises(UnavailableError, match=r"failed 3 times, last with") as failure:
        store.facts(["http://x/a"])
    assert "127.0.0.1" in str(failure.value)
    proxy.faults = []
    assert store.facts(["http://x/a"]).rows  # nothing of the failure was kept


def test_what_is_too_much_at_once_is_asked_in_halves(proxy: Any, store: ServerGraph) -> None:
    proxy.faults = [cut_json] * 3  # the whole frontier and its retries
    assert store.facts(["http://x/a", "http://x/z"]).rows == [("http://x/a", "http://x/b", "http://x/c", None)]
    assert [query.count("http://x/z>") > 0 for _, _, query in proxy.seen[-2:]] == [False, True]


def test_a_web_page_is_said(proxy: Any, store: ServerGraph) -> None:
    proxy.faults = [web_page]
    with pytest.raises(InputError, match="a web page, not with SPARQL results"):
        store.facts(["http://x/a"])


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "CLEW_SERVER_USER"), (403, "CLEW_SERVER_TOKEN"), (404, "is the path right"), (400, "refused the query")],
)
def test_a_refusal_is_said_at_once(proxy: Any, store: ServerGraph, status: int, said: str) -> None:
    def refuse(handler: Proxy) -> bool:
        handler.reply(status, "text/plain", b"no \x1b[31m because")
        return False

    proxy.faults = [refuse]
    with pytest.raises(ClewError, match=said) as failure:
        store.facts(["http://x/a"])
    assert "\x1b" not in str(failure.value)
    assert len(proxy.seen) == 1


def test_a_server_that_wants_a_long_pause_is_not_waited_for(proxy: Any, store: ServerGraph) -> None:
    def later(handler: Proxy) -> bool:
        handler.reply(429, "text/plain", b"tomorrow", Retry_After="86400")
        return False

    proxy.faults = [later]
    with pytest.raises(UnavailableError, match=r"asks to wait 86400 s.*max_wait_s is 0.1"):
        store.facts(["http://x/a"])


def test_a_redirect_to_another_place_gets_nothing(proxy: Any, store: ServerGraph) -> None:
    def away(handler: Proxy) -> bool:
        handler.reply(307, "text/plain", b"", Location="http://127.0.0.2:9/sparql?secret=1")
        return False

    proxy.faults = [away]
    with pytest.raises(UnavailableError, match="another place, which is not followed"):
        store.facts(["http://x/a"])


@pytest.fixture
def self_signed(tmp_path: Path) -> Iterator[int]:
    """The port of a server whose certificate nobody signed."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed here")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-subj", "/CN=localhost", "-days", "1", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    ended = threading.Event()

    def serve() -> None:
        while not ended.is_set():
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection, suppress(OSError):
                    connection.settimeout(5)
                    context.wrap_socket(connection, server_side=True).close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0.1)
        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        ended.set()
        thread.join(10)


@pytest.mark.parametrize("scheme", ["https", "bolt+s", "neo4j+s", "falkors"])
def test_a_certificate_that_does_not_verify_is_said(
    opened: Callable[..., ServerGraph], self_signed: int, scheme: str
) -> None:
    needed = {"https": "httpx", "falkors": "falkordb"}.get(scheme, "neo4j")
    pytest.importorskip(needed, reason=f"{needed} is not installed here")
    with pytest.raises(UnavailableError, match=r"certificate does not verify: .*self-signed.* SSL_CERT_FILE"):
        opened(f"{scheme}://127.0.0.1:{self_signed}/graph", retries=0).relations()


def test_plain_http_where_tls_is_expected_is_said(opened: Callable[..., ServerGraph], proxy: Any) -> None:
    with pytest.raises(UnavailableError, match="cannot be reached"):
        opened(proxy.url.replace("http:", "https:"), retries=0).relations()


SECRET = "s3cret-w0rd"


def test_secrets_are_sent_and_never_shown(
    proxy: Any, opened: Callable[..., ServerGraph], monkeypatch: pytest.MonkeyPatch
) -> None:
    store = opened(proxy.url.replace("://", f"://ann:{SECRET}@") + f"?key={SECRET}", names="exact", retries=0)
    store.relations()
    assert all(headers["Authorization"].startswith("Basic ") for _, headers, _ in proxy.seen)
    assert all(SECRET in path for path, _, _ in proxy.seen)

    def broken(handler: Proxy) -> bool:
        handler.reply(500, "text/plain", b"broken")
        return False

    proxy.faults = [broken]
    with pytest.raises(UnavailableError) as failure:
        store.facts(["http://x/a"])
    kept = "".join(file.read_text() for file in store.path.rglob("*") if file.is_file())
    shown = [str(failure.value), repr(store), repr(store.address), store.name, str(store.info()), str(store.path), kept]
    assert not any(SECRET in text for text in shown)


def test_credentials_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    (tmp_path / "netrc").write_text("machine example.org login ann password pw\n")
    (tmp_path / "netrc").chmod(0o600)
    assert (parse("https://example.org/sparql").user, parse("https://other.org/sparql").user) == ("ann", None)
    monkeypatch.setenv("CLEW_SERVER_TOKEN", "t0ken")
    assert (parse("https://example.org/sparql").token, parse("https://example.org/sparql").user) == ("t0ken", None)


@pytest.mark.parametrize("url", ["ftp://x/y", "http:///sparql", "http://h:port/", "http://h\\@evil/", "http://a b/"])
def test_an_impossible_address_is_said(url: str) -> None:
    with pytest.raises(ConfigError):
        parse(url)


def test_a_server_that_dies_under_way(opened: Callable[..., ServerGraph], tmp_path: Any) -> None:
    try:
        server = programs.Oxigraph(tmp_path)
    except programs.Absent as reason:
        pytest.skip(str(reason))
    server.load(b"<http://x/a> <http://x/b> <http://x/c> .")
    store = opened(server.url, names="exact", max_wait_s=0.1, retries=1)
    assert len(store.neighbors(["http://x/a"])) == 1
    server.stop()
    store.forget()
    with pytest.raises(UnavailableError, match="failed 2 times, last with: the connection broke"):
        store.neighbors(["http://x/a"])
    assert store.changed().startswith("whether the graph changed meanwhile is not known")  # a run that is done stays so
