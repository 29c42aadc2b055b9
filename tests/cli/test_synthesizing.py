"""`clew synthesize` and `clew train --synthetic`: files that training reads, whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clew.datasets.plain import read_plain


def test_a_file_of_questions_that_training_reads(clew: Any, graph: Path) -> None:
    told = clew("synthesize", graph, "-n", 12, "-o", "q.jsonl", "--seed", 3, "--json").json
    assert told["questions"] == 12 == sum(told["hops"].values()) == sum(told["strategies"].values())
    rows = [json.loads(line) for line in Path("q.jsonl").read_text().splitlines()]
    assert all(row["answer"] and row["masked"] and row["assertions"] and row["strategy"] for row in rows)
    assert [example.question.id for example in read_plain("q.jsonl", need_answers=True)] == [row["id"] for row in rows]
    assert clew("train", "follow", graph, "--questions", "q.jsonl", "-o", "m").code == 0
    assert json.loads(Path("m/weights.json").read_text())["seen"] == 12


def test_the_same_seed_gives_the_same_lines(clew: Any, graph: Path) -> None:
    first = clew("synthesize", graph, "-n", 8, "--seed", 1)
    assert len(first.out.splitlines()) == 8 and first.err == "8 questions\n"
    assert clew("synthesize", graph, "-n", 8, "--seed", 1, "-q").out == first.out
    assert clew("synthesize", graph, "-n", 8, "--seed", 2, "-q").out != first.out


def test_weights_of_hops(clew: Any, graph: Path) -> None:
    told = clew("synthesize", graph, "-n", 6, "-o", "q.jsonl", "--hops", "0,1", "--balance", 1, "--json").json
    assert told["hops"] == {"2": 6}
    shown = clew("synthesize", graph, "-n", 6, "-o", "q.jsonl", "--set", "synthesis.fork=0")
    assert "strategies: Precision" in shown.out and "conjunction" not in shown.out


@pytest.mark.parametrize(
    ("flags", "code", "said"),
    [
        (("--hops", "one,two"), 2, "such as 0.5,0.3,0.2"),
        (("--hops", "0,0"), 2, "hops"),
        (("--balance", "2"), 2, "balance"),
        (("--set", "synthesis.forks=1"), 2, "nearest: 'fork'"),
        (("--writer", "model"), 2, "language_model.model"),
        (("-n", "100000", "--hops", "1"), 2, "different questions"),
        (("-o", "nowhere/q.jsonl"), 2, "nowhere/q.jsonl"),
    ],
)
def test_bad_input_is_one_message_and_leaves_no_file(
    clew: Any, graph: Path, flags: tuple[str, ...], code: int, said: str
) -> None:
    Path("q.jsonl").write_text("old\n")
    shown = clew("synthesize", graph, "-o", "q.jsonl", *flags, "-q")
    assert shown.code == code and said in shown.err
    assert Path("q.jsonl").read_text() == "old\n"
    assert {path.name for path in Path().iterdir()} == {"q.jsonl", "facts.kg", "facts.tsv"}


def test_train_on_synthetic_questions_alone_or_beside_others(clew: Any, graph: Path, questions: Path) -> None:
    assert clew("train", "follow", graph, "--synthetic", 10, "-o", "alone").code == 0
    assert json.loads(Path("alone/weights.json").read_text())["seen"] == 10
    assert clew("train", "follow", graph, "--synthetic", 10, "--questions", questions, "-o", "both").code == 0
    assert json.loads(Path("both/weights.json").read_text())["seen"] == 13
    # Of ten written questions or more some are the judges, and no synthetic one is.
    rows = [json.loads(line) for line in questions.read_text().splitlines()]
    Path("many.jsonl").write_text(
        "".join(json.dumps({**row, "id": f"{row['id']} {i}"}) + "\n" for i in range(7) for row in rows)
    )
    assert clew("train", "follow", graph, "--synthetic", 10, "--questions", "many.jsonl", "-o", "many").code == 0
    assert json.loads(Path("many/weights.json").read_text())["seen"] == 10 + 19
    assert "--synthetic 20000" in clew("train", "follow", graph, "-o", "none").err


def test_train_on_several_files(clew: Any, graph: Path, questions: Path) -> None:
    shown = clew("train", "follow", graph, "--questions", questions, "--questions", questions, "-o", "twice")
    assert shown.code == 0 and json.loads(Path("twice/weights.json").read_text())["seen"] == 6
    Path("both.toml").write_text(f'[data]\ntrain = ["{questions}", "nothing.jsonl"]\n')
    shown = clew("train", "follow", graph, "-c", "both.toml", "-o", "lost")
    assert shown.code != 0 and "nothing.jsonl" in shown.err


def test_names_without_words_are_warned_of(clew: Any, graph: Path) -> None:
    Path("ids.tsv").write_text("".join(f"Q{i}\tP19\tQ{i % 7}\nQ{i}\tP106\tQ{i % 3}\n" for i in range(10, 40)))
    assert clew("build", "ids.tsv", "-o", "ids.kg").code == 0
    for command in (("synthesize", "ids.kg", "-n", 5), ("train", "follow", "ids.kg", "--synthetic", 5, "-o", "m")):
        shown = clew(*command)
        assert shown.code == 0 and "warning: 2 of 2 relations" in shown.err and "--labels" in shown.err
    Path("labels.tsv").write_text("P19\tstepfather\nP106\tplace of work\n")
    assert clew("build", "ids.tsv", "--labels", "labels.tsv", "-o", "named.kg").code == 0
    shown = clew("synthesize", "named.kg", "-n", 40)
    assert "warning" not in shown.err
    asked = " ".join(json.loads(line)["question"].lower() for line in shown.out.splitlines())
    assert "stepfather" in asked and "of work" in asked and "p19" not in asked and "p106" not in asked
