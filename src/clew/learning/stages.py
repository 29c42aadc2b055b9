"""A training as data: the stages a room runs one after the other, each skipped when its product already stands.

Separate from the loop because a stage may just as well mine paths or write files; only some of them train a network.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from clew.errors import MissingExtraError
from clew.protocols import OnEvent
from clew.types import Event


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of a training. `run` keeps its own product; `needs` names packages that must be importable."""

    name: str
    run: Callable[[], None]
    needs: tuple[str, ...] = ()


def run_stages(stages: Sequence[Stage], on_event: OnEvent) -> dict[str, float]:
    """Run `stages` in order and return the wall-clock seconds of each.

    Raises MissingExtraError before the first stage when a package that any of them needs is not installed.
    """
    from importlib.util import find_spec

    for stage in stages:
        for package in stage.needs:
            if find_spec(package) is None:
                raise MissingExtraError(f"training stage {stage.name!r} ({package})", "train")
    seconds: dict[str, float] = {}
    for number, stage in enumerate(stages, 1):
        on_event(Event("train", f"{stage.name} ({number} of {len(stages)})", {"stage": stage.name}))
        start = time.perf_counter()
        stage.run()
        seconds[stage.name] = time.perf_counter() - start
    return seconds
