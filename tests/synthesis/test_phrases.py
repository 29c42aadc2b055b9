"""Relation names become grammatical English in both directions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.labels import singular_of
from clew.synthesis.phrases import Side, grammar, kind_of, words_of
from clew.synthesis.verbs import base_of, plural_of

FILM, PERSON, COUNTRY = Side("thing", "film"), Side("person"), Side("place", "country")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("film.film.directed_by", "directed by"),
        ("directedBy", "directed by"),
        ("http://example.org/schema#place-of-birth", "place of birth"),
        ("location.location.containedby", "contained by"),
        ("/music/artist/origin", "origin"),
        ("starred_actors", "starred actors"),
    ],
)
def test_relation_names_become_words(name: str, words: str) -> None:
    assert words_of(name) == words


@pytest.mark.parametrize(
    ("name", "head", "tail", "pattern", "ask", "ask_back", "statement"),
    [
        ("directed_by", FILM, PERSON, "passive", "who directed {x}", "what did {x} direct", "{h} was directed by {t}"),
        ("written_by", FILM, PERSON, "passive", "who wrote {x}", "what did {x} write", "{h} was written by {t}"),
        (
            "locatedIn",
            Side("place", "city"),
            COUNTRY,
            "participle",
            "where is {x} located",
            "which city is located in {x}",
            "{h} is located in {t}",
        ),
        (
            "located_in_country",
            Side("place", "city"),
            Side("place"),
            "participle",
            "which country is {x} located in",
            "which city is located in {x}",
            "{h} is located in {t}",
        ),
        (
            "in_language",
            FILM,
            Side(),
            "noun",
            "what is the language of {x}",
            "whose language is {x}",
            "the language of {h} is {t}",
        ),
        (
            "capital of",
            Side("place", "city"),
            COUNTRY,
            "relational",
            "which country is {x} the capital of",
            "what is the capital of {x}",
            "{h} is the capital of {t}",
        ),
        ("borders", COUNTRY, COUNTRY, "verb", "what does {x} border", "which country borders {x}", "{h} borders {t}"),
        (
            "place_of_birth",
            PERSON,
            Side("place"),
            "noun",
            "what is the place of birth of {x}",
            "whose place of birth is {x}",
            "the place of birth of {h} is {t}",
        ),
    ],
)
def test_each_pattern_asks_both_ways(
    name: str, head: Side, tail: Side, pattern: str, ask: str, ask_back: str, statement: str
) -> None:
    found = grammar(name, head, tail)
    assert found.pattern == pattern
    assert ask in found.forward.asks
    assert ask_back in found.backward.asks
    assert found.statement == statement


@given(st.text(max_size=40))
def test_any_name_yields_a_complete_grammar(name: str) -> None:
    found = grammar(name, Side(), Side())
    for phrasing in (found.forward, found.backward):
        assert phrasing.noun_phrases and phrasing.asks and phrasing.asks_many
        for template in (*phrasing.noun_phrases, *phrasing.clauses, *phrasing.asks, *phrasing.asks_many):
            assert template.count("{x}") == 1
    assert found.statement.count("{h}") == found.statement.count("{t}") == 1


@pytest.mark.parametrize(
    ("participle", "base"),
    [
        ("directed", "direct"),
        ("produced", "produce"),
        ("composed", "compose"),
        ("created", "create"),
        ("written", "write"),
        ("planned", "plan"),
        ("married", "marry"),
        ("influenced", "influence"),
        ("painted", "paint"),
        ("killed", "kill"),
        ("included", "include"),
        ("distributed", "distribute"),
        ("targeted", "target"),
        ("shared", "share"),
        ("squared", "square"),
        ("ruled", "rule"),
        ("toured", "tour"),
        ("preceded", "precede"),
        ("seeded", "seed"),
        ("controlled", "control"),
        ("agreed", "agree"),
    ],
)
def test_base_forms(participle: str, base: str) -> None:
    assert base_of(participle) == base


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("city", "cities"),
        ("place of birth", "places of birth"),
        ("child", "children"),
        ("box", "boxes"),
        ("key", "keys"),
        ("campus", "campuses"),
        ("synopsis", "synopses"),
        ("aircraft", "aircraft"),
        ("cause", "causes"),
    ],
)
def test_singular_and_plural(one: str, many: str) -> None:
    assert plural_of(one) == many
    assert singular_of(many) == one
    assert singular_of(one) == one


def test_kinds_are_read_from_names() -> None:
    assert [
        kind_of(words) for words in ("directed by", "place of birth", "date of death", "population", "genre", "gender")
    ] == [
        "person",
        "place",
        "date",
        "number",
        None,
        None,
    ]
