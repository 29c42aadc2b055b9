"""Reader of property graphs written as Cypher: exports of Neo4j (APOC) and Memgraph, and scripts that people write.

The statements are carried out on nodes held in memory, since a later one may match a node and set its properties; edges
are handed on when their statement ends, nodes at the end of the file. Labels and ids that an export puts in for the
import alone are no part of the graph. What would change the graph and cannot be read is a problem with its line.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from clew.graph.cypher_nodes import INTERNAL, MadeEdge, MadeNode, MadeNodes, key_of
from clew.graph.cypher_syntax import UPDATING, Assignment, Clause, FunctionCall, NodePattern, Parser, Ref
from clew.graph.cypher_tokens import CypherError, Scanner, Token, keywords
from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.property_files import PropertyTriples
from clew.graph.property_values import FUNCTIONS

FITTING = 1 << 16  # rows that a MATCH may make of fewer
SCHEMA = frozenset([
    "CONSTRAINT", "INDEX", "RANGE", "BTREE", "TEXT", "POINT", "LOOKUP", "FULLTEXT", "VECTOR", "EDGE", "GLOBAL", "OR",
    "DATABASE", "USER", "ROLE", "TRIGGER", "UNIQUE", "ENUM", "ALIAS", "SNAPSHOT", "NODE", "REL",
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
    yield from script.nodes.hand_on_all(made)
    yield from made.batches(whole=True)


_Row = dict[str, Any]  # variables


class _Script:
    """The statements so far, carried out."""

    def __init__(self, made: PropertyTriples, tell: Callable[[str, int, str], None]) -> None:
        self._made, self._tell = made, tell
        self.nodes = MadeNodes()
        self._parameters: dict[str, Any] = {}

    def take(self, tokens: list[Token]) -> None:
        """Carry out one statement, or tell why it cannot be."""
        self._edges: list[MadeEdge] = []
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
            self._tell("syntax", error.line or self._line, f"a statement that cannot be read: {error}")
        for edge in self._edges:
            self.nodes.hand_on(edge, self._made)

    # -- statements that make nothing ----------------------------------------------------------------------------------

    def _command(self, tokens: list[Token]) -> None:
        """A line of the shell: `:begin`, `:param rows => […]`."""
        word = tokens[1].value.casefold() if len(tokens) > 1 else ""
        if word not in ("param", "params"):
            if word not in IDLE_COMMANDS:
                raise CypherError(f"the command :{word[:40]}")
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
                    self.nodes.unique[types[0]] = keys[0]
            return True
        if words[0] in IDLE or (words[0] == "CALL" and words[1:3] == ["DB", "."]):
            return True
        if "LOAD" in words and words[words.index("LOAD") + 1 :][:1] == ["CSV"]:
            raise CypherError("LOAD CSV reads another file, which is not here; build the graph of that table")
        every = {word for _, word in keywords(tokens, UPDATING)}
        if "DELETE" in every:
            if not self.nodes:
                return True  # empties the database before anything is in it
            raise CypherError("DELETE is not carried out")
        # What an export takes away again at its end.
        if every == {"REMOVE"}:
            removed = {token.value for token in tokens if token.kind in ("word", "quoted")} & INTERNAL
            self.nodes.forget(removed)
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
            elif clause.word == "RETURN":
                rows = [{}]
            else:
                rows = self._with(clause, rows)
            before = clause.word

    def _items(self, value: Any, row: _Row) -> list[Any]:
        items = self._valued(value, row)
        if items is None:
            return []
        if not isinstance(items, list):
            raise CypherError(f"UNWIND of {str(items)[:40]!r}, expected a list")
        return items

    def _with(self, clause: Clause, rows: list[_Row]) -> list[_Row]:
        if clause.kept is not None:
            rows = [{name: self._valued(value, row) for value, name in clause.kept} for row in rows]
        if clause.merged:
            rows = list({tuple((name, key_of(value)) for name, value in row.items()): row for row in rows}.values())
        return rows[: clause.limit]

    def _match(self, clause: Clause, row: _Row, rows: int) -> list[_Row]:
        fits = [row]
        for path in clause.paths:
            (pattern,) = path.nodes
            if pattern.name in row and not pattern.types and not pattern.properties:
                continue
            stated, found = self._map(pattern.properties, row), []
            choices = [stated]
            for condition in clause.conditions:
                if condition.name == pattern.name:
                    values = self._valued(condition.value, row)
                    several = values if condition.several and isinstance(values, list) else [values]
                    choices = [choice | {condition.key: value} for choice in choices for value in several]
                    if len(choices) > FITTING:
                        raise CypherError(f"a MATCH of more than {FITTING:,} rows")
            for choice in choices:
                stated = choice
                found += self.nodes.found(pattern.types, choice)
            if not found:
                self._tell("unmatched", self._line, f"{_shown(pattern, stated)}: no node before it is so; left out")
                return []
            if len(fits) * len(found) > max(FITTING // rows, 1):
                raise CypherError(f"a MATCH of more than {FITTING:,} rows")
            fits = [fit | {pattern.name: node} for fit in fits for node in dict.fromkeys(found)]
        unknown = {condition.name for condition in clause.conditions} - {path.nodes[0].name for path in clause.paths}
        if unknown:
            raise CypherError(f"a condition on {min(unknown)[:40]!r}, which is not matched here")
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
            edge = MadeEdge(*((left, pattern.kind, right) if pattern.forward else (right, pattern.kind, left)), merge)
            for key, value in self._map(pattern.properties, row).items():
                self.nodes.put(edge, key, value)
            self._edges.append(edge)
            if pattern.name:
                row[pattern.name] = edge
        return bool(edges) or any(new for _, new in ends)

    def _end(self, pattern: NodePattern, row: _Row, *, merge: bool) -> tuple[MadeNode, bool]:
        if pattern.name in row and not pattern.types and not pattern.properties:
            node = row[pattern.name]
            if not isinstance(node, MadeNode):
                raise CypherError(f"{pattern.name[:40]!r} is no node")
            return node, False
        held = self._map(pattern.properties, row)
        known = None not in held.values() and (held or pattern.types)
        found = self.nodes.found(pattern.types, held) if merge and known else []
        node = found[0] if found else self.nodes.make()
        if not found:
            self.nodes.add_types(node, pattern.types)
            for key, value in held.items():
                self.nodes.put(node, key, value)
        if pattern.name:
            row[pattern.name] = node
        return node, not found

    def _assign(self, items: list[Assignment], row: _Row) -> None:
        for item in items:
            thing = self._thing(item, row)
            if item.types and isinstance(thing, MadeNode):
                self.nodes.add_types(thing, item.types)
            elif item.key:
                self.nodes.put(thing, item.key, self._valued(item.value, row))
            elif not item.types:
                held = self._map(item.value, row)
                if item.replaces:
                    for key in set(thing.properties) - set(held) - INTERNAL:
                        self.nodes.put(thing, key, None)
                for key, value in held.items():
                    self.nodes.put(thing, key, value)

    def _remove(self, items: list[Assignment], row: _Row) -> None:
        for item in items:
            thing = self._thing(item, row)
            if item.key:
                self.nodes.put(thing, item.key, None)
            elif isinstance(thing, MadeNode):
                thing.types = [each for each in thing.types if each not in item.types]

    def _thing(self, item: Assignment, row: _Row) -> MadeNode | MadeEdge:
        thing = row.get(item.name)
        if not isinstance(thing, (MadeNode, MadeEdge)):
            raise CypherError(f"{item.name[:40]!r} is no node or relationship here")
        return thing

    # -- values --------------------------------------------------------------------------------------------------------

    def _map(self, value: Any, row: _Row) -> dict[str, Any]:
        held = self._valued(value, row)
        if isinstance(held, (MadeNode, MadeEdge)):
            held = held.properties
        if not isinstance(held, Mapping):
            raise CypherError(f"{str(held)[:40]!r} for properties, expected a map")
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
        if len(given) == 1 and given[0] is None:
            return None
        try:
            return FUNCTIONS[name](*given)
        except (KeyError, TypeError, ValueError, OverflowError):
            said = f"{value.name[:40]}({', '.join(map(str, given))[:40]})"
            self._tell("unknown", self._line, f"{said} has no value that is known before it runs; left out")
            return None

    def _referred(self, ref: Ref, row: _Row) -> Any:
        known = self._parameters if ref.name.startswith("$") else row
        name = ref.name.removeprefix("$") if known is self._parameters else ref.name
        if name not in known:
            raise CypherError(f"{ref.name[:40]!r}, which nothing before it states")
        value = known[name]
        for step in ref.path:
            held = value.properties if isinstance(value, (MadeNode, MadeEdge)) else value
            if isinstance(held, Mapping) and isinstance(step, str):
                value = held.get(step)
            elif isinstance(held, list) and isinstance(step, int):
                value = held[step] if -len(held) <= step < len(held) else None
            elif held is not None:
                raise CypherError(f"{str(step)[:40]!r} of {str(held)[:40]!r}, which has no parts")
        return value


def _shown(pattern: NodePattern, held: Mapping[str, Any]) -> str:
    said = ", ".join(f"{key}: {str(value)[:40]!r}" for key, value in list(held.items())[:3])
    return f"MATCH ({':'.join(['', *pattern.types])[:60]} {{{said}}})"
