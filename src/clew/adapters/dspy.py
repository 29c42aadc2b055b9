"""DSPy: a retriever over a graph, for programs that expect `retriever(query).passages`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dspy

from clew.adapters.passages import open_workspace, passages
from clew.protocols import GraphStore


class ClewRetriever(dspy.Module):  # type: ignore[misc]  # dspy is read without types
    """Evidence paths as passages, best first; `k` is the most that are returned."""

    def __init__(self, graph: GraphStore | str | Path, method: str | None = None, *, k: int = 10) -> None:
        super().__init__()
        self._workspace, self.k = open_workspace(graph, method), k

    def forward(self, query: str, k: int | None = None) -> Any:
        answer = self._workspace.ask(query)
        found = passages(answer, k or self.k)
        return dspy.Prediction(
            passages=[each.text for each in found], scores=[each.score for each in found], answers=list(answer.texts)
        )
