"""What is asked of the events that a question tells: how many there were, what they come to, the mean of a figure, of
whom or of what they are: "what do the catering expenses on The Salt Road come to", "how many orders of February were
paid by PayPal", "where did the Harbour Lights unit film on 24 April".

Kept apart from `composing`, which joins what a question names by the words between: here everything that is named is
placed by how kinds are linked, and all that a question says of dates and figures is a condition on the events.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np

from clew.query import plan as p
from clew.query.asked import Filter
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.question import read_question
from clew.query.vocabulary import forms
from clew.retrieval.events.kinds import Stated
from clew.retrieval.events.last_time import date_meant
from clew.retrieval.events.outcomes import done_by, outcomes
from clew.retrieval.events.scene import Scene, only_best
from clew.retrieval.joining import followed
from clew.types import Question

SURE = 0.86  # of a sum or a count that accounts for the whole question
LIKELY = 0.6  # of a list, and of what leaves out a word
LEFT_OUT = 1  # words that a plan may leave out
MOST = 0.7  # share of the events that must state a figure
NAMED = 0.55  # how well a word must fit a figure to name it
_SUM = re.compile(
    r"\b(?:totals?|in total|altogether|in all|overall|adds? up to|add(?:s|ed)? up|comes? to|came to|amounts? to|sum"
    r"|combined|spend|spent"
    r"|how much .*\b(?:paid|pay|spent|spend|raised|earned|donated|gave|given|claimed|charged|taken|made))\b"
)
_MEAN = re.compile(r"\b(?:on average|in average|average|avg|mean|typically)\b")
_COUNT = re.compile(
    r"^(?:and )?(?:(?:the )?(?:total )?number of|count(?: of)?)\b|\bhow (?:many|often)\b|\b(?:what|total) number of\b"
    r"|\bcount$"
)
_DATED = re.compile(r"\d{4}|\b(?:over|under|above|below|than)\b")
_OFTEN = re.compile(r"\bhow (?:often|many times)\b")
_NUMBER_OF = re.compile(r"\bnumber of ([a-z]+)")
_HOW_MANY = re.compile(r"\bhow many ([a-z]+)")
_HOURS = re.compile(r"\bhow (?:much time|many (?:hours|minutes|days|nights))\b")
_DONE = re.compile(r"\b(?:paid|received|settled|returned|delivered|completed|finished|collected)\b")
_UNREAD = re.compile(
    r"\b(?:most|highest|largest|biggest|best|lowest|fewest|least|cheapest|dearest|longest|shortest|first|last|latest"
    r"|earliest|oldest|newest|not|never|no|without|neither|nor|except|other than|both|why|per|percentage"
    r"|than (?!\d|an?\b)|also|too|each|every|if|still|yet|outstanding|unpaid|open|owed?|owes|compared|versus|vs"
    r"|difference)\b|n't\b"
)
_LISTS = re.compile(r"\b(?:which|who|whose|where|what)\b")
_ASKED = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had|can|when|how)\b")
_ASKS = """
how much many total totals altogether overall sum combined worth spend spent cost average avg mean typically number
count often hours minutes time money far date paid received settled come bill pounds euros adding everybody
"""
_SAID = frozenset(_ASKS.split())
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)?|\d+[.,]\d+")


def of_events(question: Question, scene: Callable[[], Scene]) -> list[Proposal]:
    """The plan for what is asked of some events; none for a question of another form."""
    text = question.text.lower()
    if not any(cue.search(text) for cue in (_SUM, _MEAN, _COUNT, _HOURS, _DATED)):
        return []
    return only_best(_Reader(question, scene()).made())


class _Reader:
    def __init__(self, question: Question, scene: Scene) -> None:
        self._graph, self._scene = scene.graph, scene
        self._text = self._scene.clause
        self._read = read_question(question.text)
        self._counts = _COUNT.search(self._text) is not None and not _HOURS.search(self._text)
        self._means = _MEAN.search(self._scene.text) is not None
        self._forms = {form for word in scene.words for form in (word, *forms(word))}
        self._sums = _SUM.search(self._text) is not None or _HOURS.search(self._text) is not None

    def made(self) -> Iterator[tuple[float, float, p.Plan]]:
        """The plans that a question may mean, each with how much of it speaks of its events, and how likely it is."""
        scene, dated = self._scene, self._scene.dates()
        if scene.half_dated():
            return
        if not dated and any(isinstance(each.value, p.Date) for each in self._read.filters):
            return
        figures = [c for c in scene.named if all(map(str.isdigit, scene.words[c.start : c.end]))]
        if figures or not (scene.topics or self._read.filters or dated):
            return
        for event in scene.events.kinds():
            kind = scene.asked(event)
            narrowed = scene.narrowed(scene.events.all(event), (event, kind if kind != event else ""))
            people = event in scene.events.people()
            if narrowed is None or scene.names(event) or (people and not self._means) or self._unread(event):
                continue
            loose = scene.loose
            tested = self._tested(narrowed[0], event)
            if tested is None:
                continue
            some, used = tested
            said = scene.spoken_of(event) + 2 * self._said_of(event)
            tests = bool(used)
            for plan, words, sure in self._wanted(self._done(some, event), narrowed[1], event, kind, listed=tests):
                places = {i for _, _, at in dated for i in at}
                left = [word for word in scene.left(places, (event, kind), used | words) if word not in _SAID]
                left = [word for word in left if not _ORDINAL.fullmatch(word)]
                told = said or (isinstance(plan, p.Aggregate) and words and words <= self._forms)
                if len(left) <= LEFT_OUT * isinstance(plan, p.Aggregate) and (told or (tests and not loose)):
                    yield said + tests + (kind == event), (LIKELY if left or loose else sure), plan

    def _unread(self, event: str) -> bool:
        """Whether it says what is not read here; "per batch" and "each batch" say nothing of the mean of batches."""
        text = self._text
        if self._means:
            text = re.sub(rf"\b(?:for )?(?:each|every|per) {re.escape(self._scene.noun(event))}\b", "", text)
        return _UNREAD.search(text) is not None

    def _tested(self, some: p.SetPlan, event: str) -> tuple[p.SetPlan, set[str]] | None:
        """The events that meet all conditions on dates and figures, and what these are called; None where one of them
        is on nothing that the events state."""
        used, when = set[str](), date_meant(self._scene, event)
        tests: list[tuple[Stated | None, p.Op, p.Value, p.Value | None]] = [
            (when, op, date, None) for op, date, _ in self._scene.dates()
        ]
        filters = [each for each in self._read.filters if not isinstance(each.value, p.Date)]
        tests += [(self._of_filter(each, event), each.op, each.value, each.upper) for each in filters]
        for stated, op, value, upper in tests:
            if stated is None:
                return None
            used |= stated.words
            some = p.Where(some, p.Test((stated.step,), op, value, upper))
        return some, used

    def _of_filter(self, each: Filter, event: str) -> Stated | None:
        """The date or the figure of events that a condition is on."""
        if not isinstance(each.value, p.Number) or each.of_count:
            return None
        figures = self._scene.events.stated(event, "number", MOST)
        named = [one for one in figures if one.named_by(each.words) >= NAMED]
        return named[0] if len(named) == 1 else None

    def _said_of(self, event: str) -> bool:
        """Whether something is named that only these events are: those for catering."""
        mine = self._scene.events.members(event)
        return any(
            c.kind == "class" and c.plan is not None and np.isin(execute(c.plan, self._graph).members, mine).all()
            for c in self._scene.named
        )

    def _done(self, some: p.SetPlan, event: str) -> p.SetPlan:
        """Of payments that "have been paid so far" those that were."""
        match = _DONE.search(self._text)
        if match is None or not self._sums:
            return some
        for each in outcomes(self._graph):
            done = done_by(match.group(0))
            if (
                each.kind == event
                and each.what == "open"
                and each.done in (done, "paid" if done == "delivered" else done)
            ):
                return p.And((some, each.not_so))
        return some

    def _wanted(
        self, some: p.SetPlan, others: list[p.SetPlan], event: str, kind: str, *, listed: bool
    ) -> Iterator[tuple[p.Plan, frozenset[str], float]]:
        scene = self._scene
        counted = _HOW_MANY.search(self._text)
        figures = counted is not None and self._is_figure(counted[1], event)
        if (self._sums or self._means) and (not self._counts or figures):
            if self._means and (match := _NUMBER_OF.search(self._text)) and not self._is_figure(match[1], event):
                return  # a mean of counts
            if not others and (figure := self._figure(event)) is not None and scene.finds(some):
                how: p.Summary = "mean" if self._means else "sum"
                yield p.Aggregate(how, some, (figure.step,)), figure.words, SURE
            return
        ways = scene.ways(event, kind) if kind and kind != event else []
        of_kind = p.And((scene.events.all(kind), *others, followed(some, ways[0]))) if len(ways) == 1 else None
        if self._counts and not figures:
            if scene.events.by_verb(event):
                return
            if (kind == event and scene.spoken_of(event) >= 4) or _OFTEN.search(self._text):
                if not others and scene.finds(some):
                    yield p.Count(some), frozenset(), SURE
            elif of_kind is not None and any(c.plan == p.Class(kind) and c.fit >= SURE for c in scene.classes):
                yield p.Count(of_kind), frozenset(), LIKELY
        elif listed and self._lists(kind):
            found = of_kind if of_kind is not None else some if kind == event and not others else None
            if found is not None and scene.finds(found):
                yield found, frozenset(), LIKELY

    def _lists(self, kind: str) -> bool:
        """Whether things of a kind are asked for, and not something of them."""
        if re.match(r"(?:who|whose|where)\b", self._text):
            return True
        named = any(c.plan == p.Class(kind) and c.fit >= SURE for c in self._scene.classes)
        return named and (_LISTS.search(self._text) is not None or not _ASKED.search(self._text))

    def _is_figure(self, word: str, event: str) -> bool:
        return any(
            forms(word) & forms(part) for each in self._scene.events.stated(event, "number") for part in each.words
        )

    def _figure(self, event: str) -> Stated | None:
        """The figure of events that is added up or averaged: the one that is named, else what they come to."""
        figures = self._scene.events.stated(event, "number", MOST)
        others = [c for c in self._scene.classes if c.plan != p.Class(event)]
        inside = {i for c in (*self._scene.topics, *others) for i in range(c.start, c.end)}  # "Band 5" is no figure
        free = [word for i, word in enumerate(self._scene.words) if i not in inside]
        words = [word for word in free if word not in _SAID or word in ("hours", "minutes", "cost")]
        fits = {each: each.said_by(words) for each in figures}
        best = max(fits.values(), default=0.0)
        named = [each for each, fit in fits.items() if fit == best >= NAMED]
        amount = self._scene.events.amount(event, MOST)
        if len(named) == 1 and not (named[0].money and amount and not self._means):
            return named[0]
        return next((each for each in figures if each.step == amount), None) if not self._means else None
