"""A run's folder keeps every completed row, whatever happens to the process, and never mixes two runs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from clew.errors import ConfigError, FormatError, InputError, NotFoundError
from clew.protocols import Example
from clew.runs import Run, RunRow
from clew.types import Answer, Candidate, Gold, Question

QUESTIONS = [
    Example(Question("q1", "capital of France?", ("France",)), Gold(("Paris",), aliases=(("City of Light",),), hops=1)),
    Example(Question("q2", "nothing?"), Gold((), stated=False)),
    Example(Question("q3", "currency of Germany?"), Gold(("Euro",), paths=((("Germany", "currency", "Euro"),),))),
]
IDENTITY = {"method": {"name": "echo", "beam": 5}, "graph": "toy"}


def create(folder: Path, *, resume: bool = False, identity: dict[str, object] | None = None, **kwargs: object) -> Run:
    questions = kwargs.get("questions", QUESTIONS)
    return Run.create(folder, identity or IDENTITY, questions, session={"seed": 0}, resume=resume)  # type: ignore[arg-type]


def row(number: int) -> RunRow:
    question = QUESTIONS[number].question
    return RunRow(question.id, Answer(question, "echo", (Candidate(question.text, 1.0),)))


def test_rows_come_back_in_the_order_of_the_questions(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.append([row(2)])
        run.append([RunRow("q2", error={"type": "X", "message": "no"}), row(0)])
    run = Run.open(tmp_path / "run")
    assert [r.id for r in run.rows()] == ["q1", "q2", "q3"]
    assert [a.question.id for a in run.answers()] == ["q1", "q3"]
    assert run.errors() == {"q2": {"type": "X", "message": "no"}}
    assert run.answered() == {"q1", "q3"}
    assert run.examples() == QUESTIONS


def test_a_later_row_replaces_the_failure(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.append([RunRow("q1", error={"type": "X", "message": "no"}), row(0)])
        assert run.errors() == {}
        assert run.answered() == {"q1"}


@pytest.mark.parametrize("keep", [1, 10, -1])
def test_a_torn_last_line_is_cut_and_nothing_else_is_lost(tmp_path: Path, keep: int) -> None:
    with create(tmp_path / "run") as run:
        run.append([row(0)])
        run.append([row(1)])
    rows = tmp_path / "run" / "rows.jsonl"
    first, second = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(first + second[:keep])
    assert [r.id for r in Run.open(tmp_path / "run").rows()] == ["q1"]
    with create(tmp_path / "run", resume=True) as run:
        assert rows.read_bytes() == first
        run.append([row(1)])
    assert rows.read_bytes() == first + second


def test_damage_in_the_middle_is_reported_with_its_line(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.append([row(0), row(1), row(2)])
    rows = tmp_path / "run" / "rows.jsonl"
    lines = rows.read_bytes().splitlines(keepends=True)
    rows.write_bytes(lines[0] + b"\x00\x00\n" + lines[2])
    with pytest.raises(FormatError, match=r"rows\.jsonl:2"):
        list(Run.open(tmp_path / "run").rows())
    with pytest.raises(FormatError, match=r"rows\.jsonl:2"):
        create(tmp_path / "run", resume=True)
    assert rows.read_bytes() == lines[0] + b"\x00\x00\n" + lines[2]


def test_rows_are_never_mixed(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.append([row(0)])
    with pytest.raises(InputError, match="--resume"):
        create(tmp_path / "run")
    with pytest.raises(ConfigError, match=r"method\.beam: 5 there, 8 now"):
        create(tmp_path / "run", resume=True, identity={"method": {"name": "echo", "beam": 8}, "graph": "toy"})
    with pytest.raises(ConfigError, match=r"questions\."):
        create(tmp_path / "run", resume=True, questions=QUESTIONS[:2])
    with create(tmp_path / "run", resume=True) as run:
        assert run.answered() == {"q1"}
        assert len(run.manifest["sessions"]) == 2


def test_two_writers_are_refused(tmp_path: Path) -> None:
    with create(tmp_path / "run"), pytest.raises(InputError, match="another process"):
        create(tmp_path / "run", resume=True)
    create(tmp_path / "run").close()


def test_an_id_used_twice_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="questions 1 and 4 have the same id 'q1'"):
        create(tmp_path / "run", questions=[*QUESTIONS, QUESTIONS[0]])


def test_no_run_a_file_and_a_newer_run(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="not a run folder"):
        Run.open(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        create(tmp_path / "file")
    create(tmp_path / "run").close()
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "format": 99}))
    with pytest.raises(FormatError, match="run format 99"):
        Run.open(tmp_path / "run")
    manifest.write_text("{")
    with pytest.raises(FormatError, match="damaged"):
        Run.open(tmp_path / "run")


def test_changed_gold_is_noticed(tmp_path: Path) -> None:
    create(tmp_path / "run").close()
    gold = tmp_path / "run" / "questions.jsonl"
    gold.write_text(gold.read_text().replace("Paris", "Lyons"))
    with pytest.raises(FormatError, match="changed after the run"):
        Run.open(tmp_path / "run").examples()


def test_gold_is_in_no_row(tmp_path: Path) -> None:
    with create(tmp_path / "run") as run:
        run.append([row(0), row(1), row(2)])
    text = (tmp_path / "run" / "rows.jsonl").read_text() + (tmp_path / "run" / "manifest.json").read_text()
    assert "City of Light" not in text and "gold" not in text


def test_every_changed_byte_of_rows_and_manifest_is_found(tmp_path: Path) -> None:
    """Lengths kept, one bit flipped anywhere: a message, or (in a line's own end) a torn row that is asked again."""
    with Run.create(tmp_path / "run", {"method": "m"}, QUESTIONS, session={}) as run:
        run.append([row(i) for i in range(3)])
    before = [each.to_json() for each in Run.open(tmp_path / "run").rows()]
    draw = random.Random(0)
    for name in ("rows.jsonl", "manifest.json", "questions.jsonl"):
        file = tmp_path / "run" / name
        good = file.read_bytes()
        for _ in range(150):
            bad = bytearray(good)
            bad[draw.randrange(len(bad) - 1)] ^= 1 << draw.randrange(8)
            file.write_bytes(bytes(bad))
            try:
                found = [each.to_json() for each in Run.open(tmp_path / "run").rows()]
            except FormatError:
                continue
            assert found == before, bytes(bad)
        file.write_bytes(good)


def test_rows_of_another_shape_are_one_message(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", {"method": "m"}, QUESTIONS, session={}) as run:
        run.append([row(0)])
    good = json.loads((tmp_path / "run" / "rows.jsonl").read_text())["answer"]
    changes: list[dict[str, Any]] = [
        {"candidates": 3}, {"candidates": [{}]}, {"evidence": None}, {"usage": {"calls": "x"}}, {"seconds": {"a": []}},
        {"question": {}}, {"topics": [1]},
    ]  # fmt: skip
    for change in changes:
        with pytest.raises(FormatError, match="no answer"):
            RunRow.from_json({"id": "a", "answer": {**good, **change}})
    with pytest.raises(FormatError, match="no error record"):
        RunRow.from_json({"id": "a", "error": 3})


def test_a_run_without_checksums_is_read_and_gone_on_with(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", {"method": "m"}, QUESTIONS, session={}) as run:
        run.append([row(0)])
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    del manifest["sha256"]
    (tmp_path / "run" / "manifest.json").write_text(json.dumps({**manifest, "format": 1}))
    line = json.loads((tmp_path / "run" / "rows.jsonl").read_text())
    del line["crc32"]
    (tmp_path / "run" / "rows.jsonl").write_text(json.dumps(line) + "\n")
    with Run.create(tmp_path / "run", {"method": "m"}, QUESTIONS, session={}, resume=True) as run:
        run.append([row(1)])
    found = Run.open(tmp_path / "run")
    assert found.manifest["format"] == 1
    assert found.answered() == {QUESTIONS[0].question.id, QUESTIONS[1].question.id}


def test_texts_that_no_utf8_can_hold_cost_nothing(tmp_path: Path) -> None:
    odd = Example(Question("a", "caf\udce9 \ud83d?"), Gold(("x\ud800",)))
    with Run.create(tmp_path / "run", {"method": "m"}, [odd], session={}) as run:
        run.append([RunRow("a", Answer(odd.question, "echo"))])
    (back,) = Run.open(tmp_path / "run").rows()
    assert back.answer is not None
    assert back.answer.question == odd.question
