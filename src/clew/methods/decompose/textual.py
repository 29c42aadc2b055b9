"""A retrieved graph as text: tables of nodes and edges for a language model, a path a line for a small one.

Tables are G-Retriever's form (section 4.4 takes it over). They are cut by score to a budget of tokens, never inside a
row, and what was left out is told.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.subgraph import Ints, Subgraph
from clew.methods.decompose.evidence_paths import EvidencePath
from clew.methods.decompose.hybrid import NONE, Floats
from clew.methods.decompose.plan import RelationVocabulary
from clew.retrieval.verbalise import one_line

FACTS = 0.2  # of the difference that a mediator's other facts make to its place
NODES, EDGES = "node id,node attr\n", "src,edge attr,dst\n"


@dataclass(frozen=True, slots=True)
class TextualGraph:
    """The text, and in words what did not fit."""

    text: str
    left_out: int = 0
    note: str = ""


def tables(
    graph: Subgraph, scores: Floats, *, keep: Ints = NONE, max_tokens: int, count: Callable[[str], int]
) -> TextualGraph:
    """Node table and edge table of the best triples, as many as `max_tokens` allow; entities without a triple follow.

    Args:
        keep: local numbers of entities that are shown whatever fits.
        scores: (T,) of the triples. Rows are taken by score until one does not fit; a row that alone exceeds the
            budget is left out and the next one is tried. They stand in the order of the graph.
    """
    labels = [one_line(label) for label in graph.labels(np.arange(graph.num_entities, dtype=np.int32))]
    relations = {int(r): one_line(graph.relation(int(r)).label) for r in np.unique(graph.rels)}
    rows = [_row(i, label) for i, label in enumerate(labels)]
    edges = [
        _row(h, relations[r], t)
        for h, r, t in zip(graph.heads.tolist(), graph.rels.tolist(), graph.tails.tolist(), strict=True)
    ]
    shown = set(keep.tolist())
    spent = count(NODES) + count(EDGES) + sum(count(rows[i]) for i in shown)
    kept: list[int] = []
    for t in _repeated_last(graph, np.argsort(-scores, kind="stable")).tolist():
        ends = {int(graph.heads[t]), int(graph.tails[t])} - shown
        cost = count(edges[t]) + sum(count(rows[i]) for i in ends)
        if cost + count(NODES) + count(EDGES) > max_tokens:
            continue
        if spent + cost > max_tokens:
            break
        spent += cost
        shown |= ends
        kept.append(t)
    alone = np.setdiff1d(np.arange(graph.num_entities), np.concatenate((graph.heads, graph.tails)))
    for i in sorted({*alone.tolist()} - shown):
        if spent + count(rows[i]) > max_tokens:
            break
        spent += count(rows[i])
        shown.add(i)
    text = NODES + "".join(rows[i] for i in sorted(shown)) + EDGES + "".join(edges[t] for t in sorted(kept))
    left_out = graph.num_triples - len(kept)
    note = f"{left_out} of {graph.num_triples} triples did not fit into {max_tokens} tokens" if left_out else ""
    return TextualGraph(text, left_out, note)


def with_mediators(graph: Subgraph, scores: Floats) -> Floats:
    """(T,) `scores` by which the triples of a mediator stand together, in the place of its best one.

    Among mediators with equally good ones that goes first whose other facts suit better.
    """
    nameless = np.where(graph.mediators[graph.heads], graph.heads, graph.tails)
    own = graph.mediators[nameless]
    best, second = np.full((2, graph.num_entities), -np.inf)
    np.maximum.at(best, nameless[own], scores[own])
    rest = own & (scores < best[nameless])
    if not rest.any():
        return scores
    np.maximum.at(second, nameless[rest], scores[rest])
    usual = second[np.isfinite(second)].mean()
    second = np.where(np.isfinite(second), second, usual)
    # The last term keeps the triples of one mediator together where several are equally good.
    return np.where(own, (best + FACTS * (second - usual))[nameless] - 1e-6 * nameless, scores)


def _repeated_last(graph: Subgraph, order: NDArray[np.intp]) -> NDArray[np.intp]:
    """(T,) `order`, with triples last that mostly repeat one before them.

    These join the same two entities the other way round, or either way where one of them is a mediator.
    """
    heads, tails = graph.heads[order].astype(np.int64), graph.tails[order].astype(np.int64)
    pairs = np.minimum(heads, tails) * graph.num_entities + np.maximum(heads, tails)
    _, first, which = np.unique(pairs, return_index=True, return_inverse=True)
    first = first[which]
    nameless = graph.mediators[heads] | graph.mediators[tails]
    late = (first < np.arange(len(order))) & (nameless | (heads[first] != heads))
    return np.concatenate((order[~late], order[late]))


def _row(*cells: object) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(cells)
    return line.getvalue()


def listed(question: str, evidence_paths: Sequence[EvidencePath], language: RelationVocabulary) -> str:
    """What a small reader sees: the masked question, then one line per evidence path in an order that says nothing."""
    lines = sorted(
        (language.write(evidence_path.steps) for evidence_path in evidence_paths),
        key=lambda line: _order(question, line),
    )
    return "\n".join([question, *lines])


def read_thread(
    reply: str, evidence_paths: Sequence[EvidencePath], language: RelationVocabulary
) -> EvidencePath | None:
    """The evidence path that a small reader wrote; None where the retrieved graph has none such."""
    steps = language.read(reply)
    return next((evidence_path for evidence_path in evidence_paths if steps and evidence_path.steps == steps), None)


def _order(question: str, line: str) -> bytes:
    return hashlib.blake2b(f"{question}\0{line}".encode(), digest_size=8).digest()
