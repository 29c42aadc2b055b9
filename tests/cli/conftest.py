"""The command line in this process: what it prints and how it ends."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from clew.cli import main
from clew.graph import build
from clew.methods import registry

sys.path.insert(0, str(Path(__file__).parents[1]))

TRIPLES = """Paris\tcapital of\tFrance
France\tcontinent\tEurope
France\tcurrency\tEuro
Germany\tcurrency\tEuro
Berlin\tcapital of\tGermany
"""
QUESTIONS = [
    {"id": "q1", "question": "currency of France?", "q_entity": ["France"], "answer": ["Euro"]},
    {"id": "q2", "question": "continent of France?", "q_entity": ["France"], "answer": ["Europe"]},
    {"id": "q3", "question": "sea of France?", "q_entity": ["France"], "answer": ["Atlantic"]},
]


@dataclass(frozen=True, slots=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Clew = Callable[..., Outcome]


@pytest.fixture
def clew(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Clew:
    """Runs a command in an empty folder with the test method `follow` registered."""
    monkeypatch.setattr(registry, "ROOMS", (*registry.ROOMS, "follow_room"))
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CLEW_DEBUG"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: object, stdin: str = "") -> Outcome:
        monkeypatch.setattr(sys, "argv", ["clew", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8"))
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        printed = capsys.readouterr()
        assert isinstance(code, int)
        assert "Traceback" not in printed.err
        return Outcome(code, printed.out, printed.err)

    return run


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    (tmp_path / "facts.tsv").write_text(TRIPLES)
    build([tmp_path / "facts.tsv"], tmp_path / "facts.kg")
    return tmp_path / "facts.kg"


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    file = tmp_path / "q.jsonl"
    file.write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    return file
