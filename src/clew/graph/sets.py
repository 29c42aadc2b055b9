"""Sets of entities as ascending arrays, and what lies around one: the inner loops of every walk over relations.

Kept apart from numpy's own set functions, which hash or sort both sides anew whatever is known about them: with numpy
2.4 and 10,000 numbers `intersect1d` takes 1.0 to 6.4 ms and `unique` 2.5, `shared` 0.14 and `distinct` 0.16.

Shapes: n, m members of a set, k relations around one, E ends of all of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from clew.graph.jit import loaded
from clew.graph.subgraph import HUB, NOBODY, Csr, Ints, Subgraph

PIECE = 1 << 20  # triples looked at in one go
MANY = 16  # members from which on a compiled loop gathers their triples, and triples of each where they are fewer
Numbers = TypeVar("Numbers", bound=NDArray[Any])


def distinct(numbers: Numbers) -> Numbers:
    """The numbers ascending and each once; what is so already, such as the ends of one entity, is not sorted again."""
    if len(numbers) < 2:
        return numbers
    if bool((numbers[1:] > numbers[:-1]).all()):
        return numbers
    numbers = np.sort(numbers)  # type: ignore[assignment]
    first = np.empty(len(numbers), np.bool_)
    first[0] = True
    np.not_equal(numbers[1:], numbers[:-1], out=first[1:])
    return numbers[first]  # type: ignore[return-value]


def held(numbers: NDArray[Any], members: NDArray[Any]) -> NDArray[np.bool_]:
    """(n,) which numbers are among the (m,) ascending `members`."""
    if not len(members):
        return np.zeros(len(numbers), np.bool_)
    at = members.searchsorted(numbers)
    at[at == len(members)] = 0
    found: NDArray[np.bool_] = members[at] == numbers
    return found


def shared(a: Numbers, b: Numbers) -> Numbers:
    """What two sets have in common; both ascending, each number once."""
    fewer, more = (a, b) if len(a) <= len(b) else (b, a)
    return fewer[held(fewer, more)]  # type: ignore[return-value]


def without(a: Numbers, b: NDArray[Any]) -> Numbers:
    """What of `a` is not in `b`, in the order of `a`; `b` ascending."""
    return a[~held(a, b)] if len(b) else a  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Around:
    """One side of the surroundings of a set: the triples of relations[i] lead to ends[bounds[i]:bounds[i + 1]]."""

    relations: Ints  # (k,) ascending
    bounds: NDArray[np.int64]  # (k + 1,)
    ends: Ints  # (E,) per relation ascending, each once

    def parts(self, allowed: NDArray[np.bool_] | None = None) -> Iterator[tuple[int, Ints]]:
        """Each relation with its ends; `allowed` (R,) says which relations count, None: all."""
        return ((relation, self.ends[first:last]) for relation, first, last in self.spans(allowed))

    def spans(self, allowed: NDArray[np.bool_] | None = None) -> Iterator[tuple[int, int, int]]:
        """Each relation with where its ends begin and stop."""
        relations, firsts, lasts = self.relations, self.bounds[:-1], self.bounds[1:]
        if allowed is not None:
            kept = allowed[relations]
            relations, firsts, lasts = relations[kept], firsts[kept], lasts[kept]
        return zip(relations.tolist(), firsts.tolist(), lasts.tolist(), strict=True)


def around(side: Csr, members: Ints, allowed: NDArray[np.bool_] | None = None) -> Around:
    """Where the triples of one side lead from a set of entities.

    Args:
        allowed: (R,) which relations count; of others what is cheap may come as well. None: all.
    """
    if len(members) == 1:
        relations, bounds, ends = _of_one(side, members)
        if len(ends) > HUB or _ascending(ends, bounds):
            return Around(relations, bounds, ends)
    side.at_hand(members)
    if _many(side, members):
        from clew.graph.compiled_sets import packed_around

        flags = np.empty(0, np.bool_) if allowed is None else allowed
        packed = packed_around(side.offsets, side.neighbors, side.relations, members, flags)
    else:
        places = places_of(side, members)
        packed = (side.relations[places].astype(np.int64) << 32) | side.neighbors[places]
    packed = distinct(packed)
    if not len(packed):
        return Around(NOBODY, np.zeros(1, np.int64), NOBODY)
    kinds = packed >> 32
    bounds = np.concatenate([[0], np.flatnonzero(kinds[1:] != kinds[:-1]) + 1, [len(packed)]])
    return Around(kinds[bounds[:-1]].astype(np.int32), bounds, (packed & 0xFFFFFFFF).astype(np.int32))


def touched(graph: Subgraph, side: Csr, members: Ints) -> tuple[Ints, Ints]:
    """What the triples of one side touch: relations ascending and each once, and the ends as they come.

    For those who need no ends by relation: nothing is sorted. Of more than `HUB` ends of one entity and relation an
    even sample is taken.
    """
    seen = np.zeros(graph.num_relations, np.bool_)
    side.at_hand(members, hubs=True)
    if _many(side, members):
        from clew.graph.compiled_sets import ends_around

        ends: Ints = ends_around(side.offsets, side.neighbors, side.relations, members, seen, HUB)
        return np.flatnonzero(seen).astype(np.int32), ends
    places = places_of(side, members)
    seen[side.relations[places]] = True
    return np.flatnonzero(seen).astype(np.int32), side.neighbors[places]


def _of_one(side: Csr, members: Ints) -> tuple[Ints, NDArray[np.int64], Ints]:
    """Relations, bounds and ends of one entity as they stand; of millions only where relations change is looked at."""
    low, high = int(side.offsets[members[0]]), int(side.offsets[int(members[0]) + 1])
    mine, ends = side.relations[low:high], side.neighbors[low:high]
    if len(mine) > HUB:
        from clew.graph.compiled_sets import runs

        bounds = runs(mine)
    else:
        bounds = np.concatenate([[0], np.flatnonzero(mine[1:] != mine[:-1]) + 1, [len(mine)]]) if len(mine) else [0]
    places = np.asarray(bounds, np.int64)
    return np.asarray(mine[places[:-1]]), places, ends


def _ascending(ends: Ints, bounds: NDArray[np.int64]) -> bool:
    """Whether the ends of each relation are ascending and each there once."""
    more = ends[1:] > ends[:-1]
    more[bounds[1:-1] - 1] = True
    return bool(more.all())


def _many(side: Csr, members: Ints) -> bool:
    """Whether a compiled loop over the triples of a set is worth its call, and numba is imported already."""
    if loaded() and len(members) > MANY:
        return True
    triples = int(side.counts(members).sum())
    return triples > HUB or (loaded() and triples > MANY * MANY)


def places_of(side: Csr, members: Ints) -> NDArray[np.int64]:
    """Where the triples of a set of entities stand."""
    starts = np.asarray(side.offsets[members])
    counts = np.asarray(side.offsets[members.astype(np.int64) + 1]) - starts
    places: NDArray[np.int64] = np.arange(int(counts.sum()))
    places += np.repeat(starts - (np.cumsum(counts) - counts), counts)
    return places


def surroundings(
    graph: Subgraph, members: Ints, allowed: Sequence[NDArray[np.bool_] | None] = (None, None)
) -> Iterator[tuple[tuple[int, bool], Ints]]:
    """((relation, forward), ends) for every relation around a set, forward ones first.

    Args:
        allowed: (R,) which relations count, walked forward and backward; None: all.
    """
    for side, forward, flags in ((graph.out, True, allowed[0]), (graph.inc, False, allowed[1])):
        for relation, ends in around(side, members, flags).parts(flags):
            yield (relation, forward), ends


def first_tails(graph: Subgraph, relation: int | None, most: int) -> Ints:
    """What the first `most` triples of a relation lead to; of a large graph no more is read than holds them."""
    found: list[Ints] = [np.empty(0, np.int32)]
    left = most
    for start in range(0, graph.num_triples if relation is not None else 0, PIECE):
        here = slice(start, start + PIECE)
        found.append(graph.tails[here][graph.rels[here] == relation][:left])
        left -= len(found[-1])
        if left <= 0:
            break
    return np.concatenate(found)
