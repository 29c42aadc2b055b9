"""Everything a graph knows by name: ids, labels, aliases, descriptions and kinds of its entities and relations.

Kept apart from `store` so that a graph, an edited graph and all views of it share one copy. The same class serves
names mapped from disk and names in memory; only the look-up by text differs (sorted checksums or a dict).

Shapes: N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.graph.layout import LITERAL, MEDIATOR, NAME_INDEX, NAMED
from clew.graph.strings import Lookup, Strings, Texts, literal_parts, shown
from clew.graph.subgraph import Ints
from clew.labels import readable, unabridged
from clew.types import Entity, EntityKind, Relation

if TYPE_CHECKING:
    from clew.graph.generation import Generation
    from clew.graph.names import NameIndex

KINDS: tuple[EntityKind, ...] = ("named", "mediator", "literal")
ENTITIES_KEPT = 16_384  # records of entities
NO_TEXTS = Texts(np.empty(0, np.int32), Strings())


class Terms:
    """Names by number and numbers by name."""

    def __init__(
        self,
        ids: Strings,
        relation_ids: Sequence[str],
        kinds: NDArray[np.uint8],
        *,
        labels: Texts = NO_TEXTS,
        aliases: Texts = NO_TEXTS,
        descriptions: Texts = NO_TEXTS,
        relation_labels: Texts = NO_TEXTS,
        sources: Strings | None = None,
        by_id: Lookup | None = None,
        open_index: Callable[[], NameIndex] | None = None,
        mapped_count: int = 0,
    ) -> None:
        self.ids, self.relation_ids, self.kinds = ids, list(relation_ids), kinds
        self.labels, self.aliases, self.descriptions = labels, aliases, descriptions
        self.relation_labels = relation_labels
        self.sources = sources or Strings()
        self._mapped = mapped_count  # entities below this number are found through `by_id` and `open_index`
        self._by_id, self._open_index = by_id, open_index
        self._renamed: set[int] = set()  # entities whose label the files do not know

    @classmethod
    def of(cls, files: Generation) -> Terms:
        """The names of a graph folder, mapped."""
        ids = files.strings("ids")

        def index() -> NameIndex:
            from clew.graph.names import NameIndex

            return NameIndex.of(files.name_index(), str(files.place / NAME_INDEX))

        return cls(
            ids,
            list(files.strings("relations")),
            files.array("kinds.u8"),
            labels=files.texts("labels"),
            aliases=files.texts("aliases"),
            descriptions=files.texts("descriptions"),
            relation_labels=files.texts("relation_labels"),
            sources=files.strings("sources"),
            by_id=Lookup(files.array("ids.keys.u32"), files.array("ids.order.i32"), ids.__getitem__),
            open_index=index,
            mapped_count=len(ids),
        )

    def with_edits(
        self,
        ids: Sequence[str],
        kinds: Sequence[int],
        relation_ids: Sequence[str],
        labels: Mapping[int, str],
    ) -> Terms:
        """These names and those an edit brought; labels given for known entities replace theirs."""
        edited = Terms.__new__(Terms)
        edited.__dict__.update({k: v for k, v in self.__dict__.items() if k not in _CACHED})
        edited.ids = self.ids.extended(ids)
        edited.kinds = np.concatenate([self.kinds, np.array(kinds, np.uint8)])
        edited.relation_ids = [*self.relation_ids, *relation_ids]
        edited.labels = self.labels.merged(list(labels.items()))
        relabelled = np.fromiter(labels, np.int64)
        mediators = relabelled[edited.kinds[relabelled] == MEDIATOR] if len(relabelled) else relabelled
        edited.kinds[mediators] = NAMED
        edited._renamed = self._renamed | set(labels)
        return edited

    @cached_property
    def _unmapped(self) -> dict[str, int]:
        return {self.ids[i]: i for i in range(self._mapped, len(self.ids))}

    @cached_property
    def relation_numbers(self) -> dict[str, int]:
        return {id: i for i, id in enumerate(self.relation_ids)}

    def number_of(self, id: str) -> int | None:
        """The number of an entity id."""
        known = self._numbers.get(id)
        if known is None and self._by_id is not None:
            found = self._by_id.all(id)
            known = found[0] if found else None
        return self._unmapped.get(id) if known is None else known

    @cached_property
    def indexes(self) -> tuple[NameIndex, ...]:
        """The name index of the folder, and a small one in memory over what the folder does not know."""
        on_disk: tuple[NameIndex, ...] = () if self._open_index is None else (self._open_index(),)
        unknown = np.array([*sorted(n for n in self._renamed if n < self._mapped), *range(self._mapped, len(self.ids))])
        if self._open_index is not None and not len(unknown):
            return on_disk
        return (*on_disk, self.index_of(unknown.astype(np.int64)))

    def index_of(self, numbers: NDArray[np.int64], places: NDArray[np.int64] | None = None) -> NameIndex:
        """A name index in memory over some entities, which finds their numbers (or what `places` says for each)."""
        from clew.graph.names import NameIndex

        places = numbers if places is None else places
        named = self.kinds[numbers] != MEDIATOR
        numbers, places = numbers[named], places[named]
        at = np.searchsorted(numbers, self.aliases.owners)
        mine = (
            np.flatnonzero(numbers[np.minimum(at, len(numbers) - 1)] == self.aliases.owners) if len(numbers) else at[:0]
        )
        texts = [*self.labels_of(numbers), *self.aliases.strings.take(mine)]
        return NameIndex.build(texts, numbers=np.concatenate([places, places[at[mine]]]), aliases_from=len(numbers))

    def stale(self, index: int, number: int) -> bool:
        """Whether what an index says of an entity was overtaken by a later edit."""
        return index == 0 and self._open_index is not None and number in self._renamed

    def label_of(self, number: int) -> str:
        return self.labels.first(number) or self._unlabelled(self.ids[number], int(self.kinds[number]))

    def labels_of(self, numbers: Ints | NDArray[np.int64]) -> list[str]:
        """Labels in order; an entity without one shows a readable form of its id."""
        found = self.labels.firsts(numbers)
        missing = [i for i, label in enumerate(found) if label is None]
        if missing:
            asked = numbers[missing]
            ids = self.ids.take(asked)
            for i, id, kind in zip(missing, ids, self.kinds[asked].tolist(), strict=True):
                found[i] = self._unlabelled(id, kind)
        return found  # type: ignore[return-value]

    @staticmethod
    def _unlabelled(id: str, kind: int) -> str:
        if kind == LITERAL:
            return shown(*literal_parts(id)[:2])
        return id if kind == MEDIATOR else readable(id)

    def at_hand(self, numbers: Ints | NDArray[np.int64]) -> None:
        """Have what `entity` tells of some entities read from disk together, if it is not in memory."""
        self.ids.at_hand(numbers)
        self.labels.at_hand(numbers)

    def entity(self, number: int) -> Entity:
        """Of those asked for lately it is made once: a question looks at the same few again and again."""
        known = self._entities.get(number)
        if known is None:
            id, kind = self.ids[number], int(self.kinds[number])
            datatype = literal_parts(id)[1] if kind == LITERAL else None
            known = Entity(id, self.label_of(number), KINDS[kind], datatype)
            if len(self._entities) >= ENTITIES_KEPT:
                self._entities.clear()
                self._numbers.clear()
            self._entities[number] = known
            self._numbers[id] = number  # who looks at a thing asks for its number next
        return known

    @cached_property
    def _entities(self) -> dict[int, Entity]:
        return {}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {}

    def relation(self, number: int) -> Relation:
        """Made once: every step of every question asks for its relation."""
        known = self._relations.get(number)
        if known is None:
            id = self.relation_ids[number]
            label = self.relation_labels.first(number) or unabridged(readable(id))
            known = self._relations[number] = Relation(id, label)
        return known

    @cached_property
    def _relations(self) -> dict[int, Relation]:
        return {}

    @property
    def nbytes(self) -> int:
        tables = (self.labels, self.aliases, self.descriptions)
        return self.ids.nbytes + self.kinds.nbytes + sum(t.strings.nbytes + t.owners.nbytes for t in tables)


_CACHED = ("_unmapped", "relation_numbers", "indexes", "_relations", "_entities", "_numbers")
