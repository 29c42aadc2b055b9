"""The plans that a question may mean over two things, two values or two kinds of events: what both have, what one has
and the other has not, which of two has more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import product

import numpy as np

from clew.query import plan as p
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.cases import Conditions
from clew.retrieval.events.event_plan import EventPlan, Form, Signs
from clew.retrieval.events.kinds import is_act
from clew.retrieval.events.of_kind import PlansOfKind
from clew.retrieval.events.placing import DROPPED, FAR, Target
from clew.retrieval.events.scene import all_of
from clew.retrieval.joining import followed

LIKELY = 3  # conditions on one of two kinds of events
COLUMN = 0.5  # cosine of a word with a column that may be asked for
MOSTLY = 0.7  # share of the events that must state what is asked for
WITHIN = "a kind within theirs"
AMOUNTS = 0.5  # share of the events that must state what they come to
Pair = tuple[Chunk, Chunk, str]
"""Two named things of one sort, and what sort."""


class PlansOfTwo:
    """The candidates over two of something, of the events of one kind."""

    def __init__(self, of: PlansOfKind, pairs: Sequence[Pair]) -> None:
        self._of, self._pairs = of, pairs
        self._scene, self._asked, self._placing = of.scene, of.asked, of.placing
        self._events, self._cues = of.events, of.cues
        self._event, self._every, self._made = of.event, of.every, of.made

    def all(self) -> Iterator[EventPlan]:
        for a, b, sort in self._pairs:
            if (path := self._from_both(a, b, sort)) is not None:
                for case in self._of.cases:
                    yield from self._of_two(case, a, b, sort, path)
            if sort == self._event:
                yield from self._of_two_events(a, b)
        yield from self._of_two_values()

    def with_other(self, other: PlansOfTwo) -> Iterator[EventPlan]:
        """What has events of this kind and of another: a purchase and a repair."""
        ways = {each.kind: each.way for each in other._of.targets}
        for target in self._of.targets:
            if target.kind not in ways or target.kind == other._event:
                continue
            mine, theirs = (self._placing.narrowed(each._event, target.kind) for each in (self, other))
            if mine.dropped + theirs.dropped > DROPPED:
                continue
            all_, also = self._events.all(target.kind), other._of.noun.split()
            first = 0 if self._said <= other._said else 1
            for one, theirs_so in product(self._likely, other._likely):
                if one.words and not one.words.isdisjoint(theirs_so.words):
                    continue
                own = one.of(all_of([self._every, *mine.mine]), self._scene.dates())
                others = theirs_so.of(all_of([other._every, *theirs.mine]), self._scene.dates())
                if own is None or others is None:
                    continue
                sides = (followed(own, target.way), followed(others, ways[target.kind]))
                case = replace(one, words=one.words | theirs_so.words, signs={**theirs_so.signs, **one.signs})
                signs = {**mine.signs, **target.signs, "other_kind": 1.0}
                yield self._made("common", p.And((all_, *sides)), case, signs, kind=target.kind, also=also)
                yield from self._differ(sides, all_, case, signs, target.kind, also, first)
        yield from self._settled(other)

    @cached_property
    def _likely(self) -> list[Conditions]:
        """No condition, and those that the question says or states."""
        said = [each for each in self._of.cases if each.said or (each.tests and not each.sets)]
        return [Conditions(), *said[:LIKELY]]

    def _settled(self, other: PlansOfTwo) -> Iterator[EventPlan]:
        """What events of one kind come to less what those of another do: charged for lessons and paid."""
        two = (self, other)
        amounts = [each._events.amount(each._event, AMOUNTS) for each in two] if self._asked.gap else [None]
        alone = [self._placing.narrowed(each._event, "") for each in two]
        if None in amounts or not all(each.mine for each in alone) or sum(each.dropped for each in alone) > DROPPED:
            return
        sums = [
            p.Aggregate("sum", all_of([each._every, *narrowed.mine]), (amount,))
            for each, narrowed, amount in zip(two, alone, amounts, strict=True) if amount is not None
        ]  # fmt: skip
        for n, (one, less) in enumerate((sums, sums[::-1])):
            signs = {**alone[0].signs, "other_kind": 1.0, "in_order": 1.0 - n}
            yield self._made("left_sum", p.Arithmetic("-", one, less), Conditions(), signs, also=other._of.noun.split())

    def _from_both(self, a: Chunk, b: Chunk, sort: str) -> p.Path | None:
        """How two things of one sort lead to the events, if alike and not far."""
        path, other = self._placing.path(a, self._event), self._placing.path(b, self._event)
        alike = path is not None and path == other and len(path) <= FAR
        return path if alike and sort != self._event else None

    def _of_two(self, case: Conditions, a: Chunk, b: Chunk, sort: str, path: p.Path) -> Iterator[EventPlan]:
        """Which of two has more events, and what both have in common."""
        dates = self._scene.dates()
        assert a.plan is not None and b.plan is not None
        alone = self._placing.narrowed(self._event, "", (a, b))
        some = case.of(all_of([self._every, *alone.mine]), dates)
        if alone.dropped <= DROPPED and some is not None:
            signs = {**alone.signs, "k_len": len(path) / FAR}
            yield from self._more(case, (a.plan, b.plan), path, some, signs, sort)
            if not self._leads_to_one(path):
                own = [followed(plan, path) for plan in (a.plan, b.plan)]
                yield self._made("common", p.And((some, *own)), case, signs)
                yield from self._differ(own, some, case, signs, self._event)
        for target in (each for each in self._led_to if each.kind != sort):
            narrowed = self._placing.narrowed(self._event, target.kind, (a, b))
            placed = [self._placing.place(chunk, self._event) for chunk in (a, b)]
            sides = [
                side for plan, _ in placed
                if plan is not None
                and (side := case.of(all_of([self._every, plan, *narrowed.mine]), dates)) is not None
            ]  # fmt: skip
            if narrowed.dropped > DROPPED or len(sides) < 2 or sides[0] == sides[1]:
                continue
            loose = narrowed.signs["loose"] + sum(unsaid for _, unsaid in placed)
            led = [followed(side, target.way) for side in sides]
            all_ = self._all_of(target, narrowed.others)
            signs = {**narrowed.signs, **target.signs, "loose": float(loose)}
            yield self._made("common", p.And((all_, *led)), case, signs, kind=target.kind)
            yield from self._differ(led, all_, case, signs, target.kind)

    @cached_property
    def _led_to(self) -> list[Target]:
        """What may be asked for, also what a column says: customers whom only orders name."""
        columns = [
            Target("", (step,), {"a_sim": self._asked.alike(" ".join(label)), "a_hit": float(self._asked.says(label))})
            for step, label in self._events.texts(self._event, MOSTLY)
        ]
        return [*self._of.targets, *(each for each in columns if each.signs["a_hit"] or each.signs["a_sim"] > COLUMN)]

    def _all_of(self, target: Target, others: Sequence[p.SetPlan]) -> p.SetPlan:
        """All that some target may be, in some sets."""
        every = self._events.all(target.kind) if target.kind else followed(self._every, target.way)
        return all_of([every, *others])

    def _leads_to_one(self, path: p.Path) -> bool:
        """Whether each of the events is of one thing at the other end of a path, and never of two."""
        kind: str | None = self._event
        for step in p.turned(path):
            kind = next((link.to for link in self._events.links(kind or "") if link.step == step), None)
        return kind is not None

    def _of_two_values(self) -> Iterator[EventPlan]:
        """What has events with one value and events with another: firms that had a roller as well as an excavator."""
        said = [each for each in self._of.cases if each.signs.get("val_hit") and not each.tests]
        columns = [(chunk, self._column(chunk)) for chunk in self._asked.topics]
        for chunk, about in columns:
            placed = chunk.plan if about == WITHIN else self._placing.place(chunk, self._event)[0] if about else None
            if placed is not None:
                words = frozenset(self._scene.words[chunk.start : chunk.end])
                signs = {"val": 1.0, "val_hit": 1.0, "val_sim": 1.0}
                said.append(Conditions((placed,), words=words, about=about, signs=signs))
        for i, one in enumerate(said):
            for other in said[i + 1 :]:
                if one.about != other.about or one.about == "two":
                    continue
                named = [chunk for chunk, about in columns if about == one.about]
                for target in self._led_to:
                    narrowed = self._placing.narrowed(self._event, target.kind, named)
                    base = all_of([self._every, *narrowed.mine])
                    sides = [each.of(base, self._scene.dates()) for each in (one, other)]
                    if narrowed.dropped > DROPPED or sides[0] is None or sides[1] is None:
                        continue
                    both = [followed(side, target.way) for side in sides if side is not None]
                    all_ = self._all_of(target, narrowed.others)
                    case = replace(one, words=one.words | other.words)
                    signs = {**narrowed.signs, **target.signs, "two": 1.0}
                    yield self._made("common", p.And((all_, *both)), case, signs, kind=target.kind)
                    first = 0 if self._asked.place_of(one.words) <= self._asked.place_of(other.words) else 1
                    yield from self._differ(both, all_, case, signs, target.kind, (), first)

    def _column(self, chunk: Chunk) -> str:
        """The column of the events that says a named text, or that they are of kinds within theirs; "" where that is
        none, or something beyond."""
        if isinstance(chunk.plan, p.Class) and chunk.plan.id in self._scene.lexicon.finer:
            members = self._asked.executor.members
            return WITHIN if np.isin(members(chunk.plan), members(self._every)).all() else ""
        path = self._placing.path(chunk, self._event) if chunk.kind == "topic" else None
        return path[0].relation if path is not None and len(path) == 1 else ""

    def _differ(
        self, led: Sequence[p.SetPlan], all_: p.SetPlan, case: Conditions, signs: Signs, kind: str,
        also: Iterable[str] = (), first: int = 0,
    ) -> Iterator[EventPlan]:  # fmt: skip
        """What is in one of two sets and not in the other.

        Args:
            first: which of the two the question names first.
        """
        if self._cues["lacks"] or self._cues["but"]:
            for i in (0, 1):
                plan = p.Minus(p.And((all_, led[i])), led[1 - i])
                yield self._made("differ", plan, case, signs, {"in_order": float(i == first)}, kind=kind, also=also)

    def _of_two_events(self, a: Chunk, b: Chunk) -> Iterator[EventPlan]:
        """Which of two things states more of something itself."""
        assert a.plan is not None and b.plan is not None
        some = [((figure.step,), of, figure.label) for figure, of in self._of.of_figures.items()]
        sides = [(largest, path, of, label) for path, of, label in some for largest in self._asked.of_two]
        for date in self._of.dates:
            signs = {"date_said": self._asked.named(date)}
            sides += [(largest, (date.step,), signs, date.label) for largest in self._asked.ends]
        for largest, path, of, label in sides:
            plan = p.Compare(a.plan, b.plan, p.Key(path), largest)
            yield self._made("compare_own", plan, Conditions(), of, also=label.split())
        for lines in self._of.lines:
            worth = p.Key((lines.many,), beside=lines.price)
            for largest in self._asked.of_two:
                plan = p.Compare(a.plan, b.plan, worth, largest)
                yield self._made("compare_own", plan, Conditions(), self._of.product, also=["price"])
            for n, (one, other) in enumerate(((a.plan, b.plan), (b.plan, a.plan)) if self._asked.gap else ()):
                gap = p.Difference(one, other, worth)
                yield self._made("gap_own", gap, Conditions(), self._of.product, {"in_order": 1.0 - n}, also=["price"])
        dates = [((d.step,), {"date_said": self._asked.named(d)}, d.label) for d in self._of.dates]
        for path, of, label in [*some, *dates] if self._asked.gap else ():
            for n, (one, other) in enumerate(((a.plan, b.plan), (b.plan, a.plan))):
                gap = p.Difference(one, other, p.Key(path))
                yield self._made("gap_own", gap, Conditions(), of, {"in_order": 1.0 - n}, also=label.split())

    def _more(
        self, case: Conditions, two: tuple[p.SetPlan, p.SetPlan], path: p.Path, some: p.SetPlan, signs: Signs, sort: str
    ) -> Iterator[EventPlan]:
        keys: list[tuple[p.How, p.Key, Signs, Iterable[str]]] = [("count", p.Key(path, "count", some), {}, ())]
        keys += [
            (self._of.how, p.Key((*path, figure.step), self._of.how, some), of, figure.label.split())
            for figure, of in self._of.of_figures.items()
        ]
        keys += [
            ("sum", p.Key((*path, lines.many), "sum", some, lines.price), self._of.product, ("price",))
            for lines in self._of.lines
        ]
        compare: Mapping[p.How, Form] = {"count": "compare_count", "sum": "compare_sum", "mean": "compare_mean"}
        truth: Mapping[p.How, Form] = {"count": "truth_count", "sum": "truth_sum", "mean": "truth_mean"}
        gaps: Mapping[p.How, Form] = {"count": "gap_count", "sum": "gap_sum", "mean": "gap_mean"}
        for how, key, of, also in keys if self._asked.gap else ():
            for n, (one, other) in enumerate((two, two[::-1])):
                gap = p.Difference(one, other, key)
                yield self._made(gaps[how], gap, case, signs, of, {"in_order": 1.0 - n}, kind=sort, also=also)
        for largest in self._asked.of_two:
            for how, key, of, also in keys:
                plan = p.Compare(*two, key, largest)
                yield self._made(compare[how], plan, case, signs, of, kind=sort, also=also)
                if self._cues["truth"] or self._cues["than"]:
                    yield self._made(truth[how], p.Is(two[0], plan), case, signs, of, kind=sort, also=also)

    @cached_property
    def _said(self) -> int:
        """The place of the first word that speaks of the events."""
        scene, noun = self._scene, self._scene.noun(self._event)
        places = (i for i, w in enumerate(scene.words) if scene.calls(w, self._event) or is_act(w, noun))
        return next(places, len(scene.words))
