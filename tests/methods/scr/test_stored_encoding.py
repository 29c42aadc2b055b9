"""The kept graph pass: mapped when nothing changed, mended after an edit, computed again when it is damaged."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.scr.config import NetworkConfig
from clew.methods.scr.model import ScrModel, Trained, view
from clew.methods.scr.network import StepwiseNetwork
from clew.methods.scr.stored_encoding import kept_view

ENCODER = HashEncoder(32)
RELATIONS = ("r0", "r1")


def model_of(layers: int = 2) -> ScrModel:
    torch.manual_seed(0)
    config = NetworkConfig(width=16, layers=layers)
    trained = Trained(
        network=config, encoder=ENCODER.name, encoder_width=32, tokens="words", hops=2, returns="edge", siblings=True,
        mask_topics=True, graph="g", relations=RELATIONS,
    )  # fmt: skip
    return ScrModel(StepwiseNetwork(config, 32, 2).eval().requires_grad_(False), trained, "digest")


def chain(n: int, extra: tuple[tuple[str, str, str], ...] = ()) -> Graph:
    triples = [(f"e{i}", RELATIONS[i % 2], f"e{i + 1}") for i in range(n)]
    return Graph.from_triples([*triples, *extra], name="chain")


def kept(graph: Graph, cache: Path, layers: int = 2) -> tuple[np.ndarray, str]:
    seen, how = kept_view(model_of(layers), ENCODER, graph.whole, graph.name, cache)
    fresh = view(model_of(layers).network, graph.whole, ENCODER)
    np.testing.assert_allclose(seen.tables.entities, fresh.tables.entities, atol=1e-5)
    np.testing.assert_allclose(seen.vectors, fresh.vectors)
    torch.testing.assert_close(seen.tables.relations, fresh.tables.relations)
    return seen.vectors, how


def test_it_is_computed_once_then_mapped(tmp_path: Path) -> None:
    assert kept(chain(30), tmp_path)[1] == "computed"
    vectors, how = kept(chain(30), tmp_path)
    assert how == "mapped" and isinstance(vectors, np.memmap)


def test_an_added_triple_mends_its_surroundings_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(chain(60), tmp_path)
    encoded: list[int] = []
    encode = HashEncoder.encode
    monkeypatch.setattr(
        HashEncoder, "encode", lambda self, texts, **k: (encoded.append(len(texts)), encode(self, texts, **k))[1]
    )
    grown = chain(60, (("e5", "r0", "a new one"),))
    _, how = kept_view(model_of(), ENCODER, grown.whole, grown.name, tmp_path)
    assert how == "mended" and encoded == [2, 1]  # the relations' names, and the one new entity
    monkeypatch.undo()
    assert kept(grown, tmp_path)[1] == "mapped"


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), layers=st.integers(1, 3))
def test_any_edit_gives_what_a_whole_pass_gives(
    tmp_path_factory: pytest.TempPathFactory, seed: int, layers: int
) -> None:
    cache = tmp_path_factory.mktemp("passes")
    rng = np.random.default_rng(seed)
    base = [(f"e{rng.integers(80)}", RELATIONS[rng.integers(2)], f"e{rng.integers(80)}") for _ in range(90)]
    kept(Graph.from_triples(base, name="random"), cache, layers)
    changed = [t for t in base if rng.random() > 0.02] + [("e1", "r1", f"new {i}") for i in range(rng.integers(0, 2))]
    assert kept(Graph.from_triples(changed, name="random"), cache, layers)[1] in ("mended", "computed", "mapped")


def test_another_order_of_entities_changes_nothing(tmp_path: Path) -> None:
    triples = [(f"e{i}", "r0", f"e{i + 1}") for i in range(20)] + [("e3", "r1", "e9")]
    kept(Graph.from_triples(triples, name="a"), tmp_path)
    assert kept(Graph.from_triples(triples[::-1], name="b"), tmp_path)[1] == "mended"


@pytest.mark.parametrize("name", ["entities.npy", "ids.npy", "meta.json"])
def test_a_damaged_pass_is_computed_again(tmp_path: Path, name: str) -> None:
    kept(chain(30), tmp_path)
    (path,) = tmp_path.glob(f"scr/*/{name}")
    path.write_bytes(path.read_bytes()[:-100])
    assert kept(chain(30), tmp_path)[1] == "computed"
    assert kept(chain(30), tmp_path)[1] == "mapped"


def test_without_a_cache_nothing_is_written(tmp_path: Path) -> None:
    kept_view(model_of(), ENCODER, chain(5).whole, "chain", None)
    assert not list(tmp_path.iterdir())
