"""Which of two readings of one question is believed: a composed set, or the path that a method found."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.query import plan as p
from clew.query.text import parse
from clew.retrieval.believing import FEATURES, MOST, believed, compared, probability
from clew.retrieval.composed_weights import COMPOSED, PATH
from clew.retrieval.composing import Composed
from clew.types import Answer, Candidate, Entity, Evidence, Hop, Path, Question, Relation, Triple

GRAPH = Graph.from_triples(
    [
        *((name, "is a", "vet") for name in ("Ana", "Ben", "Cleo")),
        ("Ana", "treats", "Zip"), ("Ana", "lives in", "Ulm"), ("Ben", "treats", "Zip"), ("Cleo", "lives in", "Ulm"),
        ("Ana", "fee", "40"), ("Cleo", "age", "40"),
    ],
    name="vets",
)  # fmt: skip
BOTH = 'and(follow(entity(Zip), ^treats), follow(entity(Ulm), ^"lives in"))'
ASKED = Question("q", "who treats Zip and lives in Ulm")


def composed(text: str, score: float = 0.9) -> Composed:
    plan = parse(text)
    assert isinstance(plan, p.SetPlan)
    return Composed(plan, (), score, ())


def entity(name: str) -> Entity:
    return Entity(name, name)


def found(*ways: tuple[str, str, str], score: float = 0.7, **details: object) -> Answer:
    """A method's answer: names, each with what a step from it leads to."""
    paths = []
    for name, relation, start in ways:
        triple = Triple(entity(name), Relation(relation, relation), entity(start))
        paths.append(Path(entity(start), (Hop(triple, False),), score))
    candidates = [Candidate(name, score, entity(name), (i,)) for i, (name, _, _) in enumerate(ways)]
    return Answer(ASKED, "method", tuple(candidates), Evidence(tuple(paths)), details=details)


def signs(text: str, answer: Answer) -> dict[str, float]:
    (each,) = compared(ASKED, [composed(text)], answer, GRAPH)
    return each[1]


def test_a_part_of_what_was_found_that_uses_a_name_more_is_believed() -> None:
    either = found(("Ana", "treats", "Zip"), ("Ben", "treats", "Zip"))
    told = signs(BOTH, either)
    assert (told["part"], told["apart"], told["more"], told["said"], told["names"]) == (1, 0, 1, 1, 2)
    chosen = believed(ASKED, [composed(BOTH)], either, GRAPH)
    assert chosen is not None and 0.5 < chosen[1] <= MOST


def test_a_path_that_is_sure_is_believed_against_a_set_that_goes_by_figures() -> None:
    way = "follow(follow(follow(entity(Zip), ^treats), fee), ^age)"
    sure = found(("Ana", "treats", "Zip"), ("Ben", "treats", "Zip"), score=0.95)
    told = signs(way, sure)
    assert (told["by_value"], told["unworded"], told["apart"], told["one"]) == (1, 2, 1, 1)
    assert believed(ASKED, [composed(way)], sure, GRAPH) is None


def test_the_answer_of_the_method_is_no_other_set() -> None:
    assert list(compared(ASKED, [composed(BOTH)], found(("Ana", "treats", "Zip")), GRAPH)) == []


def test_what_a_method_tells_of_itself_is_looked_at() -> None:
    plain = found(("Ben", "treats", "Zip"), signs={"none": 0.9, "unused": 0.33})
    assert (signs(BOTH, plain)["none"], signs(BOTH, plain)["unused"]) == (0.9, 0.33)
    unsure = Answer(ASKED, "method", details={"guess": ["Ana"]})
    assert signs(BOTH, unsure)["guessed"] == 1


def test_a_set_that_cannot_be_executed_is_passed_over() -> None:
    assert list(compared(ASKED, [composed("follow(entity(Zip), ^eats)")], found(("Ana", "treats", "Zip")), GRAPH)) == []


@pytest.mark.parametrize("numbers", [COMPOSED, PATH])
def test_the_numbers_are_of_the_features(numbers: dict[str, float]) -> None:
    assert numbers.keys() == {"bias", *FEATURES}
    assert 0 < probability(dict.fromkeys(FEATURES, 0.0), numbers) < 1
