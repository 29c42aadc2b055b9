"""How events of one kind may have come out: done, still open, late, and whatever a flag of them says.

Kept apart from `came_out`, which finds the words for it in a question: here nothing is known of a question, only what
the columns of a kind can tell. A loan that states no return is open, one that states a later return than its due date
is late, and one whose `collected` is "no" was not collected.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from clew.graph import Graph
from clew.graph.flags import Flag, flags
from clew.labels import label_to_text
from clew.query import plan as p
from clew.query.keys import Keys, steps_of
from clew.query.lapses import begins, ends
from clew.query.vocabulary import forms, stem
from clew.retrieval.events.kinds import DUE, Events, Stated, sampled
from clew.retrieval.lexicon import Lexicon

SOME = 0.3  # share of the events that must say when they were due
STATES = 12  # values of a column that says how things stand
_DONE = {
    "paid": "paid pay payment settle settled clear cleared",
    "returned": "return returned back in checkin",
    "completed": "complete completed completion finish finished end ended done close closed closing closure resolve"
    " resolved solve solved fix fixed out",
    "delivered": "deliver delivered delivery arrive arrived arrival actual receive received",
    "shipped": "ship shipped send sent dispatch dispatched",
    "collected": "collect collected collection pickup picked",
    "handed": "handed handover",
    "approved": "approve approved approval",
    "left": "leave left depart departed departure checkout discharge discharged",
    "answered": "answer answered reply replied respond responded response decided decision",
}
_BY_WORD = {word: done for done, words in _DONE.items() for word in words.split()}
_STANDS = frozenset(["status", "state", "stage", "progress", "phase"])  # what a column of states is called
_ENDING = frozenset(["expires", "expiry", "expired", "expiration", "expire", "valid", "renewal", "renew"])
_OFF = frozenset(["cancelled", "canceled", "void", "withdrawn", "rejected", "declined", "abandoned", "written"])


What = Literal["late", "open", "overdue", "expired", "flag"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that may be said of each event of a kind."""

    kind: str  # the id of the kind
    what: What
    done: str  # what being done is called, one of `DONE`; the flag's name
    words: frozenset[str]  # forms of what the columns are called that tell it
    so: p.SetPlan  # the events of which it is true
    not_so: p.SetPlan  # those of which it is not
    steps: tuple[p.Step, ...] = ()  # of what is only true at a date: when it was due and done, or when it expires

    def at(self, some: p.SetPlan, date: p.Date, *, so: bool) -> p.SetPlan:
        """Those of some events that had expired at a date, or had not (`so`), or were overdue."""
        if self.what == "expired":
            return p.Where(some, p.Test(self.steps, "<" if so else ">=", date))
        due, done = self.steps
        return p.Minus(p.Where(some, p.Test((due,), "<", date)), p.Where(some, p.Test((done,), "<=", date)))


def outcomes(graph: Graph) -> list[Outcome]:
    """All that the kinds of a graph tell of their events."""
    return graph.derived(
        ("retrieval.events.outcomes",), lambda: [o for id in Events(graph).kinds() for o in _of(id, graph)]
    )


def done_by(word: str) -> str:
    """What a word says that something was: "returned" of "back"; "" of other words."""
    return _BY_WORD.get(word) or next((_BY_WORD[form] for form in sorted(forms(word)) if form in _BY_WORD), "")


def _of(kind: str, graph: Graph) -> list[Outcome]:
    events, found = Events(graph), list[Outcome]()
    of = events.all(kind)
    dates = events.stated(kind, "date")
    due = [date for date in dates if date.words & DUE and date.share >= SOME]
    done = [date for date in dates if not date.words & DUE and _says_done(date)]
    for date in done:
        said = next(filter(None, map(done_by, date.label.split())), "completed")
        words = _formed(date.label)
        if 0 < date.share < 1:
            missing, there = (p.WhereCount(of, (date.step,), op, 0) for op in ("=", ">"))
            found.append(Outcome(kind, "open", said, words, missing, there))
        for other in due:
            since = p.Since((other.step,), "days")
            late, fine = (p.Where(of, p.Test((date.step,), op, p.Number(0), beside=since)) for op in (">", "<="))
            found.append(Outcome(kind, "late", said, words | _formed(other.label), late, fine))
            overdue = (other.step, date.step)
            found.append(Outcome(kind, "overdue", said, words | _formed(other.label), late, fine, overdue))
    for date in dates:
        if date.words & _ENDING:
            found.append(Outcome(kind, "expired", "expired", _formed(date.label), of, of, (date.step,)))
    members = events.members(kind)
    shares = dict(steps_of(graph, members, backward=False))
    for flag in flags(graph):
        step = p.Step(flag.relation)
        if flag.yes and flag.no and shares.get(step, 0) >= SOME:
            found.append(_flagged(kind, of, flag))
    if not any(each.what == "open" for each in found):
        found += _standing(kind, [step for step, share in shares.items() if share >= SOME], graph)
    return found


def _says_done(date: Stated) -> bool:
    """Whether a date is when something was over, and not when it began."""
    words = date.label.split()
    over = any(word in _BY_WORD or ends(word) for word in words)
    return over and not (any(map(begins, words)) and not any(word in _BY_WORD for word in words))


def _flagged(kind: str, of: p.SetPlan, flag: Flag) -> Outcome:
    yes, no = (p.And((of, p.Follow(p.Entities(ids), (p.Step(flag.relation, False),)))) for ids in (flag.yes, flag.no))
    return Outcome(kind, "flag", flag.label.lower(), _formed(flag.label.lower()), yes, no)


def _standing(kind: str, steps: list[p.Step], graph: Graph) -> list[Outcome]:
    """What a column of states says: open is what is in no state of being done, and was not called off."""
    lexicon, keys, of = Lexicon.of(graph), Keys(graph), Events(graph).all(kind)
    for step in steps:
        label = set(label_to_text(lexicon.labels.get(step.relation, "")).lower().split())
        if not label & _STANDS:
            continue
        ends_ = np.unique(keys.ends(sampled(Events(graph).members(kind)), (step,)))
        if not 1 < len(ends_) <= STATES:
            continue
        ids, named = graph.ids_at(ends_), [text.lower() for text in graph.labels_at(ends_)]
        done = {id: said for id, text in zip(ids, named, strict=True) if (said := _state_done(text))}
        off = [id for id, text in zip(ids, named, strict=True) if set(text.split()) & _OFF]
        if not done or len(done) == len(ids):
            continue
        back = (p.Step(step.relation, False),)
        over = p.And((of, p.Follow(p.Entities(tuple(done)), back)))
        closed = p.And((of, p.Follow(p.Entities((*done, *off)), back)))
        return [
            Outcome(kind, "open", said, frozenset(label), p.Minus(of, closed), over)
            for said in sorted(set(done.values()))[:1]
        ]
    return []


def _state_done(text: str) -> str:
    """What being done a state is: "paid", "picked up"; "" of other states, as "in progress"."""
    first, *others = text.split() or [""]
    return done_by(first) if len(first) > 3 and (not others or first.endswith(("ed", "paid"))) else ""


def _formed(label: str) -> frozenset[str]:
    return frozenset(form for word in label.split() for form in (*forms(word), stem(word)))
