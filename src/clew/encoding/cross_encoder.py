"""A sentence encoder trained further to read two texts as one and to give them one score.

It sees every word of one beside every word of the other, through all layers; it takes some milliseconds a pair. After
Nogueira & Cho 2019, "Passage re-ranking with BERT". Who uses it writes the sequences: `clew.reading.cross_encoder` for
relation paths, `clew.retrieval.events.second_look` for plans over events.

The weights of a second one that was trained on from a first are stored as differences in four bits: what that changes
is less than what the seven bits change in which ONNX Runtime multiplies (`onnx_bert`).

Shapes: K sequences, T tokens of all of them, D width of the encoder, G of the differences that share a step.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from tokenizers import Tokenizer

from clew.encoding.bert import Floats, Ints, bert_shape
from clew.encoding.local import find_weights
from clew.errors import ConfigError, FormatError, NotFoundError

SHIPPED = Path(__file__).parent / "weights" / "cross.safetensors"
FORMAT = 1
LEVELS, GROUP = 7, 64  # of a difference to either side of zero; differences that share a step
KEPT = 100_000  # texts whose tokens are kept

Words = Sequence[int]  # token numbers of a text
Sequenced = tuple[Sequence[int], Sequence[int]]  # token numbers and their marks


class _Judging(Protocol):
    def firsts(self, tokens: Ints, lengths: Ints, added: Floats) -> Floats: ...


class CrossEncoder:
    """Scores sequences of tokens. One may serve several threads. Nothing is loaded before the first question.

    Args:
        path: weights, in safetensors. Raises NotFoundError where there is no file, FormatError where it is not of this
            version.
        maker: the command that writes such a file.
        marks: how many marks a token may have one of; each is embedded and added to what the token is.
        base: the weights that those of `path` are differences to. Raises FormatError where they are of others.
    """

    def __init__(self, path: Path, maker: str, marks: int, base: Path | None = None) -> None:
        if not path.is_file():
            raise NotFoundError(f"{path}: no such file; make it with  {maker}")
        try:
            with safe_open(str(path), "np") as file:
                about = json.loads((file.metadata() or {}).get("clew", "{}"))
        except (SafetensorError, ValueError) as error:
            raise FormatError(f"{path}: damaged ({error}); expected weights of  {maker}") from None
        if about.get("format") != FORMAT:
            raise FormatError(
                f"{path}: format {about.get('format')!r}, expected {FORMAT}: it was made by another version of clew; "
                f"make it again with  {maker}"
            )
        if base is not None and about.get("base") != digest(base):
            raise FormatError(
                f"{path}: its weights are differences to others than those of {base}; make it again with  {maker}"
            )
        self._path, self._marks, self._base, self.encoder = path, marks, base, str(about["encoder"])
        self._words: dict[str, list[int]] = {}
        self._lock = Lock()

    @cached_property
    def _folder(self) -> Path:
        return find_weights(self.encoder)

    @cached_property
    def _loaded(self) -> tuple[_Judging, Floats, Floats, float]:
        """The engine, the (marks, D) embeddings of marks, and the last layer's (D,) weights and bias."""
        shape = bert_shape(self._folder)
        if shape is None:
            raise ConfigError(f"encoder {self.encoder}: {self._folder} is no plain BERT, which {self._path.name} needs")
        weights = tensors(self._path)
        weights = weights if self._base is None else added(weights, tensors(self._base))
        weights = {name: values.astype(np.float32) for name, values in weights.items()}
        marks, score, bias = (weights.pop(name) for name in ("mark.weight", "score.weight", "score.bias"))
        if marks.shape != (self._marks, shape.width):
            raise FormatError(f"{self._path}: marks of shape {marks.shape}, expected {(self._marks, shape.width)}")
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
    def tokenizer(self) -> Tokenizer:
        """Of the encoder, without padding and truncation."""
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def rate(self, rows: Sequence[Sequenced]) -> Floats:
        """(K,) logits of sequences over one question, one against another."""
        with self._lock:
            engine, marks, score, bias = self._loaded
        tokens = np.concatenate([np.array(words, np.int64) for words, _ in rows])
        marked = np.concatenate([np.array(each, np.int64) for _, each in rows])
        lengths = np.array([len(words) for words, _ in rows], np.int64)
        logits: Floats = engine.firsts(tokens, lengths, marks[marked]) @ score + np.float32(bias)
        return logits

    def words(self, text: str) -> list[int]:
        """Token numbers of a text without special tokens."""
        if not text:
            return []
        with self._lock:
            known = self._words.get(text)
            if known is None:
                if len(self._words) > KEPT:
                    self._words.clear()
                known = self._words[text] = self.tokenizer.encode(text, add_special_tokens=False).ids
        return known


def tensors(path: Path) -> dict[str, NDArray[Any]]:
    """What a file of safetensors holds."""
    with safe_open(str(path), "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def digest(path: Path) -> str:
    """What tells the weights of one training from those of another."""
    with safe_open(str(path), "np") as file:
        return hashlib.sha256(file.get_tensor("score.weight").tobytes()).hexdigest()


def differences(weights: Mapping[str, NDArray[Any]], base: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Weights by their differences to others of the same names.

    A matrix `name` (A, B) whose rows are whole groups becomes `name.steps` (A, B / 2), two of them in each byte, and
    `name.step` (A, B / G); all else stays as it is, in float16.
    """
    made: dict[str, NDArray[Any]] = {}
    for name, values in weights.items():
        other = base[name]
        if values.ndim < 2 or values.shape != other.shape or values.shape[1] % GROUP:
            made[name] = values.astype(np.float16)
            continue
        groups = (values.astype(np.float32) - other.astype(np.float32)).reshape(len(values), -1, GROUP)
        step = (np.abs(groups).max(axis=2) / LEVELS).astype(np.float16)
        whole = np.rint(groups / np.maximum(step.astype(np.float32), 1e-8)[:, :, None])
        steps = (np.clip(whole, -LEVELS, LEVELS) + LEVELS).astype(np.uint8).reshape(len(values), -1)
        made[f"{name}.steps"], made[f"{name}.step"] = steps[:, ::2] | steps[:, 1::2] << 4, step
    return made


def added(made: Mapping[str, NDArray[Any]], base: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The weights that `differences` were made of."""
    weights = {name: values for name, values in made.items() if not name.endswith((".steps", ".step"))}
    for name, packed in made.items():
        if name.endswith(".steps"):
            name = name.removesuffix(".steps")
            steps = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(packed), -1, GROUP).astype(np.float32)
            change = (steps - LEVELS) * made[f"{name}.step"].astype(np.float32)[:, :, None]
            weights[name] = base[name].astype(np.float32) + change.reshape(len(packed), -1)
    return weights
