"""Tables whose rows point to others by their names, one or several in a cell."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import clew
from clew.graph import BuildReport, Graph, build
from clew.graph.arrow import hashes_of, text_array
from clew.graph.listed import names_in, parts_of

AIRTABLE = {  # as "Download CSV" of a view writes it
    "Recipes-Grid view.csv": "\ufeffName,Ingredients,Cuisine,Chef,Rating,Notes,Vegan,Added\r\n"
    '"Pesto, green","Basil,""Oil, olive"",Pine nuts",Italian,Mara Voss,4.5,"Blend, then taste, then salt",checked,'
    "2024-01-05\r\n"
    'Tomato soup,"Tomato,Basil",Italian,Jo Lind,4,"Warm,\nwith bread",,2023-11-30\r\n'
    "Mint tea,Mint,Moroccan,Mara Voss,5,,checked,2024-03-02\r\n"
    'Pad thai,"Peanut,Tamarind,""Oil, olive""",Thai,Jo Lind,3.5,"Hot, sour, sweet",,2022-07-19\r\n',
    "Ingredients-Grid view.csv": "\ufeffIngredient,Used in,Price,Substitute\r\n"
    'Basil,"""Pesto, green"",Tomato soup",2.5,Mint\r\n'
    '"Oil, olive","""Pesto, green"",Pad thai",8,\r\nPine nuts,"""Pesto, green""",12,Peanut\r\n'
    "Tomato,Tomato soup,1.2,\r\nMint,Mint tea,1,Basil\r\nPeanut,Pad thai,3,Pine nuts\r\nTamarind,Pad thai,4,\r\n",
    "Chefs-Grid view.csv": "\ufeffName,Born\r\nMara Voss,1980-02-03\r\nJo Lind,1991-10-10\r\n",
}
PAGE = "(https://www.notion.so/{}?pvs=21)"
NOTION = {  # commas in names are in no quotes
    f"Recipes {'0a1b2c3d' * 4}.csv": "\ufeffName,Ingredients,Chef\n"
    f'"Pesto, green","Basil {PAGE.format("Basil-0a")}, Oil, olive {PAGE.format("Oil-1b")}",'
    f"Mara Voss {PAGE.format('Mara')}\nTomato soup,Basil {PAGE.format('Basil-0a')},\n",
    f"Ingredients {'1a1b2c3d' * 4}_all.csv": '\ufeffName,Price\nBasil,2.5\n"Oil, olive",8\n',
    f"Ingredients {'1a1b2c3d' * 4}.csv": "\ufeffName,Price\nBasil,2.5\n",  # the view that is shown
    f"Chefs {'2a1b2c3d' * 4}.csv": '\ufeffName,Born\nMara Voss,"February 3, 1980"\n',
}


def built(folder: Path, files: dict[str, str], **options: object) -> tuple[Graph, BuildReport]:
    place = folder / "export"
    place.mkdir()
    for name, text in files.items():
        (place / name).write_bytes(text.encode())
    report = build(place, folder / "x.kg", **options)  # type: ignore[arg-type]
    return Graph.open(folder / "x.kg"), report


def links(graph: Graph, relation: str) -> set[tuple[str, str]]:
    return {(t.head.label, t.tail.label) for t in graph.triples() if t.relation.id == relation}


def rows(graph: Graph, plan: str) -> list[str]:
    return sorted(str(row[0]) for row in clew.query(graph, plan).rows)


def test_an_export_of_airtable(tmp_path: Path) -> None:
    graph, report = built(tmp_path, AIRTABLE)
    assert not report.num_problems
    uses = {
        ("Pesto, green", "Basil"), ("Pesto, green", "Oil, olive"), ("Pesto, green", "Pine nuts"),
        ("Tomato soup", "Tomato"), ("Tomato soup", "Basil"), ("Mint tea", "Mint"),
        ("Pad thai", "Peanut"), ("Pad thai", "Tamarind"), ("Pad thai", "Oil, olive"),
    }  # fmt: skip
    assert links(graph, "Ingredients") == uses
    assert links(graph, "Used in") == {(tail, head) for head, tail in uses}  # by its values alone
    assert links(graph, "Substitute") == {
        ("Basil", "Mint"), ("Pine nuts", "Peanut"), ("Mint", "Basil"), ("Peanut", "Pine nuts")
    }  # fmt: skip
    assert ("Mint tea", "Mara Voss") in links(graph, "Chef")
    assert links(graph, "Notes") == {
        ("Pesto, green", "Blend, then taste, then salt"), ("Tomato soup", "Warm,\nwith bread"),
        ("Pad thai", "Hot, sour, sweet"),
    }  # fmt: skip
    assert links(graph, "Vegan") == {
        ("Pesto, green", "true"), ("Mint tea", "true"), ("Tomato soup", "false"), ("Pad thai", "false")
    }  # fmt: skip
    assert "  Ingredients (several in a cell) → Ingredients" in report.tables
    assert rows(graph, "count(class(ingredient))") == ["7"]
    assert rows(graph, 'follow(entity("Oil, olive"), ^Ingredients/Chef)') == ["Jo Lind", "Mara Voss"]
    assert rows(graph, "where(class(recipe), Added, <, date(2024))") == ["Pad thai", "Tomato soup"]
    assert rows(graph, "follow(where(class(ingredient), Price, >, 5), ^Ingredients)") == ["Pad thai", "Pesto, green"]


def test_an_export_of_notion(tmp_path: Path) -> None:
    graph, report = built(tmp_path, NOTION)
    assert any("a view of what" in line for line in report.tables)
    assert links(graph, "Ingredients") == {
        ("Pesto, green", "Basil"), ("Pesto, green", "Oil, olive"), ("Tomato soup", "Basil")
    }  # fmt: skip
    assert links(graph, "Chef") == {("Pesto, green", "Mara Voss")}
    assert links(graph, "type") >= {("Basil", "ingredient"), ("Mara Voss", "chef")}


def test_texts_with_commas_stay_texts(tmp_path: Path) -> None:
    graph, report = built(
        tmp_path,
        {
            "cities.csv": "Name,Region,Motto\nLyon,Rhône,\"Forward, forward, Lyon\"\nGhent,Flanders,\"Proud, quiet\"\n"
            "Graz,Styria,\n",
            "people.csv": "Name,Address,Likes,Home\nAnn,\"Rue X 1, Lyon\",\"tea, rain, Ghent\",Lyon\n"
            "Bo,\"Veldstraat 2, Ghent\",\"salt, snow\",Ghent\nCy,\"Ring 3, Graz\",\"cake, sun\",Graz\n",
        },
    )  # fmt: skip
    assert links(graph, "Home") == {("Ann", "Lyon"), ("Bo", "Ghent"), ("Cy", "Graz")}
    assert {tail for _, tail in links(graph, "Address")} == {"Rue X 1, Lyon", "Veldstraat 2, Ghent", "Ring 3, Graz"}
    assert {tail for _, tail in links(graph, "Likes")} == {"tea, rain, Ghent", "salt, snow", "cake, sun"}
    assert len(links(graph, "Motto")) == 2 and not report.num_problems


def test_cells_that_list_values(tmp_path: Path) -> None:
    """Tags are parted; what has a comma in every cell, or never says the same again, is not."""
    tags = ["quick, vegan", "vegan", "quick", "slow; quick", "vegan, slow", "quick, slow", "slow", "vegan"]
    places = ["Lyon, France", "Paris, France", "Lyon, France", "Graz, Austria"] * 2
    rows_of = (f'{n},Dish {chr(65 + n)},"{tags[n]}","{places[n]}"' for n in range(8))
    dishes = "id,name,tags,place\n" + "\n".join(rows_of) + "\n"
    menus = "id,name,dish_id\n1,Lunch,3\n2,Dinner,5\n"
    graph, _ = built(tmp_path, {"dishes.csv": dishes, "menus.csv": menus})
    assert links(graph, "tags") >= {("Dish A", "quick"), ("Dish A", "vegan"), ("Dish D", "slow"), ("Dish D", "quick")}
    assert {tail for _, tail in links(graph, "tags")} == {"quick", "vegan", "slow"}
    assert {tail for _, tail in links(graph, "place")} == set(places)


def test_names_that_several_rows_have_and_rows_without(tmp_path: Path) -> None:
    names = [*(f"Hut {n}" for n in range(30)), "Hut 3"]
    huts = "Name,Beds\n" + "".join(f"{name},{n}\n" for n, name in enumerate(names)) + ",\n"
    trips = 'Trip,Huts\nEast,"Hut 3,Hut 4"\nWest,"Hut 5,Hut 99"\nSouth,Hut 6\n'
    graph, report = built(tmp_path, {"huts.csv": huts, "trips.csv": trips})
    assert len([t for t in graph.triples() if t.tail.label == "hut"]) == 31
    beds = {t.head.id: t.tail.label for t in graph.triples() if t.relation.id == "Beds"}
    assert beds["huts/Hut 3"] == "3" and beds["huts/Hut 3 #31"] == "30"
    assert links(graph, "Huts") == {("East", "Hut 3"), ("East", "Hut 4"), ("West", "Hut 5"), ("South", "Hut 6")}
    assert report.problem_counts == {"empty": 1}
    assert "  Huts (several in a cell) → huts, 80 % of its values" in report.tables


def test_what_the_user_says_of_names(tmp_path: Path) -> None:
    files = {
        "rivers.csv": "Name,Flows\nPo,Italy\nRhine,\"Germany, France\"\n",
        "countries.csv": "Name,Code\nItaly,IT\nGermany,DE\nFrance,FR\n",
    }  # fmt: skip
    graph, _ = built(tmp_path, files, foreign_keys={"rivers.Flows": "countries"})
    assert links(graph, "Flows") == {("Po", "Italy"), ("Rhine", "Germany"), ("Rhine", "France")}
    build(tmp_path / "export", tmp_path / "y.kg", foreign_keys={"rivers.Flows": ""})
    assert links(Graph.open(tmp_path / "y.kg"), "Flows") == {("Po", "Italy"), ("Rhine", "Germany, France")}


@pytest.mark.parametrize(
    ("cell", "parts"),
    [
        ("a", ["a"]), ("a,b", ["a", "b"]), ("a, b", ["a", "b"]), ('"a, b",c', ["a, b", "c"]),
        ('"a, b", c', ["a, b", "c"]),
        ('"a ""x"", b"', ['a "x", b']), ('say "x", y', ['say "x"', "y"]), ('"a', ['"a']), (",", []),
        ("a, b; c", ["a, b", "c"]), ("a\nb, c", ["a", "b, c"]), ('"a; b";c', ["a; b", "c"]),
    ],
)  # fmt: skip
def test_parts_of_a_cell(cell: str, parts: list[str]) -> None:
    owners, found = parts_of(text_array([None, cell]))
    assert found == parts and owners.tolist() == [1] * len(parts)


def test_the_longest_name_wins() -> None:
    cells = text_array(["x, a, b, c", "a, b", "q"])
    commas = sorted(hashes_of(text_array(["a, b", "a, b, c"])).tolist())
    owners, names = names_in(cells, hashes_of(text_array(["q"])).tolist(), commas)
    assert names.to_pylist() == ["x", "a, b, c", "a, b"] and owners.tolist() == [0, 0, 1]
    assert owners.dtype == np.int64
