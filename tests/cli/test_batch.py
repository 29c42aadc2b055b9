"""`clew predict --batch`: rounds of requests and replies as files, whatever comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("always::UserWarning")  # they are printed
Rows = list[dict[str, Any]]
BATCH = ("--method", "io", "--quiet", "--batch", "b", "--set", "language_model.model=m")


def waiting(number: int = 1) -> Rows:
    return [json.loads(line) for line in Path(f"b/requests-{number:04d}.jsonl").read_text().splitlines()]


def reply(row: dict[str, Any], content: str, **choice: Any) -> dict[str, Any]:
    """A row as batch services write it."""
    choices = [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop", **choice}]
    body = {"object": "chat.completion", "choices": choices, "usage": {"prompt_tokens": 90, "completion_tokens": 5}}
    return {
        "id": "r",
        "custom_id": row["custom_id"],
        "response": {"status_code": 200, "request_id": "x", "body": body},
        "error": None,
    }


def put(rows: Rows, number: int = 1) -> None:
    Path(f"b/replies-{number:04d}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def answers() -> dict[str, list[str]]:
    rows = [json.loads(line) for line in Path("b/run/rows.jsonl").read_text().splitlines()]
    return {row["id"]: [c["text"] for c in row["answer"]["candidates"]] for row in rows if "answer" in row}


def asked(row: dict[str, Any]) -> str:
    return str(row["body"]["messages"][-1]["content"])


def test_rounds_until_done(clew: Any, graph: Path, questions: Path) -> None:
    with questions.open("a") as file:
        file.write('{"id": "q4", "question": "sea of France?", "q_entity": ["France"], "answer": ["Atlantic"]}\n')
    shown = clew("predict", graph, questions, *BATCH)
    assert shown.code == 11
    assert "3 requests wait in b/requests-0001.jsonl" in shown.err and "replies-0001.jsonl" in shown.err
    rows = waiting()
    assert [asked(row) for row in rows] == ["currency of France?", "continent of France?", "sea of France?"]
    assert all(
        (row["method"], row["url"], row["body"]["model"]) == ("POST", "/v1/chat/completions", "m") for row in rows
    )
    again = clew("predict", graph, questions, *BATCH)
    assert again.code == 11 and not Path("b/requests-0002.jsonl").exists()

    cut = reply(rows[0], '["Eu', finish_reason="length")
    put(
        [cut, reply(rows[1], '["Europe"]'), {"custom_id": rows[2]["custom_id"], "content": '["Atlantic", "North Sea"]'}]
    )
    shown = clew("predict", graph, questions, *BATCH, "--set", "language_model.prices.m={prompt=1000000.0}")
    assert (
        shown.code == 11 and "1 requests wait in b/requests-0002.jsonl" in shown.err and "by your prices" in shown.err
    )
    assert answers() == {"q2": ["Europe"], "q3": ["Atlantic", "North Sea"], "q4": ["Atlantic", "North Sea"]}
    (more,) = waiting(2)
    assert more["body"]["max_completion_tokens"] > rows[0]["body"]["max_completion_tokens"]  # it was cut at its limit

    put([reply(more, '["Euro"]')], 2)
    done = clew("predict", graph, questions, *(word for word in BATCH if word != "--quiet"))
    assert done.code == 0 and "4 replies: " in done.err
    assert answers()["q1"] == ["Euro"]
    usage = [json.loads(line) for line in Path("b/run/rows.jsonl").read_text().splitlines()][-1]["answer"]["usage"]
    assert (usage["calls"], usage["prompt_tokens"]) == (2, 180)  # what the question took, over all rounds
    assert clew("score", "b/run", "--json").json["counts"]["questions"] == 4


def test_whatever_comes_back(clew: Any, graph: Path, questions: Path) -> None:
    clew("predict", graph, questions, *BATCH)
    rows = waiting()
    bad = {"custom_id": rows[2]["custom_id"], "response": {"status_code": 429, "body": {"error": {"message": "slow"}}}}
    doubled = reply(rows[0], '["Franc"]')
    put([reply(rows[0], '["Euro"]'), doubled, bad, reply({"custom_id": "who"}, "x")])
    shown = clew("predict", graph, questions, *BATCH)
    assert shown.code == 11 and answers() == {"q1": ["Euro"]}
    said = shown.err.splitlines()
    assert len(said) == 5, said  # doubled, foreign, failed, missing, and what waits now
    for word in ("1 rows are doubled", "foreign and left out, such as 'who'", "status 429: slow", "1 requests have no"):
        assert word in shown.err
    assert [row["custom_id"] for row in waiting(2)] == [rows[1]["custom_id"], rows[2]["custom_id"]]


def test_what_a_model_refuses_is_left_out_next_time(clew: Any, graph: Path, questions: Path) -> None:
    clew("predict", graph, questions, *BATCH)
    error = {"error": {"message": "Unsupported value: 'temperature' does not support 0.0 with this model."}}
    put([{"custom_id": row["custom_id"], "response": {"status_code": 400, "body": error}} for row in waiting()])
    assert "temperature" in clew("predict", graph, questions, *BATCH).err
    assert len(waiting(2)) == 3 and all("temperature" not in row["body"] for row in waiting(2))


def test_files_that_are_no_replies(clew: Any, graph: Path, questions: Path) -> None:
    clew("predict", graph, questions, *BATCH)
    row = waiting()[0]
    spoilt: dict[str, Callable[[], object]] = {
        "replies-0001.jsonl:1: not JSON": lambda: Path("b/replies-0001.jsonl").write_text("<html>"),
        "no object with a custom_id": lambda: Path("b/replies-0001.jsonl").write_text("[1]\n"),
        "none of its rows": lambda: put([reply({"custom_id": "x"}, "y")]),
    }
    for words, spoil in spoilt.items():
        spoil()
        shown = clew("predict", graph, questions, *BATCH)
        assert shown.code == 2 and words in shown.err and len(shown.err.splitlines()) == 1
    put([reply(row, '["Euro"]')])
    assert clew("predict", graph, questions, *BATCH).code == 11 and answers() == {"q1": ["Euro"]}


def test_a_budget_bounds_a_round(clew: Any, graph: Path, questions: Path) -> None:
    shown = clew("predict", graph, questions, *BATCH, "--set", "language_model.budget.calls=2")
    assert shown.code == 7 and "2 of 2 calls" in shown.err
    assert not list(Path("b").glob("requests-*"))


def test_where_batch_files_make_no_sense(clew: Any, graph: Path, questions: Path) -> None:
    assert "asks no language model" in clew("predict", graph, questions, "--method", "follow", "--batch", "b").err
    local = ("--set", "language_model.backend=local")
    assert clew("predict", graph, questions, *BATCH, *local).code == 2
    ask = clew("ask", graph, "currency of France?", "--method", "io", "--set", "language_model.model=m",
               "--set", "language_model.batch=b")  # fmt: skip
    assert ask.code == 11 and "clew predict" in ask.err
