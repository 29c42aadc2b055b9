"""Fits the numbers of `auto`: to many graphs by scripts/fit_auto.py, to one by `clew train auto` and `clew teach`.

Few numbers and a prior: on one graph they start from those that ship, and ten to fifty answers move them only as far as
they must. What is learned there is kept only where it does better on questions left out of its own fit.

Shapes: Q questions, O options of a question, F features.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from clew.config import Settings
from clew.errors import InputError, UnsupportedError
from clew.methods.auto.merging import FEATURES, FILE, Floats, RatedPlan, RatingNumbers, features, signs
from clew.methods.auto.method import Auto
from clew.protocols import Example, OnEvent, TrainRequest, TrainResult, ignore
from clew.reading.topics import start_of
from clew.types import Event, Gold

Vector = NDArray[np.float64]
RIGHT = 0.5  # least F1 of the best option for a question to tell which option is right
LONG = 3000  # ends that are compared with the gold answers
FOLDS = 5
LEAST = 5  # questions


class TrainConfig(Settings):
    """How the numbers are fitted to one graph."""

    prior: float = Field(default=0.05, gt=0)  # penalty, per question, on what moves away from the numbers that ship


@dataclass(frozen=True, eq=False)
class Case:
    """A question with what both readers proposed; no rows where they proposed nothing."""

    rows: Floats  # (O, F)
    f1: Vector  # (O,) of each option's ends
    precision: Vector  # (O,) share of its ends that are gold: the chance that the first answer is right
    none: float


def case(
    options: Sequence[RatedPlan],
    none: float,
    gold: Gold,
    name_of: Callable[[NDArray[np.int32]], list[str]],
    local: Callable[[str], int | None],
) -> Case:
    """The options of a question against its gold answers.

    Args:
        name_of: local numbers -> labels. local: id -> local number.
    """  # fmt: skip
    wanted = {number for id in gold.entities if (number := local(id)) is not None}
    names = {text.casefold() for text in gold.answers}
    size = max(len(gold.entities) or len(names), 1)
    f1, precision = np.zeros(len(options)), np.zeros(len(options))
    for i, option in enumerate(options):
        ends = option.plan.ends[:LONG]
        labels = name_of(ends)
        hits = sum(int(e) in wanted or text.casefold() in names for e, text in zip(ends, labels, strict=True))
        f1[i] = 2 * hits / (len(option.plan.ends) + size)
        precision[i] = hits / len(option.plan.ends)
    rows = features(options) if options else np.zeros((0, len(FEATURES)), np.float32)
    return Case(rows, f1, precision, none)


def fit_rating(
    cases: Sequence[Case],
    weight: Sequence[float],
    prior: Mapping[str, float],
    penalty: float,
    use: Sequence[str] = FEATURES,
) -> dict[str, float]:
    """Weights of the features: softmax over a question's options, those of the best F1 against the rest.

    Args:
        weight: of each case. penalty: on the squared distance from `prior`.
    """  # fmt: skip
    columns = np.array([FEATURES.index(name) for name in use])
    begin = np.array([prior.get(name, 0.0) for name in use])
    telling = [(c, w) for c, w in zip(cases, weight, strict=True) if len(c.f1) and c.f1.max() >= RIGHT]
    total = sum(w for _, w in telling)
    parts = [(c.rows[:, columns].astype(float), c.f1 >= c.f1.max() - 0.05, w / total) for c, w in telling]

    def slopes(at: Vector) -> tuple[float, Vector, Vector]:
        value, slope = penalty * float((at - begin) @ (at - begin)), 2 * penalty * (at - begin)
        bend = 2 * penalty * np.eye(len(at))
        for x, right, w in parts:
            z = x @ at
            p = np.exp(z - z.max())
            p /= p.sum()
            share = max(float(p[right].sum()), 1e-12)
            mean = x.T @ p
            value -= w * math.log(share)
            slope -= w * (x.T @ (p * right / share) - mean)
            bend += w * ((x.T * p) @ x - np.outer(mean, mean))
        return value, slope, bend

    found = _descend(slopes, begin)
    return dict(zip(use, found.tolist(), strict=True))


def fit_calibration(
    told: Sequence[Mapping[str, float]],
    right: Vector,
    weight: Vector,
    prior: Mapping[str, float],
    penalty: float,
    use: Sequence[str],
) -> dict[str, float]:
    """Logistic regression: how likely the first answer is right."""  # fmt: skip
    table = np.array([[1.0, *(each[name] for name in use)] for each in told])
    begin = np.array([prior.get("bias", 0.0), *(prior.get(name, 0.0) for name in use)])
    weight = weight / weight.sum()
    held = np.array([0.1, *(1.0 for _ in use)]) * penalty

    def slopes(at: Vector) -> tuple[float, Vector, Vector]:
        z = table @ at
        p = 1 / (1 + np.exp(-np.clip(z, -30, 30)))
        gone = at - begin
        value = float(weight @ (np.logaddexp(0, z) - right * z) + held @ (gone * gone))
        bend = (table.T * (weight * p * (1 - p))) @ table + 2 * np.diag(held)
        return value, table.T @ (weight * (p - right)) + 2 * held * gone, bend

    return dict(zip(("bias", *use), _descend(slopes, begin).tolist(), strict=True))


def fit_in_own_units(
    told: Sequence[Mapping[str, float]], right: Vector, weight: Vector, penalty: float, use: Sequence[str]
) -> dict[str, float]:
    """A logistic regression on features of one standard deviation, told in their own units."""
    table = np.array([[each[name] for name in use] for each in told])
    middle, width = table.mean(0), table.std(0)
    width[width < 1e-6] = 1.0
    scaled = [dict(zip(use, row, strict=True)) for row in ((table - middle) / width).tolist()]
    numbers = fit_calibration(scaled, right, weight, {}, penalty, use)
    own = {name: float(numbers[name] / width[i]) for i, name in enumerate(use)}
    return {"bias": float(numbers["bias"] - sum(own[name] * middle[i] for i, name in enumerate(use))), **own}


def _descend(slopes: Callable[[Vector], tuple[float, Vector, Vector]], at: Vector) -> Vector:
    """Newton's steps, halved until they lead down."""
    value, slope, bend = slopes(at)
    for _ in range(100):
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while size > 1e-6:
            new = slopes(at - size * step)
            if new[0] <= value - 1e-12:
                break
            size /= 2
        else:
            return at
        at, before = at - size * step, value
        value, slope, bend = new
        if before - value < 1e-10:
            return at
    return at


@dataclass(frozen=True, eq=False)
class Chosen:
    """The best option of each question that has options."""

    told: list[dict[str, float]]  # what the calibration looks at
    right: Vector  # chance that the first answer is right
    questions: int  # those without options as well

    @property
    def hits(self) -> float:
        return float(self.right.sum() / max(self.questions, 1))


def choose(cases: Sequence[Case], weights: Mapping[str, float]) -> Chosen:
    """What a rating chooses."""
    at = np.array([weights.get(name, 0.0) for name in FEATURES])
    told, right = [], []
    for each in cases:
        if len(each.rows):
            logits = each.rows.astype(float) @ at
            order = np.argsort(-logits, kind="stable")
            shares = np.exp(logits - logits.max())
            shares /= shares.sum()
            told.append(signs(each.rows[order[0]], shares[order], each.rows[order], each.none))
            right.append(float(each.precision[order[0]]))
    return Chosen(told, np.array(right), len(cases))


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Fit the numbers to questions over one graph; what is learned is kept where it does better on those left out.

    Raises InputError for fewer than LEAST questions that a path answers, UnsupportedError where `walk` answers alone.
    """
    began = time.perf_counter()
    config: TrainConfig = request.train_config or TrainConfig()
    method = Auto(request.config, request.tools)
    if why := method.walk_only(request.graph):
        raise UnsupportedError(f"auto: there is nothing to learn where walk answers alone: {why}")
    examples = [*request.examples, *request.dev]
    if len(examples) < LEAST:
        raise InputError(f"auto: {len(examples)} questions to learn from; at least {LEAST} are needed")
    cases = []
    for number, example in enumerate(examples):
        cases.append(_case(method, example, request))
        on_event(Event("train", "read", {"step": number + 1, "steps": len(examples)}))
    telling = sum(len(c.f1) > 0 and c.f1.max() >= RIGHT for c in cases)
    if telling < LEAST:
        raise InputError(
            f"auto: to {telling} of {len(examples)} questions some path of the graph gives the answers; at least "
            f"{LEAST} are needed: look at the questions' topics and answers with  clew ask --explain"
        )
    ships = RatingNumbers.shipped()
    before = choose(cases, ships.weights)
    order = np.random.default_rng(request.seed).permutation(len(cases))
    right = 0.0
    for fold in range(FOLDS):
        out = set(order[fold::FOLDS].tolist())
        learned = _fit([c for i, c in enumerate(cases) if i not in out], ships, config.prior)
        right += choose([cases[i] for i in sorted(out)], learned.weights).right.sum()
    after = right / len(cases)
    better = after > before.hits
    numbers = _fit(cases, ships, config.prior) if better else ships
    (request.out / FILE).write_text(json.dumps(numbers.to_json(), indent=1) + "\n", encoding="utf-8")
    said = {"hits@1": float(max(after, before.hits)), "hits@1 untrained": before.hits, "hits@1 learned": float(after)}
    kept = "kept what was learned" if better else "kept the numbers that ship: what was learned does no better"
    on_event(Event("train", kept, {"metrics": said}))
    return TrainResult(request.out, said, {"train": time.perf_counter() - began}, {"kept": kept, "questions": telling})


def _case(method: Auto, example: Example, request: TrainRequest) -> Case:
    graph, question = example.graph or request.graph, example.question
    start = start_of(question, graph, linker=request.tools.link, encoder=request.tools.encoder, most=6)
    if not start.topics:
        return Case(np.zeros((0, len(FEATURES)), np.float32), np.zeros(0), np.zeros(0), 1.0)
    ground, merged, _ = method.propose(question.text, start.topics, graph)
    options = () if merged is None else merged.options
    return case(options, 1.0 if merged is None else merged.none, example.gold, ground.labels, ground.local)


def _fit(cases: Sequence[Case], ships: RatingNumbers, prior: float) -> RatingNumbers:
    """The numbers that ship, moved towards the cases."""
    penalty = prior / math.sqrt(max(len(cases), 1))
    if not any(len(c.f1) and c.f1.max() >= RIGHT for c in cases):
        return ships
    weights = fit_rating(cases, [1.0] * len(cases), ships.weights, penalty)
    chosen = choose(cases, weights)
    weight = np.ones(len(chosen.right))

    def moved(numbers: Mapping[str, float]) -> dict[str, float]:
        use = [name for name in numbers if name != "bias"]
        return fit_calibration(chosen.told, chosen.right, weight, numbers, penalty, use)

    return RatingNumbers(weights, moved(ships.calibration), moved(ships.answerable))
