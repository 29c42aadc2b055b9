"""One run of a trainer: its checkpoints by the clock, what it tells, and the folder that it leaves.

Apart from `tuning`, which says what is trained on what, because supervised and rewarded training run alike. Resumable:
the trainer's checkpoints lie under `out/checkpoints`; an unfinished one left by a kill is recognised and dropped. The
trainer keeps optimizer and random state in torch's own format, read back with `weights_only`; what is kept in the end
is safetensors.
"""

from __future__ import annotations

import json
import math
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError
from clew.learning.costs import TOLD_AT, so_far
from clew.learning.processes import is_main_process, wait_for_all
from clew.protocols import OnEvent
from clew.types import Event


@dataclass(frozen=True, slots=True)
class Tuned:
    """What a fine-tuning left behind."""

    folder: Path
    curve: tuple[dict[str, float], ...]  # step, loss or rewards, seconds
    seconds: float
    refused: int = 0  # examples longer than max_tokens


@contextmanager
def quiet() -> Iterator[None]:
    """The libraries' own progress bars off: what a training says goes out as events."""
    from transformers.utils import logging

    import datasets

    datasets.disable_progress_bars()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        datasets.enable_progress_bars()
        logging.enable_progress_bar()


def run(
    trainer: Any,
    checkpoints: Path,
    out: Path,
    tokenizer: Any,
    resume: bool,
    save_every_s: float,
    on_event: OnEvent,
    refused: int,
) -> Tuned:
    from transformers import PrinterCallback, TrainerCallback

    curve: list[dict[str, float]] = []
    start = time.perf_counter()

    class _Clock(TrainerCallback):  # type: ignore[misc]
        """Saves by the clock, stops at a loss that is no number, and tells the listener."""

        def __init__(self) -> None:
            self.saved = time.monotonic()
            self.broken = False
            self.first = 0

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            self.first = state.global_step
            # What an earlier start logged comes back with its checkpoint.
            curve.extend(_numbers(row) for row in state.log_history if "loss" in row)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            done = state.global_step - self.first
            if done in TOLD_AT[:2]:
                told = so_far(state.global_step, state.max_steps, time.perf_counter() - start, done)
                data = {"step": float(state.global_step), "steps": state.max_steps}
                on_event(Event("train", f"step {state.global_step} of {state.max_steps}: {told}", data))
            if time.monotonic() - self.saved > save_every_s:
                control.should_save, self.saved = True, time.monotonic()

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            numbers = _numbers(logs or {})
            if "loss" not in numbers:
                return
            if not all(math.isfinite(numbers.get(key, 0.0)) for key in ("loss", "grad_norm")):
                self.broken, control.should_training_stop = True, True
            row = {"step": float(state.global_step), "seconds": time.perf_counter() - start, **numbers}
            curve.append(row)
            told = so_far(
                state.global_step, state.max_steps, time.perf_counter() - start, state.global_step - self.first
            )
            text = f"step {state.global_step} of {state.max_steps}: loss {numbers['loss']:.4g}, {told}"
            on_event(Event("train", text, {**row, "steps": state.max_steps}))

    clock = _Clock()
    trainer.add_callback(clock)
    trainer.remove_callback(PrinterCallback)
    last = _last_whole(checkpoints) if resume else None
    if not resume and is_main_process():
        shutil.rmtree(checkpoints, ignore_errors=True)
    wait_for_all()
    trainer.train(resume_from_checkpoint=None if last is None else str(last))
    if clock.broken:
        raise InputError(
            f"training in {out}: the loss or its gradient is not a number at step {trainer.state.global_step}; "
            "lower learning_rate. The last checkpoint is kept: go on with --resume"
        )
    trained = trainer.accelerator.unwrap_model(trainer.model)
    if is_main_process():
        _keep(trained, tokenizer, checkpoints, out)
    wait_for_all()
    return Tuned(out / "model", tuple(curve), time.perf_counter() - start, refused)


def _keep(trained: Any, tokenizer: Any, checkpoints: Path, out: Path) -> None:
    """The folder of the trained model, in the place of its checkpoints."""
    if hasattr(trained, "merge_and_unload"):
        # One ordinary folder for every later use; the adapter alone is kept beside it.
        trained.save_pretrained(out / "adapter")
        trained = trained.merge_and_unload()
    beside = out / ".model.tmp"
    shutil.rmtree(beside, ignore_errors=True)
    trained.save_pretrained(beside)
    tokenizer.save_pretrained(beside)
    final = out / "model"
    shutil.rmtree(final, ignore_errors=True)
    beside.rename(final)
    shutil.rmtree(checkpoints, ignore_errors=True)


def _numbers(logged: Mapping[str, Any]) -> dict[str, float]:
    return {k: float(v) for k, v in logged.items() if isinstance(v, (int, float))}


def _last_whole(checkpoints: Path) -> Path | None:
    """The newest checkpoint that was written to its end; those a kill cut short are removed."""
    found = sorted(checkpoints.glob("checkpoint-*"), key=lambda path: int(path.name.rsplit("-", 1)[1]), reverse=True)
    for path in found:
        try:
            json.loads((path / "trainer_state.json").read_text(encoding="utf-8"))  # the trainer writes it last
        except (OSError, ValueError):
            shutil.rmtree(path, ignore_errors=True)
            continue
        return path
    return None
