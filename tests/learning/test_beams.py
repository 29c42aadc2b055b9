"""Beams weighed by the decoder and the encoder together."""

from __future__ import annotations

import numpy as np

from clew.learning.beams import WORDS, Chance, best_words


def test_the_encoder_has_a_say_where_it_helps() -> None:
    """Of two plans the model prefers the wrong one by a little, the encoder the right one."""
    chances = [Chance(np.array([-1.0, -2.0]), np.array([0.5, 0.8]), np.array([False, True]))] * 3
    assert [chance.best(words) for chance in chances[:1] for words in WORDS[:4]] == [0, 0, 0, 1]
    assert best_words(chances) == 4.0
    assert best_words([Chance(np.array([-1.0, -2.0]), np.array([0.5, 0.8]), np.array([True, False]))]) == 0.0
