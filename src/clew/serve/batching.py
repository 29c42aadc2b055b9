"""Questions that wait together are answered together, and nobody works for a client that has left.

Kept apart because it knows neither HTTP nor graphs: a `Desk` is one opened method with its queue and its threads. A
batch is whatever has arrived while the last one was being answered, so that an idle process answers at once and a busy
one shares the work of linking, encoding and searching.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from time import perf_counter
from typing import Any

from clew.errors import ClewError, UnavailableError
from clew.protocols import GraphStore, LanguageModel, LLMReply, LLMRequest, OnEvent
from clew.types import Answer, Event, Question

log = logging.getLogger("clew.serve")

Predict = Callable[..., list[Answer]]
GATHER_S = 0.002  # a batch that follows a shared one waits so long for those who were answered with it

_working = threading.local()


class GoneError(Exception):
    """Everybody who asked has left; raised inside a method to end its work."""


class BusyError(UnavailableError):
    """Too many questions are waiting."""


class ClosedError(BusyError):
    """The desk takes no more questions: its graph was replaced, or the process is stopping."""


class BatchedQuestion:
    """One question on its way through a desk."""

    def __init__(self, question: Question, on_event: OnEvent) -> None:
        self.question, self.on_event = question, on_event
        self.answer: Future[Answer] = Future()
        self.gone = False
        self.batch = 0  # how many questions shared the batch
        self.waited_s = 0.0
        self._asked = perf_counter()

    def leave(self) -> None:
        """The asker has left: what is queued is dropped, what is under way ends at the next stage."""
        self.gone = True
        self.answer.cancel()

    def start(self, batch: int) -> None:
        self.batch, self.waited_s = batch, perf_counter() - self._asked

    def settle(self, answer: Answer | None, error: BaseException | None = None) -> None:
        if self.answer.set_running_or_notify_cancel():
            if error is not None:
                self.answer.set_exception(error)
            elif answer is not None:
                self.answer.set_result(answer)


class Desk:
    """One opened method over one graph: a queue, and threads that answer what is in it.

    Args:
        predict: of the method.
        batch: most questions at once.
        threads: more than one only for a method that waits for a language model.
        most: questions that may wait.
    """

    def __init__(self, predict: Predict, graph: GraphStore, *, batch: int, threads: int, most: int) -> None:
        self._predict, self._graph = predict, graph
        self._batch, self._most = batch, most
        self._queue: deque[BatchedQuestion] = deque()
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"clew-desk-{i}", daemon=True) for i in range(threads)
        ]
        for thread in self._threads:
            thread.start()

    def ask(self, question: Question, on_event: OnEvent) -> BatchedQuestion:
        """Queue a question. Raises BusyError when too many wait, ClosedError when none are taken any more."""
        asking = BatchedQuestion(question, on_event)
        with self._changed:
            if self._closed:
                raise ClosedError("the service is stopping; ask again in a moment")
            if len(self._queue) >= self._most:
                raise BusyError(f"{len(self._queue)} questions are waiting already; ask again in a moment")
            self._queue.append(asking)
            self._changed.notify()
        return asking

    def close(self) -> None:
        """Take no more questions; those that are queued are still answered."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def join(self, timeout_s: float) -> None:
        for thread in self._threads:
            thread.join(timeout_s)

    def _work(self) -> None:
        shared = 1
        while True:
            taken = self._take(shared)
            if taken is None:
                return
            shared = len(taken)
            if taken:
                self._answer(taken)

    def _take(self, shared: int) -> list[BatchedQuestion] | None:
        """The next batch; None when the desk is closed and its queue empty."""
        with self._changed:
            while not self._queue:
                if self._closed:
                    return None
                self._changed.wait()
            if shared > 1 and len(self._queue) < min(shared, self._batch):
                self._changed.wait_for(lambda: len(self._queue) >= min(shared, self._batch), GATHER_S)
            taken = [self._queue.popleft() for _ in range(min(self._batch, len(self._queue)))]
        return [asking for asking in taken if not asking.gone]

    def _answer(self, batch: Sequence[BatchedQuestion]) -> None:
        for asking in batch:
            asking.start(len(batch))

        def listen(event: Event) -> None:
            if all(asking.gone for asking in batch):
                raise GoneError
            if len(batch) == 1:  # of a shared batch nobody may hear what the others asked
                batch[0].on_event(event)

        _working.batch = batch
        try:
            answers = self._predict([asking.question for asking in batch], self._graph, on_event=listen)
            for asking, answer in zip(batch, answers, strict=True):
                asking.settle(answer)
        except GoneError:
            return
        except Exception as error:
            if len(batch) > 1:  # one question's fault must not be the others'
                for asking in batch:
                    if not asking.gone:
                        self._answer([asking])
                return
            if not isinstance(error, ClewError):
                log.exception("a method failed", exc_info=error)
            batch[0].settle(None, error)
        finally:
            _working.batch = ()


class Stoppable:
    """A language model that is not called on behalf of clients who have left."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        batch: Sequence[BatchedQuestion] = getattr(_working, "batch", ())
        if batch and all(asking.gone for asking in batch):
            raise GoneError
        return self._model.generate(requests)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)
