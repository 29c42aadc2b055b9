"""A question's set composed from its parts: each name, kind or relation is joined to the one that it depends on.

Kept apart from `chunks`, which finds the parts, and from `operating`, which puts a count around the set. A join is a
relation path that the graph has between the two sets; the words between the parts choose it, and where they say
nothing the commonest does ("cities in Germany"). The idea is bridging (Berant et al., EMNLP 2013, section 3.2.2);
that only what the graph has is proposed, Gu et al. (ACL 2023). Nothing is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.columns import column
from clew.query.keys import steps_of
from clew.query.vocabulary import forms
from clew.retrieval.attaching import EXCEPT, FAR, NOT, Attachments, Mode, adjectives_in
from clew.retrieval.chunks import LIGHT, Chunk, Spotted, spot
from clew.retrieval.events.took_part import by_events
from clew.retrieval.joining import VAGUE, Joins, followed
from clew.retrieval.lexicon import Lexicon, one_kind, owners
from clew.retrieval.method_sets import past_mediators
from clew.retrieval.roles import is_role
from clew.retrieval.words import FUNCTION
from clew.types import Question

LOOKED_AT = 100  # members of a set whose kinds are looked at
BEAM = 3  # readings of one part that are kept
UNSAID = 0.72  # what a word that nothing accounts for leaves of the score
BY_EVENT = 0.95  # score of what a verb says by the events that are called by it
THIRD = 0.75  # fit of what takes part in an event besides what is named, whatever the words say of it
APART = 0.6  # of two conditions on what a set is reached through, where one and the same may meet both
_OF = frozenset(
    ["of", "in", "for", "from", "by", "at", "to", "on", "is", "are", "was", "were", "does", "do", "did", "has"]
)


@dataclass(frozen=True, slots=True)
class Composed:
    """A set, what of its members is asked for (a path; none: the members), and how well the words are accounted for."""

    base: p.SetPlan
    path: p.Path
    score: float
    unsaid: tuple[str, ...]  # content words that nothing accounts for
    of_key: tuple[str, ...] = ()  # those that name what a condition on the set compares
    events: bool = False  # a verb says by what events

    @property
    def plan(self) -> p.SetPlan:
        return p.Follow(self.base, self.path) if self.path else self.base


@dataclass(frozen=True, slots=True)
class _Made:
    """A reading of one part with everything below it."""

    plan: p.SetPlan
    fits: tuple[float, ...] = ()
    explained: frozenset[int] = frozenset()
    path: p.Path = ()

    @property
    def score(self) -> float:
        return sum(self.fits) / len(self.fits) if self.fits else 0.9


def compose(
    question: Question,
    graph: Graph,
    encoder: TextEncoder | None = None,
    kind: p.SetPlan | None = None,
    *,
    instead: bool = False,
) -> list[Composed]:
    """The sets that a question's words may mean, best first; none where no part of it is in the graph. `kind` is what
    is asked for where the words do not say it, or (`instead`) where they are only like the name of another."""
    spotted = spot(question, graph, encoder, kind, instead=instead)
    adjectives = adjectives_in(spotted)
    made = _Composer(spotted, graph, encoder, adjectives).composed()
    if adjectives:  # a name before a kind may as well be said of what is asked for
        known = {(each.base, each.path) for each in made}
        others = (replace(each, score=FAR * each.score) for each in _Composer(spotted, graph, encoder).composed())
        made = sorted([*made, *(o for o in others if (o.base, o.path) not in known)], key=lambda each: -each.score)
    of_events = [Composed(plan, (), BY_EVENT * UNSAID ** len(unsaid), unsaid, events=True)
                 for plan, unsaid in by_events(spotted, graph)]  # fmt: skip
    return sorted([*of_events, *made], key=lambda each: -each.score) if of_events else made


class _Composer:
    def __init__(
        self, spotted: Spotted, graph: Graph, encoder: TextEncoder | None, adjectives: frozenset[int] = frozenset()
    ) -> None:
        self._spotted, self._words, self._chunks = spotted, spotted.words, spotted.chunks
        self._graph = graph
        self._lexicon = Lexicon.of(graph)
        self._parts = Attachments(spotted, adjectives)
        self._joins = Joins(spotted, self._parts, graph, encoder)

    def composed(self) -> list[Composed]:
        found: dict[tuple[p.SetPlan, p.Path], Composed] = {}
        for tree, prior in self._parts.trees():
            for made in map(self._past_mediators, self._root(tree)):
                if _comes_back(made) or self._names_itself(made):
                    continue
                unsaid = self._unsaid(made)
                score = prior * made.score * UNSAID ** len(unsaid)
                each = Composed(made.plan, made.path, score, unsaid)
                known = found.get((each.base, each.path))
                if known is None or known.score < score:
                    found[each.base, each.path] = each
        return sorted(found.values(), key=lambda each: -each.score)

    # -- sets --------------------------------------------------------------------------------------------------------

    def _root(self, tree: dict[int, int]) -> list[_Made]:
        top = self._spotted.root
        if top is None:
            return self._unknown(tree) if tree else []
        chunk = self._chunks[top]
        if chunk.kind == "topic":
            return []  # "which Lakes": a name is not what is asked for
        return self._property(top, chunk, tree) if chunk.kind == "relation" else self._node(top, tree)

    def _past_mediators(self, made: _Made) -> _Made:
        """A set of nameless nodes is no answer: what they lead to is ("partners at X", where a job has a role)."""
        plan = None if made.path else past_mediators(made.plan, self._graph)
        return made if plan is None else replace(made, plan=plan)

    def _node(self, k: int, tree: dict[int, int]) -> list[_Made]:
        chunk = self._chunks[k]
        if chunk.kind == "relation":
            if k not in tree.values():
                return []
            return [replace(m, plan=followed(m.plan, m.path), path=()) for m in self._property(k, chunk, tree)]
        assert chunk.plan is not None
        fits = (chunk.fit,) if chunk.fit < 1 else ()
        return self._constrained(k, [_Made(chunk.plan, fits)], tree)

    def _constrained(self, k: int, made: list[_Made], tree: dict[int, int]) -> list[_Made]:
        for group in self._parts.groups(k, tree):
            made = [new for each in made for new in self._joined(k, each, group, tree)]
            made = sorted(made, key=lambda each: -each.score)[:BEAM]
        return made

    def _joined(self, k: int, made: _Made, group: list[int], tree: dict[int, int]) -> Iterator[_Made]:
        """A set with a condition: what is linked to one or several others that are said together."""
        first = group[0]
        mode = self._parts.mode(first) if len(group) == 1 else self._parts.mode(group[-1])
        if mode == "except":
            plans = [self._chunks[c].plan for c in group if self._chunks[c].kind == "topic"]
            ids = tuple(id for plan in plans if isinstance(plan, p.Entities) for id in plan.ids)
            left_out = p.Entities(ids) if ids else None
            linked = left_out is not None and not self._finds(p.And((made.plan, left_out)))
            if left_out is not None and not linked:
                yield replace(made, plan=p.Minus(made.plan, left_out), fits=(*made.fits, 0.95))
            if not linked:
                return
            mode = "not"  # "contain egg but not butter", "made anywhere other than in Oslo": what is linked to it
        if mode == "not" and self._chunks[first].kind == "relation":
            for step in self._steps_named(self._chunks[first].relations, made.plan):
                yield replace(made, plan=p.WhereCount(made.plan, (step,), "=", 0), fits=(*made.fits, 0.95))
            return
        if all(self._chunks[c].condition is not None for c in group) and (meeting := self._meeting(made, group, mode)):
            yield meeting
            return
        domain = made.plan if k >= 0 else None
        for child in self._node(first, tree):
            for edge in self._joins.edges(child.plan, domain if mode != "not" else self._kind(k, made), first, k):
                sets: list[p.SetPlan] = [edge.reached(child.plan)]
                fits = [*made.fits, *child.fits, edge.fit]
                explained = made.explained | child.explained | (self._parts.span(first) if edge.said else frozenset())
                for other in group[1:]:
                    for more in self._node(other, tree)[:1]:
                        sets.append(edge.reached(more.plan))
                        fits += more.fits
                        explained |= more.explained
                if mode == "not":
                    without = sets[0] if len(sets) == 1 else p.Or(tuple(sets))
                    yield self._checked(p.Minus(made.plan, without), fits, explained)
                    continue
                together = sets[0] if len(sets) == 1 else p.Or(tuple(sets)) if mode == "or" else p.And(tuple(sets))
                both = "both" in self._parts.between(first)
                if mode == "and" and len(sets) > 1 and not both and not self._finds(together):
                    together, fits = p.Or(tuple(sets)), [*fits, 0.7]
                if edge.absent:
                    yield _Made(_and(made.plan, together), tuple(fits), explained)
                    continue
                one = None if "and" in self._parts.between(first) else self._at_one(made.plan, together)
                if one is not None:
                    yield self._checked(one, fits, explained)
                    fits = [*fits, APART]
                yield self._checked(_and(made.plan, together), fits, explained)

    def _at_one(self, plan: p.SetPlan, new: p.SetPlan) -> p.SetPlan | None:
        """A set with a further condition on what it was reached through, where that plays another part there: "what
        took gold at the fair" by one award. None where nothing meets both."""
        if not isinstance(new, p.Follow) or not isinstance(new.of, p.Follow):
            return None
        parts = _conditions(plan)
        for at, part in enumerate(parts):
            if not isinstance(part, p.Follow) or part.path != new.path:
                continue
            roles = [each.path for each in _conditions(part.of) if isinstance(each, p.Follow)]
            if not roles or new.of.path in roles:
                continue
            joint = p.Follow(_and(part.of, new.of), part.path)
            made = p.And((*parts[:at], joint, *parts[at + 1 :])) if len(parts) > 1 else joint
            if self._finds(made):
                return made
        return None

    def _third(self, groups: list[list[int]]) -> _Made | None:
        """What takes part in an event besides two things that are named: "what took gold at the fair". None where they
        take part in none together, or several others do."""
        named = [self._chunks[group[0]] for group in groups if len(group) == 1]
        ids = [chunk.plan for chunk in named if isinstance(chunk.plan, p.Entities)]
        if len(ids) != 2 or len(groups) != 2:
            return None
        both = [[(p.Follow(of, (step,)), step) for step in self._leading_to(of)] for of in ids]
        found: list[p.SetPlan] = []
        for one, first in both[0]:
            for other, second in both[1]:
                joint = p.And((one, other))
                if first == second or not self._finds(joint):
                    continue
                for step, share in steps_of(self._graph, self._joins.members(joint), backward=False):
                    if step.relation in (first.relation, second.relation) or share < 1 or self._joins.silent(step):
                        continue
                    if not self._joins.literal(step):
                        found.append(p.Follow(joint, (step,)))
        explained = frozenset[int]().union(*(self._parts.span(group[0]) for group in groups))
        return _Made(found[0], (THIRD,), explained) if len(found) == 1 else None

    def _leading_to(self, of: p.SetPlan) -> list[p.Step]:
        """The steps to a set's members, back from them."""
        steps = (step for step, _ in steps_of(self._graph, self._joins.members(of)))
        return [step for step in steps if not step.forward and not self._joins.silent(step)]

    def _meeting(self, made: _Made, group: list[int], mode: Mode) -> _Made | None:
        """A set with what flags say of its members ("huts without showers"); None where they say it of other things."""
        said = [met for c in group if (met := self._chunks[c].condition) is not None]
        plans = [each.opposite if mode == "not" else each.plan for each in said]
        known = [each for met in said for each in (met.plan, met.opposite) if each is not None]
        if not any(self._finds(p.And((made.plan, each))) for each in known):
            return None
        explained = made.explained.union(*(self._parts.span(c) for c in group if self._chunks[c].fit == 1))
        fits = (*made.fits, *(0.95 * self._chunks[c].fit for c in group))
        if mode == "not" and None in plans:
            denied = p.Or(tuple(met.plan for met in said)) if len(said) > 1 else said[0].plan
            return _Made(p.Minus(made.plan, denied), fits, explained)
        stated = [plan for plan in plans if plan is not None]
        if mode == "or" and len(stated) > 1:
            return _Made(_and(made.plan, p.Or(tuple(stated))), fits, explained)
        plan = made.plan
        for each in stated:
            plan = _and(plan, each)
        return _Made(plan, fits, explained)

    def _kind(self, k: int, made: _Made) -> p.SetPlan | None:
        """What a denied part is denied of; where that is not said, of the one kind of thing that a set holds."""
        if k >= 0:
            return self._chunks[k].plan
        members = self._joins.members(made.plan)[:LOOKED_AT]
        return one_kind(self._graph, self._graph.ids_at(members))

    def _checked(self, plan: p.SetPlan, fits: Sequence[float], explained: frozenset[int]) -> _Made:
        return _Made(plan, tuple(fits) if self._finds(plan) else (*fits, 0.0, 0.0), explained)

    def _unknown(self, tree: dict[int, int]) -> list[_Made]:
        """What is asked for is of no stated kind: the words must name the relation that leads there."""
        groups = self._parts.groups(-1, tree)
        if not groups:
            return []
        found, excepted = [], [g for g in groups if self._parts.mode(g[-1]) in ("except", "not")]
        groups = [g for g in groups if g not in excepted]
        if not groups:
            return []
        if (third := self._third(groups)) is not None:
            found.append(third)
        for child in self._node(groups[0][0], tree):
            for edge in self._joins.edges(child.plan, None, groups[0][0], -1):
                if not edge.said:
                    continue
                made = _Made(
                    edge.reached(child.plan),
                    (*child.fits, edge.fit),
                    child.explained | self._parts.span(groups[0][0]),
                )
                more = [made]
                for group in [*([groups[0][1:]] if groups[0][1:] else []), *groups[1:], *excepted]:
                    more = [new for each in more for new in self._joined(-2, each, group, tree)]
                found += more
        return sorted(found, key=lambda each: -each.score)[:BEAM]

    def _property(self, k: int, chunk: Chunk, tree: dict[int, int]) -> list[_Made]:
        """A relation asked for, of the sets below it; or of the things of one kind that satisfy what is said."""
        found: list[_Made] = []
        groups = self._parts.groups(k, tree)
        fit = (chunk.fit,) if chunk.fit < 1 else ()
        if groups:
            options = [self._node(c, tree) for c in groups[0]]
            if all(options):
                for first in options[0]:
                    others = [option[0] for option in options[1:]]
                    of = first.plan if not others else p.Or((first.plan, *(o.plan for o in others)))
                    explained = first.explained.union(*(o.explained for o in others), self._parts.span(groups[0][0]))
                    steps = self._steps_named(chunk.relations, of)
                    if chunk.inverse:
                        steps = [step for step in steps if not step.forward]
                    if not set(self._parts.between(groups[0][0])) & _OF and groups[0][0] == k + 1:
                        steps.sort(key=lambda step: step.forward)  # "what borders X": those that lead to X
                    if chunk.inverse and len(steps) > 1 and len(groups) == 1:  # whose father or mother one is
                        ends = tuple(p.Follow(of, (step,)) for step in steps)
                        found.append(_Made(p.Or(ends), (*first.fits, *fit, 0.95), explained))
                        continue
                    both = bool(others) and "both" in self._parts.between(groups[0][0])
                    for place, step in enumerate(steps):
                        fits = (*first.fits, *fit, 0.95 - 0.05 * place)
                        made = _Made(of, fits, explained, (step,))
                        if both:  # "a member of both A and B": of each, and not of either
                            each_end = tuple(p.Follow(o.plan, (step,)) for o in (first, *others))
                            found += self._more(-2, replace(made, plan=p.And(each_end), path=()), groups[1:], tree)
                            continue
                        if len(groups) == 1:
                            found.append(made)
                            continue
                        found += self._more(k, made, groups[1:], tree) if not isinstance(of, p.Entities) else []
                        ended = [replace(made, plan=p.Follow(of, (step,)), path=())]  # "neighbours of Italy that use …"
                        for group in groups[1:]:
                            ended = [new for each in ended for new in self._joined(-2, each, group, tree)]
                        found += ended
        if groups and not self._lexicon.types and not chunk.inverse:  # "species" are what the relation leads to
            reached = p.Follow(p.All(), (p.Step(chunk.relations[0]),))
            found += self._constrained(k, [_Made(reached, (*fit, 0.95))], tree)
        for relation in chunk.relations[:2]:
            bearers = owners(self._graph, relation) if self._lexicon.types or not found else None
            if bearers is not None:
                path = (p.Step(relation),)
                fits = fit if found else (*fit, 0.9)
                made_of = [self._of_bearers(m, path) for m in self._constrained(k, [_Made(bearers, fits)], tree)]
                found += [m for m in made_of if not _comes_back(m)]
        return sorted((m for m in found if self._finds(followed(m.plan, m.path))), key=lambda m: -m.score)[:BEAM]

    def _of_bearers(self, made: _Made, path: p.Path) -> _Made:
        """What the things lead to that a relation is of. Where some are left out, so is what these lead to: of a log's
        runners those who never ran a route, whatever else they ran."""
        figures = column(self._graph, self._graph.relation_number(path[-1].relation) or 0).ordered
        if not isinstance(made.plan, p.Minus) or figures:
            return replace(made, path=path)
        every, left_out = p.Follow(made.plan.of, path), p.Follow(p.And((made.plan.of, made.plan.without)), path)
        return replace(made, plan=p.Minus(every, left_out))

    def _more(self, k: int, made: _Made, groups: list[list[int]], tree: dict[int, int]) -> list[_Made]:
        several = [made]
        for group in groups:
            several = [new for each in several for new in self._joined(k, each, group, tree)]
        return [replace(each, path=made.path) for each in several]

    def _steps_named(self, relations: Sequence[str], of: p.SetPlan) -> list[p.Step]:
        """The named relations that members of a set have, with their direction first."""
        members = self._joins.members(of)
        there = {(step.relation, step.forward): share for step, share in steps_of(self._graph, members)}
        return [p.Step(r, f) for f in (True, False) for r in relations if (r, f) in there]

    # -- what is said ------------------------------------------------------------------------------------------------

    def _unsaid(self, made: _Made) -> tuple[str, ...]:
        covered = {i for chunk in self._chunks for i in range(chunk.start, chunk.end)} | made.explained
        steps = {node for node in p.walk(made.plan) if isinstance(node, p.Step)} | set(made.path)
        labels = {self._lexicon.labels.get(step.relation, "") for step in steps}
        told = {form for label in labels for part in label.lower().split() for form in forms(part)}
        return tuple(
            word
            for i, word in enumerate(self._words)
            if i not in covered and word not in FUNCTION and word not in LIGHT and word not in NOT
            and not forms(word) & told and word not in EXCEPT and word not in VAGUE and word != ","
        )  # fmt: skip

    def _names_itself(self, made: _Made) -> bool:
        """Whether nothing but what the question names comes out of it."""
        plan = followed(made.plan, made.path)
        named = {id for node in p.walk(plan) if isinstance(node, p.Entities) for id in node.ids}
        if not named or isinstance(plan, p.Entities):
            return False
        members = self._joins.members(plan)
        return 0 < len(members) <= len(named) and set(self._graph.ids_at(members)) <= named

    def _finds(self, plan: p.SetPlan) -> bool:
        return len(self._joins.members(plan)) > 0


def _comes_back(made: _Made) -> bool:
    """Whether a path is the step that things were found by, or leads back over it: "the head of X" is not X again."""
    if len(made.path) != 1 or not isinstance(made.plan, p.And):
        return False
    step = made.path[0].relation
    return any(isinstance(part, p.Follow) and [s.relation for s in part.path] == [step] for part in made.plan.sets)


def _conditions(plan: p.SetPlan) -> tuple[p.SetPlan, ...]:
    return plan.sets if isinstance(plan, p.And) else (plan,)


def _and(a: p.SetPlan, b: p.SetPlan) -> p.SetPlan:
    """What two sets share; all that a relation leads to says nothing beside what it leads to from something."""
    parts = (*_conditions(a), *_conditions(b))
    paths = [part.path for part in parts if isinstance(part, p.Follow) and not is_role(part)]
    kept = tuple(part for part in parts if not (isinstance(part, p.Follow) and is_role(part) and part.path in paths))
    return p.And(kept) if len(kept) > 1 else kept[0]
