"""Scoring of whole runs: denominators, statuses, breakdowns, cost, foreign files, and what must never leak."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from clew.errors import FormatError, InputError, NotFoundError
from clew.evaluation import MODES, Scores, compare, count_hops, read_predictions, score, scores_from_json
from clew.graph import Graph
from clew.protocols import Example
from clew.types import Answer, Candidate, Entity, Gold, Question, Usage


@dataclass(frozen=True)
class Row:
    id: str
    answer: Answer | None


def row(id: str, *texts: str, confidence: float = 0.5) -> Row:
    candidates = tuple(Candidate(text, confidence) for text in texts)
    usage, seconds = Usage(2, 1, 10, 5, 0.1), {"search": 1.0, "read": float(len(texts))}
    return Row(id, Answer(Question(id, "q"), "m", candidates, usage=usage, seconds=seconds))


def asked(id: str, *answers: str, hops: int | None = None, kind: str | None = None) -> tuple[Question, Gold]:
    return Question(id, f"question {id}"), Gold(answers, hops=hops, kind=kind)


QUESTIONS = [
    asked("right", "Paris", hops=1, kind="x"),
    asked("wrong", "Rome", hops=2),
    asked("abstained", "Oslo", "Bonn", hops=3),
    asked("failed", "Lima", hops=5),
    asked("missing", *"abcdefghij"),
    asked("unanswerable"),
    (Question("unscored", "?"), Gold((), stated=False)),
    (Question("no gold", "?"), None),
]
ROWS = [
    row("right", "Paris", confidence=0.9),
    row("wrong", "Paris", confidence=0.7),
    row("abstained"),
    Row("failed", None),
    row("unanswerable"),
    row("unscored", "Paris"),
]


@pytest.fixture(scope="module")
def scores() -> Scores:
    return score(ROWS, QUESTIONS, modes=MODES, samples=200)


def test_every_question_is_in_the_denominator(scores: Scores) -> None:
    assert scores.metrics["hit"].value == pytest.approx(2 / 6)
    assert scores.metrics["hit"].n == 6
    assert scores.metrics["f1"].value == pytest.approx(2 / 6)
    assert scores.metrics["micro precision"].value == pytest.approx(1 / 2)
    assert scores.metrics["micro recall"].value == pytest.approx(1 / 15)
    assert scores.metrics["micro f1"].value == pytest.approx(2 / 17)
    assert scores.metrics["rog hit"].value == pytest.approx(1 / 5)
    assert scores.metrics["tog em"].n == 5
    counts = scores.counts
    assert (counts.questions, counts.answered, counts.abstained, counts.failed, counts.missing) == (6, 2, 2, 1, 1)
    assert (counts.unanswerable, counts.abstained_rightly, counts.unscored) == (1, 1, 2)
    assert "entity f1" not in scores.metrics
    assert "evidence coverage" not in scores.metrics
    assert any("exceed 1" in notice for notice in scores.notices)


def test_breakdowns_drop_nobody(scores: Scores) -> None:
    hops = scores.breakdowns["hops"]
    assert {group: metrics["hit"].n for group, metrics in hops.items()} == {"1": 1, "2": 1, "≥3": 2, "not stated": 2}
    assert list(hops) == ["1", "2", "≥3", "not stated"]
    assert list(scores.breakdowns["answers (STEM)"]) == ["0", "1", "2–4", "≥10"]
    assert list(scores.breakdowns["answers (RoG)"]) == ["0", "1", "2–4", "≥5"]
    assert list(scores.breakdowns["type"]) == ["x", "not stated"]
    for groups in scores.breakdowns.values():
        assert sum(metrics["f1"].n for metrics in groups.values()) == 6
    counted = score(ROWS, QUESTIONS, hops={"right": None, "wrong": 1}, samples=0)
    assert counted.breakdowns["hops"]["unreachable"]["hit"].value == 1
    by_letter = score(ROWS, QUESTIONS, groups={"length": lambda q, g: str(len(q.id))}, samples=0)
    assert by_letter.breakdowns["length"]["5"]["hits@1"].value == 0.5


def test_cost_and_calibration(scores: Scores) -> None:
    cost = scores.cost
    assert (cost.calls, cost.cached_calls, cost.prompt_tokens, cost.completion_tokens) == (8, 4, 40, 20)
    assert cost.money == pytest.approx(0.4)
    assert (cost.seconds["search"].total, cost.seconds["total"].total) == (4, 6)
    assert scores.calibration is not None
    assert scores.calibration.ece == pytest.approx((0.1 + 0.7) / 2)
    assert scores.calibration.coverage == pytest.approx((1 / 6, 2 / 6))
    assert score([row("right", "Paris", confidence=7.0)], QUESTIONS, samples=0).calibration is None


def test_scores_survive_json(scores: Scores) -> None:
    data = json.loads(json.dumps(scores.to_json(), allow_nan=False))
    assert scores_from_json(data) == scores
    with pytest.raises(FormatError, match="score the run again"):
        scores_from_json({**data, "format": 99})
    with pytest.raises(FormatError, match="damaged"):
        scores_from_json({key: value for key, value in data.items() if key != "ids"})
    assert "2 abstained" in scores._repr_html_()


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="row for question 'else'"):
        score([row("else", "x")], QUESTIONS)
    with pytest.raises(InputError, match="two rows for question 'right'"):
        score([row("right", "x"), row("right", "x")], QUESTIONS)
    with pytest.raises(InputError, match="stand twice"):
        score([], [QUESTIONS[0], QUESTIONS[0]])
    with pytest.raises(NotFoundError, match="nearest: 'rog'"):
        score(ROWS, QUESTIONS, modes=["rogue"])
    with pytest.raises(InputError, match="none of 1 questions has gold"):
        score([], QUESTIONS[-1:])
    with pytest.raises(InputError, match="level 95"):
        score(ROWS, QUESTIONS, level=95)


def test_entity_scores_count_failures_too() -> None:
    questions = [(Question(id, "q"), Gold(("Paris",), ("m.1",))) for id in ("a", "b", "c")]
    linked = Answer(questions[0][0], "m", (Candidate("Paris", 1.0, Entity("m.1", "Paris")),))
    text_only = Answer(questions[1][0], "m", (Candidate("Paris", 1.0),))
    scores = score([Row("a", linked), Row("b", text_only), Row("c", None)], questions, samples=0)
    assert scores.metrics["entity f1"].value == pytest.approx(1 / 3)
    assert scores.metrics["f1"].value == pytest.approx(2 / 3)


def test_hops_are_counted_over_pairs(toy: Graph) -> None:
    def example(id: str, topics: tuple[str, ...], answers: tuple[str, ...]) -> Example:
        return Example(Question(id, "q", topics), Gold(answers))

    examples = [
        example("1", ("Paris",), ("France",)),
        example("max", ("Paris",), ("France", "Berlin")),
        example("two topics", ("Paris", "Berlin"), ("Euro",)),
        example("none", ("Paris",), ("Atlantis",)),
        example("itself", ("Paris",), ("Paris",)),
        Example(Question("own", "q", ("x",)), Gold(("y",)), Graph.from_triples([("y", "r", "x")])),
    ]
    expected = {"1": 1, "max": 3, "two topics": 2, "none": None, "itself": 0, "own": 1}
    assert count_hops(examples, toy) == expected
    assert count_hops(examples, toy, over_pairs="min")["max"] == 1
    assert count_hops(examples, toy, reach=2)["max"] == 1

    class Remote:
        """The same graph behind the store's protocol alone."""

        name = "remote"
        find, entity, neighbors = toy.find, toy.entity, toy.neighbors
        relations, triples = toy.relations, toy.triples

    assert count_hops(examples, Remote()) == expected
    assert count_hops(examples) == {"own": 1}


@pytest.mark.data
def test_rog_reproduces_the_published_figures(data: Path) -> None:
    predictions = read_predictions(data / "peer-predictions" / "gnn-rag-webqsp" / "predictions.jsonl", "rog")
    scores = score(predictions.rows, predictions.questions, modes=["rog"], samples=0)
    assert scores.counts.questions == 1628
    values = {name: 100 * (scores.metrics[f"rog {name}"].value or 0) for name in MODES["rog"].metrics}
    assert {name: round(value, 2) for name, value in values.items()} == {
        "hit": 85.69, "hits@1": 80.59, "f1": 71.28, "precision": 77.19, "recall": 73.77,
    }  # fmt: skip
    assert scores.metrics["hit"].value < scores.metrics["rog hit"].value  # type: ignore[operator]
    assert not any(name.startswith("evidence") for name in scores.metrics)


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (b"{", ":1: not JSON"),
        (b"\xff", ":1: not UTF-8"),
        (b"3", "expected an object"),
        (b'{"prediction": "x"}', "no 'id'"),
        (b'{"id": "a", "prediction": 3, "ground_truth": []}', "'prediction' is"),
        (b'{"id": "a", "prediction": "x"}', "'ground_truth' is"),
        (b'{"id": "a", "prediction": "x", "ground_truth": ["y"]}\n' * 2, ":2: id 'a' is already"),
        (b"\n", "no prediction in it"),
    ],
)
def test_bad_prediction_files(tmp_path: Path, raw: bytes, told: str) -> None:
    path = tmp_path / "p.jsonl"
    path.write_bytes(raw)
    with pytest.raises(InputError) as caught:
        read_predictions(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)
    with pytest.raises(NotFoundError, match="nearest: 'rog'"):
        read_predictions(path, "rag")


def test_compare_is_paired() -> None:
    questions = [asked(f"q{i}", "Paris") for i in range(40)]
    good = score([row(f"q{i}", "Paris") for i in range(30)], questions, name="good", samples=0)
    bad = score([row(f"q{i}", "Paris") for i in range(15)], questions, name="bad", samples=0)
    comparison = compare(bad, good)
    hit, _, f1 = comparison.differences
    assert (hit.better, hit.worse, hit.n, hit.test) == (15, 0, 40, "mcnemar")
    assert hit.difference == pytest.approx(15 / 40)
    assert hit.p == pytest.approx(2 / 2**15)
    assert hit.p_holm == pytest.approx(6 / 2**15)
    assert hit.low < hit.difference < hit.high
    assert f1.difference == hit.difference
    assert "good against bad" in comparison._repr_html_()
    same = compare(good, good)
    assert {d.p for d in same.differences} == {1.0}
    fewer = score([], questions[:10], name="fewer", samples=0)
    with pytest.raises(InputError, match="10 in common, 30 in one only"):
        compare(good, fewer)
    assert compare(good, fewer, common=True).questions == 10
    with pytest.raises(NotFoundError, match="nearest: 'hits@1'"):
        compare(good, bad, ["hit@1"])


def test_what_a_method_did_without_is_a_notice() -> None:
    sampled = row("right", "Paris")
    sampled.answer.details["fallback"] = "plans are weighed by frequency"
    scores = score([sampled, row("wrong", "Paris")], QUESTIONS[:2], samples=0, notices=("of the set",))
    assert scores.notices == ("of the set", "m: plans are weighed by frequency (1 of 2 questions)")
    assert score(ROWS, QUESTIONS, samples=0).notices == ()
