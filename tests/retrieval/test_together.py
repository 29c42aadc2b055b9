"""Whether two things that are named are linked as a question says, told by a method that reads plain questions."""

import pytest

from clew.graph import Graph
from clew.query import plan as p
from clew.query.keys import by_words
from clew.query.question import read_question
from clew.retrieval.examples import Way
from clew.retrieval.together import linked
from clew.retrieval.truth import Truth
from clew.types import Answer, Question

ROWS = [
    ("Ada Quell", "type", "Baker"), ("Bo Marsh", "type", "Baker"), ("Crumb House", "type", "Bakery"),
    ("Old Mill", "type", "Bakery"), ("Ada Quell", "founder of", "Crumb House"), ("Bo Marsh", "founder of", "Old Mill"),
    ("Ada Quell", "born in", "Lund"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="bakers")


class Reads:
    """A method that weighs the same paths for every question."""

    name = "reads"

    def __init__(self, *ways: Way) -> None:
        self._ways = list(ways)

    def ways(self, question: Question, graph: Graph, most: int = 40) -> list[Way]:
        return self._ways

    def answer(self, question: Question, graph: Graph, **_: object) -> Answer:
        return Answer(question, self.name)


def _truth(text: str, graph: Graph, *ways: Way) -> list[str]:
    read = read_question(text)
    made = linked(Reads(*ways), read, Answer(Question("q", text), "reads"), graph, None)  # type: ignore[arg-type]
    return ["yes" if _holds(each.plan, graph) else "no" for each in made]


def _holds(plan: p.Plan, graph: Graph) -> bool:
    from clew.query import execute

    return execute(plan, graph).truth is True


def _way(share: float, *steps: tuple[str, bool]) -> Way:
    return Way(tuple(p.Step(*step) for step in steps), share, 0.9)


def test_a_path_from_one_name_to_the_other_decides(graph: Graph) -> None:
    founded = _way(0.8, ("founder of", True))
    assert _truth("Did Ada Quell start Crumb House?", graph, founded)[:1] == ["yes"]
    assert _truth("Did Ada Quell start Old Mill?", graph, founded)[:1] == ["no"]


def test_a_path_to_another_kind_of_thing_decides_nothing(graph: Graph) -> None:
    assert _truth("Did Ada Quell start Old Mill?", graph, _way(0.9, ("born in", True))) == []


def test_the_one_relation_that_the_words_name_is_asked_directly(graph: Graph) -> None:
    assert _truth("Is Ada Quell the founder of Crumb House?", graph) == ["yes"]
    assert _truth("Is Ada Quell the founder of Old Mill?", graph) == ["no"]


def test_an_unlikely_path_and_a_third_condition_decide_nothing(graph: Graph) -> None:
    assert _truth("Did Ada Quell start Old Mill?", graph, _way(0.2, ("founder of", True))) == []
    assert _truth("Did Ada Quell start Old Mill before 1990?", graph, _way(0.9, ("founder of", True))) == []


FAMILY = [
    ("Ivy Sloe", "type", "Otter"), ("Fern Sloe", "type", "Otter"), ("Moss Sloe", "type", "Otter"),
    ("Dell Pool", "type", "Pool"), ("Kelp Pool", "type", "Pool"), ("Ivy Sloe", "mother", "Moss Sloe"),
    ("Fern Sloe", "mother", "Moss Sloe"), ("Ivy Sloe", "swims in", "Dell Pool"),
    ("Fern Sloe", "swims in", "Dell Pool"), ("Moss Sloe", "swims in", "Kelp Pool"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Are Ivy Sloe and Fern Sloe siblings?", True),
        ("Are Ivy Sloe and Moss Sloe siblings?", False),
        ("Do both Ivy Sloe and Fern Sloe swim in Dell Pool?", True),
        ("Do Ivy Sloe and Moss Sloe swim in Dell Pool?", False),
    ],
)
def test_two_names_said_together(text: str, said: bool) -> None:
    graph = Graph.from_triples(FAMILY, name="otters")
    made = Truth(graph, None, by_words).proposals(Question("q", text), read_question(text))
    assert _holds(made[0].plan, graph) is said


GIVEN = [
    ("Emma", "type", "Patient"), ("Jon", "type", "Patient"), ("V1", "type", "Visit"), ("V2", "type", "Visit"),
    ("Keppra", "type", "Drug"), ("V1", "patient", "Emma"), ("V1", "given", "Keppra"), ("V2", "patient", "Jon"),
]  # fmt: skip


def test_a_set_of_another_kind_tells_nothing_of_a_name() -> None:
    """The visits at which a drug was given say neither yes nor no of a patient; of a visit they do."""
    graph = Graph.from_triples(GIVEN, name="ward")
    truth, visits = Truth(graph, None, by_words), p.Follow(p.Entities(("Keppra",)), (p.Step("given", False),))
    assert truth._told_of(p.Entities(("Emma",)), visits) is None
    assert truth._told_of(p.Entities(("V2",)), visits) == p.Entities(("V2",))
    assert truth._told_of(p.Entities(("Emma",)), p.Class("Drug")) == p.Entities(("Emma",))  # asked of anything
