"""Proof that an answer's thread is real: every cited triple is in the graph, and every path is unbroken.

Kept apart from the methods, so that what they claim is checked by code that shares nothing with them.
"""

from __future__ import annotations

from math import isfinite

from clew.errors import NotFoundError
from clew.protocols import GraphStore
from clew.types import Answer, Candidate, Entity, Path, Triple


def verify(answer: Answer, graph: GraphStore) -> list[str]:
    """What is wrong with an answer's evidence, in words; an empty list proves it.

    Checked, against what `graph` says now: each triple of the evidence is stated in that direction, under those ids,
    labels and kinds, and by that source where one is cited; each path starts at an entity of the graph and each hop
    where the last one ended; each supported candidate is the end of every path it cites, under the label of that end;
    topics are entities of the graph. A candidate without paths claims no support and is not judged.
    """
    return _Proof(graph).problems(answer)


class _Proof:
    """What the graph says, asked once for each thing."""

    def __init__(self, graph: GraphStore) -> None:
        self._graph = graph
        self._stated: dict[tuple[str, str], list[Triple]] = {}
        self._entities: dict[str, Entity | None] = {}

    def problems(self, answer: Answer) -> list[str]:
        found = [problem for triple in answer.evidence.all_triples() if (problem := self._triple(triple))]
        for number, path in enumerate(answer.evidence.paths):
            found += [f"path {number}: {problem}" for problem in self._path(path)]
        for topic in answer.topics:
            found += [f"topic: {problem}" for problem in self._entity(topic.entity)]
        for candidate in answer.candidates:
            found += self._candidate(candidate, answer.evidence.paths)
        return found

    def _triple(self, triple: Triple) -> str:
        key = (triple.head.id, triple.relation.id)
        if key not in self._stated:
            self._stated[key] = self._graph.neighbors([triple.head.id], relations={triple.relation.id}, direction="out")
        same = [t for t in self._stated[key] if t.head.id == triple.head.id and t.tail.id == triple.tail.id]
        if not same:
            return f"not in graph {self._graph.name!r}: {_said(triple)}"
        told = (triple.head, triple.relation, triple.tail)
        alike = [t for t in same if (t.head, t.relation, t.tail) == told]
        if not alike:
            true = same[0]
            pairs = zip(told, (true.head, true.relation, true.tail), strict=True)
            wrong = "; ".join(f"{mine!r} is {its!r}" for mine, its in pairs if mine != its)
            return f"{_said(triple)} is told otherwise than graph {self._graph.name!r} has it: {wrong}"
        if triple.source is not None and all(t.source != triple.source for t in alike):
            return f"{_said(triple)} does not come from {triple.source!r}"
        return ""

    def _path(self, path: Path) -> list[str]:
        problems = [] if path.hops else self._entity(path.start)  # the triples of hops are checked as evidence
        here = path.start
        for hop in path.hops:
            if hop.source != here:
                problems.append(f"hop {_said(hop.triple)} starts at {hop.source.id!r}, the thread is at {here.id!r}")
            here = hop.target
        if not isfinite(path.score):
            problems.append(f"its score is {path.score}")
        return problems

    def _entity(self, entity: Entity) -> list[str]:
        if entity.id not in self._entities:
            try:
                self._entities[entity.id] = self._graph.entity(entity.id)
            except NotFoundError:
                self._entities[entity.id] = None
        known = self._entities[entity.id]
        if known is None:
            return [f"{entity.id!r} is no entity of graph {self._graph.name!r}"]
        return [] if known == entity else [f"{entity!r} is {known!r} in graph {self._graph.name!r}"]

    def _candidate(self, candidate: Candidate, paths: tuple[Path, ...]) -> list[str]:
        problems = []
        for position in candidate.paths:
            if not 0 <= position < len(paths):
                problems.append(f"{candidate.text!r} cites path {position} of {len(paths)}")
                continue
            end = paths[position].end
            if candidate.entity is not None and candidate.entity != end:
                problems.append(
                    f"{candidate.text!r} ({candidate.entity.id}) cites a path that ends at {end.id!r} ({end.label!r})"
                )
            elif _plain(candidate.text) not in (_plain(end.label), _plain(end.id)):
                problems.append(f"{candidate.text!r} cites a path that ends at {end.label!r} ({end.id})")
        return problems


def _plain(text: str) -> str:
    """A name without differences of case and spacing: how an answer may be written and still be the entity's name."""
    return " ".join(text.casefold().split())


def _said(triple: Triple) -> str:
    return f"({triple.head.id}, {triple.relation.id}, {triple.tail.id})"
