"""One batch of a causal language model, from token ids to texts: what transformers' `generate` does not do by row.

Rows of a batch may differ in length limit, temperature, seed, stop strings and constraint. Sampling is done as greedy
search over logits with Gumbel noise from the row's own generator, which draws from exactly the same distribution and
makes a seeded request independent of its neighbours.

Shapes: B rows, L tokens of the longest prompt, V vocabulary, D width of the model, K beams.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList


class Mask(Protocol):
    """Narrows the next token of one row."""

    def apply(self, prefix: tuple[int, ...], scores: Tensor) -> None:
        """Set the (V,) scores of what may not follow the written `prefix` to -inf, in place."""
        ...


@dataclass(slots=True)
class DecodingRow:
    """One text to write."""

    ids: list[int]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0
    stop: tuple[str, ...] = ()
    mask: Mask | None = None
    soft_prompt: NDArray[np.float32] | None = None  # (tokens, D)
    soft_at: int = 0  # position in `ids` before which it is inserted
    cancelled: threading.Event | None = None

    def __len__(self) -> int:
        return len(self.ids) + (0 if self.soft_prompt is None else len(self.soft_prompt))


@dataclass(frozen=True, slots=True)
class DecodedText:
    """One text in tokens, without its end token."""

    ids: tuple[int, ...]
    logprob: float  # of the tokens and the end, under the model's own distribution (no temperature, no constraint)
    tokens: int  # how many the log-probability covers
    ended: bool  # with an end token or a stop string, not at the limit
    usable: bool = True  # False for a beam that had no allowed continuation


class _Steps(LogitsProcessor):  # type: ignore[misc]
    """Masks, log-probabilities and noise, in this order, at every step of a batch without beams."""

    def __init__(self, rows: Sequence[DecodingRow], device: torch.device) -> None:
        self._rows = rows
        self._generators = [
            torch.Generator(device).manual_seed(row.seed) if row.temperature > 0 else None for row in rows
        ]
        self._prompt: int | None = None
        self._last: Tensor | None = None  # (B, V) log-probabilities of the step before
        self.chosen: list[Tensor] = []  # per step (B,) log-probability of the token taken

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        if self._prompt is None:
            self._prompt = input_ids.shape[1]
        self.note(input_ids)
        self._last = torch.log_softmax(scores.float(), dim=-1)
        scores = _masked(scores, input_ids[:, self._prompt :], [row.mask for row in self._rows])
        for i, generator in enumerate(self._generators):
            if generator is not None:
                noise = torch.empty(scores.shape[1], device=scores.device).exponential_(generator=generator)
                noise.clamp_min_(1e-20)
                scores[i] = scores[i].float() / self._rows[i].temperature - noise.log()
        return scores

    def note(self, input_ids: Tensor) -> None:
        """Keep the log-probability of the token that was just taken."""
        if self._last is not None:
            self.chosen.append(self._last.gather(1, input_ids[:, -1:])[:, 0])
            self._last = None


class _Beams(LogitsProcessor):  # type: ignore[misc]
    """Masks a search with beams and keeps the log-probability of every prefix it visits.

    transformers would keep the (B * K, V) scores of every step for that, gigabytes for a large vocabulary.
    """

    def __init__(self, rows: Sequence[DecodingRow], ends: Sequence[int], beams: int) -> None:
        self._masks = [row.mask for row in rows for _ in range(beams)]
        self._ends, self._beams = list(ends), beams
        self._prompt: int | None = None
        self._last: Tensor | None = None
        self._sums: dict[tuple[int, tuple[int, ...]], float] = {}
        self._at: dict[tuple[int, tuple[int, ...]], int] = {}  # prefixes of the last step, and their row in `_last`

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        if self._prompt is None:
            self._prompt = input_ids.shape[1]
        written = input_ids[:, self._prompt :]
        scores = _masked(scores, written, self._masks)  # transformers passes log-probabilities here
        at: dict[tuple[int, tuple[int, ...]], int] = {}
        ends = scores[:, self._ends].tolist()
        for i, ids in enumerate(written.tolist()):
            key = (i // self._beams, tuple(ids))
            if key in at:
                continue
            at[key] = i
            total = self.logprob(*key)
            for end, score in zip(self._ends, ends[i], strict=True):  # a text that ends here is not shown again
                self._sums[(key[0], (*key[1], end))] = total + score
            self._sums[key] = total
        self._at, self._last = at, scores
        return scores

    def logprob(self, row: int, ids: tuple[int, ...]) -> float:
        """Sum over the tokens of a text of a row; -inf for one that its mask forbids or that was never visited."""
        known = self._sums.get((row, ids))
        if known is not None:
            return known
        if not ids:
            return 0.0
        parent = self._at.get((row, ids[:-1]))
        if parent is None or self._last is None:
            return -math.inf
        return self._sums[(row, ids[:-1])] + float(self._last[parent, ids[-1]])


def _masked(scores: Tensor, written: Tensor, masks: Sequence[Mask | None]) -> Tensor:
    """A copy of the scores in which what may not follow is -inf."""
    if all(mask is None for mask in masks):
        return scores
    scores = scores.clone()
    for i, (mask, prefix) in enumerate(zip(masks, written.tolist(), strict=True)):
        if mask is not None:
            mask.apply(tuple(prefix), scores[i])
    return scores


class _Stops(StoppingCriteria):  # type: ignore[misc]
    """A row's own length limit, stop strings, and whether its reader has gone away."""

    def __init__(self, rows: Sequence[DecodingRow], decode: Callable[[Sequence[int]], str]) -> None:
        self._rows, self._decode = rows, decode
        self._prompt: int | None = None
        longest = [max((len(s.encode()) for s in row.stop), default=0) for row in rows]
        self._tail = [n + 4 for n in longest]  # a token is at least a byte

    def __call__(self, input_ids: Tensor, scores: Tensor, **_: Any) -> Tensor:
        if self._prompt is None:
            self._prompt = input_ids.shape[1] - 1
        length = input_ids.shape[1] - self._prompt
        done = []
        per_row = input_ids.shape[0] // len(self._rows)  # a search with beams also shows the candidates it will drop
        for i in range(input_ids.shape[0]):
            row = self._rows[i // per_row]
            stop = length >= row.max_tokens or (row.cancelled is not None and row.cancelled.is_set())
            if not stop and row.stop:
                text = self._decode(input_ids[i, self._prompt :][-self._tail[i // per_row] :].tolist())
                stop = any(word in text for word in row.stop)
            done.append(stop)
        return torch.tensor(done, device=input_ids.device)


@dataclass(slots=True)
class Decoder:
    """What decoding needs to know of an opened model."""

    model: Any
    ends: list[int]
    pad: int
    decode: Callable[[Sequence[int]], str]
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))

    @torch.inference_mode()
    def write(
        self, rows: Sequence[DecodingRow], *, beams: int = 0, n: int = 1, streamer: Any = None
    ) -> list[list[DecodedText]]:
        """The texts of each row, best first: one, or `n` of `beams` when searching with beams.

        Beams are ordered by log-probability per token; all rows of a search with beams share a length limit.
        """
        inputs, prompt = self._inputs(rows)
        steps = _Steps(rows, self.device)
        search = _Beams(rows, self.ends, beams)
        output = self.model.generate(
            **inputs,
            generation_config=GenerationConfig(
                max_new_tokens=max(row.max_tokens for row in rows),
                num_beams=max(beams, 1),
                num_return_sequences=n if beams else 1,
                do_sample=False,
                length_penalty=1.0,
                eos_token_id=self.ends,
                pad_token_id=self.pad,
                return_dict_in_generate=True,
                use_cache=True,
            ),
            logits_processor=LogitsProcessorList([search if beams else steps]),
            stopping_criteria=StoppingCriteriaList([_Stops(rows, self.decode)]),
            streamer=streamer,
        )
        sequences = output.sequences[:, prompt:]
        if beams:
            ids = sequences.tolist()
            return [[self._beam(row, b, ids[b * n + i], search) for i in range(n)] for b, row in enumerate(rows)]
        steps.note(output.sequences)
        logprobs = torch.stack(steps.chosen, dim=1).tolist() if steps.chosen else [[] for _ in rows]
        return [[self._text(row, ids, lp)] for row, ids, lp in zip(rows, sequences.tolist(), logprobs, strict=True)]

    def _inputs(self, rows: Sequence[DecodingRow]) -> tuple[dict[str, Tensor], int]:
        """Left-padded prompts and how many columns of the output they take."""
        longest = max(len(row) for row in rows)
        mask = torch.zeros((len(rows), longest), dtype=torch.long)
        for i, row in enumerate(rows):
            mask[i, longest - len(row) :] = 1
        if all(row.soft_prompt is None for row in rows):
            ids = torch.full((len(rows), longest), self.pad, dtype=torch.long)
            for i, row in enumerate(rows):
                ids[i, longest - len(row) :] = torch.tensor(row.ids)
            return {"input_ids": ids.to(self.device), "attention_mask": mask.to(self.device)}, longest
        table = self.model.get_input_embeddings()
        vectors = torch.zeros((len(rows), longest, table.weight.shape[1]), dtype=table.weight.dtype, device=self.device)
        for i, row in enumerate(rows):
            mine = table(torch.tensor(row.ids, device=self.device))
            if row.soft_prompt is not None:
                soft = torch.tensor(row.soft_prompt).to(self.device, mine.dtype)
                mine = torch.cat([mine[: row.soft_at], soft, mine[row.soft_at :]])
            vectors[i, longest - len(row) :] = mine
        return {"inputs_embeds": vectors, "attention_mask": mask.to(self.device)}, 0

    def _text(self, row: DecodingRow, ids: list[int], logprobs: list[float]) -> DecodedText:
        end = next((i for i, token in enumerate(ids) if token in self.ends), None)
        length = min(len(ids) if end is None else end + 1, row.max_tokens)
        kept = ids[:length] if end is None or end >= length else ids[:end]
        ended = end is not None and end < length
        if not ended and row.stop:
            text = self.decode(kept)
            ended = any(word in text for word in row.stop)
        return DecodedText(tuple(kept), float(sum(logprobs[:length])), length, ended)

    def _beam(self, row: DecodingRow, number: int, ids: list[int], search: _Beams) -> DecodedText:
        written = self._text(row, ids, [])
        logprob = search.logprob(number, tuple(ids[: written.tokens]))
        return replace(written, logprob=logprob, usable=logprob > -math.inf)
