"""Answers bound to the graph: the ends of evidence paths, or the names that a language model wrote.

A name that no path of the retrieved graph leads to from the question's entities stays as an answer without a path,
which is shown as unsupported.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.graph.paths import MinedPath, follow, mine_paths, path_record, trace
from clew.graph.subgraph import Ints, Subgraph
from clew.llm import normalise
from clew.methods.decompose.evidence_paths import EvidencePath
from clew.retrieval.answering import AnswerPaths
from clew.types import Candidate, Entity, Path

EVIDENCE = 3  # paths shown for one answer
MAX_ANSWERS = 200


def ends(graph: Subgraph, starts: Ints, evidence_path: EvidencePath) -> Ints:
    """The named entities that an evidence path reaches in `graph`; the starts only where nothing else is."""
    reached = follow(graph, starts, evidence_path.steps).entities
    named = reached[~graph.mediators[reached]]
    others = np.setdiff1d(named, starts)
    return others if len(others) else named


def of_threads(
    graph: Subgraph, starts: Ints, chosen: Sequence[EvidencePath], found: AnswerPaths
) -> tuple[list[Candidate], str]:
    """One candidate per entity that a chosen path reaches in `graph`, best path first, and what was left out."""
    candidates: dict[int, Candidate] = {}
    cut = 0
    for evidence_path in chosen:
        for entity in ends(graph, starts, evidence_path).tolist():
            if entity in candidates:
                continue
            if len(candidates) == MAX_ANSWERS:
                cut += 1
                continue
            walks = trace(graph, starts, evidence_path.steps, [entity], limit=EVIDENCE)
            places = tuple(found.place(path_record(graph, walk, evidence_path.score)) for walk in walks)
            record = graph.entity(entity)
            candidates[entity] = Candidate(record.label, evidence_path.score, record, places)
    note = f"{cut} further answers were left out (the limit is {MAX_ANSWERS})" if cut else ""
    return list(candidates.values()), note


def of_names(
    graph: Subgraph, starts: Ints, names: Sequence[str], hops: int, found: AnswerPaths
) -> tuple[list[Candidate], list[Entity]]:
    """Each name with the shortest paths from the starts to it inside the retrieved graph, and the entities so called.

    The score is (n - rank) / n: a place in the reply, not a probability.
    """
    by_name: dict[str, list[int]] = {}
    named = np.flatnonzero(~graph.mediators if graph.num_entities else []).astype(np.int32)
    for i, label in zip(named.tolist(), graph.labels(named) if len(named) else [], strict=True):
        for spelling in dict.fromkeys((normalise(label), normalise(label.replace("_", " ")))):
            by_name.setdefault(spelling, []).append(i)
    candidates: list[Candidate] = []
    entities: list[Entity] = []
    for rank, name in enumerate(names):
        score = (len(names) - rank) / len(names)
        own = by_name.get(normalise(name), [])
        # Of namesakes the one that is nearest; a candidate is one entity, and its paths end there.
        ways = {i: _paths(graph, starts, i, hops, score) for i in own}
        nearest = min(own, key=lambda i: len(ways[i][0].hops) if ways[i] else np.inf, default=None)
        paths = [] if nearest is None else ways[nearest]
        record = None if nearest is None else graph.entity(nearest)
        entities += [graph.entity(i) for i in own]
        label = name if record is None else record.label
        candidates.append(Candidate(label, score, record, tuple(found.place(path) for path in paths)))
    return candidates, entities


def _paths(graph: Subgraph, starts: Ints, entity: int, hops: int, score: float) -> list[Path]:
    """Shortest paths from the starts. None where none leads there: that the graph knows a name supports no answer."""
    mined: Sequence[MinedPath] = []
    if len(starts):
        mined = mine_paths(graph, starts, [entity], max_len=2 * hops, max_paths_per_pair=EVIDENCE)
    return [path_record(graph, path, score) for path in mined]
