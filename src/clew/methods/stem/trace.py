"""Structure tracing: a schema graph walked in the knowledge graph from an anchor (paper algorithms 1 and 2).

Kept apart from planning and answering because it is the one part that meets the graph; it knows numbers only. The
recursion of the paper is laid out as a table of states, one schema edge at a time for all states at once: a state is a
schema node that stands at an entity, with the state and the edge it was reached from.

Shapes: S states, C candidate edges, R relations, N entities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph import Subgraph
from clew.graph.compiled_search import along
from clew.graph.subgraph import Csr, Ints
from clew.methods.stem.config import Config
from clew.methods.stem.schema import SchemaGraph
from clew.methods.stem.similarity import ELSEWHERE, REVERSED, THETA, Similarity

Longs = NDArray[np.int64]
Doubles = NDArray[np.float64]
Flags = NDArray[np.bool_]
MAX_EDGES = 5000  # traced per question
TIE = 1e-6
NEAR = 0.85  # T-score of an edge that stands beside those of the schema's own relation, such as that one walked back
HUB = 512  # edges of a state that are scored; of one with more those of the SIMILAR most similar relations
SIMILAR = 8
PREFERRED = 0.5  # anchor_consistency = "prefer"


class EdgeCandidates(NamedTuple):
    """Candidate edges of one schema edge: from which of the asking states, where to, over what, how good."""

    row: Longs  # (C,) position among the asking states
    entity: Ints
    triple: Ints
    second: Ints  # the other triple of a step through a mediator, else -1
    score: Doubles  # T-score without the guidance bonus
    exact: Flags

    def take(self, at: NDArray[Any]) -> EdgeCandidates:
        """Those at some positions, or where a mask says so."""
        return EdgeCandidates(*(column[at] for column in self))


@dataclass(eq=False)
class Trace:
    """All states of one (plan, topic, anchor); state 0 is the anchor. Every array has length S."""

    plan: SchemaGraph
    topic: int
    node: list[str]
    entity: Ints
    parent: Longs
    edge: Longs  # schema edge by which the state was reached; -1 at the anchor
    triple: Ints
    second: Ints
    score: Doubles  # S_0 and the T-scores along the way, with bonuses
    plain: Doubles  # T-scores along the way alone
    depth: Longs  # schema edges walked
    guided: Longs  # of these, how many lie in the guidance graph
    truncated: list[str] = field(default_factory=list)

    def children(self) -> Flags:
        """(S,) whether another state goes on from this one."""
        has = np.zeros(len(self.parent), bool)
        has[self.parent[self.parent >= 0]] = True
        return has

    def satisfied(self) -> Longs:
        """(S,) distinct schema edges matched on the way to each state or at a state on that way."""
        pairs = np.unique(np.stack([self.parent, self.edge], 1)[1:], axis=0)
        own = np.bincount(pairs[:, 0], minlength=len(self.parent)) if len(pairs) else np.zeros(len(self.parent), int)
        total = own.astype(np.int64)
        for s in range(1, int(self.depth.max(initial=0)) + 1):  # parents stand before their children
            here = np.flatnonzero(self.depth == s)
            total[here] = own[here] + total[self.parent[here]]
        return total

    def way(self, state: int) -> list[int]:
        """The states from the anchor to `state`."""
        found = [state]
        while self.parent[found[-1]] >= 0:
            found.append(int(self.parent[found[-1]]))
        return found[::-1]


def trace(
    similarity: Similarity,
    plan: SchemaGraph,
    start: str,
    anchor: int,
    anchor_score: float,
    anchors: Mapping[str, Ints],
    guided: Ints | None,
    config: Config,
    budget: int,
) -> Trace:
    """Walk `plan` from its node `start` standing at the entity `anchor`.

    Each schema edge is walked once, each graph edge at most once on a way (but see `Config.revisit`). Precision keeps
    the best edge of a state and, as `ties` says, those that read the same; Breadth those with a T-score of θ and more.

    Args:
        anchors: entities of the schema nodes that are topics.
        guided: ascending numbers of the entities of the guidance graph; None: no bonus.
        budget: most edges to trace; what is left out is told in `truncated`.
    """
    return _Tracing(similarity, _started(plan, start, anchor, anchor_score), anchors, guided, config).run(budget)


@dataclass(frozen=True, eq=False)
class _Tracing:
    """What one tracing goes by, and the states so far."""

    similarity: Similarity
    states: Trace
    anchors: Mapping[str, Ints]
    guided: Ints | None
    config: Config

    def run(self, budget: int) -> Trace:
        run = self.states
        walked: set[int] = set()
        groups: dict[str, Longs] = {run.node[0]: np.zeros(1, np.int64)}
        queue = [run.node[0]]
        for node in queue:
            for number, (h, _, t) in enumerate(run.plan.triples):
                if number in walked or node not in (h, t):
                    continue
                walked.add(number)
                far = t if node == h else h
                asking = groups[node]
                found, bonus = self._chosen(asking, self._candidates(asking, number, node, far), far)
                room = budget - (len(run.entity) - 1)
                if len(found.row) > room:
                    run.truncated.append(f"{len(found.row) - room} edges were not traced")
                    best = np.sort(np.argsort(-(found.score + bonus), kind="stable")[: max(room, 0)])
                    found, bonus = found.take(best), bonus[best]
                new = self._append(asking, found, bonus, number, far)
                if far not in groups:
                    groups[far] = new
                    if len(new):
                        queue.append(far)
        return run

    def _candidates(self, asking: Longs, number: int, node: str, far: str) -> EdgeCandidates:
        """Every graph edge that may stand for schema edge `number`, from each asking state."""
        run, similarity, anchors, config = self.states, self.similarity, self.anchors, self.config
        graph = similarity.graph
        h, relation, _ = run.plan.triples[number]
        forward = node == h
        entities = run.entity[asking]
        found: list[EdgeCandidates] = []
        open_rows = np.arange(len(asking))
        exact = similarity.exact(relation)
        if exact >= 0 and config.exact_relation_first:
            row, entity, triple = along(graph.out if forward else graph.inc, entities, exact)
            keep = np.ones(len(row), bool) if config.revisit else ~_used(run, asking[row], triple)
            if far in anchors:
                keep &= np.isin(entity, anchors[far])
            row, entity, triple = row[keep], entity[keep], triple[keep]
            found.append(_found(row, entity, triple, np.ones(len(row)), exact=True))
            if config.collapse_mediators:  # the fact may be meant whole: what else hangs on a mediator is offered, too
                found.append(_through(similarity, graph, entities, found[0], relation))
            open_rows = np.setdiff1d(open_rows, row)
        if len(open_rows):
            wanted = similarity.relations(relation)
            for out in (True, False):
                side = graph.out if out else graph.inc
                row, entity, triple = _incident(side, entities, open_rows, wanted, HUB)
                score = wanted[graph.rels[triple]] - REVERSED * (out != forward)
                found.append(_found(row, entity, triple, score))
            if config.collapse_mediators:
                found += [_through(similarity, graph, entities, each, relation) for each in found[-2:]]
        whole = EdgeCandidates(*map(np.concatenate, zip(*found, strict=True)))
        keep = ~_used(run, asking[whole.row], whole.triple) & ~_used(run, asking[whole.row], whole.second)
        keep |= whole.exact  # those were looked at above
        if whole.exact.any():
            # Where the schema's own relation leads on from some states, others that lack it are dead ends.
            through = (whole.second >= 0) & np.isin(whole.row, whole.row[whole.exact])
            keep &= whole.exact | through | (whole.score >= NEAR)
        whole = whole.take(keep)
        if config.edge_text == "text":
            whole = _by_text(similarity, run, asking, whole, number, node)
        if far in anchors:
            elsewhere = ~np.isin(whole.entity, anchors[far])
            if config.edge_text == "composed":  # the text of an edge says it by itself
                whole = whole._replace(score=whole.score - ELSEWHERE * elsewhere)
            if config.anchor_consistency == "require":
                whole = whole.take(~elsewhere)
        return whole

    def _chosen(self, asking: Longs, found: EdgeCandidates, far: str) -> tuple[EdgeCandidates, Doubles]:
        """The edges that Precision or Breadth keeps, and the bonus of each."""
        run, anchors, guided, config = self.states, self.anchors, self.guided, self.config
        bonus = np.zeros(len(found.row))
        if guided is not None:
            near = run.entity[asking[found.row]]
            bonus += config.tau * (np.isin(near, guided) & np.isin(found.entity, guided))
        if far in anchors and config.anchor_consistency == "prefer":
            bonus += PREFERRED * np.isin(found.entity, anchors[far])
        score = found.score + bonus
        if run.plan.strategy == "Precision":
            # Where an exact edge leads into a mediator, the best edge through it is kept beside it.
            whole = np.zeros(len(asking), bool)
            whole[found.row[found.exact]] = True
            group = 2 * found.row + (whole[found.row] & (found.second >= 0))
            best = np.full(2 * len(asking), -np.inf)
            np.maximum.at(best, group, score)
            keep = np.flatnonzero(score >= best[group] - TIE)
            if config.ties == "all":
                # The bonus says which edge is right; others that read the same are as right as that one.
                plain = np.full(2 * len(asking), -np.inf)
                np.maximum.at(plain, group[keep], found.score[keep])
                keep = np.flatnonzero(np.abs(found.score - plain[group]) <= TIE)
            if config.ties == "first":
                order = keep[np.lexsort((found.triple[keep], group[keep]))]
                keep = np.sort(order[np.unique(group[order], return_index=True)[1]])
        else:
            order = np.lexsort((found.triple, -score, found.row))
            theta = THETA if config.theta is None else config.theta
            order = order[score[order] >= theta]
            other = order[~found.exact[order]]
            rank = np.arange(len(other)) - np.searchsorted(found.row[other], found.row[other])
            cut = int((rank >= config.max_branch).sum())
            if cut:
                run.truncated.append(f"{cut} edges beyond max_branch were not followed")
            keep = np.sort(np.concatenate([order[found.exact[order]], other[rank < config.max_branch]]))
            if not len(keep) and len(score) and config.breadth_fallback:
                keep = np.flatnonzero(score >= score.max() - TIE)
                run.truncated.append(f"no edge reached theta = {theta:g}, the best of {score.max():.2f} was followed")
        return found.take(keep), bonus[keep]

    def _append(self, asking: Longs, found: EdgeCandidates, bonus: Doubles, edge: int, far: str) -> Longs:
        """Add states; return their numbers."""
        run, guided = self.states, self.guided
        old = asking[found.row]
        first, count = len(run.entity), len(found.row)
        inside = np.zeros(count, np.int64)
        if guided is not None:
            inside = (np.isin(run.entity[old], guided) & np.isin(found.entity, guided)).astype(np.int64)
        run.node += [far] * count
        run.score = np.concatenate([run.score, run.score[old] + found.score + bonus])
        run.plain = np.concatenate([run.plain, run.plain[old] + found.score])
        run.entity = np.concatenate([run.entity, found.entity])
        run.parent = np.concatenate([run.parent, old])
        run.edge = np.concatenate([run.edge, np.full(count, edge)])
        run.triple = np.concatenate([run.triple, found.triple])
        run.second = np.concatenate([run.second, found.second])
        run.depth = np.concatenate([run.depth, run.depth[old] + 1])
        run.guided = np.concatenate([run.guided, run.guided[old] + inside])
        return np.arange(first, first + count)


def _started(plan: SchemaGraph, start: str, anchor: int, score: float) -> Trace:
    """A trace with the anchor alone."""
    whole, edges, none, nothing = np.zeros(1, np.int64), np.array([-1]), np.array([-1], np.int32), np.zeros(1)
    here = np.array([anchor], np.int32)
    return Trace(
        plan, plan.topics[start], [start], here, edges, edges, none, none, np.array([score]), nothing, whole, whole
    )


def _found(
    row: Longs, entity: Ints, triple: Ints, score: NDArray[np.floating], *, exact: bool = False
) -> EdgeCandidates:
    return EdgeCandidates(
        row.astype(np.int64),
        entity.astype(np.int32),
        triple.astype(np.int32),
        np.full(len(row), -1, np.int32),
        score.astype(np.float64),
        np.full(len(row), exact),
    )


def _incident(
    side: Csr, entities: Ints, rows: Longs, wanted: NDArray[np.float32], hub: int
) -> tuple[Longs, Ints, Ints]:
    """The edges on one side of the entities at `rows`; of a hub only those of the SIMILAR most similar relations."""
    first, last = side.offsets[entities[rows]], side.offsets[entities[rows] + 1]
    size = last - first
    small = size <= hub
    count = size[small]
    place = np.repeat(first[small] - np.concatenate([[0], np.cumsum(count)[:-1]]), count) + np.arange(count.sum())
    row = [np.repeat(rows[small], count)]
    entity, triple = [side.neighbors[place]], [side.triples[place]]
    hubs = rows[~small]
    if len(hubs):
        for relation in np.argsort(-wanted, kind="stable")[:SIMILAR].tolist():
            at, reached, walked = along(side, entities[hubs], relation)
            row.append(hubs[at])
            entity.append(reached)
            triple.append(walked)
    return np.concatenate(row), np.concatenate(entity), np.concatenate(triple)


def _through(
    similarity: Similarity, graph: Subgraph, entities: Ints, found: EdgeCandidates, relation: str
) -> EdgeCandidates:
    """Edges that lead into a mediator, each joined with every other edge of it."""
    into = np.flatnonzero(graph.mediators[found.entity])
    parts: list[tuple[Longs, Ints, Ints]] = []
    for side in (graph.out, graph.inc):
        every = np.zeros(max(graph.num_relations, 1), np.float32)
        at, reached, walked = _incident(side, found.entity, into, every, 4096)
        keep = (walked != found.triple[at]) & (reached != entities[found.row[at]])
        parts.append((at[keep], reached[keep], walked[keep]))
    at, reached, walked = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    score = similarity.pairs(relation, graph.rels[found.triple[at]], graph.rels[walked]) if len(at) else np.zeros(0)
    joined = _found(found.row[at], reached, found.triple[at], score)
    return joined._replace(second=walked.astype(np.int32))


def _by_text(
    similarity: Similarity, run: Trace, asking: Longs, found: EdgeCandidates, number: int, node: str
) -> EdgeCandidates:
    """Scores from the texts of edges, for those that are neither exact nor through a mediator."""
    score = found.score.copy()
    plain = np.flatnonzero(~found.exact & (found.second < 0))
    for row in np.unique(found.row[plain]):
        own = plain[found.row[plain] == row]
        label = similarity.graph.labels(run.entity[asking[[row]]])[0]
        score[own] = similarity.edges(run.plan.triples[number], node, label, found.triple[own])
    return found._replace(score=score)


def _used(run: Trace, states: Longs, triples: Ints) -> Flags:
    """(C,) whether a triple already lies on the way to its state."""
    used = np.zeros(len(states), bool)
    at = states
    while len(at) and at.max(initial=-1) >= 0:
        here = at >= 0
        used |= here & (triples >= 0) & ((run.triple[at] == triples) | (run.second[at] == triples))
        at = np.where(here, run.parent[at], -1)
    return used
