"""The executor: a plan over the arrays of a graph. Sets are ascending arrays of entity numbers, nothing else.

Kept apart from everything that speaks: it takes numbers to numbers, and reports in `notes` whatever a limit cut and
whichever members had no value. A set that several parts of a plan share is made once.

Shapes: n members, m pairs of a member and what its path leads to, N entities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from clew.errors import ClewError, InputError
from clew.graph import Graph
from clew.graph.layout import NAMED
from clew.graph.sets import distinct, held, shared, without
from clew.graph.subgraph import HUB, Ints
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.columns import Bools, Column, Floats, column, column_of
from clew.query.combining import Figures, combined, joined
from clew.query.comparing import Readings, satisfied, text_matches
from clew.query.edges import edges_of
from clew.query.elapsed import elapsed
from clew.query.pairs import PairBudget, Places, pairs, starts
from clew.query.text import show, show_measure, show_path
from clew.query.values import ReadValue, from_base, in_base, shown_date, shown_number, unit_of

FOLLOWING = 5  # how many of those that come after the chosen ones a ranking keeps, for the evidence
Makes = Literal["set", "values", "number", "truth"]


@dataclass(frozen=True, slots=True)
class ExecutionLimits:
    """What one plan may touch. What is cut is reported; `all()` over more entities than `everything` is refused."""

    pairs: int = 20_000_000
    everything: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, or a date where `kind` says so, with its unit; `low` and `high` are in the base unit or in seconds."""

    reading: ReadValue
    unit: str = ""

    @property
    def value(self) -> float:
        """In the stated unit."""
        return from_base(self.reading.low, self.unit) if self.reading.kind == "number" else self.reading.low

    def __str__(self) -> str:
        if self.reading.kind == "date":
            return shown_date(self.reading)
        return f"{shown_number(self.value)} {self.unit}".strip()


@dataclass(frozen=True, slots=True)
class Ranking:
    """How a superlative came about."""

    compared: int
    missing: int
    members: Ints  # the chosen ones, best first
    keys: Floats  # their keys, in the column's base unit
    next_members: Ints  # a few that come after them, best first
    next_keys: Floats
    unit: str = ""
    kind: str = "number"
    precision: str = ""

    def said(self, key: float) -> str:
        """A key as people write it."""
        return str(
            Quantity(ReadValue("date" if self.kind == "date" else "number", key, key, self.precision), self.unit)
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What a plan makes. `members` are entity numbers: of a superlative best first, else ascending."""

    plan: p.Plan
    makes: Makes
    members: Ints
    quantity: Quantity | None = None  # of a plan that makes a number; None there: it has none, and `notes` say why
    truth: bool | None = None
    ranking: Ranking | None = None  # of a superlative at the root
    complete: bool = True
    notes: tuple[str, ...] = ()


def execute(plan: p.Plan, graph: Graph, *, limits: ExecutionLimits | None = None) -> Result:
    """Run a plan on the embedded store.

    Raises:
        NotFoundError: an entity, class or relation is not in the graph; the message holds the nearest.
        InputError: something is compared that has no order, units do not fit, or `all()` is too large.
    """
    return Executor(graph, limits or ExecutionLimits()).run(plan)


class Executor:
    """Runs plans on one graph and remembers the sets it made."""

    def __init__(self, graph: Graph, limits: ExecutionLimits) -> None:
        self.graph, self.whole, self.binding = graph, graph.whole, Binding.of(graph)
        self._limits = limits
        self._budget = PairBudget(limits.pairs)
        self._made: dict[p.SetPlan, Ints] = {}
        self.rankings: dict[p.SetPlan, Ranking] = {}
        self.notes: dict[str, None] = {}

    def run(self, plan: p.Plan) -> Result:
        for _ in p.walk(plan):
            pass
        members, quantity, truth, ranking = np.empty(0, np.int32), None, None, None
        makes: Makes = "set"
        match plan:
            case p.SetPlan():
                members = self.members(plan)
                ranking = self.rankings.get(plan)
                if ranking is not None:
                    members = ranking.members
            case p.Values(of, path):
                makes = "values"
                members = distinct(self.pairs(self.members(of), path)[1])
                self._missing(of, path)
            case p.ValuePlan():
                makes, quantity = "number", self.quantity(plan)
            case p.TruthPlan():
                makes, truth = "truth", self.truth(plan)
        if self._budget.cut:
            self.note(
                f"cut at {self._budget.limit:,} steps: {self._budget.cut:,} more triples were not looked at, "
                "so the result may be incomplete"
            )
        return Result(plan, makes, members, quantity, truth, ranking, not self._budget.cut, tuple(self.notes))

    def note(self, text: str) -> None:
        self.notes[text] = None

    # -- sets --------------------------------------------------------------------------------------------------------

    def members(self, node: p.SetPlan) -> Ints:
        """The set a node makes: ascending entity numbers."""
        if node not in self._made:
            self._made[node] = self._members(node)
        return self._made[node]

    def found(self, node: p.SetPlan) -> Ints:
        """The same; none where the set cannot be made within the limits, or names what is not there."""
        try:
            return self.members(node)
        except ClewError:
            return np.empty(0, np.int32)

    def _members(self, node: p.SetPlan) -> Ints:
        match node:
            case p.Entities(ids):
                return self.binding.entities(ids)
            case p.Class(id):
                classes, relations = self.binding.instances_of(id)
                found = [pairs(self.whole, classes, ((r, False),), self._budget)[1] for r in relations]
                if len(found) == 1 and len(found[0]) > HUB and len(classes) == 1:
                    return found[0]  # of a store: in order, and not copied
                return distinct(np.concatenate(found))
            case p.EdgesOf(relation):
                return edges_of(self.graph, self.binding.relation(relation))
            case p.All():
                return self._everything()
            case p.Follow(of, path, qualifiers):
                return self._follow(of, path, qualifiers)
            case p.And(sets):
                return self._and(sets)
            case p.Or(sets):
                return distinct(np.concatenate([self.members(each) for each in sets]))
            case p.Minus(of, taken):
                return without(self.members(of), self.members(taken))
            case p.Where(of, test):
                return self._where(self._having(of, test.path), test, of)
            case p.WhereCount(of, path, op, n, among):
                if isinstance(n, tuple):
                    return self._held_against(self.members(of), path, op, n, among)
                members = self.members(of) if _holds(op, 0, n) else self._having(of, path)
                counts = self._counts(members, path, among)
                kept: Ints = members[_compared(op, counts, n)]
                return kept
            case p.Top(of, key, largest, k, skip):
                return self._top(node, self.members(of) if key.how == "count" else self._having(of, key.path), key,
                                 largest, k, skip)  # fmt: skip
            case p.Compare(a, b, key, largest):
                both = np.union1d(self.members(a), self.members(b)).astype(np.int32)
                return self._top(node, both, key, largest, 1, 0)
        raise TypeError(f"no set: {node!r}")

    def _everything(self) -> Ints:
        numbers = np.flatnonzero(self._named(np.arange(self.graph.num_entities))).astype(np.int32)
        if len(numbers) > self._limits.everything:
            raise InputError(
                f"all() would go over {len(numbers):,} entities, more than {self._limits.everything:,}: "
                "start from an entity or a class, or put all() into a where()"
            )
        return numbers

    def _named(self, numbers: Any) -> Bools:
        base = self.graph.base_entities
        return np.asarray(self.graph.terms.kinds[numbers if base is None else base[numbers]] == NAMED)

    def _having(self, of: p.SetPlan, path: p.Path) -> Ints:
        """The members of a set; of all() only those that have the first relation of `path`, found from its triples."""
        if not isinstance(of, p.All) or not path:
            return self.members(of)
        relation, forward = self.binding.moves(path)[0]
        mine = np.flatnonzero(self.whole.rels == relation)
        nodes = np.unique((self.whole.heads if forward else self.whole.tails)[mine])
        return nodes[self._named(nodes)]

    def _and(self, sets: tuple[p.SetPlan, ...]) -> Ints:
        """What all share; all() among others only says that a member is named, and is not gone over."""
        others = [each for each in sets if not isinstance(each, p.All)]
        if not others:
            return self._everything()
        common = self.members(others[0])
        for each in others[1:]:
            if not len(common):
                break
            common = shared(common, self.members(each))
        return common if len(others) == len(sets) else common[self._named(common)]

    def _follow(self, of: p.SetPlan, path: p.Path, qualifiers: tuple[p.Test, ...]) -> Ints:
        if not qualifiers:
            return distinct(self.pairs(self.members(of), path)[1])
        between = distinct(self.pairs(self.members(of), path[:1])[1])
        for test in qualifiers:
            between = self._where(between, test, None)
        return distinct(self.pairs(between, path[1:])[1])

    def pairs(self, members: Ints, path: p.Path) -> tuple[Places, Ints]:
        """(position among members, end) over a path, each once."""
        return pairs(self.whole, members, self.binding.moves(path), self._budget)

    def _counts(self, members: Ints, path: p.Path, among: p.SetPlan | None) -> Places:
        return np.bincount(self._among(members, path, among)[0], minlength=len(members))

    def _held_against(
        self, members: Ints, path: p.Path, op: p.CountOp, stated: p.Path, among: p.SetPlan | None
    ) -> Ints:
        """The members whose count of things compares so with a number that they state."""
        figures, counts = self.figures(members, stated, None, "wherecount"), self._counts(members, path, among)
        self._say_missing(len(members), len(starts(figures.owners)), stated)
        kept: Ints = members[distinct(figures.owners[_compared(op, counts[figures.owners], figures.low)])]
        return kept

    def _among(self, members: Ints, path: p.Path, among: p.SetPlan | None) -> tuple[Places, Ints]:
        """The pairs whose ends are in a set, where one is stated."""
        owners, ends = self.pairs(members, path)
        if among is None:
            return owners, ends
        meant = held(ends, self.members(among))
        return owners[meant], ends[meant]

    # -- values ------------------------------------------------------------------------------------------------------

    def column(self, path: p.Path, ends: Ints) -> Column:
        """How the ends of a path are read: as its last relation's column, or by themselves."""
        if not path:
            return column_of(self.graph, np.unique(ends))
        relation, forward = self.binding.moves(path)[-1]
        return column(self.graph, relation, forward)

    def ordered(self, path: p.Path, ends: Ints, why: str) -> Column:
        """The column of a path, which must have an order. An empty one has nothing to order and passes."""
        found = self.column(path, ends)
        if not found.ordered and len(ends):
            if found.kind == "text":
                held = "none of its values reads as a number or a date"
            else:
                held = f"only {found.share:.0%} of its values read as a {found.kind}"
            raise InputError(f"{_named(path)} has no order, so it cannot be used for {why}: {held}")
        return found

    def figures(
        self, members: Ints, path: p.Path, beside: p.Beside | None, why: str, among: p.SetPlan | None = None
    ) -> Figures:
        """What members have at the end of a path, put together with what they have beside it.

        A value counts once for each thing that states it: two matches with two goals each are four goals.
        """
        if isinstance(beside, p.Since):
            return self._spans(members, path, beside)
        if len(path) < 2:
            return self._figures(members, path, beside, why)
        owners, between = self._among(members, path[:-1], among)
        things, thing = np.unique(between, return_inverse=True)
        stated = self._figures(things, path[-1:], beside, why)
        member, value = joined(thing, stated.owners, len(things))
        return Figures(owners[member], stated.low[value], stated.high[value], stated.column)

    def _figures(self, things: Ints, path: p.Path, beside: p.Combined | None, why: str) -> Figures:
        """What things state by one step, put together with another number of theirs."""
        mine = self._stated(things, path, why)
        if beside is None:
            return mine
        return combined(mine, self._stated(things, beside.path, why), path, beside, len(things))

    def _stated(self, things: Ints, path: p.Path, why: str) -> Figures:
        owners, ends = self.pairs(things, path)
        found = self.ordered(path, ends, why)
        known, low, high = found.of(ends)
        return Figures(owners[known], low[known], high[known], found)

    def _spans(self, members: Ints, path: p.Path, since: p.Since) -> Figures:
        """Of each member the time from its first date on the one path to its last on the other."""
        sides = []
        for each, best in ((since.path, 1), (path, -1)):
            dates = self.figures(members, each, None, "the time between two dates")
            if dates.column.kind != "date" and len(dates.low):
                raise InputError(f"{_named(each)} holds no dates: there is no time between them")
            order = np.lexsort((best * dates.low, dates.owners))
            first = order[starts(dates.owners[order])]
            sides.append((dates.owners[first], dates.low[first], dates.high[first]))
        (a, a_low, a_high), (b, b_low, b_high) = sides
        owners, mine, theirs = np.intersect1d(a, b, assume_unique=True, return_indices=True)
        known, times = elapsed(a_low[mine], a_high[mine], b_low[theirs], b_high[theirs], since.unit)
        base = times[known] * in_base(1.0, since.unit)
        nodes = np.arange(len(base), dtype=np.int32)
        return Figures(owners[known], base, base, Column("number", 1.0, nodes, base, base, "time", since.unit))

    def _where(self, members: Ints, test: p.Test, of: p.SetPlan | None) -> Ints:
        if test.beside is not None or test.how != "value":
            return self._measured(members, test)
        owners, ends = self.pairs(members, test.path)
        keep = self._satisfying(ends, test)
        if test.op not in ("contains", "starts") and not isinstance(test.value, (p.Text, p.Entities)):
            readable = self.column(test.path, ends).of(ends)[0]
            self._say_missing(len(members), len(starts(owners[readable])), test.path)
        kept: Ints = members[distinct(owners[keep])]
        return kept

    def _measured(self, members: Ints, test: p.Test) -> Ints:
        """The members of which what is put together of two values, the sum or the mean of values satisfies a test."""
        if test.how == "value":
            found = self.figures(members, test.path, test.beside, repr(test.op))
            having = members[found.owners]
            nodes = np.arange(len(having), dtype=np.int32)
            compared = replace(found.column, nodes=nodes, low=found.low, high=found.high)
            self._say_missing(len(members), len(starts(found.owners)), test.path, test.beside)
        else:
            key = p.Key(test.path, test.how, test.among, test.beside)
            having, keys, read = self._keys(members, key, largest=True)
            assert read is not None
            compared = replace(read, nodes=np.arange(len(keys), dtype=np.int32), low=keys, high=keys)
        against = self._against(test)
        if not len(having) or not len(against.low):
            return members[:0]
        note: Callable[[str], None] = self.note
        name = _named(test.path, test.beside)
        return distinct(having[satisfied(compared, compared.nodes, test.op, against, name, note)])

    def _against(self, test: p.Test) -> Readings:
        """The values that a test compares with."""
        against = self._readings(test.value)
        return against if test.upper is None else replace(against, upper=self._readings(test.upper))

    def _satisfying(self, ends: Ints, test: p.Test) -> Bools:
        """Which ends satisfy the test: (m,)."""
        value = test.value
        if isinstance(value, p.Text):
            unique, back = np.unique(ends, return_inverse=True)
            return text_matches(self.graph.labels_at(unique), test.op, value.text)[back]
        if isinstance(value, p.Entities) or (isinstance(value, p.Values) and not self._orders(value)):
            wanted = (
                self.binding.entities(value.ids)
                if isinstance(value, p.Entities)
                else distinct(self.pairs(self.members(value.of), value.path)[1])
            )
            if test.op not in ("=", "!="):
                raise InputError(f"{test.op!r} needs a number or a date, and {show(value)} makes none")
            among = np.isin(ends, wanted)
            return among if test.op == "=" else (~among if len(wanted) == 1 else np.ones(len(ends), bool))
        against = self._against(test)
        found = self.ordered(test.path, ends, repr(test.op))
        if not len(ends) or not len(against.low):
            return np.zeros(len(ends), bool)
        note: Callable[[str], None] = self.note
        return satisfied(found, ends, test.op, against, _named(test.path), note)

    def _orders(self, value: p.Values) -> bool:
        ends = self.pairs(self.members(value.of), value.path)[1]
        return self.column(value.path, ends).ordered

    def _readings(self, value: p.Value) -> Readings:
        """A stated or computed value as intervals."""
        match value:
            case p.Number(number, unit):
                low = np.array([number])
                return Readings("number", low, low, unit)
            case p.Date():
                reading = value.reading
                return Readings("date", np.array([reading.low]), np.array([reading.high]), "", reading.dimension)
            case p.Values(of, path):
                ends = distinct(self.pairs(self.members(of), path)[1])
                found = self.ordered(path, ends, "a comparison")
                known, low, high = found.of(ends)
                low, high = low[known], high[known]
                if found.kind == "number":
                    low = high = np.array([from_base(float(v), found.unit) for v in low])
                return Readings(found.kind, low, high, found.unit, found.precision)
            case p.ValuePlan():
                quantity = self.quantity(value)
                if quantity is None:
                    return Readings("number", np.empty(0), np.empty(0))
                if quantity.reading.kind == "date":
                    r = quantity.reading
                    return Readings("date", np.array([r.low]), np.array([r.high]), "", r.dimension)
                low = np.array([quantity.value])
                return Readings("number", low, low, quantity.unit)
        raise TypeError(f"no value: {value!r}")

    def _missing(self, of: p.SetPlan, path: p.Path) -> None:
        members = self.members(of)
        self._say_missing(len(members), len(starts(self.pairs(members, path)[0])), path)

    def _say_missing(self, members: int, known: int, path: p.Path, beside: p.Beside | None = None) -> None:
        if known < members:
            self.note(f"{members - known:,} of {members:,} have no {_named(path, beside)}")

    # -- superlatives ------------------------------------------------------------------------------------------------

    def _keys(self, members: Ints, key: p.Key, largest: bool) -> tuple[Ints, Floats, Column | None]:
        """The members that have a key, and their keys: the best value, or how many, the sum, the mean."""
        if key.how == "count":
            return members, self._counts(members, key.path, key.among).astype(np.float64), None
        why = "a superlative" if key.how == "value" else f"a {key.how}"
        figures = self.figures(members, key.path, key.beside, why, key.among)
        owners, low, found = figures.owners, figures.low, figures.column
        if key.how != "value" and found.kind == "date":
            raise InputError(f"{_named(key.path)} holds dates: they have no {key.how}")
        first = starts(owners)
        having = owners[first]
        self._say_missing(len(members), len(having), key.path, key.beside)
        if not len(having):
            return members[:0], np.empty(0), found
        if key.how == "value":
            best: Floats = (np.maximum if largest else np.minimum).reduceat(low, first)
            return members[having], best, found
        sums: Floats = np.bincount(owners, weights=low, minlength=len(members))[having].astype(np.float64)
        if key.how == "mean":
            sums = sums / np.bincount(owners, minlength=len(members))[having]
        return members[having], sums, found

    def _top(self, node: p.SetPlan, members: Ints, key: p.Key, largest: bool, k: int, skip: int) -> Ints:
        having, keys, found = self._keys(members, key, largest)
        score = keys if largest else -keys
        chosen, following = np.empty(0, np.int64), np.empty(0, np.int64)
        if skip < len(score):
            last = min(skip + k, len(score))
            ends = np.partition(score, [len(score) - skip - 1, len(score) - last])
            best, worst = ends[len(score) - skip - 1], ends[len(score) - last]
            chosen = _ranked(np.flatnonzero((score <= best) & (score >= worst)), score)
            after = np.flatnonzero(score < worst)
            if len(after) > FOLLOWING:
                after = after[np.argpartition(-score[after], FOLLOWING)[:FOLLOWING]]
            following = _ranked(after, score)
        self.rankings[node] = Ranking(
            len(having), len(members) - len(having), having[chosen], keys[chosen], having[following], keys[following],
            found.unit if found else "", found.kind if found else "number", found.precision if found else "",
        )  # fmt: skip
        if len(chosen) > k and skip + k <= len(score):
            places = f"places {skip + 1}–{skip + k}" if k > 1 else f"place {skip + 1}"
            self.note(f"{len(chosen)} share the {places}")
        return np.sort(having[chosen])

    # -- numbers and truth -------------------------------------------------------------------------------------------

    def quantity(self, node: p.ValuePlan) -> Quantity | None:
        """The number a node makes; None where there is nothing to make it of, which a note says."""
        match node:
            case p.Count(of):
                return _plain(float(len(self.members(of))))
            case p.Aggregate(how, of, path, beside):
                return self._aggregate(how, self.members(of), path, beside)
            case p.Difference(a, b, key, unit):
                return self._difference(self._scalar(a, key), self._scalar(b, key), node, unit)
            case p.Arithmetic(sign, a, b):
                return self._arithmetic(sign, self.quantity(a), self.quantity(b), node)
            case p.Values(of, path):
                return self._aggregate("max", self.members(of), path)
        raise TypeError(f"no number: {node!r}")

    def _aggregate(
        self, how: str, members: Ints, path: p.Path, beside: p.Beside | None = None, among: p.SetPlan | None = None
    ) -> Quantity | None:
        figures = self.figures(members, path, beside, f"a {how}", among)
        low, high, found = figures.low, figures.high, figures.column
        self._say_missing(len(members), len(starts(figures.owners)), path, beside)
        if found.kind == "date" and how in ("sum", "mean"):
            raise InputError(f"{_named(path)} holds dates: they have no {how}")
        if not len(low):
            self.note(f"there is no {_named(path, beside)} to take the {how} of")
            return _plain(0.0) if how == "sum" else None
        if found.kind == "date":
            at = int(np.argmax(low) if how == "max" else np.argmin(low))
            if found.precision == "clock":
                return Quantity(ReadValue("date", float(low[at]), float(low[at]), "clock"))
            return Quantity(_precise(float(low[at]), float(high[at])))
        made = float({"sum": low.sum(), "mean": low.mean(), "min": low.min(), "max": low.max()}[how])
        return Quantity(ReadValue("number", made, made, found.dimension, found.unit), found.unit)

    def _scalar(self, of: p.SetPlan, key: p.Key) -> Quantity | None:
        """The key of a whole set: its largest value, or the count, sum or mean over it."""
        members = self.members(of)
        if key.how == "count":
            return _plain(float(len(distinct(self._among(members, key.path, key.among)[1]))))
        return self._aggregate("max" if key.how == "value" else key.how, members, key.path, key.beside, key.among)

    def _difference(
        self, a: Quantity | None, b: Quantity | None, node: p.Plan, unit: p.TimeUnit | None = None
    ) -> Quantity | None:
        if a is None or b is None:
            return None
        if unit is not None:
            return self._apart(a, b, node, unit)
        if "date" in (a.reading.kind, b.reading.kind):
            if a.reading.kind != b.reading.kind:
                raise InputError(f"{show(node)}: a date and a number have no difference")
            if a.reading.dimension == b.reading.dimension == "year":
                return _plain(float(int(shown_date(a.reading)) - int(shown_date(b.reading))), "years")
            apart = a.reading.low - b.reading.low
            return Quantity(ReadValue("number", apart, apart, "time", "days"), "days")
        apart = a.value - b.value
        return _plain(apart, a.unit)

    def _apart(self, a: Quantity, b: Quantity, node: p.Plan, unit: p.TimeUnit) -> Quantity | None:
        """The time from one date to another."""
        if not a.reading.kind == b.reading.kind == "date":
            raise InputError(f"{show(node)}: there are {unit} between two dates only")
        first, last = ((np.array([each.reading.low]), np.array([each.reading.high])) for each in (b, a))
        known, times = elapsed(*first, *last, unit)
        if not known[0]:
            self.note(f"the dates are not known exactly enough to count the {unit} between them")
            return None
        return _plain(float(times[0]), unit)

    def _arithmetic(self, sign: str, a: Quantity | None, b: Quantity | None, node: p.Plan) -> Quantity | None:
        if a is None or b is None:
            return None
        if "date" in (a.reading.kind, b.reading.kind):
            if sign == "-":
                return self._difference(a, b, node)
            raise InputError(f"{show(node)}: dates cannot be added, multiplied or divided")
        if sign in "+-" and a.unit and b.unit and a.reading.dimension != b.reading.dimension:
            raise InputError(f"{show(node)}: {a.unit} and {b.unit} cannot be added or subtracted")
        if sign == "/" and b.value == 0:
            self.note("division by zero has no result")
            return None
        made = {"+": a.value + b.value, "-": a.value - b.value, "*": a.value * b.value, "/": 0.0}[sign]
        if sign == "/":
            made = a.value / b.value
        unit = a.unit if sign in "+-" or not b.unit else ""
        return _plain(made, unit)

    def truth(self, node: p.TruthPlan) -> bool:
        match node:
            case p.Exists(of):
                return len(self.members(of)) > 0
            case p.Is(of, within):
                members = self.members(of)
                return len(members) > 0 and bool(np.isin(members, self.members(within)).all())
        raise TypeError(f"no truth: {node!r}")


def _ranked(places: Places, score: Floats) -> Places:
    """Places by falling score; equal ones in their own order."""
    ordered: Places = places[np.argsort(-score[places], kind="stable")]
    return ordered


def _plain(value: float, unit: str = "") -> Quantity:
    known = unit_of(unit) if unit else None
    base = in_base(value, unit)
    return Quantity(ReadValue("number", base, base, known.dimension if known else "", unit), unit)


def _precise(low: float, high: float) -> ReadValue:
    """A date's interval with the precision that its length shows."""
    days = (high - low) / 86_400
    return ReadValue(
        "date", low, high, "second" if days == 0 else "day" if days == 1 else "month" if days < 32 else "year"
    )


def _named(path: p.Path, beside: p.Beside | None = None) -> str:
    if isinstance(beside, p.Since):
        return f"time from {show_path(beside.path)} to {show_path(path)}"
    return show_measure(path, beside) if path else "value"


def _compared(op: str, left: Any, right: Any) -> Any:
    return {
        "=": np.equal, "!=": np.not_equal, "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
    }[op](left, right)  # fmt: skip


def _holds(op: str, left: int, right: int) -> bool:
    return bool(_compared(op, left, right))
