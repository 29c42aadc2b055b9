"""Sub-questions: from a language model's reply, and from the relations that a small model names."""

from __future__ import annotations

import numpy as np
import pytest

from clew.graph import Graph
from clew.graph.paths import follow
from clew.methods.decompose.plan import RelationVocabulary, StepGrammar, masked_question, read_plan
from clew.types import Entity, Topic

Q = "Which river flows through the capital of Norway?"


def topic(label: str, mention: str = "") -> Topic:
    return Topic(Entity(label, label), 1.0, mention or label, "given")


@pytest.mark.parametrize(
    ("reply", "parts"),
    [
        ('["a?", "b?"]', ("a?", "b?")),
        ('<think>["no"]</think>\n```json\n["a?", "b?"]\n```', ("a?", "b?")),
        ("['a?', 'b?']", ("a?", "b?")),
        ('["a?", "a?", " "]', ("a?",)),
        ("[]", (Q,)),
        ("I would first look for the capital.", (Q,)),
        ('<think>["a?"', (Q,)),
        ("", (Q,)),
    ],
)
def test_a_reply_is_read_or_the_question_stays_whole(reply: str, parts: tuple[str, ...]) -> None:
    plan = read_plan(Q, reply, 6)
    assert plan.parts == parts
    assert (plan.by == "nobody") == (parts == (Q,)) == bool(plan.note)


def test_more_sub_questions_than_allowed_are_cut_and_told() -> None:
    plan = read_plan(Q, str([f"q{i}?" for i in range(9)]).replace("'", '"'), 6)
    assert plan.parts == tuple(f"q{i}?" for i in range(6))
    assert plan.note == "3 of 9 sub-questions were left out (max_subquestions)"


def test_names_become_placeholders() -> None:
    masked = masked_question("Who is the Mother of ada_example 's son?", [topic("ada_example")])
    assert masked.text == "who is the mother of [T1] 's son?"
    assert masked.found == ("ada_example",)
    two = masked_question("What did Ada and Bob write?", [topic("Ada"), topic("Robert", "Bob"), topic("Zoe")])
    assert two.text == "what did [T1] and [T2] write?"
    assert two.found == ("Ada", "Bob", "")
    assert masked_question("what is adamant?", [topic("Ada")]).text == "what is adamant?"


@pytest.fixture(scope="module")
def language() -> RelationVocabulary:
    rows = [("Ada", "spouse", "Bob"), ("Bob", "place of birth", "Rome"), ("Film", "directed_by", "Ada")]
    return RelationVocabulary(Graph.from_triples(rows).whole)


def test_steps_survive_being_written(language: RelationVocabulary) -> None:
    names = {name: i for i, name in enumerate(language.names)}
    steps = ((names["directed_by"], False), (names["place of birth"], True))
    assert language.write(steps) == " ~directed_by place_of_birth"
    assert language.read(language.write(steps)) == steps
    assert language.read(" ~directed_by flies_to") == ()
    assert set(language.write(steps).split()) <= {token.strip() for token in language.vocabulary()}
    assert language.spell(steps) == "place of birth of directed by"


def test_steps_become_questions_with_the_names_put_back(language: RelationVocabulary) -> None:
    names = {name: i for i, name in enumerate(language.names)}
    first, second = language.sub_questions(((names["directed_by"], False), (names["place of birth"], True)), "Ada")
    assert "Ada" in first and "directed" in first
    assert "that" in second and "birth" in second and "Ada" not in second


def test_a_mediator_belongs_to_the_hop_that_leaves_it(toy: Graph) -> None:
    language = RelationVocabulary(toy.whole)
    names = {name: i for i, name in enumerate(language.names)}
    office, holder, europe = names["office held"], names["holder"], names["continent"]
    steps = ((europe, False), (office, True), (holder, True))
    assert language.stages(steps) == [steps[:1], steps[1:]]
    assert language.stages(()) == []
    first, second = language.sub_questions(steps, "Europe")
    assert "Europe" in first and "continent" in first
    assert "holder" in second and "office held" in second and "that" in second


def test_a_small_decomposer_is_held_to_steps_that_exist(language: RelationVocabulary) -> None:
    graph = language.graph
    starts = np.arange(min(3, graph.num_entities), dtype=np.int32)
    grammar = StepGrammar(language, starts, 2)
    seen = 0
    for first, state in grammar.steps(()):
        assert grammar.complete(state) and language.read(first) == state
        for second, longer in grammar.steps(state):
            assert language.read(first + second) == longer
            assert len(follow(graph, starts, longer).entities)
            assert list(grammar.steps(longer)) == []
            seen += 1
    assert seen > 3
    assert grammar.key.startswith("steps:") and grammar.key != StepGrammar(language, starts, 3).key
