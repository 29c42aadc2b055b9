"""The triple patterns of a query as a tree around whatever variable is asked for: each branch a set, each leaf a test.

Kept apart from the query around it (columns, aggregates, order). What the tree would leave unsaid is refused: a filter
that no set takes up, a triple that hangs on nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from clew.graph import Graph
from clew.query import plan as p
from clew.query.binding import Binding
from clew.query.sparql import RDF_TYPE
from clew.query.sparql_patterns import (
    NotAPlanError,
    Select,
    TriplePattern,
    about_language,
    flat,
    is_literal,
    is_variable,
    mentioned,
    name_of,
    taken_apart,
    unified,
    unwrapped,
    value_of,
    with_bound,
)

PlanOf = Callable[[Select, Graph | None], p.Plan]
_SWAPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}


class Tree:
    """The triples of a pattern as a tree around whatever variable is asked for."""

    def __init__(self, pattern: TriplePattern, graph: Graph | None, plan_of: PlanOf) -> None:
        self._plan_of = plan_of
        self.pattern, self._graph = unified(with_bound(pattern)), graph
        self._edges = list(dict.fromkeys(self.pattern.triples))
        self._computed: dict[Any, p.ValuePlan] = {}
        self._sets: dict[Any, list[p.SetPlan]] = {}
        for node in pattern.selects:
            select = taken_apart(node)
            if len(select.columns) != 1:
                raise NotAPlanError("a sub-select with several columns cannot be said by a plan")
            made = plan_of(select, graph)
            if isinstance(made, p.ValuePlan):
                self._computed[select.outside()] = made
            elif isinstance(made, p.SetPlan):
                shown = select.outside()
                self._sets.setdefault(self.pattern.names.get(shown, shown), []).append(made)
        self._said: set[int] = set()  # filters, and groups, that the plan says: by identity
        self._walked: set[int] = set()  # edges that it walks

    def whole(self, variable: Any, given: dict[Any, p.SetPlan] | None = None) -> p.SetPlan:
        """What a variable can stand for; raises where a part of the pattern would be left unsaid."""
        made = self.set(variable, given=given)
        self.check()
        return made

    def check(self) -> None:
        """Raises NotAPlanError where the plan leaves a part of the pattern unsaid."""
        left = [self._edges[i] for i in range(len(self._edges)) if i not in self._walked]
        if left:
            s, r, o = left[0]
            raise NotAPlanError(f"{s} {r} {o} is not connected with what is asked for: a plan has no cross products")
        for each in self.pattern.filters:
            if id(each) not in self._said and not about_language(each):
                raise NotAPlanError(f"the filter {getattr(each, 'name', each)} cannot be said by a plan")
        for group in (*self.pattern.without, *self.pattern.unions):
            if id(group) not in self._said:
                raise NotAPlanError("a MINUS or UNION without a variable of what is asked for cannot be said by a plan")

    def roots(self) -> list[Any]:
        """The variables, those first that no other variable leads to."""
        variables = list(dict.fromkeys(v for s, _, o in self._edges for v in (s, o) if is_variable(v)))
        variables += [v for v in self.pattern.variables() if v not in variables]
        reached = {o for s, _, o in self._edges if is_variable(s)}
        return sorted(variables, key=lambda v: v in reached)

    def row(self, avoid: Any = None) -> Any:
        """The variable whose things the rows stand for: the one that everything else hangs on by single values."""
        found = [v for v in self.roots() if v != avoid]
        if not found:
            raise NotAPlanError("there is nothing to count")
        things = [v for v in found if not self.is_leaf(v)] or found[:1]
        if len(things) == 1:
            return things[0]
        for each in things:
            if all(self._single(step) for other in things if other != each for step in self.path(each, other)):
                return each
        why = (
            "with the graph at hand it may be clear which" if self._graph is None else "each has several of the others"
        )
        raise NotAPlanError(f"the rows join {len(things)} kinds of things, and it is not clear what is counted: {why}")

    def _single(self, step: p.Step) -> bool:
        """Whether nothing has two of this in the graph."""
        if self._graph is None:
            return False
        whole, relation = self._graph.whole, Binding.of(self._graph).relation(step.relation)
        side = (whole.heads if step.forward else whole.tails)[whole.rels == relation]
        return len(np.unique(side)) == len(side)

    def _touching(self, variable: Any, used: frozenset[int]) -> list[tuple[int, str, Any, bool]]:
        """(edge, relation, other end, whether the edge leads away) of a variable's edges."""
        found = []
        for number, (s, r, o) in enumerate(self._edges):
            if number not in used and variable in (s, o):
                if s == o:
                    raise NotAPlanError("a triple from a thing to itself cannot be said by a plan")
                found.append((number, r, o if s == variable else s, s == variable))
        return found

    def _inner(self, pattern: TriplePattern) -> Tree:
        return Tree(pattern, self._graph, self._plan_of)

    def _say(self, expression: Any) -> None:
        self._said.add(id(expression))

    def is_leaf(self, variable: Any) -> bool:
        return len(self._touching(variable, frozenset())) == 1 and not any(
            variable in branch.variables() for union in self.pattern.unions for branch in union
        )

    def subject_of(self, variable: Any) -> tuple[Any, int, p.Step]:
        """The variable that a value hangs on, the edge, and the step to it."""
        found = [
            (o, n, p.Step(r, not away)) for n, r, o, away in self._touching(variable, frozenset()) if is_variable(o)
        ]
        found.sort(key=lambda each: not each[2].forward)
        if not found:
            raise NotAPlanError(f"?{variable} hangs on no variable")
        self._walked.add(found[0][1])
        return found[0]

    def path(self, start: Any, end: Any) -> p.Path:
        """The steps between two variables."""
        queue: list[tuple[Any, p.Path, frozenset[int]]] = [(start, (), frozenset())]
        while queue:
            here, steps, used = queue.pop(0)
            if here == end:
                return steps
            for number, relation, other, away in self._touching(here, used):
                if is_variable(other):
                    queue.append((other, (*steps, p.Step(relation, away)), used | {number}))
        raise NotAPlanError(f"?{start} and ?{end} are not connected: a plan has no cross products")

    def only_on(self, group: Any, target: Any) -> None:
        """Raises NotAPlanError where what is counted has conditions of its own, which counting leaves out."""
        reached = [target] if target != group else []
        for variable in reached:
            for _, relation, other, away in self._touching(variable, frozenset()):
                on_the_way = other == group or (is_variable(other) and len(self.path(group, target)) > 1)
                plain = is_variable(other) and self._plain_leaf(other, frozenset(self._numbers(variable, other)))
                tested = is_variable(other) and (self.tests_of(other) or self._choices_of(other))
                if not (on_the_way or (relation == RDF_TYPE and away) or (plain and not tested)):
                    raise NotAPlanError(
                        "a count of things with conditions of their own, for every group, cannot be said"
                    )

    def _numbers(self, a: Any, b: Any) -> list[int]:
        return [n for n, (s, _, o) in enumerate(self._edges) if {s, o} == {a, b}]

    def tests_of(self, variable: Any) -> list[tuple[Any, Any]]:
        """The comparisons of a variable with stated or computed values."""
        found = [(each, self._test(each, variable)) for each in self.pattern.filters]
        for each, test in found:
            if test is not None:
                self._say(each)
        return [test for _, test in found if test is not None]

    def _choice(self, expression: Any, variable: Any) -> list[tuple[Any, Any]]:
        """The comparisons of which one has to hold, where a filter says that of one variable."""
        if getattr(expression, "name", "") == "RelationalExpression" and expression.op == "IN":
            listed = not any(map(is_variable, expression.other)) and unwrapped(expression.expr) == variable
            return [("=", value_of(term)) for term in expression.other] if listed else []
        if getattr(expression, "name", "") != "ConditionalOrExpression" or mentioned(expression) != {variable}:
            return []
        found = [self._test(each, variable) for each in (expression.expr, *expression.other)]
        return [] if None in found else [each for each in found if each is not None]

    def _choices_of(self, variable: Any) -> list[list[tuple[Any, Any]]]:
        found = [(each, self._choice(each, variable)) for each in self.pattern.filters]
        for each, choice in found:
            if len(choice) > 1:
                self._say(each)
        return [choice for _, choice in found if len(choice) > 1]

    def _test(self, expression: Any, variable: Any) -> tuple[Any, Any] | None:
        name = getattr(expression, "name", "")
        if name == "RelationalExpression" and expression.op in _SWAPPED:
            left, right, op = unwrapped(expression.expr), unwrapped(expression.other), expression.op
            if right == variable:
                left, right, op = right, left, _SWAPPED[op]
            if left != variable:
                return None
            if is_variable(right):
                if right not in self._computed:
                    raise NotAPlanError(f"?{left} {op} ?{right}: a plan compares with a stated or computed value")
                return op, self._computed[right]
            return op, value_of(right)
        if name in ("Builtin_CONTAINS", "Builtin_STRSTARTS") and unwrapped(expression.arg1) == variable:
            return "contains" if name == "Builtin_CONTAINS" else "starts", p.Text(str(expression.arg2))
        if name == "Builtin_REGEX" and unwrapped(expression.text) == variable:
            stated = str(expression.pattern)
            plain = stated.removeprefix("^")
            if re.escape(plain).replace("\\ ", " ") != plain:
                raise NotAPlanError(f"the regular expression {stated!r} cannot be said by a plan")
            return "starts" if stated.startswith("^") else "contains", p.Text(plain)
        return None

    def set(
        self, variable: Any, used: frozenset[int] = frozenset(), given: dict[Any, p.SetPlan] | None = None
    ) -> p.SetPlan:
        """What a variable can stand for, given the whole pattern."""
        given = given or {}
        if variable in given:
            return given[variable]
        bases: list[p.SetPlan] = list(self._sets.get(variable, ()))
        later: list[Any] = []  # conditions, put around the base
        for number, relation, other, away in self._touching(variable, used):
            self._walked.add(number)
            if not is_variable(other):
                self._constant(relation, other, away, bases, later)
                continue
            onward = p.Step(relation, away)
            if other not in given and self._plain_leaf(other, used | {number}):
                tests, choices = self.tests_of(other), self._choices_of(other)
                later += [lambda s, o=onward, t=t: p.Where(s, p.Test((o,), *t)) for t in _ranges(tests)]
                for choice in choices:
                    later.append(lambda s, o=onward, c=choice: p.Or(tuple(p.Where(s, p.Test((o,), *t)) for t in c)))
                groups = self._groups_of(other)
                for group, holds in groups:
                    later.append(lambda s, o=onward, g=group, h=holds, v=other: self._by_group(s, o, g, h, v))
                if not tests and not choices and not groups:
                    later.append(lambda s, o=onward: p.WhereCount(s, (o,), ">=", 1))
                continue
            bases.append(p.Follow(self.set(other, used | {number}, given), (p.Step(relation, not away),)))
        if variable in self.pattern.values:
            bases.append(p.Entities(tuple(name_of(term) for term in self.pattern.values[variable])))
        for union in self.pattern.unions:
            if any(variable in branch.variables() for branch in union):
                self._say(union)
                bases.append(
                    _joined(p.Or, [Tree(branch, self._graph, self._plan_of).whole(variable) for branch in union])
                )
        self._filters(variable, bases, later)
        made = _joined(p.And, bases) if bases else p.All()
        for condition in later:
            made = condition(made)
        for pattern in self.pattern.without:
            if variable in pattern.variables():
                self._say(pattern)
                made = _without(made, variable, self._inner(pattern))
        return made

    def _plain_leaf(self, variable: Any, used: frozenset[int]) -> bool:
        special = variable in self._sets or variable in self.pattern.values or self._touching(variable, used)
        unions = any(variable in branch.variables() for union in self.pattern.unions for branch in union)
        groups = any(variable in pattern.variables() for pattern in self.pattern.without)
        nested = any(
            getattr(each, "name", "") in ("ConditionalOrExpression", "UnaryNot")
            and variable in mentioned(each)
            and not self._choice(each, variable)
            and not about_language(each)
            for each in self.pattern.filters
        )
        return not (special or unions or groups or nested)

    def _groups_of(self, variable: Any) -> list[tuple[TriplePattern, bool]]:
        """EXISTS (True) and NOT EXISTS (False) groups about a variable."""
        found = []
        for each in self.pattern.filters:
            name = getattr(each, "name", "")
            if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS") and variable in mentioned(each):
                self._say(each)
                found.append((unified(flat(each.graph)), name == "Builtin_EXISTS"))
        return found

    def _by_group(
        self, members: p.SetPlan, step: p.Step, group: TriplePattern, holds: bool, variable: Any
    ) -> p.SetPlan:
        """Members whose value is (not) among what a group makes."""
        among = p.Follow(
            Tree(group, self._graph, self._plan_of).whole(variable), (p.Step(step.relation, not step.forward),)
        )
        return p.And((members, among)) if holds else p.Minus(members, among)

    def _constant(self, relation: str, other: Any, away: bool, bases: list[p.SetPlan], later: list[Any]) -> None:
        if relation == RDF_TYPE and away:
            bases.append(p.Class(name_of(other)))
        elif is_literal(other):
            value = value_of(other)
            later.append(lambda s: p.Where(s, p.Test((p.Step(relation, away),), "=", value)))
        else:
            bases.append(p.Follow(p.Entities((name_of(other),)), (p.Step(relation, not away),)))

    def _filters(self, variable: Any, bases: list[p.SetPlan], later: list[Any]) -> None:
        """Filters on the variable itself."""
        for expression in self.pattern.filters:
            if variable not in mentioned(expression) or about_language(expression):
                continue
            condition = self._condition(expression, variable)
            self._say(expression)
            if isinstance(condition, p.Entities):
                bases.append(condition)
            elif condition is not None:
                later.append(condition)

    def _condition(self, expression: Any, variable: Any) -> Any:
        """What a filter does with a set of what `variable` stands for; None where it is about something else."""
        name = getattr(expression, "name", "")
        if name in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
            pattern = unified(flat(expression.graph))
            if name == "Builtin_NOTEXISTS":
                return lambda s: _without(s, variable, self._inner(pattern))
            return lambda s: _within(s, variable, self._inner(pattern))
        if name == "ConditionalOrExpression":
            parts = [self._condition(each, variable) for each in (expression.expr, *expression.other)]
            if any(part is None or isinstance(part, p.Entities) for part in parts):
                raise NotAPlanError("this || cannot be said by a plan")
            return lambda s: p.Or(tuple(part(s) for part in parts))
        if name == "UnaryNot" and getattr(expression.expr, "name", "") == "Builtin_EXISTS":
            pattern = flat(expression.expr.graph)
            return lambda s: _without(s, variable, self._inner(pattern))
        if name == "RelationalExpression" and expression.op in ("IN", "NOT IN"):
            names = p.Entities(tuple(name_of(term) for term in expression.other))
            return names if expression.op == "IN" else lambda s: p.Minus(s, names)
        found = self._test(expression, variable)
        if found is None:
            raise NotAPlanError(f"the filter {name or expression} cannot be said by a plan")
        op, value = found
        if isinstance(value, p.Entities) and op in ("=", "!="):
            return value if op == "=" else lambda s: p.Minus(s, value)
        return lambda s: p.Where(s, p.Test((), op, value))


def _joined(kind: Any, sets: list[p.SetPlan]) -> p.SetPlan:
    unique = tuple(dict.fromkeys(sets))
    made: p.SetPlan = unique[0] if len(unique) == 1 else kind(unique)
    return made


def _ranges(tests: list[tuple[Any, Any]]) -> list[tuple[Any, ...]]:
    """Two one-sided comparisons as one `between`, so that one value has to satisfy both."""
    ops = [op for op, _ in tests]
    if sorted(ops) == ["<=", ">="]:
        low, high = (next(v for o, v in tests if o == op) for op in (">=", "<="))
        if type(low) is type(high) and isinstance(low, (p.Number, p.Date)):
            return [("between", low, high)]
    return list(tests)


def _without(members: p.SetPlan, variable: Any, inner: Tree) -> p.SetPlan:
    path = _bare_path(inner.pattern, variable)
    if path is not None:
        return p.WhereCount(members, path, "=", 0)
    return p.Minus(members, inner.whole(variable))


def _within(members: p.SetPlan, variable: Any, inner: Tree) -> p.SetPlan:
    path = _bare_path(inner.pattern, variable)
    if path is not None:
        return p.WhereCount(members, path, ">=", 1)
    made = inner.whole(variable)
    if isinstance(made, p.Where) and isinstance(made.of, p.All):
        return p.Where(members, made.test)
    return p.And((members, made))


def _bare_path(pattern: TriplePattern, variable: Any) -> p.Path | None:
    """The step of a pattern that is one triple to anything."""
    if len(pattern.triples) != 1 or pattern.filters or pattern.unions or pattern.selects or pattern.without:
        return None
    s, r, o = pattern.triples[0]
    other = o if s == variable else s
    return (p.Step(r, s == variable),) if is_variable(other) and other != variable else None
