"""Two names side by side of which the second says where the first is: "Austin Texas" is Austin, the one in Texas.

Apart from linking because it is the one step that looks at triples.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from weakref import WeakKeyDictionary

import numpy as np

from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.types import Topic

Span = tuple[int, int]
FEW = 50  # things through which a place may lie in another
MOST_NEIGHBORS = 2000  # of one entity that are looked at
_BESIDE = re.compile(r"\s*,?\s*(?:in\s+)?", re.IGNORECASE)
_PLACES = re.compile(
    r"\b(?:in|at|within|locat(?:ed|ions?)|places?|countr(?:y|ies)|states?|cit(?:y|ies)|count(?:y|ies)|province|region"
    r"|contain(?:s|ed|edby)|part|division|administrative|capital|continent|area|town)\b",
    re.IGNORECASE,
)


def qualified(text: str, chosen: Sequence[tuple[Span, list[Topic]]], graph: Graph) -> list[tuple[Span, list[Topic]]]:
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


def _lying_in(inner: Sequence[Topic], outer: Sequence[Topic], graph: Graph) -> list[Topic]:
    """The topics of `inner` that a relation of place joins to one of `outer`; else those joined through a third."""
    best = outer[0].entity.label  # other readings of the place do not count
    wanted = [
        n for topic in outer if topic.entity.label == best and (n := graph.number_of(topic.entity.id)) is not None
    ]
    near: list[tuple[Topic, Ints]] = []
    for topic in inner:
        number = graph.number_of(topic.entity.id)
        if number is not None and number not in wanted:
            near.append((topic, _places_of([number], graph)))
    direct = [topic for topic, there in near if np.isin(wanted, there).any()]
    through = (topic for topic, there in near if np.isin(wanted, _places_of(there[:FEW].tolist(), graph)).any())
    return direct or list(through)


def _places_of(numbers: Sequence[int], graph: Graph) -> Ints:
    """What relations of place join to some entities, in either direction."""
    if graph not in _RELATIONS:
        labels = [label_to_text(relation.label) for relation in graph.relations()]
        _RELATIONS[graph] = np.array([i for i, label in enumerate(labels) if _PLACES.search(label)], np.int32)
    found = [np.empty(0, np.int32)]
    for side in (graph.whole.out, graph.whole.inc):
        for number in numbers:
            low, high = int(side.offsets[number]), int(side.offsets[number + 1])
            here = slice(low, min(high, low + MOST_NEIGHBORS))
            found.append(side.neighbors[here][np.isin(side.relations[here], _RELATIONS[graph])])
    return np.unique(np.concatenate(found))


_RELATIONS: WeakKeyDictionary[Graph, Ints] = WeakKeyDictionary()
