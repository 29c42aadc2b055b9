"""The door `servers`: what a SPARQL endpoint replies, as JSON and as CSV, changed as bytes or in its structure."""

from __future__ import annotations

import base64
import json
import random
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.errors import ClewError
from clew.testing.fuzz.inputs import Input, changed, corpus, draws

REPLIES = 40  # about as many as one attempt asks for
_VALUES: list[Any] = [
    None, True, 0, -1, 1e300, 10**30, "", "\0", "\ud800", "x" * 5000, [], {}, [[]], {"value": 1}, {"type": "uri"},
    {"type": "uri", "value": "http://test.example/%FF"}, {"type": "uri", "value": "a b>"}, {"type": 1, "value": []},
    {"type": "bnode", "value": ""}, {"type": "literal", "value": "x", "xml:lang": 1}, {"type": "uri", "value": None},
    {"type": "literal", "value": "9" * 5000}, {"type": "literal", "value": "NaN"}, {"type": "triple", "value": {}},
    {"type": "literal", "value": "\x1b[2J\u2028"}, {"type": "literal", "value": "1", "datatype": "> <"}, "-", "1e3",
]  # fmt: skip
_WHOLE = [
    b"", b"{}", b"[]", b"null", b"\n", b'"', b'"a', b"\xff\xfe", b"[" * 100_000, b'{"results":' * 20_000, b"a,a\n1,2\n",
    b'{"results": {"bindings": [{}]}}', b'{"results": {"bindings": [1]}}', b'{"boolean": 1}', b"NaN",
    b"\0\n", b"x_is\n1\n",
    b'{"results": {"bindings": {}}}', b'{"head": {}, "results": []}', b'"x\n', b"x\n" * 1000,
]  # fmt: skip


def inputs(seed: int, folder: Path, count: int) -> Iterator[Input]:  # noqa: ARG001
    for given in corpus("servers"):
        if "parts" in given:
            whole = "".join(text * times for text, times in given.pop("parts"))
            given["whole"] = base64.b64encode(whole.encode("latin-1")).decode()
        yield given
    for number, rng in draws("servers", seed, count):
        first = rng.randrange(REPLIES)
        given = {"table": rng.random() < 0.4, "from": first, "to": rng.choice((first + 1, first + 1, REPLIES * 9))}
        kind = rng.random()
        if kind < 0.6:
            value = rng.choice(_VALUES)
            given |= {"node": rng.randrange(1 << 20), "put": value if rng.random() < 0.8 else "gone"}
        elif kind < 0.9:
            given |= {"bytes": rng.randrange(1 << 30)}
        else:
            given |= {"whole": base64.b64encode(rng.choice(_WHOLE)).decode()}
        yield {**given, "number": number}


class _Spoiler:
    """Changes the replies from one number to another."""

    def __init__(self, given: Input) -> None:
        self.given, self.at = given, -1

    def __call__(self, body: bytes) -> bytes:
        self.at += 1
        given = self.given
        if not given["from"] <= self.at < given["to"]:
            return body
        if "whole" in given:
            return base64.b64decode(given["whole"])
        if "bytes" in given:
            return changed(body, random.Random(given["bytes"]))
        if not body.startswith(b"{"):
            lines = body.split(b"\n")
            cells = lines[given["node"] % len(lines)].split(b",")
            cells[given["node"] // 1000 % len(cells)] = json.dumps(given["put"]).encode()
            lines[given["node"] % len(lines)] = b",".join(cells)
            return b"\n".join(lines)
        tree = json.loads(body)
        places = list(_places(tree))
        owner, key = places[given["node"] % len(places)]
        if given["put"] == "gone":
            del owner[key]
        else:
            owner[key] = given["put"]
        return json.dumps(tree).encode()


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    pairs = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in pairs:
        yield tree, key
        yield from _places(value)


def attempt(given: Input, scratch: Path) -> str:
    """A graph is opened, looked up, walked, read whole and asked, each as far as its replies allow."""
    from clew.graph import Graph
    from clew.graph.remote import ServerSettings, open_server
    from clew.graph.remote.mirror import mirror
    from clew.graph.remote.pull import pull
    from clew.query import parse, run
    from clew.testing.endpoint import BASE, LocalEndpoint

    rows = [("France", "capital", "Paris"), ("Italy", "capital", "Rome"), ("France", "borders", "Italy")]
    rows += [("France", "people", '"68"^^<http://www.w3.org/2001/XMLSchema#integer>'), ("_:m", "of", "France")]
    graph = Graph.from_triples(rows, labels={"France": "France"}, aliases={"Italy": ["Italia"]})
    settings = ServerSettings(base=BASE, home=scratch / "home", retries=0, page=100, names_at_once=4, triples_at_once=4)
    ended, refused = "answered", 0
    with LocalEndpoint(graph, spoilt=_Spoiler(given)) as endpoint, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store = open_server(endpoint.url, settings)
        try:
            store.server.use(store.profile)
            store.server.as_tables = given["table"]  # type: ignore[attr-defined]
        except ClewError:
            store.close()
            return "refused at once"
        for step in (
            lambda: json.dumps(store.info(), ensure_ascii=False).encode(),
            lambda: [entity.label.encode() for entity, _ in store.find("Italia")],
            lambda: [span.text.encode() for span in store.spans("what is the capital of France?")],
            lambda: [str(triple).encode() for triple in store.neighbors(["France", "Paris"])],
            lambda: [str(triple).encode() for triple in store.neighbors(["France"], limit=1)],
            lambda: [store.aliases_of("Italy"), store.description_of("France"), store.relations_around(["France"])],
            lambda: [str(triple).encode() for triple in store.triples()],
            lambda: run(store, parse('count(follow(entity("France"), capital))')),
            lambda: pull(store, scratch / "copy.kg", ["France"], 2),
            lambda: store.fetch_names().search("France", 3),
            lambda: mirror(store),
        ):
            try:
                step()
            except ClewError as error:
                refused += 1
                if len(str(error)) > 20_000:
                    return "FAILED a message without bound"
        store.close()
    return f"refused: {refused} of 11" if refused else ended
