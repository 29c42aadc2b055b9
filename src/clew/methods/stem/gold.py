"""Training data of the planner: D_std from questions with answers, D_syn from the graph alone (paper section 1.2, C).

Kept apart from training because it is the only place that looks at gold. A plan is data here: masked question, masked
triples, a sentence for each, a strategy. Topics are written [T1], [T2], everything else [ENTi], the answer last.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, trace
from clew.graph.subgraph import Ints
from clew.methods.stem.schema import MARKED, SchemaTriple, is_placeholder, masked, rename
from clew.paths.examples import EntityIndex, LeftOut, Statement, resolve
from clew.paths.gold import GoldLimits, PathCandidate, gold_paths, share_needing
from clew.protocols import Example, LanguageModel, StatedSchema
from clew.synthesis import Writer
from clew.synthesis.phrases import words_of
from clew.synthesis.prompted import assertions as written_assertions
from clew.types import Question


@dataclass(frozen=True)
class PlannerExample:
    """What a planner should write for a masked question."""

    text: str
    triples: tuple[SchemaTriple, ...]
    assertions: tuple[str, ...]
    strategy: str
    origin: str  # "standard" or "synthetic"


@dataclass(frozen=True, eq=False)
class MaskedQuestion:
    """A training question in the graph's numbers, its topics written [T1], [T2], … in the order of the text."""

    question: Question
    text: str  # masked
    names: tuple[str, ...]  # labels of the topics
    topics: tuple[int, ...]
    answers: Ints
    stated: tuple[Statement, ...]  # gold relation paths that the data set names
    planned: PlannerExample | None = None  # where the data set says what to write


def masked_questions(examples: Sequence[Example], index: EntityIndex) -> tuple[list[MaskedQuestion], LeftOut]:
    """The questions with a topic and an answer in the graph, of topics with one label the first, and those without."""
    usable, left = resolve(examples, index)
    found: list[MaskedQuestion] = []
    for each in usable:
        question = each.example.question
        if not len(each.answers):
            left.setdefault("unanswerable", []).append(question.id)
            continue
        labels = index.graph.labels(np.array(each.topics, np.int32))
        first = {label: position for position, label in reversed(list(enumerate(labels)))}
        place = question.text.casefold().replace("_", " ")

        def where(label: str, place: str = place) -> int:
            at = place.find(label.casefold().replace("_", " "))
            return at if at >= 0 else len(place)

        names = sorted(sorted(first, key=first.__getitem__), key=where)
        new = {first[name]: i for i, name in enumerate(names)}
        found.append(
            MaskedQuestion(
                question,
                masked(question.text, [_spellings(name, question.topics) for name in names]),
                tuple(names),
                tuple(each.topics[first[name]] for name in names),
                each.answers,
                tuple((new[position], path) for position, path in each.stated if position in new),
            )
        )
        if each.example.schema is not None:
            found[-1] = replace(found[-1], planned=_planned(each.example.schema, found[-1], index))
            if found[-1].planned is None:
                left.setdefault("a schema that does not fit the graph: mined instead", []).append(question.id)
    return found, left


def _planned(schema: StatedSchema, question: MaskedQuestion, index: EntityIndex) -> PlannerExample | None:
    """A stated schema with the topics' names masked; None where it names other things, or relations unknown here."""
    marks = {name: f"[T{i}]" for i, name in enumerate(question.names, 1)}
    ends = {end for h, _, t in schema.triples for end in (h, t)}
    if not all(end in marks or is_placeholder(end) for end in ends):
        return None
    if not schema.triples or not all(r in index.relations for _, r, _ in schema.triples):
        return None
    triples = tuple(
        (marks.get(h, h), index.graph.relation(index.relations[r]).id, marks.get(t, t)) for h, r, t in schema.triples
    )
    said = tuple(rename(each, marks) for each in schema.assertions)
    if not all(set(MARKED.findall(each)) == {h, t} for each, (h, _, t) in zip(said, triples, strict=bool(said))):
        said = ()
    strategy = schema.strategy or ("Precision" if len(question.answers) == 1 else "Breadth")
    return PlannerExample(question.text, triples, said, strategy, "synthetic")


def _spellings(label: str, given: Sequence[str]) -> list[str]:
    """A topic's label, and as the data set writes it."""
    return [label, *(name for name in given if name.casefold() == label.casefold())]


class GoldChains:
    """The gold chain of each topic of a question, kept: planner and Triple-GNN learn from the same ones."""

    def __init__(self, graph: Subgraph, hops: int) -> None:
        self.graph, self._limits = graph, GoldLimits(hops)
        self._known: dict[MaskedQuestion, list[PathCandidate | None]] = {}

    def of(self, question: MaskedQuestion) -> list[PathCandidate | None]:
        """Per topic the relation path to the answers and little else; what the data set states goes first."""
        if question not in self._known:
            gold = gold_paths(self.graph, question.topics, question.answers, self._limits, stated=question.stated)
            self._known[question] = [own[0] if own and own[0].path else None for own in gold.of_topics]
        return self._known[question]

    def schema(self, question: MaskedQuestion) -> tuple[SchemaTriple, ...]:
        """The gold plan of a question: the stated one, else from the chains; empty where none leads to an answer."""
        if question.planned is not None:
            return question.planned.triples
        return masked_triples(self.graph, [None if each is None else each.path for each in self.of(question)])


def masked_triples(graph: Subgraph, chains: Sequence[RelationPath | None]) -> tuple[SchemaTriple, ...]:
    """Schema triples of one chain per topic; all end in the same unknown, which has the highest number."""
    triples: list[list[str]] = []
    unknowns = 0
    for i, steps in enumerate(chains, 1):
        if steps is None:
            continue
        here = f"[T{i}]"
        for position, (relation, forward) in enumerate(steps):
            if position == len(steps) - 1:
                there = "[LAST]"
            else:
                unknowns += 1
                there = f"[ENT{unknowns}]"
            name = graph.relation(relation).id
            triples.append([here, name, there] if forward else [there, name, here])
            here = there
    last = {"[LAST]": f"[ENT{unknowns + 1}]"}
    return tuple(dict.fromkeys((last.get(h, h), r, last.get(t, t)) for h, r, t in triples))


def gold_rows(chains: GoldChains, question: MaskedQuestion) -> Ints:
    """Entities of the unmasked gold triples: what the Triple-GNN should find."""
    graph = chains.graph
    rows: list[Ints] = [np.array(question.topics, np.int32)]
    for topic, chain in zip(question.topics, chains.of(question), strict=True):
        if chain is not None:
            walks = trace(graph, [topic], chain.path, question.answers, limit=64)
            rows += [graph.heads[walks.triples], graph.tails[walks.triples]]
    return np.unique(np.concatenate(rows)).astype(np.int32)


def revisit_share(chains: GoldChains, questions: Sequence[MaskedQuestion]) -> float:
    """The share of gold chains with an answer that they only reach by walking a triple twice."""
    gold = (
        (chains.graph, topic, chain.path, question.answers)
        for question in questions
        for topic, chain in zip(question.topics, chains.of(question), strict=True)
        if chain is not None
    )
    return share_needing(gold, plain=lambda walk: len(set(walk.triples)) == len(walk.triples), allowed=lambda _: True)


class TripleSentences:
    """A sentence per masked triple, such that different relations never read the same."""

    def __init__(self, graph: Subgraph, seed: int) -> None:
        self._writer = Writer(graph, seed)
        self._number = {graph.relation(r).id: r for r in range(graph.num_relations)}
        said = [self._writer.state(r, "{h}", "{t}") for r in range(graph.num_relations)]
        count = Counter(said)
        self._more = {
            r: " ".join(words_of(part) for part in graph.relation(r).id.split(".")[:-1]) or graph.relation(r).id
            for r in range(graph.num_relations)
            if count[said[r]] > 1
        }

    def say(self, triple: SchemaTriple, sentence: str = "") -> str:
        """`sentence`, or the grammar's, with more words where another relation reads the same."""
        h, name, t = triple
        relation = self._number[name]
        sentence = sentence or self._writer.state(relation, h, t)
        return f"{sentence} ({self._more[relation]})" if relation in self._more else sentence


def planner_examples(
    questions: Sequence[MaskedQuestion],
    chains: GoldChains,
    statements: TripleSentences,
    *,
    per_text: int,
    seed: int,
    model: LanguageModel | None = None,
) -> tuple[list[PlannerExample], LeftOut]:
    """One example per distinct masked text: what the data set states (D_syn), else the plan that most of its questions
    (a sample) have (D_std). Also the masked texts without one.

    Args:
        model: writes the assertions (P4); None: the grammar. Where its reply breaks the rules, the grammar does.
    """
    stated: dict[str, PlannerExample] = {}
    for each in questions:
        if (plan := each.planned) is not None:
            said = plan.assertions or ("",) * len(plan.triples)
            assertions = tuple(statements.say(t, words) for t, words in zip(plan.triples, said, strict=True))
            stated.setdefault(each.text, replace(plan, assertions=assertions))
    by_text: dict[str, list[MaskedQuestion]] = {}
    for each in (each for each in questions if each.planned is None):
        by_text.setdefault(each.text, []).append(each)
    draw = random.Random(seed)
    found: list[tuple[str, tuple[SchemaTriple, ...], str]] = []
    left: LeftOut = {}
    for text, own in by_text.items():
        plans: Counter[tuple[SchemaTriple, ...]] = Counter()
        single: Counter[str] = Counter()
        for each in draw.sample(own, min(per_text, len(own))):
            if schema := chains.schema(each):
                plans[schema] += 1
            # Whether a set is asked for shows in the answers the question has, not in those the graph lacks.
            single["Precision" if len(each.answers) == 1 else "Breadth"] += 1
        if not plans:
            left.setdefault("no chain to an answer", []).append(text)
            continue
        found.append((text, plans.most_common(1)[0][0], single.most_common(1)[0][0]))
    written: list[tuple[str, ...] | None] = [None] * len(found)
    if model is not None:
        written = written_assertions(model, [(text, triples) for text, triples, _ in found])
        broken = [text for (text, _, _), said in zip(found, written, strict=True) if said is None]
        left |= {"assertions of the model that broke the rules": broken} if broken else {}
    mined = [
        PlannerExample(text, triples, said or tuple(statements.say(t) for t in triples), strategy, "standard")
        for (text, triples, strategy), said in zip(found, written, strict=True)
    ]
    return [*mined, *stated.values()], left
