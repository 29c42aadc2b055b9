"""The plans that a question may mean over the events of one kind: of these themselves, and of what they lead to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property

from clew.query import plan as p
from clew.query.meanings import measures
from clew.query.vocabulary import akin, forms
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.cases import Conditions, cases, of_figure, told_by
from clew.retrieval.events.event_plan import EventPlan, Form, Signs
from clew.retrieval.events.kinds import EDGES, Stated
from clew.retrieval.events.last_time import date_of
from clew.retrieval.events.placing import DROPPED, FAR, Narrowed, Placing, Target
from clew.retrieval.events.sales import SoldLines, lines_of
from clew.retrieval.events.scene import ITEMS, Scene, all_of
from clew.retrieval.joining import followed

SOME = 0.3  # share of the events that must state a figure or a date
MEASURED = 0.7  # the same of things whose number of events is held against it
SAID, LIKE = 0.4, 0.5  # how well words name a figure, or are like it, whose values are asked for
TWO = 3  # figures of which one less another may be asked for
COLUMN, GROUP, PROPERTY = 0.5, 0.45, 0.55  # cosine of a word with a column of events, of groups, of what is asked for
_EFFORT = frozenset(["hour", "hours", "minute", "minutes", "duration", "time", "mins", "hrs"])
_RATES = frozenset(["price", "rate", "each", "unit", "per", "fee", "charge"])
_PRICES = frozenset(["price", "rate", "per"])
_ITEMS = ITEMS | {"part", "reference"}
_LIMITS = frozenset(["capacity", "max", "maximum", "places", "seats", "limit", "size", "spaces", "beds"])
_OF_ALL = frozenset(["count_e", "count_k", "sum", "mean", "max_fig", "min_fig"])
_OF_DATES = frozenset(["date", "on", "day"])
_COUNTED = frozenset(["eq", "lasts", "held"])  # conditions that use a number of the question
_DENYING = frozenset(["minus", "count_minus", "differ"])
_EXTREMES: Mapping[bool, tuple[Form, p.Summary]] = {True: ("max_fig", "max"), False: ("min_fig", "min")}

Making = Callable[..., EventPlan]


class PlansOfKind:
    """The candidates over the events of one kind."""

    def __init__(self, event: str, placing: Placing, asked: EventQuestion) -> None:
        self.event, self.placing, self.asked = event, placing, asked
        self.scene: Scene = asked.scene
        self.events, self.cues = asked.scene.events, asked.cues
        self._kinds, self.every = self.events.kinds(), self.events.all(event)
        self.noun = self._kinds[event].lower()
        linked = {link.step for link in self.events.links(event)}
        self._figures = [
            each for each in self.events.stated(event, "number", SOME)
            if measures(each.label) and each.step not in linked
        ]  # fmt: skip
        self._lines = [each for each in lines_of(self.scene.graph) if each.id == event] or self._products()
        self.dates = [each for each in self.events.stated(event, "date") if each.share >= SOME]
        self._main = date_of(event, self.events)
        of, spoken = self.scene.asked(event), placing.spoken_of(event)
        self._spoken = spoken > 1
        self._signs: Signs = {
            "e_spoken": min(spoken, 6) / 6, "e_sim": asked.alike(self.noun), "e_edge": float(event.startswith(EDGES)),
            "e_verb": float(self.events.by_verb(event)), "e_people": float(event in self.events.people()),
            "e_coded": float(self.events.coded(event)), "e_named": float(self.scene.names(event)),
            "asked_e": float(of == event), "asked_none": float(of == ""),
            "e_below": placing.most_alike - asked.alike(self.noun),
            "e_most": float(spoken == placing.most_spoken_of > 0),
        }  # fmt: skip
        self.of_figures = self._figure_signs()

    def _products(self) -> list[SoldLines]:
        """Each price of the events with what it may be the price of: tonnes at so much a tonne."""
        rates = [each for each in self._figures if not each.words.isdisjoint(_PRICES)]
        many = [each for each in self._figures if not each.money and each not in rates]
        many.sort(key=lambda each: -max(self.asked.fit(each), self.asked.alike(each.label)))
        return [SoldLines(self.event, each.step, (rate.step,)) for rate in rates[:1] for each in many[:TWO]]

    def _figure_signs(self) -> dict[Stated, Signs]:
        asked, cues, amount = self.asked, self.cues, self.events.amount(self.event, 0.7)
        fits = {each: asked.fit(each) for each in self._figures}
        best = max(fits.values(), default=0.0)
        named = max((max(fit, asked.alike(each.label)) for each, fit in fits.items()), default=0.0)
        return {
            each: {
                "fig_said": fit, "fig_best": float(fit == best > SOME), "fig_sim": (like := asked.alike(each.label)),
                "fig_money": float(each.money and cues["money"]), "fig_amount": float(each.step == amount),
                "fig_only": float(len(self._figures) == 1), "fig_share": each.share,
                "fig_rate": float(bool(each.words & _RATES)),
                "fig_each": float(any(each.step == lines.each[-1] for lines in self._lines)),
                "fig_many": float(any(each.step == lines.many for lines in self._lines)),
                "fig_has_lines": float(bool(self._lines)),
                "fig_measured": float(not each.words.isdisjoint(asked.measured)),
                "fig_effort": float(bool(each.words & _EFFORT) and cues["how_long"]),
                "fig_unnamed": float(fit < SAID and like < LIKE), "fig_sim_or_said": max(fit, like),
                "fig_below": named - max(fit, like),
            }
            for each, fit in fits.items()
        }  # fmt: skip

    def all(self) -> Iterator[EventPlan]:
        """The candidates, without one figure of all where one for each of some things is asked for: no plan says it."""
        several = any(not any(self.scene.calls(w, self.event) for w in words) for words in self.asked.each_of)
        return (each for each in self._all() if not (several and each.form in _OF_ALL))

    def _all(self) -> Iterator[EventPlan]:
        dates, alone = self.scene.dates(), self.placing.narrowed(self.event, "")
        for case in self.cases:
            some = case.of(all_of([self.every, *alone.mine]), dates)
            if alone.dropped <= DROPPED and some is not None:
                yield from self._of_them(case, some, alone.signs)
                yield from self._by_columns(case, some, alone.signs)
            for target, narrowed in self.led:
                some = case.of(all_of([self.every, *narrowed.mine]), dates)
                if narrowed.dropped <= DROPPED and some is not None:
                    yield from self._of_others(case, some, narrowed, target)

    @cached_property
    def cases(self) -> list[Conditions]:
        return cases(self.event, self.asked)

    @cached_property
    def led(self) -> list[tuple[Target, Narrowed]]:
        """What may be asked for, with what the named things leave of it and of the events."""
        return [(each, self.placing.narrowed(self.event, each.kind)) for each in self.targets]

    @cached_property
    def targets(self) -> list[Target]:
        return list(self.placing.targets(self.event))

    def made(
        self, form: Form, plan: p.Plan, case: Conditions, *signs: Signs, kind: str = "", also: Iterable[str] = ()
    ) -> EventPlan:
        """A candidate with its signs.

        Args:
            kind: what is asked for, where it is not the events.
            also: words of the names of what else the plan is made of, in their order: they are compared as one name.
        """
        asked, names = self.asked, [self.noun]
        unsaid, words = asked.unsaid[self.event], list(also)
        if kind in self._kinds and kind != self.event:
            unsaid &= asked.unsaid[kind]
            names.append(self._kinds[kind].lower())
        if words:
            names.append(" ".join(words))
        told = told_by(case, frozenset(words))
        left = [w for w in unsaid if not forms(w) & told and not any(akin(w, each) for each in words)]
        sum_ = {**self._signs, **case.signs}
        for each in signs:
            sum_.update(each)
        counted = form == "wherecount" or case.filtered or not sum_.keys().isdisjoint(_COUNTED)
        outcome = case.outcome
        sum_ |= {
            "left": float(len(left)), "left_soft": asked.unlike(left, names),
            "cue_unused": float(outcome is None and self.cues["still"]), "k_is_e": float(kind in ("", self.event)),
            "counts_unused": float(bool(asked.counts) and not counted),
            "numbers_unused": float(bool(asked.numbers) and not counted),
            "filters_unused": float(
                bool(asked.filters) and form != "where_sum" and not case.filtered and "filter_named" not in sum_
            ),
            "double_neg": float(form in _DENYING and (case.open or sum_.get("lack", 0.0) > 0)),
            "neg_unused": float(
                self.cues["not"] and form not in _DENYING and outcome is None and not sum_.get("lack")
            ),
            "but_unused": float(self.cues["but"] and form != "differ" and not sum_.get("two")),
            "e_k_sim": max(self._signs["e_sim"], sum_.get("k_sim", 0.0)),
            "q_e": asked.meaning(self.noun), "q_k": asked.meaning(self._kinds.get(kind, "").lower()),
            "q_also": asked.meaning(" ".join(words)),
        }  # fmt: skip
        return EventPlan(plan, form, kind if kind in self._kinds else self.event, sum_)

    # -- of the events themselves ------------------------------------------------------------------------------------

    def _of_them(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        cues, every = self.cues, some == self.every
        if not every:
            yield self.made("list_e", some, case, drop)
        if cues["how_many"] or cues["how_often"] or cues["total"]:
            yield self.made("count_e", p.Count(some), case, drop)
        if (cues["truth"] or cues["there"]) and not every:
            yield self.made("exists_e", p.Exists(some), case, drop)
        if self.asked.universal and cues["truth"] and case.words and (base := self._without(case)) != some:
            yield self.made("truth_all", p.Is(base, some), case, drop)
        sums = any(cues[name] for name in ("total", "how_much", "how_many", "how_long", "money"))
        for figure, signs in self.of_figures.items():
            path, also = (figure.step,), figure.label.split()
            if sums:
                yield self.made("sum", p.Aggregate("sum", some, path), case, drop, signs, also=also)
            if cues["mean"]:
                yield self.made("mean", p.Aggregate("mean", some, path), case, drop, signs, also=also)
            elif not every and (signs["fig_said"] > SAID or signs["fig_sim"] > LIKE):
                yield self.made("values_fig", p.Values(some, path), case, drop, signs, also=also)
            for largest in self.asked.sides:
                form, how = _EXTREMES[largest]
                yield self.made(form, p.Aggregate(how, some, path), case, drop, signs, also=also)
                yield self.made(
                    "top_own", p.Top(some, p.Key(path), largest, self.asked.first), case, drop, signs, also=also
                )
        for lines in self._lines:
            if cues["total"] or cues["how_much"] or cues["money"]:
                plan = p.Aggregate("sum", some, (lines.many,), p.Combined(lines.each, "*"))
                yield self.made("sum", plan, case, drop, self._product, also=["price"])
        yield from self._less(case, some, drop)
        yield from self._when(case, some, drop)
        yield from self._how_long(case, some, drop)
        if not every:
            yield from self._what(case, some, drop)

    def _without(self, case: Conditions) -> p.SetPlan:
        """The events without the conditions of a case, but for those on dates and numbers."""
        bare = replace(case, sets=(), outcome=None)
        some = bare.of(all_of([self.every, *self.placing.narrowed(self.event, "").mine]), self.scene.dates())
        return self.every if some is None else some

    def _less(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """One figure less another: what was offered and not eaten, what a roast lost."""
        for one, other, signs in self._two_figures if self.cues["gap"] and case.about not in ("gap", "pair") else ():
            path, beside = (one.step,), p.Combined((other.step,), "-")
            also = [*one.label.split(), *other.label.split()]
            how: p.Summary = "mean" if self.cues["mean"] else "sum"
            form: Form = "mean" if how == "mean" else "sum"
            yield self.made(form, p.Aggregate(how, some, path, beside), case, drop, signs, also=also)
            for largest in self.asked.sides:
                plan = p.Top(some, p.Key(path, beside=beside), largest, self.asked.first)
                yield self.made("top_own", plan, case, drop, signs, also=also)

    @cached_property
    def _two_figures(self) -> list[tuple[Stated, Stated, Signs]]:
        """Each two figures of the events that the question may speak of, the first less the second."""
        fits = {each: max(signs["fig_said"], signs["fig_sim"]) for each, signs in self.of_figures.items()}
        best = sorted(fits, key=lambda each: -fits[each])[:TWO]
        middle = {each: self.events.middle(self.event, each.step) for each in best}
        place = {each: self.asked.place_of(each.label.split()) for each in best}
        return [
            (one, other, {"fig_gap": 1.0, "fig_said": fits[one], "fig_sim": fits[other],
                          "fig_gap_both": min(fits[one], fits[other]),
                          "fig_gap_larger": float(middle[one] > middle[other]),
                          "fig_gap_first": float(place[one] < place[other])})
            for one in best for other in best if one.step != other.step
        ]  # fmt: skip

    @property
    def _product(self) -> Signs:
        return {"fig_product": 1.0, "fig_money": float(self.cues["money"])}

    def _when(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        cues, every = self.cues, some == self.every
        if not (cues["last"] or cues["first"] or cues["when"]):
            return
        for path, date in [*(((each.step,), each) for each in self.dates), *self._dates_beyond]:
            also = [word for word in date.label.split() if word not in _OF_DATES]
            signs = {"date_said": date.named_by(self.asked.words), "date_is_main": float(path == (self._main,)),
                     "date_sim": self.asked.alike(date.label),
                     "date_beyond": float(len(path) > 1)}  # fmt: skip
            if cues["last"]:
                yield self.made("max_date", p.Aggregate("max", some, path), case, drop, signs, also=also)
            if cues["first"]:
                yield self.made("min_date", p.Aggregate("min", some, path), case, drop, signs, also=also)
            if cues["when"] and not every:
                yield self.made("dates", p.Values(some, path), case, drop, signs, also=also)
            if cues["last"] or cues["first"]:
                plan = p.Top(some, p.Key(path), cues["last"], self.asked.first)
                yield self.made("top_own", plan, case, drop, signs, also=also)

    @cached_property
    def _dates_beyond(self) -> list[tuple[p.Path, Stated]]:
        """The dates of what the events lead to: when the episode of an advertisement came out."""
        return [
            ((link.step, each.step), each)
            for link in self.events.links(self.event) if link.to != self.event
            for each in self.events.stated(link.to, "date", SOME)
        ]  # fmt: skip

    def _how_long(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """How long events lasted: the days from one of their dates to another."""
        cues = self.cues
        for path, since, words, signs in self._spans if cues["long"] or cues["mean"] else ():
            if cues["mean"]:
                yield self.made("mean", p.Aggregate("mean", some, path, since), case, drop, signs, also=words)
            elif some != self.every:
                yield self.made("sum", p.Aggregate("sum", some, path, since), case, drop, signs, also=words)
            for largest in self.asked.sides if not cues["mean"] else ():
                plan = p.Top(some, p.Key(path, beside=since), largest, self.asked.first)
                yield self.made("top_own", plan, case, drop, signs, also=words)

    @cached_property
    def _spans(self) -> list[tuple[p.Path, p.Since, list[str], Signs]]:
        """The days from each date of the events to each later one, with their words and what speaks for them."""
        found = list[tuple[p.Path, p.Since, list[str], Signs]]()
        for one in self.dates:
            for other in self.dates:
                if one is not other and self.events.before(self.event, one.step, other.step):
                    words = [word for word in (*one.label.split(), *other.label.split()) if word not in _OF_DATES]
                    said = max(one.named_by(self.asked.words), other.named_by(self.asked.words))
                    signs = {"fig_lasts": 1.0, "date_said": said, "fig_long": float(self.cues["long"])}
                    found.append(((other.step,), p.Since((one.step,), "days"), words, signs))
        return found

    def _what(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """What a text of the events says: what the item of a hire is."""
        coded = bool(self._signs["e_coded"])
        for step, label in self.events.texts(self.event, SOME):
            like = self.asked.alike(" ".join(label))
            item = coded and (not _ITEMS.isdisjoint(label) or self.events.telling(self.event, step))
            if item or like > COLUMN or self.asked.says(label):
                signs = {"a_sim": like, "a_item": float(item)}
                yield self.made("attr_e", p.Follow(some, (step,)), case, drop, signs, also=label)
        for link in self.events.links(self.event):
            for step, label in self.events.texts(link.to, SOME) if link.to != self.event else ():
                like = self.asked.alike(" ".join(label))
                if like > COLUMN and any(self.asked.says((word,)) for word in label):
                    plan = p.Follow(p.Follow(some, (link.step,)), (step,))
                    yield self.made("attr_e", plan, case, drop, {"a_sim": like, "a_beyond": 1.0}, also=label)

    def _by_columns(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """What a column says of the events, or of what they lead to, of which there are most."""
        if not self.asked.sides and not self.asked.counts:
            return
        owners: list[tuple[p.Path, str]] = [((), self.event)]
        for way, owner in owners + [((link.step,), link.to) for link in self.events.links(self.event)]:
            for step, label in self.events.categories(owner):
                like, said = self.asked.alike(" ".join(label)), self.asked.says(label)
                if not said and like < GROUP:
                    continue
                path = (*way, step)
                groups, among = p.Follow(self.every, path), None if some == self.every else some
                signs = {"a_sim": like, "a_hit": float(said), "k_len": len(path) / FAR}
                for op, n in self.asked.counts:
                    if n > 1 or op in (">", "="):
                        many = p.WhereCount(groups, p.turned(path), op, n, some)
                        yield self.made("wherecount", many, case, drop, signs, also=label)
                for largest in self.asked.sides:
                    plan = p.Top(groups, p.Key(p.turned(path), "count", some), largest, self.asked.first)
                    yield self.made("top_c_count", plan, case, drop, signs, also=label)
                    for figure, of in self.of_figures.items():
                        key = p.Key((*p.turned(path), figure.step), self.how, among)
                        form: Form = "top_c_mean" if self.how == "mean" else "top_c_sum"
                        also = [*label, *figure.label.split()]
                        yield self.made(
                            form, p.Top(groups, key, largest, self.asked.first), case, drop, signs, of, also=also
                        )

    def _among(self, some: p.SetPlan) -> p.SetPlan | None:
        """Which of the things at the end of a path are added up; None where that are all that lie there."""
        return None if some == self.every and not isinstance(some, p.EdgesOf) else some

    @property
    def how(self) -> p.How:
        return "mean" if self.cues["mean"] else "sum"

    # -- of things that events lead to -------------------------------------------------------------------------------

    def _of_others(self, case: Conditions, some: p.SetPlan, narrowed: Narrowed, target: Target) -> Iterator[EventPlan]:
        kind = target.kind
        bare = not case.sets and case.outcome is None  # beside those on dates and numbers
        for own in self.placing.own(kind) if bare or case.said else [Conditions()]:
            own_set = own.of(self.events.all(kind), self.scene.dates())
            if own_set is not None and own.words.isdisjoint(case.words):
                yield from self._of_some_others(case, own, own_set, some, narrowed, target)

    def _of_some_others(
        self, case: Conditions, own: Conditions, own_set: p.SetPlan, some: p.SetPlan, narrowed: Narrowed,
        target: Target,
    ) -> Iterator[EventPlan]:  # fmt: skip
        cues, kind, way = self.cues, target.kind, target.way
        signs = {**narrowed.signs, **target.signs, **own.signs, "own": float(bool(own.signs))}
        all_ = all_of([own_set, *narrowed.others])
        of_kind = p.And((own_set, *narrowed.others, followed(some, way)))
        every = some == self.every and not narrowed.others
        within = some if all_ == self.events.all(kind) else all_of([some, followed(all_, p.turned(way))])
        if own.signs:
            signs |= {"two": 1.0} if case.words else {}
            case = replace(case, words=case.words | own.words, signs={**case.signs, **own.signs})

        def made(form: Form, plan: p.Plan, *more: Signs, also: Iterable[str] = ()) -> EventPlan:
            return self.made(form, plan, case, signs, *more, kind=kind, also=also)

        if not every:
            yield made("list_k", of_kind)
        elif self._spoken:
            yield made("list_k", of_kind, {"bare": 1.0})
        if cues["how_many"] or cues["how_often"]:
            yield made("count_k", p.Count(of_kind))
        if cues["truth"] or cues["there"]:
            yield made("exists_k", p.Exists(of_kind))
        if self.asked.universal and cues["truth"]:
            yield made("truth_all", p.Is(all_, followed(some, way)))
        if cues["not"] and self.asked.denials > own.denies:
            without = p.Minus(all_, followed(some, way))
            yield made("minus", without)
            if cues["how_many"]:
                yield made("count_minus", p.Count(without))
        for op, n in self.asked.counts:
            yield made("wherecount", p.WhereCount(all_, p.turned(way), op, n, some))
        for each in self.asked.filters if "filter_named" not in case.signs else ():
            for figure, of in self.of_figures.items():
                how: p.Tested = "mean" if self.cues["mean"] else "sum"
                test = of_figure(figure, each, self.asked, p.turned(way), how=how, among=self._among(some))
                yield made("where_sum", p.Where(all_, test), of, also=figure.label.split())
        yield from self._held_against(kind, all_, way, some, made) if self.asked.limits else ()
        yield from self._left_of(kind, of_kind, within, made) if not every and self.asked.gap else ()
        for largest in self.asked.sides:
            most = p.Top(all_, p.Key(p.turned(way), "count", some), largest, self.asked.first)
            yield made("top_k_count", most)
            yield from self._said_of(kind, most, made)
            yield from self._by_figures(kind, some, within, all_, way, made, largest=largest)
        aged = any(self.scene.calls(word, kind) for word in self.asked.aged)
        lasting = cues["long"] and True in self.asked.sides  # who has lived somewhere the longest came first
        for date in self.dates if (cues["last"] or cues["first"] or lasting) and not aged else ():
            plan = followed(p.Top(within, p.Key((date.step,)), cues["last"], self.asked.first), way)
            main = {"date_is_main": float(date.step == self._main), "for_long": float(lasting)}
            yield made("top_own_k", plan, main, also=date.label.split())
            yield from self._said_of(kind, plan, made, main, also=date.label.split())
        for path, since, words, told in self._spans if cues["long"] else ():
            for largest in self.asked.sides:
                longest = p.Top(within, p.Key(path, beside=since), largest, self.asked.first)
                yield made("top_own_k", followed(longest, way), told, also=words)
        yield from self._of_its_own(kind, of_kind, made) if not every else ()
        for step, label in self.events.texts(kind, SOME) if not every else ():
            like, said = self.asked.alike(" ".join(label)), self.asked.says(label)
            if said or like > PROPERTY:
                yield made("attr_k", p.Follow(of_kind, (step,)), {"a_sim": like, "a_hit": float(said)}, also=label)

    def _held_against(
        self, kind: str, all_: p.SetPlan, way: p.Path, some: p.SetPlan, made: Making
    ) -> Iterator[EventPlan]:
        """How many events things have against a figure of theirs: classes with as many bookings as places."""
        ops: tuple[tuple[p.CountOp, str], ...] = ((">=", "full"), (">", "over"), ("<", "free"))
        for figure in self.events.stated(kind, "number", MEASURED):
            signs = {
                "a_sim": self.asked.alike(figure.label), "a_hit": self.asked.fit(figure),
                "limit": float(not _LIMITS.isdisjoint(figure.words)),
            }  # fmt: skip
            if max(signs.values()) < SAID:
                continue
            for op, cue in ops:
                against = p.WhereCount(all_, p.turned(way), op, (figure.step,), some)
                said = {**signs, f"limit_{cue}": float(cue in self.asked.limits)}
                yield made("held_against", against, said, also=figure.label.split())

    def _left_of(self, kind: str, of_kind: p.SetPlan, some: p.SetPlan, made: Making) -> Iterator[EventPlan]:
        """A figure of things less how many events they have, or less what these come to: places less bookings, an
        invoice less its payments."""
        amount = self.events.amount(self.event, MEASURED)
        for figure in self.events.stated(kind, "number", MEASURED):
            signs = {
                "a_sim": self.asked.alike(figure.label), "a_hit": self.asked.fit(figure),
                "limit": float(not _LIMITS.isdisjoint(figure.words)), "fig_money": float(figure.money),
            }  # fmt: skip
            if max(signs.values()) < SAID:
                continue
            whole = p.Aggregate("sum", of_kind, (figure.step,))
            yield made("left", p.Arithmetic("-", whole, p.Count(some)), signs, also=figure.label.split())
            for other, of in self.of_figures.items():
                if other.step == amount or other.money == figure.money:
                    less = p.Aggregate("sum", some, (other.step,))
                    also = [*figure.label.split(), *other.label.split()]
                    yield made("left_sum", p.Arithmetic("-", whole, less), of, signs, also=also)

    def _said_of(
        self, kind: str, plan: p.SetPlan, made: Making, *signs: Signs, also: Iterable[str] = ()
    ) -> Iterator[EventPlan]:
        """What the first or the last of some things state, or whom they lead to: the captain of the team with most."""
        named = [*self.events.texts(kind, SOME)]
        named += [
            (link.step, self.scene.lexicon.labels.get(link.step.relation, "").lower().split())
            for link in self.events.links(kind) if link.to != self.event
        ]  # fmt: skip
        for step, label in named:
            if label and self.asked.says(label):
                told = {"a_sim": self.asked.alike(" ".join(label)), "a_hit": 1.0}
                yield made("attr_top", p.Follow(plan, (step,)), *signs, told, also=[*also, *label])

    def _of_its_own(self, kind: str, of_kind: p.SetPlan, made: Making) -> Iterator[EventPlan]:
        """The figures and dates that things state themselves which events lead to."""
        for each in (*self.events.stated(kind, "number", SOME), *self.events.stated(kind, "date", SOME)):
            fit, like = self.asked.fit(each), self.asked.alike(each.label)
            signs = {"a_sim": like, "a_hit": fit, "a_figure": 1.0}
            if fit > PROPERTY or like > PROPERTY:
                yield made("attr_k", p.Values(of_kind, (each.step,)), signs, also=each.label.split())
                for how in ("mean", "sum"):
                    if each.kind == "number" and self.cues["mean" if how == "mean" else "total"]:
                        plan = p.Aggregate(how, of_kind, (each.step,))
                        yield made(how, plan, signs, also=each.label.split())
            for largest in (
                (self.asked.ends if each.kind == "date" else self.asked.sides) if max(fit, like) > SAID else ()
            ):
                yield made(
                    "top_own_k",
                    p.Top(of_kind, p.Key((each.step,)), largest, self.asked.first),
                    signs,
                    also=each.label.split(),
                )

    def _by_figures(
        self,
        kind: str,
        some: p.SetPlan,
        within: p.SetPlan,
        all_: p.SetPlan,
        way: p.Path,
        made: Making,
        *,
        largest: bool,
    ) -> Iterator[EventPlan]:
        among, back = self._among(some), p.turned(way)
        for figure, of in self.of_figures.items():
            key = p.Key((*back, figure.step), self.how, among)
            form: Form = "top_k_mean" if self.how == "mean" else "top_k_sum"
            most = p.Top(all_, key, largest, self.asked.first)
            yield made(form, most, of, also=figure.label.split())
            plan = followed(p.Top(within, p.Key((figure.step,)), largest, self.asked.first), way)
            yield made("top_own_k", plan, of, also=figure.label.split())
            for each in (most, plan):
                yield from self._said_of(kind, each, made, of, also=figure.label.split())
        for lines in self._lines:
            key = p.Key((*back, lines.many), "sum", among, p.Combined(lines.each, "*"))
            yield made("top_k_sum", p.Top(all_, key, largest, self.asked.first), self._product, also=["price"])
