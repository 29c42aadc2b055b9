"""Property graphs as records of JSON, one a line or in one list: exports of Neo4j (APOC), ArangoDB, Dgraph, TinkerPop.

Kept apart from `node_link`, where a document has a list of nodes and one of links: here each record is one or the other
and says so by its keys. Lines are read one at a time; nodes of Neo4j and TinkerPop are held until the end, because
their ids say nothing and a name is found among all nodes of a label.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from clew.graph.cypher_nodes import MadeEdge, MadeNode, MadeNodes
from clew.graph.inputs import BOM, Batch, Problems, Stream
from clew.graph.nouns import noun_of
from clew.graph.property_files import LINKED, PropertyTriples, take_kind
from clew.graph.property_values import XSD, TypedText, dated

_GENERIC = frozenset(["edge", "relation", "link", "relationship", "connection"])
_OWN = ("_id", "_key", "_rev", "_from", "_to", "_oldRev")
_DUMPED = re.compile(r"_[0-9a-f]{32}(?:\.\d+)?\.data$|\.data$")

Record = Mapping[str, Any]


def form_of(record: Any) -> str:
    """Which database wrote a record, by its keys; "" for what is none of a graph."""
    if not isinstance(record, Mapping):
        return ""
    if record.get("type") in ("node", "relationship") and "id" in record:
        return "neo4j"
    inner = (
        record["data"] if isinstance(record.get("data"), Mapping) and isinstance(record.get("type"), int) else record
    )
    if ("_from" in inner and "_to" in inner) or ("_key" in inner and ("_id" in inner or "_rev" in inner)):
        return "arangodb"
    if isinstance(record.get("uid"), str):
        return "dgraph"
    if "id" in record and isinstance(record.get("label"), str) and {"outE", "inE"} & set(record):
        return "tinkerpop"
    typed = isinstance(record.get("id"), Mapping) and "@value" in record["id"]
    return "tinkerpop" if typed and "label" in record else ""


def _document(record: Record) -> Record:
    """A document out of the envelope of older arangodumps."""
    held = record.get("data")
    return held if isinstance(held, Mapping) and isinstance(record.get("type"), int) else record


def first_form(sample: bytes) -> str:
    """The form of the record in the first line of a file that holds one a line."""
    line = next((line for line in sample.removeprefix(BOM).split(b"\n") if line.strip()), b"")
    if not line.lstrip().startswith(b"{") or not line.rstrip().endswith(b"}"):
        return ""
    try:
        return form_of(json.loads(line))
    except (ValueError, RecursionError):
        return ""


def lines_of(file: Path, stream: Stream, problems: Problems) -> Iterator[Any]:
    """The records of a file that has one a line; a line that is none is told."""
    for text in stream.lines():
        if text.strip():
            try:
                yield json.loads(text)
            except (ValueError, RecursionError) as error:
                problems.add(str(file), stream.line, "syntax", f"is not JSON: {str(error)[:100]}")


def records(
    file: Path, problems: Problems, stream: Stream, made: PropertyTriples, form: str, all_of: Iterable[Any]
) -> Iterator[Batch]:
    """What the records of a database say."""
    reader: Any = {"neo4j": _Neo4j, "arangodb": _ArangoDB, "dgraph": _Dgraph, "tinkerpop": _TinkerPop}[form]
    reading = reader(made, file)
    for record in all_of:
        why = reading.take(record) if isinstance(record, Mapping) else "is no object"
        if why:
            problems.add(str(file), stream.line or None, "fields", f"{why}: {str(record)[:80]}")
        yield from made.batches()
    yield from reading.end()
    yield from made.batches(whole=True)


class _Held:
    """Nodes held until the end, with the ids that the export gives them."""

    def __init__(self, made: PropertyTriples, file: Path) -> None:
        self._made, self._nodes = made, MadeNodes()
        self._by_id: dict[str, MadeNode] = {}
        self._edges: list[MadeEdge] = []

    def _node(self, id: str, types: Iterable[Any] = (), properties: Record | None = None) -> MadeNode:
        if id not in self._by_id:
            self._by_id[id] = self._nodes.make()
        node = self._by_id[id]
        self._nodes.add_types(node, tuple(each for each in types if isinstance(each, str)))
        for key, value in (properties or {}).items():
            self._nodes.put(node, str(key), value)
        return node

    def _edge(self, head: MadeNode, kind: str, tail: MadeNode, properties: Record) -> None:
        edge = MadeEdge(head, kind, tail, merged=False)
        edge.properties = dict(properties)
        self._edges.append(edge)

    def end(self) -> Iterator[Batch]:
        for edge in self._edges:
            self._nodes.hand_on(edge, self._made)
            yield from self._made.batches()
        yield from self._nodes.hand_on_all(self._made)


class _Neo4j(_Held):
    """`apoc.export.json.all`: {"type": "node", …} and {"type": "relationship", "start": …, "end": …}."""

    def take(self, record: Record) -> str:
        held = record.get("properties") or {}
        if not isinstance(held, Mapping) or record.get("id") is None:
            return "a record without an id or with other properties than a map"
        properties = {key: dated(value) for key, value in held.items()}
        if record.get("type") == "node":
            self._node(str(record["id"]), _list(record.get("labels")), properties)
            return ""
        ends = [record.get("start"), record.get("end")]
        if not all(isinstance(end, Mapping) and end.get("id") is not None for end in ends):
            return "a relationship without start or end"
        head, tail = (self._node(str(end["id"]), _list(end.get("labels"))) for end in ends if end)
        self._edge(head, str(record.get("label") or LINKED), tail, properties)
        return ""


class _TinkerPop(_Held):
    """GraphSON 2 and 3, a vertex a line with the edges that leave it."""

    def take(self, record: Record) -> str:
        id = _value(record.get("id"))
        if id is None:
            return "a vertex without an id"
        held = record.get("properties")
        properties = {
            key: _one(
                [_value(each.get("value")) if isinstance(each, Mapping) else _value(each) for each in _list(values)]
            )
            for key, values in (held.items() if isinstance(held, Mapping) else ())
        }
        label = str(record.get("label") or "")
        node = self._node(str(id), [label] * (label not in ("", "vertex")), properties)
        leaving = record.get("outE")
        for kind, edges in leaving.items() if isinstance(leaving, Mapping) else ():
            for edge in _list(edges):
                end = _value(edge.get("inV")) if isinstance(edge, Mapping) else None
                if end is None:
                    return "an edge without its other end"
                said = edge.get("properties")
                own = {key: _value(value) for key, value in said.items()} if isinstance(said, Mapping) else {}
                self._edge(node, str(kind), self._node(str(end)), own)
        return ""


class _ArangoDB:
    """Documents and edges of collections, as arangoexport and arangodump write them."""

    def __init__(self, made: PropertyTriples, file: Path) -> None:
        self._made = made
        stem = file.name
        for end in (".gz", ".bz2", ".zst", ".json", ".jsonl"):
            stem = stem.removesuffix(end)
        self._collection = _DUMPED.sub("", stem)

    def take(self, record: Record) -> str:
        record = _document(record)
        key, head, tail = record.get("_key"), record.get("_from"), record.get("_to")
        id = str(record.get("_id") or (f"{self._collection}/{key}" if key is not None else ""))
        collection = id.rpartition("/")[0] or self._collection
        properties = {name: dated(value) for name, value in record.items() if name not in _OWN}
        if head is not None and tail is not None:
            kind = collection
            if noun_of(collection)[-1] in _GENERIC:
                kind = take_kind(properties) or LINKED
            self._made.edge(str(head), str(tail), kind, properties)
        elif not id:
            return "a document without _id or _key"
        else:
            self._made.node(id, [" ".join(noun_of(collection))], properties)
        return ""

    def end(self) -> Iterator[Batch]:
        return iter(())


class _Dgraph:
    """The JSON of Dgraph's export: what is said of a uid, in as many records as there are predicates."""

    def __init__(self, made: PropertyTriples, file: Path) -> None:
        self._made = made

    def take(self, record: Record) -> str:
        uid = record.get("uid")
        if not isinstance(uid, str):
            return "a record without a uid"
        properties: dict[str, Any] = {}
        for name, value in record.items():
            if name in ("uid", "namespace", "dgraph.type") or name.startswith("dgraph.") or "|" in name:
                continue
            for each in _list(value):
                if isinstance(each, Mapping) and isinstance(each.get("uid"), str):
                    facets = {key.partition("|")[2]: dated(said) for key, said in each.items() if "|" in key}
                    self._made.edge(uid, each["uid"], name, facets)
                else:
                    properties.setdefault(name, []).append(dated(each))
        types = [each for each in _list(record.get("dgraph.type")) if isinstance(each, str)]
        if any(each.startswith("dgraph.") for each in types):
            return ""  # of the database's own
        self._made.node(uid, types, {name: _one(values) for name, values in properties.items()})
        return ""

    def end(self) -> Iterator[Batch]:
        return iter(())


def _list(value: Any) -> list[Any]:
    return [] if value is None else value if isinstance(value, list) else [value]


def _one(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _moment(value: Any) -> Any:
    try:
        return TypedText(datetime.fromtimestamp(value / 1000, UTC).isoformat(), f"{XSD}dateTime")
    except (TypeError, ValueError, OverflowError, OSError):
        return value


_TYPED: Mapping[str, Callable[[Any], Any]] = {"g:Date": _moment, "g:Timestamp": _moment}


def _value(said: Any) -> Any:
    """A value of GraphSON without its type, unless that says more than JSON."""
    if isinstance(said, Mapping) and "@type" in said:
        kind, value = said["@type"], said.get("@value")
        if kind in ("g:List", "g:Set"):
            return [_value(each) for each in _list(value)]
        if kind == "g:Map":
            return [_value(each) for each in _list(value)[1::2]]
        if isinstance(value, Mapping):  # a property, an edge
            return _value(value.get("value"))
        return _TYPED[kind](value) if kind in _TYPED else dated(value)
    return dated(said)
