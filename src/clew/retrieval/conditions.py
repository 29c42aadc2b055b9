"""What a question says of a condition beside its set: words that no part of the set accounts for may name what is
compared ("gauges that went into operation after 1900", of gauges that have an "operating since").

Kept apart from `operating`, which puts conditions around sets, and from the grammar, which knows no graph and takes
the words next to a date for those that describe it.
"""

from __future__ import annotations

from dataclasses import replace

from clew.graph import Graph
from clew.query import plan as p
from clew.query.asked import ReadQuestion
from clew.query.keys import ANY_TIME, Keys, Likeness, names
from clew.query.meanings import BY_FAMILY, meant, spelled_out
from clew.retrieval.composing import UNSAID, Composed


def with_unsaid(read: ReadQuestion, each: Composed) -> ReadQuestion:
    """A question whose one condition is also described by the words that nothing of a set accounts for."""
    if len(read.filters) != 1 or read.filters[0].of_count or isinstance(read.filters[0].value, p.Entities):
        return read
    words = read.filters[0].words
    own = tuple(word for word in words if word not in ANY_TIME)
    more = tuple(word for word in each.unsaid if word not in own)
    return replace(read, filters=(replace(read.filters[0], words=(*own, *more, *words[len(own) :])),))


def accounted_for(each: Composed, read: ReadQuestion, graph: Graph, likeness: Likeness) -> Composed:
    """A set with the score that it has where the words which name the key of a condition on it are none left over."""
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
    told = sum(names((word,), whole) or meant((word,), "", label, date=dated) >= BY_FAMILY for word in each.unsaid)
    return replace(each, score=each.score / UNSAID**told)
