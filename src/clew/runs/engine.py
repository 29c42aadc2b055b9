"""Answers many questions into a run: batches or threads, a row per question, failures as rows.

Separate from the folder so that another engine (`ray_engine`) can fill the same folder with the same rows. A
question that waits for a reply in batch files gets no row. An error that every question would meet (a missing extra, an
exhausted budget, an impossible setting) ends the run at once, after what was finished (and paid for) is kept; any other
becomes the row of the question that met it.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from clew.errors import (
    BudgetError,
    ClewError,
    ConfigError,
    MissingExtraError,
    ReplyPendingError,
    RunStoppedError,
    UnsupportedError,
)
from clew.protocols import GraphStore
from clew.runs.folder import Run, RunRow
from clew.types import Answer, Question

Predict = Callable[[Sequence[Question], GraphStore], list[Answer]]
Item = tuple[Question, GraphStore]
FATAL = (BudgetError, ConfigError, MissingExtraError, UnsupportedError)


@dataclass(slots=True)
class RunProgress:
    """How far a run is. `failed` counts this session's failures."""

    done: int = 0
    failed: int = 0
    total: int | None = None
    started: float = field(default_factory=time.monotonic)
    last_error: str = ""

    @property
    def rate(self) -> float:
        """Questions per second of this session."""
        return self.done / max(time.monotonic() - self.started, 1e-9)


def answer_all(
    run: Run,
    items: Iterable[Item],
    predict: Predict,
    *,
    batch: int = 16,
    threads: int = 1,
    max_failures: int = 20,
    on_progress: Callable[[RunProgress], None] | None = None,
    total: int | None = None,
) -> RunProgress:
    """Answer every item that has no answer in `run` yet.

    Args:
        items: each question with the graph to ask; read lazily, so a set with one graph per question fits in memory.
        batch: questions handed to `predict` together; only neighbours in order that share a graph are.
        threads: calls of `predict` at once; more than one is for methods that wait for a language model.
        max_failures: stop once so many questions failed in this session; 0 means never.
        total: number of items without an answer, where known.

    Raises:
        RunStoppedError: after `max_failures` failures; every row so far is kept.
        ClewError: one that every question would meet.
    """
    keeper = Keeper(run, max_failures, on_progress, total)
    finished = run.answered()
    waiting = (item for item in items if item[0].id not in finished)
    for rows, fatal in _rows(chunks(waiting, batch), predict, threads):
        keeper.keep(rows)
        if fatal is not None:
            raise fatal
    return keeper.progress


class Keeper:
    """Puts finished rows on disk, counts them, and says when too many have failed."""

    def __init__(
        self, run: Run, max_failures: int, on_progress: Callable[[RunProgress], None] | None, total: int | None
    ) -> None:
        self.run, self.max_failures, self.on_progress = run, max_failures, on_progress
        self.progress = RunProgress(total=total)

    def keep(self, rows: list[RunRow]) -> None:
        """Raises RunStoppedError once `max_failures` questions have failed."""
        self.run.append(rows)
        progress = self.progress
        progress.done += len(rows)
        failures = [row.error["message"] for row in rows if row.error is not None]
        progress.failed += len(failures)
        if failures:
            progress.last_error = failures[-1]
        if self.on_progress is not None:
            self.on_progress(progress)
        if self.max_failures and progress.failed >= self.max_failures:
            raise RunStoppedError(
                f"run {self.run.folder}: stopped after {progress.failed} failed questions "
                f"(run.max_failures = {self.max_failures}); the last: {progress.last_error}; "
                "correct the cause and go on with --resume"
            )


Outcome = tuple[list[RunRow], ClewError | None]
"""The rows of a chunk, and the error that must end the run, which may have come after some of them."""


def _rows(work: Iterator[list[Item]], predict: Predict, threads: int) -> Iterator[Outcome]:
    """The outcomes of all chunks as they come; a fatal error last, once what was under way has ended."""
    if threads <= 1:
        for chunk in work:
            yield answer_chunk(chunk, predict)
        return
    pool = ThreadPoolExecutor(threads, thread_name_prefix="clew-run")
    running: set[Future[Outcome]] = set()
    fatal: ClewError | None = None
    try:
        for chunk in work:
            running.add(pool.submit(answer_chunk, chunk, predict))
            if len(running) < 2 * threads:
                continue
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for rows, error in [future.result() for future in done]:
                fatal = fatal or error
                yield rows, None
            if fatal is not None:
                break
        while running:
            if fatal is not None:  # what has not begun never will
                running = {future for future in running if not future.cancel()}
            done, running = wait(running, return_when=FIRST_COMPLETED) if running else (set(), running)
            for rows, error in [future.result() for future in done]:
                fatal = fatal or error
                yield rows, None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
    if fatal is not None:
        yield [], fatal


def answer_chunk(chunk: Sequence[Item], predict: Predict) -> Outcome:
    """One row per item. When the chunk fails as a whole, each question is asked alone: one bad one costs one row.

    An error that ends the run comes with the rows that were finished before it.
    """
    try:
        return _checked(chunk, predict), None
    except ReplyPendingError:  # no row yet; the other questions of the chunk may be further on
        return _one_by_one(chunk, predict) if len(chunk) > 1 else ([], None)
    except FATAL as error:
        if len(chunk) > 1 and isinstance(error, BudgetError):  # some of them still fit, or were paid for and are cached
            return _one_by_one(chunk, predict)
        return [], error
    except Exception as error:  # noqa: BLE001 - the boundary at which any failure of a method becomes a row
        if len(chunk) > 1:
            return _one_by_one(chunk, predict)
        return [RunRow(chunk[0][0].id, error=_described(error))], None


def _one_by_one(chunk: Sequence[Item], predict: Predict) -> Outcome:
    rows: list[RunRow] = []
    for item in chunk:
        found, fatal = answer_chunk([item], predict)
        rows += found
        if fatal is not None:
            return rows, fatal
    return rows, None


def _checked(chunk: Sequence[Item], predict: Predict) -> list[RunRow]:
    questions = [question for question, _ in chunk]
    answers = predict(questions, chunk[0][1])
    ids, asked = [answer.question.id for answer in answers], [question.id for question in questions]
    if ids != asked:
        raise ValueError(f"the method answered questions {ids[:5]}, asked were {asked[:5]}")
    rows = [RunRow(answer.question.id, answer) for answer in answers]
    for row in rows:
        row.to_line()
    return rows


def _described(error: Exception) -> dict[str, str]:
    described = {"type": type(error).__name__, "message": str(error) or repr(error)}
    if not isinstance(error, ClewError):
        described["traceback"] = "".join(traceback.format_exception(error)[-6:])
    return described


def chunks(items: Iterable[Item], batch: int) -> Iterator[list[Item]]:
    """Neighbours in order that share a graph, at most `batch` together."""
    chunk: list[Item] = []
    for item in items:
        if chunk and (len(chunk) >= batch or chunk[0][1] is not item[1]):
            yield chunk
            chunk = []
        chunk.append(item)
    if chunk:
        yield chunk
