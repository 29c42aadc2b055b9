"""No method calls an answer supported that an independent check rejects, whatever a language model says; and the check
rejects every kind of lie."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from clew.encoding import HashEncoder
from clew.settings import configure
from clew.testing.support import METHODS, MODELS, NEEDS_MODEL, SupportCounts, Trial
from clew.testing.support.check import Check
from clew.testing.support.worlds import World, question, world
from clew.types import Question
from clew.workspace import Workspace

FACTS = [("e1", "capital of", "e2"), ("e3", "spouse", "e1"), ("e2", "currency", "e4"), ("e1", "size", "3")]
LABELS = {"e1": "Ada Stone", "e2": "Ben Lake", "e3": "Cleo Hill", "e4": "Dora Field"}
WORLD = World("checked", FACTS, LABELS)


@pytest.mark.filterwarnings("ignore")  # torch about a training of two steps
def test_no_method_supports_what_is_not_so(tmp_path: Path) -> None:
    tally = Trial(tmp_path / "model").about(2026, 0)
    assert tally.wrong == []
    pairs = {(method, model) for method in METHODS for model in MODELS if model != "none" or method not in NEEDS_MODEL}
    assert {key[:2] for key in tally.counts} == pairs and tally.answers == 12 * len(pairs) > 400
    assert sum(n for (_, _, what), n in tally.counts.items() if what == "supported") > 50
    tally += tally
    assert next(iter(tally.lines())).split()[:3] == ["walk", "random", "24"]


def test_what_is_drawn_is_drawn_again() -> None:
    def drawn() -> tuple[Any, Any]:
        rng = random.Random("1 7")
        of = world(rng, "again")
        return (of.facts, of.labels), [question(rng, of, i) for i in range(5)]

    assert drawn() == drawn()
    assert list(SupportCounts().lines()) == [
        " " * 20 + "        0 answers        0 candidates        0 supported, 0 wrong"
    ]


def row(text: str, *topics: str) -> dict[str, Any]:
    configuration = configure(flags={"method": {"name": "walk"}}, environment={})
    space = Workspace(configuration, graph=WORLD.graph, encoder=HashEncoder(32))
    found: dict[str, Any] = json.loads(space.open_method().answer(Question("q", text, topics), WORLD.graph).to_json())
    assert found["candidates"] and list(Check(WORLD).problems(found)) == []
    return found


def _path(row: dict[str, Any]) -> dict[str, Any]:
    return row["evidence"]["paths"][row["candidates"][0]["paths"][0]]  # type: ignore[no-any-return]


def _turn(row: dict[str, Any]) -> None:
    hop = _path(row)["hops"][0]
    hop["forward"] = not hop["forward"]


LIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "is no topic": lambda row: row["topics"].clear(),
    "cites path 99": lambda row: row["candidates"][0]["paths"].append(99),
    "cites a path to": lambda row: row["candidates"][0].update(text="Zork"),
    "cites a path to 'e2'": lambda row: row["candidates"][0]["entity"].update(id="e3"),
    "a path of no hop": lambda row: _path(row)["hops"].clear(),
    "a hop starts at": _turn,
    "no such fact": lambda row: _path(row)["hops"][0]["triple"]["tail"].update(id="e4"),
    "is not called": lambda row: _path(row)["hops"][0]["triple"]["tail"].update(label="Zork"),
    "is no entity": lambda row: _path(row)["start"].update(id="e9"),
    "computed without a plan": lambda row: row["candidates"][0].update(computed=True),
}


@pytest.mark.parametrize("says", LIES)
def test_the_check_rejects(says: str) -> None:
    lying = row("what is the capital of of Ada Stone?", "e1")
    LIES[says](lying)
    assert any(says in problem for problem in Check(WORLD).problems(lying))


def test_the_check_computes_again() -> None:
    counted = row("how many capital of has Ada Stone?", "e1")
    assert counted["candidates"][0]["computed"]
    counted["candidates"][0]["text"] = "7"
    assert any("computed again" in problem for problem in Check(WORLD).problems(counted))
