"""The first look at an openCypher database: relations, what names nodes and tells them apart, a text index."""

from __future__ import annotations

import time
from collections.abc import Sequence

from clew.errors import InputError
from clew.graph.remote.bolt import Row
from clew.graph.remote.database import Database
from clew.graph.remote.nodes import TYPE, spaced
from clew.graph.remote.records import Profile
from clew.labels import readable

KEYS = ("id", "uri", "iri", "qid", "key", "identifier", "uuid", "wikidataId", "code")
NAMES = ("name", "label", "title", "prefLabel", "displayName", "fullName", "rdfs__label", "skos__prefLabel", "caption")
ALIASES = ("aliases", "alias", "altLabel", "alternateName", "synonyms", "skos__altLabel", "akas")


def look_over(database: Database) -> Profile:
    """What can be found out. Raises InputError for a database without a node."""
    settings, notes = database.settings, list[str]()
    database.rows("RETURN 1 AS one")
    found = database.tried("MATCH (n) RETURN elementId(n) AS i LIMIT 1")
    inner_id = database.inner_id = "elementId" if found is not None else "id"
    nodes = int(database.rows("MATCH (n) RETURN count(n) AS c")[0]["c"])
    if not nodes:
        raise InputError(f"graph {database.shown}: holds no node; load some, or name another database in the URL")
    counts, unique = _keys(database, nodes, notes)
    names = settings.label_properties or tuple(name for name in NAMES if counts.get(name))
    if not names:
        notes.append("no property of the nodes reads as a name: ids are shown; set label_properties")
    key = settings.id_property or next((k for k in (*KEYS, *names[:1]) if k in unique), "")
    aliases = tuple(alias for alias in ALIASES if counts.get(alias))
    types = database.tried("MATCH ()-[r]->() RETURN type(r) AS t, count(r) AS c") or []
    labels = database.tried("MATCH (n) UNWIND labels(n) AS l RETURN l, count(n) AS c") or []
    relations = {str(row["t"]): int(row["c"]) for row in types}
    on_edges: list[str] = []
    if settings.relationship_properties == "mediator":
        within = database.tried("MATCH ()-[r]->() UNWIND keys(r) AS k RETURN k, count(r) AS c")
        if within is None:
            notes.append(
                "looking for properties of relationships took too long: each relationship is asked for its own"
            )
            within = []
            on_edges = ["?"]
        on_edges += sorted(str(row["k"]) for row in within)
        for row in within:
            relations[str(row["k"])] = relations.get(str(row["k"]), 0) + int(row["c"])
    for name, count in counts.items():
        if name not in {key, *names[:1], *aliases}:
            relations[name] = relations.get(name, 0) + count
    if labels and settings.node_labels == "types":
        relations[TYPE] = relations.get(TYPE, 0) + sum(int(row["c"]) for row in labels)
    index = _text_index(database)
    return Profile(
        engine=_engine(database),
        triples=database.count(),
        relations=tuple((id, readable(spaced(id)), n) for id, n in sorted(relations.items())),
        label_properties=names,
        alias_properties=aliases,
        languages=settings.language,
        text_search=" ".join(index),
        details={
            "nodes": nodes,
            "inner_id": inner_id,
            "id_property": key,
            "node_labels": [str(row["l"]) for row in labels],
            "text_index": list(index),
            "on_relationships": on_edges,
        },
        notes=tuple(notes),
        at=time.time(),
    )


def _engine(database: Database) -> str:
    rows: Sequence[Row] = (
        database.tried("CALL dbms.components() YIELD name, versions RETURN name, versions[0] AS v") or []
    )
    if rows:
        return f"{rows[0]['name']} {rows[0]['v']}"
    return "FalkorDB" if database.is_falkor else ""


def _keys(database: Database, nodes: int, notes: list[str]) -> tuple[dict[str, int], set[str]]:
    """How many nodes have each property, and which properties tell all nodes apart."""
    rows = database.tried("MATCH (n) UNWIND keys(n) AS k RETURN k, count(n) AS c")
    if rows is None:
        notes.append("counting properties took too long: those of 10,000 nodes are known")
        rows = database.rows("MATCH (n) WITH n LIMIT 10000 UNWIND keys(n) AS k RETURN k, count(n) AS c")
        return {str(row["k"]): int(row["c"]) for row in rows}, set()
    counts = {str(row["k"]): int(row["c"]) for row in rows}
    for key in (k for k in (*KEYS, *NAMES) if counts.get(k) == nodes):
        found = database.tried("MATCH (n) RETURN count(DISTINCT n[$key]) AS d", key=key)
        if found and int(found[0]["d"]) == nodes:
            return counts, {key}
    return counts, set()


def _text_index(database: Database) -> tuple[str, ...]:
    """How a full-text index over nodes is asked: ("neo4j", its name) or ("falkordb", a label of each)."""
    rows = database.tried("SHOW INDEXES YIELD name, type, entityType RETURN name, type, entityType") or []
    for row in rows:
        if row["type"] == "FULLTEXT" and row["entityType"] == "NODE":
            return ("neo4j", str(row["name"]))
    rows = database.tried("CALL db.indexes() YIELD label, types, entitytype RETURN label, types, entitytype") or []
    full = [
        str(row["label"])
        for row in rows
        if row["entitytype"] == "NODE" and any("FULLTEXT" in kinds for kinds in dict(row["types"]).values())
    ]
    return ("falkordb", *full) if full else ()
