# mypy: allow-untyped-defs
"""The loops over a frontier, compiled by numba: nothing here knows names, records or limits in words.

Every function takes plain arrays; a `Csr` travels as the tuple (offsets (N+1,), neighbors (T,), relations (T,), triples
(T,)), inside one entity sorted by relation, then neighbor.

Shapes: N entities, T triples, R relations, S seeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clew.graph.jit import njit

# Sides of an entity. Not plain integers: numba would compile each function once per literal it is called with.
OUT: Any = np.int64(0)
IN: Any = np.int64(1)
ZERO: Any = np.int64(0)
HASH: Any = np.uint64(0x9E3779B97F4A7C15)  # 2^64 divided by the golden ratio
LOW: Any = np.int64((1 << 32) - 1)

compiled = njit(error_model="numpy")


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
    result = np.empty(len(order), np.int32)
    for position in order:
        key = keys[position]
        result[next_place[key]] = position
        next_place[key] += 1
    return result


@compiled
def group(keys, values, relations, n, num_values, num_relations):
    """The arrays of a Csr over `keys`: counting sorts, the least significant key first."""
    order = np.empty(len(keys), np.int32)
    for i in range(len(keys)):
        order[i] = i
    order = reordered(order, values, num_values)
    order = reordered(order, relations, num_relations)
    order = reordered(order, keys, n)
    neighbors, kinds = np.empty(len(keys), np.int32), np.empty(len(keys), np.int32)
    for i in range(len(keys)):
        neighbors[i], kinds[i] = values[order[i]], relations[order[i]]
    return ends(keys, n), neighbors, kinds, order


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
def first_at_least(ordered, start, end, value):
    """The first position in the ascending ordered[start:end] that holds `value` or more; `end` if there is none."""
    while start < end:
        middle = (start + end) // 2
        if ordered[middle] < value:
            start = middle + 1
        else:
            end = middle
    return start


@compiled
def listed(triples, start, end, triple):
    """Whether the sorted triples[start:end] hold `triple`."""
    i = first_at_least(triples, start, end, triple)
    return i < end and triples[i] == triple


@compiled
def sort_part(array, start, end):
    """Sort array[start:end] in place, Shell's way: numpy's own takes seconds to compile."""
    gap = 1
    while gap < end - start:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(start + gap, end):
            value, j = array[i], i
            while j >= start + gap and array[j - gap] > value:
                array[j] = array[j - gap]
                j -= gap
            array[j] = value
        gap //= 3


@compiled
def level(sizes, room):
    """Fair shares of less `room` than sum(sizes): everyone gets min(size, q); returns q and how many get one more."""
    low, high = 0, room  # the largest q whose shares fit
    while low < high:
        middle = (low + high + 1) // 2
        total = 0
        for size in sizes:
            total += min(size, middle)
        if total <= room:
            low = middle
        else:
            high = middle - 1
    extra = room
    for size in sizes:
        extra -= min(size, low)
    return low, extra


@compiled
def enlarged(array, used, size):
    result = np.empty(size, array.dtype)
    for i in range(used):
        result[i] = array[i]
    return result


@compiled
def slot_of(numbers, entity):
    """Where a table keeps the number of an entity, or would keep it.

    A table (2^k,) int64 holds local numbers: entity + 1 in the upper half, the number in the lower one, 0 where it is
    empty; Fibonacci hashing, then the next free slot. It stays in the processor's cache, which an array over all
    entities of a large graph does not: every look at that one waits for memory.
    """
    last = np.uint64(len(numbers) - 1)
    slot = ((np.uint64(entity) * HASH) >> np.uint64(32)) & last
    while numbers[slot] != 0 and (numbers[slot] >> 32) != entity + 1:
        slot = (slot + np.uint64(1)) & last
    return slot


@compiled
def numbered(entities, n, room):
    """A table that gives entities[:n] their places as numbers, with room for `room` of them in all."""
    size = 1024  # a small one stays almost empty, so that nearly every look ends at once
    while size < 2 * room:
        size *= 2
    numbers = np.zeros(size, np.int64)
    for i in range(n):
        numbers[slot_of(numbers, entities[i])] = (np.int64(entities[i]) + 1) << 32 | i
    return numbers


@compiled
def met(triple, j, i, side, cut, kept, begin, end):
    """Whether a triple between entity i and j <= i is taken already (a self loop: was met on the other side)."""
    if j == i:
        return side == 1
    return not cut[j] or listed(kept, begin[j], end[j], triple)


# The next three loops look at every triple. In them arrays are named once, before the loop, and what is done with a
# triple stands in the loop itself: a call that is given several arrays counts each of them as held and let go, which
# takes ten times as long as the rest.


@compiled
def size_of(csr, side, i, e, fanout, room, allowed, seen):
    """How many new triples entity i would add from one side; counting stops above `room`."""
    both, numbers, cut, kept, begin, end = seen
    offsets, neighbors, relations, triples = csr
    size, p, last = 0, offsets[e], offsets[e + 1]
    while p < last and size <= room:
        stop = group_end(relations, p, last)
        if len(allowed) == 0 or allowed[relations[p]]:
            taken = 0
            while p < stop and taken < fanout and size <= room:
                number = numbers[slot_of(numbers, neighbors[p])]
                j = number & LOW
                if not (both and number != 0 and j <= i and met(triples[p], j, i, side, cut, kept, begin, end)):
                    taken += 1
                    size += 1
                p += 1
        p = stop
    return size


@compiled
def take(csr, side, i, e, n, count, room, fanout, quotas, allowed, entities, seen, result):
    """Take the new triples of one side in order, at most `room`, and of a relation at most `fanout` or its quota.

    Args:
        quotas: one for each relation of the entity on this side, in order; empty: `fanout` holds.

    Returns n, count, whether fanout left some out, whether the room did.
    """
    both, numbers, cut, kept, begin, end = seen
    offsets, neighbors, relations, triples = csr
    heads, rels, tails, chosen = result
    p, last, stop = offsets[e], offsets[e + 1], count + room
    relation, taken, group, limit, past_fanout = np.int32(-1), 0, -1, np.int64(fanout), False
    while p < last:
        if relations[p] != relation:
            relation, taken = relations[p], 0
            group += 1
            if len(quotas):
                limit = quotas[group]
            if limit == 0 or (len(allowed) and not allowed[relation]):
                p = group_end(relations, p, last)
                continue
        other = neighbors[p]
        slot = slot_of(numbers, other)
        number = numbers[slot]
        j = number & LOW
        if not (both and number != 0 and j <= i and met(triples[p], j, i, side, cut, kept, begin, end)):
            if taken == limit:
                past_fanout = True
                p = group_end(relations, p, last)
                continue
            if count == stop:
                return n, count, past_fanout, True
            if number == 0:
                j = n
                entities[n] = other
                numbers[slot] = (np.int64(other) + 1) << 32 | n
                n += 1
            if side == 0:
                heads[count], tails[count] = i, j
            else:
                heads[count], tails[count] = j, i
            rels[count], chosen[count] = relation, triples[p]
            count += 1
            taken += 1
        p += 1
    return n, count, past_fanout, False


@compiled
def sizes_of_groups(csr, side, i, e, fanout, room, allowed, seen):
    """For each relation of entity i on one side, in order: new triples, counted to `room` and `fanout` at most."""
    both, numbers, cut, kept, begin, end = seen
    offsets, neighbors, relations, triples = csr
    p, last, groups = offsets[e], offsets[e + 1], 0
    while p < last:
        p = group_end(relations, p, last)
        groups += 1
    sizes, p, most = np.zeros(groups, np.int64), offsets[e], min(fanout, room)
    for group in range(groups):
        stop = group_end(relations, p, last)
        if len(allowed) == 0 or allowed[relations[p]]:
            while p < stop and sizes[group] < most:
                number = numbers[slot_of(numbers, neighbors[p])]
                j = number & LOW
                if not (both and number != 0 and j <= i and met(triples[p], j, i, side, cut, kept, begin, end)):
                    sizes[group] += 1
                p += 1
        p = stop
    return sizes


@compiled
def quotas_of(out, inc, i, e, room, fanout, allowed, use_out, use_inc, seen):
    """What each relation of either side gets where the entity has more than `room`: as if they took turns."""
    none = np.empty(0, np.int64)
    outgoing = sizes_of_groups(out, OUT, i, e, fanout, room, allowed, seen) if use_out else none
    incoming = sizes_of_groups(inc, IN, i, e, fanout, room, allowed, seen) if use_inc else none
    quotas = np.concatenate((outgoing, incoming))
    share, extra = level(quotas, room)
    for g in range(len(quotas)):
        if quotas[g] > share:
            quotas[g] = share + (extra > 0)
            extra -= 1
    return quotas[: len(outgoing)], quotas[len(outgoing) :]


@compiled
def grow(out, inc, seeds, hops, use_out, use_inc, allowed, fanout, max_triples):
    """The triples met when walking `hops` from `seeds`; `clew.graph.neighborhood` says what the limits mean.

    Entities are expanded in the order in which they were found, so "expanded before i" is "has a smaller number".

    Args:
        allowed: (R,) which relations count; length 0 means all.
        seeds: distinct.
        fanout: most triples of one entity, direction and relation.

    Returns:
        entities, (heads, rels, tails, triples), number of entities that fanout cut, hop that max_triples cut (or -1),
        and what `between` needs: how many entities were expanded, the table of all, which of them are cut, and their
        triples.
    """
    both = use_out and use_inc
    count = hubs = low = ZERO
    capped = -1
    n = np.int64(len(seeds))
    entities = enlarged(seeds, n, n + 8)
    numbers = numbered(entities, n, n)
    none = np.empty(0, np.int64)
    heads, rels = np.empty(0, np.int32), np.empty(0, np.int32)
    tails, triples = np.empty(0, np.int32), np.empty(0, np.int32)
    kept = np.empty(0, np.int32)  # as `triples`, but filled and sorted only for cut entities
    cut = np.zeros(len(entities), np.bool_)  # expanded, yet not all of its triples were taken
    begin, end = np.zeros(len(entities), np.int64), np.zeros(len(entities), np.int64)
    for hop in range(hops):
        high = n
        if low == high or capped >= 0:
            break
        for i in range(low, high):
            cut[i] = False
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
            seen = (both, numbers, cut, kept, begin, end)
            sizes = np.zeros(high - low, np.int64)
            most = 2 * (room // (high - low)) + 1  # counting hubs further than a fair share is in vain
            while True:
                total, larger = ZERO, False
                for i in range(low, high):
                    size = ZERO
                    if use_out:
                        size += size_of(out, OUT, i, entities[i], fanout, most, allowed, seen)
                    if use_inc and size <= most:
                        size += size_of(inc, IN, i, entities[i], fanout, most, allowed, seen)
                    sizes[i - low] = size
                    total += size
                    larger = larger or size > most
                if not larger or (total > room and level(sizes, room)[0] < most):
                    break
                most = min(4 * most, room + 1)
            shares = sizes
            if total > room:
                capped = hop
                share, extra = level(sizes, room)
                shares = np.empty(len(sizes), np.int64)
                for k in range(len(sizes)):
                    shares[k] = sizes[k]
                    if sizes[k] > share:
                        shares[k] = share + (extra > 0)
                        extra -= 1
            bound = room
        if count + bound > len(heads):
            size = max(count + bound, min(2 * len(heads), max_triples))
            heads, rels = enlarged(heads, count, size), enlarged(rels, count, size)
            tails, triples = enlarged(tails, count, size), enlarged(triples, count, size)
            kept = enlarged(kept, count, size)
        if n + bound > len(entities):
            size = max(n + bound, 2 * len(entities))
            numbers = numbered(entities, n, min(size, len(out[0])))
            entities, cut = enlarged(entities, n, size), enlarged(cut, high, size)
            begin, end = enlarged(begin, low, size), enlarged(end, low, size)
        seen = (both, numbers, cut, kept, begin, end)
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
                of_out, of_inc = quotas_of(out, inc, i, e, room, fanout, allowed, use_out, use_inc, seen)
            else:
                of_out = of_inc = none
            if use_out and (len(of_out) or not full):
                n, count, past_fanout, more_full = take(
                    out, OUT, i, e, n, count, room, fanout, of_out, allowed, entities, seen, result
                )
            if use_inc and (len(of_inc) or not full):
                room -= count - begin[i]
                n, count, more_past, most_full = take(
                    inc, IN, i, e, n, count, room, fanout, of_inc, allowed, entities, seen, result
                )
                more_full = more_full or most_full
            past_fanout = not full and (past_fanout or more_past)
            full = full or more_full
            end[i] = count
            if past_fanout:
                hubs += 1
            if full:
                capped = hop
            if full or past_fanout:
                cut[i] = True
                for k in range(begin[i], count):
                    kept[k] = triples[k]
                sort_part(kept, begin[i], count)
        low = high
    return (
        entities[:n],
        (heads[:count], rels[:count], tails[:count], triples[:count]),
        hubs,
        capped,
        low,
        numbers,
        cut,
        kept,
        begin,
        end,
    )


@compiled
def between(out, entities, expanded, use_out, use_inc, allowed, room, numbers, cut, kept, begin, end):
    """The triples among the entities that `grow` found but did not walk.

    Returns (heads, rels, tails, triples) and whether `room` cut them.
    """
    offsets, neighbors, relations, triples = out
    heads, rels = np.empty(16, np.int32), np.empty(16, np.int32)
    tails, found = np.empty(16, np.int32), np.empty(16, np.int32)
    count = ZERO
    for i in range(len(entities)):
        e = entities[i]
        for p in range(offsets[e], offsets[e + 1]):
            number = numbers[slot_of(numbers, neighbors[p])]
            j = number & LOW
            if number == 0 or (len(allowed) and not allowed[relations[p]]):
                continue
            if use_out and i < expanded and (not cut[i] or listed(kept, begin[i], end[i], triples[p])):
                continue
            if use_inc and j < expanded and (not cut[j] or listed(kept, begin[j], end[j], triples[p])):
                continue
            if count == room:
                return (heads[:count], rels[:count], tails[:count], found[:count]), True
            if count == len(heads):
                heads, rels = enlarged(heads, count, 2 * count), enlarged(rels, count, 2 * count)
                tails, found = enlarged(tails, count, 2 * count), enlarged(found, count, 2 * count)
            heads[count], rels[count], tails[count], found[count] = i, relations[p], j, triples[p]
            count += 1
    return (heads[:count], rels[:count], tails[:count], found[:count]), False


@compiled
def clear(mark, entities):
    for e in entities:
        mark[e] = 0
