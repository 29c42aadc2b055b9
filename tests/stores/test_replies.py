"""Replies kept on disk: asked once within their age, of one state of the graph, by one user, and never in the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from clew.graph import Graph
from clew.graph.remote import ServerGraph, ServerSettings, open_server
from clew.graph.remote.replies import Replies
from clew.testing.endpoint import BASE, LocalEndpoint

pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
pytest.importorskip("httpx", reason="the extra sparql is not installed")

Open = Callable[..., ServerGraph]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Open]:
    graph = Graph.from_triples([("France", "capital", "Paris"), ("Italy", "capital", "Rome")], name="capitals")
    with LocalEndpoint(graph) as endpoint:

        def opened(**settings: object) -> ServerGraph:
            given = ServerSettings(base=BASE, home=tmp_path, names="exact", **settings)  # type: ignore[arg-type]
            return open_server(endpoint.url, given)

        yield opened


def test_a_second_process_asks_nothing_within_the_age(served: Open) -> None:
    first = served(cache_age_s=60)
    wanted = first.neighbors(["France"])
    first.close()
    second = served(cache_age_s=60)
    assert second.neighbors(["France"]) == wanted and len(wanted) == 1
    assert second.server.traffic.requests == 0 and second.server.traffic.cached == 1
    assert second.changed() == "" and second.server.traffic.requests == 1  # whether it changed is always asked
    second.forget()
    assert second.neighbors(["France"]) == wanted and second.server.traffic.requests == 2
    second.close()


def test_a_server_on_this_machine_is_always_asked(served: Open, tmp_path: Path) -> None:
    store = served()
    store.neighbors(["France"])
    store.close()
    assert not list(tmp_path.glob("replies-*"))


def test_old_replies_other_states_and_other_users_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Replies(tmp_path / "r.sqlite", "state 1, ann", 60)
    kept.put("q", {"boolean": True})
    assert kept.get("q") == {"boolean": True} and kept.get("other") is None
    bob = Replies(tmp_path / "r.sqlite", "state 1, bob", 60)
    assert bob.get("q") is None
    bob.put("q", {"boolean": False})
    assert bob.get("q") == {"boolean": False}
    now = __import__("time").time()
    monkeypatch.setattr("clew.graph.remote.replies.time.time", lambda: now + 61)
    assert bob.get("q") is None
    kept.close()
    bob.close()


def test_a_damaged_file_is_said_once_and_does_without(tmp_path: Path) -> None:
    (tmp_path / "r.sqlite").write_bytes(b"no database at all " * 100)
    with pytest.warns(UserWarning, match="replies are not kept"):
        kept = Replies(tmp_path / "r.sqlite", "state", 60)
    kept.put("q", {"boolean": True})
    assert kept.get("q") is None
