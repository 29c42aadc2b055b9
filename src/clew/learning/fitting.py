"""Settings of the training loop, apart from it so that a configuration can be checked without loading torch."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clew.config import Settings


class FitConfig(Settings):
    """Settings of the loop that every trained method shares."""

    steps: int = Field(default=1000, ge=1)  # optimizer steps
    lr: float = Field(default=1e-3, gt=0)  # highest learning rate of AdamW
    weight_decay: float = Field(default=1e-4, ge=0)  # of AdamW
    warmup: float = Field(default=0.05, ge=0, le=1)  # share of the steps; then a cosine to zero
    clip: float = Field(default=1.0, gt=0)  # norm of the gradient
    accumulate: int = Field(default=1, ge=1)  # batches per optimizer step
    evaluate_every: int = Field(default=0, ge=0)  # steps; 0: ten times in a training
    patience: int = Field(default=0, ge=0)  # evaluations without improvement before it stops; 0: never
    checkpoint_s: float = Field(default=180.0, ge=0)  # seconds between checkpoints; 0: after every step
    precision: Literal["float32", "bfloat16", "float16"] = "float32"  # of the forward pass
