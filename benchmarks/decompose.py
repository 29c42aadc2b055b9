"""Retrieval of `decompose` for one question over a whole graph, and what each part of it costs.

A question's time holds the sentence encoder on question and sub-question, hybrid scores, the region, prizes and the
Steiner tree. In the same run: other places for the tree to grow, and plain retrieval by the complex question alone.

    python benchmarks/decompose.py [--set metaqa-r-2hop:dev] [--questions 200] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from clew.datasets import load, question_sets
from clew.encoding import open_encoder
from clew.graph import Graph
from clew.methods.decompose.config import Config
from clew.methods.decompose.evidence_paths import anchors
from clew.methods.decompose.hybrid import GraphVectors, hybrid


def timed(call, rounds: int = 1):  # type: ignore[no-untyped-def]
    """What a call returns, and the milliseconds of one round."""
    begun = time.perf_counter()
    for _ in range(rounds):
        result = call()
    return result, (time.perf_counter() - begun) * 1e3 / rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", default="metaqa-r-2hop:dev")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--encoder", default="all-MiniLM-L6-v2")
    parser.add_argument("--cache", type=Path, help="folder for the vectors; default: a temporary one")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    name = options.set.partition(":")[0]
    graph = Graph.from_triples(question_sets()[name].triples(None), name=name)  # type: ignore[misc]
    examples = list(load(options.set))
    order = np.random.default_rng(0).permutation(len(examples))[: options.questions]
    encoder = open_encoder(options.encoder)
    with TemporaryDirectory() as folder:
        made, build_ms = timed(lambda: GraphVectors(graph.whole, encoder, options.cache or Path(folder)))
        print(f"{graph.num_entities:,} entities, {graph.num_triples:,} triples; vectors in {build_ms / 1e3:.1f} s")
        _ = graph.whole.out, graph.whole.inc
        variants = {
            "around the topics": Config(around="topics"),
            "around similar entities": Config(around="similar"),
            "whole graph": Config(around="whole"),
            "whole graph, question alone": Config(around="whole", complex_weight=1.0),
        }
        times: dict[str, list[float]] = {"encode two texts": [], "hybrid scores": [], **{v: [] for v in variants}}
        sizes: dict[str, list[int]] = {v: [] for v in variants}
        made.retrieve(encoder.encode(["warm up"])[0], Config(around="similar"))  # compiles the kernels
        for i in order.tolist():
            question = examples[i].question
            texts = [question.text, f"who is {question.topics[0]}?" if question.topics else question.text]
            vectors, ms = timed(lambda texts=texts: encoder.encode(texts, role="query"))
            times["encode two texts"].append(ms)
            topics = anchors(graph.whole, [e for name in question.topics for e in graph.resolve(name)])
            scored = hybrid(vectors[0], vectors[1], 0.7)
            times["hybrid scores"].append(timed(lambda scored=scored: made.entity_scores(scored))[1])
            for variant, config in variants.items():
                query = hybrid(vectors[0], vectors[1], config.complex_weight)
                found, spent = timed(lambda q=query, c=config, t=topics: made.retrieve(q, c, t))
                times[variant].append(spent + ms)  # a question pays for its vectors too
                sizes[variant].append(found.graph.num_triples)
    rows = {
        part: {
            "p50 ms": round(float(np.median(values)), 2),
            "p95 ms": round(float(np.quantile(values, 0.95)), 2),
            **({"triples p50": float(np.median(sizes[part]))} if part in sizes else {}),
        }
        for part, values in times.items()
    }
    for part, row in rows.items():
        print(f"{part:30} " + "  ".join(f"{key} {value:8}" for key, value in row.items()))
    if options.json:
        record = {"set": options.set, "questions": len(order), "encoder": encoder.name, "rows": rows}
        options.json.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
