"""The settings with which a tiny network learns the films in seconds; also read by a training in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from clew.protocols import TrainResult

Trainer = Callable[..., TrainResult]
TINY: dict[str, Any] = {
    "network": {"width": 32, "layers": 1, "dropout": 0.0},
    "fit": {"lr": 5e-3, "evaluate_every": 30, "checkpoint_s": 1e9},
    "epochs": None,
    "batch": 8,
    "hops": 2,
}
