"""The memo of text vectors: what it remembers, what it forgets, and threads."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.encoding import HashEncoder, RememberingEncoder, remembering
from clew.errors import UnsupportedError
from clew.protocols import Role


class Counting(HashEncoder):
    """Remembers what it was asked, and treats queries apart."""

    def __init__(self) -> None:
        super().__init__(16)
        self.asked: list[str] = []
        self._lock = Lock()

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> np.ndarray:
        with self._lock:
            self.asked += texts
        return super().encode([f"{role} {text}" for text in texts])


def test_no_text_is_encoded_twice() -> None:
    inner = Counting()
    encoder = RememberingEncoder(inner)
    encoder.encode(["a", "b", "a"])
    encoder.encode(["b", "c"])
    encoder.encode(["c"], role="query")
    assert inner.asked == ["a", "b", "c", "c"]
    np.testing.assert_array_equal(encoder.encode(["c"]), Counting().encode(["c"]))
    np.testing.assert_array_equal(encoder.encode(["c"], role="query"), Counting().encode(["c"], role="query"))


def test_what_was_not_asked_for_the_longest_is_forgotten_first() -> None:
    inner = Counting()
    encoder = RememberingEncoder(inner, 4)
    for text in ("a", "b", "c", "d", "a", "e"):
        encoder.encode([text])
    inner.asked.clear()
    encoder.encode(["a", "c"])
    encoder.encode(["d", "e"])
    encoder.encode(["b"])
    assert inner.asked == ["b"]
    assert len(encoder) == 4


def test_a_pass_over_many_texts_goes_past_the_memo() -> None:
    inner = Counting()
    encoder = RememberingEncoder(inner, 10)
    encoder.encode(["a"])
    many = [f"t{i}" for i in range(6)]
    encoder.encode(many)
    encoder.encode(["a"])
    assert inner.asked == ["a", *many]
    assert len(encoder) == 1


@given(st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=4), max_size=30), st.integers(8, 12))
def test_the_memo_changes_no_vector(calls: list[list[str]], most: int) -> None:
    plain, encoder = Counting(), RememberingEncoder(Counting(), most)
    for call in calls:
        np.testing.assert_array_equal(encoder.encode(call), plain.encode(call))
        assert len(encoder) <= most


def test_threads_share_it() -> None:
    encoder, plain = RememberingEncoder(Counting(), 40), Counting()
    calls = [[f"t{(i * k) % 67}" for k in range(1, 20)] for i in range(400)]
    with ThreadPoolExecutor(8) as pool:
        for call, found in zip(calls, pool.map(encoder.encode, calls), strict=True):
            np.testing.assert_array_equal(found, plain.encode(call))


def test_a_failure_is_not_remembered() -> None:
    class Failing(Counting):
        def encode(self, texts: Sequence[str], *, role: Role = "passage") -> np.ndarray:
            if not self.asked:
                self.asked.append("")
                raise OSError("no answer")
            return super().encode(texts, role=role)

    encoder = RememberingEncoder(Failing())
    with pytest.raises(OSError, match="no answer"):
        encoder.encode(["a"])
    np.testing.assert_array_equal(encoder.encode(["a"]), Counting().encode(["a"]))


def test_it_is_what_its_encoder_is() -> None:
    encoder = remembering(HashEncoder(16))
    assert (encoder.name, encoder.dim, encoder.abilities) == ("hash-16", 16, frozenset())
    assert remembering(encoder) is encoder
    with pytest.raises(UnsupportedError, match="no token states"):
        encoder.encode_tokens(["a"])
