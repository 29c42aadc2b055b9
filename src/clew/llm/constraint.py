"""What a model may write, as a trie over tokens that grows only where decoding goes.

A grammar says in pieces of text what may follow; the trie turns pieces into tokens when a prefix is first reached, so
a hub costs nothing until the model stands on it. Where nothing may follow, only the end is allowed: never everything.
Every text is checked again, as text, after decoding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

from clew.errors import InputError


@runtime_checkable
class Grammar(Protocol):
    """A set of texts, described by states and the pieces that lead from one to the next."""

    @property
    def key(self) -> str:
        """Stable identity; part of the cache key of a request."""
        ...

    def start(self) -> Hashable: ...

    def steps(self, state: Any) -> Iterable[tuple[str, Hashable]]:
        """What may follow, each piece not empty. A piece that is not the first had better begin with a space: tokens
        then break where pieces do."""
        ...

    def complete(self, state: Any) -> bool:
        """Whether a text may end here."""
        ...


class Choices:
    """Exactly one of a list of texts: entity names, relations, numbers of candidates."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = tuple(dict.fromkeys(text for text in texts if text))
        if not self.texts:
            raise InputError("a choice among no texts: give at least one that is not empty")
        self.key = "choices:" + hashlib.sha256("\0".join(self.texts).encode("utf-8", "surrogatepass")).hexdigest()

    def start(self) -> int:
        return -1

    def steps(self, state: int) -> Iterator[tuple[str, int]]:
        return ((text, i) for i, text in enumerate(self.texts)) if state == -1 else iter(())

    def complete(self, state: int) -> bool:
        return state >= 0


def states_of(grammar: Grammar, text: str) -> list[Any]:
    """Every complete state that `text` as a whole can lead to; empty when the grammar does not allow it.

    Reads text, not tokens: the check after decoding.
    """
    found: dict[Hashable, None] = {}
    seen = {(grammar.start(), 0)}
    open_ = [(grammar.start(), 0)]
    while open_:
        state, at = open_.pop()
        if at == len(text):
            if grammar.complete(state):
                found[state] = None
            continue
        for piece, following in grammar.steps(state):
            nxt = (following, at + len(piece))
            if piece and text.startswith(piece, at) and nxt not in seen:
                seen.add(nxt)
                open_.append(nxt)
    return list(found)


def longest_complete(grammar: Grammar, text: str) -> str:
    """The longest beginning of `text` that is a whole text of the grammar; empty when there is none."""
    best = 0
    seen = {(grammar.start(), 0)}
    open_ = [(grammar.start(), 0)]
    while open_:
        state, at = open_.pop()
        if grammar.complete(state):
            best = max(best, at)
        for piece, following in grammar.steps(state):
            nxt = (following, at + len(piece))
            if piece and text.startswith(piece, at) and nxt not in seen:
                seen.add(nxt)
                open_.append(nxt)
    return text[:best]


class _Node:
    __slots__ = ("children", "complete", "waiting")

    def __init__(self) -> None:
        self.children: dict[int, _Node] = {}
        self.waiting: list[Hashable] = []  # states reached here whose pieces are not yet in the trie
        self.complete = False


class TokenTrie:
    """A grammar over the tokens of one model.

    Args:
        encode: pieces of text to token ids, many at once; none for a piece that the tokenizer cannot write.
        ends: the ids that end a text.
    """

    def __init__(
        self, grammar: Grammar, encode: Callable[[Sequence[str]], list[list[int]]], ends: Sequence[int]
    ) -> None:
        self.grammar, self._encode, self._ends = grammar, encode, list(ends)
        self._root = _Node()
        self._root.waiting.append(grammar.start())
        self._nodes: dict[tuple[int, ...], _Node | None] = {(): self._root}
        self.unwritable: list[str] = []  # pieces that the tokenizer has no tokens for; left out
        self.expanded = 0  # states whose pieces were turned into tokens

    def allowed(self, prefix: tuple[int, ...]) -> list[int]:
        """The tokens that may follow `prefix`; only the ends where nothing may, or where the prefix is none of ours."""
        node = self._find(prefix)
        if node is None:
            return self._ends
        self._grow(node)
        if not node.children:
            return self._ends
        return [*node.children, *(self._ends if node.complete else ())]

    def knows(self, prefix: tuple[int, ...]) -> bool:
        """Whether `prefix` is a whole text of the grammar."""
        node = self._find(prefix)
        if node is None:
            return False
        self._grow(node)
        return node.complete

    def _find(self, prefix: tuple[int, ...]) -> _Node | None:
        if prefix in self._nodes:
            return self._nodes[prefix]
        parent = self._find(prefix[:-1])
        node = None
        if parent is not None:
            self._grow(parent)
            node = parent.children.get(prefix[-1])
        self._nodes[prefix] = node
        return node

    def _grow(self, node: _Node) -> None:
        """Put the pieces that follow a node into the trie."""
        while node.waiting:
            state = node.waiting.pop()
            self.expanded += 1
            node.complete = node.complete or self.grammar.complete(state)
            steps = [(piece, following) for piece, following in self.grammar.steps(state) if piece]
            for ids, (piece, following) in zip(self._encode([piece for piece, _ in steps]), steps, strict=True):
                if not ids:
                    self.unwritable.append(piece)
                    continue
                at = node
                for token in ids:
                    at = at.children.setdefault(token, _Node())
                at.waiting.append(following)
