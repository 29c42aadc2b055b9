"""What a graph allows a language model to write: relation paths from given entities, exact paths, entity names.

Grammars for constrained decoding (`LLMRequest.constraint`). Pieces are asked for only where decoding stands, so a
whole graph may lie behind one. Texts are read back into the graph by the same object: what cannot be read back was
never there.

Shapes: S starts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

from clew.errors import InputError
from clew.graph.paths import RelationPath, Way, follow, relation_paths, trace
from clew.graph.subgraph import Ints, Subgraph
from clew.llm.constraint import states_of
from clew.retrieval.verbalise import one_line
from clew.types import Hop, Path

_ALL = 2**31 - 1


class RelationGrammar:
    """Relation paths of 1..`hops` hops that lead somewhere from at least one of the starts: `born in | located in`.

    A state is the relation path so far. A relation walked from tail to head is written with `inverse` after it; without
    a suffix both directions read alike, and `read` gives both.
    """

    def __init__(
        self,
        graph: Subgraph,
        starts: Sequence[int] | Ints,
        *,
        hops: int,
        direction: Way = "any",
        separator: str = " | ",
        inverse: str = " (inverse)",
    ) -> None:
        self._graph, self._starts, self._hops = graph, _starts(graph, starts), _positive(hops)
        self._direction, self._separator, self._inverse = direction, separator, inverse
        self._ends: dict[RelationPath, Ints] = {}

    @cached_property
    def key(self) -> str:
        options = (self._hops, self._direction, self._separator, self._inverse)
        return f"relations:{_digest(self._graph, self._starts, options)}"

    def start(self) -> RelationPath:
        return ()

    def steps(self, state: RelationPath) -> Iterator[tuple[str, RelationPath]]:
        if len(state) == self._hops:
            return
        for steps, ends in relation_paths(
            self._graph, self._frontier(state), 1, direction=self._direction, max_paths=_ALL, max_ends=_ALL
        ).paths:
            (relation, forward) = steps[0]
            name = one_line(self._graph.relation(relation).label)
            if name:
                following = (*state, (relation, forward))
                self._ends[following] = ends
                yield (self._separator if state else "") + name + ("" if forward else self._inverse), following

    def complete(self, state: RelationPath) -> bool:
        return bool(state)

    def read(self, text: str) -> list[RelationPath]:
        """The relation paths that `text` stands for; empty when the graph has none such from these starts."""
        return states_of(self, text)

    def _frontier(self, state: RelationPath) -> Ints:
        """Where a relation path leads; found again where another process or call met it first."""
        if not state:
            return self._starts
        found = self._ends.get(state)
        if found is None:
            found = self._ends[state] = follow(self._graph, self._frontier(state[:-1]), state[-1:]).entities
        return found


Steps = tuple[tuple[int, bool], ...]  # (triple, forward) per hop
PathState = tuple[int, Steps, tuple[int, bool] | None]  # start or -1, hops so far, relation that waits for its entity


class PathGrammar:
    """Exact paths of 1..`hops` hops, written as evidence is: `France -> borders -> Germany -> capital -> Berlin`.

    With `hops=1` the exact triples of the starts. `direction="mark"` in the writing shows a hop from tail to head as
    `<-`; "ignore" writes `->` for both, and `read` gives every path that reads so.
    """

    def __init__(
        self,
        graph: Subgraph,
        starts: Sequence[int] | Ints,
        *,
        hops: int,
        direction: Way = "any",
        mark: bool = False,
    ) -> None:
        self._graph, self._starts, self._hops = graph, _starts(graph, starts), _positive(hops)
        self._direction, self._mark = direction, mark

    @cached_property
    def key(self) -> str:
        options = (self._hops, self._direction, self._mark)
        return f"paths:{_digest(self._graph, self._starts, options)}"

    def start(self) -> PathState:
        return (-1, (), None)

    def steps(self, state: PathState) -> Iterator[tuple[str, PathState]]:
        start, walked, relation = state
        graph = self._graph
        if start < 0:
            for entity, label in zip(self._starts.tolist(), graph.labels(self._starts), strict=True):
                if name := one_line(label):
                    yield name, (entity, (), None)
        elif relation is None:
            if len(walked) == self._hops:
                return
            for steps, _ in relation_paths(
                graph, [self._end(start, walked)], 1, direction=self._direction, max_paths=_ALL, max_ends=_ALL
            ).paths:
                number, forward = steps[0]
                if name := one_line(graph.relation(number).label):
                    yield f" {self._arrow(forward)} {name}", (start, walked, (number, forward))
        else:
            _, forward = relation
            triples = trace(graph, [self._end(start, walked)], [relation], limit=_ALL).triples
            ends = (graph.tails if forward else graph.heads)[triples]
            for triple, label in zip(triples.tolist(), graph.labels(ends), strict=True):
                if name := one_line(label):
                    yield f" {self._arrow(forward)} {name}", (start, (*walked, (triple, forward)), None)

    def complete(self, state: PathState) -> bool:
        return bool(state[1]) and state[2] is None

    def read(self, text: str, *, score: float = 0.0) -> list[Path]:
        """The paths of the graph that read like `text`; empty when there is none."""
        return [
            Path(self._graph.entity(start), tuple(Hop(self._graph.triple(t), forward) for t, forward in walked), score)
            for start, walked, _ in states_of(self, text)
        ]

    def _arrow(self, forward: bool) -> str:
        return "->" if forward or not self._mark else "<-"

    def _end(self, start: int, walked: Steps) -> int:
        if not walked:
            return start
        triple, forward = walked[-1]
        return int((self._graph.tails if forward else self._graph.heads)[triple])


def _starts(graph: Subgraph, starts: Sequence[int] | Ints) -> Ints:
    import numpy as np

    found = np.unique(np.asarray(starts, np.int32))
    if not len(found):
        raise InputError("constrained decoding: no start entity; give at least one topic")
    if found[0] < 0 or found[-1] >= graph.num_entities:
        raise InputError(f"constrained decoding: start {found[-1]} of a subgraph of {graph.num_entities} entities")
    return found


def _positive(hops: int) -> int:
    if hops < 1:
        raise InputError(f"constrained decoding: hops = {hops}, expected at least 1")
    return hops


def _digest(graph: Subgraph, starts: Ints, options: tuple[object, ...]) -> str:
    """Identity of the part of the graph that stands behind a grammar: its triples, and what its names stand for."""
    digest = hashlib.sha256(repr((getattr(graph.names, "name", ""), options)).encode())
    for array in (starts, graph.entities, graph.heads, graph.rels, graph.tails):
        digest.update(array.tobytes())
    return digest.hexdigest()
