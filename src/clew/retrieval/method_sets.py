"""What a method found, as set plans: the relation paths of its best answers over the whole graph.

Kept apart from `operators`, which decides when such a set is taken: here plans are made of paths, and changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.retrieval.asking import asked_kind
from clew.retrieval.lexicon import Lexicon, one_kind, stems
from clew.retrieval.linking import candidates
from clew.types import Answer, Candidate, Question

_ASKS_FOR = re.compile(r"\W*(?:(?:which|what|list|name|show|give|me|all|of|the|our)\s+)*", re.IGNORECASE)
_SAME_NAME = "label up to case"  # how linking says that a mention is a name in other case or number: "dogs" of Dog
SAME = 1e-6  # candidates whose scores differ less are one answer of the method
MOST_NARROWED = 200  # answers that are looked at for a value that the question says
TOGETHER = 4  # most relation paths of a method's answer that are taken together


def best_of(found: Answer) -> list[Candidate]:
    """The candidates that a method puts first, all that it holds for equally good."""
    return [c for c in found.candidates if c.score >= found.candidates[0].score - SAME]


def kind_of_all(found: Answer, graph: Graph) -> p.Class | None:
    """The one kind of the best answers of a method; None where they are of several, or of one that is not stated."""
    ids = [c.entity.id for c in best_of(found) if c.entity is not None] if found.candidates else []
    return one_kind(graph, ids)


def of_asked_kind(found: Answer, text: str, graph: Graph, encoder: TextEncoder | None) -> Answer:
    """An answer without what is of another kind than a question says it asks for ("schools in Salthill"), where some
    of it is of that kind."""
    best = best_of(found) if found.candidates else []
    members = asked_kind(text, graph, encoder) if len(best) > 1 else None
    if members is None:
        return found
    fitting = held(numbers_of(best, graph), members)
    return keeping(found, best, fitting) if fitting.any() else found


def of_said_values(found: Answer, question: Question, graph: Graph) -> Answer:
    """An answer without what lacks a value that the question says by its very name and no path uses: of the cases that
    somebody acted in the "environment cases", where that is the area of some of them and not of others."""
    best = best_of(found) if found.candidates else []
    numbers = numbers_of(best, graph).tolist()
    if len(best) < 2 or len(best) > MOST_NARROWED or question.topics or min(numbers) < 0:
        return found
    paths = [path for c in best for path in found.paths_of(c)]
    if not all(c.paths for c in best):
        return found  # what was used to find it is not known
    used = {entity.id for path in paths for hop in path.hops for entity in (hop.source, hop.target)}
    used |= {path.start.id for path in paths}
    mentions = [topic.mention.casefold() for topic in found.topics if topic.entity.id in used]
    walked = {stem for path in paths for hop in path.hops for stem in stems(hop.triple.relation.label)}
    kinds = Lexicon.of(graph)
    kept = np.ones(len(best), np.bool_)
    asked = _ASKS_FOR.sub("", question.text, count=1).casefold()  # "dogs seen by X" asks for dogs
    for topic in candidates(question, graph, limit=20):
        said = topic.mention.casefold()
        named = topic.reason.startswith("exact") or (asked.startswith(said) and topic.reason.startswith(_SAME_NAME))
        plain = named and topic.entity.id not in (used | kinds.class_ids.keys())
        if not plain or any(said in other or other in said for other in mentions) or set(stems(said)) & walked:
            continue
        value = graph.number_of(topic.entity.id)
        out = graph.whole.out
        has = np.array([value in out.neighbors[out.offsets[n] : out.offsets[n + 1]] for n in numbers])
        if (kept & has).any():
            kept &= has
    return keeping(found, best, kept)


def numbers_of(some: Sequence[Candidate], graph: Graph) -> Ints:
    """The entity of each candidate by its number; -1 for what is no entity of the graph."""
    known = [None if each.entity is None else graph.number_of(each.entity.id) for each in some]
    return np.array([-1 if number is None else number for number in known], np.int32)


def keeping(found: Answer, best: Sequence[Candidate], kept: NDArray[np.bool_]) -> Answer:
    """An answer with some of its best candidates; all that come after them stay."""
    if kept.all():
        return found
    mine = (each for each, stays in zip(best, kept.tolist(), strict=True) if stays)
    return replace(found, candidates=(*mine, *found.candidates[len(best) :]))


def past_mediators(plan: p.SetPlan, graph: Graph) -> p.SetPlan | None:
    """A set of things with names: what nameless nodes lead to, but for where they were reached from; of several
    relations the one that led there, and on (a link with properties has one name on both sides). None where that is not
    one."""
    members = execute(plan, graph).members
    if not len(members) or not graph.mediators_at(members).all():
        return plan
    named = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
    steps = {node for node in p.walk(plan) if isinstance(node, p.Step)}
    taken = {step.relation for step in steps}
    onward: list[p.Follow] = []
    kinds = Binding.of(graph).type_relations
    every = [each for each in steps_of(graph, members) if graph.relation_number(each[0].relation) not in kinds]
    for step, share in every:
        further = p.Follow(plan, (step,))
        ends = execute(further, graph).members
        unnamed = graph.mediators_at(ends).any() or graph.literals_at(ends).any()
        if share == 1 and not unnamed and named.isdisjoint(graph.ids_at(ends)):
            onward.append(further)
    if len(onward) > 1:
        onward = [further for further in onward if further.path[0].relation in taken]
    if len(onward) > 1:
        onward = [further for further in onward if further.path[0] in steps]
    if not onward and any(isinstance(node, p.Class) for node in p.walk(plan)):  # what those of a kind are part of
        whose = [step for step, share in every if share == 1 and not step.forward]
        owners = [p.Follow(plan, (step,)) for step in whose]
        onward = [each for each in owners if not graph.mediators_at(execute(each, graph).members).any()]
    return onward[0] if len(onward) == 1 else None


def sets_of(found: Answer, graph: Graph, domain: p.Class | None = None) -> list[p.SetPlan]:
    """The relation paths that the method's best answers end, as one set; of the kind asked for, where known."""
    top = best_of(found) if found.candidates else []
    branches: dict[tuple[str, tuple[tuple[str, bool], ...]], None] = {}
    for candidate in top:
        for path in found.paths_of(candidate):
            branches.setdefault((path.start.id, path.relations))
    if not branches or len(branches) > 50:
        return []
    plans: dict[tuple[tuple[str, bool], ...], list[str]] = {}
    for start, relations in branches:
        plans.setdefault(relations, []).append(start)
    joint = _joint(top, found)
    made = [_walked(starts, relations, graph) for relations, starts in list(plans.items())[:TOGETHER]]
    if joint:
        made = [_walked([start], relations, graph) for start, relations in list(branches)[:TOGETHER]]
    plan = made[0] if len(made) == 1 else p.And(tuple(made)) if joint else p.Or(tuple(made))
    if domain is not None:
        kept = p.And((domain, plan))
        if len(execute(kept, graph).members):
            return [kept]
    return [plan]


def of_figures(found: Answer, graph: Graph) -> p.Follow | None:
    """What the relation paths of a method's answer lead to, where these are figures or dates; None for things."""
    sets = sets_of(found, graph)
    if not sets or not isinstance(sets[0], p.Follow) or not sets[0].path[-1].forward:
        return None  # flights that go by numbers are things
    return sets[0] if column(graph, *Binding.of(graph).moves(sets[0].path)[-1], sampled=True).ordered else None


def _joint(top: Sequence[Candidate], found: Answer) -> bool:
    """Whether each answer is reached from several starts: what meets there must meet in the plan as well."""
    starts = [{path.start.id for path in found.paths_of(candidate)} for candidate in top]
    return bool(starts) and all(len(each) > 1 and each == starts[0] for each in starts)


def put(node: Any, id: str, plan: p.SetPlan) -> Any:
    """A plan with an entity replaced by the plan that found it."""
    return rewritten(node, lambda entities: plan if entities.ids == (id,) else entities)


def narrowed(node: Any, wanted: set[str]) -> Any:
    """A plan in which, of several entities of one name, only those stand that are wanted."""

    def kept(entities: p.Entities) -> p.Entities:
        ids = tuple(id for id in entities.ids if id in wanted)
        return p.Entities(ids) if ids else entities

    return rewritten(node, kept)


def rewritten(node: Any, change: Callable[[p.Entities], p.SetPlan]) -> Any:
    """A plan, or a part of one, with what `change` makes of each set of named entities."""
    if isinstance(node, p.Entities):
        return change(node)
    if isinstance(node, tuple):
        return tuple(rewritten(each, change) for each in node)
    if isinstance(node, (p.Plan, p.Test)):
        return p.rebuilt(node, lambda part: rewritten(part, change))
    return node


def beginning(plan: p.SetPlan) -> p.SetPlan:
    """The set that steps begin at."""
    while isinstance(plan, p.Follow):
        plan = plan.of
    return plan


def one_path(plan: p.SetPlan) -> bool:
    """Whether a plan is a relation path from what one name stands for."""
    if isinstance(plan, p.And):
        narrow = [part for part in plan.sets if not isinstance(beginning(part), p.All)]
        return len(narrow) == 1 and one_path(narrow[0])
    return isinstance(beginning(plan), p.Entities)


def _from(starts: p.Entities, plan: p.SetPlan) -> p.SetPlan | None:
    """The relation path of a plan that is one path, from other starts; None for another plan."""
    if isinstance(plan, p.Entities):
        return starts
    if isinstance(plan, p.And):
        return next((made for made in (_from(starts, part) for part in plan.sets) if made is not None), None)
    if isinstance(plan, p.Follow):
        of = _from(starts, plan.of)
        return None if of is None else p.Follow(of, plan.path)
    return None


def _walked(starts: Sequence[str], relations: Sequence[tuple[str, bool]], graph: Graph) -> p.SetPlan:
    """A relation path as a set plan; a step through nameless nodes is one node of two relations."""
    plan: p.SetPlan = p.Entities(tuple(starts))
    left = [p.Step(relation, forward) for relation, forward in relations]
    lexicon = Lexicon.of(graph)
    of_kind = len(starts) == 1 and starts[0] in lexicon.class_ids and not left[0].forward
    if of_kind and graph.relation_number(left[0].relation) in lexicon.types:
        plan, left = p.Class(starts[0]), left[1:]  # the members of a kind
    while left:
        one = p.Follow(plan, (left[0],))
        members = execute(one, graph).members
        if len(left) > 1 and len(members) and bool(graph.mediators_at(members[:1])[0]):
            plan, left = p.Follow(plan, (left[0], left[1])), left[2:]
        else:
            plan, left = one, left[1:]
    return plan


def without(plan: p.SetPlan, named: p.Entities, graph: Graph) -> p.SetPlan:
    """A set without what is excepted: members of it, or what leads where the set leads, elsewhere.

    "The neighbours of France except Spain" leaves a member out; "who knows Rust but not Python" those who know
    Python, because Python itself is no member; "who works in Finance but not in Madrid" whoever is linked to Madrid.
    """
    members = execute(plan, graph).members
    if held(execute(named, graph).members, members).any():
        return p.Minus(plan, named)
    alike = _from(named, plan)
    if alike is not None and len(execute(alike, graph).members):
        return p.Minus(plan, alike)
    linked = [p.Follow(named, (p.Step(step.relation, not step.forward),)) for step, _ in steps_of(graph, members)]
    some = [each for each in linked if held(members, execute(each, graph).members).any()]
    return p.Minus(plan, p.Or(tuple(some)) if len(some) > 1 else some[0] if some else named)
