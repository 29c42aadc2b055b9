"""A language model as reader: what it may choose, and what binds it to the graph."""

from __future__ import annotations

import pytest

from clew.errors import InputError
from clew.retrieval.reader import bind, read, read_all, reading_request
from clew.retrieval.verbalise import evidence_text
from clew.testing.fake_llm import FakeLanguageModel
from clew.types import Entity, Evidence, Hop, Path, Relation, Triple


def path(score: float, *steps: str) -> Path:
    """Path through entity, relation, entity, …"""
    entities = [Entity(s, s, "mediator" if s.startswith("m.") else "named") for s in steps[::2]]
    hops = tuple(
        Hop(Triple(head, Relation(relation, relation), tail))
        for head, relation, tail in zip(entities, steps[1::2], entities[1:], strict=False)
    )
    return Path(entities[0], hops, score)


EVIDENCE = Evidence(
    (
        path(0.9, "France", "capital", "Paris"),
        path(0.8, "France", "borders", "Germany", "capital", "Berlin"),
        path(0.7, "France", "office held", "m.0abc12", "holder", "Ada Example"),
        path(0.6, "France", "largest city", "Paris"),
    )
)


def bound(*answers: str) -> list[tuple[str, tuple[int, ...]]]:
    shown = evidence_text(EVIDENCE, max_tokens=1000)
    return [(c.text, c.paths) for c in bind(answers, EVIDENCE, shown)]


@pytest.mark.parametrize(
    ("answer", "text", "paths"),
    [
        ("paris", "Paris", (0, 3)),
        ("Paris [4]", "Paris", (3,)),
        ("Paris [2]", "Paris", (0, 3)),  # the hint is no proof
        ("Paris [99]", "Paris", (0, 3)),
        ("Germany", "Germany", ()),  # only on the way: the path shows something about Berlin
        ("Rome", "Rome", ()),
        ("Rome [1]", "Rome", ()),
        ("m.0abc12", "m.0abc12", ()),  # a nameless thing is no answer
        ("2", "Berlin", (1,)),
        ("[3]", "Ada Example", (2,)),
        ("7", "7", ()),
    ],
)
def test_binding(answer: str, text: str, paths: tuple[int, ...]) -> None:
    assert bound(answer) == [(text, paths)]


def test_of_namesakes_one_is_meant_and_only_its_paths_support_it() -> None:
    first, second = Entity("e1", "Ada"), Entity("e2", "Ada")
    hop = Relation("spouse", "spouse")
    paths = (
        Path(first, (Hop(Triple(first, hop, second)),), 0.9),
        Path(second, (Hop(Triple(second, hop, first)),), 0.8),
    )
    (candidate,) = bind(["Ada"], Evidence(paths))
    assert (candidate.entity, candidate.paths) == (second, (0,))


def test_order_repeats_and_scores() -> None:
    candidates = bind(["Berlin", "Rome", "berlin [2]", "Paris"], EVIDENCE)
    assert [(c.text, c.supported) for c in candidates] == [("Berlin", True), ("Rome", False), ("Paris", True)]
    assert [c.score for c in candidates] == [1.0, 2 / 3, 1 / 3]
    assert candidates[0].entity == Entity("Berlin", "Berlin")
    assert bind([], EVIDENCE) == ()


GOLDEN = """Paths:
[1] France -> capital -> Paris
[2] France -> borders -> Germany -> capital -> Berlin
[3] France -> office held -> m.0abc12 -> holder -> Ada Example
[4] France -> largest city -> Paris

Question: What is the capital?
Answers:"""


def test_golden_prompt() -> None:
    request, shown = reading_request("What is the capital?", EVIDENCE)
    assert [m.role for m in request.messages] == ["system", "user"]
    assert request.messages[1].content == GOLDEN
    assert "Use only the paths" in request.messages[0].content
    assert shown.paths == (0, 1, 2, 3)


def test_reading() -> None:
    model = FakeLanguageModel("1. Paris [1]\n2. Atlantis [2]")
    reading = read(model, "What is the capital?", EVIDENCE)
    assert [(c.text, c.paths) for c in reading.candidates] == [("Paris", (0,)), ("Atlantis", ())]
    assert (reading.usage.calls, reading.note) == (1, "")


def test_reading_says_what_is_missing() -> None:
    reading = read(FakeLanguageModel("none"), "Who?", EVIDENCE, evidence_tokens=15)
    assert reading.candidates == ()
    assert reading.note == (
        "evidence: 3 of 4 lines left out, the budget is 15 tokens (2 of them longer than the whole budget); "
        "the reader found no answer in the evidence"
    )
    silent = FakeLanguageModel([])
    assert read(silent, "Who?", Evidence()).note == "no evidence to read"
    assert silent.requests == []


def test_siblings_share_a_line_and_a_number_stands_for_all_of_them() -> None:
    holders = [path(0.5 - i / 100, "France", "office held", f"m.0a{i}", "holder", f"Person {i}") for i in range(4)]
    since = Triple(holders[1].hops[0].target, Relation("government.since", "government.since"), Entity("2010", "2010"))
    evidence = Evidence((*EVIDENCE.paths[:2], *holders), (since,))
    request, shown = reading_request("Who?", evidence, named=3)
    assert (
        "[3] France -> office held -> holder -> Person 0; Person 1 (since: 2010); Person 2; … and 1 more\n"
        in request.messages[1].content
    )
    assert shown.of(2) == (2, 3, 4, 5)
    for said in ("all of [3]", "All of line 3", "3"):
        assert [(c.text, c.paths) for c in bind([said, "Paris"], evidence, shown)] == [
            *((f"Person {i}", (2 + i,)) for i in range(4)),
            ("Paris", (0,)),
        ]
    assert [c.paths for c in bind(["Person 1 [3]"], evidence, shown)] == [(3,)]


def test_several_questions_are_one_batch_and_without_evidence_none() -> None:
    model = FakeLanguageModel([["Paris"], ["Berlin"]])
    readings = read_all(model, [("a", EVIDENCE), ("b", Evidence()), ("c", EVIDENCE)])
    assert [[c.text for c in reading.candidates] for reading in readings] == [["Paris"], [], ["Berlin"]]
    assert len(model.requests) == 2


def test_own_prompt_is_checked(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "mine.txt"
    file.write_text("$question")
    with pytest.raises(InputError, match=r"no slot \$evidence"):
        read(FakeLanguageModel("x"), "Who?", EVIDENCE, prompt=file)
