"""Names of a graph that begin as somebody types, the best connected first.

Kept apart from the name index, which finds whole names and misspelt ones: this is one sorted column of normal forms and
two binary searches.

Shapes: N entities.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.spelling import normalise
from clew.protocols import GraphStore
from clew.types import Entity

MOST = 2_000_000  # names that are sorted; of a larger graph only whole words are completed
LAST = "\U0010ffff"


@dataclass(frozen=True, slots=True)
class Suggestion:
    entity: Entity
    score: float  # 1.0 where the name begins so, else how alike it is
    degree: int | None  # triples it is part of, where the store knows


class Completion:
    """What may be meant by the beginning of a name."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph
        self._lock = threading.Lock()
        self._names: list[str] | None = None  # sorted normal forms
        self._numbers: NDArray[np.int32] = np.empty(0, np.int32)  # their entities
        self._degrees: NDArray[np.int64] = np.empty(0, np.int64)

    def suggest(self, prefix: str, limit: int = 10) -> list[Suggestion]:
        """At most `limit` entities: names that begin with `prefix` by degree, then names like it."""
        wanted = normalise(prefix)
        found: dict[str, Suggestion] = {}
        if isinstance(self._graph, Graph) and wanted:
            for number in self._beginning(self._graph, wanted, limit):
                entity = self._graph.entity_at(number)
                found.setdefault(entity.id, Suggestion(entity, 1.0, self._degree(number)))
        if len(found) < limit and prefix.strip():
            for entity, score in self._graph.find(prefix, limit=limit):
                if entity.kind == "named":
                    found.setdefault(entity.id, Suggestion(entity, min(score, 0.99), self._degree_of(entity.id)))
        return list(found.values())[:limit]

    def _beginning(self, graph: Graph, wanted: str, limit: int) -> list[int]:
        """Entities whose name is `wanted`, then those whose name begins so, the best connected of each first."""
        names = self._sorted(graph)
        low, high = bisect_left(names, wanted), bisect_left(names, wanted + LAST)
        middle = bisect_left(names, wanted + " ", low, high)
        return [*self._best(low, middle, limit), *self._best(middle, high, limit)][:limit]

    def _best(self, first: int, last: int, limit: int) -> list[int]:
        here = self._numbers[first:last]
        degrees = self._degrees[here]
        if len(here) > limit:
            best = np.argpartition(-degrees, limit)[:limit]
            here, degrees = here[best], degrees[best]
        return [int(number) for number in here[np.lexsort((here, -degrees))]]

    def _sorted(self, graph: Graph) -> list[str]:
        with self._lock:
            if self._names is None:
                self._names = []
                if graph.num_entities <= MOST:
                    numbers = np.arange(graph.num_entities, dtype=np.int32)
                    numbers = numbers[~(graph.mediators_at(numbers) | graph.literals_at(numbers))]
                    forms = [normalise(label) for label in graph.labels_at(numbers)]
                    order = sorted(range(len(forms)), key=forms.__getitem__)
                    self._numbers = numbers[np.array(order, np.int64)]
                    self._degrees = graph.whole.out.degrees() + graph.whole.inc.degrees()
                    self._names = [forms[i] for i in order]
            return self._names

    def _degree(self, number: int) -> int | None:
        return int(self._degrees[number]) if number < len(self._degrees) else None

    def _degree_of(self, id: str) -> int | None:
        number = self._graph.number_of(id) if isinstance(self._graph, Graph) else None
        return None if number is None else self._degree(number)

    def hubs(self, limit: int) -> list[str]:
        """Names of entities about which the graph states much, for somebody who does not know it."""
        if not isinstance(self._graph, Graph):
            return []
        self._sorted(self._graph)
        out = self._graph.whole.out.counts(self._numbers)
        best = self._numbers[np.lexsort((self._numbers, -out))[: 10 * limit]]
        entities = (self._graph.entity_at(int(number)) for number in best)
        return list(dict.fromkeys(entity.label for entity in entities if entity.label != entity.id))[:limit]
