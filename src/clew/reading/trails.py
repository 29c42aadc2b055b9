"""Relation paths from the topics, grown hop by hop, each with the set of entities it reaches.

Separate from ranking because it only knows the graph. The unit is the *relation path*, never the entity path, so the
cost is bounded by the relations around a set of entities and not by how many ways lead through them. A mediator is
passed through: the two triples around it are one step.

Shapes: N entities, F entities of a frontier, R relations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.kinds import TRUTHS
from clew.graph.sets import around, distinct, shared, surroundings, touched, without
from clew.graph.subgraph import HUB, Ints
from clew.retrieval.scoring import value_cue

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


class Along(frozenset[Hop]):
    """The only hops to take, where not all are."""

    def flags(self, relations: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """(R,) which relations are walked forward, and which backward; made once."""
        if not hasattr(self, "_flags"):
            both = np.zeros((2, relations), np.bool_)
            for relation, forward in self:
                both[int(not forward), relation] = True
            self._flags = both[0], both[1]
        return self._flags


def expand(graph: Subgraph, trail: PathHypothesis, most: int, along: Along | None = None) -> Iterator[PathHypothesis]:
    """Every trail one step longer; from a value only those back to what else has it.

    Args:
        most: entities of the frontier that are looked at; of a wider one an even sample finds the relations, and the
            ends of the chosen path are computed afresh, so that no answer is lost.
        along: the only hops to take; None: all.
    """
    only_back = bool(trail.steps) and are_values(graph, trail.ends)
    for each in _onward(graph, trail, most, along):
        if not only_back or undoes(each.steps[-1], trail.steps[-1]):
            yield each


def _onward(graph: Subgraph, trail: PathHypothesis, most: int, along: Along | None) -> Iterator[PathHypothesis]:
    """Every trail one step longer, wherever it leads."""
    frontier, sampled = _thin(graph, trail.ends, most)
    sampled |= trail.sampled
    flags = (None, None) if along is None else along.flags(graph.num_relations)
    for hop, reached, nameless in _hops(graph, frontier, flags):
        if nameless is None:
            yield PathHypothesis(trail.topic, (*trail.steps, (hop,)), reached, sampled)
            continue
        named = reached[~nameless]
        if len(named):
            yield PathHypothesis(trail.topic, (*trail.steps, (hop,)), named, sampled)
        if nameless.any():
            between, cut = _thin(graph, reached[nameless], most)
            for second, ends in surroundings(graph, between, flags):
                ends = ends[~graph.mediators[ends]]
                if second == (hop[0], not hop[1]):
                    ends = without(ends, frontier)
                if len(ends):
                    yield PathHypothesis(trail.topic, (*trail.steps, (hop, second)), ends, sampled or cut)


def undoes(step: Hops, before: Hops) -> bool:
    """Whether `step` walks back over what `before` walked."""
    if len(step) == len(before) == 1:  # nearly always
        return step[0][0] == before[0][0] and step[0][1] != before[0][1]
    return step == tuple((relation, not forward) for relation, forward in reversed(before))


def are_values(graph: Subgraph, ends: Ints) -> bool:
    """Whether ends are values, from which only the way back leads on, to what else has them: literals, and in a graph
    without any what is written as a yes or as a figure and says nothing itself."""
    if not len(ends):
        return False
    first = graph.entity(int(ends[0]))
    written = first.label.casefold() in TRUTHS or value_cue(first.label, first.datatype) != "none"
    return first.kind == "literal" or (written and not graph.out.counts(ends[:1])[0])


def hops_around(graph: Subgraph, trails: Sequence[PathHypothesis], most: int) -> list[Hop]:
    """Every hop of the steps that `expand` can take from these trails, those behind mediators included.

    Costs two looks at the graph, and not one for every relation that leads to a mediator.
    """
    members = frontier_of(graph, trails, most)
    found: list[Hop] = []
    met = np.zeros((2, graph.num_relations), np.bool_)
    for _ in range(2):
        between = []
        for side, forward in ((graph.out, True), (graph.inc, False)):
            relations, ends = touched(graph, side, members)
            new = relations[~met[int(forward), relations]]
            met[int(forward), new] = True
            found += zip(new.tolist(), repeat(forward))
            between.append(ends[graph.mediators[ends]])
        members, _ = _thin(graph, distinct(np.concatenate(between)), AT_ONCE * most)
    return found


def _hops(
    graph: Subgraph, frontier: Ints, allowed: Sequence[NDArray[np.bool_] | None]
) -> Iterator[tuple[Hop, Ints, NDArray[np.bool_] | None]]:
    """Each hop, of those to take, what it reaches, and which of these are mediators; None: none is."""
    for side, forward, flags in ((graph.out, True, allowed[0]), (graph.inc, False, allowed[1])):
        found = around(side, frontier, flags)
        if len(found.ends) > HUB:  # those of most hops are not looked at
            for relation, ends in found.parts(flags):
                marks = graph.mediators[ends]
                yield (relation, forward), ends, marks if marks.any() else None
            continue
        marks = graph.mediators[found.ends]
        some = bool(marks.any())
        for relation, first, last in found.spans(flags):
            yield (relation, forward), found.ends[first:last], marks[first:last] if some else None


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
