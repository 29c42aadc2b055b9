"""A set of triples over dense integers: what every kernel, search and network in clew works on.

Kept apart from the store so that one question's neighbourhood, a benchmark's per-question graph and a whole mapped
graph are the same thing to the code that walks them. Nothing here materialises a Python object per triple.

Shapes: N entities, T triples, R relations of the store, S seeds. Entity numbers are local to the subgraph (0..N-1);
relation numbers are the store's (0..R-1), so that one table of relation vectors serves every subgraph.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.graph import pages
from clew.types import Entity, Relation, Triple

Ints = NDArray[np.int32]
NOBODY: Ints = np.empty(0, np.int32)
Offsets = NDArray[np.int64]
PIECE = 1 << 22  # entities whose kinds are read at once
HUB = 1 << 16  # triples of one entity and side from which on it is one of a store, which has each once and in order


class Csr(NamedTuple):
    """The triples of one direction, grouped by entity: those of entity e stand at offsets[e]:offsets[e+1]."""

    offsets: Offsets  # (N+1,)
    neighbors: Ints  # (T,) the entity at the other end
    relations: Ints  # (T,)
    triples: Ints  # (T,) position in the subgraph's heads/relations/tails

    def counts(self, entities: NDArray[np.integer]) -> Offsets:
        """How many triples each of some entities has."""
        at = entities.astype(np.int64)
        pages.wanted(self.offsets, at, at + 2)
        found: Offsets = self.offsets[at + 1] - self.offsets[at]
        return found

    def degrees(self) -> Offsets:
        """(N,) how many triples each entity has."""
        with pages.in_order(self.offsets):
            return np.diff(self.offsets)

    def at_hand(self, entities: Ints, *, triples: bool = False, hubs: bool = False) -> None:
        """Have the triples of some entities read from disk together, if they are not in memory.

        Args:
            triples: the numbers of the triples as well.
            hubs: the ends of entities with more than `HUB` triples as well, of which else nothing is read.
        """
        if self.offsets.nbytes < pages.LARGE or not pages.helps(len(entities)):
            return
        pages.wanted(self.offsets, entities, entities.astype(np.int64) + 2)
        starts, stops = self.offsets[entities], self.offsets[entities.astype(np.int64) + 1]
        few = (stops > starts) & (stops - starts <= HUB)
        for column in (self.relations, self.neighbors, self.triples)[: 2 + triples]:
            pages.wanted(column, starts[few], stops[few])
        if hubs:
            many = stops - starts > HUB
            pages.wanted(self.neighbors, starts[many], stops[many])


class Names(Protocol):
    """Turns store numbers into records; a store implements it once for all its subgraphs."""

    def entity_at(self, number: int) -> Entity: ...
    def relation_at(self, number: int) -> Relation: ...
    def labels_at(self, numbers: Sequence[int] | Ints) -> list[str]: ...
    def mediators_at(self, numbers: Ints) -> NDArray[np.bool_]: ...
    def number_of(self, id: str) -> int | None: ...
    @property
    def num_relations(self) -> int: ...
    def source_at(self, triple: int) -> str | None: ...


@dataclass(frozen=True, eq=False)
class Subgraph:
    """A directed multigraph over local integers, with a way back to names."""

    heads: Ints  # (T,) local
    rels: Ints  # (T,) store relation numbers
    tails: Ints  # (T,) local
    entities: Ints  # (N,) store number of each local entity
    names: Names
    seeds: Ints = field(default_factory=lambda: np.empty(0, np.int32))  # (S,) local
    triple_numbers: Ints | None = None  # (T,) store triple numbers; None: their places, or the store has none
    truncated: tuple[str, ...] = ()  # what a limit cut off, in words; never silent
    numbered_as_store: bool = False  # entity i is the store's entity i, and triple i where there are no numbers

    grows: ClassVar[bool] = False  # True: only what `fetch` was asked for is here (clew.graph.remote.ground)

    def fetch(self, entities: Ints, *, outward: Ints = NOBODY, relation: int | None = None) -> None:
        """Have the triples around these at hand; here they all are."""

    @property
    def num_entities(self) -> int:
        return len(self.entities)

    @property
    def num_triples(self) -> int:
        return len(self.heads)

    @property
    def num_relations(self) -> int:
        return self.names.num_relations

    @cached_property
    def out(self) -> Csr:
        """Triples by head."""
        return csr(self.heads, self.tails, self.rels, self.num_entities)

    @cached_property
    def inc(self) -> Csr:
        """Triples by tail; `neighbors` holds the heads."""
        return csr(self.tails, self.heads, self.rels, self.num_entities)

    @cached_property
    def mediators(self) -> NDArray[np.bool_]:
        """(N,) True where the entity is a nameless n-ary node."""
        pieces = [self.names.mediators_at(self.entities[i : i + PIECE]) for i in range(0, self.num_entities, PIECE)]
        return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0, np.bool_), *pieces])

    @cached_property
    def marks(self) -> list[Ints]:
        """Spare (N,) arrays of zeros for the compiled loops: `take_mark` one, append it once it is zero again."""
        return []

    def take_mark(self) -> Ints:
        """A spare array of zeros, or a new one. Safe between threads: looking first and popping then is not."""
        try:
            return self.marks.pop()
        except IndexError:
            return np.zeros(self.num_entities, np.int32)

    @cached_property
    def _local(self) -> dict[int, int]:
        return {int(number): i for i, number in enumerate(self.entities)}

    def local(self, id: str) -> int | None:
        """The local number of an entity id, or None when it is not in this subgraph."""
        number = self.names.number_of(id)
        if number is None or self.numbered_as_store:
            return number
        return self._local.get(number)

    def locals_of(self, ids: Iterable[str]) -> Ints:
        """(n,) the local numbers of those ids that are in this subgraph, in their order, each once."""
        found = dict.fromkeys(map(self.local, ids))
        return np.array([number for number in found if number is not None], np.int32)

    def in_order(self, entities: Ints) -> Ints:
        """Local numbers in the order of the store: the order of the numbers, but where a subgraph grows."""
        return entities

    def ordered(self) -> Subgraph:
        """The same with local numbers and triples in the order of the store, in which a whole graph has them."""
        if self.numbered_as_store:
            return self
        order = np.argsort(self.entities, kind="stable")
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        heads, tails = rank[self.heads], rank[self.tails]
        rows = np.lexsort((tails, self.rels, heads))
        return Subgraph(
            heads[rows],
            self.rels[rows],
            tails[rows],
            self.entities[order],
            self.names,
            rank[self.seeds],
            self.numbers_of(rows),
            self.truncated,
        )

    def numbers_of(self, triples: NDArray[Any]) -> Ints | None:
        """The store's numbers of some triples (their places here); None where it has none."""
        if self.triple_numbers is None:
            return np.asarray(triples, np.int32) if self.numbered_as_store else None
        numbers: Ints = self.triple_numbers[triples]
        return numbers

    def source(self, t: int) -> str | None:
        """Where the t-th triple was stated."""
        numbers = self.numbers_of(np.array([t]))
        return None if numbers is None else self.names.source_at(int(numbers[0]))

    def entity(self, i: int) -> Entity:
        return self.names.entity_at(int(self.entities[i]))

    def relation(self, r: int) -> Relation:
        return self.names.relation_at(int(r))

    def labels(self, locals_: Sequence[int] | Ints) -> list[str]:
        """Labels of local entities."""
        return self.names.labels_at(self.entities[np.asarray(locals_, np.int64)])

    def triple(self, t: int) -> Triple:
        """The t-th triple as a record."""
        for column in (self.heads, self.rels, self.tails):
            pages.wanted_at(column, [t])
        ends = self.entity(int(self.heads[t])), self.relation(int(self.rels[t])), self.entity(int(self.tails[t]))
        return Triple(*ends, self.source(t))


def csr(keys: Ints, values: Ints, relations: Ints, n: int) -> Csr:
    """Group triples by `keys` (0..n-1); inside a group by relation, then value, so that siblings stand together."""
    if len(keys) == 0:
        none = np.empty(0, np.int32)
        return Csr(np.zeros(n + 1, np.int64), none, none, none)
    from clew.graph.compiled import group

    return Csr(*group(keys, values, relations, n, int(values.max()) + 1, int(relations.max()) + 1))
