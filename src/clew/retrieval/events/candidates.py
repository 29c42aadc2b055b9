"""Every plan over the events of a graph that a question may mean, each with what speaks for it.

Kept apart from the readers that each know one form of question: here the kinds of events, what is named, the conditions
on them (`cases`), what may be asked for and all that may be asked of it are put together, and which plan is meant is
told by a small network from counts and cosines alone (`ranking`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from clew.errors import ClewError
from clew.query import plan as p
from clew.query.meanings import measures
from clew.query.vocabulary import akin, forms, stem
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.cases import Conditions, cases, told_by
from clew.retrieval.events.kinds import EDGES, Stated
from clew.retrieval.events.last_time import date_of
from clew.retrieval.events.sales import lines_of
from clew.retrieval.events.scene import ITEMS, PLACES, Scene, all_of
from clew.retrieval.joining import followed

Form = Literal[
    "list_e", "list_k", "count_e", "count_k", "sum", "mean", "max_date", "min_date", "dates", "max_fig", "min_fig",
    "values_fig", "attr_e", "attr_k", "top_k_count", "top_k_sum", "top_k_mean", "top_c_count", "top_c_sum",
    "top_c_mean", "top_own", "top_own_k", "minus", "exists_e", "exists_k", "compare_count", "compare_sum",
    "compare_mean", "truth_count", "truth_sum", "truth_mean", "common", "wherecount",
    "held_against",
]  # fmt: skip
"""What is asked of events (e), of things of a kind (k) that they lead to, or of what a column (c) says of them."""
MOST = 1500  # candidates of a question
SOME = 0.3  # share of the events that must state a figure or a date
MEASURED = 0.7  # the same of things whose number of events is held against it
DROPPED = 1  # named things that a plan may leave out
FAR = 3  # steps from one of two things to their events
WAYS = 3  # from events to things of a kind
MEANT = 0.38  # cosine of a word with the kind that is asked for
SAID, LIKE = 0.4, 0.5  # how well words name a figure, or are like it, whose values are asked for
COLUMN, GROUP, PROPERTY = 0.5, 0.45, 0.55  # cosine of a word with a column of events, of groups, of what is asked for
_EFFORT = frozenset(["hour", "hours", "minute", "minutes", "duration", "time", "mins", "hrs"])
_RATES = frozenset(["price", "rate", "each", "unit", "per", "fee", "charge"])
_ITEMS = ITEMS | {"part", "reference"}
_LIMITS = frozenset(["capacity", "max", "maximum", "places", "seats", "limit", "size", "spaces", "beds"])
_OF_ALL = frozenset(["count_e", "count_k", "sum", "mean", "max_fig", "min_fig"])
_OF_DATES = frozenset(["date", "on", "day"])
Signs = Mapping[str, float]
_SIDES: tuple[tuple[bool, str], ...] = ((True, "most"), (False, "least"))


@dataclass(frozen=True, slots=True)
class EventPlan:
    """A plan that may be meant."""

    plan: p.Plan
    form: Form
    kind: str  # what its things are of
    signs: Signs  # what speaks for it, by names


@dataclass(frozen=True, slots=True)
class _Narrowed:
    """What the named things leave of events, and of what is asked for."""

    mine: list[p.SetPlan]
    others: list[p.SetPlan]
    signs: Signs
    dropped: int


@dataclass(frozen=True, slots=True)
class _Target:
    """A kind that may be asked for, and how events lead to it."""

    kind: str
    way: p.Path
    signs: Signs


def candidates(asked: EventQuestion) -> list[EventPlan]:
    """The candidates of a question, each plan once."""
    made, found = _Maker(asked), dict[p.Plan, EventPlan]()
    for each in made.all():
        found.setdefault(each.plan, each)
        if len(found) == MOST:
            break
    return list(found.values())


class _Maker:
    def __init__(self, asked: EventQuestion) -> None:
        self._asked, self._scene = asked, asked.scene
        self._events, self._cues = asked.scene.events, asked.cues
        self._kinds = self._events.kinds()
        self._placed: dict[tuple[int, str], tuple[p.SetPlan | None, bool]] = {}

    def all(self) -> Iterator[EventPlan]:
        scene, pairs = self._scene, self._pairs()
        made = {
            event: _OfEvents(event, self, self._asked, pairs)
            for event in self._kinds
            if scene.spoken_of(event) or not (event in scene.lexicon.finer or self._events.within(event))
        }
        for each in made.values():
            yield from each.all()
        spoken = [each for event, each in made.items() if scene.spoken_of(event) > 1]
        for i, one in enumerate(spoken):
            for other in spoken[i + 1 :]:
                yield from one.with_other(other)

    # -- what is named -----------------------------------------------------------------------------------------------

    def _pairs(self) -> list[tuple[Chunk, Chunk, str]]:
        """Each two named things of one sort, with their kind."""
        named = [(c, self._sort(c)) for c in self._scene.topics if c.kind == "topic"]
        return [
            (a, b, sort) for i, (a, sort) in enumerate(named) for b, other in named[i + 1 :] if sort and sort == other
        ]

    def _sort(self, chunk: Chunk) -> str:
        """The kind of what is named, or of a text what it is said by."""
        assert chunk.plan is not None
        graph = self._scene.graph
        members = self._asked.executor.members(chunk.plan)
        if kinds := self._events.kinds_of(members):
            return kinds[0]
        if not len(members) or not graph.literals_at(members).all():
            return ""
        first, inc = int(members[0]), graph.whole.inc
        return f"={inc.relations[inc.offsets[first]]}" if inc.offsets[first + 1] > inc.offsets[first] else ""

    def place(self, chunk: Chunk, kind: str) -> tuple[p.SetPlan | None, bool]:
        """What a named set leaves of the things of a kind, and whether no word says by which link."""
        key = (chunk.start, kind)
        if key not in self._placed:
            assert chunk.plan is not None
            self._scene.loose = False
            try:
                placed = self._scene.placed(chunk.plan, kind)
            except ClewError:
                placed = None
            self._placed[key] = None if placed is None else placed[1], self._scene.loose
        return self._placed[key]

    def narrowed(self, event: str, kind: str, but: Sequence[Chunk] = ()) -> _Narrowed:
        mine, others, dropped, loose = list[p.SetPlan](), list[p.SetPlan](), 0, 0
        for chunk in (c for c in self._scene.topics if c not in but):
            for of, sets in ((event, mine), (kind, others)) if kind else ((event, mine),):
                plan, unsaid = self.place(chunk, of)
                if plan is not None:
                    sets.append(plan)
                    loose += unsaid
                    break
            else:
                dropped += 1
        return _Narrowed(mine, others, {"dropped": float(dropped), "loose": float(loose)}, dropped)

    # -- what is asked for -------------------------------------------------------------------------------------------

    def targets(self, event: str) -> Iterator[_Target]:
        """The kinds that may be asked for, with each way that leads there."""
        scene, events, cues = self._scene, self._events, self._cues
        asked, people = scene.asked(event), events.people()
        said = {c.plan.id: c for c in reversed(scene.classes) if isinstance(c.plan, p.Class)}
        first = next((c.plan.id for c in scene.classes if c.start >= scene.begin and isinstance(c.plan, p.Class)), "")
        for kind in (id for id in self._kinds if id != event and not id.startswith(EDGES)):
            signs = {
                "k_asked": kind == asked, "k_said": kind in said, "k_first": kind == first,
                "k_who": kind in people and cues["who"],
                "k_where": stem(scene.noun(kind)) in PLACES and cues["where"],
                "k_whose": kind == events.whose(event), "k_sim": self._asked.alike(self._kinds[kind].lower()),
            }  # fmt: skip
            if signs["k_sim"] <= MEANT and not any(
                value for name, value in signs.items() if name not in ("k_sim", "k_first")
            ):
                continue
            ways = scene.ways(event, kind)
            for way in ways[:WAYS]:
                words = {word for step in way for word in scene.lexicon.labels.get(step.relation, "").lower().split()}
                signs |= {
                    "k_len": len(way) / FAR, "k_several": len(ways) > 1, "k_way_said": self._asked.says(words),
                    "k_way_sim": max(map(self._asked.alike, words), default=0.0),
                }  # fmt: skip
                yield _Target(kind, way, {name: float(value) for name, value in signs.items()})


_Making = Callable[..., EventPlan]


class _OfEvents:
    """The candidates over the events of one kind."""

    def __init__(
        self, event: str, maker: _Maker, asked: EventQuestion, pairs: Sequence[tuple[Chunk, Chunk, str]]
    ) -> None:
        self._event, self._maker, self._asked, self._pairs = event, maker, asked, pairs
        self._scene: Scene = asked.scene
        self._events, self._cues = asked.scene.events, asked.cues
        self._kinds, self._every = self._events.kinds(), self._events.all(event)
        self._noun = self._kinds[event].lower()
        self._lines = [each for each in lines_of(self._scene.graph) if each.id == event]
        linked = {link.step for link in self._events.links(event)}
        self._figures = [
            each for each in self._events.stated(event, "number", SOME)
            if measures(each.label) and each.step not in linked
        ]  # fmt: skip
        self._dates = [each for each in self._events.stated(event, "date") if each.share >= SOME]
        self._main = date_of(event, self._events)
        of, spoken = self._scene.asked(event), self._scene.spoken_of(event)
        self._spoken = spoken > 1
        self._signs: Signs = {
            "e_spoken": min(spoken, 6) / 6, "e_sim": asked.alike(self._noun), "e_edge": float(event.startswith(EDGES)),
            "e_verb": float(self._events.by_verb(event)), "e_people": float(event in self._events.people()),
            "e_coded": float(self._events.coded(event)), "e_named": float(self._scene.names(event)),
            "asked_e": float(of == event), "asked_none": float(of == ""),
        }  # fmt: skip
        self._of_figures = self._figure_signs()

    def _figure_signs(self) -> dict[Stated, Signs]:
        asked, cues, amount = self._asked, self._cues, self._events.amount(self._event, 0.7)
        fits = {each: asked.fit(each) for each in self._figures}
        best = max(fits.values(), default=0.0)
        return {
            each: {
                "fig_said": fit, "fig_best": float(fit == best > SOME), "fig_sim": (like := asked.alike(each.label)),
                "fig_money": float(each.money and cues["money"]), "fig_amount": float(each.step == amount),
                "fig_only": float(len(self._figures) == 1), "fig_share": each.share,
                "fig_rate": float(bool(each.words & _RATES)),
                "fig_each": float(any(each.step == lines.each[-1] for lines in self._lines)),
                "fig_many": float(any(each.step == lines.many for lines in self._lines)),
                "fig_has_lines": float(bool(self._lines)),
                "fig_effort": float(bool(each.words & _EFFORT) and cues["how_long"]),
                "fig_unnamed": float(fit < SAID and like < LIKE), "fig_sim_or_said": max(fit, like),
            }
            for each, fit in fits.items()
        }  # fmt: skip

    def all(self) -> Iterator[EventPlan]:
        """The candidates, without one figure of all where one for each of some things is asked for: no plan says it."""
        several = any(not any(self._scene.calls(w, self._event) for w in words) for words in self._asked.each_of)
        return (each for each in self._all() if not (several and each.form in _OF_ALL))

    def _all(self) -> Iterator[EventPlan]:
        dates, alone = self._scene.dates(), self._maker.narrowed(self._event, "")
        led = [(each, self._maker.narrowed(self._event, each.kind)) for each in self._targets]
        pairs = [(a, b, sort, path) for a, b, sort in self._pairs if (path := self._from_both(a, b, sort)) is not None]
        for case in cases(self._event, self._asked):
            some = case.of(all_of([self._every, *alone.mine]), dates)
            if alone.dropped <= DROPPED and some is not None:
                yield from self._of_them(case, some, alone.signs)
                yield from self._by_columns(case, some, alone.signs)
            for target, narrowed in led:
                some = case.of(all_of([self._every, *narrowed.mine]), dates)
                if narrowed.dropped <= DROPPED and some is not None:
                    yield from self._of_others(case, some, narrowed, target)
            for a, b, sort, path in pairs:
                yield from self._of_two(case, a, b, sort, path)

    @cached_property
    def _targets(self) -> list[_Target]:
        return list(self._maker.targets(self._event))

    def with_other(self, other: _OfEvents) -> Iterator[EventPlan]:
        """What has events of this kind and of another: a purchase and a repair."""
        ways = {each.kind: each.way for each in other._targets}
        for target in self._targets:
            if target.kind not in ways or target.kind == other._event:
                continue
            mine, theirs = (self._maker.narrowed(each._event, target.kind) for each in (self, other))
            if mine.dropped + theirs.dropped > DROPPED:
                continue
            sides = (
                followed(all_of([self._every, *mine.mine]), target.way),
                followed(all_of([other._every, *theirs.mine]), ways[target.kind]),
            )
            plan = p.And((self._events.all(target.kind), *sides))
            signs = {**mine.signs, **target.signs, "other_kind": 1.0}
            yield self._made("common", plan, Conditions(), signs, kind=target.kind, also=other._noun.split())

    def _made(
        self, form: Form, plan: p.Plan, case: Conditions, *signs: Signs, kind: str = "", also: Iterable[str] = ()
    ) -> EventPlan:
        """A candidate with its signs.

        Args:
            kind: what is asked for, where it is not the events.
            also: words of the names of what else the plan is made of, in their order: they are compared as one name.
        """
        asked, names = self._asked, [self._noun]
        unsaid, words = asked.unsaid[self._event], list(also)
        if kind in self._kinds and kind != self._event:
            unsaid &= asked.unsaid[kind]
            names.append(self._kinds[kind].lower())
        if words:
            names.append(" ".join(words))
        told = told_by(case, frozenset(words))
        left = [w for w in unsaid if not forms(w) & told and not any(akin(w, each) for each in words)]
        sum_ = {**self._signs, **case.signs}
        for each in signs:
            sum_.update(each)
        counted = form == "wherecount" or "eq" in sum_ or "lasts" in sum_
        outcome = case.outcome
        denies = outcome is not None and (outcome.what == "open") == case.so
        sum_ |= {
            "left": float(len(left)), "left_soft": asked.unlike(left, names),
            "cue_unused": float(outcome is None and self._cues["still"]), "k_is_e": float(kind in ("", self._event)),
            "counts_unused": float(bool(asked.counts) and not counted),
            "numbers_unused": float(bool(asked.numbers) and not counted),
            "filters_unused": float(bool(asked.filters) and "filter_named" not in sum_),
            "double_neg": float(form == "minus" and denies),
            "neg_unused": float(self._cues["not"] and form != "minus" and outcome is None),
            "e_k_sim": max(self._signs["e_sim"], sum_.get("k_sim", 0.0)),
        }  # fmt: skip
        return EventPlan(plan, form, kind if kind in self._kinds else self._event, sum_)

    # -- of the events themselves ------------------------------------------------------------------------------------

    def _of_them(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        cues, every = self._cues, some == self._every
        if not every:
            yield self._made("list_e", some, case, drop)
        if cues["how_many"] or cues["how_often"] or cues["total"]:
            yield self._made("count_e", p.Count(some), case, drop)
        if (cues["truth"] or cues["there"]) and not every:
            yield self._made("exists_e", p.Exists(some), case, drop)
        sums = any(cues[name] for name in ("total", "how_much", "how_many", "how_long", "money"))
        for figure, signs in self._of_figures.items():
            path, also = (figure.step,), figure.label.split()
            if sums:
                yield self._made("sum", p.Aggregate("sum", some, path), case, drop, signs, also=also)
            if cues["mean"]:
                yield self._made("mean", p.Aggregate("mean", some, path), case, drop, signs, also=also)
            elif not every and (signs["fig_said"] > SAID or signs["fig_sim"] > LIKE):
                yield self._made("values_fig", p.Values(some, path), case, drop, signs, also=also)
            if cues["most"]:
                yield self._made("max_fig", p.Aggregate("max", some, path), case, drop, signs, also=also)
            if cues["least"]:
                yield self._made("min_fig", p.Aggregate("min", some, path), case, drop, signs, also=also)
            for largest, cue in _SIDES:
                if cues[cue]:
                    yield self._made("top_own", p.Top(some, p.Key(path), largest), case, drop, signs, also=also)
        for lines in self._lines:
            if cues["total"] or cues["how_much"] or cues["money"]:
                plan = p.Aggregate("sum", some, (lines.many,), p.Combined(lines.each, "*"))
                yield self._made("sum", plan, case, drop, self._product, also=["price"])
        yield from self._when(case, some, drop)
        yield from self._how_long(case, some, drop)
        if not every:
            yield from self._what(case, some, drop)

    @property
    def _product(self) -> Signs:
        return {"fig_product": 1.0, "fig_money": float(self._cues["money"])}

    def _when(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        cues, every = self._cues, some == self._every
        for date in self._dates:
            also = [word for word in date.label.split() if word not in _OF_DATES]
            signs = {"date_said": date.named_by(self._asked.words), "date_is_main": float(date.step == self._main)}
            if cues["last"]:
                yield self._made("max_date", p.Aggregate("max", some, (date.step,)), case, drop, signs, also=also)
            if cues["first"]:
                yield self._made("min_date", p.Aggregate("min", some, (date.step,)), case, drop, signs, also=also)
            if cues["when"] and not every:
                yield self._made("dates", p.Values(some, (date.step,)), case, drop, signs, also=also)
            if cues["last"] or cues["first"]:
                plan = p.Top(some, p.Key((date.step,)), cues["last"])
                yield self._made("top_own", plan, case, drop, signs, also=also)

    def _how_long(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """How long events lasted: the days from one of their dates to another."""
        cues, middle = self._cues, {each: self._events.middle(self._event, each.step) for each in self._dates}
        if not (cues["long"] or cues["mean"]):
            return
        for one in self._dates:
            for other in (each for each in self._dates if middle[one] < middle[each]):
                since, path = p.Since((one.step,), "days"), (other.step,)
                words = [word for word in (*one.label.split(), *other.label.split()) if word not in _OF_DATES]
                said = max(one.named_by(self._asked.words), other.named_by(self._asked.words))
                signs = {"fig_lasts": 1.0, "date_said": said, "fig_long": float(cues["long"])}
                if cues["mean"]:
                    yield self._made("mean", p.Aggregate("mean", some, path, since), case, drop, signs, also=words)
                elif some != self._every:
                    yield self._made("sum", p.Aggregate("sum", some, path, since), case, drop, signs, also=words)
                for largest, cue in _SIDES:
                    if cues[cue] and not cues["mean"]:
                        plan = p.Top(some, p.Key(path, beside=since), largest)
                        yield self._made("top_own", plan, case, drop, signs, also=words)

    def _what(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """What a text of the events says: what the item of a hire is."""
        coded = bool(self._signs["e_coded"])
        for step, label in self._events.texts(self._event, SOME):
            like, item = self._asked.alike(" ".join(label)), coded and not _ITEMS.isdisjoint(label)
            if item or like > COLUMN or self._asked.says(label):
                signs = {"a_sim": like, "a_item": float(item)}
                yield self._made("attr_e", p.Follow(some, (step,)), case, drop, signs, also=label)

    def _by_columns(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """What a column says of the events, or of what they lead to, of which there are most."""
        cues = self._cues
        if not (cues["most"] or cues["least"]):
            return
        owners: list[tuple[p.Path, str]] = [((), self._event)]
        for way, owner in owners + [((link.step,), link.to) for link in self._events.links(self._event)]:
            for step, label in self._events.categories(owner):
                like, said = self._asked.alike(" ".join(label)), self._asked.says(label)
                if not said and like < GROUP:
                    continue
                path = (*way, step)
                groups, among = p.Follow(self._every, path), None if some == self._every else some
                signs = {"a_sim": like, "a_hit": float(said), "k_len": len(path) / FAR}
                for largest, cue in _SIDES:
                    if not cues[cue]:
                        continue
                    plan = p.Top(groups, p.Key(p.turned(path), "count", some), largest)
                    yield self._made("top_c_count", plan, case, drop, signs, also=label)
                    for figure, of in self._of_figures.items():
                        key = p.Key((*p.turned(path), figure.step), self._how, among)
                        form: Form = "top_c_mean" if self._how == "mean" else "top_c_sum"
                        also = [*label, *figure.label.split()]
                        yield self._made(form, p.Top(groups, key, largest), case, drop, signs, of, also=also)

    @property
    def _how(self) -> p.How:
        return "mean" if self._cues["mean"] else "sum"

    # -- of things that events lead to -------------------------------------------------------------------------------

    def _of_others(
        self, case: Conditions, some: p.SetPlan, narrowed: _Narrowed, target: _Target
    ) -> Iterator[EventPlan]:
        cues, kind, way = self._cues, target.kind, target.way
        signs = {**narrowed.signs, **target.signs}
        all_ = all_of([self._events.all(kind), *narrowed.others])
        of_kind = p.And((self._events.all(kind), *narrowed.others, followed(some, way)))
        every = some == self._every and not narrowed.others

        def made(form: Form, plan: p.Plan, *more: Signs, also: Iterable[str] = ()) -> EventPlan:
            return self._made(form, plan, case, signs, *more, kind=kind, also=also)

        if not every:
            yield made("list_k", of_kind)
        elif self._spoken:
            yield made("list_k", of_kind, {"bare": 1.0})
        if cues["how_many"] or cues["how_often"]:
            yield made("count_k", p.Count(of_kind))
        if cues["truth"] or cues["there"]:
            yield made("exists_k", p.Exists(of_kind))
        if cues["not"]:
            yield made("minus", p.Minus(all_, followed(some, way)))
        for op, n in self._asked.counts:
            yield made("wherecount", p.WhereCount(all_, p.turned(way), op, n, some))
        yield from self._held_against(kind, all_, way, some, made) if self._asked.limits else ()
        for largest, cue in _SIDES:
            if cues[cue]:
                yield made("top_k_count", p.Top(all_, p.Key(p.turned(way), "count", some), largest))
                yield from self._by_figures(some, all_, way, made, largest=largest)
        for date in self._dates if cues["last"] or cues["first"] else ():
            plan = followed(p.Top(some, p.Key((date.step,)), cues["last"]), way)
            yield made("top_own_k", plan, {"date_is_main": float(date.step == self._main)}, also=date.label.split())
        yield from self._of_its_own(kind, of_kind, made) if not every else ()
        for step, label in self._events.texts(kind, SOME) if not every else ():
            like, said = self._asked.alike(" ".join(label)), self._asked.says(label)
            if said or like > PROPERTY:
                yield made("attr_k", p.Follow(of_kind, (step,)), {"a_sim": like, "a_hit": float(said)}, also=label)

    def _held_against(
        self, kind: str, all_: p.SetPlan, way: p.Path, some: p.SetPlan, made: _Making
    ) -> Iterator[EventPlan]:
        """How many events things have against a figure of theirs: classes with as many bookings as places."""
        ops: tuple[tuple[p.CountOp, str], ...] = ((">=", "full"), (">", "over"), ("<", "free"))
        for figure in self._events.stated(kind, "number", MEASURED):
            signs = {
                "a_sim": self._asked.alike(figure.label), "a_hit": self._asked.fit(figure),
                "limit": float(not _LIMITS.isdisjoint(figure.words)),
            }  # fmt: skip
            for op, cue in ops:
                against = p.WhereCount(all_, p.turned(way), op, (figure.step,), some)
                said = {**signs, f"limit_{cue}": float(cue in self._asked.limits)}
                yield made("held_against", against, said, also=figure.label.split())

    def _of_its_own(self, kind: str, of_kind: p.SetPlan, made: _Making) -> Iterator[EventPlan]:
        """The figures and dates that things state themselves which events lead to."""
        cues = self._cues
        for each in (*self._events.stated(kind, "number", SOME), *self._events.stated(kind, "date", SOME)):
            fit, like = self._asked.fit(each), self._asked.alike(each.label)
            signs = {"a_sim": like, "a_hit": fit, "a_figure": 1.0}
            if fit > PROPERTY or like > PROPERTY:
                yield made("attr_k", p.Values(of_kind, (each.step,)), signs, also=each.label.split())
            for largest, cue in (*_SIDES, (True, "last"), (False, "first")):
                date = cue in ("last", "first")
                if cues[cue] and date == (each.kind == "date") and max(fit, like) > SAID:
                    yield made(
                        "top_own_k", p.Top(of_kind, p.Key((each.step,)), largest), signs, also=each.label.split()
                    )

    def _by_figures(
        self, some: p.SetPlan, all_: p.SetPlan, way: p.Path, made: _Making, *, largest: bool
    ) -> Iterator[EventPlan]:
        among = None if some == self._every and not isinstance(some, p.EdgesOf) else some
        back = p.turned(way)
        for figure, of in self._of_figures.items():
            key = p.Key((*back, figure.step), self._how, among)
            form: Form = "top_k_mean" if self._how == "mean" else "top_k_sum"
            yield made(form, p.Top(all_, key, largest), of, also=figure.label.split())
            plan = followed(p.Top(some, p.Key((figure.step,)), largest), way)
            yield made("top_own_k", plan, of, also=figure.label.split())
        for lines in self._lines:
            key = p.Key((*back, lines.many), "sum", among, p.Combined(lines.each, "*"))
            yield made("top_k_sum", p.Top(all_, key, largest), self._product, also=["price"])

    # -- of two things -----------------------------------------------------------------------------------------------

    def _from_both(self, a: Chunk, b: Chunk, sort: str) -> p.Path | None:
        """How two things of one sort lead to the events, if alike and not far."""
        assert a.plan is not None and b.plan is not None
        path, other = self._scene.path(a.plan, self._event), self._scene.path(b.plan, self._event)
        alike = path is not None and path == other and len(path) <= FAR
        return path if alike and sort != self._event else None

    def _of_two(self, case: Conditions, a: Chunk, b: Chunk, sort: str, path: p.Path) -> Iterator[EventPlan]:
        """Which of two has more events, and what both have in common."""
        dates = self._scene.dates()
        assert a.plan is not None and b.plan is not None
        alone = self._maker.narrowed(self._event, "", (a, b))
        some = case.of(all_of([self._every, *alone.mine]), dates)
        if alone.dropped <= DROPPED and some is not None:
            yield from self._more(case, (a.plan, b.plan), path, some, {**alone.signs, "k_len": len(path) / FAR}, sort)
        for target in (each for each in self._targets if each.kind != sort):
            narrowed = self._maker.narrowed(self._event, target.kind, (a, b))
            placed = [self._maker.place(chunk, self._event) for chunk in (a, b)]
            sides = [
                side for plan, _ in placed
                if plan is not None
                and (side := case.of(all_of([self._every, plan, *narrowed.mine]), dates)) is not None
            ]  # fmt: skip
            if narrowed.dropped > DROPPED or len(sides) < 2 or sides[0] == sides[1]:
                continue
            loose = narrowed.signs["loose"] + sum(unsaid for _, unsaid in placed)
            led = [followed(side, target.way) for side in sides]
            plan = p.And((self._events.all(target.kind), *narrowed.others, *led))
            signs = {**narrowed.signs, **target.signs, "loose": float(loose)}
            yield self._made("common", plan, case, signs, kind=target.kind)

    def _more(
        self, case: Conditions, two: tuple[p.SetPlan, p.SetPlan], path: p.Path, some: p.SetPlan, signs: Signs, sort: str
    ) -> Iterator[EventPlan]:
        keys: list[tuple[p.How, p.Key, Signs, Iterable[str]]] = [("count", p.Key(path, "count", some), {}, ())]
        keys += [
            (self._how, p.Key((*path, figure.step), self._how, some), of, figure.label.split())
            for figure, of in self._of_figures.items()
        ]
        compare: Mapping[p.How, Form] = {"count": "compare_count", "sum": "compare_sum", "mean": "compare_mean"}
        truth: Mapping[p.How, Form] = {"count": "truth_count", "sum": "truth_sum", "mean": "truth_mean"}
        for largest, cue in _SIDES:
            for how, key, of, also in keys if self._cues[cue] else ():
                plan = p.Compare(*two, key, largest)
                yield self._made(compare[how], plan, case, signs, of, kind=sort, also=also)
                if self._cues["truth"] or self._cues["than"]:
                    yield self._made(truth[how], p.Is(two[0], plan), case, signs, of, kind=sort, also=also)
