"""The graph pass kept on disk: computed once for a graph and a model, mapped afterwards, mended after an edit.

The pass depends on no question, so a graph that many questions go to needs it once. After `clew add` only entities
within L hops of a changed one can differ (L layers); those are computed again and the rest is taken over. What changed
is found by comparing, per entity, a checksum of its label and its triples: no store has to keep a history.

Files that are not those which were written (by inode, size and time of change) are read for their checksum; what is
damaged is computed again.

Shapes: N entities, R relations, L layers, E width of the encoder, D width of the network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from clew.errors import FormatError
from clew.graph import Subgraph
from clew.learning.folders import read_json, write_json
from clew.methods.scr.features import Floats, entity_vectors, relation_vectors
from clew.methods.scr.model import GraphView, ScrModel, view
from clew.methods.scr.sampling import layered
from clew.protocols import TextEncoder

FORMAT = 2  # 1 had no checksums
MOST_MENDED = 0.3  # share of the entities; above, the whole pass is as cheap
ARRAYS = ("ids", "labels", "surroundings", "vectors", "entities")
Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class StoredEncoding:
    """A pass as it lies on disk."""

    name: str  # of the graph
    ids: Hashes  # (N,) of entity ids
    labels: Hashes  # (N,) of labels
    surroundings: Hashes  # (N,) of the triples that touch each entity
    vectors: Floats  # (N, E) frozen
    entities: Floats  # (N, D) candidates' part of the scores


def kept_view(
    model: ScrModel, encoder: TextEncoder, graph: Subgraph, name: str, cache: Path | None
) -> tuple[GraphView, str]:
    """`view` of a whole graph, from `cache` where it lies there, and how it was made: "mapped", "mended", "computed".

    Args:
        name: the graph's stable identity. cache: folder for derived arrays; None: nothing is kept.
    """
    if cache is None:
        return view(model.network, graph, encoder), "computed"
    key = hashlib.sha256(f"{model.digest}\0{encoder.name}".encode()).hexdigest()[:16]
    folder = cache / "scr" / key
    kept = _read(folder, model, encoder)
    relations = torch.from_numpy(relation_vectors(graph, encoder)).to(model.network.log_temperature.device)
    if kept is not None and kept.name == name and len(kept.ids) == graph.num_entities:
        return _view(model, graph, relations, kept), "mapped"
    ids, labels, surroundings = _hashes(graph)
    how, vectors, entities = "computed", None, None
    if kept is not None:
        mended = _mend(model, encoder, graph, relations, kept, ids, labels, surroundings)
        if mended is not None:
            how, (vectors, entities) = "mended", mended
    if vectors is None or entities is None:
        whole = view(model.network, graph, encoder)
        vectors, entities = whole.vectors, whole.tables.entities.cpu().numpy()
    _write(folder, StoredEncoding(name, ids, labels, surroundings, vectors, entities))
    written = _read(folder, model, encoder)
    assert written is not None
    return _view(model, graph, relations, written), how


@torch.no_grad()
def _view(model: ScrModel, graph: Subgraph, relations: torch.Tensor, kept: StoredEncoding) -> GraphView:
    nothing = torch.zeros(0, model.network.config.width, device=relations.device)
    empty = model.network.tables(nothing, relations)
    entities = torch.from_numpy(kept.entities).to(relations.device)
    return GraphView(graph, kept.vectors, relations, replace(empty, entities=entities))


@torch.no_grad()
def _mend(
    model: ScrModel,
    encoder: TextEncoder,
    graph: Subgraph,
    relations: torch.Tensor,
    kept: StoredEncoding,
    ids: Hashes,
    labels: Hashes,
    surroundings: Hashes,
) -> tuple[Floats, Floats] | None:
    """Arrays for `graph` that take over all that an edit cannot have changed; None where too much has."""
    order = np.argsort(kept.ids, kind="stable")
    place = np.searchsorted(kept.ids[order], ids)
    place[place == len(order)] = 0
    old = order[place] if len(order) else np.zeros(len(ids), np.int64)
    known = (kept.ids[old] == ids) if len(order) else np.zeros(len(ids), bool)
    same_label = known & (kept.labels[old] == labels)
    touched = np.flatnonzero(~(same_label & (kept.surroundings[old] == surroundings)))
    depth = len(model.network.layers)
    affected = layered(graph, touched, [None] * depth)[0] if len(touched) else touched
    if len(affected) > MOST_MENDED * graph.num_entities:
        return None
    vectors = kept.vectors[old]
    renamed = np.flatnonzero(~same_label)
    vectors[renamed] = entity_vectors(graph, encoder, renamed)
    entities = kept.entities[old]
    if len(affected):
        wanted = np.sort(affected)
        nodes, edges = layered(graph, wanted, [None] * depth)
        device = relations.device
        frozen = torch.from_numpy(vectors[nodes]).to(device)
        encoded = model.network.encode_graph(frozen, [layer.to(device) for layer in edges], relations)
        entities[wanted] = model.network.tables(encoded[: len(wanted)], relations).entities.cpu().numpy()
    return vectors, entities


def _hashes(graph: Subgraph) -> tuple[Hashes, Hashes, Hashes]:
    """Per entity: of its id, of its label, of the triples around it (in any order)."""
    n = graph.num_entities
    ids = _hash([graph.entity(i).id for i in range(n)])
    labels = _hash(graph.labels(np.arange(n, dtype=np.int32)))
    names = _hash([graph.relation(r).id for r in range(graph.num_relations)])
    around = np.zeros(n, np.uint64)
    if graph.num_triples:
        relation = names[graph.rels]
        np.add.at(around, graph.heads, _mix(relation, ids[graph.tails], 1))
        np.add.at(around, graph.tails, _mix(relation, ids[graph.heads], 2))
    return ids, labels, around


def _hash(texts: Sequence[str]) -> Hashes:
    joined = b"".join(hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(joined, np.uint64).copy()


def _mix(a: Hashes, b: Hashes, salt: int) -> Hashes:
    """One number of two, well spread (splitmix64's finaliser)."""
    x = a * np.uint64(0x9E3779B97F4A7C15) + b + np.uint64(salt)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Hashes = x ^ (x >> np.uint64(31))
    return mixed


def _read(folder: Path, model: ScrModel, encoder: TextEncoder) -> StoredEncoding | None:
    """The pass in `folder`; None where there is none or it is not whole: it is then computed again."""
    try:
        meta = read_json(folder / "meta.json") if (folder / "meta.json").is_file() else None
        if meta is None or meta["format"] != FORMAT or not isinstance(meta["graph"], str):
            return None
        if not all(_sound(folder / f"{name}.npy", meta["files"][name]) for name in ARRAYS):
            return None
        # Copy on write: torch wants arrays that could be written to, and nothing here writes.
        arrays = {name: np.load(folder / f"{name}.npy", mmap_mode="c") for name in ARRAYS}
    except (OSError, ValueError, KeyError, TypeError, FormatError):
        return None
    n = len(arrays["ids"])
    widths: dict[str, Any] = {"vectors": (n, encoder.dim), "entities": (n, model.network.config.width)}
    if any(arrays[name].shape != widths.get(name, (n,)) for name in ARRAYS):
        return None
    return StoredEncoding(meta["graph"], *(arrays[name] for name in ARRAYS))


def _sound(path: Path, stated: Sequence[int]) -> bool:
    """Whether a file is the one that was written, or holds what was written."""
    return _stamp(path) == list(stated[:-1]) or _sum(path) == stated[-1]


def _stamp(path: Path) -> list[int]:
    told = path.stat()
    return [told.st_ino, told.st_size, told.st_mtime_ns]


def _sum(path: Path) -> int:
    found = 0
    with path.open("rb") as file:
        while block := file.read(1 << 22):
            found = zlib.crc32(block, found)
    return found


def _write(folder: Path, kept: StoredEncoding) -> None:
    beside = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    for name in ARRAYS:
        np.save(beside / f"{name}.npy", getattr(kept, name))
    files = {name: [*_stamp(beside / f"{name}.npy"), _sum(beside / f"{name}.npy")] for name in ARRAYS}
    write_json(beside / "meta.json", {"format": FORMAT, "graph": kept.name, "files": files})
    if folder.exists():
        old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
        folder.rename(old)
        beside.rename(folder)
        shutil.rmtree(old, ignore_errors=True)  # readers that mapped it keep their pages
    else:
        beside.rename(folder)
