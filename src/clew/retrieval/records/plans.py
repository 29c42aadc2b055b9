"""Plans of the parts that a question has among records: which of them it is about, and what it asks of these."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

from clew.errors import ClewError
from clew.graph import Graph
from clew.protocols import TextEncoder
from clew.query import plan as p
from clew.query.asked import Filter, Ranked
from clew.query.decorate import Proposal, best_first
from clew.query.meanings import BY_BEGINNING, meant
from clew.query.question import read_question
from clew.query.superlatives import OFTEN
from clew.query.totals import Summed, summed
from clew.query.values import unit_of
from clew.query.vocabulary import PACES, TIMES, head_of, stem
from clew.query.wordnet import people_of
from clew.retrieval.records.sentence import ANYBODY, FULL, MONEY_WORDS, PART, PLACES, SaidName, Sentence
from clew.retrieval.records.view import TRUE, ViewColumn, executor_of, views_of, words_in
from clew.retrieval.words import FUNCTION
from clew.types import Question

LONGEST = 40  # words of a question
DOUBTFUL = 3  # names that are only like a thing's, which are left out in turn
UNSAID = 0.6  # what a word without a part in the plan leaves of its score
DONE = 0.85  # what a verb without a part leaves
DOUBTED = 0.85  # what a name that is only like a thing's leaves of it
GUESSED = 0.9  # what a column leaves that no word names
ROLE = 0.8  # what a noun for what a column holds leaves that is no part of its name
_NOUN = 4  # words between a question word and a verb
_LISTED = frozenset(["list", "lists", "range", "variety"])
_WAYS = frozenset(["method", "mode", "way", "channel", "means", "type"])
_COUNTING = frozenset(["often", "frequently", "times", "popular", "common", "frequent", OFTEN])
_ANY_DATE = frozenset(["date", "year", "time"])
_PAY = """
spend spent pay paid cost costs charge charged come bill billed earn earned give gave given donate donated raise raised
take taken took fetch fetched contribute contributed
"""
_PAYING = frozenset(_PAY.split())


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a question asks for: a column, figures (`measure`), or the records themselves (neither)."""

    column: ViewColumn | None = None
    measure: ViewColumn | None = None
    records: bool = False
    fit: float = 1.0


def read_records(question: Question, graph: Graph, encoder: TextEncoder | None = None) -> list[Proposal]:
    """Plans over the records of a graph that a question may mean, best first; the prior is the share of its words that
    has a part in the plan. None where no kind of records has a part for what it asks."""
    views = views_of(graph)
    if not views:  # most graphs hold none: their questions are read elsewhere
        return []
    made: list[Proposal] = []
    total = summed(question.text)
    how, text = (None, question.text) if total is None else total
    read = read_question(text)
    if read.unsaid or len(text.split()) > LONGEST:
        return []
    for view in views:
        sentence = Sentence(view, encoder, text, read)
        if any(view.is_named(sentence.text_of(each)) for each in sentence.mentions):
            continue
        doubtful = [each for each in sentence.mentions if each.quality < PART][:DOUBTFUL]
        for count in range(len(doubtful) + 1):  # a word of a name may be no name
            for dropped in combinations(doubtful, count):
                made += _Reading(sentence.without(dropped), how).proposals()
                if (nested := _Reading(sentence.without(dropped), how, nested=True)).links:
                    made += nested.proposals()
    return best_first(made)


class _Reading:
    """One reading of a question against one view."""

    def __init__(self, sentence: Sentence, how: Summed | None, *, nested: bool = False) -> None:
        self._s, self._read, self._how = sentence, sentence.read, how
        self._view, self._graph = sentence.view, sentence.view.graph
        self._executor = executor_of(self._graph)
        self._fit = 1.0
        self._settled_denial = False  # whether a yes or no says what a "not" denies
        self._fixed: list[ViewColumn] = []  # columns of which a value is stated
        self._left_out: list[SaidName] = []  # names behind "apart from"
        self.links = self._links() if nested else []

    # -- which records -----------------------------------------------------------------------------------------------

    def proposals(self) -> list[Proposal]:
        sides = self._sides()
        if self._read.sides is not None and sides is None:
            return []
        denied = self._s.denied_from() if self._read.negated or self._read.without else None
        if self._read.answer == "truth":
            denied = None
        excepted = set(words_in(self._read.without))
        left_out = sides[1] if sides else []
        positive, negative, without = list[SaidName](), list[SaidName](), list[SaidName]()
        for each in self._s.mentions:
            if each in left_out:
                continue
            said = {word.root for word in self._s.words[each.start : each.end]}
            if excepted and said <= excepted:
                without.append(each)
            elif denied is not None and each.start > denied and not excepted:
                negative.append(each)
            else:
                positive.append(each)
        base = self._where(self._view.kind, positive) if not self.links else self._nested(positive)
        if base is None:
            return []
        flagged = False
        dates = [each for each in self._read.filters if isinstance(each.value, p.Date)]
        dates += [] if dates else self._years()
        for column, at in self._s.flags():
            no = denied is not None and denied < at and not negative
            places = [i for i, label in enumerate(column.labels) if (label.casefold() in TRUE) != no]
            if places and len(places) < len(column.labels):
                base = _and(base, self._having(column, places))
                self._s.use(column)
                flagged = True
                denied = None if no else denied
                self._settled_denial = self._settled_denial or no
        tests = []
        for stated in dates:
            date = self._date_of(stated)
            if date is None:
                return []
            tests.append(p.Test((date.step,), stated.op, stated.value, stated.upper))
        denying: p.SetPlan | None = None
        if denied is not None and self._read.negated and not negative and tests:
            denying = base  # "who did not book an hour in March"
            for test in tests:
                denying = p.Where(denying, test)
        else:
            for test in tests:
                base = p.Where(base, test)
        self._left_out = without
        if negative:
            denying = self._where(base, negative)
            if denying is None:
                return []
        try:
            plans = list(self._plans(base, denying, sides))
        except ClewError:
            return []
        unsaid = self._s.unexplained()
        told = bool(positive or negative or without or dates or flagged)
        made = []
        for plan, fit in plans:
            verbs = sum(verb for _, verb in unsaid)
            score = fit * self._fit * UNSAID ** (len(unsaid) - verbs) * DONE**verbs
            if (told or self._operator()) and self._finds(plan):
                made.append(Proposal(plan, score))
        return made

    def _years(self) -> list[Filter]:
        """A year that stands before a noun: "the 2023 election"."""
        named = {at for m in self._s.mentions for at in range(m.start, m.end)}
        found = [at for at, word in enumerate(self._s.words) if at not in named and _YEAR.fullmatch(word.lower)]
        if len(found) != 1:
            return []
        self._s.used.add(found[0])
        return [Filter(("date", "year"), "=", p.Date(self._s.words[found[0]].lower))]

    def _operator(self) -> bool:
        r = self._read
        return bool(r.count or r.ranked or r.summary or r.filters or r.negated or self._how)

    def _finds(self, plan: p.Plan) -> bool:
        try:
            if isinstance(plan, p.SetPlan):
                return len(self._executor.members(plan)) > 0
            return not isinstance(plan, p.ValuePlan) or self._executor.quantity(plan) is not None
        except ClewError:
            return False

    def _where(self, of: p.SetPlan, mentions: Sequence[SaidName]) -> p.SetPlan | None:
        """The records that some names are said of; None where these meet in none, unless whether they do is asked."""
        plan = of
        for each in mentions:
            options = self._options(each, plan)
            if not options and self._read.answer == "truth":
                options = self._options(each, self._view.kind)
            if not options:
                return None
            if len({column for column, _ in options}) == 1 and len(options[0][1]) == 1:
                self._fixed.append(options[0][0])
            sets = [self._having(column, places) for column, places in options]
            said = sets[0] if len(sets) == 1 else p.Or(tuple(sets))
            plan = _and(plan, said)
            if each.quality < PART:
                self._fit *= DOUBTED
            for column, _ in options:
                self._s.use(column)
        return plan

    def _options(self, mention: SaidName, plan: p.SetPlan) -> list[tuple[ViewColumn, tuple[int, ...]]]:
        """The columns that a name is meant in: those whose own words stand beside it, or the nearest to the records."""
        columns = [(self._view.columns[at], places) for at, places in mention.options]
        meeting = [each for each in columns if len(self._executor.found(_and(plan, self._having(*each))))]
        near = [each for each in meeting if self._s.near(mention, each[0])]
        people = [each for each in near or meeting if each[0].role == "person"]
        if len(people) > 1 and not near:
            return people  # in whichever part somebody plays
        return (people or near or meeting)[:1]

    def _links(self) -> list[tuple[int, ViewColumn, bool]]:
        """Where a question speaks of what other records say: "the agent who …", "the town of …", "the same shoes as …".

        Returns:
            The places of the nouns, the columns that they name, and whether the other records are left out.
        """
        words, found = [word.lower for word in self._s.words], []
        named = {at for m in self._s.mentions for at in range(m.start, m.end)}
        for at, word in enumerate(words[:-2]):
            same = word == "same"
            if word == "whoever" and (people := self._s.person_column()) is not None:
                found.append((at, people, False))
                continue
            if at in named or not (same or (word == "the" and words[at + 1] != "same")):
                continue
            noun = at + 2 if words[at + 1] in ("one", "only") else at + 1
            linked = "as" in words[noun + 1 : noun + 4] if same else words[noun + 1 : noun + 2] in _RELATIVE
            linked = linked or (words[noun + 2 : noun + 3] == ["by"] and self._s.is_verb(noun + 1))
            if noun in named or not linked:
                continue
            column = self._s.column_called(words[noun])
            somebody = words[noun] in ANYBODY or bool(people_of({"": words[noun]}))
            if column is not None and column.role in ("name", "person") and (somebody or self._s.naming(column)):
                found.append((noun, column, same))
        return found

    def _nested(self, mentions: Sequence[SaidName]) -> p.SetPlan | None:
        """The records that share what is linked with those of which the names behind it are said."""
        inner = [each for each in mentions if each.start > self.links[-1][0]]
        if not inner:
            return None
        plan: p.SetPlan = self._view.kind
        following = len(self._s.words)
        for at, column, same in reversed(self.links):
            some = [each for each in mentions if at < each.start < following]
            said = self._where(plan, some)
            if said is None:
                return None
            if column in self._fixed and not same:
                return None  # "the queue of Billing" is that queue
            self._fixed = []
            self._s.use(column)
            self._s.used.add(at)
            if same:
                self._s.used.update(i for i in (at - 1, at + 1, at + 2) if self._s.words[i].lower in ("same", "as"))
            shared = p.Follow(p.Follow(said, (column.step,)), (_back(column),))
            plan = _and(self._view.kind, shared)
            plan = p.Minus(plan, said) if same else plan
            following = at
        return self._where(plan, [each for each in mentions if each.start < following])

    def _having(self, column: ViewColumn, places: Sequence[int]) -> p.SetPlan:
        ids = tuple(self._graph.ids_at(column.ends[list(places)]))
        return p.Follow(p.Entities(ids), (_back(column),))

    def _date_of(self, stated: Filter) -> ViewColumn | None:
        assert isinstance(stated.value, p.Date)
        clock, words = stated.value.reading.dimension == "clock", {stem(word) for word in stated.words} - _ANY_DATE
        dates = [each for each in self._view.columns if each.role == "date" and each.clock == clock]
        said = tuple(word for word in stated.words if word not in _ANY_DATE)
        named = [each for each in dates if words & each.said] or [
            each for each in dates if meant(said, "", each.label, date=True) >= BY_BEGINNING
        ]
        return named[0] if named else self._s.date_column(clock=clock)

    # -- what is asked of them ---------------------------------------------------------------------------------------

    def _plans(
        self, base: p.SetPlan, denying: p.SetPlan | None, sides: tuple[ViewColumn, list[SaidName]] | None
    ) -> Iterator[tuple[p.Plan, float]]:
        read = self._read
        if sides is not None:
            yield from self._compared(base, *sides)
            return
        if read.answer == "truth":
            yield p.Exists(base), 1.0
            return
        asked = self._asked()
        if asked is None:
            return
        self._s.use(asked.column)
        self._s.use(asked.measure)
        if read.ranked is not None:
            kept, _ = self._without(base, _Asked())
            if kept is not None:
                yield from self._ranked(kept, read.ranked, asked)
            return
        numbers = [each for each in read.filters if isinstance(each.value, p.Number)]
        if numbers:
            for plan, fit in self._filtered(base, numbers[0], asked):
                yield self._given(plan, asked), fit * asked.fit
            return
        how = self._how or read.summary
        if how and not (self._how and asked.column is not None and read.count):
            measure = asked.measure or self._s.measure(read.summary_words) or self._money(read.summary_words)
            if measure is not None and denying is None:
                self._s.use(measure)
                yield p.Aggregate(how, base, (measure.step,)), asked.fit  # type: ignore[arg-type]
            return
        if asked.measure is not None:
            if denying is None:
                yield self._figure(base, asked.measure), asked.fit
            return
        if read.negated and denying is None and not read.without and not self._settled_denial:
            if (lacking := self._lacking(base, asked)) is not None:
                yield self._given(lacking, asked), asked.fit
            return
        if asked.column in self._fixed:
            return  # what is stated is not asked for: "which other runners …"
        kept, others = self._without(base, asked)
        if kept is None:
            return
        found = self._projected(kept, asked)
        found = found if others is None else p.Minus(found, others)
        if denying is not None:
            found = p.Minus(found, self._projected(denying, asked))
        yield self._given(found, asked), asked.fit

    def _without(self, base: p.SetPlan, asked: _Asked) -> tuple[p.SetPlan | None, p.Entities | None]:
        """The records but for those that are left out, and of what is asked for those who are."""
        for each in self._left_out:
            at = None if asked.column is None else self._view.columns.index(asked.column)
            if at is not None and at in dict(each.options):
                ids = self._graph.ids_at(self._view.columns[at].ends[list(dict(each.options)[at])])
                return base, p.Entities(tuple(ids))
        some = self._where(self._view.kind, self._left_out) if self._left_out else None
        if self._left_out and some is None:
            return None, None
        return (base if some is None else p.Minus(base, some)), None

    def _money(self, words: Sequence[str]) -> ViewColumn | None:
        """The one sum of money that records state, where the records are summed up: "the average gift"."""
        nouns = [word for phrase in words for word in phrase.split()] or [word.lower for word in self._s.words]
        money = [each for each in self._view.columns if each.money and each.counts]
        return money[0] if len(money) == 1 and any(map(self._s.is_record, nouns[:3])) else None

    def _given(self, found: p.SetPlan, asked: _Asked) -> p.Plan:
        return p.Count(found) if self._read.count else found

    def _projected(self, plan: p.SetPlan, asked: _Asked) -> p.SetPlan:
        return plan if asked.column is None else p.Follow(plan, (asked.column.step,))

    def _figure(self, base: p.SetPlan, measure: ViewColumn) -> p.Plan:
        """The figure that is stated, or what several add up to."""
        ends = self._executor.members(self._projected(base, _Asked(measure)))
        total = any(word.lower == "total" for word in self._s.words)
        several = total or len(ends) > 1 or (self._read.count and len(self._executor.members(base)) > 1)
        return p.Aggregate("sum", base, (measure.step,)) if several else self._projected(base, _Asked(measure))

    def _lacking(self, base: p.SetPlan, asked: _Asked) -> p.SetPlan | None:
        """What is said of records that state nothing in the column that is denied ("left without a category"), or of no
        record that does ("have never had a fault")."""
        denied = self._s.denied_from()
        after = [each for each in self._view.columns if any(at > (denied or 0) for at in self._s.naming(each))]
        if not after:
            return None
        column = after[0]
        self._s.use(column)
        without = p.WhereCount(base, (column.step,), "=", 0)
        if asked.column is None or self._s.words[denied or 0].lower in ("without", "no"):
            return self._projected(without, asked)
        stated = p.WhereCount(base, (column.step,), ">=", 1)
        return p.Minus(self._projected(base, asked), self._projected(stated, asked))

    def _filtered(self, base: p.SetPlan, stated: Filter, asked: _Asked) -> Iterator[tuple[p.SetPlan, float]]:
        assert isinstance(stated.value, p.Number)
        noun = stated.words[0] if stated.words else ""
        measure = self._s.measure(stated.words, stated.base, stated.value.unit)
        if asked.column is not None and stated.of_count and self._s.is_record(noun) and stated.op != "between":
            back = _back(asked.column)
            of, n = self._projected(base, asked), int(stated.value.value)
            yield p.WhereCount(of, (back,), stated.op, n, base), 1.0  # type: ignore[arg-type]
            return
        if measure is None:
            return
        self._s.use(measure)
        value, upper = (self._in_unit(each, measure) for each in (stated.value, stated.upper))
        assert value is not None
        if self._how == "sum" and asked.column is not None:
            path = (_back(asked.column), measure.step)
            test = p.Test(path, stated.op, value, upper, how="sum", among=base)
            yield p.Where(self._projected(base, asked), test), 1.0
            return
        kept = p.Where(base, p.Test((measure.step,), stated.op, value, upper))
        yield self._projected(kept, asked), 1.0

    @staticmethod
    def _in_unit(value: p.Number | p.Date | p.Entities | None, measure: ViewColumn) -> p.Number | None:
        if not isinstance(value, p.Number):
            return None
        weighed = measure.money and stem(value.unit) == "pound"  # which are no weight here
        return p.Number(value.value) if weighed or not measure.unit else value

    def _ranked(self, base: p.SetPlan, ranked: Ranked, asked: _Asked) -> Iterator[tuple[p.Plan, float]]:
        """Superlatives: of one record, or of what the records of each thing come to."""
        of_adjective = () if not ranked.base else (ranked.noun, ranked.verb)
        words = [
            word for phrase in of_adjective or (*ranked.words, ranked.noun, ranked.verb) for word in phrase.split()
        ]
        column, ends = asked.column, (ranked.k, ranked.skip)
        if ranked.date:
            hour = any(word.lower == "hour" for word in self._s.words)
            date = (self._s.date_column(clock=True) if hour else None) or self._s.date_column()
            if date is None:
                return
            top = p.Top(base, p.Key((date.step,)), ranked.largest, *ends)
            when = column is not None and column.role == "date"
            yield self._projected(top, _Asked(date) if when or asked.measure else asked), asked.fit
            return
        counting = bool(_COUNTING & {*words, *(word.lower for word in self._s.words)})
        noun = self._noun(ranked)
        of_records = not ranked.base and noun != "" and self._s.is_record(noun)
        of_value = not ranked.base and any(  # "the most annual services", and not "the most on groceries"
            each.start and self._s.words[each.start - 1].lower in _MOST for each in self._s.mentions
        )
        if column is not None and (counting or of_records or of_value):
            key = p.Key((_back(column),), "count", base)
            yield p.Top(self._projected(base, asked), key, ranked.largest, *ends), asked.fit
            return
        if column is not None and (others := self._different(ranked, column)) is not None:
            if base == self._view.kind:  # a plan counts ends of a path whatever records it passes
                key = p.Key((_back(column), others.step), "count")
                yield p.Top(self._projected(base, asked), key, ranked.largest, *ends), asked.fit
            return
        measure = asked.measure or self._s.measure(words, ranked.base)
        if measure is None:
            return
        self._s.use(measure)
        ranked = replace(ranked, largest=_largest(ranked, measure))
        if column is None:
            yield self._of_key(p.Top(base, p.Key((measure.step,)), ranked.largest, *ends), measure, asked), asked.fit
            return
        own = noun and (stem(noun) in column.said or column is self._s.column_called(noun, roles=("name", "person")))
        in_all = self._how == "sum" or not ranked.base or own
        said = {word.lower for word in self._s.words}
        single = "single" in said or (ranked.base and self._how is None and not own) or self._settled(column, measure)
        if in_all and not single:
            key = p.Key((_back(column), measure.step), "mean" if self._how == "mean" else "sum", base)
            yield p.Top(self._projected(base, asked), key, ranked.largest, *ends), asked.fit
            return
        top = p.Top(base, p.Key((measure.step,)), ranked.largest, *ends)
        yield self._projected(top, asked), asked.fit

    def _noun(self, ranked: Ranked) -> str:
        """The word of a ranked noun that speaks of the records, else its first; "" where there is none."""
        nouns = ranked.noun.split()
        return next(filter(self._s.is_record, nouns), nouns[0] if nouns else "")

    def _different(self, ranked: Ranked, column: ViewColumn) -> ViewColumn | None:
        """What is counted, each once: "the most species", "the longest species list"."""
        nouns = [word for phrase in (ranked.noun, *ranked.words) for word in phrase.split()]
        listed = {word.lower for word in self._s.words} & _LISTED
        if ranked.base and not listed:
            return None
        for noun in nouns if not listed else [*nouns, *(word.lower for word in self._s.words)]:
            others = [
                each for each in self._view.columns
                if each.role in ("name", "person") and each is not column
                and stem(noun) in words_in(head_of(each.label))[-1:]
            ]  # fmt: skip
            if not others and noun in PLACES and (place := self._s.place_column([column])) is not None:
                others = [place]
                self._s.used.update(at for at, word in enumerate(self._s.words) if word.lower == noun)
            if others:
                self._s.use(others[0])
                self._s.used.update(at for at, word in enumerate(self._s.words) if word.lower in _LISTED)
                return others[0]
        return None

    def _settled(self, column: ViewColumn, measure: ViewColumn) -> bool:
        """Whether what is measured is the same in all records of one thing: the length of a route."""
        seen = self._view.stated_with(column, measure)
        return bool(seen) and all(len(each) == 1 for each in seen.values()) and len(self._view.members) > len(seen)

    def _of_key(self, top: p.Top, measure: ViewColumn, asked: _Asked) -> p.Plan:
        return self._projected(top, _Asked(measure)) if asked.measure is not None or self._read.of_key else top

    # -- two things held against each other --------------------------------------------------------------------------

    def _sides(self) -> tuple[ViewColumn, list[SaidName]] | None:
        """The column that two compared things stand in, and their names."""
        if self._read.sides is None:
            return None
        chosen: list[SaidName] = []
        for side in self._read.sides:
            words = set(words_in(side))
            inside = [
                each for each in self._s.mentions
                if {word.root for word in self._s.words[each.start : each.end]} <= words
            ]  # fmt: skip
            if not inside:
                return None
            chosen.append(max(inside, key=lambda each: (each.quality, each.end - each.start)))
        shared = {at for at, _ in chosen[0].options} & {at for at, _ in chosen[1].options}
        if not shared:
            return None
        at = min(shared)
        return self._view.columns[at], chosen

    def _compared(
        self, base: p.SetPlan, column: ViewColumn, chosen: Sequence[SaidName]
    ) -> Iterator[tuple[p.Plan, float]]:
        at = self._view.columns.index(column)
        sides = [p.Entities(tuple(self._graph.ids_at(column.ends[list(dict(each.options)[at])]))) for each in chosen]
        ranked = self._read.ranked
        if ranked is None or any(len(side.ids) != 1 for side in sides):
            return
        words = [word for phrase in (*ranked.words, ranked.noun, ranked.verb) for word in phrase.split()]
        back, larger = _back(column), ranked.largest
        noun = self._noun(ranked)
        if ranked.date and (date := self._s.date_column()) is not None:
            key = p.Key((back, date.step), "value", base)
        elif noun and self._s.is_record(noun):
            key = p.Key((back,), "count", base)
        elif (others := self._different(ranked, column)) is not None:
            if base != self._view.kind:
                return
            key = p.Key((back, others.step), "count")
        else:
            measure = self._s.measure(words, ranked.base)
            if measure is None:
                return
            self._s.use(measure)
            larger = _largest(ranked, measure)
            key = p.Key((back, measure.step), "sum", base)
        plan: p.Plan = p.Compare(sides[0], sides[1], key, larger)
        if self._read.difference:
            plan = p.Difference(sides[0], sides[1], key)
        elif self._read.answer == "truth":
            plan = p.Is(sides[0], p.Compare(sides[0], sides[1], key, larger))
        yield plan, 1.0

    # -- what is asked for -------------------------------------------------------------------------------------------

    def _asked(self) -> _Asked | None:
        """What the question word and its noun ask for."""
        words = self._s.words
        at = next((i for i, word in enumerate(words) if word.lower in _WH), None)
        if at is None or words[0].lower in _ORDERS or words[0].lower == "please":
            return self._without_word()
        word = words[at].lower
        if word in ("who", "whose", "whom"):
            asks_whom = at + 2 < len(words) and words[at + 1].lower in _DOING and words[at + 2].lower in _SUBJECTS
            if asks_whom:  # "who did we pay"
                column = self._s.other_party(self._fixed)
            else:
                column = self._s.person_column(self._fixed)
            return None if column is None else _Asked(column, fit=1.0 if self._s.naming(column) else GUESSED)
        if word in ("where", "whereabouts"):
            column = self._s.place_column(self._fixed)
            return None if column is None else _Asked(column, fit=GUESSED)
        if word == "when":
            column = self._s.date_column()
            return None if column is None else _Asked(column)
        if word == "how" and at + 1 < len(words):
            after = words[at + 1].lower
            if after == "much":
                measure = self._s.measure([w.lower for w in words[at + 2 :]])
                return None if measure is None else _Asked(measure=measure)
            if after not in ("many", "often") and (after in _SIZES or self._read.of_key):
                measure = self._s.measure([after, *(w.lower for w in words[at + 2 :])], after)
                return None if measure is None else _Asked(measure=measure)
            if after == "often":
                return _Asked(records=True)
            if after != "many":
                ways = [each for each in self._view.columns if _WAYS & each.said and each.role == "name"]
                return _Asked(ways[0]) if ways else None
        at += 2 if word == "how" or (word == "what" and words[at + 1 : at + 2] and words[at + 1].lower in _BE) else 1
        return self._of_kind(at) or self._of_noun(self._nouns(at))

    def _without_word(self) -> _Asked | None:
        """What a question without a question word asks for: its first noun ("places where …"), or the one that names a
        column ("nora october payees")."""
        if self._read.summary:
            measure = self._s.measure(self._read.summary_words)
            return None if measure is None else _Asked(measure=measure)
        nouns = self._nouns(0)
        first = self._of_kind(0) or (self._of_noun(nouns) if nouns else None)
        if first is not None:
            return first
        named = [each for each in self._view.columns if each.role != "truth" and self._s.naming(each)]
        if not named:
            return None
        column = max(named, key=lambda each: max(self._s.naming(each)))
        return _Asked(measure=column) if column.role == "number" else _Asked(column)

    def _nouns(self, at: int) -> list[int]:
        """The places of the words of a noun phrase, less those of names in it."""
        named = {i for m in self._s.mentions for i in range(m.start, m.end)}
        found: list[int] = []
        for i in range(at, min(at + _NOUN + 2, len(self._s.words))):
            if i in named:
                continue
            if self._s.words[i].lower in FUNCTION | _BEFORE_NOUNS:
                if found or self._s.words[i].lower not in _BEFORE_NOUNS:
                    break
                continue
            found.append(i)
        return found[:_NOUN]

    def _of_kind(self, at: int) -> _Asked | None:
        """What is asked for by a word for its type: "which companies" of donors, whose type is Company."""
        before = {"individual", *_BEFORE_NOUNS}
        while at < len(self._s.words) and self._s.words[at].lower in before:
            at += 1
        mention = next((each for each in self._s.mentions if each.start == at and each.quality >= FULL), None)
        if mention is None or self._s.words[mention.end - 1].text[:1].isupper():
            return None
        behind = self._s.words[mention.end :][:1]
        if behind and behind[0].lower not in FUNCTION and not self._s.is_verb(mention.end):
            return None  # "leisure places"
        for place, _ in mention.options:
            column = self._view.columns[place]
            owner = self._view.owner_of(column)
            if owner is not None and owner not in self._fixed:
                return _Asked(owner)
        return None

    def _of_noun(self, nouns: Sequence[int]) -> _Asked | None:
        """What a noun phrase asks for: the last of its words that means something here."""
        words = self._s.words
        if not nouns and self._read.count:  # "how many races", "how many teals": the noun is what is said of them
            number = next((each for each in self._view.columns if each.number_of), None)
            return _Asked(records=True) if number is None else _Asked(measure=number)
        if not nouns:
            lower = [word.lower for word in words]
            coming = {"come"} - {one for one, next_ in pairwise(lower) if next_ == "to"}  # "what has come in"
            paid = _PAYING & set(lower) - coming
            measure = self._s.measure(["amount"]) if paid or self._how else None
            if measure is not None:
                return _Asked(measure=measure, fit=GUESSED)
            subject = self._s.subject_column(self._fixed) if words[0].lower == "what" else None
            return None if subject is None else _Asked(subject, fit=ROLE)
        bill = next((words[at].lower for at in nouns[1:] if words[at].lower in MONEY_WORDS), "")
        if bill and (measure := self._s.measure([bill])) is not None and measure.money:  # "our whole fuel bill"
            self._s.used.update(nouns)
            return _Asked(measure=measure)
        for at in reversed(nouns[:2]) if len(nouns) > 1 else nouns:
            noun = words[at].lower
            if noun == "times" and self._read.count:
                return _Asked(records=True)  # "how many times"
            if words[at].root in _CODES and not any(words[at].root in each.said for each in self._view.columns):
                self._s.used.update(nouns)
                return _Asked(records=True)  # "the reference numbers", by which the records are called
            if at != nouns[0] and noun.endswith(("ed", "ing")):
                continue  # "the entries marked urgent"
            if self._s.is_record(noun):
                self._s.used.add(at)
                return _Asked(records=True)
            figures = [
                each for each in self._view.columns
                if each.role == "number" and each.counts
                and (
                    words[at].root in {*words_in(head_of(each.label))[-1:], stem(each.unit.lower())}
                    or (unit_of(noun) is not None and unit_of(noun) == unit_of(each.unit or "?"))
                )
            ]  # fmt: skip
            if figures:
                self._s.used.add(at)
                return _Asked(measure=figures[0])
            column = self._s.column_called(noun, fixed=self._fixed)
            if column is not None:
                self._s.used.update(nouns[: nouns.index(at) + 1])
                said = words[at].root in column.said
                return _Asked(column, fit=1.0 if said else GUESSED if noun in ANYBODY else ROLE)
        title = self._view.title
        behind = words[nouns[0] + 1 : nouns[0] + 2]
        of_one = words[0].lower == "what" and words[1].lower in _BE  # "what is her phone number"
        of_one = of_one or bool(behind and behind[0].lower in _BE)  # "what colour is her car"
        if of_one or title is None or title in self._fixed or self._s.words[nouns[0]].lower.endswith("ed"):
            return None
        self._s.used.add(nouns[0])
        return _Asked(title, fit=ROLE)  # "which plants …", of what the accessions of a garden are called


_RELATIVE = [
    [word] for word in ("who", "that", "which", "of", "whose", "where", "from", "with", "in", "on", "to", "for")
]
_YEAR = re.compile(r"(?:1[4-9]|20)\d\d")
_CODES = frozenset(["ref", "reference", "id", "code", "number"])
_ORDERS = frozenset(["list", "show", "name", "give", "tell", "find"])
_DOING = frozenset(["did", "do", "does", "have", "has", "had"])
_MOST = frozenset(["most", "fewest", "more", "fewer"])
_BE = frozenset(["is", "was", "are", "were"])
_SUBJECTS = frozenset(["we", "i", "they", "you", "he", "she"])
_WH = frozenset(["who", "whose", "whom", "where", "whereabouts", "when", "which", "what", "how"])
_SIZES = frozenset(["long", "high", "tall", "far", "big", "large", "heavy", "old", "deep", "wide", "fast", "expensive"])
_BEFORE = """
the a an all our my of me us kindly other more different distinct many number amount total count list name show give
tell find please
"""
_BEFORE_NOUNS = frozenset(_BEFORE.split())


def _largest(ranked: Ranked, measure: ViewColumn) -> bool:
    """Which end of the figures an adjective means: the quickest is the one of the shortest time."""
    if ranked.base not in PACES:
        return ranked.largest
    known = unit_of(measure.unit) if measure.unit else None
    timed = bool(TIMES & measure.said) or (known is not None and known.dimension == "time")
    return (ranked.base == "slow") == timed


def _and(plan: p.SetPlan, more: p.SetPlan) -> p.SetPlan:
    return p.And((*plan.sets, more)) if isinstance(plan, p.And) else p.And((plan, more))


def _back(column: ViewColumn) -> p.Step:
    return p.Step(column.step.relation, not column.step.forward)
