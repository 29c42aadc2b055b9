"""From a set to the plans that answer a question about it: operators put around a set plan, keys chosen from the graph.

Kept apart from whoever finds the set, and from `keys`. Nothing is invented: a key is a relation the members have and
whose values have an order, a count goes over a relation that is there, and a plan that finds nothing is not proposed.
The prior says how well the words fit; it is what a trained ranking replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from clew.graph import Graph
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.asked import Filter, Ranked, ReadQuestion
from clew.query.binding import Binding
from clew.query.columns import column
from clew.query.keys import BEYOND, FoundKey, Keys, Likeness, by_words
from clew.query.lapses import LIVING, asks_how_long, is_time
from clew.query.meanings import MONEY, SIZES, TENURE, measures_other, spelled_out
from clew.query.periods import Period, Periods, of_hours
from clew.query.values import from_base, in_base, unit_for, unit_of
from clew.query.vocabulary import AGES, PACES, TIMES, stem

_RANKS = frozenset(["rank", "ranking", "position", "place", "finish", "standing", "seed", "pos", "pos."])
WITHIN = 0.7  # how far a condition is believed of what a set was reached through, beside the set itself
WHILE = 0.9  # the same of a time that falls between a start and an end
TELLING = frozenset(["heavy", "light", "deep", "shallow", "wide", "broad", "narrow", "steep", "thick", "thin", "fast"])
"""Adjectives of one measure alone: no other figure is meant, though it be the only one."""
BESIDE = 0.9  # how far an amount is believed whose unit stands beside it
_FROM = frozenset(["from", "start", "started", "starts", "begin", "began", "begins", "beginning", "since"])
_UNTIL = frozenset(["to", "end", "ended", "ends", "ending", "until", "till", "through"])
ENDED = 0.8  # share of the members whose end is known from which the longest of all is told by their ends
_OF_FIGURES = frozenset(["highest", "lowest", "largest", "smallest", "biggest", "greatest"])  # and of no things
_TIMES = frozenset(
    ["duration", "length", "time", "lifespan", "days", "weeks", "months", "years", "hours", "minutes", "stay"]
)
YEARS = (1000, 2200)  # numbers without a unit that may be years
MOST_COUNTED = 1000  # "fewer than 6439 students" is a figure the graph states, not a count of its links


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that can be executed and finds something, and how well it fits the words."""

    plan: p.Plan
    prior: float
    share: float = 1.0  # of the things compared that have what they are compared by
    named: bool = True  # the question's words name what is compared
    note: str = ""  # what was taken that they do not name

    def along(self, plan: p.Plan, key: FoundKey, keeps: float = 1.0) -> Proposal:
        """A plan that compares by a key what this one finds."""
        note = f"compared by “{key.note}”, the only figure that fits" if key.note else self.note
        return Proposal(plan, self.prior * key.fit * keeps, min(self.share, key.share), self.named and key.named, note)


def best_first(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Each plan once, by how well it fits."""
    best: dict[p.Plan, Proposal] = {}
    for each in proposals:
        if each.plan not in best or best[each.plan].prior < each.prior:
            best[each.plan] = each
    return sorted(best.values(), key=lambda each: -each.prior)


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


def _followed(plan: p.SetPlan, path: p.Path) -> p.SetPlan:
    for step in path:
        plan = p.Follow(plan, (step,))
    return plan


def _during(plan: p.SetPlan, start: p.Path, end: p.Path, first: p.Value, last: p.Value) -> p.SetPlan:
    """The members that had begun by the last of two times and were not over before the first; some have no end."""
    return p.Minus(p.Where(plan, p.Test(start, "<=", last)), p.Where(plan, p.Test(end, "<", first)))


def _far(plan: p.Plan) -> bool:
    """Whether a superlative is by what lies more than a step behind its members."""
    return isinstance(plan, p.Top) and len(plan.key.path) > 2


def _parts(plan: p.SetPlan) -> tuple[p.SetPlan, ...]:
    """The sets that one is what they share of; itself where it is no such set."""
    return tuple(each for part in plan.sets for each in _parts(part)) if isinstance(plan, p.And) else (plan,)


def _reached_through(plan: p.SetPlan) -> Iterator[tuple[p.SetPlan, Callable[[p.SetPlan], p.SetPlan]]]:
    """The sets that a set was reached through, the nearest first, each with what puts another set in its place."""
    parts = _parts(plan)
    for at, part in enumerate(parts):
        if not isinstance(part, p.Follow) or isinstance(part.of, (p.Entities, p.All)) or part.qualifiers:
            continue

        def put(inner: p.SetPlan, at: int = at, part: p.Follow = part) -> p.SetPlan:
            new = replace(part, of=inner)
            return p.And((*parts[:at], new, *parts[at + 1 :])) if len(parts) > 1 else new

        yield part.of, put
        for deeper, put_deeper in _reached_through(part.of):
            yield deeper, lambda inner, put=put, put_deeper=put_deeper: put(put_deeper(inner))  # type: ignore[misc]


def larger_end(graph: Graph, path: p.Path, ranked: Ranked) -> bool:
    """Which end of a column an adjective means: the best position is the first, the oldest the first born, the
    fastest the one of the shortest time."""
    binding, step = Binding.of(graph), path[-1]
    name = graph.relation_at(binding.relation(step.relation)).label.rsplit(".", 1)[-1]
    label = set(label_to_text(name).lower().split())
    if {"rank", "elevation"} & set(ranked.words) and _RANKS & label:
        return not ranked.largest
    values = column(graph, binding.relation(step.relation), step.forward)
    if ranked.base == TENURE:
        return ranked.largest != (values.kind == "date")
    if ranked.base in AGES and values.kind == "date":
        return ranked.base == "young"
    if ranked.base in PACES:
        timed = bool(TIMES & label) or values.dimension == "time"
        return (ranked.base == "slow") == timed
    return ranked.largest


class _Decorator:
    def __init__(self, graph: Graph, likeness: Likeness) -> None:
        self._graph, self._binding = graph, Binding.of(graph)
        self._keys = Keys(graph, likeness)
        self._periods = Periods(graph, self._keys)
        self._ends: tuple[str, ...] = ()  # words of the question for what a time goes from and to

    def proposals(self, plan: p.SetPlan, read: ReadQuestion, domain: p.SetPlan | None) -> list[Proposal]:
        self._ends = read.ends
        sets = [Proposal(plan, 1.0)]
        if read.negated and domain is not None and plan != domain and not isinstance(plan, p.WhereCount):
            sets = [Proposal(self._without(domain, plan), 1.0)]
        for stated in read.filters:
            inside = [made for found in sets for made in self._behind(found, stated, domain)]
            ways = (self._filtered, self._within, self._at_events)
            sets = inside or [made for found in sets for way in ways for made in way(found, stated)]
        if read.ranked is not None and read.sides is None:
            inside = [made for found in sets for made in self._ranked_behind(found, read.ranked, domain)]
            ranked = self._without_head(read.ranked, domain)
            own = [made for found in sets for made in self._ranked(found, ranked)]
            if not inside and not any(made.named and not _far(made.plan) for made in own):
                inside = [made for found in sets for made in self._ranked_within(found, ranked)]
            sets = inside or own
        finished = [made for found in sets for made in self._finished(found, read)]
        return best_first([each for each in finished if self._keys.finds(each.plan)])

    def _without(self, domain: p.SetPlan, plan: p.SetPlan) -> p.SetPlan:
        """What is left of a kind without a set; where that is what its members lead to, those that lead nowhere there:
        "programmes with no end date" are no dates less."""
        if isinstance(plan, p.Follow) and plan.of == domain and not plan.qualifiers:
            return p.WhereCount(domain, plan.path, "=", 0)
        return p.Minus(domain, plan)

    def _finished(self, found: Proposal, read: ReadQuestion) -> Iterator[Proposal]:
        """What is made of the set in the end."""
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        if read.count and (stated := self._stated(plan)) is not None:
            yield replace(found, plan=stated)
        elif read.count:
            yield replace(found, plan=p.Count(plan))
        elif read.summary:
            keys = self._keys.values(plan, read.summary_words or ("number",), dates=False)
            if _TIMES & set(read.summary_words) and not any(key.named for key in keys):
                for period, key in self._lasting(plan):
                    made = p.Aggregate(read.summary, plan, (period.until,), period.span())  # type: ignore[arg-type]
                    yield found.along(made, key)
            for key in keys:
                yield found.along(p.Aggregate(read.summary, plan, key.path), key)  # type: ignore[arg-type]
        elif read.answer == "truth":
            yield replace(found, plan=p.Exists(plan))
        elif (
            isinstance(plan, p.Top)
            and isinstance(plan.key.beside, p.Since)
            and (unit := asks_how_long(read.text)) is not None
        ):
            since = plan.key.beside if unit == "" else replace(plan.key.beside, unit=unit)
            yield replace(found, plan=p.Aggregate("max", plan, plan.key.path, since))
        elif read.of_key and isinstance(plan, p.Top) and plan.key.how == "value":
            yield replace(found, plan=p.Values(plan, plan.key.path))
        else:
            yield found

    def _stated(self, plan: p.SetPlan) -> p.Plan | None:
        """What a count of figures means: "how many pages" is the number that is stated, of several things their sum."""
        if not isinstance(plan, p.Follow) or len(plan.path) != 1 or not plan.path[0].forward or plan.qualifiers:
            return None
        found = column(self._graph, self._binding.relation(plan.path[0].relation))
        if found.kind != "number" or not found.ordered:
            return None
        several = len(self._keys.members(plan.of)) > 1
        return p.Aggregate("sum", plan.of, plan.path) if several else p.Values(plan.of, plan.path)

    def _without_head(self, ranked: Ranked, domain: p.SetPlan | None) -> Ranked:
        """A superlative without the noun of what is asked for: in "the largest state" the state is no key."""
        if not isinstance(domain, p.Class) or not ranked.noun or ranked.words == (ranked.noun,):
            return ranked
        names = self._graph.labels_at(self._binding.entities((domain.id,)))
        head = {stem(word) for name in names for word in label_to_text(name).lower().split()}
        noun = ranked.noun.split()[0]
        said = stem(noun) in head or self._keys.is_called(domain, noun)
        return replace(ranked, noun="", verb="") if said else ranked

    # -- operators ---------------------------------------------------------------------------------------------------

    def _ranked(self, found: Proposal, ranked: Ranked) -> Iterator[Proposal]:
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        nouns = [word for word in ranked.noun.split() if word]
        words = (*([" ".join(nouns)] if nouns else []), *nouns[:1], *ranked.words, *ranked.verb.split()[:1])
        dates = True if ranked.date else None
        keys = self._keys.values(plan, words, dates=dates, stated=nouns, base=ranked.base)
        if in_all := list(self._most_in_all(found, plan, ranked)):
            keys = [key for key in keys if len(key.path) == 1 and key.named]  # not the most goals in one match
        stated = isinstance(plan, p.Class) and not _OF_FIGURES.isdisjoint(" ".join(ranked.words[:1]).split())
        if not keys and not in_all and stated:
            of_events = self._keys.stated_by_events(plan, nouns)  # "which tenant pays the highest rent"
            keys = [replace(key, fit=BEYOND * key.fit) for key in of_events]
        if not keys and not in_all and ranked.base in SIZES:
            keys = self._keys.only(plan)
        if ranked.base in ("long", "short", TENURE) or is_time(ranked.noun) or (ranked.base in PACES and not keys):
            for period, key in self._lasting(plan):
                if ranked.base != TENURE and any(each.named for each in keys):
                    break  # how long they are is stated, in time or in space
                if ranked.base == TENURE and key.share < ENDED:
                    break
                timed = p.Key((period.until,), beside=period.span())
                largest = ranked.base == "slow" if ranked.base in PACES else ranked.largest
                yield found.along(self._top(plan, timed, ranked, largest), key)
        for key in keys:
            largest = larger_end(self._graph, key.path, ranked)
            if (link := self._own_link(plan, key.path)) is not None:
                nodes, path = link
                top = self._top(nodes, p.Key(key.path[1:]), ranked, largest)
                yield found.along(p.Follow(top, path), key)
                continue
            yield found.along(self._top(plan, p.Key(key.path), ranked, largest), key)
        yield from self._between(found, ranked, words)
        yield from in_all
        if nouns and not ranked.date:
            counted = self._keys.counted(plan, ranked.noun, ranked.verb)
            for key in counted or self._keys.counted(plan, nouns[0], ranked.verb):
                if not ranked.base and ranked.words[0] == ranked.noun:  # "the most cities"
                    yield found.along(self._top(plan, p.Key(key.path, "count", key.among), ranked, ranked.largest), key)
                    continue
                inner = _followed(plan, key.path)  # "the largest capital", "the longest river"
                if key.kind:
                    inner = p.And((p.Class(key.kind), inner))
                for second in self._keys.values(inner, (*ranked.words, *nouns[1:]), dates=dates):
                    if second.path[0].relation == key.path[-1].relation:
                        continue  # there and back
                    path = (*key.path, *second.path)
                    top = self._top(plan, p.Key(path), ranked, ranked.largest)
                    yield found.along(top, second, key.fit)

    def _most_in_all(self, found: Proposal, plan: p.SetPlan, ranked: Ranked) -> Iterator[Proposal]:
        """ "The most goals", "the highest total revenue" by what the figures of several events of each add up to; the
        highest score is that of one."""
        total = "total" in ranked.noun.split()
        if ranked.base or ranked.date or not (total or ranked.words == (ranked.noun,)):
            return
        if stem(ranked.noun) in ("cost", "fetch", "bring"):
            return  # what something costs is no sum of what was paid for it
        noun = " ".join(word for word in ranked.noun.split() if word != "total" or word == ranked.noun)
        verb = ranked.verb.split()[:1] if noun in MONEY else []
        for key in self._keys.summed(plan, (noun, *verb)):
            if self._own_link(plan, key.path) is None:
                yield found.along(self._top(plan, p.Key(key.path, "sum"), ranked, ranked.largest), key)

    def _says(self, words: Sequence[str], key: FoundKey) -> bool:
        """Whether the name of a key begins with one of some words: "rain" that of `rain_mm`."""
        return stem(spelled_out(self._keys.label(key.path[-1])).lower().split(" ")[0]) in map(stem, words)

    def _ranked_behind(self, found: Proposal, ranked: Ranked, domain: p.SetPlan | None) -> Iterator[Proposal]:
        """A superlative of the kind that a set was reached through: "who commands the longest ship" is of ships."""
        noun = ranked.noun.split()[0] if ranked.noun and ranked.words != (ranked.noun,) else ""
        if not noun or not isinstance(found.plan, p.SetPlan) or self._keys.is_called(domain, noun):
            return
        for inner, put in _reached_through(found.plan):
            if any(self._keys.is_called(part, noun) for part in _parts(inner)):
                for made in self._ranked(replace(found, plan=inner), replace(ranked, noun="")):
                    if isinstance(made.plan, p.Top):
                        yield replace(made, plan=put(made.plan))

    def _ranked_within(self, found: Proposal, ranked: Ranked) -> Iterator[Proposal]:
        """A superlative by what only the things have that a set was reached through, where the question names it: "who
        operates the route with the lowest base fare"."""
        for inner, put in _reached_through(found.plan) if isinstance(found.plan, p.SetPlan) else ():
            for made in self._ranked(replace(found, plan=inner), ranked):
                if made.named and isinstance(made.plan, p.Top):
                    whole = put(made.plan)
                    figure = isinstance(whole, p.Follow) and whole.path == made.plan.key.path  # is asked of no thing
                    yield replace(made, plan=made.plan if figure else whole, prior=made.prior * WITHIN)

    @staticmethod
    def _top(plan: p.SetPlan, key: p.Key, ranked: Ranked, largest: bool) -> p.Top:
        return p.Top(plan, key, largest, ranked.k, ranked.skip)

    def _between(self, found: Proposal, ranked: Ranked, words: Sequence[str]) -> Iterator[Proposal]:
        """A superlative over the nameless nodes that a set was reached through: its dates stand there."""
        plan = found.plan
        if not isinstance(plan, p.Follow) or len(plan.path) != 2 or not ranked.date:
            return
        nodes = p.Follow(plan.of, plan.path[:1])
        for key in self._keys.values(nodes, words, dates=True):
            top = self._top(nodes, p.Key(key.path), ranked, ranked.largest)
            yield found.along(p.Follow(top, plan.path[1:]), key)

    def _filtered(self, found: Proposal, stated: Filter) -> Iterator[Proposal]:
        plan = found.plan
        if not isinstance(plan, p.SetPlan):
            return
        if isinstance(stated.value, p.Entities):
            yield from self._against(found, plan, stated, stated.value)
            return
        dated = isinstance(stated.value, p.Date)
        countable = isinstance(stated.value, p.Number) and stated.value.value <= MOST_COUNTED
        if stated.of_count and countable and stated.words and stated.op != "between":
            noun = stated.words[0]
            for key in self._keys.counted(plan, noun) or self._keys.counted(plan, noun.split()[0]):
                assert isinstance(stated.value, p.Number)
                n = int(stated.value.value)
                kept = p.WhereCount(plan, key.path, stated.op, n, key.among)  # type: ignore[arg-type]
                yield found.along(kept, key)
        if isinstance(plan, p.Follow) and len(plan.path) == 2 and dated:
            yield from self._qualified(plan, stated, found)
        kind: bool | None = dated or None  # 20 is no date, though years are stated as bare numbers
        if isinstance(stated.value, p.Number) and (stated.value.unit or not YEARS[0] <= stated.value.value <= YEARS[1]):
            kind = False
        keys = self._keys.values(plan, stated.words or ("number",), dates=kind, base=stated.base)
        if isinstance(stated.value, p.Date):
            clock = stated.value.reading.dimension == "clock"
            keys = [key for key in keys if self._keys.told_by_clock(key) == clock]
            if stated.value.reading.dimension in ("day", "second"):  # a year alone tells little of a day
                exact = [key for key in keys if self._keys.precision(key.path[-1]) != "year"]
                keys = exact or keys
        name = stated.value.unit if isinstance(stated.value, p.Number) else ""
        if name:
            measured = self._keys.measured(plan, name, keys)
            if stated.base not in SIZES:  # a length is no width
                measured, keys = (
                    [key for key in some if not measures_other(stated.words, self._keys.label(key.path[-1]))]
                    for some in (measured, keys)
                )
            if not measured and (stated_beside := list(self._of_amounts(found, plan, stated))):
                yield from stated_beside
                return
            worked = all(of_hours(self._keys.label(key.path[-1]), name) for key in measured)
            if worked and is_time(name) and stated.base not in AGES:
                lasting = list(self._went_on(found, plan, stated))
                yield from lasting
                if lasting:
                    return
            keys = measured or keys
        if not dated and name and not any(self._says(stated.words, key) for key in keys):
            beyond = self._keys.summed(plan, stated.words)  # "with over 40 mm of rain", on some day
            keys = [key for key in beyond if self._says(stated.words, key)] or keys
        if not keys and isinstance(stated.value, p.Number) and stated.base not in TELLING:
            keys = self._keys.only(plan, stated.value.value, unit=name)
        if not keys and not dated and self._binding.type_relations:
            keys = [replace(key, fit=BEYOND * key.fit) for key in self._keys.summed(plan, stated.words)]
        if dated and stated.op in ("=", "between") and not any(key.named for key in keys):
            yield from self._while(found, plan, stated)
        for key in keys:
            value, upper = (self._in_unit(each, key.path[-1]) for each in (stated.value, stated.upper))
            assert value is not None
            if (link := self._own_link(plan, key.path)) is not None:
                nodes, path = link
                held = p.Where(nodes, p.Test(key.path[1:], stated.op, value, upper))
                reached = p.Follow(held, path)
                of_kind = isinstance(plan, p.And)  # what is reached must be of the kind that is asked for
                yield found.along(p.And((plan, reached)) if of_kind else reached, key)
                continue
            yield found.along(p.Where(plan, p.Test(key.path, stated.op, value, upper)), key)

    def _of_amounts(self, found: Proposal, plan: p.SetPlan, stated: Filter) -> Iterator[Proposal]:
        """A condition on an amount whose unit stands beside it on what links a set to what it was reached from: "dishes
        with over 500 g of flour"."""
        made: dict[tuple[p.Path, p.Path], list[p.SetPlan]] = {}
        value, upper = stated.value, stated.upper
        assert isinstance(value, p.Number)
        for key, beside, unit in self._keys.amounts(plan, value.unit):
            if (link := self._own_link(plan, key)) is None:
                continue
            [label] = self._graph.labels_at(self._binding.entities((unit,)))
            low = p.Number(from_base(in_base(value.value, value.unit), label))
            high = p.Number(from_base(in_base(upper.value, value.unit), label)) if isinstance(upper, p.Number) else None
            of_unit = p.Where(link[0], p.Test((beside,), "=", p.Entities((unit,))))
            held = p.Where(of_unit, p.Test(key[1:], stated.op, low, high))
            made.setdefault((link[1], key), []).append(held)
        for (path, key), sets in made.items():
            nodes = sets[0] if len(sets) == 1 else p.Or(tuple(sets))
            yield found.along(p.Follow(nodes, path), FoundKey(key, BESIDE))

    def _lasting(self, plan: p.SetPlan, words: Sequence[str] = (), unit: str = "") -> Iterator[tuple[Period, FoundKey]]:
        """What the members go from and to, as a key; nothing where how long they go on is stated, or a time is meant
        that is not that of all of the thing: a life where it is not said that they lived."""
        if self._periods.stated(plan, unit):
            return
        for period in self._periods.of(plan, self._ends)[:1]:
            if not period.about and period.life == bool(LIVING & {*self._ends, *words}):
                yield period, FoundKey((period.until,), period.fit * (0.5 + 0.5 * period.share), period.share)

    def _went_on(self, found: Proposal, plan: p.SetPlan, stated: Filter) -> Iterator[Proposal]:
        """Members that went on for longer or shorter than a stated time."""
        assert isinstance(stated.value, p.Number)
        for period, key in self._lasting(plan, stated.words, stated.value.unit):
            unit = period.finest
            if unit in ("hours", "days") and stated.op in (">=", "<"):  # completed months and years are exact there
                known = unit_of(stated.value.unit)
                units: tuple[p.TimeUnit, ...] = ("months", "years")
                unit = next((each for each in units if unit_of(each) == known), unit)
            upper = stated.upper if isinstance(stated.upper, p.Number) else None
            test = p.Test((period.until,), stated.op, stated.value, upper, period.span(unit))
            yield found.along(p.Where(plan, test), key)

    def _own_link(self, plan: p.SetPlan, key: p.Path) -> tuple[p.SetPlan, p.Path] | None:
        """The nodes between a set and what it was reached from, and the way from them to it, where a key stands on
        such nodes: the price of a cheese at a shop is none of its prices elsewhere. None for any other key."""
        if len(key) != 2:
            return None
        for part in _parts(plan):
            if not isinstance(part, p.Follow) or len(part.path) != 1 or part.qualifiers:
                continue
            step = part.path[0]
            if key[0] != p.Step(step.relation, not step.forward):
                continue
            unnamed = self._graph.mediators_at(self._keys.members(part))
            nodes = part if unnamed.any() and not unnamed.all() else part.of
            joining = p.And((nodes, p.Follow(plan, key[:1])))
            if isinstance(nodes, (p.Follow, p.And)) and len(self._keys.members(joining)):
                return joining, part.path
        return None

    def _while(self, found: Proposal, plan: p.SetPlan, stated: Filter) -> Iterator[Proposal]:
        """Members that a stated time falls into: contracts "in 2016", of those that say from when until when."""
        keys = self._keys.values(plan, ("from", "to", "start", "end", "date", "year"), dates=True)
        own = [key.path for key in keys if len(key.path) == 1]
        names = {path: label_to_text(self._keys.label(path[0])).lower().split() for path in own}
        begun = {frozenset(name) - _FROM: path for path, name in names.items() if _FROM & set(name)}
        over = {frozenset(name) - _UNTIL: path for path, name in names.items() if _UNTIL & set(name)}
        for rest in begun.keys() & over.keys():
            last = stated.upper if stated.op == "between" and stated.upper is not None else stated.value
            during = _during(plan, begun[rest], over[rest], stated.value, last)
            yield replace(found, plan=during, prior=found.prior * WHILE)

    def _against(self, found: Proposal, plan: p.SetPlan, stated: Filter, other: p.Entities) -> Iterator[Proposal]:
        """A condition with the value that another thing has: "more ascent than the Via Paradiso"."""
        up, dates = stated.op == ">", True if stated.words[-2:] == ("date", "year") else None
        if stated.of_count:
            for key in self._keys.counted(plan, stated.words[0]):
                theirs = _followed(other, key.path)
                count = len(self._keys.members(p.And((p.Class(key.kind), theirs)) if key.kind else theirs))
                if count:
                    yield found.along(p.WhereCount(plan, key.path, ">" if up else "<", count, key.among), key)
        for key in self._keys.values(plan, stated.words, dates=dates, base=stated.base):
            if len(self._keys.members(_followed(other, key.path))):
                larger = larger_end(self._graph, key.path, Ranked(stated.words, up, base=stated.base))
                test = p.Test(key.path, ">" if larger else "<", p.Values(other, key.path))
                yield found.along(p.Where(plan, test), key)

    def _within(self, found: Proposal, stated: Filter) -> Iterator[Proposal]:
        """A condition on what a set was reached through: "animals that received treatment in 2023"."""
        assert isinstance(found.plan, p.SetPlan)
        for inner, put in _reached_through(found.plan):
            for made in self._filtered(Proposal(inner, found.prior * WITHIN), stated):
                assert isinstance(made.plan, p.SetPlan)
                yield replace(made, plan=put(made.plan))

    def _behind(self, found: Proposal, stated: Filter, domain: p.SetPlan | None) -> Iterator[Proposal]:
        """A condition on the kind that it stands behind, where a set was reached through that: "drugs prescribed at
        visits that cost over 230 euros" is no price of drugs."""
        if not stated.of or self._keys.is_called(domain, stated.of) or not isinstance(found.plan, p.SetPlan):
            return
        for inner, put in _reached_through(found.plan):
            if any(self._keys.is_called(part, stated.of) for part in _parts(inner)):
                for made in self._filtered(replace(found, plan=inner), stated):
                    assert isinstance(made.plan, p.SetPlan)
                    yield replace(made, plan=put(made.plan))

    def _at_events(self, found: Proposal, stated: Filter) -> Iterator[Proposal]:
        """A date of what happened to a set's members: "boats that were repaired in 2023", where repairs have dates."""
        if not isinstance(stated.value, p.Date) or not isinstance(found.plan, p.SetPlan):
            return
        for kind in self._keys.kinds_called(stated.words):
            for step in self._keys.leading_to(found.plan, p.Class(kind)):
                for inner in self._filtered(Proposal(p.Class(kind), found.prior * WITHIN), stated):
                    if isinstance(inner.plan, p.SetPlan):
                        yield replace(inner, plan=p.And((found.plan, p.Follow(inner.plan, (step,)))))

    def _in_unit(self, value: p.Number | p.Date | None, step: p.Step) -> p.Number | p.Date | None:
        """A stated value in the unit that its name means beside a relation: "pounds" of money or of weight."""
        if not isinstance(value, p.Number) or not value.unit:
            return value
        return p.Number(value.value, unit_for(value.unit, self._keys.dimension(step)))

    def _qualified(self, plan: p.Follow, stated: Filter, found: Proposal) -> Iterator[Proposal]:
        """A date on the nameless nodes: within it, or for a point in time from a start to an end around it."""
        nodes = p.Follow(plan.of, plan.path[:1])
        keys = self._keys.values(nodes, ("from", "to", "start", "end", "date", "year"), dates=True)
        labels = {key.path: self._keys.label(key.path[-1]) for key in keys}
        starts = [path for path, label in labels.items() if label.startswith(("from", "start"))]
        ends = [path for path, label in labels.items() if label.startswith(("to", "end"))]
        if stated.op == "=" and starts and ends:
            during = _during(nodes, starts[0], ends[0], stated.value, stated.value)
            yield replace(found, plan=p.Follow(during, plan.path[1:]))
        for key in keys:
            test = p.Test(key.path, stated.op, stated.value, stated.upper)
            yield found.along(p.Follow(plan.of, plan.path, (*plan.qualifiers, test)), key, 0.9)
