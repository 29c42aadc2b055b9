"""Reader of property graphs written as Cypher: exports of Neo4j (APOC) and Memgraph, and scripts that people write.

The statements are carried out on nodes held in memory, since a later one may match a node and set its properties; edges
are handed on when their statement ends, nodes at the end of the file. Labels and ids that an export puts in for the
import alone are no part of the graph. What would change the graph and cannot be read is a problem with its line.
"""

from __future__ import annotations

import codecs
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clew.graph.cypher_syntax import (
    Assignment,
    Clause,
    CypherError,
    FunctionCall,
    NodePattern,
    Parser,
    Ref,
    Scanner,
    Token,
)
from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.labelling import may_name, name_rank
from clew.graph.property_files import KEYS, NAMES, PropertyTriples
from clew.graph.property_values import FUNCTIONS, MADE_WHEN_RUN

INTERNAL = frozenset(["UNIQUE IMPORT LABEL", "UNIQUE IMPORT ID", "UNIQUE IMPORT ID REL", "__mg_vertex__", "__mg_id__"])
HIDDEN = frozenset(["id", "uri", "iri", "qid", "uuid"])  # properties that are a node's id and nothing else
CODES = frozenset(["key", "code", "slug", "login", "username", "symbol", "sku", "isbn", "number"])
SEARCHED = 1 << 24  # nodes looked at in all because a pattern fits several
FITTING = 1 << 16  # rows that a MATCH may make of fewer
SCHEMA = frozenset([
    "CONSTRAINT", "INDEX", "RANGE", "BTREE", "TEXT", "POINT", "LOOKUP", "FULLTEXT", "VECTOR", "EDGE", "GLOBAL", "OR",
    "DATABASE", "USER", "ROLE", "TRIGGER", "UNIQUE", "ENUM", "ALIAS", "SNAPSHOT",
])  # fmt: skip
IDLE = frozenset(["DROP", "SHOW", "USE", "ANALYZE", "STORAGE", "GRANT", "ALTER", "ROLLBACK"])
IDLE_COMMANDS = frozenset(["begin", "commit", "use", "help", "exit", "history", "clear", "schema", "play", "server"])


def cypher(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Nodes and relationships that the statements of a file make.

    A node's id is what a unique constraint or a property id, uri, key … or name says; else its type and a number.
    """
    made = PropertyTriples(file, problems)
    script = _Script(made, lambda kind, line, message: problems.add(str(file), line, kind, message))
    scanner, decoder = Scanner(), codecs.getincrementaldecoder("utf-8-sig")("replace")
    while True:
        block = stream.read()
        for tokens in scanner.feed(decoder.decode(block, not block), last=not block):
            script.take(tokens)
            yield from made.batches()
        if not block:
            break
        if scanner.stuck:
            problems.add(str(file), scanner.stuck, "long", "a text that goes on for too long; the rest is not read")
            break
    yield from script.rest()
    yield from made.batches(whole=True)


class _Node:
    __slots__ = ("id", "properties", "types")

    def __init__(self) -> None:
        self.id = ""  # until an edge or the end needs it
        self.types: list[str] = []
        self.properties: dict[str, Any] = {}


class _Edge:
    __slots__ = ("head", "kind", "merged", "properties", "tail")

    def __init__(self, head: _Node, kind: str, tail: _Node, merged: bool) -> None:
        self.head, self.kind, self.tail, self.merged = head, kind, tail, merged
        self.properties: dict[str, Any] = {}


_Row = dict[str, Any]  # variables


class _Script:
    """What the statements so far have made, and how nodes are found again."""

    def __init__(self, made: PropertyTriples, tell: Callable[[str, int, str], None]) -> None:
        self._made, self._tell = made, tell
        self._nodes: list[_Node] = []
        self._typed: dict[str, list[_Node]] = {}
        self._having: dict[str, list[_Node]] = {}  # by property; an index is made of it when it is asked for
        self._index: dict[str, dict[Hashable, list[_Node]]] = {}
        self._unique: dict[str, str] = {}  # type → the property that a constraint makes its key
        self._ids: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._merged: set[Hashable] = set()
        self._parameters: dict[str, Any] = {}
        self._left = SEARCHED

    def take(self, tokens: list[Token]) -> None:
        """Carry out one statement, or tell why it cannot be."""
        self._edges: list[_Edge] = []
        self._line = tokens[0].line
        try:
            if tokens[0].value == ":":
                self._command(tokens)
                return
            words = [token.value.upper() if token.kind == "word" else token.value for token in tokens[:64]]
            start = 0
            while words[start : start + 1] and words[start] in ("BEGIN", "COMMIT", "SCHEMA", "AWAIT"):
                start += 1
            if start < len(words) and not self._idle(words[start:], tokens[start:]):
                self._run(list(Parser(tokens[start:]).clauses()))
        except CypherError as error:
            self._tell("syntax", error.line, f"a statement that cannot be read: {error}")
        for edge in self._edges:
            self._hand_on(edge)

    def rest(self) -> Iterator[Batch]:
        """The nodes; to be called once, after the last statement."""
        named = self._naming()
        for node in self._nodes:
            types = [each for each in node.types if each not in INTERNAL]
            properties = {key: value for key, value in node.properties.items() if key not in INTERNAL}
            id, name = self._id(node), named.get(types[0] if types else "", "")
            known = [key for key in properties if key in CODES or key in map(self._unique.get, types)]
            hidden = next(
                (key for key in KEYS if key in HIDDEN and str(properties.get(key, "")) == id.split(" ")[-1]), ""
            )
            self._made.node(id, types, properties, hidden, named_by=name, known_by=known)
            yield from self._made.batches()

    # -- statements that make nothing ----------------------------------------------------------------------------------

    def _command(self, tokens: list[Token]) -> None:
        """A line of the shell: `:begin`, `:param rows => […]`."""
        word = tokens[1].value.casefold() if len(tokens) > 1 else ""
        if word not in ("param", "params"):
            if word not in IDLE_COMMANDS:
                raise CypherError(f"the command :{word[:40]}", self._line)
            return
        parser = Parser(tokens[2:]) if len(tokens) > 2 else None
        if parser is None:
            return
        if parser.at("{"):
            self._parameters |= self._valued(parser.value(), {})
        else:
            name = parser.called()
            if parser.at("=>", ":"):
                parser.next()
            self._parameters[name] = self._valued(parser.value(), {})

    def _idle(self, words: list[str], tokens: list[Token]) -> bool:
        """Whether a statement makes no node or edge; a constraint says what the key of a type is."""
        if words[0] == "CREATE" and words[1:2] and words[1] in SCHEMA:
            if "CONSTRAINT" in words and ("UNIQUE" in words or "KEY" in words):
                types = [tokens[i + 1].value for i, word in enumerate(words[:-1]) if word == ":"]
                keys = [tokens[i + 1].value for i, word in enumerate(words[:-1]) if word == "."]
                if len(types) == len(keys) == 1:
                    self._unique[types[0]] = keys[0]
            return True
        if words[0] in IDLE or (words[0] == "CALL" and words[1:3] == ["DB", "."]):
            return True
        if "LOAD" in words and words[words.index("LOAD") + 1 :][:1] == ["CSV"]:
            raise CypherError(
                "LOAD CSV reads another file, which is not here; build the graph of that table", self._line
            )
        every = {token.value.upper() for token in tokens if token.kind == "word"}
        if "DETACH" in every or "DELETE" in every:
            if not self._nodes:
                return True  # empties the database before anything is in it
            raise CypherError("DELETE is not carried out", self._line)
        # What an export takes away again at its end.
        if "REMOVE" in every and every.isdisjoint(["CREATE", "MERGE", "SET"]):
            removed = {token.value for token in tokens if token.kind in ("word", "quoted")} & INTERNAL
            for key in removed:  # another export may follow, with the same ids
                self._having.pop(key, None)
                self._index.pop(key, None)
            return bool(removed)
        return False

    # -- clauses -------------------------------------------------------------------------------------------------------

    def _run(self, clauses: list[Clause]) -> None:
        rows: list[_Row] = [{}]
        before = ""
        for clause in clauses:
            self._line = clause.line
            if clause.word in ("MATCH", "UNWIND") and before in ("CREATE", "MERGE", "SET", "REMOVE") and len(rows) != 1:
                rows = [{}]  # another statement, whose ";" was forgotten
            if clause.word == "UNWIND":
                rows = [row | {clause.name: item} for row in rows for item in self._items(clause.value, row)]
            elif clause.word == "MATCH":
                rows = [fit for row in rows for fit in self._match(clause, row, len(rows))]
            elif clause.word == "CREATE":
                for row in rows:
                    for path in clause.paths:
                        self._path(path.nodes, path.edges, row, merge=False)
            elif clause.word == "MERGE":
                rows = [fit for row in rows for fit in self._merge(clause, row)]
            elif clause.word == "SET":
                for row in rows:
                    self._assign(clause.items, row)
            elif clause.word == "REMOVE":
                for row in rows:
                    self._remove(clause.items, row)
            else:
                rows = self._with(clause, rows)
            before = clause.word

    def _items(self, value: Any, row: _Row) -> list[Any]:
        items = self._valued(value, row)
        if items is None:
            return []
        if not isinstance(items, list):
            raise CypherError(f"UNWIND of {str(items)[:40]!r}, expected a list", self._line)
        return items

    def _with(self, clause: Clause, rows: list[_Row]) -> list[_Row]:
        if clause.kept is not None:
            rows = [{name: self._valued(value, row) for value, name in clause.kept} for row in rows]
        if clause.merged:
            rows = list({tuple((name, _key(value)) for name, value in row.items()): row for row in rows}.values())
        return rows[: clause.limit]

    def _match(self, clause: Clause, row: _Row, rows: int) -> list[_Row]:
        fits = [row]
        for path in clause.paths:
            (pattern,) = path.nodes
            if pattern.name in row and not pattern.types and not pattern.properties:
                continue
            more = {key: value for name, key, value in clause.conditions if name == pattern.name and name}
            stated = self._map(pattern.properties, row) | self._map(more, row)
            found = self._found(pattern, stated)
            if not found:
                self._tell("unmatched", self._line, f"{_shown(pattern, stated)}: no node before it is so; left out")
                return []
            if len(fits) * len(found) > max(FITTING // rows, 1):
                raise CypherError(f"a MATCH of more than {FITTING:,} rows", self._line)
            fits = [fit | {pattern.name: node} for fit in fits for node in found]
        unknown = {name for name, _, _ in clause.conditions} - {path.nodes[0].name for path in clause.paths}
        if unknown:
            raise CypherError(f"a condition on {min(unknown)[:40]!r}, which is not matched here", self._line)
        return fits

    def _merge(self, clause: Clause, row: _Row) -> list[_Row]:
        (path,) = clause.paths
        made = self._path(path.nodes, path.edges, row, merge=True)
        self._assign(clause.created if made else clause.matched, row)
        return [row]

    def _path(self, nodes: list[NodePattern], edges: list[Any], row: _Row, *, merge: bool) -> bool:
        """Make a path, of a MERGE only those of its nodes that are not there; whether anything was made."""
        ends = [self._end(pattern, row, merge=merge) for pattern in nodes]
        for (left, _), pattern, (right, _) in zip(ends, edges, ends[1:], strict=False):
            edge = _Edge(*((left, pattern.kind, right) if pattern.forward else (right, pattern.kind, left)), merge)
            for key, value in self._map(pattern.properties, row).items():
                self._put(edge, key, value)
            self._edges.append(edge)
            if pattern.name:
                row[pattern.name] = edge
        return bool(edges) or any(new for _, new in ends)

    def _end(self, pattern: NodePattern, row: _Row, *, merge: bool) -> tuple[_Node, bool]:
        if pattern.name in row and not pattern.types and not pattern.properties:
            node = row[pattern.name]
            if not isinstance(node, _Node):
                raise CypherError(f"{pattern.name[:40]!r} is no node", self._line)
            return node, False
        held = {key: value for key, value in self._map(pattern.properties, row).items() if value is not None}
        found = self._found(pattern, held) if merge and (held or pattern.types) else []
        node = found[0] if found else _Node()
        if not found:
            self._nodes.append(node)
            self._type(node, pattern.types)
            for key, value in held.items():
                self._put(node, key, value)
        if pattern.name:
            row[pattern.name] = node
        return node, not found

    def _assign(self, items: list[Assignment], row: _Row) -> None:
        for item in items:
            thing = self._thing(item, row)
            if item.types and isinstance(thing, _Node):
                self._type(thing, item.types)
            elif item.key:
                self._put(thing, item.key, self._valued(item.value, row))
            elif not item.types:
                held = self._map(item.value, row)
                if item.replaces:
                    for key in set(thing.properties) - set(held) - INTERNAL:
                        self._put(thing, key, None)
                for key, value in held.items():
                    self._put(thing, key, value)

    def _remove(self, items: list[Assignment], row: _Row) -> None:
        for item in items:
            thing = self._thing(item, row)
            if item.key:
                self._put(thing, item.key, None)
            elif isinstance(thing, _Node):
                thing.types = [each for each in thing.types if each not in item.types]

    def _thing(self, item: Assignment, row: _Row) -> _Node | _Edge:
        thing = row.get(item.name)
        if not isinstance(thing, (_Node, _Edge)):
            raise CypherError(f"{item.name[:40]!r} is no node or relationship here", self._line)
        return thing

    # -- values --------------------------------------------------------------------------------------------------------

    def _map(self, value: Any, row: _Row) -> dict[str, Any]:
        held = self._valued(value, row)
        if isinstance(held, (_Node, _Edge)):
            held = held.properties
        if not isinstance(held, Mapping):
            raise CypherError(f"{str(held)[:40]!r} for properties, expected a map", self._line)
        return dict(held)

    def _valued(self, value: Any, row: _Row) -> Any:
        """A value with its references and calls worked out; as deep as the parser lets values be."""
        if isinstance(value, list):
            return [self._valued(item, row) for item in value]
        if isinstance(value, dict):
            return {key: self._valued(item, row) for key, item in value.items()}
        if isinstance(value, Ref):
            return self._referred(value, row)
        if not isinstance(value, FunctionCall):
            return value
        name, given = value.name.casefold(), [self._valued(each, row) for each in value.arguments]
        if name in MADE_WHEN_RUN and not given:
            self._tell("unknown", self._line, f"{value.name}() is worked out when the statement runs; left out")
            return None
        if name not in FUNCTIONS:
            raise CypherError(f"a call of {value.name[:40]!r}, which has no value in a file", self._line)
        if len(given) == 1 and given[0] is None:
            return None
        try:
            return FUNCTIONS[name](*given)
        except (TypeError, ValueError, KeyError):
            raise CypherError(f"{value.name}({str(given)[1:-1][:60]}) is no value", self._line) from None

    def _referred(self, ref: Ref, row: _Row) -> Any:
        known = self._parameters if ref.name.startswith("$") else row
        name = ref.name.removeprefix("$") if known is self._parameters else ref.name
        if name not in known:
            raise CypherError(f"{ref.name[:40]!r}, which nothing before it states", self._line)
        value = known[name]
        for step in ref.path:
            held = value.properties if isinstance(value, (_Node, _Edge)) else value
            if isinstance(held, Mapping) and isinstance(step, str):
                value = held.get(step)
            elif isinstance(held, list) and isinstance(step, int):
                value = held[step] if -len(held) <= step < len(held) else None
            elif held is not None:
                raise CypherError(f"{str(step)[:40]!r} of {str(held)[:40]!r}, which has no parts", self._line)
        return value

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def _type(self, node: _Node, types: tuple[str, ...]) -> None:
        for each in types:
            if each not in node.types:
                node.types.append(each)
                self._typed.setdefault(each, []).append(node)

    def _put(self, thing: _Node | _Edge, key: str, value: Any) -> None:
        if isinstance(value, (_Node, _Edge)):
            raise CypherError(f"a node or relationship for the property {key[:40]!r}", self._line)
        if value is None:
            thing.properties.pop(key, None)
            return
        new = key not in thing.properties
        thing.properties[key] = value
        if isinstance(thing, _Node):
            if new:
                self._having.setdefault(key, []).append(thing)
            if key in self._index:
                self._index[key].setdefault(_key(value), []).append(thing)

    def _with_value(self, key: str, value: Any) -> list[_Node]:
        index = self._index.get(key)
        if index is None:
            index = self._index[key] = {}
            for node in self._having.get(key, ()):
                index.setdefault(_key(node.properties.get(key)), []).append(node)
        return index.get(_key(value), [])

    def _found(self, pattern: NodePattern, held: Mapping[str, Any]) -> list[_Node]:
        """The nodes that have these types and properties."""
        lists = [self._with_value(key, value) for key, value in held.items()]
        lists = lists or [self._typed.get(each, []) for each in pattern.types] or [self._nodes]
        among = min(lists, key=len)
        self._left -= max(len(among) - 8, 0)
        if self._left < 0:
            raise CypherError("patterns that fit too many nodes; state a property that tells them apart", self._line)
        wanted, types = {key: _key(value) for key, value in held.items()}, set(pattern.types)
        return [
            node
            for node in dict.fromkeys(among)
            if types.issubset(node.types) and all(_key(node.properties.get(k)) == v for k, v in wanted.items())
        ]

    def _id(self, node: _Node) -> str:
        if node.id:
            return node.id
        kinds = [each for each in node.types if each not in INTERNAL]
        held, kind = node.properties, kinds[0] if kinds else "node"
        keys = (*(self._unique[each] for each in kinds if each in self._unique), *KEYS)
        value = next((held[key] for key in keys if isinstance(held.get(key), (str, int)) and held[key] != ""), "")
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
        lacking: dict[str, list[_Node]] = {}
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
            fit.sort(key=lambda key: (key != self._unique.get(kind), name_rank(key), key.casefold() not in CODES))
            if fit:
                named[kind] = fit[0]
        return named

    def _hand_on(self, edge: _Edge) -> None:
        held = {key: value for key, value in edge.properties.items() if key not in INTERNAL}
        head, tail = self._id(edge.head), self._id(edge.tail)
        if edge.merged:
            key = (head, edge.kind, tail, _key(held))
            if key in self._merged:
                return
            self._merged.add(key)
        self._made.edge(head, tail, edge.kind, held)


def _key(value: Any) -> Hashable:
    """What tells a value from others of another type or content."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return (type(value).__name__, id(value) if isinstance(value, (_Node, _Edge)) else repr(value))
    return value


def _shown(pattern: NodePattern, held: Mapping[str, Any]) -> str:
    said = ", ".join(f"{key}: {str(value)[:40]!r}" for key, value in list(held.items())[:3])
    return f"MATCH ({':'.join(['', *pattern.types])[:60]} {{{said}}})"
