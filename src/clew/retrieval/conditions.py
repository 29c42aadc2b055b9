"""What a question says of a condition beside its set: words that no part of the set accounts for may name what is
compared ("gauges that went into operation after 1900", of gauges that have an "operating since").

Kept apart from `operating`, which puts conditions around sets, and from the grammar, which knows no graph and takes
the words next to a date for those that describe it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from clew.graph import Graph
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.binding import Binding
from clew.query.decorate import Proposal
from clew.query.keys import ANY_TIME, SOME_DATE, Keys, Likeness, names
from clew.query.meanings import BY_FAMILY, meant, spelled_out
from clew.retrieval.composing import UNSAID, Composed
from clew.retrieval.words import FUNCTION
from clew.types import Answer

SHORTENED = 3  # letters of a word that may stand for all of it in a name
_HAPPENED = """
was were come comes came out go went held hold happen happened occur occurred take takes took taken place made
"""
_HAPPENING = frozenset(_HAPPENED.split())  # say of any thing that it was then
_BEGUN = frozenset(  # say the same of what is a record of its own: "orders placed in 2024", by their order date
    "placed issued filed submitted recorded logged created raised sent written signed".split()  # noqa: SIM905
)


def with_unsaid(read: ReadQuestion, each: Composed) -> ReadQuestion:
    """A question whose one condition is also described by the words that nothing of a set accounts for."""
    if len(read.filters) != 1 or read.filters[0].of_count or isinstance(read.filters[0].value, p.Entities):
        return read
    words = read.filters[0].words
    dated = isinstance(read.filters[0].value, p.Date)
    own = tuple(word for word in words if not (dated and word in ANY_TIME))
    more = tuple(word for word in (*each.of_key, *each.unsaid) if word not in own)
    some = tuple(word for word in words if dated and word in ANY_TIME)
    return replace(read, filters=(replace(read.filters[0], words=(*own, *more, *some)),))


def accounted_for(each: Composed, read: ReadQuestion, graph: Graph, likeness: Likeness) -> Composed:
    """A set of which the words that name the key of a condition on it are none left over."""
    if not each.unsaid or len(read.filters) != 1:
        return each
    stated, keys = with_unsaid(read, each).filters[0], Keys(graph, likeness)
    if stated.of_count or isinstance(stated.value, p.Entities):
        return each
    found = keys.values(each.base, stated.words, dates=isinstance(stated.value, p.Date), base=stated.base)
    if not found or not found[0].named:
        return each
    label, dated = keys.label(found[0].path[-1]), isinstance(stated.value, p.Date)
    whole = " ".join(spelled_out(keys.label(step)) for step in found[0].path)

    def told(word: str) -> bool:
        return names((word,), whole) or meant((word,), "", label, date=dated) >= BY_FAMILY

    of_key = tuple(filter(told, each.unsaid))
    unsaid = tuple(word for word in each.unsaid if word not in of_key)
    return replace(each, score=each.score / UNSAID ** len(of_key), unsaid=unsaid, of_key=of_key)


def guesses(found: Proposal, each: Composed, read: ReadQuestion, graph: Graph, likeness: Likeness) -> bool:
    """Whether a plan compares by a date that nothing names, though words say what happened then: "trainers who retired
    before 2020" of trainers whose only date is that of their hire."""
    said = (word for text in (*each.unsaid, *read.dated) for word in text.split())
    verbs = [word for word in said if word not in _HAPPENING | ANY_TIME | FUNCTION]
    if found.named or not verbs or len(read.filters) != 1 or read.ranked is not None:
        return False
    value, keys = read.filters[0].value, Keys(graph)
    tests = [node.test for node in p.walk(found.plan) if isinstance(node, p.Where) and node.test.value == value]
    if not isinstance(value, p.Date) or not tests:
        return False
    labels = [keys.label(test.path[-1]) for test in tests]
    if any(ANY_TIME.issuperset(spelled_out(label).lower().split()) for label in labels):
        return False
    kinds = Binding.of(graph).entities(tuple(node.id for node in p.walk(found.plan) if isinstance(node, p.Class)))
    own = ANY_TIME | {word for label in graph.labels_at(kinds) for word in spelled_out(label).lower().split()}
    if _BEGUN.issuperset(verbs) and any(own.issuperset(spelled_out(label).lower().split()) for label in labels):
        return False
    told = [keys.label(node) for node in p.walk(found.plan) if isinstance(node, p.Step)] + graph.labels_at(kinds)
    parts = [part for label in told for part in spelled_out(label).lower().split()]
    short = any(word.startswith(part) for word in verbs for part in parts if len(part) >= SHORTENED)  # "lic_yr"
    if short or any(names((word,), part) for word in verbs for part in parts):
        return False
    return max(likeness(verbs, [spelled_out(label) for label in labels])) < SOME_DATE


def beside_values(found: Answer, read: ReadQuestion, graph: Graph) -> Answer:
    """A method's answer without what it reached from the value of a condition: some day in 2021 is nothing that "joined
    in 2021" names, unless it is the very value that things must have."""
    equal = any(each.op == "=" for each in read.filters)
    said = {word for text in read.removed for word in text.lower().split() if any(map(str.isdigit, word))}
    values = set[str]()
    for topic in found.topics:
        number, whole = graph.number_of(topic.entity.id), topic.entity.label.lower()
        if number is None or not said & set(topic.mention.lower().split()) or (equal and whole in said):
            continue
        if graph.literals_at(np.array([number], np.int32)).all():
            values.add(topic.entity.id)
    if not values:
        return found
    starts = ((each, {path.start.id for path in found.paths_of(each)}) for each in found.candidates)
    return replace(found, candidates=tuple(each for each, ids in starts if not ids or ids - values))
