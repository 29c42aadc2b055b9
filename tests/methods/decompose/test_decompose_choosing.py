"""Which plan is asked, and when none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import FormatError
from clew.methods.decompose.choosing import FILE, Choosing, Option, best_least, read_choosing, save_choosing

SURE, LIKE = Option(((0, True),), -0.1, 0.2), Option(((1, True),), -0.5, 0.6)


def test_the_encoder_has_a_say_and_doubt_leaves_the_question_whole() -> None:
    assert Choosing().best([SURE, LIKE]) == SURE
    assert Choosing(words=2.0).best([SURE, LIKE]) == LIKE
    assert Choosing(words=2.0, least=0.7).best([SURE, LIKE]) == LIKE
    assert Choosing(words=2.0, least=0.8).best([SURE, LIKE]) is None
    assert Choosing().best([]) is None


@pytest.mark.parametrize(
    ("scores", "gains", "least"),
    [
        ([1.0, 2.0, 3.0], [1, 0, 1], None),  # nothing is lost by asking all
        ([3.0, 1.0, 2.0], [1, -1, -1], 2.5),
        ([1.0, 2.0, 3.0], [-1, 1, 0], 1.5),
        ([1.0, 1.0, 2.0], [-1, 1, 1], None),  # equal scores cannot be told apart
        ([1.0, 2.0], [0, -1], 2.5),  # no plan is worth asking
        ([], [], None),
    ],
)
def test_the_threshold_gains_most(scores: list[float], gains: list[int], least: float | None) -> None:
    assert best_least(scores, gains) == least
    kept = [gain for score, gain in zip(scores, gains, strict=True) if least is None or score >= least]
    assert sum(kept) == max([sum(g for s, g in zip(scores, gains, strict=True) if s >= t) for t in [*scores, 9.0]])


def test_it_is_kept_beside_the_decoder(tmp_path: Path) -> None:
    assert read_choosing(tmp_path) == Choosing()
    for choosing in (Choosing(8.0, -0.25), Choosing(0.0, None)):
        save_choosing(tmp_path, choosing)
        assert read_choosing(tmp_path) == choosing
    (tmp_path / FILE).write_text('{"words": "many"}')
    with pytest.raises(FormatError, match="train again"):
        read_choosing(tmp_path)
