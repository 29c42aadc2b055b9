"""What is so now and what was so before: "currently", "at the moment", "former", of things that say until when.

Kept apart from the grammar of questions, which knows no graph: such a word means something only where the graph has
links or events that say when they ended, and some that did not end. A link without an end, or with one to come, holds.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np

from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.query.meanings import spelled_out
from clew.query.vocabulary import stem
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.method_sets import best_of, keeping, numbers_of, sets_of
from clew.types import Answer, Question

When = Literal["", "now", "past"]

_NOW = re.compile(
    r"(?<![\w-])(?:currently|presently|nowadays|right now|at the moment|at present|at the present time|these days"
    r"|as of (?:now|today)|today|now|still|current(?= [a-z])"
    r"|(?:(?<=the )|(?<=its )|(?<=his )|(?<=her )|(?<=their ))present(?= [a-z]))(?![\w'’-])"
)
_PAST = re.compile(r"(?<![\w-])(?:formerly|previously|used to(?= [a-z])|former(?= [a-z]))(?![\w'’-])")
_STARTS = frozenset(
    "from start started starts begin began begins beginning since joined opened hired borrowed".split()  # noqa: SIM905
)
_ENDS = frozenset(
    "to end ended ends ending until till thru left closed returned terminated expired expires".split()  # noqa: SIM905
)


def tense_of(question: Question, graph: Graph) -> tuple[Question, When]:
    """A question without the words that say whether now or before is meant, and which it is; unchanged in a graph that
    does not say what ended, or that calls something by such a word."""
    text = question.text
    now, past = _NOW.search(text), _PAST.search(text)
    match = now or past
    if match is None or not _ending(graph):
        return question, ""
    lexicon, said = Lexicon.of(graph), stem(match.group(0).split()[-1])
    if any(said in name for names in (lexicon.relations, lexicon.classes) for name in names):
        return question, ""
    if graph.resolve(match.group(0)):
        return question, ""
    for pattern in (_NOW, _PAST):
        text = pattern.sub(" ", text)
    text = re.sub(r" +(?=[,.?!]|$)", "", re.sub(r"\s+", " ", text)).strip(" ,")
    return replace(question, text=text), "now" if now else "past"


def in_tense(plan: p.Plan, when: When, graph: Graph) -> p.Plan:
    """A plan in which links that say until when they held are those that hold now, or those that are over.

    Links with properties and nameless nodes first; where a plan takes none, things that have an end themselves.
    """
    today = p.Date(datetime.now(UTC).date().isoformat())
    if not when or any(isinstance(node, p.Test) and node.value == today for node in p.walk(plan)):
        return plan
    for named in (False, True):
        made: p.Plan = _Tense(when, graph, today, named=named).of(plan, None)
        if made != plan:
            return made
    return plan


def kept_in_tense(found: Answer, when: When, graph: Graph) -> Answer:
    """A method's answer without what is over, or (`past`) without what holds still."""
    if not when or not found.candidates:
        return found
    sets = sets_of(found, graph)
    plan = in_tense(sets[0], when, graph) if sets else None
    if plan is None or plan == sets[0]:
        return found
    best = best_of(found)
    fitting = held(numbers_of(best, graph), execute(plan, graph).members)
    if fitting.any():
        return keeping(found, best, fitting)
    over = "is over" if when == "now" else "holds still"
    return replace(found, candidates=(), note=f"all that was found {over}: {', '.join(c.text for c in best[:3])}")


def _ending(graph: Graph) -> dict[int, int | None]:
    """The relations that say when something ended, where not all that began is over; with the one that says when it
    began, where one of the same name does."""

    def made() -> dict[int, int | None]:
        names = {i: frozenset(spelled_out(r.label).lower().split()) for i, r in enumerate(graph.relations())}
        begun = {name - _STARTS: i for i, name in names.items() if name & _STARTS and _dated(graph, i)}
        found: dict[int, int | None] = {}
        for i, name in names.items():
            if not name & _ENDS or not _dated(graph, i):
                continue
            start = begun.get(name - _ENDS)
            bearers = _heads(graph, i)
            others = _of_kinds(graph, bearers) if start is None else _heads(graph, start)
            if not held(others, bearers).all() or _to_come(graph, i):
                found[i] = start
        return found

    return graph.derived(("tenses.ending",), made)


def _dated(graph: Graph, relation: int) -> bool:
    values = column(graph, relation, sampled=True)
    return values.kind == "date" and values.ordered


def _heads(graph: Graph, relation: int) -> Ints:
    heads: Ints = np.unique(graph.whole.heads[graph.whole.rels == relation])
    return heads


def _to_come(graph: Graph, relation: int) -> bool:
    values = column(graph, relation, sampled=True)
    return bool(len(values.high)) and float(values.high.max()) > datetime.now(UTC).timestamp()


def _of_kinds(graph: Graph, some: Ints) -> Ints:
    """The things of the kinds that some things are of; of nodes without a name, which are of none, those that the same
    relations lead to."""
    types = list(Lexicon.of(graph).types)
    whole = graph.whole
    kind = np.isin(whole.rels, types)
    kinds = np.unique(whole.tails[kind & np.isin(whole.heads, some)])
    members: Ints = np.unique(whole.heads[kind & np.isin(whole.tails, kinds)])
    if not len(kinds) and graph.mediators_at(some).all():
        alike = np.unique(whole.tails[np.isin(whole.rels, np.unique(whole.rels[np.isin(whole.tails, some)]))])
        return alike[graph.mediators_at(alike)]
    return members if types else some


class _Tense:
    """Puts the links of one plan into a tense."""

    def __init__(self, when: When, graph: Graph, today: p.Date, *, named: bool) -> None:
        self._when, self._graph, self._today, self._named = when, graph, today, named
        self._steps = {
            graph.relation_at(end).id: None if start is None else graph.relation_at(start).id
            for end, start in _ending(graph).items()
        }

    def of(self, node: Any, onward: p.Step | None) -> Any:
        """A plan in the tense; `onward` is the step that leaves from it."""
        if isinstance(node, p.Follow):
            inner = self.of(node.of, node.path[0])
            made = node if inner == node.of else replace(node, of=inner)
            if len(made.path) == 2:
                nodes = p.Follow(made.of, made.path[:1])
                holding = self._holding(nodes)
                return made if holding is None else p.Follow(holding, made.path[1:])
            through = None if self._named else self._through(made, onward)
            if through is not None:
                return through
            return self._holding(made) or made
        if isinstance(node, p.WhereCount) and len(node.path) == 1 and (node.op, node.n) == ("=", 0):
            return self._without(node)
        if isinstance(node, p.Class) and self._named:
            return self._holding(node) or node
        if isinstance(node, tuple):
            return tuple(self.of(each, onward if isinstance(each, p.SetPlan) else None) for each in node)
        if isinstance(node, p.Plan):
            return p.rebuilt(node, lambda part: self.of(part, onward))
        return node

    def _holding(self, nodes: p.SetPlan) -> p.SetPlan | None:
        """Of some nodes those that hold in the tense; None where they say nothing of an end."""
        members = execute(nodes, self._graph).members
        unnamed = self._graph.mediators_at(members)
        if not self._named:
            members = members[unnamed]
        elif unnamed.any():
            return None
        steps = steps_of(self._graph, members, backward=False)
        own = [(step, share) for step, share in steps if step.relation in self._steps]
        if not own:
            return None
        step = max(own, key=lambda each: each[1])[0]
        over = p.Where(p.WhereCount(nodes, (step,), ">=", 1), p.Test((step,), "<", self._today))
        if self._when == "past":
            return over
        return p.Minus(nodes, over) if len(execute(over, self._graph).members) else None

    def _through(self, node: p.Follow, onward: p.Step | None) -> p.SetPlan | None:
        """A step whose links have nodes beside them: what is reached through nodes that hold. None where there are no
        such nodes, or it is them that a further step leaves from."""
        members = execute(node, self._graph).members
        unnamed = self._graph.mediators_at(members)
        if not unnamed.any() or unnamed.all():
            return None
        named = {step for step, _ in steps_of(self._graph, members[~unnamed])}
        if onward is not None and (onward == node.path[0] or onward not in named):
            return None
        nodes = self._nodes(node)
        return None if nodes is None else p.Follow(nodes, node.path)

    def _nodes(self, node: p.Follow) -> p.SetPlan | None:
        """The nodes beside the links of a step that hold in the tense, without the things that the links lead to."""
        holding = self._holding(node)
        members = execute(node, self._graph).members
        members = members[self._graph.mediators_at(members)]
        shares = {step.relation: share for step, share in steps_of(self._graph, members, backward=False)}
        have = shares.keys()
        mark = next((start for end, start in self._steps.items() if end in have and start in have), None)
        mark = mark or max(
            (each for each in have if each not in self._steps), key=lambda each: shares[each], default=""
        )
        if holding is None or shares.get(mark, 0.0) < 1:
            return None
        return p.WhereCount(holding, (p.Step(mark),), ">=", 1)

    def _without(self, node: p.WhereCount) -> p.SetPlan:
        """The members to which nothing leads now: those but what the nodes that hold lead back to."""
        links = p.Follow(node.of, node.path)
        holding = self._nodes(links) if not self._named else self._holding(links)
        if holding is None:
            return node
        step = node.path[0]
        return p.Minus(node.of, p.Follow(holding, (p.Step(step.relation, not step.forward),)))
