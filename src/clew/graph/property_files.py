"""Property graphs in one file: GraphML, and how the nodes and edges of any such file become triples.

Apart from the tables of nodes and edges because here one file holds both. They become triples in the same way: a node's
types are triples of the relation "type", its name is its label, other properties are literals; an edge is a triple, and
one with properties also gets a mediator between its ends, which carries them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, ParseError, XMLPullParser

import numpy as np

from clew.graph.inputs import ALIAS, TERM_LIMIT, Batch, Notes, Problems, Rows, Stream, column
from clew.graph.property_values import literals

TYPE = "type"
LINKED = "linked to"  # the relation of an edge that states none
NAMES = ("name", "label", "title", "fullName", "displayName", "prefLabel", "lbl")
ALIASES = ("aliases", "alias", "altLabel", "synonyms")
EDGE_KINDS = (  # what edges state their relation by, in order of liking
    "label", "type", "relation", "relationship", "relType", "rel", "rel_type", "relation_type", "relationship_type",
    "edge_type", "edgeType", "predicate", "kind", "name",
)  # fmt: skip
KEYS = ("id", "uri", "iri", "qid", "key", "uuid", "name")
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

    def node(
        self,
        id: str,
        types: list[str],
        properties: Mapping[str, Any],
        hidden: str = "",
        *,
        named_by: str = "",
        known_by: Sequence[str] = (),
    ) -> None:
        """
        Args:
            hidden: the property that is the node's id.
            named_by: the property that names it where none is called a name.
            known_by: properties whose values are other names of it.
        """
        label = next(
            (name for name in NAMES if isinstance(properties.get(name), str) and properties[name].strip()), None
        )
        name = properties.get(label or named_by)
        if isinstance(name, str):
            self._notes.append((id, name.strip(), 0))
        for key, value in properties.items():
            if key in ALIASES or (key in known_by and isinstance(value, str) and name not in (None, value)):
                self._notes += [(id, text[1 : text.rindex('"')], ALIAS) for text in literals(value)]
            if key not in (label, hidden) and key not in ALIASES:
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


def take_kind(properties: dict[str, Any]) -> str:
    """The relation that an edge states by one of its properties, which is taken out; "" where none does."""
    name = next((name for name in EDGE_KINDS if isinstance(properties.get(name), str)), None)
    return "" if name is None else str(properties.pop(name))


PART_OF = "part of"  # of a node that lies in a group of others
# -- GraphML ---------------------------------------------------------------------------------------------------------


def elements(file: Path, problems: Problems, stream: Stream) -> Iterator[tuple[str, str, Element] | None]:
    """The beginnings and ends of an XML file's elements, with their names; None after each block of the file.

    What breaks the XML ends the file; one that declares entities is refused.
    """
    parser: Any = XMLPullParser(("start", "end"))
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
            return
        for event, element in events:
            yield event, element.tag.rpartition("}")[2], element
        yield None
        if not block:
            return


def read_xml(
    file: Path,
    problems: Problems,
    stream: Stream,
    made: PropertyTriples,
    began: Callable[[str, Element], object],
    ended: Callable[[str, Element], object],
) -> Iterator[Batch]:
    """The batches of an XML file: `began` and `ended` are given its elements and put nodes and edges in `made`."""
    for found in elements(file, problems, stream):
        if found is None:
            yield from made.batches()
            continue
        event, tag, element = found
        (began if event == "start" else ended)(tag, element)
        if event == "end" and tag in ("node", "edge"):
            element.clear()
    yield from made.batches(whole=True)


def graphml(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Nodes and edges of a GraphML file; an undirected edge is a triple each way. What breaks the XML ends the file."""
    made = PropertyTriples(file, problems)
    keys: dict[str, tuple[str, str]] = {}  # id → name, type
    directed = True

    inside: list[str] = []  # the nodes that the one read now lies in

    def began(tag: str, element: Element) -> None:
        nonlocal directed
        if tag == "graph":
            directed = element.get("edgedefault") != "undirected"
        elif tag == "node":
            inside.append(element.get("id", ""))

    def ended(tag: str, element: Element) -> None:
        if tag == "key":
            id = element.get("id", "")
            keys[id] = element.get("attr.name", id), element.get("attr.type", "")
        elif tag == "node":
            _node(element, keys, made, file, problems)
            own = inside.pop()
            if inside and own and inside[-1]:
                made.edge(own, inside[-1], PART_OF, {})
        elif tag == "edge":
            _edge(element, keys, made, directed, file, problems)

    return read_xml(file, problems, stream, made, began, ended)


def _data(element: Element, keys: Mapping[str, tuple[str, str]]) -> dict[str, Any]:
    held: dict[str, Any] = {}
    for child in element:
        if child.tag.rpartition("}")[2] == "data" and child.text and child.text.strip():
            name, kind = keys.get(child.get("key", ""), (child.get("key", ""), "string"))
            held[name] = typed(child.text.strip(), kind)
    return held


def _drawn(element: Element, tag: str) -> str:
    """What yEd writes on a node or an edge; a word that is parted at the end of a line is put together again."""
    for child in element:
        if child.tag.rpartition("}")[2] != "data":
            continue
        for inner in child.iter():
            if inner.tag.rpartition("}")[2] == tag and inner.text and inner.text.strip():
                return " ".join(re.sub(r"-\n\s*(?=[a-zäöüß])", "", inner.text.strip()).split())
    return ""


def typed(text: str, kind: str) -> Any:
    """A value as its stated type has it; a text where it does not fit."""
    try:
        if kind in ("int", "long", "integer", "short", "byte", "biginteger"):
            return int(text)
        if kind in ("float", "double", "bigdecimal"):
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
    if (drawn := _drawn(element, "NodeLabel")) and not any(name in held for name in NAMES):
        held["name"] = drawn
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
    kind = element.get("label") or _drawn(element, "EdgeLabel") or None
    for name in EDGE_KINDS:
        said = held.pop(name, None) if kind is None or held.get(name) == kind else None
        kind = kind or (str(said) if said else None)
    own = element.get("directed")
    made.edge(head, tail, kind or LINKED, held)
    if not (directed if own is None else own == "true") and head != tail:
        made.edge(tail, head, kind or LINKED, held)
