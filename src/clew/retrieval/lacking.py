"""Plans for questions that deny a link: the things of a kind that lack what a relation leads to.

Kept apart from `composing`, which goes by the names of relations: here a method that reads plain questions says which
relation is meant, asked about some of the things.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from clew.graph import Graph
from clew.graph.flags import flags
from clew.graph.subgraph import Ints
from clew.protocols import Method, TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.decorate import Proposal
from clew.query.denials import Denial
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.retrieval.chunks import spot
from clew.retrieval.composing import Composed
from clew.retrieval.examples import ways_of
from clew.retrieval.lexicon import class_in, kinds_of
from clew.types import Question

RUNNER_UP = 0.5  # share of the best path's that another one must have to be meant in its place
LEAST = 0.2  # share from which a path is meant at all
OF_KIND = 0.5  # share of a path's ends that are of the kind that is said to be lacking


def passes_over(each: Composed, graph: Graph) -> bool:
    """Whether a set passes over what a question denies: "countries without kerbs" are not all countries. A flag that
    says no denies as well."""
    said_no = {id for flag in flags(graph) for id in flag.no}

    def denies(node: object) -> bool:
        said = isinstance(node, p.Entities) and not said_no.isdisjoint(node.ids)
        return said or isinstance(node, (p.Minus, p.WhereCount, p.Where))

    return bool(each.unsaid) and not any(map(denies, p.walk(each.plan)))


class Lacking:
    """The plans for denials in one graph."""

    def __init__(self, method: Method, graph: Graph, encoder: TextEncoder | None) -> None:
        self._method, self._graph, self._encoder = method, graph, encoder
        self._binding = Binding.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def proposals(self, question: Question, denial: Denial, heads: Sequence[Composed]) -> list[Proposal]:
        """The things without what is denied, best first; nothing where the denial names a thing ("not from Peru").

        Args:
            heads: the sets that the words before the denial may mean, best first.
        """
        if self._names(question, denial.clause):
            return []
        if not denial.head:
            return self._whoever(question, denial)
        for head in heads[:1]:
            members = self._executor.members(head.plan)
            return [
                Proposal(p.WhereCount(head.plan, path, "=", 0), head.score * share)
                for path, share in self._paths(question, denial.asked, members, denial.lacked)
            ][:1]
        return []

    def _whoever(self, question: Question, denial: Denial) -> list[Proposal]:
        """ "Who has never directed a game": of those who are what directors are, whoever has directed none."""
        kind = class_in(denial.lacked, self._graph) if denial.doers else None
        if kind is None:
            return []
        things = self._executor.members(kind)
        for path, share in self._paths(question, (denial.doers,), things, "", whole=True)[:1]:
            doers = np.unique(self._executor.pairs(things, path)[1])
            names = sorted(kinds_of(self._graph, self._graph.ids_at(doers[:100])))
            of = class_in(names[0], self._graph) if len(names) == 1 else None
            back = tuple(p.Step(step.relation, not step.forward) for step in reversed(path))
            if of is not None and 0 < self._having(self._executor.members(of), back) < 1:
                return [Proposal(p.WhereCount(of, back, "=", 0), share)]
        return []

    def _paths(
        self, question: Question, wordings: Sequence[str], members: Ints, lacked: str, *, whole: bool = False
    ) -> list[tuple[p.Path, float]]:
        """The paths that a denial may mean: some members have one, others do not (`whole`: all may have it)."""
        kind = class_in(lacked, self._graph) if lacked else None
        wanted = None if kind is None else self._executor.members(kind)

        def fits(path: p.Path) -> bool:
            if path[-1].forward and self._binding.relation(path[-1].relation) in self._binding.type_relations:
                return False
            if wanted is None:
                return True
            ends = np.unique(self._executor.pairs(members, path)[1])
            return len(ends) > 0 and float(np.isin(ends, wanted).mean()) >= OF_KIND

        if wanted is not None and not whole and (only := self._only_step(members, wanted)) is not None:
            return [((only,), 1.0)]
        found = ways_of(self._method, self._graph, question, wordings, members, fits)
        best = found[0][1] if found else 0.0
        meant = [(path, score) for path, score in found if score >= max(LEAST, RUNNER_UP * best)]
        return [(path, score) for path, score in meant if whole or 0 < self._having(members, path) < 1]

    def _only_step(self, members: Ints, wanted: Ints) -> p.Step | None:
        """The one step that leads from some members, and not from all, to things of a kind; None where several do."""
        found = []
        for step, share in steps_of(self._graph, members):
            ends = np.unique(self._executor.pairs(members, (step,))[1])
            ends = ends[~self._graph.mediators_at(ends)]  # an edge with properties leads to its node as well
            if len(ends) and float(np.isin(ends, wanted).mean()) >= OF_KIND:
                found.append((step, share))
        return found[0][0] if len(found) == 1 and found[0][1] < 1 else None

    def _having(self, members: Ints, path: p.Path) -> float:
        """The share of members that have something at the end of a path."""
        return len(np.unique(self._executor.pairs(members, path)[0])) / max(1, len(members))

    def _names(self, question: Question, clause: str) -> bool:
        """Whether a thing of the graph is named in some words."""
        spotted = spot(Question(question.id, clause), self._graph, self._encoder)
        return any(chunk.kind == "topic" for chunk in spotted.chunks)
