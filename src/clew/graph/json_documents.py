"""Several JSON documents of plain objects are read as one: users.json says who `assigned_to` of devices.json is.

Kept apart from `plain_json`, which reads objects wherever they come from. Each document is parsed in the process that
parses; its objects are written a line each, with the key that leads to them, and the lines of all are read together.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from clew.graph.inputs import Batch, Problems, Stream
from clew.graph.jsonld import SAMPLE, a_line, is_jsonld
from clew.graph.node_link import LARGEST, document_objects, graph_in, line_objects
from clew.graph.nouns import noun_of
from clew.graph.plain_json import PlainJson, kind_of
from clew.graph.property_files import PropertyTriples


def objects_written(folder: Path, stream: Stream, called: str) -> list[dict[str, Any]]:
    """The objects of a document written into a file, a line each; nothing where it is a graph or no plain objects.

    Args:
        called: what the file is called, without what it shares with the others: it says what its objects are.
    """
    sample = stream.peek(SAMPLE)
    if is_jsonld(sample):
        return []
    if a_line(sample):
        objects = line_objects(stream)
    else:
        text = stream.read(LARGEST + 1)
        try:
            objects = document_objects(graph_in(json.loads(text.decode("utf-8-sig")))) if len(text) <= LARGEST else None
        except (ValueError, RecursionError):
            return []
    if not objects:
        return []
    path = folder / "lines"
    with path.open("w", encoding="utf-8") as out:
        for key, held in objects:
            said = key or ("" if kind_of(held) and " ".join(noun_of(called)) == called.casefold() else called)
            out.write(json.dumps([said, held], ensure_ascii=True) + "\n")
    return [{"file": str(path), "name": called, "line": 0, "columns": []}]


def read_objects(file: Path, problems: Problems, stream: Stream, told: list[str]) -> Iterator[Batch]:
    """The triples of such lines; `told` is given what was found out of their references."""
    made = PropertyTriples(file, problems)
    plain = PlainJson(file, made)
    for line in stream.lines():
        key, held = json.loads(line)
        if why := plain.take(key, held):
            problems.add(str(file), None, "fields", why)
            break
    yield from plain.end()
    told += plain.told
    yield from made.batches(whole=True)
