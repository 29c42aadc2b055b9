"""Evidence paths inside a retrieved graph: from the entities that a question names to what may answer it.

Candidates are grouped by relation path, because all ends of one path answer alike. Without a language model a path is
chosen by how well its words suit the question and its steps the sub-questions: the documented stand-in for the reader,
so that the method runs with an encoder alone.

Shapes: P relation paths, D width of the encoder.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph.paths import RelationPath, follow, relation_paths
from clew.graph.subgraph import Ints, Subgraph
from clew.methods.decompose.hybrid import Floats
from clew.methods.decompose.plan import RelationVocabulary
from clew.protocols import TextEncoder
from clew.types import Entity

PATH_WEIGHT = 0.1  # of the whole question, where the encoder ranks paths
MAX_PATHS = 400  # relation paths that are compared; more are left out, the longest first, and told


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """A relation path that stays inside the retrieved graph, and the named entities it ends in."""

    steps: RelationPath
    ends: Ints
    score: float = 0.0


def anchors(graph: Subgraph, entities: Sequence[Entity]) -> Ints:
    """(n,) local numbers of those entities that are in `graph`."""
    return graph.locals_of(entity.id for entity in entities)


def evidence_paths(graph: Subgraph, starts: Ints, hops: int) -> tuple[list[EvidencePath], str]:
    """The relation paths of up to `hops` hops from `starts`, and what was left out; a mediator is no hop."""
    if not len(starts) or not graph.num_triples:
        return [], ""
    longest = 2 * hops if graph.mediators.any() else hops
    reached = relation_paths(graph, starts, longest, max_paths=4 * MAX_PATHS)
    found = []
    for steps, ends in reached.paths:
        named = ends[~graph.mediators[ends]]
        if len(named) and _hops(graph, starts, steps) <= hops:
            found.append(EvidencePath(steps, named))
    note = "; ".join(reached.truncated)
    if len(found) > MAX_PATHS:
        note = f"{len(found) - MAX_PATHS} of {len(found)} relation paths were not compared"
    return found[:MAX_PATHS], note


def _hops(graph: Subgraph, starts: Ints, steps: RelationPath) -> int:
    """Hops of a relation path, where a step into nothing but mediators is none."""
    if len(steps) == 1 or not graph.mediators.any():
        return len(steps)
    middle = [follow(graph, starts, steps[:i]).entities for i in range(1, len(steps))]
    return len(steps) - sum(bool(graph.mediators[ends].all()) for ends in middle)


class Judge:
    """Scores relation paths by the encoder, which remembers texts."""

    def __init__(self, language: RelationVocabulary, encoder: TextEncoder) -> None:
        self._language, self._encoder = language, encoder

    def similarity(self, plans: Sequence[RelationPath], question: str) -> Floats:
        """(P,) cosines of relation paths, in words, and a question without its names."""
        phrases = self._encoder.encode([self._language.spell(steps) for steps in plans])
        cosines: Floats = phrases @ self._encoder.encode([question], role="query")[0]
        return cosines

    def rank(self, found: Sequence[EvidencePath], question: str, parts: Sequence[str]) -> tuple[EvidencePath, ...]:
        """`found`, best first, by question (its names left out) and sub-questions.

        The score is `w cos(question, path) + (1 - w) mean_i cos(part_i, hop_i)`, with `w` PATH_WEIGHT; a path
        longer or shorter than the plan has nothing to compare the rest with, which counts as 0.
        """
        if not found:
            return ()
        asked = self._encoder.encode([question, *parts], role="query")
        whole, wanted = asked[0], asked[1:]
        phrases = self._encoder.encode([self._language.spell(evidence_path.steps) for evidence_path in found])
        scores = phrases @ whole
        if len(parts) > 1:
            hops = [self._language.stages(evidence_path.steps) for evidence_path in found]
            single = self._encoder.encode([self._language.spell(hop) for own in hops for hop in own])
            at, fits = 0, np.zeros(len(found), np.float32)
            for i, stages in enumerate(hops):
                own = single[at : at + len(stages)]
                at += len(stages)
                n = min(len(own), len(parts))
                fits[i] = (own[:n] * wanted[:n]).sum() / max(len(own), len(parts), 1)
            scores = PATH_WEIGHT * scores + (1 - PATH_WEIGHT) * fits
        order = np.argsort(-scores, kind="stable")
        return tuple(EvidencePath(found[i].steps, found[i].ends, float(scores[i])) for i in order.tolist())
