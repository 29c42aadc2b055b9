"""What models write, read: plans, triples, topics; broken replies are dropped and counted, never raised for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.methods.stem.schema import (
    SchemaGraph,
    bind_topics,
    distinct,
    masked,
    parts,
    placed,
    read_decomposition,
    read_triples,
    write_decomposition,
    write_triples,
)


def test_a_decomposition_survives_its_text() -> None:
    said = ("Norway has the capital [ENT1].", "[ENT1] is twinned with [ENT2].")
    found = read_decomposition(write_decomposition(said, "Breadth"), -1.5)
    assert found is not None
    assert (found.assertions, found.strategy, found.stated, found.logprob) == (said, "Breadth", True, -1.5)


@pytest.mark.parametrize(
    ("text", "assertions", "strategy", "stated"),
    [
        ("Strategy: breadth\n1. A is [ENT1].\n- [ent 1] is B.", ("A is [ENT1].", "[ENT1] is B."), "Breadth", True),
        ("<think>Precision\nx [ENT9]</think>\n'A is [ENT1]'", ("A is [ENT1]",), "Precision", False),
        ("```\nAssertions:\nA is [ENT1]\nA is [ENT1]\n```", ("A is [ENT1]",), "Precision", False),
        ("Breadth\nPrecision\nA is [ENT1]", ("A is [ENT1]",), "Breadth", True),
    ],
)
def test_untidy_decompositions(text: str, assertions: tuple[str, ...], strategy: str, stated: bool) -> None:
    found = read_decomposition(text)
    assert found is not None
    assert (found.assertions, found.strategy, found.stated) == (assertions, strategy, stated)


@pytest.mark.parametrize("text", ["", "Breadth", "no unknown at all", '["Japan"]', "<think>A is [ENT1]"])
def test_a_reply_without_assertions_is_none(text: str) -> None:
    assert read_decomposition(text) is None


def test_triples_survive_their_text_and_broken_lines_are_counted() -> None:
    triples = (("[T1]", "film.film.directed_by", "[ENT1]"), ("[ENT1]", "born, in", "Oslo, Norway"))
    assert read_triples(write_triples(triples)) == (triples, 0)
    found, broken = read_triples("(a | r | [ent 1])\nnonsense\n(a | r)\n(a | r | a)\n2. (b, s, [ENT2]),\n(a|r|[ENT1])")
    assert found == (("a", "r", "[ENT1]"), ("b", "s", "[ENT2]"))
    assert broken == 3


@given(st.text(max_size=300))
def test_no_text_breaks_the_readers(text: str) -> None:
    read_decomposition(text)
    triples, _ = read_triples(text)
    bound = bind_topics([end for h, _, t in triples for end in (h, t)], [["Oslo"]])
    for part in parts(SchemaGraph((), "Precision", triples, bound)):
        assert part.triples and part.topics


def test_topics_are_bound_by_mark_or_similarity() -> None:
    names = [["Norway"], ["Ada Example", "m.01"]]
    bound = bind_topics(["[T2]", "[T3]", "[ENT1]", "norway", "Ada  Exampl", "Zanzibar"], names)
    assert bound == {"[T2]": 1, "norway": 0, "Ada  Exampl": 1}


def test_a_disconnected_plan_falls_into_parts_and_those_without_a_topic_go() -> None:
    triples = (("[T1]", "r", "[ENT1]"), ("[ENT2]", "s", "[ENT3]"), ("[T2]", "r", "[ENT4]"))
    found = parts(SchemaGraph((), "Breadth", triples, {"[T1]": 0, "[T2]": 1}))
    assert [part.triples for part in found] == [triples[:1], triples[2:]]
    assert [dict(part.topics) for part in found] == [{"[T1]": 0}, {"[T2]": 1}]


def test_equal_schemas_are_one_plan_but_strategies_differ() -> None:
    one, two = ("[T1]", "r", "[ENT1]"), ("[ENT1]", "s", "[ENT2]")
    plans = [
        SchemaGraph(("x",), strategy, triples, {"[T1]": 0})
        for strategy, triples in (("Breadth", (one, two)), ("Breadth", (two, one)), ("Precision", (one, two)))
    ]
    assert distinct(plans) == [plans[0], plans[2]]
    assert plans[0].target == "[ENT2]"


def test_masking_takes_the_longest_name_and_appends_what_is_not_named() -> None:
    names = [["New York", "New York City"], ["Ada"]]
    assert masked("who left  new york city for Adam?", names) == "who left [T1] for Adam? [T2]"
    assert masked("a_b 's son ?", [["a_b"]]) == "[T1] 's son ?"


def test_ends_of_an_assertion_are_placed() -> None:
    assert placed("[ENT2] was led by [T1]") == ("[A] was led by [B]", {"[A]": "[ENT2]", "[B]": "[T1]"})
    assert placed("Ada led [ENT1]") == ("Ada led [ENT1]", {})


def test_the_papers_own_formats() -> None:
    found = read_decomposition("((The capital of Norway is [ENT1].), ([ENT1] is twinned with [ENT2].), Breadth)")
    assert found is not None and found.strategy == "Breadth"
    assert found.assertions == ("The capital of Norway is [ENT1].", "[ENT1] is twinned with [ENT2].")
    found = read_decomposition("((Rome has mayor [ENT1]), Precision)")
    assert found is not None and (found.assertions, found.strategy) == (("Rome has mayor [ENT1]",), "Precision")
    triples = (("rome", "r", "[ENT1]"), ("[ENT1]", "s", "[ENT2]"))
    assert read_triples('[("rome","r","[ENT1]"), ("[ENT1]", "s", "[ENT2]")]') == (triples, 0)
    assert read_triples('[["rome", "r", "[ENT1]"], ["[ENT1]", "s", "[ENT2]"]]') == (triples, 0)
    assert read_triples("(rome | r | [ENT1]), ([ENT1] | s | [ENT2])") == (triples, 0)
