"""Relation paths from the topics, grown hop by hop, each with the set of entities it reaches.

Separate from ranking because it only knows the graph. The unit is the *relation path*, never the entity path, so the
cost is bounded by the relations around a set of entities and not by how many ways lead through them. A mediator is
passed through: the two triples around it are one step.

Shapes: N entities, F entities of a frontier, R relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import Csr, Subgraph
from clew.graph.subgraph import Ints

Hops = tuple[tuple[int, bool], ...]  # (relation, forward): one step is one hop, or two around a mediator


@dataclass(frozen=True, eq=False, slots=True)
class PathHypothesis:
    """A relation path from one topic, and what it reaches."""

    topic: int  # position among the topics
    steps: tuple[Hops, ...]
    ends: Ints  # local numbers, ascending; of a sample where `sampled`
    sampled: bool = False

    @property
    def hops(self) -> Hops:
        return tuple(hop for step in self.steps for hop in step)


def expand(graph: Subgraph, trail: PathHypothesis, most: int) -> Iterator[PathHypothesis]:
    """Every trail one step longer.

    Args:
        most: entities of the frontier that are looked at; of a wider one an even sample finds the relations, and the
            ends of the chosen path are computed afresh, so that no answer is lost.
    """
    frontier, sampled = _thin(graph, trail.ends, most)
    sampled |= trail.sampled
    for hop, reached in _sides(graph, frontier):
        nameless = graph.mediators[reached]
        named = reached[~nameless]
        if len(named):
            yield PathHypothesis(trail.topic, (*trail.steps, (hop,)), named, sampled)
        if nameless.any():
            between, cut = _thin(graph, reached[nameless], most)
            for second, ends in _sides(graph, between):
                ends = ends[~graph.mediators[ends]]
                if second == (hop[0], not hop[1]):
                    ends = np.setdiff1d(ends, frontier)
                if len(ends):
                    yield PathHypothesis(trail.topic, (*trail.steps, (hop, second)), ends, sampled or cut)


def frontier_of(graph: Subgraph, trails: Sequence[PathHypothesis], most: int) -> Ints:
    """The entities that `expand` will look at."""
    return np.unique(np.concatenate([_thin(graph, trail.ends, most)[0] for trail in trails]))


def mediators_around(graph: Subgraph, entities: Ints) -> Ints:
    """The mediators next to entities: looked at in the same step."""
    near = [ends for _, ends in _sides(graph, entities)]
    ends = np.unique(np.concatenate(near)) if near else np.empty(0, np.int32)
    return ends[graph.mediators[ends]]


def _thin(graph: Subgraph, entities: Ints, most: int) -> tuple[Ints, bool]:
    if len(entities) <= most:
        return entities, False
    spread = np.linspace(0, len(entities) - 1, most).astype(np.int64)
    return np.sort(graph.in_order(entities)[spread]), True


def _sides(graph: Subgraph, frontier: Ints) -> Iterator[tuple[tuple[int, bool], Ints]]:
    """((relation, forward), ends) for every relation around the frontier."""
    for side, forward in ((graph.out, True), (graph.inc, False)):
        packed = _incident(side, frontier)
        if len(packed) == 0:
            continue
        relations = packed >> 32
        bounds = np.concatenate(([0], np.flatnonzero(np.diff(relations)) + 1, [len(packed)]))
        ends = (packed & 0xFFFFFFFF).astype(np.int32)
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            yield (int(relations[first]), forward), ends[first:last]


def _incident(side: Csr, frontier: Ints) -> NDArray[np.int64]:
    """relation << 32 | entity, distinct and ascending, of all triples of the frontier on one side."""
    starts = np.asarray(side.offsets[frontier])
    counts = np.asarray(side.offsets[frontier.astype(np.int64) + 1]) - starts
    total = int(counts.sum())
    if len(frontier) == 1:
        where: NDArray[np.int64] | slice = slice(int(starts[0]), int(starts[0]) + total)
    else:
        where = np.arange(total) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
    packed = (side.relations[where].astype(np.int64) << 32) | side.neighbors[where]
    if len(frontier) == 1:  # already grouped by relation, then entity
        return packed[np.concatenate(([True], np.diff(packed) != 0))] if total else packed
    return np.unique(packed)


def joined(first: PathHypothesis, second: PathHypothesis) -> Ints:
    """What both trails reach."""
    return np.intersect1d(first.ends, second.ends, assume_unique=True)


def type_relations(graph: Subgraph, relations: Sequence[int]) -> list[int]:
    """Of these relations, those that state what kind of thing an entity is."""
    return [r for r in relations if _states_type(graph.relation(r).id)]


def _states_type(id: str) -> bool:
    local = id.rsplit("#", 1)[-1].rsplit("/", 1)[-1].replace("_", " ").casefold()
    return local in ("type", "instance of", "is a", "isa", "p31")
