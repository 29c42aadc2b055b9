"""Query plans: questions that are more than a path, executed, shown, translated and proven.

`clew.query(graph, plan)` runs one; the plan may be a record, its one-line text, its JSON, or SPARQL. The module is
callable because the package and the function are the same word to whoever uses them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.remote import ServerGraph, is_address, open_server
from clew.query import plan as _records
from clew.query.cypher import to_cypher
from clew.query.document import from_json, schema, to_json
from clew.query.english import sentence
from clew.query.execute import ExecutionLimits, Result, execute
from clew.query.plan import Plan
from clew.query.sparql import to_sparql
from clew.query.sparql_reading import NotAPlanError, from_sparql
from clew.query.table import Table, tabulated
from clew.query.text import parse, show

__all__ = [
    "ExecutionLimits",
    "NotAPlanError",
    "Plan",
    "Result",
    "Table",
    "execute",
    "from_json",
    "from_sparql",
    "parse",
    "read",
    "run",
    "schema",
    "sentence",
    "show",
    "tabulated",
    "to_cypher",
    "to_json",
    "to_sparql",
]

_SPARQL = re.compile(
    r"\s*(?:#[^\n]*\n\s*)*(?:prefix|base|select|ask|construct|describe|insert|delete|load|clear|drop|create|with)\b",
    re.IGNORECASE,
)


def read(text: str, graph: Graph | None = None) -> Plan:
    """A plan from its one-line text, its JSON, or SPARQL. Raises InputError with the place and the reason."""
    if not text.strip():
        raise InputError('the query is empty; write for example  count(follow(entity("France"), borders))')
    if text.lstrip().startswith("{"):
        try:
            return from_json(json.loads(text))
        except (ValueError, RecursionError) as error:
            raise InputError(f"the plan is not JSON: {str(error)[:200]}") from None
    if _SPARQL.match(text) and not re.match(r"\s*\w+\s*\(", text):
        return from_sparql(text, graph)
    return parse(text)


def run(
    graph: Graph | ServerGraph | str | Path,
    plan: Plan | str,
    *,
    limit: int = 1000,
    limits: ExecutionLimits | None = None,
) -> Table:
    """Execute a plan and show what it finds, at most `limit` rows; a graph in a server executes it itself.

    Raises:
        NotFoundError: an entity, class or relation is not in the graph; the message holds the nearest.
        InputError: the text is no plan, or something is compared that has no order.
    """
    if isinstance(graph, str) and is_address(graph):
        graph = open_server(graph)
    opened = graph if isinstance(graph, (Graph, ServerGraph)) else Graph.open(graph)
    made = read(plan, opened if isinstance(opened, Graph) else None) if isinstance(plan, str) else plan
    if not isinstance(made, _records.Plan):
        raise InputError(f"{made!r} is no plan: give a plan's record, its text, or SPARQL"[:200])
    if isinstance(opened, ServerGraph):
        from clew.query.remote import ask

        return ask(made, opened, limit=limit)
    return tabulated(execute(made, opened, limits=limits), opened, limit=limit)


class _Callable(ModuleType):
    def __call__(self, graph: Graph | ServerGraph | str | Path, plan: Plan | str, **options: Any) -> Table:
        """`run`, over what the graph's input states of its schema as well."""
        if not isinstance(graph, ServerGraph) and not (isinstance(graph, str) and is_address(graph)):
            graph = (graph if isinstance(graph, Graph) else Graph.open(graph)).with_schema
        return run(graph, plan, **options)


sys.modules[__name__].__class__ = _Callable
