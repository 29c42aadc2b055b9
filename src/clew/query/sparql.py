"""A plan as SPARQL 1.1: one query, for a server or a person.

Kept apart from the executor, with which it must agree: a conformance test runs random plans both ways. Every set is a
graph pattern over one variable; what must be counted, ordered or paged is a sub-select. With a graph the names become
ids and its value columns are read as numbers or years; without one, names must be ids and literals be typed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from clew.errors import UnsupportedError
from clew.graph import Graph
from clew.query import plan as p
from clew.query.values import XSD, in_base, shown_date, shown_number, unit_of

RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
PLAIN = "urn:clew:"  # what an id that is no IRI stands behind

_DATE_OPS = {
    "<": "{v} < {first}",
    "<=": "{v} <= {last}",
    ">": "{v} > {last}",
    ">=": "{v} >= {first}",
    "=": "{v} >= {first} && {v} <= {last}",
    "!=": "!({v} >= {first} && {v} <= {last})",
}


def term(id: str) -> str:
    """An entity or relation id as a SPARQL term. Raises UnsupportedError for a nameless node."""
    if id.startswith('"'):
        from clew.graph.strings import literal_parts

        text, datatype, language = literal_parts(id)
        end = f"@{language}" if language else f"^^<{_iri(datatype)}>" if datatype else ""
        return quoted(text) + end
    if id.startswith("_:"):
        raise UnsupportedError(f"{id}: SPARQL cannot name a nameless node; reach it by a relation")
    if "://" in id or id.startswith(("urn:", "mailto:")):
        return f"<{_iri(id)}>"
    return f"<{PLAIN}{quote(id, safe='')}>"


def quoted(text: str) -> str:
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def _iri(id: str) -> str:
    return "".join(c if c > " " and c not in '<>"{}|^`\\' else f"%{ord(c):02X}" for c in id)


@dataclass(frozen=True, slots=True)
class SparqlDialect:
    """How ids are written and values read where a server holds the graph; names in the plan are ids."""

    term: Callable[[str], str] = term
    kind: Callable[[p.Step], str] = lambda _: ""  # how what a step leads to is read: "", "number" or "year"
    label: str = f"<{LABEL}>"  # the property that names


def to_sparql(plan: p.Plan, graph: Graph | None = None, *, dialect: SparqlDialect | None = None) -> str:
    """The plan as one SELECT or ASK query; the answer is bound to ?x (members), ?v (values) or ?n (a number)."""
    return _Writer(graph, dialect or SparqlDialect()).query(plan)


class _Writer:
    """Writes one query; variables are numbered."""

    def __init__(self, graph: Graph | None, dialect: SparqlDialect) -> None:
        from clew.query.binding import Binding

        self._graph, self._binding = graph, None if graph is None else Binding.of(graph)
        self._term, self._dialect = dialect.term, dialect
        self._count = 0

    def query(self, plan: p.Plan) -> str:
        match plan:
            case p.SetPlan():
                return f"SELECT DISTINCT ?x WHERE {{ {self.members(plan, '?x')} }}"
            case p.Values(of, path):
                inner = self._fresh("x") if path else "?v"
                return f"SELECT DISTINCT ?v WHERE {{ {self.members(of, inner)} {self.path(inner, path, '?v')} }}"
            case p.ValuePlan():
                return f"SELECT ?n WHERE {{ {self.number(plan, '?n')} }}"
            case p.Exists(of):
                return f"ASK {{ {self.members(of, '?x')} }}"
            case p.Is(of, within):
                some, other = self.members(of, "?x"), self.members(of, "?y")
                return (
                    f"ASK {{ FILTER EXISTS {{ {some} }} "
                    f"FILTER NOT EXISTS {{ {other} MINUS {{ {self.members(within, '?y')} }} }} }}"
                )
        raise TypeError(f"no plan: {plan!r}")

    def _fresh(self, stem: str) -> str:
        self._count += 1
        return f"?{stem}{self._count}"

    # -- names -------------------------------------------------------------------------------------------------------

    def _relation(self, step: p.Step) -> str:
        if self._graph is None or self._binding is None:
            return self._term(step.relation)
        return self._term(self._graph.relation_at(self._binding.relation(step.relation)).id)

    def _entities(self, names: tuple[str, ...]) -> list[str]:
        if self._graph is None or self._binding is None:
            return [self._term(name) for name in names]
        return [self._term(id) for id in self._graph.ids_at(self._binding.entities(names))]

    def path(self, start: str, path: p.Path, end: str) -> str:
        """Triple patterns from one variable to another; without steps the two must be one."""
        parts, here = [], start
        for number, step in enumerate(path):
            there = end if number == len(path) - 1 else self._fresh("m")
            head, tail = (here, there) if step.forward else (there, here)
            parts.append(f"{head} {self._relation(step)} {tail} .")
            here = there
        return " ".join(parts)

    def _stated(self, x: str, path: p.Path, v: str, among: p.SetPlan | None = None) -> tuple[str, str]:
        """Patterns from a variable to a value, and the variable (or "") of what states it, where that is another."""
        if len(path) < 2:
            return (self.path(x, path, v) if path else f"BIND({x} AS {v})"), ""
        thing = self._fresh("m")
        meant = "" if among is None else f" {{ {self.members(among, thing)} }}"
        return f"{self.path(x, path[:-1], thing)}{meant} {self.path(thing, path[-1:], v)}", f"{thing} "

    def _figures(
        self, x: str, path: p.Path, v: str, w: str, among: p.SetPlan | None, beside: p.Combined | None
    ) -> tuple[str, str, str]:
        """Patterns from a variable to its values, the variables that tell one from another, and what binds `w` to the
        number that each reads as, put together with that beside it."""
        link, thing = self._stated(x, path, v, among)
        if beside is None:
            return link, f"{thing}{v}", self._read(path, v, w)
        other, left, right = self._fresh("v"), self._fresh("w"), self._fresh("w")
        link = f"{link} {self.path(thing.strip() or x, beside.path, other)}"
        read = f"{self._read(path, v, left)} {self._read(beside.path, other, right)}"
        some = f"FILTER({right} != 0) " if beside.sign == "/" else ""
        return link, f"{thing}{v} {other}", f"{read} {some}BIND({left} {beside.sign} {right} AS {w}) FILTER(BOUND({w}))"

    # -- sets --------------------------------------------------------------------------------------------------------

    def members(self, node: p.SetPlan, x: str) -> str:
        """A graph pattern that binds `x` to the members."""
        match node:
            case p.Entities(ids):
                return f"VALUES {x} {{ {' '.join(self._entities(ids))} }}"
            case p.Class(id):
                return self._instances(id, x)
            case p.EdgesOf(relation):
                step = p.Step(relation)
                heads, tails = self._fresh("v"), self._fresh("v")
                return f"{self.path(heads, (step,), x)} {self.path(x, (step,), tails)} FILTER(isBlank({x}))"
            case p.All():
                s, r, o = (self._fresh(stem) for stem in "sro")
                anywhere = f"{{ {x} {r} {o} }} UNION {{ {s} {r} {x} }}"
                return f"{{ SELECT DISTINCT {x} WHERE {{ {anywhere} FILTER(isIRI({x})) }} }}"
            case p.Follow(of, path, qualifiers):
                return self._follow(of, path, qualifiers, x)
            case p.And(sets):
                return " ".join(f"{{ {self.members(each, x)} }}" for each in sets)
            case p.Or(sets):
                return " UNION ".join(f"{{ {self.members(each, x)} }}" for each in sets)
            case p.Minus(of, without):
                return f"{{ {self.members(of, x)} }} MINUS {{ {self.members(without, x)} }}"
            case p.Where(of, test):
                return f"{{ {self.members(of, x)} }} {self.test(x, test)}"
            case p.WhereCount(of, path, op, n, among):
                v = self._fresh("v")
                counted = self._ends(x, path, among, v)
                if isinstance(n, tuple):
                    return self._held_against(self.members(of, x), counted, v, op, n, x)
                return (
                    f"{{ SELECT {x} WHERE {{ {{ {self.members(of, x)} }} OPTIONAL {{ {counted} }} }} "
                    f"GROUP BY {x} HAVING (COUNT(DISTINCT {v}) {op} {n}) }}"
                )
            case p.Top(of, key, largest, k, skip):
                return self._top(of, key, largest, k, skip, x)
            case p.Compare(a, b, key, largest):
                return self._top(p.Or((a, b)), key, largest, 1, 0, x)
        raise TypeError(f"no set: {node!r}")

    def _held_against(self, members: str, counted: str, v: str, op: str, stated: p.Path, x: str) -> str:
        """The members whose count of `v` compares so with a number that they state."""
        c, value, w = self._fresh("c"), self._fresh("v"), self._fresh("w")
        many = f"SELECT {x} (COUNT(DISTINCT {v}) AS {c}) WHERE {{ {{ {members} }} OPTIONAL {{ {counted} }} }}"
        read = f"{self.path(x, stated, value)} {self._read(stated, value, w)}"
        return f"{{ SELECT DISTINCT {x} WHERE {{ {{ {many} GROUP BY {x} }} {read} FILTER({c} {op} {w}) }} }}"

    def _ends(self, x: str, path: p.Path, among: p.SetPlan | None, v: str) -> str:
        """What is counted at the end of a path."""
        return self.path(x, path, v) if among is None else f"{self.path(x, path, v)} {{ {self.members(among, v)} }}"

    def _instances(self, id: str, x: str) -> str:
        if self._graph is None or self._binding is None:
            return f"{x} <{RDF_TYPE}> {self._term(id)} ."
        classes, relations = self._binding.instances_of(id)
        links = "|".join(self._term(self._graph.relation_at(r).id) for r in relations)
        c = self._fresh("c")
        return f"VALUES {c} {{ {' '.join(map(self._term, self._graph.ids_at(classes)))} }} {x} {links} {c} ."

    def _follow(self, of: p.SetPlan, path: p.Path, qualifiers: tuple[p.Test, ...], x: str) -> str:
        start = self._fresh("x")
        members = f"{{ {self.members(of, start)} }}"
        if not qualifiers:
            return f"{members} {self.path(start, path, x)}"
        between = self._fresh("m")
        tests = " ".join(self.test(between, test) for test in qualifiers)
        return f"{members} {self.path(start, path[:1], between)} {tests} {self.path(between, path[1:], x)}"

    def _keys(self, of: p.SetPlan, key: p.Key, largest: bool, x: str, out: str) -> str:
        """`SELECT x key` over the members of a set, without braces."""
        v, w = self._fresh("v"), self._fresh("w")
        if isinstance(key.beside, p.Since):
            span = self._span(x, key.path, key.beside, out)
            return f"SELECT DISTINCT {x} {out} WHERE {{ {{ {self.members(of, x)} }} {span} }}"
        if key.how == "count":
            link = f"OPTIONAL {{ {self._ends(x, key.path, key.among, v)} }}"
            return (
                f"SELECT {x} (COUNT(DISTINCT {v}) AS {out}) WHERE {{ {{ {self.members(of, x)} }} {link} }} GROUP BY {x}"
            )
        start = x if key.path else v
        link, kept, read = self._figures(x, key.path, v, w, key.among, key.beside)
        rows = f"SELECT DISTINCT {x} {kept} WHERE {{ {{ {self.members(of, start if key.path else x)} }} {link} }}"
        how = {"value": "MAX" if largest else "MIN", "sum": "SUM", "mean": "AVG"}[key.how]
        return f"SELECT {x} ({how}({w}) AS {out}) WHERE {{ {{ {rows} }} {read} }} GROUP BY {x}"

    def _top(self, of: p.SetPlan, key: p.Key, largest: bool, k: int, skip: int, x: str) -> str:
        """Members whose key lies between those of the first and the last place that are asked for: ties stay in."""
        mine, y, other = self._fresh("k"), self._fresh("y"), self._fresh("k")
        low, high = self._fresh("low"), self._fresh("high")
        order = f"DESC({other})" if largest else f"ASC({other})"
        page = (
            f"SELECT (MIN({other}) AS {low}) (MAX({other}) AS {high}) WHERE {{ {{ "
            f"{self._keys(of, key, largest, y, other)} ORDER BY {order} LIMIT {k} OFFSET {skip} }} }}"
        )
        return (
            f"{{ SELECT {x} WHERE {{ {{ {self._keys(of, key, largest, x, mine)} }} {{ {page} }} "
            f"FILTER({mine} >= {low} && {mine} <= {high}) }} }}"
        )

    # -- conditions --------------------------------------------------------------------------------------------------

    def _kind(self, path: p.Path) -> str:
        """How the values at the end of a path are read: as they are, as numbers or as years."""
        if not path:
            return ""
        if self._graph is None or self._binding is None:
            return self._dialect.kind(path[-1])
        from clew.query.columns import column

        found = column(self._graph, *self._binding.moves(path)[-1])
        if found.kind == "number":
            if found.dimension:
                raise UnsupportedError(
                    f"{path[-1].relation} holds quantities with units ({found.unit}), which SPARQL cannot convert"
                )
            return "number"
        if found.precision == "clock":
            raise UnsupportedError(f"{path[-1].relation} holds times of the day as texts, which SPARQL does not order")
        return "year" if found.kind == "date" and found.precision == "year" else ""

    def _read(self, path: p.Path, v: str, w: str) -> str:
        """Bind `w` to the value that `v` reads as; solutions without one are dropped."""
        kind = self._kind(path)
        if not kind:
            return f"BIND({v} AS {w})"
        kind = f"<{XSD}{'double' if kind == 'number' else 'integer'}>"
        return f"BIND({kind}(STR({v})) AS {w}) FILTER(BOUND({w}))"

    def _span(self, x: str, path: p.Path, since: p.Since, out: str) -> str:
        """Bind `out` to the time from the first date on the one path to the last on the other, where there is one."""
        sides = []
        for each, how in ((since.path, "MIN"), (path, "MAX")):
            v, w, end = (self._fresh(stem) for stem in "vwd")
            read = f"{self.path(x, each, v)} {self._read(each, v, w)}"
            sides.append((f"{{ SELECT {x} ({how}({w}) AS {end}) WHERE {{ {read} }} GROUP BY {x} }}", end))
        (first, a), (last, b) = sides
        return f"{first} {last} {self._elapsed(a, b, since.path, path, since.unit, out)}"

    def _elapsed(self, a: str, b: str, path_a: p.Path, path_b: p.Path, unit: p.TimeUnit, out: str) -> str:
        """Bind `out` to the time from one date to another in a unit."""
        exact = [self._exactness(each) for each in (path_a, path_b)]
        if "year" in exact:
            if unit != "years":
                raise UnsupportedError(f"what is known to the year only is no time in {unit}")
            years = [v if known == "year" else f"YEAR({v})" for v, known in zip((a, b), exact, strict=True)]
            return f"BIND({years[1]} - {years[0]} AS {out}) FILTER(BOUND({out}))"
        if unit in ("months", "years"):
            if "second" in exact:
                raise UnsupportedError(f"SPARQL does not count the {unit} between moments")
            there, back = self._months(a, b), self._months(b, a)
            count = f"IF({b} >= {a}, {there}, 0 - {back})"
            if unit == "years":
                count = f"IF({b} >= {a}, FLOOR({there} / 12), 0 - FLOOR({back} / 12))"
            return f"BIND({count} AS {out}) FILTER(BOUND({out}))"
        size = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400, "weeks": 604800}[unit]
        moments = [self._seconds(each, exactly=size < 86400) for each in (a, b)]
        (binds_a, s), (binds_b, t) = moments
        return f"{binds_a} {binds_b} BIND(({t} - {s}) / {size} AS {out}) FILTER(BOUND({out}))"

    @staticmethod
    def _months(a: str, b: str) -> str:
        """The completed months from a date to a later one."""
        return f"((YEAR({b}) - YEAR({a})) * 12 + MONTH({b}) - MONTH({a}) - IF(DAY({b}) < DAY({a}), 1, 0))"

    def _seconds(self, v: str, *, exactly: bool) -> tuple[str, str]:
        """Bind a variable to the seconds of a date since a day long ago, by the days of the Gregorian calendar; the
        days between two dates are no number in SPARQL 1.1."""
        early, y, m, days, s = (self._fresh(stem) for stem in ("e", "y", "m", "j", "s"))
        parts = [f"{name}({v})" for name in ("HOURS", "MINUTES", "SECONDS")]
        hours, minutes, seconds = parts if exactly else [f"COALESCE({part}, 0)" for part in parts]
        zone = f'COALESCE(TZ({v}), "")'
        ahead = (
            f'IF(STRLEN({zone}) = 6, IF(STRSTARTS({zone}, "-"), -1, 1) * (<{XSD}integer>(SUBSTR({zone}, 2, 2)) * 3600'
            f" + <{XSD}integer>(SUBSTR({zone}, 5, 2)) * 60), 0)"
        )
        binds = (
            f"BIND(FLOOR((14 - MONTH({v})) / 12) AS {early}) "
            f"BIND(YEAR({v}) + 4800 - {early} AS {y}) BIND(MONTH({v}) + 12 * {early} - 3 AS {m}) "
            f"BIND(DAY({v}) + FLOOR((153 * {m} + 2) / 5) + 365 * {y} + FLOOR({y} / 4) - FLOOR({y} / 100) "
            f"+ FLOOR({y} / 400) AS {days}) "
            f"BIND({days} * 86400 + {hours} * 3600 + {minutes} * 60 + {seconds} - {ahead} AS {s})"
        )
        return binds, s

    def _exactness(self, path: p.Path) -> str:
        """How exactly the dates at the end of a path are known; "" where that is not known here."""
        if self._kind(path) == "year":
            return "year"
        if self._graph is None or self._binding is None or not path:
            return ""
        from clew.query.columns import column

        return column(self._graph, *self._binding.moves(path)[-1]).precision

    def _lasting(self, x: str, test: p.Test, since: p.Since) -> str:
        """A condition on the time between two dates."""
        w = self._fresh("w")
        span = self._span(x, test.path, since, w)
        if test.upper is not None:
            return f"{span} FILTER({w} >= {self._in(test.value, since)} && {w} <= {self._in(test.upper, since)})"
        if isinstance(test.value, p.Number):
            return f"{span} FILTER({w} {test.op} {self._in(test.value, since)})"
        other, value = self._fresh("n"), test.value
        assert isinstance(value, p.ValuePlan)
        alike = isinstance(value, p.Aggregate) and isinstance(value.beside, p.Since) and value.beside.unit == since.unit
        if not alike and not isinstance(value, p.Count):
            raise UnsupportedError("SPARQL compares the time between two dates with a number or a time in one unit")
        return f"{span} {{ {self.number(value, other, several=True)} }} FILTER({w} {test.op} {other})"

    def _in(self, value: p.Value | None, since: p.Since) -> str:
        """A stated time in the unit that it is compared in."""
        assert isinstance(value, p.Number)
        unit = value.unit or since.unit
        meant, own = unit_of(unit), unit_of(since.unit)
        assert own is not None
        if meant is None or meant.dimension != own.dimension:
            raise UnsupportedError(f"{value.unit} is no unit of time")
        number = value.value if unit == since.unit else in_base(value.value, unit) / own.factor
        shown = shown_number(number)
        return shown if float(shown) == number else repr(number)

    def test(self, x: str, test: p.Test) -> str:
        if isinstance(test.beside, p.Since):
            return self._lasting(x, test, test.beside)
        if test.how != "value":
            return self._summed(x, test)
        v = self._fresh("v") if test.path else x
        link, value = self.path(x, test.path, v), test.value
        if isinstance(value, p.Text):
            return f"{link} {self._text(v, test.op, value.text)}"
        if isinstance(value, p.Entities):
            listed = ", ".join(self._entities(value.ids))
            return f"{link} FILTER({v} {'IN' if test.op == '=' else 'NOT IN'} ({listed}))"
        w = self._fresh("w")
        read = self._read(test.path, v, w)
        if test.beside is not None:
            link, _, read = self._figures(x, test.path, v, w, None, test.beside)
        if isinstance(value, p.Number):
            number = self._number_in(value, test.path)
            if test.op == "between":
                assert isinstance(test.upper, p.Number)
                return f"{link} {read} FILTER({w} >= {number} && {w} <= {self._number_in(test.upper, test.path)})"
            return f"{link} {read} FILTER({w} {test.op} {number})"
        if isinstance(value, p.Date):
            return f"{link} {read} FILTER({self._date(w, test, value)})"
        other = self._fresh("n")
        return f"{link} {read} {{ {self.number(value, other, several=True)} }} FILTER({w} {test.op} {other})"

    def _summed(self, x: str, test: p.Test) -> str:
        """A condition on the sum or the mean of what a member has."""
        v, w, made = self._fresh("v"), self._fresh("w"), self._fresh("k")
        assert not isinstance(test.beside, p.Since)
        link, kept, read = self._figures(x, test.path, v, w, test.among, test.beside)
        rows = f"SELECT DISTINCT {x} {kept} WHERE {{ {link} }}"
        how = {"sum": "SUM", "mean": "AVG"}[test.how]
        key = f"SELECT {x} ({how}({w}) AS {made}) WHERE {{ {{ {rows} }} {read} }} GROUP BY {x}"
        if test.upper is not None:
            assert isinstance(test.value, p.Number) and isinstance(test.upper, p.Number)
            low, high = (self._number_in(each, test.path) for each in (test.value, test.upper))
            return f"{{ {key} }} FILTER({made} >= {low} && {made} <= {high})"
        if isinstance(test.value, p.Number):
            return f"{{ {key} }} FILTER({made} {test.op} {self._number_in(test.value, test.path)})"
        assert isinstance(test.value, p.ValuePlan)
        other = self._fresh("n")
        return f"{{ {key} }} {{ {self.number(test.value, other)} }} FILTER({made} {test.op} {other})"

    def _number_in(self, value: p.Number, path: p.Path) -> str:
        known = unit_of(value.unit) if value.unit else None
        number = in_base(value.value, value.unit) if known and self._graph is None else value.value
        shown = shown_number(number)
        return shown if float(shown) == number else repr(number)

    def _date(self, w: str, test: p.Test, value: p.Date) -> str:
        if self._kind(test.path) == "year":
            years = [shown_date(each.reading)[:4] for each in (value, test.upper) if isinstance(each, p.Date)]
            if test.op == "between":
                return f"{w} >= {int(years[0])} && {w} <= {int(years[1])}"
            return f"{w} {test.op} {int(years[0])}"
        first, last = _days(value)
        if test.op == "between":
            assert isinstance(test.upper, p.Date)
            return f"{w} >= {first} && {w} <= {_days(test.upper)[1]}"
        return _DATE_OPS[test.op].format(v=w, first=first, last=last)

    def _text(self, v: str, op: str, text: str) -> str:
        label, shown = self._fresh("l"), self._fresh("t")
        wanted = quoted(text.lower())
        tests = {
            "=": f"{shown} = {wanted}", "!=": f"{shown} != {wanted}",
            "contains": f"CONTAINS({shown}, {wanted})", "starts": f"STRSTARTS({shown}, {wanted})",
        }  # fmt: skip
        named = f"OPTIONAL {{ {v} {self._dialect.label} {label} }} BIND(LCASE(STR(COALESCE({label}, {v}))) AS {shown})"
        return f"{named} FILTER({tests[op]})"

    # -- numbers -----------------------------------------------------------------------------------------------------

    def number(self, node: p.ValuePlan, n: str, *, several: bool = False) -> str:
        """A group that binds `n`; `several`: of Values every one, else the largest."""
        match node:
            case p.Count(of):
                x = self._fresh("x")
                return f"{{ SELECT (COUNT(DISTINCT {x}) AS {n}) WHERE {{ {self.members(of, x)} }} }}"
            case p.Values(of, path):
                if not several:
                    return self._aggregate("MAX", of, path, n)
                x, v = self._fresh("x"), self._fresh("v")
                link = self.path(x, path, v) if path else f"BIND({x} AS {v})"
                return (
                    f"{{ SELECT DISTINCT {n} WHERE {{ {{ {self.members(of, x)} }} {link} {self._read(path, v, n)} }} }}"
                )
            case p.Aggregate(how, of, path, beside):
                return self._aggregate({"mean": "AVG"}.get(how, how.upper()), of, path, n, beside)
            case p.Difference(a, b, key, str() as unit):
                left, right = self._fresh("n"), self._fresh("n")
                ends = f"{self._scalar(a, key, left)} {self._scalar(b, key, right)}"
                return f"{ends} {self._elapsed(right, left, key.path, key.path, unit, n)}"
            case p.Difference(a, b, key, None):
                left, right = self._fresh("n"), self._fresh("n")
                return f"{self._scalar(a, key, left)} {self._scalar(b, key, right)} BIND({left} - {right} AS {n})"
            case p.Arithmetic(sign, a, b):
                left, right = self._fresh("n"), self._fresh("n")
                return f"{self.number(a, left)} {self.number(b, right)} BIND({left} {sign} {right} AS {n})"
        raise TypeError(f"no number: {node!r}")

    def _scalar(self, of: p.SetPlan, key: p.Key, n: str) -> str:
        if key.how != "count":
            how = {"value": "MAX", "sum": "SUM", "mean": "AVG"}[key.how]
            return self._aggregate(how, of, key.path, n, key.beside, key.among)
        x, v = self._fresh("x"), self._fresh("v")
        rows = f"{{ {self.members(of, x)} }} {self._ends(x, key.path, key.among, v)}"
        return f"{{ SELECT (COUNT(DISTINCT {v}) AS {n}) WHERE {{ {rows} }} }}"

    def _aggregate(
        self, how: str, of: p.SetPlan, path: p.Path, n: str, beside: p.Beside | None = None,
        among: p.SetPlan | None = None,
    ) -> str:  # fmt: skip
        x, v, w = self._fresh("x"), self._fresh("v"), self._fresh("w")
        if isinstance(beside, p.Since):
            times = f"{{ {self.members(of, x)} }} {self._span(x, path, beside, w)}"
            some = f" HAVING (COUNT({w}) > 0)" if how == "AVG" else ""
            return (
                f"{{ SELECT ({how}({w}) AS {n}) WHERE {{ {{ SELECT DISTINCT {x} {w} WHERE {{ {times} }} }} }}{some} }}"
            )
        link, kept, read = self._figures(x, path, v, w, among, beside)
        rows = f"{{ SELECT DISTINCT {x} {kept} WHERE {{ {{ {self.members(of, x)} }} {link} }} }}"
        some = f" HAVING (COUNT({w}) > 0)" if how == "AVG" else ""  # SPARQL says that the mean of nothing is 0
        return f"{{ SELECT ({how}({w}) AS {n}) WHERE {{ {rows} {read} }}{some} }}"


def _days(value: p.Date) -> tuple[str, str]:
    """The first and the last day of a date as terms."""
    from clew.query.values import DAY, ReadValue

    reading = value.reading
    if reading.dimension == "clock":
        raise UnsupportedError(f"{value.text} is a time of the day, which SPARQL does not compare with texts")
    if reading.dimension == "second":
        moment = f'"{shown_date(reading)}"^^<{XSD}dateTime>'
        return moment, moment
    ends = (reading.low, reading.high - DAY)
    first, last = (f'"{shown_date(ReadValue("date", at, at, "day"))}"^^<{XSD}date>' for at in ends)
    return first, last
