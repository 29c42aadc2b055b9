"""RoE under the suite that every method passes: an untrained chat model, one reply per state."""

from __future__ import annotations

import pytest
from roe_films import by_relation

from clew.protocols import LanguageModel
from clew.testing.fake_llm import FakeLanguageModel
from clew.testing.method import MethodSuite


class TestRoe(MethodSuite):
    name = "roe"

    @pytest.fixture(scope="class")
    @classmethod
    def language_model(cls) -> LanguageModel:
        return FakeLanguageModel(by_relation)
