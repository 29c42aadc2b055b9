"""A plan as openCypher: one read-only query that returns the members, values, number or truth.

The graph is expected as clew's exporters write it: every entity and literal a node `:Entity` with `id`, `label` and,
where it reads as one, a typed `value`; every relation a relationship whose type is the relation's id. What else a
property graph may look like is said by overriding how names and values are written (`property_plan`). Every set is a
list in a variable, and each clause hands on all lists that are still needed, so that an empty set stays an empty list.
"""

from __future__ import annotations

import json
from typing import Any

from clew.errors import UnsupportedError
from clew.graph import Graph
from clew.graph.kinds import TYPES
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.values import in_base, shown_number

_OPS = {"=": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


def to_cypher(plan: p.Plan, graph: Graph | None = None) -> str:
    """The plan as one openCypher query; with a graph, names become ids."""
    return CypherPlanWriter(graph).query(plan)


class CypherPlanWriter:
    """Writes clauses one after another; `_live` are the variables that every clause must hand on."""

    def __init__(self, graph: Graph | None) -> None:
        self._graph = graph
        self._binding = None if graph is None else Binding.of(graph)
        self._clauses: list[str] = []
        self._live: list[str] = []
        self._count = 0

    def query(self, plan: p.Plan) -> str:
        match plan:
            case p.SetPlan():
                result = f"UNWIND {self.members(plan)} AS v RETURN DISTINCT {self._shown(self._set_is_values(plan))}"
            case p.Values(of, path):
                rows = self._rows(self.members(of), path)
                result = f"{rows} WITH DISTINCT v WHERE v IS NOT NULL RETURN {self._shown(self._is_value(path))}"
            case p.ValuePlan():
                result = f"RETURN {self.number(plan)} AS n"
            case p.Exists(of):
                result = f"RETURN size({self.members(of)}) > 0 AS truth"
            case p.Is(of, within):
                some, all_ = self.members(of), self.members(within)
                result = f"RETURN size({some}) > 0 AND all(x IN {some} WHERE x IN {all_}) AS truth"
            case _:
                raise TypeError(f"no plan: {plan!r}")
        return "\n".join([*self._clauses, result])

    def _keep(self, expression: str, *, before: str = "", stem: str = "s") -> str:
        """Add a clause that binds a new variable to an expression and hands all others on."""
        self._count += 1
        made = f"{stem}{self._count}"
        carried = "".join(f"{name}, " for name in self._live)
        self._clauses.append(f"{before}{' ' if before else ''}WITH {carried}{expression} AS {made}")
        self._live.append(made)
        return made

    def _type(self, step: p.Step) -> str:
        id = step.relation
        if self._graph is not None and self._binding is not None:
            id = self._graph.relation_at(self._binding.relation(id)).id
        return "`" + id.replace("`", "``") + "`"

    def _ids(self, names: tuple[str, ...]) -> str:
        ids = list(names)
        if self._graph is not None and self._binding is not None:
            ids = self._graph.ids_at(self._binding.entities(names))
        return "[" + ", ".join(_string(id) for id in ids) + "]"

    def _shown(self, value: bool) -> str:
        """What is returned of a member `v`."""
        return "v.id AS id, v.label AS label"

    def _is_value(self, path: p.Path) -> bool:
        """Whether a path ends at values that are no nodes."""
        return False

    def _set_is_values(self, plan: p.SetPlan) -> bool:
        return isinstance(plan, p.Follow) and self._is_value(plan.path)

    def _number_at(self, path: p.Path) -> str:
        """The number or date of what a path ends at, `v`."""
        return "v.value"

    def _label_at(self, path: p.Path) -> str:
        """The text of what a path ends at, `v`."""
        return "v.label"

    def _text(self, text: str) -> str:
        return _string(text)

    def _measured(
        self, members: str, path: p.Path, beside: p.Beside | None, among: p.SetPlan | None = None
    ) -> tuple[str, str]:
        """Rows as `_rows` makes them, and the number or date of each; of times one row for each member.

        Of numbers put together `v` is the number, and the rows tell apart what it is made of.
        """
        if beside is None:
            return self._rows(members, path, among, before_last=True), self._number_at(path)
        if isinstance(beside, p.Combined):
            return self._combined(members, path, beside, among), "v"
        since = beside
        each = self._each(members)
        self._live.remove(members)
        clauses, carried = [each], f"{self._carried()}x"
        for side, how, made in ((since.path, "min", "a"), (path, "max", "b")):
            places = ["x", *(f"y{i}" for i in range(1, len(side))), "v"]
            clauses += [self._hop(places[i], step, places[i + 1]) for i, step in enumerate(side)]
            clauses.append(f"WITH {carried}, {how}({self._number_at(side)}) AS {made}")
            carried += f", {made}"
        clauses.append(f"WITH {self._carried()}x, {self._between(since.unit)} AS v")
        return " ".join(clauses), "v"

    def _combined(self, members: str, path: p.Path, beside: p.Combined, among: p.SetPlan | None) -> str:
        rows = self._rows(members, path, among, before_last=True)
        thing = f"y{len(path) - 1}" if len(path) > 1 else "x"
        kept = f"{self._carried()}x, " + ("" if thing == "x" else f"{thing}, ")
        places = [thing, *(f"z{i}" for i in range(1, len(beside.path))), "v"]
        self._live += ["a", "u", *([] if thing == "x" else [thing])]  # a hop to a property hands on what is live
        hops = " ".join(self._hop(places[i], step, places[i + 1]) for i, step in enumerate(beside.path))
        del self._live[-2 if thing == "x" else -3 :]
        left, right = "a", self._number_at(beside.path)
        made = f"{left} {beside.sign} {right}"
        if beside.sign == "/":
            made = f"CASE WHEN {right} <> 0 THEN toFloat({left}) / {right} END"
        return (
            f"{rows} WITH DISTINCT {kept}v AS u, {self._number_at(path)} AS a {hops} "
            f"WITH DISTINCT {kept}u, a, v, {made} AS made WITH {kept}made AS v"
        )

    def _hop(self, start: str, step: p.Step, end: str) -> str:
        link = f"-[:{self._type(step)}]->" if step.forward else f"<-[:{self._type(step)}]-"
        return f"OPTIONAL MATCH ({start}){link}({end})"

    @staticmethod
    def _each(members: str, x: str = "x") -> str:
        """A row for every member; one row with null for an empty list, so that the lists carried on survive."""
        return f"UNWIND CASE WHEN size({members}) = 0 THEN [null] ELSE {members} END AS {x}"

    def _rows(self, members: str, path: p.Path, among: p.SetPlan | None = None, *, before_last: bool = False) -> str:
        """A row for each member `x` and each end `v` of a path, null for one that is not in a set, where one is stated:
        itself, or what states it (`before_last`). The list of members is not needed any more.

        Each hop is a clause of its own: inside one pattern no relationship would be walked twice.
        """
        meant = self.members(among) if among is not None else ""
        each = self._each(members)
        self._live.remove(members)
        places = ["x", *(f"y{i}" for i in range(1, len(path))), "v"]
        hops = [self._hop(places[i], step, places[i + 1]) for i, step in enumerate(path)]
        rows = " ".join([each, *(hops or ["WITH *, x AS v"])])
        if not meant:
            return rows
        self._live.remove(meant)
        place = places[-2] if before_last else "v"
        also = f"{place}, " if before_last else ""
        return f"{rows} WITH {self._carried()}x, {also}CASE WHEN {place} IN {meant} THEN v END AS v"

    # -- sets --------------------------------------------------------------------------------------------------------

    def members(self, node: p.SetPlan) -> str:
        """The variable that holds the list of members."""
        match node:
            case p.Entities(ids):
                return self._keep(
                    "collect(DISTINCT x)", before=f"OPTIONAL MATCH (x:Entity) WHERE x.id IN {self._ids(ids)}"
                )
            case p.Class(id):
                relations = "|".join(self._type(p.Step(r)) for r in self._type_relations())
                return self._keep(
                    "collect(DISTINCT x)",
                    before=f"OPTIONAL MATCH (x:Entity)-[:{relations}]->(c) WHERE c.id IN {self._ids((id,))}",
                )
            case p.EdgesOf(relation):
                kind = self._type(p.Step(relation))
                between = f"OPTIONAL MATCH (:Entity)-[:{kind}]->(x:Entity)-[:{kind}]->(:Entity)"
                return self._keep("collect(DISTINCT x)", before=f"{between} WHERE x.kind = 'mediator'")
            case p.All():
                return self._keep("collect(DISTINCT x)", before="OPTIONAL MATCH (x:Entity) WHERE x.kind = 'named'")
            case p.Follow(of, path, qualifiers):
                here = self.members(of)
                if qualifiers:
                    here = self._keep("collect(DISTINCT v)", before=self._rows(here, path[:1]))
                    for test in qualifiers:
                        here = self._where(here, test)
                    path = path[1:]
                return self._keep("collect(DISTINCT v)", before=self._rows(here, path))
            case p.And(sets):
                first, *others = [self.members(each) for each in sets]
                tests = " AND ".join(f"x IN {other}" for other in others)
                return self._joined(f"[x IN {first} WHERE {tests}]", first, *others)
            case p.Or(sets):
                made = self.members(sets[0])
                for each in sets[1:]:
                    other = self.members(each)
                    made = self._joined(f"{made} + [x IN {other} WHERE NOT x IN {made}]", made, other)
                return made
            case p.Minus(of, without):
                mine, other = self.members(of), self.members(without)
                return self._joined(f"[x IN {mine} WHERE NOT x IN {other}]", mine, other)
            case p.Where(of, test):
                return self._where(self.members(of), test)
            case p.WhereCount(of, path, op, tuple() as stated, among):
                rows = f"{self._rows(self.members(of), path, among)} WITH {self._carried()}x, count(DISTINCT v) AS c"
                places = ["x", *(f"y{i}" for i in range(1, len(stated))), "v"]
                hops = [self._hop(places[i], step, places[i + 1]) for i, step in enumerate(stated)]
                held = f"CASE WHEN c {_OPS[op]} {self._number_at(stated)} THEN x END"
                return self._keep(f"collect(DISTINCT {held})", before=" ".join([rows, *hops]))
            case p.WhereCount(of, path, op, n, among):
                before = f"{self._rows(self.members(of), path, among)} WITH {self._carried()}x, count(DISTINCT v) AS c"
                return self._keep(f"collect(CASE WHEN c {_OPS[op]} {n} THEN x END)", before=before)
            case p.Top(of, key, largest, k, skip):
                return self._top(self.members(of), key, largest, k, skip)
            case p.Compare(a, b, key, largest):
                return self._top(self.members(p.Or((a, b))), key, largest, 1, 0)
        raise TypeError(f"no set: {node!r}")

    def _joined(self, expression: str, *made_of: str) -> str:
        made = self._keep(expression)
        for each in made_of:
            self._live.remove(each)
        return made

    def _carried(self) -> str:
        return "".join(f"{name}, " for name in self._live)

    def _type_relations(self) -> list[str]:
        if self._graph is None or self._binding is None:
            return [TYPES[0]]
        return [self._graph.relation_at(r).id for r in self._binding.kind_relations]

    def _top(self, members: str, key: p.Key, largest: bool, k: int, skip: int) -> str:
        if key.how == "count":
            rows, how, known = self._rows(members, key.path, key.among), "count(v)", "true"
        else:
            rows, value = self._measured(members, key.path, key.beside, key.among)
            best = "max" if largest else "min"
            how = f"{ {'sum': 'sum', 'mean': 'avg'}.get(key.how, best) }({value})"
            known = f"{value} IS NOT NULL"
        before = (
            f"{rows} WITH {_distinct(key.beside)}{self._carried()}x, {_thing(key.path, key.how, key.beside)}v "
            f"WITH {self._carried()}x, {how} AS key, count(CASE WHEN {known} THEN 1 END) AS values "
            f"WITH {self._carried()}CASE WHEN x IS NULL OR values = 0 THEN null ELSE {{node: x, key: key}} END AS row "
            f"ORDER BY row.key {'DESC' if largest else 'ASC'}"
        )
        rows = self._keep("collect(row)", before=before, stem="rows")
        last = f"{rows}[CASE WHEN size({rows}) < {skip + k} THEN size({rows}) ELSE {skip + k} END - 1]"
        first, (low, high) = f"{rows}[{skip}]", ("<=", ">=") if largest else (">=", "<=")
        return self._joined(f"[r IN {rows} WHERE r.key {low} {first}.key AND r.key {high} {last}.key | r.node]", rows)

    def _where(self, members: str, test: p.Test) -> str:
        if test.beside is not None and test.how == "value":
            since = test.beside if isinstance(test.beside, p.Since) else None
            stated = [
                self._stated(each) if since is None else self._time_in(each, since)
                for each in (test.value, test.upper) if each is not None
            ]  # fmt: skip
            before, here = self._measured(members, test.path, test.beside)
            tested = [f"{here} {_OPS.get(test.op, '>=')} {stated[0]}", *(f"{here} <= {each}" for each in stated[1:])]
            return self._keep(f"collect(DISTINCT CASE WHEN {' AND '.join(tested)} THEN x END)", before=before)
        if test.how != "value":
            return self._summed(members, test)
        condition = self._condition(test)
        before = self._rows(members, test.path)
        return self._keep(f"collect(DISTINCT CASE WHEN {condition} THEN x END)", before=before)

    def _summed(self, members: str, test: p.Test) -> str:
        """The members of which the sum or the mean of what they have satisfies a test."""
        stated = [self._stated(each) for each in (test.value, test.upper) if each is not None]
        how = {"sum": "sum", "mean": "avg"}[test.how]
        rows, here = self._measured(members, test.path, test.beside, test.among)
        before = (
            f"{rows} WITH {_distinct(test.beside)}{self._carried()}x, {_thing(test.path, test.how, test.beside)}v "
            f"WITH {self._carried()}x, {how}({here}) AS key, count({here}) AS values"
        )
        tested = [f"key {_OPS.get(test.op, '>=')} {stated[0]}", *(f"key <= {each}" for each in stated[1:])]
        return self._keep(f"collect(CASE WHEN values > 0 AND {' AND '.join(tested)} THEN x END)", before=before)

    def _condition(self, test: p.Test) -> str:
        value = test.value
        if isinstance(value, p.Text):
            op = {"contains": "CONTAINS", "starts": "STARTS WITH"}.get(test.op) or _OPS[test.op]
            return f"toLower({self._label_at(test.path)}) {op} {self._text(value.text.lower())}"
        if isinstance(value, p.Entities):
            return f"{'' if test.op == '=' else 'NOT '}{self._among(value)}"
        if isinstance(value, p.Values):
            made = self.members(value.of)
            many = f"collect(DISTINCT {self._number_at(value.path)})"
            rows = self._keep(many, before=self._rows(made, value.path))
            return f"any(w IN {rows} WHERE {self._number_at(test.path)} {_OPS[test.op]} w)"
        here = self._number_at(test.path)
        if isinstance(value, p.Date):
            return self._dated(test, value)
        stated = self._stated(value)
        if test.upper is not None:
            return f"{here} >= {stated} AND {here} <= {self._stated(test.upper)}"
        return f"{here} {_OPS[test.op]} {stated}"

    def _time_in(self, value: p.Value, since: p.Since) -> str:
        """A stated or computed time in the unit that it is compared in."""
        if not isinstance(value, p.Number):
            return self._stated(value)
        return shown_number(in_base(value.value, value.unit or since.unit) / in_base(1.0, since.unit))

    def _among(self, value: p.Entities) -> str:
        return f"v.id IN {self._ids(value.ids)}"

    def _dated(self, test: p.Test, value: p.Date) -> str:
        return _date_condition(test, value)

    def _stated(self, value: Any) -> str:
        if isinstance(value, p.Number):
            return shown_number(in_base(value.value, value.unit))
        return self._keep(self.number(value), stem="n")

    # -- numbers -----------------------------------------------------------------------------------------------------

    def number(self, node: p.ValuePlan) -> str:
        """An expression for a number."""
        match node:
            case p.Count(of):
                return f"size({self.members(of)})"
            case p.Values(of, path):
                return self._aggregate("max", of, path)
            case p.Aggregate(how, of, path, beside):
                return self._aggregate({"mean": "avg"}.get(how, how), of, path, beside)
            case p.Difference(a, b, key, str() as unit):
                last, first = self._scalar(a, key), self._scalar(b, key)
                return self._between(unit, first, last)
            case p.Difference(a, b, key):
                return f"({self._scalar(a, key)} - {self._scalar(b, key)})"
            case p.Arithmetic(sign, a, b):
                left, right = self.number(a), self.number(b)
                return f"(toFloat({left}) {sign} {right})" if sign == "/" else f"({left} {sign} {right})"
        raise TypeError(f"no number: {node!r}")

    def _scalar(self, of: p.SetPlan, key: p.Key) -> str:
        if key.how == "count":
            before = self._rows(self.members(of), key.path, key.among)
            return self._keep("count(DISTINCT v)", before=before, stem="n")
        how = {"value": "max", "mean": "avg"}.get(key.how, key.how)
        return self._aggregate(how, of, key.path, key.beside, key.among)

    def _aggregate(
        self, how: str, of: p.SetPlan, path: p.Path, beside: p.Beside | None = None, among: p.SetPlan | None = None
    ) -> str:
        rows, value = self._measured(self.members(of), path, beside, among)
        before = f"{rows} WITH {_distinct(beside)}{self._carried()}x, {_thing(path, how, beside)}v"
        return self._keep(f"{how}({value})", before=before, stem="n")

    def _between(self, unit: p.TimeUnit, first: str = "a", last: str = "b") -> str:
        """The time from one date to another."""
        if unit in ("seconds", "minutes", "hours"):
            size = {"seconds": 1, "minutes": 60, "hours": 3600}[unit]
            return f"(duration.inSeconds({first}, {last}).seconds / {size}.0)"
        if unit in ("days", "weeks"):
            return f"(duration.inDays({first}, {last}).days{' / 7.0' if unit == 'weeks' else ''})"
        return f"duration.inMonths({first}, {last}).{unit}"


def _thing(path: p.Path, how: str, beside: p.Beside | None) -> str:
    """The variable of what states a value, where it is not the member itself: each counts for a sum."""
    return f"y{len(path) - 1}, " if len(path) > 1 and not isinstance(beside, p.Since) and how != "count" else ""


def _distinct(beside: p.Beside | None) -> str:
    """Rows of numbers that are put together are told apart already: two equal ones may be of different pairs."""
    return "" if isinstance(beside, p.Combined) else "DISTINCT "


def _date_condition(test: p.Test, value: p.Date) -> str:
    from clew.query.values import DAY, ReadValue, shown_date

    def ends(stated: p.Date) -> tuple[str, str]:
        r = stated.reading
        if r.dimension == "clock":
            raise UnsupportedError(f"{stated.text} is a time of the day, which is stated as a text")
        last = r.high - DAY if r.high > r.low else r.high
        first, final = (shown_date(ReadValue("date", at, at, "day")) for at in (r.low, last))
        return f"date('{first}')", f"date('{final}')"

    first, last = ends(value)
    if isinstance(test.upper, p.Date):
        return f"v.value >= {first} AND v.value <= {ends(test.upper)[1]}"
    inside = f"v.value >= {first} AND v.value <= {last}"
    against = last if test.op in ("<=", ">") else first
    return {"=": inside, "!=": f"NOT ({inside})"}.get(test.op) or f"v.value {_OPS[test.op]} {against}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
