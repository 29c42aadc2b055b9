"""Graphs in one JSON document: nodes and links as networkx, D3, Neo4j and browsers write them, or a list of triples.

Kept apart from `property_files`, whose readers go through a file of any size: a document is read whole, so that its
size is bounded; more than that comes as JSON lines, tables or GraphML. Records of databases are recognised here and
read by `records`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.json_envelopes import of_neo4j, of_overpass, unwrapped
from clew.graph.jsonld import a_line
from clew.graph.plain_json import PlainJson, objects_of
from clew.graph.property_files import KEYS, LINKED, PropertyTriples, take_kind
from clew.graph.property_graph import HEADS, TAILS
from clew.graph.query_results import of_rows, query_rows
from clew.graph.records import first_form, form_of, lines_of, records
from clew.graph.tabular import SYNONYMS
from clew.graph.wikibase_json import of_wikibase

DOCUMENTS = ("json", "cyjs", "graphson", "geojson", "srj")
_CYTOSCAPE = frozenset(["SUID", "selected", "shared_name", "shared name", "shared_interaction", "shared interaction"])
SAMPLE = 1 << 16  # bytes in which the first line is sought
LARGEST = 256 << 20  # bytes of a document
NODES = ("nodes", "vertices", "entities")
LINKS = ("links", "edges", "relationships", "relations")
TRIPLES = ("triples", "facts", "statements")


def node_link(file: Path, problems: Problems, stream: Stream, told: list[str]) -> Iterator[Batch]:
    """The triples of a document; what is no graph is a problem that says what was expected.

    Args:
        told: is given what was found out of the document, in lines, when it is read.
    """

    def fail(kind: str, reason: str) -> None:
        problems.add(str(file), None, kind, reason)

    made = PropertyTriples(file, problems)
    if form := first_form(stream.peek(SAMPLE)):
        yield from records(file, problems, stream, made, form, lines_of(file, stream, problems))
        return None
    if a_line(stream.peek(SAMPLE)):
        yield from _plain(lines_of(file, stream, problems), file, made, fail, told)
        return None
    text = stream.read(LARGEST + 1)
    if len(text) > LARGEST:
        return fail("long", f"a JSON document larger than {LARGEST >> 20} MB; write it as JSON lines or as tables")
    try:
        held = json.loads(text.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        return fail("syntax", f"is not JSON: {str(error)[:100]}")
    held = graph_in(held)
    if objects := document_objects(held):
        yield from _plain(objects, file, made, fail, told)
        return None
    several = held if isinstance(held, list) else _several(held)
    if form := form_of(several[0]) if several else "":
        yield from records(file, problems, stream, made, form, several)
        return None
    if _of_wikidata(held):
        return fail("syntax", _WIKIDATA)
    if found := query_rows(held):
        if why := of_rows(found, made):
            fail("syntax", why)
        yield from made.batches(whole=True)
        return None
    rows, nodes, links = _parts(held)
    if rows is None and links is None:
        return fail("syntax", _EXPECTED)
    for row in rows or ():
        terms = _terms(row)
        if terms is None:
            fail("fields", f"expected head, relation and tail, got {str(row)[:80]}")
        else:
            made.edge(terms[0], terms[2], terms[1], {})
        yield from made.batches()
    for node in nodes or ():
        key = next((key for key in KEYS if _term(_of(node, key))), None)
        if key is None:
            fail("empty", f"a node without an id: {str(node)[:80]}")
            continue
        properties = _properties(node)
        types = properties.pop("labels", [])
        types = [types] if isinstance(types, str) else [each for each in types or () if isinstance(each, str)]
        made.node(_term(node[key]), types, properties, key)
        yield from made.batches()
    for link in links or ():
        properties = _properties(link)
        head, tail = _end(properties, HEADS | {"sub"}), _end(properties, TAILS)
        if not head or not tail:
            fail("empty", f"a link without source or target: {str(link)[:80]}")
            continue
        kind = str(properties.pop("pred", "")) or take_kind(properties)
        for key in ("id", "key"):  # a link's own number says nothing
            properties.pop(key, None)
        made.edge(head, tail, kind or LINKED, properties)
        yield from made.batches()
    yield from made.batches(whole=True)


def document_objects(held: Any) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The objects that a document (as `graph_in` leaves it) is about, each with the key that leads to it; None where it
    is a graph, the records of a database, the answer to a query or nothing of the kind."""
    several = held if isinstance(held, list) else _several(held)
    rows, _, links = _parts(held)
    form = form_of(several[0]) if several else ""
    if form or links is not None or _of_wikidata(held) or query_rows(held) or any(map(_terms, (rows or ())[:100])):
        return None
    return objects_of(unwrapped(held))


def line_objects(stream: Stream) -> list[tuple[str, Mapping[str, Any]]] | None:
    """The objects of a file that has one a line; None for records of a database and what is no object."""
    if first_form(stream.peek(SAMPLE)):
        return None
    found = [unwrapped(each) for each in lines_of(stream.file, stream, Problems())]
    return [("", each) for each in found] if all(map(_map, found)) and not any(map(_terms, found[:100])) else None


def graph_in(held: Any) -> Any:
    """What a document holds, without what tools put around their graphs."""
    held = of_wikibase(held) or of_neo4j(held) or of_overpass(held) or held
    if _map(held) and _under(held.get("graph"), NODES) is not None:
        held = held["graph"]
    if _map(held) and isinstance(held.get("graphs"), list) and len(held["graphs"]) == 1:  # obographs
        held = held["graphs"][0]
    if _map(held) and isinstance(held.get("elements"), (Mapping, list)):
        held = _cytoscape(held["elements"])
    return held


def _parts(held: Any) -> tuple[list[Any] | None, list[Any] | None, list[Any] | None]:
    """The triples, nodes and links of a document."""
    rows = held if isinstance(held, list) else _under(held, TRIPLES)
    nodes, links = _under(held, NODES), _under(held, LINKS)
    if nodes is None and not any(_end(_properties(each), HEADS | {"sub"}) for each in links or ()):
        links = None  # what something is related to, and no graph
    return rows, nodes, links


def _of_wikidata(held: Any) -> bool:
    entities = _of(held, "entities")
    return _map(entities) and all(_map(each) and "claims" in each for each in entities.values())


def _plain(
    objects: Any, file: Path, made: PropertyTriples, fail: Callable[[str, str], None], told: list[str]
) -> Iterator[Batch]:
    """Objects of plain JSON, with the keys that lead to them or, of lines, without."""
    plain = PlainJson(file, made)
    for each in objects:
        key, held = each if isinstance(each, tuple) else ("", unwrapped(each))
        if why := plain.take(key, held) if _map(held) else "is no object":
            fail("fields", f"{why}: {str(held)[:80]}")
    yield from plain.end()
    told += plain.told
    yield from made.batches(whole=True)


_EXPECTED = (
    'is no graph; expected "nodes" and "links" (or "edges"), a list of triples, or objects with names or ids: '
    '[{"name": …}, …]'
)
_WIKIDATA = (
    "is an entity of Wikidata as JSON, which names neither its properties nor what it leads to; take the same address "
    "with .ttl at its end (Special:EntityData/Q42.ttl), which does"
)


def _several(held: Any) -> list[Any]:
    """Records in a document: Neo4j's nodes and relationships in one object, TinkerPop's list of vertices."""
    if not _map(held) or ("rels" not in held and form_of((_under(held, ("vertices",)) or [None])[0]) == ""):
        return []
    found: list[Any] = []
    for name in ("nodes", "vertices", "rels"):
        each = held.get(name)
        found += list(each.values()) if isinstance(each, Mapping) else each if isinstance(each, list) else []
    return found


def _cytoscape(elements: Any) -> dict[str, list[Any]]:
    """Nodes and edges of Cytoscape without what it keeps for itself."""
    parts = [elements] if isinstance(elements, list) else [_under(elements, NODES) or [], _under(elements, LINKS) or []]
    found: dict[str, list[Any]] = {"nodes": [], "edges": []}
    for each in chain(*parts):
        data = _of(each, "data")
        held = {key: value for key, value in data.items() if key not in _CYTOSCAPE} if _map(data) else {}
        if "source" not in held:
            found["nodes"].append(held)
            continue
        if isinstance(held.get("interaction"), str):
            held = {"label": held.pop("interaction")} | held
            held.pop("name", None)  # "A (interacts with) B"
        found["edges"].append(held)
    return found


def _under(held: Any, names: Sequence[str]) -> list[Any] | None:
    return next((_of(held, name) for name in names if isinstance(_of(held, name), list)), None)


def _map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _of(node: Any, key: str) -> Any:
    return node.get(key) if _map(node) else None


def _term(value: Any) -> str:
    """An id as text; "" for what is none."""
    plain = isinstance(value, (str, int)) and not isinstance(value, bool)
    return str(value).strip() if plain else ""


def _properties(held: Any) -> dict[str, Any]:
    """All that is stated, with what stands under "properties" beside the rest."""
    if not _map(held):
        return {}
    inner = held.get("properties")
    return {key: value for key, value in held.items() if key != "properties"} | dict(inner if _map(inner) else {})


def _end(properties: dict[str, Any], names: frozenset[str]) -> str:
    """One end of a link, taken out of its properties; D3 writes the node itself."""
    for key in list(properties):
        if key.casefold() in names:
            value = properties.pop(key)
            return _term(value) or next((_term(_of(value, key)) for key in KEYS if _term(_of(value, key))), "")
    return ""


def _terms(row: Any) -> tuple[str, str, str] | None:
    if isinstance(row, list) and len(row) == 3:
        terms = tuple(map(_term, row))
    elif _map(row):
        keys = {str(key).casefold(): value for key, value in row.items()}
        terms = tuple(next((_term(keys[name]) for name in some if name in keys), "") for some in SYNONYMS)
    else:
        return None
    return (terms[0], terms[1], terms[2]) if all(terms) else None
