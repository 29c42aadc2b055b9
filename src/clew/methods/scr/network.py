"""SCR's network: graph encoder (Eq. 2-6), question encoder, cosine scores (Eq. 7, 10-11).

`states` is our light question encoder: token states of the frozen sentence encoder, computed once per question, are
the memory of a small causal decoder whose inputs are the steps of the path so far (each the frozen vectors of an
entity and of the relation that led to it). Its output at position i is the query of step i, so that one pass trains
every step of a path and a hop of the search costs only the small part. `bert` is the paper's: a trainable encoder
that reads `[CLS] q [SEP] e0 [SEP] r1 [SEP] e1 ...`.

Shapes: N entities, R relations, Q questions, L tokens, B paths, P steps of a path, D width, E width of the encoder.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from clew.learning.layers import Edges, RelationalAttention, RelationalConvolution
from clew.methods.scr.config import NetworkConfig

BLOCKS, HEADS = 2, 4  # of the light question encoder
TEMPERATURE = 0.05  # [tau] of the softmax over candidates (Eq. 11), before it is learned
MAX_STEPS = 16  # positions of the decoder: the topic and up to fifteen hops


@dataclass(frozen=True, eq=False)
class CandidateTables:
    """What the graph alone decides: a candidate is scored as normalise(entities[c] + relations[code])."""

    entities: Tensor  # (N, D)
    relations: Tensor  # (2R + 1, D): r forward, r backward at r + R, and last the stop
    names: Tensor  # (2R + 1, E) frozen vectors that hints are compared with, zero for the stop; E = 0 without hints


@dataclass(frozen=True, eq=False)
class QuestionMemory:
    """Questions as the decoder reads them."""

    keys: tuple[Tensor, ...]  # one (Q, heads, L, D / heads) per block
    values: tuple[Tensor, ...]
    real: Tensor  # (Q, L)
    states: Tensor  # (Q, L, E) frozen
    places: Tensor  # (Q, L, D) keys of the hint's attention


class DecoderBlock(nn.Module):
    """Pre-norm decoder block: causal attention over the steps, attention over the question, feed-forward."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(3))
        self.own, self.own_out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.ask, self.ask_out = nn.Linear(width, width), nn.Linear(width, width)
        self.memory = nn.Linear(width, 2 * width)
        self.up, self.down = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], self.heads, -1).transpose(-2, -3)  # (B, heads, P, D / heads)

    def remember(self, tokens: Tensor) -> tuple[Tensor, Tensor]:
        """(Q, L, D) to keys and values."""
        keys, values = self.memory(tokens).chunk(2, -1)
        return self._split(keys), self._split(values)

    def forward(self, x: Tensor, keys: Tensor, values: Tensor, real: Tensor) -> Tensor:
        q, k, v = self.own(self.norms[0](x)).chunk(3, -1)
        mixed = F.scaled_dot_product_attention(self._split(q), self._split(k), self._split(v), is_causal=True)
        x = x + self.dropout(self.own_out(mixed.transpose(-2, -3).flatten(-2)))
        asked = self._split(self.ask(self.norms[1](x)))
        mixed = F.scaled_dot_product_attention(asked, keys, values, attn_mask=real[:, None, None, :])
        x = x + self.dropout(self.ask_out(mixed.transpose(-2, -3).flatten(-2)))
        more: Tensor = self.dropout(self.down(F.gelu(self.up(self.norms[2](x)))))
        return x + more


class StepDecoder(nn.Module):
    """The light question encoder."""

    def __init__(self, text_width: int, config: NetworkConfig):
        super().__init__()
        width = config.width
        self.token = nn.Linear(text_width, width)
        self.places = nn.Parameter(torch.randn(64, width) * 0.02)  # of tokens; later ones share the last
        self.reader = nn.TransformerEncoderLayer(
            width, HEADS, 2 * width, config.dropout, "gelu", batch_first=True, norm_first=True
        )
        self.entity = nn.Linear(text_width, width)
        self.relation = nn.ModuleList(nn.Linear(text_width, width, bias=False) for _ in range(2))  # forward, backward
        self.steps = nn.Parameter(torch.randn(MAX_STEPS, width) * 0.02)
        self.blocks = nn.ModuleList(DecoderBlock(width, HEADS, config.dropout) for _ in range(BLOCKS))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)
        self.dropout, self.word_dropout = nn.Dropout(config.dropout), config.word_dropout
        self.look = nn.Linear(width, width) if config.hint else None
        self.looked_at = nn.Linear(width, width) if config.hint else None
        self.hint_scale = nn.Parameter(torch.tensor(5.0)) if config.hint else None

    def remember(self, states: Tensor, real: Tensor) -> QuestionMemory:
        """(Q, L, E) frozen token states and (Q, L) which are real."""
        if self.training and self.word_dropout:
            kept = real & (torch.rand(real.shape, device=real.device) >= self.word_dropout)
            real = torch.where(kept.any(1, keepdim=True), kept, real)
        place = torch.arange(states.shape[1], device=states.device).clamp_max(len(self.places) - 1)
        x = self.dropout(self.token(states)) + self.places[place]
        x = self.reader(x, src_key_padding_mask=~real)
        pairs: list[tuple[Tensor, Tensor]] = [block.remember(x) for block in self.blocks]  # type: ignore[operator]
        places = x if self.looked_at is None else self.looked_at(x)
        return QuestionMemory(tuple(k for k, _ in pairs), tuple(v for _, v in pairs), real, states, places)

    def forward(
        self, memory: QuestionMemory, rows: Tensor, entities: Tensor, relations: Tensor, kinds: Tensor
    ) -> Tensor:
        """(B, P, D) queries of every step; (B, P, D + E) where a hint follows.

        A hint is the part of the question that the step looks at, in the frozen space: what relations mean there was
        not learned from these questions, so that wordings no training question had are read as well.

        Args:
            rows: (B,) the question of each path.
            entities: (B, P, E) frozen vectors of the entities on the path.
            relations: (B, P, E) those of the relations that led there.
            kinds: (B, P) 0 forward, 1 backward, 2 no relation (the topic).
        """
        one_hot = F.one_hot(kinds, 3).to(entities.dtype)
        x = self.entity(entities) + self.steps[: entities.shape[1]]
        x = x + one_hot[..., :1] * self.relation[0](relations) + one_hot[..., 1:2] * self.relation[1](relations)
        for block, keys, values in zip(self.blocks, memory.keys, memory.values, strict=True):
            x = block(x, keys[rows], values[rows], memory.real[rows])
        x = self.norm(x)
        query = F.normalize(self.out(x).float(), dim=-1)
        if self.look is None or self.hint_scale is None:
            return query
        near = self.look(x) @ memory.places[rows].transpose(1, 2) / math.sqrt(x.shape[-1])  # (B, P, L)
        share = near.float().masked_fill(~memory.real[rows][:, None], -torch.inf).softmax(-1)
        hint = F.normalize(share @ memory.states[rows], dim=-1)
        return torch.cat([query, self.hint_scale * hint], -1)


class BertReader(nn.Module):
    """The paper's question encoder: a whole BERT-like encoder, trained along."""

    def __init__(self, folder: Path):
        super().__init__()
        from transformers import AutoConfig, AutoModel

        # The weights come from the folder only when a training starts; a trained model brings its own.
        self.model: Any = AutoModel.from_config(AutoConfig.from_pretrained(folder))

    def start_from(self, folder: Path) -> None:
        """Take the pre-trained weights."""
        from transformers import AutoModel

        self.model.load_state_dict(AutoModel.from_pretrained(folder).state_dict())

    def forward(self, tokens: Tensor, real: Tensor) -> Tensor:
        """(B, L) token numbers to (B, D) queries."""
        states = self.model(input_ids=tokens, attention_mask=real.long()).last_hidden_state
        return F.normalize(((states * real[..., None]).sum(1) / real.sum(1, keepdim=True)).float(), dim=-1)


class StepwiseNetwork(nn.Module):
    """Graph encoder, question encoder and temperature.

    Args:
        text_width: E. num_relations: R, read by the R-GCN only. encoder: folder of the text encoder, for `bert`.
    """

    def __init__(self, config: NetworkConfig, text_width: int, num_relations: int, encoder: Path | None = None):
        super().__init__()
        self.config = config
        width = config.width
        widths = [text_width, *[width] * config.layers]
        if config.gnn == "rgcn":
            layers: list[nn.Module] = [RelationalConvolution(a, width, num_relations) for a in widths[:-1]]
        elif config.gnn == "attention":
            layers = [
                RelationalAttention(a, width, text_width, message_relation=config.message_relation) for a in widths[:-1]
            ]
        else:
            layers = []
        self.layers = nn.ModuleList(layers)
        self.plain = nn.Linear(text_width, width, bias=False) if config.gnn == "none" else None
        config = config.model_copy(update={"hint": bool(self.hint_width(1))})
        self.question: StepDecoder | BertReader
        if config.question == "states":
            self.question = StepDecoder(text_width, config)
        else:
            assert encoder is not None
            self.question = BertReader(encoder)
        if config.relation_aware:
            self.candidate = nn.Linear(width, width)
            self.edge = nn.ModuleList(nn.Linear(text_width, width, bias=False) for _ in range(2))
            self.stop = nn.Parameter(torch.randn(width) / math.sqrt(width))
        self.log_temperature = nn.Parameter(torch.tensor(math.log(TEMPERATURE)))

    def encode_graph(self, entities: Tensor, edges: list[Edges], relations: Tensor) -> Tensor:
        """(N, E) frozen vectors to (N', D) unit vectors of the receivers of the last layer's edges (Eq. 6)."""
        x = entities
        for layer, message in zip(self.layers, edges, strict=False):
            x = layer(x, message, relations)
        return F.normalize((x if self.plain is None else self.plain(x)).float(), dim=-1)

    def tables(self, encoded: Tensor, relations: Tensor) -> CandidateTables:
        """What is added up to a candidate; in the paper's form the relation's part is zero."""
        names = relations.new_zeros(2 * len(relations) + 1, self.hint_width(relations.shape[1]))
        if not self.config.relation_aware:
            return CandidateTables(encoded, encoded.new_zeros(2 * len(relations) + 1, encoded.shape[1]), names)
        if names.shape[1]:
            names = torch.cat([relations, relations, torch.zeros_like(relations[:1])])
        edge = torch.cat([self.edge[0](relations), self.edge[1](relations), self.stop[None]])
        return CandidateTables(self.candidate(encoded).float(), edge.float(), names)

    def hint_width(self, text_width: int) -> int:
        """E where queries carry a hint, else 0."""
        return text_width if self.config.hint and self.config.question == "states" and self.config.relation_aware else 0

    @property
    def temperature(self) -> Tensor:
        """Tau of Eq. 11; kept above 0.01 so that no softmax is harder than one to e^200."""
        return self.log_temperature.exp().clamp_min(0.01)

    def scores(self, queries: Tensor, tables: CandidateTables, entities: Tensor, codes: Tensor) -> Tensor:
        """(I, D) queries, (I, C) candidates and their codes to (I, C) cosines over temperature (Eq. 7, 11)."""
        width = tables.entities.shape[1]
        vectors = F.normalize(tables.entities[entities] + tables.relations[codes], dim=-1)  # (I, C, D)
        scores = (vectors @ queries[:, :width, None])[..., 0] / self.temperature
        return scores if not tables.names.shape[1] else scores + by_name(queries, tables).gather(1, codes)


def by_name(queries: Tensor, tables: CandidateTables) -> Tensor:
    """(I, 2R + 1) what the hints of (I, D + E) queries add to the score of each relation."""
    return queries[:, tables.entities.shape[1] :] @ tables.names.T
