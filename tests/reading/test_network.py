"""The network in numpy is the one in torch; a file of another make is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from clew.errors import FormatError, NotFoundError
from clew.reading.network import Network
from clew.reading.wording import PLAN_FEATURES, STEP_FEATURES

torch = pytest.importorskip("torch")

from clew.reading.torchnet import SIMILARITIES, ReaderNet, Shape  # noqa: E402
from clew.reading.train import write  # noqa: E402


def test_numpy_and_torch_agree(tmp_path: Path) -> None:
    torch.manual_seed(0)
    net = ReaderNet(Shape(states=24, width=16, heads=4)).eval()
    write(net, tmp_path / "reader.safetensors", {})
    network = Network.open(tmp_path / "reader.safetensors")
    net.load_state_dict({name: torch.from_numpy(value) for name, value in network.weights.items()})
    random = np.random.default_rng(0)

    def draw(*shape: int) -> np.ndarray:
        return random.normal(size=shape).astype(np.float32)

    def near(found: np.ndarray, wanted: object) -> None:
        np.testing.assert_allclose(found, wanted.detach().numpy(), rtol=1e-4, atol=1e-4)  # type: ignore[attr-defined]

    t, scale = torch.from_numpy, 24**0.5
    states, flags = draw(7, 24), np.array([0, 1, 0, 2, 0, 0, 0])
    hidden = torch.zeros(1, 7, dtype=torch.bool)
    read, wanted = network.read(states, flags), net.read(t(states)[None], t(flags)[None], hidden)
    near(read, wanted[0])
    first, second, way = draw(5, 24) / scale, draw(5, 24) / scale, np.array([0, 1, 2, 3, 5])
    told = draw(5, len(STEP_FEATURES) + SIMILARITIES)
    steps = network.told(network.step(first, second, way), told)
    torch_steps = net.step(t(first * scale), t(second * scale), t(way)) + net.told(t(told))
    near(steps, torch_steps)
    near(network.relevant(steps, read), net.relevant(torch_steps[None], wanted, hidden)[0])
    tokens = np.array(
        [
            [[1, 0, 0, 0], [2, 0, 1, 3], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]],
            [[1, 0, 0, 0], [2, 0, 1, 3], [1, 1, 0, 1], [2, 1, 1, 2], [4, 0, 0, 0]],
        ],
        np.int32,
    )
    features, ends, kinds = draw(2, len(PLAN_FEATURES)), draw(2, 24) / scale, draw(2, 24) / scale
    leads = draw(5, 24) / scale
    starts = network.starts(read, flags, 2)
    logits, none = network.rate(steps, leads, read, starts, kinds, tokens, features, ends)
    torch_logits, torch_none = net.rate(
        torch_steps[None], t(leads * np.float32(scale))[None], wanted, hidden, t(starts)[None],
        t(kinds * np.float32(scale))[None],
        t(tokens.astype(np.int64))[None], t(features)[None], t(ends * np.float32(scale))[None],
    )  # fmt: skip
    near(logits, torch_logits[0])
    assert none == pytest.approx(torch_none.item(), abs=1e-4)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"clew\.reading\.train"):
        Network.open(tmp_path / "none.safetensors")


def test_a_damaged_file_and_one_of_another_make_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad.safetensors").write_bytes(b"no weights at all")
    with pytest.raises(FormatError, match="damaged"):
        Network.open(tmp_path / "bad.safetensors")
    save_file({"a": np.zeros(1, np.float32)}, tmp_path / "other.safetensors")
    with pytest.raises(FormatError, match="another version"):
        Network.open(tmp_path / "other.safetensors")
