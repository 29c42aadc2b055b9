"""Budgets are hard: every request to a server counts, whatever becomes of it."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from clew.errors import ClewError, UnavailableError
from clew.llm import Budget, BudgetExhausted, ModelSettings, estimate_tokens, open_language_model
from clew.protocols import LLMRequest, Message
from clew.testing.fake_llm import FakeServer, Fault

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def ask(text: str = "hi", **options: Any) -> LLMRequest:
    return LLMRequest((Message("user", text),), **{"max_tokens": 10, **options})


def opened(server: FakeServer, budget: Budget, **options: Any) -> Any:
    settings = ModelSettings(model="fake", base_url=server.url, max_wait_s=0.01, budget=budget, **options)
    return open_language_model(settings)


def until_exhausted(model: Any, **options: Any) -> str:
    for i in range(100):
        try:
            model.generate([ask(f"q{i}", **options)])
        except BudgetExhausted as error:
            return str(error)
        except ClewError:
            continue
    raise AssertionError("a hundred calls, and the budget still has room")


SCRIPTS: dict[str, Any] = {
    "good": "fine",
    "broken JSON": Fault(body=b"<html>"),
    "status 500": Fault(500),
    "refused": Fault(403),
    "cut": Fault(body=b'{"choices": [1, 2, 3]}', cut=True),
    "no chat completion": Fault(body=b"[]"),
    "no choices": Fault(body=b'{"choices": []}'),
}


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_no_more_requests_than_calls(name: str, schema: Any) -> None:
    with FakeServer(lambda body: SCRIPTS[name], honours_schema=False) as server:
        model = opened(server, Budget(calls=7), concurrency=4)
        assert "of 7 calls used" in until_exhausted(model, json_schema=schema)
        with pytest.raises(BudgetExhausted):
            model.generate([ask(f"r{i}", json_schema=schema) for i in range(20)])
        assert len(server.bodies) <= 7
        assert model.usage.calls == len(server.bodies)


def completion(text: str, usage: Any) -> Fault:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Fault(body=json.dumps({"choices": [choice], **({} if usage == "none" else {"usage": usage})}).encode())


@pytest.mark.parametrize(
    "usage",
    [
        "none", None, {}, [], "much", {"prompt_tokens": -5, "completion_tokens": -5}, {"prompt_tokens": True},
        {"prompt_tokens": 10**12, "completion_tokens": 10**12}, {"prompt_tokens": 1.5, "completion_tokens": "x"},
        {"prompt_tokens": 0, "completion_tokens": 0},
    ],
)  # fmt: skip
def test_missing_and_absurd_usage_is_estimated_and_said(usage: Any) -> None:
    said, prompt = "forty letters of text, and some more " * 40, "a question of some length " * 40
    with FakeServer(lambda body: completion(said, usage)) as server:
        model = opened(server, Budget(tokens=3000))
        (reply,) = model.generate([ask(prompt, max_tokens=500)])
        spent = reply.usage
        assert spent.estimated_calls == 1
        assert 300 <= spent.prompt_tokens <= 500
        assert spent.completion_tokens == estimate_tokens(said)
        assert "by estimate" in until_exhausted(model, max_tokens=500)
        assert model.usage.prompt_tokens + model.usage.completion_tokens <= 3000


def test_sane_usage_is_believed() -> None:
    with FakeServer(lambda body: completion("yes", {"prompt_tokens": 11, "completion_tokens": 2})) as server:
        (reply,) = opened(server, Budget()).generate([ask(max_tokens=500)])
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.estimated_calls) == (11, 2, 0)


def test_a_budget_of_tokens_counts_what_failed() -> None:
    with FakeServer(lambda body: Fault(body=b"<html>")) as server:
        model = opened(server, Budget(tokens=200))
        until_exhausted(model, max_tokens=20)
        assert len(server.bodies) <= 200 // 20


@pytest.mark.parametrize(
    "fault", [Fault(delay_s=60.0), Fault(dribble_s=0.2), Fault(429, headers={"retry-after": "30"}), Fault(503)]
)
def test_seconds_are_seconds(fault: Fault) -> None:
    with FakeServer(lambda body: fault) as server:
        settings = ModelSettings(model="fake", base_url=server.url, budget=Budget(seconds=0.6))
        model = open_language_model(settings)
        begun = time.monotonic()
        with pytest.raises(BudgetExhausted, match=r"of 0\.6 seconds used"):
            model.generate([ask()])
        assert time.monotonic() - begun < 20  # each of the faults lasts longer; a busy machine may be late


def test_a_repair_that_no_budget_allows_leaves_the_paid_reply() -> None:
    with FakeServer("oops", honours_schema=False) as server:
        model = opened(server, Budget(calls=1), json_mode="prompt")
        assert model.generate([ask(json_schema=SCHEMA)])[0].text == "oops"


def test_a_stream_counts_and_ends_with_its_budget() -> None:
    with FakeServer("one two three") as server:
        model = opened(server, Budget(calls=2))
        for _ in range(2):
            assert "".join(model.stream(ask())) == "one two three"
        with pytest.raises(BudgetExhausted):
            list(model.stream(ask()))
        assert (model.usage.calls, model.usage.completion_tokens) == (2, 6)


def test_an_unreachable_server_costs_calls_and_no_tokens() -> None:
    model = open_language_model(ModelSettings(model="m", base_url="http://127.0.0.1:9/v1"))
    with pytest.raises(UnavailableError):
        model.generate([ask()])
    assert (model.usage.calls, model.usage.prompt_tokens) == (1, 0)
