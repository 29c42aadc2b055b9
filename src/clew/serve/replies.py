"""From an answer to what a client is shown: cut to size, in words, as a query.

Kept apart from the doors, which all show the same answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import GraphStore
from clew.serve.records import AskReply, CandidateReply, PlanReply
from clew.types import Answer, Entity, Evidence, Path, PlanProof

_IRI = re.compile(r"[a-zA-Z][a-zA-Z0-9+.\-]*:[^\s<>\"{}|\\^`]+")


def ask_reply(
    answer: Answer, store: GraphStore, *, id: str, graph: str, question: str, limit: int, threads: int
) -> AskReply:
    """The first `limit` answers, each with its first `threads` paths; numbers of paths are those of the reply."""
    kept: dict[int, int] = {}
    candidates = []
    for candidate in answer.candidates[:limit]:
        paths = [position for position in candidate.paths if 0 <= position < len(answer.evidence.paths)][:threads]
        for position in paths:
            kept.setdefault(position, len(kept))
        candidates.append(
            CandidateReply(
                text=candidate.text,
                score=candidate.score,
                supported=candidate.supported,
                computed=candidate.computed,
                entity=candidate.entity,
                paths=tuple(kept[position] for position in paths),
            )
        )
    return AskReply(
        id=id,
        graph=graph,
        version=store.name,
        method=answer.method,
        question=question,
        asked=answer.question.text,
        state="answered" if candidates else "abstained",
        candidates=tuple(candidates),
        total=len(answer.candidates),
        evidence=Evidence(tuple(answer.evidence.paths[i] for i in kept), answer.evidence.triples[:limit]),
        topics=answer.topics,
        plan=plan_of(answer, store),
        note=answer.note,
        reply=answer.reply,
        usage=answer.usage,
        seconds={stage: round(seconds, 5) for stage, seconds in answer.seconds.items()},
        details=answer.details,
    )


def plan_of(answer: Answer, store: GraphStore) -> PlanReply | None:
    """The query behind the best answer: the method's own plan, else read off the best answer's evidence."""
    if answer.plan is not None:
        return _own_plan(answer.plan, store)
    paths = answer.paths_of(answer.candidates[0]) if answer.candidates else ()
    distinct: dict[tuple[Any, ...], Path] = {}
    for path in paths:
        if path.hops:
            distinct.setdefault((path.start.id, path.relations), path)
    if not distinct:
        return None
    # Paths of one topic are several ways to the answer; those of several topics hold together.
    threads = list({path.start.id: path for path in reversed(distinct.values())}.values())[::-1]
    words = [step for path in threads for step in _steps(path)]
    words.append("What all of them reach is the answer." if len(threads) > 1 else "What is reached is the answer.")
    return PlanReply(words=tuple(words), sparql=_sparql(threads), source="evidence")


def _own_plan(plan: PlanProof, store: GraphStore) -> PlanReply:
    """The plan that an operator question was answered by: its sentence, what it found missing, its text, as SPARQL."""
    from clew.query import read, to_sparql

    graph = store if isinstance(store, Graph) else None
    try:
        sparql = to_sparql(read(plan.text, graph), graph)
    except ClewError:  # what SPARQL cannot say
        sparql = None
    return PlanReply(words=(plan.sentence, *plan.notes), text=plan.text, sparql=sparql, source="method")


def _steps(path: Path) -> list[str]:
    said = [f"Start at {path.start.label}."]
    for hop in path.hops:
        name = hop.triple.relation.label
        if hop.forward:
            said.append(f"Follow “{name}” from there.")
        else:
            said.append(f"Go to whatever has “{name}” pointing there.")
    return said


def _sparql(paths: Sequence[Path]) -> str | None:
    """The relation paths as one query, where every id in them is an IRI."""
    ids = [id for path in paths for id in (path.start.id, *(relation for relation, _ in path.relations))]
    if not all(_IRI.fullmatch(id) for id in ids):
        return None
    lines, count = [], 0
    for path in paths:
        here = f"<{path.start.id}>"
        for position, (relation, forward) in enumerate(path.relations):
            last = position == len(path.hops) - 1
            count += not last
            there = "?answer" if last else f"?x{count}"
            head, tail = (here, there) if forward else (there, here)
            lines.append(f"  {head} <{relation}> {tail} .")
            here = there
    return "SELECT DISTINCT ?answer WHERE {\n" + "\n".join(lines) + "\n}"


def said(path: Path) -> str:
    """A path on one line, mediators as dots: "Alice –married→ · –spouse→ Bob"."""
    parts = [_label(path.start)]
    for hop in path.hops:
        name, target = hop.triple.relation.label, _label(hop.target)
        parts.append(f"–{name}→ {target}" if hop.forward else f"←{name}– {target}")
    return one_line(" ".join(parts))


def one_line(text: str) -> str:
    """`text` without control characters and line breaks: no label may steer a terminal or break out of a list."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _label(entity: Entity) -> str:
    return "·" if entity.kind == "mediator" else entity.label


def described(graph: GraphStore, id: str) -> str | None:
    """What the graph says an entity is, cut to a line."""
    if not isinstance(graph, Graph):
        return None
    text = graph.description_of(id)
    return None if text is None else text[:300]
