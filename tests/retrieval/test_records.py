"""Questions to a log; the oracle is what a plan written by hand makes of it."""

from pathlib import Path

import pytest

from clew.graph import Graph, build
from clew.query import execute, parse, show
from clew.query.execute import Result
from clew.retrieval.dating import with_years
from clew.retrieval.records import read_records
from clew.retrieval.records.view import views_of
from clew.types import Question

LOG = """Date,Payee,Category,Paid by,Amount,Payment method,Shared,Note
01/09/2024,Harlow Lettings,Rent,Nora,1480.00,Bank transfer,Yes,
02/09/2024,Greenleaf Market,Groceries,Priya,62.35,Debit card,Yes,weekly shop
04/09/2024,Corner Bakery,Groceries,Nora,8.40,Cash,No,birthday cake
13/09/2024,Metro Cabs,Transport,Ben,14.00,Credit card,No,airport run
19/09/2024,Greenleaf Market,Groceries,Ben,80.10,Debit card,Yes,weekly shop
01/10/2024,Harlow Lettings,Rent,Nora,1480.00,Bank transfer,Yes,
05/10/2024,Corner Bakery,Groceries,Priya,6.20,Cash,No,rolls for the picnic
12/10/2024,Voltmart,Electronics,Tomasz,149.00,Credit card,Yes,vacuum cleaner
20/10/2024,Cinema Royal,Leisure,Ben,24.00,Cash,No,film night
21/10/2024,Metro Cabs,Transport,Tomasz,11.50,Cash,No,
25/10/2024,Boxwell Couriers,,Tomasz,9.00,Cash,No,parcel
26/10/2024,Greenleaf Market,Groceries,Ben,75.20,Debit card,Yes,weekly shop
"""
ALL = "class(household_expense)"


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    folder = tmp_path_factory.mktemp("log")
    (folder / "household_expenses.csv").write_text(LOG)
    build([folder / "household_expenses.csv"], folder / "log.kg")
    return Graph.open(folder / "log.kg")


def said(result: Result, graph: Graph) -> object:
    if result.makes in ("set", "values"):
        return sorted(graph.labels_at(result.members))
    return result.truth if result.makes == "truth" else str(result.quantity)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who has paid for the birthday cake?", ["Nora"]),
        ("which categories has ben paid for in september", ["Groceries", "Transport"]),
        ("how many expenses did Ben pay in October?", "2"),
        ("How many times did we go to the Greenleaf Market?", "3"),
        ("number of cash payments", "5"),
        ("What did we spend on groceries in October altogether?", "81.4"),
        ("how much has Tomasz forked out in total", "169.5"),
        ("What does a Greenleaf bill come to on average?", "72.55"),
        ("Who has spent the most on groceries overall?", ["Ben"]),
        ("apart from rent, which category has eaten up the most money?", ["Groceries"]),
        ("leaving the rent aside, which category got our largest single payment?", ["Electronics"]),
        ("Which payees have taken more than 100 pounds?", ["Harlow Lettings", "Voltmart"]),
        ("which payees got less than a tenner in one go", ["Boxwell Couriers", "Corner Bakery"]),
        ("Which payees have taken more than 200 pounds altogether?", ["Greenleaf Market", "Harlow Lettings"]),
        ("Who has spent more on groceries, Ben or Priya?", ["Ben"]),
        ("which categories has Nora never paid for", ["Electronics", "Leisure", "Transport"]),
        ("Has Ben ever paid the rent?", False),
        ("did priya buy anything at the bakery?", True),
        ("which payee was left without a category", ["Boxwell Couriers"]),
        ("What did Ben pay on 13 September 2024?", ["14.00"]),
        ("nora october payees", ["Harlow Lettings"]),
        ("which shared expenses did Tomasz pay", ["household expense 8"]),
        ("who paid at Vltmart", ["Tomasz"]),
        ("when was the vacuum cleaner bought", ["12/10/2024"]),
    ],
)
def test_a_log_is_asked_as_people_ask(log: Graph, question: str, answer: object) -> None:
    asked = with_years(Question("q", question), log)
    made = read_records(asked, log)
    assert made, asked.text
    assert said(execute(made[0].plan, log), log) == answer, show(made[0].plan)
    assert parse(show(made[0].plan)) == made[0].plan


@pytest.mark.parametrize(
    "question",
    [
        "Which other people have paid for what Ben paid for?",  # what is stated is not asked for
        "What is the median amount of groceries?",
        "Who paid for the groceries that the same person cooked?",
        "How long is the Nile?",
    ],
)
def test_what_has_no_part_in_a_plan_counts_against_it(log: Graph, question: str) -> None:
    assert all(each.prior < 0.85 for each in read_records(Question("q", question), log))


def test_only_what_says_nothing_of_itself_is_a_record(tmp_path: Path, log: Graph) -> None:
    [view] = views_of(log)
    roles = {each.label: each.role for each in view.columns}
    assert roles["Paid by"] == "person" and roles["Amount"] == "number" and roles["Date"] == "date"
    assert roles["Shared"] == "truth" and roles["Category"] == roles["Payee"] == "name"
    (tmp_path / "staff.csv").write_text("id,name,team\n1,Ann Lee,Sales\n2,Bo Dahl,Sales\n3,Cy Noor,Legal\n")
    build([tmp_path / "staff.csv"], tmp_path / "staff.kg")
    assert views_of(Graph.open(tmp_path / "staff.kg")) == []  # people are asked about by name
