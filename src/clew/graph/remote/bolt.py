"""The clients that openCypher goes through: the official driver over Bolt, and FalkorDB's own.

Apart from the queries because a client's errors, deadlines and read-only ways are its own. Both run constant queries
with parameters, in a read-only transaction or by a read-only command; FalkorDB's client writes parameters as quoted
text in front of the query, which `tests/stores` attacks with hostile strings.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from clew.errors import InputError, MissingExtraError, UnavailableError
from clew.graph.remote.address import BOLT, PASSWORD, USER, Address
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.records import Traffic
from clew.graph.remote.settings import ServerSettings

Row = Mapping[str, Any]


class Client(Protocol):
    """Runs a read-only query."""

    def run(self, query: str, parameters: Mapping[str, Any]) -> list[Row]:
        """Raises UnavailableError, TooMuchError, or RefusedError with the server's own words."""
        ...

    def close(self) -> None: ...


def open_client(address: Address, settings: ServerSettings, traffic: Traffic) -> Client:
    return Bolt(address, settings, traffic) if address.scheme in BOLT else Falkor(address, settings, traffic)


class Bolt:
    """Neo4j, Memgraph, ArcadeDB and what else speaks Bolt."""

    def __init__(self, address: Address, settings: ServerSettings, traffic: Traffic) -> None:
        try:
            import neo4j
            from neo4j.exceptions import DriverError
        except ImportError:
            raise MissingExtraError("a graph in an openCypher database", "cypher") from None
        self._neo4j, self._settings, self._traffic = neo4j, settings, traffic
        self._name = f"graph {address.shown}"
        self._database = settings.database or address.path.strip("/") or None
        auth = (address.user, address.password or "") if address.user is not None else None
        if address.token is not None:
            auth = neo4j.bearer_auth(address.token)
        try:
            self._driver = neo4j.GraphDatabase.driver(
                address.url.removesuffix(address.path) if "?" not in address.url else address.url,
                auth=auth,
                connection_timeout=settings.connect_timeout_s,
                connection_acquisition_timeout=settings.timeout_s,
                max_transaction_retry_time=min(settings.max_wait_s, settings.timeout_s),
                max_connection_pool_size=settings.concurrency,
                user_agent="clew",
                keep_alive=True,
            )
        except (DriverError, ValueError) as error:
            raise InputError(f"{self._name}: not an address the driver accepts: {_said(error)}") from None

    def close(self) -> None:
        self._driver.close()

    def run(self, query: str, parameters: Mapping[str, Any]) -> list[Row]:
        from neo4j import exceptions

        work = self._neo4j.unit_of_work(timeout=self._settings.timeout_s)(
            lambda transaction: [dict(record.items()) for record in transaction.run(query, dict(parameters))]
        )
        began = time.perf_counter()
        self._traffic.requests += 1
        try:
            with self._driver.session(
                database=self._database, default_access_mode=self._neo4j.READ_ACCESS, fetch_size=-1
            ) as session:
                rows: list[Row] = session.execute_read(work)
        except exceptions.AuthError as error:
            raise UnavailableError(
                f"{self._name}: refuses who asks: {_said(error)}; set {USER} and {PASSWORD} in the environment"
            ) from None
        except exceptions.TransientError as error:
            raise TooMuchError(f"{self._name}: could not finish the query: {_said(error)}") from None
        except exceptions.Neo4jError as error:
            said = _said(error)
            if any(word in said.casefold() for word in ("timed out", "timeout", "terminated", "memory")):
                raise TooMuchError(f"{self._name}: could not finish the query: {said}") from None
            raise RefusedError(f"{self._name}: refused the query: {said}") from None
        except exceptions.DriverError as error:
            said = _said(error)
            if "certificate" in said.casefold():
                said += "; its certificate does not verify: have it mended, or trust it on this machine"
            raise UnavailableError(
                f"{self._name}: cannot be reached: {said}; is it running, is it Bolt, and is the address right?"
            ) from None
        finally:
            self._traffic.seconds += time.perf_counter() - began
        self._traffic.rows += len(rows)
        return rows


class Falkor:
    """FalkorDB; `falkor://HOST:PORT/GRAPH`, `falkors://` with TLS."""

    def __init__(self, address: Address, settings: ServerSettings, traffic: Traffic) -> None:
        try:
            import falkordb
        except ImportError:
            raise MissingExtraError("a graph in FalkorDB", "falkordb") from None
        self._name, self._settings, self._traffic = f"graph {address.shown}", settings, traffic
        graph = settings.database or address.path.strip("/")
        if not graph:
            raise InputError(f"{self._name}: FalkorDB holds several graphs; name one:  {address.shown}/GRAPH")
        self._graph_name = graph
        self._opened: Any = None
        self._open: Callable[[], Any] = lambda: falkordb.FalkorDB(
            address.host,
            address.port or 6379,
            username=address.user,
            password=address.password or address.token,
            ssl=address.scheme in ("falkors", "rediss"),
            socket_timeout=settings.timeout_s,
            socket_connect_timeout=settings.connect_timeout_s,
        )

    def close(self) -> None:
        if self._opened is not None:
            self._opened.connection.close()

    def run(self, query: str, parameters: Mapping[str, Any]) -> list[Row]:
        import redis

        began = time.perf_counter()
        self._traffic.requests += 1
        try:
            if self._opened is None:
                self._opened = self._open()
            graph = self._opened.select_graph(self._graph_name)
            found = graph.ro_query(query, dict(parameters), timeout=int(1000 * self._settings.timeout_s))
        except redis.AuthenticationError as error:
            raise UnavailableError(
                f"{self._name}: refuses who asks: {_said(error)}; set {USER} and {PASSWORD} in the environment"
            ) from None
        except (redis.ConnectionError, redis.TimeoutError, OSError) as error:
            raise UnavailableError(
                f"{self._name}: cannot be reached: {_said(error)}; is it running, and is the address right?"
            ) from None
        except redis.RedisError as error:
            said = _said(error)
            if "timed out" in said.casefold() or "memory" in said.casefold():
                raise TooMuchError(f"{self._name}: could not finish the query: {said}") from None
            raise RefusedError(f"{self._name}: refused the query: {said}") from None
        finally:
            self._traffic.seconds += time.perf_counter() - began
        names = [column[1] for column in found.header]
        self._traffic.rows += len(found.result_set)
        return [dict(zip(names, row, strict=True)) for row in found.result_set]


def _said(error: BaseException) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())[:300]
