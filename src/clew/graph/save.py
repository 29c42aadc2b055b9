"""Writing a graph that already is one: a graph in memory to disk, or an edited graph without its log.

Kept apart from `build`, which numbers text: here everything has its number and keeps it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clew.errors import InputError
from clew.graph.layout import LITERAL, MEDIATOR, SCHEMA, write_array, write_strings, write_texts
from clew.graph.naming import DEFAULT_MEDIATOR, write_lookups
from clew.graph.writing import replacing, seal

if TYPE_CHECKING:
    from clew.graph.store import Graph


def save(graph: Graph, out: Path, *, fingerprint: str | None = None, held: bool = False) -> None:
    """Write `graph` to a folder in one step; entities and relations keep their numbers, triples get those by head.

    Args:
        fingerprint: the identity to keep; None takes one from the content.
        held: the caller has `out` locked.
    """
    if graph.base_entities is not None:
        raise InputError(f"graph {graph.title!r} is a view and cannot be saved: save the graph it is a view of")
    terms, whole = graph.terms, graph.as_subgraph
    with replacing(out, held=held) as folder:
        order = whole.out.triples
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        arrays: dict[str, Any] = {
            "heads.i32": whole.heads[order],
            "rels.i32": whole.out.relations,
            "tails.i32": whole.out.neighbors,
            "out.triples.i32": np.arange(len(order), dtype=np.int32),
            "out.offsets.i64": whole.out.offsets,
            "in.heads.i32": whole.inc.neighbors,
            "in.rels.i32": whole.inc.relations,
            "in.triples.i32": place[whole.inc.triples],
            "in.offsets.i64": whole.inc.offsets,
            "kinds.u8": terms.kinds,
        }
        for name, array in arrays.items():
            write_array(folder / name, array)
        if graph.source_of is not None:
            write_array(folder / "sources.of.i32", graph.source_of[order])
            write_strings(folder, "sources", terms.sources)
        write_strings(folder, "ids", terms.ids)
        write_strings(folder, "relations", terms.relation_ids)
        for stem in ("labels", "aliases", "descriptions", "relation_labels"):
            texts = getattr(terms, stem)
            if len(texts):
                write_texts(folder, stem, texts)
        if (schema := graph.schema()) is not None:
            (folder / SCHEMA).write_bytes(schema)
        write_lookups(folder)
        meta = {
            key: value for key, value in graph.meta.items() if key in ("languages", "prefixes", "inputs", "problems")
        }
        seal(
            folder,
            {
                "entities": graph.num_entities,
                "relations": graph.num_relations,
                "triples": graph.num_triples,
                "literals": int(np.count_nonzero(terms.kinds == LITERAL)),
                "mediators": int(np.count_nonzero(terms.kinds == MEDIATOR)),
                "labels": len(terms.labels),
                "mediator": graph.meta.get("mediator", DEFAULT_MEDIATOR),
                **meta,
            },
            fingerprint,
        )
