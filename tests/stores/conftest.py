"""One server of each kind for the whole session; a kind that is not installed skips its tests with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import server_programs as programs

from clew.graph.remote import ServerGraph, ServerSettings, open_server

KINDS = {
    "oxigraph": programs.Oxigraph,
    "virtuoso": programs.Virtuoso,
    "arcadedb": programs.ArcadeDB,
    "falkordb": programs.FalkorDB,
}


@pytest.fixture(scope="session")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """name → the server, started when first asked for; skips where it cannot be."""
    running: dict[str, Any] = {}
    absent: dict[str, str] = {}

    def start(name: str) -> Any:
        if name in absent:
            pytest.skip(absent[name])
        if name not in running:
            try:
                running[name] = KINDS[name](tmp_path_factory.mktemp(name))
            except programs.Absent as reason:
                absent[name] = str(reason)
                pytest.skip(absent[name])
        return running[name]

    yield start
    for server in running.values():
        server.stop()


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., ServerGraph]]:
    """url, settings → a store with a home of its own, closed at the end of the test."""
    stores: list[ServerGraph] = []

    def open_it(url: str, **settings: Any) -> ServerGraph:
        store = open_server(url, ServerSettings(home=tmp_path / "home", **settings))
        stores.append(store)
        return store

    yield open_it
    for store in stores:
        store.close()


@pytest.fixture(params=["arcadedb", "falkordb"])
def property_graph(
    request: pytest.FixtureRequest, started: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch
) -> Any:
    """Each openCypher database in turn, with its user in the environment."""
    server = started(request.param)
    if server.user is not None:
        monkeypatch.setenv("CLEW_SERVER_USER", server.user)
        monkeypatch.setenv("CLEW_SERVER_PASSWORD", server.password)
    return server
