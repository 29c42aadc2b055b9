"""`query`: a plan or SPARQL, executed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Optional

import typer

from clew.cli.options import ConfigFile, GraphArgument, Json, Set, workspace


def query(
    graph: GraphArgument,
    text: Annotated[
        str,
        typer.Argument(
            metavar="QUERY", help="A plan, e.g. 'count(follow(entity(France), borders))', or SPARQL; - is stdin."
        ),
    ],
    limit: Annotated[int, typer.Option(min=1, help="Rows to print.")] = 20,
    seconds: Annotated[float, typer.Option(min=0.1, help="End the query after so long.")] = 30.0,
    show: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option("--show", help="Print the query instead, as: text, english, json, sparql or cypher."),
    ] = None,
    json: Json = False,
    config: ConfigFile = None,
    assignments: Set = None,
) -> None:
    """Execute a query plan or a SPARQL SELECT or ASK on a graph; nothing is changed."""
    from clew.cli.screen import clean, put_json, put_table
    from clew.errors import InputError, unknown
    from clew.graph.remote import is_address
    from clew.query.guarded import MAX_TEXT, guarded

    forms = {"text": "plan", "english": "sentence", "json": "json", "sparql": "sparql", "cypher": "cypher"}
    if show is not None and show not in forms:
        raise InputError(unknown("form of a query", show, forms))
    asked = sys.stdin.read(MAX_TEXT + 1) if text == "-" else text
    if is_address(graph):
        found = _asked_there(graph, asked, seconds, limit, config, assignments)
    else:
        found = guarded(Path(graph), asked, seconds=seconds, limit=limit)
    if show is not None:
        stated = found[forms[show]]
        put_json(stated) if isinstance(stated, dict) else sys.stdout.write(
            "\n".join(map(clean, stated.splitlines())) + "\n"
        )
        return
    if json:
        put_json({key: found[key] for key in ("plan", "sentence", "columns", "rows", "total", "notes", "complete")})
        return
    if found["rows"]:
        put_table(found["columns"], found["rows"], title=clean(found["sentence"]))
    else:
        sys.stdout.write(clean(f"nothing found: {found['sentence']}") + "\n")
    if found["total"] > len(found["rows"]):
        sys.stdout.write(f"… and {found['total'] - len(found['rows']):,} more (--limit)\n")
    sys.stdout.writelines(clean(f"note: {note}") + "\n" for note in found["notes"])


def _asked_there(
    graph: str, text: str, seconds: float, limit: int, config: Path | None, assignments: list[str] | None
) -> dict[str, Any]:
    """The same of a graph in a server, which executes the plan itself and is given so many seconds."""
    from clew.errors import InputError
    from clew.graph.remote import ServerGraph
    from clew.query import read
    from clew.query.document import to_json
    from clew.query.guarded import MAX_TEXT
    from clew.query.remote import as_sent, ask

    if len(text) > MAX_TEXT:
        raise InputError(f"the query has {len(text):,} characters; at most {MAX_TEXT:,} are read")
    store = workspace(
        graph, config=config, assignments=[f"graph.server.timeout_s={seconds}", *(assignments or ())]
    ).graph
    assert isinstance(store, ServerGraph)  # an address was given
    plan = read(text)
    return {**ask(plan, store, limit=limit).to_json(), "json": to_json(plan), **as_sent(plan, store)}
