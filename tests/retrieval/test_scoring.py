"""Relation text, questions taken apart, answer-type cues."""

from __future__ import annotations

import pytest

from clew.retrieval.scoring import answer_cue, mask, relation_text, take_apart, value_cue


@pytest.mark.parametrize(
    ("name", "forward", "backward"),
    [
        ("capital of", "capital of", "capital"),
        ("capital", "capital", "capital of"),
        ("directed_by", "directed by", "directed"),
        ("has_genre", "genre", "genre of"),
        ("located in", "located in", "located in"),
    ],
)
def test_direction_shows_in_the_text(name: str, forward: str, backward: str) -> None:
    assert (relation_text(name, True), relation_text(name, False)) == (forward, backward)


def test_masking_takes_the_longest_mention_and_whole_words() -> None:
    text, found = mask("Is New York City in New York or in Newark?", ["New York", "New York City", "Ark"])
    assert text.split() == ["Is", "\x00", "in", "\x00", "or", "in", "Newark?"]
    assert found == [True, True, False]


def test_a_topic_never_passes_for_a_wish() -> None:
    asked = take_apart("Who directed The Actor?", ["The Actor"])
    assert "actor" not in " ".join(asked.phrases)
    assert "directed" in asked.phrases and asked.cue == "person"
    assert asked.topics == (2,)


def test_what_is_asked_for() -> None:
    asked = take_apart("the films directed by Ann were released in which years", ["Ann"])
    assert [asked.phrases[i] for i in asked.heads] == ["years", "date"]
    films = take_apart("What movies did Ann write?", ["Ann"])
    assert [films.phrases[i] for i in films.heads] == ["movies"]
    assert not films.shared and take_apart("Who acted in the same films as Ann?", ["Ann"]).shared


def test_a_question_of_function_words_alone_still_has_a_phrase() -> None:
    asked = take_apart("What is it?", [])
    assert asked.phrases and not asked.words


@pytest.mark.parametrize(
    ("question", "cue"),
    [
        ("Who wrote it?", "person"),
        ("In which year was it made?", "time"),
        ("when was it made", "time"),
        ("How many people live there?", "number"),
        ("where is it", "place"),
        ("Which films are there?", "none"),
        ("Whatever", "none"),
    ],
)
def test_cues(question: str, cue: str) -> None:
    assert answer_cue(question) == cue


@pytest.mark.parametrize(
    ("label", "datatype", "cue"),
    [
        ("1999", None, "time"),
        ("1999-01-02", None, "time"),
        ("1999", "http://www.w3.org/2001/XMLSchema#integer", "number"),
        ("12,345.5", None, "number"),
        ("2010", "http://www.w3.org/2001/XMLSchema#gYear", "time"),
        ("+44", "http://www.w3.org/2001/XMLSchema#string", "none"),
        ("Paris", None, "none"),
    ],
)
def test_values(label: str, datatype: str | None, cue: str) -> None:
    assert value_cue(label, datatype) == cue
