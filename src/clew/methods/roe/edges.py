"""Where the next steps come from: the arrays of an embedded graph, or a store asked frontier by frontier.

Separate from the environment so that it never knows which: both give the moves of a frontier as arrays, inverse edges
included, in one deterministic order.

Shapes: F entities of a frontier, M moves. A code is 2 * relation, plus 1 where the triple is walked backwards.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph, has_arrays
from clew.graph.neighborhood import Gathered
from clew.graph.subgraph import Ints
from clew.paths.walks import moves
from clew.protocols import GraphStore
from clew.types import Entity, Relation, Triple


class FrontierMoves(NamedTuple):
    """Steps out of a frontier, ordered by code, then row, then target."""

    codes: Ints  # (M,)
    rows: Ints  # (M,) position in the frontier
    targets: Ints  # (M,)
    triples: Ints  # (M,)


class GraphEdges(Protocol):
    """A graph as the environment sees it."""

    def moves(self, entities: Ints) -> FrontierMoves: ...
    def number(self, id: str) -> int | None: ...
    def entity(self, number: int) -> Entity: ...
    def relation(self, number: int) -> Relation: ...
    def triple(self, number: int) -> Triple: ...
    def labels(self, numbers: Ints) -> list[str]: ...
    def mediators(self, numbers: Ints) -> NDArray[np.bool_]: ...
    def cut(self, entities: Ints) -> list[int]: ...  # those whose triples may not all have been read


def edges_of(graph: GraphStore, *, limit: int) -> GraphEdges:
    """Args: limit: triples per entity that a remote store is asked for."""
    return ArrayEdges(graph.as_subgraph) if has_arrays(graph) else StoreEdges(graph, limit)


def _sorted(codes: Ints, rows: Ints, targets: Ints, triples: Ints) -> FrontierMoves:
    order = np.lexsort((triples, targets, rows, codes))
    return FrontierMoves(codes[order], rows[order], targets[order], triples[order])


class ArrayEdges:
    """The edges of a subgraph."""

    def __init__(self, graph: Subgraph) -> None:
        self.graph = graph
        self.number, self.entity, self.relation = graph.local, graph.entity, graph.relation
        self.triple, self.labels = graph.triple, graph.labels

    def moves(self, entities: Ints) -> FrontierMoves:
        found = moves(self.graph, entities, np.full(len(entities), -1), turns=True)
        backward, relation = np.divmod(found.codes, max(self.graph.num_relations, 1))
        codes = (2 * relation + backward).astype(np.int32)
        return _sorted(codes, found.walks.astype(np.int32), found.targets, found.triples)

    def mediators(self, numbers: Ints) -> NDArray[np.bool_]:
        return self.graph.mediators[numbers]

    def cut(self, entities: Ints) -> list[int]:
        return []


class StoreEdges:
    """The edges of any store: one call per frontier, each entity asked once. Raises what the store raises."""

    def __init__(self, store: GraphStore, limit: int) -> None:
        self._store, self._limit = store, limit
        self._names = Gathered()
        self.labels, self.mediators = self._names.labels_at, self._names.mediators_at
        self._triples: list[Triple] = []
        self._at: dict[int, dict[tuple[int, int, int], int]] = {}  # entity → (code, target, triple number)
        self._known: dict[Triple, int] = {}
        self._relations: dict[str, int] = {}
        self._cut: set[int] = set()  # entities that have as many triples as were asked for

    def moves(self, entities: Ints) -> FrontierMoves:
        self._ask([int(e) for e in dict.fromkeys(entities.tolist()) if int(e) not in self._at])
        found = [
            (code, row, target, triple)
            for row, entity in enumerate(entities.tolist())
            for code, target, triple in self._at[entity]
        ]
        columns = np.array(found, np.int32).reshape(-1, 4).T
        return _sorted(*columns)

    def _ask(self, entities: list[int]) -> None:
        if not entities:
            return
        ids = [self._names.entities[entity].id for entity in entities]
        came = self._store.neighbors(ids, limit=self._limit)
        for entity in entities:
            self._at[entity] = {}
        for triple in came:
            if triple not in self._known:
                self._known[triple] = len(self._triples)
                self._triples.append(triple)
                self._names.add(triple)
            number = self._known[triple]
            relation = self._relations.setdefault(triple.relation.id, len(self._relations))  # as the names count
            head, tail = self._names.add_entity(triple.head), self._names.add_entity(triple.tail)
            for entity, code, target in ((head, 2 * relation, tail), (tail, 2 * relation + 1, head)):
                if entity in self._at:
                    self._at[entity][code, target, number] = number
        full = (entity for entity in entities if len(self._at[entity]) >= self._limit)
        # A triple from an entity to itself is two moves.
        self._cut.update(entity for entity in full if len(set(self._at[entity].values())) >= self._limit)

    def number(self, id: str) -> int | None:
        found = self._names.number_of(id)
        return self._names.add_entity(self._store.entity(id)) if found is None else found

    def entity(self, number: int) -> Entity:
        return self._names.entities[number]

    def relation(self, number: int) -> Relation:
        return self._names.relations[number]

    def triple(self, number: int) -> Triple:
        return self._triples[number]

    def cut(self, entities: Ints) -> list[int]:
        return [entity for entity in dict.fromkeys(entities.tolist()) if entity in self._cut]
