"""The corpus of what was found once, and some hundred fresh inputs at each door; `make fuzz` tries thousands."""

from __future__ import annotations

import pytest

from clew.testing.fuzz import corpus, fuzz


@pytest.mark.parametrize(("door", "count"), [("graph", 100), ("build", 40), ("commands", 10)])
def test_nothing_gives_way(door: str, count: int) -> None:
    found = fuzz(door, count, seed=2026)
    assert [f"{ended} {given}"[:1000] for given, ended in found.failed] == []
    assert sum(found.counts.values()) == count + len(corpus(door))


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("door", "count"), [("graph", 5000), ("build", 5000), ("commands", 1000)])
def test_thousands(door: str, count: int) -> None:
    found = fuzz(door, count, seed=19)
    assert [f"{ended} {given}"[:1000] for given, ended in found.failed] == []
