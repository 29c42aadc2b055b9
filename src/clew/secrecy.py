"""Keys, and how none of them is ever written.

Whoever takes a key from the environment tells it to `remember_secret`; whoever writes what may hold outside text (a
reply, a message, a row, a log) passes it through `redact`. One list for the process, because a server that echoes a
key does not say through which door it will leave.
"""

from __future__ import annotations

import json
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, quote, urlsplit

REDACTED = "[key]"
SHORTEST = 8  # shorter ones ("EMPTY", "ollama") are placeholders and words of replies
PUBLIC_PARAMETERS = frozenset({"api-version", "version"})  # of a URL; every other one may be a key
_lock = Lock()
_forms: tuple[str, ...] = ()


def remember_secret(value: str | None) -> None:
    """From now on `redact` hides `value`, also as it stands in a URL or in JSON. Short placeholders are left alone."""
    global _forms
    if value is None or len(value) < SHORTEST:
        return
    forms = {
        value,
        quote(value, safe=""),
        quote(value),
        json.dumps(value)[1:-1],
        json.dumps(value, ensure_ascii=False)[1:-1],
    }
    with _lock:
        _forms = tuple(sorted({*_forms, *forms}, key=len, reverse=True))


def redact(text: str) -> str:
    """`text` with every known secret replaced by `[key]`."""
    for form in _forms:
        if form in text:
            text = text.replace(form, REDACTED)
    return text


def redact_value(value: Any) -> Any:
    """A JSON value with every text in it redacted; deep values do not recurse without end, JSON bounds them."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list):
        return [redact_value(item) for item in value]
    if isinstance(value, dict):
        return {redact(str(key)): redact_value(item) for key, item in value.items()}
    return value


def secret_begins(text: str) -> int:
    """Where the end of `text` may be the beginning of a secret, else its length: what a stream must still hold back."""
    forms = _forms
    if not forms:
        return len(text)
    first = max(0, len(text) - len(forms[0]) + 1)
    return next((at for at in range(first, len(text)) if any(f.startswith(text[at:]) for f in forms)), len(text))


def public_url(url: str) -> str:
    """A URL without user, password, fragment and the values of parameters, which may be keys."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return redact(url.partition("?")[0])
    if not parts.scheme or not parts.hostname:
        return redact(url.partition("?")[0].rpartition("@")[2])
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    shown = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path}"
    known = [(key, value) for key, value in parse_qsl(parts.query) if key in PUBLIC_PARAMETERS]
    return redact(shown + ("?" + "&".join(f"{quote(k)}={quote(v)}" for k, v in known) if known else ""))
