"""The second look: a cross-encoder for the few plans that the first network likes.

The first network (`network`) sees a relation as one vector and can rate a hundred plans in a millisecond. This one sees
every word of a plan beside every word of the question; it takes some milliseconds a plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from clew.encoding.cross_encoder import CrossEncoder, Sequenced
from clew.reading.pairs import MARKS, PairSigns, StepWords, empty_plan, pair, plan_part, question_part
from clew.reading.plantext import Sheet
from clew.reading.wording import QuestionWording, mention_flags

MAKER = "python -m clew.reading.train_cross"


class PathCrossEncoder(CrossEncoder):
    """Rates plans beside the question.

    Args:
        path: weights written by `clew.reading.train_cross`. Raises as `CrossEncoder`.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, MAKER, MARKS)

    @cached_property
    def _signs(self) -> PairSigns:
        return PairSigns.of(self.tokenizer.token_to_id)

    def sequences(self, asked: QuestionWording, page: Sheet, chosen: Sequence[int]) -> list[Sequenced]:
        """What the network is given for each of the plans `chosen` of the sheet, and at last for "none of these"."""
        question = self._question(asked)
        steps = [
            StepWords(self.words(step.first), self.words(step.second), step.way, self.words(kind))
            for step, kind in zip(page.steps, page.step_kinds, strict=True)
        ]
        starts = [self.words(kind) for kind in page.start_kinds]
        plans = [(page.tokens[i].tolist(), self.words(page.kinds[i])) for i in chosen]
        made = [plan_part(row, steps, kind, starts, self._signs) for row, kind in plans]
        return [pair(question, plan) for plan in (*made, empty_plan(self._signs))]

    def _question(self, asked: QuestionWording) -> Sequenced:
        read = self.tokenizer.encode(asked.text, add_special_tokens=False)
        spans = np.array(read.offsets, np.int64).reshape(-1, 2)
        return question_part(read.ids, mention_flags(spans, asked.spans).tolist(), self._signs)
