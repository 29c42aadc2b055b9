"""Fits the calibration of `plan`: how likely its best plan is right, on questions over graphs its network never saw.

    python scripts/fit_reader.py [READER] [--count 60] [--into]

Asks the invented worlds that are kept from training and the small graphs of tests/questions/graphs on which errors were
read. Says Hits@1 and the expected calibration error (ten bins) of each graph under a calibration fitted on the others,
then fits one on all, which `--into` writes into READER, by default the network that ships.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from scipy.optimize import minimize

from clew.encoding import DEFAULT, open_encoder
from clew.evaluation.calibration import calibrate
from clew.graph import Graph
from clew.methods.plan.method import Config, PlanMethod
from clew.protocols import Example, Tools
from clew.query.question import read_question
from clew.reading.calibration import MOST
from clew.reading.reader import SHIPPED
from fit_auto import LEAST, invented, small_graphs

Rows = list[tuple[dict[str, float], bool]]


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
    return calibrate(said, right).ece


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("reader", type=Path, nargs="?", default=SHIPPED, help="a file of that name in a folder")
    parser.add_argument("--count", type=int, default=60, help="questions of a world")
    parser.add_argument("--into", action="store_true", help="write the calibration into the reader")
    given = parser.parse_args()
    # A model folder is a folder with reader.safetensors; what such a folder holds reads without the cross-encoder.
    model = None if given.reader == SHIPPED else given.reader.parent
    method = PlanMethod(Config(threshold=0.0), Tools(encoder=open_encoder(DEFAULT), model=model))
    every, asked = {}, {}
    for name, graph, examples in (*invented(given.count), *small_graphs()):
        plain = [each for each in examples if each.gold.answers and read_question(each.question.text).kind == "plain"]
        if len(plain) < LEAST:
            continue
        every[name], asked[name] = collect(method, graph, plain), len(plain)
    errors = []
    for name, rows in every.items():
        others = [each for other, each in every.items() if other != name]
        hits = sum(right for _, right in rows) / asked[name]
        errors.append(error(rows, fit(others)))
        print(f"{name}: Hits@1 {hits:.3f} of {asked[name]}, calibration error {errors[-1]:.3f} (fitted on the others)")
    print(f"mean calibration error {np.mean(errors):.3f}")
    calibration = fit(list(every.values()))
    print(json.dumps(calibration))
    if given.into:
        with safe_open(str(given.reader), "np") as file:
            about = json.loads(file.metadata()["clew"])
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        save_file(weights, given.reader, metadata={"clew": json.dumps(about | {"calibration": calibration})})


if __name__ == "__main__":
    main()
