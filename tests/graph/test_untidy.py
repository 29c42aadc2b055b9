"""Text tables with titles above and remarks below, in encodings of Windows, and in words of other languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.graph import Graph, build

CASH = (
    '"Treasurer\'s cash book, 2024",,,\n,,,\nDate,Paid to,Details,In (£)\n'
    '03/04/2024,Rajesh Patel,Subscription,"1,110.00"\n05/04/2024,Parish Council,Rent,40.00\n'
    "08/05/2024,Turf Ltd,Seed,62.50\n09/05/2024,Turf Ltd,Hire,12.00\n"
    ',,TOTAL,"1,224.50"\n,,,\n* Returned by the bank,,,\nSubject to audit,,,\n'
)


def triples(folder: Path, **files: str | bytes) -> set[tuple[str, str, str]]:
    for name, text in files.items():
        (folder / f"{name}.csv").write_bytes(text.encode() if isinstance(text, str) else text)
    build([folder / f"{name}.csv" for name in files], folder / "g.kg")
    return {(t.head.label, t.relation.label, t.tail.label) for t in Graph.open(folder / "g.kg").triples()}


def test_titles_sums_and_remarks_are_no_rows(tmp_path: Path) -> None:
    found = triples(tmp_path, cash=CASH)
    assert {row[2] for row in found if row[1] == "Paid to"} == {"Rajesh Patel", "Parish Council", "Turf Ltd"}
    assert not any("TOTAL" in row or "audit" in row[2] for row in found)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_unicode_text_of_spreadsheets(tmp_path: Path, encoding: str) -> None:
    text = "flat_no\ttenant\trent\nA1\tZoë Šimková\t900\nA2\tÅsa Lind\t850\n"
    data = text.encode(encoding) if encoding == "utf-16" else b"\xff\xfe" + text.encode(encoding)
    assert ("Zoë Šimková", "flat_no", "A1") in triples(tmp_path, flats=data)


def test_headers_in_windows_1252_and_german(tmp_path: Path) -> None:
    people = (
        "Personal-Nr.;Vorname;Nachname;Straße;Vorgesetzte\n00101;Jürgen;Groß;Weg 1;\n00112;Bärbel;Kühn;Weg 2;00101\n"
    )
    units = "Kürzel;Bezeichnung;Leitung\nGF;Geschäftsführung;00101\nBP;Brandschutz;00112\n"
    found = triples(tmp_path, mitarbeiter=people.encode("cp1252"), abteilungen=units.encode("cp1252"))
    assert {
        ("Jürgen Groß", "Straße", "Weg 1"), ("Bärbel Kühn", "Vorgesetzte", "Jürgen Groß"),
        ("Brandschutz", "Leitung", "Bärbel Kühn"),
    } <= found  # fmt: skip


def test_a_list_of_triples_is_no_table_under_a_title(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("Ada\tknows\tBo\nBo\tknows\tCy\n")
    build(tmp_path / "x.tsv", tmp_path / "g.kg")
    assert len(list(Graph.open(tmp_path / "g.kg").triples())) == 2
