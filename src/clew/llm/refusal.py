"""What an error of an OpenAI-compatible server means: which parameter it refuses, how long to wait, why it failed.

Kept apart from the backend because this is knowledge about servers, each line learnt from one of them.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

_OPTIONAL = ("temperature", "seed", "stop", "n", "top_logprobs")


def refusal(status: int, message: str, sent: Mapping[str, Any]) -> str | None:
    """The parameter that a 4xx message complains about, if we can do without it."""
    if status not in (400, 404, 422):
        return None
    lowered = message.lower()
    if "max_completion_tokens" in lowered and "max_tokens" in sent:
        return "max_tokens"
    if any(word in lowered for word in ("response_format", "structured_output", "json_schema", "json schema")):
        body = sent.get("extra_body") or {}
        return "response_format" if "response_format" in sent or "structured_outputs" in body else None
    if "logprobs" in lowered and "logprobs" in sent:
        return "logprobs"
    quoted = lowered.replace('"', "'").replace("`", "'")
    return next((key for key in _OPTIONAL if key in sent and f"'{key}'" in quoted), None)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds the server asks us to wait: `retry-after-ms`, seconds, or an HTTP date."""
    for key, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(key)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(value).timestamp() - time.time()
            except ValueError:
                continue
        if seconds == seconds:  # a NaN is not a time
            return max(0.0, seconds)
    return None


def of_transport(error: Exception) -> bool:
    """Whether the client's transport raised it: httpx under openai 2, httpx2 under openai 3."""
    return type(error).__module__.startswith(("openai", "httpx"))


def is_connect(error: BaseException) -> bool:
    return "Connect" in type(error.__cause__).__name__


def cause(error: BaseException) -> str:
    """The innermost reason, in one line."""
    body = getattr(error, "body", None)
    if isinstance(body, Mapping):
        inner = body.get("error", body)
        text = inner.get("message") if isinstance(inner, Mapping) else None
        code = inner.get("code") if isinstance(inner, Mapping) else None
        if isinstance(text, str):
            return " ".join(f"{text} [{code}]".split() if code else text.split())[:300]
    while error.__cause__ is not None:
        error = error.__cause__
    return " ".join((str(error) or type(error).__name__).split())[:300]
