"""A table that lies alone: things with columns, and no list of triples."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.graph import Graph, build

STAFF = (
    "employee_id,full_name,manager_id,department,hired,salary\n"
    "E1,Greta Olsen,,Board,2010-01-04,240000\nE2,Raj Patel,E1,Engineering,2012-05-14,198000\n"
    "E3,Yuki Tanaka,E2,Engineering,2018-11-19,140000\n"
)


def triples(folder: Path, **files: str) -> set[tuple[str, str, str]]:
    for name, text in files.items():
        (folder / f"{name}.csv").write_text(text)
    build([folder / f"{name}.csv" for name in files], folder / "g.kg")
    return {(t.head.label, t.relation.label, t.tail.label) for t in Graph.open(folder / "g.kg").triples()}


def test_a_table_of_any_name_is_of_what_its_key_says(tmp_path: Path) -> None:
    found = triples(tmp_path, export=STAFF)
    assert {("Raj Patel", "manager", "Greta Olsen"), ("Yuki Tanaka", "salary", "140000")} <= found
    assert ("Yuki Tanaka", "type", "employee") in found


def test_tables_that_point_nowhere_are_tables_all_the_same(tmp_path: Path) -> None:
    found = triples(tmp_path, lakes="name,depth\nComo,410\nGarda,346\n", staff=STAFF)
    assert {("Como", "depth", "410"), ("Raj Patel", "manager", "Greta Olsen")} <= found


def test_a_table_without_a_key_is_no_list_of_triples(tmp_path: Path) -> None:
    found = triples(tmp_path, friendships="person,friend,since\nAna,Ben,2010\nAna,Cem,2012\nBen,Cem,2015\n")
    assert ("Ana", "friend", "Ben") not in found and ("friendship 1", "since", "2010") in found


def test_amounts_and_dates_of_any_form_tell_a_table(tmp_path: Path) -> None:
    rows = "01/09/2024,Market,Nora,1480.00\n14/09/2024,Bakery,Ben,8.40\n01/09/2024,Market,Ben,£12.00\n"
    found = triples(tmp_path, **{"expenses_2024-09_export": "Date,Payee,Paid by,Amount\n" + rows})
    assert {("expense 1", "Payee", "Market"), ("expense 2", "Amount", "8.40")} <= found  # no month of files, no export


def test_home_and_away_name_no_match(tmp_path: Path) -> None:
    rows = "101,Rovers,Town,5400\n102,Town,Rovers,6100\n103,Rovers,City,4800\n"
    found = triples(tmp_path, matches="id,home,away,attendance\n" + rows)
    assert ("match 102", "away", "Rovers") in found


@pytest.mark.parametrize(
    "text",
    [
        "Inception,directedBy,Nolan,0.9\nDunkirk,directedBy,Nolan,0.8\n",  # a weight
        "Como,depth,410\nComo,country,Italy\nGarda,depth,346\n",
        "Como,in,Italy,g1\nGarda,in,Italy,g1\n",  # a graph's name
    ],
)
def test_triples_without_a_header_stay_triples(tmp_path: Path, text: str) -> None:
    first = text.split("\n")[0].split(",")
    assert tuple(first[:3]) in triples(tmp_path, facts=text)


def test_joint_cells_are_parted_where_both_stand_alone(tmp_path: Path) -> None:
    rows = "04/03/2024,Ann Lee / Bo Dahl,12\n05/03/2024,Ann Lee,9\n16/03/2024,Bo Dahl,4\n17/03/2024,Ann Lee,4\n"
    found = triples(tmp_path, trips="Date,Driver,Km\n" + rows)
    assert {("trip 1", "Driver", "Ann Lee"), ("trip 1", "Driver", "Bo Dahl")} <= found


def test_one_name_with_a_comma_is_no_list(tmp_path: Path) -> None:
    church = '"St Mary, Stell"'
    rows = "".join(f"{day}/03/2024,{who},{day}\n" for day, who in enumerate([church, "Ann", "Bo"] * 4, 10))
    found = triples(tmp_path, gifts="Date,Donor,Amount\n" + rows)
    assert ("gift 1", "Donor", "St Mary, Stell") in found
