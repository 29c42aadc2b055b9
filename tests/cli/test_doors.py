"""Every door of the command line: whatever comes in, one message goes out, and nothing steers the terminal."""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from pathlib import Path

import pytest

from clew.cli import main
from clew.graph import Graph
from clew.testing.graph_store import TOY

NESTED = "[" * 50_000
DIGITS = "9" * 5000


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("doors") / "toy.kg"
    evil = [("Paris", "\x1b]0;owned\x07 near", "\x1b[31mRed\u202e"), *TOY]
    Graph.from_triples(evil, name="toy").save(folder)
    return folder


def run(*arguments: str | bytes, stdin: bytes = b"", cwd: Path) -> tuple[int, bytes, bytes]:
    """Exit code, stdout and stderr of one command, in this process: a new one takes seconds to start."""
    out, err = io.BytesIO(), io.BytesIO()
    streams = [io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")]
    streams += [io.TextIOWrapper(each, encoding="utf-8", write_through=True) for each in (out, err)]
    code = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(cwd)
        patch.setattr(sys, "argv", ["clew", *map(os.fsdecode, arguments)])
        patch.setattr(warnings, "showwarning", warnings.showwarning)
        for name, stream in zip(("stdin", "stdout", "stderr"), streams, strict=True):
            patch.setattr(sys, name, stream)
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    return code, out.getvalue(), err.getvalue()


def refused(result: tuple[int, bytes, bytes]) -> str:
    code, _, err = result
    text = err.decode()
    assert code != 0, text
    assert text.startswith(("clew: ", "Usage")), text
    assert text.replace("\n", "").isprintable()
    return text


def test_arguments_settings_and_files(graph: Path, tmp_path: Path) -> None:
    ask = ("ask", str(graph), "currency of France?", "--set", "encoder.name=hash-64")
    assert "not UTF-8" in refused(run("ask", str(graph), b"caf\xe9?", cwd=tmp_path))
    assert "nested too deeply" in refused(run(*ask, "--set", f"method.x={NESTED}", cwd=tmp_path))
    assert "cannot be read" in refused(run(*ask, "--set", f"run.seed={DIGITS}", cwd=tmp_path))
    assert "sections deep" in refused(run(*ask, "--set", "a." * 3000 + "b=1", cwd=tmp_path))
    for text, words in (
        (f"x = {NESTED}", "nested too deeply"), (f"x = {DIGITS}", "cannot be read"), ("x = \xff", "TOML|UTF-8"),
    ):  # fmt: skip
        (tmp_path / "c.toml").write_text(text, encoding="latin-1")
        assert any(word in refused(run(*ask, "-c", "c.toml", cwd=tmp_path)) for word in words.split("|"))
    assert "32,768" in refused(run("ask", str(graph), "why " * 10_000, cwd=tmp_path))
    long = "x" * 3000
    assert "too long" in refused(run(*ask, "-c", long, cwd=tmp_path))
    assert refused(run("ask", long, "q", cwd=tmp_path))


def test_questions_and_predictions(graph: Path, tmp_path: Path) -> None:
    predict = ("predict", str(graph), "--set", "encoder.name=hash-64")
    bad = (NESTED, f'{{"id": {DIGITS}, "question": "q"}}', '{"id": "\\ud800", "question": "q"}', "\xff",
           '{"id": "a", "question": "caf\\udc80?"}', '{"id": "a", "question": "q", "hops": NaN}')  # fmt: skip
    for text in bad:
        raw = text.encode("latin-1")
        (tmp_path / "q.jsonl").write_bytes(raw + b"\n")
        assert ":1: " in refused(run(*predict, "q.jsonl", cwd=tmp_path))
        assert "stdin:1: " in refused(run(*predict, "-", stdin=raw, cwd=tmp_path))
        assert ":1: " in refused(run("score", "--predictions", "q.jsonl", cwd=tmp_path))
    assert "not UTF-8" in refused(run("ask", str(graph), "-", stdin=b"caf\xe9\n", cwd=tmp_path))
    (tmp_path / "q.jsonl").write_text('{"id": "a", "question": "currency of France?"}\n')
    for folder in ("q.jsonl/run", "x" * 300, "/proc/nowhere/run"):
        assert "run " in refused(run(*predict, "q.jsonl", "--run", folder, cwd=tmp_path))


def test_labels_ids_and_messages_steer_no_terminal(graph: Path, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(
        '{"id": "\\u001b[2J", "question": "what is Paris near?", "q_entity": ["Paris"]}\n'
    )
    settings = ("--set", "encoder.name=hash-64")
    for arguments in (
        ("ask", str(graph), "what is Paris near?", "-t", "Paris", "-v", "--explain", *settings),
        ("ask", str(graph), "\x1b[31m\x9b31m near Paris", "-t", "Paris", *settings),
        ("ask", str(graph), "x", "-t", "\x1b]0;x\x07", *settings),
        ("info", str(graph)),
        ("predict", str(graph), "q.jsonl", "--run", "r", *settings),
        ("score", "r"),
        ("predict", str(graph), "q.jsonl", *settings),
        ("ask", str(graph), "what is Paris near?", "-t", "Paris", "--json", *settings),
        ("\x1b[31m",),
    ):
        code, out, err = run(*arguments, cwd=tmp_path)
        assert code >= 0
        for stream in (out, err):
            assert not set(stream.decode()) & {"\x1b", "\x07", "\x9b", "\u202e"}, arguments
    answer = json.loads(run("ask", str(graph), "near?", "-t", "Paris", "--json", *settings, cwd=tmp_path)[1])
    assert answer["topics"][0]["entity"]["id"] == "Paris"


def test_a_broken_model_folder_is_one_message(graph: Path, tmp_path: Path) -> None:
    model = tmp_path / "m"
    model.mkdir()
    for text in ("", "[]", "{}", NESTED, '{"format": 1, "method": 3}', f'{{"format": {DIGITS}}}', "\x00"):
        (model / "trained.json").write_text(text)
        assert "trained.json" in refused(run("ask", str(graph), "q?", "--model", "m", cwd=tmp_path))
