"""What only some language models can do: abilities, which a request needs, and what a model may offer beside the seam.

Abilities are checked when a method is opened and when a request is made. What is offered beside the seam is a protocol
of one or two members, so that wrapping a model loses nothing and nobody looks inside a wrapper.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from clew.errors import UnsupportedError
from clew.protocols import Ability, LanguageModel, LLMRequest, Message

BYTES_PER_TOKEN = 3.0  # low on purpose: English has about four, and a Chinese character takes three

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


@runtime_checkable
class TokenCounts(Protocol):
    """Has its tokenizer here."""

    def count_tokens(self, text: str) -> int: ...


@runtime_checkable
class Bounded(Protocol):
    """Knows how long its context is."""

    def room(self, messages: Sequence[Message]) -> float: ...


@runtime_checkable
class Streams(Protocol):
    """Hands a text over in pieces."""

    def stream(self, request: LLMRequest) -> Iterator[str]: ...


@runtime_checkable
class Lists(Protocol):
    """Stands before a server that can be asked for its models."""

    def models(self) -> list[str]: ...


@runtime_checkable
class Learns(Protocol):
    """Finds things out about a server that are worth keeping."""

    def remember(self, known: Mapping[str, Any]) -> None: ...
    def findings(self) -> dict[str, Any]: ...


def estimate_tokens(text: str) -> int:
    """A cautious guess of how many tokens `text` takes, for models whose tokenizer is elsewhere."""
    return int(len(text.encode("utf-8", "surrogatepass")) / BYTES_PER_TOKEN) + 1


def token_counter(model: LanguageModel) -> Callable[[str], int]:
    """How to count the tokens of a text for `model`: its own tokenizer where it has one here, else an estimate."""
    return model.count_tokens if isinstance(model, TokenCounts) else estimate_tokens


def room(model: LanguageModel, messages: Sequence[Message]) -> float:
    """How many tokens a reply to `messages` may have; without end where the model does not say."""
    return model.room(messages) if isinstance(model, Bounded) else math.inf
