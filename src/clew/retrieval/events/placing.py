"""Where what a question names belongs among the kinds of a graph, and which kinds it may ask for.

Kept apart from the plans that are made of it (`of_kind`, `of_several`): here nothing is asked of events yet.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clew.errors import ClewError
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.vocabulary import akin, forms, stem
from clew.retrieval.chunks import Chunk
from clew.retrieval.events.asked import EventQuestion
from clew.retrieval.events.cases import Conditions, cases
from clew.retrieval.events.event_plan import Signs
from clew.retrieval.events.kinds import EDGES, Link
from clew.retrieval.events.scene import PLACES
from clew.retrieval.joining import followed
from clew.retrieval.words import FUNCTION

DROPPED = 1  # named things that a plan may leave out
FAR = 3  # steps from one of two things to their events
MANY = 9  # links, where there are none
WAYS = 3  # from events to things of a kind
MEANT = 0.38  # cosine of a word with the kind that is asked for
OWN = 2  # conditions on things that are asked for
OF_NAME = 2  # how much a word of its name speaks of a kind
BEFORE = 4  # words before what is named that may leave it out
_EXCLUDING = re.compile(
    r"\b(?:leaving out|left out|excl|excluding|not counting|not including|except(?: for)?|other than|apart from"
    r"|ignoring|but not|aside from|without counting|disregarding|omitting|minus|not)"
    r"(?: (?:the|any|all|those|ones?|of|for|that|were|was|are|is|yet))*$"
)
_RECORDS = frozenset("log logs record records entry entries list sheet register book detail details history".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What the named things leave of events, and of what is asked for."""

    mine: list[p.SetPlan]
    others: list[p.SetPlan]
    signs: Signs
    dropped: int


@dataclass(frozen=True, slots=True)
class Target:
    """A kind that may be asked for, and how events lead to it."""

    kind: str
    way: p.Path
    signs: Signs


def _way(plan: p.SetPlan) -> p.Path:
    """The path from a named thing to what leads to it; () of other plans."""
    if isinstance(plan, p.Follow):
        return (*before, *plan.path) if (before := _way(plan.of)) or isinstance(plan.of, p.Entities) else ()
    return ()


class Placing:
    def __init__(self, asked: EventQuestion) -> None:
        self._asked, self._scene = asked, asked.scene
        self._events, self._cues = asked.scene.events, asked.cues
        self._kinds = self._events.kinds()
        self._own: dict[str, list[Conditions]] = {}
        self._spoken_of: dict[str, int] = {}
        self._of_chunk: dict[int, list[str]] = {}
        self._far: dict[tuple[int, str], int] = {}
        self._placed: dict[tuple[int, str], tuple[p.SetPlan | None, bool]] = {}

    @cached_property
    def most_alike(self) -> float:
        """The largest cosine of a word with the name of a kind."""
        return max((self._asked.alike(name.lower()) for name in self._kinds.values()), default=0.0)

    @cached_property
    def most_spoken_of(self) -> int:
        return max(map(self.spoken_of, self._kinds), default=0)

    def spoken_of(self, event: str) -> int:
        """How much the words speak of a kind, as `Scene` says it, also by another word for it or by one of its name:
        "feedings" of a feed log."""
        if event not in self._spoken_of:
            self._spoken_of[event] = self._said_of(event)
        return self._spoken_of[event]

    def _said_of(self, event: str) -> int:
        found, name = self._scene.spoken_of(event), self._kinds[event].lower().split()
        if found < OF_NAME and any(c.plan == p.Class(event) for c in self._scene.classes):
            return OF_NAME
        if found < OF_NAME and any(akin(part, w) or forms(part) & forms(w) for part in name for w in self._asked.words):
            return OF_NAME if len(name) == 1 or name[-1] in _RECORDS else 1
        return found

    # -- what is named -----------------------------------------------------------------------------------------------

    def pairs(self) -> list[tuple[Chunk, Chunk, str]]:
        """Each two named things of one sort, with their kind."""
        named = [(c, self._sorts(c)) for c in self._asked.topics if c.kind == "topic"]
        two = [(a, b, [sort for sort in sorts if sort in others])
               for i, (a, sorts) in enumerate(named) for b, others in named[i + 1 :]]  # fmt: skip
        return [(a, b, shared[0]) for a, b, shared in two if shared]

    def _sorts(self, chunk: Chunk) -> list[str]:
        """The kinds of what is named, or of a text what it is said by."""
        if chunk.start not in self._of_chunk:
            assert chunk.plan is not None
            members = self._asked.executor.members(chunk.plan)
            self._of_chunk[chunk.start] = self._events.kinds_of(members) or self._column(members)
        return self._of_chunk[chunk.start]

    def _column(self, texts: Ints) -> list[str]:
        graph = self._scene.graph
        if not len(texts) or not graph.literals_at(texts).all():
            return []
        first, inc = int(texts[0]), graph.whole.inc
        return [f"={inc.relations[inc.offsets[first]]}"] if inc.offsets[first + 1] > inc.offsets[first] else []

    def place(self, chunk: Chunk, kind: str) -> tuple[p.SetPlan | None, bool]:
        """What a named set leaves of the things of a kind, and whether no word says by which link."""
        key = (chunk.start, kind)
        if key not in self._placed:
            assert chunk.plan is not None
            self._scene.loose = False
            try:
                placed = self._scene.placed(self._among(chunk.plan, kind), kind)
                if placed is None and (text := self._as_text(chunk.plan)) is not None:
                    placed = self._scene.placed(text, kind)
                if placed is None and (path := self._beyond(chunk.plan, kind)) is not None:
                    placed = kind, followed(chunk.plan, p.turned(path))
            except ClewError:
                placed = None
            self._placed[key] = None if placed is None else placed[1], self._scene.loose
        return self._placed[key]

    def _among(self, named: p.SetPlan, kind: str) -> p.SetPlan:
        """Of what a column of several kinds says, those of one: products of the category "plant", and no suppliers."""
        if not isinstance(named, p.Follow) or not kind:
            return named
        mine = held(self._asked.executor.members(named), self._events.members(kind))
        return p.And((self._events.all(kind), named)) if mine.any() and not mine.all() else named

    def _left_out(self, chunk: Chunk) -> bool:
        """Whether what is named is to be left out: "leaving out cancelled ones", "not counting drafts"."""
        before = " ".join(self._scene.words[max(0, chunk.start - BEFORE) : chunk.start])
        return _EXCLUDING.search(before) is not None

    def _behind_or(self, chunk: Chunk) -> bool:
        """Whether what is named is one of two, with nothing but "or" between them."""
        words, ends = self._scene.words, {c.end for c in self._asked.topics}
        return chunk.start > 0 and words[chunk.start - 1] == "or" and chunk.start - 1 in ends

    def _as_text(self, named: p.SetPlan) -> p.SetPlan | None:
        """The texts that say the name of one thing: a column of places of which some are vehicles."""
        graph, members = self._scene.graph, self._asked.executor.members(named)
        if len(members) != 1 or graph.literals_at(members).any():
            return None
        number = graph.number_of(f'"{graph.labels_at(members)[0]}"')
        return None if number is None else p.Entities((graph.ids_at([number])[0],))

    def _steps(self, chunk: Chunk, kind: str) -> int:
        """How many links there are from things of a kind to what is named; many where there are none."""
        if (chunk.start, kind) not in self._far:
            assert chunk.plan is not None
            own = kind in self._sorts(chunk)
            path = None if own else self._scene.path(chunk.plan, kind)
            self._far[chunk.start, kind] = 0 if own else MANY if path is None else len(path)
        return self._far[chunk.start, kind]

    def path(self, chunk: Chunk, kind: str) -> p.Path | None:
        """How a named set leads to things of a kind; of several ways that by a kind which the question names."""
        assert chunk.plan is not None
        if (path := self._scene.path(chunk.plan, kind)) is not None:
            return path
        found = self._beyond(chunk.plan, kind)
        return None if found is None else p.turned(found)

    def _beyond(self, named: p.SetPlan, kind: str) -> p.Path | None:
        """The links, one or two, from things of a kind to what states a named value: cuppings of Kenyan coffee."""
        members, found = self._asked.executor.members(named), list[tuple[tuple[str, ...], p.Path]]()
        text = self._scene.question.text.lower()
        if not any(label.lower() in text for label in self._scene.graph.labels_at(members)):
            return None  # named by a part alone
        for first in self._events.links(kind):
            if (path := self._scene.touching(first.to, members)) is not None:
                found.append(((first.to,), (first.step, *path)))
            for then in self._events.links(first.to):
                path = self._scene.touching(then.to, members) if then.to not in (kind, first.to) else None
                if path is not None:
                    found.append(((first.to, then.to), (first.step, then.step, *path)))
        said = {c.plan.id for c in self._scene.classes if isinstance(c.plan, p.Class)}
        near = [path for kinds, path in found if said & set(kinds)] or [path for _, path in found]
        self._scene.loose = True
        return near[0] if len(near) == 1 else None

    def narrowed(self, event: str, kind: str, but: Sequence[Chunk] = ()) -> Narrowed:
        mine, others, dropped, loose, either = list[p.SetPlan](), list[p.SetPlan](), 0, 0, 0.0
        for chunk in (c for c in self._asked.topics if c not in but):
            both = ((event, mine), (kind, others)) if kind else ((event, mine),)
            # Members of full status, suppliers who are active.
            least = -1 if kind and not isinstance(chunk.plan, p.Entities) else 0
            nearer = kind and least < self._steps(chunk, kind) < self._steps(chunk, event)
            for of, sets in both[::-1] if nearer else both:
                plan, unsaid = self.place(chunk, of)
                if plan is not None:
                    plan = p.Minus(self._events.all(of), plan) if self._left_out(chunk) else plan
                    beside = self._beside(plan, sets, behind_or=self._behind_or(chunk))
                    if beside is None:
                        sets.append(plan)
                    else:
                        sets[beside] = p.Or((sets[beside], plan))
                        either = 1.0
                    loose += unsaid
                    break
            else:
                dropped += 1
        signs = {"dropped": float(dropped), "loose": float(loose), "either": either}
        return Narrowed(mine, others, signs, dropped)

    def _beside(self, plan: p.SetPlan, sets: Sequence[p.SetPlan], *, behind_or: bool) -> int | None:
        """Which of some sets a further one is an alternative to: what "or" stands between, and two values of a column
        that says one of each thing ("AM and PM"); None where it is a condition like the others."""
        if sets and behind_or:
            return len(sets) - 1
        if self._cues["truth"]:
            return None  # "did A beat B" is of both
        members = self._asked.executor.members
        for n, other in enumerate(sets):
            first = other.sets[0] if isinstance(other, p.Or) else other
            if (
                plan != first
                and _way(plan)
                and _way(plan) == _way(first)
                and not np.isin(members(plan), members(other)).any()
            ):
                return n
        return None

    def own(self, kind: str) -> list[Conditions]:
        """The conditions on things of a kind that are asked for, beside those on their events."""
        if kind not in self._own:
            every = cases(kind, self._asked, timed=False)
            said = [each for each in every if each.said]
            two = [each for each in said if each.about == "two"]
            self._own[kind] = [Conditions(), *[each for each in said if each not in two][:OWN], *two[:OWN]]
        return self._own[kind]

    # -- what is asked for -------------------------------------------------------------------------------------------

    def _says(self, link: Link) -> bool:
        label = self._scene.lexicon.words_of(link.step.relation)
        return self._asked.says(word for word in label if word not in FUNCTION)

    def targets(self, event: str) -> Iterator[Target]:
        """The kinds that may be asked for, with each way that leads there."""
        scene, events, cues = self._scene, self._events, self._cues
        asked, people = scene.asked(event), events.people()
        said = {c.plan.id: c for c in reversed(scene.classes) if isinstance(c.plan, p.Class)}
        named = {sort for c in self._asked.topics for sort in self._sorts(c)} if self._asked.gap else set()
        first = next((c.plan.id for c in scene.classes if c.start >= scene.begin and isinstance(c.plan, p.Class)), "")
        for kind in (id for id in self._kinds if id != event and not id.startswith(EDGES)):
            signs = {
                "k_asked": kind == asked, "k_said": kind in said, "k_first": kind == first,
                "k_who": kind in people and cues["who"],
                "k_where": stem(scene.noun(kind)) in PLACES and (cues["where"] or self._asked.says(("address",))),
                "k_whose": kind == events.whose(event) and (cues["who"] or asked != event), "k_named": kind in named,
                "k_sim": self._asked.alike(self._kinds[kind].lower()),
            }  # fmt: skip
            meant = signs["k_sim"] > MEANT or any(
                value for name, value in signs.items() if name not in ("k_sim", "k_first")
            )
            if meant:
                ways = scene.ways(event, kind) or events.several(event, kind)
            else:  # "leaders" of activities are counsellors
                ways = [(link.step,) for link in events.links(event) if link.to == kind and self._says(link)]
            for way in ways[:WAYS]:
                words = {word for step in way for word in scene.lexicon.words_of(step.relation)}
                signs |= {
                    "k_len": len(way) / FAR, "k_several": len(ways) > 1, "k_way_said": self._asked.says(words),
                    "k_way_sim": max(map(self._asked.alike, words), default=0.0),
                }  # fmt: skip
                yield Target(kind, way, {name: float(value) for name, value in signs.items()})
