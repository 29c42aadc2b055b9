"""Replies as models really write them."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from clew.llm import clean, normalise, parse_answers, parse_json


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("Paris", ["Paris"]),
        ("Paris\nLyon\n", ["Paris", "Lyon"]),
        ('["Paris", "Lyon, Rhône"]', ["Paris", "Lyon, Rhône"]),
        ("['Paris', \"Côte d'Ivoire\", Lyon]", ["Paris", "Côte d'Ivoire", "Lyon"]),
        ("[Paris, Lyon]", ["Paris", "Lyon"]),
        ('["Badlands.", "Elvis Sings..."]', ["Badlands.", "Elvis Sings..."]),
        ("- Dil Se..\n- Lyon.", ["Dil Se..", "Lyon"]),
        ('{"answers": ["Paris", 3, null]}', ["Paris", "3"]),
        ('{"answer": "Paris"}', ["Paris"]),
        ('[{"name": "Paris"}, {"name": "Lyon"}]', ["Paris", "Lyon"]),
        ('```json\n["Paris"]\n```', ["Paris"]),
        ("```\nParis\nLyon\n```", ["Paris", "Lyon"]),
        ("1. Paris\n2. Lyon\n3) Nice", ["Paris", "Lyon", "Nice"]),
        ("- Paris\n* Lyon\n• Nice", ["Paris", "Lyon", "Nice"]),
        ("Sure! They are:\n\n1. **Paris**: capital.\n2. **Lyon** - on the Rhône.\nHope it helps", ["Paris", "Lyon"]),
        ("ans: Paris\nans: Lyon", ["Paris", "Lyon"]),
        ("Some reasoning, with commas.\nAnswer: Paris", ["Paris"]),
        ("Let me think about France.\nSo the answer is Paris.", ["Paris"]),
        ("The answer is: ['Paris', 'Lyon'].", ["Paris", "Lyon"]),
        ("The answer is Washington, D.C.", ["Washington, D.C."]),
        ("**Answer:** Martin Luther King Jr.", ["Martin Luther King Jr."]),
        ("Paris, Texas", ["Paris, Texas"]),
        ('"Paris"', ["Paris"]),
        ("“Les Misérables”", ["Les Misérables"]),
        ("Paris.\nparis\nThe Paris", ["Paris"]),
        ("<think>Maybe Rome? 1. Rome</think>\nParis<|im_end|>", ["Paris"]),
        ("it could be Rome</think>Paris</s>", ["Paris"]),
        ("<think>it never ends Rome", []),
        ("none", []),
        ("I don't know.", []),
        ("I do not know the answer to this question.", []),
        ("Not available\nParis", ["Paris"]),
        ("", []),
        ("  \n\n", []),
        ("[]", []),
        ("...", []),
        ("1994", ["1994"]),
        ("3.5 million", ["3.5 million"]),
        ("-5", ["-5"]),
        ("東京\n大阪", ["東京", "大阪"]),
        ("The answers are:\n- Paris\n- Lyon", ["Paris", "Lyon"]),
    ],
)  # fmt: skip
def test_answers(text: str, answers: list[str]) -> None:
    assert parse_answers(text) == answers


@given(st.text())
@settings(max_examples=400, deadline=None)
def test_never_raises(text: str) -> None:
    for answer in parse_answers(text):
        assert answer.strip() == answer != ""
    parse_json(text)
    parse_json(text, {"type": "object"})


NOISE = st.text(st.sampled_from("[]{}\"'`,:.*-1 \n\\aéthinkTheanswris<>|/"), max_size=120)


@given(NOISE)
@settings(max_examples=600, deadline=None)
def test_never_raises_on_syntax_debris(text: str) -> None:
    assert parse_answers(text) == list(dict.fromkeys(parse_answers(text)))
    assert clean(clean(text)) == clean(text) or "<" in text
    parse_json(text)


ANSWERS = st.lists(
    st.text(st.characters(categories=["Lu", "Ll", "Nd", "Lo"], include_characters=" '-&"), min_size=2, max_size=20)
    .map(lambda s: " ".join(s.split()))
    .filter(lambda s: len(s) > 1 and s[0].isalpha() and s[-1].isalpha() and parse_answers(f'["{s}"]') == [s]),
    min_size=1,
    max_size=6,
    unique_by=normalise,
)


@given(ANSWERS)
@settings(max_examples=200, deadline=None)
def test_round_trip(answers: list[str]) -> None:
    assert parse_answers(json.dumps(answers)) == answers
    assert parse_answers(f"```json\n{json.dumps({'answers': answers}, ensure_ascii=False)}\n```") == answers
    assert parse_answers("\n".join(f"{i}. {answer}" for i, answer in enumerate(answers, 1))) == answers
    assert parse_answers("Here they are:\n" + "\n".join(f"- {answer}" for answer in answers)) == answers
    assert parse_answers("\n".join(f"ans: {answer}" for answer in answers)) == answers
    assert parse_answers("[" + ", ".join(json.dumps(a, ensure_ascii=False) for a in answers) + "]") == answers


SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


class Plan(BaseModel):
    steps: list[str]


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', 'Sure: {"a": 1} — done.', '```json\n{"a": 1}\n```', '<think>{"a": 2}</think>{"a": 1}<|im_end|>',
     '{"b": 3} {"a": 1}', '[1, 2] then {"a": 1}'],
)  # fmt: skip
def test_json_is_found(text: str) -> None:
    assert parse_json(text, SCHEMA).value == {"a": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("no json here", "no JSON"),
        ('{"a": "x"}', "$.a"),
        ('{"a": 1', "no JSON"),
        ('{"a": NaN}', "no JSON"),
    ],
)
def test_json_problem_in_words(text: str, problem: str) -> None:
    parsed = parse_json(text, SCHEMA)
    assert not parsed.ok
    assert problem in parsed.problem


def test_pydantic_model() -> None:
    assert parse_json('{"steps": ["x"]}', Plan).value == Plan(steps=["x"])
    assert "steps" in parse_json('{"steps": 3}', Plan).problem


@pytest.mark.parametrize("text", ["[" * 100_000, "{" * 100_000, '{"a":' * 20_000, "9" * 50_000, "<think>" * 20_000])
def test_hostile_text_is_cheap(text: str) -> None:
    begun = time.perf_counter()
    parse_json(text, SCHEMA)
    parse_answers(text)
    assert time.perf_counter() - begun < 5.0


def test_normalise_keeps_something() -> None:
    assert normalise("The U.S.A.") == "usa"
    assert normalise("The The") == "the the"
    assert normalise("A") != normalise("The")
