"""Several JSON documents of one export: what one refers to stands in another."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clew.errors import InputError
from clew.graph import BuildReport, Graph, build

DEVICES = {"devices": [
    {"asset_tag": "NB-1", "serial": "X77", "assigned_to": "U2", "office_id": "OFF-01"},
    {"asset_tag": "NB-2", "serial": "X78", "assigned_to": "U1", "office_id": "OFF-02"},
    {"asset_tag": "NB-3", "serial": "X79", "assigned_to": None, "office_id": "OFF-02"},
]}  # fmt: skip
USERS = {"users": [{"id": "U1", "name": "Ada Fenwick"}, {"id": "U2", "name": "Colm Raftery"}]}
OFFICES = [{"id": "OFF-01", "name": "Quayside"}, {"id": "OFF-02", "name": "Millgate"}]
TICKETS = [
    {"number": "T-1", "subject": "Laptop very slow", "device": "NB-1", "reported_by": "U1"},
    {"number": "T-2", "subject": "Screen is black", "device": "NB-3", "reported_by": "U2"},
]


def built(folder: Path, **documents: object) -> tuple[Graph, BuildReport]:
    for name, held in documents.items():
        (folder / f"{name}.json").write_text(held if isinstance(held, str) else json.dumps(held))
    report = build(sorted(folder.glob("*.json*")), folder / "g.kg")
    return Graph.open(folder / "g.kg"), report


def rows(graph: Graph) -> set[tuple[str, str, str]]:
    labels = graph.labels_at(np.arange(graph.num_entities, dtype=np.int32))
    triples = zip(graph.whole.heads.tolist(), graph.whole.rels.tolist(), graph.whole.tails.tolist(), strict=True)
    return {(labels[h], graph.relation_at(r).label, labels[t]) for h, r, t in triples}


def test_what_one_document_refers_to_stands_in_another(tmp_path: Path) -> None:
    graph, report = built(tmp_path, devices=DEVICES, users=USERS, export_offices=OFFICES, tickets=TICKETS)
    found = rows(graph)
    assert {("NB-1", "assigned_to", "Colm Raftery"), ("NB-2", "office", "Millgate")} <= found
    assert {("T-1", "device", "NB-1"), ("T-2", "reported_by", "Colm Raftery")} <= found
    assert {("NB-1", "serial", "X77"), ("T-1", "number", "T-1")} <= found
    types = {tail for _, relation, tail in found if relation == "type"}
    assert types == {"device", "user", "export office", "ticket"}
    assert "  assigned_to → user" in report.tables


def test_lines_beside_documents(tmp_path: Path) -> None:
    (tmp_path / "tickets.jsonl").write_text("".join(json.dumps(each) + "\n" for each in TICKETS))
    graph, _ = built(tmp_path, devices=DEVICES, users=USERS)
    assert ("T-2", "device", "NB-3") in rows(graph)


def test_ids_that_several_documents_number_from_one_stay_apart(tmp_path: Path) -> None:
    people = [{"id": 1, "name": "Ann"}, {"id": 2, "name": "Bo"}]
    clubs = [{"id": 1, "name": "Rovers", "person_id": 2}, {"id": 2, "name": "United", "person_id": 1}]
    graph, _ = built(tmp_path, people=people, clubs=clubs)
    assert {("Rovers", "person", "Bo"), ("United", "person", "Ann")} <= rows(graph)


def test_a_graph_and_a_broken_document_are_read_by_themselves(tmp_path: Path) -> None:
    graph_document = {"nodes": [{"id": "n1"}, {"id": "n2"}], "links": [{"source": "n1", "target": "n2", "type": "to"}]}
    graph, report = built(tmp_path, devices=DEVICES, users=USERS, some_graph=graph_document, zzz="{not json")
    assert ("n1", "to", "n2") in rows(graph) and ("NB-1", "assigned_to", "Colm Raftery") in rows(graph)
    assert [Path(each.file).name for each in report.problems] == ["zzz.json"]


def test_documents_of_nothing_are_told_by_their_own_names(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"b\.json"):
        built(tmp_path, a="[1]", b="[]")


def test_an_editor_who_writes_is_one_person(tmp_path: Path) -> None:
    def person(key: str, name: str) -> dict[str, str]:
        return {"id": key, "name": name, "email": f"{key}@x.org"}

    articles = [{"id": "a1", "title": "Fire", "author": {"id": "p1", "name": "Desmond"}},
                {"id": "a2", "title": "Stew", "author": {"id": "p2", "name": "Harriet"}}]  # fmt: skip
    graph, _ = built(tmp_path, articles=articles, staff={"staff": [person("p1", "Desmond"), person("p2", "Harriet")]})
    assert {("Fire", "author", "Desmond"), ("Desmond", "email", "p1@x.org")} <= rows(graph)


def test_people_of_a_code_host_are_the_same_wherever_they_stand(tmp_path: Path) -> None:
    """Who reported, reviewed or merged something is named by a login there, and by more where users are listed; pulls
    and issues are referred to by their numbers."""
    ann, bo = {"login": "annlee", "id": 11}, {"login": "boray", "id": 12}
    issues = [
        {"id": 901, "number": 1, "title": "Login fails", "user": ann, "closed_by": bo, "assignee": bo},
        {"id": 902, "number": 2, "title": "Slow search", "user": bo, "closed_by": ann, "assignee": ann},
    ]
    pulls = [
        {"id": 801, "number": 3, "title": "Fix the login", "user": bo, "merged_by": ann, "closes_issues": [1]},
        {"id": 802, "number": 4, "title": "Index titles", "user": ann, "merged_by": bo, "closes_issues": [2]},
    ]
    reviews = [{"id": 701, "pull_number": 3, "user": ann, "state": "APPROVED"},
               {"id": 702, "pull_number": 4, "user": bo, "state": "COMMENTED"}]  # fmt: skip
    users = [{"login": "annlee", "id": 11, "type": "User", "name": "Ann Lee", "location": "Bergen"},
             {"login": "boray", "id": 12, "type": "User", "name": "Bo Ray", "location": "Kochi"}]  # fmt: skip
    graph, report = built(tmp_path, issues=issues, pulls=pulls, reviews=reviews, users=users)
    said = rows(graph)
    assert {("Login fails", "user", "Ann Lee"), ("Slow search", "closed_by", "Ann Lee")} <= said
    assert {("Fix the login", "merged_by", "Ann Lee"), ("Fix the login", "closes_issues", "Login fails")} <= said
    assert ("review 701", "pull", "Fix the login") in said
    assert len(graph.resolve("annlee")) >= 1  # by the login too
    assert "pull_number → pull" in "\n".join(report.tables)
