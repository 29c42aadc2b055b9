"""Which relation paths lead from a topic to the gold answers: the supervision of a training.

The paper takes all shortest paths. Where an answer is also a neighbour by accident (the genre of *this* film, when the
question asks for that of other films) the shortest path is the wrong thread; `best` therefore looks at all relation
paths up to `hops` and keeps those that reach the answers and little else. Gold is read here and in evaluation only.

Shapes: S partial walks, N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from clew.graph import Subgraph
from clew.methods.scr.walks import Int, Level, degrees, follow, moves, prune

NEAR_BEST = 0.95  # relation paths whose F1 is at least this share of the best one's are gold, too
JOINT = 64  # most relation paths of a topic that are tried beside those of the question's other topics
ROUNDS = 3  # of choosing each topic's relation path given those of the others


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


class Found(NamedTuple):
    """A relation path from a topic that reaches an answer."""

    codes: tuple[int, ...]
    f1: float  # of what it reaches against the answers
    right: Int  # answers it reaches
    reached: Int  # all it reaches


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
            answer: min(len(each.codes) for each in found if answer in each.right)
            for answer in {int(e) for each in found for e in each.right}
        }
        threads = tuple(
            thread
            for each in found
            if (mine_ := [e for e in each.right.tolist() if nearest[e] == len(each.codes)])
            and (thread := _thread(graph, topic, each.codes, np.array(mine_), topics_answer)) is not None
        )
        return Mined(threads, cut)
    # Zero hops only where nothing else is right: an answer that is the topic is mostly asked for by way of others.
    walked = [each for each in found if each.codes] or found
    return Mined(_best(graph, topic, answers, walked, [each.f1 for each in walked], topics_answer), cut)


def mine_together(
    graph: Subgraph,
    topics: Sequence[int],
    answers: Int,
    *,
    hops: int,
    hub_limit: int,
    max_states: int,
    topics_answer: bool = True,
) -> list[Mined]:
    """Gold threads of every topic of one question, which are right where they *meet* in the answers.

    "Which country with the euro borders Germany" has one answer, and each of its two relation paths reaches twenty:
    judged alone, both lose to any odd path that happens to end at that country and few others. Each topic's path is
    therefore chosen by what it and those of the other topics reach in common, in turn until none changes.
    """
    mined: list[tuple[list[Found], bool]] = []
    for topic in topics:
        found, cut = _relation_paths(graph, topic, answers, hops, hub_limit, max_states, topics_answer)
        walked = [each for each in found if each.codes] or found
        # A path that misses an answer takes it from the others, too.
        walked.sort(key=lambda each: (-len(each.right), -each.f1, len(each.codes)))
        mined.append((walked[:JOINT], cut))
    chosen = [max(range(len(found)), key=lambda i: found[i].f1) if found else -1 for found, _ in mined]
    shared = [np.array([each.f1 for each in found]) for found, _ in mined]
    for _ in range(ROUNDS):
        before = list(chosen)
        for t, (found, _) in enumerate(mined):
            others = [mined[o][0][chosen[o]].reached for o in range(len(topics)) if o != t and chosen[o] >= 0]
            if not found or not others:
                continue
            shared[t] = np.array([_f1_of([each.reached, *others], answers) for each in found])
            chosen[t] = max(range(len(found)), key=lambda i: (shared[t][i], -len(found[i].codes), found[i].f1))
        if chosen == before:
            break
    return [
        Mined(_best(graph, topic, answers, found, scores.tolist(), topics_answer), cut)
        for topic, (found, cut), scores in zip(topics, mined, shared, strict=True)
    ]


def _f1_of(reached: Sequence[Int], answers: Int) -> float:
    """F1 of what all of `reached` hold (each without repetition) against the answers."""
    common = reached[0]
    for each in reached[1:]:
        common = common[np.isin(common, each)]
    return 2.0 * int(np.isin(common, answers).sum()) / (len(common) + len(np.unique(answers)))


def _best(
    graph: Subgraph,
    topic: int,
    answers: Int,
    found: Sequence[Found],
    scores: Sequence[float],
    topics_answer: bool,
) -> tuple[Thread, ...]:
    """Threads over the shortest of the relation paths that score near the best."""
    if not found:
        return ()
    near = [each for each, score in zip(found, scores, strict=True) if score >= NEAR_BEST * max(scores)]
    shortest = min(len(each.codes) for each in near)
    return tuple(
        thread
        for each in near
        if len(each.codes) == shortest
        and (thread := _thread(graph, topic, each.codes, answers, topics_answer)) is not None
    )


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
) -> tuple[list[Found], bool]:
    """Every relation path up to `hops` that reaches an answer."""
    n, gold = graph.num_entities, np.unique(answers)
    found: list[Found] = []
    if topic in gold:
        found.append(Found((), 2.0 / (1 + len(gold)), np.array([topic]), np.array([topic])))
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
        starts = np.cumsum(reached) - reached
        for i in np.flatnonzero(hits).tolist():
            mine_ = right[right // n == i] % n
            all_ = ends[starts[i] : starts[i] + reached[i]] % n
            found.append(Found(known[i], 2.0 * hits[i] / (reached[i] + len(gold)), mine_, all_))
        if depth + 1 == hops:
            break
        moved = name.astype(np.int64) * graph.num_triples + step.triples
        _, first = np.unique(moved, return_index=True)
        if len(first) > max_states:
            return found, True
        entities, last, names = step.targets[first], step.triples[first], name[first]
    return found, cut
