"""Fits the calibration of a reader: how likely its best plan is right, on questions over graphs it was not trained on.

    CLEW_DATA=… python scripts/fit_reader.py READER SOURCE… [--count 100] [--into READER]

A SOURCE is `set:split` of the catalogue (metaqa-r-1hop:dev) or `GRAPH.kg=QUESTIONS.jsonl`; READER should have been
trained with `--leave-out` of the groups of all of them. Says Hits@1 and the expected calibration error (ten bins) of
each source under a calibration fitted on the other sources, then fits one on all, which `--into` writes into a file.
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy.optimize import minimize

from clew.datasets import load, question_set, read_plain
from clew.encoding import open_encoder
from clew.graph import Graph
from clew.methods.plan.method import Config, PlanMethod
from clew.protocols import Example, Tools
from clew.reading.calibration import MOST

Rows = list[tuple[dict[str, float], bool]]


def source(name: str, count: int) -> tuple[Graph, list[Example]]:
    graph, _, file = name.partition("=")
    if file:
        opened, rows = Graph.open(graph), list(read_plain(file))
    else:
        known, _, split = name.partition(":")
        triples = question_set(known).triples
        assert triples is not None
        opened, rows = Graph.from_triples(triples(), name=known), list(load(known, split))
    return opened, random.Random(1).sample(rows, min(count, len(rows)))


def collect(method: PlanMethod, graph: Graph, rows: list[Example]) -> Rows:
    """Per question with a plan: the signs of its reading, and whether the first answer is right."""
    found: Rows = []
    for row in rows:
        answer = method.answer(row.question, graph)
        if not answer.candidates:
            continue
        first, gold = answer.candidates[0], {text.casefold() for text in row.gold.answers}
        right = first.text.casefold() in gold or (first.entity is not None and first.entity.id in row.gold.entities)
        found.append((answer.details["signs"], right))
    return found


def fit(sources: list[Rows]) -> dict[str, float]:
    """Logistic regression, every source counting the same."""
    names = list(sources[0][0][0])
    table = np.array([[1.0, *(signs[name] for name in names)] for rows in sources for signs, _ in rows])
    right = np.array([right for rows in sources for _, right in rows], float)
    weight = np.concatenate([np.full(len(rows), 1 / len(rows)) for rows in sources]) / len(sources)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = table @ w
        p = 1 / (1 + np.exp(-z))
        slope = table.T @ (weight * (p - right))
        slope[1:] += 2e-3 * w[1:]
        return float(weight @ (np.logaddexp(0, z) - right * z)) + 1e-3 * float(w[1:] @ w[1:]), slope

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B").x
    return dict(zip(("bias", *names), found.tolist(), strict=True))


def error(rows: Rows, calibration: dict[str, float]) -> float:
    """Expected calibration error over ten bins."""
    total = [calibration["bias"] + sum(calibration[name] * value for name, value in signs.items()) for signs, _ in rows]
    said = np.minimum(MOST, 1 / (1 + np.exp(-np.array(total))))
    right = np.array([right for _, right in rows], float)
    bins = np.minimum((said * 10).astype(int), 9)
    return sum(abs(said[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins.tolist()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reader", type=Path)
    parser.add_argument("sources", nargs="+")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--into", type=Path)
    given = parser.parse_args()
    # A model folder is a folder with reader.safetensors.
    method = PlanMethod(
        Config(threshold=0.0), Tools(encoder=open_encoder("all-MiniLM-L6-v2"), model=given.reader.parent)
    )
    every, asked = {}, {}
    for name in given.sources:
        graph, examples = source(name, given.count)
        every[name], asked[name] = collect(method, graph, examples), len(examples)
    for name, rows in every.items():
        others = [each for other, each in every.items() if other != name] or [rows]
        hits = sum(right for _, right in rows) / asked[name]
        wrong = error(rows, fit(others))
        print(f"{name}: Hits@1 {hits:.3f} of {asked[name]}, calibration error {wrong:.3f} (fitted on the others)")
    calibration = fit(list(every.values()))
    print(json.dumps(calibration))
    if given.into:
        with safe_open(str(given.into), "np") as file:
            about = json.loads(file.metadata()["clew"])
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        save_file(weights, given.into, metadata={"clew": json.dumps(about | {"calibration": calibration})})


if __name__ == "__main__":
    main()
