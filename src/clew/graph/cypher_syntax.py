"""Statements of Cypher to clauses: patterns, assignments and values.

Kept apart from `cypher_dump`, which carries the clauses out: nothing here knows of a graph. Only what writes data is
read, not the language of queries. Values are parsed without recursion, since a file may be hostile.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clew.graph.cypher_tokens import CypherError, Token, keywords, unquoted

DEPTH = 8  # of lists and maps in each other
_CONSTANTS = {
    "true": True, "false": False, "null": None, "nan": float("nan"), "inf": float("inf"), "infinity": float("inf"),
}  # fmt: skip
_CLOSING = {"[": "]", "{": "}", "(": ")"}
UPDATING = frozenset(["CREATE", "MERGE", "SET", "REMOVE", "DELETE", "FOREACH", "CALL", "LOAD"])
_ENDING = frozenset(["RETURN", "FINISH"])
_BEGINNING = ("CREATE", "MERGE", "MATCH", "UNWIND")
_CLAUSES = UPDATING.union(
    ["MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN", "DETACH", "ON", "WHERE", "ORDER", "SKIP", "LIMIT"]
)


# -- what clauses are made of ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ref:
    """A variable or, with `$`, a parameter, and the way to something within: `row.start._id`."""

    name: str
    path: tuple[str | int, ...] = ()


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A function of values: `date("2016-03-01")`."""

    name: str
    arguments: list[Any]


class NodePattern(NamedTuple):
    name: str
    types: tuple[str, ...]
    properties: Any  # a map of values, or a reference to one


class EdgePattern(NamedTuple):
    name: str
    kind: str
    properties: Any
    forward: bool


class PathPattern(NamedTuple):
    """Nodes and the edges between each two of them."""

    nodes: list[NodePattern]
    edges: list[EdgePattern]


class Assignment(NamedTuple):
    """`n.key = value`, `n += value`, `n = value`, or `n:Type`."""

    name: str
    key: str  # "" for all of its properties
    value: Any
    types: tuple[str, ...] = ()
    replaces: bool = False  # with "=" on the whole


class PropertyTest(NamedTuple):
    """`n.key = value`, or one of the values of a list: `n.key IN list`."""

    name: str
    key: str
    value: Any
    several: bool


@dataclass(slots=True)
class Clause:
    word: str  # "CREATE", "MERGE", "MATCH", "UNWIND", "SET", "REMOVE", "WITH", "RETURN"
    line: int
    paths: list[PathPattern] = field(default_factory=list)
    conditions: list[PropertyTest] = field(default_factory=list)  # of MATCH
    items: list[Assignment] = field(default_factory=list)  # of SET and REMOVE
    created: list[Assignment] = field(default_factory=list)  # of MERGE, where it makes something
    matched: list[Assignment] = field(default_factory=list)
    value: Any = None  # of UNWIND
    name: str = ""
    kept: list[tuple[Any, str]] | None = None  # of WITH: values and their names; None keeps all
    merged: bool = False  # of WITH: rows that are the same are one
    limit: int | None = None


class _Open:
    """A list, map or call whose end has not come yet."""

    def __init__(self, sign: str, name: str = "") -> None:
        self.sign, self.name, self.closing = sign, name, _CLOSING[sign]
        self.items: list[Any] = []
        self.keys: list[str] = []

    def value(self) -> Any:
        if self.sign == "{":
            return dict(zip(self.keys, self.items, strict=True))
        return FunctionCall(self.name, self.items) if self.sign == "(" else self.items


class Parser:
    """The clauses of one statement."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens, self._at = [*tokens, Token("end", "the end", tokens[-1].line)], 0
        updates, ends = (keywords(tokens, among) for among in (UPDATING, _ENDING))
        self._last_update = updates[-1][0] if updates else -1
        self._last_return = ends[-1][0] if ends else -1

    @property
    def now(self) -> Token:
        return self._tokens[self._at]

    @property
    def after(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def next(self) -> Token:
        token = self.now
        self._at += token.kind != "end"
        return token

    def fail(self, expected: str, token: Token | None = None) -> CypherError:
        token = token or self.now
        return CypherError(f"{token.value[:40]!r}, expected {expected}", token.line)

    def at(self, *signs: str) -> bool:
        return self.now.kind == "sign" and self.now.value in signs

    def sign(self, *signs: str) -> str:
        if not self.at(*signs):
            raise self.fail(" or ".join(map(repr, signs)))
        return self.next().value

    def is_word(self, *words: str) -> bool:
        return self.now.kind == "word" and self.now.value.upper() in words

    def take(self, *words: str) -> bool:
        """Whether these words follow, one after the other; they are taken then."""
        here = self._tokens[self._at : self._at + len(words)]
        if [t.value.upper() for t in here if t.kind == "word"] != list(words):
            return False
        self._at += len(words)
        return True

    def called(self) -> str:
        """A name, quoted or not."""
        if self.now.kind not in ("word", "quoted"):
            raise self.fail("a name")
        return self.next().value

    def _name(self) -> str:
        """A name, or nothing where none stands."""
        return self.next().value if self.now.kind in ("word", "quoted") else ""

    def clauses(self) -> Iterator[Clause]:
        while self.now.kind != "end":
            if self._last_update < self._at <= self._last_return:
                return  # what is left asks, and changes nothing
            line = self.now.line
            if self.take("CREATE"):
                yield Clause("CREATE", line, self._paths())
            elif self.take("MERGE"):
                clause = Clause("MERGE", line, [self._path()])
                while self.take("ON"):
                    of = clause.created if self.is_word("CREATE") else clause.matched
                    if not (self.take("CREATE", "SET") or self.take("MATCH", "SET")):
                        raise self.fail("CREATE SET or MATCH SET")
                    of += self._assignments()
                yield clause
            elif self.take("MATCH"):
                clause = Clause("MATCH", line, self._paths())
                if any(path.edges for path in clause.paths):
                    raise CypherError("a relationship to be matched, expected nodes alone", line)
                if self.take("WHERE"):
                    clause.conditions.append(self._condition())
                    while self.take("AND"):
                        clause.conditions.append(self._condition())
                yield clause
            elif self.take("UNWIND"):
                value = self.value()
                if not self.take("AS"):
                    raise self.fail("AS")
                yield Clause("UNWIND", line, value=value, name=self.called())
            elif self.take("SET"):
                yield Clause("SET", line, items=self._assignments())
            elif self.take("REMOVE"):
                yield Clause("REMOVE", line, items=self._removals())
            elif self.take("WITH"):
                yield self._with(line)
            elif self.take("RETURN") or self.take("FINISH"):  # another statement follows, whose ";" was forgotten
                while self.now.kind != "end" and not self.is_word(*_BEGINNING):
                    self.next()
                yield Clause("RETURN", line)
            else:
                raise self.fail("CREATE, MERGE, MATCH, UNWIND, WITH, SET or REMOVE")

    # -- patterns ------------------------------------------------------------------------------------------------------

    def _paths(self) -> list[PathPattern]:
        paths = [self._path()]
        while self.at(","):
            self.next()
            paths.append(self._path())
        return paths

    def _path(self) -> PathPattern:
        if self.now.kind in ("word", "quoted") and self.after.value == "=":  # the path's own name says nothing
            self._at += 2
        nodes, edges = [self._node()], []
        while self.at("-", "<-"):
            forward = self.next().value == "-"
            self.sign("[")
            name = self._name()
            self.sign(":")
            kind = self.called()
            held = self._properties("]")
            self.sign("]")
            end = self.sign("->", "-") if forward else self.sign("-")
            if not forward and end != "-":
                raise self.fail("'-'")
            edges.append(EdgePattern(name, kind, held, forward))
            nodes.append(self._node())
        return PathPattern(nodes, edges)

    def _node(self) -> NodePattern:
        self.sign("(")
        name, types = self._name(), tuple(self._types())
        held = self._properties(")")
        self.sign(")")
        return NodePattern(name, types, held)

    def _types(self) -> list[str]:
        types: list[str] = []
        while self.at(":") or (types and self.at("&")):
            self.next()
            types.append(self.called())
        return types

    def _properties(self, closing: str) -> Any:
        return {} if self.at(closing) else self.value()

    # -- what is assigned, asked for and kept --------------------------------------------------------------------------

    def _assignments(self) -> list[Assignment]:
        items = [self._assignment()]
        while self.at(","):
            self.next()
            items.append(self._assignment())
        return items

    def _assignment(self) -> Assignment:
        name = self.called()
        if self.at(":"):
            return Assignment(name, "", None, tuple(self._types()))
        if self.at("."):
            self.next()
            key = self.called()
            self.sign("=")
            return Assignment(name, key, self.value())
        replaces = self.sign("+=", "=") == "="
        return Assignment(name, "", self.value(), replaces=replaces)

    def _removals(self) -> list[Assignment]:
        items: list[Assignment] = []
        while not items or self.at(","):
            if items:
                self.next()
            name = self.called()
            if self.at(":"):
                items.append(Assignment(name, "", None, tuple(self._types())))
            else:
                self.sign(".")
                items.append(Assignment(name, self.called(), None))
        return items

    def _condition(self) -> PropertyTest:
        left, line, several = self.value(), self.now.line, self.take("IN")
        if not several:
            self.sign("=")
        right = self.value()
        if not isinstance(left, Ref) and not several:
            left, right = right, left
        if not isinstance(left, Ref) or len(left.path) != 1 or not isinstance(left.path[0], str):
            raise CypherError("a condition that is no property = value", line)
        return PropertyTest(left.name, left.path[0], right, several)

    def _with(self, line: int) -> Clause:
        clause = Clause("WITH", line, merged=self.take("DISTINCT"))
        kept: list[tuple[Any, str]] | None = []
        while True:
            if self.at("*"):
                self.next()
                kept = None
            elif self.take("COUNT"):
                while not self.at(")"):
                    if self.next().kind == "end":
                        raise self.fail("')'")
                self.next()
                clause.merged = True
                if not self.take("AS"):
                    raise self.fail("AS")
                self.called()
            else:
                value = self.value()
                name = self.called() if self.take("AS") else value.name if isinstance(value, Ref) else ""
                if not name:
                    raise self.fail("AS")
                if kept is not None:
                    kept.append((value, name))
            if not self.at(","):
                break
            self.next()
        clause.kept = kept
        if self.take("LIMIT"):
            if self.now.kind != "number" or not self.now.value.isdigit():
                raise self.fail("a number")
            clause.limit = int(self.next().value[:18])
        return clause

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self) -> Any:
        """A text, number, truth value, list, map, reference or call; nested ones without recursion."""
        opened: list[_Open] = []
        while True:
            token = self.next()
            opening = None
            if token.kind == "sign" and token.value in "[{":
                opening = _Open(token.value)
            elif token.kind == "word" and self.at("("):
                self.next()
                opening = _Open("(", token.value)
            value = self._atom(token) if opening is None else None
            if isinstance(value, Ref) and self.at("("):
                self.next()
                opening = _Open("(", ".".join([value.name, *map(str, value.path)]))
            if opening is None:
                pass
            elif self.at(opening.closing):
                self.next()
                value = opening.value()
            elif len(opened) == DEPTH:
                raise CypherError(f"more than {DEPTH} lists and maps in each other", token.line)
            else:
                opened.append(opening)
                self._key(opening)
                continue
            while opened:
                top = opened[-1]
                top.items.append(value)
                if self.sign(",", top.closing) == ",":
                    self._key(top)
                    break
                value = opened.pop().value()
            else:
                return value

    def _key(self, opened: _Open) -> None:
        if opened.sign == "{":
            key = unquoted(self.next().value) if self.now.kind == "text" else self.called()
            opened.keys.append(sys.intern(key))  # a file states few keys often
            self.sign(":")

    def _atom(self, token: Token) -> Any:
        if token.kind == "text":
            return unquoted(token.value)
        if token.kind == "number":
            whole = not re.search(r"[.eE]", token.value)
            if whole and len(token.value) > 1000:
                raise CypherError(f"a number of {len(token.value):,} digits", token.line)
            return int(token.value) if whole else float(token.value)
        if token.kind == "word" and token.value.lower() in _CONSTANTS and not self.at("."):
            return _CONSTANTS[token.value.lower()]
        if token.kind == "sign" and token.value == "$":
            return self._reference("$" + self.called())
        if token.kind == "quoted" or (token.kind == "word" and (token.value.upper() not in _CLAUSES or self.at("."))):
            return self._reference(token.value)
        raise self.fail("a text, a number, true, false, null, a list or a map", token)

    def _reference(self, name: str) -> Ref:
        path: list[str | int] = []
        while self.at(".", "["):
            if self.next().value == ".":
                path.append(self.called())
                continue
            if self.now.kind not in ("text", "number") or (self.now.kind == "number" and len(self.now.value) > 9):
                raise self.fail("a text or a number")
            value = self._atom(self.next())
            path.append(value if isinstance(value, str) else int(value))
            self.sign("]")
        return Ref(name, tuple(path))
