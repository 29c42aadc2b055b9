"""A language model whose calls are metered: cache first, then budget, then the call, then the log.

Wraps any backend, so that neither backends nor methods know of money or files.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import replace
from typing import Any

from clew.errors import ClewError, UnsupportedError
from clew.llm.ability import Learns, Lists, Streams, room, token_counter
from clew.llm.budget import BudgetExhausted, Meter
from clew.llm.cache import ReplyCache, request_key
from clew.protocols import Ability, LanguageModel, LLMReply, LLMRequest, Message
from clew.secrecy import redact
from clew.types import Usage


class MeteredModel:
    """`model` with a meter and, where given, a cache.

    `concurrency` bounds how many groups run at once, `group` how many requests are handed to the model together (one
    for a server, a batch for a model in process). A model that `books_itself` was given the meter and counts every
    request it makes; any other is one call per request.
    """

    def __init__(
        self,
        model: LanguageModel,
        *,
        meter: Meter,
        cache: ReplyCache | None = None,
        concurrency: int = 1,
        group: int = 1,
        books_itself: bool = False,
    ) -> None:
        self.backend, self._meter, self.cache = model, meter, cache
        self._concurrency, self._group, self._books_itself = concurrency, group, books_itself
        self._remembered: dict[str, Any] = {}
        if cache is not None and isinstance(model, Learns):
            self._remembered = cache.findings(model.name)
            model.remember(self._remembered)

    @property
    def name(self) -> str:
        return self.backend.name

    @property
    def abilities(self) -> frozenset[Ability]:
        return self.backend.abilities

    @property
    def usage(self) -> Usage:
        """Everything spent since the model was opened; cached calls are counted apart and cost nothing."""
        return self._meter.usage

    def generate(self, requests: Sequence[LLMRequest]) -> list[LLMReply]:
        """One reply per request, in order; equal requests of a batch are asked once when there is a cache.

        Raises:
            BudgetExhausted: before the first call that could overrun; `partial` holds what was finished.
        """
        replies: list[LLMReply | None] = [None] * len(requests)
        keys = [None if self.cache is None else request_key(self.name, request) for request in requests]
        first: dict[str, int] = {}  # key → position of the request that asks for it
        open_: list[int] = []
        for i, key in enumerate(keys):
            if key is not None and key in first:
                continue
            replies[i] = self._cached(key)
            if key is not None:
                first[key] = i
            if replies[i] is None:
                open_.append(i)
        groups = [open_[at : at + self._group] for at in range(0, len(open_), self._group)]
        failure: ClewError | None = None
        if len(groups) == 1 or self._concurrency == 1:
            for group in groups:
                try:
                    self._run(group, requests, keys, replies)
                except ClewError as error:
                    failure = error
                    break
        elif groups:
            failure = self._run_all(groups, requests, keys, replies)
        for i, key in enumerate(keys):  # repeats of a request that was answered just now
            if (
                replies[i] is None
                and key is not None
                and first[key] != i
                and (earlier := replies[first[key]]) is not None
            ):
                hit = Usage(cached_calls=1)
                self._meter.hit(hit)
                replies[i] = replace(earlier, usage=hit)
        if isinstance(failure, BudgetExhausted):
            raise BudgetExhausted(str(failure), replies)
        if failure is not None:
            raise failure
        self._keep_findings()
        return [reply for reply in replies if reply is not None]

    def count_tokens(self, text: str) -> int:
        """How many tokens a text takes; an estimate where the tokenizer is at a server."""
        return token_counter(self.backend)(text)

    def room(self, messages: Sequence[Message]) -> float:
        """How many tokens a reply to `messages` may have; without end where the backend does not say."""
        return room(self.backend, messages)

    def models(self) -> list[str]:
        """Names of the models that the backend's server offers; empty where there is none to ask."""
        return self.backend.models() if isinstance(self.backend, Lists) else []

    def stream(self, request: LLMRequest) -> Iterator[str]:
        """The pieces of one text; budgeted by its worst case, never cached."""
        if not isinstance(self.backend, Streams):
            raise UnsupportedError(f"{self.name} cannot stream")
        if self._books_itself:
            yield from self.backend.stream(request)
            return
        reservation = self._meter.reserve([request])
        pieces = 0
        try:
            for piece in self.backend.stream(request):
                pieces += 1
                yield piece
        finally:  # a piece is about a token
            self._meter.settle(reservation, Usage(1, 0, reservation.worst.prompt_tokens, pieces, 0.0, 1))

    def _run_all(
        self,
        groups: list[list[int]],
        requests: Sequence[LLMRequest],
        keys: Sequence[str | None],
        replies: list[LLMReply | None],
    ) -> ClewError | None:
        """Run groups side by side. The first failure stops what has not begun; what is under way is waited for."""
        failure: ClewError | None = None
        with ThreadPoolExecutor(min(self._concurrency, len(groups))) as pool:
            futures: list[Future[None]] = [pool.submit(self._run, g, requests, keys, replies) for g in groups]
            for future in as_completed(futures):
                if future.cancelled():
                    continue
                error = future.exception()
                if error is None:
                    continue
                for other in futures:
                    other.cancel()
                if not isinstance(error, ClewError):
                    raise error
                failure = failure or error
        return failure

    def _cached(self, key: str | None) -> LLMReply | None:
        reply = None if key is None or self.cache is None else self.cache.get(key)
        if reply is not None and self.cache is not None:
            self._meter.hit(reply.usage)
            self.cache.log(self.name, key, 0.0, reply.usage)
        return reply

    def _run(
        self,
        group: Sequence[int],
        requests: Sequence[LLMRequest],
        keys: Sequence[str | None],
        replies: list[LLMReply | None],
    ) -> None:
        """Ask for one group and book the result."""
        asked = [requests[i] for i in group]
        begun = time.monotonic()
        try:
            found = self.backend.generate(asked) if self._books_itself else self._booked(asked)
        except BudgetExhausted:
            if len(group) == 1:
                raise
            for i in group:  # together they could overrun; one by one some still fit
                self._run([i], requests, keys, replies)
            return
        except ClewError as error:
            if self.cache is not None:
                for i in group:
                    self.cache.log(self.name, keys[i], time.monotonic() - begun, Usage(), redact(str(error)))
            raise
        seconds = (time.monotonic() - begun) / len(group)
        for i, reply in zip(group, found, strict=True):
            replies[i] = reply
            if self.cache is not None:
                if (key := keys[i]) is not None:
                    self.cache.put(key, self.name, requests[i], reply)
                self.cache.log(self.name, keys[i], seconds, reply.usage)

    def _booked(self, asked: list[LLMRequest]) -> list[LLMReply]:
        """One reply per request, reserved before and booked after; a call that fails is a call."""
        reservation = self._meter.reserve(asked)
        spent = replace(reservation.worst, completion_tokens=0)
        try:
            found = [replace(r, usage=self._meter.priced(r.usage)) for r in self.backend.generate(asked)]
            spent = sum((reply.usage for reply in found), Usage())
        finally:
            self._meter.settle(reservation, spent)
        return found

    def _keep_findings(self) -> None:
        if self.cache is not None and isinstance(self.backend, Learns):
            findings = self.backend.findings()
            if findings != self._remembered and findings:
                self.cache.remember(self.name, findings)
                self._remembered = findings


def backend_of(model: LanguageModel) -> LanguageModel:
    """The model itself, without its accounts: for training, which needs its weights."""
    return model.backend if isinstance(model, MeteredModel) else model
