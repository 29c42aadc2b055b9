"""One figure of several: what an answer lists, added up or averaged, where a question says "in total", "on average".

Kept apart from `operators`, which asks the question without those words first: only figures can be added up, so that an
answer of anything else tells that the words meant something else ("which two composers worked together").
"""

from __future__ import annotations

from clew.errors import ClewError
from clew.graph import Graph
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import Keys
from clew.query.text import parse
from clew.query.totals import Summed
from clew.retrieval.method_sets import sets_of
from clew.types import Answer


def of_figures(found: Answer, how: Summed, graph: Graph) -> p.Aggregate | None:
    """The plan that adds up or averages the figures that an answer lists, each thing's own though two are the same;
    None where it lists anything else, or the figures of one thing alone."""
    if not found.candidates:
        return None
    try:
        made = _of_plan(parse(found.plan.text), how) if found.plan is not None else _of_paths(found, how, graph)
        return made if made is not None and _adds(made, graph) else None
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


def _beside(how: Summed, of: p.SetPlan, path: p.Path) -> p.Aggregate:
    """A summary over what has the figures itself: two links of one thing that state the same are two."""
    for step in path[:-1]:
        of = p.Follow(of, (step,))
    return p.Aggregate(how, of, path[-1:])


def _adds(plan: p.Aggregate, graph: Graph) -> bool:
    """Whether there are figures of several things to add up."""
    last = Binding.of(graph).moves(plan.path)[-1]
    figures = column(graph, *last)
    if not last[1] or figures.kind != "number" or not figures.ordered:
        return False
    return len(Keys(graph).having(plan.of, plan.path)) > 1 and execute(plan, graph).quantity is not None
