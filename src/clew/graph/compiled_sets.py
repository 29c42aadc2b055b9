# mypy: allow-untyped-defs
"""What lies around a set of entities, gathered in one pass: the compiled part of `sets`, for sets with many triples.

Kept apart from `sets`, which small graphs use without importing numba. A triple of a graph of millions is a page of
memory of its own, so that each is touched once.

Shapes: N entities, T triples, R relations, n members, E triples around them.
"""

from __future__ import annotations

import numpy as np

from clew.graph.compiled import group_end
from clew.graph.jit import njit


@njit(cache=True, nogil=True)
def packed_around(offsets, neighbors, relations, members, allowed):
    """(E,) relation and entity at the other end of each triple, in one number: relation above, entity in 32 bits.

    Args:
        allowed: (R,) which relations count; length 0 means all.
    """
    total = np.int64(0)
    for e in members:
        total += offsets[e + 1] - offsets[e]
    packed = np.empty(total, np.int64)
    k = 0
    for e in members:
        p, last = offsets[e], offsets[e + 1]
        while p < last:
            if len(allowed) > 0 and not allowed[relations[p]]:
                p = group_end(relations, p, last)
                continue
            packed[k] = (np.int64(relations[p]) << 32) | np.int64(neighbors[p])
            k += 1
            p += 1
    return packed[:k]


@njit(cache=True, nogil=True)
def ends_around(offsets, neighbors, relations, members, seen, most):
    """(E,) the entities at the other ends as they come; marks in `seen` (R,) the relations that were met.

    Args:
        most: ends of one entity and relation; of more, such as the millions of a type, an even sample.
    """
    ends = np.empty(1024, np.int32)
    k = 0
    for e in members:
        p, last = offsets[e], offsets[e + 1]
        while p < last:
            stop = group_end(relations, p, last)
            seen[relations[p]] = True
            count = min(stop - p, most)
            while k + count > len(ends):
                ends = np.concatenate((ends, ends))
            for i in range(count):
                ends[k + i] = neighbors[p + i * (stop - p) // count]
            k += count
            p = stop
    return ends[:k]


@njit(cache=True, nogil=True)
def runs(relations):
    """(k+1,) where each run of equal numbers begins, and where the last one ends: found by doubling steps."""
    found = np.empty(64, np.int64)
    count, at = 0, 0
    while at < len(relations):
        if count == len(found) - 1:
            found = np.concatenate((found, np.empty(len(found), np.int64)))
        found[count] = at
        count += 1
        at = group_end(relations, at, len(relations))
    found[count] = at
    return found[: count + 1]
