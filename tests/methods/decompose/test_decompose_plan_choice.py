"""Which plan is asked, and when none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from clew.errors import FormatError
from clew.methods.decompose.plan_choice import (
    FILE,
    PlanChoice,
    PlanOption,
    best_minimum_score,
    read_plan_choice,
    save_plan_choice,
)

SURE, LIKE = PlanOption(((0, True),), -0.1, 0.2), PlanOption(((1, True),), -0.5, 0.6)


def test_the_encoder_has_a_say_and_doubt_leaves_the_question_whole() -> None:
    assert PlanChoice().best([SURE, LIKE]) == SURE
    assert PlanChoice(similarity_weight=2.0).best([SURE, LIKE]) == LIKE
    assert PlanChoice(similarity_weight=2.0, minimum_score=0.7).best([SURE, LIKE]) == LIKE
    assert PlanChoice(similarity_weight=2.0, minimum_score=0.8).best([SURE, LIKE]) is None
    assert PlanChoice().best([]) is None


@pytest.mark.parametrize(
    ("scores", "gains", "minimum_score"),
    [
        ([1.0, 2.0, 3.0], [1, 0, 1], None),  # nothing is lost by asking all
        ([3.0, 1.0, 2.0], [1, -1, -1], 2.5),
        ([1.0, 2.0, 3.0], [-1, 1, 0], 1.5),
        ([1.0, 1.0, 2.0], [-1, 1, 1], None),  # equal scores cannot be told apart
        ([1.0, 2.0], [0, -1], 2.5),  # no plan is worth asking
        ([], [], None),
    ],
)
def test_the_threshold_gains_most(scores: list[float], gains: list[int], minimum_score: float | None) -> None:
    assert best_minimum_score(scores, gains) == minimum_score
    kept = [gain for score, gain in zip(scores, gains, strict=True) if minimum_score is None or score >= minimum_score]
    assert sum(kept) == max([sum(g for s, g in zip(scores, gains, strict=True) if s >= t) for t in [*scores, 9.0]])


def test_it_is_kept_beside_the_decoder(tmp_path: Path) -> None:
    assert read_plan_choice(tmp_path) == PlanChoice()
    for choosing in (PlanChoice(similarity_weight=8.0, minimum_score=-0.25), PlanChoice()):
        save_plan_choice(tmp_path, choosing)
        assert read_plan_choice(tmp_path) == choosing
    (tmp_path / FILE).write_text('{"similarity_weight": "many"}')
    with pytest.raises(FormatError, match="train again"):
        read_plan_choice(tmp_path)
