"""One figure of several: what an answer lists, added up or averaged, where a question says "in total", "on average".

Kept apart from `operators`, which asks the question without those words first: only figures can be added up, so that an
answer of anything else tells that the words meant something else ("which two composers worked together").
"""

from __future__ import annotations

from collections.abc import Callable

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys, steps_of
from clew.query.meanings import is_price
from clew.query.text import parse
from clew.query.totals import Summed
from clew.retrieval.chunks import spot
from clew.retrieval.composing import Composed
from clew.retrieval.flagging import undone_said
from clew.retrieval.method_sets import kind_of_all, sets_of
from clew.retrieval.plan_tests import meets
from clew.types import Answer, Question

WORDY = 0.62  # how surely the unpaid invoices are meant beside words that say nothing of them ("in pounds")
MOST = 0.5  # share of the things that must state an amount


def of_figures(found: Answer, how: Summed, graph: Graph, *, amounts: bool = False) -> p.Aggregate | None:
    """The plan that adds up or averages the figures that an answer lists, each thing's own though two are the same;
    None where it lists anything else, or the figures of one thing alone.

    Args:
        amounts: of things the one sum of money that each states.
    """
    if not found.candidates:
        return None
    try:
        made = _of_plan(parse(found.plan.text), how) if found.plan is not None else _of_paths(found, how, graph)
        if made is not None and not _adds(made, graph):
            made = None
        return made or (_of_amounts(found, how, graph) if amounts else None)
    except ClewError:
        return None


def counts(found: Answer) -> bool:
    """Whether an answer counts things: no mean of anything."""
    return found.plan is not None and isinstance(parse(found.plan.text), p.Count)


def _of_plan(plan: p.Plan, how: Summed) -> p.Aggregate | None:
    match plan:
        case p.Values(of, path) if path:
            return _beside(how, of, path)
        case p.Aggregate("sum", of, path):  # what "how many" makes of figures that are stated
            return p.Aggregate(how, of, path)
        case p.Follow(of, path, ()):
            return _beside(how, of, path)
    return None


def _of_paths(found: Answer, how: Summed, graph: Graph) -> p.Aggregate | None:
    sets = sets_of(found, graph)
    if not sets:
        return None
    parts = sets[0].sets if isinstance(sets[0], p.Or) else (sets[0],)
    made = [_of_plan(each, how) for each in parts]
    known = [each for each in made if each is not None]
    if not known or len(known) < len(made) or len({each.path for each in known}) > 1:
        return None
    return known[0] if len(known) == 1 else p.Aggregate(how, p.Or(tuple(each.of for each in known)), known[0].path)


def _of_amounts(found: Answer, how: Summed, graph: Graph) -> p.Aggregate | None:
    """The same of the sums of money that things state: what invoices add up to."""
    plan = (
        parse(found.plan.text)
        if found.plan is not None
        else next(iter(sets_of(found, graph, kind_of_all(found, graph))), None)
    )
    return amounts_of(plan, how, graph) if isinstance(plan, p.SetPlan) else None


def amounts_of(plan: p.SetPlan, how: Summed, graph: Graph) -> p.Aggregate | None:
    """The one sum of money that each of some things states, added up or averaged."""
    if isinstance(plan, p.And) and len(set(plan.sets)) == 1:
        plan = plan.sets[0]
    members = execute(plan, graph).members
    if not len(members) or graph.literals_at(members).any():
        return None
    keys = Keys(graph)
    steps = (step for step, share in steps_of(graph, members, backward=False) if share >= MOST)
    paid = [
        made
        for step in steps
        if is_price(keys.label(step)) and _adds(made := p.Aggregate(how, plan, (step,)), graph, least=1)
    ]
    return paid[0] if len(paid) == 1 else None


def owed(
    question: Question, composed: Callable[[Question, Graph], list[Composed]], graph: Graph, encoder: TextEncoder | None
) -> Proposal | None:
    """What "how much is owed on unpaid invoices" asks for: what these come to; None for another question."""
    undone = undone_said(question.text, graph)
    if undone is None:
        return None
    sets = [(each.plan, each.score) for each in composed(question, graph)]
    if not sets:
        named = [each for each in spot(question, graph, encoder).chunks if each.kind == "topic" and not each.condition]
        sets = [] if named else [(undone.plan, WORDY)]
    for plan, score in [each for each in sets if meets(each[0], undone.plan)][:1]:
        for part in p.walk(plan):
            if isinstance(part, p.SetPlan) and meets(part, undone.plan) and (made := amounts_of(part, "sum", graph)):
                return Proposal(made, score)
    return None


def _beside(how: Summed, of: p.SetPlan, path: p.Path) -> p.Aggregate:
    """A summary over what has the figures itself: two links of one thing that state the same are two."""
    for step in path[:-1]:
        of = p.Follow(of, (step,))
    return p.Aggregate(how, of, path[-1:])


def _adds(plan: p.Aggregate, graph: Graph, *, least: int = 2) -> bool:
    """Whether there are figures of so many things to add up."""
    last = Binding.of(graph).moves(plan.path)[-1]
    figures = column(graph, *last)
    if not last[1] or figures.kind != "number" or not figures.ordered:
        return False
    return len(Keys(graph).having(plan.of, plan.path)) >= least and execute(plan, graph).quantity is not None
