"""One polite HTTP client for SPARQL endpoints: deadlines, retries, Retry-After, no secret in any message.

The one place of this package that retries. A reply is taken only when it is whole and of the right kind: an HTML page,
a body that ends early, or a list of results that a server cut at its own time limit (Oxigraph answers 200 then) is an
error and never half a result. How an endpoint takes queries is found out with the first one: as a form, as a bare
query, by GET; what it writes other than JSON is read as well (`table.other`).
"""

from __future__ import annotations

import gc
import json
import random
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urljoin, urlsplit

from clew.errors import InputError, MissingExtraError, UnavailableError
from clew.graph.remote.address import PASSWORD, TOKEN, USER, Address
from clew.graph.remote.records import Traffic
from clew.graph.remote.replies import Replies
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.table import CSV, TSV, XML, XMLS, bindings, other, solutions

if TYPE_CHECKING:
    import httpx

JSON = "application/sparql-results+json"
_ACCEPTED = f"{JSON}, application/json;q=0.5, {XML};q=0.3, {TSV};q=0.2"
_WAYS = ("post", "direct", "get")  # SPARQL 1.1 Protocol, §2.1: a form, a bare query, and for those that only read
_ANOTHER_WAY = frozenset({405, 415, 501})  # statuses of a server that wants a query in another of these ways
RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})
AGENT = "clew (https://github.com/clew-kgqa/clew)"  # public endpoints want to know who asks
SAID = 300  # characters of a server's own words in a message


class TooMuchError(UnavailableError):
    """The server could not finish this query: fewer entities at once may do."""


class RefusedError(InputError):
    """The server refuses the query as it stands (HTTP 400 and its like)."""


class Http:
    """Queries in, decoded results out."""

    def __init__(self, address: Address, settings: ServerSettings, traffic: Traffic) -> None:
        try:
            import httpx
        except ImportError:
            raise MissingExtraError("a graph behind a SPARQL endpoint", "sparql") from None
        self.address, self.settings, self.traffic = address, settings, traffic
        headers = {"User-Agent": AGENT}
        auth: httpx.Auth | None = None
        if address.token is not None:
            headers["Authorization"] = f"Bearer {address.token}"
        elif address.user is not None:
            auth = httpx.BasicAuth(address.user, address.password or "")
        timeout = httpx.Timeout(settings.timeout_s, connect=min(settings.connect_timeout_s, settings.timeout_s))
        limits = httpx.Limits(max_connections=settings.concurrency, max_keepalive_connections=settings.concurrency)
        self._httpx = httpx
        self._client = httpx.Client(headers=headers, timeout=timeout, limits=limits, auth=auth)
        self._turns = threading.BoundedSemaphore(settings.concurrency)
        self._clock = threading.Lock()
        self._next = 0.0
        self._reached = False
        self._url = address.url
        self._ways = [settings.http_method, *(way for way in _WAYS if way != settings.http_method)]  # left to be tried
        self._accepted = _ACCEPTED
        self._understood = False  # whether a result has come
        self.server = ""  # what the server calls itself
        self.kept: Replies | None = None  # replies on disk, once it is known which state of the graph they are of
        self.headers: Mapping[str, str] = {}  # of the last reply

    def close(self) -> None:
        self._client.close()
        if self.kept is not None:
            self.kept.close()

    def select(
        self,
        query: str,
        parameters: Mapping[str, Any] | None = None,
        *,
        fresh: bool = False,
        table: bool = False,
        probe: bool = False,
    ) -> dict[str, Any]:
        """The decoded reply of a SELECT or ASK, from `kept` where it lies there and need not be fresh.

        With `table` it is asked for as CSV (see `table.py`); the query has to say what terms are. With `probe` an
        internal error of the server counts as a refusal.

        Raises UnavailableError, TooMuchError, or RefusedError with the server's own words.
        """
        asked = query if not parameters else json.dumps([query, dict(parameters)], sort_keys=True)
        if self.kept is not None and not fresh and (known := self.kept.get(asked)) is not None:
            self.traffic.cached += 1
            return known
        found = self._insisting(query, parameters or {}, table=table, probe=probe)
        if self.kept is not None and not fresh:
            self.kept.put(asked, found)
        return found

    def _insisting(self, query: str, parameters: Mapping[str, Any], *, table: bool, probe: bool) -> dict[str, Any]:
        """The reply, asked for again where a failure may pass."""
        tries = 0
        first: InputError | None = None  # what was said to the way that queries commonly go
        while True:
            pause: float | None = None
            way = self._ways[0]
            try:
                found = self._once(way, query, parameters, table=table)
                self._understood = True
                return found
            except _AnotherWay as error:
                first = first or error.refusal
                if error.accepted:
                    self._accepted = error.accepted
                elif not self._leave(way):
                    raise first from None
                continue
            except _Transient as error:
                problem, pause = str(error), error.pause
                if probe and error.status == 500:
                    raise RefusedError(f"{self._name}: {problem}") from None
                exhausted: type[UnavailableError] = TooMuchError if error.heavy else UnavailableError
            if tries >= self.settings.retries:
                raise exhausted(f"{self._name}: failed {tries + 1} times, last with: {problem}")
            wait = pause if pause is not None else min(0.5 * 2.0**tries, self.settings.max_wait_s)
            if wait > self.settings.max_wait_s:
                raise UnavailableError(
                    f"{self._name}: asks to wait {wait:.0f} s, graph.server.max_wait_s is "
                    f"{self.settings.max_wait_s:g}: {problem}"
                )
            time.sleep(wait * (1 + 0.25 * random.random()))
            tries += 1
            self.traffic.retries += 1

    def _leave(self, way: str) -> bool:
        """Ask in another way from now on; False where none is left."""
        with self._clock:
            if self._ways[0] == way and len(self._ways) > 1:
                del self._ways[0]
            return self._ways[0] != way

    @property
    def _name(self) -> str:
        return f"graph {self.address.shown}"

    def _once(self, way: str, query: str, parameters: Mapping[str, Any], *, table: bool) -> dict[str, Any]:
        httpx = self._httpx
        form = urlencode({"query": query, **parameters}, doseq=True)
        with self._turns:
            self._wait_turn()
            began = time.perf_counter()
            self.traffic.requests += 1
            try:
                status, headers, body = self._send(
                    way, query, form, f"{CSV}, {JSON};q=0.5" if table else self._accepted
                )
            except httpx.TimeoutException as error:
                if not self._reached and isinstance(error, httpx.ConnectTimeout):
                    raise self._absent(error) from None
                raise _Transient(f"no reply within {self.settings.timeout_s:g} s", heavy=True) from None
            except httpx.TransportError as error:
                if not self._reached and isinstance(error, httpx.ConnectError):
                    raise self._absent(error) from None
                doubt = "" if self._reached else "; is it an HTTP server, and not https?"
                raise _Transient(f"the connection broke: {_cause(error)}{doubt}") from None
            except httpx.DecodingError as error:
                raise _Transient(f"the reply cannot be decompressed: {_cause(error)}") from None
            except httpx.InvalidURL as error:
                raise InputError(f"{self._name}: not a URL that can be asked: {_cause(error)}") from None
            finally:
                self.traffic.seconds += time.perf_counter() - began
        self._reached = True
        self.traffic.bytes += len(body)
        self.server, self.headers = headers.get("server", self.server), headers
        with _uncollected():
            return self._read(status, headers, body, table=table)

    def _wait_turn(self) -> None:
        if not self.settings.pause_s:
            return
        with self._clock:
            now = time.monotonic()
            begin = max(now, self._next)
            self._next = begin + self.settings.pause_s
        time.sleep(max(0.0, begin - now))

    def _send(self, way: str, query: str, form: str, accept: str) -> tuple[int, Mapping[str, str], bytes]:
        """One request and its redirects, which stay on the host, read under one deadline however slowly it dribbles."""
        until = time.monotonic() + self.settings.timeout_s
        url = self._url
        for _ in range(4):
            more = "&" if "?" in url else "?"
            if way == "get":
                request = self._client.build_request("GET", f"{url}{more}{form}", headers={"Accept": accept})
            elif way == "post":
                kind = {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded"}
                request = self._client.build_request("POST", url, content=form.encode(), headers=kind)
            else:
                kind = {"Accept": accept, "Content-Type": "application/sparql-query"}
                graphs = form.partition("&")[2]  # the query itself comes first
                place = f"{url}{more}{graphs}" if graphs else url
                request = self._client.build_request("POST", place, content=query.encode(), headers=kind)
            response = self._client.send(request, stream=True)
            try:
                if response.status_code in (301, 302, 303, 307, 308):
                    url = self._moved(url, response.headers.get("location", ""))
                    continue
                body = bytearray()
                for piece in response.iter_bytes():
                    body += piece
                    if time.monotonic() > until:
                        raise _Transient(f"the reply has not ended within {self.settings.timeout_s:g} s", heavy=True)
                    if len(body) > self.settings.max_reply_bytes:
                        raise TooMuchError(f"{self._name}: the reply is longer than {len(body):,} bytes")
                self._url = url
                return response.status_code, response.headers, bytes(body)
            finally:
                response.close()
        raise UnavailableError(f"{self._name}: redirects in a circle; give the address that it ends at")

    def _moved(self, url: str, location: str) -> str:
        here, there = urlsplit(url), urlsplit(urljoin(url, location))
        upgrade = (here.scheme, there.scheme) == ("http", "https") and here.hostname == there.hostname
        if not upgrade and (here.scheme, here.netloc) != (there.scheme, there.netloc):
            raise UnavailableError(
                f"{self._name}: redirects to {there.scheme}://{there.hostname}, another place, which is not followed; "
                "give that address if it is meant"
            )
        bare = there._replace(query="", fragment="")
        return (bare._replace(query=here.query) if here.query else bare).geturl()

    def _read(self, status: int, headers: Mapping[str, str], body: bytes, *, table: bool) -> dict[str, Any]:
        said = _said(body)
        if status in (401, 403):
            raise UnavailableError(
                f"{self._name}: refuses who asks ({status}); set {USER} and {PASSWORD}, or {TOKEN}, in the environment"
            )
        if status == 404:
            raise UnavailableError(
                f"{self._name}: nothing there (404); is the path right? Many end in /sparql or /query"
            )
        heavy = any(word in said.casefold() for word in ("timeout", "timed out", "time limit", "estimated execution"))
        if status in RETRIED and not (status == 500 and heavy):
            pause = _retry_after(headers.get("retry-after"))
            raise _Transient(f"status {status}: {said}", pause=pause, heavy=status != 429, status=status)
        if heavy and status >= 400:
            raise TooMuchError(f"{self._name}: the query took too long for the server ({status}): {said}")
        if status == 406 and self._accepted != "*/*" and not table:
            raise _AnotherWay(RefusedError(""), accepted="*/*")
        if status >= 400:
            refusal = RefusedError(f"{self._name}: refused the query ({status}): {said}")
            raise _AnotherWay(refusal) if status in _ANOTHER_WAY and not self._understood else refusal
        kind = headers.get("content-type", "").partition(";")[0].strip().casefold()
        if kind in ("text/html", "application/xhtml+xml") or body[:200].lstrip().lower().startswith(
            (b"<!doctype", b"<html")
        ):
            page = InputError(
                f"{self._name}: answers with a web page, not with SPARQL results; give the endpoint's own address "
                "(often the same with /sparql or /query)"
            )
            raise page if self._understood else _AnotherWay(page)
        if table and kind == CSV:
            try:
                rows, came = bindings(body)
                return {"results": {"bindings": rows}, "came": came}
            except ValueError as error:
                raise _Transient(f"the reply is no whole table of {len(body):,} bytes: {error}", heavy=True) from None
        if kind in (TSV, *XMLS) and not body.lstrip().startswith(b"{"):
            try:
                return other(body, kind)
            except ValueError as error:
                raise _Transient(f"no whole result as {kind}, {len(body):,} bytes: {error}", heavy=True) from None
        try:
            data = _decoded(body)
        except RecursionError:
            raise InputError(f"{self._name}: answers with JSON nested too deep to be a SPARQL result") from None
        except ValueError:
            if kind not in (JSON, "application/json", "") or not body.lstrip().startswith(b"{"):
                raise RefusedError(  # some servers say "200" and then why they refuse
                    f"{self._name}: answers with {kind or 'something'}, not with SPARQL results as JSON, XML or TSV: "
                    f"{said}"
                ) from None
            # Oxigraph and others have sent "200" before they reach their own time limit.
            raise _Transient(
                f"the reply is cut off after {len(body):,} bytes: {_said(body[-SAID:])}", heavy=True
            ) from None
        if not isinstance(data, dict) or not ("boolean" in data or isinstance(data.get("results"), dict)):
            raise InputError(f"{self._name}: answers with JSON that is no SPARQL result: {said}")
        if "boolean" not in data:
            try:
                return {"results": {"bindings": solutions(data["results"].get("bindings"))}}
            except ValueError as error:
                raise InputError(
                    f"{self._name}: answers with JSON that is no SPARQL result ({error}): {said}"
                ) from None
        return data

    def _absent(self, error: Exception) -> UnavailableError:
        cause = _cause(error)
        if "certificate" in cause.casefold():
            return UnavailableError(
                f"{self._name}: its certificate does not verify: {cause}; have it mended, or name the authority that "
                "signed it in SSL_CERT_FILE"
            )
        return UnavailableError(f"{self._name}: cannot be reached: {cause}; is it running, and the address right?")


def _decoded(body: bytes) -> Any:
    """JSON; the compiled parser takes a third of the time, and refuses halves of characters, which RDF may not hold.

    They become question marks. Raises ValueError where it is none, RecursionError where it is nested too deep.
    """
    import orjson

    try:
        return orjson.loads(body)
    except ValueError:
        whole = json.dumps(json.loads(body), ensure_ascii=False)
        return json.loads(whole.encode("utf-8", "replace"))


@contextmanager
def _uncollected() -> Iterator[None]:
    """A hundred thousand dictionaries at once, all of them wanted, would be looked through again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class _AnotherWay(Exception):
    """The server may take queries in another way, or answer where it is `accepted` that it does so otherwise."""

    def __init__(self, refusal: InputError, *, accepted: str = "") -> None:
        super().__init__(str(refusal))
        self.refusal, self.accepted = refusal, accepted


class _Transient(Exception):
    """May go better next time."""

    def __init__(self, text: str, *, pause: float | None = None, heavy: bool = False, status: int = 0) -> None:
        super().__init__(text)
        self.pause, self.heavy, self.status = pause, heavy, status


def _cause(error: BaseException) -> str:
    text = str(error) or type(error).__name__
    while error.__cause__ is not None and not str(error):
        error = error.__cause__
        text = str(error) or text
    return text[:SAID]


def _said(body: bytes) -> str:
    text = body[:2000].decode("utf-8", "replace")
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:SAID] or "no message"


def _retry_after(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, (when - datetime.now(UTC)).total_seconds()) if when.tzinfo else None
