"""Which relation paths lead from a topic to the gold answers: the supervision of a training.

The paper takes all shortest paths. Where an answer is also a neighbour by accident (the genre of *this* film, when the
question asks for that of other films) the shortest path is the wrong thread; `best` therefore looks at all relation
paths up to `hops` and keeps those that reach the answers and little else. Gold is read here and in evaluation only.

Shapes: S partial walks, N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from clew.graph import Subgraph
from clew.methods.scr.walks import Int, Level, degrees, follow, moves, prune

NEAR_BEST = 0.95  # relation paths whose F1 is at least this share of the best one's are gold, too


@dataclass(frozen=True, slots=True)
class Thread:
    """One gold relation path from one topic: its codes, and the moves that lie on a walk to an answer."""

    codes: tuple[int, ...]
    levels: tuple[Level, ...]
    f1: float  # of the entities the relation path reaches against the answers


@dataclass(frozen=True, slots=True)
class Mined:
    """The gold threads from one topic of a question."""

    threads: tuple[Thread, ...]
    cut: bool  # a limit stopped the search; longer threads may exist


def mine(
    graph: Subgraph,
    topic: int,
    answers: Int,
    *,
    hops: int,
    mode: Literal["best", "shortest"] = "best",
    hub_limit: int,
    max_states: int,
    stated: Sequence[tuple[int, ...]] = (),
    topics_answer: bool = True,
) -> Mined:
    """Gold threads from `topic` to `answers` (local numbers).

    Args:
        hops: longest thread.
        hub_limit: walks do not pass through entities with more triples; they may start and end there.
        max_states: most partial walks at one depth.
        topics_answer: False where no question of the set has its topic as an answer: reaching it is then no fault.
        stated: codes of relation paths that the data set itself names; they go first in mode "best".
    """
    if mode == "best" and stated:
        named = [_thread(graph, topic, codes, answers, topics_answer) for codes in dict.fromkeys(stated)]
        threads = tuple(thread for thread in named if thread is not None)
        if threads:
            return Mined(threads, False)
    found, cut = _relation_paths(graph, topic, answers, hops, hub_limit, max_states, topics_answer)
    if mode == "shortest":
        nearest = {
            answer: min(len(codes) for codes, _, ends in found if answer in ends)
            for answer in {int(e) for _, _, ends in found for e in ends}
        }
        threads = tuple(
            thread
            for codes, _, ends in found
            if (mine_ := [e for e in ends.tolist() if nearest[e] == len(codes)])
            and (thread := _thread(graph, topic, codes, np.array(mine_), topics_answer)) is not None
        )
        return Mined(threads, cut)
    # Zero hops only where nothing else is right: an answer that is the topic is mostly asked for by way of others.
    walked = [each for each in found if each[0]] or found
    if not walked:
        return Mined((), cut)
    best = max(f1 for _, f1, _ in walked)
    near = [(codes, f1) for codes, f1, _ in walked if f1 >= NEAR_BEST * best]
    shortest = min(len(codes) for codes, _ in near)
    threads = tuple(
        thread
        for codes, _ in near
        if len(codes) == shortest and (thread := _thread(graph, topic, codes, answers, topics_answer)) is not None
    )
    return Mined(threads, cut)


def _thread(graph: Subgraph, topic: int, codes: tuple[int, ...], answers: Int, topics_answer: bool) -> Thread | None:
    if not codes:
        return Thread((), (), 1.0 / len(answers)) if topic in answers else None
    levels, _ = follow(graph, topic, codes)
    reached = np.unique(levels[-1].targets)
    if not topics_answer:
        reached = reached[reached != topic]
    right = int(np.isin(reached, answers).sum())
    if not right:
        return None
    return Thread(codes, tuple(prune(levels, answers)), 2 * right / (len(reached) + len(np.unique(answers))))


def _relation_paths(
    graph: Subgraph, topic: int, answers: Int, hops: int, hub_limit: int, max_states: int, topics_answer: bool
) -> tuple[list[tuple[tuple[int, ...], float, Int]], bool]:
    """Every relation path up to `hops` that reaches an answer: its codes, F1, and the answers reached."""
    n, gold = graph.num_entities, np.unique(answers)
    found: list[tuple[tuple[int, ...], float, Int]] = []
    if topic in gold:
        found.append(((), 2.0 / (1 + len(gold)), np.array([topic])))
    degree = degrees(graph)
    entities, last, names = np.array([topic]), np.array([-1]), np.array([0])
    known: list[tuple[int, ...]] = [()]
    cut = False
    for depth in range(hops):
        if depth:
            small = degree[entities] <= hub_limit
            cut |= not bool(small.all())
            entities, last, names = entities[small], last[small], names[small]
        if int(degree[entities].sum()) > 4 * max_states:
            return found, True
        step = moves(graph, entities, last)
        keys = names[step.walks] * (2 * graph.num_relations) + step.codes
        distinct, name = np.unique(keys, return_inverse=True)
        known = [
            (*known[key // (2 * graph.num_relations)], int(key % (2 * graph.num_relations)))
            for key in distinct.tolist()
        ]
        # Entities reached and answers reached, per relation path.
        ends = np.unique(name.astype(np.int64) * n + step.targets)
        if not topics_answer:
            ends = ends[ends % n != topic]
        reached = np.bincount(ends // n, minlength=len(known))
        right = ends[np.isin(ends % n, gold)]
        hits = np.bincount(right // n, minlength=len(known))
        for i in np.flatnonzero(hits).tolist():
            mine_ = right[right // n == i] % n
            found.append((known[i], 2.0 * hits[i] / (reached[i] + len(gold)), mine_))
        if depth + 1 == hops:
            break
        moved = name.astype(np.int64) * graph.num_triples + step.triples
        _, first = np.unique(moved, return_index=True)
        if len(first) > max_states:
            return found, True
        entities, last, names = step.targets[first], step.triples[first], name[first]
    return found, cut
