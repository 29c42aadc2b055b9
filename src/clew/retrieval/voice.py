"""Which way a relation is meant, by whether the name in a question does what its verb says or has it done to it.

"Who reports to Ana" and "whom does Ana report to" have the same words and opposite answers; their order tells them
apart. Only verbs are read: a relation called by a noun ("mother") says its direction itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from clew.query.vocabulary import SYNONYMS, forms, head_of, stem
from clew.retrieval.lexicon import stems
from clew.retrieval.words import FUNCTION

_PREPOSITIONS = frozenset(["to", "for", "in", "on", "at", "by", "with", "from", "under", "of", "into", "through"])
_BETWEEN = frozenset(["the", "a", "an", "directly", "only", "also", "all", "any", "their", "ever"]) | _PREPOSITIONS
_DO = frozenset(["does", "do", "did", "has", "have", "had"])
_BE = frozenset(["is", "are", "was", "were"])
_PAST = frozenset(["taught", "wrote", "won", "built", "led", "made", "ran", "sang", "held", "sold", "bought", "took"])
_NO_VERBS = frozenset(["has", "have", "is", "are", "was", "were", "of", "name", "type"])
_ABOVE = frozenset(["manager", "supervisor", "boss", "superior"])  # relations to whom somebody reports
_MUTUAL = frozenset(  # hold both ways, however they are stated
    ["border", "neighbour", "neighbor", "adjoin", "marry", "married", "connect", "link", "interact", "overlap", "meet"]
)


def leads(words: Sequence[str], start: int, end: int, label: str) -> bool | None:
    """Whether a relation is meant forwards from the name at `words[start:end]`; None where the words do not say.

    Args:
        words: the question, lower case. label: the relation's name as words.

    >>> leads(["who", "reports", "to", "ana"], 3, 4, "reports to")
    False
    """
    parts = label.lower().split()
    if parts and stem(parts[-1]) in _ABOVE:
        return _reports(words, start, end)
    if not parts or parts[0] in _NO_VERBS or parts[0] in FUNCTION or len(parts) > 2:
        return None
    link = parts[1] if len(parts) == 2 else ""
    if stem(parts[0]) in _MUTUAL or (link and link not in _PREPOSITIONS - {"of"}):
        return None
    if not link and not parts[0].endswith(("s", "ed")) and parts[0] not in _PAST:
        return None
    does = _does(words, start, end, parts[0], link)
    return None if does is None else does != (link == "by")


def times_said(words: Sequence[str], label: str) -> int:
    """How often one of some words names a relation: twice in "the boss of Ana's boss" where it is called manager."""
    parts = set(stems(head_of(label))) - FUNCTION
    meant = parts.union(*(SYNONYMS.get(part, ()) for part in parts))
    said = Counter(map(stem, words))
    named = (n for word, n in said.items() if word in meant or not parts.isdisjoint(SYNONYMS.get(word, ())))
    return max(named, default=0)


def _reports(words: Sequence[str], start: int, end: int) -> bool | None:
    """Whether the manager of the name is asked for, and not those whose manager it is."""
    below = {"reports", "subordinates", "underlings"}
    if below & set(words[end : end + 3]) or (below & set(words[:start]) and words[end : end + 1] == ["have"]):
        return False  # "Ana's direct reports", "how many reports does Ana have"
    for verb, link in (("report", "to"), ("answer", "to"), ("work", "under"), ("work", "for")):
        if (does := _does(words, start, end, verb, link)) is not None:
            return does
    over = (_does(words, start, end, verb, "") for verb in ("manage", "supervise", "oversee"))
    return next((not does for does in over if does is not None), None)


def _does(words: Sequence[str], start: int, end: int, verb: str, link: str) -> bool | None:
    """Whether the name is the subject of a verb; None where it is neither that nor its object."""
    said = forms(verb)
    before, between = start - 1, set[str]()
    while before >= 0 and words[before] in _BETWEEN:
        between.add(words[before])
        before -= 1
    if before >= 0 and forms(words[before]) & said:
        other = (between & _PREPOSITIONS) - {link, "by"}
        if other or (link not in ("", "by") and link not in between):
            return None
        return "by" in between
    later = next((i for i in range(end, len(words)) if forms(words[i]) & said), None)
    if later is None or start == 0:
        return None
    beside = words[later + 1] if later + 1 < len(words) else ""
    if beside in _PREPOSITIONS - {link, "by"}:
        return None
    if words[start - 1] in _DO:
        return "been" not in words[end:later]
    if words[start - 1] in _BE:
        return words[later].endswith("ing")
    return True if later == end and words[later] not in FUNCTION else None
