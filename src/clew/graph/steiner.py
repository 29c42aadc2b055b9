"""Prize-collecting Steiner trees: the connected part of a graph that collects most prize for its cost.

The entrance to the compiled `clew.graph.pcst`; how similarity becomes prizes is the caller's affair
(`clew.retrieval.pcst`).

Shapes: V vertices, E edges.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.subgraph import Ints

Floats = NDArray[np.float64]
Pruning = Literal["gw", "strong"]


def steiner_tree(
    heads: Ints, tails: Ints, costs: Floats, prizes: Floats, *, pruning: Pruning = "gw"
) -> tuple[Ints, Ints]:
    """A connected subgraph that nearly minimises edge costs paid plus prizes left behind (within a factor of two).

    Args:
        heads, tails: (E,) ends of undirected edges; loops and parallel edges are allowed.
        costs: (E,) not negative. prizes: (V,) not negative.
        pruning: "gw" is the rule of Goemans and Williamson, which G-Retriever uses; "strong" takes the most valuable
            subtree of the grown tree and is never worth less.

    Returns: sorted vertices and sorted edges. Without any prize both are empty.
    """
    if len(costs) != len(heads) or len(heads) != len(tails):
        raise InputError(
            f"Steiner tree: {len(heads)} heads, {len(tails)} tails and {len(costs)} costs; expected as many"
        )
    for name, values in (("cost", costs), ("prize", prizes)):
        if len(values) and not (np.isfinite(values).all() and values.min() >= 0):
            raise InputError(f"Steiner tree: a {name} is {values.min()}; expected numbers of at least 0")
    empty = np.empty(0, np.int32)
    if not prizes.any():
        return empty, empty
    from clew.graph import pcst

    heads, tails = heads.astype(np.int32, copy=False), tails.astype(np.int32, copy=False)
    # In units of the largest prize, so that what counts as tight does not depend on the caller's units.
    costs, prizes = costs / prizes.max(), prizes / prizes.max()
    if len(heads) == 0:
        return np.array([np.argmax(prizes)], np.int32), empty
    merged, asleep, sleeper, parent, kept = pcst.grow(heads, tails, costs, prizes)
    if pruning == "strong":
        stays, picked = pcst.prune_strong(heads, tails, costs, prizes, merged, kept)
    else:
        stays, picked = pcst.prune_gw(heads, tails, merged, asleep, sleeper, parent, kept)
    return np.flatnonzero(stays).astype(np.int32), np.flatnonzero(picked).astype(np.int32)
