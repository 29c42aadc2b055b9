"""The plan: what is asked, as a small typed tree of frozen records.

Kept apart from reading, executing and translating, which all walk the same records. A record checks itself when it is
made, so that a plan that exists is well-formed; whether its names exist is known only where it meets a graph.

Anchors: the functions of KoPL (Cao et al., ACL 2022) and the s-expressions of GrailQA (Gu et al., WWW 2021).

| node | makes |
|---|---|
| `Entities`, `Class`, `EdgesOf`, `All`, `Follow`, `And`, `Or`, `Minus` | a set |
| `Where`, `WhereCount`, `Top`, `Compare` | a set |
| `Values` | values |
| `Count`, `Aggregate`, `Difference`, `Arithmetic` | a number (a date where the smallest or largest of dates is asked) |
| `Exists`, `Is` | truth |
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from typing import Any, Literal, get_args

from clew.errors import InputError, unknown
from clew.query.values import ReadValue, parse_date, unit_of

Op = Literal["=", "!=", "<", "<=", ">", ">=", "between", "contains", "starts"]
CountOp = Literal["=", "!=", "<", "<=", ">", ">="]
How = Literal["value", "count", "sum", "mean"]
Summary = Literal["sum", "mean", "min", "max"]
Tested = Literal["value", "sum", "mean"]
Sign = Literal["+", "-", "*", "/"]
TimeUnit = Literal["seconds", "minutes", "hours", "days", "weeks", "months", "years"]

MAX_NODES = 400
MAX_DEPTH = 40
ORDERED: tuple[str, ...] = ("<", "<=", ">", ">=", "between")


@dataclass(frozen=True, slots=True)
class Step:
    """One relation (id or label), with or against its direction."""

    relation: str
    forward: bool = True

    def __post_init__(self) -> None:
        _text(self.relation, "a relation")
        _is(self.forward, bool, "the direction of a step")


Path = tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class Since:
    """Beside a path to a date: what is meant is the time that had passed by then since the date at the end of `path`.

    Of each member the time from its first date there to its last date here, below zero where that is before. Seconds to
    weeks are exact, days those of the calendar; months and years are completed ones, of dates that are known to the
    year only the years between. What is known less exactly than the unit has no such time.
    """

    path: Path
    unit: TimeUnit = "days"

    def __post_init__(self) -> None:
        _path(self.path)
        _one_of(self.unit, get_args(TimeUnit), "unit of time")


@dataclass(frozen=True, slots=True)
class Combined:
    """Beside a path to a number: what is meant is that number and the one at the end of `path`, put together: the
    quantity of a line times its price, the stock less the level that it is ordered again at.

    `path` starts where the last step of the other one does, so that two numbers of one thing are put together, each
    with each where it has several: `^order/quantity` and `product/price` are of the lines of an order.
    """

    path: Path
    sign: Sign

    def __post_init__(self) -> None:
        _path(self.path)
        _one_of(self.sign, get_args(Sign), "arithmetic sign")


Beside = Since | Combined


@dataclass(frozen=True, slots=True)
class Number:
    """A number as people state it: `value` in `unit`; an empty unit is none."""

    value: float
    unit: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or not isinstance(self.value, (int, float)) or not math.isfinite(self.value):
            raise InputError(f"{self.value!r} is not a finite number")
        _is(self.unit, str, "a unit")
        object.__setattr__(self, "value", float(self.value))
        if self.unit and unit_of(self.unit) is None:
            raise InputError(f"unknown unit {self.unit!r}; write for example km, ft, kg, km2, h, %, USD")


@dataclass(frozen=True, slots=True)
class Date:
    """A year, month, day or moment, written as in ISO 8601: 2008, 2008-05, 2008-05-03, -0044, 2008-05-03T10:00:00."""

    text: str

    def __post_init__(self) -> None:
        _is(self.text, str, "a date")
        _ = self.reading

    @property
    def reading(self) -> ReadValue:
        found = parse_date(self.text)
        if found is None:
            raise InputError(
                f"{self.text!r} is not a date; write a year, month or day such as 2008, 2008-05, 2008-05-03"
            )
        return found


@dataclass(frozen=True, slots=True)
class Text:
    """A text to compare with; upper and lower case are the same."""

    text: str

    def __post_init__(self) -> None:
        _is(self.text, str, "a text")


class Plan:
    """A node. Its class says what it makes."""

    __slots__ = ()


class SetPlan(Plan):
    """Makes a set of entities."""

    __slots__ = ()


class ValuePlan(Plan):
    """Makes values or one number."""

    __slots__ = ()


class TruthPlan(Plan):
    """Makes yes or no."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Entities(SetPlan):
    """These entities (ids or labels); several are namesakes, all of them meant."""

    ids: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.ids, tuple) or not self.ids:
            raise InputError("entity() names no entity; give at least one id or label")
        for id in self.ids:
            _text(id, "an entity")


Value = Number | Date | Text | Entities | ValuePlan


@dataclass(frozen=True, slots=True)
class Test:
    """A condition on what lies at the end of `path`: at least one value there satisfies it. `upper` ends a between.

    With `how` the condition is on the sum or the mean of all values there, added up as those of a `Key` and `among` the
    same things; `beside` says what it is put together with: the time between two dates, the product of two numbers.
    """

    path: Path
    op: Op
    value: Value
    upper: Value | None = None
    beside: Beside | None = None
    how: Tested = "value"
    among: SetPlan | None = None

    __test__ = False  # not a test case for pytest

    def __post_init__(self) -> None:
        _path(self.path, empty=True)
        _one_of(self.op, get_args(Op), "comparison")
        if not isinstance(self.value, (Number, Date, Text, Entities, ValuePlan)):
            raise InputError(f"{self.value!r} cannot be compared with; give a number, date, text, entity or value plan")
        if (self.upper is not None) != (self.op == "between"):
            raise InputError("between compares with two values, every other comparison with one")
        if self.op in ORDERED and isinstance(self.value, (Text, Entities)):
            what = "a text" if isinstance(self.value, Text) else "an entity"
            raise InputError(f"{what} has no order: {self.op!r} needs a number or a date")
        if self.op in ("contains", "starts") and not isinstance(self.value, Text):
            raise InputError(f"{self.op!r} compares with a text in quotes, not with {self.value!r}")
        if self.upper is not None and (
            type(self.upper) is not type(self.value) or not isinstance(self.value, (Number, Date))
        ):
            raise InputError("between needs two numbers or two dates")
        _put_together(self.beside, self.path)
        if self.beside is not None and isinstance(self.value, (Date, Text, Entities)):
            raise InputError(
                'the time between two dates is compared with a number, such as number(100, "days")'
                if isinstance(self.beside, Since)
                else "two numbers put together are compared with a number"
            )
        _one_of(self.how, get_args(Tested), "condition")
        if self.how != "value" and (isinstance(self.beside, Since) or not self.path):
            raise InputError(f"a {self.how} is taken of the numbers at the end of a path")
        if self.how != "value" and isinstance(self.value, (Date, Text, Entities, Values)):
            raise InputError(f"a {self.how} is compared with one number, such as number(100, EUR)")
        _among(self.among, self.path, self.how)


@dataclass(frozen=True, slots=True)
class Key:
    """What members are ordered by: a value at the end of `path`, or how many, the sum or mean of what is there, each
    value once for each thing that states it: two matches with two goals each are four goals.

    Of what is counted, or of the things that state the values, only those in the set `among` may be meant: the goals of
    a player in the matches of one season, the rooms of a club and not its members. `beside` says what the value is put
    together with: the time between two dates, the product of two numbers.
    """

    path: Path
    how: How = "value"
    among: SetPlan | None = None
    beside: Beside | None = None

    def __post_init__(self) -> None:
        _path(self.path, empty=self.how == "value")
        _one_of(self.how, get_args(How), "key")
        _among(self.among, self.path, self.how)
        _put_together(self.beside, self.path)
        if isinstance(self.beside, Since) and (self.how != "value" or self.among is not None):
            raise InputError(f"a key is the time between two dates or a {self.how} of some things, not both")
        if self.beside is not None and self.how == "count":
            raise InputError("things are counted, not numbers that are put together")


@dataclass(frozen=True, slots=True)
class Class(SetPlan):
    """The instances of a class, by the graph's type relation(s)."""

    id: str

    def __post_init__(self) -> None:
        _text(self.id, "a class")


@dataclass(frozen=True, slots=True)
class EdgesOf(SetPlan):
    """The edges of a relation that state something: the mediators that stand between its two ends, one for each."""

    relation: str

    def __post_init__(self) -> None:
        _text(self.relation, "a relation")


@dataclass(frozen=True, slots=True)
class All(SetPlan):
    """Every named entity."""


@dataclass(frozen=True, slots=True)
class Follow(SetPlan):
    """Where one step leads; through a mediator two relations, and then conditions on the mediator (`qualifiers`)."""

    of: SetPlan
    path: Path
    qualifiers: tuple[Test, ...] = ()

    def __post_init__(self) -> None:
        _set(self.of, "follow")
        _path(self.path)
        if len(self.path) > 2:
            raise InputError(f"follow() takes one relation, or two through a mediator, not {len(self.path)}; nest them")
        if self.qualifiers and len(self.path) != 2:
            raise InputError("a qualifier stands on a mediator: follow() needs two relations then")
        for each in self.qualifiers:
            _is(each, Test, "a qualifier")


@dataclass(frozen=True, slots=True)
class And(SetPlan):
    """What all the sets share."""

    sets: tuple[SetPlan, ...]

    def __post_init__(self) -> None:
        _several(self.sets, "and")


@dataclass(frozen=True, slots=True)
class Or(SetPlan):
    """What any of the sets holds."""

    sets: tuple[SetPlan, ...]

    def __post_init__(self) -> None:
        _several(self.sets, "or")


@dataclass(frozen=True, slots=True)
class Minus(SetPlan):
    """The members of one set that are not in another."""

    of: SetPlan
    without: SetPlan

    def __post_init__(self) -> None:
        _set(self.of, "minus")
        _set(self.without, "minus")


@dataclass(frozen=True, slots=True)
class Where(SetPlan):
    """The members that satisfy a condition."""

    of: SetPlan
    test: Test

    def __post_init__(self) -> None:
        _set(self.of, "where")
        _is(self.test, Test, "the condition of where()")


@dataclass(frozen=True, slots=True)
class WhereCount(SetPlan):
    """The members with so many different things at the end of `path`, of those in `among` where it is stated.

    `n` is a number, or the path to one that the member states itself: more bookings than it has places. A member that
    states several is compared with each, one that states none is left out.
    """

    of: SetPlan
    path: Path
    op: CountOp
    n: int | Path
    among: SetPlan | None = None

    def __post_init__(self) -> None:
        _set(self.of, "wherecount")
        _path(self.path)
        _one_of(self.op, get_args(CountOp), "comparison of a count")
        if isinstance(self.n, tuple):
            _path(self.n)
        else:
            _whole(self.n, "the number that wherecount() compares with")
        _among(self.among, self.path, "count")


@dataclass(frozen=True, slots=True)
class Top(SetPlan):
    """The `k` members with the largest (smallest) key after `skip` others.

    With ties, whoever shares a value with one of those places is among them, so that the result does not depend on
    an order nobody stated. A member with several values counts with its best, one without any is left out.
    """

    of: SetPlan
    key: Key
    largest: bool = True
    k: int = 1
    skip: int = 0

    def __post_init__(self) -> None:
        _set(self.of, "top")
        _is(self.key, Key, "the key of top()")
        _is(self.largest, bool, "largest")
        _whole(self.k, "k of top()", at_least=1)
        _whole(self.skip, "skip of top()")


@dataclass(frozen=True, slots=True)
class Compare(SetPlan):
    """The one of two with the larger (smaller) key; both where they are equal."""

    a: SetPlan
    b: SetPlan
    key: Key
    largest: bool = True

    def __post_init__(self) -> None:
        _set(self.a, "compare")
        _set(self.b, "compare")
        _is(self.key, Key, "the key of compare()")
        _is(self.largest, bool, "largest")


@dataclass(frozen=True, slots=True)
class Values(ValuePlan):
    """What stands at the end of `path`, for every member; each thing once."""

    of: SetPlan
    path: Path

    def __post_init__(self) -> None:
        _set(self.of, "values")
        _path(self.path, empty=True)


@dataclass(frozen=True, slots=True)
class Count(ValuePlan):
    """How many members."""

    of: SetPlan

    def __post_init__(self) -> None:
        _set(self.of, "count")


@dataclass(frozen=True, slots=True)
class Aggregate(ValuePlan):
    """Sum, mean, smallest or largest of the members' values; a member with two values counts with both.

    `beside` says what each value is put together with; of one member any of the four is its own then.
    """

    how: Summary
    of: SetPlan
    path: Path
    beside: Beside | None = None

    def __post_init__(self) -> None:
        _one_of(self.how, get_args(Summary), "aggregate")
        _set(self.of, self.how)
        _path(self.path, empty=True)
        _put_together(self.beside, self.path)


@dataclass(frozen=True, slots=True)
class Difference(ValuePlan):
    """The key of `a` less the key of `b`; of dates the days (or years) between them, or as many of `unit` as `Since`
    counts."""

    a: SetPlan
    b: SetPlan
    key: Key
    unit: TimeUnit | None = None

    def __post_init__(self) -> None:
        _set(self.a, "difference")
        _set(self.b, "difference")
        _is(self.key, Key, "the key of difference()")
        if self.unit is not None:
            _one_of(self.unit, get_args(TimeUnit), "unit of time")
            if self.key.how != "value" or self.key.beside is not None:
                raise InputError("a unit of difference() is that of the time between two dates: its key is a path")


@dataclass(frozen=True, slots=True)
class Arithmetic(ValuePlan):
    """Two numbers added, subtracted, multiplied or divided."""

    sign: Sign
    a: ValuePlan
    b: ValuePlan

    def __post_init__(self) -> None:
        _one_of(self.sign, get_args(Sign), "arithmetic sign")
        for side in (self.a, self.b):
            if not isinstance(side, ValuePlan):
                raise InputError(f"calc() takes two plans that make a number, not {_said(side)}")


@dataclass(frozen=True, slots=True)
class Exists(TruthPlan):
    """Whether there is any member."""

    of: SetPlan

    def __post_init__(self) -> None:
        _set(self.of, "exists")


@dataclass(frozen=True, slots=True)
class Is(TruthPlan):
    """Whether there are members, and all of them are in another set."""

    of: SetPlan
    within: SetPlan

    def __post_init__(self) -> None:
        _set(self.of, "is")
        _set(self.within, "is")


_PARTS: dict[type[Any], tuple[str, ...]] = {}


def _parts_of(node: Any) -> tuple[str, ...]:
    """The names of the fields of a record, looked up once for its class."""
    kind = type(node)
    if kind not in _PARTS:
        _PARTS[kind] = tuple(each.name for each in fields(kind))
    return _PARTS[kind]


def children(node: Any) -> Iterator[Any]:
    """The records directly below one: plans, conditions, keys, steps and stated values."""
    for name in _parts_of(node):
        value = getattr(node, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, (Plan, Test, Key, Since, Combined, Step, Number, Date, Text)):
                yield item


def walk(plan: Any) -> Iterator[Any]:
    """Every record of a plan, the root first. Raises InputError where it is larger or deeper than any question."""
    stack, seen = [(plan, 1)], 0
    while stack:
        node, depth = stack.pop()
        seen += 1
        if seen > MAX_NODES or depth > MAX_DEPTH:
            raise InputError(f"the plan has more than {MAX_NODES} parts or is nested deeper than {MAX_DEPTH}: refused")
        yield node
        stack += [(child, depth + 1) for child in reversed(list(children(node)))]


def rebuilt(node: Any, change: Callable[[Any], Any]) -> Any:
    """A record with what `change` makes of each of its fields; the record itself where that is the same."""
    parts = {name: getattr(node, name) for name in _parts_of(node)}
    made = {name: change(part) for name, part in parts.items()}
    return node if made == parts else replace(node, **made)


def size(plan: Plan) -> int:
    """How many nodes a plan has: a measure of how simple it is."""
    return sum(isinstance(node, Plan) for node in walk(plan))


def steps(*relations: str) -> Path:
    """A path from names; `^` before one walks against its direction: steps("borders", "^capital")."""
    return tuple(Step(r[1:], False) if r.startswith("^") else Step(r) for r in relations)


def turned(path: Path) -> Path:
    """A path walked back."""
    return tuple(Step(step.relation, not step.forward) for step in reversed(path))


def _said(value: Any) -> str:
    kind = type(value).__name__
    return f"{'a set' if isinstance(value, SetPlan) else kind}" if isinstance(value, Plan) else repr(value)[:80]


def _set(value: Any, where: str) -> None:
    if not isinstance(value, SetPlan):
        made = "values" if isinstance(value, ValuePlan) else "yes or no" if isinstance(value, TruthPlan) else None
        what = f"{type(value).__name__.lower()}() makes {made}" if made else f"{value!r}"[:80]
        raise InputError(f"{where}() needs a set of entities here, but {what}")


def _several(sets: Any, where: str) -> None:
    if not isinstance(sets, tuple) or len(sets) < 2:
        raise InputError(f"{where}() joins at least two sets")
    for each in sets:
        _set(each, where)


def _path(path: Any, *, empty: bool = False) -> None:
    if not isinstance(path, tuple) or not all(isinstance(step, Step) for step in path):
        raise InputError(f"{path!r} is not a path of relations"[:200])
    if not path and not empty:
        raise InputError("the path names no relation; one at least is needed here")


def _among(among: Any, path: Path, how: str) -> None:
    if among is None:
        return
    _set(among, how)
    if how != "count" and len(path) < 2:
        raise InputError(f"a {how} of what a thing itself states is among nothing: its path has one step")


def _put_together(beside: Any, path: Path) -> None:
    if beside is not None:
        if not isinstance(beside, (Since, Combined)):
            raise InputError(f"{beside!r} is nothing that a value is put together with"[:200])
        _path(path)


def _whole(value: Any, what: str, at_least: int = 0) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not at_least <= value < 2**31:
        raise InputError(f"{what} is {value!r}; expected a whole number from {at_least} up")


def _is(value: Any, kind: type, what: str) -> None:
    if not isinstance(value, kind):
        raise InputError(f"{what} is {value!r}, expected {kind.__name__}"[:200])


def _text(value: Any, what: str) -> None:
    if not isinstance(value, str) or not value:
        raise InputError(f"{what} is named by a text that is not empty, not by {value!r}"[:200])


def _one_of(value: Any, known: tuple[str, ...], what: str) -> None:
    if value not in known:
        raise InputError(unknown(what, str(value), known))
