"""Labels and identifiers as words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.labels import label_to_text, readable, unabridged


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("locatedIn", "located in"),
        ("isPartOf", "is part of"),
        ("hasISBN13", "has ISBN13"),
        ("FootballClub", "Football Club"),
        ("TVShow", "TV Show"),
        ("directed_by", "directed by"),
        ("DIRECTED_BY", "directed by"),
        ("born-in", "born in"),
        ("people.person.place_of_birth", "person place of birth"),
        ("people.person.sibling_s", "person siblings"),
        ("film.film.directed_by", "film directed by"),
        ("/people/person/education./education/education/institution", "education institution"),
        ("award.award_winner.awards_won..award.award_honor.award", "award honor award"),
        ("foaf:name", "name"),
        (":name", "name"),
        ("wdt:P106", "P106"),
        ("rdfs:subClassOf", "sub class of"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#type", "type"),
        ("<http://dbpedia.org/resource/New_York_City>", "New York City"),
        ("http://rdf.freebase.com/ns/people.person.sibling_s", "person siblings"),
        ("http://example.org/caf%C3%A9", "café"),
        ("http://example.org/", "example org"),
        ("urn:isbn:123", "123"),
        ("местоРождения", "место рождения"),
        ("Ürün_adı", "Ürün adı"),
        ("東京", "東京"),
        ("مكان_الولادة", "مكان الولادة"),
        ("", "?"),
        ("___", "?"),
        ("  spaced   out ", "spaced out"),
        ("ratedPower_kW", "rated power kW"),
        ("nTurbines", "number of turbines"),
    ],
)
def test_names_of_relations_and_types_become_words(label: str, text: str) -> None:
    assert label_to_text(label) == text


@pytest.mark.parametrize(
    "text",
    [
        "P106",
        "USA",
        "James K. Polk",
        "J.R.R. Tolkien",
        "U.S.A.",
        "McDonald",
        "iPhone",
        "Jean-Pierre",
        "AC/DC",
        "3.14",
        "1990-10-05",
        "12:30",
        "Re:Zero",
        "area in square kilometres",
        "has ISBN",
        "★",
        "What is it?",
        "x-y",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert label_to_text(text) == text


_PIECES = ["a", "B", "ab", "Cd", "_", ".", "/", "-", ":", "http://", "urn:", "s", " ", "X9", "%20", "<", ">", "#", "="]


@given(st.one_of(st.text(), st.lists(st.sampled_from([*_PIECES, "東", "é", "ß", "ǅ"]), max_size=10).map("".join)))
def test_any_text_is_read_and_what_comes_out_comes_out_again(label: str) -> None:
    text = label_to_text(label)
    assert text and text == " ".join(text.split())
    assert label_to_text(text) == text
    readable(label)


@pytest.mark.parametrize(
    ("id", "shown"),
    [
        ("http://example.org/geo/timeZone", "time zone"),
        ("http://dbpedia.org/resource/J._R._R._Tolkien", "J. R. R. Tolkien"),
        ("http://rdf.freebase.com/ns/film.film.directed_by", "film.film.directed_by"),  # the parts say which it is
        ("directed_by", "directed_by"),
        ("", ""),
    ],
)
def test_what_is_shown_without_a_label(id: str, shown: str) -> None:
    assert readable(id) == shown


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("est_nm", "est name"), ("inv_amt", "invoice amount"), ("comp_dt", "completed date"),
        ("dt_prom", "date promised"),
        ("Min Stk", "Minimum Stock"), ("response_min", "response_min"), ("st", "st"), ("St Dt", "Start Date"),
        ("typ", "typ"), ("tncy_typ", "tncy type"), ("people.person.dob", "people.person.dob"), ("name", "name"),
    ],
)  # fmt: skip
def test_abbreviations_in_names_are_written_out(name: str, words: str) -> None:
    assert unabridged(name) == words
