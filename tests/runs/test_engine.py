"""The engine: whatever one question does, the others get their rows."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from clew.errors import BudgetError, InputError, RunStoppedError
from clew.graph import Graph
from clew.protocols import Example, GraphStore
from clew.runs import Run, RunProgress, answer_all
from clew.types import Answer, Candidate, Gold, Question

QUESTIONS = [Question(f"q{i}", f"what is {i}?") for i in range(23)]


def new(folder: Path, *, resume: bool = False) -> Run:
    return Run.create(folder, {"method": "echo"}, [Example(q, Gold(())) for q in QUESTIONS], session={}, resume=resume)


def echo(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
    return [Answer(q, "echo", (Candidate(q.text, 0.5),)) for q in questions]


def bad_at(*ids: str) -> object:
    def predict(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        for question in questions:
            if question.id in ids:
                raise InputError(f"cannot read {question.id}")
        return echo(questions, graph)

    return predict


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (5, 1), (100, 1), (1, 4), (3, 2)])
def test_every_question_gets_one_row(tmp_path: Path, toy: Graph, batch: int, threads: int) -> None:
    seen: list[int] = []
    with new(tmp_path / "run") as run:
        progress = answer_all(
            run,
            ((q, toy) for q in QUESTIONS),
            echo,
            batch=batch,
            threads=threads,
            on_progress=lambda p: seen.append(p.done),
        )
    assert progress.done == len(QUESTIONS) == seen[-1]
    assert [a.question for a in Run.open(tmp_path / "run").answers()] == QUESTIONS


@pytest.mark.parametrize("threads", [1, 3])
def test_one_bad_question_costs_one_row(tmp_path: Path, toy: Graph, threads: int) -> None:
    with new(tmp_path / "run") as run:
        answer_all(run, ((q, toy) for q in QUESTIONS), bad_at("q3", "q17"), batch=8, threads=threads)  # type: ignore[arg-type]
        assert run.errors() == {
            "q3": {"type": "InputError", "message": "cannot read q3"},
            "q17": {"type": "InputError", "message": "cannot read q17"},
        }
        assert len(run.answered()) == 21
    with new(tmp_path / "run", resume=True) as run:
        progress = answer_all(run, ((q, toy) for q in QUESTIONS), echo)
        assert (progress.done, run.errors()) == (2, {})


def test_it_stops_after_max_failures_and_keeps_the_rows(tmp_path: Path, toy: Graph) -> None:
    with new(tmp_path / "run") as run:
        with pytest.raises(RunStoppedError, match=r"after 2 failed questions.*cannot read q3"):
            answer_all(run, ((q, toy) for q in QUESTIONS), bad_at("q1", "q3", "q5"), batch=1, max_failures=2)  # type: ignore[arg-type]
        assert run.row_count() == 4


def test_an_error_that_all_questions_share_is_no_row(tmp_path: Path, toy: Graph) -> None:
    calls = []

    def out_of_money(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        calls.append(len(questions))
        if len(calls) > 2:
            raise BudgetError("spent 1.00 of 1.00")
        return echo(questions, graph)

    with new(tmp_path / "run") as run:
        with pytest.raises(BudgetError):
            answer_all(run, ((q, toy) for q in QUESTIONS), out_of_money, batch=4)
        assert (run.row_count(), run.errors()) == (8, {})


def test_what_a_method_must_not_return_becomes_a_row(tmp_path: Path, toy: Graph) -> None:
    def strange(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        answers = echo(questions, graph)
        if questions[0].id == "q0":
            return answers[1:]
        if questions[0].id == "q1":
            return [Answer(questions[0], "echo", (Candidate("x", float("nan")),))]
        if questions[0].id == "q2":
            return [Answer(QUESTIONS[5], "echo")]
        return answers

    with new(tmp_path / "run") as run:
        answer_all(run, ((q, toy) for q in QUESTIONS), strange, batch=1)
        errors = run.errors()
    assert sorted(errors) == ["q0", "q1", "q2"]
    assert {e["type"] for e in errors.values()} == {"ValueError"}
    assert "traceback" in errors["q0"]


def test_questions_with_their_own_graphs_are_not_batched_together(tmp_path: Path, toy: Graph) -> None:
    other = Graph.from_triples([("a", "b", "c")])
    sizes = []

    def count(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        sizes.append((graph.name, len(questions)))
        return echo(questions, graph)

    with new(tmp_path / "run") as run:
        answer_all(run, ((q, other if i == 2 else toy) for i, q in enumerate(QUESTIONS)), count, batch=16)
    assert sizes == [(toy.name, 2), (other.name, 1), (toy.name, 16), (toy.name, 4)]


def test_threads_overlap(tmp_path: Path, toy: Graph) -> None:
    meeting = threading.Barrier(3, timeout=20)

    def together(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        meeting.wait()
        return echo(questions, graph)

    with Run.create(tmp_path / "run", {}, [Example(q, Gold(())) for q in QUESTIONS[:6]], session={}) as run:
        progress: RunProgress = answer_all(run, ((q, toy) for q in QUESTIONS[:6]), together, batch=1, threads=3)
    assert progress.failed == 0


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (4, 1), (1, 4), (3, 3)])
def test_answers_that_were_paid_for_outlive_the_budget(toy: Graph, tmp_path: Path, batch: int, threads: int) -> None:
    paid: list[str] = []
    lock = threading.Lock()

    def predict(questions: Sequence[Question], graph: GraphStore) -> list[Answer]:
        answers = []
        for question in questions:
            with lock:
                if question.id not in paid:  # what was paid for is in the cache
                    if len(paid) >= 7:
                        raise BudgetError("used up")
                    paid.append(question.id)
            time.sleep(0.005)
            answers.append(Answer(question, "m"))
        return answers

    examples = [Example(Question(f"q{i}", "?"), Gold(())) for i in range(30)]
    with Run.create(tmp_path / "run", {}, examples, session={}) as run:
        with pytest.raises(BudgetError):
            answer_all(run, [(e.question, toy) for e in examples], predict, batch=batch, threads=threads)
        assert len(paid) == 7
        assert run.answered() == set(paid)
