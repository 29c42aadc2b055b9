"""STEM: how fast it traces, whether guidance helps, how well composed T-scores agree with texts, where a run errs.

    python benchmarks/stem.py trace [--set metaqa-r-2hop] [--number 300]      models excluded: plans are given
    python benchmarks/stem.py agree [--set webqsp-pooled] [--number 40]       composed against text T-scores
    python benchmarks/stem.py coverage MODEL [--set cwq-pooled:dev]           guidance on against off, paired
    python benchmarks/stem.py report RUN --set pq-2h                          schemas, strategies, matrices, latency

`trace` and `agree` take their plans from synthetic questions. `coverage` traces gold plans, also such whose relations
are known by their last words only or are mistaken for others with like names, as from a planner that does not know the
graph; it needs a folder of `clew train stem`.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from clew.datasets import load, question_sets
from clew.encoding import open_encoder
from clew.evaluation import paired_permutation
from clew.graph import Graph
from clew.graph.neighborhood import neighborhood
from clew.methods.stem.answers import Records, ends, listed
from clew.methods.stem.config import Config
from clew.methods.stem.guidance import guide
from clew.methods.stem.mining import MiningReport, resolve
from clew.methods.stem.model import load_model, relation_table
from clew.methods.stem.network import Part
from clew.methods.stem.report import gold_schema, gold_triples, report
from clew.methods.stem.schema import Plan, SchemaTriple
from clew.methods.stem.similarity import Similarity, reworded
from clew.methods.stem.trace import Run, trace
from clew.runs import Run as RunFolder
from clew.synthesis import SamplingConfig, synthesize
from clew.synthesis.phrases import words_of

KINDS = (("Precision", "first"), ("adaptive", "all"), ("Breadth", "all"))  # the first is the paper's Precision
# How a plan names relations, and whether an edge of the very relation goes first: by the graph's ids, by their last
# words, or, every other one, by the wrong words.
WORDED = (("ids", True), ("last words", False), ("mistaken", True), ("mistaken", False))


def graph_of(name: str) -> Graph:
    triples = question_sets()[name.partition(":")[0]].triples
    assert triples is not None
    return Graph.from_triples(triples(None), name=name)


def plans(graph: Graph, number: int, strategy: str | None, hops: tuple[float, ...]) -> list[tuple[Plan, list[int]]]:
    """Plans of synthetic questions, with the entities of their topics."""
    found = []
    for each in synthesize(graph.whole, number, seed=1, sampling=SamplingConfig(hops=hops, fork=0.1)):
        topics = [graph.whole.local(id) for id in each.question.topics]
        names = graph.whole.labels([t for t in topics if t is not None])
        bound = {name: i for i, name in enumerate(names)}
        found.append((Plan((), strategy or each.strategy, each.masked, bound), [t for t in topics if t is not None]))
    return found


def traced(
    similarity: Similarity, plan: Plan, topics: list[int], config: Config, guided: np.ndarray | None = None
) -> list[Run]:
    anchors = {node: np.array([topics[i]], np.int32) for node, i in plan.topics.items()}
    return [
        trace(similarity, plan, node, topics[i], 1.0, anchors, guided, config, config.max_edges)
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
                found = ends(graph.whole, plan, runs, plan.topics.values(), config.cut)
                if i >= 10:
                    seconds.append(time.process_time() - start)
                    edges.append(sum(len(run.entity) - 1 for run in runs))
                    listed(Records(graph.whole), runs, found)
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
            first = Plan((), "Breadth", ((h, words_of(r) if words else r, t),), plan.topics)
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


def worded(
    wording: str, similarity: Similarity, schema: tuple[SchemaTriple, ...], seed: int
) -> tuple[SchemaTriple, ...]:
    """A gold schema as planners of three kinds would write it; the seed is the question's."""
    if wording == "mistaken":
        return reworded(similarity, schema, 0.5, np.random.default_rng([7, seed]))
    return tuple((h, words_of(r) if wording == "last words" else r, t) for h, r, t in schema)


def coverages(options: argparse.Namespace) -> list[dict[str, Any]]:
    name = options.set or "cwq-pooled:dev"
    graph = graph_of(name)
    encoder = open_encoder()
    model = load_model(options.model, encoder, "cpu")
    assert model.network is not None
    similarity = Similarity(graph.whole, encoder)
    table = relation_table(similarity, encoder, "cpu")
    resolved = resolve(list(load(name)), graph.whole, MiningReport())
    order = np.random.default_rng(0).permutation(len(resolved))[: options.number]
    shares: dict[tuple[str, bool, str, bool], list[float]] = defaultdict(list)
    held: dict[str, list[float]] = defaultdict(list)
    for i in order.tolist():
        each = resolved[i]
        wanted = gold_triples(graph.whole, each, options.hops, 2000)
        schema = gold_schema(graph.whole, each, options.hops, 2000)
        if not wanted:
            continue
        ids = [graph.whole.entity(t).id for t in each.topics]
        near = neighborhood(graph, ids, min(options.hops, len(schema)), max_triples=5000)
        local = np.array([near.local(id) for id in ids], np.int64)
        ends = {graph.whole.local(end) for h, _, t in wanted for end in (h, t)}
        for wording, exact in WORDED:
            triples = worded(wording, similarity, schema, i)
            bound = {f"[T{n}]": n - 1 for n in range(1, len(ids) + 1) if any(f"[T{n}]" in t for t in triples)}
            query = similarity.query(Plan((), "", triples, bound), each.names)
            members = guide(model.network, table, [Part(near, local, query)], [options.scale * len(triples)])[0]
            held[wording].append(len(ends & set(members.tolist())) / min(len(ends), len(members)))
            for kind, ties in KINDS:
                config = Config(exact_relation_first=exact, ties=ties)
                adaptive = "Precision" if len(each.answers) == 1 else "Breadth"
                plan = Plan((), adaptive if kind == "adaptive" else kind, triples, bound)
                for guided in (members, None):
                    runs = traced(similarity, plan, list(each.topics), config, guided)
                    found = {int(t) for run in runs for t in (*run.triple, *run.second) if t >= 0}
                    mine = {(t.head.id, t.relation.id, t.tail.id) for t in map(graph.whole.triple, found)}
                    shares[wording, exact, f"{kind}, {ties}", guided is not None].append(
                        len(wanted & mine) / len(wanted)
                    )
    rows = []
    for wording, exact in WORDED:
        for kind, ties in KINDS:
            on, off = (np.array(shares[wording, exact, f"{kind}, {ties}", guided]) for guided in (True, False))
            rows.append(
                {
                    "set": name,
                    "relations": wording,
                    "exact_relation_first": exact,
                    "strategy": f"{kind}, one edge a step" if ties == "first" else kind,
                    "questions": len(on),
                    "with_guidance": round(float(on.mean()), 4),
                    "without": round(float(off.mean()), 4),
                    "p": round(paired_permutation(on - off), 5),
                    "gold_in_guidance_graph": round(float(np.mean(held[wording])), 4),
                }
            )
    return rows


def reported(options: argparse.Namespace) -> list[dict[str, Any]]:
    run = RunFolder.open(options.model)
    graph = graph_of(options.set)
    return [report(list(run.answers()), list(run.examples()), graph.whole, hops=options.hops)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["trace", "agree", "coverage", "report"])
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--set")
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--hops", type=int, default=3)
    parser.add_argument("--scale", type=int, default=4, help="K', entities of the guidance graph per schema triple")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    work = {"trace": tracing, "agree": agreement, "coverage": coverages, "report": reported}
    rows = work[options.what](options)
    for row in rows:
        print(json.dumps(row, indent=1) if options.what == "report" else "  ".join(f"{k} {v}" for k, v in row.items()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
