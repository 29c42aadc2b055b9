"""The plans that a question may mean over the events of one kind themselves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from clew.query import plan as p
from clew.query.meanings import measures
from clew.query.vocabulary import akin, forms
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.cases import Conditions, cases, told_by
from clew.retrieval.events.event_plan import EventPlan, Form, Signs
from clew.retrieval.events.kinds import EDGES, Stated
from clew.retrieval.events.last_time import date_of
from clew.retrieval.events.placing import DROPPED, FAR, Narrowed, Placing, Target
from clew.retrieval.events.sales import SoldLines, lines_of
from clew.retrieval.events.scene import ITEMS, Scene, all_of
from clew.retrieval.events.stated_too import Making, StatedToo
from clew.retrieval.joining import followed

SOME = 0.3  # share of the events that must state a figure or a date
SAID, LIKE = 0.4, 0.5  # how well words name a figure, or are like it, whose values are asked for
TWO = 3  # figures of which one less another may be asked for
COLUMN, GROUP = 0.5, 0.45  # cosine of a word with a column of events, and of groups
_EFFORT = frozenset(["hour", "hours", "minute", "minutes", "duration", "time", "mins", "hrs"])
_RATES = frozenset(["price", "rate", "each", "unit", "per", "fee", "charge"])
_PRICES = frozenset(["price", "rate", "per"])
_ITEMS = ITEMS | {"part", "reference"}
_OF_DATES = frozenset(["date", "on", "day"])
_COUNTED = frozenset(["eq", "lasts", "held"])  # conditions that use a number of the question
_DENYING = frozenset(["minus", "count_minus", "differ"])
_EXTREMES: Mapping[bool, tuple[Form, p.Summary]] = {True: ("max_fig", "max"), False: ("min_fig", "min")}


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
        self.lines = [each for each in lines_of(self.scene.graph) if each.id == event] or self._products()
        self.dates = [each for each in self.events.stated(event, "date") if each.share >= SOME]
        self.main = date_of(event, self.events)
        of, spoken = self.scene.asked(event), placing.spoken_of(event)
        self.spoken = spoken > 1
        self._signs: Signs = {
            "e_spoken": min(spoken, 6) / 6, "e_sim": asked.alike(self.noun), "e_edge": float(event.startswith(EDGES)),
            "e_verb": float(self.events.by_verb(event)), "e_people": float(event in self.events.people()),
            "e_coded": float(self.events.coded(event)), "e_named": float(self.scene.names(event)),
            "asked_e": float(of == event), "asked_none": float(of == ""),
            "e_below": placing.most_alike - asked.alike(self.noun),
            "e_most": float(spoken == placing.most_spoken_of > 0),
        }  # fmt: skip
        self.of_figures = self._figure_signs()
        self.too = StatedToo(event, asked)

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
                "fig_each": float(any(each.step == lines.each[-1] for lines in self.lines)),
                "fig_many": float(any(each.step == lines.many for lines in self.lines)),
                "fig_has_lines": float(bool(self.lines)),
                "fig_measured": float(not each.words.isdisjoint(asked.measured)),
                "fig_effort": float(bool(each.words & _EFFORT) and cues["how_long"]),
                "fig_unnamed": float(fit < SAID and like < LIKE), "fig_sim_or_said": max(fit, like),
                "fig_below": named - max(fit, like),
            }
            for each, fit in fits.items()
        }  # fmt: skip

    def of_them(self, case: Conditions) -> Iterator[EventPlan]:
        """The candidates over the events that meet some conditions."""
        alone = self.placing.narrowed(self.event, "")
        some = case.of(all_of([self.every, *alone.mine]), self.scene.dates())
        if alone.dropped <= DROPPED and some is not None:
            yield from self._of_them(case, some, alone.signs)
            yield from self._by_columns(case, some, alone.signs)

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
                yield from self._top(p.Top(some, p.Key(path), largest, self.asked.first), case, drop, signs, also)
        for lines in self.lines:
            if cues["total"] or cues["how_much"] or cues["money"]:
                plan = lines.worth(some)
                yield self.made("sum", plan, case, drop, self.product, also=["price"])
        if cues["mean"]:
            yield from self._each(case, some, drop)
        yield from self._less(case, some, drop)
        yield from self._when(case, some, drop)
        yield from self._how_long(case, some, drop)
        if not every:
            yield from self._what(case, some, drop)
            yield from self.too.two_of(self.event, some, self._making(case, drop))

    def _making(self, case: Conditions, drop: Signs) -> Making:
        def made(form: Form, plan: p.Plan, *more: Signs, also: Iterable[str] = ()) -> EventPlan:
            return self.made(form, plan, case, drop, *more, also=also)

        return made

    def _top(
        self, plan: p.SetPlan, case: Conditions, drop: Signs, signs: Signs, also: Sequence[str]
    ) -> Iterator[EventPlan]:
        """The first or the last of the events, and what it states."""
        yield self.made("top_own", plan, case, drop, signs, also=also)
        if max(signs.get("fig_sim_or_said", 1.0), signs.get("fig_measured", 0.0)) > SAID:
            yield from self.too.of_top(self.event, plan, self._making(case, drop), signs, also=also)

    def _each(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """How many events things have in the mean, or what these come to: the value of an order by its lines, children
        who came in a day."""
        ways: list[tuple[p.Path, Signs, str]] = [
            (each.way, {**each.signs, "per_k": 1.0}, self._kinds[each.kind]) for each in self.targets
        ]
        days = [each for each in self.dates if each.step == self.main]
        ways += [((each.step,), {"per_day": float(self.asked.says(("day", "daily")))}, "day") for each in days]
        for way, signs, name in ways:
            groups, also = p.Count(followed(some, way)), name.lower().split()
            mean = p.Arithmetic("/", p.Count(some), groups)
            yield self.made("count_each", mean, case, drop, signs, also=also)
            for figure, of in self.of_figures.items():
                whole = p.Aggregate("sum", some, (figure.step,))
                words = [*also, *figure.label.split()]
                yield self.made("sum_each", p.Arithmetic("/", whole, groups), case, drop, signs, of, also=words)
            for lines in self.lines:
                whole = lines.worth(some)
                mean = p.Arithmetic("/", whole, groups)
                yield self.made("sum_each", mean, case, drop, signs, self.product, also=[*also, "price"])

    def _without(self, case: Conditions) -> p.SetPlan:
        """The events without the conditions of a case, but for those on dates and numbers."""
        bare = replace(case, sets=(), outcome=None)
        some = bare.of(all_of([self.every, *self.placing.narrowed(self.event, "").mine]), self.scene.dates())
        return self.every if some is None else some

    def _less(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        """One figure less another, or by another: what was offered and not eaten, takings per ticket."""
        apart = (self.cues["gap"] or self.asked.gap) and case.about not in ("gap", "pair")
        for one, other, signs in self._two_figures if apart or self.cues["each"] else ():
            path, also = (one.step,), [*one.label.split(), *other.label.split()]
            for largest in self.asked.sides if self.cues["each"] else ():
                by = p.Key(path, beside=p.Combined((other.step,), "/"))
                told = {**signs, "fig_by": 1.0}
                yield from self._top(p.Top(some, by, largest, self.asked.first), case, drop, told, also)
            if not apart:
                continue
            beside = p.Combined((other.step,), "-")
            how: p.Summary = "mean" if self.cues["mean"] else "sum"
            form: Form = "mean" if how == "mean" else "sum"
            yield self.made(form, p.Aggregate(how, some, path, beside), case, drop, signs, also=also)
            for largest in self.asked.sides:
                plan = p.Top(some, p.Key(path, beside=beside), largest, self.asked.first)
                yield from self._top(plan, case, drop, signs, also)

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
    def gaps(self) -> list[tuple[p.Path, p.Beside, list[str], Signs]]:
        return [
            ((one.step,), p.Combined((other.step,), "-"), [*one.label.split(), *other.label.split()], signs)
            for one, other, signs in self._two_figures
        ]

    @property
    def product(self) -> Signs:
        return {"fig_product": 1.0, "fig_money": float(self.cues["money"])}

    def _when(self, case: Conditions, some: p.SetPlan, drop: Signs) -> Iterator[EventPlan]:
        cues, every = self.cues, some == self.every
        if not (cues["last"] or cues["first"] or cues["when"]):
            return
        for path, date in [*(((each.step,), each) for each in self.dates), *self._dates_beyond]:
            also = [word for word in date.label.split() if word not in _OF_DATES]
            signs = {"date_said": self.asked.named(date), "date_is_main": float(path == (self.main,)),
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
                yield from self._top(plan, case, drop, signs, also)

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
        for path, since, words, signs in self.spans if cues["long"] or cues["mean"] else ():
            if cues["mean"]:
                yield self.made("mean", p.Aggregate("mean", some, path, since), case, drop, signs, also=words)
            elif some != self.every:
                yield self.made("sum", p.Aggregate("sum", some, path, since), case, drop, signs, also=words)
            for largest in self.asked.sides if not cues["mean"] else ():
                plan = p.Top(some, p.Key(path, beside=since), largest, self.asked.first)
                yield from self._top(plan, case, drop, signs, words)

    @cached_property
    def spans(self) -> list[tuple[p.Path, p.Beside, list[str], Signs]]:
        """The days from each date of the events to each later one, with their words and what speaks for them."""
        found = list[tuple[p.Path, p.Beside, list[str], Signs]]()
        for one in self.dates:
            for other in self.dates:
                if one is not other and self.events.before(self.event, one.step, other.step):
                    words = [word for word in (*one.label.split(), *other.label.split()) if word not in _OF_DATES]
                    said = max(self.asked.named(one), self.asked.named(other))
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

    def among(self, some: p.SetPlan) -> p.SetPlan | None:
        """Which of the things at the end of a path are added up; None where that are all that lie there."""
        return None if some == self.every and not isinstance(some, p.EdgesOf) else some

    @property
    def how(self) -> p.How:
        return "mean" if self.cues["mean"] else "sum"
