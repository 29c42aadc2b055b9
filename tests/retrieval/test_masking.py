"""Topics taken out of a question."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.retrieval.masking import mask_topics
from clew.types import Entity, Topic


@pytest.mark.parametrize(
    ("text", "names", "masked"),
    [
        ("what did james k polk do", [["James K. Polk"]], "what did [T1] do"),
        ("who directed amelie?", [["Amélie"]], "who directed [T1]?"),
        ("Heat's director", [["Heat"]], "[T1]'s director"),
        ("where is New_York City", [["New York"], ["New York City"]], "where is [T2]"),
        ("New York City in New York or Newark", [["New York"], ["New York City"], ["Ark"]], "[T2] in [T1] or Newark"),
        ("is Paris Paris", [["Paris"]], "is [T1] [T1]"),
        ("nothing here", [["Heat"], []], "nothing here"),
        ("", [["Heat"]], ""),
        ("who?", [["?"]], "who?"),
    ],
)
def test_one_rule(text: str, names: list[list[str]], masked: str) -> None:
    assert mask_topics(text, names).text == masked


def test_topics_are_masked_by_mention_label_and_bare_label() -> None:
    queen = Topic(Entity("q1", "Queen (band)"), 0.9, "the queens of rock", "alias")
    assert mask_topics("did Queen sing", [queen], lambda _: "it").text == "did it sing"
    assert mask_topics("did The Queens of rock sing", [queen], lambda _: "it").text == "did it sing"


def test_what_was_found_and_topics_of_one_name() -> None:
    masked = mask_topics("mayor of SPRINGFIELD", [["Shelbyville"], ["Springfield"], ["springfield"]])
    assert masked.text == "mayor of [T2]"
    assert masked.found == ("", "SPRINGFIELD", "SPRINGFIELD")
    assert masked.marks == ("", "[T2]", "[T2]")


@given(st.text(max_size=40), st.lists(st.text(max_size=8), max_size=4))
def test_any_text_can_be_masked_and_what_is_left_stays(text: str, names: list[str]) -> None:
    masked = mask_topics(text, [[name] for name in names], lambda i: "")
    kept = iter(text)
    assert all(char in kept for char in masked.text)  # a subsequence: nothing is changed but taken out


def test_a_long_text_is_masked_in_linear_time() -> None:
    assert mask_topics("Heat " * 20_000, [["Heat"]], lambda _: "x").text == "x " * 20_000
