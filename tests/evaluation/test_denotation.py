"""Denotation accuracy, and WikiTableQuestions' official normalisation."""

import pytest

from clew.evaluation.denotation import denotation, same_value, wtq, wtq_normalise
from clew.types import Answer, Candidate, Entity, Gold, Question


def answer(*texts: str) -> Answer:
    return Answer(Question("q", "?"), "m", tuple(Candidate(text, 1.0) for text in texts))


@pytest.mark.parametrize(
    ("said", "gold", "value"),
    [
        (("Paris",), ("paris",), 1.0),
        (("Paris", "Rome"), ("Rome", "Paris"), 1.0),
        (("Paris", "Rome"), ("Paris",), 0.0),
        (("Paris",), ("Paris", "Rome"), 0.0),
        (("8,100",), ("8100.0",), 1.0),
        (("61.36043387",), ("61.36",), 1.0),
        (("61.4",), ("61.36",), 0.0),
        (("yes",), ("True",), 1.0),
        (("3 May 1999",), ("1999-05-03",), 1.0),
        (("1999",), ("May 1999",), 0.0),
        (("5 km",), ("5 kg",), 0.0),
        ((), ("Paris",), 0.0),
        ((), (), 1.0),
        (("Paris",), (), 0.0),
    ],
)
def test_an_answer_is_the_gold_set_or_wrong(said: tuple[str, ...], gold: tuple[str, ...], value: float) -> None:
    assert denotation(answer(*said), Gold(gold)) == value


def test_a_failed_question_is_wrong() -> None:
    assert denotation(None, Gold(("Paris",))) == 0.0
    assert denotation(None, Gold(())) == 0.0


def test_aliases_count() -> None:
    assert denotation(answer("USA"), Gold(("United States",), aliases=(("USA",),))) == 1.0


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("Beyoncé", "beyonce"), ('"Song"', "song"), ("Title[3]", "title"), ("Name (actor)", "name"),
        ("1999–2003", "1999-2003"), ("  A   b. ", "a b"), ("Queen*", "queen"), ("(all)", "(all)"),
    ],
)  # fmt: skip
def test_official_normalisation(text: str, normal: str) -> None:
    assert wtq_normalise(text) == normal


def test_official_values() -> None:
    assert wtq(["12.0"], ["12"]) == {"denotation": 1.0}
    assert wtq(["12,467"], ["12467"]) == {"denotation": 0.0}  # as the official program: a comma makes it a text
    assert wtq(["2001-05-xx"], ["2001-5-xx"]) == {"denotation": 1.0}
    assert wtq(["a", "a"], ["A"]) == {"denotation": 1.0}
    assert wtq(["a", "b"], ["a"]) == {"denotation": 0.0}
    assert wtq([], ["a"]) == {"denotation": 0.0}
    assert not same_value("a", "b")


def test_a_literal_is_shown_as_people_read_it_and_scored_as_the_graph_has_it() -> None:
    moment = "1763-01-01T00:00:00Z"
    year = Entity(f'"{moment}"^^<http://www.w3.org/2001/XMLSchema#dateTime>', "1763", "literal", "dateTime")
    shown = Answer(Question("q", "?"), "m", (Candidate("1763", 1.0, year),))
    assert denotation(shown, Gold((moment,))) == denotation(shown, Gold(("1763",))) == 1.0
    assert denotation(shown, Gold(("1763-05-01T00:00:00Z",))) == 0.0
    assert same_value("1763-01-01", moment)
    assert not same_value("1763-01-01", "1763-01-01T12:00:00Z")
    assert same_value("880", "+880")


@pytest.mark.parametrize(
    ("question", "said", "value"),
    [
        ("How many days did it last?", "168 days", 1.0),
        ("How old was she when she died?", "168 years", 1.0),
        ("average days it lasted", "168 days", 1.0),
        ("How many weeks did it last?", "168 days", 0.0),
        ("How long did it last?", "168 days", 0.0),
    ],
)
def test_a_unit_that_the_question_states_need_not_be_in_the_gold(question: str, said: str, value: float) -> None:
    found = Answer(Question("q", question), "m", (Candidate(said, 1.0, computed=True),))
    assert denotation(found, Gold(("168",))) == value
