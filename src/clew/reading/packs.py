"""Training records as flat arrays: what one source of questions gives the network, encoded once and kept on disk.

Shapes: R records, Q distinct questions, T texts, N question tokens of all questions; per record S steps, P plans of L
tokens, M mentions; F plan features.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError
from clew.reading.records import TrainingRecord
from clew.reading.wording import mention_flags

Array = NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pack:
    """Records of one source. Every `…_at` holds (R + 1,) offsets into what follows it."""

    group: str  # what is left out together
    texts: Array  # bytes of step and kind texts, a zero after each; the first is empty
    questions: Array  # the same of the questions
    vectors: Array  # (T, states) float16 of the texts; row 0 is no text
    states: Array  # (N, states) float16
    states_at: Array  # (Q + 1,)
    flags: Array  # (N,) mention numbers from 1, 0 for none
    question: Array  # (R,)
    steps_at: Array
    steps: Array  # (ΣS, 4) first text, second text, way, text of the kind it leads to
    step_features: Array  # (ΣS, G)
    asked: Array  # (ΣS,) 1 where a right plan walks the step
    plans_at: Array
    tokens: Array  # (ΣP, L, 4)
    features: Array  # (ΣP, F)
    kinds: Array  # (ΣP,) texts
    labels: Array  # (ΣP,)
    mentions_at: Array
    start_kinds: Array  # (ΣM,) texts

    def __len__(self) -> int:
        return len(self.question)

    @classmethod
    def of(cls, group: str, records: Sequence[TrainingRecord], encoder: Any) -> Pack:
        """The records with every text encoded."""
        texts: dict[str, int] = {"": 0}
        questions: dict[tuple[str, tuple[tuple[int, int, int], ...]], int] = {}

        def number(text: str) -> int:
            return texts.setdefault(text, len(texts))

        which = [questions.setdefault((r.text, r.spans), len(questions)) for r in records]
        steps = [
            [
                (number(s.first), number(s.second), s.way, number(kind))
                for s, kind in zip(r.sheet.steps, r.sheet.step_kinds, strict=True)
            ]
            for r in records
        ]
        kinds = [[number(kind) for kind in r.sheet.kinds] for r in records]
        start_kinds = [[number(kind) for kind in r.sheet.start_kinds] for r in records]
        longest = max(r.sheet.tokens.shape[1] for r in records)
        tokens = [np.pad(r.sheet.tokens, ((0, 0), (0, longest - r.sheet.tokens.shape[1]), (0, 0))) for r in records]
        vectors = encoder.encode(list(texts)).astype(np.float16)
        vectors[0] = 0
        asked = [text for text, _ in questions]
        states, states_at = encoder.encode_tokens(asked)
        spans = np.split(encoder.token_spans(asked), states_at[1:-1])
        flags = [mention_flags(part, marked) for (_, marked), part in zip(questions, spans, strict=True)]
        return cls(
            group,
            _joined(list(texts)),
            _joined(asked),
            vectors,
            states.astype(np.float16),
            states_at,
            np.concatenate(flags).astype(np.int8),
            np.array(which, np.int64),
            _offsets(steps),
            np.array([row for rows in steps for row in rows], np.int32),
            np.concatenate([r.sheet.step_features for r in records]).astype(np.float16),
            np.array([label for r in records for label in r.asked_steps], np.int8),
            _offsets(kinds),
            np.concatenate(tokens).astype(np.int16),
            np.concatenate([r.sheet.features for r in records]).astype(np.float16),
            np.array([kind for row in kinds for kind in row], np.int32),
            np.array([label for r in records for label in r.labels], np.int8),
            _offsets(start_kinds),
            np.array([kind for row in start_kinds for kind in row], np.int32),
        )

    def save(self, path: Path) -> None:
        """Whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(".part.npz")
        np.savez(beside, **{field.name: getattr(self, field.name) for field in fields(self)})
        beside.replace(path)

    @classmethod
    def load(cls, path: Path) -> Pack:
        """Raises FormatError for a file that is no pack."""
        try:
            with np.load(path, allow_pickle=False) as file:
                arrays = {field.name: file[field.name] for field in fields(cls)}
        except (OSError, ValueError, KeyError) as error:
            raise FormatError(f"{path}: no pack of training records ({error}); delete it and train again") from None
        return cls(**{**arrays, "group": str(arrays["group"])})


def _joined(texts: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("".join(f"{text}\0" for text in texts).encode("utf-8", "replace"), np.uint8)


def texts_of(joined: Array) -> list[str]:
    """The texts of a pack, or its questions."""
    return joined.tobytes().decode().split("\0")[:-1]


def _offsets(rows: Sequence[Sequence[Any]]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
