"""Plans as models write them, read back into the graph: which relation paths a text may stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, follow, relation_paths
from clew.graph.subgraph import Ints
from clew.llm import clean, parse_json
from clew.methods.eperm.asking import (
    read_score,
)

_SPLIT = re.compile(r"\s*(?:\||->|→|,|;)\s*")
_ITEM = re.compile(r"^\s*(?:[-*•]|\(?\d{1,2}[.):])\s+")
_LEAD = re.compile(r"^[^|]{0,40}?(?:path|plan)s?\s*\d*\s*:\s*", re.IGNORECASE)
SPELLED = 85.0  # least similarity (0..100) of a relation as written and as it is
_SCORED = re.compile(r"\s*\(?\s*score\b.*$", re.IGNORECASE)


def written_plans(text: str) -> list[tuple[tuple[str, ...], float | None]]:
    """The plans of a reply as written, with the weights stated: the JSON that was asked for, else a plan a line."""
    parsed = parse_json(text)
    value = parsed.value
    items = value.get("plans") if isinstance(value, dict) else value
    if isinstance(items, list) and all(isinstance(item, str) and not _SPLIT.search(item) for item in items):
        items = [items]  # one plan, relation by relation
    if parsed.ok and isinstance(items, (list, tuple)):
        found = []
        for item in items:
            path = item.get("path") if isinstance(item, dict) else item
            weight = item.get("weight") if isinstance(item, dict) else None
            parts = _SPLIT.split(path) if isinstance(path, str) else path if isinstance(path, list) else []
            told = tuple(" ".join(part.split()) for part in parts if isinstance(part, str) and part.strip())
            stated = float(weight) if isinstance(weight, (int, float)) and 0 <= weight <= 1 else None
            if told:
                found.append((told, stated))
        if found:
            return found
    plans = []
    for line in clean(text).splitlines():
        bare = _SCORED.sub("", line.strip())
        named = _ITEM.sub("", _LEAD.sub("", bare).replace("**", "").replace("`", ""))
        parts = [part.strip(" .\"'<>[]") for part in _SPLIT.split(" ".join(named.split()))]
        if told := tuple(part for part in parts if part):
            plans.append((told, read_score(line) if bare != line.strip() else None))
    return plans


def read_plan(graph: Subgraph, starts: Ints, written: str | Sequence[str], hops: int) -> list[RelationPath]:
    """The relation paths that a plan may stand for; a relation that leads on only against its direction is walked so.

    Forms understood: `a | b`, `a -> b`, `a, b`; `(inverse)` after or `inverse:` before a relation; ids or labels in any
    case, with spaces for underscores; else the last part of a dotted name; else what is spelled nearly so. Each only
    among the relations that lead on. Empty where the graph has no such path from the starts, or it has too many hops.
    """
    parts = [*_SPLIT.split(" ".join(written.split()))] if isinstance(written, str) else list(written)
    parts = [bare for part in parts if (bare := part.strip(" .\"'`<>[]"))]
    if not 1 <= len(parts) <= hops:
        return []
    open_: list[tuple[RelationPath, Ints]] = [((), starts)]
    for part in parts:
        name, forward = _direction(part)
        leading = [
            (steps, each) for steps, ends in open_ for each in relation_paths(graph, ends, 1, max_paths=100_000).paths
        ]
        chosen = _likest(graph, name, forward, sorted({each.steps[0] for _, each in leading}))
        open_ = [((*steps, each.steps[0]), each.ends) for steps, each in leading if each.steps[0] in chosen]
    return [steps for steps, _ in open_ if len(follow(graph, starts, steps).entities)]


def _likest(graph: Subgraph, name: str, forward: bool, steps: Sequence[tuple[int, bool]]) -> set[tuple[int, bool]]:
    """Those of some steps that a name means: spelled so, else ending so, else spelled nearly so."""
    spelled = [(step, (_plain(graph.relation(step[0]).label), _plain(graph.relation(step[0]).id))) for step in steps]
    ways = [[each for each in spelled if each[0][1] is way] for way in (forward, not forward)]
    for own in ways:  # a direction that leads nowhere was a slip
        if exact := {step for step, forms in own if name in forms}:
            return exact
    for own in ways:
        if short := {step for step, forms in own if name == forms[0].rpartition(".")[2]}:
            return short
    for own in ways:
        near = [(max(fuzz.ratio(name, form) for form in forms), step) for step, forms in own]
        best = max((score for score, _ in near), default=0.0)
        if best >= SPELLED:
            return {step for score, step in near if score == best}
    return set()


def _direction(part: str) -> tuple[str, bool]:
    lowered = part.casefold()
    for mark in ("(inverse)", "inverse:", "inverse of"):
        if mark in lowered:
            return _plain(lowered.replace(mark, "")), False
    return _plain(part), True


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())
