"""The settings of a language model, and the recipes that the documentation shows."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from clew.config import parse
from clew.errors import ConfigError
from clew.llm import ModelSettings

PAGE = Path(__file__).parent.parent.parent / "docs" / "language-models.md"


def test_every_recipe_of_the_page_is_a_configuration() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 4
    for block in blocks:
        tree = tomllib.loads(block)
        assert set(tree) == {"language_model"}
        assert parse(ModelSettings, tree["language_model"], "page").model


@pytest.mark.parametrize(
    ("tree", "words"),
    [
        ({"modle": "x"}, "nearest: 'model'"),
        ({"budget": {"call": 3}}, r"nearest: 'calls'.* in \[budget\]"),
        ({"budget": {"tokens": -1}}, "budget.tokens = -1"),
        ({"api_key": "sk-secret"}, "nearest: 'api_key_env'"),
        ({"backend": "vllm"}, "'openai' or 'local'"),
    ],
)
def test_wrong_settings_are_named(tree: dict[str, object], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        parse(ModelSettings, tree, "clew.toml")


def test_secrets_do_not_reach_a_manifest() -> None:
    assert not [name for name in ModelSettings.model_fields if name in ("api_key", "key", "token", "password")]
