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
from clew.query.keys import ANY_TIME, Keys, Likeness, names
from clew.query.meanings import BY_FAMILY, meant, spelled_out
from clew.retrieval.composing import UNSAID, Composed
from clew.types import Answer


def with_unsaid(read: ReadQuestion, each: Composed) -> ReadQuestion:
    """A question whose one condition is also described by the words that nothing of a set accounts for."""
    if len(read.filters) != 1 or read.filters[0].of_count or isinstance(read.filters[0].value, p.Entities):
        return read
    words = read.filters[0].words
    own = tuple(word for word in words if word not in ANY_TIME)
    more = tuple(word for word in (*each.of_key, *each.unsaid) if word not in own)
    return replace(read, filters=(replace(read.filters[0], words=(*own, *more, *words[len(own) :])),))


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
