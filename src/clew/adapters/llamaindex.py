"""LlamaIndex: a retriever and a query engine over a graph.

Needs `pip install 'clew[llamaindex]'`. The query engine answers without a language model; the retriever feeds any.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from llama_index.core.base.response.schema import Response
from llama_index.core.query_engine import CustomQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
from pydantic import PrivateAttr

from clew.adapters.passages import Passage, open_workspace, passages
from clew.protocols import GraphStore
from clew.workspace import Workspace


class ClewRetriever(BaseRetriever):  # type: ignore[misc]  # llama_index is read without types
    """Evidence paths as nodes, best first.

    Args:
        graph: a folder made by `clew build`, or an opened graph.
        method: its name; None: the one trained for this graph where it is better, else `auto`.
        limit: most nodes.
    """

    def __init__(self, graph: GraphStore | str | Path, method: str | None = None, *, limit: int = 10) -> None:
        super().__init__()
        self._workspace, self._limit = open_workspace(graph, method), limit

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(each) for each in passages(self._workspace.ask(query_bundle.query_str), self._limit)]


class ClewQueryEngine(CustomQueryEngine):  # type: ignore[misc]
    """Answers as text with their evidence as source nodes; no language model is asked for it."""

    graph: Any
    method: str | None = None
    limit: int = 10
    _workspace: Workspace = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._workspace = open_workspace(self.graph, self.method)

    def custom_query(self, query_str: str) -> Response:
        answer = self._workspace.ask(query_str)
        text = ", ".join(answer.texts[: self.limit]) or answer.note or "no answer found"
        nodes = [_node(each) for each in passages(answer, self.limit)]
        scores = {candidate.text: round(candidate.score, 4) for candidate in answer.candidates[: self.limit]}
        return Response(text, source_nodes=nodes, metadata={"method": answer.method, "scores": scores})


def _node(passage: Passage) -> NodeWithScore:
    return NodeWithScore(
        node=TextNode(id_=passage.id, text=passage.text, metadata=passage.metadata), score=passage.score
    )
