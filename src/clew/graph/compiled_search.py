# mypy: allow-untyped-defs
"""Compiled loops of the searches over a whole `Subgraph`: distances, path enumeration, PageRank, components.

Separate from `clew.graph.compiled`, which grows neighbourhoods, so that a process compiles and loads only what it
calls. A `Csr` travels as the tuple (offsets (N+1,), neighbors (T,), relations (T,), triples (T,)).

Distances are kept plus one (0: not reached), so that a fresh array of zeros needs no filling.
Shapes: N entities, T triples, P paths.
"""

from __future__ import annotations

import numpy as np

from clew.graph.compiled import ZERO, compiled, enlarged, first_at_least


@compiled
def spread(csr, u, level, distance, other_way, budget, queue, count):
    """Number the unreached neighbors of u; with `other_way`, only those that lie within `budget` of its origin."""
    offsets, neighbors, _, _ = csr  # before the loop: an array taken out of a tuple in it is counted as held each time
    for p in range(offsets[u], offsets[u + 1]):
        v = neighbors[p]
        if distance[v] == 0 and (budget < 0 or (other_way[v] > 0 and other_way[v] - 1 + level <= budget)):
            distance[v] = level + 1
            queue[count] = v
            count += 1
    return count


@compiled
def reach(out, inc, use_out, use_inc, sources, targets, limit, slack, distance, other_way, budget):
    """Breadth-first distances, plus one, written to `distance` (zeros on entry).

    Stops at `limit` hops, or `slack` hops after the last of `targets` was met (no targets: never).
    With `budget` ≥ 0 only entities count whose distance here plus `other_way` is at most `budget`.

    Returns:
        the entities reached, nearest first.
    """
    queue, count, low, level = np.empty(64, np.int32), ZERO, ZERO, ZERO
    if len(sources) > len(queue):
        queue = np.empty(len(sources), np.int32)
    for source in sources:
        if distance[source] == 0:
            distance[source] = 1
            queue[count] = source
            count += 1
    met = False
    while low < count and level < limit:
        if not met and len(targets) > 0:
            met = True
            for target in targets:
                met = met and distance[target] > 0
            if met:
                limit = min(limit, level + slack)
                continue
        level += 1
        high = count
        for k in range(low, high):
            u = queue[k]
            room = count
            if use_out:
                room += out[0][u + 1] - out[0][u]
            if use_inc:
                room += inc[0][u + 1] - inc[0][u]
            if room > len(queue):
                queue = enlarged(queue, count, 2 * room)
            if use_out:
                count = spread(out, u, level, distance, other_way, budget, queue, count)
            if use_inc:
                count = spread(inc, u, level, distance, other_way, budget, queue, count)
        low = high
    return queue[:count]


@compiled
def paths_of_length(out, inc, use_inc, to_target, source, target, length, repeats, room):
    """Every path of exactly `length` ≥ 1 hops, depth first, in the order of the Csr, forward steps before backward.

    `to_target` (N,) holds distances to the target plus one: a step is tried only when the target is still in reach.
    `repeats` says what a path may meet again: 0 nothing (but for a source that is the target too), 1 entities,
    2 triples, though no step turns round over the triple of the step before.

    Returns:
        triples (P, length), forward (P, length), whether there is a path more than `room`.
    """
    out_offsets, out_neighbors, _, out_triples = out
    inc_offsets, inc_neighbors, _, inc_triples = inc
    triples = np.empty((min(room, 16), length), np.int32)
    forward = np.empty((min(room, 16), length), np.bool_)
    count = 0
    entity = np.empty(length + 1, np.int32)
    side = np.zeros(length, np.int64)
    at = np.empty(length, np.int64)
    used = np.empty(length, np.int32)
    sides = 2 if use_inc else 1
    depth = 0
    entity[0] = source
    at[0] = out_offsets[source]
    while depth >= 0:
        u = entity[depth]
        outward = side[depth] == 0
        if at[depth] == (out_offsets[u + 1] if outward else inc_offsets[u + 1]):
            side[depth] += 1
            if side[depth] < sides:
                at[depth] = inc_offsets[u]
            else:
                depth -= 1
            continue
        p = at[depth]
        at[depth] += 1
        v = out_neighbors[p] if outward else inc_neighbors[p]
        left = length - depth - 1
        if to_target[v] == 0 or to_target[v] - 1 > left or (left == 0 and v != target):
            continue
        triple = out_triples[p] if outward else inc_triples[p]
        if side[depth] == 1 and v == u:
            continue  # a self loop was walked forward already
        seen = False
        if repeats == 2:
            seen = depth > 0 and used[depth - 1] == triple and side[depth - 1] != side[depth]
        else:
            for k in range(depth):
                seen = seen or used[k] == triple
        if repeats == 0 and not (left == 0 and source == target):
            for k in range(depth + 1):
                seen = seen or entity[k] == v
            seen = seen or (left > 0 and v == target)
        if seen:
            continue
        used[depth] = triple
        if left > 0:
            depth += 1
            entity[depth] = v
            side[depth] = 0
            at[depth] = out_offsets[v]
            continue
        if count == room:
            return triples[:count], forward[:count], True
        if count == len(triples):
            size = min(room, 2 * count)
            more, more_forward = np.empty((size, length), np.int32), np.empty((size, length), np.bool_)
            for i in range(count):
                for k in range(length):
                    more[i, k], more_forward[i, k] = triples[i, k], forward[i, k]
            triples, forward = more, more_forward
        for k in range(length):
            triples[count, k] = used[k]
            forward[count, k] = side[k] == 0
        count += 1
    return triples[:count], forward[:count], False


@compiled
def along(csr, frontier, relation):
    """The steps over one relation from each of `frontier` (F,).

    Returns:
        row of the frontier, entity reached, triple: three arrays of one length.
    """
    offsets, neighbors, relations, triples = csr
    low, high = np.empty(len(frontier), np.int64), np.empty(len(frontier), np.int64)
    total = 0
    for i in range(len(frontier)):
        first, last = offsets[frontier[i]], offsets[frontier[i] + 1]
        low[i] = first_at_least(relations, first, last, relation)
        high[i] = first_at_least(relations, low[i], last, relation + 1)
        total += high[i] - low[i]
    row, reached, walked = np.empty(total, np.int64), np.empty(total, np.int32), np.empty(total, np.int32)
    count = 0
    for i in range(len(frontier)):
        for p in range(low[i], high[i]):
            row[count], reached[count], walked[count] = i, neighbors[p], triples[p]
            count += 1
    return row, reached, walked


@compiled
def incident(csr, frontier):
    """relation << 32 | entity reached, for every triple of the frontier's entities on one side."""
    offsets, neighbors, relations, _ = csr
    total = 0
    for e in frontier:
        total += offsets[e + 1] - offsets[e]
    packed, count = np.empty(total, np.int64), 0
    for e in frontier:
        for p in range(offsets[e], offsets[e + 1]):
            packed[count] = (np.int64(relations[p]) << 32) | neighbors[p]
            count += 1
    return packed


@compiled
def rank(out, inc, use_out, use_inc, restart, alpha, tolerance, limit):
    """Personalised PageRank by power iteration, pulling along triples; weight without a way on restarts.

    Returns:
        (N,) float64 that sum to one, how many rounds, last L1 change.
    """
    n = len(restart)
    out_offsets, out_neighbors, _, _ = out
    inc_offsets, inc_neighbors, _, _ = inc
    degree = np.zeros(n, np.int64)
    for i in range(n):
        if use_out:
            degree[i] += out_offsets[i + 1] - out_offsets[i]
        if use_inc:
            degree[i] += inc_offsets[i + 1] - inc_offsets[i]
    score, share = restart.copy(), np.empty(n, np.float64)
    change, rounds = 1.0, 0
    while change > tolerance and rounds < limit:
        rounds += 1
        lost = 0.0
        for i in range(n):
            if degree[i]:
                share[i] = score[i] / degree[i]
            else:
                share[i] = 0.0
                lost += score[i]
        change = 0.0
        for i in range(n):
            pulled = 0.0
            if use_out:
                for p in range(inc_offsets[i], inc_offsets[i + 1]):
                    pulled += share[inc_neighbors[p]]
            if use_inc:
                for p in range(out_offsets[i], out_offsets[i + 1]):
                    pulled += share[out_neighbors[p]]
            fresh = alpha * (pulled + lost * restart[i]) + (1.0 - alpha) * restart[i]
            change += abs(fresh - score[i])
            score[i] = fresh
    return score, rounds, change


@compiled
def smallest_member(heads, tails, n):
    """(N,) the smallest entity of each one's weakly connected component: union by smaller root, paths halved."""
    root = np.arange(n).astype(np.int32)
    for t in range(len(heads)):
        a, b = heads[t], tails[t]
        while root[a] != a:
            root[a] = root[root[a]]
            a = root[a]
        while root[b] != b:
            root[b] = root[root[b]]
            b = root[b]
        if a < b:
            root[b] = a
        else:
            root[a] = b
    for i in range(n):
        root[i] = root[root[i]]
    return root
