"""The two names that a question compares, found in the graph, whatever stands around them.

Kept apart from `query.comparisons`, which reads the words of a comparison and knows no graph: quotes, articles, lower
case, shortened names and words behind the second name are no matter here, where both names must be in the graph.
"""

from __future__ import annotations

import re
from dataclasses import replace

from clew.graph import Graph
from clew.query.asked import ReadQuestion
from clew.query.comparisons import between
from clew.query.vocabulary import stem
from clew.retrieval.linking import link_topics
from clew.types import Question

_JOINED = re.compile(r",? (?P<by>or|vs\.?|versus|than) ", re.IGNORECASE)
_JOINED_TOO = re.compile(r",? (?P<by>and|or|vs\.?|versus|than) ", re.IGNORECASE)  # "the difference between A and B"
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|most|least|first|last|earlier|later|sooner|better|worse|older|difference|\w{2,}er)\b",
    re.IGNORECASE,
)
_BY_HOW = re.compile(  # how far they are apart
    r"^(?:by )?how (?:much|many(?: (?!more|less|fewer)[a-z]+)?) (?=(?:.* )?(?:more|less|fewer|[a-z]{2,}er)\b)",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\b(?:the )?difference (?:in|of) (?:the |their )?(?P<what>[a-z]+(?: [a-z]+)?)", re.IGNORECASE)
_TRUTH = re.compile(r"(?:is|are|was|were|do|does|did|has|have|had|can|will|would)\b", re.IGNORECASE)
_TAIL = re.compile(r"[\s\"'“”«».,;:?!()—–-]+")
_LEAD = re.compile(
    r"(?:[\s\"'“”«».,;:?!()—–-]|\b(?:the|a|an|at|in|on|by|from|with|for|did|does|do|is|was|it|that of)\b)*",
    re.IGNORECASE,
)
_TRAIL = re.compile(
    r"(?:\b(?:the|a|an|at|in|on|by|from|with|for|between|of|either)\b|[\s\"'“”«»(,:;—–-])*$", re.IGNORECASE
)


def of_two_names(text: str, graph: Graph) -> ReadQuestion | None:
    """A comparison of two things that the graph names; None where one side is none or nothing is compared."""
    if _COMPARES.search(text) is None:
        return None
    plain = re.sub(r"\s+", " ", text.strip()).rstrip("?!. ")
    plain, apart = _DIFFERENCE.sub(r"more \g<what>", plain), _DIFFERENCE.search(plain) is not None
    for joined in (_JOINED_TOO if apart else _JOINED).finditer(plain):
        than = joined["by"].lower() == "than"
        left, right = _left(plain[: joined.start()], graph, inside=than), _right(plain[joined.end() :], graph)
        if left is None or right is None:
            continue
        before, a, behind = left
        b, after = right
        if than and b[:1].isdigit():
            continue  # a stated figure
        ask = re.sub(r"\s+", " ", f"{_TRAIL.sub('', before)} {behind} {_TAIL.sub(' ', after)}").strip()
        apart = apart or (than and _BY_HOW.match(ask) is not None)
        read = between(_BY_HOW.sub("", ask), (a, b), truth=than and _TRUTH.match(plain) is not None)
        if read is not None and stem(a.casefold()) != stem(b.casefold()):  # "which bill or bills"
            return replace(read, kind="arithmetic", answer="number", difference=True) if apart else read
    return None


def _left(text: str, graph: Graph, *, inside: bool) -> tuple[str, str, str] | None:
    """What stands before the first name, the name, and what stands behind it, which only "than" allows."""
    spans = _mentions(text, graph)
    if not spans:
        return None
    low, high = spans[0] if inside else spans[-1]
    behind = text[high:]
    if not inside and _TAIL.sub("", behind):
        return None
    return text[:low], text[low:high], behind


def _right(text: str, graph: Graph) -> tuple[str, str] | None:
    """The second name, at the beginning, and what stands behind it."""
    lead = _LEAD.match(text)
    start = lead.end() if lead is not None else 0
    spans = [(low, high) for low, high in _mentions(text, graph) if low <= start]
    return (text[spans[0][0] : spans[0][1]], text[spans[0][1] :]) if spans and spans[0][1] > start else None


def _mentions(text: str, graph: Graph) -> list[tuple[int, int]]:
    """Where names of the graph stand in a piece of a question, in order."""
    spans = [span for span in link_topics(Question("side", text), graph).spans if span is not None]
    return sorted(set(spans))
