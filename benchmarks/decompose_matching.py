"""Exact Matching and Matching of two runs of `decompose`, with paired tests (sections 6.1, appendix A).

Exact Matching: the merged graph holds an entity whose name is a gold answer. Matching: one whose vector is at least
`--threshold` similar to it. The merged graph is the evidence of a row.

    python benchmarks/decompose_matching.py RUN OTHER [--threshold 0.9] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from clew.encoding import open_encoder
from clew.evaluation.evidence import entities_of
from clew.evaluation.matching import key
from clew.evaluation.statistics import mcnemar
from clew.methods.decompose.hybrid import spoken
from clew.protocols import TextEncoder
from clew.runs import Run
from clew.types import Answer, Gold


def rates(answers: dict[str, Answer], gold: dict[str, Gold], encoder: TextEncoder, threshold: float) -> dict[str, Any]:
    """Per question: exact, similar; over all: means, connectivity, density, size."""
    exact, similar = {}, {}
    for id, answer in answers.items():
        labels = [e.label for e in entities_of(answer.evidence.all_triples(), answer.evidence.paths)]
        labels = [label for label in labels if label]
        wanted = gold[id].answers
        exact[id] = bool({key(label) for label in labels} & {key(text) for text in wanted})
        similar[id] = exact[id]
        if labels and not exact[id]:
            own, theirs = (encoder.encode([spoken(text) for text in texts]) for texts in (wanted, labels))
            similar[id] = bool((own @ theirs.T).max() >= threshold)
    graphs = [answer.details["graph"] for answer in answers.values() if "graph" in answer.details]
    return {"exact": exact, "similar": similar, "graphs": graphs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs=2, type=Path)
    parser.add_argument("--threshold", type=float, default=0.9)
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    encoder = open_encoder(options.encoder)
    found = []
    for folder in options.runs:
        run = Run.open(folder)
        gold = {example.question.id: example.gold for example in run.examples()}
        answers = {answer.question.id: answer for answer in run.answers()}
        found.append(rates(answers, gold, encoder, options.threshold))
    table: dict[str, Any] = {}
    for folder, rate in zip(options.runs, found, strict=True):
        graphs = rate["graphs"]
        table[folder.name] = {
            "questions": len(rate["exact"]),
            "exact matching": round(float(np.mean(list(rate["exact"].values()))), 4),
            "matching": round(float(np.mean(list(rate["similar"].values()))), 4),
            "connected": round(float(np.mean([g["connected"] for g in graphs])), 4),
            "density": round(float(np.mean([g["density"] for g in graphs])), 5),
            "entities": round(float(np.mean([g["entities"] for g in graphs])), 1),
            "triples": round(float(np.mean([g["triples"] for g in graphs])), 1),
        }
    for kind in ("exact", "similar"):
        first, second = (rate[kind] for rate in found)
        both = first.keys() & second.keys()
        only = [sum(a[i] and not b[i] for i in both) for a, b in ((first, second), (second, first))]
        table[f"{kind}: only first / only second / p (McNemar)"] = [*only, round(mcnemar(*only), 5)]
    for name, row in table.items():
        print(f"{name:50} {row}")
    if options.json:
        options.json.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
