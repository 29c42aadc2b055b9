"""Weights as differences to others, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

from clew.encoding import DEFAULT
from clew.encoding.cross_encoder import FORMAT, SHIPPED, CrossEncoder, added, differences, digest
from clew.errors import FormatError


def test_differences_give_the_weights_back() -> None:
    chance = np.random.default_rng(0)
    base = {"wide": chance.normal(size=(4, 128)), "odd": chance.normal(size=(3, 10)), "bias": chance.normal(size=5)}
    base = {name: values.astype(np.float32) for name, values in base.items()}
    weights = {name: values + chance.normal(size=values.shape, scale=0.01) for name, values in base.items()}
    made = differences(weights, base)
    assert set(made) == {"wide.steps", "wide.step", "odd", "bias"}
    assert made["wide.steps"].dtype == np.uint8 and made["wide.steps"].shape == (4, 64)
    again = added(made, base)
    assert set(again) == set(weights)
    for name, values in weights.items():
        np.testing.assert_allclose(again[name], values, atol=0.004)
    assert np.abs(again["wide"] - weights["wide"]).max() < np.abs(again["wide"] - base["wide"]).max() / 10


def test_equal_weights_have_no_differences() -> None:
    base = {"wide": np.ones((2, 64), np.float32)}
    np.testing.assert_array_equal(added(differences(base, base), base)["wide"], base["wide"])


def test_differences_to_other_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.safetensors"
    for base, refused in ((digest(SHIPPED), False), ("another", True)):
        about = {"format": FORMAT, "encoder": DEFAULT, "base": base}
        save_file({"x": np.zeros(1, np.float32)}, path, metadata={"clew": json.dumps(about)})
        if refused:
            with pytest.raises(FormatError, match=r"differences to others.*make it again with  make it"):
                CrossEncoder(path, "make it", marks=1, base=SHIPPED)
        else:
            CrossEncoder(path, "make it", marks=1, base=SHIPPED)
