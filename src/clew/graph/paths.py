"""Paths through a subgraph: gold paths between entities, the ends of a relation path, the relation paths of a seed.

Separate from the kernels because everything here speaks of *steps*: a triple and the direction in which it is walked.
Direction is "forward" (from head to tail only) or "any". Nothing here is a Python loop over triples.

Shapes: N entities, T triples, P paths, L hops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.jit import loaded
from clew.graph.subgraph import Csr, Ints, Subgraph
from clew.types import Hop, Path

Way = Literal["forward", "any"]
Repeats = Literal["nothing", "entities", "triples"]
REPEATS: tuple[Repeats, ...] = ("nothing", "entities", "triples")
RelationPath = tuple[tuple[int, bool], ...]  # (relation, forward) per hop
NO_TARGETS = np.empty(0, np.int32)
FEWER_THAN_COMPILED = 100_000  # triples looked at one by one rather than that numba is loaded for them


@dataclass(frozen=True, slots=True)
class MinedPath:
    """One path in local numbers. Hop i goes from entities[i] to entities[i + 1] over triples[i]."""

    entities: tuple[int, ...]  # L + 1
    relations: tuple[int, ...]  # L
    forward: tuple[bool, ...]  # L; False where the triple was walked from tail to head
    triples: tuple[int, ...]  # L

    @property
    def steps(self) -> RelationPath:
        return tuple(zip(self.relations, self.forward, strict=True))


@dataclass(frozen=True, eq=False)
class MinedPaths(Sequence[MinedPath]):
    """Paths as arrays; items are made when asked for."""

    graph: Subgraph
    starts: Ints  # (P,)
    offsets: NDArray[np.int64]  # (P+1,) where each path's hops stand in the next two
    triples: Ints
    forward: NDArray[np.bool_]
    truncated: tuple[str, ...] = ()  # which cap was hit, in words

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, i):  # type: ignore[no-untyped-def]
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(len(self)))]
        if not -len(self) <= i < len(self):
            raise IndexError(i)
        i %= len(self)
        span = slice(self.offsets[i], self.offsets[i + 1])
        triples, forward = self.triples[span], self.forward[span]
        reached = np.where(forward, self.graph.tails[triples], self.graph.heads[triples])
        return MinedPath(
            (int(self.starts[i]), *reached.tolist()),
            tuple(self.graph.rels[triples].tolist()),
            tuple(forward.tolist()),
            tuple(triples.tolist()),
        )

    def __iter__(self) -> Iterator[MinedPath]:
        return (self[i] for i in range(len(self)))

    @property
    def ends(self) -> Ints:
        """(P,) the last entity of each path."""
        last = self.offsets[1:] - 1
        triples = self.triples[last]
        ends = np.where(self.forward[last], self.graph.tails[triples], self.graph.heads[triples])
        return ends.astype(np.int32)

    def relation_paths(self) -> dict[RelationPath, int]:
        """How many paths follow each distinct relation path, in order of first appearance."""
        counts: dict[RelationPath, int] = {}
        for path in self:
            counts[path.steps] = counts.get(path.steps, 0) + 1
        return counts


def mine_paths(
    graph: Subgraph,
    sources: Sequence[int] | Ints,
    targets: Sequence[int] | Ints,
    *,
    direction: Way = "any",
    slack: int | None = 0,
    max_len: int = 4,
    max_paths_per_pair: int = 64,
    max_total: int = 256,
    returns: bool = False,
    repeats: Repeats = "nothing",
) -> MinedPaths:
    """The paths of at least one hop from each source to each target.

    Parallel triples give separate paths. Order: pairs as given, sources first;
    within a pair by length, then step by step forward before backward, lower relation and entity numbers first.
    Cost grows with what is found, not with the graph: a search from the source stops at the targets, one back from
    each target keeps to entities that lie on a path short enough, and the enumeration steps on those only.

    Args:
        sources, targets: local numbers; repeated ones count once.
        slack: how many hops longer than the pair's shortest a path may be; 0 is "all shortest", None "all ≤ max_len".
        max_len: most hops of any path.
        max_paths_per_pair: the first so many are kept.
        max_total: the pairs share this number fairly: no pair loses a path to one that keeps more.
        returns: for a target that is the source itself, its cycles: paths back to it. Without, such a pair has no
            path. `slack` then counts from the shortest cycle.
        repeats: what a path may meet again. "nothing": its entities differ (start and end of a cycle apart).
            "entities": only its triples differ. "triples": a walk, which only never turns round at once over the triple
            it came by; "the mother of the child of the mother" needs it.
    """
    if max_len < 1 or max_paths_per_pair < 1 or max_total < 1 or (slack is not None and slack < 0):
        raise InputError(
            f"mine_paths: max_len={max_len}, max_paths_per_pair={max_paths_per_pair}, max_total={max_total}, "
            f"slack={slack}; expected at least 1, 1, 1 and 0"
        )
    from clew.graph.compiled import clear, level
    from clew.graph.compiled_search import reach

    both = direction == "any"
    wanted = np.array(list(dict.fromkeys(int(t) for t in targets)), np.int32)
    spare = max_len if slack is None else slack
    capped = 0
    pairs: list[_Pair] = []
    away, back = graph.take_mark(), graph.take_mark()
    for source in dict.fromkeys(int(s) for s in sources):
        start = np.array([source], np.int32)
        others = wanted[wanted != source]
        reached = NO_TARGETS
        if len(others):
            reached = reach(graph.out, graph.inc, True, both, start, others, max_len, spare, away, away, -1)
        for target in wanted.tolist():
            goal = np.array([target], np.int32)
            if target != source:
                shortest = int(away[target]) - 1
                if shortest < 0:
                    continue
                limit = max_len if slack is None else min(max_len, shortest + slack)
                near = reach(graph.inc, graph.out, True, both, goal, NO_TARGETS, limit, 0, back, away, limit)
            elif returns:
                shortest, limit = 1, max_len
                near = reach(graph.inc, graph.out, True, both, goal, NO_TARGETS, max_len - 1, 0, back, back, -1)
            else:
                continue
            found, more = _enumerate(
                graph, both, back, source, target, shortest, limit, slack, REPEATS.index(repeats), max_paths_per_pair
            )
            clear(back, near)
            pairs.append(found)
            capped += more
        clear(away, reached)
    graph.marks.extend((away, back))
    truncated = []
    if capped:
        truncated.append(f"{capped} pairs have more than {max_paths_per_pair} paths (max_paths_per_pair)")
    sizes = np.array([pair.size for pair in pairs], np.int64)
    if sizes.sum() > max_total:
        truncated.append(f"{sizes.sum()} paths were cut to {max_total} (max_total)")
        share, extra = level(sizes, max_total)
        kept = np.minimum(sizes, share)
        kept[np.flatnonzero(sizes > share)[:extra]] += 1
        pairs = [pair.first(int(k)) for pair, k in zip(pairs, kept, strict=True)]
    return _joined(graph, pairs, tuple(truncated))


class _Pair(NamedTuple):
    """The paths of one source and target: one block of rows per length."""

    source: int
    blocks: list[tuple[Ints, NDArray[np.bool_]]]  # (P, L) triples and directions

    @property
    def size(self) -> int:
        return sum(len(triples) for triples, _ in self.blocks)

    def first(self, count: int) -> _Pair:
        kept = []
        for triples, forward in self.blocks:
            kept.append((triples[:count], forward[:count]))
            count -= len(kept[-1][0])
        return _Pair(self.source, kept)


def _enumerate(
    graph: Subgraph,
    both: bool,
    to_target: Ints,
    source: int,
    target: int,
    shortest: int,
    limit: int,
    slack: int | None,
    repeats: int,
    room: int,
) -> tuple[_Pair, bool]:
    """The first `room` paths of one pair by length, and whether there are more."""
    from clew.graph.compiled_search import paths_of_length

    blocks: list[tuple[Ints, NDArray[np.bool_]]] = []
    length = shortest
    while length <= limit:
        triples, forward, more = paths_of_length(
            graph.out, graph.inc, both, to_target, source, target, length, repeats, room
        )
        if more and not len(triples):
            return _Pair(source, blocks), True
        if len(triples):
            if not blocks and slack is not None:  # the shortest cycle is known only once it is found
                limit = min(limit, length + slack)
            blocks.append((triples, forward))
            room -= len(triples)
        if more:
            return _Pair(source, blocks), True
        length += 1
    return _Pair(source, blocks), False


def _joined(graph: Subgraph, pairs: list[_Pair], truncated: tuple[str, ...]) -> MinedPaths:
    blocks = [(pair.source, *block) for pair in pairs for block in pair.blocks]
    lengths = [np.full(len(triples), triples.shape[1], np.int64) for _, triples, _ in blocks]
    offsets = np.zeros(1 + sum(map(len, lengths)), np.int64)
    if blocks:
        np.cumsum(np.concatenate(lengths), out=offsets[1:])
    return MinedPaths(
        graph,
        np.concatenate([NO_TARGETS, *(np.full(len(triples), source, np.int32) for source, triples, _ in blocks)]),
        offsets,
        np.concatenate([NO_TARGETS, *(triples.ravel() for _, triples, _ in blocks)]),
        np.concatenate([np.empty(0, bool), *(forward.ravel() for _, _, forward in blocks)]),
        truncated,
    )


def path_record(graph: Subgraph, path: MinedPath, score: float) -> Path:
    """The path with its labels, as evidence."""
    return PathRecords(graph).path(path.entities[0], zip(path.triples, path.forward, strict=True), score)


class PathRecords:
    """Walks of one graph with their labels, as evidence; each triple is turned into names once."""

    def __init__(self, graph: Subgraph) -> None:
        self._graph = graph
        self._hops: dict[tuple[int, bool], Hop] = {}

    def path(self, start: int, steps: Iterable[tuple[int, bool]], score: float) -> Path:
        """The walk from `start` over `steps`: triples, and whether each is walked from head to tail."""
        return Path(self._graph.entity(start), tuple(self._hop(*step) for step in steps), score)

    def _hop(self, triple: int, forward: bool) -> Hop:
        if (triple, forward) not in self._hops:
            self._hops[triple, forward] = Hop(self._graph.triple(triple), forward)
        return self._hops[triple, forward]


class Reached(NamedTuple):
    """Entities in ascending order, and by how many walks each was reached."""

    entities: Ints
    walks: NDArray[np.int64]


def _along(csr: Csr, frontier: Ints, relation: int) -> tuple[NDArray[np.int64], Ints, Ints]:
    """The steps over one relation from each of `frontier` (F,): its row there, the entity reached, the triple.

    Compiled, but for few triples in a process that has not loaded numba: a first question need not wait for it.
    """
    csr.at_hand(np.asarray(frontier, np.int32), triples=True)
    if not loaded():
        starts = np.asarray(csr.offsets[frontier])
        sizes = np.asarray(csr.offsets[np.asarray(frontier, np.int64) + 1]) - starts
        total = int(sizes.sum())
        if total <= FEWER_THAN_COMPILED:
            places = np.arange(total) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
            kept = np.flatnonzero(csr.relations[places] == relation)
            places = places[kept]
            return np.repeat(np.arange(len(frontier)), sizes)[kept], csr.neighbors[places], csr.triples[places]
    from clew.graph.compiled_search import along

    found: tuple[NDArray[np.int64], Ints, Ints] = along(csr, frontier, relation)
    return found


def _side(graph: Subgraph, forward: bool) -> Csr:
    return graph.out if forward else graph.inc


def follow(graph: Subgraph, starts: Sequence[int] | Ints, steps: Sequence[tuple[int, bool]]) -> Reached:
    """All entities that a relation path reaches.

    Walks are counted, not paths: a walk may come back over the triple it came by, as "sibling" does (a parent of, whose
    child is). No steps reach the starts themselves.

    Args:
        starts: local numbers; a repeated one counts once.
        steps: (relation, forward) per hop.
    """
    entities = np.unique(np.asarray(starts, np.int32))
    walks = np.ones(len(entities), np.int64)
    for relation, forward in steps:
        row, reached, _ = _along(_side(graph, forward), entities, relation)
        entities, inverse = np.unique(reached, return_inverse=True)
        sums = np.zeros(len(entities), np.int64)
        np.add.at(sums, inverse, walks[row])
        walks = sums
    return Reached(entities, walks)


def trace(
    graph: Subgraph,
    starts: Sequence[int] | Ints,
    steps: Sequence[tuple[int, bool]],
    ends: Sequence[int] | Ints | None = None,
    *,
    limit: int = 256,
) -> MinedPaths:
    """The walks behind `follow`: each way in which a relation path leads from a start to one of `ends` (None: to any).

    Sorted by start, then step by step by entity. The first `limit` are kept, and `truncated` says so.
    """
    if not steps:
        raise InputError("trace: no steps, expected at least one (relation, forward)")
    goal = follow(graph, starts, steps).entities if ends is None else np.unique(np.asarray(ends, np.int32))
    useful = [goal]  # after each step, the entities from which an end can be reached: no walk begun here is in vain
    for relation, forward in reversed(steps[1:]):
        useful.insert(0, follow(graph, useful[0], [(relation, not forward)]).entities)
    rows = at = np.unique(np.asarray(starts, np.int32))
    walked, cut = np.empty((len(rows), 0), np.int32), False
    for (relation, forward), allowed in zip(steps, useful, strict=True):
        row, reached, triples = _along(_side(graph, forward), at, relation)
        keep = np.flatnonzero(np.isin(reached, allowed))
        cut = cut or len(keep) > limit
        keep = keep[:limit]
        row, at = row[keep], reached[keep]
        rows, walked = rows[row], np.column_stack((walked[row], triples[keep]))
    return MinedPaths(
        graph,
        rows,
        np.arange(len(rows) + 1, dtype=np.int64) * len(steps),
        walked.ravel(),
        np.tile([forward for _, forward in steps], len(rows)),
        (f"only the first {limit} walks are kept (limit)",) if cut else (),
    )


class ReachedBy(NamedTuple):
    """A relation path and the entities it reaches."""

    steps: RelationPath
    ends: Ints  # local numbers, ascending


class RelationPaths(NamedTuple):
    """Relation paths, shorter ones first; `truncated` says which cap was hit."""

    paths: tuple[ReachedBy, ...]
    truncated: tuple[str, ...] = ()


def relation_paths(
    graph: Subgraph,
    seeds: Sequence[int] | Ints,
    max_len: int,
    *,
    direction: Way = "any",
    max_paths: int = 2_000,
    max_ends: int = 10_000,
) -> RelationPaths:
    """The distinct relation paths of 1..max_len hops that start at some seed, each with all entities it reaches.

    No entity path is enumerated: each relation path is extended from the set of its ends, as in `follow`. Order: by
    length, then by the path extended, forward before backward, lower relation numbers first.

    Args:
        max_paths: stop after so many.
        max_ends: a path that reaches more entities is reported, but not extended.
    """
    if max_len < 1 or max_paths < 1 or max_ends < 1:
        raise InputError(
            f"relation_paths: max_len={max_len}, max_paths={max_paths}, max_ends={max_ends}; expected at least 1"
        )
    from clew.graph.compiled_search import incident

    level = [ReachedBy((), np.unique(np.asarray(seeds, np.int32)))]
    found: list[ReachedBy] = []
    wide = 0
    for _ in range(max_len):
        longer: list[ReachedBy] = []
        for steps, ends in level:
            if len(ends) > max_ends and steps:
                wide += 1
                continue
            for forward in (True, False) if direction == "any" else (True,):
                packed = np.unique(incident(_side(graph, forward), ends))  # relation and end in one integer
                relations, reached = packed >> 32, (packed & 0xFFFFFFFF).astype(np.int32)
                bounds = [0, *(np.flatnonzero(np.diff(relations)) + 1).tolist(), len(packed)]
                for first, last in pairwise(bounds if len(packed) else ()):
                    if len(found) + len(longer) == max_paths:
                        told = f"stopped at {max_paths} relation paths, in hop {len(steps) + 1} (max_paths)"
                        return RelationPaths((*found, *longer), (told,))
                    longer.append(ReachedBy((*steps, (int(relations[first]), forward)), reached[first:last]))
        found += longer
        level = longer
    told = f"{wide} relation paths reach more than {max_ends} entities and were not extended (max_ends)"
    return RelationPaths(tuple(found), (told,) if wide else ())
