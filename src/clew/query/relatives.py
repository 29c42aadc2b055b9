"""Further relatives by nearer ones: a grandson is a child's son, an aunt a parent's sister.

Graphs seldom name the further ones. Kept apart from reading and composing because both ask questions in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from clew.labels import label_to_text

_MANY = {"child": "children", "children": "children", "wife": "wives"}
_UP, _DOWN = ("father", "mother", "parent", "dad", "mom", "mum"), ("son", "daughter", "child", "children", "kid")
_FURTHER = {
    **{f"grand{one}": f"parent's {one}" for one in _UP},
    "grandma": "parent's mother",
    "grandpa": "parent's father",
    **{f"grand{one}": f"child's {one}" for one in _DOWN},
    **{f"{one} in law": f"spouse's {one}" for one in _UP},
    **{f"{one} in law": f"child's {other}" for one, other in (("son", "husband"), ("daughter", "wife"))},
    "uncle": "parent's brother",
    "aunt": "parent's sister",
    "nephew": "sibling's son",
    "niece": "sibling's daughter",
    "cousin": "parent's sibling's child",
}
"""Relatives that graphs seldom name, by those that they do."""
_SIDES = {"paternal": "father", "maternal": "mother", "father": "father", "mother": "mother"}
_RELATIVE = re.compile(
    r"\b(?:(?P<side>paternal|maternal)[- ])?(?P<great>(?:great[- ]?)*)(?P<word>"
    + "|".join(sorted((word.replace(" ", "[- ]").replace("grand", "grand[- ]?") for word in _FURTHER), key=len)[::-1])
    + r")(?P<many>s?)\b(?: on (?:the|his|her|their) (?P<behind>father|mother)['’]?s side\b)?(?=(?P<of>\s+of\b)?)",
    re.IGNORECASE,
)


def has_relatives(question: str) -> bool:
    """Whether `spelled_out` may change a question."""
    return _RELATIVE.search(question) is not None


def spelled_out(question: str, mentions: Sequence[str], relations: Iterable[str]) -> str:
    """The question with further relatives by nearer ones: "X's grandson" as "X's child's son".

    Args:
        mentions: names in the question, which stay as they are.
        relations: labels of the graph; a relative that one of them names stays too.
    """
    if _RELATIVE.search(question) is None or any(_RELATIVE.search(mention) for mention in mentions):
        return question

    def nearer(match: re.Match[str]) -> str:
        word = match["word"].casefold().replace("-", " ")
        steps = (_FURTHER.get(word) or _FURTHER[word.replace(" ", "")]).split("'s ")
        steps = [steps[0]] * match["great"].casefold().count("great") + steps
        side = _SIDES.get((match["side"] or match["behind"] or "").casefold())
        if side and steps[0] == "parent":
            steps[0] = side
        if match["many"]:
            steps[-1] = _MANY.get(steps[-1], f"{steps[-1]}s")
        return " of the ".join(reversed(steps)) if match["of"] else "'s ".join(steps)

    named = _RELATIVE.search(" ".join(label_to_text(label) for label in relations))
    return question if named else _RELATIVE.sub(nearer, question)
