"""Whether what a method found tells what a question asks, or a plan over the records and events of a graph tells more.

Kept apart from `operators`, which decides between the two by it.
"""

from __future__ import annotations

import re

import numpy as np

from clew.graph import Graph
from clew.graph.labelling import opaque
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.text import parse
from clew.retrieval.asking import rows_of
from clew.retrieval.records import views_of
from clew.types import Answer

LOOKED_AT = 20  # things whose names tell whether they are codes
_SOMEBODY = re.compile(r"\b(?:who|whose|whom|where)\b", re.IGNORECASE)


def tells(answer: Answer, read: Proposal, graph: Graph, *, unnamed: bool) -> bool:
    """Whether an answer tells more than which records are meant, by something that the question names; by their codes
    where it is surer than what is read of the records, and in any way where that tells no more.

    Args:
        read: what is read of the records or events.
        unnamed: no word of the question names what the answer compares by.
    """
    if answer.plan is not None and _leaves_out(parse(answer.plan.text), read.plan):
        return False
    coded = bool(answer.candidates) and all(opaque(each.text) for each in answer.candidates)
    if coded and isinstance(read.plan, p.SetPlan):
        named = graph.labels_at(execute(read.plan, graph).members[:LOOKED_AT])
        if not all(map(opaque, named)):
            return False  # the codes of what happened, where it is asked who or where
    surer = bool(answer.candidates) and answer.candidates[0].score >= read.prior
    views = [view.members for view in views_of(graph)]
    if surer and answer.plan is not None and answer.plan.makes == "set" and isinstance(read.plan, p.SetPlan):
        rows = np.concatenate([rows_of(graph), *views])
        if np.isin(execute(read.plan, graph).members, rows).all():
            return not unnamed
    return says(answer, graph, *([] if surer else views)) and not unnamed


def _leaves_out(plan: p.Plan, other: p.Plan) -> bool:
    """Whether a plan says nothing of a date or a name that another one of the same question holds."""
    dates, names = (
        [{each for node in p.walk(side) for each in of(node)} for side in (plan, other)] for of in (_dates, _ids)
    )
    return bool(dates[1] and not dates[0]) or bool(names[1] and not names[0])


def _dates(node: p.Plan) -> list[str]:
    test = node.test if isinstance(node, p.Where) else None
    return [each.text for each in (test.value, test.upper) if isinstance(each, p.Date)] if test is not None else []


def _ids(node: p.Plan) -> tuple[str, ...]:
    return node.ids if isinstance(node, p.Entities) else ()


def says(answer: Answer, graph: Graph, *records: Ints) -> bool:
    """Whether an answer tells something, and not only rows that have no name, or some `records`."""
    rows = np.concatenate([rows_of(graph), *records])
    numbers = [graph.number_of(c.entity.id) for c in answer.candidates if c.entity is not None]
    return bool(answer.candidates) and not (
        len(numbers) == len(answer.candidates) and np.isin([n for n in numbers if n is not None], rows).all()
    )
