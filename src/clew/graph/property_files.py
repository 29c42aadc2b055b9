"""Readers of property graphs in one file: GraphML, and Cypher dumps of plain CREATE statements.

Apart from the tables of nodes and edges because here one file holds both. They become triples in the same way: a node's
types are triples of the relation "type", its name is its label, other properties are literals; an edge is a triple, and
one with properties also gets a mediator between its ends, which carries them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

import numpy as np

from clew.graph.inputs import ALIAS, TERM_LIMIT, Batch, Notes, Problems, Rows, Stream, column
from clew.graph.property_values import literals

TYPE = "type"
LINKED = "linked to"  # the relation of an edge that states none
NAMES = ("name", "label", "title", "fullName", "displayName", "prefLabel")
ALIASES = ("aliases", "alias", "altLabel", "synonyms")
EDGE_KINDS = (  # what edges state their relation by, in order of liking
    "label", "type", "relation", "relationship", "relType", "rel", "rel_type", "relation_type", "relationship_type",
    "edge_type", "edgeType", "predicate", "kind", "name",
)  # fmt: skip
KEYS = ("id", "uri", "iri", "qid", "key", "uuid", "name")
STATEMENT_LIMIT = 16 << 20
WHY = {"empty": "an empty term", "long": f"a term longer than {TERM_LIMIT // 4:,} letters", "nul": "contains NUL"}
BATCH = 1 << 16


class PropertyTriples:
    """Nodes and edges in, batches out."""

    def __init__(self, file: Path, problems: Problems) -> None:
        self._file, self._name, self._problems, self._edges = str(file), file.name.split(".")[0], problems, 0
        self._clear()

    def _clear(self) -> None:
        self._rows: list[tuple[str, str, str, bool]] = []
        self._notes: list[tuple[str, str, int]] = []

    def node(self, id: str, types: list[str], properties: Mapping[str, Any], hidden: str = "") -> None:
        """`hidden`: the property that is the node's id."""
        label = next(
            (name for name in NAMES if isinstance(properties.get(name), str) and properties[name].strip()), None
        )
        for key, value in properties.items():
            if key == label:
                self._notes.append((id, value.strip(), 0))
            elif key in ALIASES:
                self._notes += [(id, text[1 : text.rindex('"')], ALIAS) for text in literals(value)]
            elif key != hidden:
                self._rows += [(id, key, text, True) for text in literals(value)]
        self._rows += [(id, TYPE, each, False) for each in types]

    def edge(self, head: str, tail: str, kind: str, properties: Mapping[str, Any]) -> None:
        self._edges += 1
        self._rows.append((head, kind, tail, False))
        if properties:
            between = f"_:{self._name}.{self._edges}"
            self._rows += [(head, kind, between, False), (between, kind, tail, False)]
            self._rows += [(between, key, text, True) for key, value in properties.items() for text in literals(value)]

    def batches(self, *, whole: bool = False) -> Iterator[Batch]:
        """What has come in, where it is much or all of it."""
        if not whole and len(self._rows) + len(self._notes) < BATCH:
            return
        rows = [row for row in self._rows if self._fits(*row[:3])]
        if rows:
            heads, relations, tails, literal = zip(*rows, strict=True)
            yield Rows(column(list(heads)), column(list(relations)), column(list(tails)), np.array(literal, bool))
        notes = [note for note in self._notes if note[1] and self._fits(*note[:2])]
        if notes:
            owners, texts, ranks = zip(*notes, strict=True)
            yield Notes("label", column(list(owners)), column(list(texts)), np.array(ranks, np.int16))
        self._clear()

    def _fits(self, *terms: str) -> bool:
        kind = (
            "empty" if not all(terms)
            else "long" if max(map(len, terms)) * 4 > TERM_LIMIT
            else "nul" if any("\0" in term for term in terms)
            else ""
        )  # fmt: skip
        if kind:
            self._problems.add(self._file, None, kind, f"{terms[0][:40]!r}: {WHY[kind]}")
        return not kind


# -- GraphML ---------------------------------------------------------------------------------------------------------


def graphml(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Nodes and edges of a GraphML file; an undirected edge is a triple each way. What breaks the XML ends the file."""
    made = PropertyTriples(file, problems)
    parser: Any = XMLPullParser(("start", "end"))
    keys: dict[str, tuple[str, str]] = {}  # id → name, type
    directed = True
    start = b""
    while True:
        block = stream.read()
        if len(start) < 1 << 16:
            start += block[: 1 << 16]
            if b"<!DOCTYPE" in start or b"<!ENTITY" in start:  # entities could expand without end
                problems.add(str(file), None, "syntax", "has a document type declaration; remove it: nothing needs one")
                return
        try:
            parser.feed(block) if block else parser.close()
            events: list[Any] = list(parser.read_events())
        except ParseError as error:
            problems.add(str(file), error.position[0], "syntax", f"is not well-formed XML: {error}")
            break
        for event, element in events:
            tag = element.tag.rpartition("}")[2]
            if event == "start":
                if tag == "graph":
                    directed = element.get("edgedefault") != "undirected"
                continue
            if tag == "key":
                keys[element.get("id", "")] = (
                    element.get("attr.name", element.get("id", "")),
                    element.get("attr.type", ""),
                )
            elif tag == "node":
                _node(element, keys, made, file, problems)
            elif tag == "edge":
                _edge(element, keys, made, directed, file, problems)
            if tag in ("node", "edge"):
                element.clear()
        yield from made.batches()
        if not block:
            break
    yield from made.batches(whole=True)


def _data(element: Element, keys: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for child in element:
        if child.tag.rpartition("}")[2] == "data" and child.text and child.text.strip():
            name, kind = keys.get(child.get("key", ""), (child.get("key", ""), "string"))
            held[name] = _typed(child.text.strip(), kind)
    return held


def _typed(text: str, kind: str) -> Any:
    try:
        if kind in ("int", "long"):
            return int(text)
        if kind in ("float", "double"):
            return float(text)
    except ValueError:
        return text
    return {"true": True, "false": False}.get(text.lower(), text) if kind == "boolean" else text


def _node(
    element: Element, keys: Mapping[str, tuple[str, str]], made: PropertyTriples, file: Path, problems: Problems
) -> None:
    id = element.get("id")
    if not id:
        problems.add(str(file), None, "empty", "a node without an id")
        return
    held = _data(element, keys)
    types = [each for each in (element.get("labels") or str(held.pop("labels", ""))).split(":") if each]
    made.node(id, types, held)


def _edge(
    element: Element,
    keys: Mapping[str, tuple[str, str]],
    made: PropertyTriples,
    directed: bool,
    file: Path,
    problems: Problems,
) -> None:
    head, tail = element.get("source"), element.get("target")
    if not head or not tail:
        problems.add(str(file), None, "empty", "an edge without source or target")
        return
    held = _data(element, keys)
    kind = element.get("label")
    for name in EDGE_KINDS:
        said = held.pop(name, None) if kind is None or held.get(name) == kind else None
        kind = kind or (str(said) if said else None)
    own = element.get("directed")
    made.edge(head, tail, kind or LINKED, held)
    if not (directed if own is None else own == "true") and head != tail:
        made.edge(tail, head, kind or LINKED, held)


# -- Cypher dumps ----------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|(?P<text>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<name>`(?:[^`]|``)+`|[^\W\d]\w*)"
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<sign><-|->|[-(){}\[\]:,;.+*=<>|$&!])",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


class _Token(NamedTuple):
    kind: str  # "text", "name", "number", "sign", "end"
    value: str
    line: int


class _Node(NamedTuple):
    types: tuple[str, ...]
    properties: dict[str, Any]


class _Syntax(Exception):
    """A statement is not of the plain kind."""


def cypher(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """CREATE and MERGE of nodes and relationships with literal properties, also after a MATCH on literal properties.

    A statement of another kind is a problem and passed over. A node's id is its property id, uri, key … or name; one
    without such is numbered.
    """
    made, reader = PropertyTriples(file, problems), _Dump()
    pending, line = "", 1
    while True:
        block = stream.read()
        pending += block.decode("utf-8", "replace")
        statements, pending, line = _statements(pending, line, last=not block)
        for tokens in statements:
            try:
                reader.take(tokens, made)
            except _Syntax as error:
                problems.add(str(file), tokens[0].line, "syntax", f"is not a plain CREATE: {error}")
        yield from made.batches()
        if not block:
            break
        if len(pending) > STATEMENT_LIMIT:
            problems.add(str(file), line, "long", f"a statement longer than {STATEMENT_LIMIT:,} letters")
            return
    yield from made.batches(whole=True)


def _statements(text: str, line: int, *, last: bool) -> tuple[list[list[_Token]], str, int]:
    """Whole statements as tokens, the rest of the text, and the line the rest begins at."""
    done: list[list[_Token]] = []
    tokens: list[_Token] = []
    place = kept = 0
    here = kept_line = line
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            if not last:
                break
            tokens.append(_Token("sign", text[place], here))
            place += 1
            continue
        if not last and match.end() == len(text):
            break  # it may go on
        place, kind = match.end(), match.lastgroup
        if match.group() == ";":
            if tokens:
                done.append(tokens)
            tokens, kept, kept_line = [], place, here
        elif kind is not None:
            tokens.append(_Token(kind, match.group(), here))
        here += match.group().count("\n")
    if last and tokens:
        done.append(tokens)
    return done, "" if last else text[kept:], kept_line


class _Dump:
    """The nodes a dump has made so far, and how they are told apart."""

    def __init__(self) -> None:
        self._by: dict[tuple[str, str], list[str]] = {}  # property and value → ids
        self._nodes: dict[str, _Node] = {}
        self._count = 0

    def take(self, tokens: list[_Token], made: PropertyTriples) -> None:
        """One statement, which may hold several clauses."""
        self._tokens, self._at = [*tokens, _Token("end", "", tokens[-1].line)], 0
        self._names: dict[str, list[str]] = {}
        while self._now.kind != "end":
            word = self._next().value.upper()
            if word in ("BEGIN", "COMMIT"):
                continue
            if word not in ("CREATE", "MERGE", "MATCH"):
                raise _Syntax(f"{word[:40]!r}, expected CREATE, MERGE or MATCH")
            self._pattern(word, made)
            while self._now.value == ",":
                self._at += 1
                self._pattern(word, made)

    @property
    def _now(self) -> _Token:
        return self._tokens[self._at]

    def _next(self, expected: str = "") -> _Token:
        token = self._now
        if expected and token.value != expected:
            raise _Syntax(f"{token.value[:40]!r}, expected {expected!r}")
        self._at += token.kind != "end"
        return token

    def _pattern(self, word: str, made: PropertyTriples) -> None:
        left = self._node(word, made)
        while self._now.value in ("-", "<-"):
            forward = self._next().value == "-"
            self._next("[")
            if self._now.kind == "name":
                self._next()
            self._next(":")
            kind, held = _unquoted(self._next().value), self._properties()
            self._next("]")
            self._next("->" if forward else "-")
            right = self._node(word, made)
            if word == "MATCH":
                raise _Syntax("a relationship to be matched, expected nodes alone")
            for a in left:
                for b in right:
                    made.edge(*((a, b) if forward else (b, a)), kind, held)
            left = right

    def _node(self, word: str, made: PropertyTriples) -> list[str]:
        self._next("(")
        name = _unquoted(self._next().value) if self._now.kind == "name" else ""
        types = []
        while self._now.value == ":":
            self._at += 1
            types.append(_unquoted(self._next().value))
        held = self._properties()
        self._next(")")
        if name in self._names and not types and not held:
            return self._names[name]
        if word == "MATCH" or word == "MERGE":
            ids = self._matched(types, held)
            if ids or word == "MATCH":
                if not ids:
                    raise _Syntax("a node that no statement before it made")
                self._names[name] = ids
                return ids
        key = next((key for key in KEYS if isinstance(held.get(key), (str, int))), "")
        id = str(held[key]) if key else ""
        if not id or id in self._nodes:
            self._count += 1
            id = f"{id}#{self._count}" if id else f"node{self._count}"
        self._nodes[id] = _Node(tuple(types), held)
        for each, value in held.items():
            self._by.setdefault((each, repr(value)), []).append(id)
        made.node(id, types, held, key if key != "name" else "")
        if name:
            self._names[name] = [id]
        return [id]

    def _matched(self, types: list[str], held: Mapping[str, Any]) -> list[str]:
        if not held:
            raise _Syntax("a node without properties to be matched")
        first, *more = ((key, repr(value)) for key, value in held.items())
        fits = (
            id
            for id in self._by.get(first, ())
            if set(types) <= set(self._nodes[id].types)
            and all(repr(self._nodes[id].properties.get(key)) == value for key, value in more)
        )
        return list(fits)

    def _properties(self) -> dict[str, Any]:
        held: dict[str, Any] = {}
        if self._now.value != "{":
            return held
        self._next("{")
        while self._now.value != "}":
            key = _unquoted(self._next().value)
            self._next(":")
            held[key] = self._value(0)
            if self._now.value != "}":
                self._next(",")
        self._next("}")
        return {key: value for key, value in held.items() if value is not None}

    def _value(self, depth: int) -> Any:
        token = self._next()
        if token.kind == "text":
            return _ESCAPE.sub(_unescaped, token.value[1:-1])
        if token.kind == "number":
            whole = not re.search(r"[.eE]", token.value)
            if whole and len(token.value) > 1000:
                raise _Syntax(f"a number of {len(token.value):,} digits")
            return int(token.value) if whole else float(token.value)
        if token.value == "[" and depth < 8:
            items = []
            while self._now.value != "]":
                items.append(self._value(depth + 1))
                if self._now.value != "]":
                    self._next(",")
            self._next("]")
            return items
        word = token.value.lower()
        if token.kind == "name" and word in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[word]
        if token.kind == "name" and self._now.value == "(" and word in ("date", "datetime", "localdatetime", "time"):
            self._next("(")
            text = self._value(depth + 1)
            self._next(")")
            return text
        raise _Syntax(f"{token.value[:40]!r}, expected a text, a number, true, false, null or a list")


def _unquoted(name: str) -> str:
    return name[1:-1].replace("``", "`") if name.startswith("`") else name


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "uU" and len(code) > 1:
        number = int(code[1:], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number <= 0xDFFF else "\ufffd"
    return _ESCAPES.get(code, code)
