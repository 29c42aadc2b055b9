"""SPARQL read into plans: SELECT and ASK, as far as a plan can say them; everything else is refused with the reason.

Kept apart because text comes from outside: it is bounded before rdflib's parser sees it. Rows are read as sets; what
the rows of a COUNT or SUM stand for where several kinds of things are joined, the graph tells.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from clew.errors import InputError, MissingExtraError
from clew.graph import Graph
from clew.query import plan as p
from clew.query.sparql import RDF_TYPE
from clew.query.sparql_patterns import (
    NotAPlanError,
    Select,
    TriplePattern,
    flat,
    is_variable,
    name_of,
    taken_apart,
    unwrapped,
    value_of,
)
from clew.query.sparql_tree import Tree
from clew.query.values import XSD

__all__ = ["NotAPlanError", "from_sparql"]

MAX_LENGTH = 50_000
_UPDATE = re.compile(r"\b(insert|delete|load|clear|drop|create|add|move|copy)\b", re.IGNORECASE)
_SUMMARIES = {"Aggregate_Sum": "sum", "Aggregate_Avg": "mean", "Aggregate_Min": "min", "Aggregate_Max": "max"}
_PREFIXES = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "xsd": XSD,
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "owl": "http://www.w3.org/2002/07/owl#",
}
_LENIENT = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^<>\s]*>|\#[^\n]*)|\b(OR|AND)\b""")


def from_sparql(text: str, graph: Graph | None = None, *, first_column: bool = False) -> p.Plan:
    """The plan that a SELECT or ASK query states.

    Args:
        graph: tells which of several joined things the rows of a COUNT or SUM stand for; without it such are refused.
        first_column: of several columns take the first; without it such a query is refused.

    Raises:
        MissingExtraError: rdflib is not installed.
        NotAPlanError: the query says what no plan can; the message holds the part and the reason.
        InputError: it is no SPARQL query, or an update.
    """
    try:
        from rdflib.plugins.sparql.algebra import translateQuery
        from rdflib.plugins.sparql.parser import parseQuery
    except ImportError:
        raise MissingExtraError("reading SPARQL", "sparql") from None
    if len(text) > MAX_LENGTH:
        raise InputError(f"the query has {len(text):,} characters; at most {MAX_LENGTH:,} are read")
    if max(_depths(text)) > p.MAX_DEPTH:
        raise InputError(f"the query's brackets are nested deeper than {p.MAX_DEPTH}: refused")
    with _quiet():
        try:
            algebra = translateQuery(parseQuery(_standard(text)), initNs=_PREFIXES).algebra
        except RecursionError:
            raise InputError("the query is nested too deeply to be read") from None
        except Exception as error:  # noqa: BLE001 - pyparsing, rdflib and Python errors alike say that it is no query
            if _UPDATE.search(text):
                raise InputError("SPARQL updates are refused: only SELECT and ASK are executed") from None
            place = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(f"not a SPARQL query: {place[:200]}") from None
    made = _query(algebra, graph, first_column)
    for _ in p.walk(made):
        pass
    return made


def _standard(text: str) -> str:
    """The query with OR and AND, which some servers allow, as SPARQL writes them; texts and IRIs stay as they are."""
    return _LENIENT.sub(lambda m: m[1] or {"OR": "||", "AND": "&&"}[m[2]], text)


def _depths(text: str) -> Iterator[int]:
    depth = 0
    yield 0
    for c in text:
        if c in "({[":
            depth += 1
            yield depth
        elif c in ")}]":
            depth -= 1


@contextmanager
def _quiet() -> Iterator[None]:
    """rdflib warns about escaped names and literals on its logger; they are dealt with here."""
    loggers = [logging.getLogger(name) for name in ("rdflib.term", "rdflib.plugins.sparql")]
    states = [logger.disabled for logger in loggers]
    for logger in loggers:
        logger.disabled = True
    try:
        yield
    finally:
        for logger, state in zip(loggers, states, strict=True):
            logger.disabled = state


def _query(algebra: Any, graph: Graph | None, first_column: bool) -> p.Plan:
    if algebra.name == "AskQuery":
        node = algebra.p
        while node.name in ("Project", "Distinct", "Reduced", "Slice"):
            node = node.p
        return _ask(flat(node), graph)
    if algebra.name != "SelectQuery":
        raise NotAPlanError(
            f"{algebra.name.removesuffix('Query').upper()} is refused: only SELECT and ASK are executed"
        )
    return _select_plan(taken_apart(algebra.p), graph, first_column)


def _ask(pattern: TriplePattern, graph: Graph | None) -> p.Plan:
    tree = Tree(pattern, graph, _select_plan)
    variables = tree.roots()
    if variables:
        return p.Exists(tree.whole(variables[0]))
    if len(pattern.triples) != 1 or pattern.filters:
        raise NotAPlanError("an ASK without variables must be one triple")
    s, r, o = pattern.triples[0]
    if r == RDF_TYPE:
        return p.Is(p.Entities((name_of(s),)), p.Class(name_of(o)))
    return p.Is(p.Entities((name_of(o),)), p.Follow(p.Entities((name_of(s),)), (p.Step(r),)))


def _select_plan(select: Select, graph: Graph | None, first_column: bool = False) -> p.Plan:
    columns = select.columns
    if not columns:
        raise NotAPlanError("SELECT * has no one answer: name the variable that is asked for")
    if len(columns) > 1 and not first_column:
        raise NotAPlanError(f"{len(columns)} columns: a plan has one answer; the first can be taken on request")
    tree = Tree(select.pattern, graph, _select_plan)
    asked = columns[0]
    if asked in select.aggregates:
        if select.grouped:
            raise NotAPlanError("one number for every group is a table: a plan has one answer")
        made = _aggregate(select.aggregates[asked], tree)
    elif select.grouped is not None or select.aggregates:
        made = _groups(select, tree, asked)
    elif select.length is not None:
        if not select.order:
            raise NotAPlanError("LIMIT without ORDER BY takes any rows: a plan cannot say that")
        made = _ordered(select, tree, asked)
    else:
        made = tree.set(asked)
    tree.check()
    return made


def _count(limit: Any) -> int:
    count = int(limit)
    if count < 1:
        raise NotAPlanError(f"LIMIT {count} asks for nothing")
    return count


def _key_variable(select: Select) -> tuple[Any, bool]:
    if len(select.order) != 1:
        raise NotAPlanError("ORDER BY several keys cannot be said by a plan")
    condition = select.order[0]
    return unwrapped(condition.expr), condition.order == "DESC"


def _ordered(select: Select, tree: Tree, asked: Any) -> p.Plan:
    variable, largest = _key_variable(select)
    if not is_variable(variable):
        raise NotAPlanError("ORDER BY an expression cannot be said by a plan")
    pivot, number, step = tree.subject_of(variable)
    members = tree.set(pivot, frozenset({number}))
    top = p.Top(members, p.Key((step,)), largest, _count(select.length), select.start)
    return tree.set(asked, given={pivot: top})


def _aggregate(aggregate: Any, tree: Tree) -> p.Plan:
    variable = aggregate.vars
    distinct = bool(aggregate.distinct)
    if aggregate.name == "Aggregate_Count":
        if variable == "*":
            return p.Count(tree.set(tree.row()))
        if not is_variable(variable):
            raise NotAPlanError("COUNT of an expression cannot be said by a plan")
        return p.Count(tree.set(variable if distinct else tree.row()))  # COUNT(?name) counts rows
    if aggregate.name not in _SUMMARIES or not is_variable(variable):
        raise NotAPlanError(f"{aggregate.name.removeprefix('Aggregate_').upper()} of this cannot be said by a plan")
    how: Any = _SUMMARIES[aggregate.name]
    if distinct and how in ("sum", "mean"):
        raise NotAPlanError("SUM and AVG of DISTINCT values cannot be said by a plan")
    owner, number, step = tree.subject_of(variable)
    row = tree.row() if how in ("sum", "mean") else owner
    members = tree.set(row, frozenset({number}))
    path = (*tree.path(row, owner), step)
    for op, value in tree.tests_of(variable):
        members = p.Where(members, p.Test(path, op, value))
    return p.Aggregate(how, members, path)


def _groups(select: Select, tree: Tree, asked: Any) -> p.Plan:
    """GROUP BY one variable, with HAVING or ORDER BY of an aggregate."""
    grouped = select.grouped or []
    if not grouped or not all(map(is_variable, grouped)):
        raise NotAPlanError("this use of aggregates cannot be said by a plan")
    group = next((g for g in grouped if not tree.is_leaf(g)), grouped[0]) if len(grouped) > 1 else grouped[0]
    members = tree.set(group)
    for condition in select.having:
        members = _having(members, condition, select, tree, group)
    if select.order and select.length is not None:
        variable, largest = _key_variable(select)
        aggregate = select.aggregates.get(variable)
        if aggregate is None:
            raise NotAPlanError("groups ordered by something that is no aggregate cannot be said by a plan")
        key = _group_key(aggregate, tree, group)
        members = p.Top(members, key, largest, _count(select.length), select.start)
    elif select.length is not None:
        raise NotAPlanError("LIMIT without ORDER BY takes any rows: a plan cannot say that")
    return members if asked == group else tree.set(asked, given={group: members})


def _group_key(aggregate: Any, tree: Tree, group: Any) -> p.Key:
    if aggregate.name == "Aggregate_Count":
        target = tree.row(avoid=group) if aggregate.vars == "*" else aggregate.vars
        if tree.is_leaf(target) and not aggregate.distinct and target != group:
            target = tree.subject_of(target)[0]
        path = tree.path(group, target)
        tree.only_on(group, target)
        if not path:
            raise NotAPlanError("a count of the group itself is always 1")
        return p.Key(path, "count")
    how: Any = {
        "Aggregate_Sum": "sum",
        "Aggregate_Avg": "mean",
        "Aggregate_Max": "value",
        "Aggregate_Min": "value",
    }.get(aggregate.name)
    if how is None or not is_variable(aggregate.vars):
        raise NotAPlanError(f"groups ordered by {aggregate.name.removeprefix('Aggregate_').upper()} cannot be said")
    return p.Key(tree.path(group, aggregate.vars), how)


def _having(members: p.SetPlan, condition: Any, select: Select, tree: Tree, group: Any) -> p.SetPlan:
    if getattr(condition, "name", "") != "RelationalExpression" or condition.expr not in select.aggregates:
        raise NotAPlanError("HAVING takes an aggregate compared with a number")
    aggregate, value = select.aggregates[condition.expr], value_of(condition.other)
    key = _group_key(aggregate, tree, group)
    if key.how in ("sum", "mean") and isinstance(value, p.Number):
        return p.Where(members, p.Test(key.path, condition.op, value, how=key.how))
    if key.how != "count" or not isinstance(value, p.Number) or value.value != int(value.value) or value.value < 0:
        raise NotAPlanError(
            "HAVING of anything but a count, sum or mean compared with a number cannot be said by a plan"
        )
    return p.WhereCount(members, key.path, condition.op, int(value.value))
