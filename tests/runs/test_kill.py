"""kill -9 at random moments: nothing that was written is lost, and the finished run equals an undisturbed one."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.runs import Run, RunRow

WORKER = Path(__file__).with_name("predict_worker.py")


def start(folder: Path, seconds: float, threads: int) -> subprocess.Popen[bytes]:
    paths = os.pathsep.join([str(Path(clew.__file__).parents[1]), str(WORKER.parents[1])])
    arguments = [sys.executable, str(WORKER), str(folder), str(seconds), str(threads)]
    return subprocess.Popen(arguments, env={**os.environ, "PYTHONPATH": paths}, stderr=subprocess.PIPE)


def result(folder: Path) -> list[RunRow]:
    rows = list(Run.open(folder).rows())
    return [row if row.answer is None else replace(row, answer=replace(row.answer, seconds={})) for row in rows]


def finish(folder: Path, seconds: float, threads: int) -> None:
    _, complaint = (worker := start(folder, seconds, threads)).communicate(timeout=100)
    assert worker.returncode == 0, complaint.decode()


def disturbed(folder: Path, kills: int, threads: int, seed: int) -> None:
    """Kill the worker `kills` times at random moments after it began to write; check after each that rows only grow."""
    moments, kept = random.Random(seed), set[bytes]()
    rows = folder / "rows.jsonl"
    for _ in range(kills):
        worker = start(folder, 0.004, threads)
        before, limit = len(kept), time.monotonic() + 60
        while worker.poll() is None and time.monotonic() < limit:
            if rows.exists() and rows.read_bytes().count(b"\n") > before:
                break
            time.sleep(0.002)
        time.sleep(moments.random() * 0.1)
        worker.kill()
        worker.communicate()
        if not rows.exists():
            continue
        whole = {line for line in rows.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")}
        assert kept <= whole
        kept = whole


@pytest.mark.parametrize("threads", [2])
def test_killed_twice(tmp_path: Path, threads: int) -> None:
    disturbed(tmp_path / "killed", 2, threads, seed=threads)
    finish(tmp_path / "killed", 0.004, threads)
    finish(tmp_path / "whole", 0.004, 1)
    assert result(tmp_path / "killed") == result(tmp_path / "whole")
    assert len(result(tmp_path / "whole")) == 60
    assert list(Run.open(tmp_path / "killed").errors()) == ["q13"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_fifty_times(tmp_path: Path) -> None:
    finish(tmp_path / "whole", 0.004, 1)
    for seed in range(10):
        folder = tmp_path / f"killed{seed}"
        disturbed(folder, 5, 1 + seed % 3, seed)
        finish(folder, 0.004, 1)
        assert result(folder) == result(tmp_path / "whole")
