"""Endpoints that are not like ours: what they refuse, write or leave out is found out, and the graph is the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from server_programs import served

from clew.errors import InputError
from clew.graph.remote import ServerGraph, endpoint
from clew.graph.remote.mirror import mirror

ox = pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
Open = Callable[..., ServerGraph]
BASE, LABEL = "http://test.example/", "http://www.w3.org/2000/01/rdf-schema#label"
FORMATS = {
    "json": (ox.QueryResultsFormat.JSON, "application/sparql-results+json"),
    "xml": (ox.QueryResultsFormat.XML, "application/sparql-results+xml"),
    "tsv": (ox.QueryResultsFormat.TSV, "text/tab-separated-values"),
    "csv": (ox.QueryResultsFormat.CSV, "text/csv"),
}


def turtle() -> str:
    lines = [f'<hub> <many> <m{i}> . <m{i}> <{LABEL}> "Thing {i}"@en .' for i in range(2300)]
    lines += [f"<m{i}> <near> <m{i * 7 % 2300}> ." for i in range(0, 2300, 5)]
    lines += [f'<m{i}> <size> {i % 9} ; <said> "a\\tb \\"{i}\\"", "wort"@de, "<&>" .' for i in range(0, 400, 7)]
    return "\n".join([*lines, f'<hub> <few> <m1>, [ <of> <m2> ] ; <{LABEL}> "Hub" .'])


class Strange(BaseHTTPRequestHandler):
    """Does as `server.refuses`, `server.writes` and so on say."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        kind = self.headers["Content-Type"]
        if kind != self.server.takes:
            return self.say(415 if "sparql" in self.server.takes else 405, "text/plain", b"not in this way")
        return self.answer(body if "sparql" in kind else parse_qs(body)["query"][0])

    def do_GET(self) -> None:
        self.answer(parse_qs(urlsplit(self.path).query)["query"][0])

    def answer(self, query: str) -> None:
        server = self.server
        server.asked.append(query)
        if not self.headers.get("User-Agent", "").startswith("clew"):
            return self.say(403, "text/plain", b"say who you are")
        if server.accepts and not re.search(server.accepts, self.headers["Accept"]):
            return self.say(406, "text/plain", b"")
        for refused, status in server.refuses.items():
            if re.search(refused, query):
                return self.say(status, "text/plain", b"not understood: " + refused.encode())
        try:
            found = server.store.query(query, base_iri=BASE)
            if isinstance(found, ox.QuerySolutions) and server.most:
                data = json.loads(found.serialize(format=ox.QueryResultsFormat.JSON))
                data["results"]["bindings"] = data["results"]["bindings"][: server.most]
                found = ox.parse_query_results(json.dumps(data), format=ox.QueryResultsFormat.JSON)
            written, kind = FORMATS[server.writes]
            return self.say(200, kind, found.serialize(format=written))
        except (SyntaxError, OSError) as error:  # OSError: SERVICE
            return self.say(400, "text/plain", str(error).encode())

    def say(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def held() -> Any:
    store = ox.Store()
    store.load(turtle().encode(), format=ox.RdfFormat.TURTLE, base_iri=BASE)
    return store


@pytest.fixture
def strange(held: Any) -> Iterator[Any]:
    writes = {"takes": "application/x-www-form-urlencoded", "accepts": "", "refuses": {}, "most": 0, "writes": "json"}
    with served(Strange, store=held, asked=[], **writes) as server:
        yield server


KINDS: dict[str, dict[str, Any]] = {
    "like ours": {},
    "writes XML": {"writes": "xml"},
    "writes TSV": {"writes": "tsv"},
    "accepts XML alone": {"writes": "xml", "accepts": "xml"},
    "accepts whatever it writes": {"writes": "tsv", "accepts": r"^\*/\*$"},
    "takes bare queries": {"takes": "application/sparql-query"},
    "takes GET": {"takes": "nothing"},
    "does not count": {"refuses": {r"COUNT\(|GROUP BY": 400}},
    "counts but does not group": {"refuses": {"GROUP BY": 200}},
    "knows no SELECT within a SELECT": {"refuses": {r"\{ *SELECT": 400}},
    "gives a thousand rows": {"most": 1000},
    "gives a thousand rows and knows little": {"most": 1000, "refuses": {r"COUNT\(|GROUP BY|\{ *SELECT": 400}},
    "breaks at what it does not know": {"refuses": {"SERVICE|bds:|bif:|text:|onto:|ql:|stardog:": 500}},
}


@pytest.mark.parametrize("kind", KINDS)
def test_the_graph_is_the_same(strange: Any, held: Any, opened: Open, kind: str) -> None:
    for name, value in KINDS[kind].items():
        setattr(strange, name, value)
    for names in ("exact", "auto"):  # labels come with the facts, or from an index of all names
        store = opened(strange.url, base=BASE, triples_at_once=0, names=names, retries=0)
        assert [entity.id for entity, _ in store.find("hub")] == ["hub"]
        found = store.facts(["m5", "m7", "m9"])
        assert {row for row in found.rows if "_:" not in row[2]} == expected(held, "m5", "m7", "m9")
        assert store.record("m35").label == "Thing 35"
        some = store.facts(["hub"], limit=50, total=50)
        assert len(some.rows) == 50 and some.cut == {"hub": 2300 + 2 - 50}
        assert {row[1] for row in some.rows} == {"many", "few"}
        assert store.entities([f"m{i}" for i in range(300)])["m299"].label == "Thing 299"
        nameless = next(row[2] for row in some.rows if row[2].startswith("_:"))
        assert ("_:", "of", "m2") in {("_:", *row[1:3]) for row in store.facts([nameless]).rows}
    whole = mirror(opened(strange.url, base=BASE))
    if kind != "gives a thousand rows and knows little":  # nobody can say how many triples it has
        assert whole is not None and whole.num_triples == len(held) - 2301
        assert strange.asked.count(strange.asked[0]) < 5


def expected(held: Any, *ids: str) -> set[Any]:
    """The facts around some, as the store has them."""
    rows = set()
    for quad in held:
        ends = [end.value.removeprefix(BASE) for end in (quad.subject, quad.object)]
        if quad.predicate.value != LABEL and set(ends) & set(ids) and not isinstance(quad.subject, ox.BlankNode):
            tail = quad.object
            if isinstance(tail, ox.Literal):
                plain = tail.datatype.value.endswith(("#string", "#langString"))
                mark = f"@{tail.language}" if tail.language else "" if plain else f"^^<{tail.datatype.value}>"
                ends[1] = f'"{tail.value}"{mark}'
            rows.add((ends[0], quad.predicate.value.removeprefix(BASE), ends[1], None))
    return rows


def test_a_limit_on_rows_that_was_not_seen_is_noticed(
    strange: Any, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    strange.most = 2000
    monkeypatch.setattr(endpoint, "PROBE_ROWS", 1500)
    monkeypatch.setattr("clew.graph.remote.survey.PROBE_ROWS", 1500)
    store = opened(strange.url, base=BASE, names="exact")
    assert store.profile.row_limit is None
    assert len(store.facts(["hub"]).rows) == 2302
    whole = mirror(store)
    assert whole is not None and whole.num_triples == len(strange.store) - 2301


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"refuses": {"VALUES": 400}}, "not VALUES, UNION and BIND of SPARQL 1.1"),
        ({"writes": "csv"}, "answers with text/csv, not with SPARQL results as JSON, XML or TSV"),
        ({"accepts": "nothing"}, r"refused the query \(406\)"),
        ({"refuses": {"SELECT": 200}}, "answers with text/plain"),
    ],
)
def test_what_it_lacks_is_said(strange: Any, opened: Open, given: dict[str, Any], said: str) -> None:
    for name, value in given.items():
        setattr(strange, name, value)
    with pytest.raises(InputError, match=said):
        opened(strange.url, base=BASE).relations()


def test_what_it_lacks_is_noted(strange: Any, opened: Open) -> None:
    strange.refuses = {r"COUNT\(|\{ *SELECT": 400}
    notes = opened(strange.url, base=BASE).info()["notes"]
    assert "refuses to count" in notes and "SELECT within a SELECT" in notes
