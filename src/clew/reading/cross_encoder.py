"""The second look: a BERT that reads a question and a plan together, for the few plans that the first network likes.

The first network (`network`) sees a relation as one vector and can rate a hundred plans in a millisecond. This one sees
every word of a plan beside every word of the question, through all layers of the sentence encoder, trained further for
this; it takes some milliseconds a plan. After Nogueira & Cho 2019, "Passage re-ranking with BERT".

Shapes: K plans looked at, T tokens of all of them, D width of the encoder.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from clew.encoding.bert import Ints, bert_shape
from clew.encoding.local import find_weights
from clew.errors import ConfigError, FormatError, NotFoundError
from clew.reading.network import Floats
from clew.reading.pairs import MARKS, PairSigns, Sequenced, StepWords, empty_plan, pair, plan_part, question_part
from clew.reading.plantext import Sheet
from clew.reading.wording import QuestionWording, mention_flags

FORMAT = 1
KEPT = 100_000  # texts whose tokens are kept


class _Judging(Protocol):
    def firsts(self, tokens: Ints, lengths: Ints, added: Floats) -> Floats: ...


class CrossEncoder:
    """Rates plans beside the question. One may serve several threads. Nothing is loaded before the first question.

    Args:
        path: weights written by `clew.reading.train_cross`. Raises NotFoundError where there is no file, FormatError
            where it is not of this version.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise NotFoundError(f"{path}: no such file; make it with  python -m clew.reading.train_cross")
        try:
            with safe_open(str(path), "np") as file:
                about = json.loads((file.metadata() or {}).get("clew", "{}"))
        except (SafetensorError, ValueError) as error:
            raise FormatError(f"{path}: damaged ({error}); expected weights of clew.reading.train_cross") from None
        if about.get("format") != FORMAT:
            raise FormatError(
                f"{path}: format {about.get('format')!r}, expected {FORMAT}: it was made by another version of clew; "
                "make it again with  python -m clew.reading.train_cross"
            )
        self._path, self._encoder = path, str(about["encoder"])
        self._words: dict[str, list[int]] = {}
        self._lock = Lock()

    @cached_property
    def _folder(self) -> Path:
        return find_weights(self._encoder)

    @cached_property
    def _loaded(self) -> tuple[_Judging, Floats, Floats, float]:
        """The engine, the (MARKS, D) embeddings of marks, and the last layer's (D,) weights and bias."""
        shape = bert_shape(self._folder)
        if shape is None:
            raise ConfigError(
                f"encoder {self._encoder}: {self._folder} is no plain BERT, which {self._path.name} needs"
            )
        with safe_open(str(self._path), "np") as file:
            weights = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        marks, score, bias = (weights.pop(name) for name in ("mark.weight", "score.weight", "score.bias"))
        if marks.shape != (MARKS, shape.width):
            raise FormatError(f"{self._path}: marks of shape {marks.shape}, expected {(MARKS, shape.width)}")
        engine: _Judging
        if importlib.util.find_spec("onnxruntime") is not None:
            from clew.encoding.onnx_bert import JudgingBert

            engine = JudgingBert(self._folder, shape, weights)
        else:
            import torch

            from clew.encoding.torch_bert import TorchBert

            engine = TorchBert(self._folder, shape, torch.device("cpu"), torch.float32, weights)
        return engine, marks, score[0], float(bias[0])

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _signs(self) -> PairSigns:
        return PairSigns.of(self._tokenizer.token_to_id)

    def sequences(self, asked: QuestionWording, page: Sheet, chosen: Sequence[int]) -> list[Sequenced]:
        """What the network is given for each of the plans `chosen` of the sheet, and at last for "none of these"."""
        with self._lock:
            question = self._question(asked)
            steps = [
                StepWords(self._text(step.first), self._text(step.second), step.way, self._text(kind))
                for step, kind in zip(page.steps, page.step_kinds, strict=True)
            ]
            starts = [self._text(kind) for kind in page.start_kinds]
            plans = [(page.tokens[i].tolist(), self._text(page.kinds[i])) for i in chosen]
            made = [plan_part(row, steps, kind, starts, self._signs) for row, kind in plans]
            return [pair(question, plan) for plan in (*made, empty_plan(self._signs))]

    def rate(self, rows: Sequence[Sequenced]) -> Floats:
        """(K,) logits of sequences over one question, one against another."""
        with self._lock:
            engine, marks, score, bias = self._loaded
        tokens = np.concatenate([np.array(words, np.int64) for words, _ in rows])
        marked = np.concatenate([np.array(each, np.int64) for _, each in rows])
        lengths = np.array([len(words) for words, _ in rows], np.int64)
        logits: Floats = engine.firsts(tokens, lengths, marks[marked]) @ score + np.float32(bias)
        return logits

    def _question(self, asked: QuestionWording) -> Sequenced:
        read = self._tokenizer.encode(asked.text, add_special_tokens=False)
        spans = np.array(read.offsets, np.int64).reshape(-1, 2)
        return question_part(read.ids, mention_flags(spans, asked.spans).tolist(), self._signs)

    def _text(self, text: str) -> list[int]:
        if not text:
            return []
        known = self._words.get(text)
        if known is None:
            if len(self._words) > KEPT:
                self._words.clear()
            known = self._words[text] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return known
