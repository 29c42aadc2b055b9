"""Reader of GML, as networkx, igraph, yEd and Gephi write it: keys and values, nested in brackets.

Apart because it is a language of its own; like a JSON document it is read whole, so that its size is bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.property_files import LINKED, PropertyTriples, take_kind
from clew.graph.property_values import dated

LARGEST = 256 << 20  # bytes
DEEP = 64
LOOKS = frozenset(["graphics", "LabelGraphics", "edgeAnchor"])  # how yEd draws it
_TOKEN = re.compile(r'\s*+(?>(?:#[^\n]*+\n\s*+)*)(?:(\[)|(\])|"([^"]*+)"|([^\s\[\]"]++))')
_WHOLE = re.compile(r"[-+]?\d{1,18}")
_REAL = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_ENDS = ("source", "target")


class _Bad(Exception):
    """What is no GML; the text says why."""


def gml(file: Path, problems: Problems, stream: Stream) -> Iterator[Batch]:
    """Nodes and edges of a GML file; an undirected edge is a triple each way."""
    data = stream.read(LARGEST + 1)
    if len(data) > LARGEST:
        problems.add(
            str(file), None, "long", f"a GML file larger than {LARGEST >> 20} MB; write it as GraphML or tables"
        )
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
        problems.add(str(file), None, "utf8", "is not UTF-8; read as Windows-1252")
    made = PropertyTriples(file, problems)
    directed = False
    try:
        for key, held in _entries(text):
            if key == "directed":
                directed = held == 1
            elif key == "node" and isinstance(held, dict):
                id = held.pop("id", None)
                if id is None:
                    problems.add(str(file), None, "empty", f"a node without an id: {str(held)[:60]}")
                else:
                    made.node(str(id), [], held)
            elif key == "edge" and isinstance(held, dict):
                if not all(end in held for end in _ENDS):
                    problems.add(str(file), None, "empty", f"an edge without source or target: {str(held)[:60]}")
                    continue
                head, tail = (str(held.pop(end)) for end in _ENDS)
                for own in ("id", "key"):  # its own number says nothing
                    held.pop(own, None)
                kind = take_kind(held).strip() or LINKED
                made.edge(head, tail, kind, held)
                if not directed and head != tail:
                    made.edge(tail, head, kind, held)
            yield from made.batches()
    except _Bad as error:
        problems.add(str(file), None, "syntax", f"is no GML: {error}; what came before it counts")
    yield from made.batches(whole=True)


def _entries(text: str) -> Iterator[tuple[str, Any]]:
    """What the graph lists, each with its key: numbers, texts, dates, and dictionaries of them."""
    at, depth = 0, 0
    key = ""
    while (match := _TOKEN.match(text, at)) is not None:
        opening, closing, quoted, bare = match.groups()
        if key and opening and key not in ("graph", "Graph") and depth == 1:
            held, at = _bracket(text, match.end(), 2)
            yield key, held
            key = ""
            continue
        at = match.end()
        if opening:
            if not key:
                raise _Bad("a bracket without a key")
            if depth:
                raise _Bad("a graph within a graph")
            depth, key = 1, ""
        elif closing:
            if not depth or key:
                raise _Bad("a bracket closed that is not open, or a key without a value")
            depth = 0
        elif key:
            if depth:
                yield key, _value(quoted, bare)
            key = ""
        elif bare is None:
            raise _Bad(f"a text without a key: {str(quoted)[:40]!r}")
        else:
            key = bare
    if text[at:].strip() or depth or key:
        raise _Bad("it ends within a bracket or a text" if depth or key else f"no key at {text[at:].strip()[:40]!r}")


def _bracket(text: str, at: int, depth: int) -> tuple[dict[str, Any], int]:
    """What stands in a bracket, and where it ends; a key that comes several times has a list."""
    held: dict[str, Any] = {}
    key = ""
    while (match := _TOKEN.match(text, at)) is not None:
        opening, closing, quoted, bare = match.groups()
        at = match.end()
        if closing:
            return held, at
        if not key:
            if bare is None:
                raise _Bad(f"expected a key, got {match[0].strip()[:40]!r}")
            key = bare
            continue
        if opening:
            if depth > DEEP:
                raise _Bad(f"more than {DEEP} brackets within one another")
            value, at = _bracket(text, at, depth + 1)
        else:
            value = _value(quoted, bare)
        if key not in LOOKS:
            before = held.get(key)
            held[key] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
        key = ""
    raise _Bad("it ends within a bracket or a text")


def _value(quoted: str | None, bare: str | None) -> Any:
    if quoted is not None:
        return dated(unescape(quoted))
    assert bare is not None
    return int(bare) if _WHOLE.fullmatch(bare) else float(bare) if _REAL.fullmatch(bare) else bare
