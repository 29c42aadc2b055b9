"""Slips in words that are no names."""

import pytest

from clew.graph import Graph
from clew.retrieval.spelling import spelt
from clew.retrieval.spoken import in_graph_words
from clew.types import Question

TYPED = Graph.from_triples(
    [
        ("Ada", "type", "employee"), ("Ada", "date of death", "1990"), ("Ada", "telephone", "12"),
        ("Leadsworth", "type", "town"), ("Ada", "weightKg", "50"), ("Harter", "type", "town"),
    ],
    name="staff",
)  # fmt: skip
PLAIN = Graph.from_triples([("malaria", "PREVALENCE_PER_100K", "20"), ("malaria", "treated by", "quinine")], name="p")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("employes with no date of deth", "employees with no date of death"),  # a kind, a property
        ("who has no telefone number", "who has no telephone number"),  # as it sounds
        ("what is her wieght", "what is her weight"),
        ("wich employee is the tallst", "which employee is the tallest"),  # what questions say
        ("the most expensve town", "the most expensive town"),
        ("the busiest town, partly", "the busiest town, partly"),  # words
        ("which heroes died aground", "which heroes died aground"),
        ("employees from leeds", "employees from leeds"),  # may be a name that is not in the graph
        ("how old is harler", "how old is harler"),  # a slip of a name
        ("Wich town", "Wich town"),  # of what is capital only names are looked for
    ],
)
def test_a_slip_becomes_the_one_word_that_is_near(text: str, meant: str) -> None:
    assert spelt(text, TYPED) == meant


def test_a_graph_without_kinds_has_properties() -> None:
    asked = Question("q", "what has a prevalance below 50")
    assert in_graph_words(asked, PLAIN).text == "what has a prevalence below 50"
    assert in_graph_words(Question("q", "what is treated by quinine"), PLAIN).text == "what is treated by quinine"


def test_of_two_words_that_are_near_none_is_taken() -> None:
    graph = Graph.from_triples([("a", "grade", "1"), ("a", "grape", "red")], name="g")
    assert spelt("which grafe has it", graph) == "which grafe has it"
