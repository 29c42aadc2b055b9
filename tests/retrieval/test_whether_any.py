"""Questions to a small business about what is unpaid, whether there is any, and what some things come to."""

from __future__ import annotations

from pathlib import Path

import pytest

import clew
from clew.graph import Graph
from written_tables import built

FIRM = {
    "gods": "id,name,gender\n1,Velka,goddess\n2,Orun,god\n3,Tamsa,goddess\n",
    "fitters": "id,name,trained_by\n1,Ada Frost,\n2,Bo Lind,Ada Frost\n3,Cy Marsh,Ada Frost\n4,Di Noor,Bo Lind\n",
    "regions": "region_id,region\n1,North\n2,South\n",
    "towns": "town_id,town,region_id\n1,Aldby,1\n2,Birk,1\n3,Corry,2\n",
    "customers": "customer_id,customer,town_id\n1,Frost Ltd,1\n2,Lind Ltd,2\n3,Marsh Ltd,3\n",
    "invoices": (
        "invoice_no,customer_id,amount,issued,paid\nINV-1,1,100.00,2024-01-05,2024-02-01\nINV-2,2,250.00,2024-01-20,\n"
        "INV-3,3,40.00,2024-02-11,\nINV-4,1,60.00,2024-03-02,2024-03-20\n"
    ),
}


SHOP = {
    "products": (
        "sku,product,category,price,stock,reorder_level,supplier_id\nTK-01,Trail Tent,Tents,249.00,4,5,1\n"
        "TK-02,Family Tent,Tents,399.00,12,4,1\nSB-01,Down Bag,Sleeping bags,189.50,0,6,2\n"
        "SB-02,Summer Bag,Sleeping bags,69.00,30,10,2\nST-01,Gas Stove,Stoves,44.90,18,8,3\n"
        "ST-02,Wood Stove,Stoves,59.00,0,3,3\n"
    ),
    "suppliers": "supplier_id,supplier,country\n1,Nordfjell AS,Norway\n2,Alpina SpA,Italy\n3,Kocher GmbH,Germany\n",
    "employees": (
        "employee_id,name,department,manager_id,salary\n1,Ana Ruiz,Board,,9000\n2,Ben Cole,Sales,1,6000\n"
        "3,Cia Dorn,Sales,2,3500\n5,Eva Fink,IT,1,6200\n6,Fil Gray,IT,5,4800\n7,Gia Hart,IT,5,4500\n"
    ),
    "projects": (
        "project_id,title,lead_id,start_date,budget,status\nP1,Webshop,6,2023-01-10,40000,finished\n"
        "P2,CRM,5,2023-03-01,60000,running\nP3,Intranet,7,2024-02-01,15000,planned\n"
        "P4,Payroll,6,2022-05-01,22000,finished\n"
    ),
    "assignments": "project_id,employee_id,hours\nP1,6,400\nP1,7,250\nP1,3,40\nP2,5,120\nP2,6,300\nP2,2,60\n",
}


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("shop"), SHOP)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Which products are out of stock?", ["Down Bag", "Wood Stove"]),
        ("How many products are out of stock?", ["2"]),
        ("Which tents are in stock?", ["Family Tent", "Trail Tent"]),
        ("the cheapest product in stock", ["Gas Stove"]),
        ("Which suppliers have products that are out of stock?", ["Alpina SpA", "Kocher GmbH"]),
        ("Is the Down Bag in stock?", ["no"]),
        ("Do we have any stoves out of stock?", ["yes"]),
        ("Which products are below their reorder level?", ["Down Bag", "Trail Tent", "Wood Stove"]),
        ("unfinished projects", ["CRM", "Intranet"]),  # whose status is another one
        ("total budget of unfinished projects", ["75000"]),
        ("Who works in Sales?", ["Ben Cole", "Cia Dorn"]),  # and not what they work on
        ("Who works in IT?", ["Eva Fink", "Fil Gray", "Gia Hart"]),
    ],
)
def test_a_shop(text: str, answers: list[str], shop: Path) -> None:
    assert sorted(clew.ask(shop, text).texts) == answers


@pytest.fixture(scope="module")
def firm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("firm"), FIRM)


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("unpaid invoices", ["INV-2", "INV-3"]),
        ("Which invoices of Lind Ltd have not been paid?", ["INV-2"]),  # all of its kind, of which others are paid
        ("Which unpaid invoices does Lind Ltd have?", ["INV-2"]),
        ("Which unpaid invoices does Frost Ltd have?", []),  # none, and not those of others
        ("How many invoices of Frost Ltd are unpaid?", ["0"]),
        ("how many invoices over 200 does Lind Ltd have", ["1"]),
        ("How many invoices over 500 are there?", ["0"]),
        ("Are there any unpaid invoices?", ["yes"]),
        ("Do we have any invoices over 500?", ["no"]),
        ("Is there an unpaid invoice?", ["yes"]),
        ("Has INV-1 been paid?", ["yes"]),
        ("Has INV-2 not been paid yet?", ["yes"]),
        ("the largest unpaid invoice", ["INV-2"]),
        ("Which customers have unpaid invoices?", ["Lind Ltd", "Marsh Ltd"]),
        ("Which customers have no unpaid invoices?", ["Frost Ltd"]),
        ("Which customer has the most unpaid invoices?", ["Lind Ltd", "Marsh Ltd"]),  # and not the most invoices
        ("What is the total of the unpaid invoices?", ["290"]),
        ("average amount of unpaid invoices", ["145"]),
        ("How much do customers owe on unpaid invoices?", ["290"]),
        ("How much money, in pounds, is still owed to us on unpaid invoices?", ["290"]),
        ("what is the total of the invoices", ["450"]),
        ("total of the invoices in the South", ["40"]),
        ("Are there any invoices over 500?", ["no"]),
        ("Are there any invoices in May 2024?", ["no"]),
        ("Are there any customers in the South?", ["yes"]),
        ("Has Frost Ltd got any unpaid invoices?", ["no"]),
        ("Does Lind Ltd have any invoices that have not been paid?", ["yes"]),
        ("Does Marsh Ltd have any invoices in March?", ["no"]),
        ("the January invoices", ["INV-1", "INV-2"]),
        ("What do the invoices of customers in the North region add up to?", ["410"]),  # three steps away
        ("Which was bigger, INV-1 or INV-4?", ["INV-1"]),  # of two named things by what no word names
        ("Who trained the most people?", ["Ada Frost"]),  # of one kind, the other way round
    ],
)
def test_a_firm(text: str, answers: list[str], firm: Path) -> None:
    assert sorted(clew.ask(firm, text).texts) == answers


def test_what_somebody_did_is_no_date() -> None:
    days = {"Ivy Lane": "2024-03-02", "Omar Said": "2024-03-05", "Lena Voss": "2024-04-20"}
    rows = [*((name, "type", "customer") for name in days), *((name, "order date", day) for name, day in days.items())]
    graph = Graph.from_triples(rows)
    assert clew.ask(graph, "What did Ivy Lane order?").texts == ()
    assert clew.ask(graph, "When did Ivy Lane order?").texts == ("2024-03-02",)
