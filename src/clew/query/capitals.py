"""Operator words that stand in names: "Mean Girls", "the First Minister" are read for no mean and no first."""

from __future__ import annotations

import re
from dataclasses import fields, is_dataclass, replace
from typing import Any

_ALONE = "Most Mean Total Minimum Maximum Average"
_BESIDE = (
    "More Less Fewer Than First Last Not Never Without No None Except Besides Before After Since Over Under "
    "Above Below "
    "Exactly Best Combined Sum"
)
_CAPITAL = re.compile(rf"(?<=[\w,] )(?P<word>{'|'.join((*_ALONE.split(), *_BESIDE.split()))})\b")
_SMALL_WORDS = """
a an the of in on at to for by and or with from is are was were
what who which how when where do does did has have
"""
_SMALL = frozenset(_SMALL_WORDS.split())
_SIGN = re.compile(r"qq(\w+?)qq", re.IGNORECASE)


def without_names(text: str) -> str:
    """A question in which operator words that stand capitalised in a sentence, as in a name, are signs: "Mean Girls".

    A question in which all that matters is capitalised says nothing of names by it, and stays.
    """
    if not any(w[0].islower() and w.lower() not in _SMALL for w in re.findall(r"[^\W\d_]+", text)):
        return text

    def sign(match: re.Match[str]) -> str:
        word = match["word"]
        beside = re.match(r"\W*[A-Z]", text[match.end() :]) or re.search(r"\b[A-Z][\w'’]* $", text[1 : match.start()])
        return f"qq{word}qq" if word in _ALONE.split() or beside else word

    return _CAPITAL.sub(sign, text)


def with_names(read: Any) -> Any:
    """What was read, with the words that stood for the signs, wherever they are."""
    if isinstance(read, str):
        return _SIGN.sub(r"\1", read)
    if isinstance(read, tuple):
        return tuple(map(with_names, read))
    if is_dataclass(read) and not isinstance(read, type):
        return replace(read, **{f.name: with_names(getattr(read, f.name)) for f in fields(read)})
    return read
