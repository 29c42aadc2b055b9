"""The plain format: what is read, what is written, and what each bad line is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.datasets import load, parse_example, read_plain, to_plain, write_plain
from clew.errors import InputError, NotFoundError
from clew.protocols import Example
from clew.types import Gold, Question, to_json


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    row = {
        "id": "q1",
        "question": "who?",
        "q_entity": ["Heat"],
        "answer": ["Michael Mann"],
        "a_entity": ["m.01"],
        "aliases": [["M. Mann"]],
        "hops": 1,
        "type": "director",
        "paths": [[["Heat", "directed by", "Michael Mann"]]],
        "graph": [["Heat", "directed by", "Michael Mann"], ["Heat", "year", "1995"]],
    }
    (example,) = read_plain(write(tmp_path / "q.jsonl", row))
    assert example.question == Question("q1", "who?", ("Heat",))
    assert example.gold == Gold(
        ("Michael Mann",), ("m.01",), (("M. Mann",),), ((("Heat", "directed by", "Michael Mann"),),), 1, "director"
    )
    assert example.graph is not None
    assert {t.tail.id for t in example.graph.triples()} == {"Michael Mann", "1995"}
    assert to_plain(example) == row


def test_either_answer_key_stands_in_for_the_other_and_none_is_not_unanswerable() -> None:
    assert parse_example({"id": 3, "question": "q", "a_entity": "Paris"}).gold.answers == ("Paris",)
    assert parse_example({"id": "3", "question": "q", "answer": []}).gold == Gold(())
    missing = parse_example({"id": "3", "question": "q"}).gold
    assert missing == Gold((), stated=False)
    with pytest.raises(InputError, match="training needs"):
        parse_example({"id": "3", "question": "q"}, need_answers=True)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"{", "not JSON"),
        (b'{"id": "a", "question": "\xff"}', "not UTF-8 at byte"),
        (b"[1]", "a JSON list, expected an object"),
        (b'{"question": "q"}', "'id' is None"),
        (b'{"id": "a"}', "'question' is None"),
        (b'{"id": "a", "question": "  "}', "'question' is '  '"),
        (b'{"id": "a", "question": "q", "answers": ["x"]}', "nearest: 'answer'"),
        (b'{"id": "a", "question": "q", "answer": [1]}', "'answer' is [1]"),
        (b'{"id": "a", "question": "q", "hops": "two"}', "'hops' is 'two'"),
        (b'{"id": "a", "question": "q", "graph": [["h", "r"]]}', "expected a triple"),
        (b'{"id": "a", "question": "q", "answer": ["x"], "aliases": []}\n{"id": "a", "question": "r"}', "line 1"),
        (b'{"id": "a", "question": "q", "answer": ["x"], "aliases": [["y"], ["z"]]}', "expected one per answer"),
        (b"[" * 100_000, "nested too deeply"),
        (b"", "no question in it"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, raw: bytes, told: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        list(read_plain(path))
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_all_bad_lines_are_reported_or_handed_over(tmp_path: Path) -> None:
    good = {"id": "a", "question": "q", "answer": ["x"]}
    path = write(tmp_path / "q.jsonl", good, {"id": "b"}, {"id": "c", "question": ""}, {**good, "id": "d"})
    with pytest.raises(InputError) as caught:
        list(read_plain(path))
    assert f"{path}:2:" in str(caught.value)
    assert f"{path}:3:" in str(caught.value)
    told: list[str] = []
    assert [e.question.id for e in read_plain(path, on_problem=told.append)] == ["a", "d"]
    assert len(told) == 2


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read questions"):
        list(read_plain(tmp_path / "none.jsonl"))
    with pytest.raises(InputError, match="cannot read questions"):
        list(read_plain(tmp_path))
    with pytest.raises(NotFoundError, match="nearest: 'pq-2h'"):
        load("pq-2")
    with pytest.raises(NotFoundError, match="disjoint-test"):
        load("pq-2h", "disjoint-tset")
    with pytest.raises(InputError, match="which split"):
        load("pq-2h")
    with pytest.raises(InputError, match=r"'pq-2h': no option 'sead'; nearest: 'seed'"):
        load("pq-2h:test", sead=1)


words = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",)), min_size=1).filter(str.strip)
golds = st.builds(
    Gold,
    answers=st.lists(words, max_size=3).map(tuple),
    hops=st.none() | st.integers(0, 9),
    kind=st.none() | words,
    paths=st.lists(st.lists(st.tuples(words, words, words), max_size=2).map(tuple), max_size=2).map(tuple),
)


@given(st.lists(st.builds(Example, st.builds(Question, words, words, st.lists(words).map(tuple)), golds), min_size=1))
def test_written_examples_read_back_equal(tmp_path_factory: pytest.TempPathFactory, examples: list[Example]) -> None:
    examples = list({example.question.id: example for example in examples}.values())
    path = tmp_path_factory.mktemp("plain") / "q.jsonl"
    assert write_plain(examples, path) == len(examples)
    assert list(read_plain(path)) == examples


def test_a_question_as_json_never_holds_gold() -> None:
    secret = "SECRET-GOLD"
    row = {
        "id": "a",
        "question": "q",
        "q_entity": ["t"],
        "answer": [secret],
        "a_entity": [secret],
        "type": secret,
        "paths": [[["t", secret, secret]]],
    }
    question = parse_example(row).question
    assert secret not in json.dumps(to_json(question))
    assert secret not in repr(question)
    assert set(to_json(question)) == {"id", "text", "topics"}
