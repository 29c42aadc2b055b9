"""Pairs of dates that a thing goes from and to, told from a graph: of a loan its start and end, of a person birth and
death, of a ticket when it was opened and closed.

Kept apart from `keys`, which finds single values: a pair is two dates that the same things have, of which one nearly
always comes after the other, and whose names say that they belong together, or that the words of a question name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from clew.graph import Graph
from clew.graph.subgraph import Ints
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Column, column
from clew.query.keys import Keys, steps_of
from clew.query.lapses import begins, ends, partners, verb_of
from clew.query.meanings import spelled_out
from clew.query.values import unit_of
from clew.query.vocabulary import SYNONYMS, akin, forms, stem

NEARLY = 0.95  # share of the things that have both dates of which the one comes after the other
KNOWN = 0.9  # fit of a pair by two words that are said of one thing's beginning and end
SAID = 1.0  # fit of a pair both of whose dates a question names
PARTNERS = 0.04  # more of a pair of words that are said together
KNOWN_SAID = 0.95  # the same of which a question names one
HALF = 0.8  # fit of a pair of whose dates a question names one, and the words know the other
_LIFE = (frozenset(["birth", "born", "dob"]), frozenset(["death", "died", "die", "deceased"]))
_DATING = "date time day year month on in of the is was datetime timestamp ts valid"
_NO_NAME = frozenset(_DATING.split())  # say that a date is meant, and not which
_LITTLE = frozenset(["at", "to"])
_DAYS, _HOURS = frozenset(["days", "weeks", "months", "years", "day", "week"]), frozenset(["hours", "minutes", "hrs"])
_LENGTHS = frozenset([
    "duration", "runtime", "lasting", "lifespan", "elapsed", "days", "nights", "hours", "minutes", "weeks", "months",
])  # fmt: skip


@dataclass(frozen=True, slots=True)
class Period:
    """Two dates of the same things, and how well they and the words fit."""

    since: p.Step
    until: p.Step
    fit: float
    share: float  # of the members that have both
    finest: p.TimeUnit  # the smallest unit, from days up for what is known to the day, that all of its times have
    about: frozenset[str] = frozenset()  # what both names say beside: of a "warranty start" the warranty
    life: bool = False  # from birth to death

    def span(self, unit: p.TimeUnit | None = None) -> p.Since:
        return p.Since((self.since,), unit or self.finest)


def of_hours(label: str, asked: str) -> bool:
    """Whether a property states hours, and what is asked for is told in days or more: hours are those of work then."""
    return asked in _DAYS and bool(_HOURS & set(spelled_out(label).lower().split()))


class Periods:
    """The pairs of dates in one graph."""

    def __init__(self, graph: Graph, keys: Keys) -> None:
        self._graph, self._keys, self._binding = graph, keys, Binding.of(graph)

    def of(self, plan: p.SetPlan, said: Iterable[str] = ()) -> list[Period]:
        """The pairs of dates that the members of a set have, best first; of several equally good ones none is.

        Args:
            said: words of a question that may name one of the dates.
        """
        members, words = self._keys.members(plan), frozenset(said)
        if not len(members):
            return []
        dated = [(step, share) for step, share in self.dates(members) if share > 0]
        found = [
            made
            for since, some in dated
            for until, others in dated
            if since != until and (made := self._pair(since, until, min(some, others), words, plan)) is not None
        ]
        found.sort(key=lambda each: (-each.fit, -each.share))
        if len(found) > 1 and found[0].fit == found[1].fit:
            best = [each for each in found if each.fit == found[0].fit]
            wide = max(each.share for each in best)
            clear = [each for each in best if each.share >= wide / 2]
            return clear if len(clear) == 1 else []
        return found

    def dates(self, members: Ints) -> list[tuple[p.Step, float]]:
        """The steps to dates that members have, with the share of them that do."""
        return [
            (step, share)
            for step, share in steps_of(self._graph, members, backward=False)
            if (dates := self._column(step)).kind == "date" and dates.ordered
        ]

    def stated(self, plan: p.SetPlan, asked: str = "") -> bool:
        """Whether the members' length in time is stated by itself: what is stated wins over what is computed.

        Args:
            asked: the unit that is asked in; of days or more no hours tell, which are those that were worked.
        """
        for step, _ in steps_of(self._graph, self._keys.members(plan), backward=False):
            values = self._column(step)
            if values.kind != "number" or not values.ordered:
                continue
            unit = unit_of(values.stated) if values.stated else None
            if of_hours(self._keys.label(step), asked):
                continue
            named = _LENGTHS & set(self._words(step))
            if named or values.dimension == "time" or (unit is not None and unit.dimension == "time"):
                return True
        return False

    def names(self, word: str, step: p.Step) -> bool:
        """Whether a word names a date: "completion" of "completed in"."""
        own = [each for each in self._words(step) if each not in _NO_NAME]
        if not own or word in _NO_NAME:
            return False
        word = verb_of(word)
        same = frozenset(SYNONYMS.get(stem(word), ()))
        return any(forms(word) & forms(each) or stem(each) in same or akin(word, each) for each in own)

    def _column(self, step: p.Step) -> Column:
        return column(self._graph, self._binding.relation(step.relation))

    def _words(self, step: p.Step) -> list[str]:
        return spelled_out(self._keys.label(step)).lower().split()

    def _pair(self, since: p.Step, until: p.Step, share: float, said: frozenset[str], plan: p.SetPlan) -> Period | None:
        mine, theirs = ([word for word in self._words(each) if word not in _NO_NAME] for each in (since, until))
        one, other = (any(self.names(word, each) for word in said) for each in (since, until))
        begun, over = {word for word in mine if begins(word)}, {word for word in theirs if ends(word)}
        if not mine and "in" in self._words(since) and theirs == ["out"] and "out" in self._words(until):
            begun, over = {"in"}, {"out"}  # "date in" and "date out", of what is left with somebody
        about, too = ({stem(word) for word in words} for words in ({*mine} - begun, {*theirs} - over))
        known = bool(begun and over) and about - _LITTLE == too - _LITTLE
        fit = KNOWN if known else 0.0
        if one and other:
            fit = SAID
        elif one or other:
            fit = KNOWN_SAID if known else HALF if begun and over else 0.0
        if any(partners(word, each) for word in begun for each in over):
            fit += PARTNERS if fit else 0.0  # a loan is from its beginning to its end, and not since it was signed
        if not fit or not self._follows(since, until, at_least=1 if fit > HALF else 3):
            return None
        life = bool(_LIFE[0] & set(mine)) and bool(_LIFE[1] & set(theirs))
        unsaid = about - _LITTLE - {stem(word) for word in (*self._kind_words(plan), *said)} if known else set()
        return Period(since, until, fit, share, self._finest(since, until), frozenset(unsaid), life)

    def _kind_words(self, plan: p.SetPlan) -> Sequence[str]:
        """The names of the kinds that a set's members are of."""
        members, types = self._keys.members(plan)[:20], self._binding.type_relations
        whole, found = self._graph.whole, set[int]()
        for member in members.tolist():
            run = slice(int(whole.out.offsets[member]), int(whole.out.offsets[member + 1]))
            kinds = np.isin(whole.out.relations[run], list(types))
            found |= set(whole.out.neighbors[run][kinds].tolist())
        labels = self._graph.labels_at(np.array(sorted(found), np.int32))
        return [word for label in labels for word in spelled_out(label).lower().split()]

    def _follows(self, since: p.Step, until: p.Step, at_least: int) -> bool:
        """Whether of the things that have both dates the one nearly always comes after the other, and not the day of
        all of them."""

        def made() -> tuple[int, int]:
            whole = self._graph.whole
            sides = []
            for step in (since, until):
                number = self._binding.relation(step.relation)
                mine = np.flatnonzero(whole.rels == number)
                known, low, high = self._column(step).of(whole.tails[mine])
                owners, first = np.unique(whole.heads[mine][known], return_index=True)
                sides.append((owners, low[known][first], high[known][first]))
            (a, a_low, _), (b, _, b_high) = sides
            _, x, y = np.intersect1d(a, b, assume_unique=True, return_indices=True)
            return len(x), int((b_high[y] >= a_low[x]).sum())

        both, after = self._graph.derived(("query.periods", since.relation, until.relation), made)
        return both >= at_least and after >= NEARLY * both

    def _finest(self, since: p.Step, until: p.Step) -> p.TimeUnit:
        known = {self._column(each).precision for each in (since, until)}
        if "clock" in known:
            return "minutes"
        if "year" in known:
            return "years"
        if "month" in known:
            return "months"
        return "hours" if known == {"second"} else "days"
