"""Tables as graphs: rows, columns, order, and what is refused."""

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.tables import build_table, table_graph
from clew.query import execute, parse
from clew.retrieval.composing import compose
from clew.types import Question

HEADER = ["Year", "Title", "Chart\nposition", "Sales", "%"]
ROWS = [
    ["1969", "Renaissance", "3rd", "60,000 (UK)", "a"],
    ["1971", "Illusion", "1st", "1,200 [1]", ""],
    ["1972", "Prologue", "12th", "9 (est.)"],
]


def found(graph: Graph, text: str) -> list[str]:
    result = execute(parse(text), graph)
    return [str(result.quantity)] if result.makes == "number" else graph.labels_at(result.members)


def test_rows_are_things_with_order_and_values_as_they_stand() -> None:
    graph = table_graph(HEADER, ROWS)
    assert found(graph, "class(Title)") == ["Renaissance", "Illusion", "Prologue"]
    assert found(graph, 'follow(entity(Renaissance), "next row")') == ["Illusion"]
    assert found(graph, 'top(class(Title), "row number", largest)') == ["Prologue"]
    assert found(graph, 'top(class(Title), "Chart position", smallest)') == ["Illusion"]
    assert found(graph, "where(class(Title), Year, <, date(1972))") == ["Renaissance", "Illusion"]
    assert found(graph, "where(class(Title), Sales, >, 1000)") == ["Renaissance", "Illusion"]
    assert found(graph, 'values(entity(Renaissance), "%")') == ["a"]


def test_rows_without_a_naming_column_are_numbered() -> None:
    graph = table_graph(["A", "A", "type"], [["1", "2", "x"], ["1", "3", "x"]])
    assert found(graph, "class(row)") == ["row 1", "row 2"]
    assert {relation.id for relation in graph.relations()} == {
        "type", "row number", "next row", "A", "A (column)", "type (column)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("what title came next after renaissance", ["Illusion"]),
        ("which title is listed before prologue", ["Illusion"]),
        ("what was the chart position of prologue", ["12th"]),
        ("what year was illusion", ["1971"]),
    ],
)
def test_questions_about_rows(text: str, answer: list[str]) -> None:
    graph = table_graph(HEADER, ROWS)
    best = compose(Question("q", text), graph)[0]
    assert graph.labels_at(execute(best.plan, graph).members) == answer


def test_a_file_becomes_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text('Name,Height\n"Smith, Ann",180 cm\n\nBo,170 cm\n')
    graph = build_table(file, tmp_path / "t.kg")
    assert found(graph, "top(class(Name), Height, largest)") == ["Smith, Ann"]
    assert found(Graph.open(tmp_path / "t.kg"), "count(class(Name))") == ["2"]


@pytest.mark.parametrize("text", ["", "only a header\n", "a,b\n1,2,3\n"])
def test_what_is_no_table_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "t.csv"
    file.write_text(text)
    with pytest.raises(InputError, match="table"):
        build_table(file, tmp_path / "t.kg")
    assert not (tmp_path / "t.kg").exists()
    with pytest.raises(InputError, match="no file"):
        build_table(tmp_path / "none.csv", tmp_path / "t.kg")
