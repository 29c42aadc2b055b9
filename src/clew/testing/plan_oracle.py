"""An interpreter of plans that is obviously right: sets of ids, loops, no arrays.

What the executor makes, SPARQL and the plan behind an answer are held against it; it shares nothing with them but the
records of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from datetime import date, timedelta
from typing import Any

from clew.query import plan as p

TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"


class Naive:
    """Interprets plans over a list of triples of ids.

    Args:
        read: the number or date that an id states; None: what a literal of RDF states.
        nameless: ids that "everything" does not hold.
    """

    def __init__(
        self,
        triples: Sequence[tuple[str, str, str]],
        read: Callable[[str], Any] | None = None,
        nameless: Container[str] = (),
    ) -> None:
        self._triples, self._read = triples, read or value_of
        self._everything = {id for h, _, t in triples for id in (h, t) if id[:1] != '"' and id not in nameless}

    def run(self, plan: p.Plan) -> Any:
        match plan:
            case p.SetPlan():
                return self.members(plan)
            case p.Values(of, path):
                return {end for x in self.members(of) for end in self.ends(x, path)}
            case p.ValuePlan():
                return self.number(plan)
            case p.Exists(of):
                return bool(self.members(of))
            case p.Is(of, within):
                return bool(self.members(of)) and self.members(of) <= self.members(within)
        raise TypeError

    def ends(self, x: str, path: p.Path) -> set[str]:
        here = {x}
        for step in path:
            here = {
                (t if step.forward else h)
                for h, r, t in self._triples
                if r == step.relation and (h if step.forward else t) in here
            }
        return here

    def members(self, node: p.SetPlan) -> set[str]:
        match node:
            case p.Entities(ids):
                return set(ids)
            case p.Class(id):
                return {h for h, r, t in self._triples if r == TYPE and t == id}
            case p.EdgesOf(relation):
                heads, tails = zip(*[(h, t) for h, r, t in self._triples if r == relation] or [("", "")], strict=True)
                return set(heads) & set(tails) - self._everything
            case p.All():
                return set(self._everything)
            case p.Follow(of, path, qualifiers):
                found = set()
                for x in self.members(of):
                    for m in self.ends(x, path[:1]):
                        if all(self.holds(m, test) for test in qualifiers):
                            found |= self.ends(m, path[1:])
                return found
            case p.And(sets):
                return set.intersection(*map(self.members, sets))
            case p.Or(sets):
                return set.union(*map(self.members, sets))
            case p.Minus(of, without):
                return self.members(of) - self.members(without)
            case p.Where(of, test):
                return {x for x in self.members(of) if self.holds(x, test)}
            case p.WhereCount(of, path, op, tuple() as stated, among):
                counts = {x: len(self.counted(x, path, among)) for x in self.members(of)}
                return {x for x, n in counts.items() if any(_holds(op, n, v) for v in self.values(x, stated))}
            case p.WhereCount(of, path, op, n, among):
                return {x for x in self.members(of) if _holds(op, len(self.counted(x, path, among)), n)}
            case p.Top(of, key, largest, k, skip):
                return self.top(self.members(of), key, largest, k, skip)
            case p.Compare(a, b, key, largest):
                return self.top(self.members(a) | self.members(b), key, largest, 1, 0)
        raise TypeError

    def counted(self, x: str, path: p.Path, among: p.SetPlan | None) -> set[str]:
        return self.ends(x, path) if among is None else self.ends(x, path) & self.members(among)

    def values(self, x: str, path: p.Path, among: p.SetPlan | None = None) -> list[Any]:
        """What is read at the end of a path, once for each thing that states it."""
        owners = self.counted(x, path[:-1], among)
        return [v for y in owners for v in self._readable(y, path[-1:])]

    def _readable(self, x: str, path: p.Path) -> list[Any]:
        return [v for v in map(self._read, self.ends(x, path)) if v is not None]

    def measured(self, x: str, path: p.Path, beside: p.Beside | None, among: p.SetPlan | None = None) -> list[Any]:
        """The values at the end of a path, each with each beside it, or the one time until the last of them."""
        if isinstance(beside, p.Combined):
            things = self.counted(x, path[:-1], among) if len(path) > 1 else {x}
            both = [(a, b) for y in things for a in self.values(y, path[-1:]) for b in self._readable(y, beside.path)]
            return [made for a, b in both if (made := _computed(beside.sign, a, b)) is not None]
        values = self.values(x, path, among)
        if beside is None:
            return values
        first = self.values(x, beside.path)
        return [between(min(first), max(values), beside.unit)] if first and values else []

    def top(self, members: set[str], key: p.Key, largest: bool, k: int, skip: int) -> set[str]:
        keys = {}
        for x in members:
            values = [] if key.how == "count" else self.measured(x, key.path, key.beside, key.among)
            if key.how == "count":
                keys[x] = float(len(self.counted(x, key.path, key.among)))
            elif values:
                best = max(values) if largest else min(values)
                keys[x] = {"value": best, "sum": 0.0, "mean": 0.0}[key.how]
                if key.how != "value":
                    keys[x] = sum(values) / (len(values) if key.how == "mean" else 1)
        chosen = set()
        for x, mine in keys.items():
            better = sum(other > mine if largest else other < mine for other in keys.values())
            equal = sum(other == mine for other in keys.values())
            places = range(better + 1, better + equal + 1)
            if any(skip < place <= skip + k for place in places):
                chosen.add(x)
        return chosen

    def holds(self, x: str, test: p.Test) -> bool:
        value = test.value
        if isinstance(value, p.Text):
            texts = [(end[1:].split('"')[0] if end.startswith('"') else end).lower() for end in self.ends(x, test.path)]
            wanted = value.text.lower()
            return any(
                {"=": t == wanted, "!=": t != wanted, "contains": wanted in t, "starts": t.startswith(wanted)}[test.op]
                for t in texts
            )
        if isinstance(value, p.Entities):
            return any((end in value.ids) == (test.op == "=") for end in self.ends(x, test.path))
        mine = self.measured(x, test.path, test.beside, test.among)
        if isinstance(value, p.Date):
            first, last = days(value.text)
            if test.upper is not None:
                return any(first <= v <= days(test.upper.text)[1] for v in mine)  # type: ignore[union-attr]
            tests: dict[str, Callable[[Any], bool]] = {
                "<": lambda v: v < first, "<=": lambda v: v <= last, ">": lambda v: v > last,
                ">=": lambda v: v >= first,
                "=": lambda v: first <= v <= last, "!=": lambda v: not first <= v <= last,
            }  # fmt: skip
            return any(tests[test.op](v) for v in mine)
        if test.how != "value":
            mine = [_summary(test.how, mine)] if mine else []
        if isinstance(value, p.Number) and isinstance(test.beside, p.Since) and value.unit:
            return any(_holds(test.op, v * SECONDS[test.beside.unit], value.value * SECONDS[value.unit]) for v in mine)
        if isinstance(value, p.Number):
            if test.upper is not None:
                return any(value.value <= v <= test.upper.value for v in mine)  # type: ignore[union-attr]
            return any(_holds(test.op, v, value.value) for v in mine)
        if isinstance(value, p.Values):
            others: list[Any] = [v for o in self.members(value.of) for v in self.values(o, value.path)]
        else:
            number = self.number(value)
            others = [] if number is None else [number]
        return any(_holds(test.op, v, other) for v in mine for other in others)

    def number(self, node: p.ValuePlan) -> Any:
        match node:
            case p.Count(of):
                return float(len(self.members(of)))
            case p.Aggregate(how, of, path, beside):
                return _summary(how, [v for x in self.members(of) for v in self.measured(x, path, beside)])
            case p.Difference(a, b, key, unit):
                left, right = self.scalar(a, key), self.scalar(b, key)
                if unit is not None:
                    return None if left is None or right is None else between(right, left, unit)
                return None if left is None or right is None else left - right
            case p.Arithmetic(sign, a, b):
                left, right = self.number(a), self.number(b)
                return None if left is None else _computed(sign, left, right)
        raise TypeError

    def scalar(self, of: p.SetPlan, key: p.Key) -> Any:
        if key.how == "count":
            return float(len({end for x in self.members(of) for end in self.counted(x, key.path, key.among)}))
        values = [v for x in self.members(of) for v in self.measured(x, key.path, key.beside, key.among)]
        return _summary("max" if key.how == "value" else key.how, values)


def _computed(sign: str, left: float, right: Any) -> float | None:
    if sign == "/":
        return left / right if right else None
    return float({"+": left + right, "-": left - right, "*": left * right}[sign])


def value_of(id: str) -> Any:
    """A float, a date or nothing."""
    if not id.startswith('"'):
        return None
    text, rest = id[1:].rsplit('"', 1)
    if rest.endswith("date>"):
        return date.fromisoformat(text)
    return float(text) if rest else None


SECONDS = {"days": 86400.0, "weeks": 7 * 86400.0, "months": 30.436875 * 86400, "years": 365.2425 * 86400}


def between(first: date, last: date, unit: str) -> float:
    """The time from one day to another: days, weeks of them, or completed months and years, counted one by one."""
    if last < first:
        return -between(last, first, unit)
    if unit in ("days", "weeks"):
        return (last - first).days / (1 if unit == "days" else 7)
    months = 0
    while _month_on(first, months + 1) <= (last.year, last.month, last.day):
        months += 1
    return float(months if unit == "months" else months // 12)


def _month_on(day: date, months: int) -> tuple[int, int, int]:
    """The same day some months later, whether or not that month is so long."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return year, month + 1, day.day


def days(text: str) -> tuple[date, date]:
    parts = list(map(int, text.split("-")))
    first = date(parts[0], parts[1] if len(parts) > 1 else 1, parts[2] if len(parts) > 2 else 1)
    if len(parts) == 3:
        return first, first
    after = date(first.year + 1, 1, 1) if len(parts) == 1 or first.month == 12 else date(first.year, first.month + 1, 1)
    return first, after - timedelta(days=1)


def _summary(how: str, values: list[Any]) -> Any:
    if not values:
        return 0.0 if how == "sum" else None
    if how in ("min", "max"):
        return min(values) if how == "min" else max(values)
    return sum(values) / (len(values) if how == "mean" else 1)


def _holds(op: str, a: Any, b: Any) -> bool:
    return bool({"=": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op])
