"""What calls cost, and the limits at which they stop.

Before a call its worst case (a call, the estimated prompt plus `max_tokens`, their price) is reserved; afterwards the
real usage replaces the reservation. So a budget is not overrun by calls that are under way at the same time. What stays
inexact: the estimate of the prompt's length, and follow-up calls of a backend (a repair of broken JSON, a server that
ignores `n`), which are booked when they are done.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.errors import BudgetError
from clew.llm.settings import Budget, Price
from clew.protocols import LanguageModel, LLMReply, LLMRequest
from clew.types import Usage

CHARS_PER_TOKEN = 3.0  # low on purpose: English has about four


def estimate_tokens(text: str) -> int:
    """A cautious guess of how many tokens `text` takes, for models whose tokenizer is elsewhere."""
    return int(len(text) / CHARS_PER_TOKEN) + 1


def token_counter(model: LanguageModel) -> Callable[[str], int]:
    """How to count the tokens of a text for `model`: its own tokenizer where it has one here, else an estimate."""
    count: Callable[[str], int] = getattr(model, "count_tokens", estimate_tokens)
    return count


class BudgetExhausted(BudgetError):
    """A budget is used up. `partial` holds the replies of the batch that were finished, `None` for the rest."""

    def __init__(self, message: str, partial: Sequence[LLMReply | None] = ()) -> None:
        super().__init__(message)
        self.partial: tuple[LLMReply | None, ...] = tuple(partial)


@dataclass(frozen=True, slots=True)
class Reservation:
    """The worst case of calls made together."""

    calls: int
    tokens: int
    cost: float


class Meter:
    """Counts usage and money; thread-safe."""

    def __init__(self, budget: Budget, price: Price | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._budget, self._price, self._clock = budget, price or Price(), clock
        self._start = clock()
        self._spent = Usage()
        self._reserved: list[Reservation] = []
        self._changed = threading.Condition()

    @property
    def usage(self) -> Usage:
        """Everything spent so far."""
        with self._changed:
            return self._spent

    def priced(self, usage: Usage) -> Usage:
        """`usage` with its cost filled in from the prices."""
        cost = (usage.prompt_tokens * self._price.prompt + usage.completion_tokens * self._price.completion) / 1e6
        return replace(usage, cost=cost)

    def reserve(self, requests: Sequence[LLMRequest]) -> Reservation:
        """Claim the worst case of calls made together; waits while only calls under way stand in their way.

        Raises:
            BudgetExhausted: the call could overrun a limit even if everything under way were free.
        """
        worst = [self._worst(request) for request in requests]
        need = Reservation(len(worst), sum(w.tokens for w in worst), sum(w.cost for w in worst))
        with self._changed:
            while True:
                self._check(self._spent, [], need)  # hopeless: raises
                if self._fits(need):
                    self._reserved.append(need)
                    return need
                self._changed.wait(timeout=0.5)

    def settle(self, reservation: Reservation, usage: Usage | None) -> None:
        """Replace a reservation by what was really used; `None` for calls that failed."""
        with self._changed:
            self._reserved.remove(reservation)
            if usage is not None:
                self._spent += usage
            self._changed.notify_all()

    def hit(self, usage: Usage) -> None:
        """Count what came from the cache."""
        with self._changed:
            self._spent += usage

    def _worst(self, request: LLMRequest) -> Reservation:
        prompt = int(sum(len(m.content) / CHARS_PER_TOKEN + 8 for m in request.messages))
        completion = request.max_tokens * request.n
        usage = self.priced(Usage(1, 0, prompt, completion))
        return Reservation(1, prompt + completion, usage.cost)

    def _fits(self, need: Reservation) -> bool:
        try:
            self._check(self._spent, self._reserved, need)
        except BudgetExhausted:
            return False
        return True

    def _check(self, spent: Usage, reserved: Sequence[Reservation], need: Reservation) -> None:
        budget = self._budget
        tokens = spent.prompt_tokens + spent.completion_tokens
        rows: Mapping[str, tuple[float, float, float]] = {
            "calls": (budget.calls, spent.calls + sum(r.calls for r in reserved), need.calls),
            "tokens": (budget.tokens, tokens + sum(r.tokens for r in reserved), need.tokens),
            "cost": (budget.cost, spent.cost + sum(r.cost for r in reserved), need.cost),
        }
        for what, (limit, used, wanted) in rows.items():
            if limit and used + wanted > limit:
                raise BudgetExhausted(
                    f"language model budget: {used:g} of {limit:g} {what} used, and the next step may take {wanted:g}; "
                    f"raise language_model.budget.{what} to go on"
                )
        elapsed = self._clock() - self._start
        if budget.seconds and elapsed >= budget.seconds:
            raise BudgetExhausted(
                f"language model budget: {elapsed:.0f} of {budget.seconds:g} seconds used; "
                "raise language_model.budget.seconds to go on"
            )
