"""What the members of a set can be compared, counted or filtered by: relations that they have, chosen by words.

Kept apart from `decorate`, which puts operators around a set: here a key is found, with how well the words fit it,
whether they name it and how many of the members have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.kinds import TRUTHS
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.execute import ExecutionLimits, Executor
from clew.query.lapses import ends as names_an_end
from clew.query.meanings import BY_FAMILY, meant, measures, of_life, spelled_out
from clew.query.superlatives import OFTEN
from clew.query.values import unit_for, unit_of
from clew.query.vocabulary import BEGUN, INVERSE, KEPT, SYNONYMS, akin, forms, head_of, stem
from clew.query.wordnet import is_nobody, kind_of_things

Likeness = Callable[[Sequence[str], Sequence[str]], Sequence[float]]
"""How well words fit each of several labels: (words, labels) → scores in [0, 1]."""

KEYS = 4  # most keys tried for one operator
SOME_DATE = 0.35  # what a column of dates fits a question about time, whatever it is called
LEAST = 0.3  # a key that fits less is not proposed
ANYBODY = frozenset(["people", "person", "thing", "other"])  # by their stems: of any kind
OF_LINK = 0.7  # what the date of a link fits, where the things are told by that link
GUESSED = 0.6  # what the only figure that there is fits words that do not name it
MOST = 0.5  # share of the members that must have it
LOOKED_AT = 2000  # members looked at to find the relations they have
SEVERAL = 10  # things that lead to each member, in the mean, whose values may still be its own
ONE_KIND = 0.9  # share of what a step leads to from which it leads to one kind
SOME_KIND = 0.85  # what a step is taken for where it leads to others beside the kind that is counted
OWNED = 3  # steps to the things of a member whose figures are added up
COMPOUND = 4  # letters of a noun that may end another: "works" are artworks
NEAREST = 100  # kinds of a graph among which one is looked for by what words mean
AFTER = 6  # pairs whose names are compared
BEYOND = 0.6  # what two steps fit where no single one leads to what is counted
TOLD = 0.75  # of a verb and a relation's name, from which it is that relation however few have it
TURNED = 0.9  # what a count fits that is rather one of those which lead the other way
AT_ITS_END = 0.9  # what a date fits that is the end of something, where the words do not say so
_OF_ONE = frozenset(["unit", "per", "each", "rate", "average", "mean"])  # figures of this name do not add up
ANY_TIME = frozenset(["date", "year", "time"])  # say that a date is meant, and not which


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A path to what is compared or counted."""

    path: p.Path
    fit: float  # of the words, and of how many have it
    share: float = 1.0  # of the members that have it
    named: bool = True  # the words name it; else it is taken because it holds dates, or for its likeness
    note: str = ""  # what it is called, where it is the likeliest and nothing more
    kind: str = ""  # of what is counted, where the path leads to things of several kinds

    @property
    def among(self) -> p.SetPlan | None:
        """What is counted at the end of the path, where that is not all there is."""
        return p.Class(self.kind) if self.kind else None


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
            (_step(graph.relation_at(r).id, forward), having[r] / max(len(members), 1))
            for r in np.flatnonzero(having).tolist()
        ]
    return found


@lru_cache(maxsize=1 << 14)
def _step(relation: str, forward: bool) -> p.Step:
    return p.Step(relation, forward)


def by_words(words: Sequence[str], labels: Sequence[str]) -> list[float]:
    """Words in common: the earlier a word stands in `words`, the more it says."""
    return [max((_in_common(word, place, label) for place, word in enumerate(words)), default=0.0) for label in labels]


@lru_cache(maxsize=KEPT)
def _in_common(word: str, place: int, label: str) -> float:
    name = label.lower().replace("_", " ").replace(".", " ")
    parts, head = {stem(part) for part in name.split()}, {stem(part) for part in head_of(name).split()}
    wanted = {stem(part) for part in word.split()}
    if wanted and wanted <= parts:
        among = head if wanted <= head else parts
        return (1.0 - 0.08 * place) * (0.6 + 0.4 * len(wanted) / len(among))
    if len(wanted) != 1:
        return 0.0
    if parts & _same(next(iter(wanted))):
        return 0.8 * (1.0 - 0.08 * place)
    if any(forms(word) & forms(part) for part in parts):
        return 0.95 * (1.0 - 0.08 * place)
    return 0.75 * (1.0 - 0.08 * place) if any(akin(word, part) for part in head) else 0.0


def _same(word: str) -> frozenset[str]:
    return frozenset(SYNONYMS.get(word, ())) | (BEGUN if word == "founded" else frozenset())


def names(words: Sequence[str], label: str) -> bool:
    """Whether one of the words, in any form, stands in a label; that a date is meant names no date."""
    parts = {form for part in label.lower().replace("_", " ").replace(".", " ").split() for form in forms(part)}
    said = [word for phrase in words for word in phrase.split() if word not in ANY_TIME]
    return any(parts & (forms(word) | _same(stem(word))) for word in said)


class Keys:
    """The keys of sets in one graph."""

    def __init__(self, graph: Graph, likeness: Likeness = by_words) -> None:
        self._graph, self._likeness = graph, likeness
        self._binding = Binding.of(graph)
        self._executor = Executor(graph, ExecutionLimits(pairs=5_000_000))

    def members(self, plan: p.SetPlan) -> Ints:
        """The members of a set; none where a plan cannot be executed within its limits."""
        try:
            return self._executor.members(plan)
        except ClewError:
            return np.empty(0, np.int32)

    def finds(self, plan: p.Plan) -> bool:
        """Whether a plan finds a member or a number."""
        if isinstance(plan, p.SetPlan):
            return len(self.members(plan)) > 0
        try:
            return not isinstance(plan, p.ValuePlan) or self._executor.quantity(plan) is not None
        except ClewError:
            return False

    def having(self, plan: p.SetPlan, path: p.Path) -> Ints:
        """The members that a path leads on from."""
        members = self.members(plan)
        return members[np.unique(self._executor.pairs(members, path)[0])]

    def ends(self, members: Ints, path: p.Path) -> Ints:
        """What a path leads to from some things, once for each of them."""
        return self._executor.pairs(members, path)[1]

    def compared(self, plan: p.Plan) -> Ints:
        """The things that a plan's superlatives and conditions find a value of."""
        found = [np.empty(0, np.int32)]
        for node in p.walk(plan):
            if isinstance(node, (p.Top, p.Where)):
                path = node.key.path if isinstance(node, p.Top) else node.test.path
                counted = isinstance(node, p.Top) and node.key.how == "count"
                found.append(self.members(node.of) if counted else self.having(node.of, path))
            elif isinstance(node, p.Follow) and isinstance(node.of, (p.Top, p.Where)):  # by what is said of a link
                found.append(self.members(p.Follow(node.of.of, node.path)))
        return np.unique(np.concatenate(found))

    def label(self, step: p.Step) -> str:
        """A relation's name without its domain."""
        return self._graph.relation_at(self._binding.relation(step.relation)).label.rsplit(".", 1)[-1]

    def values(
        self,
        plan: p.SetPlan,
        words: Sequence[str],
        *,
        dates: bool | None,
        stated: Sequence[str] = (),
        base: str = "",
    ) -> list[FoundKey]:
        """Paths of one or two steps to values with an order that the words fit, best first.

        Two steps where the first leads to a node that has no name, or one after what it belongs to ("First ascent of
        Via Alba"), or where the words name the second ("launched in 2017" by the `launch_date` of a satellite's
        flight).

        Args:
            dates: only dates (True), no dates (False), or both.
            stated: the words that name a key where not all of `words` do: a noun that stands beside the adjective.
            base: the adjective behind the words, whose family may name a key as well.
        """
        members, said = self.members(plan), stated or (() if base else words)
        near: list[tuple[p.Path, float]] = []
        far: list[tuple[p.Path, float]] = []  # by way of something else that bears a name of its own
        when: list[tuple[p.Path, float]] = []  # dates of the one thing that each belongs to
        for step, share in steps_of(self._graph, members):
            if step.forward and self._ordered(step, dates):
                near.append(((step,), share))
                continue
            owners, ends = self._executor.pairs(members[:LOOKED_AT], (step,))
            if not len(ends):
                continue
            unnamed = self._graph.mediators_at(ends)
            mixed = bool(unnamed.any() and not unnamed.all())
            if mixed:  # a link with properties leads to its node and to what it links
                owners, ends = owners[unnamed], ends[unnamed]
            own = bool(unnamed.any()) or self._named_after(members[owners], ends)
            few = share >= MOST and (step.forward or (bool(dates) and len(ends) <= SEVERAL * len(np.unique(owners))))
            if not own and not (few and said):
                continue
            for second, part in steps_of(self._graph, np.unique(ends), backward=False):
                if not self._ordered(second, dates) or second.relation == step.relation:  # not there and back
                    continue
                if mixed and not (self._named(words, base, second) or (dates and self._named(words, base, step))):
                    continue  # the weight of a link is no number of what is linked, nor its date, unless words name it
                if own or (few and names(said, self.label(second))):
                    (near if own else far).append(((step, second), share * part))
                elif (
                    few and dates and step.forward and self.precision(second) != "clock" and self._happens(owners, ends)
                ):
                    when.append(((step, second), share * part))
        scored = self._scored(near, plan, words, dates, stated, base)
        if not any(each.named for each in scored) and (dates or not scored):
            scored += self._scored(far, plan, words, dates, stated, base)
        if not scored and len(when) == 1:  # "donations in 2024", by the date of their session
            scored = self._scored(when, plan, words, dates, stated, base)
        return sorted(scored, key=lambda each: -each.fit)[:KEYS]

    def _happens(self, owners: NDArray[np.integer], ends: Ints) -> bool:
        """Whether a step leads to one thing each that happened at some time: an event by its kind, or what only a
        number names."""
        if len(np.unique(owners)) < len(owners):
            return False
        out, number = self._graph.whole.out, int(ends[0])
        run = slice(int(out.offsets[number]), int(out.offsets[number + 1]))
        kinds = out.neighbors[run][np.isin(out.relations[run], list(self._binding.type_relations))]
        names = [label_to_text(label) for label in self._graph.labels_at(kinds)]
        label = self._graph.labels_at(ends[:1])[0]
        return bool(names) and (any(map(is_nobody, names)) or any(map(str.isdigit, label)))

    def _named(self, words: Sequence[str], base: str, step: p.Step) -> bool:
        """Whether words name a relation, or what it is measured in."""
        label, date = self.label(step), self._column(step).kind == "date"
        return names(words, spelled_out(label)) or meant(tuple(words), base, label, date=date) >= BY_FAMILY

    def _scored(
        self, found: Sequence[tuple[p.Path, float]], plan: p.SetPlan, words: Sequence[str], dates: bool | None,
        stated: Sequence[str], base: str,
    ) -> list[FoundKey]:  # fmt: skip
        """Paths with how well words fit them; those that fit too little are left out."""
        if not found:
            return []
        labels = [" ".join(spelled_out(self.label(step)) for step in path) for path, _ in found]
        scored, narrowed = [], not isinstance(plan, p.All)  # among all things whoever has it is meant
        walked = {node.relation for node in p.walk(plan) if isinstance(node, p.Step)} if dates and not base else set()
        for (path, share), label, fit in zip(found, labels, self._fits(words, labels, dates), strict=True):
            other = meant(tuple(words), base, self.label(path[-1]), date=self._column(path[-1]).kind == "date")
            if dates and not base and of_life(label) and not (other or names(words, label)):
                continue  # what happened to somebody in some year is no birth
            fit = (max(fit, other, SOME_DATE) if dates else max(fit, other)) * (0.5 + 0.5 * share)
            if dates and any(map(names_an_end, label.lower().split())) and not names(words, label):
                fit *= AT_ITS_END  # the earliest is the one that begins first
            if len(path) > 1 and path[0].relation in walked:  # "the first to join X": the date of what links them
                fit = max(fit, OF_LINK)
            if fit >= (0.5 * SOME_DATE if dates else LEAST):
                named = names(stated or words, label) or other >= BY_FAMILY
                scored.append(FoundKey(path, fit, share if narrowed else 1.0, named))
        return scored

    def _fits(self, words: Sequence[str], labels: Sequence[str], dates: bool | None) -> Sequence[float]:
        """How well words fit names; of dates those that say which, and only where none does that it is some date."""
        exact = [word for word in words if word not in ANY_TIME] if dates else []
        fits = self._likeness(exact, labels) if exact else []
        return fits if max(fits, default=0.0) >= LEAST else self._likeness(words, labels)

    def told_by_clock(self, key: FoundKey) -> bool:
        """Whether a key holds times of the day."""
        return self._column(key.path[-1]).precision == "clock"

    def _named_after(self, owners: Ints, ends: Ints) -> bool:
        """Whether what is reached bears the name of what it is reached from, and more: an event of its own."""
        pairs = zip(self._graph.labels_at(owners[:AFTER]), self._graph.labels_at(ends[:AFTER]), strict=True)
        return all(len(end) > len(owner) and owner.casefold() in end.casefold() for owner, end in pairs)

    def _column(self, step: p.Step) -> Column:
        return column(self._graph, self._binding.relation(step.relation))

    def _ordered(self, step: p.Step, dates: bool | None) -> bool:
        values = self._column(step)
        return values.ordered and (dates is None or (values.kind == "date") == dates)

    def measured(self, plan: p.SetPlan, unit: str, known: Sequence[FoundKey]) -> list[FoundKey]:
        """The keys that are measured in a unit, whatever they are called, or that its name stands in."""
        fits = {each.path: each.fit for each in known}
        same: list[FoundKey] = []
        for step, share in steps_of(self._graph, self.members(plan), backward=False):
            if self.is_measured(step, unit):
                same.append(FoundKey((step,), max(fits.get((step,), 0.0), 0.5 + 0.4 * share), share))
        return sorted(same, key=lambda each: -each.fit)

    def is_measured(self, step: p.Step, unit: str) -> bool:
        """Whether a relation's values are measured in a unit, or its name says so."""
        values, own = self._column(step), self.dimension(step)
        meant = unit_of(unit_for(unit, own))
        named = stem(unit) in map(stem, spelled_out(self.label(step)).lower().split())
        return values.ordered and ((meant is not None and own == meant.dimension) or (named and not own))

    def dimension(self, step: p.Step) -> str:
        """What a relation's values are measured in, by themselves or by its name; "" where neither says it."""
        values = self._column(step)
        stated = unit_of(values.stated) if values.stated else None
        return values.dimension or ("" if stated is None else stated.dimension)

    def amounts(self, plan: p.SetPlan, unit: str) -> Iterator[tuple[p.Path, p.Step, str]]:
        """Numbers of what links the members to others whose unit stands beside them, as "amount" and "unit" of an
        ingredient: the path to the number, the step to the unit from the same node, and a unit of the same dimension.
        """
        members, wanted = self.members(plan), unit_of(unit)
        for step, _ in steps_of(self._graph, members):
            ends = self._executor.pairs(members[:LOOKED_AT], (step,))[1]
            nodes = np.unique(ends[self._graph.mediators_at(ends)])
            own = [each for each, _ in steps_of(self._graph, nodes, backward=False)]
            bare = [each for each in own if self._ordered(each, dates=False) and not self.dimension(each)]
            for other in own if wanted is not None and len(bare) == 1 else ():
                names = np.unique(self._executor.pairs(nodes, (other,))[1])
                for id, label in zip(self._graph.ids_at(names), self._graph.labels_at(names), strict=True):
                    known = unit_of(label)
                    if known is not None and wanted is not None and known.dimension == wanted.dimension:
                        yield (step, bare[0]), other, id

    def only(self, plan: p.SetPlan, around: float | None = None, *, unit: str = "") -> list[FoundKey]:
        """The one figure that the members have, of those between whose values a number lies; none where several do.

        What nothing in the words names: the key says what it is called.
        """
        found = []
        for step, share in steps_of(self._graph, self.members(plan), backward=False):
            values, own = self._column(step), self.dimension(step)
            if values.kind != "number" or not values.ordered or share < MOST or not measures(self.label(step)):
                continue
            if unit and own:
                continue  # measured in something else
            inside = around is None or float(values.low.min()) <= around <= float(values.high.max())
            if inside and len(np.unique(values.low)) > 1:
                name = spelled_out(self.label(step))
                found.append(FoundKey((step,), GUESSED * (0.5 + 0.5 * share), share, False, name))
        return found if len(found) == 1 else []

    def counted(self, plan: p.SetPlan, noun: str, verb: str = "") -> list[FoundKey]:
        """Steps whose ends are of the kind that a noun names, or whose label is the noun."""
        members = self.members(plan)
        found: list[FoundKey] = []
        wanted = stem(noun)
        kinds = self._kinds_of_noun(wanted)
        instances = self._instances(kinds)
        for step, share in steps_of(self._graph, members):
            if self._binding.relation(step.relation) in self._binding.type_relations:
                continue
            owners, reached = self._executor.pairs(members[:LOOKED_AT], (step,))
            ends, kind = np.unique(reached), ""
            of_kind = float(held(ends, instances).mean()) if len(ends) else 0.0
            if len(kinds) == 1 and 0 < of_kind < ONE_KIND:  # rooms and members belong to a club by the same relation
                counts, kind, of_kind = held(reached, instances), kinds[0], SOME_KIND
                owners, ends = owners[counts], np.unique(reached[counts])
            label = self.label(step)
            named = by_words((noun,), [label])[0] if kinds else self._likeness((noun,), [label])[0]
            if not step.forward and label.lower() in INVERSE.get(wanted, ()):
                named = 1.0
            elif noun == OFTEN and not step.forward:
                named = 0.7  # "the most common": what most things lead to
            if (self._column(step).ordered and step.forward) or self._is_flag(ends):
                continue  # a figure or a yes is none of several
            told = by_words(verb.split(), [label])[0] if verb else 0.0
            fit = max(named, 0.9 * of_kind) * (1.0 if told >= TOLD else 0.5 + 0.5 * share)
            if verb and (wanted in ANYBODY or not self._binding.type_relations):
                fit = max(fit, 0.8 * by_words(verb.split()[:1], [label])[0])  # what nothing says the kind of
            if verb:
                fit *= 0.7 + 0.3 * max(self._likeness((verb,), [label])[0], told)
            if len(members) > 1 and len(np.unique(owners)) == len(owners):
                fit *= 0.5  # one for each member: there is nothing to count
            if fit >= LEAST:
                found.append(FoundKey((step,), fit, kind=kind))
        if not found and len(instances):
            found = list(self._counted_beyond(members, instances))
        found = [replace(each, fit=each.fit * TURNED) if self._turned(each, found, members, verb) else each
                 for each in found]  # fmt: skip
        return sorted(found, key=lambda each: -each.fit)[:KEYS]

    def _turned(self, key: FoundKey, found: Sequence[FoundKey], members: Ints, verb: str) -> bool:
        """Whether a relation between things of one kind is rather counted in the other direction: somebody "is
        godparent to" those whose godparent he is, and "trained" those who trained under him; else that in which some
        have more."""
        other = p.turned(key.path)
        if len(key.path) > 1 or all(each.path != other for each in found):
            return False
        label, said = spelled_out(self.label(key.path[0])).lower().split(), verb.split()
        if said[:1] in (["do"], ["does"], ["did"]):  # "which service do the most services call"
            return key.path[0].forward
        if said and said == label:
            return not key.path[0].forward
        if len(said) == 2 and stem(said[0]) == stem(label[-1]) and said[1] in ("to", "of"):
            return key.path[0].forward
        if len(label) == 2 and said[:1] == label[:1] and label[1] in ("by", "under") and said[1:] != label[1:]:
            return key.path[0].forward
        most, least = (
            int(np.unique(self._executor.pairs(members[:LOOKED_AT], path)[0], return_counts=True)[1].max())
            for path in (other, key.path)
        )
        return least < most

    def _counted_beyond(self, members: Ints, instances: Ints) -> Iterator[FoundKey]:
        """Two steps to things of a kind, or three: the products of a customer's orders."""
        before: list[tuple[p.Path, Ints, float]] = [((), members, 1.0)]
        for fit in (BEYOND, BEYOND * BEYOND):
            before = [each for way in before for each in self._onward(way, members)]
            found = [
                FoundKey((*path, second), fit * (0.5 + 0.5 * share))
                for path, ends, share in before
                for second, part in steps_of(self._graph, ends)
                if second.relation != path[-1].relation
                for reached in (np.unique(self._executor.pairs(ends[:LOOKED_AT], (second,))[1]),)
                if float(held(reached, instances).mean()) >= ONE_KIND
                if part >= MOST or (len(path) > 1 and len(reached) >= MOST * len(instances))
            ]
            if found:
                yield from found
                return

    def _onward(self, way: tuple[p.Path, Ints, float], members: Ints) -> Iterator[tuple[p.Path, Ints, float]]:
        """A path from a set, where it leads and how many of the set have it, with each step to other things added."""
        path, ends, share = way
        for step, part in steps_of(self._graph, ends):
            reached = np.unique(self._executor.pairs(ends[:LOOKED_AT], (step,))[1])
            back = any(step.relation == each.relation for each in path)
            typed = self._binding.relation(step.relation) in self._binding.type_relations
            if not (back or typed or self._graph.literals_at(reached).any() or held(reached, members).any()):
                yield (*path, step), reached, share * part

    def summed(self, plan: p.SetPlan, words: Sequence[str]) -> list[FoundKey]:
        """Paths to figures, named by words, of what a member has several of and shares with none: the goals of a
        player's appearances, which add up to the player's own; of what these have in turn, where they have none."""
        members = self.members(plan)
        ways: list[tuple[p.Path, Ints, float]] = [((), members, 1.0)]
        for deep in range(OWNED):
            ways = [each for way in ways for each in self._owned(way) if not deep or each[2] >= MOST]
            found = [
                FoundKey((*path, last), fit * (0.5 + 0.5 * part), share)
                for path, ends, share in ways
                for last, part in steps_of(self._graph, ends, backward=False)
                if last.relation != path[-1].relation
                and (fit := self._sums(last, words)) >= BY_FAMILY
                and self._ordered(last, dates=False)
            ]
            if found:
                return sorted(found, key=lambda each: -each.fit)[:KEYS]
        return []

    def stated_by_events(self, plan: p.SetPlan, words: Sequence[str]) -> list[FoundKey]:
        """Paths to figures, named by words, that what leads to the members states: the rent of a tenant's tenancy."""
        members, found = self.members(plan), list[FoundKey]()
        for step, share in steps_of(self._graph, members):
            if step.forward or share < MOST:
                continue
            events = np.unique(self._executor.pairs(members[:LOOKED_AT], (step,))[1])
            for last, part in steps_of(self._graph, events, backward=False):
                fit = by_words(words, [spelled_out(self.label(last))])[0]
                if fit >= BY_FAMILY and part >= MOST and self._ordered(last, dates=False):
                    found.append(FoundKey((step, last), fit * (0.5 + 0.5 * part), share))
        return sorted(found, key=lambda each: -each.fit)[:KEYS]

    def _sums(self, last: p.Step, words: Sequence[str]) -> float:
        """How well words name figures that are added up; prices of one piece are not."""
        if _OF_ONE & set(spelled_out(self.label(last)).lower().split()):
            return 0.0
        fit = max(
            by_words(words, [spelled_out(self.label(last))])[0], meant(tuple(words), "", self.label(last), date=False)
        )
        measured = bool(words) and unit_of(words[0]) is not None and self.is_measured(last, words[0])
        return max(fit, BY_FAMILY) if measured else fit  # "kilometres" of a distance

    def _owned(self, way: tuple[p.Path, Ints, float]) -> Iterator[tuple[p.Path, Ints, float]]:
        """A path with each step added to things of which some have several, and none shares one with another."""
        path, before, share = way
        for step, part in steps_of(self._graph, before):
            owners, ends = self._executor.pairs(before[:LOOKED_AT], (step,))
            several = bool(path) or len(np.unique(owners)) < len(ends)  # each of several visits may have one bill
            unshared = len(np.unique(ends)) == len(ends)
            back = any(step.relation == each.relation for each in path)
            if several and unshared and not back and not self._graph.literals_at(ends).any():
                yield (*path, step), np.unique(ends), share * part

    def kinds_called(self, words: Sequence[str]) -> list[str]:
        """The kinds whose names one of some words is, in any form: "repaired" is said of repairs."""
        said = {form for phrase in words for word in phrase.split() if word not in ANY_TIME for form in forms(word)}
        kinds = {label: label_to_text(label).lower().split() for label in self._binding.classes()}
        return [label for label, name in kinds.items() if any(forms(word) & said for word in name)]

    def precision(self, step: p.Step) -> str:
        """How exactly most of a relation's dates are known: year, month, day, second; "" of other values."""
        return self._column(step).precision

    def is_called(self, kind: p.SetPlan | None, noun: str) -> bool:
        """Whether a set is a kind whose name a noun is, or ends: "clubs" are football clubs."""
        if not isinstance(kind, p.Class):
            return False
        names = self._graph.labels_at(self._binding.entities((kind.id,)))
        if any(stem(label_to_text(name).lower().split()[-1]) == stem(noun) for name in names):
            return True
        return not set(self._kinds_of_noun(stem(noun))).isdisjoint(names)

    def _kinds_of_noun(self, noun: str) -> list[str]:
        """The labels of the kinds that a noun names, given by its stem: by its name, which it may also end ("clubs" are
        football clubs, "works" artworks), by a synonym, or the nearest of them by what words mean."""
        if not self._binding.type_relations:
            return []
        stated, every = ({label: label_to_text(label).lower() for label in self._binding.classes(finer=finer)}
                         for finer in (False, True))  # fmt: skip
        if same := [label for label, name in every.items() if stem(name) == noun]:
            return same
        if ending := _ending_in(noun, stated):
            return ending
        near = kind_of_things(noun, stated) if len(stated) <= NEAREST else None
        return _ending_in(noun, every) if near is None else [near]

    def leading_to(self, plan: p.SetPlan, kind: p.Class) -> list[p.Step]:
        """The steps from things of a kind to members of a set."""
        members, of_kind = self.members(plan), self.members(kind)
        if not len(of_kind) or not len(members) or np.isin(of_kind, members).any():
            return []
        whole = self._graph.whole
        mine = np.isin(whole.heads, of_kind) & np.isin(whole.tails, members)
        return [p.Step(self._graph.relation_at(number).id) for number in np.unique(whole.rels[mine]).tolist()]

    def _is_flag(self, ends: Ints) -> bool:
        return 0 < len(ends) <= 2 and {text.lower() for text in self._graph.labels_at(ends)} <= TRUTHS

    def _instances(self, kinds: Sequence[str]) -> Ints:
        """The things of some kinds, ascending."""
        found = [self.members(p.Class(kind)) for kind in kinds]
        return np.unique(np.concatenate([np.empty(0, np.int32), *found]))


def _ending_in(noun: str, names: Mapping[str, str]) -> list[str]:
    """The labels of the kinds whose names in words end in a noun, in a synonym of it, or in a word that it ends."""
    last = {label: stem(name.split()[-1]) for label, name in names.items() if name.split()}
    ways: tuple[Callable[[str], bool], ...] = (
        lambda word: word == noun,
        lambda word: word in SYNONYMS.get(noun, ()),
        lambda word: len(noun) >= COMPOUND and word.endswith(noun),
    )
    return next((found for way in ways if (found := [label for label, word in last.items() if way(word)])), [])
