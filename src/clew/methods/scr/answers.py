"""From finished walks to answers: sums over paths and topics (Eq. 13), siblings, the paths behind each answer.

Shapes: S starts (a topic of a question), N entities.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import PathRecords
from clew.methods.scr.search import FinishedWalk
from clew.paths.walks import Level, facts_of, follow
from clew.types import Evidence, Path

UNSEEN = 0.9  # weight of a sibling that was not itself in the beam; one that was has up to 1
EACH = 3  # relation paths of each start that a reader sees before those of others go first
ENDS = 300  # of one relation path in a reader's evidence
FACTS = 12  # triples of one mediator beside the path that crosses it
MAX_MOVES = 20_000  # of one relation path when its siblings are gathered


class AnswerWalk(NamedTuple):
    """A walk that leads from a start to an answer."""

    start: int
    codes: tuple[int, ...]
    triples: tuple[int, ...]
    score: float


@dataclass(slots=True)
class ScoredEntity:
    """An entity that walks ended at."""

    entity: int
    score: float
    walks: list[AnswerWalk]  # best first


def abstains(finished: Sequence[FinishedWalk], *, by_path: bool) -> bool:
    """Whether stopping where it started is the likeliest walk: how a model says that the graph has no answer.

    Only a model that was trained with unanswerable questions ever does.
    """
    still = max((walk.by(path=by_path) for walk in finished if not walk.codes), default=0.0)
    return still > max((walk.by(path=by_path) for walk in finished if walk.codes), default=0.0) and still > 0.5


def reach(
    graph: Subgraph,
    finished: Sequence[FinishedWalk],
    topics: dict[int, int],
    *,
    siblings: bool,
    conjunction: float,
    topics_answer: bool = True,
) -> tuple[list[ScoredEntity], list[str]]:
    """What one question's finished walks say about each entity, best first, and notes on limits.

    Args:
        topics: of each start, the entity it stands at.
        conjunction: how much more an entity counts for each further start that reaches it.
        topics_answer: whether a topic may be an answer; where nothing else is reached it is one anyway.
    """
    notes: list[str] = []
    per_start: dict[int, dict[int, ScoredEntity]] = {}
    walked = [walk for walk in finished if walk.codes]
    if siblings:
        for walk_set in _by_path(walked):
            _add_siblings(graph, walk_set, topics, per_start, notes)
    else:
        for walk in walked:
            own = per_start.setdefault(walk.start, {})
            entity = walk.entities[-1]
            reached = own.setdefault(entity, ScoredEntity(entity, 0.0, []))
            reached.score += walk.probability  # Eq. 13
            reached.walks.append(AnswerWalk(walk.start, walk.codes, walk.triples, walk.probability))
    total: dict[int, ScoredEntity] = {}
    support: dict[int, int] = {}
    for own in per_start.values():
        for entity, reached in own.items():
            whole = total.setdefault(entity, ScoredEntity(entity, 0.0, []))
            whole.score += min(reached.score, 1.0)
            whole.walks += reached.walks
            support[entity] = support.get(entity, 0) + 1
    full = len(topics) * (1 + conjunction * (len(topics) - 1))
    for entity, whole in total.items():
        whole.score *= (1 + conjunction * (support[entity] - 1)) / full
        whole.walks.sort(key=lambda walk: -walk.score)
    found = sorted(total.values(), key=lambda r: (-r.score, r.entity))
    if not topics_answer:
        found = [each for each in found if each.entity not in topics.values()] or found
    return found, notes


def _by_path(finished: Sequence[FinishedWalk]) -> list[list[FinishedWalk]]:
    groups: dict[tuple[int, tuple[int, ...]], list[FinishedWalk]] = {}
    for walk in finished:
        groups.setdefault((walk.start, walk.codes), []).append(walk)
    return list(groups.values())


def _add_siblings(
    graph: Subgraph,
    walks: list[FinishedWalk],
    topics: dict[int, int],
    per_start: dict[int, dict[int, ScoredEntity]],
    notes: list[str],
) -> None:
    """Everything that the relation path of `walks` reaches, scored by the path's probability."""
    start, codes = walks[0].start, walks[0].codes
    probability = max(walk.path_probability for walk in walks)
    best = max(walk.probability for walk in walks)
    known: dict[int, FinishedWalk] = {}
    for walk in sorted(walks, key=lambda w: w.probability):
        known[walk.entities[-1]] = walk
    levels, cut = follow(graph, topics[start], codes, MAX_MOVES)
    if cut:
        notes.append(f"a relation path of {len(codes)} hops has more than {MAX_MOVES} moves: some answers are left out")
    own = per_start.setdefault(start, {})
    ends, first = np.unique(levels[-1].targets, return_index=True)
    for end, row in zip(ends.tolist(), first.tolist(), strict=True):
        seen = known.get(end)
        weight = UNSEEN if seen is None else UNSEEN + (1 - UNSEEN) * seen.probability / max(best, 1e-300)
        triples = _thread(levels, row) if seen is None else seen.triples
        reached = own.setdefault(end, ScoredEntity(end, 0.0, []))
        reached.score += probability * weight
        reached.walks.append(AnswerWalk(start, codes, triples, probability * weight))


def _thread(levels: Sequence[Level], row: int) -> tuple[int, ...]:
    """The triples of one walk that ends with move `row` of the last level."""
    triples = [int(levels[-1].triples[row])]
    source = levels[-1].sources[row]
    for level in reversed(levels[:-1]):
        before = np.flatnonzero((level.targets == source) & (level.triples != triples[0]))
        triples.insert(0, int(level.triples[before[0]]))
        source = level.sources[before[0]]
    return tuple(triples)


def path_of(records: PathRecords, graph: Subgraph, starts: dict[int, int], walk: AnswerWalk) -> Path:
    """A walk as evidence; `starts` holds of each start the entity it stands at."""
    forward = (code < graph.num_relations for code in walk.codes)
    return records.path(starts[walk.start], zip(walk.triples, forward, strict=True), walk.score)


def beam_evidence(
    graph: Subgraph, records: PathRecords, reached: Sequence[ScoredEntity], starts: dict[int, int], most: int
) -> Evidence:
    """The `most` likeliest relation paths with all named entities that they reach, and the facts of their mediators.

    Of relation paths from one start to the same ends the likeliest is enough. Each start has EACH at least.

    Args:
        reached: of one question, before any cut.
        starts: as of `path_of`.
    """
    groups: dict[tuple[int, tuple[int, ...]], list[AnswerWalk]] = {}
    ends: dict[tuple[int, tuple[int, ...]], set[int]] = {}
    for each in reached:
        if not graph.mediators[each.entity]:
            for walk in each.walks:
                groups.setdefault((walk.start, walk.codes), []).append(walk)
                ends.setdefault((walk.start, walk.codes), set()).add(each.entity)
    for own in groups.values():
        own.sort(key=lambda walk: -walk.score)
    ranked: dict[tuple[int, frozenset[int]], tuple[int, float, tuple[int, tuple[int, ...]]]] = {}
    counts = dict.fromkeys(starts, 0)
    for name, own in sorted(groups.items(), key=lambda item: -item[1][0].score):
        key = name[0], frozenset(ends[name])
        if key not in ranked:
            ranked[key] = int(counts[name[0]] >= EACH), -own[0].score, name
            counts[name[0]] += 1
    paths: list[Path] = []
    crossed: dict[int, None] = {}
    for _, _, name in sorted(ranked.values())[:most]:
        for walk in groups[name][:ENDS]:
            paths.append(path_of(records, graph, starts, walk))
            met = np.concatenate([graph.heads[list(walk.triples)], graph.tails[list(walk.triples)]])
            crossed |= dict.fromkeys(met[graph.mediators[met]].tolist())
    return Evidence(tuple(paths), tuple(graph.triple(row) for row in facts_of(graph, crossed, FACTS)))
