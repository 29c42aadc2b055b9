"""An openCypher database as rows: constant queries out with parameters, rows in, kept on disk where they may be.

Apart from the queries themselves (`cypher.py`, `cypher_survey.py`), which only say what is asked. Ids, names and values
are parameters; the property keys and types of the graph are too, or stand quoted where no parameter may.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from clew.graph.remote.address import Address
from clew.graph.remote.bolt import Falkor, Row, open_client
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.nodes import Nodes
from clew.graph.remote.records import Traffic
from clew.graph.remote.replies import Replies
from clew.graph.remote.settings import ServerSettings

AT_ONCE = 5_000  # nodes of one query


class Database:
    """One database, with what was found out about how its nodes are a graph."""

    kind, counts = "openCypher database", "nodes and relationships"

    def __init__(self, address: Address, settings: ServerSettings) -> None:
        self.shown, self.traffic, self.settings = address.shown, Traffic(), settings
        self.nodes = Nodes(settings)
        self.inner_id = "id"  # the function that gives a node's inner id
        self.room = settings.page  # most rows of one reply
        self._client = open_client(address, settings, self.traffic)
        self._kept: Replies | None = None

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
        self._client.close()

    def keep(self, replies: Replies) -> None:
        """See `records.GraphServer`."""
        self._kept = replies

    def forget(self) -> None:
        """Drop kept replies."""
        if self._kept is not None:
            self._kept.clear()

    @property
    def is_falkor(self) -> bool:
        return isinstance(self._client, Falkor)

    def written(self, query: str) -> str:
        """A query with the function that gives inner ids here in the place of ID(."""
        return query.replace("ID(", f"{self.inner_id}(")

    def rows(self, query: str, **parameters: Any) -> list[Row]:
        """The rows of a read-only query; see `written`."""
        query = self.written(query)
        if self._kept is None:
            return self._client.run(query, parameters)
        asked = json.dumps([query, parameters], sort_keys=True)
        known = self._kept.get(asked)
        if known is not None:
            self.traffic.cached += 1
            return list(known["rows"])
        rows = self._client.run(query, parameters)
        if kept_as_json(rows):
            self._kept.put(asked, {"rows": rows})
        return rows

    def tried(self, query: str, **parameters: Any) -> list[Row] | None:
        """The rows, or None where the server cannot or will not."""
        try:
            return self.rows(query, **parameters)
        except (TooMuchError, RefusedError):
            return None

    def split(self, items: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]]) -> list[Any]:
        """`ask` over parts of `items`; a part that is too much for the server is asked in halves."""
        if len(items) > AT_ONCE:
            parts = [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)]
            return [row for part in parts for row in self.split(part, ask)]
        if not items:
            return []
        try:
            return ask(items)
        except TooMuchError:
            if len(items) == 1:
                raise
        middle = len(items) // 2
        return [*self.split(items[:middle], ask), *self.split(items[middle:], ask)]

    def count(self) -> int | None:
        try:  # whether the graph has changed is no question for kept replies
            rows = self._client.run("MATCH ()-[r]->() RETURN count(r) AS c", {})
            nodes = self._client.run("MATCH (n) RETURN count(n) AS c", {})
        except (TooMuchError, RefusedError):
            return None
        return int(rows[0]["c"]) + int(nodes[0]["c"]) if rows and nodes else None


def kept_as_json(rows: Sequence[Row]) -> bool:
    """Whether rows come back from JSON as they are: dates, points and bytes do not."""
    try:
        return bool(json.loads(json.dumps(rows)) == rows)
    except (TypeError, ValueError):
        return False
