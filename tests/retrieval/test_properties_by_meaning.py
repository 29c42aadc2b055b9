"""Superlatives, comparisons and conditions find their property whatever a schema calls it."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.query.meanings import dimension_of, spelled_out, stated_unit
from clew.retrieval.operators import Operators
from clew.types import Answer, Question
from fake_methods import Nothing

SKIPPERS = {"Ada Roe": ("1961", "2004", 410), "Ben Lund": ("1988", "1999", 380), "Cem Aksoy": ("1993", "2016", 455)}
BOATS = {
    "Heron": ("1978", 14.5, 92000, 6, "true", "cutter"), "Petrel": ("1995", 9.2, 41000, 4, "false", "sloop"),
    "Skua": ("2009", 18.1, 230000, 10, "true", "ketch"), "Storm Tern": ("2015", 11.0, 118000, 6, "true", "sloop"),
}  # fmt: skip
HARBOURS = {"Port Quill": ("1911", 120), "Ansvik": ("1987", 45)}
REPAIRS = {"R1": ("Heron", "2021-04-02"), "R2": ("Skua", "2023-06-11"), "R3": ("Petrel", "2023-09-30")}
TRIPLES = [
    *[(x, "type", "skipper") for x in SKIPPERS],
    *[(x, "dob", f"{born}-03-01") for x, (born, _, _) in SKIPPERS.items()],
    *[(x, "licence_yr", year) for x, (_, year, _) in SKIPPERS.items()],
    *[(x, "rate_day", str(rate)) for x, (_, _, rate) in SKIPPERS.items()],
    *[(x, "type", "boat") for x in BOATS],
    *[(x, "launched", row[0]) for x, row in BOATS.items()],
    *[(x, "len_m", str(row[1])) for x, row in BOATS.items()],
    *[(x, "ask_eur", str(row[2])) for x, row in BOATS.items()],
    *[(x, "berths", str(row[3])) for x, row in BOATS.items()],
    *[(x, "motor_powered", row[4]) for x, row in BOATS.items()],
    *[(x, "type", "harbour") for x in HARBOURS],
    *[(x, "est", row[0]) for x, row in HARBOURS.items()],
    *[(x, "moorings", str(row[1])) for x, row in HARBOURS.items()],
    *[(x, "type", "repair") for x in REPAIRS],
    *[(x, "boat", row[0]) for x, row in REPAIRS.items()],
    *[(x, "date", row[1]) for x, row in REPAIRS.items()],
    *[(boat, "moored at", "Ansvik" if boat == "Skua" else "Port Quill") for boat in BOATS],
]  # fmt: skip
GRAPH = Graph.from_triples(TRIPLES, name="marina")


def _asked(text: str) -> Answer:
    return Operators(Nothing()).answer(Question("q", text), GRAPH)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("youngest skipper", ["Cem Aksoy"]),  # a birth date of persons
        ("Who is the oldest skipper on record?", ["Ada Roe"]),
        ("oldest boat still in the marina", ["Heron"]),  # a launch, and an end that names nothing here
        ("Which skipper has had a licence the longest?", ["Ben Lund"]),  # numbers that may be years
        ("Who's the cheapest skipper per day?", ["Ben Lund"]),
        ("What's the priciest boat?", ["Skua"]),  # what the name's unit says
        ("longest boat of all", ["Skua"]),
        ("What is the largest harbour?", ["Port Quill"]),  # the only figure that it has
        ("Which is longer, Petrel or the storm tern?", ["Storm Tern"]),
        ("was Heron or “Skua” the more expensive one?", ["Skua"]),
        ("did the storm tern or the skua come first? which one", ["Skua"]),
        ("which harbour is older, Ansvik or Port Quill", ["Port Quill"]),
        ("Who charges more, ada roe or cem aksoy?", ["Cem Aksoy"]),
        ("Who has been licensed longer: Ada Roe or Ben Lund?", ["Ben Lund"]),
        ("Does Skua have more berths than Heron?", ["yes"]),
        ("boats under 100k euros", ["Heron", "Petrel"]),
        ("Which boats cost less than 100,000 €?", ["Heron", "Petrel"]),
        ("boats longer than 40 feet", ["Heron", "Skua"]),  # converted to what the name states
        ("Which skippers were born after 1990?", ["Cem Aksoy"]),
        ("Which boats were repaired in 2023?", ["Petrel", "Skua"]),  # the repair's date
        ("Which boats were repaired on Friday the 2nd of April?", ["Heron"]),  # the only year that has such a day
        ("When was the last repair of Skua?", ["2023-06-11"]),
        ("When did Heron last win?", []),  # no date of its is that of a win
        ("Which boats launched for the first time before 1990?", ["Heron"]),
        ("Which skipper gets the lowest rate?", ["Ben Lund"]),
        ("What is the highest rate - which skipper?", ["Cem Aksoy"]),
        ("harbours with more than 100 moorings", ["Port Quill"]),
        ("Which boats are about less than 50,000?", ["Petrel"]),  # the one figure that such a number lies in
        ("Which boats have more berths than the Petrel?", ["Heron", "Skua", "Storm Tern"]),  # its own value
        ("Which boats are longer than Storm Tern?", ["Heron", "Skua"]),
        ("boats that cost less than Heron", ["Petrel"]),
        ("How many boats are longer than the storm tern?", ["2"]),
        ("Which skippers were born before Cem Aksoy?", ["Ada Roe", "Ben Lund"]),
        ("Which skippers are younger than Ada Roe?", ["Ben Lund", "Cem Aksoy"]),
        ("Which harbours have a boat that is longer than 15 m?", ["Ansvik"]),  # of what they are reached through
        ("Which boats sold for under 50000?", ["Petrel"]),
        ("Which boats are longer than the moon?", []),
        ("Which boats appeared before Cem Aksoy?", []),  # no date of his says so
        ("Which boats steered from Port Quill aren't motor powered?", ["Petrel"]),  # a no, with a word left over
        ("On which boats is motor power not available?", ["Petrel"]),
    ],
)
def test_a_property_is_found_by_what_it_means(text: str, answers: list[str]) -> None:
    answer = _asked(text)
    assert sorted(answer.texts) == answers, (answer.note, answer.plan)


@pytest.mark.parametrize("text", ["Which boat is the deepest?", "the most popular harbour", "boats under 90000 francs"])
def test_what_nothing_states_is_not_guessed(text: str) -> None:
    assert not _asked(text).texts


def test_a_figure_that_no_word_names_is_said() -> None:
    assert "moorings" in _asked("What is the largest harbour?").note


@pytest.mark.parametrize(
    ("label", "words", "unit", "dimension"),
    [
        ("elev_m", "elevation m", "m", "length"), ("dob", "birth date", "", ""), ("bar_yr", "bar year", "year", "time"),
        ("est", "established", "", ""), ("est_cost_usd", "estimate cost usd", "USD", "money"),
        ("area (km2)", "area (km2)", "km2", "area"), ("area in square kilometres", "area in square kilometres",
        "square kilometres", "area"), ("visitors per day", "visitors per day", "", ""), ("priceEUR", "price EUR", "EUR",
        "money"),
    ],
)  # fmt: skip
def test_names_of_properties(label: str, words: str, unit: str, dimension: str) -> None:
    assert (spelled_out(label), stated_unit(label), dimension_of(label)) == (words, unit, dimension)
