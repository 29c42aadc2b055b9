"""The baselines without a graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import BudgetError, ConfigError, UnavailableError
from clew.graph import Graph
from clew.llm import Budget, ModelSettings, open_language_model
from clew.methods.direct.method import Cot, CotConfig, Io, IoConfig
from clew.methods.registry import card
from clew.protocols import Tools
from clew.testing.fake_llm import FakeLanguageModel, FakeServer
from clew.types import Question

ASKED = Question("q1", "What is the\ncapital of France?")


def io(script: object, **options: object) -> tuple[Io, FakeLanguageModel]:
    model = FakeLanguageModel(script)  # type: ignore[arg-type]
    return Io(IoConfig(**options), Tools(language_model=model)), model  # type: ignore[arg-type]


def test_io(toy: Graph) -> None:
    method, model = io('["Paris", "Lyon"]')
    answer = method.answer(ASKED, toy)
    assert answer.texts == ("Paris", "Lyon")
    assert [c.score for c in answer.candidates] == [1.0, 0.5]
    assert not any(c.supported for c in answer.candidates)
    assert (answer.method, answer.note, answer.usage.calls) == ("io", "", 1)
    (request,) = model.requests
    assert [(m.role, m.content) for m in request.messages[1:]] == [
        ("user", "What is the capital of Norway?"),
        ("assistant", '["Oslo"]'),
        ("user", "Which rivers flow through Vienna?"),
        ("assistant", '["Danube", "Wien"]'),
        ("user", "What is the capital of France?"),
    ]


def test_cot_reads_only_the_last_line(toy: Graph) -> None:
    model = FakeLanguageModel(
        ['France? Answers: maybe\nParis is its capital.\nAnswers: ["Paris"]', "Paris is the capital", "Answers: []"]
    )
    method = Cot(CotConfig(), Tools(language_model=model))
    answers = method.predict([ASKED] * 3, toy)
    assert [answer.texts for answer in answers] == [("Paris",), (), ()]
    assert answers[1].note == "the language model gave no answer"
    assert model.requests[0].max_tokens == 512


def test_empty_question_is_not_asked(toy: Graph) -> None:
    method, model = io(["Paris"])
    empty, real = method.predict([Question("q0", "  "), ASKED], toy)
    assert (empty.candidates, empty.note) == ((), "the question is empty")
    assert real.texts == ("Paris",)
    assert len(model.requests) == 1


def test_cut_reply_is_noted(toy: Graph) -> None:
    with FakeServer("one two three") as server:
        model = open_language_model(ModelSettings(model="fake", base_url=server.url, retry_cut=False))
        answer = Io(IoConfig(max_tokens=2), Tools(language_model=model)).answer(ASKED, toy)
    assert answer.note == "the reply was cut at 2 tokens"


def test_needs_a_model() -> None:
    with pytest.raises(ConfigError, match="'io' needs a language model"):
        Io(IoConfig(), Tools())


def test_failures_of_the_model_are_not_swallowed(toy: Graph) -> None:
    model = open_language_model(ModelSettings(model="m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(UnavailableError, match=r"127\.0\.0\.1:9"):
        Io(IoConfig(), Tools(language_model=model)).answer(ASKED, toy)
    with FakeServer("Paris") as server:
        model = open_language_model(ModelSettings(model="fake", base_url=server.url, budget=Budget(calls=1)))
        method = Io(IoConfig(), Tools(language_model=model))
        method.answer(ASKED, toy)
        with pytest.raises(BudgetError, match="1 of 1 calls used"):
            method.answer(ASKED, toy)


def test_own_prompt(toy: Graph, tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Q: $question")
    method, model = io("Paris", prompt=file)
    method.answer(ASKED, toy)
    assert model.requests[0].messages[0].content == "Q: What is the capital of France?"


@pytest.mark.parametrize("name", ["io", "cot"])
def test_cards(name: str) -> None:
    assert card(name).needs.language_model == "required"
