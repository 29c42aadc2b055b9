"""Nouns that say what somebody does or is, as sets of one graph: directors, the engineers by their titles, drummers.

Kept apart from `lexicon`, which holds what a graph calls things itself: here a noun means an end of a relation, or
things by the relations that they have.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from clew.graph import Graph
from clew.graph.kinds import ALL_UP_TO
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import execute
from clew.query.vocabulary import SYNONYMS, forms, head_of, stem
from clew.query.wordnet import is_word, people_of
from clew.retrieval.lexicon import (
    ENDING,
    KINDS,
    NAMED,
    NO_KIND,
    SOME,
    WORD,
    Lexicon,
    few_kinds,
    kind_meant,
    members_of,
    owners,
    stems,
)
from clew.retrieval.words import FUNCTION

ALIKE_PROFILE = 0.55  # cosine of a noun and the relations that some things have, in the mean
PROFILE = 12  # relations of some things that say what they are
TITLES = 2000  # texts that people are linked to, of which some may be titles
ALIKE_ROLE = 0.48  # the same of somebody and a relation that leads to people: "actors", starring
APART = 0.03  # by which that is nearer than to any other
MOST = 0.5  # of the things of a kind that make a role the kind,
ABOUT_ALL = 0.9  # and of a kind that says nothing of what they do
ANYBODY = frozenset(["person", "people", "human", "individual", "agent"])  # kinds that say nothing of what one does
_ANY_GROUP = frozenset(["company", "organization", "organisation", "business", "firm", "party", "entity", "thing"])
_OF_VALUE = re.compile(r"(?P<of>[a-z]{3,})(?:er|ist)")


def doers_of(word: str, graph: Graph) -> p.SetPlan | None:
    """The things that do what a relation says: "directors" are what `directed by` leads to, "players" whatever plays
    for something, which may be all of a kind."""
    doing = doing_of(stem(word), Lexicon.of(graph))
    return None if doing is None else _role_or_kind(*doing, graph)


def role_alike(word: str, graph: Graph, encoder: TextEncoder | None) -> p.SetPlan | None:
    """The people at that end of a relation which a noun of people is most like: "actors" are what `starring` leads to.
    None where two relations are as like, and where people of a kind are called so."""
    lexicon = Lexicon.of(graph)
    if stem(word) in ANYBODY or not people_of({"": stem(word)}) or len(lexicon.labels) > KINDS:
        return None
    if (meant := kind_meant(word, lexicon)) is not None and lexicon.class_ids[meant[0]].lower() not in ANYBODY:
        return None
    roles: list[tuple[str, bool]] = graph.derived("lexicon.roles", lambda: _roles(graph))
    if not roles:
        return None
    same = [each for each in roles if set(SYNONYMS.get(stem(word), ())) & set(stems(lexicon.labels[each[0]]))]
    if len(same) == 1 or encoder is None:
        return _role_or_kind(*same[0], graph) if len(same) == 1 else None
    near = encoder.encode([lexicon.labels[id] for id, _ in roles]) @ encoder.encode([stem(word)], role="query")[0]
    best, *others = np.argsort(-near)[:2].tolist()
    if near[best] < ALIKE_ROLE or any(near[best] - near[other] < APART for other in others):
        return None
    relation, forward = roles[best]
    return _role_or_kind(relation, forward, graph)


def titled(word: str, graph: Graph) -> p.SetPlan | None:
    """People by what their title ends in: "directors" are whoever is IT Director or Sales Director. None for a noun
    that no title ends in."""
    noun, lexicon = stem(word), Lexicon.of(graph)
    if noun in ANYBODY or not people_of({"": noun}) or graph.num_entities > NAMED:
        return None
    found: dict[str, dict[str, list[str]]] = graph.derived("lexicon.titles", lambda: _titles(graph))
    steps = found.get(noun, {})
    if not steps or (noun,) in lexicon.classes or (noun,) in lexicon.relations:
        return None
    relation = max(steps, key=lambda each: len(steps[each]))
    return p.Follow(p.Entities(tuple(steps[relation])), (p.Step(relation, False),))


def _titles(graph: Graph) -> dict[str, dict[str, list[str]]]:
    """What relations lead people to whose names end in nouns of people: by the noun and the relation."""
    lexicon, whole = Lexicon.of(graph), graph.whole
    people = members_of(people_of(few_kinds(lexicon)), graph)
    mine = held(whole.heads, people) & ~np.isin(whole.rels, sorted(lexicon.types))
    named: dict[str, dict[str, list[str]]] = {}
    for relation in np.unique(whole.rels[mine]).tolist():
        ends = np.unique(whole.tails[mine & (whole.rels == relation)])
        if len(ends) > TITLES or held(ends, people).any():
            continue
        for id, label in zip(graph.ids_at(ends), graph.labels_at(ends), strict=True):
            words = [each for each in WORD.findall(label.lower()) if each != ","]
            if words and words[-1].isalpha() and people_of({"": words[-1]}):
                named.setdefault(stem(words[-1]), {}).setdefault(graph.relation_at(relation).id, []).append(id)
    return named


def implied_kind(word: str, graph: Graph, encoder: TextEncoder | None) -> p.SetPlan | None:
    """The things that a noun means by the relations that they have: what has pages, a publisher and authors is a book,
    whatever its kind is called, or where no kinds are stated. None where no things have such relations, or several."""
    noun, lexicon = stem(word), Lexicon.of(graph)
    known = (noun,) in lexicon.classes or (noun,) in lexicon.relations or word in FUNCTION or noun in NO_KIND
    if encoder is None or known or not noun.isalpha() or len(noun) < SOME or not is_word(noun):
        return None
    profiles: list[tuple[p.SetPlan, list[str]]] = graph.derived("lexicon.profiles", lambda: _profiles(graph))
    if not profiles:
        return None
    asked = encoder.encode([noun], role="query")[0]
    means = [encoder.encode(labels).mean(axis=0) for _, labels in profiles]
    near = [float(mean @ asked / np.linalg.norm(mean)) for mean in means]
    best = int(np.argmax(near))
    ends = list(lexicon.labels.values())[:KINDS]
    beside = max(float(each) for each in encoder.encode(ends) @ asked)  # what a relation leads to may be meant
    others = [each for i, each in enumerate(near) if i != best]
    apart = near[best] - max([*others, beside])
    return profiles[best][0] if near[best] >= ALIKE_PROFILE and apart >= APART else None


def _profiles(graph: Graph) -> list[tuple[p.SetPlan, list[str]]]:
    """The kinds of a graph, or without kinds the things that have about the same relations, with the names of these."""
    lexicon = Lexicon.of(graph)
    if graph.num_triples > ALL_UP_TO or len(lexicon.class_ids) > ENDING or len(lexicon.labels) > KINDS:
        return []
    heads = {id: in_role(id, False, graph) for id in lexicon.labels}
    groups: list[tuple[p.SetPlan, Ints, list[str]]] = []
    groups += [(kind, execute(kind, graph).members, []) for kind in map(p.Class, lexicon.class_ids)]
    for id in sorted(heads, key=lambda each: -len(heads[each])):
        here = [(len(np.intersect1d(members, heads[id])), names) for _, members, names in groups]
        shared, names = max(here, key=lambda each: each[0], default=(0, []))
        if 2 * shared >= len(heads[id]):
            names.append(lexicon.labels[id])
        elif not lexicon.types:
            groups.append((role(id, False), heads[id], [lexicon.labels[id]]))
    return [(plan, names[:PROFILE]) for plan, _, names in groups if len(names) > 1]


def _roles(graph: Graph) -> list[tuple[str, bool]]:
    """The relations that lead to people (True) or from them to other things (False); in a graph without kinds those
    that lead to things or from them, by how they are called."""
    lexicon, found = Lexicon.of(graph), list[tuple[str, bool]]()
    people = members_of(people_of(few_kinds(lexicon)), graph)
    for id, label in lexicon.labels.items() if graph.num_triples <= ALL_UP_TO else ():
        number = Binding.of(graph).relation(id)
        ends = [in_role(id, forward, graph) for forward in (False, True)]
        if graph.literals_at(ends[1]).all() or column(graph, number).ordered or people_of({"": head_of(label)}):
            continue  # a director is somebody else than an actor
        if not lexicon.types:
            found.append((id, _is_done_by(label) or label.lower().endswith("ing")))
            continue
        some = [bool(held(each, people).mean() > MOST) for each in ends]
        found += [(id, some[1])] if some[0] != some[1] else []
    return found


def _is_done_by(label: str) -> bool:
    """Whether a relation leads to who does it: "directed by"."""
    return label.lower().split()[-1] == "by"


def role(relation: str, forward: bool) -> p.Follow:
    """All that a relation leads to (`forward`) or from."""
    return p.Follow(p.All(), (p.Step(relation, forward),))


def is_role(plan: p.Plan) -> bool:
    """Whether a set is all that a relation leads to or from."""
    return isinstance(plan, p.Follow) and isinstance(plan.of, p.All) and len(plan.path) == 1


def in_role(relation: str, forward: bool, graph: Graph) -> Ints:
    """The numbers of the things that a role holds, ascending."""

    def made() -> Ints:
        whole = graph.whole
        found: Ints = np.unique(
            (whole.tails if forward else whole.heads)[whole.rels == graph.relation_number(relation)]
        )
        return found

    return graph.derived(("roles.in_role", relation, forward), made)


def _role_or_kind(relation: str, forward: bool, graph: Graph) -> p.SetPlan:
    """All at one end of a relation; their kind where they are about all of it, or most of one whose name says what they
    are: a footballer without a club is a player too, and a person without a film no director."""
    who, kind = role(relation, forward), owners(graph, relation, forward=not forward)
    if not isinstance(kind, p.Class):
        return who
    if graph.num_triples > ALL_UP_TO:
        return kind  # of millions not all are looked at for one noun
    every, some = len(execute(kind, graph).members), len(in_role(relation, forward, graph))
    anybody = Lexicon.of(graph).class_ids.get(kind.id, "").lower() in (ANYBODY | _ANY_GROUP)
    return kind if some >= (ABOUT_ALL if anybody else MOST) * every else who


def of_value(word: str, lexicon: Lexicon, graph: Graph) -> p.SetPlan | None:
    """The things of which a value is said that a noun is made of: "drummers" of drums, "pianists" of piano."""
    match = _OF_VALUE.fullmatch(stem(word))
    if match is None or word in FUNCTION:
        return None
    cut = match["of"]
    bases = (cut, cut[:-1] if cut[-1] == cut[-2] else f"{cut}e", f"{cut}o", f"{cut}a")
    inc = graph.whole.inc
    for name in (form for base in bases for form in (base, f"{base}s")):
        number = next((graph.number_of(entity.id) for entity in graph.resolve(name)), None)
        if number is None:
            continue
        said = Counter(inc.relations[int(inc.offsets[number]) : int(inc.offsets[number + 1])].tolist())
        told = [relation for relation, times in said.most_common(1) if relation not in lexicon.silent and times > 1]
        if told:
            step = p.Step(graph.relation_at(told[0]).id, False)
            return p.Follow(p.Entities((graph.ids_at([number])[0],)), (step,))
    return None


def doing_of(noun: str, lexicon: Lexicon) -> tuple[str, bool] | None:
    """The relation that says what a doer does, and whether it leads to them: "directed by" does."""
    if not noun.endswith(("er", "or")):
        return None
    for id, label in lexicon.labels.items():
        first, *rest = label.lower().split()
        verb = bool(rest) or first.endswith("ed")
        if verb and first not in FUNCTION and stem(first) != noun and forms(noun) & forms(first):
            return id, _is_done_by(label)
    return None
