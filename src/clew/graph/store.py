"""The embedded graph store."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.errors import NotFoundError, unknown
from clew.graph.subgraph import Ints, Subgraph
from clew.protocols import Direction
from clew.types import Entity, Relation, Triple

MEDIATOR = re.compile(r"[mg]\.[0-9a-z_]+")


class Graph:
    """A graph held in arrays."""

    def __init__(self, subjects: Ints, rels: Ints, objects: Ints, ids: list[str], relation_ids: list[str], name: str):
        self._ids, self._relation_ids, self.name = ids, relation_ids, name
        self._number = {id: i for i, id in enumerate(ids)}
        self.whole = Subgraph(
            subjects,
            rels,
            objects,
            np.arange(len(ids), dtype=np.int32),
            self,
            triple_numbers=np.arange(len(subjects), dtype=np.int32),
        )

    @classmethod
    def from_triples(cls, triples: Iterable[tuple[str, str, str]], *, name: str = "memory") -> Graph:
        """A graph in memory; exact duplicates are dropped."""
        unique = list(dict.fromkeys(tuple(t) for t in triples))
        ids = list(dict.fromkeys(x for h, _, t in unique for x in (h, t)))
        relations = sorted({r for _, r, _ in unique})
        number, relation = {x: i for i, x in enumerate(ids)}, {r: i for i, r in enumerate(relations)}
        arrays = np.array([(number[h], relation[r], number[t]) for h, r, t in unique], np.int32).reshape(-1, 3)
        h, r, t = (np.ascontiguousarray(arrays[:, i]) for i in range(3))
        return cls(h, r, t, ids, relations, name)

    @property
    def num_entities(self) -> int:
        return len(self._ids)

    @property
    def num_relations(self) -> int:
        return len(self._relation_ids)

    @property
    def num_triples(self) -> int:
        return self.whole.num_triples

    def entity_at(self, number: int) -> Entity:
        id = self._ids[number]
        return Entity(id, id, "mediator" if MEDIATOR.fullmatch(id) else "named")

    def relation_at(self, number: int) -> Relation:
        id = self._relation_ids[number]
        return Relation(id, id)

    def labels_at(self, numbers: Sequence[int] | Ints) -> list[str]:
        return [self._ids[int(i)] for i in numbers]

    def mediators_at(self, numbers: Ints) -> NDArray[np.bool_]:
        return np.array([MEDIATOR.fullmatch(self._ids[int(i)]) is not None for i in numbers], bool)

    def number_of(self, id: str) -> int | None:
        return self._number.get(id)

    def source_at(self, triple: int) -> str | None:
        return None

    def entity(self, id: str) -> Entity:
        number = self.number_of(id)
        if number is None:
            raise NotFoundError(f"graph {self.name!r}: {unknown('entity', id, self._ids)}")
        return self.entity_at(number)

    def find(self, label: str, *, limit: int = 10) -> list[tuple[Entity, float]]:
        wanted = label.casefold()
        return [(self.entity_at(i), 1.0) for i, id in enumerate(self._ids) if id.casefold() == wanted][:limit]

    def relations(self) -> list[Relation]:
        return [self.relation_at(i) for i in range(self.num_relations)]

    def triples(self) -> Iterator[Triple]:
        return (self.whole.triple(t) for t in range(self.num_triples))

    def neighbors(
        self,
        entities: Sequence[str],
        *,
        relations: Collection[str] | None = None,
        direction: Direction = "both",
        limit: int | None = None,
    ) -> list[Triple]:
        found: dict[int, None] = {}
        for id in entities:
            number = self.number_of(id)
            if number is None:
                continue
            mine: list[int] = []
            for side, wanted in ((self.whole.out, "out"), (self.whole.inc, "in")):
                if direction in (wanted, "both"):
                    mine += side.triples[side.offsets[number] : side.offsets[number + 1]].tolist()
            if relations is not None:
                mine = [t for t in mine if self._relation_ids[self.whole.rels[t]] in relations]
            found.update(dict.fromkeys(mine[:limit]))
        return [self.whole.triple(t) for t in found]
