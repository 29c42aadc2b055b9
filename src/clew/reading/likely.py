"""What of a large graph is worth a look: hops spelled like the question, and no path to a million things.

Around a hub of a graph of millions lie thousands of relations, and behind its mediators as many again. To encode each
with a sentence encoder takes seconds; letters in common cost next to nothing and let the likely ones through.

Shapes: H hops, T texts of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clew.encoding.hashing import HashEncoder
from clew.graph import Subgraph
from clew.graph.store import WHOLE_UP_TO
from clew.graph.subgraph import Names
from clew.reading.trails import Along, Hop, PathHypothesis, hops_around
from clew.retrieval.scoring import QuestionParts, relation_text

MOST = 128  # hops of one step
WIDEST = 100_000  # things that a path may lead to; "everything of the type Person" is neither an answer nor a way
Floats = NDArray[np.float32]


class LikelyHops:
    """The hops to take for one question.

    Args:
        texts: (T,) what the question says, whole and in phrases.
        most: hops of one step that are let through.
    """

    def __init__(self, graph: Subgraph, texts: Sequence[str], most: int = MOST) -> None:
        self._graph, self._texts, self._most = graph, tuple(texts), most
        self.left_out = 0  # hops of the last step that were not let through
        self.too_wide = 0  # paths that were dropped

    @classmethod
    def of(cls, graph: Subgraph, parts: Callable[[], QuestionParts], most: int = MOST) -> LikelyHops | None:
        """None where the graph is small enough for all hops to be looked at: the question is not taken apart for it."""
        if graph.num_entities <= WHOLE_UP_TO:
            return None
        asked = parts()
        return cls(graph, (asked.text, *asked.phrases), most)

    def narrow(self, trails: Iterable[PathHypothesis]) -> list[PathHypothesis]:
        """The trails that lead to no more than WIDEST things."""
        every = list(trails)
        kept = [trail for trail in every if len(trail.ends) <= WIDEST]
        self.too_wide += len(every) - len(kept)
        return kept

    def along(self, trails: Sequence[PathHypothesis], frontier: int) -> Along | None:
        """Of the hops around the ends of trails those most like the question; None: all of them.

        Args:
            frontier: entities of a trail that are looked at; see `expand`.
        """
        hops = hops_around(self._graph, trails, frontier)
        self.left_out = max(0, len(hops) - self._most)
        if not self.left_out:
            return None
        likeness = (_Letters.of(self._graph).of_hops(hops) @ HashEncoder().encode(self._texts).T).max(axis=1)
        return Along(hops[i] for i in np.argsort(-likeness, kind="stable")[: self._most])


class _Letters:
    """The letters of the texts of a graph's hops as vectors, each made when it is first asked for.

    Shapes: R relations, V hops that were met, D width.
    """

    def __init__(self, graph: Subgraph) -> None:
        self._relation = graph.names.relation_at
        self._encoder = HashEncoder()
        self._lock = Lock()
        self._rows = np.full(2 * graph.num_relations, -1, np.int64)  # (2R,)
        self._vectors = np.empty((0, self._encoder.dim), np.float32)  # (V, D)

    @classmethod
    def of(cls, graph: Subgraph) -> _Letters:
        known = _LETTERS.get(graph.names)
        if known is None:
            known = _LETTERS.setdefault(graph.names, cls(graph))
        return known

    def of_hops(self, hops: Sequence[Hop]) -> Floats:
        """(H, D)."""
        numbers = np.array(hops, np.int64) @ (2, 1)
        with self._lock:
            new = numbers[self._rows[numbers] < 0]
            if len(new):
                texts = [relation_text(self._relation(n >> 1).label, bool(n & 1)) for n in new.tolist()]
                self._rows[new] = np.arange(len(self._vectors), len(self._vectors) + len(new))
                self._vectors = np.concatenate([self._vectors, self._encoder.encode(texts)])
            found: Floats = self._vectors[self._rows[numbers]]
        return found


_LETTERS: WeakKeyDictionary[Names, _Letters] = WeakKeyDictionary()  # commands and services open many methods
