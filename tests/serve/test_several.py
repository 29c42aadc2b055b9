"""Several graphs in one process, spans of OpenTelemetry, and answers proven by their plan."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn

from clew.errors import NotFoundError
from clew.graph import Graph
from clew.serve import observe, process
from clew.serve.hosting import Host
from clew.serve.records import AskRequest
from clew.serve.service import Service
from clew.serve.settings import ServeSettings

from .conftest import Running, build_graph, configuration


@pytest.fixture
def two(tmp_path: Path) -> Service:
    for name, capital in (("old", "Bonn"), ("new", "Berlin")):
        Graph.from_triples([("Germany", "capital", capital)], name=name).save(tmp_path / f"{name}.kg")
    return Service(Host({name: configuration(tmp_path / f"{name}.kg") for name in ("old", "new")}))


def ask(service: Service, **fields: Any) -> Any:
    return asyncio.run(service.ask(AskRequest(question="What is the capital of Germany?", **fields)))


def test_each_graph_answers_for_itself_and_the_first_by_default(two: Service) -> None:
    assert [ask(two, graph=name).answer.texts for name in ("old", "new", None)] == [("Bonn",), ("Berlin",), ("Bonn",)]
    with pytest.raises(NotFoundError, match="nearest: 'new'"):
        ask(two, graph="nwe")
    two.host.close()


def test_graphs_share_one_encoder(two: Service) -> None:
    encoders = {id(hosted.now.encoder()) for hosted in two.host.graphs.values()}
    assert len(encoders) == 1
    two.host.close()


class Tracer:
    """Takes spans down as OpenTelemetry's own would be called."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, dict[str, Any]]] = []

    def get_tracer(self, name: str) -> Tracer:
        assert name == "clew"
        return self

    def start_as_current_span(self, name: str, attributes: dict[str, Any]) -> Any:
        import contextlib

        self.spans.append((name, attributes))
        return contextlib.nullcontext()


def test_a_question_is_a_span_without_its_text(two: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    tracer = Tracer()
    monkeypatch.setattr(observe, "_tracing", lambda: tracer)
    ask(two, graph="new")
    assert tracer.spans == [("clew.ask", {"clew.graph": "new", "clew.method": "follow"})]
    two.host.close()


def test_the_real_opentelemetry_records_the_span(two: Service) -> None:
    sdk = pytest.importorskip("opentelemetry.sdk.trace", reason="opentelemetry-sdk is not installed")
    from opentelemetry import trace
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept, provider = InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    trace.set_tracer_provider(provider)
    ask(two)
    assert [span.name for span in kept.get_finished_spans()] == ["clew.ask"]
    two.host.close()


def test_without_opentelemetry_nothing_happens(two: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(observe, "_tracing", lambda: None)
    assert ask(two).answer.texts == ("Bonn",)
    two.host.close()


def test_a_plan_is_executed_again(service: Running) -> None:
    with service.client() as client:
        asked = {"question": "How many films were directed by Terry Gilliam?", "method": "walk"}
        reply = client.post("/v1/ask", json=asked).json()
        plan, candidates = reply["plan"]["text"], reply["candidates"]

        def proven(**body: Any) -> httpx2.Response:
            return client.post("/v1/verify", json=body)

        said = proven(plan=plan, candidates=candidates, evidence=reply["evidence"]).json()
        assert said["proven"], said
        forged = proven(plan=plan, candidates=[{**candidates[0], "text": "4"}]).json()
        assert not forged["proven"] and "'4' is not what the plan makes" in forged["problems"][0]
        alone = proven(candidates=candidates, evidence=reply["evidence"]).json()
        assert not alone["proven"] and "there is no plan" in alone["problems"][0]
        assert proven(plan="count(").status_code == 422
        assert proven(plan='count(follow(entity("nobody at all"), "directed by"))').status_code == 404


def test_replies_do_not_wait_for_acknowledgements(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reply is two packets; without TCP_NODELAY the second one waits 40 ms on a kept connection."""
    given: list[socket.socket] = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda _, sockets: given.extend(sockets))
    for whole_process in ("steady_memory", "log_to_stderr"):
        monkeypatch.setattr(process, whole_process, lambda: None)
    host = Host({"films": configuration(build_graph(tmp_path / "films.kg"))})
    told: list[str] = []
    process.run(host, ServeSettings(port=0), told=told.append)
    with given[0] as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    assert told == [f"http://127.0.0.1:{told[0].rsplit(':', 1)[1][:-1]}/"]
    host.close()
