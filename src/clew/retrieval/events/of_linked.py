"""The plans that a question may mean over what the events of one kind lead to: how many of these things have, what they
come to for each, what the things state themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from clew.query import plan as p
from clew.retrieval.events.cases import Conditions, of_figure
from clew.retrieval.events.event_plan import EventPlan, Form, Signs
from clew.retrieval.events.kinds import Stated
from clew.retrieval.events.of_kind import SAID, SOME, PlansOfKind
from clew.retrieval.events.placing import DROPPED, Narrowed, Target
from clew.retrieval.events.scene import all_of
from clew.retrieval.events.stated_too import Making
from clew.retrieval.joining import followed

MEASURED = 0.7  # share of the things that must state what a number of events is held against
PROPERTY = 0.55  # cosine of a word with what is asked for
_OF_ALL = frozenset(["count_e", "count_k", "sum", "mean", "max_fig", "min_fig"])
_LIMITS = frozenset(["capacity", "max", "maximum", "places", "seats", "limit", "size", "spaces", "beds"])
_BIRTHS = frozenset(["birth", "born", "birthday", "dob", "birthdate"])


def _is_of_all(plan: EventPlan) -> bool:
    """Whether a plan makes one figure of all; of figures that nobody adds up, such as populations, also for each."""
    added = plan.signs.get("fig_amount") or plan.signs.get("fig_product")
    return plan.form in _OF_ALL or (plan.form == "sum_each" and not added)


class PlansOfLinked:
    """The candidates over what the events of one kind lead to."""

    def __init__(self, of: PlansOfKind) -> None:
        self._of, self._asked = of, of.asked
        self._scene, self._events, self._cues = of.scene, of.events, of.cues

    def all(self) -> Iterator[EventPlan]:
        """These and those over the events themselves, without one figure of all where one for each of some things is
        asked for: no plan says it."""
        event = self._of.event
        several = any(not any(self._scene.calls(w, event) for w in words) for words in self._asked.each_of)
        return (each for each in self._all() if not (several and _is_of_all(each)))

    def _all(self) -> Iterator[EventPlan]:
        for case in self._of.cases:
            yield from self._of.of_them(case)
            for target, narrowed in self._of.led:
                some = case.of(all_of([self._of.every, *narrowed.mine]), self._scene.dates())
                if narrowed.dropped <= DROPPED and some is not None:
                    yield from self._of_target(case, some, narrowed, target)

    def _of_target(self, case: Conditions, some: p.SetPlan, narrowed: Narrowed, target: Target) -> Iterator[EventPlan]:
        kind = target.kind
        bare = not case.sets and case.outcome is None  # beside those on dates and numbers
        for own in self._of.placing.own(kind) if bare or case.said else [Conditions()]:
            own_set = own.of(self._events.all(kind), self._scene.dates())
            if own_set is not None and own.words.isdisjoint(case.words):
                yield from self._of_some(case, own, own_set, some, narrowed, target)

    def _of_some(
        self, case: Conditions, own: Conditions, own_set: p.SetPlan, some: p.SetPlan, narrowed: Narrowed,
        target: Target,
    ) -> Iterator[EventPlan]:  # fmt: skip
        cues, kind, way = self._cues, target.kind, target.way
        signs = {**narrowed.signs, **target.signs, **own.signs, "own": float(bool(own.signs))}
        all_ = all_of([own_set, *narrowed.others])
        of_kind = p.And((own_set, *narrowed.others, followed(some, way)))
        every = some == self._of.every and not narrowed.others
        within = some if all_ == self._events.all(kind) else all_of([some, followed(all_, p.turned(way))])
        if own.signs:
            signs |= {"two": 1.0} if case.words else {}
            case = replace(case, words=case.words | own.words, signs={**case.signs, **own.signs})

        def made(form: Form, plan: p.Plan, *more: Signs, also: Iterable[str] = ()) -> EventPlan:
            return self._of.made(form, plan, case, signs, *more, kind=kind, also=also)

        if not every:
            yield made("list_k", of_kind)
            yield from self._of.too.two_of(kind, of_kind, made)
        elif self._of.spoken:
            yield made("list_k", of_kind, {"bare": 1.0})
        if cues["how_many"] or cues["how_often"]:
            yield made("count_k", p.Count(of_kind))
        if cues["truth"] or cues["there"]:
            yield made("exists_k", p.Exists(of_kind))
        if self._asked.universal and cues["truth"]:
            yield made("truth_all", p.Is(all_, followed(some, way)))
        if cues["not"] and self._asked.denials > own.denies:
            without = p.Minus(all_, followed(some, way))
            yield made("minus", without)
            if cues["how_many"]:
                yield made("count_minus", p.Count(without))
        for op, n in self._asked.counts:
            yield made("wherecount", p.WhereCount(all_, p.turned(way), op, n, some))
        for each in self._asked.filters if "filter_named" not in case.signs else ():
            for figure, of in self._of.of_figures.items():
                how: p.Tested = "mean" if self._cues["mean"] else "sum"
                test = of_figure(figure, each, self._asked, p.turned(way), how=how, among=self._of.among(some))
                yield made("where_sum", p.Where(all_, test), of, also=figure.label.split())
        yield from self._held_against(kind, all_, way, some, made) if self._asked.limits else ()
        yield from self._left_of(kind, of_kind, within, made) if not every and self._asked.gap else ()
        for largest in self._asked.sides:
            most = p.Top(all_, p.Key(p.turned(way), "count", some), largest, self._asked.first)
            yield made("top_k_count", most)
            yield from self._of.too.of_top(kind, most, made)
            yield from self._by_figures(kind, some, within, all_, way, made, largest=largest)
        aged = any(self._scene.calls(word, kind) for word in self._asked.aged)
        lasting = cues["long"] and True in self._asked.sides  # who has lived somewhere the longest came first
        for date in self._of.dates if (cues["last"] or cues["first"] or lasting) and not aged else ():
            plan = followed(p.Top(within, p.Key((date.step,)), cues["last"], self._asked.first), way)
            main = {"date_is_main": float(date.step == self._of.main), "for_long": float(lasting)}
            yield made("top_own_k", plan, main, also=date.label.split())
            yield from self._of.too.of_top(kind, plan, made, main, also=date.label.split())
        apart = [*(self._of.spans if cues["long"] else ()), *(self._of.gaps if cues["gap"] or self._asked.gap else ())]
        for path, beside, words, told in apart:
            for largest in self._asked.sides:
                most = p.Top(within, p.Key(path, beside=beside), largest, self._asked.first)
                yield made("top_own_k", followed(most, way), told, also=words)
        yield from self._of_its_own(kind, of_kind, made) if not every else ()
        for step, label in self._events.texts(kind, SOME) if not every else ():
            like, said = self._asked.alike(" ".join(label)), self._asked.says(label)
            if said or like > PROPERTY:
                yield made("attr_k", p.Follow(of_kind, (step,)), {"a_sim": like, "a_hit": float(said)}, also=label)

    def _held_against(
        self, kind: str, all_: p.SetPlan, way: p.Path, some: p.SetPlan, made: Making
    ) -> Iterator[EventPlan]:
        """How many events things have against a figure of theirs: classes with as many bookings as places."""
        ops: tuple[tuple[p.CountOp, str], ...] = ((">=", "full"), (">", "over"), ("<", "free"))
        for figure in self._events.stated(kind, "number", MEASURED):
            signs = self._of_limit(figure)
            if max(signs.values()) < SAID:
                continue
            for op, cue in ops:
                against = p.WhereCount(all_, p.turned(way), op, (figure.step,), some)
                said = {**signs, f"limit_{cue}": float(cue in self._asked.limits)}
                yield made("held_against", against, said, also=figure.label.split())

    def _of_limit(self, figure: Stated) -> dict[str, float]:
        """What speaks for a figure of things that a number of events is held against."""
        return {
            "a_sim": self._asked.alike(figure.label), "a_hit": self._asked.fit(figure),
            "limit": float(not _LIMITS.isdisjoint(figure.words)),
        }  # fmt: skip

    def _left_of(self, kind: str, of_kind: p.SetPlan, some: p.SetPlan, made: Making) -> Iterator[EventPlan]:
        """A figure of things less how many events they have, or less what these come to: places less bookings, an
        invoice less its payments."""
        amount = self._events.amount(self._of.event, MEASURED)
        for figure in self._events.stated(kind, "number", MEASURED):
            signs = {**self._of_limit(figure), "fig_money": float(figure.money)}
            if max(signs.values()) < SAID:
                continue
            whole = p.Aggregate("sum", of_kind, (figure.step,))
            yield made("left", p.Arithmetic("-", whole, p.Count(some)), signs, also=figure.label.split())
            for other, of in self._of.of_figures.items():
                if other.step == amount or other.money == figure.money:
                    less = p.Aggregate("sum", some, (other.step,))
                    also = [*figure.label.split(), *other.label.split()]
                    yield made("left_sum", p.Arithmetic("-", whole, less), of, signs, also=also)
            for lines in self._of.lines:
                less = lines.worth(some)
                also = [*figure.label.split(), "price"]
                yield made("left_sum", p.Arithmetic("-", whole, less), self._of.product, signs, also=also)

    def _of_its_own(self, kind: str, of_kind: p.SetPlan, made: Making) -> Iterator[EventPlan]:
        """The figures and dates that things state themselves which events lead to."""
        for each in (*self._events.stated(kind, "number", SOME), *self._events.stated(kind, "date", SOME)):
            fit, like = self._asked.fit(each), self._asked.alike(each.label)
            signs = {"a_sim": like, "a_hit": fit, "a_figure": 1.0}
            if fit > PROPERTY or like > PROPERTY:
                yield made("attr_k", p.Values(of_kind, (each.step,)), signs, also=each.label.split())
                for how in ("mean", "sum"):
                    if each.kind == "number" and self._cues["mean" if how == "mean" else "total"]:
                        plan = p.Aggregate(how, of_kind, (each.step,))
                        yield made(how, plan, signs, also=each.label.split())
            if self._asked.by_age and not each.words.isdisjoint(_BIRTHS):
                ends, signs = [self._asked.youngest], {**signs, "by_age": 1.0}
            elif max(fit, like) > SAID:
                ends = self._asked.ends if each.kind == "date" else self._asked.sides
            else:
                ends = []
            for largest in ends:
                yield made(
                    "top_own_k",
                    p.Top(of_kind, p.Key((each.step,)), largest, self._asked.first),
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
        among, back = self._of.among(some), p.turned(way)
        for figure, of in self._of.of_figures.items():
            key = p.Key((*back, figure.step), self._of.how, among)
            form: Form = "top_k_mean" if self._of.how == "mean" else "top_k_sum"
            most = p.Top(all_, key, largest, self._asked.first)
            yield made(form, most, of, also=figure.label.split())
            plan = followed(p.Top(within, p.Key((figure.step,)), largest, self._asked.first), way)
            yield made("top_own_k", plan, of, also=figure.label.split())
            for each in (most, plan):
                yield from self._of.too.of_top(kind, each, made, of, also=figure.label.split())
        for lines in self._of.lines:
            key = p.Key((*back, lines.many), "sum", among, lines.price)
            yield made("top_k_sum", p.Top(all_, key, largest, self._asked.first), self._of.product, also=["price"])
