"""Questions that deny a link: whose members are asked for, what they lack, and which relation says so."""

from collections.abc import Sequence
from typing import ClassVar

import pytest

from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import execute
from clew.query import plan as p
from clew.query.denials import THING, denial
from clew.retrieval.examples import Way, examples_of, ways_of
from clew.retrieval.operators import Operators
from clew.types import Answer, Question

ROWS = [
    *((name, "type", "Baker") for name in ("Ona", "Pim", "Rui", "Sef")),
    *((name, "type", "Oven") for name in ("Oven 1", "Oven 2", "Oven 3")),
    *((name, "type", "Loaf") for name in ("Rye", "Spelt")),
    ("Ona", "taught", "Pim"), ("Ona", "taught", "Rui"), ("Pim", "taught", "Sef"),
    ("Ona", "tends", "Oven 1"), ("Rui", "tends", "Oven 2"),
    ("Rye", "baked in", "Oven 1"), ("Oven 1", "checked on", "2021-03-01"), ("Oven 3", "checked on", "2022-03-01"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(ROWS, name="bakery")


class Knows:
    """A method that reads each question about one thing as it was told: word → steps."""

    name: ClassVar[str] = "knows"

    def __init__(self, **words: tuple[tuple[str, bool], ...]) -> None:
        self.words = words

    def ways(self, question: Question, graph: GraphStore, most: int = 40) -> list[Way]:
        assert isinstance(graph, Graph)
        paths = [tuple(p.Step(r, f) for r, f in steps) for word, steps in self.words.items() if word in question.text]
        starts = p.Entities(question.topics)
        there = [path for path in paths if len(execute(p.Values(starts, path), graph).members)]
        return [Way(path, 1 / len(there), 0.9) for path in there]

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        return Answer(question, self.name)

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self.answer(question, graph) for question in questions]


@pytest.mark.parametrize(
    ("text", "head", "asked"),
    [
        ("lights that no routine controls", "lights", f"which routine controls {THING}"),
        ("Species that no vet has ever treated an animal of", "Species", f"which vet treated an animal of {THING}"),
        ("which bakers have nobody reporting to them?", "bakers", f"who reports to {THING}"),
        ("plants nobody waters", "plants", f"who waters {THING}"),
        ("Which courses does no student take?", "courses", f"which student take {THING}"),
        ("Which firms aren't owned by anybody?", "firms", f"who owned {THING}"),
        ("pupils that never taught anyone", "pupils", f"who has {THING} taught"),
        ("Which bids haven't been settled yet?", "bids", f"when was {THING} settled"),
        ("Which bids are still unsettled?", "bids", f"how was {THING} settled"),
        ("huts in the Alps without a warden", "huts in the Alps", f"what warden does {THING} have"),
        ("which drugs have no side effects on record", "drugs", f"what side effects does {THING} have"),
        ("who has never directed a play?", "", f"which play has {THING} directed"),
        ("cellars none of whose wines has ever been given a prize", "cellars", f"which prize of the wines of {THING}"),
        ("villains not on any team", "villains", f"which team is {THING} on"),
        ("which motions had nobody lobbying for them", "motions", f"who lobbies for {THING}"),
        ("Irish actors still without a prize", "Irish actors", f"what prize does {THING} have"),
    ],
)
def test_a_denial_is_asked_of_one_thing(text: str, head: str, asked: str) -> None:
    found = denial(text)
    assert found is not None
    assert (found.head, found.asked[0]) == (head, asked)


@pytest.mark.parametrize(
    "text",
    [
        "Who taught Pim?",
        "How many ovens are there?",
        "ovens with no more than two loaves",
        "is there nobody",
        "why not",
    ],
)
def test_what_denies_no_link_is_no_denial(text: str) -> None:
    assert denial(text) is None


def _said(text: str, graph: Graph, method: Knows) -> set[str]:
    return {c.text for c in Operators(method).answer(Question("q", text), graph).candidates}


def test_the_relation_is_told_by_questions_about_examples(graph: Graph) -> None:
    method = Knows(looks=(("tends", False),), schooled=(("taught", False),), educated=(("taught", True),))
    assert _said("ovens that nobody looks after", graph, method) == {"Oven 3"}
    assert _said("Which bakers have not been schooled by anyone?", graph, method) == {"Ona"}
    assert _said("bakers who never educated anyone", graph, method) == {"Rui", "Sef"}
    assert _said("How many bakers never educated anyone?", graph, method) == {"2"}


def test_a_path_that_an_example_lacks_is_not_meant_by_the_others(graph: Graph) -> None:
    method = Knows(schooled=(("taught", False),), schooled_=(("taught", True),))
    bakers = execute(p.Class("Baker"), graph).members
    found = ways_of(method, graph, Question("q", ""), (f"who schooled {THING}",), bakers, lambda path: True)
    assert {path for path, _ in found} == {(p.Step("taught", False),)}


def test_of_a_link_between_things_of_a_kind_the_direction_is_said(graph: Graph) -> None:
    either = Knows(taught=(("taught", True),), taugh=(("taught", False),))  # a method that cannot tell the two
    assert _said("bakers that nobody taught", graph, either) == {"Ona"}


def test_some_of_what_a_link_leads_to_is_lacked(graph: Graph) -> None:
    rows = [*ROWS, ("Rui", "tends", "Stove"), ("Stove", "type", "Stove"), ("Pim", "tends", "Stove")]
    kitchen = Graph.from_triples([*rows, ("Sef", "tends", "Stove")], name="kitchen")
    assert _said("Which bakers have never tended an oven?", kitchen, Knows(tended=(("tends", True),))) == {"Pim", "Sef"}


def test_a_property_that_is_not_stated(graph: Graph) -> None:
    method = Knows(inspected=(("checked on", True),))
    assert _said("Which ovens have not been inspected yet?", graph, method) == {"Oven 2"}
    assert _said("Which ovens are still uninspected?", graph, method) == {"Oven 2"}


def test_what_all_or_none_have_is_not_denied(graph: Graph) -> None:
    method = Knows(knobs=(("type", True),))
    assert _said("ovens without knobs", graph, method) == set()


def test_who_is_told_by_those_who_do(graph: Graph) -> None:
    assert _said("Who has never looked after an oven?", graph, Knows(looked=(("tends", False),))) == {"Pim", "Sef"}


def test_examples_have_the_relations_of_the_set_between_them(graph: Graph) -> None:
    chosen = graph.labels_at(examples_of(graph, execute(p.Class("Oven"), graph).members, most=1))
    assert chosen == ["Oven 1"]
