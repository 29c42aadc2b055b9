"""The clients that openCypher goes through: the official driver over Bolt, and FalkorDB's own.

Apart from the queries because a client's errors, deadlines and read-only ways are its own. Both run constant queries
with parameters, in a read-only transaction or by a read-only command; FalkorDB's client writes parameters as quoted
text in front of the query, which `tests/stores` attacks with hostile strings.
"""

from __future__ import annotations

import logging
import ssl
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
        self._name, self._reached = f"graph {address.shown}", False
        logging.getLogger("neo4j").addHandler(logging.NullHandler())  # else its warnings go to standard error
        if "?" in address.url and address.scheme in ("bolt", "bolt+s", "bolt+ssc"):
            raise InputError(
                f"{self._name}: has a query string, which {address.scheme}:// does not take; leave it "
                f"out, and name a database in the path:  {address.scheme}://HOST:PORT/DATABASE"
            )
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

        def read(transaction: Any) -> list[Row]:
            return [dict(record.items()) for record in transaction.run(query, dict(parameters))]

        timeout_s = self._settings.timeout_s
        rows: list[Row]
        began = time.perf_counter()
        self._traffic.requests += 1
        try:
            with self._driver.session(
                database=self._database, default_access_mode=self._neo4j.READ_ACCESS, fetch_size=-1
            ) as session:
                if self._reached:
                    rows = session.execute_read(self._neo4j.unit_of_work(timeout=timeout_s)(read))
                else:  # the driver would go on trying for a minute where there is no server
                    with session.begin_transaction(timeout=timeout_s) as transaction:
                        rows = read(transaction)
            self._reached = True
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
            raise _absent(self._name, error, "is it running, is it Bolt, and is the address right?") from None
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
            raise _absent(self._name, error, "is it running, and is the address right?") from None
        except redis.RedisError as error:
            said = _said(error)
            if "timed out" in said.casefold() or "memory" in said.casefold():
                raise TooMuchError(f"{self._name}: could not finish the query: {said}") from None
            if "empty key" in said:
                raise InputError(f"{self._name}: {self._no_graph()}") from None
            raise RefusedError(f"{self._name}: refused the query: {said}") from None
        finally:
            self._traffic.seconds += time.perf_counter() - began
        names = [column[1] for column in found.header]
        self._traffic.rows += len(found.result_set)
        return [dict(zip(names, row, strict=True)) for row in found.result_set]

    def _no_graph(self) -> str:
        import redis

        try:
            held = sorted(map(str, self._opened.list_graphs()))
        except (redis.RedisError, OSError):
            held = []
        near = f"; it holds {', '.join(held[:10])}" if held else ""
        return f"FalkorDB holds no graph {self._graph_name!r}, or nothing was ever loaded into it{near}"


def _absent(name: str, error: BaseException, doubt: str) -> UnavailableError:
    """What lies behind a broken connection: clients wrap it, and leave out what it was."""
    inner: BaseException | None = error
    chain: list[BaseException] = []
    while inner is not None and inner not in chain:
        chain.append(inner)
        inner = inner.exceptions[0] if isinstance(inner, BaseExceptionGroup) else inner.__cause__ or inner.__context__
    tls = next((each for each in chain if isinstance(each, ssl.SSLError)), None)
    if isinstance(tls, ssl.SSLCertVerificationError):
        return UnavailableError(
            f"{name}: its certificate does not verify: {_said(tls)}; have it mended, name the authority that signed it "
            "in SSL_CERT_FILE, or ask by bolt+ssc:// or neo4j+ssc://, which do not check it"
        )
    if tls is not None:
        return UnavailableError(
            f"{name}: cannot be reached: it speaks no TLS there ({_said(tls)}); bolt://, neo4j:// and falkor:// ask "
            "without"
        )
    return UnavailableError(f"{name}: cannot be reached: {_said(error)}; {doubt}")


def _said(error: BaseException) -> str:
    text = getattr(error, "message", None) or str(error) or type(error).__name__
    return " ".join("".join(c if c.isprintable() else " " for c in str(text)).split())[:300]
