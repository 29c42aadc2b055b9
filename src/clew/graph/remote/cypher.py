"""A property graph in an openCypher database: one query a hop, whatever the frontier.

Apart from the store because it is only about queries: what a hop, a label, a count looks like as openCypher, and what
to do when a reply would be too long. What of the database is which part of a graph is said in `nodes`.

A hop asks for the nodes' own properties, their relationships in both directions and, where a literal is among the
frontier, for the nodes that hold it, all in one query. Where every relationship is one triple and no label is wanted,
the ends come as two lists a relation: an inner id and an id of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from clew.graph.inputs import ALIAS
from clew.graph.property_values import value_of
from clew.graph.remote.bolt import Row
from clew.graph.remote.cypher_survey import look_over
from clew.graph.remote.database import Database
from clew.graph.remote.nodes import EDGE, LABEL, plain_name, quoted_name, spaced
from clew.graph.remote.records import Fact, Facts, FactsWanted, Group, Profile
from clew.graph.remote.shares import cut_down, share_out
from clew.graph.remote.terms import is_literal

MOST_LABELS = 30  # of which each is asked by itself, so that an index on it serves
PAGE = 20_000  # nodes

_NODE = "ID(n) AS i, properties(n) AS p, labels(n) AS l"
_HOLDS = "any(k IN keys(n) WHERE n[k] IN $values) OR any(x IN labels(n) WHERE x IN $labels)"  # every node is read


class CypherServer(Database):
    """See `records.GraphServer`."""

    _index: tuple[str, ...] = ()  # how the text index is asked

    def profile(self) -> Profile:
        found = look_over(self)
        self.use(found)
        return found

    def use(self, profile: Profile) -> None:
        self.inner_id = profile.details["inner_id"]
        self._index = tuple(profile.details["text_index"])
        self.nodes.key = profile.details["id_property"]
        self.nodes.labels = tuple(profile.details["node_labels"])
        self.nodes.on_relationships = frozenset(profile.details["on_relationships"])
        self.nodes.names, self.nodes.aliases = profile.label_properties, profile.alias_properties

    # -- nodes by id ---------------------------------------------------------------------------------------------------

    def inner(self, ids: Collection[str]) -> dict[str, Any]:
        """Inner ids of the nodes with these ids; what is absent is not there."""
        inside = self.nodes.inside
        known = {id: inside[id] for id in ids if id in inside}
        wanted = [id for id in ids if id not in known and not is_literal(id) and not id.startswith((EDGE, LABEL))]
        for row in self.split(wanted, self._with_ids):
            known[self.nodes.id_of(row["i"], row["p"])] = row["i"]
        return {id: known[id] for id in ids if id in known}

    def _with_ids(self, ids: Sequence[str]) -> list[Row]:
        if not self.nodes.key:
            inner: list[Any] = [id for id in ids if self.inner_id == "elementId" or (id.isascii() and id.isdigit())]
            inner = inner if self.inner_id == "elementId" else [int(id) for id in inner if len(id) < 19]
            found = self.tried(f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN {_NODE}", ids=inner) if inner else []
            return found or []  # what is no inner id may be refused
        values: list[Any] = list(ids)
        values += [int(id) for id in ids if id.lstrip("-").isascii() and id.lstrip("-").isdigit() and len(id) < 19]
        key = plain_name(self.nodes.key)
        if key is None:
            return self.rows(f"MATCH (n) WHERE n[$key] IN $values RETURN {_NODE}", key=self.nodes.key, values=values)
        labels = [plain for label in self.nodes.labels if (plain := plain_name(label))]
        if not 0 < len(labels) == len(self.nodes.labels) <= MOST_LABELS:
            return self.rows(f"MATCH (n) WHERE n.{key} IN $values RETURN {_NODE}", values=values)
        # With its label an index finds a node; without, every node is read.
        parts = [f"MATCH (n:{label}) WHERE n.{key} IN $values RETURN {_NODE}" for label in labels]
        return self.rows(" UNION ".join(parts), values=values)

    def _own(self, inner: Collection[Any]) -> list[Row]:
        """Properties and labels of nodes."""
        query = f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i RETURN {_NODE}"
        return self.split(list(inner), lambda part: self.rows(query, ids=list(part)))

    # -- facts ---------------------------------------------------------------------------------------------------------

    def facts(self, wanted: FactsWanted) -> Facts:
        asked, sides, result = list(dict.fromkeys(wanted.ids)), wanted.sides, Facts()
        into = wanted.asked(asked, False) if False in sides else []
        held = [id for id in into if is_literal(id) or id.startswith(LABEL)]
        found = list(self._around(list(self.inner(asked).values()), held, wanted, result))
        for id in asked:
            if id.startswith(EDGE):
                facts = self._facts_of_edge(id, result.labels)
                found += [f for f in facts if (True in sides and f[0] == id) or (id in into and f[2] == id)]
        result.rows = list(dict.fromkeys(fact for fact in found if wanted.takes(fact[1])))
        return cut_down(result, wanted)

    def _around(
        self, inner: list[Any], held: Sequence[str], wanted: FactsWanted, result: Facts, *, own: bool = True
    ) -> Iterator[Fact]:
        """The facts of nodes, and those that end in `held`, literals and labels; of what is cut, `result` is told.

        Args:
            own: whether what nodes have is wanted, beside their relationships.
        """
        short = self.nodes.plain_relationships and not wanted.labels
        parts = [_related(forward, short, self.nodes.key, self.room) for forward in wanted.sides]
        if own and True in wanted.sides:
            parts.insert(0, f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i {_returned(short, 'n')}")
        holders = f"MATCH (n) WHERE {_HOLDS} WITH n LIMIT {self.room} {_returned(short, 'h')}"
        values = [value for id in held if is_literal(id) and (value := value_of(id)) is not None]
        given = {"values": values, "labels": [id.removeprefix(LABEL) for id in held if id.startswith(LABEL)]}
        left = [holders] if any(given.values()) else []  # asked for once, with the first nodes
        crowded: list[Any] = []
        apart = {self.nodes.inside[id] for id in wanted.outward if id in self.nodes.inside}

        def ask(part: Sequence[Any]) -> list[Row]:
            into = [i for i in part if i not in apart]
            found = self.rows(" UNION ALL ".join([*parts, *left]), ids=list(part), into=into, **(given if left else {}))
            left.clear()
            if sum(len(row["b"]) if short and row["b"] else 1 for row in found) >= self.room:
                crowded.extend(part)
                return [row for row in found if row["d"] == "h"]
            return found

        rows = self.split(inner, ask)
        if left:
            rows += self.rows(holders, **given)
        if crowded:
            rows += self._shared_out(crowded, wanted, short, own, result.cut)
        if sum(row["d"] == "h" for row in rows) >= self.room:
            count = int(self.rows(f"MATCH (n) WHERE {_HOLDS} RETURN count(n) AS c", **given)[0]["c"])
            result.cut[held[0]] = result.cut.get(held[0], 0) + count - self.room
        ends = set(held)
        for row in rows:
            facts = self._short(row) if short and row["d"] in "oi" else self._read(row, result.labels)
            yield from facts if row["d"] != "h" else (fact for fact in facts if fact[2] in ends)

    def _short(self, row: Row) -> Iterator[Fact]:
        """The facts of one node and relation, their ends in lists."""
        nodes, kind = self.nodes, str(row["t"])
        mine = nodes.outside[row["a"]]
        keys = row["k"] or [""] * len(row["b"])
        for inner, key in zip(row["b"], keys, strict=True):
            other = nodes.outside.get(inner) or nodes.known_as(inner, None if key == "" else key)
            yield (mine, kind, other, None) if row["d"] == "o" else (other, kind, mine, None)

    def _read(self, row: Row, labels: dict[str, str]) -> Iterator[Fact]:
        """The facts of a node's own, or of one relationship."""
        properties: Mapping[str, Any] = row["p"]
        if row["d"] in "nh":
            yield from self.nodes.facts_of(self.nodes.id_of(row["a"], properties), properties, row["l"], labels)
            return
        forward = row["d"] == "o"
        other = self.nodes.id_of(row["b"] if forward else row["a"], properties)
        mine = self.nodes.outside[row["a"] if forward else row["b"]]
        if (label := self.nodes.label_of(properties)) is not None:
            labels[other] = label
        head, tail = (mine, other) if forward else (other, mine)
        facts = self.nodes.relationship(head, str(row["t"]), tail, row["r"], row["q"])
        yield facts[0]
        yield from facts[1:2] if forward else facts[2:3]

    def _facts_of_edge(self, id: str, labels: dict[str, str]) -> Sequence[Fact]:
        nodes = self.nodes
        if id in nodes.around:
            return nodes.around[id]
        inner: Any = id.removeprefix(EDGE)
        if self.inner_id == "id":
            if not (inner.isascii() and inner.isdigit() and len(inner) < 19):
                return ()
            inner = int(inner)
        found = self.tried(
            "MATCH (a)-[r]->(b) WHERE ID(r) = $id RETURN ID(a) AS a, properties(a) AS pa, ID(b) AS b, "
            "properties(b) AS pb, type(r) AS t, properties(r) AS q",
            id=inner,
        )
        for row in found or ():
            ends = []
            for end, held in ((row["a"], row["pa"]), (row["b"], row["pb"])):
                ends.append(nodes.id_of(end, held))
                if (label := nodes.label_of(held)) is not None:
                    labels[ends[-1]] = label
            nodes.relationship(ends[0], str(row["t"]), ends[1], inner, row["q"])
        return nodes.around.get(id, ())

    def _shared_out(
        self, inner: Sequence[Any], wanted: FactsWanted, short: bool, own: bool, cut: dict[str, int]
    ) -> list[Row]:
        """Rows around nodes that have too many relationships: each type is counted, then asked for its share."""
        counted = self._counted(inner, wanted.sides)
        counts = {
            group: n
            for group, n in sorted(counted.items())
            if wanted.takes(group.relation) and (group.forward or group.entity not in wanted.outward)
        }
        rows: list[Row] = []
        if own and True in wanted.sides:
            rows = self.rows(f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i {_returned(short, 'n')}", ids=list(inner))
        for group, share in share_out(counts, wanted.limit, wanted.total).items():
            if share < counts[group]:
                cut[group.entity] = cut.get(group.entity, 0) + counts[group] - share
            if share:
                query = _related(group.forward, short, self.nodes.key, share, of_type=True)
                ids = [self.nodes.inside[group.entity]]
                rows += self.rows(query, ids=ids, into=ids, type=group.relation)
        return rows

    def _counted(self, inner: Sequence[Any], sides: Sequence[bool]) -> dict[Group, int]:
        parts = []
        for forward in sides:
            pattern = "(n)-[r]->()" if forward else "()-[r]->(n)"
            parts.append(
                f"UNWIND $ids AS i MATCH (n) WHERE ID(n) = i MATCH {pattern} "
                f"RETURN ID(n) AS i, '{'o' if forward else 'i'}' AS d, type(r) AS t, count(r) AS c"
            )
        rows = self.split(list(inner), lambda part: self.rows(" UNION ALL ".join(parts), ids=list(part)))
        return {Group(self.nodes.outside[row["i"]], row["d"] == "o", str(row["t"])): int(row["c"]) for row in rows}

    def groups(self, ids: Sequence[str]) -> dict[Group, int]:
        inner = self.inner(list(dict.fromkeys(ids)))
        counts = self._counted(list(inner.values()), (True, False)) if inner else {}
        for row in self._own(inner.values()):
            id = self.nodes.id_of(row["i"], row["p"])
            for _, relation, _, _ in self.nodes.facts_of(id, row["p"], row["l"], {}):
                group = Group(id, True, relation)
                counts[group] = counts.get(group, 0) + 1
        return dict(sorted(counts.items()))

    # -- what plans are written with: see `query.property_plan` --------------------------------------------------------

    def name_of(self, node: str) -> str:
        """An expression for the label of a node, up to the white space around it."""
        keys = [*self.nodes.names, *([self.nodes.key] if self.nodes.key else [])]
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
        return self.nodes.id_of(row["i"], row["p"]), self.nodes.label_of(row["p"])

    # -- names ---------------------------------------------------------------------------------------------------------

    def labels(self, ids: Sequence[str]) -> dict[str, str | None]:
        """See `records.GraphServer`."""
        found: dict[str, str | None] = {}
        for id in ids:
            if id.startswith(LABEL) and id.removeprefix(LABEL) in self.nodes.labels:
                found[id] = spaced(id.removeprefix(LABEL))
            elif id.startswith(EDGE) and self._facts_of_edge(id, {}):
                found[id] = None
        if values := [id for id in ids if is_literal(id)]:
            held = self._around([], values, FactsWanted(values, labels=False), Facts())
            found |= dict.fromkeys(tail for _, _, tail, _ in held)
        for row in self._own(self.inner([id for id in ids if id not in found]).values()):
            found[self.nodes.id_of(row["i"], row["p"])] = self.nodes.label_of(row["p"])
        return found

    def aliases(self, id: str) -> list[str]:
        rows = self._own(self.inner([id]).values())
        return [text for row in rows for text, rank in self.nodes.texts_of(row["p"]) if rank >= ALIAS]

    def description(self, id: str) -> str | None:
        for row in self._own(self.inner([id]).values()):
            held = row["p"].get("description") or row["p"].get("comment")
            return held if isinstance(held, str) else None
        return None

    def named(self, texts: Sequence[str], limit: int) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for name in (*self.nodes.names, *self.nodes.aliases):
            for row in self.split(list(dict.fromkeys(texts)), partial(self._called, name)):
                id, text = self.nodes.id_of(row["i"], row["p"]), str(row["p"][name])
                if (id, text) not in found.setdefault(text, []):
                    found[text].append((id, text))
        return {text: sorted(rows)[:limit] for text, rows in found.items()}

    def _called(self, name: str, texts: Sequence[str]) -> list[Row]:
        """Nodes whose property `name` is one of the texts."""
        key = plain_name(name)
        held = "n[$key]" if key is None else f"n.{key}"
        query = f"MATCH (n) WHERE {held} IN $texts RETURN {_NODE} LIMIT {self.room}"
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
        pairs = map(self.read, rows)
        return [(id, label) for id, label in pairs if label is not None][:limit]

    # -- everything, in pages ------------------------------------------------------------------------------------------

    def _pages(self, start: int, returned: str = _NODE) -> Iterator[tuple[int, list[Row]]]:
        while True:
            page = f"MATCH (n) WITH n ORDER BY ID(n) SKIP {int(start)} LIMIT {min(self.room, PAGE)}"
            rows = self.rows(f"{page} {'' if returned == _NODE else 'OPTIONAL MATCH (n)-[r]-() '}RETURN {returned}")
            if not rows:
                return
            start += len(rows)
            yield start, rows

    def _types(self, after: int, rows: Sequence[Row], row: Callable[[str], Any]) -> list[Any]:
        """Rows for the labels of nodes, with the first page."""
        first = after == len(rows) and self.nodes.labels_are_types
        return [row(label) for label in self.nodes.labels] if first else []

    def terms(self, start: int) -> Iterator[tuple[int, list[tuple[str, int, str]]]]:
        for after, rows in self._pages(start, f"{_NODE}, count(r) AS c"):
            found = []
            for row in rows:
                id = self.nodes.id_of(row["i"], row["p"])
                own = sum(1 for _ in self.nodes.facts_of(id, row["p"], row["l"], {}))
                found.append((id, int(row["c"]) + own, str(row["i"])))
            yield after, found + self._types(after, rows, lambda label: (LABEL + label, 0, ""))

    def texts(self, start: int) -> Iterator[tuple[int, list[tuple[str, str, int]]]]:
        for after, rows in self._pages(start):
            found = []
            for row in rows:
                id = self.nodes.id_of(row["i"], row["p"])
                found += [(id, text, rank) for text, rank in self.nodes.texts_of(row["p"])]
            yield after, found + self._types(after, rows, lambda label: (LABEL + label, spaced(label), 0))

    def locate(self, places: Mapping[str, str]) -> None:
        for id, inner in places.items():
            if id not in self.nodes.inside:
                self.nodes.known_as(inner if self.inner_id == "elementId" else int(inner), id)

    def scan(self, start: int) -> Iterator[tuple[int, list[Fact]]]:
        for after, rows in self._pages(start):
            found: list[Fact] = []
            for row in rows:
                found += self.nodes.facts_of(self.nodes.id_of(row["i"], row["p"]), row["p"], row["l"], {})
            wanted = FactsWanted((), direction="out", labels=False)
            found += self._around([row["i"] for row in rows], (), wanted, Facts(), own=False)
            edges = dict.fromkeys(fact[2] for fact in found if fact[2].startswith(EDGE))
            found += [fact for edge in edges for fact in self.nodes.around[edge] if fact[0] == edge]
            yield after, list(dict.fromkeys(found))


def _related(forward: bool, short: bool, key: str, most: int, *, of_type: bool = False) -> str:
    """Relationships from the nodes $ids, or to the nodes $into; of the type $type those with the lowest ends."""
    end, other = ("a", "b") if forward else ("b", "a")
    found = f"UNWIND ${'ids' if forward else 'into'} AS i MATCH ({end}) WHERE ID({end}) = i MATCH (a)-[r]->(b)"
    order, mark = "", "o" if forward else "i"
    name = plain_name(key) if key else None
    if of_type:
        found += " WHERE type(r) = $type"
        order = f" ORDER BY {f'm.{name}' if name else 'ID(m)'}, ID(r)"
    if not short:
        return (
            f"{found} WITH a, b, r, {other} AS m{order} LIMIT {int(most)} RETURN '{mark}' AS d, ID(a) AS a, "
            "ID(b) AS b, ID(r) AS r, type(r) AS t, properties(r) AS q, properties(m) AS p, labels(m) AS l"
        )
    keys = f"collect(coalesce(m.{name}, ''))" if name else "null"
    return (
        f"{found} WITH {end} AS e, r, {other} AS m{order} LIMIT {int(most)} RETURN '{mark}' AS d, ID(e) AS a, "
        f"collect(ID(m)) AS b, type(r) AS t, {keys} AS k, null AS p, null AS l"
    )


def _returned(short: bool, mark: str) -> str:
    """A node's own, in the columns of `_related`."""
    if short:
        return f"RETURN '{mark}' AS d, ID(n) AS a, null AS b, null AS t, null AS k, properties(n) AS p, labels(n) AS l"
    return (
        f"RETURN '{mark}' AS d, ID(n) AS a, null AS b, null AS r, null AS t, null AS q, properties(n) AS p, "
        "labels(n) AS l"
    )
