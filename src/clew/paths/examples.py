"""Training examples in the numbers of a graph: topics, gold answers, and the relation paths that a data set states.

Gold is read here, in `paths.gold` and in evaluation only. Answering never imports this module.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import UnsupportedError
from clew.graph import Graph, has_arrays
from clew.graph.paths import RelationPath
from clew.graph.subgraph import Ints, Subgraph
from clew.protocols import Example, GraphStore

MOST_STATED = 4  # hops that a training takes from what its questions state
LeftOut = dict[str, list[str]]  # ids of questions that cannot be learned from, by reason
NO_PATH = "no path from a topic to an answer"  # one of the reasons
Statement = tuple[int, RelationPath]  # position of the topic in its question, and a gold relation path from it


class EntityIndex:
    """Ids, and labels in any case, to the local numbers of a graph."""

    def __init__(self, graph: Subgraph) -> None:
        self.graph = graph
        self.relations: dict[str, int] = {}
        for r in range(graph.num_relations):
            relation = graph.relation(r)
            self.relations.setdefault(relation.label, r)
            self.relations[relation.id] = r
        self._labels: dict[str, list[int]] = {}
        for i, label in enumerate(graph.labels(np.arange(graph.num_entities, dtype=np.int32))):
            self._labels.setdefault(label.casefold(), []).append(i)

    def numbers(self, names: Sequence[str]) -> list[int]:
        """The entities of these ids or labels, without repetition; a name that is an id means that entity alone."""
        found: list[int] = []
        for name in names:
            local = self.graph.local(name)
            found += [local] if local is not None else self._labels.get(name.casefold(), [])
        return list(dict.fromkeys(found))


@dataclass(frozen=True, eq=False)
class TrainingQuestion:
    """An example whose topics and answers the graph holds; no answers where the question is unanswerable."""

    example: Example
    topics: tuple[int, ...]  # at least one
    answers: Ints  # ascending
    stated: tuple[Statement, ...]  # gold relation paths of the data set that start at a topic


def resolve(examples: Sequence[Example], index: EntityIndex) -> tuple[list[TrainingQuestion], LeftOut]:
    """The examples that can be learned from, and by reason the ids of those that cannot."""
    usable: list[TrainingQuestion] = []
    left: LeftOut = {"unknown topic": [], "unknown answers": [], "no answers": []}
    for example in examples:
        question, gold = example.question, example.gold
        topics = tuple(index.numbers(question.topics))
        answers = np.unique(np.array(index.numbers(gold.entities or gold.answers), np.int32))
        named = bool(gold.answers or gold.entities)
        if not named and not unanswerable(example):
            left["no answers"].append(question.id)
        elif not topics:
            left["unknown topic"].append(question.id)
        elif named and not len(answers):
            left["unknown answers"].append(question.id)
        else:
            usable.append(TrainingQuestion(example, topics, answers, stated_paths(gold.paths, index, topics)))
    return usable, {reason: ids for reason, ids in left.items() if ids}


def unanswerable(example: Example) -> bool:
    """Whether the data set says that the graph holds no answer."""
    return example.gold.hops == 0 or example.gold.kind == "unanswerable"


def longest_stated(examples: Iterable[Example], default: int) -> int:
    """The most hops that questions state, up to `MOST_STATED`; `default` where none states any."""
    return min(MOST_STATED, max((example.gold.hops for example in examples if example.gold.hops), default=default))


def stated_paths(
    paths: Sequence[Sequence[tuple[str, str, str]]], index: EntityIndex, topics: Sequence[int]
) -> tuple[Statement, ...]:
    """The gold paths of a data set as relation paths from a topic.

    A path is triples (head, relation, tail) that join, stated from its topic or towards it. One whose relations the
    graph does not hold, whose triples do not join, or that starts at no topic is left out.
    """
    found: dict[Statement, None] = {}
    for path in paths:
        for triples in (path, tuple(reversed(path))):
            statement = _from_topic(triples, index, topics)
            if statement is not None:
                found[statement] = None
                break
    return tuple(found)


def _from_topic(triples: Sequence[tuple[str, str, str]], index: EntityIndex, topics: Sequence[int]) -> Statement | None:
    if not triples or any(relation not in index.relations for _, relation, _ in triples):
        return None
    for position, topic in enumerate(topics):
        entity = index.graph.entity(topic)
        here = {entity.id, entity.label}
        path = _joined(triples, here, index.relations)
        if path:
            return position, path
    return None


def _joined(triples: Sequence[tuple[str, str, str]], start: set[str], relations: Mapping[str, int]) -> RelationPath:
    """The triples walked from `start`, by names; empty where they do not join."""
    here = start
    steps: list[tuple[int, bool]] = []
    for head, relation, tail in triples:
        if not {head, tail} & here:
            return ()
        forward = head in here
        steps.append((relations[relation], forward))
        here = {tail if forward else head}
    return tuple(steps)


def in_graphs(examples: Iterable[Example], shared: GraphStore) -> Iterator[tuple[Example, EntityIndex]]:
    """Each example with the names of the graph that it is asked in: its own, else the shared one.

    Raises UnsupportedError for a graph whose triples are not at hand.
    """
    names: dict[bool, EntityIndex] = {}  # of the shared graph, and of the last other one
    for example in examples:
        graph = arrays_of(example.graph or shared)
        own = example.graph is not None
        if own not in names or names[own].graph is not graph:
            names[own] = EntityIndex(graph)
        yield example, names[own]


def by_graph(examples: Iterable[Example], shared: GraphStore) -> list[tuple[GraphStore, list[Example]]]:
    """The examples that are asked in the same graph, together."""
    groups: dict[int, tuple[GraphStore, list[Example]]] = {}
    for example in examples:
        graph = example.graph or shared
        groups.setdefault(id(graph), (graph, []))[1].append(example)
    return list(groups.values())


def arrays_of(store: GraphStore) -> Subgraph:
    """The triples of a graph. Raises UnsupportedError where they are not at hand."""
    if not has_arrays(store):
        raise UnsupportedError(
            f"graph {store.name!r}: training needs its triples at hand; clew build makes such a graph"
        )
    return store.as_subgraph


def training_graph(examples: Sequence[Example], shared: GraphStore) -> GraphStore:
    """The graph to train on: the shared one, or the union of the questions' own."""
    own = {example.graph.name: example.graph for example in examples if example.graph is not None}
    if not own:
        return shared
    triples = ((t.head.id, t.relation.id, t.tail.id) for graph in own.values() for t in graph.triples())
    return Graph.from_triples(triples, name=f"union of {len(own)} question graphs")
