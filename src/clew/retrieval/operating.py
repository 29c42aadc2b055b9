"""A question's operators around the sets that its parts compose, and questions that ask for yes or no.

Kept apart from `operators`, which decides between these and what a method finds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.decorate import Likeness, Proposal, decorate
from clew.query.execute import execute
from clew.query.question import ReadQuestion
from clew.query.vocabulary import head_of, stem
from clew.retrieval.chunks import Lexicon, spot, stems
from clew.retrieval.composing import Composed, compose
from clew.retrieval.words import FUNCTION
from clew.types import Question

SETS = 4  # composed sets that operators are put around
SURE = 0.62  # a set below this decides no yes or no


def operated(graph: Graph, sets: Sequence[Composed], read: ReadQuestion, likeness: Likeness) -> list[Proposal]:
    """The plans that a question's operators make of composed sets, best first."""
    read = replace(read, negated=False, without="")  # the sets hold what the question denies
    made: dict[p.Plan, float] = {}
    for each in sets[:SETS]:
        if read.count and each.path and not read.filters and (plan := _stated(graph, each, read)) is not None:
            made[plan] = each.score
            continue
        if (plan := _commonest(graph, each, read)) is not None:
            made[plan] = each.score
            continue
        base, path = _operated_on(graph, each, read)
        for found in decorate(graph, base, read, likeness=likeness, domain=_domain(base)):
            plan = _projected(graph, found.plan, path)
            made[plan] = max(made.get(plan, 0.0), found.prior * each.score)
    return [Proposal(plan, prior) for plan, prior in sorted(made.items(), key=lambda item: -item[1])]


def _stated(graph: Graph, each: Composed, read: ReadQuestion) -> p.Plan | None:
    """What a count of a relation's name means: "how many wins" a number that the graph states, of several things their
    sum; in a table, where a column counts or dates the rows, the rows. None: the things that the relation leads to."""
    found = _column(graph, each.path)
    rows = Lexicon.of(graph).table and re.search(r"\b(?:different|distinct|unique)\b", read.text) is None
    several = len(execute(each.base, graph).members) > 1
    if found.kind == "number" and found.ordered and not (rows and several and _counts_rows(graph, each.path)):
        return p.Aggregate("sum", each.base, each.path) if several else p.Values(each.base, each.path)
    return p.Count(each.base) if rows and isinstance(each.path[-1], p.Step) else None


def _counts_rows(graph: Graph, path: p.Path) -> bool:
    """Whether a column numbers the rows: no value twice."""
    relation, forward = Binding.of(graph).moves(path)[-1]
    return forward and int((graph.whole.rels == relation).sum()) == len(_column(graph, path).nodes)


def _commonest(graph: Graph, each: Composed, read: ReadQuestion) -> p.Plan | None:
    """In a table "which country won the most" asks for the value that stands in most rows, unless a column says so."""
    ranked = read.ranked
    if not Lexicon.of(graph).table or ranked is None or ranked.words != (ranked.noun,) or not each.path:
        return None
    if any(stem(ranked.noun) in stems(label) for label in Lexicon.of(graph).labels.values()):
        return None
    back = tuple(p.Step(step.relation, not step.forward) for step in reversed(each.path))
    return p.Top(p.Follow(each.base, each.path), p.Key(back, "count"), ranked.largest, ranked.k, ranked.skip)


def _operated_on(graph: Graph, each: Composed, read: ReadQuestion) -> tuple[p.SetPlan, p.Path]:
    """The set that operators mean, and what is asked of its members then.

    In "the population of the cities above …" it is the cities; in "how many capitals", "the largest capital" what the
    relation leads to.
    """
    if not each.path:
        return each.plan, ()
    if read.count:  # of a table the rows
        return (each.base if Lexicon.of(graph).table else each.plan), ()
    values = _column(graph, each.path).ordered
    noun = {stem(word) for word in read.ranked.noun.split()[:1]} if read.ranked is not None else set()
    label = Lexicon.of(graph).labels.get(each.path[-1].relation, "")
    if not values and isinstance(each.base, p.Entities):
        return each.plan, ()  # nothing is the largest of what is named
    if not values and noun and noun <= set(stems(head_of(label))):
        return each.plan, ()
    return each.base, each.path


def _column(graph: Graph, path: p.Path) -> Column:
    return column(graph, *Binding.of(graph).moves(path)[-1])


def _projected(graph: Graph, plan: p.Plan, path: p.Path) -> p.Plan:
    """What is asked of a set's members: values where the relation leads to literals, else the entities there."""
    if not path or not isinstance(plan, p.SetPlan):
        return plan
    ends = graph.whole.tails[graph.whole.rels == Binding.of(graph).moves(path)[-1][0]][:50]
    literal = path[-1].forward and len(ends) and bool(graph.literals_at(ends).all())
    return p.Values(plan, path) if literal or _column(graph, path).ordered else p.Follow(plan, path)


def _domain(base: p.SetPlan) -> p.SetPlan | None:
    """The kind of thing a set holds, where it is stated."""
    while isinstance(base, (p.And, p.Minus, p.Where, p.WhereCount)):
        base = base.sets[0] if isinstance(base, p.And) else base.of
    return base if isinstance(base, p.Class) else None


def named_together(question: Question, graph: Graph, encoder: TextEncoder | None) -> list[Composed]:
    """The things that a question names and nothing else: "Belgium and Luxembourg"."""
    spotted = spot(question, graph, encoder)
    ids = [id for chunk in spotted.chunks if isinstance(chunk.plan, p.Entities) for id in chunk.plan.ids]
    if not ids or any(chunk.kind != "topic" for chunk in spotted.chunks):
        return []
    return [Composed(p.Entities(tuple(dict.fromkeys(ids))), (), 0.9, ())]


class Truth:
    """Yes or no: whether what is named first is among what the rest of the question says; or whether there is any."""

    def __init__(self, graph: Graph, encoder: TextEncoder | None, likeness: Likeness) -> None:
        self._graph, self._encoder, self._likeness = graph, encoder, likeness

    def proposals(self, question: Question, read: ReadQuestion) -> list[Proposal]:
        """Nothing where the words do not all meet something in the graph: no answer is not a "no"."""
        spotted = spot(replace(question, text=read.stated), self._graph, self._encoder)
        first = spotted.chunks[0] if spotted.chunks else None
        asked = replace(read, answer="entity", kind="plain")
        if first is None or first.kind != "topic" or set(spotted.words[: first.start]) - FUNCTION:
            sets = [each for each in self._sets(question, f"which {read.stated}") if each.score >= SURE]
            made = operated(self._graph, sets, asked, self._likeness)
            return [Proposal(p.Exists(each.plan), each.prior) for each in made if isinstance(each.plan, p.SetPlan)]
        assert first.plan is not None
        rest = " ".join(spotted.words[first.end :])
        if len(spotted.chunks) == 1 and (read.filters or read.ranked):
            made = operated(self._graph, [Composed(first.plan, (), 0.9, ())], asked, self._likeness)
            if read.filters:
                return [Proposal(p.Exists(each.plan), each.prior) for each in made if isinstance(each.plan, p.SetPlan)]
        texts = [f"what is {rest}", *(f"which {kind} {rest}" for kind in self._kinds(first.plan))]
        sets = sorted((s for text in texts for s in self._sets(question, text)), key=lambda s: -s.score)
        made = operated(self._graph, [s for s in sets if s.score >= SURE], asked, self._likeness)
        return [Proposal(p.Is(first.plan, e.plan), e.prior) for e in made if isinstance(e.plan, p.SetPlan)]

    def _sets(self, question: Question, text: str) -> list[Composed]:
        return compose(replace(question, text=re.sub(r"\s+", " ", text)), self._graph, self._encoder)

    def _kinds(self, plan: p.SetPlan) -> list[str]:
        """The kinds of what is named, in words."""
        binding, lexicon = Binding.of(self._graph), Lexicon.of(self._graph)
        out, kinds = self._graph.whole.out, dict[str, None]()
        assert isinstance(plan, p.Entities)
        for number in binding.entities(plan.ids).tolist():
            here = slice(int(out.offsets[number]), int(out.offsets[number + 1]))
            for relation, end in zip(out.relations[here].tolist(), out.neighbors[here].tolist(), strict=True):
                if relation in lexicon.types:
                    kinds[lexicon.class_ids[self._graph.ids_at([end])[0]]] = None
        return list(kinds)[:3]
