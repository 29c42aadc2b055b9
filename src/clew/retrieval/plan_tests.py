"""What kind of plan a plan is: all there is of a kind, of anything at all, one that leaves something out."""

from __future__ import annotations

import re
from dataclasses import replace

from clew.graph import Graph
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.text import parse
from clew.retrieval.composing import Composed
from clew.retrieval.roles import is_role
from clew.types import Answer

_OF_ANOTHER = re.compile(r"\b(?:its?|his|hers?|him|she|he|they|their|them|this|that|these|those)\b", re.IGNORECASE)


def is_whole(plan: p.Plan) -> bool:
    """Whether a plan is all there is of a kind: no answer to a question that leaves some out."""
    if isinstance(plan, p.And):
        return all(map(is_whole, plan.sets))
    return isinstance(plan, (p.Class, p.All))


def falls_short(each: Composed) -> bool:
    """Whether a set is all there is of a kind though the question says more."""
    return bool(each.unsaid) and is_whole(each.plan)


def is_ranked(found: Answer) -> bool:
    """Whether an answer is the first by how many there are or by what figures add up to."""
    plan = parse(found.plan.text) if found.plan is not None and found.candidates else None
    return any(isinstance(node, p.Top) and node.key.how in ("sum", "count") for node in p.walk(plan)) if plan else False


def of_all_there_is(plan: p.Plan) -> bool:
    """Whether a plan counts, sums or takes something from all things of whatever kind."""
    some = (p.Count, p.Aggregate, p.Minus, p.WhereCount)
    return any(isinstance(node, some) and isinstance(node.of, p.All) for node in p.walk(plan))


def of_anything(plan: p.Plan, text: str, graph: Graph) -> bool:
    """Whether a plan speaks of anything at all; all directors are meant where no "its" points elsewhere."""
    nodes = list(p.walk(plan))
    roles = [node.path[0] for node in nodes if isinstance(node, p.Follow) and is_role(node)]
    people = [step for step in roles if not column(graph, Binding.of(graph).relation(step.relation)).ordered]
    return sum(isinstance(node, p.All) for node in nodes) > (0 if _OF_ANOTHER.search(text) else len(people))


def leaves_out(plan: p.Plan) -> bool:
    return any(isinstance(node, p.Minus) for node in p.walk(plan))


def meets(plan: p.Plan, condition: p.SetPlan) -> bool:
    """Whether a plan asks for what meets a condition ("unpaid", "in stock"), or for what lacks something."""
    return any(
        node == condition or isinstance(node, p.Minus) or (isinstance(node, p.WhereCount) and node.n == 0)
        for node in p.walk(plan)
    )


def counting(plan: p.Plan, some: p.SetPlan) -> p.Plan | None:
    """A plan that counts only some of what it ranks by, or that asks for these already; None for another."""
    if meets(plan, some):
        return plan
    if isinstance(plan, p.Top) and plan.key.how in ("count", "sum", "mean"):
        return replace(plan, key=replace(plan.key, among=some))
    return None


def counts_all(plan: p.Plan) -> bool:
    return isinstance(plan, p.Count) and is_whole(plan.of)
