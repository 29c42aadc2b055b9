"""Operators around a method, what proves their answers, and that a forged proof is found out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

import clew
from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import execute, parse
from clew.query.decorate import decorate
from clew.query.proof import proven, verify
from clew.query.question import read_question
from clew.retrieval.operators import Operators
from clew.types import Answer, Candidate, Evidence, Hop, Path, Question, answer_from_json, to_json

ROWS = [
    ("Texas", "type", "State"), ("Ohio", "type", "State"), ("Maine", "type", "State"), ("Iowa", "type", "State"),
    ("Texas", "area", "266"), ("Ohio", "area", "41"), ("Maine", "area", "33"),
    ("Dallas", "type", "City"), ("Austin", "type", "City"), ("Toledo", "type", "City"),
    ("Dallas", "located in", "Texas"), ("Austin", "located in", "Texas"), ("Toledo", "located in", "Ohio"),
    ("Dallas", "population", "904078"), ("Austin", "population", "345496"), ("Toledo", "population", "354635"),
    ("Iowa", "borders", "Ohio"), ("Texas", "borders", "Iowa"), ("Ohio", "borders", "Texas"),
    ("Ohio", "borders", "Iowa"), ("Iowa", "borders", "Texas"), ("Texas", "borders", "Ohio"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="states")


class Step:
    """A method that follows one relation from the entity that a question names: enough to be put inside a plan."""

    name: ClassVar[str] = "step"
    verbs: ClassVar = {"border": ("borders", True), "in": ("located in", False), "area": ("area", True)}

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return self.predict([question], graph)[0]

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self._one(question, graph) for question in questions]

    def _one(self, question: Question, graph: GraphStore) -> Answer:
        words = question.text.replace("?", "").split()
        entity = next((w for w in words if w in {"Texas", "Ohio", "Maine", "Iowa"}), None)
        verb = next((w for w in words if w in self.verbs), None)
        if entity is None or verb is None:
            return Answer(question, "step", note="no topic found")
        relation, forward = self.verbs[verb]
        found = graph.neighbors([entity], relations={relation}, direction="out" if forward else "in")
        paths = tuple(Path(graph.entity(entity), (Hop(t, forward),), 0.9) for t in found)
        ends = tuple(Candidate(path.end.label, 0.9, path.end, (i,)) for i, path in enumerate(paths))
        return Answer(question, "step", ends, Evidence(paths))


@pytest.mark.parametrize(
    ("text", "answers", "plan"),
    [
        ("how many cities are in Texas?", ["2"], "count("),
        ("what is the largest city in Texas?", ["Dallas"], "top("),
        ("what is the largest state", ["Texas"], "top(class(State), area, largest)"),
        ("what is the second largest state", ["Ohio"], "largest, 1, 1)"),
        ("which states do not border Ohio", ["Maine", "Ohio"], "minus(class(State)"),
        ("how many states border the smallest state", ["0"], "count("),
        (
            "which states border the largest state",
            ["Ohio", "Iowa"],
            "follow(top(class(State), area, largest), ^borders)",
        ),
        ("which cities in Texas have a population of more than 400000", ["Dallas"], "where("),
        ("does Ohio border Iowa?", ["yes"], "is("),
        ("does Maine border Texas?", ["no"], "is("),
        ("which is larger, Maine or Ohio", ["Ohio"], "compare("),
        ("how much larger is Texas than Ohio", ["225"], "difference("),
        ("what is the total population of cities in Texas", ["1249574"], "sum("),
        ("which states border Ohio", ["Texas", "Iowa"], ""),
    ],
)
def test_operators_around_a_method(graph: Graph, text: str, answers: list[str] | None, plan: str) -> None:
    answer = Operators(Step()).answer(Question("q", text), graph)
    assert answer.question.text == text
    if answers is None:  # Maine borders nothing: a number would rest on a set that was never found
        assert not answer.candidates and "cannot count" in answer.note
        return
    assert sorted(answer.texts) == sorted(answers), answer.note
    assert (answer.plan is None) == (not plan)
    if answer.plan is not None:
        assert plan in answer.plan.text and answer.plan.sentence
    assert clew.verify(answer, graph) == []
    assert answer_from_json(to_json(answer)) == answer


def test_a_superlative_states_what_it_rests_on(graph: Graph) -> None:
    answer = Operators(Step()).answer(Question("q", "what is the largest state"), graph)
    assert answer.plan is not None
    facts = answer.plan.facts
    assert (facts["winner"], facts["compared"], facts["missing"], facts["runner_up"]) == ("266", 3, 1, "Ohio")
    assert answer.plan.notes == ("1 of 4 have no area",)
    assert [str(path) for path in answer.paths_of(answer.candidates[0])] == ["State ←type- Texas"]


def test_forged_proofs_are_found_out(graph: Graph) -> None:
    answer = Operators(Step()).answer(Question("q", "how many cities are in Texas?"), graph)
    assert answer.plan is not None and verify(answer, graph) == []
    three = replace(answer.candidates[0], text="3")
    forged = [
        replace(answer, candidates=(three,)),
        replace(answer, plan=replace(answer.plan, result="3")),
        replace(answer, plan=replace(answer.plan, facts={**answer.plan.facts, "members": 9})),
        replace(answer, plan=replace(answer.plan, text="count(class(City))")),
        replace(answer, plan=replace(answer.plan, text="count(")),
        replace(answer, plan=replace(answer.plan, sentence="the number of all cities")),
        replace(answer, plan=None),
    ]
    for each in forged:
        assert verify(each, graph), each.plan


def test_a_list_is_no_answer_to_how_many(graph: Graph) -> None:
    unknown = Operators(Step()).answer(Question("q", "how many moons orbit Jupiter?"), graph)
    assert not unknown.candidates and unknown.note == "the graph has nothing called “Jupiter”"
    answer = Operators(Step()).answer(Question("q", "how many moons orbit jupiter?"), graph)
    assert not answer.candidates and answer.note.startswith("I cannot count this")


def test_plans_that_find_nothing_are_not_proposed(graph: Graph) -> None:
    cities = parse("class(City)")
    assert decorate(graph, cities, read_question("which city has more than 99999999 inhabitants")) == []  # type: ignore[arg-type]
    best = decorate(graph, cities, read_question("which city has the largest population"))[0]  # type: ignore[arg-type]
    assert execute(best.plan, graph).members.tolist() == [graph.number_of("Dallas")]


@pytest.mark.parametrize(
    "text",
    [
        "follow(entity(Texas), borders)",
        'top(follow(entity(Texas), ^"located in"), population, largest)',
        "and(class(State), follow(entity(Ohio), borders))",
        "where(class(City), population, >, 350000)",
        "wherecount(class(State), borders, >=, 2)",
        "minus(class(State), entity(Ohio))",
        "follow(entity(Texas), borders/borders)",
    ],
)
def test_every_member_has_its_walk(graph: Graph, text: str) -> None:
    candidates, evidence, proof = proven(execute(parse(text), graph), graph, 1.0)
    answer = Answer(Question("q", "?"), "test", candidates, evidence, plan=proof)
    assert candidates and all(c.paths for c in candidates)
    assert verify(answer, graph) == []


def test_beside_things_with_a_name_nameless_nodes_are_no_answers() -> None:
    rows = [("Ann", "owns", "Chess"), ("_:1", "owns", "Chess"), ("_:1", "owner", "Bob")]
    graph = Graph.from_triples(rows, mediator={"_:1"}.__contains__)
    candidates, _, _ = proven(execute(parse('follow(entity("Chess"), ^"owns")'), graph), graph, 1.0)
    assert [candidate.text for candidate in candidates] == ["Ann"]


def test_two_numbers_put_together_are_cited() -> None:
    rows = [("l1", "order", "o1"), ("l1", "product", "Mug"), ("l1", "quantity", "2"), ("Mug", "price", "7")]
    shop = Graph.from_triples([*rows, ("Mug", "stock", "4"), ("Mug", "minimum", "5")])
    for text, cited in (
        ("sum(entity(o1), ^order/calc(*, quantity, product/price))", {"order", "quantity", "product", "price"}),
        ("where(entity(Mug), calc(-, stock, minimum), <, 0)", {"stock", "minimum"}),
    ):
        candidates, evidence, proof = proven(execute(parse(text), shop), shop, 0.9)
        assert {t.relation.label for t in evidence.triples} == cited
        answer = Answer(Question("q", "?"), "plan", candidates, evidence, plan=proof)
        assert verify(answer, shop) == []
        forged = replace(proof, text=proof.text.replace("calc(-", "calc(+").replace("calc(*", "calc(+"))
        assert verify(replace(answer, plan=forged), shop)


def test_a_time_between_two_dates_cites_both() -> None:
    rows = [("A", "start", "2020-01-10"), ("A", "end", "2020-06-26"), ("B", "start", "2020-01-10"), ("A", "x", "2020")]
    loans = Graph.from_triples(rows)
    for text in ("max(entity(A), span(start, end, days))", "where(all(), span(start, end), >, 100)"):
        candidates, evidence, proof = proven(execute(parse(text), loans), loans, 0.9)
        assert {t.relation.label for t in evidence.triples} == {"start", "end"}
        answer = Answer(Question("q", "?"), "plan", candidates, evidence, plan=proof)
        assert verify(answer, loans) == []
        assert verify(replace(answer, plan=replace(proof, text=proof.text.replace("days", "weeks"))), loans)
