"""Comparisons and denials whose words name nothing: all that could be meant is weighed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clew.encoding import DEFAULT, open_encoder
from clew.graph import Graph
from clew.query import plan as p
from clew.query.meanings import names_other_date
from clew.query.question import read_question
from clew.query.text import show
from clew.retrieval.composing import Composed
from clew.retrieval.events import choosing
from clew.retrieval.operators import Operators
from clew.retrieval.unnamed import likeliest, weighed, weighing, weighs
from clew.retrieval.unnamed.keys import EveryKey
from clew.retrieval.unnamed.meant_sets import sets_meant
from clew.retrieval.unnamed.weighing import NUMBERS, SIGNS, Option, probability
from clew.types import Question
from fake_methods import Nothing

ROWS = {  # restaurant: founded, seats, phone, dishes
    "Old Mill": ("1994", "40", "555 1", ("Carrot cake", "Fern salad")),
    "Crab Pot": ("2012", "85", "555 2", ("Lobster",)),
    "Bella": ("2018", "30", "", ("Carrot cake", "Olives", "Pike")),
    "Lantern": ("2003", "62", "555 4", ()),
}
GRAPH = Graph.from_triples(
    [
        *[(x, "type", "restaurant") for x in ROWS],
        *[(dish, "type", "menu item") for row in ROWS.values() for dish in row[3]],
        *[(x, "founding date", row[0]) for x, row in ROWS.items()],
        *[(x, "maximum capacity", row[1]) for x, row in ROWS.items()],
        *[(x, "telephone", row[2]) for x, row in ROWS.items() if row[2]],
        *[(x, "menu", dish) for x, row in ROWS.items() for dish in row[3]],
    ],
    name="town",
)


@pytest.fixture(scope="module")
def asked() -> Operators:
    return Operators(Nothing(), open_encoder(DEFAULT))


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which restaurants opened after 2010?", {"Crab Pot", "Bella"}),  # no word of the question is in the graph's
        ("Which restaurant can seat the biggest crowd?", {"Crab Pot"}),
        ("Which restaurants have no phone line?", {"Bella"}),
    ],
)
def test_what_no_word_names_is_the_likeliest_of_what_there_is(asked: Operators, text: str, answers: set[str]) -> None:
    answer = asked.answer(Question("q", text), GRAPH)
    assert set(answer.texts) == answers, (answer.note, answer.plan)
    assert answer.candidates[0].score <= choosing.MOST  # beside the plans over events; alone at most weighing.SURE


def test_who_does_something_is_what_the_relation_of_that_act_leads_to(asked: Operators) -> None:
    owned = [("Old Mill", "owner", "Nell"), ("Crab Pot", "owner", "Paolo"), ("Bella", "owner", "Paolo")]
    graph = Graph.from_triples([*owned, *((x, "type", "restaurant") for x in ROWS)], name="owners")
    assert asked.answer(Question("q", "Who owns the most restaurants?"), graph).texts == ("Paolo",)


@pytest.mark.parametrize("text", ["Which restaurants closed after 2010?", "Which restaurant is the noisiest?"])
def test_what_is_not_likely_is_refused_as_before(asked: Operators, text: str) -> None:
    answer = asked.answer(Question("q", text), GRAPH)
    assert not answer.candidates and answer.note.startswith("I cannot compare this")


@pytest.mark.parametrize(
    ("text", "sort"),
    [
        ("Which restaurants opened after 2010?", "compared"),
        ("Which restaurant is the largest?", "compared"),
        ("Which restaurant is the largest after 2010?", None),  # two operators
        ("Which restaurants have no phone?", "lacking"),
        ("How many restaurants opened after 2010?", None),
        ("Is Bella larger than Lantern?", None),
        ("Why is Bella so large?", None),
    ],
)
def test_one_comparison_or_denial_is_weighed(text: str, sort: str | None) -> None:
    assert weighs(read_question(text), denied=False) == sort


def test_keys_are_all_that_things_have_and_no_names_of_lines(asked: Operators) -> None:
    keys = EveryKey(GRAPH)
    found = {(key.label, key.how, key.sort) for key in keys.of(keys.members(p.Class("restaurant")))}
    assert ("founding date", "value", "date") in found and ("maximum capacity", "value", "number") in found
    assert ("menu", "count", "count") in found
    assert not any(key.measures for key in keys.of(keys.members(p.Class("restaurant"))) if key.label == "telephone")


def test_a_hidden_relation_is_no_key(asked: Operators) -> None:
    question, encoder = "Which restaurants opened after 2010?", open_encoder(DEFAULT)
    sets = [Composed(p.Class("restaurant"), (), 0.9, ())]
    made = weighed(question, read_question(question), "compared", sets, GRAPH, encoder)
    assert [show(each.plan) for each in made] == ['where(class(restaurant), "founding date", >, date(2010))']
    assert set(made[0].signs) == set(SIGNS["compared"])
    assert not weighed(question, read_question(question), "compared", sets, GRAPH, encoder, hidden=["founding date"])


def test_a_large_graph_is_not_gone_over(asked: Operators, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weighing, "UP_TO", 3)
    sets = [Composed(p.Class("restaurant"), (), 0.9, ())]
    read = read_question("Which restaurants opened after 2010?")
    assert weighed(read.text, read, "compared", sets, GRAPH, open_encoder(DEFAULT)) == []


def test_places_may_be_any_kind_and_who_asks_for_people() -> None:
    encoder = open_encoder(DEFAULT)
    places = read_question("Which places opened after 2010?")
    kinds = {g.plan.id for g in sets_meant(places.text, places, [], GRAPH, encoder) if isinstance(g.plan, p.Class)}
    assert kinds == {"restaurant", "menu item"}
    staff = Graph.from_triples([("Ann", "type", "cook"), ("Ann", "hired", "2011"), ("Stew", "type", "dish")], name="s")
    who = read_question("Who started after 2010?")
    first = sets_meant(who.text, who, [], staff, encoder)[0]
    assert first.plan == p.Class("cook") and not first.nearby


def test_only_a_likely_plan_is_taken() -> None:
    signs = dict.fromkeys(SIGNS["compared"], 0.0)
    option = Option(p.Class("restaurant"), signs, "capacity")
    assert set(NUMBERS["compared"]) == {"bias", *SIGNS["compared"]}
    assert set(NUMBERS["lacking"]) == {"bias", *SIGNS["lacking"]}
    assert likeliest([], "compared") == likeliest([option], "compared") == []
    sure = replace(option, signs={**signs, "question": 5.0, "content": 5.0})
    [made] = likeliest([option, sure], "compared")
    assert made.prior == weighing.SURE < probability(sure.signs, NUMBERS["compared"]) and "“capacity”" in made.note


def test_a_verb_of_another_date() -> None:
    assert names_other_date(("closed",), "founding date") and names_other_date(("died",), "birth_date")
    assert not names_other_date(("opened",), "opening day")
    assert not names_other_date(("renovated",), "founding date")  # of which nothing is known
