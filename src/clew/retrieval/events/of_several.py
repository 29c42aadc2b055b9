"""The plans that a question may mean over two things, two values or two kinds of events: what both have, what one has
and the other has not, which of two has more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from clew.query import plan as p
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.cases import Conditions
from clew.retrieval.events.event_plan import EventPlan, Form, Signs
from clew.retrieval.events.kinds import is_act
from clew.retrieval.events.of_kind import PlansOfKind
from clew.retrieval.events.placing import DROPPED, FAR
from clew.retrieval.events.scene import all_of
from clew.retrieval.joining import followed

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
            sides = (
                followed(all_of([self._every, *mine.mine]), target.way),
                followed(all_of([other._every, *theirs.mine]), ways[target.kind]),
            )
            all_, also = self._events.all(target.kind), other._of.noun.split()
            signs = {**mine.signs, **target.signs, "other_kind": 1.0}
            yield self._made("common", p.And((all_, *sides)), Conditions(), signs, kind=target.kind, also=also)
            first = 0 if self._said <= other._said else 1
            yield from self._differ(sides, all_, Conditions(), signs, target.kind, also, first)

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
        for target in (each for each in self._of.targets if each.kind != sort):
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
            all_ = all_of([self._events.all(target.kind), *narrowed.others])
            signs = {**narrowed.signs, **target.signs, "loose": float(loose)}
            yield self._made("common", p.And((all_, *led)), case, signs, kind=target.kind)
            yield from self._differ(led, all_, case, signs, target.kind)

    def _leads_to_one(self, path: p.Path) -> bool:
        """Whether each of the events is of one thing at the other end of a path, and never of two."""
        kind: str | None = self._event
        for step in p.turned(path):
            kind = next((link.to for link in self._events.links(kind or "") if link.step == step), None)
        return kind is not None

    def _of_two_values(self) -> Iterator[EventPlan]:
        """What has events with one value and events with another: firms that had a roller as well as an excavator."""
        said = [each for each in self._of.cases if each.signs.get("val_hit") and not each.tests]
        for i, one in enumerate(said):
            for other in said[i + 1 :]:
                if one.about != other.about or one.about == "two":
                    continue
                for target, narrowed in self._of.led:
                    base = all_of([self._every, *narrowed.mine])
                    sides = [each.of(base, self._scene.dates()) for each in (one, other)]
                    if narrowed.dropped > DROPPED or sides[0] is None or sides[1] is None:
                        continue
                    both = [followed(side, target.way) for side in sides if side is not None]
                    all_ = all_of([self._events.all(target.kind), *narrowed.others])
                    case = replace(one, words=one.words | other.words)
                    signs = {**narrowed.signs, **target.signs, "two": 1.0}
                    yield self._made("common", p.And((all_, *both)), case, signs, kind=target.kind)
                    first = 0 if self._asked.place_of(one.words) <= self._asked.place_of(other.words) else 1
                    yield from self._differ(both, all_, case, signs, target.kind, (), first)

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
            signs = {"date_said": date.named_by(self._asked.words)}
            sides += [(largest, (date.step,), signs, date.label) for largest in self._asked.ends]
        for largest, path, of, label in sides:
            plan = p.Compare(a.plan, b.plan, p.Key(path), largest)
            yield self._made("compare_own", plan, Conditions(), of, also=label.split())

    def _more(
        self, case: Conditions, two: tuple[p.SetPlan, p.SetPlan], path: p.Path, some: p.SetPlan, signs: Signs, sort: str
    ) -> Iterator[EventPlan]:
        keys: list[tuple[p.How, p.Key, Signs, Iterable[str]]] = [("count", p.Key(path, "count", some), {}, ())]
        keys += [
            (self._of.how, p.Key((*path, figure.step), self._of.how, some), of, figure.label.split())
            for figure, of in self._of.of_figures.items()
        ]
        compare: Mapping[p.How, Form] = {"count": "compare_count", "sum": "compare_sum", "mean": "compare_mean"}
        truth: Mapping[p.How, Form] = {"count": "truth_count", "sum": "truth_sum", "mean": "truth_mean"}
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
