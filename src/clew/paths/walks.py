"""Frontier expansion: many walks over a subgraph's arrays at once.

A *move* leaves an entity over a triple. A *code* writes a relation with its direction as one integer: r when walked
from head to tail, r + R when walked back. A walk may come back to an entity over another triple, but never turns round
over the triple it came by.

Shapes: S walks, M moves, N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.paths import RelationPath
from clew.graph.subgraph import Subgraph

Int = NDArray[Any]
Codes = tuple[int, ...]
Starts = int | Int  # one entity, or several that are walked from together


def to_codes(path: RelationPath, num_relations: int) -> Codes:
    """A relation path as codes."""
    return tuple(relation + (0 if forward else num_relations) for relation, forward in path)


def from_codes(codes: Sequence[int], num_relations: int) -> RelationPath:
    """The relation path that codes write."""
    return tuple((int(code) % num_relations, int(code) < num_relations) for code in codes)


class Moves(NamedTuple):
    """Moves grouped by the walk that makes them."""

    walks: Int  # (M,) row of the walk
    triples: Int  # (M,)
    codes: Int  # (M,)
    targets: Int  # (M,)


class Level(NamedTuple):
    """The distinct moves at one depth of a relation path, whatever walk makes them."""

    sources: Int
    triples: Int
    targets: Int


def moves(graph: Subgraph, entities: Int, last: Int, *, turns: bool = False) -> Moves:
    """Every move from `entities` (S,); `last` (S,) is the triple each walk came by, -1 where it stands at its start.

    With `turns` the moves that would turn round are there, too.
    """
    sides = []
    for side, shift in ((graph.out, 0), (graph.inc, graph.num_relations)):
        starts = side.offsets[entities]
        counts = side.offsets[np.asarray(entities, np.int64) + 1] - starts
        walks = np.repeat(np.arange(len(entities)), counts)
        at = np.arange(len(walks)) + np.repeat(starts - (np.cumsum(counts) - counts), counts)
        sides.append((walks, side.triples[at], side.relations[at].astype(np.int64) + shift, side.neighbors[at]))
    walks, triples, codes, targets = (np.concatenate(pair) for pair in zip(*sides, strict=True))
    kept = np.arange(len(walks)) if turns else np.flatnonzero(triples != last[walks])
    order = kept[np.argsort(walks[kept], kind="stable")]
    return Moves(walks[order], triples[order], codes[order], targets[order])


def degrees(graph: Subgraph) -> Int:
    """(N,) triples that touch each entity."""
    return graph.out.degrees() + graph.inc.degrees()


def follow(graph: Subgraph, starts: Starts, codes: Sequence[int], limit: int | None = None) -> tuple[list[Level], bool]:
    """The moves that a relation path makes from `starts`, depth by depth, and whether `limit` moves were exceeded.

    A move stands for all walks that end with it, so the work is bounded by the triples and not by the walks; a walk of
    the result turns round nowhere.
    """
    levels: list[Level] = []
    cut = False
    entities = np.atleast_1d(np.asarray(starts))
    last = np.full(len(entities), -1)
    for code in codes:
        found = moves(graph, entities, last)
        mine = np.flatnonzero(found.codes == code)
        _, first = np.unique(found.triples[mine], return_index=True)
        mine = mine[first]
        if limit is not None and len(mine) > limit:
            mine, cut = mine[:limit], True
        levels.append(Level(entities[found.walks[mine]], found.triples[mine], found.targets[mine]))
        entities, last = found.targets[mine], found.triples[mine]
    return levels, cut


def entities_reached(graph: Subgraph, starts: Starts, path: RelationPath) -> Int:
    """The distinct entities, ascending, that a relation path reaches from `starts` without turning round."""
    if not path:
        return np.unique(np.asarray(starts, np.int32))
    levels, _ = follow(graph, starts, to_codes(path, graph.num_relations))
    return np.unique(levels[-1].targets)


def turns_back(path: RelationPath) -> bool:
    """Whether a relation path walks a relation and at once the same one back: some of its walks may turn round."""
    return any(a[0] == b[0] and a[1] != b[1] for a, b in pairwise(path))


def prune(levels: Sequence[Level], ends: Int) -> list[Level]:
    """The moves that lie on a walk to one of `ends`."""
    if not levels:
        return []
    kept = [_take(levels[-1], np.isin(levels[-1].targets, ends))]
    for level in reversed(levels[:-1]):
        later = kept[0]
        known, counts = np.unique(later.sources, return_counts=True)
        place = np.searchsorted(known, level.targets)
        place[place == len(known)] = 0
        onward = (
            np.where(known[place] == level.targets, counts[place], 0) if len(known) else np.zeros(len(level.targets))
        )
        # The one move that would turn round does not count: it leaves the target over the same triple.
        turning = np.isin(level.triples, later.triples) & _turns(level, later)
        kept.insert(0, _take(level, onward > turning))
    return kept


def _turns(level: Level, later: Level) -> NDArray[np.bool_]:
    """For each move of `level`: does `later` hold the move back over the same triple?"""
    order = np.argsort(later.triples, kind="stable")
    place = np.searchsorted(later.triples[order], level.triples)
    place[place == len(order)] = 0
    if not len(order):
        return np.zeros(len(level.triples), bool)
    same = order[place]
    found: NDArray[np.bool_] = (later.triples[same] == level.triples) & (later.sources[same] == level.targets)
    return found


def _take(level: Level, where: Int) -> Level:
    return Level(*(column[where] for column in level))


def shortest(
    graph: Subgraph, topic: int, end: int, hops: int
) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]] | None:
    """Entities, codes and triples of one shortest walk; None where `end` is farther than `hops` or the topic."""
    came: dict[int, tuple[int, int, int]] = {}  # entity → code, triple, entity before
    frontier = np.array([topic])
    for _ in range(hops):
        found = moves(graph, frontier, np.full(len(frontier), -1))
        targets, first = np.unique(found.targets, return_index=True)
        fresh = [(t, i) for t, i in zip(targets.tolist(), first.tolist(), strict=True) if t not in came and t != topic]
        for target, i in fresh:
            came[target] = (int(found.codes[i]), int(found.triples[i]), int(frontier[found.walks[i]]))
        if end in came or not fresh:
            break
        frontier = np.array([target for target, _ in fresh])
    if end not in came:
        return None
    entities = [end]
    codes: list[int] = []
    triples: list[int] = []
    while entities[0] != topic:
        code, triple, before = came[entities[0]]
        entities.insert(0, before)
        codes.insert(0, code)
        triples.insert(0, triple)
    return tuple(entities), tuple(codes), tuple(triples)


def facts_of(graph: Subgraph, entities: Iterable[int], most: int) -> list[int]:
    """The triples that touch each of `entities`, at most `most` of one, without repetition."""
    found: dict[int, None] = {}
    for entity in entities:
        rows = [side.triples[side.offsets[entity] : side.offsets[entity + 1]] for side in (graph.out, graph.inc)]
        found |= dict.fromkeys(np.concatenate(rows)[:most].tolist())
    return list(found)
