"""Nouns that mean a kind of another name, and verbs that mean the same (WordNet 3.1)."""

from __future__ import annotations

import pytest

from clew.query.wordnet import is_nobody, nearest_kind, people_of, same_act


def _kind(noun: str, *kinds: str) -> str | None:
    found = nearest_kind(noun, {kind: kind for kind in kinds})
    return None if found is None else found[0]


@pytest.mark.parametrize(
    ("noun", "kinds", "meant"),
    [
        ("guidebooks", ("Book", "Climbing Route", "Person"), "Book"),
        ("climbers", ("Book", "Person"), "Person"),
        ("politicians", ("human", "city", "political party"), "human"),
        ("women", ("city", "individual"), "individual"),
        ("boats", ("vessel", "harbour"), "vessel"),
        ("medicines", ("Drug", "Trial"), "Drug"),
        ("parties", ("political party", "award"), "political party"),
        ("fish", ("harbour", "owner"), None),
        ("bands", ("Set", "Stage"), None),  # a set is a band only in a rare sense
        ("teacher", ("Idea", "Work"), None),  # the abstraction is no teacher of anybody
        ("vessels", ("trawler", "dredger"), None),  # which of the two is not said
        ("lawyers", ("Member", "Building"), "Member"),  # nobody else is stated
        ("lawyers", ("Member", "Employee"), None),
        ("zzyzx", ("Person",), None),
        ("", ("Person",), None),
        ("naïve", ("Person",), None),
    ],
)
def test_a_noun_means_the_kind_that_it_is_a_word_for(noun: str, kinds: tuple[str, ...], meant: str | None) -> None:
    assert _kind(noun, *kinds) == meant


def test_a_nearer_word_fits_better() -> None:
    kinds = {"p": "person", "a": "athlete"}
    assert nearest_kind("swimmers", kinds) is not None
    near, far = nearest_kind("athletes", kinds), nearest_kind("swimmers", kinds)
    assert near is not None and far is not None and near[0] == far[0] == "a" and near[1] > far[1]


def test_verbs_in_any_form() -> None:
    assert same_act("runs", "operated") and same_act("leads", "headed") and same_act("built", "constructed")
    assert not same_act("born", "died") and not same_act("runs", "zzz") and not same_act("", "")


def test_kinds_of_people_and_of_nobody() -> None:
    kinds = {name: name for name in ("actor", "director", "production", "casting", "theatre", "record label")}
    assert people_of(kinds) == ["actor", "director"]
    assert [name for name in kinds if is_nobody(name)] == ["production", "casting"]
    assert not any(map(is_nobody, ("company", "band", "species", "frobnicator", "museum", "role")))
