"""LangChain: a retriever and a tool over a graph.

Needs `pip install 'clew[langchain]'`. Kept to the two classes that LangChain's chains and agents expect.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from pydantic import ConfigDict, PrivateAttr

from clew.adapters.passages import open_workspace, passages
from clew.errors import ClewError
from clew.protocols import GraphStore
from clew.workspace import Workspace


class ClewRetriever(BaseRetriever):  # type: ignore[misc]  # langchain is read without types
    """Evidence paths as documents, best first.

    Args:
        graph: a folder made by `clew build`, or an opened graph.
        method: its name; None: the one trained for this graph where it is better, else `auto`.
        k: most documents.
    """

    graph: Any
    method: str | None = None
    k: int = 10
    _workspace: Workspace = PrivateAttr()

    model_config = ConfigDict(arbitrary_types_allowed=True)

    def model_post_init(self, context: Any, /) -> None:
        super().model_post_init(context)
        self._workspace = open_workspace(self.graph, self.method)

    def _get_relevant_documents(self, query: str, *, run_manager: CallbackManagerForRetrieverRun) -> list[Document]:
        found = passages(self._workspace.ask(query), self.k)
        return [Document(page_content=each.text, metadata=each.metadata, id=each.id) for each in found]


def clew_tool(graph: GraphStore | str | Path, method: str | None = None, *, limit: int = 10) -> BaseTool:
    """A tool that answers a question over the graph; its result is JSON with answers and the paths that prove them."""
    workspace = open_workspace(graph, method)

    def ask(question: str) -> str:
        try:
            answer = workspace.ask(question)
        except ClewError as error:
            raise ToolException(str(error)) from None
        answers = [
            {"answer": c.text, "score": round(c.score, 4), "evidence": [str(p) for p in answer.paths_of(c)[:2]]}
            for c in answer.candidates[:limit]
        ]
        return json.dumps({"answers": answers, "note": answer.note}, ensure_ascii=False)

    return StructuredTool.from_function(
        ask,
        name="ask_knowledge_graph",
        description="Answer a question over a knowledge graph. Gives answers with the paths in the graph that prove "
        "them; no answers and a note mean that the graph holds none.",
        handle_tool_error=True,
    )
