"""What a training says of time, memory and disk."""

from __future__ import annotations

import shutil
from collections import namedtuple
from pathlib import Path

import pytest

from clew.errors import TrainingError
from clew.learning.costs import LOG, TrainingLog, announce, duration, peak_memory, size, so_far
from clew.learning.tuning import TOKENS_AT_ONCE, _at_once
from clew.secrecy import REDACTED, remember_secret
from clew.types import Event


def test_a_stage_says_what_it_takes_before_it_runs(tmp_path: Path) -> None:
    events: list[Event] = []
    announce(events.append, "tuning", tmp_path / "a" / "b", steps=1200, parameters=1_000_000, memory=1 << 30)
    takes = events[0].data["takes"]
    assert takes == {"steps": 1200, "parameters": 1_000_000, "memory": takes["memory"], "disk": 40_000_000}
    assert takes["memory"] > peak_memory() // 2 + (1 << 30)
    assert events[0].message.startswith("tuning: 1,000,000 parameters, 1,200 steps, about ")
    assert events[0].message.endswith("of memory and 40.0 MB on disk")


def test_no_room_is_said_before_hours_of_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(10**9, 10**9 - 1000, 1000))
    with pytest.raises(TrainingError, match=r"takes about 40\.0 MB on disk, and 0\.0 MB are free"):
        announce(lambda event: None, "tuning", tmp_path, steps=1, parameters=1_000_000)


def test_words() -> None:
    assert (size(2_500_000_000), size(4_200_000)) == ("2.5 GB", "4.2 MB")
    assert (duration(12.3), duration(600), duration(7200)) == ("12 s", "10 min", "2.0 h")
    assert so_far(10, 100, 20.0, 5).startswith("6 min left, ")  # 5 of its steps took 20 s, 90 are left


def test_the_log_keeps_every_event_and_how_it_ended_without_keys(tmp_path: Path) -> None:
    remember_secret("a-key-of-somebody")
    heard: list[Event] = []
    with pytest.raises(KeyboardInterrupt), TrainingLog(tmp_path, heard.append) as log:
        log(Event("train", "step 1 of 2\nwith a-key-of-somebody", {"step": 1}))
        raise KeyboardInterrupt
    lines = (tmp_path / LOG).read_text().splitlines()
    assert [event.data for event in heard] == [{"step": 1}]
    assert lines[0].endswith(f"B  step 1 of 2 with {REDACTED}") and "ended by KeyboardInterrupt" in lines[1]


@pytest.mark.parametrize(("batch", "longest"), [(32, 60), (16, 1024), (16, 600), (12, 1024), (7, 5000), (1, 10**6)])
def test_a_step_is_cut_into_equal_parts_that_fit(batch: int, longest: int) -> None:
    part = _at_once(batch, longest)
    assert batch % part == 0 and (part == 1 or part * longest <= TOKENS_AT_ONCE)
    larger = [n for n in range(part + 1, batch + 1) if batch % n == 0]
    assert all(n * longest > TOKENS_AT_ONCE for n in larger)
