"""A small graph of a server, read into memory once: what is asked of it then is answered as over a folder.

Apart from `pull` because nothing is written and nobody asks for it: it saves a request for every step of every method
where reading the whole graph costs no more than a few of them, and it is what operators and plans that no server can
execute are executed over. `ServerSettings.triples_at_once` bounds it.
"""

from __future__ import annotations

import threading
from weakref import WeakKeyDictionary

from clew.graph.remote.pull import assembled
from clew.graph.remote.store import ServerGraph
from clew.graph.store import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.types import Event


def at_hand(store: GraphStore, *, on_event: OnEvent = ignore) -> GraphStore:
    """The copy in memory of a small graph in a server; any other graph as it is. Says before it reads one."""
    if not isinstance(store, ServerGraph) or not store.small:
        return store
    if _MIRRORS.get(store, (None,))[0] != _state(store):
        on_event(Event("graph", f"reading {store.num_triples:,} triples of {store.address.shown} into memory"))
    return mirror(store) or store


def mirror(store: ServerGraph) -> Graph | None:
    """The whole of a small graph in memory, numbered by ids; None of a larger one.

    Made once for a state of the graph that can be told from outside, and again after `ServerGraph.forget`.
    """
    if not store.small:
        return None
    with _MAKING:
        state = _state(store)
        known = _MIRRORS.get(store)
        if known is None or known[0] != state:
            known = _MIRRORS[store] = (state, _read(store))
    return known[1]


def _state(store: ServerGraph) -> tuple[str, int]:
    return store.identity, store.forgotten


def _read(store: ServerGraph) -> Graph:
    rows = sorted((fact for _, page in store.server.scan(0) for fact in page), key=lambda row: row[:3])
    ids = sorted({end for head, _, tail, _ in rows for end in (head, tail)})
    held = set(ids)
    ranked: dict[str, list[tuple[int, str]]] = {}
    for _, page in store.server.texts(0):
        for id, text, rank in page:
            if id in held:
                ranked.setdefault(id, []).append((rank, text))
    texts = {id: list(dict.fromkeys(text for _, text in sorted(each))) for id, each in ranked.items()}
    return assembled(store, rows, ids, texts)


_MAKING = threading.Lock()
_MIRRORS: WeakKeyDictionary[ServerGraph, tuple[tuple[str, int], Graph]] = WeakKeyDictionary()
