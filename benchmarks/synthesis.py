"""Synthetic questions per second without a language model: sampled, written, answered, as lines of JSON.

One process, one core, rates per second of that core's time, so that other work on the machine does not count. There is
no peer that makes questions from a graph alone; the share of each part is shown instead: sampling, and everything.

    python benchmarks/synthesis.py [--number 5000] [--seed 0] [--json out.json]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from clew.datasets import question_sets
from clew.datasets.demo import graph_file
from clew.errors import ClewError
from clew.graph import Graph, build
from clew.synthesis import SamplingConfig, StructureSampler, SynthesisReport, synthesize


def graphs(folder: Path) -> list[Graph]:
    """The demo graph, and those of the public sets that are at hand."""
    build([graph_file()], folder / "demo.kg")
    found = [Graph.open(folder / "demo.kg")]
    for name in ("metaqa-r-1hop", "webqsp-pooled"):
        triples = question_sets()[name].triples
        assert triples is not None
        try:
            found.append(Graph.from_triples(triples(None), name=name))
        except ClewError as error:
            print(f"{name}: left out, {error}")
    return found


def measured(graph: Graph, number: int, seed: int) -> dict[str, object]:
    whole = graph.whole
    sampler = StructureSampler(whole, SamplingConfig(), seed)
    sampler.one()
    start = time.process_time()
    for _ in range(number):
        sampler.one()
    sampling = time.process_time() - start
    report = SynthesisReport()
    start = time.process_time()
    size = sum(
        len(json.dumps(each.to_row(), ensure_ascii=False))
        for each in synthesize(whole, number, seed=seed, report=report)
    )
    everything = time.process_time() - start
    return {
        "graph": graph.title,
        "triples": graph.num_triples,
        "questions": report.questions,
        "structures_per_s": round(number / sampling),
        "questions_per_s": round(number / everything),
        "megabytes": round(size / 1e6, 1),
        "relations_covered": f"{report.relations_covered} of {report.relations}",
    }


def main() -> None:
    from tempfile import TemporaryDirectory

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        rows = [measured(graph, options.number, options.seed) for graph in graphs(Path(folder))]
    for row in rows:
        print("  ".join(f"{key} {value}" for key, value in row.items()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
