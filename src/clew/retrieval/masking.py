"""Take the topics out of a question: what is left is the question's template, which is what generalises.

Apart from linking because training masks the topics that a data set states, without linking anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.graph.names import Word, words_of
from clew.types import Topic

_POSSESSIVE = re.compile(r"['’]s?$")
_QUALIFIER = re.compile(r"\s*\([^()]*\)$")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its topics."""

    text: str
    found: tuple[str, ...]  # what stood in the text for each topic; "" where nothing did
    marks: tuple[str, ...]  # what stands there now; topics of one name share a mark, "" where nothing did
    places: tuple[tuple[int, int, int], ...] = ()  # of each mark in `text`: start, end, first topic of its name


def placeholder(topic: int) -> str:
    """`[T1]` for the first topic, `[T2]` for the second."""
    return f"[T{topic + 1}]"


def mask_topics(text: str, topics: Sequence[Topic | Sequence[str]], mark: Callable[[int], str] = placeholder) -> Masked:
    """`text` with every occurrence of a topic's name replaced by the topic's mark.

    A name occurs where the words are equal up to case, accents, signs and underscores: "james k polk" is masked by the
    label "James K. Polk". The longest name goes first; of equal names the first topic's. A possessive ending stays.

    Args:
        topics: linked topics, whose names are their mention, their label and that without a closing bracket as in
            "Queen (band)"; or the names of each topic.
        mark: from a topic's position to what replaces it.
    """
    words = words_of(text)
    owner: dict[tuple[str, ...], int] = {}
    mine: list[list[tuple[str, ...]]] = []
    for i, topic in enumerate(topics):
        keys = [tuple(word.folded for word in words_of(name)) for name in _names(topic)]
        mine.append([key for key in keys if key])
        for key in mine[-1]:
            owner.setdefault(key, i)
    taken = [False] * len(words)
    places: list[tuple[int, int, int]] = []  # start, end, topic
    found: dict[tuple[str, ...], str] = {}
    for length in sorted({len(key) for key in owner if len(key) <= len(words)}, reverse=True):
        for first in range(len(words) - length + 1):
            last = first + length
            if taken[first] or taken[last - 1] or any(taken[first:last]):
                continue
            for key, end in _forms(words[first:last], text):
                if key in owner:
                    start = words[first].start
                    taken[first:last] = [True] * length
                    places.append((start, end, owner[key]))
                    found.setdefault(key, text[start:end])
                    break
    masked, at, marked = "", 0, []
    for start, end, number in sorted(places):
        masked += text[at:start]
        marked.append((len(masked), len(masked) + len(mark(number)), number))
        masked += mark(number)
        at = end
    keys_found = [next((key for key in keys if key in found), ()) for keys in mine]
    return Masked(
        masked + text[at:],
        tuple(found.get(key, "") for key in keys_found),
        tuple(mark(owner[key]) if key else "" for key in keys_found),
        tuple(marked),
    )


def _names(topic: Topic | Sequence[str]) -> list[str]:
    if not isinstance(topic, Topic):
        return list(topic)
    label = topic.entity.label
    return [topic.mention, label, _QUALIFIER.sub("", label)]


def _forms(words: Sequence[Word], text: str) -> list[tuple[tuple[str, ...], int]]:
    """The words as they stand, and without a possessive ending; each with where the name ends in the text."""
    as_is = tuple(word.folded for word in words)
    forms = [(as_is, words[-1].end)]
    ending = _POSSESSIVE.search(text[words[-1].start : words[-1].end])
    if ending and ending.group().endswith("s") and len(as_is[-1]) > 1:
        forms.append(((*as_is[:-1], as_is[-1][:-1]), words[-1].end - len(ending.group())))
    return forms
