"""A property graph in an openCypher database: one query a hop, whatever the frontier.

Apart from the store because it is only about queries and about how nodes, relationships and properties become triples:
a relationship is a triple; one with properties also gets a nameless n-ary node between its ends, which carries them
(`relationship_properties`); a property of a node is a triple that ends in a literal; its labels say its type.

Queries are constants. Ids, names and values are parameters; the property keys and types of the graph are too.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from clew.errors import InputError
from clew.graph.inputs import ALIAS
from clew.graph.property_values import literals, value_of
from clew.graph.remote.address import Address
from clew.graph.remote.bolt import Row, open_client
from clew.graph.remote.http import RefusedError, TooMuchError
from clew.graph.remote.records import Fact, Facts, FactsWanted, Group, Profile, Traffic
from clew.graph.remote.replies import Replies
from clew.graph.remote.settings import ServerSettings
from clew.graph.remote.shares import cut_down, share_out
from clew.graph.remote.terms import is_literal
from clew.labels import readable

TYPE = "type"  # the relation from a node to its labels
LABEL = "label:"  # what the ids of labels begin with
EDGE = "_:r"  # and those of relationships that are mediators
AT_ONCE = 5_000  # nodes of one query
KEYS = ("id", "uri", "iri", "qid", "key", "identifier", "uuid", "wikidataId", "code")
NAMES = ("name", "label", "title", "prefLabel", "displayName", "fullName", "rdfs__label", "skos__prefLabel", "caption")
ALIASES = ("aliases", "alias", "altLabel", "alternateName", "synonyms", "skos__altLabel", "akas")
MOST_LABELS = 30  # of which each is asked by itself, so that an index on it serves

_NODE = "ID(n) AS i, properties(n) AS p, labels(n) AS l"
_RELATIONSHIP = (
    "ID(a) AS a, ID(b) AS b, ID(r) AS r, type(r) AS t, properties(r) AS q, properties(m) AS p, labels(m) AS l"
)


class CypherServer:
    """See `records.Server`."""

    kind = "openCypher database"

    def __init__(self, address: Address, settings: ServerSettings) -> None:
        self.shown, self.traffic = address.shown, Traffic()
        self._settings = settings
        self._client = open_client(address, settings, self.traffic)
        self._id = "id"  # the function that gives a node's inner id
        self._key = settings.id_property  # property that holds the id of a node; "": its inner id
        self._names: tuple[str, ...] = settings.label_properties
        self._aliases: tuple[str, ...] = ()
        self._labels: tuple[str, ...] = ()
        self._index: tuple[str, ...] = ()  # how the text index is asked
        self.on_relationships: frozenset[str] = frozenset()  # properties of relationships that are nodes as well
        self._inside: dict[str, Any] = {}  # id → inner id, of nodes that were met
        self._outside: dict[Any, str] = {}  # and the other way round
        self._around: dict[str, tuple[Fact, ...]] = {}  # mediator → its facts
        self._room = settings.page
        self._kept: Replies | None = None

    def close(self) -> None:
        if self._kept is not None:
            self._kept.close()
        self._client.close()

    def keep(self, replies: Replies) -> None:
        """See `records.GraphServer`."""
        self._kept = replies

    def forget(self) -> None:
        """Drop kept replies."""
        if self._kept is not None:
            self._kept.clear()

    def written(self, query: str) -> str:
        """A query with the function that gives inner ids here in the place of ID(."""
        return query.replace("ID(", f"{self._id}(")

    def rows(self, query: str, **parameters: Any) -> list[Row]:
        """The rows of a read-only query; see `written`."""
        query = self.written(query)
        if self._kept is None:
            return self._client.run(query, parameters)
        asked = json.dumps([query, parameters], sort_keys=True)
        known = self._kept.get(asked)
        if known is not None:
            self.traffic.cached += 1
            return list(known["rows"])
        rows = self._client.run(query, parameters)
        if kept_as_json(rows):
            self._kept.put(asked, {"rows": rows})
        return rows

    def _tried(self, query: str, **parameters: Any) -> list[Row] | None:
        try:
            return self.rows(query, **parameters)
        except (TooMuchError, RefusedError):
            return None

    def _halved(self, items: Sequence[Any], ask: Callable[[Sequence[Any]], list[Any]]) -> list[Any]:
        """`ask` over parts of `items`; a part that is too much for the server is asked in halves."""
        if len(items) > AT_ONCE:
            parts = [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)]
            return [row for part in parts for row in self._halved(part, ask)]
        if not items:
            return []
        try:
            return ask(items)
        except TooMuchError:
            if len(items) == 1:
                raise
        middle = len(items) // 2
        return [*self._halved(items[:middle], ask), *self._halved(items[middle:], ask)]

    # -- looking the graph over ----------------------------------------------------------------------------------------

    def profile(self) -> Profile:
        notes: list[str] = []
        self.rows("RETURN 1 AS one")
        self._id = "elementId" if self._tried("MATCH (n) RETURN elementId(n) AS i LIMIT 1") is not None else "id"
        nodes = self.rows("MATCH (n) RETURN count(n) AS c")[0]["c"]
        if not nodes:
            raise InputError(f"graph {self.shown}: holds no node; load some, or name another database in the URL")
        counts, unique = self._found_keys(int(nodes), notes)
        names = self._settings.label_properties or tuple(name for name in NAMES if counts.get(name))
        if not names:
            notes.append("no property of the nodes reads as a name: ids are shown; set label_properties")
        key = self._settings.id_property or next((k for k in (*KEYS, *names[:1]) if k in unique), "")
        aliases = tuple(alias for alias in ALIASES if counts.get(alias))
        types = self._tried("MATCH ()-[r]->() RETURN type(r) AS t, count(r) AS c") or []
        labels = self._tried("MATCH (n) UNWIND labels(n) AS l RETURN l, count(n) AS c") or []
        self._names, self._aliases, self._key = names, aliases, key
        hidden = {key, *names[:1], *aliases}
        relations = {str(row["t"]): int(row["c"]) for row in types}
        on_edges: list[str] = []
        if self._settings.relationship_properties == "mediator":
            within = self._tried("MATCH ()-[r]->() UNWIND keys(r) AS k RETURN k, count(r) AS c") or []
            on_edges = sorted(str(row["k"]) for row in within)
            for row in within:
                relations[str(row["k"])] = relations.get(str(row["k"]), 0) + int(row["c"])
        for name, count in counts.items():
            if name not in hidden:
                relations[name] = relations.get(name, 0) + count
        if labels and self._settings.node_labels == "types":
            relations[TYPE] = relations.get(TYPE, 0) + sum(int(row["c"]) for row in labels)
        return Profile(
            engine=self._engine(),
            triples=self.count(),
            relations=tuple((id, readable(_spaced(id)), n) for id, n in sorted(relations.items())),
            label_properties=names,
            alias_properties=aliases,
            languages=self._settings.language,
            text_search=" ".join(self._found_index(labels)),
            details={
                "nodes": int(nodes),
                "inner_id": self._id,
                "id_property": key,
                "node_labels": [str(row["l"]) for row in labels],
                "text_index": list(self._found_index(labels)),
                "on_relationships": on_edges,
            },
            notes=tuple(notes),
            at=time.time(),
        )

    def use(self, profile: Profile) -> None:
        self._id, self._key = profile.details["inner_id"], profile.details["id_property"]
        self._labels = tuple(profile.details["node_labels"])
        self._index = tuple(profile.details["text_index"])
        self.on_relationships = frozenset(profile.details["on_relationships"])
        self._names, self._aliases = profile.label_properties, profile.alias_properties

    def count(self) -> int | None:
        try:  # whether the graph has changed is no question for kept replies
            rows = self._client.run("MATCH ()-[r]->() RETURN count(r) AS c", {})
            nodes = self._client.run("MATCH (n) RETURN count(n) AS c", {})
        except (TooMuchError, RefusedError):
            return None
        return int(rows[0]["c"]) + int(nodes[0]["c"]) if rows and nodes else None

    def _engine(self) -> str:
        rows = self._tried("CALL dbms.components() YIELD name, versions RETURN name, versions[0] AS v") or []
        if rows:
            return f"{rows[0]['name']} {rows[0]['v']}"
        return "FalkorDB" if type(self._client).__name__ == "Falkor" else ""

    def _found_keys(self, nodes: int, notes: list[str]) -> tuple[dict[str, int], set[str]]:
        """How many nodes have each property, and which properties tell all nodes apart."""
        rows = self._tried("MATCH (n) UNWIND keys(n) AS k RETURN k, count(n) AS c")
        if rows is None:
            notes.append("counting properties took too long: those of 10,000 nodes are known")
            rows = self.rows("MATCH (n) WITH n LIMIT 10000 UNWIND keys(n) AS k RETURN k, count(n) AS c")
            return {str(row["k"]): int(row["c"]) for row in rows}, set()
        counts = {str(row["k"]): int(row["c"]) for row in rows}
        everywhere = [k for k in (*KEYS, *NAMES) if counts.get(k) == nodes]
        unique = set()
        for key in everywhere:
            found = self._tried("MATCH (n) RETURN count(DISTINCT n[$key]) AS d", key=key)
            if found and int(found[0]["d"]) == nodes:
                unique.add(key)
                break
        return counts, unique

    def _found_index(self, labels: Sequence[Row]) -> tuple[str, ...]:
        """How a full-text index over nodes is asked: ("neo4j", its name) or ("falkordb", a label of each)."""
        rows = self._tried("SHOW INDEXES YIELD name, type, entityType RETURN name, type, entityType") or []
        for row in rows:
            if row["type"] == "FULLTEXT" and row["entityType"] == "NODE":
                return ("neo4j", str(row["name"]))
        rows = self._tried("CALL db.indexes() YIELD label, types, entitytype RETURN label, types, entitytype") or []
        full = [
            str(row["label"])
            for row in rows
            if row["entitytype"] == "NODE" and any("FULLTEXT" in kinds for kinds in dict(row["types"]).values())
        ]
        return ("falkordb", *full) if full else ()

    # -- nodes to records ----------------------------------------------------------------------------------------------

    def _id_of(self, inner: Any, properties: Mapping[str, Any]) -> str:
        value = properties.get(self._key) if self._key else None
        id = str(inner) if value is None else str(value)
        self._inside[id] = inner
        self._outside[inner] = id
        return id

    def _label_of(self, properties: Mapping[str, Any]) -> str | None:
        for name in self._names:
            for value in literals(properties.get(name)):
                text = value[1 : value.rindex('"')].strip()
                if text:
                    return text
        return None

    def inner(self, ids: Collection[str]) -> dict[str, Any]:
        """Inner ids of the nodes with these ids; what is absent is not there."""
        known = {id: self._inside[id] for id in ids if id in self._inside}
        wanted = [id for id in ids if id not in known and not is_literal(id) and not id.startswith((EDGE, LABEL))]
        for row in self._halved(wanted, self._with_ids):
            known[self._id_of(row["i"], row["p"])] = row["i"]
        return {id: known[id] for id in ids if id in known}

    def _with_ids(self, ids: Sequence[str]) -> list[Row]:
        if not self._key:
            inner: list[Any] = [id for id in ids if self._id == "elementId" or (id.isascii() and id.isdigit())]
            inner = inner if self._id == "elementId" else [int(id) for id in inner if len(id) < 19]
            found = (
                self._tried(f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN {_NODE}", ids=inner) if inner else []
            )
            return found or []  # what is no inner id may be refused
        values: list[Any] = list(ids)
        values += [int(id) for id in ids if id.lstrip("-").isascii() and id.lstrip("-").isdigit() and len(id) < 19]
        key = _plain(self._key)
        if key is None:
            return self.rows(f"MATCH (n) WHERE n[$key] IN $values RETURN {_NODE}", key=self._key, values=values)
        labels = [plain for label in self._labels if (plain := _plain(label))]
        if not 0 < len(labels) == len(self._labels) <= MOST_LABELS:
            return self.rows(f"MATCH (n) WHERE n.{key} IN $values RETURN {_NODE}", values=values)
        # With its label an index finds a node; without, every node is read.
        parts = [f"MATCH (n:{label}) WHERE n.{key} IN $values RETURN {_NODE}" for label in labels]
        return self.rows(" UNION ".join(parts), values=values)

    # -- facts ---------------------------------------------------------------------------------------------------------

    def facts(self, wanted: FactsWanted) -> Facts:
        asked, sides = list(dict.fromkeys(wanted.ids)), wanted.sides
        result = Facts()
        rows: dict[tuple[str, str, str], None] = {}

        def keep(fact: Fact) -> None:
            if wanted.takes(fact[1]):
                rows[fact[:3]] = None

        inner = self.inner(asked)
        crowded: list[Any] = []

        def ask(part: Sequence[Any]) -> list[Row]:
            found = self.rows(f"{self._hop(sides)} LIMIT {self._room}", ids=list(part))
            if len(found) >= self._room:
                crowded.extend(part)
                return []
            return found

        came = self._halved(list(inner.values()), ask)
        if crowded:
            more, result.cut = self._shared_out(crowded, wanted)
            came += more
        for row in came:
            for fact in self._read(row, sides, result.labels):
                keep(fact)
        for id in asked:
            if id.startswith(EDGE):
                for fact in self._facts_of_edge(id, result.labels):
                    if (True in sides and fact[0] == id) or (False in sides and fact[2] == id):
                        keep(fact)
            elif False in sides and id.startswith(LABEL):
                for fact in self._holders([id], result.labels):
                    keep(fact)
        if False in sides and (values := [id for id in asked if is_literal(id)]):
            for fact in self._holders(values, result.labels):  # every node is read for it: once for all of them
                keep(fact)
        result.rows = [(*row, None) for row in rows]
        return cut_down(result, wanted)

    def _hop(self, sides: Sequence[bool]) -> str:
        parts = []
        if True in sides:
            parts.append(
                "UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN 'n' AS d, ID(n) AS a, null AS b, null AS r, "
                "null AS t, null AS q, properties(n) AS p, labels(n) AS l"
            )
        for forward in sides:
            end, other = ("a", "b") if forward else ("b", "a")
            parts.append(
                f"UNWIND $ids AS i MATCH ({end}) WHERE ID({end}) = i MATCH (a)-[r]->(b) WITH a, b, r, {other} AS m "
                f"RETURN '{'o' if forward else 'i'}' AS d, {_RELATIONSHIP}"
            )
        return " UNION ALL ".join(parts) if len(parts) > 1 else parts[0]

    def _read(self, row: Row, sides: Sequence[bool], labels: dict[str, str]) -> Iterator[Fact]:
        """The facts of a row of a hop: a node's own, or one relationship's."""
        properties: Mapping[str, Any] = row["p"]
        if row["d"] == "n":
            yield from self._facts_of_node(self._id_of(row["a"], properties), properties, row["l"], labels)
            return
        forward = row["d"] == "o"
        other = self._id_of(row["b"] if forward else row["a"], properties)
        mine = self._outside[row["a"] if forward else row["b"]]
        if (label := self._label_of(properties)) is not None:
            labels[other] = label
        head, tail = (mine, other) if forward else (other, mine)
        facts = self._relationship(head, str(row["t"]), tail, row["r"], row["q"])
        yield facts[0]
        yield from facts[1:2] if forward else facts[2:3]

    def _relationship(self, head: str, kind: str, tail: str, inner: Any, properties: Mapping[str, Any]) -> list[Fact]:
        """Its triple; where it has properties also to the mediator, from it to the other end, and its properties."""
        if not properties or self._settings.relationship_properties == "drop":
            return [(head, kind, tail, None)]
        edge = f"{EDGE}{inner}"
        around: list[Fact] = [(head, kind, edge, None), (edge, kind, tail, None)]
        around += [(edge, key, value, None) for key, held in properties.items() for value in literals(held)]
        self._around[edge] = tuple(around)
        return [(head, kind, tail, None), *around]

    # -- what plans are written with: see `query.property_plan` --------------------------------------------------------

    @property
    def labels_are_types(self) -> bool:
        return self._settings.node_labels == "types"

    @property
    def relationships_are_nodes(self) -> bool:
        """Whether a relationship with properties is a nameless node as well."""
        return self._settings.relationship_properties == "mediator"

    @property
    def names_nodes(self) -> frozenset[str]:
        """Properties that name a node or tell its id."""
        return frozenset({self._key, *self._names, *self._aliases})

    def name_of(self, node: str) -> str:
        """An expression for the label of a node, up to the white space around it."""
        keys = [*self._names, *([self._key] if self._key else [])]
        written = [f"toString({node}.{name})" for key in keys if (name := quoted_name(key)) is not None]
        return f"coalesce({', '.join([*written, repr('')])})"

    def relationships(self, name: str) -> tuple[int, int]:
        """How many relationships have a (quoted) type, and how many of these carry properties."""
        (row,) = self.rows(
            f"MATCH ()-[r:{name}]->() RETURN count(r) AS c, count(CASE WHEN size(keys(r)) > 0 THEN 1 END) AS q"
        )
        return int(row["c"]), int(row["q"])

    def values(self, name: str, most: int) -> list[Any]:
        """Some values of a (quoted) property of nodes."""
        return [
            row["v"] for row in self.rows(f"MATCH (n) WHERE n.{name} IS NOT NULL RETURN n.{name} AS v LIMIT {most}")
        ]

    def read(self, row: Row) -> tuple[str, str | None]:
        """The id and label of a row with the inner id `i` and the properties `p` of a node."""
        return self._id_of(row["i"], row["p"]), self._label_of(row["p"])

    # -- rows to facts -------------------------------------------------------------------------------------------------

    def _facts_of_node(
        self, id: str, properties: Mapping[str, Any], node_labels: Sequence[str], labels: dict[str, str]
    ) -> Iterator[Fact]:
        label = self._label_of(properties)
        if label is not None:
            labels[id] = label
        for key, held in properties.items():
            if key == self._key or key in self._aliases or (key in self._names and self._names_by(properties) == key):
                continue
            yield from ((id, key, value, None) for value in literals(held))
        if self._settings.node_labels == "types":
            for each in node_labels:
                labels[LABEL + each] = _spaced(each)
                yield (id, TYPE, LABEL + each, None)

    def _names_by(self, properties: Mapping[str, Any]) -> str | None:
        return next((name for name in self._names if self._label_of({name: properties.get(name)})), None)

    def _facts_of_edge(self, id: str, labels: dict[str, str]) -> Sequence[Fact]:
        if id in self._around:
            return self._around[id]
        inner: Any = id.removeprefix(EDGE)
        if self._id == "id":
            if not (inner.isascii() and inner.isdigit() and len(inner) < 19):
                return ()
            inner = int(inner)
        found = self._tried(
            "MATCH (a)-[r]->(b) WHERE ID(r) = $id RETURN ID(a) AS a, properties(a) AS pa, ID(b) AS b, "
            "properties(b) AS pb, type(r) AS t, properties(r) AS q",
            id=inner,
        )
        for row in found or ():
            ends = []
            for end, held in ((row["a"], row["pa"]), (row["b"], row["pb"])):
                ends.append(self._id_of(end, held))
                if (label := self._label_of(held)) is not None:
                    labels[ends[-1]] = label
            self._relationship(ends[0], str(row["t"]), ends[1], inner, row["q"])
        return self._around.get(id, ())

    def _holders(self, ids: Sequence[str], labels: dict[str, str]) -> Iterator[Fact]:
        """Facts that end in one of some literals, or in a label."""
        if ids[0].startswith(LABEL):
            label = ids[0].removeprefix(LABEL)
            found = self.rows(f"MATCH (n) WHERE $label IN labels(n) RETURN {_NODE} LIMIT {self._room}", label=label)
        else:
            values = [value for id in ids if (value := value_of(id)) is not None]
            if not values:
                return
            query = f"MATCH (n) WHERE any(k IN keys(n) WHERE n[k] IN $values) RETURN {_NODE} LIMIT {self._room}"
            found = self.rows(query, values=values)
        wanted = set(ids)
        for row in found:
            node = self._id_of(row["i"], row["p"])
            yield from (fact for fact in self._facts_of_node(node, row["p"], row["l"], labels) if fact[2] in wanted)

    def _shared_out(self, inner: Sequence[Any], wanted: FactsWanted) -> tuple[list[Row], dict[str, int]]:
        """Rows around nodes that have too many relationships: each type is counted, then asked for its share."""
        sides = wanted.sides
        counts = {group: n for group, n in self._counted(inner, sides).items() if wanted.takes(group.relation)}
        kept = share_out(counts, wanted.limit, wanted.total)
        cut: dict[str, int] = {}
        rows: list[Row] = (
            self.rows(f"{self._hop([True]).partition(' UNION ALL ')[0]}", ids=list(inner)) if True in sides else []
        )
        key = _plain(self._key) if self._key else None
        order = f"m.{key}" if key else "ID(m)"  # the lowest ids stay, as in a folder, and the same ones twice
        for group, share in kept.items():
            if share < counts[group]:
                cut[group.entity] = cut.get(group.entity, 0) + counts[group] - share
            if share:
                end, other = ("a", "b") if group.forward else ("b", "a")
                rows += self.rows(
                    f"MATCH ({end}) WHERE ID({end}) = $id MATCH (a)-[r]->(b) WHERE type(r) = $type "
                    f"WITH a, b, r, {other} AS m ORDER BY {order}, ID(r) LIMIT {int(share)} "
                    f"RETURN '{'o' if group.forward else 'i'}' AS d, {_RELATIONSHIP}",
                    id=self._inside[group.entity],
                    type=group.relation,
                )
        return rows, cut

    def _counted(self, inner: Sequence[Any], sides: Sequence[bool]) -> dict[Group, int]:
        parts = []
        for forward in sides:
            pattern = "(n)-[r]->()" if forward else "()-[r]->(n)"
            mark = "o" if forward else "i"
            parts.append(
                f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i MATCH {pattern} "
                f"RETURN ID(n) AS i, '{mark}' AS d, type(r) AS t, count(r) AS c"
            )
        query = " UNION ALL ".join(parts)
        rows = self._halved(list(inner), lambda part: self.rows(query, ids=list(part)))
        found = {Group(self._outside[row["i"]], row["d"] == "o", str(row["t"])): int(row["c"]) for row in rows}
        return dict(sorted(found.items()))

    def groups(self, ids: Sequence[str]) -> dict[Group, int]:
        inner = self.inner(list(dict.fromkeys(ids)))
        counts = self._counted(list(inner.values()), (True, False)) if inner else {}
        nodes = self._halved(
            list(inner.values()),
            lambda part: self.rows(f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN {_NODE}", ids=list(part)),
        )
        for row in nodes:
            id = self._id_of(row["i"], row["p"])
            for _, relation, _, _ in self._facts_of_node(id, row["p"], row["l"], {}):
                group = Group(id, True, relation)
                counts[group] = counts.get(group, 0) + 1
        return counts

    # -- names ---------------------------------------------------------------------------------------------------------

    def labels(self, ids: Sequence[str]) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for id in ids:
            if id.startswith(LABEL) and id.removeprefix(LABEL) in self._labels:
                found[id] = _spaced(id.removeprefix(LABEL))
                continue
            edge = id.startswith(EDGE) and bool(self._facts_of_edge(id, {}))
            if edge or (is_literal(id) and next(self._holders([id], {}), None) is not None):
                found[id] = None
        nodes = self._halved(
            list(self.inner([id for id in ids if id not in found]).values()),
            lambda part: self.rows(f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN {_NODE}", ids=list(part)),
        )
        for row in nodes:
            found[self._id_of(row["i"], row["p"])] = self._label_of(row["p"])
        return found

    def aliases(self, id: str) -> list[str]:
        for inner in self.inner([id]).values():
            for row in self.rows(f"MATCH (n) WHERE ID(n) = $id RETURN {_NODE}", id=inner):
                return [text for text, rank in self._texts_of(row["p"]) if rank >= ALIAS]
        return []

    def description(self, id: str) -> str | None:
        for inner in self.inner([id]).values():
            for row in self.rows(f"MATCH (n) WHERE ID(n) = $id RETURN {_NODE}", id=inner):
                held = row["p"].get("description") or row["p"].get("comment")
                return held if isinstance(held, str) else None
        return None

    def _texts_of(self, properties: Mapping[str, Any]) -> list[tuple[str, int]]:
        """The names of a node, (text, rank): its label, then its aliases."""
        label = self._label_of(properties)
        texts = [] if label is None else [(label, 0)]
        for alias in self._aliases:
            held = [value[1 : value.rindex('"')].strip() for value in literals(properties.get(alias))]
            texts += [(text, ALIAS) for text in held if text]
        return texts

    def named(self, texts: Sequence[str], limit: int) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for name in (*self._names, *self._aliases):
            rows = self._halved(list(dict.fromkeys(texts)), partial(self._called, name))
            for row in rows:
                id, text = self._id_of(row["i"], row["p"]), str(row["p"][name])
                if (id, text) not in found.setdefault(text, []):
                    found[text].append((id, text))
        return {text: sorted(rows)[:limit] for text, rows in found.items()}

    def _called(self, name: str, texts: Sequence[str]) -> list[Row]:
        """Nodes whose property `name` is one of the texts."""
        key = _plain(name)
        held = "n[$key]" if key is None else f"n.{key}"
        query = f"MATCH (n) WHERE {held} IN $texts RETURN {_NODE} LIMIT {self._room}"
        return self.rows(query, texts=list(texts), key=name)

    def search(self, text: str, limit: int) -> list[tuple[str, str]]:
        words = [word for word in "".join(c if c.isalnum() else " " for c in text.lower()).split() if word]
        if not words or not self._index:
            return []
        rows: list[Row] = []
        if self._index[0] == "neo4j":
            rows = self.rows(
                "CALL db.index.fulltext.queryNodes($index, $words) YIELD node WITH node AS n "
                f"RETURN {_NODE} LIMIT {int(limit)}",
                index=self._index[1],
                words=" AND ".join(words),
            )
        else:
            for label in self._index[1:]:
                rows += self.rows(
                    "CALL db.idx.fulltext.queryNodes($label, $words) YIELD node WITH node AS n "
                    f"RETURN {_NODE} LIMIT {int(limit)}",
                    label=label,
                    words=" ".join(words),
                )
        pairs = ((self._id_of(row["i"], row["p"]), self._label_of(row["p"])) for row in rows)
        return [(id, label) for id, label in pairs if label is not None][:limit]

    # -- everything, in pages ------------------------------------------------------------------------------------------

    def _pages(self, start: int) -> Iterator[tuple[int, list[Row]]]:
        step = min(self._room, 20_000)
        while True:
            rows = self.rows(
                f"MATCH (n) WITH n ORDER BY ID(n) SKIP {int(start)} LIMIT {step} "
                f"OPTIONAL MATCH (n)-[r]-() RETURN {_NODE}, count(r) AS c"
            )
            if not rows:
                return
            start += len(rows)
            yield start, rows

    def terms(self, start: int) -> Iterator[tuple[int, list[tuple[str, int, str]]]]:
        for after, rows in self._pages(start):
            found = []
            for row in rows:
                id = self._id_of(row["i"], row["p"])
                own = sum(1 for _ in self._facts_of_node(id, row["p"], row["l"], {}))
                found.append((id, int(row["c"]) + own, str(row["i"])))
            if after == len(rows) and self._settings.node_labels == "types":
                found += [(LABEL + label, 0, "") for label in self._labels]
            yield after, found

    def texts(self, start: int) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
        for after, rows in self._pages(start):
            found = []
            for row in rows:
                id = self._id_of(row["i"], row["p"])
                found += [(id, text, rank) for text, rank in self._texts_of(row["p"])]
            if after == len(rows) and self._settings.node_labels == "types":
                found += [(LABEL + label, _spaced(label), 0) for label in self._labels]
            yield after, found

    def locate(self, places: Mapping[str, str]) -> None:
        for id, inner in places.items():
            if id not in self._inside:
                self._inside[id] = inner if self._id == "elementId" else int(inner)
                self._outside[self._inside[id]] = id

    def scan(self, start: int) -> Iterator[tuple[int, list[Fact]]]:
        for after, rows in self._pages(start):
            ids = [self._id_of(row["i"], row["p"]) for row in rows]
            found = self.facts(FactsWanted(ids, direction="out")).rows
            edges = [fact[2] for fact in found if fact[2].startswith(EDGE)]
            found += [fact for edge in edges for fact in self._around[edge] if fact[0] == edge]
            yield after, found


def kept_as_json(rows: Sequence[Row]) -> bool:
    """Whether rows come back from JSON as they are: dates, points and bytes do not."""
    try:
        return bool(json.loads(json.dumps(rows)) == rows)
    except (TypeError, ValueError):
        return False


def quoted_name(name: str) -> str | None:
    """A label, type or property key as it may stand in a query; None for one that could end its quotation.

    Neo4j reads escapes before it reads quotation marks, so that no backslash is let through either.
    """
    return f"`{name}`" if name and name.isprintable() and not set(name) & {"`", "\\"} else None


def _plain(name: str) -> str | None:
    """A property key or label as it may stand in a query, quoted; None for one that could be more than a name."""
    return f"`{name}`" if name.isidentifier() and name.isascii() else None


def _spaced(name: str) -> str:
    """ACTED_IN as people write it."""
    return name.replace("_", " ").lower() if name.isupper() and len(name) > 3 else name.replace("_", " ")
