"""Settings of a graph that lives in a server: `[graph.server]` of a configuration."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from clew.config import Settings


class ServerSettings(Settings):
    """How a server is asked. Every default suits a public endpoint; nothing here can hold a password."""

    language: tuple[str, ...] = ("en",)  # of labels, best first; where the graph has none of them, its own are used
    label_properties: tuple[str, ...] = ()  # IRIs, or property keys of nodes, best first; empty: found out
    mediator: str | None = None  # regular expression of ids that are nameless n-ary nodes; default: as `clew build`
    names: Literal["auto", "index", "server", "exact"] = "auto"  # how names are found; see docs/servers.md
    names_at_once: int = Field(
        default=100_000, ge=0
    )  # "auto" fetches all names of a graph with at most so many triples
    triples_at_once: int = Field(
        default=200_000, ge=0
    )  # a graph with at most so many triples is read into memory once, for all that is asked of it; 0: never

    # SPARQL
    base: str = ""  # IRIs that start so are known by what follows
    graphs: tuple[str, ...] = ()  # named graphs that count; empty: found out
    http_method: Literal["post", "get"] = "post"  # how queries are sent

    # openCypher
    database: str | None = None  # default: the path of the URL, else the server's own default
    id_property: str = ""  # property whose value is the id of a node; empty: found out
    node_labels: Literal["types", "drop"] = "types"  # whether the labels of nodes are triples that say their type
    relationship_properties: Literal["mediator", "drop"] = "mediator"  # what becomes of a relationship that has some

    # politeness
    timeout_s: float = Field(default=60.0, gt=0)  # of one request, from the first byte sent to the last received
    connect_timeout_s: float = Field(default=5.0, gt=0)  # to open a connection
    retries: int = Field(default=3, ge=0)  # of a request that failed for a passing reason
    max_wait_s: float = Field(default=60.0, ge=0)  # longest pause between two tries, also when the server asks for more
    concurrency: int = Field(default=4, ge=1)  # requests under way at once
    pause_s: float = Field(default=0.0, ge=0)  # least time between the starts of two requests
    page: int = Field(default=100_000, ge=100)  # most rows of one reply; a server's own lower limit is found out
    max_reply_bytes: int = Field(default=512 << 20, ge=1 << 16)  # a longer reply is an error
    cache_age_s: float | None = Field(default=None, ge=0)  # of kept replies; default: 0 on this machine, else one hour
    home: Path | None = None  # of the name index, kept replies and trained models; default: a folder for each server
