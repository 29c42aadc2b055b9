"""Replies as models really write them."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from clew.llm import clean, normalise, parse_answers, parse_json
from effort import examples


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
@examples(400)
def test_never_raises(text: str) -> None:
    for answer in parse_answers(text):
        assert answer.strip() == answer != ""
    parse_json(text)
    parse_json(text, {"type": "object"})


NOISE = st.text(st.sampled_from("[]{}\"'`,:.*-1 \n\\aéthinkTheanswris<>|/"), max_size=120)


@given(NOISE)
@examples(600)
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
@examples(200)
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
    begun = time.process_time()
    parse_json(text, SCHEMA)
    parse_answers(text)
    assert time.process_time() - begun < 5.0


def test_normalise_keeps_something() -> None:
    assert normalise("The U.S.A.") == "usa"
    assert normalise("The The") == "the the"
    assert normalise("A") != normalise("The")


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ('["A1","B2"]\n\nExplanation: they are near.', ["A1", "B2"]),
        ('["A1", "B2"] These two are named in line 3.', ["A1", "B2"]),
        ("['A1', 'B2']\n\nExplanation: they are near.", ["A1", "B2"]),
        ('{"answers": ["A1"]}\n\nI chose it because of [2].', ["A1"]),
        ('["Ciampino Airport", "Leonardo da Vinci Fium', ["Ciampino Airport"]),
        ('["A1", "B2", "C3"', ["A1", "B2", "C3"]),
        ('["A1", "B2",', ["A1", "B2"]),
        ("['A1', 'B2', 'C3 of th", ["A1", "B2"]),
        ('{"answers": ["A1", "B2", "C3 of th', ["A1", "B2"]),
        ('{"reasoning": "long", "answers": ["A1", {"name": "B2"}, {"na', ["A1", "B2"]),
        ('{"answers": [', []),
        ('{"answers": [{"name": "A1", "year": 19', ["A1"]),
        ('```json\n{"answers": ["A1", "B2", "C', ["A1", "B2"]),
        ('["A1", "B2"', ["A1", "B2"]),
        ('["', []),
        ("{", []),
        ('Here you are: ["A1", "B2"]. Good luck!', ["A1", "B2"]),
        ('First I had ["X9"], but the right ones are ["A1", "B2"].', ["A1", "B2"]),
        ('Sure!\n\n```python\nanswers = ["A1"]\n```\n', ["A1"]),
        ("Paris [1]\nLyon [2]", ["Paris [1]", "Lyon [2]"]),
        ("[1] Paris", ["[1] Paris"]),
        ("Paris\n\nExplanation: the graph says so.", ["Paris"]),
        ("Paris\n**Reasoning:** the graph says so.\nRome is no answer.", ["Paris"]),
        ("1. Paris\n   - capital of France\n2. Lyon\n   - on the Rhône", ["Paris", "Lyon"]),
        ("Based on the evidence, the answer is Paris.", ["Paris"]),
        ("### Answer: Paris", ["Paris"]),
        ("**Final Answer:** Paris", ["Paris"]),
        ("We get \\boxed{Paris}.", ["Paris"]),
        ("$\\boxed{\\text{Paris}}$", ["Paris"]),
        ("<answer>Paris</answer>", ["Paris"]),
        ("<answers>\n- Paris\n- Lyon\n</answers> as the graph says", ["Paris", "Lyon"]),
        ("[THINK]Rome?[/THINK]Paris", ["Paris"]),
        ("<|channel|>analysis<|message|>Rome?<|end|><|channel|>final<|message|>Paris<|return|>", ["Paris"]),
        ("<|channel|>analysis<|message|>Rome? it goes on and", []),
        ("<thinking>\nRome?\n</thinking>\n\n[\"Paris\"]<|im_end|>", ["Paris"]),
        ("I don't think, honestly, the answer is known.", ["I don't think, honestly, the answer is known"]),
    ],
)  # fmt: skip
def test_replies_that_explain_break_off_or_think(text: str, answers: list[str]) -> None:
    assert parse_answers(text) == answers


LISTS = {
    "JSON": lambda a: json.dumps(a),
    "an object": lambda a: json.dumps({"answers": a}, indent=1, ensure_ascii=False),
    "reasons first": lambda a: json.dumps({"reasoning": "two, or [three] {steps}", "answers": a}),
    "objects": lambda a: json.dumps([{"name": each, "why": "line 3"} for each in a]),
    "Python": lambda a: "[" + ", ".join(f'"{each}"' for each in a) + "]",
    "a fence": lambda a: f"Sure!\n```json\n{json.dumps(a)}\n```",
}
AROUND = {
    "": "",
    "thoughts": '<think>Maybe ["X9"]? {"answers": ["X9"]}</think>\n',
    "a greeting": "Here is what I found:\n\n",
}
AFTER = ("", "\n\nExplanation: the graph says so, see [1].", "<|im_end|>", "\n```\nThese are all.", " I am sure.")


@given(ANSWERS, st.sampled_from(sorted(LISTS)), st.sampled_from(sorted(AROUND)), st.sampled_from(AFTER))
@examples(300)
def test_lists_are_read_whatever_stands_around(answers: list[str], form: str, before: str, after: str) -> None:
    assert parse_answers(AROUND[before] + LISTS[form](answers) + after) == answers


@given(ANSWERS, st.sampled_from(sorted(LISTS)), st.sampled_from(sorted(AROUND)), st.floats(0, 1))
@examples(500)
def test_a_reply_cut_anywhere_gives_whole_items_only(answers: list[str], form: str, before: str, share: float) -> None:
    text = LISTS[form](answers)
    cut = text[: int(share * len(text))]
    if form == "a fence":
        cut = "Sure!\n```json\n" + cut[len("Sure!\n```json\n") :]
    found = parse_answers(AROUND[before] + cut)
    assert found == answers[: len(found)]


REPLIES = st.builds(
    lambda answers, form, before, after: AROUND[before] + LISTS[form](answers) + after,
    ANSWERS, st.sampled_from(sorted(LISTS)), st.sampled_from(sorted(AROUND)), st.sampled_from(AFTER),
)  # fmt: skip
PIECES = st.sampled_from(
    [*"[]{}\",:'`\n \\", "```", "<think>", "</think>", '["', '"]', '"answers":', "null", "\\u12", "1."]
)


@given(REPLIES, st.lists(st.tuples(st.floats(0, 1), st.sampled_from(["insert", "delete", "cut"]), PIECES), max_size=4))
@examples(800)
def test_mutated_replies_give_no_syntax_and_no_traceback(text: str, changes: list[tuple[float, str, str]]) -> None:
    for share, kind, piece in changes:
        at = int(share * len(text))
        text = {"insert": text[:at] + piece + text[at:], "delete": text[:at] + text[at + 3 :], "cut": text[:at]}[kind]
    for answer in parse_answers(text):
        assert not answer.startswith(('["', "['", '{"', "```", "[[", "[{"))
        assert not answer.endswith(('"]', '"}', "']"))
        assert '"answers"' not in answer
        assert answer.strip(" \"'`[]{},:;.-*\\") != ""
    parsed = parse_json(text)
    assert parsed.ok or parsed.problem
    begun = time.process_time()
    parse_answers(text * 20)
    assert time.process_time() - begun < 5.0


def test_a_key_without_its_colon_is_syntax() -> None:
    assert parse_answers('"answers""AA" ]}') == []
    assert parse_answers('"Answers"') == ["Answers"]  # a name


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, 2, {"b": "x"}, {"c": "y', {"a": [1, 2, {"b": "x"}]}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b": ', {"a": 1}),
        ('{"a": {"b": [true, fal', {"a": {"b": [True]}}),
        ('[1, 2, 3', [1, 2]),  # the last number may have gone on
        ('{"a": 1}', {"a": 1}),
    ],
)  # fmt: skip
def test_json_that_breaks_off_gives_what_is_whole(text: str, value: object) -> None:
    found = parse_json(text)
    assert found.value == value
    assert found.partial == (text != '{"a": 1}')


def test_a_part_must_fit_the_schema_too() -> None:
    assert parse_json('{"a": 1, "b": [', SCHEMA).value == {"a": 1}
    assert not parse_json('{"b": 1, "a": [', SCHEMA).ok
    assert parse_json('{"steps": ["one", "tw', Plan).value == Plan(steps=["one"])


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 50_000, '["' * 50_000, "[1," * 50_000, "<think>" * 50_000])
def test_hostile_replies_take_no_time(text: str) -> None:
    begun = time.process_time()
    assert parse_answers(text) in ([], ["1"])
    parse_json(text)
    assert time.process_time() - begun < 10
