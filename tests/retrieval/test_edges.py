"""Edges that state something are events as rows with a key are: marks of a table of two keys, edges with properties."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.graph import Graph, build
from clew.query import plan as p
from clew.query.edges import edge_relations, edges_of
from clew.query.execute import execute
from clew.query.text import parse, show
from clew.retrieval.events.kinds import EDGES, Events
from written_tables import built

SCHOOL = {
    "pupils": "pupil_id,first_name,last_name,year\nP1,Ann,Lee,9\nP2,Bob,Ray,9\nP3,Cy,Fox,10\nP4,Di,Ek,10\n",
    "exams": "exam_id,title,subject,date\nE1,Spring Maths,Maths,2025-03-01\nE2,Spring History,History,2025-03-02\n"
             "E3,Summer Maths,Maths,2025-06-02\n",
    "exam_marks": "pupil_id,exam_id,mark\nP1,E1,55\nP1,E2,66\nP2,E1,71\nP2,E3,49\nP3,E2,80\nP3,E3,90\nP1,E3,51\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return Graph.open(built(tmp_path_factory.mktemp("school"), SCHOOL))


def test_a_table_of_two_keys_is_edges_by_its_own_name(school: Graph) -> None:
    """`mark` is a number, so that the relation has the table's whole name."""
    (relation,) = edge_relations(school)
    assert school.relation_at(relation).id == "exam_mark"
    assert len(edges_of(school, relation)) == 7
    assert school.mediators_at(edges_of(school, relation)).all()


def test_edges_are_a_set_of_plans(school: Graph) -> None:
    text = 'mean(and(edges(exam_mark), follow(entity("exams/E1"), exam_mark)), mark)'
    plan = parse(text)
    assert show(plan) == 'mean(and(edges(exam_mark), follow(entity("exams/E1"), exam_mark)), mark)'
    assert str(execute(plan, school).quantity) == "63"
    with pytest.raises(clew.ClewError, match="exam_mrak"):
        clew.query(school, "count(edges(exam_mrak))")


def test_edges_are_events_that_lead_to_both_ends(school: Graph) -> None:
    events = Events(school)
    (kind,) = (id for id in events.kinds() if id.startswith(EDGES))
    assert events.all(kind) == p.EdgesOf("exam_mark")
    assert {link.to for link in events.links(kind)} == {"pupil", "exam"}
    assert kind not in events.classes() and kind not in events.people()


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("what is the average mark in Spring Maths", ["63"]),
        ("which pupil has the highest average mark?", ["Cy Fox"]),
        ("which exam has the lowest average mark", ["Spring Maths"]),
        ("total of Ann Lee's marks", ["172"]),
        ("who got the highest mark in Summer Maths", ["Cy Fox"]),
        ("which pupils did not take any exam?", ["Di Ek"]),
        ("Who scored less than 52 in any exam?", ["Ann Lee", "Bob Ray"]),
    ],
)
def test_what_marks_come_to(school: Graph, question: str, answer: list[str]) -> None:
    found = clew.ask(school, question)
    assert sorted(found.texts) == answer, found


def test_a_row_without_values_is_an_edge_among_the_others(tmp_path: Path) -> None:
    """An edge of a property graph that has no properties is none that states anything."""
    emptied = {name: text.replace("P1,E3,51", "P1,E3,") for name, text in SCHOOL.items()}
    graph = Graph.open(built(tmp_path, emptied))
    (relation,) = edge_relations(graph)
    assert len(edges_of(graph, relation)) == 7
    (tmp_path / "nodes.csv").write_text("id,label,name\na,Person,Ann\nb,Person,Bob\nf,Film,Up\n")
    (tmp_path / "edges.csv").write_text("source,target,type,stars\na,f,RATED,4\nb,f,RATED,\na,b,KNOWS,\n")
    build([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "y.kg")
    graph = Graph.open(tmp_path / "y.kg")
    rated = graph.relation_number("RATED")
    assert rated is not None and len(edges_of(graph, rated)) == 1
