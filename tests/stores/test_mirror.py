"""A small graph in a server is read once, whole, and every question is answered over it as over a folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.graph.remote import ServerGraph, ServerSettings, open_server
from clew.graph.remote.mirror import at_hand, mirror
from clew.settings import configure
from clew.testing.endpoint import BASE, LocalEndpoint, in_order
from clew.types import Event, Question
from clew.workspace import Workspace

pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
pytest.importorskip("httpx", reason="the extra sparql is not installed")

Open = Callable[..., ServerGraph]
ROWS = [("France", "capital", "Paris"), ("Italy", "capital", "Rome"), ("France", "borders", "Italy"),
        ("Paris", "founded", '"-250"'), ("Italy", "members", "_:b0"), ("_:b0", "of", "EU")]  # fmt: skip


@pytest.fixture
def graph() -> Graph:
    return in_order(
        Graph.from_triples(ROWS, labels={"EU": "European Union"}, aliases={"EU": ["the Union"]}, name="land")
    )


@pytest.fixture
def served(graph: Graph, tmp_path: Path) -> Iterator[Open]:
    stores: list[ServerGraph] = []
    with LocalEndpoint(graph) as endpoint:

        def opened(**settings: object) -> ServerGraph:
            given = ServerSettings(base=BASE, home=tmp_path, **settings)  # type: ignore[arg-type]
            stores.append(open_server(endpoint.url, given))
            return stores[-1]

        yield opened
        for store in stores:
            store.close()


def said(graph: Graph) -> set[tuple[str, str, str, str, str]]:
    """Its triples, but for the names of nameless nodes."""
    ends = [(t.head, t.relation.id, t.tail) for t in graph.triples()]
    return {
        ("_" if h.kind == "mediator" else h.id, h.kind, r, "_" if t.kind == "mediator" else t.label, t.kind)
        for h, r, t in ends
    }


def test_the_copy_is_the_graph(graph: Graph, served: Open) -> None:
    copy = mirror(served())
    assert copy is not None
    assert said(copy) == said(graph)
    assert copy.aliases_of("EU") == ["the Union"]


def test_only_the_first_question_asks_the_server(graph: Graph, served: Open) -> None:
    store, told = served(), list[Event]()
    method = Workspace(
        configure(flags={"method": {"name": "walk", "threshold": 0.0}}, environment={}),
        graph=store,
        encoder=HashEncoder(64),
    ).open_method()
    question = Question("q", "What is the capital of Italy?", ("Italy",))
    first = method.predict([question], store, on_event=told.append)[0]
    assert any("into memory" in event.message for event in told)
    before = store.server.traffic.requests
    assert method.predict([question], store)[0].texts == first.texts == method.predict([question], graph)[0].texts
    assert store.server.traffic.requests == before
    store.forget()
    assert method.predict([question], store)[0].texts == first.texts
    assert store.server.traffic.requests > before


def test_a_graph_above_the_limit_is_never_read_whole(served: Open) -> None:
    store = served(triples_at_once=5)
    assert mirror(store) is None
    assert at_hand(store) is store
    assert store.info()["asked"] == "hop by hop"


def test_replies_shorter_than_the_graph_are_put_together(graph: Graph, served: Open) -> None:
    whole = mirror(served())
    limited = served()
    assert limited.profile.row_limit is None
    limited.server.room = 2  # type: ignore[attr-defined]  # as if the server gave no more rows in one reply
    copy = mirror(limited)
    assert whole is not None
    assert copy is not None
    assert said(copy) == said(whole) == said(graph)
