"""When a question's parts are composed, and what an exception takes away."""

from collections.abc import Sequence
from typing import ClassVar

import pytest

from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import execute, parse
from clew.retrieval.operators import Operators
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question

ROWS = [
    ("Carla", "type", "Person"), ("Ben", "type", "Person"), ("Dev", "type", "Person"),
    ("Northwind", "type", "Company"), ("Harbor", "type", "Company"),
    ("Carla", "works for", "Northwind"), ("Dev", "works for", "Harbor"),
    ("Northwind", "headquartered in", "Porto"), ("Harbor", "headquartered in", "Lyon"),
    ("Carla", "knows language", "Rust"), ("Carla", "knows language", "Python"),
    ("Ben", "knows language", "Rust"), ("Dev", "knows language", "Python"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="staff")


class Follows:
    """A method that follows the relations it was told, from the entity it was told."""

    name: ClassVar[str] = "follows"

    def __init__(self, start: str, *relations: tuple[str, bool]) -> None:
        self.start, self.relations = start, relations

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return self.predict([question], graph)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self._one(question, graph) for question in questions]

    def _one(self, question: Question, graph: GraphStore) -> Answer:
        paths = [Path(graph.entity(self.start), (), 0.8)]
        for relation, forward in self.relations:
            side = "out" if forward else "in"
            paths = [
                Path(path.start, (*path.hops, Hop(triple, forward)), 0.8)
                for path in paths
                for triple in graph.neighbors([path.end.id], relations={relation}, direction=side)
            ]
        ends = tuple(Candidate(path.end.label, 0.8, path.end, (i,)) for i, path in enumerate(paths))
        return Answer(question, self.name, ends, Evidence(tuple(paths)))


def test_where_is_no_member_of_the_class_that_is_named(graph: Graph) -> None:
    """The company is composed of its class and of whom Carla works for, with every word said; a place is asked for."""
    method = Follows("Carla", ("works for", True), ("headquartered in", True))
    answer = Operators(method).answer(Question("q", "Where is the company Carla works for headquartered?"), graph)
    assert answer.texts == ("Porto",)
    which = Follows("Carla", ("works for", True))
    answer = Operators(which).answer(Question("q", "Which company does Carla work for?"), graph)
    assert answer.texts == ("Northwind",)


@pytest.mark.parametrize(
    ("text", "answers", "plan"),
    [
        (
            "which people know Rust but not Python?",
            {"Ben"},
            'minus(follow(entity(Rust), ^"knows language"), follow(entity(Python), ^"knows language"))',
        ),
        (
            "which people know Rust except Ben?",
            {"Carla"},
            'minus(follow(entity(Rust), ^"knows language"), entity(Ben))',
        ),
    ],
)
def test_an_exception_is_a_member_or_what_leads_there(graph: Graph, text: str, answers: set[str], plan: str) -> None:
    answer = Operators(Follows("Rust", ("knows language", False))).answer(Question("q", text), graph)
    assert set(answer.texts) == answers
    assert answer.plan is not None
    found = execute(parse(answer.plan.text), graph).members
    assert found.tolist() == execute(parse(plan), graph).members.tolist()
