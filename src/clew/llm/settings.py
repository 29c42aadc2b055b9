"""What a user may say about a language model. Secrets are never settings: they come from the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from clew.config import Settings


class Price(Settings):
    """What a million tokens cost, in the currency the user thinks in."""

    prompt: float = Field(default=0.0, ge=0)
    completion: float = Field(default=0.0, ge=0)


class Budget(Settings):
    """Limits of one opened model; 0 means no limit. Reaching one stops hard with BudgetError."""

    calls: int = Field(default=0, ge=0)  # requests, failed ones and retries included
    tokens: int = Field(default=0, ge=0)  # prompt and completion together
    cost: float = Field(default=0.0, ge=0)  # in the currency of the prices
    seconds: float = Field(default=0.0, ge=0)  # wall clock since the model was opened


class ModelSettings(Settings):
    """The section `[language_model]` of a configuration."""

    own: ClassVar[bool] = True  # it names servers, keys and files: never taken from a graph, a model or a stray file

    backend: Literal["openai", "local"] = "openai"  # any OpenAI-compatible server, or transformers in this process
    model: str = ""  # name at the server; for `local` a folder or hub name
    base_url: str | None = None  # default: OPENAI_BASE_URL, else the OpenAI cloud
    api_key_env: str = "OPENAI_API_KEY"  # name of the environment variable that holds the key
    timeout_s: float = Field(default=120.0, gt=0)  # for a whole reply
    connect_timeout_s: float = Field(default=1.5, gt=0)  # to open a connection
    max_retries: int = Field(default=4, ge=0)  # of a request that failed for a passing reason
    max_wait_s: float = Field(
        default=60.0, ge=0
    )  # longest pause between two tries, also when Retry-After asks for more
    concurrency: int = Field(default=8, ge=1, le=512)  # requests under way at once
    seed: int | None = None  # used where a request names none
    extra_body: dict[str, Any] = Field(default_factory=dict)  # sent with every call as it is
    # how JSON is asked for; probe: found out once per server and model, and remembered
    json_mode: Literal["probe", "json_schema", "structured_outputs", "json_object", "prompt"] = "probe"
    logprobs: bool = True  # set to false for servers that give none
    # tokens of every reply that are for thinking, beside what a task asks for; None: found out from a reply that
    # holds nothing but thoughts
    thinking_tokens: int | None = Field(default=None, ge=0)
    retry_cut: bool = True  # ask once more, with room for four times as much, when a reply was cut at its limit

    adapter: Path | None = None  # local: a peft folder
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"  # local
    four_bit: bool = False  # local: weights in 4 bits (bitsandbytes); an NVIDIA GPU only
    device: str = "auto"  # local
    batch_size: int = Field(default=16, ge=1)  # local
    chat_template: Path | Literal["plain"] | None = None  # local: a file that replaces the tokenizer's own, or "plain"
    template_options: dict[str, Any] = Field(default_factory=dict)  # local: for the template, e.g. enable_thinking

    prices: dict[str, Price] = Field(default_factory=dict)  # by model name
    budget: Budget = Budget()
    batch: Path | None = None  # folder of batch files: requests are written there and replies read, nothing is sent
    cache: Path | None = None  # SQLite file of replies and call log; None: nothing is kept
