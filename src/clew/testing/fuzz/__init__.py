"""Damaged, hostile and senseless input at every door: `python -m clew.testing.fuzz DOOR --inputs 5000 --seed 1`.

Every input is drawn from (seed, number) alone, so a failure can be drawn again. Each is tried in another process, which
survives what it must and is replaced when it does not. What counts as a failure: a signal, a traceback, more than
`PATIENCE_S` seconds of work, and what a door's own module says.

What was found once stands in the corpus (`corpus.jsonl` beside this file) and is tried first: a line says the door and
the input, a file by `parts` (texts and how often each stands there) or, for a graph, by a `cut` and `patches` of bytes.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from clew.testing.fuzz import builds, commands, folders, graphs, questions, servers, settings
from clew.testing.fuzz.inputs import Input

PATIENCE_S = 20  # of work
WAIT_S = 600  # on a machine that others use as well


class Door(Protocol):
    """A module: what is tried at one door, and what becomes of it."""

    def inputs(self, seed: int, folder: Path, count: int) -> Iterator[Input]:
        """The corpus, then `count` inputs; `folder` is theirs to prepare things in."""

    def attempt(self, given: Input, scratch: Path) -> str:
        """How an input ended, in an empty folder; "FAILED …" where it should have ended otherwise."""


DOORS: dict[str, Door] = {
    "graph": graphs, "build": builds, "commands": commands, "folders": folders,
    "questions": questions, "asked": questions.AskedQuestions(), "settings": settings, "queries": settings.QueryTexts(),
    "servers": servers,
}  # fmt: skip


@dataclass
class Findings:
    """What became of all inputs: how many ended how, and those that failed."""

    counts: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[Input, str]] = field(default_factory=list)


class Trier:
    """The process in which inputs are tried, replaced when one ends it; use as a context manager."""

    def __init__(self) -> None:
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self._place = tempfile.TemporaryDirectory(dir=memory)
        self.folder = Path(self._place.name)
        self._command = [sys.executable, "-P", "-m", "clew.testing.fuzz", "--serve", str(self.folder / "scratch")]
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Trier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        self._place.cleanup()

    def tried(self, door: str, given: Input) -> str:
        """How an input ended at a door."""
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps([door, given]).encode() + b"\n")
        self._process.stdin.flush()
        patience = time.monotonic() + WAIT_S
        while time.monotonic() < patience:
            if select.select([self._process.stdout], [], [], 1)[0]:
                line = self._process.stdout.readline()
                if line:
                    return str(json.loads(line))
                code = self._process.wait()
                return f"FAILED ended by {signal.Signals(-code).name if code < 0 else f'code {code}'}"
        self.close()
        return f"FAILED no answer in {WAIT_S} s"

    def close(self) -> None:
        """End the process; the next input begins another."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
            self._process = None


def serve(scratch: Path) -> None:
    """Try what stands on stdin, a line each, and say how it ended; the whole life of the other process."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    stdin = os.fdopen(os.dup(0), "rb")
    for line in stdin:
        door, given = json.loads(line)
        folder = scratch / "try"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        start = time.process_time()
        try:
            ended = DOORS[door].attempt(given, folder)
        except BaseException as error:  # noqa: BLE001 - whatever comes out is what is looked for
            place = traceback.extract_tb(error.__traceback__)[-1]
            ended = f"FAILED {type(error).__name__}: {str(error)[:200]} ({Path(place.filename).name}:{place.lineno})"
        took = time.process_time() - start
        if took > PATIENCE_S and not ended.startswith("FAILED"):
            ended = f"FAILED after {took:.0f} s: {ended}"
        answers.write(json.dumps(ended) + "\n")
        answers.flush()


def fuzz(door: str, count: int, seed: int = 0, *, seconds: float = 1e9, trier: Trier | None = None) -> Findings:
    """Try the corpus and then `count` inputs, or as many as `seconds` allow; with a trier that several calls share."""
    if trier is None:
        with Trier() as own:
            return fuzz(door, count, seed, seconds=seconds, trier=own)
    findings, end = Findings(), time.monotonic() + seconds
    folder = trier.folder / f"{door}-{seed}"
    folder.mkdir()
    for given in DOORS[door].inputs(seed, folder, count):
        if time.monotonic() > end:
            break
        ended = trier.tried(door, given)
        findings.counts[ended.split(":")[0]] += 1
        if ended.startswith("FAILED"):
            findings.failed.append((given, ended))
    return findings
