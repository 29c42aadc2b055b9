"""When two answers count as the same, and how predictions are paired with gold answers.

Kept apart from the metrics because every published KGQA score rests on one normalisation, and because what differs
between the metrics is only what they do with it. Containment (`contains`) is what the published metrics use and is
lenient by design: "Northern Ireland" contains "Ireland". The primary metrics use equality of `key` instead.
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from clew.types import Gold

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@lru_cache(maxsize=1 << 16)
def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation, without the words a, an, the, spaces collapsed (methods.md 6.2)."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def contains(prediction: str, gold: str) -> bool:
    """Whether the normalised gold is a substring of the normalised prediction, as RoG and those after it count."""
    return normalise(gold) in normalise(prediction)


@lru_cache(maxsize=1 << 16)
def key(text: str) -> str:
    """What two texts must share to be one answer.

    The normalised text in Unicode composition form C; where nothing is left of it ("!!!", "The The"), the text itself
    in lower case, so that an empty key never matches everything.
    """
    composed = unicodedata.normalize("NFC", text)
    return normalise(composed) or composed.strip().casefold()


def accepted(gold: Gold) -> list[frozenset[str]]:
    """The keys of each distinct gold answer: its own and those of its aliases. Answers with one key are one answer."""
    keys: dict[str, set[str]] = {}
    for i, answer in enumerate(gold.answers):
        mine = keys.setdefault(key(answer), {key(answer)})
        if i < len(gold.aliases):
            mine.update(key(alias) for alias in gold.aliases[i])
    return [frozenset(each) for each in keys.values()]


def distinct(texts: Sequence[str]) -> list[str]:
    """The keys of predictions, best first, each once."""
    return list(dict.fromkeys(key(text) for text in texts))


def matched(predictions: Sequence[str], golds: Sequence[frozenset[str]]) -> int:
    """The largest number of predictions that can be paired one-to-one with golds that accept them.

    A maximum matching and not a greedy one: with shared aliases a greedy pairing depends on the order of lines, and a
    score must not. Found by augmenting paths (Kuhn); without shared aliases each step is a look-up.
    """
    accepting: dict[str, list[int]] = {}
    for g, keys in enumerate(golds):
        for each in keys:
            accepting.setdefault(each, []).append(g)
    owner: dict[int, int] = {}
    return sum(_augment(p, predictions, accepting, owner, set()) for p in range(len(predictions)))


def _augment(
    p: int, predictions: Sequence[str], accepting: dict[str, list[int]], owner: dict[int, int], seen: set[int]
) -> bool:
    for g in accepting.get(predictions[p], ()):
        if g in seen:
            continue
        seen.add(g)
        if g not in owner or _augment(owner[g], predictions, accepting, owner, seen):
            owner[g] = p
            return True
    return False
