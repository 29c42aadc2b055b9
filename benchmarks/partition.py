"""What 10⁹ triples cut by head would cost, simulated over the blocks of a graph that is at hand.

Nothing is distributed here: a finished graph is cut on paper into parts. An entity belongs to the part that a hash of
its number names, with all triples that lead from it and to it; those of a hub lie with their other ends.
Neighbourhoods of random entities and of hubs are asked for hop by hop as a coordinator would: each part that holds
some of the frontier is sent those entities and returns their triples. Told are the balance of the parts, how many
parts a hop asks, the bytes that move, the largest share of one part, and the seconds that follow from the measured
time of a triple on this machine, a round trip and a bandwidth that are stated. A triple moves as 12 bytes and each
entity met for the first time as its id.

    python benchmarks/partition.py GRAPH.kg [--parts 8] [--questions 200] [--hops 3] [--trip 0.5] [--gbit 10]
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.neighborhood import neighborhood
from clew.graph.subgraph import Subgraph

Longs = NDArray[np.int64]
MOST = 10_000  # triples of a neighbourhood, as methods ask for
TRIPLE = 12  # bytes that move for one
HUB = 100_000  # triples of an entity from which on they lie with their other ends
BLOCK = 1 << 24  # entities that are counted at once


def part_of(numbers: NDArray[np.integer], parts: int) -> Longs:
    """The part of each entity, by the finalizer of MurmurHash3 over its number: numbers follow the input, hashes do
    not."""
    x = numbers.astype(np.uint64)
    for shift, factor in ((33, 0xFF51AFD7ED558CCD), (33, 0xC4CEB9FE1A85EC53)):
        x = (x ^ (x >> np.uint64(shift))) * np.uint64(factor)
    return ((x ^ (x >> np.uint64(33))) % np.uint64(parts)).astype(np.int64)


def balance(whole: Subgraph, parts: int) -> tuple[Longs, Longs, float]:
    """(P,) entities and (P,) entries (each triple once by its head and once by its tail) of the parts; the share of
    triples whose ends lie in two parts. Those of a hub count as spread evenly."""
    entities, entries = np.zeros(parts, np.int64), np.zeros(parts, np.int64)
    size = whole.num_entities
    for start in range(0, size, BLOCK):
        stop = min(size, start + BLOCK)
        mine = part_of(np.arange(start, stop), parts)
        entities += np.bincount(mine, minlength=parts)
        for side in (whole.out, whole.inc):
            degrees = np.diff(side.offsets[start : stop + 1].astype(np.int64))
            hubs = degrees > HUB
            entries += np.bincount(mine, np.where(hubs, 0, degrees), minlength=parts).astype(np.int64)
            entries += degrees[hubs].sum() // parts
    sample = np.random.default_rng(0).integers(0, whole.num_triples, 1_000_000)
    apart = part_of(whole.heads[sample], parts) != part_of(whole.tails[sample], parts)
    return entities, entries, float(apart.mean())


class Cost:
    """What the hops of one neighbourhood cost."""

    def __init__(self, graph: Graph, degrees: NDArray[np.integer], parts: int) -> None:
        self._graph, self._degrees, self._parts = graph, degrees, parts

    def of(self, seed: str, hops: int) -> list[tuple[int, int, int, int]]:
        """Per hop: parts asked, triples that come back, those of the part that returns most, bytes that move."""
        frontier, before, met, told = [seed], 0, 1, []
        for hop in range(1, hops + 1):
            found = neighborhood(self._graph, [seed], hop, max_triples=MOST)
            numbers = np.array([self._graph.number_of(id) for id in frontier], np.int64)
            ids = [found.entity(i).id for i in range(found.num_entities)]
            at = np.array([self._graph.number_of(id) for id in ids], np.int64)
            # A triple is met at that end which was in the frontier; it lies with it, or with the other end of a hub.
            here = np.isin(at, numbers)
            near = np.where(here[found.heads], found.heads, found.tails)
            far = np.where(here[found.heads], found.tails, found.heads)
            end = np.where(self._degrees[at[near]] > HUB, far, near)[here[near]]
            share = np.bincount(part_of(at[end], self._parts), minlength=self._parts)
            asked = (
                self._parts if (self._degrees[numbers] > HUB).any() else len(np.unique(part_of(numbers, self._parts)))
            )
            new = found.num_triples - before
            moved = new * TRIPLE + sum(map(len, ids[met:])) + sum(map(len, frontier))
            told.append((asked, new, min(new, int(share.max(initial=0))), moved))
            frontier, before, met = ids[met:], found.num_triples, len(ids)
            if not frontier or before >= MOST:
                break  # the coordinator has what it asked for
        return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graph", type=Path)
    parser.add_argument("--parts", type=int, default=8)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--trip", type=float, default=0.5, help="milliseconds of a round trip")
    parser.add_argument("--gbit", type=float, default=10.0, help="a second, of the coordinator's line")
    given = parser.parse_args()
    graph = Graph.open(given.graph)
    whole = graph.as_subgraph
    entities, entries, apart = balance(whole, given.parts)
    print(f"{graph.num_triples:,} triples, {graph.num_entities:,} entities, load {os.getloadavg()[0]:.1f}")
    print(
        f"{given.parts} parts: entities {entities.min():,} to {entities.max():,}, entries {entries.min():,} to "
        f"{entries.max():,} (largest {entries.max() / entries.mean():.3f} of the mean); "
        f"{apart:.3f} of the triples lie between two parts"
    )
    rng = np.random.default_rng(1)
    degrees = np.diff(whole.inc.offsets) + np.diff(whole.out.offsets)
    random = graph.ids_at(rng.choice(np.flatnonzero(degrees), given.questions, replace=False).astype(np.int32))
    hubs = graph.ids_at(np.argsort(degrees)[-20:].astype(np.int32))
    cost = Cost(graph, degrees, given.parts)
    for name, seeds in (("random", random), ("hubs", hubs)):
        rows, alone, triples = [], 0.0, 0
        for seed in seeds:
            neighborhood(graph, [seed], given.hops, max_triples=MOST)  # its pages are in memory then
            began = time.perf_counter()
            triples += neighborhood(graph, [seed], given.hops, max_triples=MOST).num_triples
            alone += time.perf_counter() - began
            rows.append(cost.of(seed, given.hops))
        each = alone / max(triples, 1)  # seconds of a triple here
        seconds = [
            sum(given.trip / 1e3 + largest * each + 8 * moved / (given.gbit * 1e9) for _, _, largest, moved in row)
            for row in rows
        ]
        print(f"{name}: {given.hops} hops, at most {MOST:,} triples, {1e9 * each:.0f} ns a triple on this machine")
        for hop in range(given.hops):
            there = np.array([row[hop] for row in rows if len(row) > hop], np.float64)
            if not len(there):
                continue
            parts, new, largest, moved = np.median(there, axis=0)
            shares = there[:, 2] / np.maximum(there[:, 1], 1)
            print(
                f"  hop {hop + 1}: {len(there)} of {len(rows)} seeds; parts asked {parts:.0f}, triples {new:,.0f}, "
                f"of the busiest part {largest:,.0f} (share {np.median(shares):.2f}), kB moved {moved / 1e3:,.1f} "
                "(medians)"
            )
        total = [sum(moved for *_, moved in row) for row in rows]
        print(
            f"  a neighbourhood: {np.median(total) / 1e3:,.0f} kB at p50, {np.percentile(total, 95) / 1e3:,.0f} at "
            f"p95; {1e3 * np.median(seconds):.2f} ms at p50, {1e3 * np.percentile(seconds, 95):.2f} at p95 "
            f"(here, in one place, {1e3 * alone / len(rows):.2f} in the mean)"
        )


if __name__ == "__main__":
    main()
