"""SPARQL's algebra, as rdflib makes it, flattened into lists: triples, filters, unions, groups that must not match.

Kept apart from the tree that is made of it, because only this module knows what rdflib calls things.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import unquote

from clew.errors import ClewError, InputError
from clew.query import plan as p
from clew.query.sparql import PLAIN
from clew.query.values import NUMBERS, XSD


class NotAPlanError(InputError):
    """A query that is right but says more than a plan can."""


@dataclass
class TriplePattern:
    """A group graph pattern, flattened."""

    triples: list[tuple[Any, Any, Any]] = field(default_factory=list)
    filters: list[Any] = field(default_factory=list)
    unions: list[list[TriplePattern]] = field(default_factory=list)
    without: list[TriplePattern] = field(default_factory=list)
    optionals: list[TriplePattern] = field(default_factory=list)
    selects: list[Any] = field(default_factory=list)
    values: dict[Any, list[Any]] = field(default_factory=dict)
    names: dict[Any, Any] = field(default_factory=dict)  # of what sub-selects show, where a filter made it equal

    def join(self, other: TriplePattern) -> TriplePattern:
        lists = ("triples", "filters", "unions", "without", "optionals", "selects")
        both = {name: getattr(self, name) + getattr(other, name) for name in lists}
        return TriplePattern(**both, values={**self.values, **other.values}, names={**self.names, **other.names})

    def variables(self) -> set[Any]:
        found = {each for triple in self.triples for each in (triple[0], triple[2]) if is_variable(each)}
        for branch in (b for union in self.unions for b in union):
            found |= branch.variables()
        shown = [select.outside() for node in self.selects if (select := taken_apart(node)).columns]
        columns = {self.names.get(each, each) for each in shown}
        return found | set(self.values) | columns


def is_variable(term: Any) -> bool:
    from rdflib.term import BNode, Variable

    return isinstance(term, (Variable, BNode))


def flat(node: Any) -> TriplePattern:
    """A group graph pattern of the algebra as lists."""
    match node.name:
        case "BGP":
            made = TriplePattern()
            for s, r, o in node.triples:
                made = made.join(_edge(s, r, o))
            return made
        case "Join":
            return flat(node.p1).join(flat(node.p2))
        case "Filter":
            return replace(flat(node.p), filters=[*flat(node.p).filters, *_conjuncts(node.expr)])
        case "LeftJoin":
            inner = flat(node.p2)
            return flat(node.p1).join(TriplePattern(optionals=[inner]))
        case "Minus":
            return flat(node.p1).join(TriplePattern(without=[flat(node.p2)]))
        case "Union":
            branches = [branch for side in (node.p1, node.p2) for branch in _branches(flat(side))]
            return TriplePattern(unions=[branches])
        case "ToMultiSet":
            if node.p.name == "values":
                return TriplePattern(values=_listed(node.p.res))
            return TriplePattern(selects=[node.p])
        case "Graph":
            raise NotAPlanError("GRAPH is refused: a plan knows one graph")
        case "ServiceGraphPattern":
            raise InputError("SERVICE is refused: no other server is asked")
        case "Extend":
            raise NotAPlanError(f"BIND of ?{node.var} cannot be said by a plan")
    raise NotAPlanError(f"{node.name} cannot be said by a plan")


def _branches(pattern: TriplePattern) -> list[TriplePattern]:
    """A union of unions as one."""
    alone = pattern.unions and not (pattern.triples or pattern.filters or pattern.selects or pattern.values)
    return pattern.unions[0] if alone and len(pattern.unions) == 1 else [pattern]


def _listed(rows: Any) -> dict[Any, list[Any]]:
    found: dict[Any, list[Any]] = {}
    for row in rows:
        if len(row) != 1:
            raise NotAPlanError("VALUES of several variables cannot be said by a plan")
        for variable, term in row.items():
            found.setdefault(variable, []).append(term)
    return found


def _edge(s: Any, r: Any, o: Any) -> TriplePattern:
    """A triple pattern; property paths that end are taken apart, endless ones refused."""
    from rdflib.paths import AlternativePath, InvPath, MulPath, Path, SequencePath
    from rdflib.term import BNode

    if is_variable(r):
        raise NotAPlanError(f"the relation ?{r} is a variable: a plan names its relations")
    if not isinstance(r, Path):
        return TriplePattern(triples=[(s, iri(r), o)])
    if isinstance(r, InvPath):
        return _edge(o, r.arg, s)
    if isinstance(r, SequencePath):
        made, here = TriplePattern(), s
        for number, part in enumerate(r.args):
            there = o if number == len(r.args) - 1 else BNode()
            made, here = made.join(_edge(here, part, there)), there
        return made
    if isinstance(r, AlternativePath):
        return TriplePattern(unions=[[_edge(s, part, o) for part in r.args]])
    if isinstance(r, MulPath):
        raise NotAPlanError(f"the property path {r.n3()} has no end: refused; say how many steps")
    raise NotAPlanError(f"the property path {r} cannot be said by a plan")


def iri(term: Any) -> str:
    text = re.sub(r"\\(.)", r"\1", str(term))
    return unquote(text.removeprefix(PLAIN)) if text.startswith(PLAIN) else text


def _conjuncts(expression: Any) -> list[Any]:
    if getattr(expression, "name", "") == "ConditionalAndExpression":
        parts = [expression.expr, *expression.other]
        return [each for part in parts for each in _conjuncts(part)]
    return [expression]


@dataclass
class Select:
    """A SELECT taken apart."""

    columns: list[Any]
    pattern: TriplePattern
    aggregates: dict[Any, Any] = field(default_factory=dict)  # variable → aggregate
    grouped: list[Any] | None = None
    having: list[Any] = field(default_factory=list)
    order: list[Any] = field(default_factory=list)
    start: int = 0
    length: int | None = None
    shown: dict[Any, Any] = field(default_factory=dict)  # variable → the name under which a query around this sees it

    def outside(self) -> Any:
        return self.shown.get(self.columns[0], self.columns[0])


def taken_apart(node: Any) -> Select:
    made = Select([], TriplePattern())
    renamed: dict[Any, Any] = {}
    while True:
        match node.name:
            case "Slice":
                made.start, made.length = int(node.start or 0), node.length
            case "Distinct" | "Reduced":
                pass
            case "Project":
                made.columns = list(node.PV)
            case "OrderBy":
                made.order = list(node.expr)
            case "Extend" if is_variable(node.expr):
                renamed[node.expr] = node.var
            case "Extend":
                raise NotAPlanError(f"the expression behind ?{node.var} cannot be said by a plan")
            case "Filter" if _below(node.p) == "AggregateJoin":
                made.having += _conjuncts(node.expr)
            case "AggregateJoin":
                for each in node.A:
                    if each.name == "Aggregate_Sample" and renamed.get(each.res) == each.vars:
                        continue  # rdflib's way to show a variable that is grouped by
                    made.aggregates[renamed.get(each.res, each.res)] = each
                    made.aggregates.setdefault(each.res, each)
                group = node.p
                made.grouped = list(group.expr) if group.expr else None
                made.pattern = flat(group.p)
                return made
            case _:
                made.pattern = flat(node)
                shown = {new: old for old, new in renamed.items()}
                made.columns = [shown.get(column, column) for column in made.columns]
                made.shown = dict(zip(made.columns, [renamed.get(c, c) for c in made.columns], strict=True))
                return made
        node = node.p


def _below(node: Any) -> str:
    while node.name in ("Filter", "Extend"):
        node = node.p
    return str(node.name)


def with_bound(pattern: TriplePattern) -> TriplePattern:
    """The pattern with OPTIONAL and !BOUND as MINUS, with BOUND as a join; other OPTIONALs restrict nothing."""
    for number, each in enumerate(pattern.filters):
        name = getattr(each, "name", "")
        inner = each.expr if name == "UnaryNot" else each
        if getattr(inner, "name", "") != "Builtin_BOUND":
            continue
        for optional in pattern.optionals:
            if inner.arg in optional.variables():
                filters = pattern.filters[:number] + pattern.filters[number + 1 :]
                rest = [o for o in pattern.optionals if o is not optional]
                without = [*pattern.without, *([optional] if name == "UnaryNot" else [])]
                made = replace(pattern, filters=filters, optionals=rest, without=without)
                return with_bound(made if name == "UnaryNot" else made.join(optional))
    return pattern


def unified(pattern: TriplePattern) -> TriplePattern:
    """The pattern with variables that a filter makes equal as one: ?a = ?b, ?a IN (?b); ?a may be from outside."""
    bound = pattern.variables()
    for number, each in enumerate(pattern.filters):
        if getattr(each, "name", "") != "RelationalExpression" or each.op not in ("=", "IN"):
            continue
        other = each.other[0] if each.op == "IN" and len(each.other) == 1 else each.other
        if is_variable(each.expr) and is_variable(other) and each.expr != other and other in bound:
            filters = pattern.filters[:number] + pattern.filters[number + 1 :]
            computed = any(taken_apart(node).aggregates for node in pattern.selects)
            if computed or any(other in mentioned(left) for left in filters):
                continue
            triples = [tuple(each.expr if term == other else term for term in triple) for triple in pattern.triples]
            names = {**pattern.names, other: each.expr}
            return unified(replace(pattern, triples=triples, filters=filters, names=names))
    return pattern


def mentioned(expression: Any) -> set[Any]:
    """The variables an expression mentions, those inside EXISTS too."""
    if is_variable(expression):
        return {expression}
    found: set[Any] = set()
    if getattr(expression, "name", "") in ("Builtin_EXISTS", "Builtin_NOTEXISTS"):
        inner = flat(expression.graph)
        return inner.variables().union(*map(mentioned, inner.filters))
    if isinstance(expression, dict):
        for key, value in expression.items():
            if key != "_vars":
                found |= mentioned(value)
    elif isinstance(expression, (list, tuple)):
        for value in expression:
            found |= mentioned(value)
    return found


def about_language(expression: Any) -> bool:
    """Whether a filter only keeps the language or kind of a term: clew shows one label per thing anyway."""
    name = getattr(expression, "name", "")
    if name in ("Builtin_isLITERAL", "Builtin_isIRI", "Builtin_isURI", "Builtin_LANGMATCHES", "Builtin_LANG"):
        return True
    if name == "UnaryNot":
        return about_language(expression.expr)
    if name == "RelationalExpression":
        return getattr(expression.expr, "name", "") == "Builtin_LANG"
    if name in ("ConditionalOrExpression", "ConditionalAndExpression"):
        return all(map(about_language, (expression.expr, *expression.other)))
    return False


def unwrapped(expression: Any) -> Any:
    """An expression without casts and brackets: xsd:dateTime(?d), STR(?x), LCASE(?x)."""
    name = getattr(expression, "name", "")
    if name == "Function" and str(expression.iri).startswith(XSD) and len(expression.expr) == 1:
        return unwrapped(expression.expr[0])
    if name in ("Builtin_STR", "Builtin_LCASE", "Builtin_UCASE"):
        return unwrapped(expression.arg)
    return expression


def is_literal(term: Any) -> bool:
    from rdflib.term import Literal

    return isinstance(term, Literal)


def name_of(term: Any) -> str:
    if is_literal(term) or is_variable(term) or not isinstance(term, str):
        raise NotAPlanError(f"{str(term)[:60]} stands where a plan names an entity")
    return iri(term)


def value_of(term: Any) -> p.Number | p.Date | p.Text | p.Entities:
    """A stated term as a value."""
    from rdflib.term import URIRef

    term = unwrapped(term)
    if getattr(term, "name", "") == "UnaryMinus":
        inner = value_of(term.expr)
        if isinstance(inner, p.Number):
            return p.Number(-inner.value)
    if isinstance(term, URIRef):
        return p.Entities((iri(term),))
    if not is_literal(term):
        raise NotAPlanError("this expression is no value that a plan can compare with")
    datatype = str(term.datatype or "")
    text = str(term)
    try:
        if datatype in NUMBERS:
            return p.Number(float(text))
        if datatype.removeprefix(XSD) in ("date", "dateTime", "gYear", "gYearMonth"):
            return p.Date(text)
    except (ClewError, ValueError):
        raise InputError(f"{term.n3()} is not a value of its type") from None
    return p.Text(text)
