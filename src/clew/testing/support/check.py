"""What an answer claims, checked against the facts it was made from: sets and loops, and of clew nothing but a plan's
text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from clew.query import plan as p
from clew.query.text import parse
from clew.testing.plan_oracle import Naive
from clew.testing.support.worlds import World

Row = Mapping[str, Any]


class Check:
    """What is wrong with the answers about one world, as they are stored."""

    def __init__(self, of: World) -> None:
        self._facts, self._ids, self._labels = set(of.facts), of.ids, of.labels
        nameless = {id for id in of.ids if id.startswith("m")}
        self._naive = Naive(of.facts, read=self._number, nameless=nameless)

    def _number(self, id: str) -> float | None:
        """What a thing is called may be a number, whatever its id."""
        text = self._labels.get(id, id)
        return float(text) if text.isdigit() else None

    def problems(self, row: Row) -> Iterator[str]:
        """In words; none where everything holds."""
        paths = row["evidence"]["paths"]
        topics = {topic["entity"]["id"] for topic in row["topics"]}
        for triple in row["evidence"]["triples"]:
            yield from self._fact(triple)
        for path in paths:
            yield from self._path(path)
        plan = None if row["plan"] is None else parse(row["plan"]["text"])
        made: Any = None if plan is None else self._naive.run(plan)
        for candidate in row["candidates"]:
            if candidate["computed"]:
                yield from _computed(candidate, plan, made)
            elif candidate["paths"] and isinstance(plan, p.SetPlan) and candidate["entity"]["id"] not in made:
                yield f"{candidate['text']!r} is not in the set {sorted(made)} that the plan makes"
            for position in candidate["paths"]:
                if not 0 <= position < len(paths):
                    yield f"{candidate['text']!r} cites path {position} of {len(paths)}"
                    continue
                path, start = paths[position], paths[position]["start"]["id"]
                yield from self._ends(candidate, path)
                if plan is None and start not in topics:
                    yield f"{candidate['text']!r} cites a path that starts at {start!r}, which is no topic"
                if plan is None and not path["hops"]:
                    yield f"{candidate['text']!r} cites a path of no hop"

    def _entity(self, entity: Row) -> Iterator[str]:
        if entity["id"] not in self._ids:
            yield f"{entity['id']!r} is no entity"
        elif entity["label"] != self._labels.get(entity["id"], entity["id"]):
            yield f"{entity['id']!r} is not called {entity['label']!r}"

    def _fact(self, triple: Row) -> Iterator[str]:
        said = (triple["head"]["id"], triple["relation"]["id"], triple["tail"]["id"])
        if said not in self._facts:
            yield f"no such fact: {said}"
        yield from self._entity(triple["head"])
        yield from self._entity(triple["tail"])

    def _path(self, path: Row) -> Iterator[str]:
        yield from self._entity(path["start"])
        here = path["start"]["id"]
        for hop in path["hops"]:
            yield from self._fact(hop["triple"])
            ends = (hop["triple"]["head"]["id"], hop["triple"]["tail"]["id"])
            source, target = ends if hop["forward"] else ends[::-1]
            if source != here:
                yield f"a hop starts at {source!r}, the path is at {here!r}"
            here = target

    def _ends(self, candidate: Row, path: Row) -> Iterator[str]:
        end = path["start"]
        for hop in path["hops"]:
            end = hop["triple"]["tail" if hop["forward"] else "head"]
        if candidate["entity"] is not None and candidate["entity"]["id"] != end["id"]:
            yield f"{candidate['text']!r} ({candidate['entity']['id']}) cites a path to {end['id']!r}"
        label = self._labels.get(end["id"], end["id"])
        if _plain(candidate["text"]) not in (_plain(label), _plain(end["id"])):
            yield f"{candidate['text']!r} cites a path to {label!r}"


def _computed(candidate: Row, plan: p.Plan | None, made: Any) -> Iterator[str]:
    said = candidate["text"]
    if plan is None:
        yield f"{said!r} is computed without a plan"
    elif isinstance(plan, p.Values):
        if candidate["entity"]["id"] not in made:
            yield f"{said!r} is not among {sorted(made)}"
    elif isinstance(made, bool):
        if said != ("yes" if made else "no"):
            yield f"{said!r}, computed again {made}"
    elif made is None or abs(float(re.sub(r"[^\d.eE+-]", "", said)) - made) > 1e-6 * max(1, abs(made)):
        yield f"{said!r}, computed again {made}"


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
