"""What an error of an OpenAI-compatible server means: which parameter it refuses, how long to wait, why it failed.

Kept apart from the backend because this is knowledge about servers, each line learnt from one of them.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from clew.secrecy import redact

_OPTIONAL = ("temperature", "seed", "stop", "n", "top_logprobs")


def refusal(status: int, message: str, sent: Mapping[str, Any]) -> str | None:
    """The parameter that a 4xx message complains about, if we can do without it."""
    if status not in (400, 404, 422):
        return None
    lowered = message.lower()
    if "max_completion_tokens" in lowered and "max_tokens" in sent:
        return "max_tokens"
    if any(word in lowered for word in ("response_format", "structured_output", "json_schema", "json schema")):
        return "response_format" if "response_format" in sent or "structured_outputs" in sent else None
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
            except (ValueError, OverflowError, TypeError):
                continue
        if seconds == seconds:  # a NaN is not a time
            return max(0.0, seconds)
    return None


def message_of(body: bytes) -> str:
    """What a server's error says, in one line without keys: its `error.message` and code, else the text itself."""
    said = body[:4000].decode("utf-8", "replace")
    try:
        data: Any = json.loads(body[:65536])
    except (ValueError, RecursionError):
        return _line(said)
    inner = data.get("error", data) if isinstance(data, Mapping) else data
    if isinstance(inner, Mapping):
        text, code = inner.get("message") or inner.get("detail"), inner.get("code")
        said = f"{text} [{code}]" if text and isinstance(code, (str, int)) else str(text) if text else said
    elif isinstance(inner, str):
        said = inner
    return _line(said)


def _line(text: str) -> str:
    return redact(" ".join(text.split()))[:300] or "no message"
