"""Which columns of numbers are dates."""

from __future__ import annotations

import pytest

from clew.graph import Graph
from clew.query.columns import column


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
