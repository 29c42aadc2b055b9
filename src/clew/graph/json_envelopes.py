"""JSON as services wrap it: what is said of things, without the envelope of the protocol that hands it out.

Kept apart from `plain_json`, which reads objects within objects: HAL, JSON:API, GraphQL connections, answers of
Elasticsearch, OData, content management systems, and maps by id (Firebase) all become such objects here. A reference of
the protocol becomes an object that holds an id and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, TypeGuard

from clew.graph.nouns import noun_of

DEEP = 60
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SEVERAL = 2  # objects from which on a map by ids is one
ALIKE = 0.5  # share of the keys of such objects that most of them have
_OPAQUE = re.compile(
    r"-[\w-]{15,}|(?=.*\d)(?=.*[A-Za-z])[\w-]{16,}|[A-Za-z]{20,}|[0-9a-f]{24}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{3,}"
)
_PATH = re.compile(r"/?(?P<of>[A-Za-z_]+)/(?P<id>[^/\s]+)")
_TURNED_PAGES = frozenset(
    ["self", "first", "last", "next", "prev", "previous", "curies", "edit", "search", "profile", "collection", "up"]
)
_FILES = re.compile(r"\.(?:jpe?g|png|gif|svg|webp|pdf|html?|csv|xml|zip)$", re.IGNORECASE)
_AROUND_PAGES = frozenset(["pageInfo", "totalCount", "edges", "nodes", "__typename", "totalDiskUsage"])
_PAGES = frozenset([
    "href", "limit", "next", "offset", "previous", "prev", "total", "count", "size", "cursor", "cursors", "page",
    "pages", "pageSize", "per_page", "has_more", "hasMore", "object", "url", "startAt", "maxResults", "isLast",
    "nextPageToken", "total_count", "items", "data", "results", "values",
])  # fmt: skip
_TURNED = frozenset([  # of these one at least: an order has items and a total
    "next", "previous", "prev", "offset", "cursor", "cursors", "has_more", "hasMore", "nextPageToken", "startAt",
    "isLast", "per_page", "pageSize",
])  # fmt: skip


def unwrapped(held: Any) -> Any:
    """A document of a service without its envelope; any other as it is."""
    if isinstance(held, list):
        hal = bool(held) and isinstance(held[0], Mapping) and _hal(held[0])
        return [unwrapped(each) for each in held] if hal else _of_records(held, 0)
    if not isinstance(held, Mapping):
        return held
    held = _of_records(_of_extended(held, 0), 0)
    if (found := _searched(held)) is not None:
        return found
    if (found := _of_json_api(held)) is not None:
        return found
    if _odata(held):
        held = _of_odata(held)
    if _connected(held):
        held = _of_connections(held, "")
    held = {key: _of_records(_of_pages(value, 0), 0) for key, value in held.items()}
    if _content(held.get("data")):
        held = {key: _of_content(value, 0) for key, value in held.items() if key != "meta"}
    if _hal(held):
        held = _of_hal(held)
    collections = {key for key, value in held.items() if isinstance(value, (Mapping, list))} if _map(held) else set()
    return _of_maps(held, collections, 0)


def _map(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return isinstance(value, Mapping)


def _within(held: Any, depth: int, turn: Callable[[Any, int], Any]) -> Any:
    """What stands in a list or an object, each turned, with its depth; a value, and what lies too deep, as it is."""
    if depth > DEEP:
        return held
    if isinstance(held, list):
        return [turn(each, depth + 1) for each in held]
    return {key: turn(value, depth + 1) for key, value in held.items()} if _map(held) else held


def _maps(values: Any) -> list[Mapping[str, Any]]:
    return [each for each in values if isinstance(each, Mapping)] if isinstance(values, list) else []


# -- Neo4j -------------------------------------------------------------------------------------------------------------


def of_neo4j(held: Any) -> dict[str, list[Any]] | None:
    """The nodes and relationships in an answer of Neo4j's HTTP interface, each once; None for another document.

    Of rows those that its `meta` says to be a node, a relationship and a node, in this order, are one link.
    """
    results = held.get("results") if _map(held) else None
    if not isinstance(results, list) or not all(_map(each) and "columns" in each for each in results):
        return None
    nodes: dict[str, Any] = {}
    links: dict[str, Any] = {}
    for each in (row for result in results for row in _maps(result.get("data"))):
        graph = each.get("graph")
        if not _map(graph):
            _of_row(each, nodes, links)
            continue
        for node in _maps(graph.get("nodes")):
            id = str(node.get("id"))
            nodes[id] = {"labels": node.get("labels", []), **(node.get("properties") or {}), "id": id}
        for link in _maps(graph.get("relationships")):
            ends = {"source": str(link.get("startNode")), "target": str(link.get("endNode"))}
            links[str(link.get("id"))] = {**(link.get("properties") or {}), **ends, "relation": link.get("type")}
    return {"nodes": list(nodes.values()), "links": list(links.values())} if nodes else None


def _of_row(row: Mapping[str, Any], nodes: dict[str, Any], links: dict[str, Any]) -> None:
    """Nodes and the links between them of a row whose values stand beside what they are."""
    values, meta = row.get("row"), row.get("meta")
    if not isinstance(values, list) or not isinstance(meta, list) or len(values) != len(meta):
        return
    labels = [value for value, what in zip(values, meta, strict=True) if what is None and _labels(value)]
    kinds = [value for value, what in zip(values, meta, strict=True) if what is None and _relation(value)]
    before: str | None = None
    between: Mapping[str, Any] | None = None
    for value, what in zip(values, meta, strict=True):
        if not _map(what) or not _map(value):
            continue
        id = str(what.get("elementId", what.get("id")))
        if what.get("type") == "node":
            known = nodes.setdefault(id, {**value, "id": id})
            if labels and "labels" not in known:
                known["labels"] = labels.pop(0)
            if before is not None and between is not None:
                said = kinds.pop(0) if kinds else "linked to"
                links[str(between["id"])] = {**between["said"], "source": before, "target": id, "relation": said}
            before, between = id, None
        elif what.get("type") == "relationship":
            between = {"id": id, "said": value}


def _labels(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _relation(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[A-Z][A-Z0-9_]*", value) is not None


# -- OpenStreetMap -----------------------------------------------------------------------------------------------------


def of_overpass(held: Any) -> dict[str, list[Any]] | None:
    """The elements of OpenStreetMap with tags, by what they are; None for another document.

    What a relation's members are is said by their role.
    """
    elements = _maps(held.get("elements")) if _map(held) else []
    if not elements or not all(each.get("type") in ("node", "way", "relation") and "id" in each for each in elements):
        return None
    tagged = {f"{each['type']}/{each['id']}": each for each in elements if _map(each.get("tags")) and each["tags"]}
    made: dict[str, list[Any]] = {}
    for id, each in tagged.items():
        tags = each["tags"]
        main = next((key for key in _FEATURES if key in tags), "")
        kind = str(tags[main]) if main and tags[main] not in ("yes", "no") else main or "feature"
        thing: dict[str, Any] = {"@id": id} | {key: value for key, value in tags.items() if key != "id"}
        centre = each.get("center", each)
        if _map(centre) and "lat" in centre and "lon" in centre:
            thing |= {"lat": centre["lat"], "lon": centre["lon"]}
        for member in _maps(each.get("members")):
            of = f"{member.get('type')}/{member.get('ref')}"
            if of in tagged:
                thing.setdefault(str(member.get("role") or "member"), []).append({"@id": of})
        made.setdefault(kind.replace("_", " "), []).append(thing)
    return made or None


_FEATURES = (
    "place", "amenity", "shop", "tourism", "historic", "leisure", "office", "craft", "healthcare", "emergency",
    "natural", "man_made", "railway", "public_transport", "highway", "waterway", "aeroway", "power", "boundary",
    "route", "landuse", "building", "barrier", "type",
)  # fmt: skip


# -- MongoDB -----------------------------------------------------------------------------------------------------------


def _of_extended(held: Any, depth: int) -> Any:
    """Values in the place of MongoDB's objects for them: ids, dates, numbers, references."""
    if not _map(held) or depth > DEEP:
        return _within(held, depth, _of_extended)
    if any(key.startswith("$") for key in held) and len(held) <= 3:
        for key in ("$oid", "$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$uuid", "$id"):
            if key in held:
                return _of_extended(held[key], depth + 1)
        if "$date" in held:
            stated = _of_extended(held["$date"], depth + 1)
            since = int(stated) if re.fullmatch(r"-?\d{1,15}", str(stated)) else None
            return stated if since is None else (_EPOCH + timedelta(milliseconds=since)).isoformat()
    return _within(held, depth, _of_extended)


# -- HAL ---------------------------------------------------------------------------------------------------------------


def _hal(held: Mapping[str, Any]) -> bool:
    return _map(held.get("_links")) and (_map(held.get("_embedded")) or _map(held["_links"].get("self")))


def _of_hal(held: Any, depth: int = 0) -> Any:
    """Things with what is embedded in them, called by their own address; links to others as references."""
    if not _map(held) or depth > DEEP:
        return _within(held, depth, _of_hal)
    stated = held.get("_links")
    links: Mapping[str, Any] = stated if _map(stated) else {}
    made = {key: _of_hal(value, depth + 1) for key, value in held.items() if key not in ("_links", "_embedded", "page")}
    embedded = held.get("_embedded")
    made |= {_bare(key): _of_hal(value, depth + 1) for key, value in embedded.items()} if _map(embedded) else {}
    if (own := _address(links.get("self"))) and (depth or not _map(embedded)):
        made = {"@id": own} | made
    for key, value in links.items():
        if key in _TURNED_PAGES:
            continue
        several = value if isinstance(value, list) else [value]
        found = [{"@id": to} for each in several if (to := _address(each)) and not _FILES.search(to)]
        if found and _bare(key) not in made:
            made[_bare(key)] = found if isinstance(value, list) else found[0]
    return made


def _address(link: Any) -> str:
    """Where a link leads to one thing; "" for a template, a query or none."""
    href = link.get("href") if _map(link) and not link.get("templated") else None
    return href if isinstance(href, str) and not re.search(r"[?{]", href) else ""


def _bare(key: str) -> str:
    return key.rpartition(":")[2]


# -- JSON:API ----------------------------------------------------------------------------------------------------------


def _resource(value: Any) -> TypeGuard[Mapping[str, Any]]:
    return _map(value) and isinstance(value.get("type"), str) and "id" in value


def _of_json_api(held: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """The resources of a document by their type; None for another."""
    data = held.get("data")
    own = data if isinstance(data, list) else [data]
    resources = [each for each in own if _resource(each)]
    if (
        not resources
        or len(resources) < len(own)
        or not any({"attributes", "relationships"} & set(r) for r in resources)
    ):
        return None
    made: dict[str, list[Any]] = {}
    for each in [*resources, *_maps(held.get("included"))]:
        if not _resource(each):
            continue
        attributes: Any = each.get("attributes")
        relationships: Any = each.get("relationships")
        thing: dict[str, Any] = {"@id": _resource_id(each), **(attributes if _map(attributes) else {})}
        for key, value in relationships.items() if _map(relationships) else ():
            there: Any = value.get("data") if _map(value) else None
            if isinstance(there, list):
                thing[key] = [{"@id": _resource_id(one)} for one in there if _resource(one)]
            elif _resource(there):
                thing[key] = {"@id": _resource_id(there)}
        made.setdefault(each["type"], []).append(thing)
    return made


def _resource_id(held: Mapping[str, Any]) -> str:
    return f"{held['type']}/{held['id']}"


# -- connections, contents, answers ------------------------------------------------------------------------------------


def _connection(held: Any) -> bool:
    """Whether an object is a page of others, as GraphQL has them."""
    if not _map(held) or not _AROUND_PAGES.issuperset(held):
        return False
    edges = held.get("edges")
    return isinstance(held.get("nodes"), list) or (
        isinstance(edges, list) and all(_map(each) and "node" in each for each in edges)
    )


def _connected(held: Any, depth: int = 0) -> bool:
    if _connection(held):
        return True
    values: Iterable[Any] = held.values() if _map(held) else held[:3] if isinstance(held, list) else ()
    return depth < DEEP and any(_connected(each, depth + 1) for each in values)


def _of_connections(held: Any, key: str, depth: int = 0) -> Any:
    """Objects with lists of others in the place of connections; what an edge says itself stays around its node."""
    if depth > DEEP:
        return held
    if isinstance(held, list):
        return [_of_connections(each, key, depth + 1) for each in held]
    if not _map(held):
        return held
    if _connection(held):
        if isinstance(held.get("nodes"), list):
            return [_of_connections(each, key, depth + 1) for each in held["nodes"]]
        return [_of_edge(each, key, depth) for each in held["edges"] if _map(each.get("node"))]
    return {name: _of_connections(value, name, depth + 1) for name, value in held.items()}


def _of_edge(edge: Mapping[str, Any], key: str, depth: int) -> Any:
    node = _of_connections(edge["node"], key, depth + 1)
    own = {name: value for name, value in edge.items() if name not in ("node", "cursor", "__typename")}
    return {**own, " ".join(noun_of(key)): node} if own and key else node


def _of_pages(held: Any, depth: int) -> Any:
    """Lists in the place of objects that hold one and say where the next page is."""
    if not _map(held) or depth > DEEP:
        return _within(held, depth, _of_pages)
    inner = next((held[key] for key in ("items", "data", "results", "values") if isinstance(held.get(key), list)), None)
    if inner is not None and _PAGES.issuperset(held) and not _TURNED.isdisjoint(held):
        return _within(inner, depth, _of_pages)
    return _within(held, depth, _of_pages)


def _of_records(held: Any, depth: int) -> Any:
    """Records of Airtable with what is said in their fields."""
    if isinstance(held, list):
        return [_of_records(each, depth + 1) for each in held] if depth < 2 else held
    if _map(held) and set(held) <= {"id", "createdTime", "fields", "commentCount"} and _map(held.get("fields")):
        return {"id": held.get("id"), **{key: value for key, value in held["fields"].items() if key != "id"}}
    return held


def _content(value: Any) -> bool:
    """Whether something is content of a management system: an id beside what is said, and no type."""
    first = value[0] if isinstance(value, list) and value else value
    return _map(first) and set(first) <= {"id", "documentId", "attributes", "meta"} and _map(first.get("attributes"))


def _of_content(held: Any, depth: int) -> Any:
    if not _map(held) or depth > DEEP:
        return _within(held, depth, _of_content)
    if set(held) <= {"data", "meta", "links"} and "data" in held:
        return _of_content(held["data"], depth + 1)
    if _content(held):
        return {"id": held.get("id", held.get("documentId")), **_within(held["attributes"], depth, _of_content)}
    return _within(held, depth, _of_content)


def _searched(held: Mapping[str, Any]) -> dict[str, list[Any]] | None:
    """What Elasticsearch found, by index; None for another document."""
    hits = held.get("hits")
    found = _maps(hits.get("hits")) if isinstance(hits, Mapping) else []
    if not found or not all(_map(each.get("_source")) for each in found):
        return None
    made: dict[str, list[Any]] = {}
    for each in found:
        index = re.sub(r"[-_.](?:v?\d[\d.]*)$", "", str(each.get("_index", "hits")))  # "objects-2025.02.27"
        made.setdefault(index, []).append({"_id": each.get("_id"), **each["_source"]})
    return made


_SHOWN = "@OData.Community.Display.V1.FormattedValue"
_BOUND = re.compile(r"\((?P<id>[^()]+)\)$")  # "/accounts(0b3f…)"
_LOOKED_UP = re.compile(r"_(?P<of>\w+?)(?:id)?_value")


def _odata(held: Mapping[str, Any]) -> bool:
    return any(key.startswith("@odata.") for key in held) or "odata.metadata" in held


def _of_odata(held: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is said of things, the list of them by the name of the set that they are from."""
    context = str(held.get("@odata.context", held.get("odata.metadata", "")))
    name = re.match(r"\w+", context.rpartition("#")[2])
    plain: Mapping[str, Any] = _without_notes(held, 0)
    if isinstance(plain.get("value"), list) and name is not None:
        plain = {name.group(0): plain["value"], **{key: value for key, value in plain.items() if key != "value"}}
    return plain


def _without_notes(held: Any, depth: int) -> Any:
    if not _map(held) or depth > DEEP:
        return _within(held, depth, _without_notes)
    made = {}
    for key, value in held.items():
        bound = _BOUND.search(str(value)) if key.endswith("@odata.bind") else None
        if bound is not None:
            made[key.partition("@")[0]] = bound["id"]
        if "@" in key:
            continue  # what is noted of a value
        shown = held.get(f"{key}{_SHOWN}")
        if type(value) is int and isinstance(shown, str) and shown[:1].isalpha():
            value = shown  # of a choice its name
        match = _LOOKED_UP.fullmatch(key)
        made[match["of"] if match else key] = _without_notes(value, depth + 1)
    return made


# -- maps by id --------------------------------------------------------------------------------------------------------


def _of_maps(held: Any, collections: set[str], depth: int, collection: str = "") -> Any:
    """Objects with lists in the place of maps by id, each object with its key; a path to one of the document's own
    collections as the id at its end.

    Args:
        collection: the key that leads there.
    """
    if depth > DEEP:
        return held
    if isinstance(held, list):
        return [_of_maps(each, collections, depth + 1, collection) for each in held]
    if isinstance(held, str):
        match = _PATH.fullmatch(held)
        return (
            match["id"] if match is not None and match["of"] in collections and _OPAQUE.fullmatch(match["id"]) else held
        )
    if not _map(held):
        return held
    opaque = len(held) > 0 and all(_OPAQUE.fullmatch(str(key)) for key in held)
    if opaque and all(value is True or type(value) is int for value in held.values()):
        return list(held)  # a set of ids, or when each was added
    if opaque and len(held) >= (1 if depth > 1 else SEVERAL) and all(map(_map, held.values())):
        return [each for key, value in held.items() for each in _with_key(key, value, collection, collections, depth)]
    return {key: _of_maps(value, collections, depth + 1, key) for key, value in held.items()}


def _with_key(
    key: str, value: Mapping[str, Any], collection: str, collections: set[str], depth: int
) -> list[dict[str, Any]]:
    """What stands under a key of a map: a thing; things of its own, which belong to it; or ids of others."""
    inner = _of_maps(value, collections, depth + 1, collection)
    if not isinstance(inner, list):
        return [{"key": key, **inner}]
    if all(map(_map, inner)):
        return [{**each, "of": key} for each in inner]
    return [{"key": key, collection: inner}]
