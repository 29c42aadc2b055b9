"""Values as people and XSD write them."""

import pytest

from clew.graph import Graph, build
from clew.graph.strings import shown
from clew.query.columns import column
from clew.query.values import XSD, ReadValue, from_base, parse_date, shown_date, typed, untyped

NUMBERS = [
    ("1,234 km", 1_234_000.0, "length"),
    ("$3.5 million", 3.5e6, "USD"),
    ("£5m", 5e6, "GBP"),
    ("5 ft 11", 1.8034, "length"),
    ("5'11\"", 1.8034, "length"),
    ("6 ft", 1.8288, "length"),
    ("about 300 m", 300.0, "length"),
    ("100 km²", 1e8, "area"),
    ("80 kg", 80.0, "mass"),
    ("2:05:30", 7530.0, "time"),
    ("45.3%", 0.453, "share"),
    ("-5 °C", 268.15, "temperature"),
    ("1.5e3", 1500.0, ""),
    ("12 000", 12000.0, ""),
    ("3rd", 3.0, ""),
    ("1,234,567", 1234567.0, ""),
    ("1999", 1999.0, ""),
    ("7 (2001)", 7.0, ""),
]
DATES = [
    ("3 May 1999", "1999-05-03"),
    ("May 3, 1999", "1999-05-03"),
    ("3rd of May 1999", "1999-05-03"),
    ("May 1999", "1999-05"),
    ("1999-05-03", "1999-05-03"),
    ("12/25/2001", "2001-12-25"),
    ("25.12.2001", "2001-12-25"),
    ("c. 1850", "1850"),
    ("44 BC", "-0043"),
    ("1990s", "1990"),
]


@pytest.mark.parametrize(("text", "value", "dimension"), NUMBERS)
def test_numbers_and_quantities(text: str, value: float, dimension: str) -> None:
    found = untyped(text)
    assert found is not None and found.kind == "number"
    assert found.low == pytest.approx(value) and found.dimension == dimension


@pytest.mark.parametrize(("text", "shown"), DATES)
def test_dates(text: str, shown: str) -> None:
    found = untyped(text)
    assert found is not None and found.kind == "date"
    assert shown_date(found) == shown


@pytest.mark.parametrize(
    "text", ["", "Paris", "Mr 5", "3–2", "10 people", "1999–2003", "A320", "x" * 500 + "1", "31 June 1999"]
)
def test_texts_are_no_values(text: str) -> None:
    assert untyped(text) is None


def test_a_year_is_an_interval() -> None:
    year, day = parse_date("2008"), parse_date("2008-12-31")
    assert year is not None and day is not None
    assert year.low < day.low and day.high == year.high


def test_typed_literals() -> None:
    assert typed("07", XSD + "integer") == ReadValue("number", 7.0, 7.0)
    assert typed("seven", XSD + "integer") is None
    found = typed("1999", XSD + "gYear")
    assert found is not None and found.kind == "date"
    assert typed("P1DT2H", XSD + "duration") == ReadValue("number", 93_600.0, 93_600.0, "time", "h")
    for text in ("P1DT2H", "PT65M", "PT1.5S", "P2Y3M"):
        assert typed(shown(text, XSD + "duration"), XSD + "duration") == typed(text, XSD + "duration")
    assert shown("PT3660S", XSD + "duration") == "1 h 1 min"
    moment, zoned = (
        typed("2008-05-03T10:00:00Z", XSD + "dateTime"),
        typed("2008-05-03T12:00:00+02:00", XSD + "dateTime"),
    )
    assert moment == zoned and moment is not None


def test_columns_say_how_sure_they_are(tmp_path) -> None:  # type: ignore[no-untyped-def]
    rows = [
        ("a", "height", "5 ft 11"),
        ("b", "height", "1.90 m"),
        ("c", "height", "unknown"),
        ("d", "height", "6 ft 1"),
    ]
    rows += [("a", "founded", "1999"), ("b", "founded", "2001"), ("a", "motto", "in 1999 we won"), ("a", "knows", "b")]
    file = tmp_path / "t.tsv"
    file.write_text("".join("\t".join(row) + "\n" for row in rows))
    build(file, tmp_path / "t.kg")
    graph = Graph.open(tmp_path / "t.kg")
    found = {r.id: column(graph, i) for i, r in enumerate(graph.relations())}
    assert (found["height"].kind, found["height"].share, found["height"].dimension) == ("number", 0.75, "length")
    assert found["height"].unit == "ft" and found["height"].ordered
    assert (found["founded"].kind, found["founded"].precision) == ("date", "year")
    assert not found["motto"].ordered and not found["knows"].ordered
    assert from_base(float(found["height"].low.max()), "ft") == pytest.approx(1.90 / 0.3048)
