"""Two names side by side of which the second says where the first is: "Austin Texas" is Austin, the one in Texas.

Apart from linking because it is the one step that looks at triples.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.remote import ServerGraph
from clew.labels import label_to_text
from clew.retrieval.asking import asked_kind
from clew.retrieval.words import FUNCTION
from clew.types import Topic

Span = tuple[int, int]
Store = Graph | ServerGraph
Places = NDArray[Any]  # numbers of entities in an embedded graph, ids in a server's
FEW = 50  # things through which a place may lie in another
MOST_NEIGHBORS = 2000  # of one entity that are looked at
_BESIDE = re.compile(r"\s*,?\s*(?:in\s+)?", re.IGNORECASE)
_PLACES = re.compile(
    r"\b(?:in|at|within|locat(?:ed|ions?)|places?|countr(?:y|ies)|states?|cit(?:y|ies)|count(?:y|ies)|province|region"
    r"|contain(?:s|ed|edby)|part|division|administrative|capital|continent|area|town)\b",
    re.IGNORECASE,
)


def qualified(text: str, chosen: Sequence[tuple[Span, list[Topic]]], graph: Store) -> list[tuple[Span, list[Topic]]]:
    """The mentions without those that only say where the one before them is.

    A name directly before another, one of whose entities lies in one of the other's by a relation of place (within two
    triples), keeps only the entities that do.
    """
    dropped: set[Span] = set()
    kept = dict(chosen)
    order = sorted(kept)
    for first, second in pairwise(order):
        if not _BESIDE.fullmatch(text[first[1] : second[0]]) or first in dropped:
            continue
        inside = _lying_in(kept[first], kept[second], graph)
        if inside:
            where = text[second[0] : second[1]]
            kept[first] = [replace(topic, reason=f"{topic.reason}, in {where!r}") for topic in inside]
            dropped.add(second)
    return [(span, kept[span]) for span, _ in chosen if span not in dropped]


def of_said_kind(text: str, chosen: Sequence[tuple[Span, list[Topic]]], graph: Graph) -> list[tuple[Span, list[Topic]]]:
    """The mentions, of namesakes only those that are of the kind said right before: "the film Valencia", "the composer
    Anna Lindqvist"."""
    made = []
    for span, topics in chosen:
        before = _SAID_KIND.search(text[: span[0]])
        noun = before["noun"] if before is not None and before["noun"].split()[-1] not in FUNCTION else ""
        several = len({topic.entity.id for topic in topics}) > 1
        wanted = asked_kind(f"which {noun}", graph) if noun and several else None
        numbers = [] if wanted is None else [graph.number_of(topic.entity.id) for topic in topics]
        some = set() if wanted is None else set(wanted.tolist())
        kept = [topic for topic, number in zip(topics, numbers, strict=False) if number in some]
        made.append((span, kept or topics))
    return made


_SAID_KIND = re.compile(r"\b(?:the|our|my) (?P<noun>(?-i:[a-z]+)(?: (?-i:[a-z]+))?) $", re.IGNORECASE)


def _lying_in(inner: Sequence[Topic], outer: Sequence[Topic], graph: Store) -> list[Topic]:
    """The topics of `inner` that a relation of place joins to one of `outer`; else those joined through a third."""
    best = outer[0].entity.label  # other readings of the place do not count
    wanted = [key for topic in outer if topic.entity.label == best and (key := _key(topic, graph)) is not None]
    near: list[tuple[Topic, Places]] = []
    for topic in inner:
        key = _key(topic, graph)
        if key is not None and key not in wanted:
            near.append((topic, _places_of([key], graph)))
    direct = [topic for topic, there in near if np.isin(wanted, there).any()]
    through = (topic for topic, there in near if np.isin(wanted, _places_of(there[:FEW].tolist(), graph)).any())
    return direct or list(through)


def _key(topic: Topic, graph: Store) -> int | str | None:
    return topic.entity.id if isinstance(graph, ServerGraph) else graph.number_of(topic.entity.id)


def _places_of(keys: Sequence[Any], graph: Store) -> Places:
    """What relations of place join to some entities, in either direction."""
    if graph not in _RELATIONS:
        labels = [label_to_text(relation.label) for relation in graph.relations()]
        _RELATIONS[graph] = np.array([i for i, label in enumerate(labels) if _PLACES.search(label)], np.int32)
    if isinstance(graph, ServerGraph):
        return _places_in_server(keys, graph)
    found = [np.empty(0, np.int32)]
    for side in (graph.whole.out, graph.whole.inc):
        for number in keys:
            low, high = int(side.offsets[number]), int(side.offsets[number + 1])
            here = slice(low, min(high, low + MOST_NEIGHBORS))
            found.append(side.neighbors[here][np.isin(side.relations[here], _RELATIONS[graph])])
    return np.unique(np.concatenate(found))


def _places_in_server(ids: Iterable[str], graph: ServerGraph) -> Places:
    """The same in one query."""
    all_relations = graph.relations()
    relations = [all_relations[i].id for i in _RELATIONS[graph].tolist()]
    asked = list(ids)
    rows = graph.facts(asked, relations=relations, limit=2 * MOST_NEIGHBORS).rows if relations and asked else []
    here = set(asked)
    return np.unique(np.array([end for h, _, t, _ in rows for a, end in ((h, t), (t, h)) if a in here], str))


_RELATIONS: WeakKeyDictionary[Store, NDArray[np.int32]] = WeakKeyDictionary()
