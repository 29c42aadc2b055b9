"""The graph: an embedded, memory-mapped store, import from files, and pure algorithms over dense subgraphs."""

from clew.graph.build import build
from clew.graph.edit import add, compact, remove
from clew.graph.inputs import BuildReport, ImportProgress, InputProblem
from clew.graph.repair import Repair, damage, repair
from clew.graph.store import Graph, has_arrays, taken_whole
from clew.graph.subgraph import Csr, Subgraph

__all__ = [
    "BuildReport",
    "Csr",
    "Graph",
    "ImportProgress",
    "InputProblem",
    "Repair",
    "Subgraph",
    "add",
    "build",
    "compact",
    "damage",
    "has_arrays",
    "remove",
    "repair",
    "taken_whole",
]
