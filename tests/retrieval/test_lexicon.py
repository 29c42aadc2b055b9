"""What kind of thing a question says it asks for, and which topics it is asked from."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.query.execute import execute
from clew.query.vocabulary import stem
from clew.reading.topics import start_of
from clew.retrieval.asking import asked_kind
from clew.retrieval.composing import compose
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.roles import of_value
from clew.types import Question

FACTS = [
    ("Heat", "type", "Film"), ("Thief", "type", "Film"), ("Michael Mann", "type", "Person"),
    ("Al Pacino", "type", "Person"),
    ("Michael Mann", "directed", "Heat"), ("Michael Mann", "directed", "Thief"), ("Al Pacino", "acted in", "Heat"),
    ("Heat", "produced by", "Regency"), ("Regency", "type", "Studio"),
    ("Vincent", "father", "Ada"), ("Mia", "mother", "Bea"),
    ("Ada", "father", "Carl"), ("Bea", "father", "Carl"), ("Dan", "spouse", "Eve"), ("directed", "label", "directed"),
]  # fmt: skip


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(FACTS, name="films")


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Which movies did Regency make?", {"Heat", "Thief"}),
        ("which directors worked for Regency", {"Michael Mann"}),
        ("films that Al Pacino acted in", {"Heat", "Thief"}),
        ("Which producers are there?", {"Regency"}),
        ("Who is Al Pacino?", None),
        ("Which film studios have made Heat?", {"Regency"}),
        ("Which film studios the critics?", {"Heat", "Thief"}),  # a verb, by what follows
    ],
)
def test_what_is_asked_for(graph: Graph, text: str, names: set[str] | None) -> None:
    found = asked_kind(text, graph)
    assert (None if found is None else set(graph.labels_at(found))) == names


def test_of_two_kinds_side_by_side_the_second_is_asked_for(graph: Graph) -> None:
    best = compose(Question("q", "Which film studios have produced Heat?"), graph)[0]
    assert graph.labels_at(execute(best.plan, graph).members) == ["Regency"]


def test_kinds_and_relations_are_no_topics_beside_things(graph: Graph) -> None:
    def topics(text: str) -> set[str]:
        start = start_of(Question("q", text), graph, linker=None, encoder=None, most=6)
        return {topic.entity.id for topic in start.topics}

    assert topics("Which Film directed by Michael Mann is there?") == {"Michael Mann"}
    assert topics("Which Film is there?") == {"Film"}


def test_children_are_of_fathers_and_of_mothers(graph: Graph) -> None:
    best = compose(Question("q", "Who are the children of the children of Carl?"), graph)[0]
    assert set(graph.labels_at(execute(best.plan, graph).members)) == {"Vincent", "Mia"}


def test_no_set_only_repeats_what_is_named(graph: Graph) -> None:
    made = compose(Question("q", "who directed the films that were directed by Michael Mann"), graph)
    assert all(graph.labels_at(execute(each.plan, graph).members) != ["Michael Mann"] for each in made)


@pytest.mark.parametrize(("one", "many"), [("movie", "movies"), ("city", "cities"), ("calorie", "calories")])
def test_a_word_and_its_plural_are_one(one: str, many: str) -> None:
    assert stem(one) == stem(many)


def test_a_noun_made_of_a_value_is_whatever_has_the_value() -> None:
    plays = [("Ada", "drums"), ("Ben", "drums"), ("Cem", "cello"), ("Dee", "cello"), ("Eve", "viola")]
    graph = Graph.from_triples([(who, "instrument", what) for who, what in plays], name="band")
    found = {word: of_value(word, Lexicon.of(graph), graph) for word in ("drummers", "cellists", "violist", "number")}
    names = {word: graph.labels_at(execute(plan, graph).members) for word, plan in found.items() if plan is not None}
    assert names == {"drummers": ["Ada", "Ben"], "cellists": ["Cem", "Dee"]}  # what only one has is no kind
