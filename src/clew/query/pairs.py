"""Steps over arrays: who leads to what over a path, as pairs of positions and ends, within a budget.

Kept apart from the executor because this is the hot loop: one relation of an entity is one run in its sorted triples,
found by bisection for all entities at once, and only those runs are touched.

Shapes: n sources, m pairs, N entities.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clew.graph import pages
from clew.graph.sets import distinct, places_of
from clew.graph.subgraph import Csr, Ints, Subgraph
from clew.query.binding import Move

Places = NDArray[np.int64]
FEW = 2000  # triples of some sources that are looked at all at once
MANY = 512  # from here on a compiled loop is faster, and worth importing the compiler for


class PairBudget:
    """How many pairs a plan may still touch; what it cut is counted, never silent."""

    def __init__(self, pairs: int) -> None:
        self.left, self.limit, self.cut = pairs, pairs, 0

    def take(self, counts: Places) -> Places:
        """The counts that still fit; those of the last sources are cut first."""
        total = int(counts.sum())
        if total > self.left:
            ends = np.minimum(np.cumsum(counts), self.left)
            fitting = np.diff(ends, prepend=0)
            self.cut += total - int(fitting.sum())
            counts, total = fitting, int(fitting.sum())
        self.left -= total
        return counts


def starts(owners: Places) -> Places:
    """Where each run of equal, ascending owners begins."""
    if not len(owners):
        return np.empty(0, np.int64)
    return np.concatenate([np.zeros(1, np.int64), np.flatnonzero(owners[1:] != owners[:-1]) + 1])


def bound(relations: Ints, low: Places, high: Places, value: int) -> Places:
    """For each ascending run relations[low:high] the first position that holds `value` or more: (n,)."""
    low, high = low.copy(), high.copy()
    while True:
        open_ = np.flatnonzero(low < high)
        if not len(open_):
            return low
        middle = (low[open_] + high[open_]) // 2
        less = relations[middle] < value
        low[open_[less]] = middle[less] + 1
        high[open_[~less]] = middle[~less]


def runs(side: Csr, sources: Ints, relation: int) -> tuple[Places, Places]:
    """Where the triples of a relation stand for each source: begin and end, (n,) each."""
    if len(sources) == 1:
        first, last = side.offsets[int(sources[0])], side.offsets[int(sources[0]) + 1]
        mine = side.relations[first:last]
        found = first + mine.searchsorted(np.array([relation, relation + 1], mine.dtype))
        return found[:1], found[1:]
    if len(sources) > MANY:
        from clew.query import compiled

        many: tuple[Places, Places] = compiled.runs(side.offsets, side.relations, sources, relation)
        return many
    low, high = side.offsets[sources], side.offsets[sources.astype(np.int64) + 1]
    sizes = high - low
    if int(sizes.sum()) <= FEW:  # quicker than halving
        owners = np.repeat(np.arange(len(sources)), sizes)
        values = side.relations[places_of(side, sources)]
        begin = low + np.bincount(owners[values < relation], minlength=len(sources))
        return begin, begin + np.bincount(owners[values == relation], minlength=len(sources))
    begin = bound(side.relations, low, high, relation)
    return begin, bound(side.relations, begin, high, relation + 1)


def step(whole: Subgraph, sources: Ints, move: Move, budget: PairBudget) -> tuple[Places, Ints]:
    """(position in `sources`, end) for every triple of a relation: (m,) each, in the order of the sources."""
    relation, forward = move
    side = whole.out if forward else whole.inc
    side.at_hand(sources)
    begin, end = runs(side, sources, relation)
    counts = budget.take(end - begin)
    total = int(counts.sum())
    if len(sources) == 1:  # such as a class of millions: they stand together
        pages.wanted(side.neighbors, begin, begin + total)
        return np.zeros(total, np.int64), side.neighbors[int(begin[0]) : int(begin[0]) + total]
    owners = np.repeat(np.arange(len(sources), dtype=np.int64), counts)
    first = np.cumsum(counts) - counts
    places = np.arange(total, dtype=np.int64) + np.repeat(begin - first, counts)
    return owners, side.neighbors[places]


def pairs(whole: Subgraph, sources: Ints, moves: tuple[Move, ...], budget: PairBudget) -> tuple[Places, Ints]:
    """(position in `sources`, end) over a whole path, each pair once; without moves the sources themselves."""
    owners, ends = np.arange(len(sources), dtype=np.int64), sources
    for number, move in enumerate(moves):
        inner, reached = step(whole, ends, move, budget)
        owners, ends = owners[inner] if number else inner, reached
        if number:
            keys = distinct(owners * whole.num_entities + ends)
            owners, ends = keys // whole.num_entities, (keys % whole.num_entities).astype(np.int32)
    return owners, ends
