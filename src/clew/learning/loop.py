"""The one training loop: accumulate, clip, schedule, log, evaluate, checkpoint, resume, stop early.

A step's batch is a pure function of its number, and torch's random state is part of a checkpoint: a training that was
killed and resumed ends with the same bits as one that was not. Under `torchrun` each process takes its own share of
the accumulated batches and the gradients are averaged, which equals one process that accumulates them all.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch import distributed as dist

from clew.errors import TrainingError
from clew.learning.checkpoints import fill, load_checkpoint, load_weights, save_checkpoint, save_weights
from clew.learning.costs import TOLD_AT, announce, so_far
from clew.learning.curve import write_curve
from clew.learning.fitting import FitConfig
from clew.protocols import OnEvent, ignore
from clew.types import Event


@dataclass(slots=True)
class FitProgress:
    """What a checkpoint remembers beside tensors; JSON values only."""

    best: float = -math.inf
    best_step: int = 0
    best_metrics: dict[str, float] = field(default_factory=dict)
    stale: int = 0  # evaluations since the best
    curve: list[dict[str, float]] = field(default_factory=list)
    seconds: float = 0.0


def fit(
    model: nn.Module,
    batch: Callable[[int], Any],
    loss: Callable[[Any], Tensor],
    out: Path,
    config: FitConfig,
    *,
    evaluate: Callable[[], Mapping[str, float]] | None = None,
    metric: str = "hits@1",
    resume: bool = False,
    seed: int = 0,
    on_event: OnEvent = ignore,
) -> FitProgress:
    """Train `model` in place; it ends with the weights of the best `metric`, else the last: `out/best.safetensors`.

    Args:
        batch: the n-th batch, n from 0; a pure function of n.
        loss: scalar loss of a batch; the forward pass runs under `config.precision`.
        evaluate: metrics of the present weights, higher is better; may use random numbers freely.
        resume: go on from the newest checkpoint under `out/checkpoints`.

    Raises TrainingError when the loss or the gradient is not a number; the last good checkpoint stays.
    """
    rank, world = _join_processes()
    parameters = [p for p in model.parameters() if p.requires_grad]
    device = parameters[0].device
    torch.manual_seed(seed + rank)
    optimizer = torch.optim.AdamW(parameters, lr=config.lr, weight_decay=config.weight_decay)
    if config.precision == "float16" and device.type == "cpu":
        raise TrainingError("precision float16 needs a GPU; use float32 or bfloat16 on a CPU")
    scaler = torch.amp.GradScaler(device.type, enabled=config.precision == "float16")
    cast = (
        nullcontext()
        if config.precision == "float32"
        else torch.autocast(device.type, getattr(torch, config.precision))
    )
    every = config.evaluate_every or max(1, config.steps // 10)
    progress, first, checkpoints = FitProgress(), 0, out / "checkpoints"
    if resume and (loaded := load_checkpoint(checkpoints, model, optimizer)) is not None:
        first, progress = loaded[0], FitProgress(**loaded[1])
        on_event(Event("train", f"resumed after step {first}", {"step": first, "steps": config.steps}))
    elif rank == 0:
        announce(
            on_event, f"fitting in {out.name}", out, steps=config.steps, parameters=sum(p.numel() for p in parameters)
        )
    started, base, saved, recent = time.monotonic(), progress.seconds, time.monotonic(), 0.0

    step = first
    while step < config.steps and not _stale(progress, config):
        model.train()
        for group in optimizer.param_groups:
            group["lr"] = config.lr * _schedule(step, config)
        total = 0.0
        for part in range(config.accumulate):
            with cast:
                value = loss(batch((step * config.accumulate + part) * world + rank)) / config.accumulate
            if not torch.isfinite(value):
                raise _not_a_number("loss", value.item(), step, checkpoints)
            scaler.scale(value).backward()  # type: ignore[no-untyped-call]
            total += float(value.detach())
        if world > 1:
            _average(parameters, world)
        scaler.unscale_(optimizer)
        norm = torch.nn.utils.clip_grad_norm_(parameters, config.clip)
        if not torch.isfinite(norm) and not scaler.is_enabled():
            raise _not_a_number("gradient", float(norm), step, checkpoints)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        recent = total if step == first + 1 else 0.95 * recent + 0.05 * total

        progress.seconds = base + time.monotonic() - started
        took = time.monotonic() - started
        left = (config.steps - step) * took / (step - first)
        row: dict[str, float] = {"step": step, "loss": round(total, 6)}
        if evaluate is not None and (step % every == 0 or step == config.steps):
            row.update(_evaluate(model, evaluate, metric, step, progress, out, rank))
        progress.curve.append(row)
        if rank == 0 and (len(row) > 2 or step % max(1, every // 10) == 0 or step - first in TOLD_AT):
            shown = {**row, "loss": recent, "steps": config.steps, "left_s": left}
            text = ", ".join(f"{k} {v:.4g}" for k, v in shown.items() if k not in ("step", "steps", "left_s"))
            told = so_far(step, config.steps, took, step - first)
            on_event(Event("train", f"step {step}/{config.steps}: {text}, {told}", shown))
        due = time.monotonic() - saved >= config.checkpoint_s or step == config.steps or _stale(progress, config)
        if rank == 0 and due:
            save_checkpoint(
                checkpoints, step, model, optimizer, {n: getattr(progress, n) for n in FitProgress.__slots__}
            )
            write_curve(out, progress.curve, metric)
            saved = time.monotonic()
    if rank == 0 and not (out / "best.safetensors").is_file():
        save_weights(out / "best.safetensors", model.state_dict())
    if world > 1:
        dist.barrier()
    fill(model, load_weights(out / "best.safetensors"), str(out / "best.safetensors"))
    model.eval()
    return progress


def _evaluate(
    model: nn.Module,
    evaluate: Callable[[], Mapping[str, float]],
    metric: str,
    step: int,
    progress: FitProgress,
    out: Path,
    rank: int,
) -> dict[str, float]:
    model.eval()
    with torch.random.fork_rng(), torch.no_grad():
        metrics = {name: float(value) for name, value in evaluate().items()}
    progress.stale = 0 if metrics[metric] > progress.best else progress.stale + 1
    # Of equally good weights the later: an early draw on a small dev set is luck, and the learning rate was still high.
    if metrics[metric] >= progress.best:
        progress.best, progress.best_step, progress.best_metrics = metrics[metric], step, metrics
        if rank == 0:
            save_weights(out / "best.safetensors", model.state_dict())
    return metrics


def _stale(progress: FitProgress, config: FitConfig) -> bool:
    return 0 < config.patience <= progress.stale


def _schedule(step: int, config: FitConfig) -> float:
    """Linear warm-up, then a cosine to zero: the share of the learning rate at `step`."""
    warm = round(config.warmup * config.steps)
    if step < warm:
        return (step + 1) / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, config.steps - warm)))


def _not_a_number(what: str, value: float, step: int, checkpoints: Path) -> TrainingError:
    kept = sorted(checkpoints.glob("step-*"))
    rest = f"the last good checkpoint is {kept[-1]}" if kept else "there was no checkpoint yet"
    return TrainingError(f"the {what} at step {step} is {value}: training stopped; {rest}. Try a smaller lr or clip")


def _join_processes() -> tuple[int, int]:
    """This process's number and how many there are; joins the group that torchrun announces."""
    world = int(os.environ.get("WORLD_SIZE", "1"))
    if world == 1:
        return 0, 1
    if not dist.is_initialized():
        dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
    return dist.get_rank(), world


def _average(parameters: list[nn.Parameter], world: int) -> None:
    """Average the gradients over all processes in one exchange."""
    grads = [torch.zeros_like(p) if p.grad is None else p.grad for p in parameters]
    flat = torch.cat([grad.flatten() for grad in grads])
    dist.all_reduce(flat)
    for p, piece in zip(parameters, torch.split(flat / world, [g.numel() for g in grads]), strict=True):
        p.grad = piece.view_as(p)
