"""What `clew info` shows of a graph: counts, types, relations with an example and their values, names, memory.

Shapes: T triples, N entities, R relations.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.kinds import kind_relations
from clew.graph.layout import LITERAL, MEDIATOR
from clew.graph.subgraph import Ints
from clew.labels import label_to_text
from clew.types import Entity

if TYPE_CHECKING:
    from clew.graph.store import Graph

MOST_TYPES = 50
MOST_SEEN = 4_000_000  # triples of which examples are drawn
SAMPLE = 100  # values of a relation that are looked at


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
    out, inc = whole.out.degrees(), whole.inc.degrees()
    arrays: list[Any] = [whole.heads, *whole.out, *whole.inc, whole.entities]
    if graph.path is None:  # of a graph on disk these are two columns of `out`, whether mapped once or twice
        arrays += [whole.rels, whole.tails]
    distinct = {array.__array_interface__["data"][0]: array.nbytes for array in arrays if array.size}
    some = _some_of_each(whole.rels, graph.num_relations)
    relations = [
        {
            "id": (relation := graph.relation_at(r)).id,
            "label": relation.label,
            "triples": int(counts[r]),
            "values": _values(graph, some[r]),
            "example": _example(graph, int(some[r][0])) if len(some[r]) else "",
        }
        for r in ranked.tolist()
    ]
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
        "names_from": meta.get("names_from", {}),
        "aliases": len(terms.aliases),
        "descriptions": len(terms.descriptions),
        "sources": len(terms.sources),
        "degrees": {"out": _spread(out), "in": _spread(inc), "both": _spread(out + inc)},
        "types": _types(graph),
        "relations": relations,
        "memory_bytes": {"triples": sum(distinct.values()), "names": terms.nbytes},
        "edited_entities": len(graph.touched),
        "mediator": meta.get("mediator"),
        "languages": meta.get("languages", []),
        "prefixes": meta.get("prefixes", {}),
    }


def _types(graph: Graph) -> list[dict[str, Any]]:
    """Each type with how many things have it, the largest first."""
    whole = graph.whole
    here = np.isin(whole.rels, kind_relations(graph).stated)
    types, counts = np.unique(whole.tails[here], return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_TYPES]
    entities = [graph.entity_at(int(types[i])) for i in order]
    return [
        {"id": e.id, "label": label_to_text(e.label), "things": int(counts[i])}
        for e, i in zip(entities, order.tolist(), strict=True)
    ]


def _some_of_each(relations: Ints, count: int) -> list[NDArray[np.int64]]:
    """Up to `SAMPLE` triple numbers of each relation; of a large graph only every so manieth triple is looked at."""
    numbers = np.arange(0, len(relations), max(1, len(relations) // MOST_SEEN))
    order = numbers[np.argsort(relations[numbers], kind="stable")]
    ends = np.cumsum(np.bincount(relations[numbers], minlength=count))
    return [order[(ends[r - 1] if r else 0) : ends[r]][:SAMPLE] for r in range(count)]


def _values(graph: Graph, triples: NDArray[np.int64]) -> str:
    """What some triples of a relation lead to: "entities", "numbers", "dates", "texts", …, most frequent first."""
    kinds = Counter(_kind(graph.entity_at(int(tail))) for tail in graph.whole.tails[triples])
    return ", ".join(kind for kind, _ in kinds.most_common())


def _kind(entity: Entity) -> str:
    if entity.kind != "literal":
        return "mediators" if entity.kind == "mediator" else "entities"
    kind = (entity.datatype or "").rsplit("#", 1)[-1].casefold()
    if kind in ("date", "datetime", "gyear", "gyearmonth"):
        return "dates"
    if kind == "boolean":
        return "yes or no"
    numeric = kind in ("integer", "int", "long", "decimal", "double", "float", "nonnegativeinteger", "short")
    return "numbers" if numeric else "texts"


def _example(graph: Graph, triple: int) -> str:
    whole = graph.whole
    head, tail = graph.entity_at(int(whole.heads[triple])), graph.entity_at(int(whole.tails[triple]))
    name = label_to_text(graph.relation_at(int(whole.rels[triple])).label)
    return f"{_short(head.label)} | {name} | {_short(tail.label)}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"


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
