"""The name index of a graph in a server: one writer at a time, found whole or not at all, nothing left beside it."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.remote import ServerSettings, open_server
from clew.graph.remote.names import RemoteNames, fetch_names, remove_leftovers
from clew.testing.endpoint import BASE, LocalEndpoint

PAGES = 6


class Server:
    """Six pages of ten entities, each with a name; `stop` is called before a page is told."""

    def __init__(self, stop: Any = lambda page: None) -> None:
        self.told = 0
        self.stop = stop

    def terms(self, start: int) -> Iterator[Any]:
        for page in range(start, PAGES):
            self.stop(page)
            self.told += 1
            yield page + 1, [(f"e{page}{i}", 2, "") for i in range(10)]

    def texts(self, start: int) -> Iterator[Any]:
        for page in range(start, PAGES):
            self.told += 1
            yield page + 1, [(f"e{page}{i}", f"Name {page}{i}", 0) for i in range(10)]


def fetched(server: Any, folder: Path, identity: str = "now") -> RemoteNames:
    return fetch_names(server, folder, identity=identity, kind_of=lambda id, labelled: 0)


def whole(names: RemoteNames | None) -> bool:
    return names is not None and len(names) == 10 * PAGES and set(names.degrees) == {2} and _named(names) == 10 * PAGES


def _named(names: RemoteNames) -> int:
    return sum(entity.label.startswith("Name ") for id in names.graph.terms.ids if (entity := names.entity(id)))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "home" / "names-1.kg"


def left(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.parent.iterdir() if not p.name.startswith("."))


def test_several_fetch_at_once(folder: Path) -> None:
    met = threading.Event()
    slow, quick = Server(lambda page: met.wait(60) if page == 3 else None), Server()
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(fetched, slow, folder)
        while slow.told < 3:
            pass
        second = pool.submit(fetched, quick, folder)
        met.set()
        assert whole(first.result(60)) and whole(second.result(60))
    assert whole(RemoteNames.open(folder))
    assert quick.told == 0, "what the first one fetched was fetched again"
    assert len(left(folder)) == 2, left(folder)


def test_whoever_waited_for_one_that_failed_goes_on(folder: Path) -> None:
    def fails(page: int) -> None:
        if page == 3:
            raise ConnectionError

    with pytest.raises(ConnectionError):
        fetched(Server(fails), folder)
    assert RemoteNames.open(folder) is None
    again = Server()
    assert whole(fetched(again, folder))
    assert again.told == 2 * PAGES - 3


@pytest.mark.parametrize("place", ["lines", "state"])
def test_damage_of_what_was_fetched_is_noticed(folder: Path, place: str) -> None:
    def fails(page: int) -> None:
        if page == 3:
            raise ConnectionError

    for at in (3, 12, 35, 41, 60):
        with pytest.raises(ConnectionError):
            fetched(Server(fails), folder)
        file = folder.with_suffix(f".{place}")
        content = bytearray(file.read_bytes())
        content[at % len(content)] ^= 1
        file.write_bytes(content)
        assert whole(fetched(Server(), folder)), at
        for old in folder.parent.glob("names-1*"):
            if old.is_file():
                old.unlink()


def test_damaged_degrees_are_noticed(folder: Path) -> None:
    assert whole(fetched(Server(), folder))
    (file,) = folder.parent.glob("*.npy")
    content = bytearray(file.read_bytes())
    content[-8] ^= 1
    file.write_bytes(content)
    assert RemoteNames.open(folder) is None
    file.unlink()
    assert RemoteNames.open(folder) is None
    assert whole(fetched(Server(), folder))
    assert whole(RemoteNames.open(folder))


def test_an_index_is_replaced_in_one_step(folder: Path) -> None:
    """A reader between any two steps of a second writer has the old index or the new one, with its own degrees."""
    fetched(Server(), folder)
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            names = RemoteNames.open(folder)
            assert names is not None and len(set(names.degrees)) == 1
            assert names.identity == str(names.degrees[0])
            seen.add(int(names.degrees[0]))

    class Grown(Server):
        def __init__(self, degree: int) -> None:
            super().__init__()
            self.degree = degree

        def terms(self, start: int) -> Iterator[Any]:
            for after, rows in super().terms(start):
                yield after, [(id, self.degree, place) for id, _, place in rows]

    fetched(Grown(3), folder, "3")
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        for degree in range(4, 12):
            fetched(Grown(degree), folder, str(degree))
        done.set()
        reader.result(60)
    assert len(left(folder)) == 2, left(folder)


def test_only_what_the_index_holds_is_removed(folder: Path) -> None:
    fetched(Server(), folder)
    lines, state = folder.with_suffix(".lines"), folder.with_suffix(".state")
    with pytest.raises(KeyboardInterrupt):
        fetched(Server(_interrupt), folder)
    remove_leftovers(folder)
    assert lines.exists() and state.exists(), "an interrupted fetch that is newer than the index goes on"
    again = Server()
    fetched(again, folder)
    assert again.told == 2 * PAGES - 3
    lines.write_bytes(b"")
    state.write_bytes(b"{}")
    _as_old_as(lines, folder / "meta.json")
    remove_leftovers(folder)
    assert not lines.exists() and not state.exists()
    assert np.all(RemoteNames.open(folder).degrees == 2)  # type: ignore[union-attr]


def _interrupt(page: int) -> None:
    if page == 3:
        raise KeyboardInterrupt


def _as_old_as(file: Path, other: Path) -> None:
    os.utime(file, ns=(other.stat().st_atime_ns, other.stat().st_mtime_ns))


def test_a_server_that_heeds_no_offset_is_refused(tmp_path: Path) -> None:
    """It would be asked for the next page for ever."""
    pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
    rows = [(f"n{i}", "r", f"n{i + 1}") for i in range(150)]
    with LocalEndpoint(Graph.from_triples(rows)) as endpoint:
        store = open_server(endpoint.url, ServerSettings(base=BASE, home=tmp_path, page=100, names="exact"))
        query = store.server.http.select  # type: ignore[attr-defined]
        store.server.http.select = lambda text, *a, **k: query(re.sub(r" OFFSET \d+", "", text), *a, **k)  # type: ignore[attr-defined]
        _ = store.profile
        store.server.small = False  # type: ignore[attr-defined]
        with pytest.raises(InputError, match="heeds no OFFSET"):
            list(store.triples())
        store.close()
