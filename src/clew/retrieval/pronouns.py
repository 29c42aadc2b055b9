"""What "who", "whose" and "where" ask for of the things that a plan finds: people, owners, places."""

from __future__ import annotations

import re

from clew.graph import Graph
from clew.graph.labelling import opaque
from clew.graph.sets import held
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.keys import steps_of
from clew.query.vocabulary import head_of, stem
from clew.query.wordnet import is_nobody, is_place, people_of
from clew.retrieval.asking import nobody, nowhere, rows_of
from clew.retrieval.events.kinds import Events
from clew.retrieval.lexicon import Lexicon, kind_meant, kinds_of, owners, stems
from clew.retrieval.roles import in_role

LOOKED_AT = 100  # members of a set whose kinds are looked at
WHO = re.compile(r"\W*whom?\b", re.IGNORECASE)
_WHERE = re.compile(r"\W*(?:where|(?:(?:at|in|on) )?(?:which|what) (?:place|location|site|spot)s?)\b", re.IGNORECASE)
_CODES = frozenset(["id", "code", "no", "nr", "ref", "number"])
_ASKS_CODE = re.compile(r"\b(?:ids?|codes?|nos?|nrs?|refs?|references?|numbers?|keys?)\b", re.IGNORECASE)
_ASKED_NOUN = re.compile(r"\b(?:which|what)(?: of (?:our|the))? (?P<noun>[a-z]+)\b", re.IGNORECASE)
_WHOSE_KIND = re.compile(r"\W*whose (?P<noun>[a-z]+)\b", re.IGNORECASE)


def asked_of_them(plan: p.Plan, text: str, graph: Graph, *, places: bool = True) -> p.Plan:
    """What a question asks for of the things that a plan finds, by its pronoun; the plan itself where it asks for
    these.

    Args:
        places: "where" may ask for the places of things.
    """
    plan = _whose(_uncoded(_called_so(plan, text, graph), text, graph), text, graph)
    return _whom(_whereabouts(plan, text, graph) if places else plan, text, graph)


def _called_so(plan: p.Plan, text: str, graph: Graph) -> p.Plan:
    """What rows without a name call what is asked for: "which parts did we use" asks for no row of parts used, but for
    its part."""
    match = _ASKED_NOUN.search(text)
    if match is None or not isinstance(plan, p.SetPlan):
        return plan
    members = execute(plan, graph).members
    if not len(members) or not held(members, rows_of(graph)).all():
        return plan
    noun, lexicon = stem(match["noun"].lower()), Lexicon.of(graph)
    for step, share in steps_of(graph, members, backward=False):
        if share == 1 and stems(lexicon.labels.get(step.relation, "")) == (noun,):
            return p.Follow(plan, (step,))
    return plan


def _uncoded(plan: p.Plan, text: str, graph: Graph) -> p.Plan:
    """The things whose codes a plan finds, where nobody asks for codes: "the newest member of staff" is no staff id."""
    if not isinstance(plan, p.Follow) or len(plan.path) > 1 or plan.qualifiers or not plan.path[0].forward:
        return plan
    if isinstance(plan.of, p.Entities) or _ASKS_CODE.search(text):
        return plan
    label = Lexicon.of(graph).words_of(plan.path[0].relation)
    if len(label) < 2 or label[-1] not in _CODES:
        return plan
    kinds = {kind.lower() for kind in kinds_of(graph, graph.ids_at(execute(plan.of, graph).members[:1]))}
    return plan.of if " ".join(label[:-1]) in kinds else plan  # the currency code of a country is what is asked for


def _whose(plan: p.Plan, text: str, graph: Graph) -> p.Plan:
    """Whom the things belong to that "whose" is said of: "whose enrolment got the highest grade" asks for a student."""
    match, lexicon = _WHOSE_KIND.match(text), Lexicon.of(graph)
    noun = stem(match["noun"]) if match else ""
    id = lexicon.classes.get((noun,)) or (kind_meant(noun, lexicon) or ("",))[0] if noun else ""
    if not id or not isinstance(plan, p.SetPlan):
        return plan
    members = execute(plan, graph).members
    if not len(members) or not held(members, execute(p.Class(id), graph).members).all():
        return plan
    people = [execute(p.Class(each), graph).members for each in people_of(lexicon.class_ids)]
    made = [
        owned
        for step, share in steps_of(graph, members)
        if share == 1
        for owned in (p.Follow(plan, (step,)),)
        if any(held(execute(owned, graph).members, each).all() for each in people)
    ]
    return made[0] if len(made) == 1 else plan


def _whereabouts(plan: p.Plan, text: str, graph: Graph) -> p.Plan:
    """Where the things are that "where" is asked of: "where was the match on 14 February played" asks for no match, but
    for its stadium, the one place that each has."""
    if _WHERE.match(text) is None or not isinstance(plan, p.SetPlan):
        return plan
    members = execute(plan, graph).members
    if not len(members) or graph.literals_at(members).any():
        return plan
    kinds = kinds_of(graph, graph.ids_at(members[:LOOKED_AT]))
    if not kinds or any(map(is_place, kinds)):
        return plan
    lexicon, made = Lexicon.of(graph), list[p.SetPlan]()
    steps = [step for step, share in steps_of(graph, members, backward=False) if share == 1]
    ends = {step: in_role(step.relation, True, graph) for step in steps}
    for step, there in ends.items():
        others = [each for other, each in ends.items() if other != step]
        figures = column(graph, Binding.of(graph).relation(step.relation)).ordered
        if figures or held(there, nowhere(graph)).any() or any(held(there, each).any() for each in others):
            continue  # figures; the home and the away side are no places
        end = owners(graph, step.relation, forward=False)
        kind = lexicon.class_ids.get(end.id, "") if isinstance(end, p.Class) else ""
        if any(is_place(name) for name in (kind, head_of(lexicon.labels.get(step.relation, ""))) if name):
            made.append(p.Follow(plan, (step,)))
    return made[0] if len(made) == 1 else plan


def _whom(plan: p.Plan, text: str, graph: Graph) -> p.Plan:
    """The people of the events that "who" is asked of: "who scored below 60" asks for no grade, but for its student."""
    if WHO.match(text) is None or not isinstance(plan, p.SetPlan):
        return plan
    members, lexicon = execute(plan, graph).members, Lexicon.of(graph)
    if not len(members) or graph.literals_at(members).any():
        return plan
    kinds = kinds_of(graph, graph.ids_at(members[:LOOKED_AT]))
    people = set(people_of(lexicon.class_ids))
    named = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
    labels = graph.labels_at(members[:LOOKED_AT])
    if named.issuperset(graph.ids_at(members)):
        return plan
    things = members[~graph.mediators_at(members)]
    if held(things, nobody(graph)).all() and (before := _people_before(plan, people, graph)) is not None:
        return before
    if (whose := _of_coded(plan, kinds, labels, people, graph)) is not None:
        return whose
    rows = len(kinds) == 1 and all(stem(each.split(" ")[0]) == stem(min(kinds).split(" ")[0]) for each in labels)
    if not (rows or graph.mediators_at(members).all() or (kinds and all(map(is_nobody, kinds)))):
        return plan  # a row that only its key names, or an event
    made = []
    for step, share in steps_of(graph, members, backward=False):
        end = owners(graph, step.relation, forward=False)
        of_people = isinstance(end, p.Class) and end.id in people
        if share == 1 and (of_people or people_of({"": head_of(lexicon.labels.get(step.relation, ""))})):
            made.append(p.Follow(plan, (step,)))
    return made[0] if len(made) == 1 else plan


def _of_coded(plan: p.SetPlan, kinds: set[str], labels: list[str], people: set[str], graph: Graph) -> p.SetPlan | None:
    """Whose events are that go by codes alone: "who is first on the waiting list" asks for no reservation R24."""
    ids = [id for id, name in Lexicon.of(graph).class_ids.items() if name in kinds]
    if len(ids) != 1 or ids[0] in people or not all(map(opaque, labels)):
        return None
    events = Events(graph)
    ways = [link.step for link in events.links(ids[0]) if link.to in people and not link.words]
    return p.Follow(plan, (ways[0],)) if len(ways) == 1 else None


def _people_before(plan: p.Plan, people: set[str], graph: Graph) -> p.SetPlan | None:
    """The people whom a path passes on its way to something else: "who works in Sales" asks for those there, and for no
    project that they work on. None where it passes nobody."""
    while isinstance(plan, p.Follow) and not plan.qualifiers:
        plan = p.Follow(plan.of, plan.path[:-1]) if len(plan.path) > 1 else plan.of
        if not isinstance(plan, p.Follow):
            return None
        members = execute(plan, graph).members
        if len(members) and any(held(members, execute(p.Class(id), graph).members).all() for id in people):
            return plan
    return None
