"""The conditions that a question may put on events of a kind: how they came out, what a column says of them, two of
their figures compared, dates and numbers. Which of them is meant is not decided here (`ranking`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.asked import Filter
from clew.query.meanings import names_other_date
from clew.query.vocabulary import forms
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.came_out import said_of
from clew.retrieval.events.kinds import DUE, Stated
from clew.retrieval.events.last_time import date_of
from clew.retrieval.events.outcomes import Outcome, outcomes
from clew.retrieval.events.scene import all_of
from clew.retrieval.joining import followed

_HOW_MANY: tuple[p.CountOp, p.CountOp] = ("=", ">")
_TOLD = ("out_said", "lack_hit")
PAIRED = 0.6  # how well a value fits that is one of two conditions
LACKED = 0.35  # cosine of a word with a column that has gaps
BEYOND = 0.6  # the same as `NEAR` of a value of what events lead to
FURTHER = 0.1  # what a value fits less for each link
SOME = 0.3  # share of the events that must state a date or a number
MOST = 0.5  # the same of what events lead to, and of figures that are compared
SHORT = 3  # letters of a value that stands for a longer word
VALUES = 12  # of a column by which things of a kind fall into groups
TAKEN = 3  # values, and columns of dates, of those that fit best
NUMBERED = 2  # columns of numbers that a condition may be on
NEAR = 0.5  # cosine of a value with a word
NAMED = 0.35  # how well a word must fit a figure that is compared
EQUAL = 0.4  # the same of a number that is stated
FIGURES = 6  # of a kind of which two are compared
CASES = 6  # of one sort
PAIRS = 8  # of two or three conditions
_OF_COLUMNS = frozenset(["id", "code", "no", "number", "ref", "date", "at", "on", "by", "name"])
_ENDS = ("left", "completed", "returned")  # what is over then
_LASTS = frozenset(["longer", "nights", "night", "ran", "lasted", "week", "weeks"])


@dataclass(frozen=True, slots=True)
class Conditions:
    """Conditions on events of a kind."""

    sets: tuple[p.SetPlan, ...] = ()  # they are in all of them
    tests: tuple[p.Test, ...] = ()
    outcome: Outcome | None = None
    so: bool = True  # of an outcome: that it is so
    words: frozenset[str] = frozenset()  # that these conditions account for
    about: str = ""  # the column that they are on
    filtered: bool = False  # whether the numbers that the question states are in it
    signs: Mapping[str, float] = field(default_factory=dict)

    @property
    def open(self) -> bool:
        """Whether something has not come."""
        return self.outcome is not None and (self.outcome.what == "open") == self.so

    @property
    def said(self) -> bool:
        """Whether the question says a word of it."""
        return any(self.signs.get(name) for name in ("val_hit", *_TOLD))

    @property
    def denies(self) -> bool:
        """Whether something has not come, or is not stated."""
        return self.open or self.signs.get("lack", 0.0) > 0

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


def cases(kind: str, asked: EventQuestion, *, timed: bool = True) -> list[Conditions]:
    """The cases of a kind: without a condition beside those on dates and numbers that the question states, and with
    each that its words may mean.

    Args:
        timed: with the conditions on dates and numbers.
    """
    came, values = list(_outcomes(kind, asked)), _values(kind, asked)
    missing, there = _lacking(kind, asked, came)
    single = [*values, *_compared(kind, asked), *_apart(kind, asked), *_in_order(kind, asked), *came, *missing]
    single += there if asked.universal else []
    measured = _measured(kind, asked) if timed else [Conditions()]
    every = (Conditions(), *single, *_pairs(values, [*came, *missing, *there]))
    return [_joined(each, other) for each in every for other in ([Conditions()] if each.filtered else measured)]


def _joined(one: Conditions, other: Conditions) -> Conditions:
    return replace(one, tests=other.tests, words=one.words | other.words, signs={**other.signs, **one.signs})


def _pairs(values: Sequence[Conditions], came: Sequence[Conditions]) -> list[Conditions]:
    """Two conditions that both are said: delivered and still unpaid, dangerous and not repaired."""
    said = [each for each in values if max(each.signs["val_hit"], each.signs["val_sim"]) >= PAIRED]
    told = [each for each in map(_as_set, came) if each.outcome is None and any(each.signs.get(name) for name in _TOLD)]
    every, found = [*said, *told], list[Conditions]()
    for some in (each for n in (2, 3) for each in combinations(every, n)):
        abouts = {each.about for each in some}
        if len(abouts) not in (1, len(some)) or (len(abouts) == 1 and not all(each in said for each in some)):
            continue
        words = frozenset[str]().union(*(each.words for each in some))
        names = dict.fromkeys(name for each in reversed(some) for name in each.signs)
        signs = {name: min(each.signs[name] for each in some if name in each.signs) for name in names}
        sets = tuple(one for each in some for one in each.sets)
        if len(abouts) == 1:  # cancelled or missed
            sets, signs = (p.Or(sets),), {**signs, "either": 1.0}
        found.append(Conditions(sets, words=words, about="two", signs={**signs, "two": 1.0, "three": len(some) - 2.0}))
    return found[:PAIRS]


def _as_set(one: Conditions) -> Conditions:
    """How something came out as a set of events, where that does not depend on a date."""
    if one.outcome is None or one.outcome.what not in ("open", "flag"):
        return one
    return replace(one, sets=(*one.sets, one.outcome.so if one.so else one.outcome.not_so), outcome=None)


def _outcomes(kind: str, asked: EventQuestion) -> Iterator[Conditions]:
    """That events came out in a way of which a word is said, and that they did not."""
    for each in outcomes(asked.scene.graph):
        if each.kind != kind:
            continue
        named = asked.says(each.words)
        told = said_of(each, asked.scene.text) or ((not asked.cues["not"], 0.6) if named else None)
        if told is None and asked.now and each.what == "open" and each.done in _ENDS:
            told = True, 0.5  # a tenancy that has no end
        for so in (True, False) if told is not None else ():
            agrees, fit = told  # type: ignore[misc]
            signs = {"out": 1.0, "out_fit": fit, "out_said": float(named), "out_agrees": float(so == agrees)}
            yield Conditions(
                outcome=each, so=so, words=each.words, about=f"{each.what} {each.done}",
                signs={**signs, "out_not": float(so and asked.cues["not"])},
            )  # fmt: skip


def _lacking(kind: str, asked: EventQuestion, came: Sequence[Conditions]) -> tuple[list[Conditions], list[Conditions]]:
    """That events state nothing in a column that others have something in, and that they do."""
    known = {word for each in came if each.outcome is not None for word in each.words}
    found = list[tuple[float, tuple[Conditions, Conditions]]]()
    for step, label in asked.scene.events.partly(kind) if asked.cues["lacks"] or asked.universal else ():
        words = [word for word in label if word not in _OF_COLUMNS] or label
        hit, like = asked.says_akin(words), asked.alike(" ".join(words))
        if (hit or like > LACKED) and not known >= set(words):
            told = {"lack": 1.0, "lack_hit": float(hit), "lack_sim": like}
            all_, about = asked.scene.events.all(kind), step.relation
            missing, there = (p.WhereCount(all_, (step,), op, 0) for op in _HOW_MANY)
            two = (
                Conditions((missing,), words=frozenset(label), about=about, signs=told),
                Conditions((there,), words=frozenset(label), about=about, signs={**told, "lack": 0.0, "states": 1.0}),
            )
            found.append((max(hit, like), two))
    best = [two for _, two in sorted(found, key=lambda each: -each[0])[:TAKEN]]
    return [missing for missing, _ in best], [there for _, there in best]


def _values(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That a column of a few values says one that a word is like."""
    events, found = asked.scene.events, list[tuple[float, Conditions]]()
    paths: list[tuple[p.Path, str]] = [((), kind), *(((link.step,), link.to) for link in events.links(kind))]
    for path, owner in paths:
        for step, texts in events.values(owner, VALUES):
            for id, text in texts:
                plain = label_to_text(text).lower()
                words = re.findall(r"[a-z]+", plain)
                if not words:
                    continue
                short = text.isupper() and len(text) >= SHORT  # EMER of an emergency
                hit = float(
                    asked.says_akin(words)
                    or (short and any(w.startswith(plain) for w in asked.words))
                    or (len(words) > 1 and asked.quotes(words))
                )
                like = asked.alike(plain)
                if hit or like > (BEYOND if path else NEAR):
                    some: p.SetPlan = p.Follow(p.Entities((id,)), (p.Step(step.relation, False),))
                    some = followed(some, p.turned(path)) if path else some
                    signs = {"val": 1.0, "val_hit": hit, "val_sim": like, "val_hop": float(len(path))}
                    fit = max(hit, like) - FURTHER * len(path)
                    case = Conditions((some,), words=frozenset(words), about=step.relation, signs=signs)
                    found.append((fit, case))
    return [case for _, case in sorted(found, key=lambda each: -each[0])[:TAKEN]]


def _compared(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That one figure of a thing is below another: stock below its minimum."""
    figures = asked.scene.events.stated(kind, "number", MOST) if asked.compares else []
    fits = {each: max(asked.fit(each), asked.alike(each.label)) for each in figures}
    best, found = sorted(figures, key=lambda each: -fits[each])[:FIGURES], list[tuple[float, Conditions]]()
    for one in best:
        for other in (each for each in best if each.step != one.step and max(fits[one], fits[each]) >= NAMED):
            for op in ("<", ">"):
                test = p.Test((one.step,), op, p.Number(0), beside=p.Combined((other.step,), "-"))
                some = p.Where(asked.scene.events.all(kind), test)
                signs = {"pair": 1.0, "pair_x": fits[one], "pair_y": fits[other],
                         "pair_both": min(fits[one], fits[other]),
                         "pair_dir": float((op == "<") == asked.below)}  # fmt: skip
                words = one.words | other.words
                found.append((fits[one] + fits[other], Conditions((some,), words=words, about="pair", signs=signs)))
    return [case for _, case in sorted(found, key=lambda each: -each[0])[:CASES]]


def _apart(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That two figures of a thing are so much apart: marks of two examiners more than ten marks."""
    counts = [Filter((), op, p.Number(n)) for op, n, _ in asked.figures]
    stated = (asked.filters or counts) if asked.cues["gap"] else []
    figures, found = asked.scene.events.stated(kind, "number", MOST) if stated else [], list[tuple[float, Conditions]]()
    for one in figures:
        for other in (each for each in figures if each.step != one.step):
            fits = [max(asked.fit(each), asked.alike(each.label)) for each in (one, other)]
            for each in stated if min(fits) >= NAMED else ():
                test = of_figure(one, each, asked, beside=p.Combined((other.step,), "-"))
                some = p.Where(asked.scene.events.all(kind), test)
                signs = {"gap": 1.0, "pair_x": fits[0], "pair_y": fits[1], "gap_less": float(each.op in ("<", "<="))}
                words = one.words | other.words
                found.append((sum(fits), Conditions((some,), words=words, about="gap", filtered=True, signs=signs)))
                if each.op in (">", ">=") and one.label < other.label:
                    back = of_figure(other, each, asked, beside=p.Combined((one.step,), "-"))
                    either = p.Or((some, p.Where(asked.scene.events.all(kind), back)))
                    signs = {**signs, "gap_either": 1.0}
                    case = Conditions((either,), words=words, about="gap", filtered=True, signs=signs)
                    found.append((sum(fits), case))
    return [case for _, case in sorted(found, key=lambda each: -each[0])[:TAKEN]]


def _in_order(kind: str, asked: EventQuestion) -> list[Conditions]:
    """That a date of theirs is before or after one of what they lead to: delivered after the day of the session."""
    events, found = asked.scene.events, list[tuple[float, Conditions]]()
    own = [each for each in events.stated(kind, "date") if each.share >= SOME] if asked.in_order else []
    beyond = [
        ((link.step, each.step), each, link.to)
        for link in (events.links(kind) if own else ()) if link.to != kind
        for each in events.stated(link.to, "date") if each.share >= SOME
    ]  # fmt: skip
    for one in own:
        for path, other, to in beyond:
            fits = [max(asked.fit(each), asked.alike(each.label)) for each in (one, other)]
            if max(fits) < NAMED:
                continue
            for op in ("<", ">"):
                test = p.Test((one.step,), op, p.Number(0), beside=p.Since(path, "days"))
                signs = {"order": 1.0, "order_x": fits[0], "order_y": fits[1], "order_after": float(op == ">"),
                         "order_to": asked.alike(events.kinds()[to].lower())}  # fmt: skip
                words = one.words | other.words
                some = p.Where(events.all(kind), test)
                found.append((sum(fits), Conditions((some,), words=words, about="order", signs=signs)))
    return [case for _, case in sorted(found, key=lambda each: -each[0])[:CASES]]


def _measured(kind: str, asked: EventQuestion) -> list[Conditions]:
    """The conditions on dates and numbers that the question states, on each column that they may be on; none where a
    kind states nothing of the sort."""
    found = [Conditions()]
    if asked.scene.dates():
        found = _dated(kind, asked)
    plain = found if asked.filters else []  # where the number is held against all that something comes to
    for each in asked.filters:
        figures = asked.scene.events.stated(kind, "number", SOME)
        best = sorted(figures, key=lambda figure, words=each.words: -figure.named_by(words))[:NUMBERED]  # type: ignore[misc]
        found = [
            Conditions(
                tests=(*case.tests, of_figure(figure, each, asked)),
                words=case.words | figure.words,
                signs={**case.signs, "filter_named": figure.named_by(each.words),
                       "filter_sim": asked.alike(figure.label)},
            )
            for case in found for figure in best
        ]  # fmt: skip
    for op, n, words in asked.figures:
        figures = sorted(asked.scene.events.stated(kind, "number", SOME), key=lambda each: -each.named_by(words))[:1]
        for figure in figures if figures and figures[0].named_by(words) >= EQUAL else ():
            found += [
                replace(
                    case, tests=(*case.tests, p.Test((figure.step,), op, p.Number(n))), words=case.words | figure.words,
                    signs={**case.signs, "held": figure.named_by(words)},
                )
                for case in found
            ]  # fmt: skip
    return [*found[:CASES], *plain, *[*_equal(kind, asked), *_lasting(kind, asked)][:CASES]]


def of_figure(
    figure: Stated, stated: Filter, asked: EventQuestion, path: p.Path = (), *, beside: p.Beside | None = None,
    how: p.Tested = "value", among: p.SetPlan | None = None,
) -> p.Test:  # fmt: skip
    """The condition that a question states, on a figure at the end of a path."""
    value, upper = (
        asked.stated(each, figure) if isinstance(each, p.Number) else each for each in (stated.value, stated.upper)
    )
    assert value is not None
    return p.Test((*path, figure.step), stated.op, value, upper, beside, how, among)


def _dated(kind: str, asked: EventQuestion) -> list[Conditions]:
    events, main = asked.scene.events, date_of(kind, asked.scene.events)
    columns: list[tuple[p.Path, Stated]] = [
        ((each.step,), each) for each in events.stated(kind, "date") if each.share >= SOME
    ]
    for link in events.links(kind):
        columns += [((link.step, each.step), each) for each in events.stated(link.to, "date") if each.share >= MOST]
    columns = [each for each in columns if not names_other_date(tuple(asked.words), each[1].label)]  # of another date
    columns.sort(key=lambda each: (-asked.named(each[1]), len(each[0]), each[1].step != main))
    return [
        Conditions(
            tests=tuple(p.Test(path, op, date) for op, date, _ in asked.scene.dates()),
            words=each.words,
            signs={"date_named": asked.named(each), "date_main": float(each.step == main),
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
                due = not one.words.isdisjoint(DUE)
                if one.step != other.step and (due or events.before(kind, one.step, other.step)):
                    test = p.Test((other.step,), op, p.Number(days), beside=p.Since((one.step,), "days"))
                    said = min(asked.named(one), asked.named(other))
                    signs = {"lasts": 1.0, "lasts_said": said, "lasts_due": float(due)}
                    yield Conditions(tests=(test,), words=_LASTS, signs=signs)


def told_by(case: Conditions, words: frozenset[str]) -> set[str]:
    """The forms of the words that a case and others account for."""
    return {form for word in case.words | words for form in forms(word)} | set(words)
