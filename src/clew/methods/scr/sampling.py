"""Training batches: gold walks, the candidates of each of their steps, and the part of the graph these need.

A batch is a pure function of its number and the seed. Candidates are a sample that keeps some of every relation; what a
kept one stands for is added to its score as a logarithm, so that the softmax estimates the one over all candidates and
probabilities mean the same in training and in search. Of a graph too large for a pass per step only the sampled
neighbours that each layer needs are computed.

Shapes: B walks, P steps, I items (one step of one walk), C candidates, N entities, T messages, R relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew.graph import Subgraph
from clew.learning.layers import Edges
from clew.methods.scr.config import TrainConfig
from clew.methods.scr.gold import GoldWalks
from clew.methods.scr.model import whole_edges
from clew.methods.scr.search import one_each
from clew.paths.walks import Int, moves

CANDIDATES = 48  # most of a step
FANOUT = (8, 6, 4)  # neighbours sampled per layer
WHOLE = 20_000  # triples of a graph up to which nothing is sampled


@dataclass(frozen=True, slots=True)
class Item:
    """A topic of a training question with its gold walks."""

    text: int  # row of the question's text, as this topic sees it
    topic: int
    gold: tuple[GoldWalks, ...]
    answers: Int


@dataclass(frozen=True, slots=True)
class Batch:
    """One training step. Candidate 0 of an item is the stop."""

    texts: Int  # (B,)
    entities: Int  # (B, P) on the walks, padded with the topic
    codes: Int  # (B, P-1)
    walk: Tensor  # (I,) the walk of each item
    step: Tensor  # (I,) its step on it
    nodes: Int  # (M,) entities whose frozen vectors the graph encoder reads
    edges: list[Edges]  # one per layer
    candidates: Tensor  # (I, C) rows of the encoded nodes
    candidate_codes: Tensor  # (I, C)
    positive: Tensor  # (I, C)
    real: Tensor  # (I, C)
    weights: Tensor  # (I, C) log of how many candidates each kept one stands for


class BatchSampler:
    """Batches by number."""

    def __init__(self, graph: Subgraph, items: Sequence[Item], config: TrainConfig, layers: int, seed: int):
        self._graph, self._items, self._config, self._seed = graph, items, config, seed
        self._layers = layers
        self._fanout = (FANOUT + (FANOUT[-1],) * layers)[:layers] if layers else ()
        self._whole = whole_edges(graph) if config.as_printed or graph.num_triples <= WHOLE else None
        self._order = lru_cache(maxsize=2)(self._shuffled)

    def _shuffled(self, epoch: int) -> NDArray[Any]:
        return np.random.default_rng((self._seed, 1, epoch)).permutation(len(self._items))

    def __call__(self, number: int) -> Batch:
        rng = np.random.default_rng((self._seed, 0, number))
        places = range(number * self._config.batch, (number + 1) * self._config.batch)
        items = [self._items[self._order(i // len(self._items))[i % len(self._items)]] for i in places]
        if not self._config.network.multi_step:
            return self._single_step(items, rng)
        walks = [self._walk(item, rng) for item in items]
        longest = max(len(codes) for codes, _, _ in walks)
        entities = np.array([[*e, *[e[0]] * (longest + 1 - len(e))] for _, e, _ in walks], np.int64)
        codes = np.array([[*c, *[0] * (longest - len(c))] for c, _, _ in walks], np.int64).reshape(len(walks), longest)
        rows: list[tuple[int, int]] = []
        lists: list[tuple[Int, Int, Int, Int]] = []
        for i, (item, (walked, passed, triples)) in enumerate(zip(items, walks, strict=True)):
            for step in range(len(walked) + 1):
                rows.append((i, step))
                lists.append(self._candidates(item, walked, passed, triples, step, rng))
        return self._assemble(items, entities, codes, rows, lists, rng)

    def _walk(self, item: Item, rng: np.random.Generator) -> tuple[tuple[int, ...], list[int], list[int]]:
        """A random gold walk: codes, entities, triples."""
        walks = item.gold[rng.integers(len(item.gold))]
        entities, triples = [item.topic], [-1]
        for level in walks.levels:
            onward = np.flatnonzero((level.sources == entities[-1]) & (level.triples != triples[-1]))
            chosen = onward[rng.integers(len(onward))]
            entities.append(int(level.targets[chosen]))
            triples.append(int(level.triples[chosen]))
        return walks.codes, entities, triples

    def _candidates(
        self,
        item: Item,
        codes: Sequence[int],
        entities: list[int],
        triples: list[int],
        step: int,
        rng: np.random.Generator,
    ) -> tuple[Int, Int, Int, Int]:
        """Entities, codes, positives and log-weights of one step's candidates, the stop first."""
        config, r = self._config, self._graph.num_relations
        here, last = entities[step], triples[step]
        found = moves(self._graph, np.array([here]), np.array([last]), turns=config.returns == "edge")
        right = np.zeros(len(found.codes), bool)
        stop = False
        for walks in item.gold:
            if walks.codes[:step] == tuple(codes[:step]):
                if len(walks.codes) == step:
                    stop = True
                    continue
                level = walks.levels[step]
                own = level.triples[level.sources == here]
                right |= (found.codes == walks.codes[step]) & np.isin(found.triples, own) & (found.triples != last)
        if config.returns == "none":
            fresh = ~np.isin(found.targets, entities[: step + 1]) | right
        else:
            # Turning round competes with the stop alone, as in the search.
            fresh = (found.triples != last) | stop
        if not config.network.relation_aware:
            single = np.zeros(len(fresh), bool)
            single[one_each(found, ~(right & fresh))] = True
            fresh &= single
        good, bad = np.flatnonzero(right & fresh), np.flatnonzero(~right & fresh)
        room = 4 * (len(found.codes) + 1) if config.as_printed else CANDIDATES
        kept_good = rng.permutation(good)[: max(1, room // 4)]
        groups, group, sizes = np.unique(found.codes[bad], return_inverse=True, return_counts=True)
        if len(groups) > room:
            # More relations than room: a sample of them, each standing for its share of the others.
            chosen = rng.permutation(len(groups))[:room]
        else:
            chosen = np.arange(len(groups))
        quota = max(1, room // max(1, len(chosen)))
        shuffled = rng.permutation(len(bad))
        shuffled = shuffled[np.isin(group[shuffled], chosen)]
        order = shuffled[np.argsort(group[shuffled], kind="stable")]
        place = np.arange(len(order)) - np.searchsorted(group[order], group[order])
        kept_bad = order[place < quota]
        taken = np.minimum(sizes, quota)
        heavy = np.log(sizes / taken) + np.log(max(1.0, len(groups) / max(1, len(chosen))))
        rows = np.concatenate([kept_good, bad[kept_bad]])
        weights = np.concatenate(
            [[0.0], np.full(len(kept_good), np.log(len(good) / max(1, len(kept_good))) if len(good) else 0.0),
             heavy[group[kept_bad]]]
        )  # fmt: skip
        positive = np.concatenate([[stop], np.ones(len(kept_good), bool), np.zeros(len(kept_bad), bool)])
        return np.r_[here, found.targets[rows]], np.r_[2 * r, found.codes[rows]], positive, weights

    def _single_step(self, items: Sequence[Item], rng: np.random.Generator) -> Batch:
        """Table 4, "w/o multi-step": the question against the answers and random entities, no walk."""
        everyone = np.unique(np.concatenate([item.answers for item in items]))
        others = rng.integers(0, self._graph.num_entities, 8 * CANDIDATES)
        pool = np.unique(np.concatenate([everyone, others]))
        code = np.full(len(pool), 2 * self._graph.num_relations)
        zero = np.zeros(len(pool))
        lists = [(pool, code, np.isin(pool, item.answers), zero) for item in items]
        entities = np.array([[item.topic] for item in items], np.int64)
        rows = [(i, 0) for i in range(len(items))]
        return self._assemble(items, entities, np.empty((len(items), 0), np.int64), rows, lists, rng)

    def _assemble(
        self,
        items: Sequence[Item],
        entities: Int,
        codes: Int,
        rows: list[tuple[int, int]],
        lists: list[tuple[Int, Int, Int, Int]],
        rng: np.random.Generator,
    ) -> Batch:
        sizes = np.array([len(targets) for targets, _, _, _ in lists])
        real = np.arange(int(sizes.max())) < sizes[:, None]
        targets, kinds, positive, weights = (np.concatenate(column) for column in zip(*lists, strict=True))
        wanted, place = np.unique(targets, return_inverse=True)
        if self._whole is not None:
            nodes, edges = np.arange(self._graph.num_entities), [self._whole] * self._layers
            place = targets
        else:
            nodes, edges = layered(self._graph, wanted, self._fanout, rng)
        walk, step = (torch.tensor(column) for column in zip(*rows, strict=True))

        def padded(values: Int, dtype: torch.dtype) -> Tensor:
            table = np.zeros(real.shape, values.dtype)
            table[real] = values
            return torch.from_numpy(table).to(dtype)

        return Batch(
            np.array([item.text for item in items]),
            entities,
            codes,
            walk,
            step,
            nodes,
            edges,
            padded(place, torch.int64),
            padded(kinds, torch.int64),
            padded(positive, torch.bool),
            torch.from_numpy(real),
            padded(weights, torch.float32),
        )


def layered(
    graph: Subgraph, wanted: Int, fanouts: Sequence[int | None], rng: np.random.Generator | None = None
) -> tuple[Int, list[Edges]]:
    """The nodes that encoding `wanted` needs, `wanted` first, and per layer the messages to those the next one needs.

    Args:
        fanouts: most messages per entity, from the last layer to the first; None: all.
    """
    r = graph.num_relations
    nodes = wanted.astype(np.int64)
    place = np.full(graph.num_entities, -1, np.int64)
    place[nodes] = np.arange(len(nodes))
    layers: list[Edges] = []
    receivers_all, senders_all, codes_all = (np.empty(0, np.int64) for _ in range(3))
    frontier = nodes
    for fanout in fanouts:
        receivers, senders, codes = [], [], []
        for side, shift in ((graph.out, 0), (graph.inc, r)):
            starts = side.offsets[frontier]
            counts = side.offsets[frontier + 1] - starts
            # Half the messages from each side; with replacement where there are more than wanted.
            taken = counts if fanout is None else np.minimum(counts, (fanout + 1) // 2)
            who = np.repeat(np.arange(len(frontier)), taken)
            at = starts[who] + np.arange(len(who)) - np.repeat(np.cumsum(taken) - taken, taken)
            if rng is not None:
                drawn = starts[who] + (rng.random(len(who)) * counts[who]).astype(np.int64)
                at = np.where(counts[who] > taken[who], drawn, at)
            receivers.append(frontier[who])
            senders.append(side.neighbors[at].astype(np.int64))
            codes.append(side.relations[at].astype(np.int64) + shift)
        sampled = np.concatenate(senders)
        fresh = np.unique(sampled[place[sampled] < 0])
        known = len(nodes)
        place[fresh] = np.arange(known, known + len(fresh))
        nodes = np.concatenate([nodes, fresh])
        receivers_all = np.concatenate([receivers_all, place[np.concatenate(receivers)]])
        senders_all = np.concatenate([senders_all, place[sampled]])
        codes_all = np.concatenate([codes_all, np.concatenate(codes)])
        layers.insert(0, Edges.from_messages(receivers_all, senders_all, codes_all, known, r, len(nodes)))
        frontier = fresh
    return nodes, layers
