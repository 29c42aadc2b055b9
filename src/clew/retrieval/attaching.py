"""How the parts of a question hang together: which depends on which, and what the words between them do to it.

Kept apart from `composing`, which makes sets of the parts: here nothing is known of the graph.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from clew.retrieval.chunks import Spotted
from clew.retrieval.words import FUNCTION

TREES = 24  # ways to attach the parts that are tried
FAR = 0.9  # what a part that is not joined to its neighbour keeps
EXCEPT = ("except", "besides", "excluding", "beside", "apart", "aside")
_DENIES = """
not no never without don't doesn't didn't isn't aren't wasn't weren't haven't hasn't neither nor n't nobody nothing none
"""
NOT = frozenset(_DENIES.split())
_AND = frozenset(["and", "or", "both", "either", ",", "the", "a", "an", "also"])
_BEFORE = frozenset(["on", "in", "at", "for", "to", "with", "from", "by", "of", "against", "about", "under", "into"])
_ALLOWED = frozenset(["allowed", "permitted", "possible", "available", "offered", "provided", "supported", "accepted"])
Mode = Literal["and", "or", "not", "except"]


def adjectives_in(spotted: Spotted) -> frozenset[int]:
    """The names right before a kind that is not asked for, which may be said of it: "hit by a Russian group"."""
    chunks = spotted.chunks
    pairs = zip(range(len(chunks)), chunks, chunks[1:], strict=False)
    return frozenset(
        k for k, one, behind in pairs
        if (one.kind, behind.kind) == ("topic", "class") and one.end == behind.start and k + 1 != spotted.root
    )  # fmt: skip


class Attachments:
    """The ways to attach the parts of one question."""

    def __init__(self, spotted: Spotted, adjectives: frozenset[int] = frozenset()) -> None:
        """Args:
            adjectives: names read as said of the kind right behind them, of `adjectives_in`.
        """  # fmt: skip
        self._spotted, self._words, self._chunks = spotted, spotted.words, spotted.chunks
        self._adjectives = adjectives

    def trees(self) -> Iterator[tuple[dict[int, int], float]]:
        """Parents of all parts but the root (-1: nothing says what is asked for), nested, likeliest first."""
        root = self._spotted.root
        top = -1 if root is None else root
        made: list[tuple[dict[int, int], float]] = [({}, 1.0)]
        for k in range(len(self._chunks)):
            if k == top:
                continue
            grown = []
            for tree, prior in made:
                for parent, share in self._places(k, top, tree):
                    grown.append(({**tree, k: parent}, prior * share))
            made = sorted(grown, key=lambda item: -item[1])[:TREES]
        yield from made

    def _places(self, k: int, top: int, tree: dict[int, int]) -> Iterator[tuple[int, float]]:
        if k in self._adjectives:
            yield k + 1, 1.0
            return
        before = self._before(k)
        if k < top or before < 0 or (top == -1 and before not in tree and before != top):
            yield top, 1.0
            return
        if self.coordinated(k) and before in tree:
            yield tree[before], 1.0
            return
        between = self.between(k)
        joined = "and" in between or "or" in between or "but" in between
        here, share = before, (0.7 if joined else 1.0)
        while True:
            fits = self._chunks[here].kind != "topic" if here >= 0 else True
            if here == top or fits or top == -1:
                yield here, share * (1.0 if fits else 0.75)
                share *= FAR / (0.7 if joined and share == 0.7 else 1.0)
            if here == top or here not in tree:
                return
            here = tree[here]

    def _before(self, k: int) -> int:
        """The part before one and before its adjective; -1: none."""
        return k - 2 if k - 1 in self._adjectives else k - 1

    def between(self, k: int) -> tuple[str, ...]:
        """The words between a part, with its adjective, and the one before it."""
        if k in self._adjectives:
            return ()
        before = self._before(k)
        start = self._chunks[before].end if before >= 0 else 0
        return self._words[start : self._chunks[before + 1].start]

    def coordinated(self, k: int) -> bool:
        """Whether a part is said together with the one before it: "A and B", "on A and on B"."""
        between = set(self.between(k))
        before = self._before(k)
        if before > 0 and len(between) > 1:
            between -= _BEFORE & set(self.between(before)[-1:])
        return before >= 0 and between <= _AND and bool(between & {"and", "or", ","})

    def mode(self, k: int) -> Mode:
        """What the words before a part do with it: keep what is joined to it, or leave it out."""
        between = self.between(k)
        if self.coordinated(k):
            before = self.mode(self._before(k))
            if before in ("not", "except"):
                return before
            after = [word for j in range(k, len(self._chunks)) for word in self.between(j)]
            return "or" if "or" in after or "either" in self.between(self._before(k)) else "and"
        text = " ".join(between)
        if any(word in between for word in EXCEPT) or "other than" in text or "but not" in text:
            return "except"
        return "not" if NOT & set(between) or self._denied_after(k) else "and"

    def _denied_after(self, k: int) -> bool:
        """Whether the last part is a flag that the words behind it deny: "in which lakes is bathing not allowed"."""
        if k != len(self._chunks) - 1 or self._chunks[k].condition is None:
            return False
        after = set(self._words[self._chunks[k].end :])
        return bool(NOT & after) and after <= NOT | FUNCTION | _ALLOWED

    def groups(self, k: int, tree: dict[int, int]) -> list[list[int]]:
        """The parts that depend on a part, those said together in one list."""
        groups: list[list[int]] = []
        for child in sorted(c for c in tree if tree[c] == k):
            if groups and self.coordinated(child) and groups[-1][-1] == self._before(child):
                groups[-1].append(child)
            else:
                groups.append([child])
        return groups

    def span(self, k: int) -> frozenset[int]:
        """The places of the words that say how a part is joined."""
        if k in self._adjectives:
            return frozenset(range(self._chunks[k].start, self._chunks[k].end))
        before = self._before(k)
        start = self._chunks[before].end if before >= 0 else 0
        end = len(self._words) if k == len(self._chunks) - 1 else self._chunks[k].end
        after = self._chunks[k + 1].start if k == 0 and self._spotted.root != 0 and len(self._chunks) > 1 else end
        own = range(self._chunks[k - 1].start, self._chunks[k - 1].end) if before < k - 1 else ()
        return frozenset(range(start, max(end, after))).difference(own)

    def active(self, k: int) -> bool:
        """Whether a part is the object of a verb, so that what is asked for leads to it; not "of X", "in X"."""
        between = self.between(k)
        return bool(set(between) - FUNCTION) and not {"of", "by"} & set(between[-2:])
