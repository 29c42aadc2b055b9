"""Reader of GEXF, the format of Gephi, in its versions 1.1 to 1.3.

Apart from GraphML because what a node or an edge has stands in elements of its own, declared once for each kind, and
may change with time. How a graph looks (colours, sizes, places) is no fact and is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.property_files import LINKED, PropertyTriples, read_xml, take_kind, typed
from clew.graph.property_values import dated

TIMES = ("start", "end", "timestamp")


def gexf(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Nodes and edges of a GEXF file; an undirected edge is a triple each way."""
    made = PropertyTriples(file, problems)
    columns: dict[tuple[str, str], tuple[str, str]] = {}  # class and id → title, type
    default, about = "undirected", "node"

    def began(tag: str, element: Element) -> None:
        nonlocal default, about
        if tag == "graph":
            default = element.get("defaultedgetype", "undirected")
        elif tag == "attributes":
            about = element.get("class", "node")

    def ended(tag: str, element: Element) -> None:
        if tag == "attribute":
            id = element.get("id", "")
            columns[about, id] = element.get("title") or id, element.get("type", "string")
        elif tag == "node":
            id = (element.get("id") or "").strip()
            if not id:
                problems.add(str(file), None, "empty", "a node without an id")
            else:
                label = (element.get("label") or "").strip()
                held = _held(element, columns, "node")
                made.node(id, [], ({"label": label} if label else {}) | held if "name" not in held else held)
                if element.get("pid"):
                    made.edge(id, element.get("pid", ""), "part of", {})
        elif tag == "edge":
            _edge(element, columns, made, default, file, problems)

    return read_xml(file, problems, stream, made, began, ended)


def _edge(
    element: Element,
    columns: dict[tuple[str, str], tuple[str, str]],
    made: PropertyTriples,
    default: str,
    file: Path,
    problems: Problems,
) -> None:
    head, tail = (element.get("source") or "").strip(), (element.get("target") or "").strip()
    if not head or not tail:
        problems.add(str(file), None, "empty", "an edge without source or target")
        return
    held = _held(element, columns, "edge")
    sort = element.get("type", default)
    own = "" if sort in ("directed", "undirected", "mutual") else sort  # networkx puts a property called type there
    kind = (element.get("kind") or element.get("label") or own).strip()
    if element.get("kind") and element.get("label") not in (None, "", kind):
        held["label"] = element.get("label")
    weight = typed(element.get("weight") or "1", "double")
    if weight != 1 and "weight" not in {name.casefold() for name in held}:
        held["weight"] = int(weight) if isinstance(weight, float) and weight.is_integer() else weight
    kind = kind or take_kind(held) or LINKED
    made.edge(head, tail, kind, held)
    if (default if own else sort) in ("undirected", "mutual") and head != tail:
        made.edge(tail, head, kind, held)


def _held(element: Element, columns: dict[tuple[str, str], tuple[str, str]], about: str) -> dict[str, Any]:
    """What a node or an edge has; of a value that changes with time, all of them."""
    held: dict[str, Any] = {name: dated(value) for name in TIMES if (value := (element.get(name) or "").strip())}
    for values in element:
        if values.tag.rpartition("}")[2] != "attvalues":
            continue
        for each in values:
            id = each.get("for", each.get("id", ""))  # "id" in version 1.1
            title, kind = columns.get((about, id), (id, "string"))
            text = (each.get("value") or "").strip()
            if not text or not title:
                continue
            parts = _list(text) if kind.startswith("list") else [text]
            said = [dated(typed(part, kind.removeprefix("list"))) for part in parts]
            before = held.get(title)
            every = [*(before if isinstance(before, list) else [] if before is None else [before]), *said]
            held[title] = every[0] if len(every) == 1 else every
    return held


def _list(text: str) -> list[str]:
    """The values of a list: `[a, "b"]` as Gephi writes it, or `a|b`."""
    between = "|" if "|" in text else ","
    return [part for each in text.strip("[]").split(between) if (part := each.strip().strip("\"'"))]
