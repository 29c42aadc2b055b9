"""Lists of RDF, read as several values: `paper authorList (ada bo)` is two facts of the paper.

Kept apart from `value_nodes`, whose nodes hold one value. A list is a chain of nameless nodes (`rdf:first`, `rdf:rest`)
that nobody asks for and every path would have to walk along. Which member comes first is lost to questions; `clew
query` sees the chain.

Shapes: N entities; a row is (head, relation, tail, source).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.graph.value_nodes import ReadValues

if TYPE_CHECKING:
    from clew.graph.schema import Everything, Rows

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
DEEP = 5  # lists in lists


def read_lists(read: Everything, aside: Callable[[Rows], NDArray[np.bool_]], most: int) -> ReadValues:
    """Find the lists that facts lead to.

    Args:
        aside: which rows are no facts: the lists of an ontology hang on those.
        most: nodes of lists; of more all stay nodes.
    """
    count = read.assembly.entities.count
    gone, none = np.zeros(count, bool), np.empty((0, 4), np.int32)
    first, rest = read.relation(f"{RDF}first"), read.relation(f"{RDF}rest")
    if first < 0 or rest < 0:
        return ReadValues(gone, none)
    held = read.picked(lambda row: (row[:, 1] == first) & ~aside(row))
    held = held[read.texts.starting(held[:, 0], b"_:")]
    if not 0 < len(held) <= most:
        return ReadValues(gone, none)
    nodes = read.mask(held[:, 0])
    chain = read.picked(lambda row: (row[:, 1] == rest) & nodes[row[:, 0]])
    beginning = np.arange(count, dtype=np.int32)  # of the list that a node is in
    linked = chain[nodes[chain[:, 2]]]
    beginning[linked[:, 2]] = linked[:, 0]
    for _ in range(count.bit_length()):  # each round sees twice as far; one that bites its tail ends too
        beginning = beginning[beginning]
    members = held[np.argsort(beginning[held[:, 0]], kind="stable")]
    begun = beginning[members[:, 0]]
    rows = read.picked(lambda row: nodes[row[:, 2]] & (row[:, 1] != first) & (row[:, 1] != rest) & ~aside(row))
    found: list[Rows] = []
    for _ in range(DEEP):
        rows = rows[beginning[rows[:, 2]] == rows[:, 2]]
        if not len(rows):
            break
        reached = np.isin(beginning, rows[:, 2]) & nodes
        gone |= reached
        low, high = (np.searchsorted(begun, rows[:, 2], side) for side in ("left", "right"))
        counts = high - low
        places = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(low, counts)
        rows = np.repeat(rows, counts, axis=0)
        rows[:, 2] = members[places, 2]
        found.append(rows[~nodes[rows[:, 2]]])
        rows = rows[nodes[rows[:, 2]]]
    return ReadValues(gone, np.concatenate([none, *found]))
