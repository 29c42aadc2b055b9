"""Kinds whose things are events between others, as rows of a business are: a loan of a copy to a member, an assignment
of somebody to a project. What a question says by a verb ("borrowed", "assigned") such a kind is called by.

Kept apart from `lexicon`, which knows the names of kinds and relations, and nothing of how kinds hang together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.vocabulary import akin, forms, stem
from clew.retrieval.lexicon import Lexicon, stems

KINDS = 60  # kinds of a graph that are looked at
OF_KIND = 0.9  # share of what a link leads to that is of one kind
_ACTS = """
borrow loan lending checkout/lend loan lending/take loan exam lesson/rent tenancy rental lease hire/let tenancy lease
hire rental hire booking/buy order sale purchase/purchase order sale/sell sale order/book booking reservation appointment
reserve reservation booking/assign assignment/work assignment shift job/visit visit appointment/install installation
attend attendance enrolment registration booking/enrol enrolment/enroll enrollment/play session game match/repair repair job
fix repair job/donate donation gift/give donation gift/drive trip/teach lesson/plant sowing planting/sow sowing/pick harvest
invoice invoice bill/bill invoice bill/report ticket incident/order order/staff staffing assignment/treat treatment visit
"""
_MEANT = {line.split()[0]: frozenset(line.split()[1:]) for line in _ACTS.replace("\n", "/").split("/") if line.strip()}


@dataclass(frozen=True, slots=True)
class Link:
    """A step that leads from each thing of a kind to one of another."""

    step: p.Step
    to: str  # the kind's id
    words: tuple[str, ...]  # of its name, those aside that the other kind is called by


def is_act(word: str, noun: str) -> bool:
    """Whether a verb says what a kind of events is called by: "borrowed" of loans, "assigned" of assignments."""
    last = noun.lower().split()[-1]
    said = forms(word)
    if said & forms(last) or (akin(word, last) and word != last):
        return True
    return any(last in _MEANT.get(form, ()) or stem(last) in _MEANT.get(form, ()) for form in said)


class Events:
    """How the kinds of one graph hang together."""

    def __init__(self, graph: Graph) -> None:
        self._graph, self._lexicon = graph, Lexicon.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def kinds(self) -> dict[str, str]:
        """The kinds of the graph, ids to names in words."""
        return dict(list(self._lexicon.class_ids.items())[:KINDS])

    def members(self, kind: str) -> Ints:
        return self._executor.members(p.Class(kind))

    def links(self, kind: str) -> list[Link]:
        """Where each thing of a kind leads to one of another kind."""
        return self._graph.derived(("retrieval.events", kind), lambda: list(self._links(kind)))

    def _links(self, kind: str) -> Iterator[Link]:
        members, binding = self.members(kind), Binding.of(self._graph)
        for step, _ in steps_of(self._graph, members, backward=False):
            if binding.relation(step.relation) in self._lexicon.types:
                continue
            owners, ends = self._executor.pairs(members, (step,))
            if not len(ends) or self._graph.literals_at(ends).any() or len(np.unique(owners)) < len(owners):
                continue
            to = [id for id in self.kinds() if float(held(ends, self.members(id)).mean()) >= OF_KIND]
            if to:
                least = min(to, key=lambda id: len(self.members(id)))
                own = {stem(word) for word in stems(self.kinds()[least])}
                label = self._lexicon.labels.get(step.relation, "").lower().split()
                said = tuple(word for word in label if stem(word) not in own and not _shortens(word, own))
                yield Link(step, least, said)

    def acted(self, words: Iterable[str], but: str = "") -> list[str]:
        """The kinds of events that verbs among some words say."""
        said = list(words)
        return [id for id, noun in self.kinds().items() if id != but and any(is_act(word, noun) for word in said)]

    def ways(self, event: str, kind: str, said: Sequence[str] = ()) -> list[p.Path]:
        """The paths of one step or two from things of a kind of events to those of another, those first that say least
        beside `said`."""
        mine = {form for word in said for form in forms(word)}
        found: list[tuple[int, int, p.Path]] = []
        for link in self.links(event):
            cost = sum(not forms(word) & mine for word in link.words)
            if link.to == kind:
                found.append((cost, 1, (link.step,)))
                continue
            for second in self.links(link.to):
                more = sum(not forms(word) & mine for word in second.words)
                if second.to == kind and link.to != event:
                    found.append((cost + more, 2, (link.step, second.step)))
        found.sort(key=lambda each: each[:2])
        return [path for cost, length, path in found if (cost, length) == found[0][:2]]


def _shortens(word: str, names: Iterable[str]) -> bool:
    """Whether a word is a name cut short: "emp" of employees."""
    return any(len(word) > 2 and name.startswith(word) for name in names)


def turned(path: p.Path) -> p.Path:
    """A path walked back."""
    return tuple(p.Step(step.relation, not step.forward) for step in reversed(path))
