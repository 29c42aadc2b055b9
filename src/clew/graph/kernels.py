"""Plain algorithms over a subgraph: distances, PageRank, components, parts, unions, views for other libraries.

Separate from paths, which speak of steps: everything here yields one array per subgraph, or another subgraph.

Shapes: N entities, T triples, S seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, MissingExtraError
from clew.graph import pages
from clew.graph.paths import NO_TARGETS, Way
from clew.graph.subgraph import Ints, Subgraph
from clew.protocols import Direction

if TYPE_CHECKING:
    import networkx


def distances(
    graph: Subgraph, sources: Sequence[int] | Ints, *, direction: Way | Direction = "any", max_len: int | None = None
) -> Ints:
    """(N,) hops from the nearest source, -1 where none reaches within `max_len`.

    Args:
        direction: "forward" or "out" walks from head to tail, "in" from tail to head, "any" or "both" either way.
    """
    from clew.graph.compiled_search import reach

    distance = np.zeros(graph.num_entities, np.int32)
    limit = graph.num_entities if max_len is None else max_len
    start = np.asarray(sources, np.int32)
    use_out, use_in = direction != "in", direction in ("in", "any", "both")
    reach(graph.out, graph.inc, use_out, use_in, start, NO_TARGETS, limit, 0, distance, distance, -1)
    return distance - np.int32(1)


def pagerank(
    graph: Subgraph,
    seeds: Sequence[int] | Ints,
    *,
    weights: Sequence[float] | NDArray[np.float64] | None = None,
    alpha: float = 0.85,
    direction: Direction = "both",
    tolerance: float = 1e-8,
    max_rounds: int = 200,
) -> NDArray[np.float64]:
    """(N,) personalised PageRank, summing to 1: where a walk is that follows a random triple with probability `alpha`.

    Parallel triples count each; a walk without a way on restarts at the seeds.

    Args:
        weights: (S,) how often each seed is restarted at; None means equally.
        tolerance: stop once a round changes the scores by less, in sum.

    Raises:
        InputError: no seeds, weights that are negative or sum to 0, or no convergence within `max_rounds`.
    """
    from clew.graph.compiled_search import rank

    restart = np.zeros(graph.num_entities)
    np.add.at(restart, np.asarray(seeds, np.int64), 1.0 if weights is None else np.asarray(weights, np.float64))
    total = restart.sum()
    if not total > 0 or (restart < 0).any():
        raise InputError(f"pagerank: seeds weigh {total:g} in sum, expected at least one seed and weights ≥ 0")
    if not 0 <= alpha < 1:
        raise InputError(f"pagerank: alpha is {alpha}, expected 0 ≤ alpha < 1")
    use_out, use_in = direction != "in", direction != "out"
    with pages.in_order(*graph.out, *graph.inc):
        score, rounds, change = rank(
            graph.out, graph.inc, use_out, use_in, restart / total, alpha, tolerance, max_rounds
        )
    if change > tolerance:
        raise InputError(f"pagerank: still changing by {change:.2g} after {rounds} rounds, expected ≤ {tolerance:g}")
    return np.asarray(score)


def components(graph: Subgraph) -> Ints:
    """(N,) the weakly connected component of each entity, numbered 0, 1, … in the order of their first entities."""
    from clew.graph.compiled_search import smallest_member

    _, numbered = np.unique(smallest_member(graph.heads, graph.tails, graph.num_entities), return_inverse=True)
    return numbered.astype(np.int32)


def select(graph: Subgraph, triples: Sequence[int] | Ints, *, keep: Sequence[int] | Ints = ()) -> Subgraph:
    """The subgraph of some triples (positions; each once, in their order) and their ends.

    Args:
        keep: local entities to keep even if no triple holds them. Seeds are kept always.
    """
    chosen = np.fromiter(dict.fromkeys(np.asarray(triples, np.int64).tolist()), np.int64)
    ends = np.column_stack((graph.heads[chosen], graph.tails[chosen])).ravel()
    wanted = np.concatenate((graph.seeds, np.asarray(keep, np.int32), ends))
    members, first = np.unique(wanted, return_index=True)
    return _part(graph, members[np.argsort(first)], chosen)


def induced(graph: Subgraph, entities: Sequence[int] | Ints) -> Subgraph:
    """The subgraph of some entities (local, each once, in this order) and every triple among them.

    Seeds among them stay seeds. Cost grows with the out-degrees of the entities, not with the graph.
    """
    from clew.graph.compiled import between, numbered

    members = np.fromiter(dict.fromkeys(np.asarray(entities, np.int64).tolist()), np.int32)
    none = np.empty(0, np.int64)
    flags = np.empty(0, np.bool_)
    table = numbered(members, len(members), len(members))
    rows, _ = between(
        graph.out, members, 0, True, True, flags, graph.num_triples, table, flags, none.astype(np.int32), none, none
    )
    return _part(graph, members, np.sort(rows[3]))


def _part(graph: Subgraph, members: Ints, triples: NDArray[Any]) -> Subgraph:
    """Those entities and triples with new local numbers; the ends of the triples must be among the entities."""
    order = np.argsort(members).astype(np.int32)
    ordered = members[order]
    seeds = graph.seeds[np.isin(graph.seeds, members)]
    heads, tails, seeds = (
        order[np.searchsorted(ordered, x)] for x in (graph.heads[triples], graph.tails[triples], seeds)
    )
    return Subgraph(
        heads,
        graph.rels[triples],
        tails,
        graph.entities[members],
        graph.names,
        seeds,
        graph.numbers_of(triples),
        graph.truncated,
    )


def dedupe(graph: Subgraph) -> Subgraph:
    """The subgraph with each (head, relation, tail) once, the first of equal ones."""
    rows = np.column_stack((graph.heads, graph.rels, graph.tails))
    first = np.sort(np.unique(rows, axis=0, return_index=True)[1])
    if len(first) == graph.num_triples:
        return graph
    return replace(
        graph,
        heads=graph.heads[first],
        rels=graph.rels[first],
        tails=graph.tails[first],
        triple_numbers=graph.numbers_of(first),
    )


def union(graphs: Sequence[Subgraph]) -> Subgraph:
    """One subgraph of several over the same store: entities and seeds in order of first appearance, equal triples once.

    Raises:
        InputError: no subgraphs, or of different stores.
    """
    if not graphs:
        raise InputError("union: no subgraphs, expected at least one")
    if any(graph.names is not graphs[0].names for graph in graphs):
        raise InputError("union: subgraphs of different stores; their numbers mean different entities")
    numbers = np.concatenate([graph.entities for graph in graphs])
    ordered, first, inverse = np.unique(numbers, return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(ordered), np.int32)
    place[order] = np.arange(len(ordered), dtype=np.int32)
    local = np.split(place[inverse], np.cumsum([graph.num_entities for graph in graphs])[:-1])
    seeds = np.concatenate([to[graph.seeds] for to, graph in zip(local, graphs, strict=True)])
    triples = [found for graph in graphs if (found := graph.numbers_of(np.arange(graph.num_triples))) is not None]
    return dedupe(
        Subgraph(
            np.concatenate([to[graph.heads] for to, graph in zip(local, graphs, strict=True)]),
            np.concatenate([graph.rels for graph in graphs]),
            np.concatenate([to[graph.tails] for to, graph in zip(local, graphs, strict=True)]),
            ordered[order],
            graphs[0].names,
            seeds[np.sort(np.unique(seeds, return_index=True)[1])],
            np.concatenate(triples) if len(triples) == len(graphs) else None,
            tuple(dict.fromkeys(told for graph in graphs for told in graph.truncated)),
        )
    )


def to_networkx(graph: Subgraph) -> networkx.MultiDiGraph:
    """A networkx graph: nodes are entity ids with `label`, `kind`, `seed`; edges are keyed by relation id."""
    try:
        import networkx
    except ImportError as cause:
        raise MissingExtraError("to_networkx", "dev") from cause
    result = networkx.MultiDiGraph()
    seeds = set(graph.seeds.tolist())
    entities = [graph.entity(i) for i in range(graph.num_entities)]
    result.add_nodes_from(
        (e.id, {"label": e.label, "kind": e.kind, "seed": i in seeds}) for i, e in enumerate(entities)
    )
    relations = {int(r): graph.relation(int(r)) for r in np.unique(graph.rels)}
    for h, r, t in zip(graph.heads.tolist(), graph.rels.tolist(), graph.tails.tolist(), strict=True):
        result.add_edge(entities[h].id, entities[t].id, key=relations[r].id, label=relations[r].label)
    return result
