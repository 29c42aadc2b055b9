"""From a chosen plan to its answers: every end of the full graph, by how many walks it is reached, and the paths there.

Shared by the rooms that answer with relation paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import MinedPath, Reached, follow, path_record, trace
from clew.graph.subgraph import Ints
from clew.reading.trails import Hops, PathHypothesis
from clew.types import Candidate, Path

Chain = tuple[int, Sequence[tuple[int, bool]]]
"""A start and the hops walked from it."""

Way = tuple[Sequence[Chain], Sequence[Hops]]
"""Chains that meet, and the steps walked on from there."""


def way_of(trails: Sequence[PathHypothesis], after: Sequence[Hops], starts: Sequence[int]) -> Way:
    """The way of a plan; `starts` are the local numbers of the topics that its trails count."""
    return [(starts[trail.topic], trail.hops) for trail in trails], after


def best_guess(candidates: Sequence[Candidate], plan: str, probability: float, threshold: float) -> str:
    """What an abstention says: what would have been answered, how, and why it is not."""
    guess = ", ".join(candidate.text for candidate in candidates[:3])
    more = f" and {len(candidates) - 3} more" if len(candidates) > 3 else ""
    return (
        f"no answer found: the best guess is {guess}{more} ({plan}), with probability {probability:.2f}, below "
        f"{threshold:.2f} (threshold)"
    )


def answers(
    ground: Subgraph, ways: Sequence[Way], score: float, most: int
) -> tuple[tuple[Candidate, ...], tuple[Path, ...]]:
    """Every end of the ways as a candidate, those reached by most walks first, with up to `most` paths per chain."""
    paths: dict[Path, int] = {}
    supported: dict[int, list[int]] = {}
    walks: dict[int, int] = {}
    for chains, after in ways:
        ends = all_ends(ground, chains, after)
        for found in leads(ground, chains, after, list(ends), most):
            for end, lead in found.items():
                for path in lead:
                    record = path_record(ground, path, score)
                    supported.setdefault(end, []).append(paths.setdefault(record, len(paths)))
        for end, count in ends.items():
            walks[end] = max(walks.get(end, 0), count)
    order = sorted(supported, key=lambda end: (-walks[end], ground.entity(end).label, end))
    entities = [ground.entity(end) for end in order]
    candidates = tuple(
        Candidate(entity.label, score, entity, tuple(dict.fromkeys(supported[end])))
        for entity, end in zip(entities, order, strict=True)
    )
    return candidates, tuple(paths)


def all_ends(ground: Subgraph, chains: Sequence[Chain], after: Sequence[Hops] = ()) -> dict[int, int]:
    """Every common end of the chains, followed by `after`, with the number of walks that reach it.

    A start is no answer, but where a single hop leads from it to itself.
    """
    starts = {start for start, _ in chains}
    hops = [hop for step in after for hop in step]
    ends = _meeting(ground, chains, mediators=bool(hops))
    if hops and ends:
        reached = _walked(ground, sorted(ends), hops)
        named = ~ground.mediators[reached.entities]
        ends = dict(zip(reached.entities[named].tolist(), reached.walks[named].tolist(), strict=True))
    alone = len(chains) == 1 and len(chains[0][1]) == 1 and not hops
    return ends if alone else {e: n for e, n in ends.items() if e not in starts}


def _walked(ground: Subgraph, starts: Sequence[int], hops: Sequence[tuple[int, bool]]) -> Reached:
    """As `follow`; what a growing ground lacks of the way is fetched first."""
    for length in range(len(hops) if ground.grows else 0):
        ground.fetch(follow(ground, starts, hops[:length]).entities, relation=hops[length][0])
    return follow(ground, starts, hops)


def _meeting(ground: Subgraph, chains: Sequence[Chain], *, mediators: bool) -> dict[int, int]:
    """Where chains meet, and by how many walks; in mediators only where the way goes on from there."""
    ends: dict[int, int] | None = None
    for start, hops in chains:
        reached = _others(ground, start, hops)
        named = ~ground.mediators[reached.entities] | mediators
        mine = dict(zip(reached.entities[named].tolist(), reached.walks[named].tolist(), strict=True))
        ends = mine if ends is None else {e: n + mine[e] for e, n in ends.items() if e in mine}
    return ends or {}


def _others(ground: Subgraph, start: int, hops: Sequence[tuple[int, bool]]) -> Reached:
    """What the hops reach; from there and back on from the others only: "films that share actors with X"."""
    for half in (1, 2):
        there, back = hops[:half], hops[half : 2 * half]
        if len(back) == half and tuple(back) == tuple((r, not f) for r, f in reversed(there)):
            others = _walked(ground, [start], hops[: 2 * half]).entities
            others = others[others != start]
            if len(others) and len(hops) > 2 * half:
                return _walked(ground, others.tolist(), hops[2 * half :])
    return _walked(ground, [start], hops)


def leads(
    ground: Subgraph, chains: Sequence[Chain], after: Sequence[Hops], ends: Sequence[int], most: int
) -> list[dict[int, list[MinedPath]]]:
    """Per chain, up to `most` entity paths from its start to each end."""
    hops = [hop for step in after for hop in step]
    wanted: Ints = np.array(sorted(ends), np.int32)
    if not hops:
        return [_lead(ground, start, chain, wanted, most) for start, chain in chains]
    middle: Ints = np.array(sorted(_meeting(ground, chains, mediators=True)), np.int32)
    onward = _lead_from(ground, middle, hops, wanted, most)
    met: Ints = np.unique(np.array([p.entities[0] for found in onward.values() for p in found], np.int32))
    result = []
    for start, chain in chains:
        first = _lead(ground, start, chain, met, 1)
        result.append(
            {
                end: [_chained(way, path) for path in found for way in first.get(path.entities[0], [])][:most]
                for end, found in onward.items()
            }
        )
    return result


def _chained(first: MinedPath, second: MinedPath) -> MinedPath:
    return MinedPath(
        (*first.entities, *second.entities[1:]),
        (*first.relations, *second.relations),
        (*first.forward, *second.forward),
        (*first.triples, *second.triples),
    )


def _lead(
    ground: Subgraph, start: int, hops: Sequence[tuple[int, bool]], wanted: Ints, most: int
) -> dict[int, list[MinedPath]]:
    return _lead_from(ground, np.array([start], np.int32), hops, wanted, most)


def _lead_from(
    ground: Subgraph, starts: Ints, hops: Sequence[tuple[int, bool]], wanted: Ints, most: int
) -> dict[int, list[MinedPath]]:
    found: dict[int, list[MinedPath]] = {}
    for path in trace(ground, starts, hops, wanted, limit=max(64, 4 * len(wanted))):
        mine = found.setdefault(path.entities[-1], [])
        if len(mine) < most:
            mine.append(path)
    for end in wanted.tolist():
        if end not in found:
            found[end] = list(islice(trace(ground, starts, hops, [end], limit=most), most))
    return found
