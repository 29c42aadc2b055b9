"""Beam search over steps of the walk (Eq. 12-15), for many questions at once.

A hypothesis is a walk from a topic. At each hop all live ones of all questions ask the network in one batch; their
candidates are their moves and the stop. Probabilities are products of softmaxes over all candidates, the stop's own
included (Eq. 14).

Two probabilities travel with a hypothesis: that of its entities (the paper's), and that of its relation path, in which
all candidates over one relation count together. The first falls with the number of right answers, the second does
not; with `siblings` the beam is ranked by it.

Shapes: H hypotheses, M moves, S starts (a topic of a question), P steps, D width, R relations.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional as F

from clew.graph import Subgraph
from clew.methods.scr.model import GraphView
from clew.methods.scr.network import CandidateTables, by_name
from clew.paths.walks import Int, Moves, moves, shortest

CHUNK = 100_000  # moves scored at once: bounds the memory of a step through hubs
Reals = NDArray[np.float64]


class Walks(NamedTuple):
    """Hypotheses of one depth."""

    starts: Int  # (H,) row of the start
    entities: Int  # (H, P) from the topic on
    codes: Int  # (H, P-1)
    triples: Int  # (H, P-1)
    probability: Reals  # (H,) of the walk
    path_probability: Reals  # (H,) of its relation path
    names: Int  # (H,) equal for equal relation paths from one start

    def rows(self, which: Int) -> Walks:
        return Walks(*(column[which] for column in self))

    @property
    def last(self) -> Int:
        return self.triples[:, -1] if self.triples.shape[1] else np.full(len(self.starts), -1)


@dataclass(frozen=True, slots=True)
class FinishedWalk:
    """A walk that stopped."""

    start: int
    entities: tuple[int, ...]
    codes: tuple[int, ...]
    triples: tuple[int, ...]
    probability: float
    path_probability: float

    def by(self, *, path: bool) -> float:
        """The probability by which it is ranked: of its relation path, or its own."""
        return self.path_probability if path else self.probability


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """The settings of one search."""

    beam: int
    hops: int
    floor: float  # hypotheses less probable than this are dropped: they can only become less so
    returns: Literal["edge", "none"]
    by_path: bool  # rank by the relation path's probability
    representatives: int  # most hypotheses of one relation path, when ranked by it
    score_stop: bool
    hub_limit: int | None
    one_each: bool = False  # a neighbour is one candidate, however many edges lead to it


Ask = Callable[[Walks], Tensor]  # live walks to (H, D) queries


def search(
    graph: Subgraph,
    tables: CandidateTables,
    temperature: float,
    ask: Ask,
    topics: Int,
    owners: Int,
    plan: SearchSettings,
) -> tuple[list[FinishedWalk], dict[int, int]]:
    """All walks that stopped with a probability of at least `plan.floor`.

    Args:
        topics: (S,) local entity each start stands at.
        owners: (S,) question each start belongs to; the starts of one question share its beam.

    Returns: the walks, and per start how many candidates the hub limit kept from being scored.
    """
    return _BeamSearch(graph, tables, temperature, owners, plan).run(ask, topics)


class _BeamSearch:
    """One search; `finished` and `unscored` grow with it."""

    def __init__(
        self, graph: Subgraph, tables: CandidateTables, temperature: float, owners: Int, plan: SearchSettings
    ) -> None:
        self._graph, self._tables, self._temperature = graph, tables, temperature
        self._owners, self._plan = owners, plan
        self._finished: list[FinishedWalk] = []
        self._unscored: dict[int, int] = {}

    def run(self, ask: Ask, topics: Int) -> tuple[list[FinishedWalk], dict[int, int]]:
        s, plan = len(topics), self._plan
        ones = np.ones(s)
        empty = np.empty((s, 0), np.int64)
        live = Walks(np.arange(s), topics[:, None].astype(np.int64), empty, empty, ones, ones, np.arange(s))
        for depth in range(plan.hops + 1):
            if not len(live.starts):
                break
            found = self._moves(live)
            queries = ask(live)
            found = self._limit_hubs(found, live, queries)
            turning = found.triples == live.last[found.walks]
            # The walks whose candidates compete together: those over one relation path, or each alone (the paper).
            pool = np.unique(live.names, return_inverse=True)[1] if plan.by_path else np.arange(len(live.starts))
            probability, stop = self._probabilities(found, turning, live, queries, pool)
            self._collect(live, stop, pool)
            found, probability = Moves(*(column[~turning] for column in found)), probability[~turning]
            if depth == plan.hops:
                break
            live = self._advance(live, found, probability, pool)
        return self._finished, self._unscored

    def _moves(self, live: Walks) -> Moves:
        plan = self._plan
        found = moves(self._graph, live.entities[:, -1], live.last, turns=plan.returns == "edge")
        if plan.returns == "none":
            fresh = ~(live.entities[found.walks] == found.targets[:, None]).any(1)
            found = Moves(*(column[fresh] for column in found))
        if plan.one_each:
            kept = one_each(found, found.triples == live.last[found.walks])
            found = Moves(*(column[kept] for column in found))
        return found

    def _limit_hubs(self, found: Moves, live: Walks, queries: Tensor) -> Moves:
        """Keep at most `hub_limit` moves of a hypothesis: a cheap first pass ranks them by their relation alone."""
        plan, tables = self._plan, self._tables
        if plan.hub_limit is None:
            return found
        counts = np.bincount(found.walks, minlength=len(live.starts))
        large = np.flatnonzero(counts > plan.hub_limit)
        if not len(large):
            return found
        kept = counts[found.walks] <= plan.hub_limit
        ends = np.cumsum(counts)
        asked = queries[torch.from_numpy(large)]
        near = asked[:, : tables.entities.shape[1]] @ tables.relations.T / self._temperature
        by_relation = (near + by_name(asked, tables)).cpu().numpy()
        for row, walk in enumerate(large.tolist()):
            span = np.arange(ends[walk] - counts[walk], ends[walk])
            order = np.argsort(-by_relation[row][found.codes[span]], kind="stable")
            kept[span[order[: plan.hub_limit]]] = True
            start = int(live.starts[walk])
            self._unscored[start] = self._unscored.get(start, 0) + int(counts[walk]) - plan.hub_limit
        return Moves(*(column[kept] for column in found))

    def _probabilities(
        self, found: Moves, turning: NDArray[np.bool_], live: Walks, queries: Tensor, pool: Int
    ) -> tuple[Reals, Reals]:
        """(M,) probability of each move and (H,) of each stop: softmax over the candidates of a pool (Eq. 7, 10).

        A pool of its own for every hypothesis is the paper's. Where the beam is one of relation paths, the walks over
        one path share a pool: of five children one has a spouse, and the other four, who must go somewhere too, would
        each pass on all their probability to a step that nobody asked for. Side by side their steps are seen to be
        worse.

        A move that would turn round is never taken, but the stop has to win against it: at an entity that nothing else
        leads away from, the stop would otherwise be certain, whatever the question wants.
        """
        tables, temperature = self._tables, self._temperature
        device = tables.entities.device
        here = torch.from_numpy(live.entities[:, -1]).to(device)
        halt = F.normalize(tables.entities[here] + tables.relations[-1], dim=1)
        hints, queries = by_name(queries, tables), queries[:, : tables.entities.shape[1]]
        stop = ((halt * queries).sum(1) / temperature).cpu().numpy().astype(np.float64)
        scores = np.empty(len(found.walks))
        for at in range(0, len(scores), CHUNK):
            part = slice(at, at + CHUNK)
            targets, codes, walks = (
                torch.from_numpy(np.asarray(column[part], np.int64)).to(device)
                for column in (found.targets, found.codes, found.walks)
            )
            vectors = tables.entities.index_select(0, targets).add_(tables.relations.index_select(0, codes))
            dots = torch.linalg.vecdot(vectors, queries.index_select(0, walks))
            near = dots / vectors.norm(dim=1).clamp_min(1e-12) / temperature
            scores[part] = (near + hints[walks, codes]).cpu().numpy()
        own = pool[found.walks]
        top = np.full(pool.max() + 1, -np.inf)
        np.maximum.at(top, pool, stop)
        np.maximum.at(top, own, scores)
        moved, halted = np.exp(scores - top[own]), np.exp(stop - top[pool])
        still = np.bincount(pool, weights=halted)
        onward = np.bincount(own, weights=np.where(turning, 0.0, moved), minlength=len(top))
        back = np.bincount(own, weights=np.where(turning, moved, 0.0), minlength=len(top))
        return moved / (still + onward)[own], halted / (still + onward + back)[pool]

    def _collect(self, live: Walks, stop: Reals, pool: Int) -> None:
        plan = self._plan
        share = stop if plan.score_stop else np.ones_like(stop)
        together = np.bincount(pool, weights=stop)[pool] if plan.score_stop else share
        probability, path_probability = live.probability * share, live.path_probability * together
        enough = np.flatnonzero((path_probability if plan.by_path else probability) >= plan.floor)
        self._finished.extend(
            FinishedWalk(
                int(live.starts[i]),
                tuple(live.entities[i].tolist()),
                tuple(live.codes[i].tolist()),
                tuple(live.triples[i].tolist()),
                float(probability[i]),
                float(path_probability[i]),
            )
            for i in enough.tolist()
        )

    def _advance(self, live: Walks, found: Moves, probability: Reals, pool: Int) -> Walks:
        """The K best continuations of each question."""
        plan = self._plan
        walks, width = found.walks, 2 * self._graph.num_relations
        groups, group = np.unique(pool[walks] * width + found.codes, return_inverse=True)
        together = np.bincount(group, weights=probability, minlength=len(groups))
        walked = (live.path_probability if plan.by_path else live.probability)[walks] * probability
        path = live.path_probability[walks] * together[group]
        keep = np.flatnonzero((path if plan.by_path else walked) >= plan.floor)
        if not len(keep):
            return live.rows(keep)
        names = np.unique(live.names[walks[keep]] * width + found.codes[keep], return_inverse=True)[1]
        owner = self._owners[live.starts[walks[keep]]]
        if plan.by_path:
            # Most representatives of a path are as good as another: keep the likeliest few, leave room for other paths.
            order = np.lexsort((-walked[keep], names))
            few = order[_rank(names[order]) < plan.representatives]
            keep, names, owner = keep[few], names[few], owner[few]
            order = np.lexsort((-walked[keep], -path[keep], owner))
        else:
            order = np.lexsort((-walked[keep], owner))
        order = order[_rank(owner[order]) < plan.beam]
        keep, names = keep[order], names[order]
        rows = live.rows(walks[keep])
        return Walks(
            rows.starts,
            np.concatenate([rows.entities, found.targets[keep, None].astype(np.int64)], 1),
            np.concatenate([rows.codes, found.codes[keep, None]], 1),
            np.concatenate([rows.triples, found.triples[keep, None].astype(np.int64)], 1),
            walked[keep],
            path[keep],
            names,
        )


def single_step(
    seen: GraphView, temperature: float, ask: Ask, topics: Sequence[int], plan: SearchSettings
) -> list[FinishedWalk]:
    """Table 4, "w/o multi-step": the entities nearest to the question, each with one shortest path from the topic."""
    graph, tables = seen.graph, seen.tables
    starts = np.arange(len(topics))
    entities = np.array(topics, np.int64)[:, None]
    empty, ones = np.empty((len(topics), 0), np.int64), np.ones(len(topics))
    queries = ask(Walks(starts, entities, empty, empty, ones, ones, starts))[:, : tables.entities.shape[1]]
    everyone = F.normalize(tables.entities + tables.relations[-1], dim=1)
    shares = torch.softmax(queries @ everyone.T / temperature, 1)
    best, order = shares.topk(min(plan.beam, graph.num_entities))
    finished: list[FinishedWalk] = []
    for start, (probabilities, ends) in enumerate(zip(best.tolist(), order.tolist(), strict=True)):
        for probability, end in zip(probabilities, ends, strict=True):
            walk = shortest(graph, topics[start], end, plan.hops)
            if walk is not None and probability >= plan.floor:
                passed, codes, triples = walk
                finished.append(FinishedWalk(start, passed, codes, triples, probability, probability))
    return finished


def one_each(found: Moves, last: NDArray[np.bool_]) -> Int:
    """The positions of one move to each neighbour of each walk: the first relation's, of `last` only where need be."""
    order = np.lexsort((found.triples, found.codes, last, found.targets, found.walks))
    walks, targets = found.walks[order], found.targets[order]
    first = np.r_[True, (walks[1:] != walks[:-1]) | (targets[1:] != targets[:-1])][: len(order)]
    return np.sort(order[first])


def _rank(sorted_keys: Int) -> Any:
    """Position of each element inside its run of equal keys."""
    if not len(sorted_keys):
        return sorted_keys
    first = np.flatnonzero(np.r_[True, sorted_keys[1:] != sorted_keys[:-1]])
    return np.arange(len(sorted_keys)) - np.repeat(first, np.diff(np.r_[first, len(sorted_keys)]))
