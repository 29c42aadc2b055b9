"""Predicts into a run's folder and may be killed at any moment. Arguments: folder, seconds a question, threads."""

from __future__ import annotations

import sys
from pathlib import Path

from clew.api import predict_run
from clew.graph import Graph
from clew.methods import registry
from clew.protocols import Example
from clew.types import Gold, Question
from clew.workspace import Workspace, configure

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


if __name__ == "__main__":
    predict(Path(sys.argv[1]), float(sys.argv[2]), threads=int(sys.argv[3]))
