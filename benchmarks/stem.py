"""STEM: how fast it traces, how well composed T-scores agree with texts, where a run errs.

    python benchmarks/stem.py trace [--set metaqa-r-2hop] [--number 300]      models excluded: plans are given
    python benchmarks/stem.py agree [--set webqsp-pooled] [--number 40]       composed against text T-scores
    python benchmarks/stem.py report RUN --set pq-2h                          schemas, strategies, matrices, latency

`trace` and `agree` take their plans from synthetic questions. What guidance and each setting do: stem_ablation.py.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from clew.datasets import question_sets
from clew.encoding import open_encoder
from clew.graph import Graph
from clew.methods.stem.answers import GraphRecords, ends, listed
from clew.methods.stem.config import Config
from clew.methods.stem.report import report
from clew.methods.stem.schema import SchemaGraph
from clew.methods.stem.similarity import Similarity
from clew.methods.stem.trace import MAX_EDGES, Trace, trace
from clew.runs import Run as RunFolder
from clew.synthesis import SamplingConfig, synthesize
from clew.synthesis.phrases import words_of


def graph_of(name: str) -> Graph:
    triples = question_sets()[name.partition(":")[0]].triples
    assert triples is not None
    return Graph.from_triples(triples(None), name=name)


def plans(
    graph: Graph, number: int, strategy: str | None, hops: tuple[float, ...]
) -> list[tuple[SchemaGraph, list[int]]]:
    """Plans of synthetic questions, with the entities of their topics."""
    found = []
    for each in synthesize(graph.whole, number, seed=1, sampling=SamplingConfig(hops=hops, fork=0.1)):
        topics = [graph.whole.local(id) for id in each.question.topics]
        names = graph.whole.labels([t for t in topics if t is not None])
        bound = {name: i for i, name in enumerate(names)}
        found.append(
            (SchemaGraph((), strategy or each.strategy, each.masked, bound), [t for t in topics if t is not None])
        )
    return found


def traced(
    similarity: Similarity, plan: SchemaGraph, topics: list[int], config: Config, guided: np.ndarray | None = None
) -> list[Trace]:
    anchors = {node: np.array([topics[i]], np.int32) for node, i in plan.topics.items()}
    return [
        trace(similarity, plan, node, topics[i], 1.0, anchors, guided, config, MAX_EDGES)
        for node, i in plan.topics.items()
    ]


def tracing(options: argparse.Namespace) -> list[dict[str, Any]]:
    graph = graph_of(options.set or "metaqa-r-2hop")
    similarity = Similarity(graph.whole, open_encoder())
    rows = []
    for strategy in ("Precision", "Breadth"):
        for exact in (True, False):
            config = Config(exact_relation_first=exact)
            items = plans(graph, options.number, strategy, (0.2, 0.5, 0.3))
            similarity.text([f"{r}" for plan, _ in items for _, r, _ in plan.triples])
            seconds, edges = [], []
            for i, (plan, topics) in enumerate([*items[:10], *items]):
                start = time.process_time()
                runs = traced(similarity, plan, topics, config)
                found = ends(graph.whole, plan, runs, plan.topics.values())
                if i >= 10:
                    seconds.append(time.process_time() - start)
                    edges.append(sum(len(run.entity) - 1 for run in runs))
                    listed(GraphRecords(graph.whole), runs, found)
            p50, p95 = np.percentile(seconds, [50, 95])
            rows.append(
                {
                    "strategy": strategy,
                    "exact_relation_first": exact,
                    "p50_ms": round(1000 * p50, 2),
                    "p95_ms": round(1000 * p95, 2),
                    "edges_p50": float(np.median(edges)),
                }
            )
    return rows


def agreement(options: argparse.Namespace) -> list[dict[str, Any]]:
    """T-scores of every edge at a topic, both ways: how they correlate, and whether the best one is the same."""
    graph = graph_of(options.set or "webqsp-pooled")
    similarity = Similarity(graph.whole, open_encoder())
    rows = []
    for words in (False, True):
        same: list[bool] = []
        composed: list[float] = []
        text: list[float] = []
        for plan, topics in plans(graph, options.number, "Breadth", (1.0,)):
            h, r, t = plan.triples[0]
            first = SchemaGraph((), "Breadth", ((h, words_of(r) if words else r, t),), plan.topics)
            scores = []
            for mode in ("composed", "text"):
                config = Config(
                    exact_relation_first=False, edge_text=mode, collapse_mediators=False, theta=-9, max_branch=60
                )
                run = traced(similarity, first, topics, config)[0]
                scores.append(dict(zip(run.triple[1:].tolist(), run.plain[1:].tolist(), strict=True)))
            shared = [t for t in scores[0] if t in scores[1]]
            if len(shared) < 2:
                continue
            composed += [scores[0][t] for t in shared]
            text += [scores[1][t] for t in shared]
            best = [max(each.values()) for each in scores]
            same.append(scores[0].get(max(scores[1], key=lambda t: scores[1][t]), -9) > best[0] - 1e-6)
        rows.append(
            {
                "relations": "words" if words else "ids",
                "plans": len(same),
                "edges": len(text),
                "best_by_text_is_best_composed": round(float(np.mean(same)), 3),
                "correlation": round(float(np.corrcoef(composed, text)[0, 1]), 3),
            }
        )
    return rows


def reported(options: argparse.Namespace) -> list[dict[str, Any]]:
    run = RunFolder.open(options.model)
    graph = graph_of(options.set)
    examples = list(run.examples())
    if options.sample is not None and options.sample < len(examples):
        drawn = np.random.default_rng(0).permutation(len(examples))[: options.sample]
        examples = [examples[i] for i in sorted(drawn.tolist())]
    asked = {example.question.id for example in examples}
    answers = [answer for answer in run.answers() if answer.question.id in asked]
    told = report(answers, examples, graph.whole, hops=options.hops)
    return [{"set": options.set, **told}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["trace", "agree", "report"])
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--set")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--sample", type=int, help="of report: only so many questions of the run, drawn at random")
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    work = {"trace": tracing, "agree": agreement, "report": reported}
    rows = work[options.what](options)
    for row in rows:
        print(json.dumps(row, indent=1) if options.what == "report" else "  ".join(f"{k} {v}" for k, v in row.items()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
