"""What a count is of must be said by something in the graph; and what nobody has is no path."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.retrieval.operators import Operators
from clew.types import Question
from fake_methods import Sure

PARKS = ("Dragon Bay", "Serpent Hill", "Owl Woods", "Pike Lake", "Fern Gully")
BOOKS = Graph.from_triples(
    [
        *((park, "kind", "park") for park in PARKS),
        *((park, "run by", f"Person {i}") for i, park in enumerate(PARKS)),
        *((f"Person {i}", "kind", "person") for i in range(8)),
        *((f"Person {i}", "recommends", "The Drowned Library") for i in range(3)),
        ("The Drowned Library", "kind", "novel"),
    ],
    name="books",
)
SKILLS = Graph.from_triples(
    [
        ("Ada", "works in", "Legal"), ("Ben", "works in", "Sales"), ("Ada", "has skill", "Drafting"),
        ("Ben", "has skill", "Welding"), ("Ben", "has skill", "Drafting"),
        *((skill, "kind", "skill") for skill in ("Drafting", "Welding", "Knitting")),
        *((name, "kind", "person") for name in ("Ada", "Ben")),
        *((name, "kind", "department") for name in ("Legal", "Sales")),
    ],
    name="skills",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "step", "said"),
    [
        ("how many people recommend The Drowned Library", ("recommends", False), ("3",)),
        ("how many pages does The Drowned Library have", ("recommends", False), ()),  # a page may be a person
        ("how many visitors does The Drowned Library have", ("recommends", False), ()),
        ("how many people visit Dragon Bay in a year", ("run by", True), ()),  # each park is run by one
    ],
)
def test_what_is_counted_is_said_by_the_graph(text: str, step: tuple[str, bool], said: tuple[str, ...]) -> None:
    topic = "Dragon Bay" if "Dragon" in text else "The Drowned Library"
    assert Operators(Sure(topic, step)).answer(Question("q", text), BOOKS).texts == said


def test_what_nobody_has_is_told_by_no_path_however_sure() -> None:
    method = Sure("Legal", ("works in", False), ("has skill", True))
    answer = Operators(method).answer(Question("q", "which skills does nobody in Legal have"), SKILLS)
    assert set(answer.texts) == {"Welding", "Knitting"}
    assert answer.plan is not None and "minus" in answer.plan.text
