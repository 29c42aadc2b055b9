"""Why an expected entity is not among the answers: the nearest path to it, and where that fell behind.

Kept apart from the methods on purpose: whatever method answered, the question is put to graph, evidence and encoder
alone. The explanation compares paths; it does not replay the method.
"""

from __future__ import annotations

from dataclasses import dataclass

from clew.graph.neighborhood import neighborhood
from clew.graph.paths import mine_paths, path_record
from clew.graph.store import Graph
from clew.protocols import GraphStore, TextEncoder
from clew.types import Answer, Entity, Path

HOPS = 4
SHOWN = 5
MOST = 40  # paths that are compared with the question
AROUND = 50_000  # triples fetched from a store that is not embedded


@dataclass(frozen=True, slots=True)
class Near:
    """A path to the expected entity, how alike it and the question are, and where it parts from the answer's."""

    path: Path
    likeness: float | None
    differs: str


@dataclass(frozen=True, slots=True)
class WhyNot:
    rank: int | None
    score: float | None
    reason: str
    followed: Path | None
    followed_likeness: float | None
    near: tuple[Near, ...]


def why_not(answer: Answer, expected: Entity, graph: GraphStore, encoder: TextEncoder | None) -> WhyNot:
    """What separates `expected` from the answers of `answer`."""
    best = answer.candidates[0] if answer.candidates else None
    followed = next(iter(answer.paths_of(best)), None) if best is not None else None
    for rank, candidate in enumerate(answer.candidates, start=1):
        if candidate.entity is not None and candidate.entity.id == expected.id:
            place = "the best answer" if rank == 1 else f"an answer: number {rank} of {len(answer.candidates)}"
            own = tuple(Near(path, None, "") for path in answer.paths_of(candidate)[:SHOWN])
            return WhyNot(rank, candidate.score, f"it is {place}", followed, None, own)
    if not answer.topics:
        return WhyNot(None, None, "the question was linked to no entity, so no path was looked for", None, None, ())
    found = _paths(answer, expected, graph)
    if not found:
        names = ", ".join(dict.fromkeys(topic.entity.label for topic in answer.topics))
        reason = f"no path of at most {HOPS} hops leads from {names} to {expected.label}"
        return WhyNot(None, None, reason, followed, None, ())
    likeness = _likeness(answer, [*found, *([followed] if followed else [])], encoder)
    mine = None if followed is None else likeness[-1]
    near = [Near(path, alike, _differs(path, followed)) for path, alike in zip(found, likeness, strict=False)]
    near.sort(key=lambda each: (-(each.likeness or 0.0), len(each.path.hops)))
    return WhyNot(None, None, _reason(answer, expected, near[0], followed, mine), followed, mine, tuple(near[:SHOWN]))


def _paths(answer: Answer, expected: Entity, graph: GraphStore) -> list[Path]:
    """The shortest paths from the topics to the entity and those one hop longer, one for each relation path."""
    topics = list(dict.fromkeys(topic.entity.id for topic in answer.topics))
    if isinstance(graph, Graph):
        ground = graph.whole
    else:
        ground = neighborhood(graph, [*topics, expected.id], 2, max_triples=AROUND)
    starts = [local for id in topics if (local := ground.local(id)) is not None]
    target = ground.local(expected.id)
    if target is None or not starts:
        return []
    found = mine_paths(ground, starts, [target], max_len=HOPS, slack=1, max_paths_per_pair=200, max_total=200)
    first: dict[tuple[object, ...], Path] = {}
    for mined in found:
        key = (mined.entities[0], mined.steps)
        if key not in first:
            first[key] = path_record(ground, mined, 0.0)
        if len(first) == MOST:
            break
    return list(first.values())


def _likeness(answer: Answer, paths: list[Path], encoder: TextEncoder | None) -> list[float | None]:
    if encoder is None:
        return [None] * len(paths)
    text = answer.question.text
    for topic in answer.topics:
        if topic.mention:
            text = text.replace(topic.mention, " ")
    texts = [" ".join(hop.triple.relation.label.replace("_", " ") for hop in path.hops) for path in paths]
    vectors = encoder.encode([" ".join(text.split()) or answer.question.text, *texts])
    return [round(float(value), 3) for value in vectors[1:] @ vectors[0]]


def _differs(path: Path, followed: Path | None) -> str:
    if followed is None:
        return "no path was followed to an answer"
    if path.relations == followed.relations:
        if path.start.id == followed.start.id:
            return "the same relations as the answer's path; a further condition or a limit told them apart"
        return f"the same relations, but from {path.start.label}"
    for hop, (mine, theirs) in enumerate(zip(path.hops, followed.hops, strict=False), start=1):
        if (mine.triple.relation.id, mine.forward) != (theirs.triple.relation.id, theirs.forward):
            taken, other = theirs.triple.relation.label, mine.triple.relation.label
            return f"parts at hop {hop}: “{other}” where the answer took “{taken}”"
    if len(path.hops) > len(followed.hops):
        return "goes on where the answer stopped"
    return f"stops at hop {len(path.hops)} where the answer went on"


def _reason(answer: Answer, expected: Entity, near: Near, followed: Path | None, mine: float | None) -> str:
    if followed is None:
        return f"nothing was answered: {answer.note or 'no path was sure enough'}"
    if near.path.relations == followed.relations and near.path.start.id == followed.start.id:
        return f"{expected.label} is reached by the answer's own relations, but was left out: {near.differs}"
    if near.likeness is not None and mine is not None:
        if near.likeness < mine:
            return (
                f"the nearest path suits the question less ({near.likeness:.2f}) than the one that was followed "
                f"({mine:.2f})"
            )
        return (
            f"the nearest path suits the question as a text ({near.likeness:.2f}) at least as well as the one that was "
            f"followed ({mine:.2f}); the method decided otherwise: try another method"
        )
    return f"the path to it {near.differs}"
