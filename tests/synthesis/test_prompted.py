"""A language model finds the words; the graph keeps the answers; replies that break the rules are counted."""

from __future__ import annotations

import json
import re

import pytest

from clew.graph import Graph
from clew.protocols import LLMRequest
from clew.synthesis import SamplingConfig, SynthesisReport
from clew.synthesis.prompted import assertions, strategies, synthesize_prompted
from clew.testing.fake_llm import FakeLanguageModel

CHAINS = SamplingConfig(fork=0.0)


def triples_of(request: LLMRequest) -> list[tuple[str, str, str]]:
    text = request.messages[-1].content
    return [(h, r, t) for h, r, t in re.findall(r"^\((.*), (.*), (.*)\)$", text, re.MULTILINE)]


def obedient(request: LLMRequest) -> str:
    if "Statements:" in request.messages[-1].content:
        return "Breadth."
    rows = triples_of(request)
    topic = next(e for h, _, t in rows for e in (h, t) if not e.startswith("[ENT"))
    said = [f"The {r} of {h} is {t}." for h, r, t in rows]
    return json.dumps({"sentences": said, "question": f"What is reached from {topic}?"})


def test_questions_carry_answers_of_the_graph_and_the_models_words(toy: Graph) -> None:
    report = SynthesisReport()
    model = FakeLanguageModel(obedient)
    rows = list(synthesize_prompted(toy.whole, 12, model, sampling=CHAINS, report=report))
    assert len(rows) == report.questions == 12
    for row in rows:
        assert row.strategy == "Breadth"
        assert row.question.text.startswith("What is reached from")
        assert len(row.assertions) == len(row.masked)
        assert not any(answer in said for answer in row.gold.answers for said in row.assertions)
    asked = [r.messages[-1].content for r in model.requests]
    assert not any(f"Answer: {row.gold.answers[0]}" in text for row in rows for text in asked)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ('{"sentences": [], "question": "No Solution"}', "no solution"),
        ("No Solution", "no solution"),
        ("I would rather not.", "reply is not what was asked for"),
        ('{"sentences": ["x"], "question": "Who is [ENT1]?"}', "placeholder in the question"),
        ('{"sentences": [], "question": "Who is it?"}', "sentences do not match the triples"),
    ],
)
def test_replies_that_break_the_rules_are_dropped_and_counted(toy: Graph, reply: str, why: str) -> None:
    report = SynthesisReport()
    assert not list(synthesize_prompted(toy.whole, 2, FakeLanguageModel(reply), sampling=CHAINS, report=report))
    assert report.dropped[why] >= 20


def test_assertions_keep_every_placeholder() -> None:
    masked = [("Norway", "capital", "[ENT1]"), ("[ENT1]", "twinned with", "[ENT2]")]
    good = '["The capital of Norway is [ENT1].", "[ENT1] is twinned with [ENT2]."]'
    lost = '["The capital of Norway is Oslo.", "[ENT1] is twinned with [ENT2]."]'
    short = '["The capital of Norway is [ENT1]."]'
    found = assertions(FakeLanguageModel([good, lost, short]), [("which?", masked)] * 3)
    assert found[0] is not None and len(found[0]) == 2
    assert found[1:] == [None, None]


def test_the_papers_own_formats_of_p4_and_p6_are_read(toy: Graph) -> None:
    masked = [("a", "r", "[ENT1]"), ("[ENT1]", "s", "[ENT2]")]
    for said in ("[\n A has [ENT1],\n [ENT1] is in [ENT2],\n]", "[A has [ENT1], [ENT1] is in [ENT2]]"):
        assert assertions(FakeLanguageModel([said]), [("?", masked)]) == [("A has [ENT1]", "[ENT1] is in [ENT2]")]
    assert assertions(FakeLanguageModel(["[A has [ENT1]]"]), [("?", masked)]) == [None]

    def reply(request: LLMRequest) -> str:
        if "Statements:" in request.messages[-1].content:
            return "Breadth"
        lines = triples_of(request)
        names = [end for h, _, t in lines for end in (h, t) if not end.startswith("[ENT")]
        return f"[(\n{', '.join(f'{h} has to do with {t}' for h, _, t in lines)}), What of {' and '.join(names)}?]"

    rows = list(synthesize_prompted(toy.whole, 3, FakeLanguageModel(reply), sampling=CHAINS))
    assert len(rows) == 3 and all(len(row.assertions) == len(row.masked) for row in rows)


def test_a_strategy_is_one_word_or_none() -> None:
    model = FakeLanguageModel(["Precision", "<think>Breadth?</think>precision", "Precision or Breadth", "maybe"])
    assert strategies(model, [("q", ["s"])] * 4) == ["Precision", "Precision", None, None]
