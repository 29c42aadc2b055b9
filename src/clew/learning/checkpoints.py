"""Checkpoints: safetensors for arrays, JSON for the rest, written beside and renamed into place. No pickle.

Kept apart from the loop so that a model folder and a training checkpoint are read with the same checks: a file that
was cut short, a tensor that is missing or of another shape is one clear message, never a half-loaded network.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from clew.errors import FormatError, NotFoundError
from clew.learning.folders import read_json, write_json

FORMAT = 1
KEPT = 2  # older checkpoints that stay, should the newest be damaged from outside


def save_weights(path: Path, tensors: Mapping[str, Tensor]) -> str:
    """Write `tensors` to `path` atomically and return the sha256 of the file."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    save_file({name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}, beside)
    digest = _digest(beside)
    beside.replace(path)
    return digest


def load_weights(path: Path, sha256: str | None = None) -> dict[str, Tensor]:
    """The tensors in `path`. Raises FormatError when it is cut short or not what `sha256` says."""
    if not path.is_file():
        raise NotFoundError(f"{path}: no such file; expected a folder written by `clew train`")
    try:
        tensors: dict[str, Tensor] = load_file(path)
    except (SafetensorError, OSError, ValueError) as error:
        raise FormatError(f"{path}: not readable as safetensors ({error}); it was cut short or damaged") from None
    if sha256 is not None and _digest(path) != sha256:
        raise FormatError(f"{path}: its content is not what was written (checksum differs); restore or train again")
    return tensors


def fill(module: nn.Module, tensors: Mapping[str, Tensor], where: str) -> None:
    """Load `tensors` into `module`. Raises FormatError that names the first difference in name or shape."""
    mine = module.state_dict()
    for name, tensor in mine.items():
        if name not in tensors:
            raise FormatError(f"{where}: no tensor {name!r}; it was written for another network")
        if tensors[name].shape != tensor.shape:
            raise FormatError(
                f"{where}: tensor {name!r} has shape {tuple(tensors[name].shape)}, expected {tuple(tensor.shape)}; "
                "it was written for another encoder or other settings"
            )
    extra = sorted(set(tensors) - set(mine))
    if extra:
        raise FormatError(f"{where}: unexpected tensor {extra[0]!r}; it was written for another network")
    module.load_state_dict(dict(tensors))


def save_checkpoint(
    folder: Path, step: int, model: nn.Module, optimizer: torch.optim.Optimizer, state: Mapping[str, Any]
) -> Path:
    """Write `folder/step-N` whole or not at all, then drop all but the newest `KEPT`.

    Holds the weights, the optimizer's tensors, torch's random state and `state` (JSON values).
    """
    folder.mkdir(parents=True, exist_ok=True)
    beside, final = folder / f".tmp-{os.getpid()}", folder / f"step-{step:09d}"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir()
    tensors = {f"optimizer.{i}.{key}": value for i, key, value in _slots(optimizer)}
    tensors["random.cpu"] = torch.get_rng_state()
    if torch.cuda.is_available():
        tensors["random.cuda"] = torch.cuda.get_rng_state()
    sums = {
        "weights.safetensors": save_weights(beside / "weights.safetensors", model.state_dict()),
        "optimizer.safetensors": save_weights(beside / "optimizer.safetensors", tensors),
    }
    write_json(beside / "state.json", {"format": FORMAT, "step": step, "sha256": sums, "state": dict(state)})
    shutil.rmtree(final, ignore_errors=True)
    beside.rename(final)
    for old in sorted(folder.glob("step-*"))[:-KEPT]:
        shutil.rmtree(old)
    return final


def load_checkpoint(
    folder: Path, model: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[int, dict[str, Any]] | None:
    """Put the newest checkpoint in `folder` into `model` and `optimizer`; None when there is none.

    Returns: the step it was written after, and its `state`. Raises FormatError when it is damaged.
    """
    found = sorted(folder.glob("step-*"))
    if not found:
        return None
    newest = found[-1]
    advice = f"delete {newest} to go on from {found[-2].name}" if len(found) > 1 else "train without --resume"
    try:
        record = read_json(newest / "state.json")
        if record["format"] > FORMAT:
            raise FormatError(f"{newest}: written by a newer version (format {record['format']}, known: {FORMAT})")
        sums = record["sha256"]
        weights = load_weights(newest / "weights.safetensors", sums["weights.safetensors"])
        slots = load_weights(newest / "optimizer.safetensors", sums["optimizer.safetensors"])
    except (FormatError, NotFoundError, KeyError, TypeError) as error:
        raise FormatError(f"checkpoint {newest.name}: {error}; {advice}") from None
    fill(model, weights, str(newest))
    torch.set_rng_state(slots.pop("random.cpu"))
    cuda = slots.pop("random.cuda", None)
    if cuda is not None and torch.cuda.is_available():
        torch.cuda.set_rng_state(cuda)
    _fill_slots(optimizer, slots)
    return int(record["step"]), dict(record["state"])


def _slots(optimizer: torch.optim.Optimizer) -> list[tuple[int, str, Tensor]]:
    state = optimizer.state_dict()["state"]
    return [(i, key, value) for i, entry in state.items() for key, value in entry.items()]


def _fill_slots(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    state: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        _, number, key = name.split(".", 2)
        state.setdefault(int(number), {})[key] = tensor
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
