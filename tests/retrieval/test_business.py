"""What small businesses ask of their tables: late and below another figure, unpaid in other words, who never took part,
what lines come to, whose figures are meant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import clew
from clew.graph import Graph, build
from clew.retrieval.spoken import in_graph_words
from clew.retrieval.two_values import with_two_values
from clew.types import Question
from written_tables import built

LIBRARY = {
    "members": "member_no,name,joined\n1,Ivy Castle,2020-01-14\n2,Bo Mossop,2021-03-02\n3,Cy Umber,2019-05-05\n"
               "4,Hugh Grice,2022-06-01\n",
    "books": "book_id,title,genre\nB1,The Tin Lighthouse,Fiction\nB2,Salt Ferry,Crime\nB3,The Long Tide,Fiction\n"
             "B4,Winter Soups,Cookery\n",
    "copies": "copy_no,book_id\n01-A,B1\n02-A,B2\n03-A,B3\n03-B,B3\n04-A,B4\n",
    "loans": "loan_no,copy_no,member_no,lent_on,due,returned\nL1,01-A,1,2024-04-02,2024-04-23,2024-04-20\n"
             "L2,02-A,1,2024-04-02,2024-04-23,2024-05-01\nL3,03-A,2,2024-05-01,2024-05-22,2024-05-20\n"
             "L4,01-A,3,2024-05-02,2024-05-23,2024-06-20\nL5,03-B,2,2024-06-20,2024-07-11,\n"
             "L6,02-A,3,2024-06-01,2024-06-22,\n",
    "reservations": "res_no,book_id,member_no,reserved_on,status\nR1,B1,4,2024-06-01,waiting\n"
                    "R2,B4,2,2024-06-03,collected\nR3,B1,2,2024-06-10,waiting\n",
    "fines": "fine_no,loan_no,amount,paid_on\nF1,L2,1.50,2024-05-02\nF2,L4,3.00,\nF3,L1,2.00,\n",
}  # fmt: skip
SHOP = {
    "products": "product_id,product,list_price,stock_qty,reorder_level,supplier_id\n101,Casserole,48.50,14,10,1\n"
                "102,Saucepan,62.00,3,5,1\n103,Carafe,12.00,4,9,2\n104,Tea Towel,6.00,0,20,2\n",
    "suppliers": "supplier_id,supplier,country\n1,Brandt GmbH,Germany\n2,Lorenzi SpA,Italy\n",
    "customers": "customer_id,customer,city\n1,The Copper Kettle,Leeds\n2,Hotel Rose,Bath\n3,Gift Shop,Whitby\n",
    "orders": "order_id,customer_id,order_date,promised_date,shipped_date,paid_on\n"
              "5001,1,2026-02-03,2026-02-10,2026-02-09,2026-03-02\n5002,2,2026-02-05,2026-02-12,2026-02-12,2026-02-20\n"
              "5003,2,2026-03-06,2026-03-10,2026-03-14,\n5004,1,2026-03-20,2026-03-30,,\n",
    "order_lines": "line_id,order_id,product_id,quantity,unit_price\n1,5001,101,2,48.50\n2,5001,103,4,10.00\n"
                   "3,5002,103,6,11.00\n4,5003,102,1,62.00\n5,5004,101,1,45.00\n",
    "returns": "return_id,line_id,return_date,reason\n1,3,2026-03-01,broken\n",
}  # fmt: skip
FIRM = {
    "departments": "dept_code,department,head_emp_no\nFIN,Finance,E1\nENG,Engineering,E3\n",
    "employees": "emp_no,name,dept_code,manager_no,salary_eur,start_date,leaving_date\n"
                 "E1,Ada Frost,FIN,,90000,2012-03-01,\n"
                 "E2,Bo Lind,FIN,E1,50000,2015-04-01,2024-05-31\nE3,Cy Marsh,ENG,E1,80000,2013-05-01,\n"
                 "E4,Di Noor,ENG,E3,85000,2018-06-01,\n",
    "projects": "project_code,project,lead_emp_no,budget_eur\nP1,Harbour,E3,185000\nP2,Orchard,E4,60000\n",
    "assignments": "assignment_id,emp_no,project_code,hours\n1,E2,P1,210\n2,E4,P1,100\n3,E4,P2,40\n",
    "jobs": "job_no,emp_no,date_in,date_out,hours\nJ1,E3,2024-03-01,2024-03-12,2.5\nJ2,E4,2024-03-02,2024-03-04,4\n"
            "J3,E4,2024-03-05,,1\n",
}  # fmt: skip
LETTING = {
    "properties": "Property Ref,Address,Beds,Asking rent pcm\nP-001,14 Marlow Street,2,925\n"
                  "P-002,7 Quarry Hill,3,1100\nP-003,3 Beacon View,2,800\nP-004,40 Linnet Close,1,600\n"
                  "P-005,31 Osier Lane,2,975\n",
    "tenants": "Tenant ID,Full name\nT-1,Samira Haddad\nT-2,Joanna Petrak\nT-3,Sunita Rao\n",
    "tenancies": "Tenancy,Property,Tenant,Rent pcm\nTN-1,P-001,T-1,925\nTN-2,P-002,T-2,1050\nTN-3,P-003,T-3,790\n",
    "rent_payments": "Payment,Tenancy,Due,Amount,Paid on\nRP-1,TN-1,2025-05-01,925,2025-05-01\n"
                     "RP-2,TN-2,2025-05-01,1050,2025-05-09\nRP-3,TN-2,2025-06-01,1050,\nRP-4,TN-3,2025-06-01,790,2025-06-01\nRP-5,TN-1,2025-06-01,925,2025-06-01\n",
}  # fmt: skip
SETS = {"library": LIBRARY, "shop": SHOP, "firm": FIRM, "letting": LETTING}


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: built(tmp_path_factory.mktemp(name), files) for name, files in SETS.items()}


def asked(graphs: dict[str, Path], name: str, text: str) -> list[str]:
    return sorted(clew.ask(graphs[name], text).texts)


@pytest.mark.parametrize(
    ("name", "text", "answers"),
    [
        ("library", "How many loans were returned after their due date?", ["2"]),
        ("library", "How often has something been brought back past its deadline?", ["2"]),
        ("library", "Has Cy Umber ever returned a book late?", ["yes"]),
        ("library", "Has Bo Mossop ever returned a book late?", ["no"]),
        ("library", "Which members returned a book late?", ["Cy Umber", "Ivy Castle"]),
        ("library", "How many loans were returned on time?", ["2"]),
        ("library", "Which members had an overdue book on 30 June 2024?", ["Cy Umber"]),
        ("shop", "Which orders were shipped later than the promised date?", ["order 5003"]),
        ("shop", "was order 5003 shipped late", ["yes"]),
        ("shop", "Which customers have orders that were shipped late?", ["Hotel Rose"]),
        ("shop", "Which products have fallen below their reorder level?", ["Carafe", "Saucepan", "Tea Towel"]),
        ("shop", "Items with stock under reorder level", ["Carafe", "Saucepan", "Tea Towel"]),
        ("firm", "Which employees earn more than their own manager?", ["Di Noor"]),
        ("firm", "Who makes more money than their boss?", ["Di Noor"]),
        ("firm", "How many employees earn less than their manager?", ["2"]),
        ("letting", "Which properties are let for less than their asking rent?", ["3 Beacon View", "7 Quarry Hill"]),
    ],
)
def test_two_values_of_one_thing(graphs: dict[str, Path], name: str, text: str, answers: list[str]) -> None:
    assert asked(graphs, name, text) == answers


@pytest.mark.parametrize(
    ("name", "text", "answers"),
    [
        ("library", "Which members have a fine they have not paid?", ["Cy Umber", "Ivy Castle"]),
        ("library", "Which members have not settled their fine yet?", ["Cy Umber", "Ivy Castle"]),
        ("library", "who has unpaid fines", ["Cy Umber", "Ivy Castle"]),
        ("library", "I'd like to know who still owes us money for a fine.", ["Cy Umber", "Ivy Castle"]),
        ("library", "What is the total of all the fines that have not been paid?", ["5"]),
        ("library", "How much do members still owe us on the fines we gave out?", ["5"]),
        (
            "shop",
            "Which customers have at least one order that has not been paid?",
            ["Hotel Rose", "The Copper Kettle"],
        ),
        ("shop", "How many orders with no payment date are there?", ["2"]),
        ("letting", "Which tenants have not paid their rent for June 2025?", ["Joanna Petrak"]),
        ("letting", "Did Joanna Petrak pay her rent for May 2025 late?", ["yes"]),
    ],
)
def test_what_is_not_done_yet(graphs: dict[str, Path], name: str, text: str, answers: list[str]) -> None:
    assert asked(graphs, name, text) == answers


@pytest.mark.parametrize(
    ("name", "text", "answers"),
    [
        ("library", "Which of our members have never borrowed a book?", ["Hugh Grice"]),  # who has a reservation
        ("library", "members without a single loan", ["Hugh Grice"]),
        ("library", "Which books has Bo Mossop borrowed?", ["The Long Tide"]),  # and not those reserved
        ("library", "what has bo mossop borrowed so far", ["The Long Tide"]),
        ("library", "Which books has Bo Mossop reserved?", ["The Tin Lighthouse", "Winter Soups"]),
        ("library", "When was Salt Ferry last borrowed?", ["2024-06-01"]),
        ("library", "most borrowed book", ["Salt Ferry", "The Long Tide", "The Tin Lighthouse"]),  # two loans each
        (
            "library",
            "which book has the highest number of loans over all copies",
            ["Salt Ferry", "The Long Tide", "The Tin Lighthouse"],
        ),
        ("library", "Which book was reserved most often?", ["The Tin Lighthouse"]),
        ("shop", "Which products has Hotel Rose returned?", ["Carafe"]),
        ("shop", "which products did The Copper Kettle buy", ["Carafe", "Casserole"]),
        ("firm", "staff without any project assignment", ["Ada Frost", "Cy Marsh"]),  # who leads one
        ("firm", "list the employees who have not worked on a single project", ["Ada Frost", "Cy Marsh"]),
        ("firm", "Which employees worked more than 50 hours in total?", ["Bo Lind", "Di Noor"]),
        ("firm", "Which employees left the firm in 2024?", ["Bo Lind"]),
    ],
)
def test_events_that_verbs_name(graphs: dict[str, Path], name: str, text: str, answers: list[str]) -> None:
    assert asked(graphs, name, text) == answers


@pytest.mark.parametrize(
    ("name", "text", "answers"),
    [
        ("shop", "What is the total value of everything The Copper Kettle has ordered?", ["182"]),
        ("shop", "how much money has the copper kettle spent with us in total", ["182"]),
        ("shop", "how much did The Copper Kettle spend in March 2026", ["45"]),
        ("shop", "what is the total of order 5001", ["137"]),
        ("shop", "Which product have we sold the most units of?", ["Carafe"]),
        ("shop", "What is our best seller, counted in pieces?", ["Carafe"]),
        ("shop", "which product brought in the most revenue", ["Casserole"]),
        ("shop", "who spent the most", ["The Copper Kettle"]),
        ("shop", "how many Carafes have we sold", ["10"]),
        ("firm", "What is the average salary in the Finance department?", ["70000"]),
        ("firm", "how much does someone in finance make on average", ["70000"]),
        ("firm", "sum of all hours for Harbour", ["310"]),
        ("firm", "Which finished jobs took more than 7 days?", ["J1"]),
        ("firm", "jobs over 7 days between in and out", ["J1"]),
        ("letting", "Which tenant pays the highest rent?", ["Joanna Petrak"]),
        ("letting", "What is the average asking rent of our two-bedroom properties?", ["900"]),
    ],
)
def test_what_lines_and_others_come_to(graphs: dict[str, Path], name: str, text: str, answers: list[str]) -> None:
    assert asked(graphs, name, text) == answers


def test_nothing_is_said_of_two_values_that_a_graph_has_not(graphs: dict[str, Path]) -> None:
    for name, text in (
        ("firm", "which projects were finished late"),  # no date says when they were due
        ("shop", "which products cost more than 20"),
        ("library", "which books are below 300 pages"),
    ):
        assert with_two_values(text, Graph.open(graphs[name])) == text
    plain = Graph.from_triples([("a", "due", "2024-01-01"), ("a", "returned", "2024-02-01")])
    assert with_two_values("which were returned late", plain) == "which were returned late"  # without kinds


def test_words_for_two_values_are_one_word_of_the_question(graphs: dict[str, Path]) -> None:
    library, shop = Graph.open(graphs["library"]), Graph.open(graphs["shop"])
    for graph, text, said in (
        (library, "Which loans were brought back too late?", "Which loans are loan-returned-after-due"),
        (library, "Which loans were not returned late?", "Which loans are not loan-returned-after-due"),
        (library, "Did Bo Mossop return a book late?", "does Bo Mossop have any loan-returned-after-due loans"),
        (shop, "which articles are below the reorder level",
         "which products are product-stock-quantity-below-reorder-level"),
    ):  # fmt: skip
        assert in_graph_words(Question("q", text), graph).text == said


def test_laptops_are_devices_whose_model_is_one(tmp_path: Path) -> None:
    def noted(name: str, held: object) -> None:
        (tmp_path / f"{name}.json").write_text(json.dumps(held))

    noted(
        "models",
        [{"id": "M1", "name": "Book 14", "type": "laptop"}, {"id": "M2", "name": "View 27", "type": "monitor"}],
    )
    noted("offices", [{"id": "O1", "name": "Quayside"}, {"id": "O2", "name": "Millgate"}])
    noted("devices", [
        {"asset_tag": f"NB-{i}", "model_id": model, "office_id": office, "price": price}
        for i, (model, office, price) in enumerate(
            [("M1", "O1", 900), ("M1", "O1", 1100), ("M2", "O1", 250), ("M1", "O2", 800), ("M2", "O2", 300)]
        )
    ])  # fmt: skip
    build(sorted(tmp_path.glob("*.json")), tmp_path / "x.kg")
    assert clew.ask(tmp_path / "x.kg", "How many laptops are there at Quayside?").texts == ("2",)
    assert clew.ask(tmp_path / "x.kg", "average price of our monitors").texts == ("275",)
