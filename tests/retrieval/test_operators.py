"""When a question's parts are composed, and what an exception takes away."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import execute, parse
from clew.retrieval.operator_words import asked_of
from clew.retrieval.operators import Operators
from clew.retrieval.refusing import unmet
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


# -- what is no operator -----------------------------------------------------------------------------------------------


def _read(text: str, graph: Graph, *topics: str) -> str | None:
    read = asked_of(Question("q", text, topics), graph).read
    return None if read is None else read.kind


def test_names_quotations_and_topics_hold_no_operators() -> None:
    named = Graph.from_triples([("I'm Not Anyone", "by", "Sam"), ("The Greatest Story: Live", "by", "Sam")])
    assert (
        _read('Who said "it is not what it was" first hand?', named) == "superlative"
    )  # "not" is quoted, "first" is not
    assert _read('Who said "it is not what it was"?', named) is None
    assert not asked_of(Question("q", "who wrote I'm Not Anyone", ("I'm Not Anyone",)), named).marked
    assert _read("What is the film The greatest story about?", named, "The Greatest Story: Live") is None
    assert _read("What is the film The greatest story about?", named) == "superlative"


def test_figures_that_a_relation_states_are_not_computed_for_each() -> None:
    games = Graph.from_triples(
        [("Ann", "points per match", "7"), ("Ann", "average age", "30"), ("Ann", "genre", "jazz")]
    )
    assert asked_of(Question("q", "What are the total points per match of Ann?"), games).read is not None
    computed = asked_of(Question("q", "What are the total goals per match of Ann?"), games).read
    assert computed is not None and computed.unsaid == "a figure for each match by itself"
    stated = asked_of(Question("q", "Who has the highest average age?"), games).read
    assert stated is not None and not stated.unsaid and stated.ranked is not None
    grouped = asked_of(Question("q", "What is the number of songs by genre?"), games).read
    assert grouped is not None and grouped.unsaid == "a figure for each genre by itself"


# -- the method's answer to the whole question -------------------------------------------------------------------------

SHOPS = Graph.from_triples(
    [
        *[("Ivo", "owns", shop) for shop in ("Alder", "Birch", "Cedar", "Dogwood")],
        ("Alder", "floor area", "90"), ("Birch", "floor area", "70"), ("Cedar", "floor area", "50"),
        ("Alder", "inspected", "2019-05-01"), ("Birch", "inspected", "2018-02-01"), ("Dogwood", "till number", "4"),
    ]
)  # fmt: skip


class Prefers(Follows):
    """Follows relations, and puts one of their ends first where it is asked the whole question."""

    def __init__(self, first: str, score: float, start: str, *relations: tuple[str, bool]) -> None:
        super().__init__(start, *relations)
        self.first, self.score = first, score

    def _one(self, question: Question, graph: GraphStore) -> Answer:
        found = super()._one(question, graph)
        if not question.text.endswith("?"):
            return found
        return replace(found, candidates=tuple(
            replace(c, score=self.score if c.text == self.first else 0.3)
            for c in sorted(found.candidates, key=lambda c: c.text != self.first)
        ))  # fmt: skip


@pytest.mark.parametrize(
    ("text", "first", "answer"),
    [
        ("Which one that Ivo owns has the largest floor area?", "Dogwood", "Alder"),  # named, and most have it
        ("Which one that Ivo owns has the largest till number?", "Birch", "Birch"),  # one of four has it
        ("Which one that Ivo owns opened first?", "Dogwood", "Dogwood"),  # no opening is stated, an inspection is
        ("Which one that Ivo owns opened first?", "Alder", "Birch"),  # what the method says is compared with others
    ],
)
def test_a_superlative_leaves_to_the_method_what_it_cannot_compare(text: str, first: str, answer: str) -> None:
    method = Prefers(first, 0.9, "Ivo", ("owns", True))
    assert Operators(method, trained=True).answer(Question("q", text), SHOPS).texts[0] == answer


def test_a_superlative_that_nothing_states_is_told_where_the_method_goes_by_names() -> None:
    question = Question("q", "Which one that Ivo owns is the heaviest?")
    method = Prefers("Cedar", 0.9, "Ivo", ("owns", True))
    answer = Operators(method).answer(question, SHOPS)
    assert (answer.texts, answer.note) == (
        (),
        "I cannot compare this: the graph has nothing that “the heaviest” can be told by",
    )
    assert Operators(method, trained=True).answer(question, SHOPS).texts[0] == "Cedar"


def test_the_same_thing_of_two_is_answered_by_it() -> None:
    answer = Operators(Follows("Ivo", ("owns", True))).answer(
        Question("q", "Did Ivo and Ada buy the same shop?"), SHOPS
    )
    assert len(answer.texts) == 4


# -- words that nothing accounts for -----------------------------------------------------------------------------------


class Letters:
    """An encoder to which only equal texts are alike."""

    dim: ClassVar[int] = 64
    name: ClassVar[str] = "letters"

    def encode(self, texts: Sequence[str], *, role: str = "text") -> np.ndarray:
        known: dict[str, int] = self.__dict__.setdefault("known", {})
        made = np.zeros((len(texts), self.dim), np.float32)
        for i, text in enumerate(texts):
            made[i, known.setdefault(text, len(known) % self.dim)] = 1
        return made


@pytest.mark.parametrize(
    ("text", "score", "told"),
    [
        ("Who is the dean of Northwind?", 0.4, "the graph has no relation for “dean”: the best guess is Carla"),
        ("Who is the dean of Northwind?", 0.8, "the graph has no relation for “dean”: the best guess is Carla"),
        ("Who sponsors Northwind?", 0.8, ""),  # sure enough, where no noun says who somebody is
        ("Who works for Northwind?", 0.4, ""),
        ("Which person is at Northwind?", 0.4, ""),  # what kind of thing the answer is
        ("Who sponsors Northwind?", 0.4, "the graph has no relation for “sponsors”: the best guess is Carla"),
    ],
)
def test_what_is_asked_for_by_an_unknown_word_is_told(graph: Graph, text: str, score: float, told: str) -> None:
    found = Follows("Northwind", ("works for", False)).answer(Question("q", text), graph)
    found = replace(found, candidates=tuple(replace(c, score=score) for c in found.candidates))
    assert unmet(Question("q", text), found, graph, Letters()) == told


# -- totals and means that are said apart from the noun

PAID = [
    ("Ann", "works in", "Sales"), ("Bo", "works in", "Sales"), ("Cy", "works in", "Sales"), ("Dee", "works in", "Ops"),
    ("Ann", "salary", "30"), ("Bo", "salary", "30"), ("Cy", "salary", "60"), ("Dee", "salary", "50"),
    ("Ann", "born", "1990-01-02"), ("Bo", "born", "1980-01-02"),
]  # fmt: skip


@pytest.fixture(scope="module")
def staff() -> Graph:
    return Graph.from_triples(PAID, name="staff")


def test_figures_are_added_up_and_those_of_two_things_are_two(staff: Graph) -> None:
    pay = Operators(Follows("Sales", ("works in", False), ("salary", True)))
    total = pay.answer(Question("q", "What do Sales pay altogether?"), staff)
    assert total.texts == ("120",) and total.plan is not None and total.plan.text.startswith("sum(")
    assert pay.answer(Question("q", "What does Sales pay on average?"), staff).texts == ("40",)


def test_what_is_no_figure_is_not_added_up(staff: Graph) -> None:
    people = Operators(Follows("Sales", ("works in", False)))
    assert people.answer(Question("q", "Who works in Sales together?"), staff).texts == ("Ann", "Bo", "Cy")
    born = Operators(Follows("Sales", ("works in", False), ("born", True)))
    assert len(born.answer(Question("q", "When were those in Sales born, all told?"), staff).texts) == 2


def test_a_mean_of_counts_is_refused(staff: Graph) -> None:
    people = Operators(Follows("Sales", ("works in", False)))
    found = people.answer(Question("q", "How many people work in Sales on average?"), staff)
    assert not found.candidates and "average of counts" in found.note


# -- what a superlative is told by where it is said of the things on the way

FARMS = [
    *((farm, "type", "Farm") for farm in ("Alp", "Moor", "Ridge")),
    *((who, "type", "Person") for who in ("Ann", "Bo", "Cy")),
    ("Alp", "run by", "Ann"), ("Moor", "run by", "Bo"), ("Ridge", "run by", "Cy"),
    ("Alp", "elevation", "1200"), ("Moor", "elevation", "300"), ("Ridge", "elevation", "700"),
    ("Alp", "base fee", "9"), ("Moor", "base fee", "4"), ("Ridge", "base fee", "6"),
    ("Alp", "status", "closed"), ("Moor", "status", "open"), ("Ridge", "status", "open"),
    ("Alp", "opened", "2001-05-01"), ("Moor", "opened", "2004-02-03"), ("Ridge", "opened", "2004-07-09"),
]  # fmt: skip


@pytest.fixture(scope="module")
def farms() -> Graph:
    return Graph.from_triples(FARMS, name="farms")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Who looks after the farm at the highest elevation?", "Ann"),
        ("Who looks after the farm with the lowest base fee?", "Bo"),
    ],
)
def test_a_superlative_of_things_on_the_way_is_told_by_what_they_have(farms: Graph, text: str, answer: str) -> None:
    runs = Operators(Follows("Farm", ("type", False), ("run by", True)))
    found = runs.answer(Question("q", text), farms)
    assert found.texts == (answer,) and found.plan is not None and found.plan.text.startswith("follow(top(")


def test_all_there_is_of_a_kind_answers_no_denial(farms: Graph) -> None:
    found = Operators(Follows("Farm", ("type", False))).answer(Question("q", "farms never hailed on"), farms)
    assert not found.candidates and "leave out" in found.note


def test_a_condition_on_a_value_does_not_ask_for_it(farms: Graph) -> None:
    farm = Operators(Follows("Farm", ("type", False), ("opened", True)))
    found = farm.answer(Question("q", "what farm opened in 2004?"), farms)
    assert set(found.texts) == {"Moor", "Ridge"}


@pytest.mark.parametrize(
    ("text", "answer"), [("Is the status of Moor open?", "yes"), ("Is the status of Alp open?", "no")]
)
def test_a_status_is_asked_for_by_what_is_said_of_it(farms: Graph, text: str, answer: str) -> None:
    status = Operators(Follows("Moor", ("status", True)))
    assert status.answer(Question("q", text), farms).texts == (answer,)


@pytest.mark.parametrize(
    "text", ["how many farms are open?", "how many farms have the status 'open'", "number of open farms"]
)
def test_a_value_in_everybodys_words_is_counted(farms: Graph, text: str) -> None:
    assert Operators(Follows("Farm", ("type", False))).answer(Question("q", text), farms).texts == ("2",)


# -- what is counted where nothing is stated, whose things are, what a role is counted by

LOANS = [
    *((name, "type", "Firm") for name in ("Aro", "Bel", "Cor")),
    *((name, "type", "Person") for name in ("Ann", "Bo")),
    *((f"Loan {i}", "type", "Deal") for i in range(3)),
    ("Bel", "subsidiary", "Aro"), ("Cor", "subsidiary", "Bel"),
    ("Loan 0", "taken by", "Ann"), ("Loan 1", "taken by", "Bo"), ("Loan 2", "taken by", "Bo"),
    ("Loan 0", "sum", "900"), ("Loan 1", "sum", "40"), ("Loan 2", "sum", "50"),
    ("Loan 0", "broker", "Aro"), ("Loan 1", "broker", "Bel"), ("Loan 2", "broker", "Bel"),
]  # fmt: skip


@pytest.fixture(scope="module")
def loans() -> Graph:
    return Graph.from_triples(LOANS, name="loans")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("How many subsidiaries does Aro have?", "0"),
        ("How many subsidiaries does Bel have?", "1"),
        ("Whose deal has the highest sum?", "Ann"),
        ("Which broker arranged the most loans?", "Bel"),
        ("How many deals are there?", "3"),
    ],
)
def test_none_is_a_count_and_things_belong_to_somebody(loans: Graph, text: str, answer: str) -> None:
    found = Operators(Follows("Aro", ("subsidiary", False))).answer(Question("q", text), loans)
    assert found.texts == (answer,)


def test_all_there_is_of_a_kind_is_no_count_of_some(loans: Graph) -> None:
    found = Operators(Follows("Deal", ("type", False))).answer(Question("q", "How many deals were frauds?"), loans)
    assert not found.candidates and "I cannot count this" in found.note
