"""Who may ask, how much and how long: hosts, origins, tokens, sizes, rates, slow clients and clients that leave."""

from __future__ import annotations

import json
import logging
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest

from clew.errors import ConfigError
from clew.protocols import GraphStore, OnEvent
from clew.serve.batching import BatchedQuestion, GoneError
from clew.serve.guard import Rates
from clew.serve.settings import ServeSettings
from clew.types import Answer, Question

from .conftest import Running, Start, started, until

QUESTION = "What is the capital of France?"
TOKEN = "correct horse battery"


def ask(client: httpx2.Client, question: str = QUESTION, **more: object) -> httpx2.Response:
    return client.post("/v1/ask", json={"question": question, **more})


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8420", "127.0.0.1.evil.example", ""])
def test_another_host_name_is_refused(service: Running, host: str) -> None:
    with service.client() as client:
        assert client.get("/v1/graph", headers={"host": host}).status_code == 421
        assert client.get("/", headers={"host": host}).status_code == 421


def test_loopback_names_and_given_names_are_served(start: Start) -> None:
    running = start(names=("graph.internal",))
    with running.client() as client:
        for host in ("localhost", f"127.0.0.1:{running.port}", "[::1]:80", "graph.internal"):
            assert client.get("/healthz", headers={"host": host}).status_code == 200


def test_pages_of_other_sites_are_refused(service: Running) -> None:
    with service.client() as client:
        for headers in (
            {"origin": "https://evil.example"},
            {"origin": "null"},
            {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
        ):
            assert client.post("/v1/ask", json={"question": QUESTION}, headers=headers).status_code == 403
        own = {"origin": service.url, "sec-fetch-site": "same-origin"}
        assert client.post("/v1/ask", json={"question": QUESTION}, headers=own).status_code == 200
        reply = client.options("/v1/ask", headers={"origin": service.url, "access-control-request-method": "POST"})
        assert not [name for name in reply.headers if name.startswith("access-control")]


def test_every_reply_has_the_security_headers(service: Running) -> None:
    with service.client() as client:
        for path in ("/", "/v1/graph", "/v1/nothing", "/healthz", "/static/index.html"):
            headers = client.get(path).headers
            policy = headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
            assert headers["x-content-type-options"] == "nosniff"
            assert "server" not in headers


def test_a_token_is_asked_for_and_checked(start: Start) -> None:
    running = start(token=TOKEN, warm=False)
    with running.client() as client:
        assert client.get("/healthz").status_code == 200
        assert client.get("/").status_code == 200  # the page holds nothing of a graph
        for path in ("/v1/graph", "/metrics", "/openapi.json", "/v1/entities?prefix=a", "/readyz"):
            assert client.get(path).status_code == 401
        assert client.post("/mcp", json={}).status_code == 401
        for header in ("Bearer wrong", "Basic abc", TOKEN, "Bearer", "Bearer " + TOKEN + "x"):
            reply = client.get("/v1/graph", headers={"authorization": header})
            assert reply.status_code == 401
            assert reply.headers["www-authenticate"] == "Bearer"
            assert TOKEN not in reply.text
        assert client.get("/v1/graph", headers={"authorization": f"Bearer {TOKEN}"}).status_code == 200


def test_an_address_beyond_this_machine_needs_a_token() -> None:
    with pytest.raises(ConfigError, match="CLEW_TOKEN"):
        ServeSettings(host="0.0.0.0").checked()
    with pytest.raises(ConfigError, match="at least 16"):
        ServeSettings(host="0.0.0.0", token="short").checked()
    ServeSettings(host="0.0.0.0", token=TOKEN).checked()
    ServeSettings(host="127.0.0.2").checked()


def test_large_bodies_are_refused_before_they_are_read(service: Running) -> None:
    with service.client() as client:
        reply = ask(client, "x" * 1_000_000)
        assert reply.status_code == 413
        assert reply.headers["content-type"] == "application/problem+json"

        def endless() -> object:
            for _ in range(1000):
                yield b"x" * 10_000

        try:
            status = client.post("/v1/ask", content=endless()).status_code
        except httpx2.TransportError:
            status = 413  # the connection was closed while the client was still sending
        assert status == 413
    with socket.create_connection(("127.0.0.1", service.port), 5) as raw:
        raw.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: " + b"a" * 200_000)
        assert b" 400 " in raw.recv(1000)


def test_too_many_requests_are_told_when_to_return(start: Start) -> None:
    with start(limits={"rate": 0.001, "burst": 20}, warm=False).client() as client:
        replies = [client.get("/v1/graphs") for _ in range(30)]
        statuses = [reply.status_code for reply in replies]
        assert statuses == [200] * 20 + [429] * 10
        assert int(replies[-1].headers["retry-after"]) >= 1


def test_rates_refill_and_forget() -> None:
    now = [1000.0]  # a clock of its own: the event loop of a service that runs beside sleeps by the process's
    rates = Rates(100.0, 2, clock=lambda: now[0])
    assert [rates.take("a") > 0 for _ in range(3)] == [False, False, True]
    assert rates.take("b") == 0
    now[0] += 0.05
    assert rates.take("a") == 0


def test_too_many_questions_at_once(start: Start) -> None:
    running = start(limits={"waiting": 3})
    blocked = Blocked(running)
    with running.client() as client, ThreadPoolExecutor(12) as pool:
        asked = [pool.submit(ask, client) for _ in range(12)]
        until(lambda: sum(each.done() for each in asked) >= 8)
        blocked.go.set()
        statuses = [each.result().status_code for each in asked]
        assert set(statuses) == {200, 503}
        assert ask(client).status_code == 200


def test_a_question_that_takes_too_long(start: Start) -> None:
    running = start(limits={"seconds": 0.4})
    blocked = Blocked(running)
    with running.client() as client:
        reply = ask(client)
        blocked.go.set()
        assert reply.status_code == 504
        assert "0.4 seconds" in reply.json()["detail"]


class Blocked:
    """Makes a running method wait, and counts what it is asked."""

    def __init__(self, running: Running) -> None:
        self.desk = running.host.graphs["films"].now.desk("follow")
        self._whole, self.asked, self.go, self.begun = self.desk._predict, 0, threading.Event(), threading.Event()
        self.desk._predict = self._predict  # type: ignore[method-assign]

    def _predict(self, questions: list[Question], graph: GraphStore, *, on_event: OnEvent) -> list[Answer]:
        self.asked += len(questions)
        self.begun.set()
        assert self.go.wait(60)
        return self._whole(questions, graph, on_event=on_event)


def test_a_client_that_leaves_stops_the_work(start: Start) -> None:
    """Twenty questions queue behind one under way; all who asked leave; none of the queued is ever worked on."""
    running = start(limits={"batch": 1})
    blocked = Blocked(running)
    body = json.dumps({"question": QUESTION}).encode()
    lines = ["POST /v1/ask HTTP/1.1", "Host: localhost", f"Content-Length: {len(body)}"]
    head = "".join(line + "\r\n" for line in [*lines, "Content-Type: application/json", ""])
    leaving = [socket.create_connection(("127.0.0.1", running.port)) for _ in range(21)]
    for connection in leaving:
        connection.sendall(head.encode() + body)
    until(lambda: len(blocked.desk._queue) == 20)
    for connection in leaving:
        connection.close()
    until(lambda: all(asking.gone for asking in blocked.desk._queue))
    blocked.go.set()
    with running.client() as client:
        assert ask(client).status_code == 200
    assert blocked.asked == 2, "the one that was under way, and the last"


def test_a_stream_that_is_left_stops_the_work(start: Start) -> None:
    """Each stream is left once its question is queued; a client that leaves earlier may not have asked at all."""
    running = start(limits={"batch": 1})
    blocked = Blocked(running)
    queue, asked = blocked.desk.ask, []

    def watched(question: Question, on_event: OnEvent) -> BatchedQuestion:
        asked.append(queue(question, on_event))
        return asked[-1]

    blocked.desk.ask = watched  # type: ignore[method-assign]
    with running.client() as client:
        for stream in range(5):
            with client.stream("POST", "/v1/ask", json={"question": QUESTION, "stream": True}) as reply:
                assert reply.status_code == 200
                until(lambda stream=stream: len(asked) == stream + 1)  # type: ignore[misc]
        assert blocked.begun.wait(60)
        until(lambda: all(asking.gone for asking in asked))
        blocked.go.set()
        assert ask(client).status_code == 200
    assert blocked.asked == 2, "the one that was under way, and the last"


def test_work_under_way_ends_at_the_next_stage(start: Start) -> None:
    """A method hears at its next event, and before its next call of a language model, that nobody waits."""
    running = start(limits={"batch": 1})
    blocked = Blocked(running)
    whole, ended = blocked._whole, []

    def watched(questions: list[Question], graph: GraphStore, *, on_event: OnEvent) -> list[Answer]:
        try:
            return whole(questions, graph, on_event=on_event)
        except GoneError:
            ended.append(questions[0].text)
            raise

    blocked._whole = watched
    with running.client() as client:
        with client.stream("POST", "/v1/ask", json={"question": QUESTION, "stream": True}):
            assert blocked.begun.wait(60)
        until(lambda: not running.host._listeners)
        blocked.go.set()
        until(lambda: ended == [QUESTION])
        assert ask(client).status_code == 200


def test_slow_clients_are_cut_off(start: Start) -> None:
    """A client that says nothing, one that never ends its headers, the same on a second request, one without a body."""
    running = start(limits={"header_s": 0.5, "body_s": 0.5})
    with ExitStack() as stack:

        def connected(said: bytes = b"") -> socket.socket:
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", running.port), 60))
            connection.sendall(said)  # at once: the clock of a connection runs from its beginning
            return connection

        again = connected(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b"200 OK" in again.recv(4000)
        body = connected(b"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        silent, header = connected(), connected()
        closed: set[int] = set()
        end = time.monotonic() + 60
        while len(closed) < 2 and time.monotonic() < end:
            for connection in (header, again):
                try:
                    connection.sendall(b"G")
                except OSError:
                    closed.add(connection.fileno())
            time.sleep(0.05)
        assert len(closed) == 2, "a byte now and then holds the connection"
        assert silent.recv(1000) == b""
        assert b" 408 " in body.recv(4000)
    with running.client() as client:
        assert ask(client).status_code == 200


def test_one_log_line_a_request_without_the_question(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "clew.serve")
    running = start()
    with running.client() as client:
        ask(client)
        client.get("/v1/entities", params={"prefix": "Mysterious"})
    # A line is written after its reply, which the client may have by then.
    until(lambda: all(any(route in m for m in caplog.messages) for route in ("/v1/ask", "/v1/entities")))
    lines = [json.loads(m) for m in caplog.messages if m.startswith("{")]
    asked = [line for line in lines if line["route"] == "/v1/ask"]
    assert len(asked) == 1
    assert asked[0]["status"] == 200
    assert asked[0]["graph"] == "films"
    assert asked[0]["answers"] == 1
    assert not any("France" in m or "Mysterious" in m for m in caplog.messages)


def test_the_question_is_logged_where_asked_for(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "clew.serve")
    with start(log_questions=True).client() as client:
        ask(client)
    until(lambda: any(QUESTION in m for m in caplog.messages))


def test_a_fault_is_one_message_and_a_log_entry(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    """A bug in a method is no traceback for the client, and the next question is answered."""
    running = start()
    hosted = running.host.graphs["films"]
    desk = hosted.now.desk("follow")
    whole = desk._predict

    def broken(questions: object, graph: object, *, on_event: object) -> object:
        if any("Italy" in q.text for q in questions):  # type: ignore[attr-defined]
            raise ZeroDivisionError("secret detail")
        return whole(questions, graph, on_event=on_event)

    desk._predict = broken  # type: ignore[assignment]
    with running.client() as client:
        reply = ask(client, "What is the capital of Italy?")
        assert reply.status_code == 500
        assert "secret" not in reply.text
        assert "Traceback" not in reply.text
        assert ask(client).status_code == 200
        with ThreadPoolExecutor(6) as pool:  # in one batch with the fault
            texts = [QUESTION, "What is the capital of Italy?", QUESTION] * 2
            statuses = list(pool.map(lambda text: ask(client, text).status_code, texts))
        assert statuses == [200, 500, 200] * 2
    assert "secret detail" in caplog.text


def test_sigterm_finishes_what_is_under_way(tmp_path: Path, service: Running) -> None:
    """A real process, asked to stop when it has begun to read eight requests, of which the bodies come later."""
    command = [
        sys.executable, "-m", "clew", "serve", f"films={service.folder}", "--port", "0", "--method", "walk",
        "--set", "encoder.name=hash-256",
    ]  # fmt: skip
    body = json.dumps({"question": "Who starred in Brazil?"}).encode()
    lines = ["POST /v1/ask HTTP/1.1", "Host: localhost", "Content-Type: application/json", "Expect: 100-continue"]
    head = "".join(f"{line}\r\n" for line in [*lines, f"Content-Length: {len(body)}", ""]).encode()
    with ExitStack() as stack:
        process, url = started(stack, command, tmp_path)
        with httpx2.Client(base_url=url, timeout=60, trust_env=False) as client:
            until(lambda: client.get("/readyz").status_code == 200)
        address = ("127.0.0.1", httpx2.URL(url).port)
        asking = [stack.enter_context(socket.create_connection(address, 60)) for _ in range(8)]
        for connection in asking:
            connection.sendall(head)
        for connection in asking:  # which says that the request is being read
            assert connection.recv(1000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        process.terminate()
        for connection in asking:
            connection.sendall(body)
        for connection in asking:
            reply = b""
            while block := connection.recv(65536):
                reply += block
            assert b"HTTP/1.1 200 OK" in reply and b"Jonathan Pryce" in reply
        assert process.wait(60) in (0, -15)


def test_a_taken_port_is_one_message(service: Running, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "clew",
        "serve",
        str(service.folder),
        "--port",
        str(service.port),
        "--method",
        "walk",
    ]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=100, cwd=tmp_path)
    assert ended.returncode == 2
    assert "choose another --port" in ended.stderr
    assert "Traceback" not in ended.stderr
