"""Relations in the words of a question: what a graph calls `parents` is the "father" that somebody asks for.

Separate from wording and ranking because both readers need it. A step is reworded only by a noun that stands in the
question and that general English (`clew.synthesis.lexicon`) knows for the relation, walked this way or the other:
`children` walked backward is asked for as "mother". Everything else keeps its own words.
"""

from __future__ import annotations

import re
from functools import lru_cache

from clew.labels import label_to_text
from clew.synthesis.lexicon import meaning_of
from clew.synthesis.verbs import plural_of

_WORD = re.compile(r"[^\W_]+")
VAGUE = ("kind", "type", "style")  # "what kind of guitar" asks for no genre
MOST = 2  # nouns of one step that the question holds and that are kept


def plain_text(question: str) -> str:
    """Lower case, without signs, with a blank at both ends: what `as_asked` looks in."""
    return f" {' '.join(_WORD.findall(question.casefold()))} "


@lru_cache(maxsize=65536)
def nouns_of(label: str, forward: bool) -> tuple[tuple[str, str], ...]:
    """What people call a step over this relation, each with its plural; () where the lexicon does not know it.

    Of a dotted name (`people.person.place_of_birth`) the last part tells the meaning.
    """
    last = label.rsplit(".", 1)[-1] if label.count(".") >= 2 else label
    meaning = meaning_of(label_to_text(last).casefold().removesuffix(" s"))
    if meaning is None:
        return ()
    nouns = meaning.nouns if forward else meaning.converse
    return tuple((noun.casefold(), plural_of(noun.casefold())) for noun in nouns if noun not in VAGUE)


def as_asked(label: str, words: str, forward: bool, question: str) -> tuple[str, bool]:
    """Words for a step as the question says it, and whether they name it in the direction in which it is walked.

    Args:
        words: the relation's own plain words. question: from `plain_text`.

    Returns:
        (nouns of the question, True); (a noun for the other direction, True) where nothing else is known of a step
        walked backward; else (`words`, `forward`).
    """
    nouns = nouns_of(label, forward)
    if not nouns or (forward and f" {words} " in question):
        return words, forward
    held = [one if f" {one} " in question else many for one, many in nouns if _holds(question, one, many)]
    if held:
        return " ".join(held[:MOST]), True
    return (words, True) if forward else (nouns[0][0], True)


def _holds(question: str, one: str, many: str) -> bool:
    return f" {one} " in question or f" {many} " in question
