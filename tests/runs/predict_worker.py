"""Predicts into a run's folder and may be killed at any moment.

Each line of stdin is [folder, seconds a question, threads] as JSON: a fork of this process, which has imported all it
needs, does the work. Its number is printed, and how it ended.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path

from clew.api import predict_run
from clew.graph import Graph
from clew.methods import registry
from clew.protocols import Example
from clew.settings import configure
from clew.types import Gold, Question
from clew.workspace import Workspace

TRIPLES = [(f"Country{i}", relation, f"{relation} of {i}") for i in range(60) for relation in ("currency", "capital")]
EXAMPLES = [
    Example(Question(f"q{i}", f"{relation} of Country{i}?", (f"Country{i}",)), Gold((f"{relation} of {i}",)))
    for i in range(60)
    for relation in ("currency", "capital")[i % 2 :][:1]
]


def predict(folder: Path, seconds: float, *, threads: int = 1) -> None:
    registry.ROOMS = (*registry.ROOMS, "follow_room")
    flags = {
        "method": {"name": "follow", "seconds": seconds, "refuse": "Country13"},
        "run": {"batch": 4, "threads": threads},
    }
    graph = Graph.from_triples(TRIPLES, name="many")
    predict_run(Workspace(configure(flags=flags, environment={}), graph=graph), EXAMPLES, folder, resume=True)


def serve() -> None:
    predict_nothing()
    for line in sys.stdin:
        folder, seconds, threads = json.loads(line)
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                predict(Path(folder), seconds, threads=threads)
                code = 0
            except BaseException:  # noqa: BLE001 - a fork must not go on as its parent
                traceback.print_exc()
            finally:
                os._exit(code)
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def predict_nothing() -> None:
    """Import and compile what a prediction needs, so that no fork has to."""
    import tempfile

    with tempfile.TemporaryDirectory() as name:
        predict(Path(name) / "run", 0.0)


if __name__ == "__main__":
    serve()
