"""Fits the numbers of `auto`: how far to believe each reader, and the probability that the best plan is right.

    CLEW_DATA=… python scripts/fit_auto.py READERS [--count 150] [--show]

READERS is a folder of folders, each with a reader.safetensors made by  python -m clew.reading.train --leave-out …;
every group of question sets below is read with one that has it left out, and walked with the rating that has it left
out where `walk` was fitted on it (scripts/fit_walk.py --without READERS). What both propose is kept in
READERS/proposals, so that a second run only fits. Every figure is of a group that neither the reader nor the numbers
were fitted on; the numbers written are fitted on all groups. Writes src/clew/methods/auto/weights.py unless --show.

Shapes: Q questions, O options of a question, F features.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from safetensors import safe_open
from scipy.optimize import minimize

from clew.datasets import demo, load, question_set, read_plain
from clew.datasets.source import data_folder
from clew.encoding import open_encoder, remembering
from clew.graph import Graph
from clew.methods.auto.merging import FEATURES, MOST, as_plans, features, options, signs
from clew.methods.plan.method import Config as PlanConfig
from clew.methods.plan.method import PlanMethod
from clew.methods.walk.method import Config as WalkConfig
from clew.methods.walk.method import Walk
from clew.methods.walk.ranking import Rating
from clew.protocols import Example, TextEncoder, Tools
from clew.reading.corpus import demo_graph, facts_graph, geo_graph, json_lines
from clew.reading.topics import start_of
from clew.retrieval.scoring import take_apart
from clew.types import Gold, Question

# question set, split, group, weight; "*": with topics found by linking
SETS = (
    ("demo*", "train", "demo", 1.0),
    ("geo*", "train", "geo", 1.0),
    ("simplequestions*", "valid", "simplequestions", 1.0),
    ("metaqa-r-1hop", "dev", "metaqa", 0.34),
    ("metaqa-r-2hop", "dev", "metaqa", 0.33),
    ("metaqa-r-3hop", "dev", "metaqa", 0.33),
    ("pq-2h", "train", "pq", 0.5),
    ("pq-3h", "train", "pq", 0.5),
    ("webqsp-pooled", "train", "freebase", 0.5),
    ("cwq-pooled", "train", "freebase", 0.5),
)
USED = FEATURES  # of the rating
SIGNS = ("share", "walk", "plan", "both", "neither", "steps_2", "steps_3", "left", "width")  # of the calibration
PENALTY = 3e-3  # of squared weights
RIGHT = 0.5  # least share of gold among the ends for the first answer to count as right
LONG = 3000  # ends that are compared with the gold answers
TARGET = Path(__file__).resolve().parent.parent / "src" / "clew" / "methods" / "auto" / "weights.py"


@dataclass(frozen=True, eq=False)
class Proposals:
    """What both readers proposed for the questions of one set. A question without options has none."""

    rows: np.ndarray  # (ΣO, F)
    f1: np.ndarray  # (ΣO,)
    precision: np.ndarray  # (ΣO,) share of the ends that are gold
    at: np.ndarray  # (Q + 1,)
    none: np.ndarray  # (Q,)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, float]]:
        for i, none in enumerate(self.none.tolist()):
            part = slice(self.at[i], self.at[i + 1])
            yield self.rows[part], self.f1[part], self.precision[part], none


def source(name: str, split: str, count: int, folder: Path) -> tuple[Graph, list[Example]]:
    known = name.removesuffix("*")
    if known == "demo":
        graph, rows = demo_graph(), [row for row in read_plain(demo.questions_file(split)) if row.gold.answers]
    elif known == "geo":
        graph = geo_graph(folder)
        lines = [line for line in json_lines(folder / "geoquery" / f"{split}.jsonl") if line["kinds"] == ["plain"]]
        rows = [Example(Question(line["id"], line["question"]), Gold(tuple(line["answer"]))) for line in lines]
    elif known == "simplequestions":
        graph = facts_graph(folder)
        lines = json_lines(folder / "simplequestions" / f"{split}.jsonl.gz")
        rows = [Example(Question(line["id"], line["question"]), Gold(tuple(line["a_entity"]))) for line in lines]
    else:
        triples = question_set(known).triples
        assert triples is not None
        graph, rows = Graph.from_triples(triples(folder), name=known), list(load(known, split, folder=folder))
    rows = random.Random(11).sample(rows, min(count, len(rows)))
    if name.endswith("*"):
        rows = [replace(row, question=replace(row.question, topics=())) for row in rows]
    return graph, rows


def propose(walk: Walk, plan: PlanMethod, encoder: TextEncoder, graph: Graph, rows: Sequence[Example]) -> Proposals:
    tables, f1, precision, nones = [], [], [], []
    for row in rows:
        topics = start_of(row.question, graph, linker=None, encoder=encoder, most=6).topics
        found_options, none = [], 1.0
        if topics:
            text = row.question.text
            asked = take_apart(text, list(dict.fromkeys(topic.mention for topic in topics)))
            ground, wording = plan.ground(topics, graph)
            found, _ = walk.hunt(asked, topics, ground, graph.name)
            reading = plan.read(text, topics, ground, wording, as_plans(found))
            found_options, none = options(found, reading), reading.none
        gold = {n for e in row.gold.entities if (n := graph.whole.local(e)) is not None}
        names = {text.casefold() for text in row.gold.answers}
        size = len(row.gold.entities) or len(names)
        mine = []
        for option in found_options:
            ends = option.plan.ends[:LONG]
            labels = graph.whole.labels(ends)
            hits = sum(int(e) in gold or label.casefold() in names for e, label in zip(ends, labels, strict=True))
            f1.append(2 * hits / (len(option.plan.ends) + max(size, 1)) if hits else 0.0)
            precision.append(hits / len(option.plan.ends))
            mine.append(option)
        tables.append(features(mine) if mine else np.zeros((0, len(FEATURES)), np.float32))
        nones.append(none)
    at = np.concatenate([[0], np.cumsum([len(rows) for rows in tables])])
    return Proposals(np.concatenate(tables), np.array(f1), np.array(precision), at, np.array(nones))


def collect(readers: Path, count: int) -> dict[str, Proposals]:
    """The proposals of every set whose group some reader has left out."""
    left_out = {}
    for path in sorted(readers.glob("*/reader.safetensors")):
        with safe_open(str(path), "np") as file:
            for group in json.loads(file.metadata()["clew"]).get("left_out", []):
                left_out[group] = path.parent
    encoder = remembering(open_encoder())
    found = {}
    for name, split, group, _ in SETS:
        kept = readers / "proposals" / f"{name}.npz"
        if group not in left_out:
            print(f"{name}: no reader was trained without {group}; passed over")
            continue
        if not kept.is_file():
            walk = Walk(WalkConfig(threshold=0.0), Tools(encoder=encoder))
            without = readers / f"walk-without-{group}.json"
            if without.is_file():
                fitted = json.loads(without.read_text(encoding="utf-8"))
                walk.rating = Rating.of(fitted["linear"], fitted["units"])
            plan = PlanMethod(PlanConfig(threshold=0.0), Tools(encoder=encoder, model=left_out[group]))
            made = propose(walk, plan, encoder, *source(name, split, count, data_folder(None)))
            kept.parent.mkdir(exist_ok=True)
            np.savez(kept, **vars(made))
        with np.load(kept) as file:
            found[name] = Proposals(**file)
            print(f"{name}: {len(found[name].none)} questions", flush=True)
    return found


def fit_rating(sets: Mapping[str, Proposals], mix: Mapping[str, float], start: Sequence[str]) -> dict[str, float]:
    """Weights of the features in `start`: softmax over a question's options, the target by F1."""
    use = np.array([FEATURES.index(name) for name in start])
    cases = []
    for name, proposals in sets.items():
        usable = [(x[:, use].astype(float), y) for x, y, _, _ in proposals if len(y) and y.max() >= RIGHT]
        cases += [(x, np.where(y >= y.max() - 0.05, 1.0, 0.0), mix[name] / len(usable)) for x, y in usable]
    total = sum(weight for *_, weight in cases)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = 0.0, np.zeros_like(w)
        for x, right, weight in cases:
            z = x @ w
            p = np.exp(z - z.max())
            p /= p.sum()
            mine = p * right
            value -= weight / total * np.log(max(mine.sum(), 1e-12))
            slope -= weight / total * (x.T @ (mine / max(mine.sum(), 1e-12) - p))
        return value + PENALTY * float(w @ w), slope + 2 * PENALTY * w

    found = minimize(loss, np.full(len(use), 0.1), jac=True, method="L-BFGS-B").x
    return dict(zip(start, found.tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Chosen:
    """The best option of each question of a set, by some rating."""

    signs: list[dict[str, float]]  # of the questions that have options
    right: np.ndarray  # expected share of right first answers, of those
    questions: int

    @property
    def hits(self) -> float:
        return float(self.right.sum() / self.questions)


def choose(proposals: Proposals, weights: Mapping[str, float]) -> Chosen:
    w = np.array([weights.get(name, 0.0) for name in FEATURES])
    told, right = [], []
    for x, _, precision, none in proposals:
        if not len(x):
            continue
        logits = x.astype(float) @ w
        order = np.argsort(-logits, kind="stable")
        shares = np.exp(logits - logits.max())
        shares /= shares.sum()
        told.append(signs(x[order[0]], shares[order], x[order], none))
        right.append(precision[order[0]])
    return Chosen(told, np.array(right), len(proposals.none))


def fit_calibration(chosen: Mapping[str, Chosen], mix: Mapping[str, float], use: Sequence[str]) -> dict[str, float]:
    """Logistic regression: how likely the first answer is right."""
    table = np.array([[1.0, *(told[name] for name in use)] for each in chosen.values() for told in each.signs])
    right = np.concatenate([each.right for each in chosen.values()])
    weight = np.concatenate([np.full(len(c.right), mix[name] / len(c.right)) for name, c in chosen.items()])
    weight /= weight.sum()

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        z = table @ w
        p = 1 / (1 + np.exp(-z))
        slope = table.T @ (weight * (p - right))
        slope[1:] += 2 * PENALTY * w[1:]
        return float(weight @ (np.logaddexp(0, z) - right * z)) + PENALTY * float(w[1:] @ w[1:]), slope

    found = minimize(loss, np.zeros(table.shape[1]), jac=True, method="L-BFGS-B").x
    return dict(zip(("bias", *use), found.tolist(), strict=True))


def said(chosen: Chosen, calibration: Mapping[str, float]) -> np.ndarray:
    total = [
        calibration["bias"] + sum(calibration.get(name, 0.0) * value for name, value in told.items())
        for told in chosen.signs
    ]
    return np.minimum(MOST, 1 / (1 + np.exp(-np.array(total))))


def error(sure: np.ndarray, right: np.ndarray) -> float:
    """Expected calibration error over ten bins."""
    bins = np.minimum((sure * 10).astype(int), 9)
    return float(sum(abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean() for b in set(bins)))


ALONE = {"walk": {"walk": 1.0}, "plan": {"plan": 1.0}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", type=Path)
    parser.add_argument("--count", type=int, default=150, help="questions of a set")
    parser.add_argument("--show", action="store_true", help="print, write nothing")
    given = parser.parse_args()
    sets = collect(given.readers, given.count)
    group = {name: group for name, _, group, _ in SETS if name in sets}
    mix = {name: weight for name, _, _, weight in SETS if name in sets}
    use = [name for name in USED if name in FEATURES]
    print(f"{'left out':24} {'walk':>6} {'plan':>6} {'auto':>6} {'best':>6} {'ECE':>6}")
    errors = []
    for left in dict.fromkeys(group.values()):
        others = {name: each for name, each in sets.items() if group[name] != left}
        weights = fit_rating(others, mix, use)
        calibration = fit_calibration({name: choose(each, weights) for name, each in others.items()}, mix, SIGNS)
        for name in (name for name in sets if group[name] == left):
            auto = choose(sets[name], weights)
            alone = [choose(sets[name], each).hits for each in ALONE.values()]
            possible = sum(precision.max(initial=0) for *_, precision, _ in sets[name]) / auto.questions
            errors.append(error(said(auto, calibration), auto.right))
            print(f"{name:24} {alone[0]:6.3f} {alone[1]:6.3f} {auto.hits:6.3f} {possible:6.3f} {errors[-1]:6.3f}")
    print(f"expected calibration error, mean over left-out sets: {np.mean(errors):.3f}")
    weights = fit_rating(sets, mix, use)
    calibration = fit_calibration({name: choose(each, weights) for name, each in sets.items()}, mix, SIGNS)
    lines = ['"""The numbers of `auto`: scripts/fit_auto.py writes this file and says on what they were fitted."""', ""]
    for title, numbers in (("WEIGHTS", weights), ("CALIBRATION", calibration)):
        body = [f'    "{name}": {value:.3f},' for name, value in numbers.items()]
        lines += [f"{title}: dict[str, float] = {{", *body, "}", ""]
    text = "\n".join(lines)
    print(text) if given.show else TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
