"""What every text encoder must do: subclass `TextEncoderSuite` in a test module and say how yours is opened.

class TestMine(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls): return MyEncoder()
"""

from __future__ import annotations

import numpy as np
import pytest

from clew.encoding.hashing import HashEncoder
from clew.protocols import TextEncoder, TokenEncoder, encodes_tokens

__all__ = ["HashEncoder", "TextEncoderSuite"]

TEXTS = (
    "Paris",
    "capital of",
    "who directed the movie [Heat]?",
    "Grégoire Colin",
    "北京",
    "a" * 4000,
    "",
    "\x00\n\t",
    "Paris",
    "🎬",
)


class TextEncoderSuite:
    """The conformance suite of the `TextEncoder` seam."""

    tolerance = 5e-3  # between a text alone and the same text in a batch: low bits of half precision

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        raise NotImplementedError("override the fixture `encoder`")

    def test_satisfies_the_protocol(self, encoder: TextEncoder) -> None:
        assert isinstance(encoder, TextEncoder)
        assert encoder.name == encoder.name.strip() != ""
        assert encoder.dim > 0

    @pytest.mark.parametrize("role", ["query", "passage"])
    def test_rows_are_finite_float32_of_unit_length(self, encoder: TextEncoder, role: str) -> None:
        vectors = encoder.encode(TEXTS, role=role)  # type: ignore[arg-type]
        assert vectors.shape == (len(TEXTS), encoder.dim)
        assert vectors.dtype == np.float32
        assert np.isfinite(vectors).all()
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)

    def test_nothing_gives_no_rows(self, encoder: TextEncoder) -> None:
        assert encoder.encode([]).shape == (0, encoder.dim)

    def test_same_text_same_vector(self, encoder: TextEncoder) -> None:
        once, again = encoder.encode(["Paris"]), encoder.encode(["Paris"])
        np.testing.assert_array_equal(once, again)

    def test_order_and_company_do_not_matter(self, encoder: TextEncoder) -> None:
        together = encoder.encode(TEXTS)
        backwards = encoder.encode(TEXTS[::-1])[::-1]
        alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
        np.testing.assert_allclose(together, backwards, atol=self.tolerance)
        np.testing.assert_allclose(together, alone, atol=self.tolerance)

    def test_different_texts_differ(self, encoder: TextEncoder) -> None:
        vectors = encoder.encode(["Paris", "currency of a country", "director"])
        similar = vectors @ vectors.T
        assert similar[~np.eye(3, dtype=bool)].max() < 0.999

    def test_like_texts_are_nearer_than_unlike_ones(self, encoder: TextEncoder) -> None:
        a, b, c = encoder.encode(["directed by", "film directed by", "population density 1990"])
        assert a @ b > a @ c

    def test_it_has_the_abilities_it_states(self, encoder: TextEncoder) -> None:
        assert encoder.abilities <= {"tokens"}
        if not encodes_tokens(encoder):
            return
        assert isinstance(encoder, TokenEncoder)
        states, offsets = encoder.encode_tokens(TEXTS)
        assert states.dtype == np.float32
        assert offsets.dtype == np.int64
        assert offsets.shape == (len(TEXTS) + 1,)
        assert states.shape == (offsets[-1], encoder.dim)
        assert offsets[0] == 0
        assert (np.diff(offsets) > 0).all()
        assert np.isfinite(states).all()

    def test_token_states_keep_their_text(self, encoder: TextEncoder) -> None:
        if not encodes_tokens(encoder):
            pytest.skip("this encoder states no ability 'tokens'")
        states, offsets = encoder.encode_tokens(TEXTS)
        for i, text in enumerate(TEXTS):
            alone = encoder.encode_tokens([text])
            assert alone.offsets.tolist() == [0, offsets[i + 1] - offsets[i]]
            np.testing.assert_allclose(alone.states, states[offsets[i] : offsets[i + 1]], atol=20 * self.tolerance)
        spans = encoder.token_spans(TEXTS)
        assert spans.shape == (len(states), 2)
        assert spans.dtype == np.int64
        for i, text in enumerate(TEXTS):
            mine = spans[offsets[i] : offsets[i + 1]]
            assert (mine[:, 0] <= mine[:, 1]).all()
            assert mine.max() <= len(text)
        nothing = encoder.encode_tokens([])
        assert encoder.token_spans([]).shape == (0, 2)
        assert nothing.states.shape == (0, encoder.dim)
        assert nothing.offsets.tolist() == [0]
