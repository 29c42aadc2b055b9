"""How well relations and paths suit a question: readable relation text, the question taken apart, answer-type cues.

Separate from any method, because every method without training compares the words of a question with the names of
relations. Nothing here knows a dataset: the word lists are function words and question words of English.

Shapes: G phrases of a question, W its content words, D width of a vector.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from clew.labels import label_to_text
from clew.retrieval.masking import mask_topics
from clew.retrieval.words import FUNCTION

Cue = Literal["person", "place", "time", "number", "none"]

LONGEST_PHRASE = 4  # words
MOST_WORDS = 200  # of a question that are read
MASK = "\x00"

_WORD = re.compile(r"\x00|[^\W_]+(?:['’][^\W_]+)*")
_EMPTY = FUNCTION | {"called", "following", "different", "name", "named", "find", "same", "many", "much", "last"}
_CUES: tuple[tuple[re.Pattern[str], Cue], ...] = (
    (re.compile(r"\b(?:how (?:many|much|big|large|old|tall|long|high|far|populous)|number of|amount of)\b"), "number"),
    (re.compile(r"\b(?:when|(?:what|which|in what|in which) (?:year|date|day|month|decade|century)s?)\b"), "time"),
    (re.compile(r"\b(?:who|whom|whose)\b"), "person"),
    (re.compile(r"\bwhere\b"), "place"),
)
_LINK = re.compile(r"\bof\b|['’]s\b|\bwhose\b|\bby\b|(?<=\w )(?:that|which|who|where|whom)\b")
_BEING = ("is", "are", "was", "were", "the", "s")
_SHARED = re.compile(
    r"\b(?:same|share[sd]?|sharing|also|other|another|together|common|co|siblings?|brothers?|sisters?|colleagues?)\b"
)
_JOINT = re.compile(
    rf"\b(?:both|as well as|and also|in common|common|between)\b|{MASK}\W{{1,3}}(?:and|or)?\W{{0,3}}(?:the )?{MASK}"
)
CUE_TEXT: dict[Cue, str] = {"person": "person", "place": "place", "time": "date", "number": "number"}


@lru_cache(maxsize=65536)
def relation_text(name: str, forward: bool) -> str:
    """What one asks for when walking this relation: "capital" from a country, "capital of" from a city.

    Backwards, `X of` loses its "of", `X by` its "by" (the films one directed), `has X` and a noun become `X of`.
    """
    words = label_to_text(name).casefold()
    if words.startswith("has ") and len(words) > 4:
        words = words[4:]
    if forward:
        return words
    for ending in (" of", " by"):
        if words.endswith(ending):
            return words.removesuffix(ending)
    return words if words.endswith((" in", " at", " to", " for", " with", "s")) else f"{words} of"


@dataclass(frozen=True, slots=True)
class QuestionParts:
    """A question taken apart. Positions count the words of the masked text, topics included."""

    text: str  # topics masked by "it"
    phrases: tuple[str, ...]  # (G,) 1..LONGEST_PHRASE words with at least one content word; then the cue's
    spans: tuple[tuple[int, int], ...]  # (G,) of each phrase; the cue's is (-1, -1)
    words: tuple[int, ...]  # (W,) phrase numbers of the single content words
    topics: tuple[int, ...]  # positions of the masked topics; empty where none stands in the text
    cue: Cue
    heads: tuple[int, ...]  # phrases that name what is asked for: the noun after "which", the cue's
    left_out: int  # words beyond MOST_WORDS
    links: int  # words that chain one thing to another: of, 's, by, whose, relative pronouns
    shared: bool  # asks for what has something in common with something else ("same", "also", "co-star")
    joint: bool  # names several topics together ("both A and B", "common neighbours of A and B")


def mask(question: str, mentions: Sequence[str]) -> tuple[str, list[bool]]:
    """The question with each mention replaced by MASK, and which mentions were found."""
    masked = mask_topics(question.replace(MASK, " "), [[mention] for mention in mentions], lambda _: f" {MASK} ")
    return masked.text, [bool(name) for name in masked.found]


def take_apart(question: str, mentions: Sequence[str]) -> QuestionParts:
    """The phrases of a question, its topics masked out so that a name never passes for a wish."""
    masked, _ = mask(question, mentions)
    words = [w.casefold() for w in _WORD.findall(masked)]
    links = len(_LINK.findall(masked.casefold()))
    words, left_out = [re.sub(r"['’]s$", "", w) for w in words[:MOST_WORDS]], max(len(words) - MOST_WORDS, 0)
    topics = tuple(i for i, w in enumerate(words) if w == MASK)
    content = [w not in _EMPTY and w != MASK and len(w) > 1 for w in words]
    phrases: dict[tuple[int, int], str] = {}
    for length in range(1, LONGEST_PHRASE + 1):
        for start in range(len(words) - length + 1):
            inside = words[start : start + length]
            if MASK in inside or not any(content[start : start + length]):
                continue
            if inside[0] in ("the", "a", "an", "and", "or", "is", "are"):
                continue
            phrases[start, start + length] = " ".join(inside)
    spans = list(phrases)
    texts = list(phrases.values())
    singles = tuple(i for i, (start, end) in enumerate(spans) if end - start == 1 and content[start])
    if not phrases:  # "who is X": nothing is wished for but what the question word says
        spans, texts = [(-1, -1)], [" ".join("it" if w == MASK else w for w in words) or "it"]
    plain = " ".join("it" if w == MASK else w for w in words)
    cue = answer_cue(plain)
    heads = _heads(words, spans, singles, cue)
    if cue != "none":
        heads = (*heads, len(texts))
        spans.append((-1, -1))
        texts.append(CUE_TEXT[cue])
    return QuestionParts(
        plain,
        tuple(texts),
        tuple(spans),
        singles,
        topics,
        cue,
        heads,
        left_out,
        links,
        shared=bool(_SHARED.search(plain)),
        joint=len(topics) > 1 and bool(_JOINT.search(masked.casefold())),
    )


def _heads(words: list[str], spans: list[tuple[int, int]], singles: tuple[int, ...], cue: Cue) -> tuple[int, ...]:
    """The content words next after "what" or "which", or the first ones where no question word says what is asked."""
    asking = [i for i, w in enumerate(words) if w in ("what", "which", "whats")]
    if not asking and cue != "none":
        asking = [i for i, w in enumerate(words[:-1]) if w in ("who", "whos") and words[i + 1] in _BEING]
        if not asking:
            return ()
    after = asking[-1] if asking else -1
    follow = [i for i in singles if spans[i][0] > after]
    return tuple(follow[:1])


def answer_cue(question: str) -> Cue:
    """What kind of thing the question word asks for."""
    text = question.casefold()
    return next((cue for pattern, cue in _CUES if pattern.search(text)), "none")


_YEAR = re.compile(r"[-+]?\d{3,4}(?:-\d\d){0,2}(?:T.*)?")
_NUMBER = re.compile(r"[-+]?\d[\d,. ]*(?:e[-+]?\d+)?", re.IGNORECASE)


def value_cue(label: str, datatype: str | None) -> Cue:
    """What kind of thing a literal or a label is, as far as its form tells: a time, a number, or none of these."""
    kind = (datatype or "").rsplit("#", 1)[-1].casefold()
    if kind in ("date", "datetime", "gyear", "gyearmonth", "time"):
        return "time"
    if _YEAR.fullmatch(label) and (not kind or kind == "string") and len(label.split("-")[0]) == 4:
        return "time"
    return "number" if _NUMBER.fullmatch(label) and kind != "string" else "none"
