"""Kinds, events and dates that a question calls by other words than the graph."""

from __future__ import annotations

import pytest

import clew
from clew.graph import Graph

FLIGHTS = {"F1": ("2015-03-02", "Condor"), "F2": ("2017-05-13", "Condor"), "F3": ("2017-11-20", "Kestrel")}
CARRIED = {"Megha": "F2", "Suzume": "F3", "Zorzal": "F1"}
ROUTES = {"Mistral": ("1959", "Toni Mair"), "Shio": ("2003", "Mei Ono"), "Kristall": ("1988", "Lena Gruber")}


@pytest.fixture(scope="module")
def graph() -> Graph:
    triples = [(name, "type", "Launch") for name in FLIGHTS]
    for flight, (date, rocket) in FLIGHTS.items():
        triples += [(flight, "launch_date", date), (flight, "vehicle", rocket), (rocket, "type", "Vehicle")]
    for name, flight in CARRIED.items():
        triples += [(name, "type", "Satellite"), (name, "flown_on", flight)]
    for name, (year, climber) in ROUTES.items():
        event = f"First ascent of {name}"
        triples += [(name, "type", "Route"), (name, "firstAscent", event), (event, "type", "Event")]
        triples += [(event, "start date", year), (event, "performer", climber), (climber, "type", "Person")]
    for name, year in (("Slate & Salt", "2019"), ("Old Walls", "1999")):
        triples += [(name, "type", "Book"), (name, "date published", year)]
    triples += [("Rock Union", "type", "Organization"), ("Mei Ono", "member of", "Rock Union")]
    return Graph.from_triples(triples)


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("Which satellites were launched in 2017?", {"Megha", "Suzume"}),  # by the date of their flights
        ("Was Megha or Suzume launched first?", {"Megha"}),
        ("Which routes had their first ascent before 1970?", {"Mistral"}),  # a first ascent is none of several
        ("guidebooks that came out after 2018", {"Slate & Salt"}),  # guidebooks are books
        ("Which climbers don't belong to any organization?", {"Toni Mair", "Lena Gruber"}),  # climbers are people
    ],
)
def test_other_names_are_understood(graph: Graph, question: str, answers: set[str]) -> None:
    assert {candidate.text for candidate in clew.ask(graph, question).candidates} == answers


def test_the_oldest_is_not_told_by_the_date_of_something_else(graph: Graph) -> None:
    answer = clew.ask(graph, "What is the oldest vehicle?")
    assert answer.plan is None or "launch_date" not in answer.plan.text
