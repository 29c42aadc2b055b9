"""The topics of a question and how the question calls each: the same for every method that walks from them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rapidfuzz import fuzz, process

from clew.graph import Graph, Subgraph, has_arrays
from clew.graph.remote import ServerGraph
from clew.protocols import GraphStore, TextEncoder
from clew.query.vocabulary import stem
from clew.reading.trails import PathHypothesis
from clew.retrieval.lexicon import Lexicon, kinds_of, stems
from clew.retrieval.linking import Linker, link_topics
from clew.retrieval.masking import mask_topics
from clew.types import Question, Topic

T = TypeVar("T")
MOST_TOPICS = 6  # that are walked from
MAX_TRIPLES = 50_000  # of the neighbourhood fetched from a graph that is not embedded
ALTERNATIVES = 3  # other plans named in `details`, and offered to a reader
LEAST_LIKENESS = 70.0  # percent, of a part of the question to the label of a topic that was supplied
LONGEST_NAME = 8  # words of such a part


@dataclass(frozen=True, slots=True)
class Start:
    """Where the answer to a question is looked for. `mention` of each topic is how the question calls it."""

    topics: tuple[Topic, ...]
    told: tuple[str, ...]  # what there is to say about how they were found


def start_of(
    question: Question,
    graph: GraphStore,
    *,
    linker: Linker | None,
    encoder: TextEncoder | None,
    most: int = MOST_TOPICS,
) -> Start:
    """The first `most` topics of a question; none is said in `told` and never raised."""
    linked = link_topics(question, graph, linker=linker, encoder=encoder)
    kept = _things(linked.topics, graph)[:most]
    told = (linked.note,) if linked.note else ()
    if len(kept) < len(linked):
        told = (*told, f"{len(linked) - len(kept)} more topics were not walked from")
    called = (replace(topic, mention=mention_of(question.text, topic, graph)) for topic in kept)
    return Start(tuple(replace(t, mention=_with_its_kind(question.text, t, graph)) for t in called), told)


def _with_its_kind(text: str, topic: Topic, graph: GraphStore) -> str:
    """A mention with the noun behind it that says of what kind the thing is: "the Aurora ferry" asks for no ferry."""
    if not isinstance(graph, Graph) or not Lexicon.of(graph).types:
        return topic.mention
    found = re.search(rf"{re.escape(topic.mention)} (?P<noun>[a-z]+)\b", text, re.IGNORECASE)
    if found is None or stem(found["noun"].lower()) != found["noun"].lower():
        return topic.mention
    named = Lexicon.of(graph).class_ids.get(Lexicon.of(graph).classes.get(stems(found["noun"]), ""))
    return found.group(0) if named in kinds_of(graph, (topic.entity.id,)) else topic.mention


def _things(topics: Sequence[Topic], graph: GraphStore) -> tuple[Topic, ...]:
    """The topics that are things: no labelled relation, and no kind where something else is named.

    A path from a kind leads to everything of that kind; which kind is asked for is read from the question's words.
    """
    if not isinstance(graph, Graph):
        return tuple(topics)
    kinds = Lexicon.of(graph).class_ids
    named = [topic for topic in topics if graph.relation_number(topic.entity.id) is None]
    things = [topic for topic in named if topic.entity.id not in kinds]
    return tuple(things or named)


def mention_of(question: str, topic: Topic, graph: GraphStore) -> str:
    """How the question calls the topic: as linked, by its label, by an alias, or by what is most like its label."""
    for name in _names(topic, graph):
        if mask_topics(question, [[name]]).found[0]:
            return name
    words = question.rstrip("?!. ").split()
    parts = [
        " ".join(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(len(words), i + LONGEST_NAME) + 1)
    ]
    best = process.extractOne(topic.entity.label, parts, scorer=fuzz.ratio, processor=str.casefold)
    return best[0] if best is not None and best[1] >= LEAST_LIKENESS else topic.entity.label


def _names(topic: Topic, graph: GraphStore) -> Iterator[str]:
    yield from (topic.mention, topic.entity.label)
    if has_arrays(graph) or isinstance(graph, ServerGraph):
        yield from graph.aliases_of(topic.entity.id)


def starts_of(ground: Subgraph, topics: Sequence[Topic]) -> list[int]:
    """Local numbers of those topics that stand in `ground`."""
    return [start for topic in topics if (start := ground.local(topic.entity.id)) is not None]


def but_for_names(trails: Sequence[PathHypothesis], topics: Sequence[Topic]) -> tuple[object, ...]:
    """Equal for paths that differ only in which of several equally likely entities of one name they start from."""
    return tuple((topics[t.topic].mention, round(topics[t.topic].score, 3), t.steps) for t in trails)


def namesakes(
    found: Sequence[T], topics: Sequence[Topic], way: Callable[[T], tuple[Sequence[PathHypothesis], object]]
) -> list[T]:
    """Those that differ from the first only in which of several equally likely entities of one name they start from.

    Args:
        way: the paths of each, and what follows where they meet.
    """

    def shape(each: T) -> tuple[object, ...]:
        trails, after = way(each)
        return *but_for_names(trails, topics), after

    first = shape(found[0])
    return [each for each in found[1:] if shape(each) == first]
