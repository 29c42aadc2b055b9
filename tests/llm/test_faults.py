"""Every kind of fault ends as a reply or as one message: in time, in the budget, without a key or a traceback."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pytest
from faults import KEY, KINDS, FaultServer

from clew.encoding import RemoteEncoder
from clew.errors import ClewError
from clew.llm import Budget, ModelSettings, open_language_model, parse_answers
from clew.protocols import LLMRequest, Message

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def test_there_are_many() -> None:
    assert len(KINDS) >= 60


@pytest.mark.parametrize("kind", KINDS)
def test_a_language_model(kind: str, tmp_path: Path) -> None:
    with FaultServer(kind) as server:
        settings = ModelSettings(
            model="m", base_url=server.url, timeout_s=0.25, connect_timeout_s=0.5, max_retries=1, max_wait_s=0.02,
            budget=Budget(calls=9), cache=tmp_path / "c.db",
        )  # fmt: skip
        model = open_language_model(settings, api_key=KEY)
        asked = LLMRequest((Message("user", "capital of France?"),), max_tokens=20, seed=1)
        said: list[str] = []
        begun = time.monotonic()
        chances, formed = LLMRequest(asked.messages, 20, logprobs=True), LLMRequest(asked.messages, json_schema=SCHEMA)
        for request in (asked, chances, formed):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UserWarning)
                    (reply,) = model.generate([request])
            except ClewError as error:
                said.append(str(error))
            else:
                said.append(reply.text)
                reply.text.encode()
                assert len(reply.text) <= 64 * (4 * 200 + 4096 + 64)
                parse_answers(reply.text)
        try:
            said += model.stream(asked)
        except ClewError as error:
            said.append(str(error))
        assert time.monotonic() - begun < 30  # nine requests of a quarter of a second, on a machine that may be busy
        assert server.requests / (4 if "redirect" in kind else 1) <= model.usage.calls <= 9
        assert model.usage.prompt_tokens >= 0 <= model.usage.completion_tokens
        assert model.cache is not None
        model.cache.close()
    assert KEY not in "\n".join(said)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder(kind: str) -> None:
    with FaultServer(kind) as server:
        encoder = RemoteEncoder("m", base_url=server.url, api_key=KEY, timeout_s=0.25, retries=1, sleep=lambda _: None)
        with pytest.raises(ClewError) as caught:
            encoder.encode(["text"])
    assert KEY not in str(caught.value)
