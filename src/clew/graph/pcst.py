# mypy: allow-untyped-defs
"""The prize-collecting Steiner tree by growing moats (Goemans and Williamson 1995), compiled.

Every entity with a prize grows a moat at unit speed until its prize is spent; an edge whose two moats meet merges its
clusters, which then grow on with what both have left. A pruning step drops what did not pay. The factor-two guarantee
is the scheme's; the event order follows Hegde, Indyk and Schmidt (2015).

Ours because the package that research code uses ships wheels that return wrong numbers beside numpy 2 without a word.
Compiled on first use; only `clew.graph.steiner` imports this.

Shapes: V vertices, E edges.
"""

from __future__ import annotations

from heapq import heappop, heappush

import numpy as np

from clew.graph.compiled import compiled, ends

TIGHT = 1e-10


@compiled
def _root(vertex, skip, skipped):
    """The cluster that holds a vertex now, and the moats around the vertex inside it."""
    total, at = 0.0, vertex
    while skip[at] >= 0:
        total += skipped[at]
        at = skip[at]
    rest, walker = total, vertex
    while skip[walker] >= 0 and skip[walker] != at:  # point every cluster on the way at the root
        following, step = skip[walker], skipped[walker]
        skip[walker], skipped[walker] = at, rest
        rest -= step
        walker = following
    return at, total


@compiled
def _slack(edge, now, heads, tails, costs, skip, skipped, active, start, moat):
    """What is left of an edge between the two moats, how many of them grow, and the clusters at its ends."""
    a, inside_a = _root(heads[edge], skip, skipped)
    b, inside_b = _root(tails[edge], skip, skipped)
    grown_a = now - start[a] if active[a] else moat[a]
    grown_b = now - start[b] if active[b] else moat[b]
    return costs[edge] - inside_a - inside_b - grown_a - grown_b, int(active[a]) + int(active[b]), a, b


@compiled
def grow(heads, tails, costs, prizes):
    """The forest of merging edges.

    Returns: (F,) edges in the order in which they merged; (F,) the cluster that was asleep when it merged (-1: both
    were growing); (F,) the vertex of that edge on the sleeping side; (2V,) parent of every cluster; (V,) whether a
    vertex belongs to the last growing cluster.
    """
    v, e = len(prizes), len(costs)
    parent = np.full(2 * v, -1, np.int32)
    left, right = np.full(2 * v, -1, np.int32), np.full(2 * v, -1, np.int32)
    skip, skipped = np.full(2 * v, -1, np.int32), np.zeros(2 * v)
    active, start, moat = np.zeros(2 * v, np.bool_), np.zeros(2 * v), np.zeros(2 * v)
    spent, worth = np.zeros(2 * v), np.zeros(2 * v)
    worth[:v] = prizes
    growing = 0
    sleeps = [(0.0, np.int32(-1))]
    sleeps.pop()
    for i in range(v):
        if prizes[i] > TIGHT:
            active[i] = True
            growing += 1
            heappush(sleeps, (prizes[i], np.int32(i)))
    meets = [(0.0, np.int32(-1))]
    meets.pop()
    for i in range(e):
        rate = int(active[heads[i]]) + int(active[tails[i]])
        if rate and heads[i] != tails[i]:
            heappush(meets, (costs[i] / rate, np.int32(i)))
    # Edges by vertex, for those that must be looked at again when a sleeping cluster wakes.
    both = np.concatenate((heads, tails))
    offsets = ends(both, v)
    incident, place = np.empty(2 * e, np.int32), offsets[:-1].copy()
    for i in range(2 * e):
        incident[place[both[i]]] = i % e
        place[both[i]] += 1
    merged = np.empty(max(v - 1, 0), np.int32)
    asleep = np.empty(max(v - 1, 0), np.int32)
    sleeper = np.empty(max(v - 1, 0), np.int32)
    count, clusters = 0, v
    while growing > 1 and (len(meets) or len(sleeps)):
        if len(sleeps) and (not len(meets) or sleeps[0][0] <= meets[0][0]):
            now, cluster = heappop(sleeps)
            if active[cluster]:
                active[cluster], moat[cluster] = False, now - start[cluster]
                growing -= 1
            continue
        now, edge = heappop(meets)
        slack, rate, a, b = _slack(edge, now, heads, tails, costs, skip, skipped, active, start, moat)
        if a == b or rate == 0:
            continue
        if slack > TIGHT:
            heappush(meets, (now + slack / rate, edge))
            continue
        merged[count] = edge
        asleep[count] = -1 if rate == 2 else (b if active[a] else a)
        sleeper[count] = tails[edge] if active[a] else heads[edge]
        count += 1
        wakes = np.int32(-1) if rate == 2 else (b if active[a] else a)
        for side in (a, b):
            if active[side]:
                active[side], moat[side] = False, now - start[side]
                growing -= 1
            parent[side], skip[side], skipped[side] = clusters, clusters, moat[side]
            spent[clusters] += spent[side] + moat[side]
            worth[clusters] += worth[side]
        left[clusters], right[clusters] = a, b
        rest = worth[clusters] - spent[clusters]
        if rest > TIGHT:
            active[clusters], start[clusters] = True, now
            growing += 1
            heappush(sleeps, (now + rest, np.int32(clusters)))
            if wakes >= 0:
                stack = [wakes]
                while len(stack):
                    inner = stack.pop()
                    if left[inner] >= 0:
                        stack.append(left[inner])
                        stack.append(right[inner])
                        continue
                    for at in range(offsets[inner], offsets[inner + 1]):
                        near = incident[at]
                        slack, rate, one, other = _slack(
                            near, now, heads, tails, costs, skip, skipped, active, start, moat
                        )
                        if one != other:
                            heappush(meets, (now + max(slack, 0.0) / rate, near))
        clusters += 1
    kept = np.zeros(v, np.bool_)
    for i in range(v):
        root, _ = _root(np.int32(i), skip, skipped)
        kept[i] = active[root]
    return merged[:count], asleep[:count], sleeper[:count], parent, kept


@compiled
def prune_gw(heads, tails, merged, asleep, sleeper, parent, kept):
    """(V,) vertices and (E,) edges that stay by the scheme's own rule ("gw").

    Going back through the merges, a side that was asleep when it was merged goes again, unless something that stays
    hangs on it.
    """
    v = len(kept)
    picked = np.zeros(len(heads), np.bool_)
    gone, needed = np.zeros(v, np.bool_), np.zeros(len(parent), np.bool_)
    inside = np.array([i for i in range(len(merged)) if kept[heads[merged[i]]] and kept[tails[merged[i]]]], np.int64)
    tree_heads, tree_tails = heads[merged[inside]], tails[merged[inside]]
    both = np.concatenate((tree_heads, tree_tails))
    offsets = ends(both, v)
    beside, place = np.empty(len(both), np.int32), offsets[:-1].copy()
    m = len(inside)
    for i in range(2 * m):
        beside[place[both[i]]] = tree_tails[i] if i < m else tree_heads[i - m]
        place[both[i]] += 1
    for i in inside[::-1]:
        edge = merged[i]
        if gone[heads[edge]] and gone[tails[edge]]:
            continue
        if asleep[i] < 0 or needed[asleep[i]]:
            picked[edge] = True
            for vertex in (heads[edge], tails[edge]):
                at = vertex
                while at >= 0 and not needed[at]:
                    needed[at] = True
                    at = parent[at]
            continue
        first = sleeper[i]
        gone[first] = True
        stack = [(first, tails[edge] if heads[edge] == first else heads[edge])]
        while len(stack):
            vertex, before = stack.pop()
            for at in range(offsets[vertex], offsets[vertex + 1]):
                other = beside[at]
                if other != before and not gone[other]:
                    gone[other] = True
                    stack.append((other, vertex))
    return kept & ~gone, picked


@compiled
def prune_strong(heads, tails, costs, prizes, merged, kept):
    """(V,) vertices and (E,) edges of the grown tree's most valuable subtree ("strong"), by dynamic programming."""
    v = len(kept)
    inside = np.array([i for i in range(len(merged)) if kept[heads[merged[i]]] and kept[tails[merged[i]]]], np.int64)
    edges = merged[inside]
    both = np.concatenate((heads[edges], tails[edges]))
    offsets = ends(both, v)
    beside, by_edge, place = np.empty(len(both), np.int32), np.empty(len(both), np.int32), offsets[:-1].copy()
    m = len(edges)
    for i in range(2 * m):
        beside[place[both[i]]] = tails[edges[i]] if i < m else heads[edges[i - m]]
        by_edge[place[both[i]]] = edges[i % m]
        place[both[i]] += 1
    stays, picked = np.zeros(v, np.bool_), np.zeros(len(heads), np.bool_)
    root = -1
    for i in range(v):
        if kept[i]:
            root = i
            break
    if root < 0:
        return stays, picked
    order, before, via = [np.int32(root)], np.full(v, -1, np.int32), np.full(v, -1, np.int32)
    at = 0
    while at < len(order):
        vertex = order[at]
        at += 1
        for j in range(offsets[vertex], offsets[vertex + 1]):
            other = beside[j]
            if other != before[vertex]:
                before[other], via[other] = vertex, by_edge[j]
                order.append(other)
    gain = prizes.astype(np.float64).copy()
    for i in range(len(order) - 1, 0, -1):
        vertex = order[i]
        if gain[vertex] - costs[via[vertex]] > TIGHT:
            gain[before[vertex]] += gain[vertex] - costs[via[vertex]]
    best = order[0]
    for vertex in order:
        if gain[vertex] > gain[best] + TIGHT:
            best = vertex
    stays[best] = True
    for vertex in order:  # parents come before their children
        hangs = before[vertex] >= 0 and stays[before[vertex]] and not stays[vertex]
        if hangs and gain[vertex] - costs[via[vertex]] > TIGHT:
            stays[vertex], picked[via[vertex]] = True, True
    return stays, picked
