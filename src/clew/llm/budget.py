"""What calls cost, and the limits at which they stop.

Before a call its worst case (a call, the estimated prompt plus `max_tokens`, their price) is reserved; afterwards what
was really used replaces the reservation. A call is one request to a server: a retry, a probe, a repair and a call that
failed are calls as well. Where a server does not say what it used, or says what cannot be, the worst case stands and is
marked as an estimate. So a limit is passed at most by the requests under way, and by no more than an estimate was off.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from clew.errors import BudgetError
from clew.llm.ability import estimate_tokens
from clew.llm.settings import Budget, Price
from clew.protocols import LLMReply, LLMRequest
from clew.types import Usage

STEEPEST = 16.0  # estimates grow at most so far when a server turns out to count more


def estimate_prompt(request: LLMRequest) -> int:
    """A cautious guess of the tokens of a request's messages, with what a chat template adds."""
    return sum(estimate_tokens(message.content) + 8 for message in request.messages)


class BudgetExhausted(BudgetError):
    """A budget is used up. `partial` holds the replies of the batch that were finished, `None` for the rest."""

    def __init__(self, message: str, partial: Sequence[LLMReply | None] = ()) -> None:
        super().__init__(message)
        self.partial: tuple[LLMReply | None, ...] = tuple(partial)


@dataclass(frozen=True, slots=True, eq=False)
class Reservation:
    """The worst case of calls made together: what they are booked with when nobody can say what they used."""

    worst: Usage

    @property
    def tokens(self) -> int:
        return self.worst.prompt_tokens + self.worst.completion_tokens


class Meter:
    """Counts usage and money; thread-safe."""

    def __init__(
        self, budget: Budget | None = None, price: Price | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._budget, self._price, self._clock = budget or Budget(), price or Price(), clock
        self._start = clock()
        self._spent = Usage()
        self._reserved: list[Reservation] = []
        self._steepness = 1.0  # tokens that were used, over those reserved, where they were more
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

    def seconds_left(self) -> float:
        """Until the budget of seconds is used up; without end where there is none."""
        return self._budget.seconds - (self._clock() - self._start) if self._budget.seconds else math.inf

    def out_of_time(self) -> BudgetExhausted:
        """What to raise when waiting on would pass the budget of seconds."""
        return BudgetExhausted(
            f"language model budget: {self._clock() - self._start:.1f} of {self._budget.seconds:g} seconds used; "
            "raise language_model.budget.seconds to go on"
        )

    def reserve(self, requests: Sequence[LLMRequest]) -> Reservation:
        """Claim the worst case of calls made together; waits while only calls under way stand in their way.

        Raises:
            BudgetExhausted: the call could overrun a limit even if everything under way were free.
        """
        with self._changed:
            while True:
                worst = self._worst(requests)
                self._check(self._spent, Usage(), worst)  # hopeless: raises
                if self._fits(worst):
                    reservation = Reservation(worst)
                    self._reserved.append(reservation)
                    return reservation
                self._changed.wait(timeout=0.5)

    def settle(self, reservation: Reservation, usage: Usage | None) -> Usage:
        """Replace a reservation by what was really used, priced; None for calls that were never made."""
        used = Usage() if usage is None else self.priced(usage)
        with self._changed:
            self._reserved.remove(reservation)
            self._spent += used
            tokens = used.prompt_tokens + used.completion_tokens
            if tokens > reservation.tokens > 0:
                self._steepness = min(STEEPEST, max(self._steepness, self._steepness * tokens / reservation.tokens))
            self._changed.notify_all()
        return used

    def hit(self, usage: Usage) -> None:
        """Count what came from the cache."""
        with self._changed:
            self._spent += usage

    def _worst(self, requests: Sequence[LLMRequest]) -> Usage:
        prompt = sum(map(estimate_prompt, requests))
        completion = sum(request.max_tokens * request.n for request in requests)
        calls, steep = len(requests), self._steepness
        return self.priced(Usage(calls, 0, int(prompt * steep), int(completion * steep), 0.0, calls))

    def _fits(self, need: Usage) -> bool:
        try:
            self._check(self._spent, sum((r.worst for r in self._reserved), Usage()), need)
        except BudgetExhausted:
            return False
        return True

    def _check(self, spent: Usage, reserved: Usage, need: Usage) -> None:
        budget, used = self._budget, spent + reserved
        rows: Mapping[str, tuple[float, float, float]] = {
            "calls": (budget.calls, used.calls, need.calls),
            "tokens": (
                budget.tokens,
                used.prompt_tokens + used.completion_tokens,
                need.prompt_tokens + need.completion_tokens,
            ),
            "cost": (budget.cost, used.cost, need.cost),
        }
        for what, (limit, taken, wanted) in rows.items():
            if limit and taken + wanted > limit:
                guessed = f" ({spent.estimated_calls} calls by estimate)" if spent.estimated_calls else ""
                raise BudgetExhausted(
                    f"language model budget: {taken:g} of {limit:g} {what} used{guessed}, and the next step may take "
                    f"{wanted:g}; raise language_model.budget.{what} to go on"
                )
        if self.seconds_left() <= 0:
            raise self.out_of_time()
