"""A training as a list of stages: each is told, timed, and hands what it made to the next as a value.

Separate from the loop because a stage may just as well mine paths or write files; only some of them train a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import ParamSpec, TypeVar

from clew.errors import MissingExtraError
from clew.protocols import OnEvent
from clew.types import Event

P = ParamSpec("P")
T = TypeVar("T")


class TrainingStages:
    """The stages of one training, run one after the other.

    Args:
        count: how many there are. needs: packages that must be importable.

    Raises MissingExtraError at once when a package is not installed, and not after hours of mining.
    """

    def __init__(self, count: int, on_event: OnEvent, needs: Sequence[str] = ()) -> None:
        for package in needs:
            if find_spec(package) is None:
                raise MissingExtraError(f"this training ({package})", "train")
        self._count, self._on_event = count, on_event
        self.seconds: dict[str, float] = {}  # wall clock by stage

    def run(self, name: str, stage: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `stage` returns."""
        self._on_event(Event("train", f"{name} ({len(self.seconds) + 1} of {self._count})", {"stage": name}))
        start = time.perf_counter()
        made = stage(*args, **kwargs)
        self.seconds[name] = time.perf_counter() - start
        return made
