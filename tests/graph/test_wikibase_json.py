"""Dumps of a Wikibase as JSON: entities, with the names of their properties."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.errors import InputError
from clew.graph import Graph, build


def entity(id: str, name: str = "", claims: Any = (), **more: Any) -> dict[str, Any]:
    labels = (
        {"de": {"language": "de", "value": f"{name} (de)"}, "en": {"language": "en", "value": name}} if name else []
    )
    kind = "property" if id.startswith("P") else "item"
    return {"type": kind, "id": id, "labels": labels, "descriptions": [], "aliases": [], "claims": claims, **more}


def stated(value: Any, rank: str = "normal", **qualifiers: Any) -> dict[str, Any]:
    snak = {"snaktype": "value", "datavalue": {"value": value}} if value is not None else {"snaktype": "somevalue"}
    said = {key: [{"snaktype": "value", "datavalue": {"value": each}}] for key, each in qualifiers.items()}
    return {"mainsnak": snak, "rank": rank, "qualifiers": said or []}


def day(text: str, precision: int) -> dict[str, Any]:
    return {"time": text, "precision": precision}


PROPERTIES = [entity(f"P{n}", name) for n, name in enumerate(
    ("instance of", "owner", "inception", "height", "start time", "official name"), 1)]  # fmt: skip
ITEMS = [
    entity("Q1", "castle"), entity("Q2", "metre"), entity("Q3", "Heritage Trust"),
    entity("Q4", "Oberkastell", {
        "P1": [stated({"id": "Q1"})],
        "P2": [
            stated({"id": "Q3"}, P5=day("+1987-06-01T00:00:00Z", 11)), stated(None),
            stated({"id": "Q2"}, "deprecated"),
        ],
        "P3": [stated(day("+1243-00-00T00:00:00Z", 9))],
        "P4": [stated({"amount": "+23.5", "unit": "http://x.example/entity/Q2"})],
        "P6": [stated({"text": "Burg Oberkastell", "language": "de"})],
    }, aliases={"en": [{"language": "en", "value": "Upper Castle"}]}),
]  # fmt: skip


def test_entities_with_their_properties(tmp_path: Path) -> None:
    (tmp_path / "dump.json").write_text(json.dumps([*PROPERTIES, *ITEMS]))
    assert build(tmp_path / "dump.json", tmp_path / "g.kg").num_problems == 0
    graph = Graph.open(tmp_path / "g.kg", verify=True)
    found = {(t.head.label, t.relation.label, t.tail.label) for t in graph.triples()}
    assert {
        ("Oberkastell", "instance of", "castle"), ("Oberkastell", "owner", "Heritage Trust"),
        ("Oberkastell", "inception", "1243"), ("Oberkastell", "height", "23.5 metre"),
        ("Oberkastell", "official name", "Burg Oberkastell"),
    } <= found  # fmt: skip
    assert [row[2] for row in found if row[1] == "start time"] == ["1987-06-01"]
    assert not any(row[1] == "owner" and row[2] == "metre" for row in found)  # deprecated
    assert "Oberkastell" in [each.label for each in graph.resolve("Upper Castle")]


def test_entities_without_properties_are_refused(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text(json.dumps({"entities": {each["id"]: each for each in ITEMS}}))
    with pytest.raises(InputError, match=r"\.ttl"):
        build(tmp_path / "q.json", tmp_path / "g.kg")
