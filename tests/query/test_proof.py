"""Operators around a method, what proves their answers, and that a forged proof is found out."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

import pytest

import clew
from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import execute, parse
from clew.query.as_asked import as_asked
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


@pytest.mark.parametrize(
    ("text", "plan", "texts"),
    [
        ("Which state is the largest, and how large is it?", "top(class(State), area, largest)", ("Texas", "266")),
        ("state w/ most cities + number", "top(class(State), count(^\"located in\", class(City)), largest)",
         ("Texas", "2")),
        ("Whom does the largest state border, and what is the number?",
         "follow(top(class(State), area, largest), borders)", ("Ohio", "Iowa", "266")),
        ("Which state is the largest?", "top(class(State), area, largest)", ("Texas",)),
        ("Which states, and how many?", "class(State)", ("Texas", "Ohio", "Maine", "Iowa")),
        ("How large are the two largest, and how many?", "top(class(State), area, largest, 2)", ("Texas", "Ohio")),
    ],
)  # fmt: skip
def test_the_figure_beside_what_is_the_first(text: str, plan: str, texts: tuple[str, ...], graph: Graph) -> None:
    candidates, evidence, proof = proven(execute(parse(plan), graph), graph, 0.5)
    answer = as_asked(Answer(Question("q", text), "auto", candidates, evidence, plan=proof), graph)
    assert set(answer.texts) == set(texts) and not verify(answer, graph)
    forged = replace(answer, candidates=(*answer.candidates, Candidate("267", 0.5, computed=True)))
    assert verify(forged, graph) == ["'267' is not what the plan makes"]


@pytest.mark.parametrize(
    ("text", "texts"),
    [("On what date was the last tour?", ("2025-07-19",)), ("When was the last tour?", ("2025-07-19T21:00:00",))],
)
def test_the_day_of_a_moment(text: str, texts: tuple[str, ...]) -> None:
    moments = Graph.from_triples([
        (f"t{n}", relation, tail) for n, day in enumerate(("18T20", "19T21"))
        for relation, tail in (("type", "tour"), ("starts", f"2025-07-{day}:00:00"))
    ])  # fmt: skip
    candidates, evidence, proof = proven(execute(parse("max(class(tour), starts)"), moments), moments, 0.5)
    answer = as_asked(Answer(Question("q", text), "auto", candidates, evidence, plan=proof), moments)
    assert answer.texts == texts and not verify(answer, moments)


@pytest.mark.parametrize(
    ("text", "plan", "texts"),
    [
        ("How many hours of lessons were there?", "sum(class(lesson), duration_min)", ("2.5",)),
        ("total minutes of lessons", "sum(class(lesson), duration_min)", ("150",)),
        ("How long were the lessons?", "sum(class(lesson), duration_min)", ("150",)),
        ("average lesson in hours", "mean(class(lesson), duration_min)", ("1.25",)),
        ("What was paid in pounds?", "sum(class(lesson), paid_pence)", ("96.3",)),
        ("what was paid, in £", "calc(-, sum(class(lesson), paid_pence), sum(entity(b), paid_pence))", ("90",)),
        ("How many lessons took more than 3 hours?", "count(class(lesson))", ("2",)),
    ],
)  # fmt: skip
def test_a_number_in_the_unit_that_is_asked_for(text: str, plan: str, texts: tuple[str, ...]) -> None:
    lessons = Graph.from_triples([
        ("a", "type", "lesson"), ("b", "type", "lesson"), ("a", "duration_min", "60"), ("b", "duration_min", "90"),
        ("a", "paid_pence", "9000"), ("b", "paid_pence", "630"),
    ])  # fmt: skip
    candidates, evidence, proof = proven(execute(parse(plan), lessons), lessons, 0.5)
    answer = as_asked(Answer(Question("q", text), "auto", candidates, evidence, plan=proof), lessons)
    assert answer.texts == texts and not verify(answer, lessons)
    assert verify(replace(answer, candidates=(Candidate("7", 0.5, computed=True),)), lessons)
