"""Training invariants of the loop: resume equals uninterrupted, same seed same weights, damage and NaN are told."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from clew.errors import FormatError, TrainingError
from clew.learning.checkpoints import fill, load_checkpoint, load_weights, save_weights
from clew.learning.curve import write_curve
from clew.learning.loop import FitConfig, FitProgress, fit

CONFIG = FitConfig(steps=20, lr=0.05, checkpoint_s=0, evaluate_every=5, accumulate=2)


def network(seed: int = 3) -> nn.Module:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.ReLU(), nn.Linear(8, 1))


def batch(n: int) -> Tensor:
    return torch.randn(6, 4, generator=torch.Generator().manual_seed(n))


def train(
    out: Path, *, steps_done: int | None = None, seed: int = 0, **options: object
) -> tuple[nn.Module, FitProgress]:
    """Train; with `steps_done`, break off at that step as a kill would, leaving only what is on disk."""
    model = network()

    def loss(x: Tensor) -> Tensor:
        return (model(x)[:, 0] - x.sum(1)).square().mean()

    def sampled(n: int) -> Tensor:
        if steps_done is not None and n >= 2 * steps_done:
            raise KeyboardInterrupt
        return batch(n)

    def evaluate() -> Mapping[str, float]:
        torch.rand(7)  # an evaluation may draw random numbers without disturbing the training
        return {"hits@1": -float(loss(batch(999)))}

    config = CONFIG.model_copy(update=options.pop("update", {}))  # type: ignore[arg-type]
    return model, fit(model, sampled, loss, out, config, evaluate=evaluate, seed=seed, **options)  # type: ignore[arg-type]


def test_a_killed_training_resumes_to_the_same_bits(tmp_path: Path) -> None:
    whole, progress = train(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        train(tmp_path / "cut", steps_done=13)
    resumed, again = train(tmp_path / "cut", resume=True)
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, resumed.state_dict()[name]), name
    assert [r["loss"] for r in progress.curve] == [r["loss"] for r in again.curve]
    assert (progress.best, progress.best_step) == (again.best, again.best_step)
    assert (tmp_path / "whole/best.safetensors").read_bytes() == (tmp_path / "cut/best.safetensors").read_bytes()


def test_same_seed_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    one, two, three = (train(tmp_path / str(i), seed=seed)[0] for i, seed in enumerate((0, 0, 1)))
    assert torch.equal(one[0].weight, two[0].weight)  # type: ignore[index]
    assert not torch.equal(one[0].weight, three[0].weight)  # type: ignore[index]


def test_the_loss_falls_and_the_curve_is_written(tmp_path: Path) -> None:
    _, progress = train(tmp_path, update={"steps": 150, "checkpoint_s": 60.0})
    losses = [row["loss"] for row in progress.curve]
    assert sum(losses[-10:]) < 0.5 * sum(losses[:10])
    assert len((tmp_path / "curve.csv").read_text().splitlines()) == 151
    assert "<svg" in (tmp_path / "curve.svg").read_text()
    assert json.loads((tmp_path / "curve.json").read_text())[-1]["step"] == 150


def test_it_stops_early_and_keeps_the_best(tmp_path: Path) -> None:
    model, scores = network(), iter([0.1, 0.9, 0.5, 0.4, 0.3, 0.2])
    config = CONFIG.model_copy(update={"steps": 30, "patience": 2})
    progress = fit(
        model, batch, lambda x: model(x).square().mean(), tmp_path, config, evaluate=lambda: {"hits@1": next(scores)}
    )
    assert (progress.best, progress.best_step, len(progress.curve)) == (0.9, 10, 20)


def test_of_equally_good_weights_the_later_are_kept_and_count_as_no_improvement(tmp_path: Path) -> None:
    model, scores = network(), iter([0.9, 0.5, 0.9, 0.4, 0.3])
    config = CONFIG.model_copy(update={"steps": 30, "patience": 3})
    progress = fit(
        model, batch, lambda x: model(x).square().mean(), tmp_path, config, evaluate=lambda: {"hits@1": next(scores)}
    )
    assert (progress.best, progress.best_step, len(progress.curve)) == (0.9, 15, 20)


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_a_loss_that_is_no_number_stops_with_the_last_good_checkpoint(tmp_path: Path, bad: float) -> None:
    model = network()

    def loss(item: tuple[int, Tensor]) -> Tensor:
        return model(item[1]).square().mean() * (bad if item[0] == 14 else 1.0)

    with pytest.raises(TrainingError, match=r"loss at step 7 is .*step-000000007.*smaller lr"):
        fit(model, lambda n: (n, batch(n)), loss, tmp_path, CONFIG)
    fresh = network(5)
    loaded = load_checkpoint(tmp_path / "checkpoints", fresh, torch.optim.AdamW(fresh.parameters()))
    assert loaded is not None and loaded[0] == 7
    assert all(torch.isfinite(p).all() for p in fresh.parameters())


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(bytes(data))


@pytest.mark.parametrize("file", ["weights.safetensors", "optimizer.safetensors", "state.json"])
@pytest.mark.parametrize("damage", [_cut, _flip])
def test_a_damaged_checkpoint_is_refused_with_what_to_do(
    tmp_path: Path, file: str, damage: Callable[[Path], None]
) -> None:
    train(tmp_path)
    damage(max((tmp_path / "checkpoints").glob("step-*")) / file)
    with pytest.raises(FormatError, match=r"step-000000020.*delete .*step-000000020 to go on from step-000000019"):
        train(tmp_path, resume=True)


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    save_weights(tmp_path / "w.safetensors", network().state_dict())
    tensors = load_weights(tmp_path / "w.safetensors")
    with pytest.raises(FormatError, match=r"'0.weight' has shape \(8, 4\), expected \(8, 5\)"):
        fill(nn.Sequential(nn.Linear(5, 8)), tensors, "w")
    with pytest.raises(FormatError, match=r"no tensor '9\.weight'"):
        fill(nn.ModuleDict({"9": nn.Linear(2, 2)}), tensors, "w")
    with pytest.raises(FormatError, match=r"unexpected tensor '3\.bias'"):
        fill(nn.Sequential(nn.Linear(4, 8)), tensors, "w")


SCRIPT = """
import sys, torch
from pathlib import Path
from clew.learning.loop import FitConfig, fit
torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
def batch(n): return torch.randn(6, 4, generator=torch.Generator().manual_seed(n))
config = FitConfig(steps=5, accumulate=int(sys.argv[2]), weight_decay=0)
fit(model, batch, lambda x: (model(x)[:, 0] - x.sum(1)).square().mean(), Path(sys.argv[1]), config)
"""


@pytest.mark.slow
def test_two_processes_equal_one_that_accumulates(tmp_path: Path) -> None:
    (tmp_path / "go.py").write_text(SCRIPT)
    run = [sys.executable, str(tmp_path / "go.py")]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node=2", f"--master-port={port}"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    subprocess.run([*run, str(tmp_path / "one"), "2"], check=True, env=environment)
    subprocess.run([*torchrun, str(tmp_path / "go.py"), str(tmp_path / "two"), "1"], check=True, env=environment)
    one, two = (load_weights(tmp_path / name / "best.safetensors") for name in ("one", "two"))
    torch.testing.assert_close(one, two)


def test_a_curve_of_rewards_reaches_above_one(tmp_path: Path) -> None:
    rows = [{"step": 1.0, "loss": 0.5, "reward": -1.0}, {"step": 2.0, "loss": 0.25, "reward": 4.0}]
    write_curve(tmp_path, rows, "reward", highest=None)
    picture = (tmp_path / "curve.svg").read_text()
    assert "reward (top 4)" in picture and "loss (top 0.5)" in picture
    (line,) = [part for part in picture.splitlines() if part.startswith("<polyline") and "#36c" in part]
    heights = [float(point.split(",")[1]) for point in line.split('points="')[1].split('"')[0].split()]
    assert heights[0] > heights[1] == 36.0  # below zero ends at the axis
    write_curve(tmp_path, rows, "reward")
    assert "reward (top 1)" in (tmp_path / "curve.svg").read_text()
