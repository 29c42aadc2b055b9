"""From a set to the plans that answer a question about it: operators put around a set plan, keys chosen from the graph.

Kept apart from whoever finds the set. Nothing is invented: a key is a relation the members have and whose values have
an order, a count goes over a relation that is there, and a plan that finds nothing is not proposed. The prior says how
well the words fit; it is what a trained ranking replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.asked import Filter, Ranked, ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.execute import ExecutionLimits, Executor
from clew.query.superlatives import OFTEN
from clew.query.values import unit_of
from clew.query.vocabulary import AGES, BEGUN, INVERSE, PACES, SYNONYMS, TIMES, akin, forms, head_of, stem

Likeness = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""How well words fit each of several labels: (words, labels) → scores in [0, 1]."""

KEYS = 4  # most keys tried for one operator
_RANKS = frozenset(["rank", "ranking", "position", "place", "finish", "standing", "seed", "pos", "pos."])
SOME_DATE = 0.35  # what a column of dates fits a question about time, whatever it is called
LEAST = 0.3  # a key that fits less is not proposed
MOST_COUNTED = 1000  # "fewer than 6439 students" is a figure the graph states, not a count of its links
LOOKED_AT = 2000  # members looked at to find the relations they have


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that can be executed and finds something, and how well it fits the words."""

    plan: p.Plan
    prior: float


def decorate(
    graph: Graph,
    plan: p.SetPlan,
    read: ReadQuestion,
    *,
    likeness: Likeness | None = None,
    domain: p.SetPlan | None = None,
) -> list[Proposal]:
    """The plans that put a question's operators around a set, best first.

    Args:
        plan: the set that `read.rest` asks for.
        likeness: tells which relation an operator's words mean; without it only equal words count.
        domain: the kind of thing asked for, of which a negation takes the others.
    """
    return _Decorator(graph, likeness or by_words).proposals(plan, read, domain)


def steps_of(graph: Graph, members: Ints, *, backward: bool = True) -> list[tuple[p.Step, float]]:
    """The steps that members have, with the share of them that do."""
    if len(members) > LOOKED_AT:
        members = members[np.linspace(0, len(members) - 1, LOOKED_AT).astype(np.int64)]
    whole, found = graph.whole, []
    for side, forward in ((whole.out, True), (whole.inc, False)):
        if not forward and not backward:
            continue
        low, high = side.offsets[members], side.offsets[members.astype(np.int64) + 1]
        counts = high - low
        if int(counts.sum()) > 2_000_000:
            continue
        first = np.cumsum(counts) - counts
        places = np.arange(int(counts.sum())) + np.repeat(low - first, counts)
        owners = np.repeat(np.arange(len(members)), counts)
        relations = side.relations[places]
        first_of = np.ones(len(places), np.bool_)  # of its relation, with this owner: an owner's stand in order
        first_of[1:] = (relations[1:] != relations[:-1]) | (owners[1:] != owners[:-1])
        having = np.bincount(relations[first_of], minlength=1)
        found += [
            (p.Step(graph.relation_at(r).id, forward), having[r] / max(len(members), 1))
            for r in np.flatnonzero(having).tolist()
        ]
    return found


def by_words(words: Sequence[str], labels: Sequence[str]) -> list[float]:
    """Words in common: the earlier a word stands in `words`, the more it says."""
    found = []
    for label in labels:
        name = label.lower().replace("_", " ").replace(".", " ")
        parts, head = {stem(part) for part in name.split()}, {stem(part) for part in head_of(name).split()}
        score = 0.0
        for place, word in enumerate(words):
            wanted = {stem(part) for part in word.split()}
            if wanted and wanted <= parts:
                among = head if wanted <= head else parts
                score = max(score, (1.0 - 0.08 * place) * (0.6 + 0.4 * len(wanted) / len(among)))
            elif len(wanted) == 1 and parts & _same(next(iter(wanted))):
                score = max(score, 0.8 * (1.0 - 0.08 * place))
            elif len(wanted) == 1 and any(forms(word) & forms(part) for part in parts):
                score = max(score, 0.95 * (1.0 - 0.08 * place))
            elif len(wanted) == 1 and any(akin(word, part) for part in head):
                score = max(score, 0.75 * (1.0 - 0.08 * place))
        found.append(score)
    return found


def _same(word: str) -> frozenset[str]:
    return frozenset(SYNONYMS.get(word, ())) | (BEGUN if word == "founded" else frozenset())


def _without_head(ranked: Ranked, domain: p.SetPlan | None, graph: Graph) -> Ranked:
    """A superlative without the noun of what is asked for: in "the largest state" the state is no key."""
    if not isinstance(domain, p.Class) or not ranked.noun or ranked.words == (ranked.noun,):
        return ranked
    names = graph.labels_at(Binding.of(graph).entities((domain.id,)))
    head = {stem(word) for name in names for word in label_to_text(name).lower().split()}
    return replace(ranked, noun="", verb="") if (stem(ranked.noun.split()[0]) in head) else ranked


class _Decorator:
    def __init__(self, graph: Graph, likeness: Likeness) -> None:
        self._graph, self._likeness = graph, likeness
        self._binding = Binding.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def proposals(self, plan: p.SetPlan, read: ReadQuestion, domain: p.SetPlan | None) -> list[Proposal]:
        sets = [Proposal(plan, 1.0)]
        if read.negated and domain is not None and plan != domain and not isinstance(plan, p.WhereCount):
            sets = [Proposal(p.Minus(domain, plan), 1.0)]
        for stated in read.filters:
            sets = [made for found in sets for made in self._filtered(found, stated)]
        if read.ranked is not None and read.sides is None:
            ranked = _without_head(read.ranked, domain, self._graph)
            sets = [made for found in sets for made in self._ranked(found, ranked)]
        finished = [made for found in sets for made in self._finished(found, read)]
        finished = [each for each in finished if self._finds(each.plan)]
        best: dict[p.Plan, float] = {}
        for each in finished:
            best[each.plan] = max(each.prior, best.get(each.plan, 0.0))
        return [Proposal(plan, prior) for plan, prior in sorted(best.items(), key=lambda item: -item[1])]

    def _members(self, plan: p.SetPlan) -> Ints:
        try:
            return self._executor.members(plan)
        except ClewError:
            return np.empty(0, np.int32)

    def _finds(self, plan: p.Plan) -> bool:
        if isinstance(plan, p.SetPlan):
            return len(self._members(plan)) > 0
        try:
            return not isinstance(plan, p.ValuePlan) or self._executor.quantity(plan) is not None
        except ClewError:
            return False

    def _finished(self, found: Proposal, read: ReadQuestion) -> Iterator[Proposal]:
        """What is made of the set in the end."""
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        if read.count and (stated := self._stated(plan)) is not None:
            yield Proposal(stated, found.prior)
        elif read.count:
            yield Proposal(p.Count(plan), found.prior)
        elif read.summary:
            for path, fit in self._keys(plan, read.summary_words or ("number",), dates=False):
                yield Proposal(p.Aggregate(read.summary, plan, path), found.prior * fit)  # type: ignore[arg-type]
        elif read.answer == "truth":
            yield Proposal(p.Exists(plan), found.prior)
        elif read.of_key and isinstance(plan, p.Top) and plan.key.how == "value":
            yield Proposal(p.Values(plan, plan.key.path), found.prior)
        else:
            yield found

    def _stated(self, plan: p.SetPlan) -> p.Plan | None:
        """What a count of figures means: "how many pages" is the number that is stated, of several things their sum."""
        if not isinstance(plan, p.Follow) or len(plan.path) != 1 or not plan.path[0].forward or plan.qualifiers:
            return None
        found = column(self._graph, self._binding.relation(plan.path[0].relation))
        if found.kind != "number" or not found.ordered:
            return None
        several = len(self._members(plan.of)) > 1
        return p.Aggregate("sum", plan.of, plan.path) if several else p.Values(plan.of, plan.path)

    # -- keys --------------------------------------------------------------------------------------------------------

    def _steps(self, members: Ints, *, backward: bool = True) -> list[tuple[p.Step, float]]:
        return steps_of(self._graph, members, backward=backward)

    def _label(self, step: p.Step) -> str:
        return self._graph.relation_at(self._binding.relation(step.relation)).label.rsplit(".", 1)[-1]

    def _keys(self, plan: p.SetPlan, words: Sequence[str], *, dates: bool | None) -> list[tuple[p.Path, float]]:
        """Paths of one or two steps to values with an order that the words fit, best first.

        Two steps where the first leads to a nameless node, or its words are asked for as well ("largest capital").
        """
        found: list[tuple[p.Path, float, float]] = []
        members = self._members(plan)
        for step, share in self._steps(members):
            number = self._binding.relation(step.relation)
            if step.forward:
                values = column(self._graph, number)
                if values.ordered and (dates is None or (values.kind == "date") == dates):
                    found.append(((step,), share, 0.0))
                    continue
            ends = self._executor.pairs(members[:LOOKED_AT], (step,))[1]
            nameless = bool(len(ends)) and bool(self._graph.mediators_at(ends[:1])[0])
            if nameless:
                for second, part in self._steps(np.unique(ends), backward=False):
                    values = column(self._graph, self._binding.relation(second.relation))
                    if values.ordered and (dates is None or (values.kind == "date") == dates):
                        found.append(((step, second), share * part, 0.0))
        if not found:
            return []
        fits = self._likeness(words, [" ".join(map(self._label, path)) for path, _, _ in found])
        if dates:
            fits = [max(fit, SOME_DATE) for fit in fits]
        scored = [(path, fit * (0.5 + 0.5 * share)) for (path, share, _), fit in zip(found, fits, strict=True)]
        scored = [(path, fit) for path, fit in scored if fit >= (0.5 * SOME_DATE if dates else LEAST)]
        return sorted(scored, key=lambda item: -item[1])[:KEYS]

    def _counted(self, plan: p.SetPlan, noun: str, verb: str = "") -> list[tuple[p.Path, float]]:
        """Steps whose ends are of the kind that a noun names, or whose label is the noun."""
        members = self._members(plan)
        found: list[tuple[p.Path, float]] = []
        wanted = stem(noun)
        instances = self._called(wanted)
        for step, share in self._steps(members):
            if self._binding.relation(step.relation) in self._binding.type_relations:
                continue
            owners, reached = self._executor.pairs(members[:LOOKED_AT], (step,))
            ends = np.unique(reached)
            of_kind = float(np.isin(ends, instances).mean()) if len(ends) and len(instances) else 0.0
            label = self._label(step)
            named = by_words((noun,), [label])[0]
            if not step.forward and label.lower() in INVERSE.get(wanted, ()):
                named = 1.0
            elif noun == OFTEN and not step.forward:
                named = 0.7  # "the most common": what most things lead to
            fit = max(named, 0.9 * of_kind) * (0.5 + 0.5 * share)
            if verb and not self._binding.type_relations:
                fit = max(fit, 0.8 * by_words(verb.split()[:1], [label])[0])  # what nothing says the kind of
            if verb:
                fit *= 0.7 + 0.3 * max(self._likeness((verb,), [label])[0], by_words(verb.split(), [label])[0])
            if len(members) > 1 and len(np.unique(owners)) == len(owners):
                fit *= 0.5  # one for each member: there is nothing to count
            if fit >= LEAST:
                found.append(((step,), fit))
        return sorted(found, key=lambda item: -item[1])[:KEYS]

    def _called(self, noun: str) -> Ints:
        """The things of the kinds whose names a noun is, or ends: "clubs" are football clubs."""
        if not self._binding.type_relations:
            return np.empty(0, np.int32)
        names = {label: label_to_text(label).lower() for label in self._binding.classes()}
        kinds = [label for label, name in names.items() if stem(name) == noun]
        kinds = kinds or [label for label, name in names.items() if stem(name.split()[-1]) == noun]
        return np.unique(np.concatenate([np.empty(0, np.int32), *(self._members(p.Class(kind)) for kind in kinds)]))

    # -- operators ---------------------------------------------------------------------------------------------------

    def _ranked(self, found: Proposal, ranked: Ranked) -> Iterator[Proposal]:
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        nouns = [word for word in ranked.noun.split() if word]
        words = (*([" ".join(nouns)] if nouns else []), *nouns[:1], *ranked.words, *ranked.verb.split()[:1])
        dates = True if ranked.date else None
        for path, fit in self._keys(plan, words, dates=dates):
            largest = self._largest(path, ranked)
            top = p.Top(plan, p.Key(path), largest, ranked.k, ranked.skip)
            yield Proposal(top, found.prior * fit)
        yield from self._between(found, ranked, words)
        if nouns and not ranked.date:
            for path, fit in self._counted(plan, ranked.noun, ranked.verb) or self._counted(
                plan, nouns[0], ranked.verb
            ):
                if ranked.words == (ranked.noun,):  # "the most cities"
                    yield Proposal(
                        p.Top(plan, p.Key(path, "count"), ranked.largest, ranked.k, ranked.skip), found.prior * fit
                    )
                    continue
                inner = p.Follow(plan, path) if len(path) == 1 else None  # "the largest capital", "the longest river"
                if inner is None:
                    continue
                for key, second in self._keys(inner, (*ranked.words, *nouns[1:]), dates=dates):
                    top = p.Top(plan, p.Key((*path, *key)), ranked.largest, ranked.k, ranked.skip)
                    yield Proposal(top, found.prior * fit * second)

    def _largest(self, path: p.Path, ranked: Ranked) -> bool:
        """Which end of a column an adjective means: the best position is the first, the oldest the first born, the
        fastest the one of the shortest time."""
        label = set(label_to_text(self._label(path[-1])).lower().split())
        if {"rank", "elevation"} & set(ranked.words) and _RANKS & label:
            return not ranked.largest
        step = path[-1]
        values = column(self._graph, self._binding.relation(step.relation), step.forward)
        if ranked.base in AGES and values.kind == "date":
            return ranked.base == "young"
        if ranked.base in PACES:
            timed = bool(TIMES & label) or values.dimension == "time"
            return (ranked.base == "slow") == timed
        return ranked.largest

    def _between(self, found: Proposal, ranked: Ranked, words: Sequence[str]) -> Iterator[Proposal]:
        """A superlative over the nameless nodes that a set was reached through: its dates stand there."""
        plan = found.plan
        if not isinstance(plan, p.Follow) or len(plan.path) != 2 or not ranked.date:
            return
        nodes = p.Follow(plan.of, plan.path[:1])
        for path, fit in self._keys(nodes, words, dates=True):
            top = p.Top(nodes, p.Key(path), ranked.largest, ranked.k, ranked.skip)
            yield Proposal(p.Follow(top, plan.path[1:]), found.prior * fit)

    def _filtered(self, found: Proposal, stated: Filter) -> Iterator[Proposal]:
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        dated = isinstance(stated.value, p.Date)
        countable = isinstance(stated.value, p.Number) and stated.value.value <= MOST_COUNTED
        if stated.of_count and countable and stated.words and stated.op != "between":
            noun = stated.words[0]
            for path, fit in self._counted(plan, noun) or self._counted(plan, noun.split()[0]):
                assert isinstance(stated.value, p.Number)
                n = int(stated.value.value)
                yield self._kept(p.WhereCount(plan, path, stated.op, n), found.prior * fit)  # type: ignore[arg-type]
        if isinstance(plan, p.Follow) and len(plan.path) == 2 and dated:
            yield from self._qualified(plan, stated, found.prior)
        keys = self._keys(plan, stated.words or ("number",), dates=dated or None)
        if isinstance(stated.value, p.Number) and stated.value.unit:
            keys = self._measured(plan, stated, keys)
        for path, fit in keys:
            test = p.Test(path, stated.op, stated.value, stated.upper)
            yield self._kept(p.Where(plan, test), found.prior * fit)

    def _measured(
        self, plan: p.SetPlan, stated: Filter, keys: list[tuple[p.Path, float]]
    ) -> list[tuple[p.Path, float]]:
        """The keys that are measured in the stated unit, whatever they are called; where none is, those that fit."""
        assert isinstance(stated.value, p.Number)
        unit = unit_of(stated.value.unit)
        fits = dict(keys)
        if unit is None:
            return keys
        same: list[tuple[p.Path, float]] = []
        for step, share in self._steps(self._members(plan), backward=False):
            values = column(self._graph, self._binding.relation(step.relation))
            named = stem(stated.value.unit) in map(stem, label_to_text(self._label(step)).lower().split())
            if values.ordered and (values.dimension == unit.dimension or (named and not values.dimension)):
                same.append(((step,), max(fits.get((step,), 0.0), 0.5 + 0.4 * share)))
        return sorted(same, key=lambda item: -item[1]) or keys

    def _qualified(self, plan: p.Follow, stated: Filter, prior: float) -> Iterator[Proposal]:
        """A date on the nameless nodes: within it, or for a point in time from a start to an end around it."""
        nodes = p.Follow(plan.of, plan.path[:1])
        keys = self._keys(nodes, ("from", "to", "start", "end", "date", "year"), dates=True)
        labels = {path: self._label(path[-1]) for path, _ in keys}
        starts = [path for path, label in labels.items() if label.startswith(("from", "start"))]
        ends = [path for path, label in labels.items() if label.startswith(("to", "end"))]
        if stated.op == "=" and starts and ends:
            begun = p.Where(nodes, p.Test(starts[0], "<=", stated.value))
            over = p.Where(nodes, p.Test(ends[0], "<", stated.value))
            yield self._kept(p.Follow(p.Minus(begun, over), plan.path[1:]), prior)
        for path, fit in keys:
            test = p.Test(path, stated.op, stated.value, stated.upper)
            yield self._kept(p.Follow(plan.of, plan.path, (*plan.qualifiers, test)), 0.9 * prior * fit)

    def _kept(self, plan: p.SetPlan, prior: float) -> Proposal:
        """A proposal; one that finds nothing has no prior, and goes out at the end."""
        return Proposal(plan, prior)
