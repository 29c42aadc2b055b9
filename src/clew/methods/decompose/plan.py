"""A question taken apart: by a language model in its own words, or by a small decoder that names relations.

A large model writes a JSON array. A small one from scratch never learned to copy names, so the names in the question
are masked, it writes one token per relation and direction, and the grammar of the graph's relations turns those into
sub-questions with the names put back (section 4.1 for both).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints, Subgraph
from clew.llm import parse_answers, parse_json
from clew.paths.examples import EntityIndex
from clew.retrieval.grammar import RelationGrammar
from clew.retrieval.masking import Masked, mask_topics
from clew.synthesis import Writer
from clew.synthesis.phrases import PhraseGrammar, Phrasing
from clew.types import Topic

INVERSE = "~"  # before the token of a relation that is walked from tail to head
THAT = "that"  # stands for the answer before
_SCHEMA = {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True, slots=True)
class QuestionPlan:
    """Sub-questions in their order, and who made them: "language model", "small model" or "nobody".

    `stages` are the relations behind each sub-question, where a small model named them.
    """

    parts: tuple[str, ...]
    by: str
    note: str = ""
    stages: tuple[RelationPath, ...] = ()

    @property
    def steps(self) -> RelationPath:
        """The whole relation path of the plan."""
        return tuple(step for stage in self.stages for step in stage)


def read_plan(question: str, reply: str, limit: int) -> QuestionPlan:
    """The sub-questions in a model's reply; the question itself where there are none (methods.md, 4.1)."""
    parsed = parse_json(reply, _SCHEMA)
    found = [str(part) for part in parsed.value] if parsed.ok else parse_answers(reply) if "[" in reply else []
    parts = list(dict.fromkeys(" ".join(part.split()) for part in found if part.strip()))
    if not parts:
        return QuestionPlan(
            (question,), "nobody", "the language model gave no sub-questions: the question is asked whole"
        )
    note = f"{len(parts) - limit} of {len(parts)} sub-questions were left out (max_subquestions)"
    return QuestionPlan(tuple(parts[:limit]), "language model", note if len(parts) > limit else "")


def masked_question(text: str, topics: Sequence[Topic]) -> Masked:
    """`text` in lower case with `[T1]`, `[T2]`, … for its topics: what a small model sees of a question."""
    masked = mask_topics(text, topics)
    return replace(masked, text=masked.text.casefold().replace("[t", "[T"))


class RelationVocabulary:
    """How the relations of one graph read: as tokens of a small model, and as sub-questions."""

    def __init__(self, graph: Subgraph) -> None:
        self.graph = graph
        self.names = [graph.relation(r).label for r in range(graph.num_relations)]
        self._tokens = {self._token(name): r for r, name in reversed(list(enumerate(self.names)))}

    @staticmethod
    def _token(name: str) -> str:
        return re.sub(r"\s+", "_", name)

    def vocabulary(self) -> list[str]:
        """What a small model needs as single tokens."""
        relations = [f" {mark}{token}" for token in self._tokens for mark in ("", INVERSE)]
        return [*relations, "[T1]", "[T2]"]

    def write(self, steps: RelationPath) -> str:
        """`steps` as a small model writes them, a token each with the space before it: ` spouse ~parents`."""
        return "".join(f" {'' if forward else INVERSE}{self._token(self.names[r])}" for r, forward in steps)

    def read(self, text: str) -> RelationPath:
        """The steps in a small model's reply; none where a word is no relation of this graph."""
        steps = []
        for word in text.split():
            relation = self._tokens.get(word.removeprefix(INVERSE))
            if relation is None:
                return ()
            steps.append((relation, not word.startswith(INVERSE)))
        return tuple(steps)

    def spell(self, steps: RelationPath) -> str:
        """RelationPath as a phrase to encode: the last relation first, as questions name them."""
        words = [re.sub(r"[_.]", " ", self.names[r].rsplit(".", 1)[-1]) for r, _ in reversed(steps)]
        return " of ".join(words)

    def stages(self, steps: RelationPath) -> list[RelationPath]:
        """RelationPath grouped into hops: a step that leads to mediators belongs to the one that leaves them."""
        stages: list[RelationPath] = []
        open_: RelationPath = ()
        for relation, forward in steps:
            open_ = (*open_, (relation, forward))
            if not self._to_mediators[int(forward)][relation]:
                stages.append(open_)
                open_ = ()
        return [*stages, open_] if open_ else stages

    @cached_property
    def index(self) -> EntityIndex:
        """Names of the graph to numbers; training reads gold with it."""
        return EntityIndex(self.graph)

    @cached_property
    def _to_mediators(self) -> NDArray[np.bool_]:
        """(2, R) whether most triples of a relation lead to mediators, backward and forward."""
        graph = self.graph
        counts = np.maximum(np.bincount(graph.rels, minlength=graph.num_relations), 1)
        return np.stack(
            [
                np.bincount(graph.rels, graph.mediators[ends], graph.num_relations) > counts / 2
                for ends in (graph.heads, graph.tails)
            ]
        )

    def sub_questions(self, steps: RelationPath, name: str) -> tuple[str, ...]:
        """One sub-question per hop, in the words of the grammar; the first asks about the name of a topic."""
        subject = name or THAT
        parts = []
        for stage in self.stages(steps):
            for step in stage[:-1]:  # into a mediator: what it stands for is a phrase inside the question
                subject = _plainest(self._phrasing(step).noun_phrases).replace("{x}", subject)
            parts.append(_plainest(self._phrasing(stage[-1]).asks).replace("{x}", subject) + "?")
            subject = THAT
        return tuple(parts)

    def _phrasing(self, step: tuple[int, bool]) -> Phrasing:
        relation, forward = step
        grammar = self._grammars[relation]
        return grammar.forward if forward else grammar.backward

    @cached_property
    def _grammars(self) -> list[PhraseGrammar]:
        return Writer(self.graph, 0).grammars


class StepGrammar(RelationGrammar):
    """What a small decomposer may write: relation paths that lead somewhere from some entities, `spouse ~parents`.

    One from scratch that has seen few questions writes steps that no path follows, and the question would be asked
    whole. Held to the graph it names the likeliest steps that exist, of which the best is chosen (`plan_choice`).

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


def _plainest(options: Sequence[str]) -> str:
    """The first phrase without a possessive, which reads badly after a phrase."""
    return next((option for option in options if "{x}'s" not in option), options[0])
