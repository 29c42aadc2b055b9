"""What a question asks of the things that it finds: what the first of them states, and two of what they state at once.

Kept apart from the plans that find them (`of_kind`, `of_linked`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations, islice

from clew.query import plan as p
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.event_plan import EventPlan, Signs

SOME = 0.3  # share of the things that must state something
PAIRS = 3  # of what is asked for at once

Making = Callable[..., EventPlan]
Labelled = tuple[p.Path, list[str]]


class StatedToo:
    """What is asked of things that have to do with the events of a kind."""

    def __init__(self, event: str, asked: EventQuestion) -> None:
        self._event, self._asked, self._events = event, asked, asked.scene.events
        self._pairs: dict[str, list[tuple[Labelled, Labelled]]] = {}

    def two_of(
        self, kind: str, plan: p.SetPlan, made: Making, *signs: Signs, also: Iterable[str] = ()
    ) -> Iterator[EventPlan]:
        """Two of what things state or lead to: the artist and the venue of a gig."""
        for (one, label), (other, label_too) in self._two_said(kind) if self._asked.two_asked else ():
            both = p.Or((p.Follow(plan, one), p.Follow(plan, other)))
            yield made("attr_two", both, *signs, also=[*also, *label, *label_too])

    def _two_said(self, kind: str) -> list[tuple[Labelled, Labelled]]:
        if kind not in self._pairs:
            dates = [(each.step, each.label.split()) for each in self._events.stated(kind, "date", SOME)]
            every: list[Labelled] = [((step,), label) for step, label in [*self._named_of(kind), *dates]]
            every += [
                ((link.step, step), label)
                for link in self._events.links(kind) if link.to not in (self._event, kind)
                for step, label in self._events.texts(link.to, SOME)
            ]  # fmt: skip
            words = [frozenset(word for word in label if self._asked.says((word,))) for _, label in every]
            said = [(each, of) for each, of in zip(every, words, strict=True) if of]
            two = ((one, other) for (one, of), (other, too) in combinations(said, 2) if of.isdisjoint(too))
            self._pairs[kind] = list(islice(two, PAIRS))
        return self._pairs[kind]

    def _named_of(self, kind: str) -> list[tuple[p.Step, list[str]]]:
        """The texts that things state and what they lead to, each with the words of its name."""
        links = [link for link in self._events.links(kind) if link.to != self._event]
        return [
            *self._events.texts(kind, SOME),
            *((link.step, self._asked.scene.lexicon.words_of(link.step.relation)) for link in links),
        ]

    def of_top(
        self, kind: str, plan: p.SetPlan, made: Making, *signs: Signs, also: Iterable[str] = ()
    ) -> Iterator[EventPlan]:
        """What the first or the last of some things state, or whom they lead to: the captain of the team with most."""
        own = kind == self._event  # what these lead to is asked for as such
        for step, label in self._events.texts(kind, SOME) if own else self._named_of(kind):
            if label and self._asked.says(label):
                told = {"a_sim": self._asked.alike(" ".join(label)), "a_hit": 1.0}
                yield made("attr_top", p.Follow(plan, (step,)), *signs, told, also=[*also, *label])
        for each in self._events.stated(kind, "date", SOME) if self._asked.cues["when"] else ():
            told = {"a_sim": self._asked.alike(each.label), "a_hit": self._asked.fit(each)}
            yield made("attr_top", p.Values(plan, (each.step,)), *signs, told, also=[*also, *each.label.split()])
        yield from self.two_of(kind, plan, made, *signs, also=also)
