"""Relation paths from the topics, grown hop by hop, each with the set of entities it reaches.

Separate from ranking because it only knows the graph. The unit is the *relation path*, never the entity path, so the
cost is bounded by the relations around a set of entities and not by how many ways lead through them. A mediator is
passed through: the two triples around it are one step.

Shapes: N entities, F entities of a frontier, R relations.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.sets import HUB, around, distinct, shared, surroundings, touched, without
from clew.graph.subgraph import Ints

AT_ONCE = 8  # times as many mediators are looked at for the relations around them as entities
Hop = tuple[int, bool]  # (relation, forward)
Hops = tuple[Hop, ...]  # one step is one hop, or two around a mediator


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


def expand(
    graph: Subgraph, trail: PathHypothesis, most: int, along: Collection[Hop] | None = None
) -> Iterator[PathHypothesis]:
    """Every trail one step longer.

    Args:
        most: entities of the frontier that are looked at; of a wider one an even sample finds the relations, and the
            ends of the chosen path are computed afresh, so that no answer is lost.
        along: the only hops to take; None: all.
    """
    frontier, sampled = _thin(graph, trail.ends, most)
    sampled |= trail.sampled
    for hop, reached, through in _hops(graph, frontier, along):
        if not through:
            yield PathHypothesis(trail.topic, (*trail.steps, (hop,)), reached, sampled)
            continue
        nameless = graph.mediators[reached]
        named = reached[~nameless]
        if len(named):
            yield PathHypothesis(trail.topic, (*trail.steps, (hop,)), named, sampled)
        if nameless.any():
            between, cut = _thin(graph, reached[nameless], most)
            for second, ends in surroundings(graph, between):
                if along is not None and second not in along:
                    continue
                ends = ends[~graph.mediators[ends]]
                if second == (hop[0], not hop[1]):
                    ends = without(ends, frontier)
                if len(ends):
                    yield PathHypothesis(trail.topic, (*trail.steps, (hop, second)), ends, sampled or cut)


def hops_around(graph: Subgraph, trails: Sequence[PathHypothesis], most: int) -> list[Hop]:
    """Every hop of the steps that `expand` can take from these trails, those behind mediators included.

    Costs two looks at the graph, and not one for every relation that leads to a mediator.
    """
    members = frontier_of(graph, trails, most)
    found: dict[Hop, None] = {}
    for _ in range(2):
        between = []
        for side, forward in ((graph.out, True), (graph.inc, False)):
            relations, ends = touched(graph, side, members)
            found |= dict.fromkeys((relation, forward) for relation in relations.tolist())
            between.append(ends[graph.mediators[ends]])
        members, _ = _thin(graph, distinct(np.concatenate(between)), AT_ONCE * most)
    return list(found)


def _hops(graph: Subgraph, frontier: Ints, along: Collection[Hop] | None) -> Iterator[tuple[Hop, Ints, bool]]:
    """Each hop, of those to take, what it reaches, and whether a mediator may be among these."""
    for side, forward in ((graph.out, True), (graph.inc, False)):
        found = around(side, frontier, None if along is None else _flags(graph, along, forward))
        hub = len(found.ends) > HUB  # of its ends those of most hops are not looked at
        through = not hub and bool(graph.mediators[found.ends].any())
        for relation, ends in found.parts():
            hop = (relation, forward)
            if along is None or hop in along:
                yield hop, ends, through or (hub and bool(graph.mediators[ends].any()))


def _flags(graph: Subgraph, along: Collection[Hop], forward: bool) -> NDArray[np.bool_]:
    """(R,) the relations to follow in one direction."""
    wanted = np.array([relation for relation, way in along if way == forward], np.int64)
    return np.isin(np.arange(graph.num_relations), wanted)


def frontier_of(graph: Subgraph, trails: Sequence[PathHypothesis], most: int) -> Ints:
    """The entities that `expand` will look at."""
    return distinct(np.concatenate([_thin(graph, trail.ends, most)[0] for trail in trails]))


def mediators_around(graph: Subgraph, entities: Ints) -> Ints:
    """The mediators next to entities: looked at in the same step."""
    near = [ends for _, ends in surroundings(graph, entities)]
    ends = distinct(np.concatenate(near)) if near else np.empty(0, np.int32)
    return ends[graph.mediators[ends]]


def _thin(graph: Subgraph, entities: Ints, most: int) -> tuple[Ints, bool]:
    if len(entities) <= most:
        return entities, False
    spread = np.linspace(0, len(entities) - 1, most).astype(np.int64)
    return np.sort(graph.in_order(entities)[spread]), True


def joined(first: PathHypothesis, second: PathHypothesis) -> Ints:
    """What both trails reach."""
    return shared(first.ends, second.ends)
