"""The edges of a relation that state something: the nameless nodes that stand between its two ends, one for each.

So a table of two keys and a mark is built, and an edge with properties of a property graph: `exam -mark→ _:m -mark→
pupil`, with the mark a triple of `_:m`.
"""

from __future__ import annotations

import numpy as np

from clew.graph import Graph
from clew.graph.sets import distinct, shared
from clew.graph.subgraph import Ints

LEAST = 2  # edges of a relation that state something


def edges_of(graph: Graph, relation: int) -> Ints:
    """(E,) the mediators between the ends of a relation, ascending."""

    def made() -> Ints:
        whole = graph.whole
        mine = whole.rels == relation
        both = shared(np.unique(whole.heads[mine]), np.unique(whole.tails[mine]))
        return distinct(both[graph.mediators_at(both)])

    return graph.derived(("query.edges", relation), made)


def edge_relations(graph: Graph) -> list[int]:
    """The relations of which some edges state something as a literal."""

    def made() -> list[int]:
        whole = graph.whole
        between = whole.heads[graph.mediators_at(whole.heads) & graph.literals_at(whole.tails)]
        stating = np.unique(between)
        relations = np.unique(whole.rels[np.isin(whole.tails, stating)]) if len(stating) else stating
        return [r for r in relations.tolist() if len(shared(edges_of(graph, r), stating)) >= LEAST]

    return graph.derived("query.edge_relations", made)
