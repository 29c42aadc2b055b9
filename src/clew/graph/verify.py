"""Proof that an answer's thread is real: every cited triple is in the graph, and every path is unbroken.

Kept apart from the methods, so that what they claim is checked by code that shares nothing with them.
"""

from __future__ import annotations

from clew.protocols import GraphStore
from clew.types import Answer, Path, Triple


def verify(answer: Answer, graph: GraphStore) -> list[str]:
    """What is wrong with an answer's evidence, in words; an empty list proves it.

    Checked: each triple of the evidence is stated by `graph` in that direction; each path starts where it says and
    each hop where the last one ended; each supported candidate is the end of its paths (an entity, or its label).
    """
    problems = []
    known: dict[tuple[str, str], set[str]] = {}
    for triple in answer.evidence.all_triples():
        key = (triple.head.id, triple.relation.id)
        if key not in known:
            stated = graph.neighbors([triple.head.id], relations={triple.relation.id}, direction="out")
            known[key] = {found.tail.id for found in stated if found.head.id == triple.head.id}
        if triple.tail.id not in known[key]:
            problems.append(f"not in graph {graph.name!r}: {_said(triple)}")
    for number, path in enumerate(answer.evidence.paths):
        problems += [f"path {number}: {problem}" for problem in _breaks(path)]
    for candidate in answer.candidates:
        for position in candidate.paths:
            if not 0 <= position < len(answer.evidence.paths):
                problems.append(f"{candidate.text!r} cites path {position} of {len(answer.evidence.paths)}")
            elif candidate.entity is not None and answer.evidence.paths[position].end.id != candidate.entity.id:
                end = answer.evidence.paths[position].end
                problems.append(f"{candidate.text!r} ({candidate.entity.id}) cites a path that ends at {end.id!r}")
    return problems


def _breaks(path: Path) -> list[str]:
    here, problems = path.start.id, []
    for hop in path.hops:
        if hop.source.id != here:
            problems.append(f"hop {_said(hop.triple)} starts at {hop.source.id!r}, the thread is at {here!r}")
        here = hop.target.id
    return problems


def _said(triple: Triple) -> str:
    return f"({triple.head.id}, {triple.relation.id}, {triple.tail.id})"
