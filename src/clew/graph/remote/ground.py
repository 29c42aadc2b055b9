"""A subgraph that grows: the part of a server's graph that one question has looked at so far.

Apart from `neighborhood`, which fetches everything within some hops: a search that looks at few of its ends says which
(`fetch`) and pays one query for all of them. The kernels see the arrays of any other subgraph; what was not fetched is
not there. Relations have the store's numbers, entities those of their arrival. Whoever takes the first few of some asks
`in_order`, and what is shown is taken from `ordered()`, so that nothing depends on what was fetched first.

Shapes: N entities, T triples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph.remote.records import Fact
from clew.graph.remote.store import ServerGraph
from clew.graph.subgraph import NOBODY, Ints, Subgraph
from clew.types import Entity, Relation


class _Names:
    """Numbers of one ground to records."""

    def __init__(self, store: ServerGraph) -> None:
        self.store = store
        self.ids: list[str] = []
        self.sources: list[str | None] = []
        self.numbers: dict[str, int] = {}
        self._nameless: list[bool] = []  # whether each may be a mediator, as far as this was looked at
        self.relations: list[Relation] = store.relations()
        self.relation_numbers = {relation.id: i for i, relation in enumerate(self.relations)}

    def number(self, id: str) -> int:
        number = self.numbers.setdefault(id, len(self.ids))
        if number == len(self.ids):
            self.ids.append(id)
        return number

    def relation(self, id: str) -> int:
        number = self.relation_numbers.get(id)
        if number is None:
            number = self.relation_numbers[id] = len(self.relations)
            self.relations.append(self.store.relation_record(id))
        return number

    def entity_at(self, number: int) -> Entity:
        return self.store.record(self.ids[number])

    def relation_at(self, number: int) -> Relation:
        return self.relations[number]

    def labels_at(self, numbers: Sequence[int] | Ints) -> list[str]:
        return [self.entity_at(int(i)).label for i in numbers]

    def mediators_at(self, numbers: Ints) -> NDArray[np.bool_]:
        self._nameless += map(self.store.may_be_nameless, self.ids[len(self._nameless) :])
        found = np.array(self._nameless, bool)[numbers]
        for i in np.flatnonzero(found).tolist():  # one of these that has a label after all is no mediator
            found[i] = self.entity_at(int(numbers[i])).kind == "mediator"
        return found

    def number_of(self, id: str) -> int | None:
        return self.numbers.get(id)

    @property
    def num_relations(self) -> int:
        return len(self.relations)

    def source_at(self, triple: int) -> str | None:
        return self.sources[triple]


class Ground(Subgraph):
    """What was fetched around some seeds. Not for several threads; each question has its own.

    Args:
        most: facts of one fetch, shared out fairly; what was cut stands in `truncated`.
    """

    grows = True

    def __init__(self, store: ServerGraph, seeds: Sequence[str], *, most: int) -> None:
        self._named = _Names(store)
        self._most = most
        self._rows: set[tuple[int, int, int]] = set()
        self._around: set[int] = set()  # whose triples are all here
        self._ahead: set[int] = set()  # of which those are here that they are heads of
        self._asked_by: set[tuple[int, int]] = set()
        self._cut: dict[str, int] = {}
        self._set("seeds", np.array([self._named.number(id) for id in dict.fromkeys(seeds)], np.int32))
        self._set("names", self._named)
        self._set("numbered_as_store", True)
        for name in ("heads", "rels", "tails"):
            self._set(name, np.empty(0, np.int32))
        self._settle(())

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # a subgraph is frozen for everybody else

    def fetch(
        self,
        entities: Ints,
        *,
        outward: Ints = NOBODY,
        relation: int | None = None,
    ) -> None:
        """Get the triples around entities that were not fetched yet, in one query.

        Args:
            outward: entities of which only the triples are wanted that they are heads of.
            relation: the only one that is wanted.
        """
        here = set(np.asarray(entities).tolist()) - self._around
        if relation is not None:
            here = {entity for entity in here if (entity, relation) not in self._asked_by}
        heads = set(np.asarray(outward).tolist()) - here - self._around - self._ahead
        if not here and not heads:
            return
        ids, others = ([self._named.ids[entity] for entity in sorted(some)] for some in (here, heads))
        wanted = None if relation is None else [self._named.relations[relation].id]
        found = self._named.store.facts(ids, outward=others, relations=wanted, limit=self._most, total=self._most)
        if relation is None:
            self._around |= here
            self._ahead |= heads
        else:
            self._asked_by |= {(entity, relation) for entity in here}
        for id, left in found.cut.items():
            self._cut[id] = max(left, self._cut.get(id, 0))
        self.take(found.rows)

    def in_order(self, entities: Ints) -> Ints:
        """Local numbers in the order of their ids."""
        return np.array(sorted(np.asarray(entities).tolist(), key=self._named.ids.__getitem__), np.int32)

    def ordered(self) -> Subgraph:
        """What was fetched so far as a subgraph of its own, entities and triples in the order of ids."""
        names = _Names(self._named.store)
        names.relations, names.relation_numbers = self._named.relations, self._named.relation_numbers
        order = sorted(range(len(self._named.ids)), key=self._named.ids.__getitem__)
        rank = np.empty(len(order), np.int32)
        for number in order:
            rank[number] = names.number(self._named.ids[number])
        names.sources = self._named.sources
        return Subgraph(
            self.heads, self.rels, self.tails, rank, names, self.seeds, self.triple_numbers, self.truncated
        ).ordered()

    def take(self, rows: Iterable[Fact]) -> None:
        """Have these facts here."""
        ids, numbers, relation = self._named.ids, self._named.numbers, self._named.relation
        fresh = []
        for head, by, tail, source in rows:  # tens of thousands a question: no call for each end
            first = numbers.get(head)
            if first is None:
                first = numbers[head] = len(ids)
                ids.append(head)
            last = numbers.get(tail)
            if last is None:
                last = numbers[tail] = len(ids)
                ids.append(tail)
            row = (first, relation(by), last)
            if row not in self._rows:
                self._rows.add(row)
                self._named.sources.append(source)
                fresh.append(row)
        if fresh or self._cut:
            self._settle(fresh)

    def _settle(self, fresh: Sequence[tuple[int, int, int]]) -> None:
        """Add rows to the arrays and forget what was derived from the old ones."""
        columns = np.array(fresh, np.int32).reshape(-1, 3).T
        for name, column in zip(("heads", "rels", "tails"), columns, strict=True):
            self._set(name, np.concatenate([getattr(self, name), column]))
        heads = self.heads
        self._set("entities", np.arange(len(self._named.ids), dtype=np.int32))
        self._set("triple_numbers", np.arange(len(heads), dtype=np.int32))
        left = sum(self._cut.values())
        told = f"{len(self._cut)} entities have more triples than were fetched: {left:,} were left out (max_triples)"
        self._set("truncated", (told,) if self._cut else ())
        for derived in ("out", "inc", "mediators", "marks", "_local"):
            self.__dict__.pop(derived, None)
