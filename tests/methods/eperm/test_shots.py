"""Few-shot examples: which questions are shown, with which plans, and never the one that is asked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from eperm_world import Scripted

from clew.encoding import HashEncoder
from clew.errors import InputError
from clew.graph import Graph
from clew.methods.eperm.config import Config
from clew.methods.eperm.method import Eperm
from clew.protocols import Tools
from clew.types import Question

TRAINING = (
    ("where was person 1 born", "person 1", "city 1"),
    ("in which land was person 2 born", "person 2", "land 2"),
    ("who wrote person 3", "person 3", "nobody"),  # its answer is not in the graph
    ("in which land was person 0 born", "person 0", "land 0"),  # the question that is asked
)


def people() -> Graph:
    rows = [(f"person {i}", "born in", f"city {i}") for i in range(4)]
    return Graph.from_triples([*rows, *((f"city {i}", "country", f"land {i}") for i in range(4))], name="people")


def prompts(tmp_path: Path, **settings: object) -> tuple[list[str], dict[str, object]]:
    file = tmp_path / "train.jsonl"
    rows = [
        {"id": str(i), "question": text, "q_entity": [topic], "answer": [answer]}
        for i, (text, topic, answer) in enumerate(TRAINING)
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    model = Scripted(lambda request, prompt: '{"plans": [{"path": ["born in", "country"], "weight": 1}]}')
    config = Config.model_validate({"examples": file, "predictor": False, "entities": "none", **settings})
    method = Eperm(config, Tools(encoder=HashEncoder(256), language_model=model))  # type: ignore[arg-type]
    answer = method.answer(Question("q", "in which land was person 0 born", ("person 0",)), people())
    assert answer.texts == ("land 0",)
    return model.prompts, dict(answer.details)


def test_the_likest_questions_stand_there_with_their_plans(tmp_path: Path) -> None:
    (prompt,), details = prompts(tmp_path)
    shown = prompt.partition("Examples of other questions:\n")[2].partition("\n\nTopic entities: person 0\n")[0]
    assert shown.splitlines() == [
        "Question: in which land was person 2 born",
        '{"plans": [{"path": ["born in", "country"], "weight": 1.0}]}',
        "Question: where was person 1 born",
        '{"plans": [{"path": ["born in"], "weight": 1.0}]}',
    ]
    assert details["examples"] == 2


def test_none_stand_there_without_a_file(tmp_path: Path) -> None:
    (prompt,), details = prompts(tmp_path, examples=None)
    assert "Examples of other questions" not in prompt and "examples" not in details


def test_a_file_that_cannot_be_read_is_told_when_the_method_is_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="missing"):
        prompts(tmp_path, examples=tmp_path / "missing.jsonl")
