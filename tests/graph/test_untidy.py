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


def test_lines_about_the_account_above_the_bookings(tmp_path: Path) -> None:
    text = (
        "Kontoinhaber:;Kessler, Adelheid\nIBAN:;DE60 5005\nZeitraum:;01.01.2024 - 31.03.2024\n\n"
        "Buchungstag;Empfänger;Zweck;Betrag (€);Währung;Saldo\n"
        '29.03.2024;Künstlerkasse;"Beitrag; März";-6,90;EUR;2.578,84\n27.03.2024;Automat;Bar;-50,00;EUR;2.585,74\n'
        "26.03.2024;Automat;Bar;-50,00;EUR;2.635,74\n"
    )
    found = triples(tmp_path, umsaetze=text.encode("cp1252"))
    assert {row[2] for row in found if row[1] == "Empfänger"} == {"Künstlerkasse", "Automat"}
    assert "Beitrag; März" in {row[2] for row in found} and not any("Kessler" in row[2] for row in found)


def test_rules_drawn_around_a_header(tmp_path: Path) -> None:
    rule = "-" * 24
    rows = "|000101|Vogt   |Hagen |\n|000102|Sahin  |Linz  |\n"
    text = f"Table:  LFA1\n\n{rule}\n|LIFNR |NAME   |ORT   |\n{rule}\n{rows}{rule}\n"
    found = triples(tmp_path, lfa1=text)
    assert {row[2] for row in found if row[1] == "ORT"} == {"Hagen", "Linz"} and not any(rule in row for row in found)


def test_questions_of_a_survey_as_columns(tmp_path: Path) -> None:
    asked = (
        "3. What do you use the library for? Tick all that apply, and say which of them you would miss. [Study space]"
    )
    text = f'"Response ID","1. Which branch\ndo you use?","{asked}","Language","Score"\n'
    text += '"13","Elmfield","Yes","en","8"\n"14","Northgate","No","cy","5"\n"17","Elmfield","No","en","5"\n'
    found = triples(tmp_path, results=text)
    assert ("response 13", "1. Which branch do you use?", "Elmfield") in found and asked in {row[1] for row in found}


def test_husbands_and_wives_of_persons(tmp_path: Path) -> None:
    persons = (
        "ID,Surname,Given,Born\n1,Trevorrow,John,abt 1742\n2,Pascoe,Grace,1745\n3,Uren,Thomas,1770\n4,Odgers,Ann,1772\n"
    )
    marriages = "Husband,Wife,Date,Place\n1,2,abt 1766,Gwennap\n3,4,17 Nov 1792,Stithians\n"
    found = triples(tmp_path, persons=persons, marriages=marriages)
    assert {("John Trevorrow", "marriage", "Grace Pascoe"), ("Thomas Uren", "Born", "1770")} <= found


def test_two_players_of_one_name_are_called_so(tmp_path: Path) -> None:
    names = [*(f"Ross {chr(65 + n)}tait" for n in range(20)), "Ross Ctait"]
    text = "Player,Shirt No,Goals\n" + "".join(f"{name},{n},{n % 4}\n" for n, name in enumerate(names))
    found = triples(tmp_path, players=text)
    assert {row[0] for row in found if row[1] == "Goals"} == set(names)


def test_names_and_numbers_in_a_language_that_declines(tmp_path: Path) -> None:
    buildings = "Kod,Nazwa budynku,Rok\nB01,Kamienica Stara,1896\nB02,Dom Łąkowa,1911\nB03,Blok Ruda,1970\n"
    flats = (
        "Kod lokalu,Budynek,Pokoje\nB01/01,Kamienica Stara,2\nB01/02,Kamienica Stara,1\nB02/01,Dom Łąkowa,4\n"
        "B03/01,Blok Ruda,3\nRazem,4 lokale,\n"
    )
    contracts = 'Nr umowy,Lokal,Czynsz\n1/2021,B01/01,"2 610,00 zł"\n2/2021,B02/01,"1 440,00 zł"\n'
    found = triples(tmp_path, Budynki="Zestawienie\n\n" + buildings, Lokale=flats, Umowy=contracts)
    assert {("B01/02", "Budynek", "Kamienica Stara"), ("Dom Łąkowa", "Kod", "B02")} <= found
    assert {row[1:] for row in found if row[1] == "Lokal"} == {("Lokal", "B01/01"), ("Lokal", "B02/01")}


def test_years_as_columns(tmp_path: Path) -> None:
    found = triples(tmp_path, co2="Country,Unit,2019,2020,2021\nFrance,kt,5.1,5.2,5.3\nSpain,kt,3,2,1\n")
    assert ("Spain", "2020", "2") in found
