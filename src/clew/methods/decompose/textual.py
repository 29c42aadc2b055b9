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

from clew.graph.subgraph import Subgraph
from clew.methods.decompose.evidence_paths import EvidencePath
from clew.methods.decompose.hybrid import Floats
from clew.methods.decompose.plan import RelationVocabulary
from clew.retrieval.verbalise import one_line

NODES, EDGES = "node id,node attr\n", "src,edge attr,dst\n"


@dataclass(frozen=True, slots=True)
class TextualGraph:
    """The text, and in words what did not fit."""

    text: str
    left_out: int = 0
    note: str = ""


def tables(graph: Subgraph, scores: Floats, *, max_tokens: int, count: Callable[[str], int]) -> TextualGraph:
    """Node table and edge table of the best triples, as many as `max_tokens` allow; entities without a triple follow.

    Args:
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
    spent = count(NODES) + count(EDGES)
    shown: set[int] = set()
    kept: list[int] = []
    for t in np.argsort(-scores, kind="stable").tolist():
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
    for i in alone.tolist():
        if spent + count(rows[i]) > max_tokens:
            break
        spent += count(rows[i])
        shown.add(i)
    text = NODES + "".join(rows[i] for i in sorted(shown)) + EDGES + "".join(edges[t] for t in sorted(kept))
    left_out = graph.num_triples - len(kept)
    note = f"{left_out} of {graph.num_triples} triples did not fit into {max_tokens} tokens" if left_out else ""
    return TextualGraph(text, left_out, note)


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
