"""The cache of texts that does not grow without end."""

from __future__ import annotations

import numpy as np

from clew.encoding import bounded
from clew.encoding.hashing import HashEncoder


def test_a_full_cache_is_left_behind_and_the_one_before_it_deleted(tmp_path):
    encoder = HashEncoder()
    for turn in range(4):
        cache = bounded(encoder, tmp_path, most=10)
        texts = [f"text {turn} {i}" for i in range(12)]
        assert np.array_equal(cache.encode(texts), encoder.encode(texts))
        assert bounded(encoder, tmp_path, most=10)._folder.name == str(turn + 1)
    assert sorted(folder.name for folder in tmp_path.iterdir()) == ["3"]
    few = bounded(encoder, tmp_path, most=100)
    assert few._folder.name == "3"


def test_what_people_ask_is_not_kept(tmp_path):
    encoder = HashEncoder()
    cache = bounded(encoder, tmp_path)
    assert np.array_equal(cache.encode(["who lives in Paris"], role="query"), encoder.encode(["who lives in Paris"]))
    assert not list(tmp_path.rglob("keys.b16"))
    cache.encode(["lives in"])
    (kept,) = tmp_path.rglob("keys.b16")
    assert kept.parent.name.endswith("-passage")
