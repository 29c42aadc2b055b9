"""Plans for questions that deny a link: the things of a kind that lack what a relation leads to.

Kept apart from `composing`, which goes by the names of relations: here a method that reads plain questions says which
relation is meant, asked about some of the things.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.graph import Graph
from clew.graph.flags import flags
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.protocols import Method, TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.decorate import Proposal
from clew.query.denials import THING, Denial
from clew.query.execute import ExecutionLimits, Executor
from clew.query.keys import steps_of
from clew.query.vocabulary import stem
from clew.retrieval.chunks import spot
from clew.retrieval.composing import Composed, compose
from clew.retrieval.events.kinds import Events
from clew.retrieval.examples import ways_of
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import class_in, one_kind
from clew.retrieval.words import FUNCTION
from clew.types import Question

RUNNER_UP = 0.5  # share of the best path's that another one must have to be meant in its place
LEAST = 0.2  # share from which a path is meant at all
LOOKED_AT = 100  # things whose kinds are looked at
SURE = 0.8  # score from which words mean a set that something may lack
OF_KIND = 0.5  # share of a path's ends that are of the kind that is said to be lacking


def passes_over(each: Composed, graph: Graph) -> bool:
    """Whether a set passes over what a question denies: "countries without kerbs" are not all countries. A flag that
    says no denies as well."""
    said_no = {id for flag in flags(graph) for id in flag.no}

    def denies(node: object) -> bool:
        said = isinstance(node, p.Entities) and not said_no.isdisjoint(node.ids)
        return said or isinstance(node, (p.Minus, p.WhereCount, p.Where))

    return bool(each.unsaid) and not any(map(denies, p.walk(each.plan)))


def _said_way(found: list[tuple[p.Path, float]], wording: str) -> list[tuple[p.Path, float]]:
    """Of a link's two directions the one that is said: "who mentors ⟨it⟩" asks for those that lead to it. A method
    asked about a thing tells the two apart by what else each has, not by the order of words."""
    both = {path for path, _ in found if len(path) == 1} & {p.turned(path) for path, _ in found if len(path) == 1}
    before, _, after = wording.partition(THING)
    verb = before.split()[-1] if not after.strip() and before.split() else ""

    def against(path: p.Path) -> bool:
        label = label_to_text(path[-1].relation.rsplit("/", 1)[-1]).lower().split()
        by_it = (
            label[-1] != "by" and bool(label) and verb in (label[0], f"{label[0]}s", f"{label[0]}ed", f"{label[0]}d")
        )
        return path in both and path[-1].forward and by_it

    return [each for each in found if not against(each[0])]


class Lacking:
    """The plans for denials in one graph."""

    def __init__(self, method: Method, graph: Graph, encoder: TextEncoder | None, *, ever: bool = True) -> None:
        """`ever`: what is lacking was never there; else it may be over, so that all may have had it."""
        self._most = 1.0 if ever else 2.0  # share of the things that have it must be less
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
            if took := self._took_part(denial, head, members):
                return took
            made = self._without(question, denial, head, members) or self._some_of(question, denial, head, members)
            if not made and len(alike := self._alike(members)) > len(members):
                made = self._without(question, denial, head, alike)  # of one customer's invoices none may be paid
            return made
        return []

    def _took_part(self, denial: Denial, head: Composed, members: Ints) -> list[Proposal]:
        """A set less those of whom there is an event that the words say: members who never borrowed have no loan,
        though they have reservations by the same name."""
        of = one_kind(self._graph, self._graph.ids_at(members[:LOOKED_AT]))
        if not isinstance(of, p.Class):
            return []
        events, words = Events(self._graph), re.findall(r"[^\W\d_]+", denial.clause.lower())
        content = [word for word in words if word not in FUNCTION]
        kinds = events.kinds()
        named = [id for id, noun in kinds.items() if id != of.id and any(
            stem(word) == stem(noun.split()[-1]) for word in content)]  # fmt: skip
        verbs = [word for word in content if not any(stem(word) == stem(kinds[id].split()[-1]) for id in named)]
        both = [id for id in events.acted(verbs, of.id) if id in named]  # "taken an exam", and no lesson
        acted = [id for id in events.acted(content, of.id) if id not in named]
        last = {
            id: max(i for i, word in enumerate(content) if stem(word) == stem(kinds[id].split()[-1])) for id in named
        }
        options = [*both, *acted, *sorted(named, key=lambda id: -last[id])]  # "a project assignment" is an assignment
        for id in options:
            ways = events.ways(id, of.id, content)
            if len(ways) != 1 or (len(ways[0]) > 1 and events.touches(id, members)):
                continue
            back, some = p.turned(ways[0]), events.all(id)
            having = p.WhereCount(of, back, ">", 0, some)
            share = float(held(members, self._executor.members(having)).mean())
            if 0 < share < self._most:
                return [Proposal(p.WhereCount(head.plan, back, "=", 0, some), head.score)]
        return []

    def _without(self, question: Question, denial: Denial, head: Composed, among: Ints) -> list[Proposal]:
        """A set less those that have what is lacked: what that is, some things tell `among` which others lack it."""
        paths = self._paths(question, denial.asked, among, denial.lacked)
        return [Proposal(p.WhereCount(head.plan, path, "=", 0), head.score * share) for path, share in paths[:1]]

    def _alike(self, members: Ints) -> Ints:
        """All things of the one kind that some are of; none where there are several."""
        of = one_kind(self._graph, self._graph.ids_at(members[:LOOKED_AT]))
        return members[:0] if of is None else self._executor.members(of)

    def _some_of(self, question: Question, denial: Denial, head: Composed, members: Ints) -> list[Proposal]:
        """What lacks only some of what a path leads to: mechanics who repair vehicles, and never a car."""
        kind: p.SetPlan | None = class_in(denial.lacked, self._graph) if denial.lacked else None
        if kind is None and denial.lacked:
            sets = compose(replace(question, text=f"which {denial.lacked}"), self._graph, self._encoder)
            kind = sets[0].plan if sets and sets[0].score >= SURE and not sets[0].unsaid else None
        if kind is None:
            return []
        wanted = self._executor.members(kind)

        def meets(path: p.Path) -> bool:
            return bool(held(self._executor.pairs(members, path)[1], wanted).any())

        near = [(step,) for step, _ in steps_of(self._graph, members) if meets((step,))]
        ways = ways_of(self._method, self._graph, question, denial.asked, members, meets)
        paths = near if len(near) == 1 else [path for path, share in ways if share >= LEAST][:1]
        for path in paths:
            having = followed(kind, p.turned(path))
            share = float(held(members, self._executor.members(having)).mean())
            if 0 < share < 1:
                return [Proposal(p.Minus(head.plan, having), head.score * (ways[0][1] if ways else LEAST))]
        return []

    def _whoever(self, question: Question, denial: Denial) -> list[Proposal]:
        """ "Who has never directed a game": of those who are what directors are, whoever has directed none."""
        kind = class_in(denial.lacked, self._graph) if denial.doers else None
        if kind is None:
            return []
        things = self._executor.members(kind)
        for path, share in self._paths(question, (denial.doers,), things, "", whole=True)[:1]:
            doers = np.unique(self._executor.pairs(things, path)[1])
            of = one_kind(self._graph, self._graph.ids_at(doers[:LOOKED_AT]))
            back = p.turned(path)
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
        if wordings:
            found = _said_way(found, wordings[0])
        best = found[0][1] if found else 0.0
        meant = [(path, score) for path, score in found if score >= max(LEAST, RUNNER_UP * best)]
        return [(path, score) for path, score in meant if whole or 0 < self._having(members, path) < self._most]

    def _only_step(self, members: Ints, wanted: Ints) -> p.Step | None:
        """The one step that leads from some members, and not from all, to things of a kind; None where several do."""
        found = []
        for step, share in steps_of(self._graph, members):
            ends = np.unique(self._executor.pairs(members, (step,))[1])
            ends = ends[~self._graph.mediators_at(ends)]  # an edge with properties leads to its node as well
            if len(ends) and float(np.isin(ends, wanted).mean()) >= OF_KIND:
                found.append((step, share))
        return found[0][0] if len(found) == 1 and found[0][1] < self._most else None

    def _having(self, members: Ints, path: p.Path) -> float:
        """The share of members that have something at the end of a path."""
        return len(np.unique(self._executor.pairs(members, path)[0])) / max(1, len(members))

    def _names(self, question: Question, clause: str) -> bool:
        """Whether a thing of the graph is named in some words."""
        spotted = spot(Question(question.id, clause), self._graph, self._encoder)
        return any(chunk.kind == "topic" for chunk in spotted.chunks)
