"""What a small decomposer may write: relation steps that lead somewhere in the graph from the question's entities.

A decoder from scratch that has seen few questions writes steps that no path follows, and the question would be asked
whole. Held to the graph it names the likeliest steps that exist, of which the best is chosen (`choosing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints
from clew.methods.decompose.plan import RelationVocabulary
from clew.retrieval.grammar import RelationGrammar


class StepGrammar(RelationGrammar):
    """Relation paths from some entities, in the words of a small model: `spouse ~parents`.

    Args:
        starts: local numbers of the question's entities, at least one.
        steps: most of them; one into a mediator counts.
    """

    def __init__(self, language: RelationVocabulary, starts: Ints, steps: int) -> None:
        super().__init__(language.graph, starts, hops=steps)
        self._language = language

    @cached_property
    def key(self) -> str:
        return f"steps:{super().key}"

    def steps(self, state: RelationPath) -> Iterator[tuple[str, RelationPath]]:
        for _, following in super().steps(state):
            yield self._language.write(following[-1:]), following
