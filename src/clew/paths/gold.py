"""Gold relation paths: which relation paths lead from a question's topics to its answers and to little else.

The papers take all shortest or all simple paths. Where an answer is also a neighbour by accident (the genre of *this*
film, when the question asks for that of other films) the shortest path is the wrong one; here all relation paths up to
`hops` compete by the F1 of what they reach. Gold is read here and in evaluation only.

Shapes: S partial walks, N entities, R relations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from clew.graph.paths import MinedPath, RelationPath, trace
from clew.graph.subgraph import Ints, Subgraph
from clew.paths.walks import Int, Starts, degrees, entities_reached, from_codes, moves

NEAR_BEST = 0.95  # relation paths whose F1 is at least this share of the best one's are gold, too
JOINT = 64  # most relation paths of a topic that are tried beside those of the question's other topics
NEEDED = 0.02  # share of the questions from which on a method should take such walks
ROUNDS = 3  # of choosing each topic's relation path given those of the others
LOOKED_AT = 500  # gold paths by which `share_needing` judges
COMPARED = 60  # near-best relation paths, the shortest first, that are compared with the question
STEP_COST = 0.03  # in cosine: a further step must make a path so much more similar to the question

Similarity = Callable[[Sequence[RelationPath]], NDArray[np.floating]]  # (P,) cosine of relation paths and the question


@dataclass(frozen=True, slots=True)
class PathCandidate:
    """A relation path from one topic and what it reaches; ascending local numbers."""

    path: RelationPath
    reached: Int = field(compare=False)
    right: Int = field(compare=False)  # answers among them
    f1: float  # of `reached` against the answers

    @property
    def precision(self) -> float:
        """Answers reached of all entities reached (EPERM, Eq. 5)."""
        return len(self.right) / len(self.reached) if len(self.reached) else 0.0


@dataclass(frozen=True, slots=True)
class GoldLimits:
    """What bounds the search for gold relation paths."""

    hops: int  # of the longest path
    hub_limit: int = 2_000  # walks do not pass through entities with more triples; they may start and end there
    max_states: int = 200_000  # most partial walks at one depth


def f1(reached: Int, answers: Int) -> float:
    """F1 of two sets of entities; each without repetition."""
    both = int(np.isin(reached, answers).sum())
    return 2.0 * both / (len(reached) + len(answers)) if both else 0.0


def judge(
    graph: Subgraph, starts: Starts, path: RelationPath, answers: Ints, *, topics_answer: bool = True
) -> PathCandidate:
    """What one relation path reaches, measured against the answers."""
    reached = entities_reached(graph, starts, path)
    if not topics_answer and path:
        reached = reached[~np.isin(reached, starts)]
    return PathCandidate(path, reached, reached[np.isin(reached, answers)], f1(reached, np.unique(answers)))


def candidates(
    graph: Subgraph, starts: Starts, answers: Ints, limits: GoldLimits, *, topics_answer: bool = True
) -> tuple[list[PathCandidate], bool]:
    """Every relation path up to `hops` that reaches an answer, shorter ones first, and whether a limit cut the search.

    The path of no hop is among them where a start is an answer.

    Args:
        topics_answer: False where no question of the set has its topic as an answer: reaching it is then no fault.
    """
    n, r2, gold = graph.num_entities, 2 * graph.num_relations, np.unique(answers)
    found: list[PathCandidate] = []
    entities = np.unique(np.asarray(starts))
    here = entities[np.isin(entities, gold)]
    if len(here):
        found.append(PathCandidate((), entities, here, f1(entities, gold)))
    degree = degrees(graph)
    last, names = np.full(len(entities), -1), np.zeros(len(entities), np.int64)
    known: list[tuple[int, ...]] = [()]
    cut = False
    for depth in range(limits.hops):
        if depth:
            small = degree[entities] <= limits.hub_limit
            cut |= not bool(small.all())
            entities, last, names = entities[small], last[small], names[small]
        if int(degree[entities].sum()) > 4 * limits.max_states:
            return found, True
        step = moves(graph, entities, last)
        keys = names[step.walks] * r2 + step.codes
        distinct, name = np.unique(keys, return_inverse=True)
        known = [(*known[key // r2], int(key % r2)) for key in distinct.tolist()]
        # Entities reached and answers reached, per relation path.
        pairs = np.unique(name.astype(np.int64) * n + step.targets)
        if not topics_answer:
            pairs = pairs[~np.isin(pairs % n, starts)]
        reached = np.bincount(pairs // n, minlength=len(known))
        right = pairs[np.isin(pairs % n, gold)]
        hits = np.bincount(right // n, minlength=len(known))
        first = np.cumsum(reached) - reached
        found += [
            PathCandidate(
                from_codes(known[i], graph.num_relations),
                pairs[first[i] : first[i] + reached[i]] % n,
                right[right // n == i] % n,
                2.0 * hits[i] / (reached[i] + len(gold)),
            )
            for i in np.flatnonzero(hits).tolist()
        ]
        if depth + 1 == limits.hops:
            break
        moved = name.astype(np.int64) * graph.num_triples + step.triples
        _, rows = np.unique(moved, return_index=True)
        if len(rows) > limits.max_states:
            return found, True
        entities, last, names = step.targets[rows], step.triples[rows], name[rows]
    return found, cut


@dataclass(frozen=True, slots=True)
class GoldPaths:
    """The gold relation paths of each topic of a question, and whether a limit cut the search for some topic."""

    of_topics: tuple[tuple[PathCandidate, ...], ...]
    cut: tuple[bool, ...]

    def __bool__(self) -> bool:
        return any(self.of_topics)


def gold_paths(
    graph: Subgraph,
    topics: Sequence[Starts],
    answers: Ints,
    limits: GoldLimits,
    *,
    stated: Sequence[tuple[int, RelationPath]] = (),
    together: bool = True,
    topics_answer: bool = True,
    similarity: Similarity | None = None,
) -> GoldPaths:
    """The gold relation paths of one question, topics and answers in local numbers.

    Per topic: the shortest of the relation paths whose F1 is near the best; with `similarity` the one of these that is
    most similar to the question. A path of no hop is gold only where no other reaches an answer: an answer that is the
    topic is mostly asked for by way of others.

    Args:
        stated: (position of the topic, relation path) that the data set names; where one reaches an answer, the topic
            has no others.
        together: several topics are judged by what their paths reach in common. "Which country with the euro borders
            Germany" has one answer, and each of its two relation paths reaches twenty: judged alone, both lose to any
            odd path that ends at that country and few others.
    """
    named: list[list[PathCandidate]] = [[] for _ in topics]
    for position, path in dict.fromkeys(stated):
        judged = judge(graph, topics[position], path, answers, topics_answer=topics_answer)
        if len(judged.right):
            named[position].append(judged)
    if any(named):
        return GoldPaths(tuple(tuple(mine) for mine in named), (False,) * len(topics))
    found: list[list[PathCandidate]] = []
    cuts: list[bool] = []
    for topic in topics:
        mine, cut = candidates(graph, topic, answers, limits, topics_answer=topics_answer)
        found.append([each for each in mine if each.path] or mine)
        cuts.append(cut)
    scores = [np.array([each.f1 for each in mine]) for mine in found]
    if together and sum(map(bool, found)) > 1:
        found, scores = in_common(found, answers)
    return GoldPaths(
        tuple(tuple(near_best(mine, its, similarity)) for mine, its in zip(found, scores, strict=True)), tuple(cuts)
    )


def in_common(
    found: Sequence[Sequence[PathCandidate]], answers: Ints
) -> tuple[list[list[PathCandidate]], list[NDArray[np.float64]]]:
    """Candidates of each topic with the F1 of what they reach in common with the chosen ones of the other topics.

    Each topic's path is chosen given those of the others, in turn until none changes or ROUNDS are over.
    """
    # A path that misses an answer takes it from the others, too.
    kept = [sorted(mine, key=lambda each: (-len(each.right), -each.f1, len(each.path)))[:JOINT] for mine in found]
    chosen = [int(np.argmax([each.f1 for each in mine])) if mine else -1 for mine in kept]
    shared = [np.array([each.f1 for each in mine]) for mine in kept]
    gold = np.unique(answers)
    for _ in range(ROUNDS):
        before = list(chosen)
        for t, mine in enumerate(kept):
            others = [kept[o][chosen[o]].reached for o in range(len(kept)) if o != t and chosen[o] >= 0]
            if not mine or not others:
                continue
            shared[t] = np.array([f1(_intersection([each.reached, *others]), gold) for each in mine])
            keys = [(score, -len(each.path), each.f1) for score, each in zip(shared[t].tolist(), mine, strict=True)]
            chosen[t] = keys.index(max(keys))
        if chosen == before:
            break
    for t, mine in enumerate(kept):
        if mine and not shared[t].max() > 0:  # nothing in common: each topic for itself
            shared[t] = np.array([each.f1 for each in mine])
    return kept, shared


def _intersection(sets: Sequence[Int]) -> Int:
    common = sets[0]
    for each in sets[1:]:
        common = common[np.isin(common, each)]
    return common


def near_best(
    found: Sequence[PathCandidate], scores: NDArray[np.float64], similarity: Similarity | None = None
) -> list[PathCandidate]:
    """The shortest of the candidates that score near the best; with `similarity` the single most similar one."""
    if not found or not scores.max() > 0:
        return []
    near = [each for each, score in zip(found, scores.tolist(), strict=True) if score >= NEAR_BEST * scores.max()]
    if similarity is None:
        shortest = min(len(each.path) for each in near)
        return [each for each in near if len(each.path) == shortest]
    near = sorted(near, key=lambda each: len(each.path))[:COMPARED]
    cosines = similarity([each.path for each in near]) - STEP_COST * np.array([len(each.path) for each in near])
    return [near[int(np.argmax(cosines))]]


def share_needing(
    gold: Iterable[tuple[Subgraph, int, RelationPath, Ints]],
    *,
    plain: Callable[[MinedPath], bool],
    allowed: Callable[[MinedPath], bool],
) -> float:
    """The share of gold relation paths (graph, topic, path, answers) with an answer that an `allowed` walk reaches and
    no `plain` one: whether a method that takes plain walks alone would miss what these questions ask for.

    Judged by the first `LOOKED_AT` paths.
    """
    again = seen = 0
    for graph, topic, path, answers in islice(gold, LOOKED_AT):
        walks = [walk for walk in trace(graph, [topic], path, answers, limit=256) if allowed(walk)]
        reached = {walk.entities[-1] for walk in walks if plain(walk)}
        again += any(walk.entities[-1] not in reached for walk in walks)
        seen += 1
    return again / max(1, seen)
