"""Texts to frozen vectors: entities and relations once per graph, questions once each (Eq. 2).

Separate from the network because none of this is trained: it is computed once, kept in flat arrays (many small tensors
cost several times their content), and mapped from disk for a graph that lies there.

Shapes: N entities, R relations, Q questions, L tokens, E width of the encoder.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from clew.graph import Subgraph
from clew.labels import label_to_text
from clew.protocols import TextEncoder, encodes_tokens
from clew.retrieval.masking import mask_topics
from clew.types import Topic

Floats = NDArray[np.float32]
WORD = re.compile(r"\w+|[^\w\s]")
TOPIC = "this"  # stands in a question for the topic whose walk it is
MAX_TOKENS = 64


def entity_vectors(graph: Subgraph, encoder: TextEncoder, numbers: NDArray[Any] | None = None) -> Floats:
    """(N, E) vectors of labels; zero for mediators, whose ids say nothing. `numbers`: only these local entities."""
    chosen = np.arange(graph.num_entities, dtype=np.int32) if numbers is None else numbers.astype(np.int32)
    vectors = np.zeros((len(chosen), encoder.dim), np.float32)
    named = np.flatnonzero(~graph.mediators[chosen])
    vectors[named] = encoder.encode([label.replace("_", " ") for label in graph.labels(chosen[named])])
    return vectors


def relation_vectors(graph: Subgraph, encoder: TextEncoder) -> Floats:
    """(R, E) vectors of relation labels; zero for those of no triple here."""
    vectors = np.zeros((graph.num_relations, encoder.dim), np.float32)
    used = np.unique(graph.rels)
    vectors[used] = encoder.encode([label_to_text(graph.relation(r).label) for r in used.tolist()])
    return vectors


def without_topic(text: str, topic: Topic | Sequence[str]) -> str:
    """`text` with every name of its topic replaced by a plain word.

    A question's template is what generalises; whom it is about, the walk's first entity says with its own vector.
    """
    return mask_topics(text, [topic], lambda _: TOPIC).text


def token_kind(encoder: TextEncoder) -> str:
    """How `encoder` offers token states: "tokens" in context, or "words" encoded one by one."""
    return "tokens" if encodes_tokens(encoder) else "words"


@dataclass(frozen=True, eq=False)
class QuestionStates:
    """Token states of many questions in one array: those of question q stand at offsets[q]:offsets[q+1]."""

    flat: NDArray[np.float16]  # (tokens, E)
    offsets: NDArray[np.int64]  # (Q+1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def padded(self, rows: NDArray[Any], device: torch.device | str = "cpu") -> tuple[Tensor, Tensor]:
        """(B, L, E) float32 states of the questions `rows`, and (B, L) which are real."""
        starts, lengths = self.offsets[rows], self.offsets[np.asarray(rows) + 1] - self.offsets[rows]
        place = np.arange(int(lengths.max()))
        real = place < lengths[:, None]
        states = self.flat[np.where(real, starts[:, None] + place, starts[:, None])].astype(np.float32)
        states[~real] = 0.0
        return torch.from_numpy(states).to(device), torch.from_numpy(real).to(device)


def question_states(encoder: TextEncoder, texts: Sequence[str]) -> QuestionStates:
    """Frozen states of each text's tokens; a text longer than MAX_TOKENS is cut there."""
    if encodes_tokens(encoder):
        flat, offsets = encoder.encode_tokens(list(texts))
    else:
        split = [WORD.findall(text.casefold()) or ["?"] for text in texts]
        words = {word: i for i, word in enumerate(dict.fromkeys(word for line in split for word in line))}
        table = encoder.encode(list(words), role="query")
        flat = table[[words[word] for line in split for word in line]]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(line) for line in split], out=offsets[1:])
    lengths = np.diff(offsets)
    if len(lengths) and lengths.max() > MAX_TOKENS:
        kept = np.concatenate([np.arange(a, a + min(n, MAX_TOKENS)) for a, n in zip(offsets, lengths, strict=False)])
        flat = flat[kept]
        np.cumsum(np.minimum(lengths, MAX_TOKENS), out=offsets[1:])
    return QuestionStates(flat.astype(np.float16), offsets)
