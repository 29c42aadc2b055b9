"""kill -9 at random moments: nothing that was written is lost, and the finished run equals an undisturbed one."""

from __future__ import annotations

import json
import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

import clew
from clew.runs import Run, RunRow

WORKER = Path(__file__).with_name("predict_worker.py")


class Worker:
    """A process that predicts, of which one can be killed while it goes on to serve the next."""

    def __init__(self) -> None:
        paths = os.pathsep.join([str(Path(clew.__file__).parents[1]), str(WORKER.parents[1])])
        self._process = subprocess.Popen(
            [sys.executable, str(WORKER)],
            env={**os.environ, "PYTHONPATH": paths}, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0,
        )  # fmt: skip

    def start(self, folder: Path, seconds: float, threads: int) -> int:
        """The number of a process that predicts into `folder`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps([str(folder), seconds, threads]).encode() + b"\n")
        return self._said()

    def over(self) -> bool:
        """Whether it has ended."""
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def ended(self) -> int:
        """How it ended, once it has."""
        return self._said()

    def _said(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.communicate(timeout=100)
        assert self._process.returncode == 0


@pytest.fixture
def worker() -> Iterator[Worker]:
    serving = Worker()
    yield serving
    serving.close()


def result(folder: Path) -> list[RunRow]:
    rows = list(Run.open(folder).rows())
    return [row if row.answer is None else replace(row, answer=replace(row.answer, seconds={})) for row in rows]


def finish(worker: Worker, folder: Path, seconds: float, threads: int) -> None:
    worker.start(folder, seconds, threads)
    assert worker.ended() == 0


def disturbed(worker: Worker, folder: Path, kills: int, threads: int, seed: int) -> None:
    """Kill a process `kills` times at random moments after it began to write; check after each that rows only grow."""
    moments, kept = random.Random(seed), set[bytes]()
    rows = folder / "rows.jsonl"
    for _ in range(kills):
        pid = worker.start(folder, 0.004, threads)
        before, limit = len(kept), time.monotonic() + 60
        while not worker.over() and time.monotonic() < limit:
            if rows.exists() and rows.read_bytes().count(b"\n") > before:
                break
            time.sleep(0.002)
        time.sleep(moments.random() * 0.1)
        with suppress(ProcessLookupError):  # it was faster
            os.kill(pid, signal.SIGKILL)
        assert worker.ended() in (0, -signal.SIGKILL)
        if not rows.exists():
            continue
        whole = {line for line in rows.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")}
        assert kept <= whole
        kept = whole


@pytest.mark.parametrize("threads", [2])
def test_killed_twice(worker: Worker, tmp_path: Path, threads: int) -> None:
    disturbed(worker, tmp_path / "killed", 2, threads, seed=threads)
    finish(worker, tmp_path / "killed", 0.004, threads)
    finish(worker, tmp_path / "whole", 0.004, 1)
    assert result(tmp_path / "killed") == result(tmp_path / "whole")
    assert len(result(tmp_path / "whole")) == 60
    assert list(Run.open(tmp_path / "killed").errors()) == ["q13"]


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_fifty_times(worker: Worker, tmp_path: Path) -> None:
    finish(worker, tmp_path / "whole", 0.004, 1)
    for seed in range(10):
        folder = tmp_path / f"killed{seed}"
        disturbed(worker, folder, 5, 1 + seed % 3, seed)
        finish(worker, folder, 0.004, 1)
        assert result(folder) == result(tmp_path / "whole")
