"""The corpus of what was found once, and two thousand fresh inputs; `make fuzz` tries ten thousand at each door."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clew.testing.fuzz import DOORS, Trier, fuzz
from clew.testing.fuzz.inputs import corpus

FEW = {
    "questions": 900, "settings": 700, "queries": 250, "folders": 100, "asked": 20, "graph": 60, "build": 30,
    "commands": 20, "servers": 20,
}  # fmt: skip


@pytest.fixture(scope="module")
def trier() -> Iterator[Trier]:
    with Trier() as made:
        yield made


def test_every_door_is_tried_two_thousand_times_in_all() -> None:
    assert FEW.keys() == DOORS.keys()
    assert sum(FEW.values()) >= 2000


@pytest.mark.parametrize("door", FEW)
def test_nothing_gives_way(trier: Trier, door: str) -> None:
    found = fuzz(door, FEW[door], seed=2026, trier=trier)
    assert [f"{ended} {given}"[:1000] for given, ended in found.failed] == []
    assert sum(found.counts.values()) == FEW[door] + len(corpus(door))


def test_what_ends_the_process_is_a_failure(trier: Trier) -> None:
    assert trier.tried("settings", {}).startswith("FAILED KeyError: 'file' (settings.py:")
    trier.close()
    assert trier.tried("queries", {"text": "count(all())"}) == "run"


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("door", FEW)
def test_thousands(trier: Trier, door: str) -> None:
    found = fuzz(door, {"commands": 1000, "asked": 2000, "servers": 1000}.get(door, 5000), seed=19, trier=trier)
    assert [f"{ended} {given}"[:1000] for given, ended in found.failed] == []
