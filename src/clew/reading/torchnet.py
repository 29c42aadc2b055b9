"""The reader's network for training, in torch. `network` computes the same in numpy; a test holds them together.

Design: a question is read as the token states of a frozen sentence encoder through a small transformer of its own; a
step is the encoder's vector of its words with its directions; a plan is a short sequence of tokens (topic, steps, end)
that attend to one another and to the question. Two outputs: how relevant a step is to a question (it guides growth),
and how well a plan says what is asked (softmax over the plans of a question and "none of these").

Shapes: B questions, P plans, L plan tokens, n question tokens, S distinct steps, d width.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from clew.reading.plantext import PLACES, ROLES, TRAILS
from clew.reading.wording import PLAN_FEATURES, STEP_FEATURES, WAYS

SIMILARITIES = 4  # of a step to a question: best token and mean, for its first and second words


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of the network."""

    states: int = 384
    width: int = 128
    heads: int = 4
    question_layers: int = 2
    plan_layers: int = 2
    mentions: int = 4  # kinds of question tokens: none, and the first mentions


class Attention(nn.Module):
    def __init__(self, d: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.q, self.k, self.v, self.o = (nn.Linear(d, d) for _ in range(4))

    def forward(self, x: Tensor, y: Tensor, hidden: Tensor) -> Tensor:
        """x (B, i, d) attends to y (B, j, d) where `hidden` (B, j) is False."""
        b, i, d = x.shape
        q, k, v = (
            f(z).view(b, -1, self.heads, d // self.heads).transpose(1, 2)
            for f, z in ((self.q, x), (self.k, y), (self.v, y))
        )
        weights = (q @ k.transpose(2, 3)) * (d // self.heads) ** -0.5
        weights = weights.masked_fill(hidden[:, None, None, :], -1e4).softmax(-1)
        mixed: Tensor = self.o((weights @ v).transpose(1, 2).reshape(b, i, d))
        return mixed


class Block(nn.Module):
    """Self-attention, attention to the question where `cross`, and a gated layer; normed before each."""

    def __init__(self, d: int, heads: int, cross: bool, dropout: float) -> None:
        super().__init__()
        self.norm1, self.own = nn.LayerNorm(d), Attention(d, heads)
        if cross:
            self.norm2, self.other = nn.LayerNorm(d), Attention(d, heads)
        self.norm3, self.up, self.down = nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, hidden: Tensor, y: Tensor | None = None, y_hidden: Tensor | None = None) -> Tensor:
        z = self.norm1(x)
        x = x + self.dropout(self.own(z, z, hidden))
        if y is not None:
            # The plans of one question attend to it together.
            b = y.shape[0]
            z = self.norm2(x).reshape(b, -1, x.shape[-1])
            x = x + self.dropout(self.other(z, y, y_hidden)).reshape(x.shape)
        out: Tensor = x + self.dropout(self.down(nn.functional.gelu(self.up(self.norm3(x)), approximate="tanh")))
        return out


class ReaderNet(nn.Module):
    """See the module."""

    def __init__(self, shape: Shape, dropout: float = 0.15) -> None:
        super().__init__()
        d, s = shape.width, shape.states
        self.shape = shape
        self.word = nn.Linear(s, d)
        self.word_norm = nn.LayerNorm(d)
        self.mention = nn.Embedding(shape.mentions + 1, d)
        self.position = nn.Embedding(64, d)
        self.question = nn.ModuleList(Block(d, shape.heads, False, dropout) for _ in range(shape.question_layers))
        self.question_norm = nn.LayerNorm(d)
        self.first, self.second = nn.Linear(s, d), nn.Linear(s, d, bias=False)
        self.way = nn.Embedding(WAYS, d)
        self.step_norm, self.step_up, self.step_down = nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.told = nn.Linear(len(STEP_FEATURES) + SIMILARITIES, d)
        self.relevance_attention = Attention(d, shape.heads)
        self.relevance_norm, self.relevance_up = nn.LayerNorm(d), nn.Linear(d, d)
        self.relevance = nn.Linear(d, 1)
        self.role, self.trail, self.place = nn.Embedding(ROLES, d), nn.Embedding(TRAILS, d), nn.Embedding(PLACES, d)
        self.start_kind, self.end_kind = nn.Linear(s, d, bias=False), nn.Linear(s, d, bias=False)
        self.step_kind = nn.Linear(s, d, bias=False)
        self.start_state = nn.Linear(d, d)
        self.features = nn.Linear(len(PLAN_FEATURES), d)
        plan = [Block(d, shape.heads, True, dropout) for _ in range(shape.plan_layers)]
        self.plan = nn.ModuleList(plan)
        self.readers = (self.relevance_attention, *(block.other for block in plan))  # what attends to the question
        self.plan_norm, self.score = nn.LayerNorm(d), nn.Linear(d, 1)
        self.none = nn.Linear(d, 1)
        for embedding in (self.mention, self.position, self.way, self.role, self.trail, self.place):
            nn.init.normal_(embedding.weight, std=0.1)
        self.dropout = nn.Dropout(dropout)

    def read(self, states: Tensor, mention: Tensor, hidden: Tensor) -> Tensor:
        """(B, n, states), (B, n) mention numbers from 1, 0 for none, (B, n) padding -> (B, n, d)."""
        at = torch.arange(states.shape[1]).clamp(max=63)
        x = self.word_norm(self.word(states)) + self.mention(mention) + self.position(at)
        x = self.dropout(x)
        for block in self.question:
            x = block(x, hidden)
        out: Tensor = self.question_norm(x)
        return out

    def step(self, first: Tensor, second: Tensor, way: Tensor) -> Tensor:
        """(…, states) vectors of a step's words, scaled to unit variance -> (…, d)."""
        x = self.step_norm(self.first(first) + self.second(second) + self.way(way))
        out: Tensor = x + self.step_down(nn.functional.gelu(self.step_up(x), approximate="tanh"))
        return out

    def relevant(self, steps: Tensor, question: Tensor, hidden: Tensor) -> Tensor:
        """(B, S, d) told steps, (B, n, d) -> (B, S) logits."""
        x = self.relevance_norm(steps + self.relevance_attention(steps, question, hidden))
        out: Tensor = self.relevance(nn.functional.gelu(self.relevance_up(x), approximate="tanh")).squeeze(-1)
        return out

    def rate(
        self,
        steps: Tensor,
        step_kinds: Tensor,
        question: Tensor,
        hidden: Tensor,
        starts: Tensor,
        start_kinds: Tensor,
        tokens: Tensor,
        features: Tensor,
        end_kinds: Tensor,
    ) -> tuple[Tensor, Tensor]:
        """Logits of the plans and of "none of these".

        Args:
            steps: (B, S, d) told. step_kinds: (B, S, states) of what they lead to.
            starts: (B, M, d) question state of each mention.
            start_kinds: (B, M, states). tokens: (B, P, L, 4). features: (B, P, F). end_kinds: (B, P, states).

        Returns:
            (B, P) and (B,).
        """
        b, p, length, _ = tokens.shape
        d = self.shape.width
        role, trail, place, ref = tokens.unbind(-1)
        x = self.role(role) + self.trail(trail) + self.place(place)
        steps = steps + self.step_kind(step_kinds)
        begin = self.start_state(starts) + self.start_kind(start_kinds)  # (B, M, d)
        end = self.features(features) + self.end_kind(end_kinds)  # (B, P, d)
        flat = ref.reshape(b, -1, 1).expand(-1, -1, d)
        from_step = steps.gather(1, flat.clamp(max=steps.shape[1] - 1)).view(b, p, length, d)
        from_start = begin.gather(1, flat.clamp(max=begin.shape[1] - 1)).view(b, p, length, d)
        is_step = ((role == 2) | (role == 3)).unsqueeze(-1)
        x = x + from_step * is_step + from_start * (role == 1).unsqueeze(-1)
        x = x + end.unsqueeze(2) * (role == 4).unsqueeze(-1)
        blank = (role == 0).view(b * p, length)
        x = self.dropout(x).view(b * p, length, d)
        for block in self.plan:
            x = block(x, blank, question, hidden)
        last = (role == 4).view(b * p, length, 1)
        out = self.plan_norm((x * last).sum(1))
        seen = (question * ~hidden.unsqueeze(-1)).sum(1) / (~hidden).sum(1, keepdim=True)
        return self.score(out).view(b, p), self.none(seen).squeeze(-1)
