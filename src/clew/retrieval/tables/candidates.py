"""The plans that a table allows for a question: its rows filtered, ordered and moved along, then read, counted, added.

Kept apart from `ranking`: here nothing is said of what a question means, only of what can be asked of this table with
the cells and numbers that the question holds. Every plan is executed; what finds nothing is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from clew.errors import ClewError
from clew.graph.subgraph import Ints
from clew.graph.tables import NEXT, ORDER
from clew.query import plan as p
from clew.query.execute import ExecutionLimits, Executor
from clew.retrieval.tables.words import Amount, CellMention, Heading, TableWords, amounts

MOST_SETS = 24  # sets of rows that are read and counted
MOST_MOVED = 8  # of them, those that are ordered and moved along
MOST_PLANS = 4000
MOST_READ = 10  # columns read of a set
_ORDER, _NEXT = p.Step(ORDER), p.Step(NEXT)
_SIGNS: tuple[p.Op, ...] = (">", "<", ">=", "<=")


@dataclass(frozen=True, slots=True)
class RowSet:
    """Some rows, and how they were come by."""

    plan: p.SetPlan
    shape: str  # "all", "one", "and", "or", "not", "number >" …
    move: str = ""  # "first", "last", "next", "most" …: what was done to the set
    mentions: tuple[CellMention, ...] = ()
    amounts: tuple[Amount, ...] = ()
    keys: tuple[Heading, ...] = ()  # columns compared


@dataclass(frozen=True, slots=True)
class Found:
    """A plan that finds something, and what tells it from others."""

    plan: p.Plan
    ask: str  # what is made of the rows: "read", "count", "sum" …
    rows: RowSet
    read: Heading | None  # the column that is read
    texts: tuple[str, ...]
    number: float | None = None


class TableCandidates:
    """Grows the plans of one question."""

    def __init__(self, table: TableWords, words: tuple[str, ...]) -> None:
        self._table, self.words = table, words
        self._executor = Executor(table.graph, ExecutionLimits(pairs=50_000_000))
        self._all: p.SetPlan = p.Class(table.kind_id)
        self.mentions = table.mentions(words)
        self._amounts, self.headings = amounts(words), table.headings
        self._ordered = [h for h in table.headings if h.kind != "text"][:8]

    def found(self) -> list[Found]:
        made: dict[p.Plan, Found] = {}
        for each in self._grown():
            made.setdefault(each.plan, each)
            if len(made) >= MOST_PLANS:
                break
        return list(made.values())

    # -- sets of rows ------------------------------------------------------------------------------------------------

    def _grown(self) -> Iterator[Found]:
        base = RowSet(self._all, "all")
        singles = [RowSet(_with(m), "one", mentions=(m,)) for m in self.mentions]
        numbers = list(self._compared())
        sets = [base, *singles, *self._joined(singles, numbers), *numbers]
        sets = sorted(self._distinct(sets), key=lambda each: -_covered(each))
        kept = [base, *[each for each in sets if each.shape != "all"][: MOST_SETS - 1]]
        denied = [
            RowSet(p.Minus(self._all, each.plan), f"not {each.shape}", "", each.mentions, each.amounts, each.keys)
            for each in [*singles[:6], *numbers[:12]]
        ]
        yield from self._asked([*kept, *self._distinct(denied)])
        moved = [new for each in kept[:MOST_MOVED] for new in self._moved(each)]
        beside = [new for each in [*singles, *kept[1:]] for new in self._beside(each)]
        yield from self._read_all(self._distinct([*moved, *beside]))
        yield from self._summed([*kept[:6]])
        yield from self._commonest()
        yield from self._two(singles)

    def _joined(self, singles: list[RowSet], numbers: list[RowSet]) -> Iterator[RowSet]:
        for a, b in combinations(singles, 2):
            first, second = a.mentions[0], b.mentions[0]
            if first.start == second.start:
                continue
            both = (*a.mentions, *b.mentions)
            if first.heading != second.heading or not (first.exact and second.exact):
                yield RowSet(p.And((a.plan, b.plan)), "and", mentions=both)
            if first.heading == second.heading:
                yield RowSet(p.Or((a.plan, b.plan)), "or", mentions=both)
        for a, b, c in combinations(singles, 3):
            places = {each.mentions[0].start for each in (a, b, c)}
            if len(places) == 3:
                yield RowSet(p.And((a.plan, b.plan, c.plan)), "and", mentions=(*a.mentions, *b.mentions, *c.mentions))
        for number in numbers:
            for single in singles[:4]:
                mention = single.mentions[0]
                if not any(mention.start <= amount.place < mention.end for amount in number.amounts):
                    plan = p.Where(single.plan, number.plan.test)  # type: ignore[attr-defined]
                    yield RowSet(plan, number.shape, "", single.mentions, number.amounts, number.keys)

    def _compared(self) -> Iterator[RowSet]:
        """Rows by a stated number or year: above, below, between."""
        for heading in self._ordered:
            for amount in self._amounts[:3]:
                if (heading.kind == "date") != amount.year and heading.kind == "date":
                    continue
                for op in _SIGNS:
                    test = p.Test((p.Step(heading.relation),), op, p.Number(amount.value))
                    yield RowSet(p.Where(self._all, test), f"number {op}", "", (), (amount,), (heading,))
            for low, high in combinations(self._amounts[:3], 2):
                if low.value < high.value and (heading.kind != "date" or (low.year and high.year)):
                    test = p.Test((p.Step(heading.relation),), "between", p.Number(low.value), p.Number(high.value))
                    yield RowSet(p.Where(self._all, test), "between", "", (), (low, high), (heading,))

    def _moved(self, rows: RowSet) -> Iterator[RowSet]:
        """The first, the last, those with the largest and smallest of each column; some of them, or the second."""
        size = len(self._members(rows.plan))
        if size < 2:
            return
        some = [int(a.value) for a in self._amounts if 1 < a.value < min(size, 20) and a.value == int(a.value)][:1]
        second = next((n for w, n in _PLACES.items() if w in self.words), 0)
        for largest in (False, True):
            name = "last" if largest else "first"
            yield self._topped(rows, (_ORDER,), largest, name)
            if second:
                yield self._topped(rows, (_ORDER,), largest, f"{name} later", skip=second)
            for k in some:
                yield self._topped(rows, (_ORDER,), largest, f"{name} few", k)
            for heading in self._ordered:
                most = f"{'most' if largest else 'least'} {heading.kind}"
                key = (p.Step(heading.relation),)
                yield self._topped(rows, key, largest, most, heading=heading)
                if second:
                    yield self._topped(rows, key, largest, f"{most} later", skip=second, heading=heading)
                for k in some:
                    yield self._topped(rows, key, largest, f"{most} few", k, heading=heading)

    @staticmethod
    def _topped(
        rows: RowSet, key: p.Path, largest: bool, name: str, k: int = 1, skip: int = 0, heading: Heading | None = None
    ) -> RowSet:
        keys = rows.keys if heading is None else (*rows.keys, heading)
        return RowSet(
            p.Top(rows.plan, p.Key(key), largest, k, skip), rows.shape, name, rows.mentions, rows.amounts, keys
        )

    def _beside(self, rows: RowSet) -> Iterator[RowSet]:
        """The rows next to some, and those that share a cell with them."""
        size = len(self._members(rows.plan))
        if not 0 < size <= 10:
            return
        first, last = p.Top(rows.plan, p.Key((_ORDER,)), False), p.Top(rows.plan, p.Key((_ORDER,)), True)
        for name, start, forward in (("next", last, True), ("before", first, False)):
            of = rows.plan if size == 1 else start
            plan = p.Follow(of, (p.Step(NEXT, forward),))
            yield RowSet(plan, rows.shape, name, rows.mentions, rows.amounts, rows.keys)
        if size > 2 or len(rows.mentions) != 1:
            return
        place = p.Values(rows.plan, (_ORDER,))
        if size == 1:
            for name, op in (("all after", ">"), ("all before", "<")):
                test = p.Test((_ORDER,), op, place)  # type: ignore[arg-type]
                yield RowSet(p.Where(self._all, test), rows.shape, name, rows.mentions, (), ())
        for heading in self._table.headings[1 : MOST_READ + 1]:
            if heading == rows.mentions[0].heading:
                continue
            path = (p.Step(heading.relation),)
            back = (p.Step(heading.relation, False),)
            same = p.Minus(p.Follow(p.Follow(rows.plan, path), back), rows.plan)
            yield RowSet(same, rows.shape, "same", rows.mentions, (), (heading,))
            if heading.kind != "text" and size == 1:
                for name, op in (("more than", ">"), ("less than", "<")):
                    test = p.Test(path, op, p.Values(rows.plan, path))  # type: ignore[arg-type]
                    yield RowSet(p.Where(self._all, test), rows.shape, name, rows.mentions, (), (heading,))

    # -- what is asked of them ---------------------------------------------------------------------------------------

    def _asked(self, sets: list[RowSet]) -> Iterator[Found]:
        yield from self._read_all(sets)
        for rows in sets:
            yield from self._number(p.Count(rows.plan), "count", rows, None)
            if rows.shape != "all":
                yield self._truth(rows)
            for heading in self._table.headings[1:]:
                if all(m.heading != heading for m in rows.mentions):
                    plan = p.Count(p.Follow(rows.plan, (p.Step(heading.relation),)))
                    yield from self._number(plan, "count different", rows, heading)

    def _read_all(self, sets: list[RowSet]) -> Iterator[Found]:
        for rows in sets:
            members = self._members(rows.plan)
            if not len(members):
                continue
            if rows.move in ("same", "all after", "all before", "more than", "less than", "next", "before"):
                yield from self._number(p.Count(rows.plan), "count", rows, None)
            for heading in self._table.headings[: MOST_READ + 1]:
                yield from self._read(rows, heading)

    def _read(self, rows: RowSet, heading: Heading) -> Iterator[Found]:
        plan: p.Plan
        if not heading.relation:
            members, plan = self._members(rows.plan), rows.plan
        else:
            path = (p.Step(heading.relation),)
            plan = p.Values(rows.plan, path)
            members = np.unique(self._executor.pairs(self._members(rows.plan), path)[1])
        if 0 < len(members) <= MOST_TEXTS:
            yield Found(plan, "read", rows, heading, self._texts(members))

    def _summed(self, sets: list[RowSet]) -> Iterator[Found]:
        for rows in sets:
            for heading in self._ordered:
                if heading.kind != "number":
                    continue
                path = (p.Step(heading.relation),)
                for how in ("sum", "mean"):
                    yield from self._number(p.Aggregate(how, rows.plan, path), how, rows, heading)
                most, least = p.Aggregate("max", rows.plan, path), p.Aggregate("min", rows.plan, path)
                yield from self._number(p.Arithmetic("-", most, least), "range", rows, heading)

    def _commonest(self) -> Iterator[Found]:
        base = RowSet(self._all, "all")
        for heading in self._table.headings[1 : MOST_READ + 1]:
            path, back = (p.Step(heading.relation),), (p.Step(heading.relation, False),)
            values = p.Follow(self._all, path)
            for largest in (True, False):
                plan = p.Top(values, p.Key(back, "count"), largest)
                name = "commonest" if largest else "rarest"
                members = self._members(plan)
                if 0 < len(members) <= MOST_TEXTS:
                    rows = RowSet(base.plan, "all", name, keys=(heading,))
                    yield Found(plan, "read", rows, heading, self._texts(members))
            for amount in self._amounts[:2]:
                if amount.value == int(amount.value) and 0 < amount.value < 100:
                    for op in ("=", ">", ">="):
                        kept = p.WhereCount(values, back, op, int(amount.value))
                        rows = RowSet(base.plan, "all", f"often {op}", amounts=(amount,), keys=(heading,))
                        members = self._members(kept)
                        if len(members) > 0:
                            yield from self._number(p.Count(kept), "count", rows, heading)
                            if len(members) <= MOST_TEXTS:
                                yield Found(kept, "read", rows, heading, self._texts(members))
            if heading.kind == "number":  # "which country won the most in all": summed over its rows
                for other in self._table.headings[1:MOST_READ]:
                    if other.kind == "text" and other != heading:
                        through = (p.Step(other.relation, False), p.Step(heading.relation))
                        plan = p.Top(p.Follow(self._all, (p.Step(other.relation),)), p.Key(through, "sum"), True)
                        members = self._members(plan)
                        if 0 < len(members) <= 3:
                            rows = RowSet(base.plan, "all", "most summed", keys=(heading,))
                            yield Found(plan, "read", rows, other, self._texts(members))

    def _two(self, singles: list[RowSet]) -> Iterator[Found]:
        """Two things that are named, against each other."""
        for a, b in combinations(singles, 2):
            first, second = a.mentions[0], b.mentions[0]
            if first.start == second.start or first.heading != second.heading or first.exact != second.exact:
                continue
            if first.start > second.start:
                a, b, first, second = b, a, second, first
            both = (first, second)
            rows = RowSet(p.Or((a.plan, b.plan)), "two", mentions=both)
            yield from self._number(
                p.Arithmetic("-", p.Count(a.plan), p.Count(b.plan)), "difference of counts", rows, None
            )
            back: p.Path = (p.Step(first.heading.relation, False),) if first.heading.relation else ()
            sides = p.Entities(first.ids), p.Entities(second.ids)
            keys: list[tuple[p.Key, str, Heading | None]] = [(p.Key((*back, _ORDER)), "order", None)]
            if back and len(first.ids) == len(second.ids) == 1:
                keys.append((p.Key(back, "count"), "count", None))
            keys += [(p.Key((*back, p.Step(h.relation))), h.kind, h) for h in self._ordered]
            for key, kind, heading in keys:
                used = RowSet(rows.plan, "two", "", both, (), () if heading is None else (heading,))
                for largest in (True, False):
                    plan = p.Compare(*sides, key, largest)
                    members = self._members(plan)
                    if len(members) == 1:
                        name = f"the {'more' if largest else 'less'} by {kind}"
                        yield Found(plan, name, used, first.heading, self._texts(members))
                if heading is not None and len(self._members(a.plan)) == len(self._members(b.plan)) == 1:
                    direct = p.Key((p.Step(heading.relation),))
                    yield from self._number(p.Difference(a.plan, b.plan, direct), "difference", used, heading)
                    yield from self._number(p.Difference(b.plan, a.plan, direct), "difference", used, heading)

    # -- running -----------------------------------------------------------------------------------------------------

    def _members(self, plan: p.SetPlan) -> Ints:
        try:
            return self._executor.members(plan)
        except ClewError:
            return np.empty(0, np.int32)

    def _number(self, plan: p.ValuePlan, ask: str, rows: RowSet, read: Heading | None) -> Iterator[Found]:
        try:
            quantity = self._executor.quantity(plan)
        except ClewError:
            return
        if quantity is not None:
            number = quantity.value if quantity.reading.kind == "number" else None
            yield Found(plan, ask, rows, read, (str(quantity),), number)

    def _truth(self, rows: RowSet) -> Found:
        held = bool(len(self._members(rows.plan)))
        return Found(p.Exists(rows.plan), "exists", rows, None, ("yes" if held else "no",))

    def _texts(self, members: Ints) -> tuple[str, ...]:
        return tuple(self._table.graph.labels_at(members))

    def _distinct(self, sets: list[RowSet]) -> list[RowSet]:
        """One of each set of rows that is not empty: of several ways to it the one that uses most of the question."""
        best: dict[tuple[bytes, str, str, tuple[Heading, ...]], RowSet] = {}
        for each in sets:
            members = self._members(each.plan)
            if len(members):
                key = (members.tobytes(), each.move, each.shape, each.keys)
                if key not in best or _covered(each) > _covered(best[key]):
                    best[key] = each
        return list(best.values())


MOST_TEXTS = 60  # values that one answer may have
_PLACES = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3, "fifth": 4}


def _with(mention: CellMention) -> p.SetPlan:
    """The rows that hold what is mentioned."""
    cells = p.Entities(mention.ids)
    return cells if not mention.heading.relation else p.Follow(cells, (p.Step(mention.heading.relation, False),))


def _covered(rows: RowSet) -> float:
    """How many words of the question a set of rows stands on; exact cells a little more."""
    words = {i for m in rows.mentions for i in range(m.start, m.end)} | {a.place for a in rows.amounts}
    return len(words) + 0.1 * sum(m.exact for m in rows.mentions) - 0.05 * len(rows.amounts)
