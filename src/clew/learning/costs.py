"""What a training takes: said before it begins and while it runs, and kept in a log beside the model.

Kept apart so that every trained method speaks of time, memory and disk in the same words. Loads no torch.
"""

from __future__ import annotations

import resource
import shutil
import sys
import time
from pathlib import Path

from clew.errors import TrainingError
from clew.protocols import OnEvent
from clew.secrecy import redact
from clew.types import Event

LOG = "training.log"
TOLD_AT = (1, 3, 10)  # steps of a stage after which the time left is told for the first times


def peak_memory() -> int:
    """Bytes of memory that this process took at most so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def announce(on_event: OnEvent, what: str, out: Path, *, steps: int, parameters: int, memory: int = 0) -> None:
    """Say what a stage is about to take; `memory`: bytes beyond what the process has, 0 where only running it tells.

    Raises TrainingError where the disk has no room for its checkpoints.
    """
    disk = 40 * parameters  # two checkpoints with both moments of the optimizer, a third being written, and the model
    place = next(folder for folder in (out, *out.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    if free < disk:
        raise TrainingError(f"{out}: {what} takes about {size(disk)} on disk, and {size(free)} are free; make room")
    total = peak_memory() + memory
    about = f"about {size(total)} of memory and" if memory else "memory as the first step shows,"
    message = f"{what}: {parameters:,} parameters, {steps:,} steps, {about} {size(disk)} on disk"
    data = {"takes": {"steps": steps, "parameters": parameters, "memory": total if memory else 0, "disk": disk}}
    on_event(Event("train", message, data))


def so_far(step: int, steps: int, seconds: float, done: int) -> str:
    """What is left after `done` steps in `seconds`, in words."""
    left = (steps - step) * seconds / max(1, done)
    return f"{duration(left)} left, {size(peak_memory())} of memory at most"


def size(count: float) -> str:
    """Bytes in words."""
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"


def duration(seconds: float) -> str:
    """Seconds in words."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class TrainingLog:
    """Hands every event on and writes it into `training.log` of a model's folder, with the time and the memory."""

    def __init__(self, out: Path, on_event: OnEvent) -> None:
        self._file, self._on_event, self._begun = out / LOG, on_event, time.monotonic()

    def __call__(self, event: Event) -> None:
        self.write(event.message)
        self._on_event(event)

    def __enter__(self) -> TrainingLog:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        if kind is not None:
            self.write(f"ended by {kind.__name__}: {error}")

    def write(self, message: str) -> None:
        """One line; opened anew each time, so that a kill loses nothing."""
        at = time.strftime("%Y-%m-%d %H:%M:%S")
        took = f"{duration(time.monotonic() - self._begun):>7} {size(peak_memory()):>8}"
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{at} {took}  {redact(' '.join(message.split()))}\n")
