"""What a question speaks of among the kinds of a graph that hang together: whose events, of whom, and what of its words
that leaves unsaid.

The readers of this package share it: each knows one form of question (`came_out`, `by_group`, `in_common`, …), and here
is what they all ask. A set that is named is placed where it belongs by how kinds are linked and not by the words
between them, so that a wording that nobody has met is read as well as one that everybody uses.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Literal

import numpy as np

from clew.errors import ClewError
from clew.graph import Graph
from clew.graph.names import words_of
from clew.graph.sets import held
from clew.graph.subgraph import Ints
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.decorate import Proposal
from clew.query.execute import execute
from clew.query.keys import Keys, steps_of
from clew.query.values import shown_date, unit_of, untyped
from clew.query.vocabulary import MONTHS, SYNONYMS, akin, base_of, forms, stem
from clew.query.wordnet import is_word
from clew.retrieval.chunks import LIGHT, Chunk, Spotted, spot
from clew.retrieval.events.kinds import Events, Link, is_act, sampled
from clew.retrieval.events.took_part import things_of
from clew.retrieval.joining import followed
from clew.retrieval.lexicon import Lexicon, kind_meant, stems
from clew.retrieval.words import FUNCTION
from clew.types import Question

Fit = float | tuple[float, int]
"""How well a plan fits a question; of equal ones also by how many things its events are."""
OF_KIND = 0.9  # fit of a noun for a kind within a kind, or for a value
ASIDE = 4  # words of an aside, and of what asks behind it
EARLY = 7  # words of a question among which it says what it asks for
_LITTLE = """
get gets got getting bring brings brought take takes took taken hand hands handed give gives gave given turn turned keep
keeps kept hold holds holding held send sent put make made making need needs ever yet still back in out off up home
already actually really least once time times all our we us they them it its show tell moment currently now right item
items thing things kit equipment gear stuff goods piece pieces bit bits anything something single date dates day days
people person anyone someone anybody somebody who whom whose number numbers total amount sum much many often money
altogether together overall add adds adding adds come comes came remaining remain remains name names code codes going go
goes far after before later than where when which what never no not any some of books book record records recorded diary
system file here leave yes for on to at the a an and or be been being is are was were has have had do did does with from
by entire whole every everybody member members everyone else so ones one two us anything lot per cent please whoever own
"""
LITTLE = frozenset(_LITTLE.split())
"""Words that say nothing beside the events and the things that a question names."""
ITEMS = frozenset(["item", "product", "article", "title", "description", "equipment", "name"])
"""What a column is called that says what an event without a name was of."""
GENERIC = frozenset(
    ["item", "thing", "kit", "equipment", "gear", "stuff", "goods", "piece", "bit", "article", "product"]
)
_MONTH = "|".join(sorted({*MONTHS, *(month[:3] for month in MONTHS), "sept"}, key=len, reverse=True))
_DATE = re.compile(
    r"\b(?P<lead>(?:(?P<op>on or before|on or after|before|earlier than|prior to|after|later than|since|from|until|till"
    r"|up to|by) )?(?:(?:the|in|on|during|of|for|at|as) )*)(?P<date>\d{4}-\d\d(?:-\d\d)?"
    rf"|(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?)?(?:{_MONTH}) (?:19|20)\d\d|(?P<year>(?:19|20)\d\d))\b"
)
_SPAN = re.compile(
    rf"\b(?:(?:from|between|in the week of|the week of) )?(?P<from>\d{{1,2}})(?:st|nd|rd|th)?(?: (?P<month>{_MONTH}))?"
    r"(?: (?:to|and|until|till|through)(?: the)? | ?[-–] ?)(?P<to>\d{1,2})(?:st|nd|rd|th)?"
    rf" (?:of )?(?P<last>{_MONTH}) (?P<year>(?:19|20)\d\d)\b"
)
_WEEK = re.compile(
    r"\b(?:(?:in|during|for|of) )?(?:the |that )?week (?:of|commencing|beginning|starting|from)(?: the)? "
    rf"(?P<from>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<last>{_MONTH}) (?P<year>(?:19|20)\d\d)\b"
)
_SIGNS: dict[p.Op, frozenset[str]] = {
    "<": frozenset(["before", "earlier than", "prior to"]), ">": frozenset(["after", "later than"]),
    "<=": frozenset(["until", "till", "up to", "by", "on or before"]), ">=": frozenset(["since", "on or after"]),
}  # fmt: skip
_STATED: tuple[Literal["number", "date"], ...] = ("number", "date")
_ASKING = frozenset(["which", "what", "who", "whose", "whom", "where"])
_RANKS = frozenset(["top", "best", "most", "least", "average", "total", "mean", "number"])
_OPERATING = _RANKS | {"count", "counts", "numbers", "totals", "sum", "list", "longest", "highest", "lowest"}
_COUNTING = frozenset(
    "than over under above below least most about nearly number no exceeding their our my his her its your".split()  # noqa: SIM905
)
"""Before a number that is no year of its own: "more than 2000", "their 2025 subs"."""
_LEADS = frozenset("so and but then please on in at for to of from with".split())  # noqa: SIM905
_ASKS_HOW = frozenset(["how", "when", "list", "show", "name"])
_STOP = re.compile(r"(?<=[a-z\d]{3})\s*[;:.!?](?= )| [–-](?= )")
_BE = frozenset(["is", "are", "was", "were"])
_SITES = """
location venue site place room building town city depot branch office field plot house warehouse stage hall court shop
store port station track park property home flat premises
"""
PLACES = frozenset(_SITES.split())
_CALLED = {
    "invoice": "bill", "bill": "invoice", "payment": "fee due bill charge", "booking": "reservation session",
    "delivery": "drop-off drop", "hire": "rental", "loan": "checkout", "fine": "penalty", "appointment": "visit",
    "order": "purchase", "ticket": "incident issue case", "issue": "ticket bug", "job": "repair work",
    "request": "complaint report", "stay": "visit booking", "deployment": "release", "expense": "claim",
    "sale": "purchase deal", "treatment": "work", "call": "callout", "training": "session", "result": "run",
}  # fmt: skip
"""What else the events of a kind are called."""


class Scene:
    """One question among the kinds of a graph."""

    def __init__(self, question: Question, graph: Graph, encoder: TextEncoder | None) -> None:
        self.graph, self.events, self.lexicon, self.keys = graph, Events(graph), Lexicon.of(graph), Keys(graph)
        self.question = question
        text = _STOP.sub(",", question.text)  # where one sentence ends and another goes on
        spotted: Spotted = spot(replace(question, text=text), graph, encoder)
        self.words, self.chunks = spotted.words, spotted.chunks
        self.begin = self._clause()
        self._upper = {word.lower() for word in re.findall(r"[^\W\d_][\w'’-]*", text) if not word.islower()}
        kinds = self.events.kinds()
        self.classes = [c for c in self.chunks if isinstance(c.plan, p.Class) and c.plan.id in kinds]
        self.loose = False  # whether the last set was placed by a link that no word says
        self._ways: dict[tuple[str, str], list[p.Path]] = {}
        self._touching: dict[tuple[str, bytes], p.Path | None] = {}
        self._back: dict[tuple[bytes, p.Step], Ints] = {}
        self.topics = [
            c
            for c in self.chunks
            if c.plan is not None and c not in self.classes and not self._slipped(c)
            if c.kind == "topic" or (c.kind == "class" and c.fit >= OF_KIND)  # a kind within a kind: books of poetry
        ]
        self.named = [c for c in self.topics if c.condition is None]
        self._starts = np.cumsum([0, *(len(word) + 1 for word in self.words)]).tolist()
        hidden = list(self.words)
        for chunk in self.named:
            hidden[chunk.start : chunk.end] = ["⟨" + "x" * (len(word) - 1) for word in hidden[chunk.start : chunk.end]]
        self.text = " ".join(hidden)
        """The words with those of names hidden, one space between them."""
        self.clause = self.text[self._starts[self.begin] :]
        """The same of what asks, behind an aside: "I'm ringing round this afternoon, so which owners …"."""

    def _slipped(self, chunk: Chunk) -> bool:
        """Whether a part was taken for a name that is only written like it: the dog Monty is no "money"."""
        word = self.words[chunk.start]
        if chunk.end - chunk.start == 1 and chunk.condition is None and self._asks_with(word, chunk):
            return True
        if _DATE.fullmatch(" ".join(self.words[chunk.start : chunk.end])) and chunk.kind == "topic":
            return True  # a day is a condition, also where something states it
        if chunk.end <= self.begin and not any(each in self._upper for each in self.words[chunk.start : chunk.end]):
            return True  # of an aside only what is written as a name
        if stem(word) in GENERIC and chunk.kind == "class":
            return True
        unit = unit_of(word) if chunk.end - chunk.start == 1 else None
        if unit is not None and unit.dimension != "time" and isinstance(chunk.plan, p.Entities):
            return all(id.startswith('"') for id in chunk.plan.ids)  # "how many litres" where malt is measured in kilos
        if chunk.end - chunk.start > 1 or not isinstance(chunk.plan, p.Entities) or not is_word(word):
            return False
        named = self.graph.labels_at([n for id in chunk.plan.ids if (n := self.graph.number_of(id)) is not None])
        return not any(
            word in (each.folded for each in words_of(label)) or stem(word) in stems(label) for label in named
        )

    def _asks_with(self, word: str, chunk: Chunk) -> bool:
        """Whether a word says what is asked of events, or that they came about, and is only a part of a name or another
        form of it: "count" of a worm count, "higher" of what is High, "ordered" of "nothing ordered yet"."""
        done = word.endswith("ed") and any(is_act(word, self.noun(kind)) for kind in self.events.kinds())
        if not (done or word in _OPERATING or base_of(word)):
            return False
        plan = chunk.plan
        while isinstance(plan, p.Follow):
            plan = plan.of
        if not isinstance(plan, p.Entities):
            return False
        named = self.graph.labels_at([n for id in plan.ids if (n := self.graph.number_of(id)) is not None])
        return not any(label.lower() == word for label in named)

    # -- words -------------------------------------------------------------------------------------------------------

    def _clause(self) -> int:
        """Where the part of a question begins that asks: behind the last comma with a word that asks behind it."""
        begin, asks = 0, _ASKING | _ASKS_HOW
        for i, word in enumerate(self.words):
            behind = [each for each in self.words[i + 1 : i + 4] if each not in _LEADS]
            if word == "," and i >= ASIDE and len(self.words) - i > ASIDE and behind and behind[0] in asks:
                begin = i + 1
        return begin

    def at(self, start: int, end: int, *, clause: bool = False) -> set[int]:
        """The places of the words between two letters of the text, or of the clause."""
        base = self._starts[self.begin] if clause else 0
        return {i for i in range(len(self.words)) if base + start <= self._starts[i] < base + end}

    def noun(self, kind: str) -> str:
        """The noun for one thing of a kind."""
        return (self.events.kinds().get(kind) or "thing").lower().split()[-1]

    def calls(self, word: str, kind: str) -> bool:
        """Whether a word is a noun for the things of a kind."""
        noun, said = stem(self.noun(kind)), stem(word)
        others = _CALLED.get(noun, "").split()
        return said == noun or noun in SYNONYMS.get(said, ()) or any(forms(word) & forms(other) for other in others)

    def spoken_of(self, kind: str) -> int:
        """How much the words speak of a kind: 4 by a noun for its things, 2 by a verb for its events, 1 by another word
        of its name."""
        named = any(c.plan == p.Class(kind) and c.fit >= OF_KIND for c in self.classes)
        named = named or any(self.calls(word, kind) for word in self.words)
        acts = any(is_act(word, self.noun(kind)) for word in self.words if word not in FUNCTION)
        whole = [link.to for link in self.events.links(kind) if not link.step.forward and not link.words]
        if whole and not named and not acts and (of_whole := self.spoken_of(whole[0])) > 1:
            return of_whole - 1  # the lines of an order
        others = set((self.events.kinds().get(kind) or "").lower().split()[:-1]) - FUNCTION
        part = not named and not others.isdisjoint(self.words)
        return 4 * named + 2 * acts + part

    def left(self, said: Iterable[int], kinds: Iterable[str], also: Iterable[str] = ()) -> list[str]:
        """The words that are neither in `said`, nor in a part that the graph knows, nor of some kinds, their events or
        their links, nor among the forms of others."""
        inside = {i for c in self.chunks if c.kind != "relation" for i in range(c.start, c.end)} | set(said)
        of = [kind for kind in dict.fromkeys(kinds) if kind]
        known = {form for word in also for form in forms(word)} | set(also)
        known |= {form for kind in of for link in self.events.links(kind) for form in self._of_link(link)}
        known |= {
            form for kind in of for of_ in _STATED for each in self.events.stated(kind, of_) for form in each.words
        }
        left = []
        for i, word in enumerate(self.words):
            little = word == "," or word in FUNCTION or word in LIGHT or word in LITTLE or word in MONTHS
            if i < self.begin or i in inside or little or word.isdigit():
                continue
            if any(is_act(word, self.noun(kind)) or self.calls(word, kind) for kind in of):
                continue
            if not forms(word) & known and not any(akin(word, other) for other in known):
                left.append(word)
        return left

    def _of_link(self, link: Link) -> set[str]:
        label = self.lexicon.words_of(link.step.relation)
        return {form for word in (*label, *self.events.kinds()[link.to].lower().split()) for form in forms(word)}

    # -- what is asked for -------------------------------------------------------------------------------------------

    def asked(self, event: str) -> str:
        """The kind of things that a question about events asks for: the one that it names first, whoever the events are
        of, or what they are of; "" where that is not said."""
        begin = self._begin()
        words = self.words[begin:]
        if words[:1] == ("where",) and (place := self._place(event)):
            return place
        listed = words[:1] == ("who",) and words[1:2] and words[1] in _BE and words[2:3] == ("the",)
        named = any(c.start == begin + (3 if listed else 1) for c in self.classes)  # "who were the dogs"
        shown = next((c for c in self.classes if self.words[c.end : c.end + 1] in (("titles",), ("names",))), None)
        if shown is not None and isinstance(shown.plan, p.Class):
            return shown.plan.id  # "overdue loans, object titles"
        mine = words[:1] == ("whose",) and any(c.plan == p.Class(event) and c.start == begin + 1 for c in self.classes)
        if {"who", "whose", "whom"} & set(words[:2]) and (mine or not named):
            return event if event in self.events.people() else self.events.whose(event) or self.doer(event)
        for i, word in enumerate(words[:EARLY], begin):
            chunk = next((c for c in self.classes if c.start <= i < c.end), None)
            if word in ("place", "spot") and (place := self._place(event)):
                return place
            if chunk is not None:
                # "Customers' orders" are orders.
                behind = next((c for c in self.classes if c.start == chunk.end and self._several(c)), chunk)
                assert isinstance(behind.plan, p.Class)
                return behind.plan.id
            if stem(word) in GENERIC and self.shown(event):
                return event
            if stem(word) in GENERIC and {"which", "what"} & set(self.words[begin:i]):
                ways = things_of(self.events, event, [])
                return self.events.kind_at(event, ways[0]) or "" if ways else ""
            if self.calls(word, event):
                return event
            ranks = word in _RANKS or bool(base_of(word))
            early = i - begin < EARLY - 2 and word not in FUNCTION and not ranks
            meant = kind_meant(word, self.lexicon) if early else None
            if meant is not None and meant[0] in self.events.kinds():
                return meant[0]
        return ""

    def _several(self, chunk: Chunk) -> bool:
        word = self.words[chunk.end - 1]
        return stem(word) != word and not word.endswith(("ed", "ss"))

    def shown(self, event: str) -> p.Path:
        """What stands for events that go by codes where things are asked for: the item of a hire; () for others."""
        early = self.words[: self._begin() + EARLY]
        if not self.events.coded(event) or not any(stem(word) in GENERIC or word in GENERIC for word in early):
            return ()
        members, found = sampled(self.events.members(event)), list[p.Path]()
        for step, share in steps_of(self.graph, members, backward=False):
            label = set(self.lexicon.words_of(step.relation))
            if share < OF_KIND or not label & ITEMS:
                continue
            if self.graph.literals_at(self.keys.ends(members, (step,))).all():
                found.append((step,))
        return found[0] if len(found) == 1 else ()

    def _begin(self) -> int:
        """Where the question begins, behind an aside."""
        return next((i for i, word in enumerate(self.words) if i >= self.begin and word in _ASKING), self.begin)

    def _place(self, event: str) -> str:
        """The only kind of places that events lead to; "" where there are none or several."""
        found = [id for id in self.events.kinds() if stem(self.noun(id)) in PLACES and self.events.ways(event, id)]
        return found[0] if len(found) == 1 else ""

    def doer(self, event: str) -> str:
        """The only kind of people that events lead to; "" where there are none or several."""
        people = [id for id in self.events.people() if self.events.ways(event, id)]
        return people[0] if len(people) == 1 else ""

    # -- where things belong -----------------------------------------------------------------------------------------

    def placed(self, named: p.SetPlan, *kinds: str) -> tuple[str, p.SetPlan] | None:
        """Of which of some kinds a set says something, the first that it does, and which things of that kind it leaves;
        None where it hangs together with none of them."""
        members = execute(named, self.graph).members
        if not len(members):
            return None
        for kind in filter(None, kinds):
            if held(members, self.events.members(kind)).all():
                return kind, named
            if (found := self._led_to(named, members, kind)) is not None:
                return kind, found
        return None

    def ways(self, kind: str, to: str) -> list[p.Path]:
        """The ways from things of a kind to those of another; of several those whose names the words say, and where
        none has a name that says nothing else the only link: the technician of a job."""
        return self._said_ways(kind, to) or self._only_link(kind, to) or self._only_beyond(kind, to)

    def _said_ways(self, kind: str, to: str) -> list[p.Path]:
        if (kind, to) not in self._ways:
            plain = self.events.ways(kind, to)
            said = self.events.ways(kind, to, self.words)
            self._ways[kind, to] = [way for way in said if way not in plain] or plain
        return self._ways[kind, to]

    def _only_link(self, kind: str, to: str) -> list[p.Path]:
        links: list[p.Path] = [(link.step,) for link in self.events.links(kind) if link.to == to]
        return links if len(links) == 1 and self.events.only(kind, to) else []

    def _only_beyond(self, kind: str, to: str) -> list[p.Path]:
        """The same behind a link that says nothing else: the account of the delivery of a keg."""
        plain = [link for link in self.events.links(kind) if not link.words and link.to not in (kind, to)]
        return [(link.step, *path) for link in plain for path in self._only_link(link.to, to)]

    def path(self, named: p.SetPlan, kind: str) -> p.Path | None:
        """How a named set leads to things of a kind; None where it does not, or in several ways."""
        found = self._way(execute(named, self.graph).members, kind)
        return None if found is None else p.turned(found)

    def _led_to(self, named: p.SetPlan, members: Ints, kind: str) -> p.SetPlan | None:
        found = self._way(members, kind)
        return None if found is None else followed(named, p.turned(found))

    def _way(self, members: Ints, kind: str) -> p.Path | None:
        """The way from things of a kind to some of a set."""
        kinds = self.events.kinds_of(members)
        ways = [way for each in kinds for way in self._said_ways(kind, each)]
        if not ways and (ways := [way for each in kinds for way in self._only_link(kind, each)]):
            self.loose = True
        if ways:
            return ways[0] if len(ways) == 1 else None
        if (path := self.touching(kind, members)) is not None:
            return path
        self.loose = True
        beyond = [
            (link.step, *path)
            for link in self.events.links(kind)
            if (path := self.touching(link.to, members)) is not None
        ]
        return beyond[0] if len(beyond) == 1 else None

    def touching(self, kind: str, members: Ints) -> p.Path | None:
        """The only step from things of a kind straight to some of a set."""
        key = (kind, members.tobytes())
        if key not in self._touching:
            mine = self.events.members(kind)
            back = (step for step in self.events.steps(kind) if held(self._led_back(members, step, key[1]), mine).any())
            found = list(islice(back, 2))
            self._touching[key] = (found[0],) if len(found) == 1 else None
        return self._touching[key]

    def _led_back(self, members: Ints, step: p.Step, key: bytes) -> Ints:
        """What leads to some things by a step."""
        if (key, step) not in self._back:
            self._back[key, step] = self.keys.ends(members, p.turned((step,)))
        return self._back[key, step]

    def names(self, kind: str) -> bool:
        """Whether a thing of a kind is named itself."""
        mine = self.events.members(kind)
        plans = [c.plan for c in self.named if c.kind == "topic" and c.plan is not None]
        return any(held(execute(plan, self.graph).members, mine).all() for plan in plans)

    def narrowed(
        self, chosen: p.SetPlan, kinds: Sequence[str], but: Iterable[int] = ()
    ) -> tuple[p.SetPlan, list[p.SetPlan]] | None:
        """A set of things of the first kind, narrowed by all that the question names, and what narrows things of the
        others; None where something belongs to none of them.

        Args:
            but: places of words whose part is accounted for.
        """
        self.loose = False
        mine, others = [chosen], list[p.SetPlan]()
        for chunk in self.topics:
            if set(but) & set(range(chunk.start, chunk.end)) or chunk.plan is None:
                continue
            placed = self.placed(chunk.plan, *kinds)
            if placed is None:
                return None
            (mine if placed[0] == kinds[0] else others).append(placed[1])
        for chunk in self.classes:  # the automatic ones among the stations
            within = [kind for kind in kinds if kind and self._is_within(chunk.plan, kind)]
            if within and chunk.plan is not None and chunk.plan not in [p.Class(kind) for kind in kinds if kind]:
                (mine if within[0] == kinds[0] else others).append(chunk.plan)
        return all_of(mine), others

    def _is_within(self, plan: p.SetPlan | None, kind: str) -> bool:
        """Whether a kind is a part of another one."""
        if plan is None:
            return False
        members, all_ = execute(plan, self.graph).members, self.events.members(kind)
        return 0 < len(members) < len(all_) and bool(held(members, all_).all())

    def dates(self) -> list[tuple[p.Op, p.Date, set[int]]]:
        """The conditions on a date that the words state, each with its places: "before 1 March 2025", "in May 2024"."""
        return self._dates

    @cached_property
    def _dates(self) -> list[tuple[p.Op, p.Date, set[int]]]:
        found: list[tuple[p.Op, p.Date, set[int]]] = []
        for match in (*_SPAN.finditer(self.text), *_WEEK.finditer(self.text)):
            if (days := _days(match)) is not None:
                at = self.at(*match.span())
                found += [(">=", p.Date(days[0]), at), ("<=", p.Date(days[1]), at)]
        spans = {i for _, _, at in found for i in at}
        for match in _DATE.finditer(self.text):
            if spans & self.at(*match.span()):
                continue
            date = match["year"] if match["lead"] or self._is_year(*match.span("year")) else ""
            if not match["year"]:
                value = untyped(re.sub(r"(?<=\d)(?:st|nd|rd|th)\b|\bof ", "", match["date"]).title())
                date = shown_date(value) if value is not None and value.kind == "date" else ""
            if date:
                said = match["op"] or ""
                op: p.Op = next((sign for sign, words in _SIGNS.items() if said in words), "=")
                found.append((op, p.Date(date), self.at(*match.span())))
        return found

    def _is_year(self, start: int, end: int) -> bool:
        """Whether a number without a word before it is a year: "no callouts 2025"."""
        if start < 0:
            return False
        before, behind = self.text[:start].split()[-1:], self.text[end:].split()[:1]
        counts = before and (before[0] in _COUNTING or before[0][-1].isdigit() or self._is_one(before[0]))
        return not counts and not (behind and unit_of(behind[0]) is not None)

    def _is_one(self, word: str) -> bool:
        """Whether a word is the noun for one thing, which a number behind it may name: "room 2024"."""
        return stem(word) == word and (word in PLACES or any(self.calls(word, kind) for kind in self.events.kinds()))

    def half_dated(self) -> bool:
        """Whether a month is said without a year, or otherwise so that it is no date here."""
        dated = {i for _, _, at in self.dates() for i in at}
        for i, word in enumerate(self.words):
            verb = word in ("may", "march") and self.words[i - 1 : i] not in (("in",), ("since",), ("of",), ("last",))
            if word in MONTHS and i not in dated and not verb:
                return True
        return False

    def finds(self, plan: p.SetPlan) -> bool:
        """Whether a plan finds anything; not where it cannot be executed."""
        try:
            return bool(len(execute(plan, self.graph).members))
        except ClewError:
            return False


def _days(match: re.Match[str]) -> tuple[str, str] | None:
    """The first and the last day that some words say, as ISO dates; None where there are no such days."""
    said = match.groupdict()
    short = [month[:3] for month in MONTHS]
    last, first = (short.index(month[:3]) + 1 for month in (said["last"], said.get("month") or said["last"]))
    try:
        begin = datetime.date(int(said["year"]), first, int(said["from"]))
        end = (
            datetime.date(int(said["year"]), last, int(said["to"]))
            if "to" in said
            else begin + datetime.timedelta(days=6)
        )
    except ValueError:
        return None
    return (begin.isoformat(), end.isoformat()) if begin <= end else None


def only_best(made: Iterable[tuple[Fit, float, p.Plan]]) -> list[Proposal]:
    """The plan that fits best, with how likely it is; none where several do."""
    every = list(made)
    best = max((fit for fit, _, _ in every), default=None)
    plans = {plan: sure for fit, sure, plan in every if fit == best}
    return [Proposal(plan, sure) for plan, sure in plans.items()] if len(plans) == 1 else []


def all_of(sets: Sequence[p.SetPlan]) -> p.SetPlan:
    """What is in all of one or more sets."""
    every = tuple(dict.fromkeys(sets))
    return p.And(every) if len(every) > 1 else every[0]


def two_of(named: list[Chunk], scene: Scene) -> list[Chunk]:
    """The two of one kind among what is named, where there are more: a value beside them is a condition."""
    if len(named) < 3:
        return named
    kinds = [scene.events.kinds_of(execute(c.plan, scene.graph).members)[:1] for c in named if c.plan is not None]
    pairs = [[c for c, of in zip(named, kinds, strict=True) if of == kind] for kind in kinds if kind]
    two = [pair for pair in pairs if len(pair) == 2]
    return two[0] if two and all(pair == two[0] for pair in two) else named
