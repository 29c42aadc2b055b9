"""`train`, `predict`, `score`, `compare`: from questions to numbers, through folders on disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLLOW = ("--method", "follow", "--quiet")


def test_predict_score_compare(clew: Any, graph: Path, questions: Path) -> None:
    assert clew("predict", graph, questions, *FOLLOW, "--run", "runs/a").code == 0
    scores = clew("score", "runs/a", "--json").json
    assert scores["counts"]["questions"] == 3 and scores["counts"]["abstained"] == 1
    assert abs(scores["metrics"]["hits@1"]["value"] - 2 / 3) < 1e-9
    assert scores["cost"]["joules"] > 0 and "evidence matching" not in scores["metrics"]
    assert "energy: " in clew("score", "runs/a").out
    refusing = ("--set", "method.refuse=continent")
    assert clew("predict", graph, questions, *FOLLOW, *refusing, "--run", "runs/b").code == 0
    shown = clew("compare", "runs/a", "runs/b", "--json").json
    assert shown["questions"] == 3
    assert {d["metric"]: d["worse"] for d in shown["differences"]}["hits@1"] == 1
    assert "hits@1" in clew("compare", "runs/a", "runs/b").out
    assert "2 answered" not in clew("score", "runs/a").err


def test_a_failed_question_is_a_row_and_resume_asks_again(clew: Any, graph: Path, questions: Path) -> None:
    refusing = ("--set", "method.refuse=continent")
    shown = clew("predict", graph, questions, "--method", "follow", *refusing, "--run", "run")
    assert shown.err.splitlines() == [
        "run: 2 answered, 1 failed; now  clew score run",
        "  q2: InputError: refused 'continent of France?'",
    ]
    rows = [json.loads(line) for line in Path("run/rows.jsonl").read_text().splitlines()]
    assert len(rows[1].pop("crc32")) == 8
    assert rows[1] == {"id": "q2", "error": {"type": "InputError", "message": "refused 'continent of France?'"}}
    again = clew("predict", graph, questions, *FOLLOW, *refusing, "--run", "run")
    assert again.code == 2 and "--resume" in again.err
    other = clew("predict", graph, questions, *FOLLOW, "--run", "run", "--resume")
    assert other.code == 2 and "config.refuse" in other.err
    assert clew("predict", graph, questions, *FOLLOW, *refusing, "--run", "run", "--resume").code == 0


def test_rows_to_stdout(clew: Any, graph: Path, questions: Path) -> None:
    shown = clew("predict", graph, "-", *FOLLOW, stdin=questions.read_text())
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert [row["id"] for row in rows] == ["q1", "q2", "q3"]
    assert rows[0]["answer"]["candidates"][0]["text"] == "Euro"


def test_bad_questions(clew: Any, graph: Path, tmp_path: Path) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text('{"id": "a", "question": "x?"}\n{"id": "a", "question": "y?"}\nnot json\n')
    shown = clew("predict", graph, file, *FOLLOW, "--run", "run")
    assert shown.code == 2
    assert "bad.jsonl:2" in shown.err and "bad.jsonl:3" in shown.err
    shown = clew("predict", graph, "-", *FOLLOW, stdin='{"id": 1}\n')
    assert shown.code == 2 and "stdin:1" in shown.err
    assert clew("predict", graph, *FOLLOW).code == 2
    assert clew("predict", graph, "nothing.jsonl", *FOLLOW).code in (2, 3)


def test_too_many_failures_stop(clew: Any, graph: Path, questions: Path) -> None:
    settings = ("--set", "method.refuse=France", "--set", "run.max_failures=2", "--set", "run.batch=1")
    shown = clew("predict", graph, questions, *FOLLOW, *settings, "--run", "run")
    assert shown.code == 9
    assert "stopped after 2 failed questions" in shown.err


def test_train_and_ask_with_the_model_beside_the_graph(clew: Any, graph: Path, questions: Path) -> None:
    shown = clew("train", "follow", graph, "--questions", questions, "--set", "method.score=0.75", "--json")
    assert shown.json["model"] == str(graph / "models" / "follow")
    assert clew("ask", graph, "currency of France?").out.startswith("Euro  0.750")
    refused = clew("train", "follow", graph, "--questions", questions)
    assert refused.code == 2 and "--resume" in refused.err
    assert (
        clew("train", "follow", graph, "--questions", questions, "-o", "m", "--resume", "--set", "data.limit=1").code
        == 0
    )
    assert json.loads(Path("m/weights.json").read_text())["seen"] == 3
    assert clew("ask", graph, "currency of France?", "--model", "m").out.startswith("Euro  0.500")


def test_what_training_refuses(clew: Any, graph: Path, questions: Path, tmp_path: Path) -> None:
    assert "--questions train.jsonl" in clew("train", "follow", graph).err
    (tmp_path / "open.jsonl").write_text('{"id": "a", "question": "x?"}\n')
    shown = clew("train", "follow", graph, "--questions", "open.jsonl")
    assert shown.code == 2 and "open.jsonl:1" in shown.err
    assert "nearest: 'epochs'" in clew("train", "follow", graph, "--questions", questions, "--set", "train.epoch=1").err
    assert clew("train", "talk", graph, "--questions", questions).code == 8


def test_an_experiment_file_says_what_to_expect(clew: Any, graph: Path, questions: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    text = (
        f'[graph]\npath = "{graph}"\n[data]\nquestions = "{questions}"\n[method]\nname = "follow"\n'
        '[expected]\nsource = "by hand"\ntolerance = 0.01\n[expected.metrics]\n"hits@1" = {value}\n'
    )
    file.write_text(text.replace("{value}", "0.667"))
    assert clew("predict", "-c", file, "--run", "run", "-q").code == 0
    shown = clew("score", "run")
    assert shown.code == 0
    assert "expected hits@1 0.667 ± 0.010 (by hand): 0.667, holds" in shown.out
    assert "expected calibration error 0." in shown.out
    file.write_text(text.replace("{value}", "0.9"))
    assert clew("predict", "-c", file, "--run", "run2", "-q").code == 0
    shown = clew("score", "run2")
    assert shown.code == 1 and "DOES NOT HOLD" in shown.out


def test_the_manifest_explains_the_run(clew: Any, graph: Path, questions: Path) -> None:
    clew("predict", graph, questions, *FOLLOW, "--run", "run", "--set", "run.seed=4")
    manifest = json.loads(Path("run/manifest.json").read_text())
    assert manifest["identity"]["config"]["seed"] == manifest["identity"]["seed"] == 4
    assert manifest["identity"]["method"] == "follow"
    assert manifest["identity"]["graph"].startswith("facts")
    assert manifest["identity"]["questions"]["count"] == 3
    session = manifest["sessions"][0]
    assert session["clew"] and session["packages"]["numpy"] and "commit" in session


def test_a_sample_is_the_same_for_the_same_seed(clew: Any, graph: Path, questions: Path) -> None:
    seen = []
    for seed in (1, 1, 2, 3, 4, 5):
        rows = clew("predict", graph, questions, *FOLLOW, "--limit", 1, "--set", f"data.seed={seed}").out.splitlines()
        assert len(rows) == 1
        seen.append(json.loads(rows[0])["id"])
    assert seen[0] == seen[1]
    assert len(set(seen)) > 1


def test_score_somebody_elses_file(clew: Any, tmp_path: Path) -> None:
    file = tmp_path / "p.jsonl"
    file.write_text(json.dumps({"id": "1", "question": "?", "prediction": "Paris\nLyon", "ground_truth": ["Paris"]}))
    scores = clew("score", "--predictions", file, "--format", "rog", "--json").json
    assert scores["metrics"]["rog hits@1"]["value"] == 1.0
    assert clew("score").code == 2
    assert clew("score", "nowhere").code == 3
    assert clew("score", "--predictions", file, "--format", "xml").code == 3


def test_sweep_tests_each_value_against_the_first_and_goes_on(clew: Any, graph: Path, questions: Path) -> None:
    swept = ("sweep", graph, questions, *FOLLOW, "--vary", "method.refuse=nothing,continent", "--run", "runs")
    shown = clew(*swept, "--json").json
    assert [row["value"] for row in shown["rows"]] == ["nothing", "continent"] and shown["questions"] == 3
    assert [round(row["hits@1"], 2) for row in shown["rows"]] == [0.67, 0.33]
    assert shown["rows"][0]["p hits@1"] is None and shown["rows"][1]["p hits@1"] == 1.0
    assert "0.333" in clew(*swept).out  # finished runs are not run again
    bad = clew("sweep", graph, questions, *FOLLOW, "--vary", "theta", "--run", "runs")
    assert bad.code == 2 and "method.theta=0.4" in bad.err


def test_diagnose_says_which_methods_have_a_report(clew: Any, graph: Path, questions: Path) -> None:
    assert clew("predict", graph, questions, *FOLLOW, "--run", "run").code == 0
    refused = clew("diagnose", "run", graph)
    assert refused.code != 0 and "stem" in refused.err
