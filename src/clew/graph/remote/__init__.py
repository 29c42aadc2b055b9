"""Graphs that live in a server: SPARQL endpoints and openCypher databases behind the same seam as a file."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeGuard

from clew.graph.remote import address as addresses
from clew.graph.remote.address import is_address
from clew.graph.remote.names import Fetched, Named
from clew.graph.remote.records import GraphServer
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.store import ServerGraph
from clew.protocols import GraphStore

__all__ = ["Fetched", "Named", "ServerGraph", "ServerSettings", "in_a_server", "is_address", "open_server"]


def in_a_server(store: GraphStore) -> TypeGuard[ServerGraph]:
    """Whether what is asked of a store costs requests to a server."""
    return isinstance(store, ServerGraph)


def open_server(
    url: str,
    settings: ServerSettings | None = None,
    *,
    on_progress: Callable[[Fetched], None] = lambda _: None,
) -> ServerGraph:
    """The graph at `url`: http(s):// is a SPARQL endpoint, bolt:// and neo4j:// openCypher, falkor:// FalkorDB.

    Raises:
        ConfigError: no such kind of address. MissingExtraError: its client is not installed.
    """
    place, settings = addresses.parse(url), settings or ServerSettings()
    server: GraphServer
    if place.scheme in addresses.SPARQL:
        from clew.graph.remote.sparql import SparqlServer

        server = SparqlServer(place, settings)
    else:
        from clew.graph.remote.cypher import CypherServer

        server = CypherServer(place, settings)
    return ServerGraph(server, place, settings, on_progress=on_progress)
