"""What `clew info` shows of a graph: counts, degrees, relations, names, memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from clew.graph.layout import LITERAL, MEDIATOR

if TYPE_CHECKING:
    from clew.graph.store import Graph


def info(graph: Graph) -> dict[str, Any]:
    """Everything as JSON values; `relations` is ordered by how many triples each has."""
    whole, terms, meta = graph.as_subgraph, graph.terms, graph.meta
    numbers = slice(None) if graph.base_entities is None else graph.base_entities
    kinds = terms.kinds[numbers]
    labelled = np.zeros(len(terms.kinds), bool)
    labelled[terms.labels.owners] = True
    # A literal is its own label and a mediator has none: neither says how well the graph's names can be read.
    nameable = int(np.count_nonzero((kinds != MEDIATOR) & (kinds != LITERAL)))
    counts = np.bincount(whole.rels, minlength=graph.num_relations)
    ranked = np.argsort(-counts, kind="stable")
    out, inc = np.diff(whole.out.offsets), np.diff(whole.inc.offsets)
    arrays: list[Any] = [whole.heads, whole.rels, whole.tails, *whole.out, *whole.inc, whole.entities]
    distinct = {array.__array_interface__["data"][0]: array.nbytes for array in arrays if array.size}
    relations = [(graph.relation_at(int(r)), int(counts[r])) for r in ranked]
    return {
        "name": graph.name,
        "path": None if graph.path is None else str(graph.path),
        "triples": graph.num_triples,
        "entities": graph.num_entities,
        "relation_count": graph.num_relations,
        "mediators": int(np.count_nonzero(kinds == MEDIATOR)),
        "literals": int(np.count_nonzero(kinds == LITERAL)),
        "isolated": int(np.count_nonzero((out == 0) & (inc == 0))),
        "labelled": int(np.count_nonzero(labelled[numbers])),
        "label_coverage": int(np.count_nonzero(labelled[numbers])) / nameable if nameable else 0.0,
        "aliases": len(terms.aliases),
        "descriptions": len(terms.descriptions),
        "sources": len(terms.sources),
        "degrees": {"out": _spread(out), "in": _spread(inc), "both": _spread(out + inc)},
        "relations": [{"id": r.id, "label": r.label, "triples": count} for r, count in relations],
        "memory_bytes": {"triples": sum(distinct.values()), "names": terms.nbytes},
        "edited_entities": len(graph.touched),
        "mediator": meta.get("mediator"),
        "languages": meta.get("languages", []),
        "prefixes": meta.get("prefixes", {}),
    }


def _spread(degrees: Any) -> dict[str, float]:
    """Mean and quantiles of a degree."""
    if not len(degrees):
        return {"mean": 0.0, "median": 0.0, "p95": 0.0, "p99": 0.0, "max": 0.0}
    quantiles = np.quantile(degrees, [0.5, 0.95, 0.99])
    return {
        "mean": float(np.mean(degrees)),
        "median": float(quantiles[0]),
        "p95": float(quantiles[1]),
        "p99": float(quantiles[2]),
        "max": float(np.max(degrees)),
    }
