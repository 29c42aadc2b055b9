"""The groups that scores are broken down by: number of answers, hops, question type.

Kept apart from scoring because hops may have to be counted in a graph. A question that falls in no group gets a group
of its own ("unreachable", "not stated"); none is dropped.

Shapes: N entities.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import numpy as np

from clew.errors import NotFoundError
from clew.graph import Subgraph, has_arrays
from clew.protocols import Example, GraphStore
from clew.types import Gold

UNREACHABLE = "unreachable"
NOT_STATED = "not stated"
REACH = 6
"""Hops after which an entity counts as unreachable, unless a caller says otherwise."""


def answer_bins(gold: Gold) -> dict[str, str]:
    """The bin in both published schemes: STEM's and that of RoG and EPERM."""
    n = len(set(gold.answers))
    if n <= 1:
        low = str(n)
        return {"answers (STEM)": low, "answers (RoG)": low}
    stem = "2–4" if n <= 4 else "5–9" if n <= 9 else "≥10"
    return {"answers (STEM)": stem, "answers (RoG)": "2–4" if n <= 4 else "≥5"}


def hop_bin(gold: Gold, hops: Mapping[str, int | None] | None, id: str) -> str:
    """1, 2 or ≥3: as counted in a graph where that was done, else as the source states."""
    if hops is not None and id in hops:
        counted = hops[id]
        if counted is None:
            return UNREACHABLE
    elif gold.hops is None:
        return NOT_STATED
    else:
        counted = gold.hops
    return "≥3" if counted >= 3 else str(counted)


def kind_bin(gold: Gold) -> str:
    """The question type named by the source."""
    return gold.kind or NOT_STATED


def count_hops(
    examples: Iterable[Example],
    graph: GraphStore | None = None,
    *,
    over_pairs: Literal["max", "min"] = "max",
    reach: int = REACH,
) -> dict[str, int | None]:
    """Hops per question: over (topic, answer) pairs, the longest undirected shortest path; None when none exists.

    Pairs without a path are left out as long as one pair has one. An example's own graph goes first.

    Args:
        over_pairs: `min` takes the shortest of the pairs' shortest paths instead.
        reach: pairs further apart count as unreachable.
    """
    found: dict[str, int | None] = {}
    for example in examples:
        store = example.graph or graph
        if store is None:
            continue
        topics = _ids(store, example.question.topics)
        answers = _ids(store, example.gold.entities or example.gold.answers)
        lengths = [d for topic in topics for d in _distances(store, topic, answers, reach)]
        found[example.question.id] = (max if over_pairs == "max" else min)(lengths) if lengths else None
    return found


def _ids(store: GraphStore, names: Collection[str]) -> list[str]:
    """Every entity that a name means: the one of that id, else all of exactly that label."""
    ids: dict[str, None] = {}
    for name in names:
        try:
            ids[store.entity(name).id] = None
        except NotFoundError:
            ids.update((entity.id, None) for entity, _ in store.find(name) if entity.label == name)
    return list(ids)


def _distances(store: GraphStore, topic: str, answers: Collection[str], reach: int) -> list[int]:
    if has_arrays(store):
        return _distances_inside(store.as_subgraph, topic, answers, reach)
    left, seen, frontier = set(answers), {topic}, [topic]
    found = []
    for distance in range(reach + 1):
        found += [distance] * len(left & set(frontier))
        left -= set(frontier)
        if not left or not frontier or distance == reach:
            break
        touched = (end.id for t in store.neighbors(frontier) for end in (t.head, t.tail))
        frontier = [id for id in dict.fromkeys(touched) if id not in seen]
        seen.update(frontier)
    return found


def _distances_inside(sub: Subgraph, topic: str, answers: Collection[str], reach: int) -> list[int]:
    """The same by arrays: one breadth-first search, a handful of numpy calls a hop."""
    start = sub.local(topic)
    targets = np.array([n for n in map(sub.local, answers) if n is not None], np.int64)
    if start is None or not len(targets):
        return []
    distance = np.full(sub.num_entities, -1, np.int32)
    distance[start] = 0
    frontier = np.array([start])
    for step in range(1, reach + 1):
        if not len(frontier) or (distance[targets] >= 0).all():
            break
        sides = []
        for side in (sub.out, sub.inc):
            starts, ends = side.offsets[frontier], side.offsets[frontier + 1]
            sizes = ends - starts
            shift = np.repeat(starts - np.append(0, np.cumsum(sizes)[:-1]), sizes)
            sides.append(side.neighbors[shift + np.arange(int(sizes.sum()))])
        fresh = np.unique(np.concatenate(sides))
        frontier = fresh[distance[fresh] < 0].astype(np.int64)
        distance[frontier] = step
    return [int(d) for d in distance[targets] if d >= 0]
