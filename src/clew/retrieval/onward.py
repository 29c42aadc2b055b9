"""From what a method found to the kind of thing that a question asks for: from port calls to their ports.

Kept apart from `method_sets`, which takes an answer as it is. A method that stops short of what is asked for has found
something that belongs to it: what each of its things leads to, and leads to in turn, is looked at for the kind.
"""

from __future__ import annotations

import numpy as np

from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.retrieval.asking import asked_kind
from clew.retrieval.lexicon import Lexicon
from clew.retrieval.method_sets import best_of, numbers_of, sets_of
from clew.types import Answer

STEPS = 2  # that are looked at beyond what was found
MOST = 0.5  # share of the things that must have a step
WIDE = 5_000  # things behind which no step is looked for


def onward_to_kind(found: Answer, text: str, graph: Graph) -> p.SetPlan | None:
    """What a method's answers belong to that is of the kind which a question asks for; None where some of them are of
    that kind, where it names none, and where several ways lead there."""
    wanted = asked_kind(text, graph) if found.candidates else None
    if wanted is None or not len(wanted):
        return None
    numbers = numbers_of(best_of(found), graph)
    if numbers.min() < 0 or held(numbers, wanted).any():
        return None
    sets = sets_of(found, graph)
    start = _things(sets[0], graph) if sets else None
    return None if start is None else _reached(start, wanted, graph)


def _things(plan: p.SetPlan, graph: Graph) -> p.SetPlan | None:
    """A set of things: where it is one of values, what bears them."""
    members = execute(plan, graph).members
    if not graph.literals_at(members).any():
        return plan
    if not isinstance(plan, p.Follow) or isinstance(plan.of, p.Entities):
        return None
    return plan.of if len(plan.path) == 1 else p.Follow(plan.of, plan.path[:1])


def _reached(start: p.SetPlan, wanted: Ints, graph: Graph) -> p.SetPlan | None:
    silent, frontier = Lexicon.of(graph).silent, [start]
    for _ in range(STEPS):
        further: list[p.SetPlan] = []
        there: list[p.SetPlan] = []
        for plan in frontier:
            members = execute(plan, graph).members
            if len(members) > WIDE:
                continue
            for step, share in steps_of(graph, members, backward=False):
                if share < MOST or Binding.of(graph).relation(step.relation) in silent:
                    continue
                made = p.Follow(plan, (step,))
                ends = execute(made, graph).members
                if graph.literals_at(ends).any():
                    continue
                further.append(made)
                if held(ends, wanted).any():
                    there.append(made)
        if there:
            return _kept(there[0], wanted, graph) if len(there) == 1 else None
        frontier = further
    return None


def _kept(plan: p.SetPlan, wanted: Ints, graph: Graph) -> p.SetPlan | None:
    ends = execute(plan, graph).members
    named = ends[~graph.mediators_at(ends)]
    return plan if np.isin(named, wanted).all() else None
