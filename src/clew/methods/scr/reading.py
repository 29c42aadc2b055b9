"""Questions and walks as the network's question encoder reads them, for training and search alike.

Shapes: B walks, P steps, L tokens, E width of the encoder, D width of the network.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew.graph import Subgraph
from clew.labels import label_to_text
from clew.methods.scr.features import Floats, QuestionStates
from clew.methods.scr.network import BertReader, QuestionMemory, StepDecoder, StepwiseNetwork

Int = NDArray[Any]
QUESTION_TOKENS = 48
NAME_TOKENS = 18  # of an entity or relation (the published code)


class QuestionReading(Protocol):
    """Some questions, ready to be asked at any point of any walk."""

    def every_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        """(B, P, D) queries of all steps of the walks: `rows` (B,), `entities` (B, P), `codes` (B, P-1)."""
        ...

    def last_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        """(B, D) queries of the last step."""
        ...


class StateReading:
    """The light encoder: each question's memory is computed once."""

    def __init__(self, network: StepwiseNetwork, states: QuestionStates, rows: Int, vectors: Floats, relations: Tensor):
        assert isinstance(network.question, StepDecoder)
        self._decoder, self._vectors, self._relations = network.question, vectors, relations
        self._device = relations.device
        self._memory: QuestionMemory = self._decoder.remember(*states.padded(rows, self._device))

    def every_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        names = torch.from_numpy(self._vectors[entities]).to(self._device)  # (B, P, E)
        r = len(self._relations)
        steps = torch.from_numpy(np.concatenate([np.full((len(rows), 1), 2 * r), codes], 1)).to(self._device)
        kinds = torch.where(steps >= 2 * r, 2, steps // max(r, 1))
        relations = self._relations[steps % max(r, 1)]
        queries: Tensor = self._decoder(
            self._memory, torch.from_numpy(np.asarray(rows)).to(self._device), names, relations, kinds
        )
        return queries

    def last_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        return self.every_step(rows, entities, codes)[:, -1]


class TextReading:
    """The paper's encoder: `[CLS] q [SEP] e0 [SEP] r1 [SEP] e1 [SEP] ...` (Eq. 1 and 8)."""

    def __init__(
        self, network: StepwiseNetwork, encoder: Path, texts: Sequence[str], graph: Subgraph, device: torch.device
    ):
        from tokenizers import Tokenizer

        assert isinstance(network.question, BertReader)
        self._reader, self._graph, self._device = network.question, graph, device
        self._tokenizer: Any = Tokenizer.from_file(str(encoder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        ids: list[int] = self._tokenizer.encode("", add_special_tokens=True).ids  # [CLS] [SEP]
        start, self._separator = ids
        self._questions = [[start, *self._ids(text, QUESTION_TOKENS), self._separator] for text in texts]
        self._names: dict[tuple[str, int], list[int]] = {}

    def _ids(self, text: str, limit: int) -> list[int]:
        ids: list[int] = self._tokenizer.encode(text, add_special_tokens=False).ids
        return ids[:limit]

    def _name(self, kind: str, number: int) -> list[int]:
        key = (kind, number)
        if key not in self._names:
            if kind == "entity":
                label = self._graph.labels([number])[0].replace("_", " ")
            else:
                label = label_to_text(self._graph.relation(number).label)
            self._names[key] = [*self._ids(label, NAME_TOKENS), self._separator]
        return self._names[key]

    def _sequence(self, row: int, entities: Sequence[int], codes: Sequence[int]) -> list[int]:
        tokens = [*self._questions[row], *self._name("entity", entities[0])]
        for code, entity in zip(codes, entities[1:], strict=True):
            tokens += self._name("relation", code % self._graph.num_relations) + self._name("entity", entity)
        return tokens

    def _encode(self, sequences: list[list[int]]) -> Tensor:
        lengths = np.array([len(tokens) for tokens in sequences])
        padded = np.zeros((len(sequences), int(lengths.max())), np.int64)
        real = np.arange(padded.shape[1]) < lengths[:, None]
        padded[real] = np.concatenate([np.array(tokens) for tokens in sequences])
        queries: Tensor = self._reader(
            torch.from_numpy(padded).to(self._device), torch.from_numpy(real).to(self._device)
        )
        return queries

    def every_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        b, p = entities.shape
        sequences = [
            self._sequence(int(rows[i]), entities[i, : j + 1].tolist(), codes[i, :j].tolist())
            for i in range(b)
            for j in range(p)
        ]
        return self._encode(sequences).view(b, p, -1)

    def last_step(self, rows: Int, entities: Int, codes: Int) -> Tensor:
        return self._encode(
            [self._sequence(int(r), e.tolist(), c.tolist()) for r, e, c in zip(rows, entities, codes, strict=True)]
        )
