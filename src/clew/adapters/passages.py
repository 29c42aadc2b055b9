"""What every framework is handed: one passage of text for each path, with where it came from.

Kept apart so that the adapters differ only in the classes of their frameworks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.protocols import GraphStore
from clew.settings import configure
from clew.types import Answer
from clew.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Passage:
    """A path in words. `metadata` holds JSON values: what it ends at, its triples, the graph it is from."""

    id: str
    text: str
    score: float
    metadata: dict[str, Any]


def open_workspace(graph: GraphStore | str | Path, method: str | None, **settings: Any) -> Workspace:
    """A workspace that keeps its method open between questions; `settings` are those of the method."""
    flags: dict[str, Any] = {"method": {**settings, **({} if method is None else {"name": method})}}
    if isinstance(graph, (str, Path)):
        return Workspace(configure(flags={**flags, "graph": {"path": str(graph)}}))
    return Workspace(configure(flags=flags), graph=graph)


def passages(answer: Answer, limit: int) -> list[Passage]:
    """The best evidence paths of an answer, those of the best candidates first."""
    order: dict[int, tuple[str | None, float]] = {}
    for candidate in answer.candidates:
        for position in candidate.paths:
            order.setdefault(position, (candidate.text, candidate.score))
    for position in range(len(answer.evidence.paths)):
        order.setdefault(position, (None, answer.evidence.paths[position].score))
    found = []
    for position, (text, score) in list(order.items())[:limit]:
        path = answer.evidence.paths[position]
        triples = [(h.triple.head.id, h.triple.relation.id, h.triple.tail.id) for h in path.hops]
        metadata: dict[str, Any] = {
            "answer": text,
            "entity": path.end.id,
            "score": score,
            "triples": [list(triple) for triple in triples],
            "method": answer.method,
            "sources": sorted({h.triple.source for h in path.hops if h.triple.source is not None}),
        }
        found.append(
            Passage("|".join(">".join(triple) for triple in triples) or path.start.id, str(path), score, metadata)
        )
    return found
