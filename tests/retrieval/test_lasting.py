"""How long things went on, told by two of their dates."""

import pytest

from clew.graph import Graph
from clew.query import parse
from clew.query.keys import Keys
from clew.query.periods import Periods
from clew.query.proof import verify
from clew.retrieval.operators import Operators
from clew.types import Answer, Question
from fake_methods import Nothing

LOANS = {
    "Alba loan": ("2020-01-10", "2020-06-26"), "Brera loan": ("2019-02-28", "2021-02-28"),
    "Corvo loan": ("2021-11-01", "2021-12-01"), "Dora loan": ("2022-01-01", ""),
}  # fmt: skip
PEOPLE = {
    "Ada Ruud": ("1949-07-22", "1996-07-21"),
    "Bo Lind": ("1930-01-01", "1990-02-01"),
    "Cy Moe": ("1960-05-05", ""),
}
DAMS = {"Iron Dam": "1972", "Stone Dam": "1984", "Clay Dam": "1950"}
SHOWS = {"Salt": ("2020-01-01", "2020-02-01", "31"), "Rye": ("2020-03-01", "2020-05-01", "12")}


def rows() -> list[tuple[str, str, str]]:
    made = [("Alba loan", "borrower", "Tate"), ("Ada Ruud", "agent of", "Alba loan")]
    for name, (start, end) in LOANS.items():
        made += [(name, "type", "loan"), (name, "begin date", start), *([(name, "end date", end)] if end else [])]
        made += [(name, "signed on", "2018-05-01")]
    for name, (born, died) in PEOPLE.items():
        made += [(name, "type", "climber"), (name, "born", born), *([(name, "died", died)] if died else [])]
    made += [(name, "type", "dam") for name in DAMS] + [(name, "completed", year) for name, year in DAMS.items()]
    for name, (start, end, days) in SHOWS.items():
        made += [(name, "type", "show"), (name, "opened", start), (name, "closed", end), (name, "duration days", days)]
    return made


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(rows(), name="loans")


def asked(graph: Graph, text: str) -> Answer:
    answer = Operators(Nothing()).answer(Question("q", text), graph)
    assert verify(answer, graph) == []
    return answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("How many days did the Alba loan last?", ("168 days",)),
        ("For how many weeks was the Alba loan out?", ("24 weeks",)),
        ("For how many weeks was the Alba loan insured?", ()),
        ("How long did Alba loan run?", ("168 days",)),
        ("How many days passed between the beginning and the end of Alba loan?", ("168 days",)),
        ("How old was Ada Ruud when she died?", ("46 years",)),
        ("At what age did Bo Lind die?", ("60 years",)),
        ("How many years did Bo Lind live?", ("60 years",)),
        ("How long did Bo Lind last?", ()),  # a life is no loan
        ("How old was Cy Moe when she died?", ()),
        ("How many years lie between the completion of Iron Dam and that of Stone Dam?", ("12 years",)),
        ("How many years after Iron Dam was Stone Dam completed?", ("12 years",)),
        ("How many days lie between the completion of Iron Dam and Stone Dam?", ()),  # known to the year
        ("How many days lie between the beginning of Alba loan and that of Brera loan?", ("316 days",)),
        ("How long did the loans last on average?", ("309.6666667 days",)),
        ("How many days did the loans last altogether?", ("929 days",)),
        ("Which loan lasted the longest?", ("Brera loan",)),
        ("What was the shortest loan?", ("Corvo loan",)),
        ("How many days did the longest loan last?", ("731 days",)),
        ("Which loans lasted longer than 100 days?", ("Alba loan", "Brera loan")),
        ("How many loans took less than 6 months?", ("2",)),
        ("Which climber lived the longest?", ("Bo Lind",)),
        ("Which climbers lived longer than 50 years?", ("Bo Lind",)),
        ("How many days did each loan last?", ()),
        ("Which lasted longer, Alba loan or Brera loan?", ("Brera loan",)),
        ("How many days longer was Brera loan than Alba loan?", ("563 days",)),
        ("How many years older is Bo Lind than Ada Ruud?", ("19 years",)),
    ],
)
def test_times_that_two_dates_tell(graph: Graph, text: str, said: tuple[str, ...]) -> None:
    assert asked(graph, text).texts == said


def test_what_is_stated_wins_over_what_is_computed(graph: Graph) -> None:
    assert asked(graph, "Which show ran the longest?").texts == ("Salt",)
    longest = asked(graph, "Which show has the longest duration?")
    assert longest.plan is not None and "span(" not in longest.plan.text
    assert "span(" not in getattr(asked(graph, "How many days did Rye last?").plan, "text", "")


def test_pairs_of_dates_are_told_from_names_and_from_which_comes_first(graph: Graph) -> None:
    periods = Periods(graph, Keys(graph))
    loan = periods.of(parse("class(loan)"))[0]  # type: ignore[arg-type]
    assert (loan.since.relation, loan.until.relation, loan.finest) == ("begin date", "end date", "days")
    (life,) = periods.of(parse("class(climber)"))  # type: ignore[arg-type]
    assert life.life and life.share == pytest.approx(2 / 3)
    assert periods.of(parse("class(dam)")) == []  # type: ignore[arg-type]


def test_dates_of_which_neither_comes_first_are_no_pair() -> None:
    made = [(f"t{i}", "opened", f"2020-01-{day:02d}") for i, day in enumerate((1, 9, 3, 8))]
    made += [(f"t{i}", "closed", f"2020-01-{day:02d}") for i, day in enumerate((4, 2, 5, 6))]
    mixed = Graph.from_triples([*made, *((f"t{i}", "type", "ticket") for i in range(4))])
    assert Periods(mixed, Keys(mixed)).of(parse("class(ticket)")) == []  # type: ignore[arg-type]
