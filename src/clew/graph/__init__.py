"""The graph: an embedded, memory-mapped store, import from files, and pure algorithms over dense subgraphs."""

from clew.graph.store import Graph
from clew.graph.subgraph import Csr, Subgraph

__all__ = ["Csr", "Graph", "Subgraph"]
