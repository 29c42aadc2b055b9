"""A query in a process of its own that is ended when its time is up: text from outside cannot hold anybody up.

Kept apart because it is needed only where the text is not one's own: at the command line and in servers. The process
reads one JSON request from stdin, writes one JSON reply to stdout, and can do nothing else with the graph than read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import clew.errors
from clew.errors import BudgetError, ClewError, InputError

MAX_TEXT = 100_000


def guarded(
    graph: Path, text: str, *, seconds: float = 30.0, limit: int = 1000, pairs: int | None = None
) -> dict[str, Any]:
    """What `clew.query` finds on a graph folder, as JSON values.

    Raises:
        BudgetError: it took longer than `seconds` and was ended.
        ClewError: whatever the query raised.
    """
    if len(text) > MAX_TEXT:
        raise InputError(f"the query has {len(text):,} characters; at most {MAX_TEXT:,} are read")
    request = json.dumps({"graph": str(graph), "text": text, "limit": limit, "pairs": pairs})
    child = subprocess.Popen(
        [sys.executable, "-m", "clew.query.guarded"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, complaint = child.communicate(request.encode(), timeout=seconds)
    except subprocess.TimeoutExpired:
        raise BudgetError(
            f"the query took longer than {seconds:g} s and was ended; ask for less, or allow more"
        ) from None
    finally:
        if child.poll() is None:
            child.kill()
            child.communicate()
    if child.returncode != 0:
        last = complaint.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise ClewError(f"the query's process ended with {child.returncode}: {''.join(last)[:300]}")
    reply: dict[str, Any] = json.loads(out)
    if "error" in reply:
        kind = getattr(clew.errors, reply["error"], InputError)
        error = ClewError.__new__(kind if issubclass(kind, ClewError) else InputError)
        error.args = (reply["message"],)
        raise error
    return reply


def _main() -> None:
    from clew.query import ExecutionLimits, read, run, to_cypher, to_sparql
    from clew.query.document import to_json

    request = json.loads(sys.stdin.read())
    try:
        from clew.graph import Graph

        graph = Graph.open(request["graph"]).with_schema
        plan = read(request["text"], graph)
        limits = ExecutionLimits() if request["pairs"] is None else ExecutionLimits(pairs=request["pairs"])
        reply = {**run(graph, plan, limit=request["limit"], limits=limits).to_json(), "json": to_json(plan)}
        for name, translate in (("sparql", to_sparql), ("cypher", to_cypher)):
            try:
                reply[name] = translate(plan, graph)
            except ClewError as error:
                reply[name] = f"# {error}"
    except ClewError as error:
        reply = {"error": type(error).__name__, "message": str(error)}
    sys.stdout.write(json.dumps(reply, ensure_ascii=True))


if __name__ == "__main__":
    _main()
