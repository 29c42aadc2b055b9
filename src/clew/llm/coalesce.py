"""Callers in many threads, one worker that likes batches.

Kept apart from the local model because it knows nothing of models: jobs go in from any thread, a single worker thread
takes those that fit together, and each caller gets its own results back, or its own error.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import Future
from typing import Generic, TypeVar

Job = TypeVar("Job")
Result = TypeVar("Result")


class Coalescer(Generic[Job, Result]):
    """Runs `work` on batches of jobs of the same `kind`, of similar `length`, of at most `limit` rows together.

    The oldest job is always part of the next batch, so none waits for ever. A batch that is not full waits for company
    until nothing has arrived for `window_s`, at most ten times as long.
    """

    def __init__(
        self,
        work: Callable[[list[Job]], list[Result]],
        *,
        limit: int,
        kind: Callable[[Job], Hashable],
        length: Callable[[Job], int],
        rows: Callable[[Job], int],
        window_s: float = 0.005,
    ) -> None:
        self._work, self._limit, self._window_s = work, limit, window_s
        self._kind, self._length, self._rows = kind, length, rows
        self._waiting: list[tuple[Job, Future[Result]]] = []
        self._arrived = threading.Condition()
        self._thread: threading.Thread | None = None
        self._closed = False
        self.batches = 0  # how often the worker ran

    def run(self, jobs: Sequence[Job]) -> list[Result]:
        """The result of each job, in order; raises the first error among them once all are done."""
        futures: list[Future[Result]] = [Future() for _ in jobs]
        with self._arrived:
            if self._closed:
                raise RuntimeError("this worker is closed")
            if self._thread is None:
                self._thread = threading.Thread(target=self._loop, name="clew-batches", daemon=True)
                self._thread.start()
            self._waiting.extend(zip(jobs, futures, strict=True))
            self._arrived.notify_all()
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:
            raise errors[0]
        return [future.result() for future in futures]

    def close(self) -> None:
        """Let the worker finish what is waiting, and end it."""
        with self._arrived:
            self._closed = True
            self._arrived.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _loop(self) -> None:
        while True:
            with self._arrived:
                while not self._waiting and not self._closed:
                    self._arrived.wait()
                if not self._waiting:
                    return
                self._wait_for_company()
                batch = self._take()
            self._serve(batch)

    def _wait_for_company(self) -> None:
        last = time.monotonic() + 10 * self._window_s
        seen = -1
        while len(self._waiting) > seen and not self._closed:
            seen = len(self._waiting)
            left = min(self._window_s, last - time.monotonic())
            if left <= 0 or sum(self._rows(job) for job, _ in self._waiting) >= self._limit:
                return
            self._arrived.wait(left)

    def _take(self) -> list[tuple[Job, Future[Result]]]:
        """The oldest job and those of its kind whose length is nearest to its own."""
        oldest = self._waiting[0][0]
        kind, length = self._kind(oldest), self._length(oldest)
        near = sorted(
            (i for i, (job, _) in enumerate(self._waiting) if i == 0 or self._kind(job) == kind),
            key=lambda i: (i != 0, abs(self._length(self._waiting[i][0]) - length)),
        )
        chosen: list[int] = []
        rows = 0
        for i in near:
            rows += self._rows(self._waiting[i][0])
            if chosen and rows > self._limit:
                break
            chosen.append(i)
        batch = [self._waiting[i] for i in sorted(chosen)]
        taken = set(chosen)
        self._waiting = [item for i, item in enumerate(self._waiting) if i not in taken]
        return batch

    def _serve(self, batch: list[tuple[Job, Future[Result]]]) -> None:
        self.batches += 1
        try:
            results = self._work([job for job, _ in batch])
        except BaseException as error:  # noqa: BLE001  handed to the callers: a dead worker would hang them
            for _, future in batch:
                future.set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            future.set_result(result)
