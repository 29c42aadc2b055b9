"""Nearest vectors against a full sort."""

from __future__ import annotations

import builtins
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.encoding import VectorIndex
from clew.encoding import index as module
from clew.errors import FormatError, InputError, MissingExtraError
from effort import examples


def unit(count: int, dim: int = 16, seed: int = 0) -> np.ndarray:
    vectors = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 70), st.integers(0, 4), st.integers(1, 9), st.integers(0, 3))
@examples(60)
def test_exact_search_is_a_full_sort(rows: int, queries: int, limit: int, added: int) -> None:
    vectors, asked, more = unit(rows, seed=1), unit(queries, seed=2), unit(added, seed=3)
    module.BLOCK, before = 16, module.BLOCK
    try:
        index = VectorIndex.build(vectors, "e")
        index.add(more)
        scores, found = index.search(asked, limit)
    finally:
        module.BLOCK = before
    full = asked @ np.concatenate([vectors, more]).T
    order = np.argsort(-full, axis=1, kind="stable")[:, :limit]
    assert found.shape == (queries, min(limit, rows + added))
    np.testing.assert_allclose(scores, np.take_along_axis(full, order, 1), atol=1e-6)
    np.testing.assert_allclose(np.take_along_axis(full, found, 1), scores, atol=1e-6)


@pytest.mark.parametrize("kind", ["exact", "ivf"])
def test_saved_and_opened(tmp_path: Path, kind: str) -> None:
    if kind == "ivf":
        pytest.importorskip("faiss", reason="needs clew[faiss]")
    index = VectorIndex.build(unit(3000), "enc", kind=kind)  # type: ignore[arg-type]
    index.add(unit(5, seed=9))
    index.save(tmp_path / "i")
    index.save(tmp_path / "i")  # replaces what is there
    opened = VectorIndex.open(tmp_path / "i", "enc")
    assert (opened.kind, len(opened), opened.encoder, opened.dim) == (kind, 3005, "enc", 16)
    for one, other in zip(index.search(unit(4, seed=5), 10), opened.search(unit(4, seed=5), 10), strict=True):
        np.testing.assert_array_equal(one, other)
    opened.add(unit(1, seed=77))
    assert opened.search(unit(1, seed=77), 1)[1].tolist() == [[3005]]


def test_the_approximate_index_finds_nearly_the_same() -> None:
    pytest.importorskip("faiss", reason="needs clew[faiss]")
    rng = np.random.default_rng(4)
    vectors = unit(50, seed=1)[rng.integers(0, 50, 20_000)] + rng.normal(scale=0.15, size=(20_000, 16))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    exact, fast = VectorIndex.build(vectors, "e", kind="exact"), VectorIndex.build(vectors, "e", kind="ivf")
    wanted, found = exact.search(vectors[:100], 10)[1], fast.search(vectors[:100], 10)[1]
    same = np.mean([len(set(a) & set(b)) / 10 for a, b in zip(wanted, found, strict=True)])
    assert same > 0.9


def test_large_without_faiss_stays_exact_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def refuse(name: str, *rest: object, **more: object) -> object:
        if name == "faiss":
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    monkeypatch.setattr(module, "EXACT_ROWS", 100)
    index = VectorIndex.build(unit(200), "e")
    assert index.kind == "exact"
    assert "clew[faiss]" in index.note
    with pytest.raises(MissingExtraError, match=r"clew\[faiss\]"):
        VectorIndex.build(unit(200), "e", kind="ivf")


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    index = VectorIndex.build(unit(10), "enc")
    with pytest.raises(InputError, match=r"expected \(questions, 16\).*'enc'"):
        index.search(unit(1, dim=8), 3)
    with pytest.raises(InputError, match="width 16"):
        index.add(unit(1, dim=8))
    with pytest.raises(InputError, match="expected \\(rows, width\\)"):
        VectorIndex.build(np.zeros(3, np.float32), "enc")
    index.save(tmp_path)
    with pytest.raises(FormatError, match="made by encoder 'enc', asked for 'other'"):
        VectorIndex.open(tmp_path, "other")


@pytest.mark.parametrize("damage", ["meta", "newer", "truncated", "rows"])
def test_damage_is_refused(tmp_path: Path, damage: str) -> None:
    VectorIndex.build(unit(10), "enc").save(tmp_path)
    meta, base = tmp_path / "index.json", tmp_path / "base.npy"
    if damage == "meta":
        meta.unlink()
    elif damage == "newer":
        meta.write_text(json.dumps(json.loads(meta.read_text()) | {"version": 9}))
    elif damage == "truncated":
        base.write_bytes(base.read_bytes()[:-7])
    else:
        np.save(base, unit(9))
    with pytest.raises(FormatError, match="build"):
        VectorIndex.open(tmp_path)
