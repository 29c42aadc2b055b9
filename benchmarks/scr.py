"""How fast a trained SCR model answers, what it takes, and what its parts cost beside the obvious way.

Speed and memory need a model and questions:  clew train scr …  then

    python benchmarks/scr.py --model model/ --set metaqa-r-2hop:test [--questions 640] [--repeats 3] [--json out.json]

The layers are timed beside their edge-by-edge form in the same run, without any data.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from clew.learning.layers import Edges, aggregate, reference_aggregate


def median_s(work: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def layers(repeats: int) -> dict[str, float]:
    """Aggregation over 40 k entities and 130 k triples of width 192, against gathering and adding."""
    rng = np.random.default_rng(0)
    n, t = 40_000, 130_000
    edges = Edges.from_triples(rng.integers(0, n, t), rng.integers(0, 9, t), rng.integers(0, n, t), n, 9)
    weights = torch.rand(2 * t, requires_grad=True)
    features = torch.randn(n, 192, requires_grad=True)
    found: dict[str, float] = {}
    for name, kernel in (("sparse product", aggregate), ("gather and add", reference_aggregate)):
        kernel(weights, features, edges).sum().backward()
        found[f"{name}, forward ms"] = 1000 * median_s(lambda k=kernel: k(weights, features, edges), repeats)
        found[f"{name}, both ways ms"] = 1000 * median_s(
            lambda k=kernel: k(weights, features, edges).sum().backward(), repeats
        )
    for part in ("forward ms", "both ways ms"):
        found[f"ratio, {part}"] = found[f"gather and add, {part}"] / found[f"sparse product, {part}"]
    return found


def asking(model: Path, name: str, count: int, repeats: int) -> dict[str, float]:
    """Questions per second by batch and beam, linking of given topics included."""
    from clew.datasets import load, question_set
    from clew.encoding import open_encoder
    from clew.graph import Graph
    from clew.methods.scr.config import Config
    from clew.methods.scr.method import Scr
    from clew.protocols import Tools
    from clew.retrieval.linking import link

    known = question_set(name.partition(":")[0])
    assert known.triples is not None
    graph = Graph.from_triples(known.triples(), name=known.name)
    questions = [example.question for example in load(name)][:count]
    encoder = open_encoder()
    tools = Tools(encoder=encoder, model=model, link=lambda q, g: list(link(q, g, encoder=encoder)))
    found: dict[str, float] = {}
    start = time.perf_counter()
    method = Scr(Config(), tools)
    method.answer(questions[0], graph)
    found["first answer, graph pass included, s"] = time.perf_counter() - start
    views: Any = method._views
    for beam, batch in ((10, 32), (10, 1), (1, 32), (5, 32), (20, 32)):
        method = Scr(Config(beam=beam), tools)
        method._views = views
        asked = questions if batch > 1 else questions[: max(32, count // 8)]

        def work(method: Scr = method, batch: int = batch, asked: Any = asked) -> None:
            for at in range(0, len(asked), batch):
                method.predict(asked[at : at + batch], graph)

        found[f"questions/s, beam {beam}, batch {batch}"] = len(asked) / median_s(work, repeats)
    found["peak memory, MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--set", default="metaqa-r-2hop:test")
    parser.add_argument("--questions", type=int, default=640)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found = layers(options.repeats)
    if options.model is not None:
        found |= asking(options.model, options.set, options.questions, options.repeats)
    for name, value in found.items():
        print(f"{name:45} {value:10.2f}")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
