"""What of a large graph is worth a look: hops spelled like the question, and no path to a million things.

Around a hub of a graph of millions lie thousands of relations, and behind its mediators as many again. To encode each
with a sentence encoder takes seconds; letters in common cost next to nothing and let the likely ones through.

Shapes: H hops, T texts of the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from clew.encoding.hashing import HashEncoder
from clew.encoding.memo import remembering
from clew.graph import Subgraph
from clew.graph.store import WHOLE_UP_TO
from clew.reading.trails import Hop, PathHypothesis, hops_around
from clew.retrieval.scoring import QuestionParts, relation_text

MOST = 128  # hops of one step
WIDEST = 100_000  # things that a path may lead to; "everything of the type Person" is neither an answer nor a way
_LETTERS = remembering(HashEncoder())  # for all that are opened: a command or a service opens many


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

    def along(self, trails: Sequence[PathHypothesis], frontier: int) -> set[Hop] | None:
        """Of the hops around the ends of trails those most like the question; None: all of them.

        Args:
            frontier: entities of a trail that are looked at; see `expand`.
        """
        hops = hops_around(self._graph, trails, frontier)
        self.left_out = max(0, len(hops) - self._most)
        if not self.left_out:
            return None
        said = _LETTERS.encode([relation_text(self._graph.relation(r).label, forward) for r, forward in hops])
        likeness = (_LETTERS.encode(self._texts) @ said.T).max(axis=0)
        return {hops[i] for i in np.argsort(-likeness, kind="stable")[: self._most]}
