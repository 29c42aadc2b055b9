"""Training data of the planner: D_std from questions with answers, D_syn from the graph alone (paper section 1.2, C).

Kept apart from training because it is the only place that looks at gold. A plan is data here: masked question, masked
triples, a sentence for each, a strategy. Topics are written [T1], [T2], everything else [ENTi], the answer last.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from clew.graph import Subgraph
from clew.graph.paths import RelationPath, follow, relation_paths, trace
from clew.graph.subgraph import Ints
from clew.methods.stem.schema import SchemaTriple, mask_topics
from clew.protocols import Example, LanguageModel
from clew.synthesis import Synthetic, Writer
from clew.synthesis.phrases import words_of
from clew.synthesis.prompted import assertions as written_assertions
from clew.types import Question

MAX_ENDS = 3000  # relation paths through more entities are not looked at


@dataclass(frozen=True)
class Lesson:
    """What a planner should write for a masked question."""

    text: str
    triples: tuple[SchemaTriple, ...]
    assertions: tuple[str, ...]
    strategy: str
    origin: str  # "standard" or "synthetic"


@dataclass(frozen=True, eq=False)
class Resolved:
    """A training question in the graph's numbers."""

    question: Question
    text: str  # masked
    names: tuple[str, ...]  # of the topics, in the order of [T1], [T2], …
    topics: tuple[int, ...]
    answers: Ints
    stated: tuple[RelationPath | None, ...]  # gold relation path per topic, where the data set states it


@dataclass(frozen=True)
class Chain:
    """The gold chain of one topic of a question."""

    steps: RelationPath
    precision: float


@dataclass
class MiningReport:
    """What mining found and left out."""

    questions: int = 0
    texts: int = 0
    plans: int = 0
    synthetic: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    strategies: Counter[str] = field(default_factory=Counter)
    hops: Counter[int] = field(default_factory=Counter)


def resolve(examples: Sequence[Example], graph: Subgraph, report: MiningReport) -> list[Resolved]:
    """Questions whose topics and answers are in the graph, by id or label."""
    labels: dict[str, list[int]] = {}
    for i, label in enumerate(graph.labels(np.arange(graph.num_entities, dtype=np.int32))):
        labels.setdefault(label.casefold(), []).append(i)
    number = {graph.relation(r).id: r for r in range(graph.num_relations)}

    def find(name: str) -> list[int]:
        local = graph.local(name)
        return [local] if local is not None else labels.get(name.casefold(), [])

    usable: list[Resolved] = []
    for example in examples:
        question, gold = example.question, example.gold
        topics = [(name, found[0]) for name in question.topics if (found := find(name))]
        answers = np.unique(
            np.array([i for name in gold.entities or gold.answers for i in find(name)], np.int32)
        ).astype(np.int32)
        if not topics:
            report.left_out["no topic in the graph"] += 1
            continue
        if not len(answers):
            report.left_out["no answer in the graph"] += 1
            continue
        place = question.text.casefold().replace("_", " ")
        spoken = dict(zip((i for _, i in topics), graph.labels([i for _, i in topics]), strict=True))

        def where(topic: tuple[str, int], place: str = place, spoken: Mapping[int, str] = spoken) -> int:
            at = [place.find(name.casefold().replace("_", " ")) for name in (topic[0], spoken[topic[1]])]
            return min((a for a in at if a >= 0), default=len(place))

        topics.sort(key=where)
        text = mask_topics(question.text, [[name, spoken[i]] for name, i in topics])
        stated = tuple(_stated(gold.paths, graph, i, number) for _, i in topics)
        usable.append(
            Resolved(question, text, tuple(spoken[i] for _, i in topics), tuple(i for _, i in topics), answers, stated)
        )
    report.questions = len(usable)
    return usable


def _stated(
    paths: Sequence[Sequence[tuple[str, str, str]]], graph: Subgraph, topic: int, number: Mapping[str, int]
) -> RelationPath | None:
    """The relation path of the first stated path that starts at the topic."""
    for path in paths:
        here: int | None = topic
        steps: list[tuple[int, bool]] = []
        for h, r, t in path:
            head, tail = graph.local(h), graph.local(t)
            if r not in number or here is None or here not in (head, tail):
                break
            forward = here == head
            steps.append((number[r], forward))
            here = tail if forward else head
        else:
            if steps:
                return tuple(steps)
    return None


def gold_chain(graph: Subgraph, topic: int, answers: Ints, hops: int, max_paths: int) -> Chain | None:
    """The relation path from a topic that reaches the answers and little else.

    The best F1 of the entities reached against the answers; among equals the shorter. All lengths compete, because the
    shortest path is often an accident (half of PQ-3H's questions have a one-hop path to their answer).
    """
    best: tuple[float, int, RelationPath] | None = None
    precision = 0.0
    for steps, reached in relation_paths(graph, [topic], hops, max_paths=max_paths, max_ends=MAX_ENDS).paths:
        others = reached[reached != topic] if topic not in answers else reached
        right = int(np.isin(others, answers).sum())
        if not right:
            continue
        key = (round(2 * right / (len(others) + len(answers)), 6), -len(steps), steps)
        if best is None or key[:2] > best[:2]:
            best, precision = key, right / len(others)
    return None if best is None else Chain(best[2], precision)


def chains_of(
    graph: Subgraph,
    resolved: Resolved,
    hops: int,
    max_paths: int,
    known: dict[Resolved, list[Chain | None]] | None = None,
) -> list[Chain | None]:
    """Per topic its gold chain; what the data set states goes first. `known` keeps them."""
    if known is not None and resolved in known:
        return known[resolved]
    found: list[Chain | None] = []
    for topic, stated in zip(resolved.topics, resolved.stated, strict=True):
        if stated is not None:
            reached = follow(graph, [topic], stated).entities
            found.append(Chain(stated, float(np.isin(reached, resolved.answers).mean()) if len(reached) else 0.0))
        else:
            found.append(gold_chain(graph, topic, resolved.answers, hops, max_paths))
    if known is not None:
        known[resolved] = found
    return found


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


def gold_rows(graph: Subgraph, resolved: Resolved, chains: Sequence[Chain | None]) -> Ints:
    """Entities of the unmasked gold triples: what the Triple-GNN should find."""
    rows: list[Ints] = [np.array(resolved.topics, np.int32)]
    for topic, chain in zip(resolved.topics, chains, strict=True):
        if chain is not None:
            walks = trace(graph, [topic], chain.steps, resolved.answers, limit=64)
            rows += [graph.heads[walks.triples], graph.tails[walks.triples]]
    return np.unique(np.concatenate(rows)).astype(np.int32)


class Statements:
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

    def say(self, triple: SchemaTriple) -> str:
        h, name, t = triple
        relation = self._number[name]
        sentence = self._writer.state(relation, h, t)
        return f"{sentence} ({self._more[relation]})" if relation in self._more else sentence


def standard_lessons(
    graph: Subgraph,
    resolved: Sequence[Resolved],
    statements: Statements,
    *,
    hops: int,
    max_paths: int,
    per_text: int,
    seed: int,
    report: MiningReport,
    model: LanguageModel | None = None,
    known: dict[Resolved, list[Chain | None]] | None = None,
) -> list[Lesson]:
    """D_std: one lesson per distinct masked text, the plan that most of its questions (a sample) have.

    Args:
        model: writes the assertions (P4); None: the grammar. Where its reply breaks the rules, the grammar does.
    """
    by_text: dict[str, list[Resolved]] = {}
    for each in resolved:
        by_text.setdefault(each.text, []).append(each)
    draw = random.Random(seed)
    found: list[tuple[str, tuple[SchemaTriple, ...], str]] = []
    for text, mine in by_text.items():
        plans: Counter[tuple[SchemaTriple, ...]] = Counter()
        single: Counter[str] = Counter()
        for each in draw.sample(mine, min(per_text, len(mine))):
            chains = chains_of(graph, each, hops, max_paths, known)
            if any(chains):
                plans[masked_triples(graph, [None if c is None else c.steps for c in chains])] += 1
            # Whether a set is asked for shows in the answers the question has, not in those the graph lacks.
            single["Precision" if len(each.answers) == 1 else "Breadth"] += 1
        if not plans:
            report.left_out["no chain to an answer"] += 1
            continue
        triples = plans.most_common(1)[0][0]
        strategy = single.most_common(1)[0][0]
        found.append((text, triples, strategy))
        report.hops[len(triples)] += 1
        report.strategies[strategy] += 1
    report.texts, report.plans = len(by_text), len(found)
    said: list[tuple[str, ...] | None] = [None] * len(found)
    if model is not None:
        said = written_assertions(model, [(text, triples) for text, triples, _ in found])
        report.left_out["assertions of the model that broke the rules"] += sum(each is None for each in said)
    return [
        Lesson(text, triples, mine or tuple(statements.say(t) for t in triples), strategy, "standard")
        for (text, triples, strategy), mine in zip(found, said, strict=True)
    ]


def synthetic_lessons(made: Sequence[Synthetic], graph: Subgraph, statements: Statements) -> list[Lesson]:
    """D_syn: the masked triples that synthesis kept, with the topics' names masked as well."""
    lessons: dict[str, Lesson] = {}
    for each in made:
        numbers = [i for id in each.question.topics if (i := graph.local(id)) is not None]
        place = each.question.text.casefold()
        # In the order in which the question names them, as a question to answer is masked.
        names = sorted(graph.labels(numbers), key=lambda name: place.find(name.casefold()) % (len(place) + 1))
        text = mask_topics(each.question.text, [[name] for name in names])
        masked = {name: f"[T{i}]" for i, name in enumerate(names, 1)}
        triples = tuple((masked.get(h, h), r, masked.get(t, t)) for h, r, t in each.masked)
        lessons.setdefault(
            text, Lesson(text, triples, tuple(statements.say(t) for t in triples), each.strategy, "synthetic")
        )
    return list(lessons.values())
