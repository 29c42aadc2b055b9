# mypy: allow-untyped-defs
"""The loops over a frontier, compiled by numba: nothing here knows names, records or limits in words.

Separate because importing numba takes a third of a second: only a function that runs a loop imports this module, and
`import clew` never does. Every function takes plain arrays; a `Csr` travels as the tuple (offsets (N+1,), neighbors
(T,), relations (T,), triples (T,)), inside one entity sorted by relation, then neighbor.

Shapes: N entities, T triples, R relations, S seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np


def compiled(function: Callable[..., Any]) -> Any:
    """`numba.njit` with the machine code kept on disk where a folder for it can be written."""
    try:
        return numba.njit(cache=True)(function)
    except RuntimeError:  # "no locator available": an installation nobody may write to
        return numba.njit(function)


@compiled
def ends(keys, n):
    """(n+1,) where each key's run begins once sorted, and the last one ends."""
    offsets = np.zeros(n + 1, np.int64)
    for key in keys:
        offsets[key + 1] += 1
    for i in range(n):
        offsets[i + 1] += offsets[i]
    return offsets


@compiled
def reordered(order, keys, n):
    """`order`, stably sorted by keys[order] (in 0..n-1): one pass of a radix sort."""
    next_place = ends(keys, n)
    result = np.empty_like(order)
    for position in order:
        key = keys[position]
        result[next_place[key]] = position
        next_place[key] += 1
    return result


@compiled
def group(keys, values, relations, n):
    """The arrays of a Csr over `keys`: counting sorts, the least significant key first."""
    order = np.arange(len(keys)).astype(np.int32)
    order = reordered(order, values, values.max() + 1)
    order = reordered(order, relations, relations.max() + 1)
    order = reordered(order, keys, n)
    return ends(keys, n), values[order], relations[order], order


@compiled
def group_end(relations, start, end):
    """Where the run of equal relations that begins at `start` ends, found by doubling steps: hubs have long runs."""
    relation, step, low = relations[start], 1, start
    while low + step < end and relations[low + step] == relation:
        low += step
        step *= 2
    high = min(low + step, end)
    while high - low > 1:
        middle = (low + high) // 2
        if relations[middle] == relation:
            low = middle
        else:
            high = middle
    return high


@compiled
def listed(triples, start, end, triple):
    """Whether the sorted triples[start:end] hold `triple`."""
    i = start + np.searchsorted(triples[start:end], triple)
    return i < end and triples[i] == triple


@compiled
def level(sizes, room):
    """Fair shares of `room`: the level q such that everyone gets min(size, q), and how many may get one more."""
    ordered = np.sort(sizes)
    left, n = room, len(ordered)
    for i in range(n):
        share = left // (n - i)
        if ordered[i] > share:
            return share, left - share * (n - i)
        left -= ordered[i]
    return ordered[n - 1] if n else 0, 0


@compiled
def enlarged(array, used, size):
    result = np.empty(size, array.dtype)
    result[:used] = array[:used]
    return result


@compiled
def known(triple, other, i, side, both, mark, cut, kept, begin, end):
    """Whether expanding entity i meets a triple that is taken already (or, a self loop, was met on the other side)."""
    j = mark[other] - 1
    if not both or j < 0 or j > i:
        return False
    if j == i:
        return side == 1
    return not cut[j] or listed(kept, begin[j], end[j], triple)


@compiled
def size_of(csr, side, i, e, fanout, room, allowed, seen):
    """How many new triples entity i would add from one side; counting stops above `room`."""
    both, mark, cut, kept, begin, end = seen
    _, neighbors, relations, triples = csr
    size, p, last = 0, csr[0][e], csr[0][e + 1]
    while p < last and size <= room:
        stop = group_end(relations, p, last)
        if len(allowed) == 0 or allowed[relations[p]]:
            taken = 0
            while p < stop and taken < fanout and size <= room:
                if not known(triples[p], neighbors[p], i, side, both, mark, cut, kept, begin, end):
                    taken += 1
                    size += 1
                p += 1
        p = stop
    return size


@compiled
def add(n, count, i, side, other, relation, triple, entities, mark, result):
    """Write one triple; the entity at its other end gets the next number when it is new. Returns how many there are."""
    heads, rels, tails, triples = result
    j = mark[other] - 1
    if j < 0:
        entities[n] = other
        j = n
        n += 1
        mark[other] = n
    if side == 0:
        heads[count], tails[count] = i, j
    else:
        heads[count], tails[count] = j, i
    rels[count], triples[count] = relation, triple
    return n


@compiled
def take(csr, side, i, e, n, count, room, fanout, allowed, entities, seen, result):
    """Take the new triples of one side in order, at most `fanout` of a relation and `room` of all.

    Returns n, count, whether fanout left some out, whether the room did.
    """
    both, mark, cut, kept, begin, end = seen
    _, neighbors, relations, triples = csr
    p, last, stop = csr[0][e], csr[0][e + 1], count + room
    relation, taken, past_fanout = np.int32(-1), 0, False
    while p < last:
        if relations[p] != relation:
            relation, taken = relations[p], 0
            if len(allowed) and not allowed[relation]:
                p = group_end(relations, p, last)
                continue
        if not known(triples[p], neighbors[p], i, side, both, mark, cut, kept, begin, end):
            if taken == fanout:
                past_fanout = True
                p = group_end(relations, p, last)
                continue
            if count == stop:
                return n, count, past_fanout, True
            n = add(n, count, i, side, neighbors[p], relation, triples[p], entities, mark, result)
            count += 1
            taken += 1
        p += 1
    return n, count, past_fanout, False


@compiled
def groups_of(csr, e, allowed):
    """(groups + 1,) where each relation's run of entity e begins; runs of relations that do not count are empty."""
    relations, first, last = csr[2], csr[0][e], csr[0][e + 1]
    groups, p = 0, first
    while p < last:
        p = group_end(relations, p, last)
        groups += 1
    at, stop = np.empty(groups, np.int64), np.empty(groups, np.int64)
    p = first
    for g in range(groups):
        at[g] = p
        p = group_end(relations, p, last)
        stop[g] = p
        if len(allowed) and not allowed[relations[at[g]]]:
            at[g] = p
    return at, stop


@compiled
def take_turns(out, inc, i, e, n, count, room, fanout, allowed, use_out, use_inc, entities, seen, result):
    """As `take`, over both sides, one triple of each direction and relation in turn until there is no more room."""
    both, mark, cut, kept, begin, end = seen
    at, stop = groups_of(out, e, allowed)
    outgoing = len(at) if use_out else 0
    if use_inc:
        more_at, more_stop = groups_of(inc, e, allowed)
        at = np.concatenate((at[:outgoing], more_at))
        stop = np.concatenate((stop[:outgoing], more_stop))
    full, turn = count + room, 0
    while count < full and turn < fanout:
        before = count
        for g in range(len(at)):
            side = 0 if g < outgoing else 1
            _, neighbors, relations, triples = out if g < outgoing else inc
            p = at[g]
            while p < stop[g] and known(triples[p], neighbors[p], i, side, both, mark, cut, kept, begin, end):
                p += 1
            if p < stop[g]:
                n = add(n, count, i, side, neighbors[p], relations[p], triples[p], entities, mark, result)
                count += 1
                p += 1
            at[g] = p
            if count == full:
                break
        turn += 1
        if count == before:
            break
    return n, count


@compiled
def grow(out, inc, seeds, hops, use_out, use_inc, allowed, fanout, max_triples, mark):
    """The triples met when walking `hops` from `seeds`; `clew.graph.neighborhood` says what the limits mean.

    Entities are expanded in the order in which they were found, so "expanded before i" is "has a smaller number".

    Args:
        allowed: (R,) which relations count; length 0 means all.
        fanout: most triples of one entity, direction and relation.
        mark: (N,) zeros; scratch: holds 1 + the local number of each entity found.

    Returns:
        entities, (heads, rels, tails, triples), number of entities that fanout cut, hop that max_triples cut (or -1),
        and what `between` needs: how many entities were expanded, which of them are cut, and their triples.
    """
    both = use_out and use_inc
    n = count = hubs = low = 0
    capped = -1
    entities = np.empty(len(seeds) + 8, np.int32)
    for seed in seeds:
        if mark[seed] == 0:
            entities[n] = seed
            n += 1
            mark[seed] = n
    heads, rels = np.empty(0, np.int32), np.empty(0, np.int32)
    tails, triples = np.empty(0, np.int32), np.empty(0, np.int32)
    kept = np.empty(0, np.int32)  # as `triples`, but filled and sorted only for cut entities
    cut = np.zeros(len(entities), np.bool_)  # expanded, yet not all of its triples were taken
    begin, end = np.zeros(len(entities), np.int64), np.zeros(len(entities), np.int64)
    for hop in range(hops):
        high = n
        if low == high or capped >= 0:
            break
        cut[low:high] = False
        room = max_triples - count
        bound = np.int64(0)
        for i in range(low, high):
            e = entities[i]
            if use_out:
                bound += out[0][e + 1] - out[0][e]
            if use_inc:
                bound += inc[0][e + 1] - inc[0][e]
        sizes = np.empty(0, np.int64)  # empty: everything fits
        shares = sizes
        if bound > room:  # perhaps too many: count exactly, but no further than matters
            seen = (both, mark, cut, kept, begin, end)
            sizes = np.zeros(high - low, np.int64)
            for i in range(low, high):
                if use_out:
                    sizes[i - low] += size_of(out, 0, i, entities[i], fanout, room, allowed, seen)
                if use_inc:
                    sizes[i - low] += size_of(inc, 1, i, entities[i], fanout, room, allowed, seen)
            shares = sizes
            if sizes.sum() > room:
                capped = hop
                share, extra = level(sizes, room)
                shares = np.minimum(sizes, share)
                for k in range(len(sizes)):
                    if extra > 0 and sizes[k] > share:
                        shares[k] += 1
                        extra -= 1
            bound = room
        if count + bound > len(heads):
            size = max(count + bound, min(2 * len(heads), max_triples))
            heads, rels = enlarged(heads, count, size), enlarged(rels, count, size)
            tails, triples = enlarged(tails, count, size), enlarged(triples, count, size)
            kept = enlarged(kept, count, size)
        if n + bound > len(entities):
            size = max(n + bound, 2 * len(entities))
            entities, cut = enlarged(entities, n, size), enlarged(cut, high, size)
            begin, end = enlarged(begin, low, size), enlarged(end, low, size)
        seen = (both, mark, cut, kept, begin, end)
        result = (heads, rels, tails, triples)
        for i in range(low, high):
            e = entities[i]
            begin[i] = count
            # An earlier entity of this hop may have given up a triple that was counted as its own.
            room = max_triples - count
            if len(shares):
                room = min(room, shares[i - low])
            past_fanout = full = more_full = more_past = False
            if len(shares) and shares[i - low] < sizes[i - low]:
                full = True
                n, count = take_turns(
                    out, inc, i, e, n, count, room, fanout, allowed, use_out, use_inc, entities, seen, result
                )
            else:
                if use_out:
                    n, count, past_fanout, full = take(
                        out, 0, i, e, n, count, room, fanout, allowed, entities, seen, result
                    )
                if use_inc:
                    room -= count - begin[i]
                    n, count, more_past, more_full = take(
                        inc, 1, i, e, n, count, room, fanout, allowed, entities, seen, result
                    )
                full = full or more_full
                past_fanout = past_fanout or more_past
            end[i] = count
            if past_fanout:
                hubs += 1
            if full:
                capped = hop
            if full or past_fanout:
                cut[i] = True
                kept[begin[i] : count] = np.sort(triples[begin[i] : count])
        low = high
    return (
        entities[:n],
        (heads[:count], rels[:count], tails[:count], triples[:count]),
        hubs,
        capped,
        low,
        cut,
        kept,
        begin,
        end,
    )


@compiled
def between(out, entities, expanded, use_out, use_inc, allowed, room, mark, cut, kept, begin, end):
    """The triples among the entities that `grow` found but did not walk: rows of heads, rels, tails, triples.

    Returns the (4, T) rows and whether `room` cut them.
    """
    offsets, neighbors, relations, triples = out
    rows, count = np.empty((4, 16), np.int32), 0
    for i in range(len(entities)):
        e = entities[i]
        for p in range(offsets[e], offsets[e + 1]):
            j = mark[neighbors[p]] - 1
            if j < 0 or (len(allowed) and not allowed[relations[p]]):
                continue
            if use_out and i < expanded and (not cut[i] or listed(kept, begin[i], end[i], triples[p])):
                continue
            if use_inc and j < expanded and (not cut[j] or listed(kept, begin[j], end[j], triples[p])):
                continue
            if count == room:
                return rows[:, :count], True
            if count == rows.shape[1]:
                larger = np.empty((4, 2 * count), np.int32)
                larger[:, :count] = rows
                rows = larger
            rows[0, count], rows[1, count], rows[2, count], rows[3, count] = i, relations[p], j, triples[p]
            count += 1
    return rows[:, :count], False


@compiled
def clear(mark, entities):
    for e in entities:
        mark[e] = 0
