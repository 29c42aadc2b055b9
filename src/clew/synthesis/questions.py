"""Question sets from a graph alone, as every `clew train` reads them.

Ties sampling and writing together and counts what came out (STEM Table 10): hops, strategies, constructions, relations
covered, and why structures were dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from clew.errors import InputError
from clew.graph.subgraph import Subgraph
from clew.protocols import Example, StatedSchema
from clew.synthesis.structures import SamplingConfig, Structure, StructureSampler
from clew.synthesis.writer import Writer, Written
from clew.types import Gold, Question

AGAIN = 400  # known questions in a row after which a graph is taken to hold no others


@dataclass(frozen=True, slots=True)
class Synthetic:
    """A made question with its answers, and what a planner is trained on."""

    question: Question
    gold: Gold
    assertions: tuple[str, ...]
    masked: tuple[tuple[str, str, str], ...]
    strategy: str

    def example(self) -> Example:
        """The question to train on, with what a planner should write for it."""
        schema = StatedSchema(self.masked, self.assertions, self.strategy)
        return Example(self.question, self.gold, synthetic=True, schema=schema)

    def to_row(self) -> dict[str, Any]:
        """The plain question format, with the planner's targets as further keys."""
        return {
            "id": self.question.id,
            "question": self.question.text,
            "q_entity": list(self.question.topics),
            "answer": list(self.gold.answers),
            "a_entity": list(self.gold.entities),
            "hops": self.gold.hops,
            "type": self.gold.kind,
            "paths": [[list(triple) for triple in path] for path in self.gold.paths],
            "assertions": list(self.assertions),
            "masked": [list(triple) for triple in self.masked],
            "strategy": self.strategy,
        }


@dataclass
class SynthesisReport:
    """What a synthesis made, and what it left out."""

    questions: int = 0
    duplicates: int = 0
    characters: int = 0
    hops: Counter[int] = field(default_factory=Counter)
    strategies: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    dropped: dict[str, int] = field(default_factory=dict)
    relations_covered: int = 0
    relations: int = 0
    unreadable: list[str] = field(default_factory=list)  # relations whose names hold no word, such as P31
    phrasings: int = 0

    def count(self, structure: Structure, written: Written, strategy: str, covered: int) -> None:
        """Add one question that was kept."""
        self.questions += 1
        self.relations_covered = covered
        self.characters += len(written.text)
        self.hops[structure.hops] += 1
        self.strategies[strategy] += 1
        self.forms[written.form] += 1

    def warning(self) -> str:
        """What a person should know before training on the questions; empty where all is well."""
        if not self.unreadable:
            return ""
        named = ", ".join(self.unreadable[:3]) + (", …" if len(self.unreadable) > 3 else "")
        return (
            f"{len(self.unreadable)} of {self.relations} relations have names without an English word ({named}), and "
            "so have the questions about them: give them labels with  clew build --labels FILE"
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "questions": self.questions,
            "duplicates": self.duplicates,
            "mean_characters": round(self.characters / max(1, self.questions), 1),
            "hops": {str(k): v for k, v in sorted(self.hops.items())},
            "strategies": dict(self.strategies),
            "forms": dict(self.forms.most_common()),
            "dropped": self.dropped,
            "relations": self.relations,
            "relations_covered": self.relations_covered,
            "relations_without_words": len(self.unreadable),
            "phrasings": self.phrasings,
        }


def synthesize(
    graph: Subgraph,
    count: int,
    *,
    seed: int = 0,
    sampling: SamplingConfig | None = None,
    report: SynthesisReport | None = None,
) -> Iterator[Synthetic]:
    """`count` distinct questions over `graph`; the same seed gives the same questions.

    Raises InputError when the graph cannot yield that many different questions.
    """
    sampler = StructureSampler(graph, sampling or SamplingConfig(), seed)
    writer = Writer(graph, seed + 1)
    report = report if report is not None else SynthesisReport()
    report.relations, report.phrasings, report.unreadable = graph.num_relations, writer.forms, writer.unreadable
    report.dropped = sampler.dropped
    seen: set[tuple[str, int]] = set()
    again = 0
    covered: set[int] = set()
    while report.questions < count:
        structure = sampler.one()
        written = writer.write(structure)
        key = (written.text.lower().rstrip("?"), structure.topic)
        if key in seen:
            report.duplicates += 1
            again += 1
            if again > AGAIN or report.duplicates > 8 * (report.questions + 50):
                raise InputError(
                    f"the graph yields only about {report.questions} different questions; {count} were asked for"
                )
            continue
        seen.add(key)
        again = 0
        covered.update(relation for relation, _ in structure.steps)
        report.count(structure, written, structure.strategy, len(covered))
        yield record(graph, structure, written, f"synthetic-{seed}-{report.questions}", structure.strategy)


def record(graph: Subgraph, structure: Structure, written: Written, id: str, strategy: str) -> Synthetic:
    """A structure and its words as a question with every answer that the graph gives it."""
    topics = [structure.topic] + ([structure.branch.topic] if structure.branch else [])
    entities = [graph.entity(answer) for answer in structure.answers]
    path = []
    for (a, b), (relation, forward) in zip(pairwise(structure.thread), structure.steps, strict=True):
        head, tail = (a, b) if forward else (b, a)
        path.append((graph.entity(head).id, graph.relation(relation).id, graph.entity(tail).id))
    gold = Gold(
        answers=tuple(dict.fromkeys(entity.label for entity in entities)),
        entities=tuple(entity.id for entity in entities),
        paths=(tuple(path),) if structure.branch is None else (),
        hops=structure.hops,
        kind="conjunction" if structure.branch else "chain",
    )
    question = Question(id, written.text, tuple(graph.entity(topic).id for topic in topics))
    return Synthetic(question, gold, written.assertions, written.masked, strategy)
