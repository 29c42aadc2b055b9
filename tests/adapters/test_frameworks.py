"""The adapters against the real frameworks: every document is a path that the graph states."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.adapters.passages import open_workspace, passages
from clew.graph import Graph
from clew.methods import registry

TRIPLES = [
    ("france", "capital", "paris"),
    ("france", "currency", "euro"),
    ("italy", "capital", "rome"),
    ("italy", "currency", "euro"),
    ("festival", "shows", "film one"),
    ("festival", "shows", "film two"),
]
LABELS = {
    "france": "France",
    "italy": "Italy",
    "paris": "Paris",
    "rome": "Rome",
    "euro": "Euro",
    "festival": "Festival",
}
QUESTION = "What is the capital of France?"


@pytest.fixture(scope="module", autouse=True)
def follow_method() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "ROOMS", (*registry.ROOMS, "follow_room"))
        yield


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(TRIPLES, name="countries", labels=LABELS)


def stated(graph: Graph, triples: list[list[str]]) -> bool:
    known = {(t.head.id, t.relation.id, t.tail.id) for t in graph.triples()}
    return bool(triples) and all(tuple(triple) in known for triple in triples)


def test_passages_name_the_triples_they_are_made_of(graph: Graph, tmp_path: Path) -> None:
    graph.save(tmp_path / "g.kg")
    for given in (graph, tmp_path / "g.kg", str(tmp_path / "g.kg")):
        answer = open_workspace(given, "follow", score=0.7).ask("What does the Festival shows?")
        found = passages(answer, 10)
        assert [p.metadata["answer"] for p in found] == ["film one", "film two"]
        assert all(stated(graph, p.metadata["triples"]) for p in found)
        assert {p.score for p in found} == {0.7}
        assert len({p.id for p in found}) == 2
        assert len(passages(answer, 1)) == 1


def test_langchain_retriever_and_tool(graph: Graph) -> None:
    pytest.importorskip("langchain_core", reason="the extra langchain is not installed")
    from clew.adapters.langchain import ClewRetriever, clew_tool

    retriever = ClewRetriever(graph=graph, method="follow", k=5)
    documents = retriever.invoke(QUESTION)
    assert [d.page_content for d in documents] == ["France -capital→ Paris"]
    assert documents[0].metadata["entity"] == "paris"
    assert stated(graph, documents[0].metadata["triples"])
    both = retriever.batch([QUESTION, "What is the capital of Italy?"])
    assert both[1][0].metadata["answer"] == "Rome"
    chain = retriever | (lambda found: [d.page_content for d in found])
    assert chain.invoke(QUESTION) == ["France -capital→ Paris"]
    tool = clew_tool(graph, "follow")
    reply = json.loads(tool.invoke({"question": QUESTION}))
    assert reply["answers"] == [{"answer": "Paris", "score": 0.5, "evidence": ["France -capital→ Paris"]}]
    assert "question is empty" in tool.invoke({"question": " "})
    assert set(tool.args) == {"question"}


@pytest.mark.filterwarnings("default")  # of llama_index's own imports
def test_llamaindex_retriever_and_query_engine(graph: Graph) -> None:
    pytest.importorskip("llama_index.core", reason="the extra llamaindex is not installed")
    from clew.adapters.llamaindex import ClewQueryEngine, ClewRetriever

    nodes = ClewRetriever(graph, "follow", limit=5).retrieve(QUESTION)
    assert [n.get_content() for n in nodes] == ["France -capital→ Paris"]
    assert stated(graph, nodes[0].metadata["triples"])
    engine = ClewQueryEngine(graph=graph, method="follow")
    response = engine.query("What is the currency of Italy?")
    assert str(response) == "Euro"
    assert response.source_nodes[0].metadata["entity"] == "euro"
    assert "nothing called “Mona Lisa”" in str(engine.query("Who painted the Mona Lisa?"))


@pytest.mark.filterwarnings("default")
def test_dspy_retriever(graph: Graph) -> None:
    pytest.importorskip("dspy", reason="dspy is not installed; the adapter needs nothing else")
    from clew.adapters.dspy import ClewRetriever

    found: Any = ClewRetriever(graph, "follow", k=3)(QUESTION)
    assert found.passages == ["France -capital→ Paris"]
    assert found.answers == ["Paris"]


def test_importing_the_package_imports_no_framework() -> None:
    import subprocess
    import sys

    code = "import clew.adapters, sys; print({m.split('.')[0] for m in sys.modules})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"langchain_core", "llama_index", "dspy"} & set(re.findall(r"\w+", done.stdout))
