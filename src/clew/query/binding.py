"""The names of a plan as numbers of a graph: ids first, then labels; a name that is not there gets its nearest.

Kept apart from the executor so that both a plan somebody typed and one that code made are checked in one place.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from clew.errors import InputError, NotFoundError, unknown
from clew.graph import Graph
from clew.graph.kinds import kind_relations
from clew.graph.sets import distinct
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.vocabulary import stem

Move = tuple[int, bool]  # a relation's number and whether it is walked forward


class Binding:
    """Looks names up in one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @classmethod
    def of(cls, graph: Graph) -> Binding:
        """The one of this graph: look-up tables are made once."""
        return graph.derived("query.binding", lambda: cls(graph))

    @cached_property
    def _labels(self) -> dict[str, list[int]]:
        """Relations by folded label, and by the last part of an id that is an IRI."""
        table: dict[str, list[int]] = {}
        for number, relation in enumerate(self.graph.relations()):
            for name in {
                relation.label.casefold(),
                relation.label.casefold().replace("_", " "),
                local_name(relation.id),
            }:
                table.setdefault(name, []).append(number)
        return table

    @property
    def type_relations(self) -> tuple[int, ...]:
        """The relations that lead from an instance to its class (`clew.graph.kinds`)."""
        return kind_relations(self.graph).stated

    @property
    def kind_relations(self) -> tuple[int, ...]:
        """These, and those that lead to a finer kind: a class is what one of them leads to."""
        return kind_relations(self.graph).all

    def relation(self, name: str) -> int:
        """The number of a relation. Raises NotFoundError with the nearest, InputError where the name is several's."""
        number = self.graph.relation_number(name)
        if number is not None:
            return number
        found = self._labels.get(name.casefold()) or self._labels.get(local_name(name)) or []
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(repr(self.graph.relation_at(n).id) for n in found[:5])
            raise InputError(f"{name!r} is the name of {len(found)} relations: {ids}; give the id")
        known = dict.fromkeys(n for r in self.graph.relations() for n in (r.id, r.label))
        raise NotFoundError(f"graph {self.graph.title!r}: {unknown('relation', name, known)}")

    def moves(self, path: p.Path) -> tuple[Move, ...]:
        return tuple((self.relation(step.relation), step.forward) for step in path)

    def entities(self, names: tuple[str, ...]) -> Ints:
        """The numbers that names mean, ascending: an id, else everything with that label or alias."""
        numbers = [n for name in names for n in self._entity(name)]
        return np.unique(np.array(numbers, np.int32))

    def _entity(self, name: str) -> list[int]:
        number = self.graph.number_of(name)
        if number is None and "://" in name:
            number = self.graph.number_of(name.rsplit("/", 1)[-1].rsplit("#", 1)[-1])
        if number is not None:
            return [number]
        named = [self.graph.number_of(entity.id) for entity in self.graph.resolve(name)]
        if not named:
            self.graph.entity(name)  # raises NotFoundError with the nearest labels
        return [n for n in named if n is not None]

    def instances_of(self, name: str) -> tuple[Ints, tuple[int, ...]]:
        """The numbers of a class, or of all that end in a noun, and the relations that lead to them from instances."""
        if not self.kind_relations:
            raise InputError(
                f"graph {self.graph.title!r} has no type relation (such as rdf:type), so it has no classes"
            )
        said = name.casefold()
        typed = self._classes_called(name) or self._ending_in.get(stem(said)) or self._ending_in.get(said, [])
        if not typed:
            self.entities((name,))  # raises NotFoundError with the nearest labels
            raise NotFoundError(f"graph {self.graph.title!r}: {unknown('class', name, self.classes())}")
        return np.array(typed, np.int32), self.kind_relations

    def first_instances(self, name: str, most: int) -> Ints:
        """The first `most` instances of a class, ascending: of millions no more is read."""
        classes, relations = self.instances_of(name)
        inc = self.graph.whole.inc
        found = [np.empty(0, np.int32)]
        for node in classes.tolist():
            low, high = inc.offsets[node], inc.offsets[node + 1]
            mine = inc.relations[low:high]
            for relation in relations:
                begin, end = (int(low + mine.searchsorted(np.int32(r))) for r in (relation, relation + 1))
                found.append(inc.neighbors[begin : min(end, begin + most)])
        return distinct(np.concatenate(found))[:most]

    def _classes_called(self, name: str) -> list[int]:
        """The classes that have instances among what is called so."""
        try:
            found = self.entities((name,)).tolist()
        except NotFoundError:
            return []
        inc = self.graph.whole.inc
        return [n for n in found if self._has_instances(n, inc.relations[inc.offsets[n] : inc.offsets[n + 1]])]

    @cached_property
    def _ending_in(self) -> dict[str, list[int]]:
        """Classes by the noun that a name of several words ends in: Cistercian and Benedictine abbeys are abbeys."""
        nodes = self._led_to(self.type_relations)
        table: dict[str, list[int]] = {}
        for number, label in zip(nodes.tolist(), self.graph.labels_at(nodes), strict=True):
            words = label_to_text(label).casefold().split()
            if len(words) > 1:
                table.setdefault(stem(words[-1]), []).append(number)
        return table

    def _has_instances(self, node: int, relations: Ints) -> bool:
        types = np.array(sorted(self.kind_relations), np.int32)  # of what it is sought among, or copied from
        low, high = relations.searchsorted(types, "left"), relations.searchsorted(types, "right")
        return bool((high > low).any())

    def classes(self, *, finer: bool = True) -> list[str]:
        """The labels of what has instances.

        Args:
            finer: kinds within a kind, too.
        """
        return self._all_classes if finer else self._stated_classes

    @cached_property
    def _all_classes(self) -> list[str]:
        return self.graph.labels_at(self._led_to(self.kind_relations))

    @cached_property
    def _stated_classes(self) -> list[str]:
        return self.graph.labels_at(self._led_to(self.type_relations))

    def _led_to(self, relations: tuple[int, ...]) -> Ints:
        whole = self.graph.whole
        return np.unique(whole.tails[np.isin(whole.rels, relations)])


def local_name(id: str) -> str:
    return id.rstrip("/#").rsplit("/", 1)[-1].rsplit("#", 1)[-1].casefold()


def check(plan: p.Plan, graph: Graph) -> None:
    """Raises NotFoundError or InputError where a plan names what the graph does not have."""
    binding = Binding.of(graph)
    for node in p.walk(plan):
        if isinstance(node, (p.Step, p.EdgesOf)):
            binding.relation(node.relation)
        elif isinstance(node, p.Entities):
            binding.entities(node.ids)
        elif isinstance(node, p.Class):
            binding.instances_of(node.id)
