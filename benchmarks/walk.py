"""How often `walk` is right without any training on the graph, and how long a question takes.

    CLEW_DATA=… python benchmarks/walk.py [--limit 500] [--sets demo,metaqa-r-1hop:test,…] [--json out.json]

Topics are those the set gives; "demo*" asks the demo questions with the topics found by linking. Where a set is larger
than --limit, a fixed sample is asked. Milliseconds are wall clock per question, one at a time, after 50 questions.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

from clew.datasets import demo, load, question_set, read_plain
from clew.encoding import open_encoder
from clew.evaluation.answers import score_answer
from clew.graph import Graph, build
from clew.methods.walk.method import Config, Walk
from clew.protocols import Example, Tools

SETS = "demo,demo*,metaqa-r-1hop:test,metaqa-r-2hop:test,pq-2h:test,webqsp-pooled:dev,cwq-pooled:dev"


def interval(values: list[float]) -> tuple[float, float]:
    """95 % bootstrap interval of the mean."""
    rng = np.random.default_rng(0)
    table = np.array(values)
    means = table[rng.integers(0, len(table), (2000, len(table)))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def questions(name: str, limit: int) -> list[Example]:
    if name.startswith("demo"):
        rows = list(read_plain(demo.questions_file()))
        if name.endswith("*"):
            rows = [replace(row, question=replace(row.question, topics=())) for row in rows]
        return rows
    set_name, _, split = name.partition(":")
    rows = list(load(set_name, split))
    return rows if len(rows) <= limit else random.Random(0).sample(rows, limit)


def graph_of(name: str, folder: Path) -> Graph:
    if name.startswith("demo"):
        if not (folder / "demo.kg").exists():
            build(demo.graph_file(), folder / "demo.kg")
        return Graph.open(folder / "demo.kg")
    triples = question_set(name.partition(":")[0]).triples
    assert triples is not None
    return Graph.from_triples(triples(), name=name)


def measure(name: str, limit: int, folder: Path, wrong: int, threshold: float) -> dict[str, object]:
    method = Walk(Config(threshold=threshold), Tools(encoder=open_encoder()))
    graph, rows = graph_of(name, folder), questions(name, limit)
    hits, f1, ms, abstained = [], [], [], []
    for row in rows:
        began = time.perf_counter()
        answer = method.answer(row.question, graph)
        ms.append(1e3 * (time.perf_counter() - began))
        if not row.gold.answers:
            abstained.append(not answer.candidates)
            continue
        score = score_answer(answer, row.gold)
        hits.append(float(score.hits_at_1))
        f1.append(score.f1)
        if len(hits) - sum(hits) <= wrong and not hits[-1]:
            print(
                "   ", row.question.text, "|", row.gold.answers[:2], "|", answer.details.get("path"), answer.note[:60]
            )
    low, high = interval(hits)
    result: dict[str, object] = {
        "set": name,
        "threshold": threshold,
        "questions": len(hits),
        "hits@1": round(float(np.mean(hits)), 4),
        "interval": [round(low, 4), round(high, 4)],
        "f1": round(float(np.mean(f1)), 4),
        "median_ms": round(statistics.median(ms[50:] or ms), 1),
        "p95_ms": round(float(np.quantile(ms[50:] or ms, 0.95)), 1),
    }
    if abstained:
        result |= {"unanswerable": len(abstained), "abstained": round(float(np.mean(abstained)), 4)}
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=int, default=500)
    parser.add_argument("--sets", default=SETS)
    parser.add_argument("--wrong", type=int, default=0, help="wrong answers to show per set")
    parser.add_argument("--threshold", type=float, default=Config().threshold, help="0: never abstain")
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for name in args.sets.split(","):
            results.append(measure(name, args.limit, Path(folder), args.wrong, args.threshold))
            print("  ".join(f"{key} {value}" for key, value in results[-1].items()), flush=True)
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
