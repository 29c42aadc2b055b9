"""A graph behind a SPARQL endpoint in this process, for tests that need a server and are about something else.

The engine is pyoxigraph's, behind the standard library's HTTP server on 127.0.0.1: no program to install or to end.
`in_order` makes of an embedded graph the one to compare with. Entities of a graph are numbered as its files name them,
a server has no such order, and its store goes by ids; ties are broken by number.
"""

from __future__ import annotations

import csv
import io
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, quote

import numpy as np

from clew.graph import Graph
from clew.graph.layout import LITERAL
from clew.graph.remote.terms import is_literal
from clew.graph.strings import Strings, Texts, literal_parts
from clew.graph.terms import Terms

BASE = "http://test.example/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"


def in_order(graph: Graph) -> Graph:
    """The same graph in memory with its entities numbered in the order of ids; literals are marked as such."""
    ids = list(graph.terms.ids)
    order = sorted(range(len(ids)), key=ids.__getitem__)
    rank = np.empty(len(ids), np.int32)
    rank[order] = np.arange(len(ids), dtype=np.int32)
    kinds = np.array([LITERAL if is_literal(ids[i]) else graph.terms.kinds[i] for i in order], np.uint8)
    held = graph.terms.labels
    named = [(int(rank[i]), text) for i in order if (text := held.first(i)) is not None]
    relations = graph.relations()
    terms = Terms(
        Strings(more=[ids[i] for i in order]),
        [relation.id for relation in relations],
        kinds,
        labels=Texts.of(named),
        aliases=Texts.of([(int(rank[i]), text) for i in order for text in graph.aliases_of(ids[i])]),
        relation_labels=Texts.of([(i, relation.label) for i, relation in enumerate(relations)]),
    )
    rows = np.stack([rank[graph.whole.heads], graph.whole.rels, rank[graph.whole.tails]], axis=1)
    return Graph.of_arrays(rows[np.lexsort(rows.T[::-1])], terms, title=graph.title)


class LocalEndpoint:
    """A SPARQL endpoint over the facts, labels and aliases of a graph, for the length of a `with`.

    Args:
        spoilt: what becomes of each body before it is sent.
    """

    def __init__(self, graph: Graph, *, spoilt: Callable[[bytes], bytes] = bytes) -> None:
        import pyoxigraph as ox

        self._store, self.spoilt = ox.Store(), spoilt

        def iri(id: str) -> ox.NamedNode:
            return ox.NamedNode(id if "://" in id else BASE + quote(id, safe=""))

        def node(id: str) -> Any:
            if id.startswith('"'):
                text, datatype, language = literal_parts(id)
                if language:
                    return ox.Literal(text, language=language)
                return ox.Literal(text, datatype=ox.NamedNode(datatype) if datatype else None)
            return ox.BlankNode(id[2:]) if id.startswith("_:") else iri(id)

        quads = [ox.Quad(node(t.head.id), iri(t.relation.id), node(t.tail.id)) for t in graph.triples()]
        for number, id in enumerate(graph.terms.ids):
            if not id.startswith('"'):
                label = graph.terms.labels.first(number)
                texts = [(LABEL, label)] if label is not None else []
                texts += [(ALIAS, alias) for alias in graph.aliases_of(id)]
                quads += [ox.Quad(node(id), ox.NamedNode(by), ox.Literal(text)) for by, text in texts]
        self._store.extend(quads)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/query"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        import pyoxigraph as ox

        store, mine = self._store, self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two packets

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                kind = "application/sparql-results+json"
                try:
                    found: Any = store.query(form["query"][0])
                    if self.headers["Accept"].startswith("text/csv"):
                        kind, body = "text/csv", _table(found)
                    else:
                        body = found.serialize(format=ox.QueryResultsFormat.JSON)
                    status, body = 200, mine.spoilt(body)
                except (SyntaxError, ValueError, OSError) as error:  # OSError: SERVICE, of another place
                    status, body = 400, str(error).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind if status == 200 else "text/plain")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Silent."""

        return Handler

    def __enter__(self) -> LocalEndpoint:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _table(found: Any) -> bytes:
    """Rows as CSV in the way of Virtuoso, truth as a number."""
    out = io.StringIO(newline="")
    table = csv.writer(out, lineterminator="\n")
    table.writerow([variable.value for variable in found.variables])
    truth = {"true": "1", "false": "0"}
    for row in found:
        table.writerow(["" if term is None else truth.get(term.value, term.value) for term in row])
    return out.getvalue().encode()
