"""What the lexicon adds to a relation's grammar, and that a graph of films is asked about as people do."""

from __future__ import annotations

import re

import pytest

from clew.graph import Graph
from clew.synthesis import SamplingConfig, Writer, synthesize
from clew.synthesis.lexicon import MEANINGS, extended, meaning_of, shared
from clew.synthesis.phrases import Side, grammar

FILM, PERSON = Side("thing", "film"), Side("person")


@pytest.mark.parametrize(
    ("words", "noun"),
    [
        ("starred actors", "actor"),
        ("directed by", "director"),
        ("place of birth", "place of birth"),
        ("has genre", "genre"),
        ("in language", "language"),
        ("children", "child"),
    ],
)
def test_common_relations_are_recognised(words: str, noun: str) -> None:
    meaning = meaning_of(words)
    assert meaning is not None and meaning.nouns[0] == noun


@pytest.mark.parametrize("words", ["", "inhibits", "located on astronomical body", "childish"])
def test_others_are_not(words: str) -> None:
    assert meaning_of(words) is None


@pytest.mark.parametrize("meaning", MEANINGS, ids=lambda m: m.words[:20])
def test_every_phrase_has_one_slot(meaning: object) -> None:
    assert meaning in MEANINGS
    read = grammar("related_to", FILM, PERSON)
    more = extended(read, meaning, FILM, PERSON)  # type: ignore[arg-type]
    for one, other in ((more.forward, read.forward), (more.backward, read.backward)):
        for name in ("noun_phrases", "clauses", "asks", "asks_many"):
            phrases = getattr(one, name)
            assert set(getattr(other, name)) <= set(phrases)
            assert all(phrase.count("{x}") == 1 and "{" not in phrase.replace("{x}", "") for phrase in phrases)


def test_actors_act_in_films() -> None:
    meaning = meaning_of("starred actors")
    assert meaning is not None
    more = extended(grammar("starred_actors", FILM, PERSON), meaning, FILM, PERSON)
    assert {"who starred in {x}", "who acted in {x}", "who is in {x}"} <= set(more.forward.asks)
    assert {"what did {x} act in", "which film did {x} star in"} <= set(more.backward.asks)
    assert "which films did {x} appear in" in more.backward.asks_many
    assert "the films {x} acted in" in more.backward.noun_phrases


def test_there_and_back_is_asked_as_sharing() -> None:
    verb = meaning_of("directed by").verbs[0]  # type: ignore[union-attr]
    out = shared("director", verb, FILM, PERSON, forward=True)
    assert "which films have the same director as {x}" in out
    assert "the director of {x} also directed which films" in out
    assert "who directed films together with {x}" in shared("director", verb, FILM, PERSON, forward=False)


def test_a_graph_that_never_says_film_is_asked_about_films() -> None:
    rows = [(f"Title {i}", "starred_actors", f"Person {i % 7}") for i in range(40)]
    rows += [(f"Title {i}", "release_year", str(1950 + i % 9)) for i in range(40)]
    graph = Graph.from_triples(rows).whole
    assert all(head.noun == "film" for head, _ in Writer(graph, 0)._sides)
    made = [s.question.text for s in synthesize(graph, 150, seed=1, sampling=SamplingConfig(hops=(0.5, 0.5)))]
    text = " ".join(made).lower()
    assert "film" in text and "movie" in text and "thing" not in text
    assert any(re.search("same|share|co-|together|also", each) for each in made)


def test_predicates_are_shortened_as_people_do() -> None:
    country = Side("place", "country")
    meaning = meaning_of("language spoken")
    assert meaning is not None
    more = extended(
        grammar("language", country, Side("thing", "language")), meaning, country, Side("thing", "language")
    )
    names = more.backward.noun_phrases
    assert {"the countries that speak {x}", "countries speaking {x}", "the country speaking {x}"} <= set(names)
    assert "the language spoken in {x}" in more.forward.noun_phrases


def test_verbs_agree_with_a_plural_subject_and_with_nothing_else() -> None:
    triples = [(f"Film {i}", "directed_by", f"Ann {i % 4}") for i in range(40)]
    triples += [(f"Film {i}", "has_genre", ("War", "Comedy")[i % 2]) for i in range(40)]
    triples += [(f"Film {i}", "release_year", f"{1990 + i}") for i in range(40)]
    sampling = SamplingConfig(hops=(0.0, 1.0), fork=0.0)
    made = synthesize(Graph.from_triples(triples).whole, 400, sampling=sampling)
    asked = [each.question.text.lower() for each in made]
    assert any("were the films" in text for text in asked) and any("do the films" in text for text in asked)
    for text in asked:
        assert not re.search(r"\b(?:is|was|does|has) (?:the )?(?:films|movies|genres)\b", text), text
        assert not re.search(r"\b(?:were|do) the (?:film|movie)\b", text), text
