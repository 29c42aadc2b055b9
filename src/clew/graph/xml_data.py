"""XML as programs write their data: records of attributes and elements, which no one calls a graph.

Kept apart from RDF/XML and the formats of graphs. Flat records become tables, in which keys of others are looked for as
in any; records with others in them become a document of plain JSON.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from clew.graph.inputs import Problems, Stream
from clew.graph.property_files import elements
from clew.labels import singular_of

HEAD = 1 << 14  # bytes that are looked at
LARGEST = 128 << 20  # bytes of a document
DEEP = 60
_OTHERS = re.compile(
    rb"<(?:\w+:)?(?:RDF|graphml|gexf|html|svg|Ontology|sparql)\b|rdf-syntax-ns|<!DOCTYPE", re.IGNORECASE
)
_ROWS = frozenset(["row", "rec", "record", "item", "entry", "element", "object", "r", "doc", "node"])  # of anything
_PLAIN = {"Id": "id", "ID": "id", "Name": "name", "Title": "title"}


def is_xml_data(file: Path) -> bool:
    """Whether a file of XML is neither RDF nor a graph nor a page."""
    stream = Stream(file, Problems())
    try:
        head = stream.read(HEAD)
    finally:
        stream.close()
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<") and _OTHERS.search(head) is None


def recorded(folder: Path, stream: Stream, problems: Problems, moved: Callable[[], None]) -> list[dict[str, Any]]:
    """Write the records of a document into a folder, as tables or as one document of JSON.

    Returns:
        "file", "name", "columns", "line" of each; nothing where the document holds no records.
    """
    root: Element | None = None
    before = problems.total
    for found in elements(stream.file, problems, stream):
        if found is None:
            moved()
            if stream.position > LARGEST:
                problems.add(str(stream.file), None, "long", f"XML larger than {LARGEST >> 20} MB; write it as tables")
                return []
        elif root is None:
            root = found[2]
    if root is None or not len(root) or problems.total > before:
        return []
    held = _collections(root)
    if all(_flat(each) for some in held.values() for each in some):
        return [_table(folder, name, some) for name, some in held.items()]
    file = folder / f"{stream.file.name.split('.')[0]}.json"
    document = {name: [_value(each, 0) for each in some] for name, some in held.items()}
    file.write_text(json.dumps(document), encoding="utf-8")
    return [{"file": str(file), "name": file.stem, "line": 1, "columns": []}]


def _collections(root: Element) -> dict[str, list[Element]]:
    """The records of a document by what they are called, below the root or in lists there."""
    held: dict[str, list[Element]] = {}
    if len({_tag(each) for each in root}) == 1 and not (len(root) == 1 and _lists(root[0])):
        tag = _tag(root[0])
        return {_tag(root) if tag.lower() in _ROWS else tag: list(root)}
    for each in root:
        tag = _tag(each)
        if _lists(each):
            inner = _tag(each[0])
            held.setdefault(tag if inner.lower() in _ROWS else inner, []).extend(each)
        elif len(each) or each.attrib:
            held.setdefault(tag, []).append(each)
    return held


def _lists(element: Element) -> bool:
    """Whether an element only holds others of one name, as "authors" does."""
    tags = {_tag(each) for each in element}
    if len(tags) != 1 or element.attrib:
        return False
    tag = next(iter(tags))
    return len(element) > 1 or singular_of(_tag(element)) == tag or tag.lower() in _ROWS


def _flat(record: Element) -> bool:
    """Whether all that is said of a record are texts."""
    tags = [_tag(each) for each in record]
    return len(set(tags)) == len(tags) and not any(len(each) or each.attrib for each in record)


def _table(folder: Path, name: str, records: Sequence[Element]) -> dict[str, Any]:
    rows = [{**_said(each), **{_tag(part): _text(part) for part in each}} for each in records]
    columns = list(dict.fromkeys(key for row in rows for key in row))
    if all(_text(each) for each in records if not len(each)) and any(_text(each) for each in records):
        columns.append("text")
        rows = [row | {"text": _text(each)} for row, each in zip(rows, records, strict=True)]
    file = folder / f"{re.sub(r'[^A-Za-z0-9_ -]', '_', name)}.csv"
    with file.open("w", encoding="utf-8", newline="") as out:
        written = csv.writer(out, lineterminator="\n")
        written.writerow(columns)
        written.writerows([row.get(key, "") for key in columns] for row in rows)
    return {"file": str(file), "name": file.stem, "line": 2, "columns": columns}


def _value(element: Element, depth: int) -> Any:
    """An element as a value of JSON: a text, a list or an object."""
    own, text = _said(element), _text(element)
    if depth > DEEP or (not len(element) and not own):
        return text
    if depth and _lists(element):
        return [_value(each, depth + 1) for each in element]
    made: dict[str, Any] = {_PLAIN.get(key, key): value for key, value in own.items()}
    for part in element:
        key = _PLAIN.get(_tag(part), _tag(part))
        value = _value(part, depth + 1)
        if key in made:
            made[key] = [*(made[key] if isinstance(made[key], list) else [made[key]]), value]
        else:
            made[key] = value
    if text and not len(element):
        made[_tag(element)] = text
    return made


def _said(element: Element) -> dict[str, str]:
    return {key.rpartition("}")[2]: value.strip() for key, value in element.attrib.items() if value.strip()}


def _tag(element: Element) -> str:
    return element.tag.rpartition("}")[2]


def _text(element: Element) -> str:
    return " ".join((element.text or "").split())
