"""Which columns of numbers are dates."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.query.columns import column
from clew.query.values import parse_date


@pytest.mark.parametrize(
    ("relation", "values", "kind"),
    [
        ("joined tour", (1966, 1978, 1984, 1993, 2001), "date"),  # no word of it says when
        ("joined tour", (1966, 1978), "number"),  # too few to tell
        ("seats in hall", (1500, 1800, 1750, 1640, 2000), "number"),  # round figures
        ("altitude", (1466, 1878, 1584, 1793, 2001), "number"),  # no word of time
        ("titles stocked", (1466, 1878, 1584, 1793, 3001), "number"),
    ],
)
def test_numbers_that_can_only_be_years_are_dates(relation: str, values: tuple[int, ...], kind: str) -> None:
    graph = Graph.from_triples([(f"thing {i}", relation, str(value)) for i, value in enumerate(values)])
    number = graph.relation_number(relation)
    assert number is not None
    assert column(graph, number).kind == kind


def test_days_come_first_in_a_column_that_shows_it() -> None:
    days = ("26/02/2024", "03/04/2024", "10/05/2024")
    graph = Graph.from_triples([(f"run {i}", "date", day) for i, day in enumerate(days)], name="log")
    meant = [read.low for day in ("2024-02-26", "2024-04-03", "2024-05-10") if (read := parse_date(day)) is not None]
    assert sorted(column(graph, 0).low.tolist()) == meant


def test_a_date_in_camel_case() -> None:
    banks = [(f"Bank {i}", "openedIn", str(year)) for i, year in enumerate((2010, 2005, 1999))]
    assert column(Graph.from_triples(banks, name="banks"), 0).kind == "date"
