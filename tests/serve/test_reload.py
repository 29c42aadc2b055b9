"""Graphs that change while they are served: edits, compaction, rebuilds, damage."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2

from clew.graph import Graph, add, compact
from clew.serve.hosting import signature

from .conftest import Running, Start, build_graph, until

QUESTION = "What is the capital of France?"


def ask(client: httpx2.Client, question: str = QUESTION) -> httpx2.Response:
    return client.post("/v1/ask", json={"question": question})


def test_an_added_triple_is_answered_from(start: Start) -> None:
    running = start()
    with running.client() as client:
        assert ask(client, "What is the currency of Brazil?").json()["state"] == "abstained"
        add(running.folder, [("brazil", "currency", "Real")])
        until(lambda: ask(client, "What is the currency of Brazil?").json()["state"] == "answered")
        version = client.get("/v1/graph").json()["version"]
        assert version == Graph.open(running.folder).name
        compact(running.folder)
        until(lambda: signature(running.folder) == running.host.graphs["films"]._seen)
        assert client.get("/v1/graph").json()["version"] == version
        assert ask(client, "What is the currency of Brazil?").json()["candidates"][0]["text"] == "Real"


def test_a_replaced_graph_is_let_go_of(start: Start) -> None:
    """Graph and methods refer to each other: without the collector each reload would keep one graph more."""
    running = start()
    hosted = running.host.graphs["films"]
    with running.client() as client:
        assert ask(client).status_code == 200
        before, graph = weakref.ref(hosted.now), weakref.ref(hosted.now.graph)
        add(running.folder, [("brazil", "currency", "Real")])
        until(lambda: signature(running.folder) == hosted._seen)
        assert ask(client).status_code == 200
        until(lambda: before() is None and graph() is None)


def test_no_request_is_dropped_while_the_graph_changes(start: Start) -> None:
    """Clients ask without a pause while triples are added, folded in, and the whole graph is built again."""
    running = start()
    over = threading.Event()
    statuses: list[int] = []

    def asking() -> None:
        with running.client() as client:
            while not over.is_set():
                reply = ask(client)
                statuses.append(reply.status_code)
                assert reply.json()["candidates"][0]["text"] == "Paris"

    with ThreadPoolExecutor(3) as pool:
        clients = [pool.submit(asking) for _ in range(3)]
        for i in range(6):
            add(running.folder, [("brazil", "seen by", f"viewer {i}")])
            if i % 3 == 2:
                compact(running.folder)
            until(lambda: signature(running.folder) == running.host.graphs["films"]._seen)
        build_graph(running.folder)
        until(lambda: signature(running.folder) == running.host.graphs["films"]._seen)
        over.set()
        for client in clients:
            client.result()
    assert set(statuses) == {200}
    assert running.host.graphs["films"].reloads >= 6


def test_a_damaged_graph_leaves_the_old_one_in_place(start: Start) -> None:
    running = start()
    meta = running.folder / "meta.json"
    good = meta.read_bytes()
    with running.client() as client:
        meta.write_bytes(b"{")
        assert running.host.refresh() == []
        assert ask(client).json()["candidates"][0]["text"] == "Paris"
        meta.write_bytes(good)
        until(lambda: signature(running.folder) == running.host.graphs["films"]._seen)
        assert ask(client).status_code == 200


def test_the_signature_sees_edits_models_and_swaps(tmp_path: Path) -> None:
    folder = build_graph(tmp_path / "g.kg")
    seen = {signature(folder)}
    add(folder, [("a", "b", "c")])
    seen.add(signature(folder))
    compact(folder)
    seen.add(signature(folder))
    model = folder / "models" / "scr"
    model.mkdir(parents=True)
    (model / "trained.json").write_text("{}")
    seen.add(signature(folder))
    assert len(seen) == 4
    assert signature(tmp_path / "none.kg") == ()


def test_old_snapshots_are_let_go(start: Start) -> None:
    import gc
    import weakref

    running: Running = start()
    hosted = running.host.graphs["films"]
    first = weakref.ref(hosted.now)
    add(running.folder, [("brazil", "seen by", "somebody")])
    until(lambda: hosted.reloads >= 1)
    with running.client() as client:
        assert ask(client).status_code == 200

    def gone() -> bool:
        gc.collect()
        return first() is None

    until(gone)
