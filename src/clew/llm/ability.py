"""What only some language models can do, checked when a method is opened and when a request is made."""

from __future__ import annotations

from collections.abc import Collection

from clew.errors import UnsupportedError
from clew.protocols import Ability, LanguageModel, LLMRequest

_LOCAL = "models opened with backend = 'local' have beams, logprobs, soft_prompt and constrained"


def require_abilities(model: LanguageModel, needed: Collection[Ability], who: str) -> None:
    """Raises UnsupportedError when `model` lacks an ability that `who` needs; call it before the first question."""
    missing = sorted(set(needed) - model.abilities)
    if missing:
        has = ", ".join(map(repr, sorted(model.abilities))) or "none"
        raise UnsupportedError(
            f"{who} needs a language model with {', '.join(map(repr, missing))}; {model.name} has {has}; {_LOCAL}"
        )


def check_request(model: LanguageModel, request: LLMRequest) -> None:
    """Raises UnsupportedError when a request asks for what `model` cannot do."""
    asked: dict[Ability, bool] = {
        "beams": request.beams > 0,
        "logprobs": request.logprobs,
        "soft_prompt": request.soft_prompt is not None,
        "constrained": request.constraint is not None,
    }
    require_abilities(model, [ability for ability, wanted in asked.items() if wanted], "this request")
