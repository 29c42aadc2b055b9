"""One training in several processes, one per GPU, as `accelerate launch` or `torchrun` start them.

Every process computes the same examples from the same seed; the libraries share out the steps. The first one writes.
Loads no torch in a process that is alone.
"""

from __future__ import annotations

import os

from clew.errors import InputError


def process_count() -> int:
    """How many processes train together."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def is_main_process() -> bool:
    """Whether this process writes."""
    return os.environ.get("RANK", "0") == "0"


def wait_for_all() -> None:
    """Go on when every process has come here."""
    if process_count() > 1:
        from accelerate import PartialState

        PartialState().wait_for_everyone()


def share_of(batch: int) -> int:
    """The sequences of a step that one process takes. Raises InputError where they cannot be shared out evenly."""
    count = process_count()
    if batch % count:
        raise InputError(
            f"a step has {batch} sequences, which {count} processes cannot share: make it a multiple of {count}"
        )
    return batch // count
