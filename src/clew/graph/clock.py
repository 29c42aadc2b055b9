"""How long the stages of a build take, and how far it is.

Apart from `build` because it knows nothing of graphs.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from clew.graph.inputs import ImportProgress

OnProgress = Callable[[ImportProgress], None]

SHARES = {"read": (0.0, 0.5), "sort": (0.5, 0.62), "names": (0.62, 0.96), "write": (0.96, 1.0)}  # of a build's time
LARGE = 1_000_000  # triples from which on the steps within a stage are told


class Clock:
    """Seconds by stage, and telling how far the build is."""

    def __init__(self, tell: OnProgress | None, bytes_total: int) -> None:
        self.seconds: dict[str, float] = {}
        self.bytes, self.triples = 0, 0
        self._tell, self._total = tell, bytes_total
        self._start = self._last = self._told = time.perf_counter()
        self._stage = "read"

    def began(self, stage: str, *, report: bool = True) -> None:
        self._stage = stage
        if report:
            self._report(0.0)

    def ended(self, stage: str) -> None:
        now = time.perf_counter()
        self.seconds[stage], self._last = now - self._last, now

    def read(self, position: int) -> None:
        """So many bytes of the input were read."""
        self.bytes = position
        self._report(position / self._total if self._total else 0.0)

    def part(self, since: float) -> Callable[[float], None]:
        """Told how much of a step is done that begins at a share of the stage; small builds are silent."""

        def told(done: float) -> None:
            if self.triples > LARGE and time.perf_counter() - self._told > 1:
                self._report(since + (1 - since) * done)

        return told

    def _report(self, done: float) -> None:
        self._told = time.perf_counter()
        if self._tell is not None:
            low, high = SHARES[self._stage]
            share = low + (high - low) * min(done, 1.0)
            seconds = self._told - self._start
            self._tell(ImportProgress(self._stage, self.bytes, self._total, self.triples, seconds, share))
