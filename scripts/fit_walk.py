"""Fits the numbers of `walk`: how paths are rated (a small softmax network), and the calibration (logistic regression).

    CLEW_DATA=… python scripts/fit_walk.py [--share 1.0] [--show]

Fitted on the demo's training questions, MetaQA-R development questions, WebQSP and CWQ training questions over
freebase-pooled, and questions of invented worlds (`clew.reading.invented`); never on a question that is reported. Short
questions count more (MIX), because askers ask them more.
Writes src/clew/methods/walk/weights.py unless --show. Candidates are those that answering sees with the present
weights, so run it twice after a change to the features.

Shapes: P candidates of a question, F features.
"""

from __future__ import annotations

import argparse
import math
import random
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from scipy.optimize import minimize

from clew.datasets import demo, load, question_set, read_plain
from clew.encoding import open_encoder
from clew.graph import Graph, build
from clew.methods.walk.method import Config, Walk, calibration_inputs
from clew.methods.walk.ranking import FEATURES, Rating
from clew.protocols import Example, Tools
from clew.reading.corpus import PARTS, invented_worlds
from clew.reading.invented import DrawnWorld

# question set, split, questions, weight in the loss
MIX = (
    ("demo", "train", 500, 3.0),
    ("metaqa-r-1hop", "dev", 300, 3.0),
    ("metaqa-r-2hop", "dev", 250, 1.0),
    ("metaqa-r-3hop", "dev", 150, 1.5),
    ("webqsp-pooled", "train", 250, 2.0),
    ("cwq-pooled", "train", 120, 1.0),
    ("invented", "train", 30, 10.0),  # of each world
)
WIDTH, DROPOUT, DECAY, RATE, STEPS = 64, 0.2, 0.1, 1e-2, 600  # of the hidden units and their fit
# Set by hand: the topics of these questions are given, so they tell nothing about linking, and few name two together.
FIXED = {"linked": 2.0, "pair_missed": -4.0}
SHARPNESS = 8.0  # of the target: exp(SHARPNESS · F1), normalised over a question's candidates
RIGHT = 0.5  # least F1 of the best candidate for the answer to count as right in the calibration
TARGET = Path(__file__).resolve().parent.parent / "src" / "clew" / "methods" / "walk" / "weights.py"


def worlds(count: int) -> Iterator[tuple[Graph, list[Example]]]:
    """The invented worlds that networks are trained on; those that are kept are for scripts/fit_auto.py."""
    for world in (world for part in range(1, PARTS) for world in invented_worlds(part)):
        drawn = DrawnWorld(world, random.Random(1))
        rows = [row for row in drawn.questions(1) if row.answers]
        made = [drawn.example(row, str(i), linked=False) for i, row in enumerate(rows)]
        yield drawn.graph(), random.Random(1).sample(made, min(count, len(made)))


def examples(name: str, split: str, count: int) -> list[Example]:
    rows = list(read_plain(demo.questions_file("train")) if name == "demo" else load(name, split))
    return random.Random(1).sample(rows, min(count, len(rows)))


def graph_of(name: str, folder: Path) -> Graph:
    if name == "demo":
        build(demo.graph_file(), folder / "demo.kg")
        return Graph.open(folder / "demo.kg")
    triples = question_set(name).triples
    assert triples is not None
    return Graph.from_triples(triples(), name=name)


def f1(found: set[str], gold: set[str]) -> float:
    return 2 * len(found & gold) / (len(found) + len(gold)) if found else 0.0


def collect(walk: Walk, graph: Graph, rows: list[Example]) -> list[tuple[np.ndarray, np.ndarray, list, bool]]:
    """Per question: (P, F) features, (P,) F1 of each candidate, the candidates, whether it has an answer."""
    collected = []
    for row in rows:
        ground, found = walk.candidates(row.question, graph)
        gold = set(row.gold.entities or row.gold.answers)
        scores = []
        for candidate in found:
            records = [ground.entity(int(i)) for i in candidate.ends]
            by_id = f1({r.id for r in records}, gold)
            scores.append(max(by_id, f1({r.label for r in records}, set(row.gold.answers))))
        features = np.array([c.features for c in found]).reshape(len(found), len(FEATURES))
        collected.append((features, np.array(scores), found, bool(row.gold.answers)))
    return collected


def fit_rating(sets: dict[str, list], mix: dict[str, float]) -> tuple[dict[str, float], dict[str, list[float]]]:
    """Linear weights and hidden units: a softmax over each question's candidates, by AdamW from a fixed seed."""
    rows = []
    for name, collected in sets.items():
        usable = [(x, y) for x, y, _, answerable in collected if answerable and len(y) and y.max() >= RIGHT]
        rows += [(x, y, mix[name] / len(usable)) for x, y in usable]
    every = np.concatenate([x for x, _, _ in rows])
    mean, spread = every.mean(0), every.std(0) + 1e-3
    free = np.array([name not in FIXED for name in FEATURES], np.float32)  # of what the questions tell nothing about
    most = max(len(x) for x, _, _ in rows)
    inputs, hidden = torch.zeros(len(rows), most, len(FEATURES)), torch.full((len(rows), most), -1e9)
    target = torch.zeros(len(rows), most)
    for i, (x, y, _) in enumerate(rows):
        inputs[i, : len(x)] = torch.from_numpy(((x - mean) / spread * free).astype(np.float32))
        hidden[i, : len(x)] = 0
        target[i, : len(x)] = torch.softmax(torch.from_numpy(SHARPNESS * y.astype(np.float32)), 0)
    importance = torch.tensor([weight for _, _, weight in rows])
    importance = importance / importance.sum()
    torch.manual_seed(0)
    linear = torch.nn.Linear(len(FEATURES), 1, bias=False)
    inner, outer = torch.nn.Linear(len(FEATURES), WIDTH), torch.nn.Linear(WIDTH, 1, bias=False)
    optimizer = torch.optim.AdamW(
        [*linear.parameters(), *inner.parameters(), *outer.parameters()], lr=RATE, weight_decay=DECAY
    )
    for step in range(STEPS):
        optimizer.param_groups[0]["lr"] = RATE * 0.5 * (1 + math.cos(math.pi * step / STEPS))
        seen = torch.nn.functional.dropout(inputs, DROPOUT)
        scores = (linear(inputs) + outer(torch.tanh(inner(seen)))).squeeze(-1) + hidden
        loss = -(importance * (target * torch.log_softmax(scores, 1)).sum(1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    scale = free / spread  # back to features as they come
    weights = linear.weight.detach().numpy()[0] * scale
    inside = inner.weight.detach().numpy() * scale
    shift = inner.bias.detach().numpy() - inside @ mean
    gives = outer.weight.detach().numpy()[0]
    units = {"gives": gives.tolist(), "bias": shift.tolist(), **dict(zip(FEATURES, inside.T.tolist(), strict=True))}
    return dict(zip(FEATURES, weights.tolist(), strict=True)) | FIXED, units


def fit_calibration(sets: dict[str, list], mix: dict[str, float], rating: Rating) -> dict[str, float]:
    """Logistic regression: is the best candidate right?"""
    inputs, right, importance, names = [], [], [], []
    for name, collected in sets.items():
        for x, y, _, _ in collected:
            if not len(y):
                continue
            scores = rating(x)
            order = np.argsort(-scores, kind="stable")
            ranked = [_Scored(x[i], float(scores[i])) for i in order]
            values = calibration_inputs(ranked)  # type: ignore[arg-type]
            names = list(values)
            inputs.append([1.0, *values.values()])
            right.append(float(y[order[0]] >= RIGHT))
            importance.append(mix[name] / len(collected))
    table, truth, weight = np.array(inputs), np.array(right), np.array(importance)
    weight /= weight.sum()

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = table @ w
        p = 1 / (1 + np.exp(-z))
        value = float(weight @ (np.logaddexp(0, z) - truth * z)) + 1e-3 * float(w[1:] @ w[1:])
        slope = table.T @ (weight * (p - truth))
        slope[1:] += 2e-3 * w[1:]
        return value, slope

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B").x
    p = 1 / (1 + np.exp(-(table @ found)))
    for low in (0.0, 0.2, 0.4, 0.6, 0.8):
        inside = (p >= low) & (p < low + 0.2 + (low == 0.8))
        if inside.any():
            print(f"  said {p[inside].mean():.2f}, right {truth[inside].mean():.2f} ({int(inside.sum())} questions)")
    return dict(zip(("bias", *names), found.tolist(), strict=True))


class _Scored:
    """What calibration_inputs reads of a candidate."""

    def __init__(self, features: np.ndarray, score: float) -> None:
        self.features, self.score = features, score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--share", type=float, default=1.0, help="share of the questions that are used")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    args = parser.parse_args()
    walk = Walk(Config(), Tools(encoder=open_encoder()))
    walk.limits = replace(walk.limits, finalists=40, beam=10)
    sets, mix = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, split, count, weight in MIX:
            count = round(count * args.share)
            if name == "invented":
                asked = worlds(count)
            else:
                asked = iter([(graph_of(name, Path(folder)), examples(name, split, count))])
            sets[name], mix[name] = [each for graph, rows in asked for each in collect(walk, graph, rows)], weight
            best = [y.max(initial=0.0) for _, y, _, answerable in sets[name] if answerable]
            print(f"{name}: {len(sets[name])} questions, best candidate has F1 {np.mean(best):.3f}", flush=True)
    weights, units = fit_rating(sets, mix)
    rating = Rating.of(weights, units)
    for name, collected in sets.items():
        top = [y[rating(x).argmax()] if len(y) else 0.0 for x, y, _, answerable in collected if answerable]
        print(f"{name}: chosen candidate has F1 {np.mean(top):.3f}")
    calibration = fit_calibration(sets, mix, rating)
    lines = ['"""The numbers of `walk`: scripts/fit_walk.py writes this file and says on what they were fitted."""', ""]
    for title, numbers in (
        ("WEIGHTS", weights),
        ("CALIBRATION", calibration),
    ):
        body = [f'    "{name}": {value:.3f},' for name, value in numbers.items()]
        lines += [f"{title}: dict[str, float] = {{", *body, "}", ""]
    lines += ["UNITS: dict[str, tuple[float, ...]] = {"]
    for name, row in units.items():
        values = textwrap.fill(", ".join(f"{value:.3f}" for value in row) + ",", 108)
        lines += [f'    "{name}": (', textwrap.indent(values, " " * 8), "    ),"]
    text = "\n".join([*lines, "}  # fmt: skip", ""])
    print(text) if args.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
