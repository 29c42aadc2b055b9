"""Plan candidates of one question, grown from its topics: relation paths, several that meet, and steps from there on.

Separate from the network because it only knows the graph. The caller says how relevant each step is; growth keeps the
best of each length, never looks at an entity path, and never proposes a plan whose only end is the topic itself,
unless the graph states just that (a triple from the topic to itself).

Shapes: N entities, E ends of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.paths import follow
from clew.graph.sets import distinct, shared
from clew.graph.subgraph import Ints
from clew.reading.likely import WIDEST, LikelyHops
from clew.reading.trails import Along, Hop, Hops, PathHypothesis, are_values, expand, joined, undoes

Floats = NDArray[np.float32]
ALL = 3  # things that there are of what one thing holds
HOLDERS_UP_TO = 200_000  # triples of a graph in which such things are looked for
Relevance = Callable[[Sequence[Hops]], Floats]
"""Distinct steps -> how likely the question asks for each, as a log-probability."""


@dataclass(frozen=True, slots=True)
class GrowthLimits:
    """What bounds the growth."""

    hops: int = 3  # steps of one trail
    beam: int = 12  # trails of one length that are extended, per topic
    frontier: int = 400  # entities looked at to find the relations of a set of entities
    kept: int = 40  # trails of one length that compete, per topic
    meeting: int = 12  # trails per mention that are tried together
    further: int = 12  # trails of one step more than `hops`, where the question names it
    plans: int = 64  # plans that are handed over


@dataclass(frozen=True, eq=False, slots=True)
class PlanCandidate:
    """Trails from different topics whose common ends, followed further by `after`, answer."""

    trails: tuple[PathHypothesis, ...]
    ends: Ints  # ascending local numbers, without topics walked from; of a sample where `sampled`
    after: tuple[Hops, ...] = ()
    relevance: float = 0.0
    sampled: bool = False

    @property
    def key(self) -> tuple[object, ...]:
        """What tells plans of one question apart."""
        return tuple((trail.topic, trail.steps) for trail in self.trails), self.after

    @property
    def steps(self) -> tuple[Hops, ...]:
        return (*(step for trail in self.trails for step in trail.steps), *self.after)


@dataclass(eq=False)
class Growth:
    """The growth for one question. `cut` says in words what a limit left out."""

    graph: Subgraph
    starts: Sequence[int]  # local numbers of the topics
    mentions: Sequence[int]  # per topic, which part of the question names it; namesakes share one
    relevance: Relevance
    limits: GrowthLimits = field(default_factory=GrowthLimits)
    types: frozenset[int] = frozenset()  # relations that state what kind of thing an entity is
    likely: LikelyHops | None = None  # the hops to take in a large graph
    said: Callable[[PathHypothesis], bool] | None = (
        None  # whether a question names the last step of a trail, or its ends
    )
    cut: list[str] = field(default_factory=list)

    def run(self) -> list[PlanCandidate]:
        """The plans, most relevant first."""
        trails = [self._from(i, start) for i, start in enumerate(self.starts)]
        plans = [plan for found in trails for plan in found]
        plans += self._meeting(trails)
        if self.likely is not None and self.likely.too_wide:
            self.cut.append(f"{self.likely.too_wide} paths lead to more than {WIDEST:,} things and were not followed")
        return _spread(plans, self.limits.plans, self.mentions)

    def _from(self, topic: int, start: int) -> list[PlanCandidate]:
        level = [(0.0, PathHypothesis(topic, (), np.array([start], np.int32)))]
        found: list[PlanCandidate] = []
        for _ in range(self.limits.hops):
            along = self._likely([trail for _, trail in level])
            longer = [(score, t) for score, trail in level for t in self._longer(trail, start, along)]
            if not longer:
                break
            gains = self.relevance([trail.steps[-1] for _, trail in longer])
            scores = np.array([score for score, _ in longer], np.float32) + gains
            order = np.argsort(-scores, kind="stable")
            kept = 0
            for i in order:
                trail = longer[i][1]
                ends = answers(trail, start)
                if len(ends) == 0:
                    continue
                found.append(PlanCandidate((trail,), ends, (), float(scores[i]), trail.sampled))
                kept += 1
                if kept == self.limits.kept:
                    break
            level = [(float(scores[i]), longer[i][1]) for i in order[: self.limits.beam]]
        return found + self._further(level, start)

    def _further(self, level: Sequence[tuple[float, PathHypothesis]], start: int) -> list[PlanCandidate]:
        """The longest trails with one step more, where the question names it: a long question may say four."""
        if self.said is None or len(level[0][1].steps) < self.limits.hops:
            return []
        along = self._likely([trail for _, trail in level])
        longer = [(score, t) for score, trail in level for t in self._longer(trail, start, along) if self.said(t)]
        gains = self.relevance([trail.steps[-1] for _, trail in longer]) if longer else ()
        made = [
            PlanCandidate((trail,), ends, (), score + float(gain), trail.sampled)
            for (score, trail), gain in zip(longer, gains, strict=True)
            if len(ends := answers(trail, start))
        ]
        return sorted(made, key=lambda plan: -plan.relevance)[: self.limits.further]

    def _likely(self, trails: Sequence[PathHypothesis]) -> Along | None:
        return None if self.likely is None else self.likely.along(trails, self.limits.frontier)

    def _longer(self, trail: PathHypothesis, start: int, along: Along | None) -> list[PathHypothesis]:
        """Every sensible trail one step longer."""
        before = trail.steps[-1] if trail.steps else None
        longer = []
        found = expand(self.graph, trail, self.limits.frontier, along)
        for each in found if self.likely is None else self.likely.narrow(found):
            step = each.steps[-1]
            back = before is not None and undoes(step, before)
            if before is not None and not back and step[0][0] in self.types and not step[0][1]:
                continue  # "everything of the same kind" is no step to go on from
            if back and len(trail.steps) == 1 and len(each.ends) > 1:  # there and back: on from the others
                each = replace(each, ends=each.ends[each.ends != start])
            longer.append(each)
        return longer

    def _meeting(self, trails: list[list[PlanCandidate]]) -> list[PlanCandidate]:
        """Trails of different mentions that meet, all of them where there are three, and one step on from there."""
        by_mention: dict[int, list[PlanCandidate]] = {}
        for topic, found in enumerate(trails):
            short = [plan for plan in found if len(plan.trails[0].steps) <= 2 and not plan.sampled]
            by_mention.setdefault(self.mentions[topic], []).extend(short)
        if len(by_mention) < 2:
            return []
        for found in by_mention.values():
            found.sort(key=lambda plan: -plan.relevance)
        best = {mention: found[: self.limits.meeting] for mention, found in by_mention.items()}
        between = self._between(by_mention)
        pairs: list[PlanCandidate] = []
        for a, b in combinations(sorted(best), 2):
            for x in best[a]:
                for y in best[b]:
                    ends = joined(x.trails[0], y.trails[0])
                    for trail in (*x.trails, *y.trails):
                        ends = ends[ends != self.starts[trail.topic]]
                    if len(ends):
                        pairs.append(PlanCandidate((*x.trails, *y.trails), ends, (), x.relevance + y.relevance))
        pairs.sort(key=lambda plan: -plan.relevance)
        pairs = pairs[: 2 * self.limits.meeting]
        if len(best) > 2:
            pairs += self._triples(pairs, best)
        return pairs + self._onward(pairs[: self.limits.meeting]) + self._onward(between)

    def _between(self, by_mention: dict[int, list[PlanCandidate]]) -> list[PlanCandidate]:
        """Trails of two mentions that meet in mediators, without the hop behind these: "how did A vote on B" is told by
        what joins A and B, and not by what is said of each."""
        halves: dict[int, dict[object, PlanCandidate]] = {}
        for mention, found in by_mention.items():
            mine = halves.setdefault(mention, {})
            for plan in found:
                trail = plan.trails[0]
                key = trail.topic, _half(trail)
                if len(trail.steps[-1]) < 2 or key in mine or len(mine) == self.limits.meeting:
                    continue
                half = _to_mediators(self.graph, trail, self.starts)
                mine[key] = PlanCandidate((half,), half.ends, (), plan.relevance)
        pairs = []
        for a, b in combinations(sorted(halves), 2):
            for x in halves[a].values():
                for y in halves[b].values():
                    ends = shared(x.ends, y.ends)
                    if len(ends):
                        pairs.append(PlanCandidate((*x.trails, *y.trails), ends, (), x.relevance + y.relevance))
        return sorted(pairs, key=lambda plan: -plan.relevance)[: self.limits.meeting]

    def _triples(self, pairs: Sequence[PlanCandidate], best: dict[int, list[PlanCandidate]]) -> list[PlanCandidate]:
        found = []
        for pair in pairs:
            used = {self.mentions[trail.topic] for trail in pair.trails}
            last = max(used)
            for mention in (m for m in best if m > last):
                for other in best[mention]:
                    ends = shared(pair.ends, other.ends)
                    if len(ends):
                        found.append(
                            PlanCandidate((*pair.trails, *other.trails), ends, (), pair.relevance + other.relevance)
                        )
        return sorted(found, key=lambda plan: -plan.relevance)[: self.limits.meeting]

    def _onward(self, pairs: Sequence[PlanCandidate]) -> list[PlanCandidate]:
        """One step from where trails meet."""
        longer: list[tuple[PlanCandidate, PathHypothesis]] = []
        for pair in pairs:
            if are_values(self.graph, pair.ends):
                continue
            trail = PathHypothesis(-1, (), pair.ends)
            for each in expand(self.graph, trail, self.limits.frontier, self._likely([trail])):
                lasts = [trail.steps[-1] for trail in pair.trails]
                if any(undoes(each.steps[-1], last) for last in lasts) or each.steps[-1][0][0] in self.types:
                    continue
                longer.append((pair, each))
        if not longer:
            return []
        gains = self.relevance([each.steps[-1] for _, each in longer])
        found = []
        for (pair, each), gain in zip(longer, gains.tolist(), strict=True):
            ends = each.ends
            for trail in pair.trails:
                ends = ends[ends != self.starts[trail.topic]]
            if len(ends):
                found.append(
                    replace(pair, ends=ends, after=each.steps, relevance=pair.relevance + gain, sampled=each.sampled)
                )
        return sorted(found, key=lambda plan: -plan.relevance)[: self.limits.meeting]


def around_all(graph: Subgraph, plans: Sequence[PlanCandidate]) -> Floats:
    """(P,) 1.0 for plans that go up to the one thing that holds everything and down to all of something: from a session
    to the conference and to all of its rooms, which says nothing of the session."""
    found = np.zeros(len(plans), np.float32)
    if graph.num_triples > HOLDERS_UP_TO:
        return found
    for at, plan in enumerate(plans):
        hops = [hop for step in plan.steps for hop in step]
        if len(plan.trails) > 1 or len(hops) < 2 or len(plan.ends) < ALL:
            continue
        found[at] = any(_holds_all(graph, hop) for hop in hops[1:])
    return found


def _holds_all(graph: Subgraph, hop: Hop) -> bool:
    """Whether a hop leads from one thing alone, and to many."""
    known = _HOLDERS.setdefault(graph, {})
    if hop not in known:
        mine = graph.rels == hop[0]
        starts, ends = (graph.heads[mine], graph.tails[mine]) if hop[1] else (graph.tails[mine], graph.heads[mine])
        known[hop] = len(starts) >= ALL and bool((starts == starts[0]).all()) and len(distinct(ends)) >= ALL
    return known[hop]


_HOLDERS: WeakKeyDictionary[Subgraph, dict[Hop, bool]] = WeakKeyDictionary()  # by graph: questions share them


def _half(trail: PathHypothesis) -> tuple[Hops, ...]:
    """The steps of a trail without the hop behind its last mediator."""
    return (*trail.steps[:-1], trail.steps[-1][:1])


def _to_mediators(graph: Subgraph, trail: PathHypothesis, starts: Sequence[int]) -> PathHypothesis:
    """A trail as far as its last mediators."""
    ends = follow(graph, [starts[trail.topic]], trail.hops[:-1]).entities
    return PathHypothesis(trail.topic, _half(trail), ends[graph.mediators[ends]])


def _one_value(first: PathHypothesis, second: PathHypothesis) -> bool:
    """Whether two trails end in the same hop behind a mediator."""
    return len(first.steps[-1]) == len(second.steps[-1]) == 2 and first.steps[-1][1] == second.steps[-1][1]


def as_said_of_both(plan: PlanCandidate, graph: Subgraph, starts: Sequence[int]) -> PlanCandidate | None:
    """A plan whose two trails end in the same hop behind mediators, read from the mediators that join their topics;
    None for any other."""
    if len(plan.trails) != 2 or plan.after or not _one_value(*plan.trails):
        return None
    halves = [_to_mediators(graph, trail, starts) for trail in plan.trails]
    joining = joined(*halves)
    if not len(joining):
        return None
    last = plan.trails[0].steps[-1][1:]
    ends = follow(graph, joining, last).entities
    ends = ends[~np.isin(ends, [starts[trail.topic] for trail in halves])]
    return replace(plan, trails=tuple(halves), ends=ends, after=(last,)) if len(ends) else None


def _spread(plans: list[PlanCandidate], most: int, mentions: Sequence[int]) -> list[PlanCandidate]:
    """The best plans of every shape in turn: the relevance of a long one is a longer sum, and would crowd it out."""
    ranks: dict[object, int] = {}
    order = []
    for plan in sorted(plans, key=lambda plan: -plan.relevance):
        shape = tuple((mentions[trail.topic], len(trail.steps)) for trail in plan.trails), len(plan.after)
        ranks[shape] = rank = ranks.get(shape, -1) + 1
        order.append((rank, -plan.relevance, plan))
    order.sort(key=lambda each: each[:2])
    return [plan for _, _, plan in order[:most]]


def answers(trail: PathHypothesis, start: int) -> Ints:
    """The ends of a trail without its start, which answers only where a triple leads from it to itself."""
    one_hop = len(trail.steps) == 1 and len(trail.steps[0]) == 1
    ends: Ints = trail.ends if one_hop else trail.ends[trail.ends != start]
    return ends
