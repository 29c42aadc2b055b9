"""What a graph allows a language model to write: relation paths from given entities.

A grammar for constrained decoding (`LLMRequest.constraint`). Pieces are asked for only where decoding stands, so a
whole graph may lie behind one. Texts are read back into the graph by the same object: what cannot be read back was
never there.

Shapes: S starts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cached_property

from clew.errors import InputError
from clew.graph.paths import RelationPath, Way, follow, relation_paths
from clew.graph.subgraph import Ints, Subgraph
from clew.llm.constraint import states_of
from clew.retrieval.verbalise import one_line

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
