"""XML as programs write their data: flat records as tables, others as plain JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import InputError
from clew.graph import Graph, build


def rows(folder: Path, **files: str) -> set[tuple[str, str, str]]:
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text, encoding="utf-8")
    build(sorted(folder.glob("*.xml")), folder / "g.kg")
    triples = Graph.open(folder / "g.kg", verify=True).triples()
    return {(t.head.label, t.relation.label, t.tail.label) for t in triples}


def test_rows_of_attributes_in_two_files(tmp_path: Path) -> None:
    users = (
        '<?xml version="1.0"?>\n<users>\n<row Id="1" DisplayName="Ines" />'
        '<row Id="2" DisplayName="Tom &amp; Co"/></users>'
    )
    posts = (
        '<posts><row Id="1" OwnerUserId="2" Title="How deep?" Score="9"/>'
        '<row Id="2" OwnerUserId="1" Title="How far?" Score="4"/></posts>'
    )
    found = rows(tmp_path, Users=users, Posts=posts)
    assert {
        ("How deep?", "OwnerUser", "Tom & Co"),
        ("How far?", "OwnerUser", "Ines"),
        ("How far?", "Score", "4"),
    } <= found


def test_lists_of_records_below_the_root(tmp_path: Path) -> None:
    text = (
        "<shop><customers><customer><id>1</id><name>Ann</name></customer><customer><id>2</id><name>Ben</name></customer>"
        "</customers><orders><order><id>7</id><customer_id>2</customer_id><total>12.50</total></order>"
        "<order><id>8</id><customer_id>1</customer_id><total>3</total></order></orders></shop>"
    )
    assert {("order 7", "customer", "Ben"), ("order 7", "total", "12.50")} <= rows(tmp_path, shop=text)


def test_records_within_records(tmp_path: Path) -> None:
    text = (
        '<library><book id="b1" lang="en"><title>Estuary</title><authors><author id="a1"><name>Caoimhe</name></author>'
        '<author id="a2"><name>Joan</name></author></authors><price currency="EUR">12</price></book>'
        '<book id="b2"><title>Ford</title><authors><author id="a2"><name>Joan</name></author></authors>'
        "</book></library>"
    )
    found = rows(tmp_path, library=text)
    assert {
        ("Estuary", "authors", "Caoimhe"), ("Estuary", "authors", "Joan"), ("Ford", "authors", "Joan"),
        ("Estuary", "type", "book"), ("Joan", "type", "author"), ("Estuary", "price", "12"),
    } <= found  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["<rows><row a='1'></rows>", '<!DOCTYPE x [<!ENTITY a "b">]><rows><row a="&a;"/></rows>', "<rows/>"],
)
def test_what_is_no_data_is_told(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"x\.xml"):
        rows(tmp_path, x=text)
