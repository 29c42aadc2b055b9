"""Beams weighed by the decoder and the encoder together."""

from __future__ import annotations

import numpy as np

from clew.learning.beams import SIMILARITY_WEIGHTS, ScoredBeams, best_similarity_weight


def test_the_encoder_has_a_say_where_it_helps() -> None:
    """Of two plans the model prefers the wrong one by a little, the encoder the right one."""
    questions = [ScoredBeams(np.array([-1.0, -2.0]), np.array([0.5, 0.8]), np.array([False, True]))] * 3
    assert [each.best(weight) for each in questions[:1] for weight in SIMILARITY_WEIGHTS[:4]] == [0, 0, 0, 1]
    assert best_similarity_weight(questions) == 4.0
    assert (
        best_similarity_weight([ScoredBeams(np.array([-1.0, -2.0]), np.array([0.5, 0.8]), np.array([True, False]))])
        == 0.0
    )
