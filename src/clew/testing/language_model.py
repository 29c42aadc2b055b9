"""What every language model must do, as a suite that a third party runs on its own.

Subclass `LanguageModelSuite` in a pytest file and give it a fixture `model`:

    class TestMine(LanguageModelSuite):
        @pytest.fixture
        def model(self):
            return MyModel()
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import get_args

import numpy as np
import pytest

from clew.errors import UnsupportedError
from clew.llm.reply import parse_json
from clew.protocols import Ability, LanguageModel, LLMRequest, Message

_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 12}},
    "required": ["city"],
    "additionalProperties": False,
}


def _ask(text: str, **options: object) -> LLMRequest:
    return LLMRequest((Message("user", text),), **{"max_tokens": 24, **options})  # type: ignore[arg-type]


class LanguageModelSuite:
    """Inherit and provide the fixture `model`. Tests of abilities a model does not claim are skipped."""

    def test_is_a_language_model(self, model: LanguageModel) -> None:
        assert isinstance(model, LanguageModel)
        assert model.name
        assert model.name == model.name.strip()
        assert model.abilities <= set(get_args(Ability))

    def test_empty_batch(self, model: LanguageModel) -> None:
        assert model.generate([]) == []

    def test_one_reply_per_request_with_usage(self, model: LanguageModel) -> None:
        replies = model.generate([_ask("Name a city."), _ask("Name a river."), _ask("Name a city.")])
        assert len(replies) == 3
        for reply in replies:
            assert len(reply.texts) == 1
            assert reply.text == reply.texts[0].text
            assert reply.usage.calls + reply.usage.cached_calls >= 1  # what a server refuses is asked for again
            assert reply.usage.cached_calls or reply.usage.prompt_tokens > 0
            assert reply.usage.completion_tokens <= 24

    def test_greedy_repeats_itself(self, model: LanguageModel) -> None:
        first, second = (model.generate([_ask("Name a city.")])[0] for _ in range(2))
        assert first.text == second.text

    def test_n_texts(self, model: LanguageModel) -> None:
        (reply,) = model.generate([_ask("Name a city.", n=3, temperature=1.0, seed=1)])
        assert len(reply.texts) == 3

    def test_max_tokens(self, model: LanguageModel) -> None:
        (reply,) = model.generate([_ask("Tell a long story.", max_tokens=2)])
        assert reply.usage.completion_tokens <= 2

    def test_system_message(self, model: LanguageModel) -> None:
        request = LLMRequest((Message("system", "Be brief."), Message("user", "Name a city.")), max_tokens=8)
        assert len(model.generate([request])) == 1

    def test_concurrent_callers(self, model: LanguageModel) -> None:
        request = _ask("Name a city.")
        alone = model.generate([request])[0]
        with ThreadPoolExecutor(4) as pool:
            replies = list(pool.map(lambda _: model.generate([request])[0], range(8)))
        assert len(replies) == 8
        assert all(len(reply.texts) == len(alone.texts) for reply in replies)

    def test_json_schema(self, model: LanguageModel) -> None:
        if "json_schema" not in model.abilities:
            pytest.skip("no json_schema")
        (reply,) = model.generate([_ask("Name a city as JSON.", max_tokens=64, json_schema=_SCHEMA)])
        assert parse_json(reply.text, _SCHEMA).ok, reply.text

    def test_logprobs(self, model: LanguageModel) -> None:
        request = _ask("Name a city.", logprobs=True)
        if "logprobs" not in model.abilities:
            with pytest.raises(UnsupportedError):
                model.generate([request])
            return
        text = model.generate([request])[0].texts[0]
        assert text.logprob is not None
        assert text.logprob <= 0.0
        assert text.tokens > 0

    def test_beams(self, model: LanguageModel) -> None:
        request = _ask("Name a city.", beams=3, n=3, max_tokens=6)
        if "beams" not in model.abilities:
            with pytest.raises(UnsupportedError):
                model.generate([request])
            return
        scores = [text.logprob for text in model.generate([request])[0].texts]
        assert len(scores) == 3
        assert all(score is not None for score in scores)

    def test_soft_prompt_is_refused_where_unable(self, model: LanguageModel) -> None:
        if "soft_prompt" in model.abilities:
            pytest.skip("able; its width is the model's own affair")
        with pytest.raises(UnsupportedError, match="soft_prompt"):
            model.generate([_ask("x", soft_prompt=np.zeros((1, 4), np.float32))])
