"""The nodes of a property graph that statements make one after the other: found by what they have, named at the end.

Kept apart from `cypher_dump`, which reads statements: this is what they change. A node's id is given when an edge first
needs it, since the statement that makes a node may state its key last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from clew.graph.cypher_tokens import CypherError
from clew.graph.inputs import Batch
from clew.graph.labelling import may_name, name_rank
from clew.graph.property_files import KEYS, NAMES, PropertyTriples

INTERNAL = frozenset(["UNIQUE IMPORT LABEL", "UNIQUE IMPORT ID", "UNIQUE IMPORT ID REL", "__mg_vertex__", "__mg_id__"])
HIDDEN = frozenset(["id", "uri", "iri", "qid", "uuid"])  # properties that are a node's id and nothing else
CODES = frozenset(["key", "code", "slug", "login", "username", "symbol", "sku", "isbn", "number"])
SEARCHED = 1 << 24  # nodes looked at in all because a pattern fits several


class MadeNode:
    __slots__ = ("id", "key", "properties", "types")

    def __init__(self) -> None:
        self.id = self.key = ""  # the property that says it; "" until an edge or the end needs it
        self.types: list[str] = []
        self.properties: dict[str, Any] = {}


class MadeEdge:
    __slots__ = ("head", "kind", "merged", "properties", "tail")

    def __init__(self, head: MadeNode, kind: str, tail: MadeNode, merged: bool) -> None:
        self.head, self.kind, self.tail, self.merged = head, kind, tail, merged
        self.properties: dict[str, Any] = {}


class MadeNodes:
    """All nodes so far. Dropping what an export puts in for itself is done here alone."""

    def __init__(self) -> None:
        self._nodes: list[MadeNode] = []
        self._typed: dict[str, list[MadeNode]] = {}
        self._having: dict[str, list[MadeNode]] = {}  # by property; an index is made of it when it is asked for
        self._index: dict[str, dict[Hashable, list[MadeNode]]] = {}
        self.unique: dict[str, str] = {}  # type → the property that a constraint makes its key
        self._ids: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._merged: set[Hashable] = set()
        self._left = SEARCHED

    def __len__(self) -> int:
        return len(self._nodes)

    def make(self) -> MadeNode:
        node = MadeNode()
        self._nodes.append(node)
        return node

    def add_types(self, node: MadeNode, types: tuple[str, ...]) -> None:
        for each in types:
            if each not in node.types:
                node.types.append(each)
                self._typed.setdefault(each, []).append(node)

    def put(self, thing: MadeNode | MadeEdge, key: str, value: Any) -> None:
        if isinstance(value, (MadeNode, MadeEdge)):
            raise CypherError(f"a node or relationship for the property {key[:40]!r}")
        if value is None:
            thing.properties.pop(key, None)
            return
        new = key not in thing.properties
        thing.properties[key] = value
        if isinstance(thing, MadeNode):
            if new:
                self._having.setdefault(key, []).append(thing)
            if key in self._index:
                self._index[key].setdefault(key_of(value), []).append(thing)

    def forget(self, keys: set[str]) -> None:
        """Find no node by these properties any more: another export may follow, with the same ids."""
        for key in keys:
            self._having.pop(key, None)
            self._index.pop(key, None)

    def _with_value(self, key: str, value: Any) -> list[MadeNode]:
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = {}
            for node in self._having.get(key, ()):
                index.setdefault(key_of(node.properties.get(key)), []).append(node)
        return index.get(key_of(value), [])

    def found(self, types: Sequence[str], held: Mapping[str, Any]) -> list[MadeNode]:
        """The nodes that have these types and properties."""
        lists = [self._with_value(key, value) for key, value in held.items()]
        lists = lists or [self._typed.get(each, []) for each in types] or [self._nodes]
        among = min(lists, key=len)
        self._left -= max(len(among) - 8, 0)
        if self._left < 0:
            raise CypherError("patterns that fit too many nodes; state a property that tells them apart")
        wanted = {key: key_of(value) for key, value in held.items()}
        return [
            node
            for node in dict.fromkeys(among)
            if set(types) <= set(node.types) and all(key_of(node.properties.get(k)) == v for k, v in wanted.items())
        ]

    def hand_on(self, edge: MadeEdge, made: PropertyTriples) -> None:
        held = {key: value for key, value in edge.properties.items() if key not in INTERNAL}
        head, tail = self._id(edge.head), self._id(edge.tail)
        if edge.merged:
            key = (head, edge.kind, tail, key_of(held))
            if key in self._merged:
                return
            self._merged.add(key)
        made.edge(head, tail, edge.kind, held)

    def hand_on_all(self, made: PropertyTriples) -> Iterator[Batch]:
        """The nodes; to be called once, after the last statement."""
        named = self._naming()
        for node in self._nodes:
            types = [each for each in node.types if each not in INTERNAL]
            properties = {key: value for key, value in node.properties.items() if key not in INTERNAL}
            id, name = self._id(node), named.get(types[0] if types else "", "")
            known = [key for key in properties if key in CODES or key in map(self.unique.get, types)]
            hidden = node.key if node.key in HIDDEN else ""
            made.node(id, types, properties, hidden, named_by=name, known_by=known)
            yield from made.batches()

    def _id(self, node: MadeNode) -> str:
        if node.id:
            return node.id
        kinds = [each for each in node.types if each not in INTERNAL]
        held, kind = node.properties, kinds[0] if kinds else "node"
        keys = (*(self.unique[each] for each in kinds if each in self.unique), *KEYS)
        node.key = next((key for key in keys if isinstance(held.get(key), (str, int)) and held[key] != ""), "")
        value = held.get(node.key, "")
        # A bare number shows as something only beside its kind, unless another property names the node.
        plain = isinstance(value, str) or any(name in held for name in NAMES)
        stated = str(value).strip()
        id = next(
            (id for id in ([stated] if plain else []) + [f"{kind} {stated}"] if stated and id not in self._ids), ""
        )
        base = f"{kind} {stated}".strip()
        while not id or id in self._ids:
            self._counts[base] += 1
            id = f"{base} #{self._counts[base]}" if stated else f"{base} {self._counts[base]}"
        self._ids.add(id)
        node.id = id
        return id

    def _naming(self) -> dict[str, str]:
        """For each first type whose nodes have no name, the property that tells them apart for people."""
        lacking: dict[str, list[MadeNode]] = {}
        for node in self._nodes:
            if not any(isinstance(node.properties.get(name), str) for name in NAMES):
                kinds = [each for each in node.types if each not in INTERNAL]
                lacking.setdefault(kinds[0] if kinds else "", []).append(node)
        named: dict[str, str] = {}
        for kind, nodes in lacking.items():
            texts: dict[str, list[str]] = {}
            for node in nodes:
                for key, value in node.properties.items():
                    if isinstance(value, str) and key not in INTERNAL and key not in HIDDEN:
                        texts.setdefault(key, []).append(value)
            fit = [key for key, values in texts.items() if may_name(key, values, len(nodes))]
            fit.sort(key=lambda key: (name_rank(key), key != self.unique.get(kind), key.casefold() not in CODES))
            if fit:
                named[kind] = fit[0]
        return named


def key_of(value: Any) -> Hashable:
    """What tells a value from others of another type or content."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return (type(value).__name__, id(value) if isinstance(value, (MadeNode, MadeEdge)) else repr(value))
    return value
