"""Which relation a question about many things means, told by the same question about some of them.

"Lights that no routine controls" names no light, so that no path starts anywhere; "which routine controls the desk
lamp" is a plain question that every method reads. What it says of the desk lamp holds for all lights.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.protocols import GraphStore, Method
from clew.query import plan as p
from clew.query.denials import THING
from clew.types import Answer, Question

EXAMPLES = 3  # things that are asked about
LEAST = 0.05  # share from which a way is looked at
CLEAR = 0.5  # share from which one wording of a question is enough
LOOKED_AT = 2000  # members that are looked at for examples


@dataclass(frozen=True, slots=True)
class Way:
    """A relation path from a thing to what is asked of it."""

    path: p.Path
    share: float  # of the probability among the ways, given that one is right
    probability: float  # that the likeliest of them is right


@runtime_checkable
class OffersWays(Protocol):
    """A method that can say which relation paths it weighs, also where it is too unsure to answer."""

    def ways(self, question: Question, graph: GraphStore, most: int = 40) -> list[Way]:
        """The relation paths that may lead from the question's one topic to what is asked of it, likeliest first."""
        ...


def examples_of(graph: Graph, members: Ints, most: int = EXAMPLES) -> Ints:
    """Members that have most of the set's relations between them: (E,) of (M,) numbers."""
    if len(members) > LOOKED_AT:
        members = members[np.linspace(0, len(members) - 1, LOOKED_AT).astype(np.int64)]
    having = np.zeros((len(members), 2 * graph.num_relations), np.bool_)
    for side, first in ((graph.whole.out, 0), (graph.whole.inc, graph.num_relations)):
        low, high = side.offsets[members], side.offsets[members.astype(np.int64) + 1]
        counts = high - low
        places = np.arange(int(counts.sum())) + np.repeat(low - (np.cumsum(counts) - counts), counts)
        having[np.repeat(np.arange(len(members)), counts), first + side.relations[places]] = True
    chosen: list[int] = []
    new, degree = having.copy(), graph.whole.out.counts(members) + graph.whole.inc.counts(members)
    for _ in range(min(most, len(members))):
        order = np.lexsort((-degree, -new.sum(axis=1)))
        chosen.append(next(int(i) for i in order if i not in chosen))
        new &= ~having[chosen[-1]]
    return members[chosen]


def ways_of(
    method: Method,
    graph: Graph,
    question: Question,
    wordings: Sequence[str],
    members: Ints,
    fits: Callable[[p.Path], bool],
) -> list[tuple[p.Path, float]]:
    """The relation paths that a question about members means, with how likely each is; best first.

    Args:
        wordings: of the question about one thing, with `THING` for it; the next is asked where one leaves it open.
        members: the things, of which some are asked about.
        fits: whether a path may be meant.
    """
    found: dict[p.Path, float] = {}  # the least that any example gives: who was not trained lacks the path to a trainer
    examples = examples_of(graph, members)
    named = list(zip(graph.ids_at(examples), graph.labels_at(examples), strict=True))
    for wording in wordings:
        told: dict[p.Path, float] = {}
        for id, label in named:
            asked = replace(question, text=wording.replace(THING, label), topics=(id,))
            for way in ways_from(method, asked, graph):
                told[way.path] = min(way.share, told.get(way.path, 1.0))
        for path, share in told.items():
            if share > found.get(path, LEAST) and not _returns(path) and fits(path):
                found[path] = share
        if max(found.values(), default=0.0) >= CLEAR:
            break
    return sorted(found.items(), key=lambda each: -each[1])


def _returns(path: p.Path) -> bool:
    """Whether a path goes back over the relation that it has just taken."""
    return any(a.relation == b.relation and a.forward != b.forward for a, b in pairwise(path))


def ways_from(method: Method, asked: Question, graph: Graph) -> list[Way]:
    """The relation paths that a method weighs from a question's one topic, or those of its answer; likeliest first."""
    if isinstance(method, OffersWays):
        return method.ways(asked, graph)
    return _walked(method.predict([asked], graph)[0])


def _walked(answer: Answer) -> list[Way]:
    """The relation paths of an answer."""
    score = answer.candidates[0].score if answer.candidates else 0.0
    paths = {path.relations for candidate in answer.candidates[:1] for path in answer.paths_of(candidate)}
    return [Way(tuple(p.Step(r, f) for r, f in path), score, score) for path in sorted(paths) if path]
