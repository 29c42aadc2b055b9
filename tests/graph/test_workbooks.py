"""Workbooks give the graph that their sheets would give as files of their own."""

from __future__ import annotations

import datetime as dt
import zipfile
from pathlib import Path

import openpyxl
import pytest

import clew
from clew.errors import InputError
from clew.graph import BuildReport, Graph, build

Cells = list[list[object]]
CUSTOMERS: Cells = [
    ["Customer ID", "Name", "City", "Since"],
    ["C1", "Ann Lee", "Lyon", dt.date(2019, 5, 1)],
    ["C2", 'Bo "X",\nJr.', "Ghent", dt.date(2021, 1, 9)],
    ["C3", "Cy Ek", None, None],
]
ORDERS: Cells = [
    ["Orders of 2024"],
    ["as of 3 March", None, "draft"],
    [],
    ["Order ID", "Customer\nID", "Placed", "Amount", "Paid", "Margin", None],
    ["007", "C1", dt.datetime(2024, 1, 2, 10, 30), 5.0, True, 0.1 + 0.2, None],
    ["008", "C2", dt.datetime(2024, 2, 2), 19.9, False, "=1/0", None],
    ["009", "C1", dt.datetime(2024, 3, 2, 8), 1e16, None, None, None],
    [],
    ["Total", None, None, 99],
    ["Source: the till"],
]


def workbook(file: Path, sheets: dict[str, Cells]) -> Path:
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(file)
    return file


def built(file: Path, **options: object) -> tuple[Graph, BuildReport]:
    out = file.with_suffix(".kg")
    report = build(file, out, **options)  # type: ignore[arg-type]
    return Graph.open(out), report


def said(graph: Graph) -> set[tuple[str, str, str]]:
    return {(t.head.id, t.relation.label, t.tail.label) for t in graph.triples()}


def rows(graph: Graph, plan: str) -> list[str]:
    return sorted(str(row[0]) for row in clew.query(graph, plan).rows)


def test_sheets_are_the_tables_of_a_database(tmp_path: Path) -> None:
    graph, report = built(workbook(tmp_path / "shop.xlsx", {"Customers": CUSTOMERS, "Orders": ORDERS, "Plan": []}))
    assert said(graph) == {
        *((f"Customers/{key}", "type", "customer") for key in ("C1", "C2", "C3")),
        *((f"Customers/{key}", "Customer ID", key) for key in ("C1", "C2", "C3")),
        ("Customers/C1", "City", "Lyon"), ("Customers/C2", "City", "Ghent"),
        ("Customers/C1", "Since", "2019-05-01"), ("Customers/C2", "Since", "2021-01-09"),
        *((f"Orders/{key}", "type", "order") for key in ("007", "008", "009")),
        ("Orders/007", "Customer", "Ann Lee"), ("Orders/009", "Customer", "Ann Lee"),
        ("Orders/008", "Customer", 'Bo "X",\nJr.'),
        ("Orders/007", "Placed", "2024-01-02T10:30:00"), ("Orders/008", "Placed", "2024-02-02"),
        ("Orders/009", "Placed", "2024-03-02T08:00:00"),
        ("Orders/007", "Amount", "5"), ("Orders/008", "Amount", "19.9"), ("Orders/009", "Amount", "10000000000000000"),
        ("Orders/007", "Paid", "true"), ("Orders/008", "Paid", "false"), ("Orders/007", "Margin", "0.3"),
    }  # fmt: skip
    assert "  Customer ID → Customers" in report.tables
    assert any("'Plan'" in line for line in report.tables)
    assert rows(graph, "count(class(order))") == ["3"]
    assert rows(graph, 'values(follow(entity("Lyon"), ^City/^Customer), Amount)') == ["10000000000000000", "5"]
    assert rows(graph, "where(class(customer), Since, >, date(2020))") == ['Bo "X",\nJr.']
    assert rows(graph, "where(class(order), Placed, <, date(2024-02-01))") == ["order 007"]


def test_nodes_and_edges_in_two_sheets(tmp_path: Path) -> None:
    nodes: Cells = [["id", "name", "type"], [1, "Ada", "person"], [2, "Bo", "person"]]
    edges: Cells = [["source", "target", "relation", "since"], [1, 2, "knows", 2019]]
    graph, _ = built(workbook(tmp_path / "g.xlsx", {"Nodes": nodes, "Edges": edges}))
    assert {("Ada", "knows", "Bo"), ("Ada", "type", "person")} <= {
        (t.head.label, t.relation.label, t.tail.label) for t in graph.triples()
    }
    assert {t.tail.label for t in graph.triples() if t.relation.label == "since"} == {"2019"}


def test_a_sheet_of_triples(tmp_path: Path) -> None:
    triples: Cells = [["Subject", "Predicate", "Object"], ["Rhine, the", "flows to", "Sea"], ["Po", "flows to", "Sea"]]
    graph, _ = built(workbook(tmp_path / "g.xlsx", {"Tabelle1": triples}))
    assert said(graph) == {("Rhine, the", "flows to", "Sea"), ("Po", "flows to", "Sea")}


def test_one_sheet_is_called_like_its_file(tmp_path: Path) -> None:
    table: Cells = [[None, "Name", "2019", "2020"], [0, "Lyon", 5, 6], [1, "Ghent", 3, None]]  # as a frame is written
    graph, report = built(workbook(tmp_path / "cities.xlsx", {"Sheet1": table}))
    assert said(graph) == {
        ("cities/Lyon", "type", "city"), ("cities/Lyon", "2019", "5"), ("cities/Lyon", "2020", "6"),
        ("cities/Ghent", "type", "city"), ("cities/Ghent", "2019", "3"),
    }  # fmt: skip
    assert not report.num_problems


def test_merged_cells_and_hidden_sheets(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Huts"
    for row in (["Valley", "Hut", "Beds"], ["Aosta", "Ares", 12], [None, "Bivo", 4], ["Susa", "Cima", 30]):
        sheet.append(row)
    sheet.merge_cells("A2:A3")
    book.create_sheet("Lists").append(["a", "b"])
    book["Lists"].sheet_state = "hidden"
    book.save(tmp_path / "huts.xlsx")
    graph, report = built(tmp_path / "huts.xlsx")
    assert {t.head.label for t in graph.triples() if t.tail.label == "Aosta"} == {"Ares", "Bivo"}
    assert "left out: sheet 'Lists': hidden" in report.tables


def test_workbooks_and_files_are_decided_together(tmp_path: Path) -> None:
    workbook(tmp_path / "customers.xlsx", {"Sheet1": CUSTOMERS})
    workbook(tmp_path / "orders.xlsx", {"Sheet1": ORDERS[3:7]})
    (tmp_path / "cities.csv").write_text("name,country\nLyon,France\nGhent,Belgium\n")
    build(tmp_path, tmp_path / "x.kg", foreign_keys={"customers.City": "cities"})
    graph = Graph.open(tmp_path / "x.kg")
    assert rows(graph, 'values(follow(follow(entity("order 007"), Customer), City), country)') == ["France"]


def test_files_that_are_no_workbooks(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.xlsx"
    with (
        zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("xl/a.xml", "w", force_zip64=True) as part,
    ):
        for _ in range(2100):
            part.write(bytes(1 << 20))
    cut = workbook(tmp_path / "cut.xlsx", {"A": CUSTOMERS})
    cut.write_bytes(cut.read_bytes()[:3000])
    (tmp_path / "text.xlsx").write_text("id,name\n1,a\n")
    workbook(tmp_path / "empty.xlsx", {"Sheet1": []})
    for name, message in (
        ("bomb.xlsx", "more than 2 GB"),
        ("cut.xlsx", "is no workbook, or damaged"),
        ("text.xlsx", "is no workbook, or damaged"),
        ("empty.xlsx", "holds no table"),
    ):
        with pytest.raises(InputError, match=message) as caught:
            build(tmp_path / name, tmp_path / "x.kg")
        assert str(caught.value).count("\n") == 1  # one message
    assert not list(tmp_path.glob("*.kg")) and not list(tmp_path.glob(".*"))


def test_a_bad_row_is_told_with_its_sheet_and_line(tmp_path: Path) -> None:
    triples: Cells = [
        ["what flows"],
        ["Subject", "Predicate", "Object"],
        ["Po", "flows to", "Sea"],
        ["Po", None, "Sea"],
    ]
    _, report = built(workbook(tmp_path / "g.xlsx", {"Rivers": triples}))
    assert str(report.problems[0]) == f"{tmp_path / 'g.xlsx'}: sheet Rivers:4: an empty head, relation or tail"
