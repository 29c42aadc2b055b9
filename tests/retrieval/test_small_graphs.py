"""Plans for questions over a small graph as users have them: grammar and composing of sets, without a network."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from clew.graph import Graph
from clew.protocols import GraphStore, OnEvent, ignore
from clew.query import plan as p
from clew.query.keys import Keys, by_words
from clew.retrieval.operators import Operators
from clew.types import Answer, Candidate, Question
from fake_methods import Nothing

PLAYERS = {
    "Ann": ("Rovers", "defender", "Norway", 3), "Bea": ("Rovers", "forward", "Norway", 21),
    "Cid": ("Town", "defender", "Ghana", 1), "Dan": ("Town", "forward", "Norway", 25),
    "Eli": ("Town", "defender", "Wales", 0),
}  # fmt: skip
TRIPLES = [
    *[(x, "type", "footballer") for x in PLAYERS],
    *[(x, "type", "football club") for x in ("Rovers", "Town", "Athletic")],
    *[(x, "type", "position") for x in ("defender", "forward")],
    *[(x, "type", "country") for x in ("Norway", "Ghana", "Wales")],
    *[(x, "type", "owner") for x in ("Holm", "Lund")],
    *[(x, "plays for", club) for x, (club, _, _, _) in PLAYERS.items()],
    *[(x, "position", position) for x, (_, position, _, _) in PLAYERS.items()],
    *[(x, "nationality", country) for x, (_, _, country, _) in PLAYERS.items()],
    *[(x, "goals scored", str(goals)) for x, (_, _, _, goals) in PLAYERS.items()],
    ("Rovers", "owned by", "Holm"), ("Town", "owned by", "Lund"), ("Athletic", "owned by", "Lund"),
]  # fmt: skip
GRAPH = Graph.from_triples(TRIPLES, name="league")


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which defenders play for Town?", ["Cid", "Eli"]),  # a name that is asked for as if it were a kind
        ("Which Norway forwards scored more than 22 goals?", ["Dan"]),
        ("Which players scored more than 20 goals?", ["Bea", "Dan"]),  # whoever "plays for" something
        ("Which clubs are not owned by Lund?", ["Rovers"]),  # "clubs" are football clubs
        ("How many players play for Athletic?", ["0"]),  # others do, here nobody does
        ("How many defenders come from Norway?", ["1"]),
        ("Which player has the second most goals?", ["Bea"]),
        ("Which two players have the most goals?", ["Bea", "Dan"]),
        ("Who are the top 2 players by goals scored?", ["Bea", "Dan"]),
        ("Which owner has the most clubs?", ["Lund"]),
        ("How many goals did the players of Town score in total?", ["26"]),
        ("Why did Town lose?", []),
    ],
)
def test_questions_of_several_kinds(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), GRAPH)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)
    assert answers or answer.note == "the graph states no reasons"


FARMS = Graph.from_triples(  # a relation between things of one kind, and one of another kind called by their noun
    [
        *[(x, "type", "farmer") for x in ("Ann", "Bo", "Cy", "Di")],
        *[(x, "type", "market") for x in ("Hill Market", "Dale Market")],
        ("Bo", "mentor", "Ann"), ("Cy", "mentor", "Ann"), ("Di", "mentor", "Bo"),
        ("Hill Market", "farmers", "Ann"), ("Hill Market", "farmers", "Di"), ("Dale Market", "farmers", "Bo"),
        ("Hill Market", "warden", "Cy"), ("Dale Market", "warden", "Cy"),
    ],
    name="farms",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("which mentor has the most farmers?", ["Ann"]),
        ("Which market has the most farmers?", ["Hill Market"]),
    ],
)
def test_whoever_a_relation_leads_to_most_often(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), FARMS)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


def test_a_noun_for_anybody_is_counted_by_its_verb() -> None:
    """In "which farmer mentors the most people" no kind is called people."""
    found = Keys(FARMS, by_words).counted(p.Class("farmer"), "people", "mentors")
    assert found[0].path == (p.Step("mentor", False),)
    assert Keys(FARMS, by_words).counted(p.Class("farmer"), "boats", "mentors") == []


ZOO = Graph.from_triples(  # no kinds: animals, enclosures and keepers are told apart by what is said of them
    [
        *[(x, "species", kind) for x, kind in (("Bao", "panda"), ("Mei", "panda"), ("Sky", "eagle"), ("Roo", "lion"))],
        *[(x, "housed in", at) for x, at in (("Bao", "Garden"), ("Mei", "Garden"), ("Sky", "Aviary"), ("Roo", "Den"))],
        *[(x, "looked after by", who) for x, who in (("Bao", "Ned"), ("Mei", "Ned"), ("Sky", "Ann"), ("Roo", "Ned"))],
        *[(x, "weight in kg", kg) for x, kg in (("Bao", "95"), ("Mei", "80"), ("Sky", "6"), ("Roo", "190"))],
        *[(x, "opened", year) for x, year in (("Garden", "1991"), ("Aviary", "1964"), ("Den", "2003"))],
        *[(x, "visitors per day", n) for x, n in (("Garden", "900"), ("Aviary", "400"), ("Den", "700"))],
        *[(x, "native to", place) for x, place in (("panda", "Asia"), ("eagle", "America"), ("lion", "Africa"))],
    ],
    name="zoo",
)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which animal is the heaviest?", ["Roo"]),
        ("Which enclosure opened first?", ["Aviary"]),  # a column of years that only its verb tells
        ("Which enclosures opened after 1990?", ["Den", "Garden"]),
        ("Which enclosure has the most visitors per day?", ["Garden"]),
        ("Which keeper looks after the most animals?", ["Ned"]),
        ("Which species are not native to Asia?", ["eagle", "lion"]),  # species are what the relation leads to
        ("Which animals weigh between 50 and 100 kg?", ["Bao", "Mei"]),
        ("Should I visit the Garden or the Den?", []),
    ],
)
def test_questions_over_a_graph_without_kinds(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), ZOO)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


HOSTS = Graph.from_triples(  # kinds stated by a property, kinds of hosts by another, flags as yes, no and true
    [
        *[(x, "kind", "Host") for x in ("mx1", "mx2", "www", "db")],
        *[(x, "kind", "Team") for x in ("Red Cell", "Blue Cell")],
        *[(x, "kind", "Person") for x in ("Iva", "Oto", "Rea")],
        *[(x, "category", kind) for x, kind in (("mx1", "mail"), ("mx2", "mail"), ("www", "web server"))],
        ("db", "category", "web server"),
        *[(x, "internetFacing", said) for x, said in (("mx1", "true"), ("mx2", "false"), ("www", "true"))],
        *[(x, "patched", said) for x, said in (("mx1", "no"), ("mx2", "yes"), ("www", "yes"), ("db", "yes"))],
        *[(x, "team", team) for x, team in (("mx1", "Red Cell"), ("mx2", "Red Cell"), ("www", "Blue Cell"))],
        *[(x, "rack units", str(n)) for x, n in (("mx1", 2), ("mx2", 4), ("www", 2), ("db", 4))],
        *[(x, "opened", year) for x, year in (("mx1", "2011"), ("mx2", "2019"), ("www", "2004"), ("db", "2016"))],
        *[(x, "member of", t) for x, t in (("Iva", "Red Cell"), ("Oto", "Red Cell"), ("Rea", "Blue Cell"))],
    ],
    name="hosts",
)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which hosts are patched?", ["db", "mx2", "www"]),
        ("Which hosts are not patched?", ["mx1"]),
        ("hosts of Red Cell that are patched", ["mx2"]),
        ("unpatched hosts", ["mx1"]),
        ("internet-facing hosts of Red Cell", ["mx1"]),
        ("How many hosts are internet facing and patched?", ["1"]),
        ("Is mx2 patched?", ["yes"]),
        ("Is mx2 reachable from the internet?", ["no"]),
        ("Is mx1 not patched?", ["yes"]),
        ("web servers of Blue Cell", ["www"]),  # a kind within a kind
        ("How many web servers are there?", ["2"]),
        ("Which people are members of Red Cell?", ["Iva", "Oto"]),
        ("hosts without a patch", ["mx1"]),
        ("4 unit hosts that are patched", ["db", "mx2"]),  # a value beside the name of its property
        ("Which people who are members of Red Cell are there?", ["Iva", "Oto"]),  # this "who" does not ask
        ("oldest mail host", ["mx1"]),
    ],
)
def test_kinds_and_flags_that_properties_state(text: str, answers: list[str]) -> None:
    answer = Operators(Nothing()).answer(Question("q", text), HOSTS)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


class Says:
    """A method whose answer is the same things whatever is asked."""

    name: ClassVar[str] = "says"

    def __init__(self, *ids: str) -> None:
        self._ids = ids

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        said = tuple(Candidate(label, 0.9, graph.entity(label)) for label in self._ids)
        return [Answer(question, self.name, candidates=said) for question in questions]


def test_what_is_of_another_kind_than_is_asked_for_is_left_out() -> None:
    answer = Operators(Says("Iva", "mx1", "mx2")).answer(Question("q", "hosts around Red Cell"), HOSTS)
    assert answer.texts == ("mx1", "mx2")


def test_a_set_that_meets_more_of_what_is_named_is_taken_instead_of_all() -> None:
    answer = Operators(Says("mx1", "mx2", "www")).answer(Question("q", "patched machines kept by Red Cell"), HOSTS)
    assert answer.texts == ("mx1", "mx2", "www")  # “machines” are nothing here
    answer = Operators(Says("mx1", "mx2")).answer(Question("q", "patched hosts kept by Red Cell"), HOSTS)
    assert answer.texts == ("mx2",)


def test_a_condition_on_how_two_things_are_linked_leads_to_what_is_linked() -> None:
    works = [("Ada", "m.1", "partner"), ("Ben", "m.2", "clerk"), ("Cleo", "m.3", "partner")]
    facts = [
        fact for who, m, role in works for fact in ((who, "employed", m), (m, "employed", "Vane"), (m, "role", role))
    ]
    firms = Graph.from_triples([*facts, ("Vane", "kind", "firm"), ("Pell", "kind", "firm")], name="firms")
    answer = Operators(Nothing()).answer(Question("q", "partners at Vane"), firms)
    assert sorted(answer.texts) == ["Ada", "Cleo"]


def test_yes_and_no_together_are_no_answer() -> None:
    answer = Operators(Says("true", "false")).answer(Question("q", "Who looks after Red Cell at night?"), HOSTS)
    assert answer.texts == ()
    assert "only says yes or no" in answer.note
