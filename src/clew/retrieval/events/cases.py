"""The conditions that a question may put on events of a kind: how they came out, what a column says of them, two of
their figures compared, dates and numbers. Which of them is meant is not decided here (`ranking`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from clew.query import plan as p
from clew.query.meanings import names_other_date
from clew.query.vocabulary import forms
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.came_out import said_of
from clew.retrieval.events.kinds import Stated
from clew.retrieval.events.last_time import date_of
from clew.retrieval.events.outcomes import Outcome, outcomes
from clew.retrieval.events.scene import all_of

SOME = 0.3  # share of the events that must state a date or a number
MOST = 0.5  # the same of what events lead to, and of figures that are compared
VALUES = 12  # of a column by which things of a kind fall into groups
TAKEN = 3  # values, and columns of dates, of those that fit best
NUMBERED = 2  # columns of numbers that a condition may be on
NEAR = 0.5  # cosine of a value with a word
NAMED = 0.35  # how well a word must fit a figure that is compared
EQUAL = 0.4  # the same of a number that is stated
FIGURES = 6  # of a kind of which two are compared
CASES = 6  # of one sort
_LASTS = frozenset(["longer", "nights", "night", "ran", "lasted", "week", "weeks"])


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on events of a kind."""

    sets: tuple[p.SetPlan, ...] = ()  # they are in all of them
    tests: tuple[p.Test, ...] = ()
    outcome: Outcome | None = None
    so: bool = True  # of an outcome: that it is so
    words: frozenset[str] = frozenset()  # that these conditions account for
    signs: Mapping[str, float] = field(default_factory=dict)

    def of(self, some: p.SetPlan, dates: list[tuple[p.Op, p.Date, set[int]]]) -> p.SetPlan | None:
        """The events among some that meet them; None where that takes a date that is not said."""
        some = all_of([some, *self.sets])
        if self.outcome is not None and self.outcome.steps:
            return self.outcome.at(some, dates[0][1], so=self.so) if len(dates) == 1 else None
        if self.outcome is not None:
            some = p.And((some, self.outcome.so if self.so else self.outcome.not_so))
        for test in self.tests:
            some = p.Where(some, test)
        return some


def cases(kind: str, asked: EventQuestion) -> list[Conditions]:
    """The cases of a kind: without a condition beside those on dates and numbers that the question states, and with
    each that its words may mean."""
    came = [Conditions(), *_outcomes(kind, asked)]
    others = [*_values(kind, asked), *_compared(kind, asked)]
    return [_joined(each, timed) for each in (came[0], *others, *came[1:]) for timed in _measured(kind, asked)]


def _joined(one: Conditions, other: Conditions) -> Conditions:
    return replace(one, tests=other.tests, words=one.words | other.words, signs={**other.signs, **one.signs})


def _outcomes(kind: str, asked: EventQuestion) -> Iterator[Conditions]:
    """That events came out in a way of which a word is said, and that they did not."""
    for each in outcomes(asked.scene.graph):
        if each.kind != kind:
            continue
        named = asked.says(each.words)
        told = said_of(each, asked.scene.text) or ((not asked.cues["not"], 0.6) if named else None)
        for so in (True, False) if told is not None else ():
            agrees, fit = told  # type: ignore[misc]
            signs = {"out": 1.0, "out_fit": fit, "out_said": float(named), "out_agrees": float(so == agrees)}
            yield Conditions(
                outcome=each, so=so, words=each.words, signs={**signs, "out_not": float(so and asked.cues["not"])}
            )


def _values(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That a column of a few values says one that a word is like."""
    events, found = asked.scene.events, list[tuple[float, Conditions]]()
    for step, texts in events.values(kind, VALUES):
        for id, text in texts:
            words = re.findall(r"[a-z]+", text.lower())
            if not words:
                continue
            hit, like = float(asked.says_akin(words)), asked.alike(text.lower())
            if hit or like > NEAR:
                some = p.Follow(p.Entities((id,)), (p.Step(step.relation, False),))
                signs = {"val": 1.0, "val_hit": hit, "val_sim": like}
                found.append((max(hit, like), Conditions((some,), words=frozenset(words), signs=signs)))
    return [case for _, case in sorted(found, key=lambda each: -each[0])[:TAKEN]]


def _compared(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That one figure of a thing is below another: stock below its minimum."""
    figures = asked.scene.events.stated(kind, "number", MOST)
    if not asked.compares or len(figures) > FIGURES:
        return []
    fits = {each: max(asked.fit(each), asked.alike(each.label)) for each in figures}
    named, found = [each for each in figures if fits[each] >= NAMED], list[Conditions]()
    for one in named:
        for other in (each for each in named if each.step != one.step):
            for op in ("<", ">"):
                test = p.Test((one.step,), op, p.Number(0), beside=p.Combined((other.step,), "-"))
                some = p.Where(asked.scene.events.all(kind), test)
                signs = {"pair": 1.0, "pair_x": fits[one], "pair_y": fits[other],
                         "pair_dir": float((op == "<") == asked.below)}  # fmt: skip
                found.append(Conditions((some,), words=one.words | other.words, signs=signs))
    return found[:CASES]


def _measured(kind: str, asked: EventQuestion) -> list[Conditions]:
    """The conditions on dates and numbers that the question states, on each column that they may be on; none where a
    kind states nothing of the sort."""
    found = [Conditions()]
    if asked.scene.dates():
        found = _dated(kind, asked)
    for each in asked.filters:
        figures = asked.scene.events.stated(kind, "number", 0.7)
        best = sorted(figures, key=lambda figure, words=each.words: -figure.named_by(words))[:NUMBERED]  # type: ignore[misc]
        found = [
            Conditions(
                tests=(*case.tests, p.Test((figure.step,), each.op, each.value, each.upper)),
                words=case.words | figure.words,
                signs={**case.signs, "filter_named": figure.named_by(each.words),
                       "filter_sim": asked.alike(figure.label)},
            )
            for case in found for figure in best
        ]  # fmt: skip
    return [*found[:CASES], *[*_equal(kind, asked), *_lasting(kind, asked)][:CASES]]


def _dated(kind: str, asked: EventQuestion) -> list[Conditions]:
    events, main = asked.scene.events, date_of(kind, asked.scene.events)
    columns: list[tuple[p.Path, Stated]] = [
        ((each.step,), each) for each in events.stated(kind, "date") if each.share >= SOME
    ]
    for link in events.links(kind):
        columns += [((link.step, each.step), each) for each in events.stated(link.to, "date") if each.share >= MOST]
    columns = [each for each in columns if not names_other_date(tuple(asked.words), each[1].label)]  # of another date
    columns.sort(key=lambda each: (-each[1].named_by(asked.words), len(each[0]), each[1].step != main))
    return [
        Conditions(
            tests=tuple(p.Test(path, op, date) for op, date, _ in asked.scene.dates()),
            words=each.words,
            signs={"date_named": each.named_by(asked.words), "date_main": float(each.step == main),
                   "date_hop": float(len(path) > 1)},
        )
        for path, each in columns[:TAKEN]
    ]  # fmt: skip


def _equal(kind: str, asked: EventQuestion) -> Iterator[Conditions]:
    """That a figure is a number that stands beside a word for it: two bedrooms."""
    for place, number in asked.numbers if not asked.filters else ():
        words = asked.near(place)
        for each in asked.scene.events.stated(kind, "number", SOME) if words else ():
            fit, like = each.named_by(words), max(asked.cosine(word, each.label) for word in words)
            if max(fit, like) > EQUAL:
                test = p.Test((each.step,), "=", p.Number(number))
                signs = {"eq": 1.0, "eq_fit": fit, "eq_sim": like}
                yield Conditions(tests=(test,), words=each.words | set(words), signs=signs)


def _lasting(kind: str, asked: EventQuestion) -> Iterator[Conditions]:
    """That events lasted so many days."""
    events = asked.scene.events
    dates = [each for each in events.stated(kind, "date") if each.share >= SOME] if asked.lasting else []
    for op, days in asked.lasting:
        for one in dates:
            for other in dates:
                if events.middle(kind, one.step) < events.middle(kind, other.step):
                    test = p.Test((other.step,), op, p.Number(days), beside=p.Since((one.step,), "days"))
                    yield Conditions(tests=(test,), words=_LASTS, signs={"lasts": 1.0})


def told_by(case: Conditions, words: frozenset[str]) -> set[str]:
    """The forms of the words that a case and others account for."""
    return {form for word in case.words | words for form in forms(word)} | set(words)
