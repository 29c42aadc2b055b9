"""Times of the day: how they are stated, compared and shown, and what cannot be said of them."""

import pytest

from clew.errors import InputError, UnsupportedError
from clew.graph import Graph
from clew.query import execute, parse, show, to_cypher, to_sparql
from clew.query.question import read_question
from clew.query.values import shown_date, time_of_day
from clew.retrieval.dating import with_years
from clew.types import Question

BOATS = [
    ("A", "type", "Boat"), ("A", "departure time", "07:15"), ("A", "arrival", "8:05"), ("A", "crossing", "50:00"),
    ("B", "type", "Boat"), ("B", "departure time", "12:30"), ("B", "arrival", "13:40"), ("B", "crossing", "70:00"),
    ("C", "type", "Boat"), ("C", "departure time", "23:50"), ("C", "arrival", "24:35"), ("C", "crossing", "45:00"),
    ("D", "type", "Boat"), ("D", "built", "1999-05-01"), ("A", "built", "1987-01-01"),
]  # fmt: skip


@pytest.fixture(scope="module")
def boats() -> Graph:
    return Graph.from_triples(BOATS)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("07:15", "07:15"), ("3:30 pm", "15:30"), ("12:05 a.m.", "00:05"), ("24:35", "24:35"), ("9.45", "09:45"),
     ("9:75", None), ("45:00", None), ("13:00 pm", None), ("noonish", None)],
)  # fmt: skip
def test_times_are_read(text: str, shown: str | None) -> None:
    found = time_of_day(text)
    assert (None if found is None else shown_date(found)) == shown


@pytest.mark.parametrize(
    ("plan", "names"),
    [
        ('where(class(Boat), "departure time", <, date(T12:00))', ["A"]),
        ('where(class(Boat), "departure time", =, date(T12:30))', ["B"]),
        ('where(class(Boat), arrival, between, date(T08:05), date(T13:40))', ["A", "B"]),
        ("top(class(Boat), arrival, largest)", ["C"]),  # 24:35 is after 23:50
        ("top(class(Boat), crossing, smallest)", ["C"]),  # how long it takes is no time of the day
    ],
)  # fmt: skip
def test_times_are_compared(boats: Graph, plan: str, names: list[str]) -> None:
    assert boats.labels_at(execute(parse(plan), boats).members) == names
    assert parse(show(parse(plan))) == parse(plan)


def test_times_are_shown_and_what_lies_between(boats: Graph) -> None:
    assert str(execute(parse('min(class(Boat), "departure time")'), boats).quantity) == "07:15"
    assert (
        str(execute(parse('max(entity(B), span("departure time", arrival, minutes))'), boats).quantity) == "70 minutes"
    )
    top = execute(parse("top(class(Boat), arrival, smallest)"), boats)
    assert top.ranking is not None and top.ranking.said(float(top.ranking.keys[0])) == "08:05"


def test_dates_and_times_are_not_compared(boats: Graph) -> None:
    with pytest.raises(InputError, match="holds times of the day"):
        execute(parse('where(class(Boat), "departure time", <, date(2008))'), boats)
    with pytest.raises(InputError, match="holds dates"):
        execute(parse("where(class(Boat), built, <, date(T12:00))"), boats)
    for plan in (
        'where(class(Boat), "departure time", <, date(T12:00))',
        'top(class(Boat), "departure time", largest)',
    ):
        with pytest.raises(UnsupportedError, match="time"):
            to_sparql(parse(plan), boats)
    with pytest.raises(UnsupportedError, match="time of the day"):
        to_cypher(parse('where(class(Boat), "departure time", <, date(T12:00))'))


@pytest.mark.parametrize(
    ("question", "op", "value", "rest"),
    [
        ("boats that leave before 9:30", "<", "T09:30", "boats that leave"),
        ("which boats leave at 3 pm or later?", ">=", "T15:00", "which boats leave"),
        ("boats after noon", ">", "T12:00", "boats"),
        ("is there a boat before 7.30 am", "<", "T07:30", "boat"),
        ("boats between 9 am and 11:15 am", "between", "T09:00", "boats"),
        ("boats from 10 o'clock", ">=", "T10:00", "boats"),
    ],
)
def test_questions_state_times(question: str, op: str, value: str, rest: str) -> None:
    read = read_question(question)
    [stated] = read.filters
    assert (stated.op, stated.value.text, read.rest) == (op, value, rest)  # type: ignore[union-attr]


@pytest.mark.parametrize("question", ["who directed Paper Lanterns at Noon", "who directed 3:10 to Yuma"])
def test_titles_state_none(question: str) -> None:
    assert read_question(question).filters == ()


def test_parts_of_the_day_where_the_graph_has_times(boats: Graph) -> None:
    asked = Question("q", "which boats leave in the morning")
    assert with_years(asked, boats).text == "which boats leave before 12:00"
    assert with_years(asked, Graph.from_triples([("A", "type", "Boat")])).text == asked.text


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("before seven in the morning", "before 07:00"),
        ("after half past two in the afternoon", "after 14:30"),
        ("before ten to nine in the evening", "before 20:50"),
        ("until 5 o'clock", "until 05:00"),
        ("before seven boats", "before seven boats"),
        ("after twelve", "after twelve"),
    ],
)
def test_hours_in_words_where_the_graph_has_times(boats: Graph, said: str, text: str) -> None:
    assert with_years(Question("q", f"which boats leave {said}"), boats).text == f"which boats leave {text}"
