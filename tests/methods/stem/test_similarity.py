"""Similarity: what many threads remember together is what one of them would have remembered alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from clew.encoding import HashEncoder, remembering
from clew.graph import Graph
from clew.methods.stem.similarity import Similarity

GRAPH = Graph.from_triples([(f"e{i}", f"r{i % 7}", f"e{(i * 5) % 97}") for i in range(300)], name="many")
ENCODER = HashEncoder(32)


@pytest.fixture
def impatient() -> Iterator[None]:
    """Threads that interrupt each other all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("remembered", [50_000, 40])
def test_threads_that_share_a_similarity(impatient: None, remembered: int) -> None:
    whole = GRAPH.whole
    shared = Similarity(whole, remembering(ENCODER, remembered))
    draw = np.random.default_rng(0)
    asked = [
        (("x", f"r{i % 7}", "y"), f"e{i % 97}", draw.integers(0, whole.num_triples, 12).astype(np.int32))
        for i in range(400)
    ]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: shared.edges(one[0], "x", one[1], one[2]), asked))
        texts = list(pool.map(lambda one: shared.text([one[1], one[0][1]]), asked))
    for (triple, label, candidates), scores, vectors in zip(asked, found, texts, strict=True):
        alone = Similarity(whole, ENCODER)
        np.testing.assert_allclose(scores, alone.edges(triple, "x", label, candidates), atol=1e-6)
        np.testing.assert_allclose(vectors, alone.text([label, triple[1]]), atol=1e-6)
