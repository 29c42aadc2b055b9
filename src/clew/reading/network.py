"""The reader's network for answering, in numpy, so that a first answer imports no torch. `torchnet` trains it.

Everything that does not depend on the question (step vectors) can be kept by the caller between questions.

Shapes: n question tokens, S steps, P plans, L plan tokens, M mentions, d width.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open

from clew.errors import FormatError, NotFoundError
from clew.reading.wording import PLAN_FEATURES, STEP_FEATURES

Floats = NDArray[np.float32]
FORMAT = 2


def _gelu(x: Floats) -> Floats:
    y: Floats = 0.5 * x * (1 + np.tanh(np.float32(0.7978845608) * (x + np.float32(0.044715) * x * x * x)))
    return y


@dataclass(frozen=True, eq=False)
class Network:
    """Weights by name, as `torchnet.ReaderNet` names them."""

    weights: Mapping[str, Floats]
    heads: int
    question_layers: int
    plan_layers: int
    encoder: str  # the sentence encoder whose states it reads
    calibration: Mapping[str, float]
    card: Mapping[str, object]

    @classmethod
    def open(cls, path: Path) -> Network:
        """Raises NotFoundError where there is no file, FormatError where it is not a reader of this version."""
        if not path.is_file():
            raise NotFoundError(f"reader {path}: no such file; make one with  python -m clew.reading.train")
        try:
            with safe_open(str(path), "np") as file:
                about = json.loads((file.metadata() or {}).get("clew", "{}"))
                weights = {name: file.get_tensor(name).astype(np.float32) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, ValueError) as error:
            raise FormatError(f"reader {path}: damaged ({error}); expected weights of clew.reading.train") from None
        expected = {"format": FORMAT, "plan_features": list(PLAN_FEATURES), "step_features": list(STEP_FEATURES)}
        for name, value in expected.items():
            if about.get(name) != value:
                raise FormatError(
                    f"reader {path}: {name} is {about.get(name)!r}, expected {value!r}: it was made by another version "
                    "of clew; make it again with  python -m clew.reading.train"
                )
        return cls(
            weights,
            about["heads"],
            about["question_layers"],
            about["plan_layers"],
            about["encoder"],
            about["calibration"],
            about,
        )

    def _linear(self, name: str, x: Floats) -> Floats:
        # One product of matrices: numpy would multiply a stack of small ones each by itself.
        y: Floats = x.reshape(-1, x.shape[-1]) @ self.weights[f"{name}.weight"].T
        bias = self.weights.get(f"{name}.bias")
        if bias is not None:
            y += bias
        return y.reshape(*x.shape[:-1], -1)

    def _norm(self, name: str, x: Floats) -> Floats:
        centred: Floats = x - x.mean(-1, keepdims=True)
        spread = np.einsum("...i,...i->...", centred, centred)[..., None] / np.float32(x.shape[-1])
        centred /= np.sqrt(spread + np.float32(1e-5))
        centred *= self.weights[f"{name}.weight"]
        centred += self.weights[f"{name}.bias"]
        return centred

    def _split(self, x: Floats) -> Floats:
        """(…, i, d) -> (…, heads, i, d / heads)."""
        return np.swapaxes(x.reshape(*x.shape[:-1], self.heads, -1), -2, -3)

    def _attend(self, name: str, x: Floats, y: Floats, hidden: NDArray[np.bool_] | None = None) -> Floats:
        """x (…, i, d) attends to y (…, j, d) where `hidden` (…, j) is False."""
        q, k, v = (self._split(self._linear(f"{name}.{part}", z)) for part, z in (("q", x), ("k", y), ("v", y)))
        weights = (q @ np.swapaxes(k, -1, -2)) * np.float32(q.shape[-1] ** -0.5)
        if hidden is not None:
            weights = np.where(hidden[..., None, None, :], np.float32(-1e4), weights)
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        mixed = np.swapaxes(weights @ v, -2, -3)
        return self._linear(f"{name}.o", mixed.reshape(*x.shape))

    def _feed(self, name: str, x: Floats) -> Floats:
        return x + self._linear(f"{name}.down", _gelu(self._linear(f"{name}.up", self._norm(f"{name}.norm3", x))))

    def read(self, states: Floats, mention: NDArray[np.int64]) -> Floats:
        """(n, states) token states and (n,) mention numbers from 1, 0 for none -> (n, d)."""
        x = self._norm("word_norm", self._linear("word", states))
        most = self.weights["position.weight"].shape[0] - 1
        last = self.weights["mention.weight"].shape[0] - 1
        x = x + self.weights["mention.weight"][np.minimum(mention, last)]
        x = x + self.weights["position.weight"][np.minimum(np.arange(len(x)), most)]
        for i in range(self.question_layers):
            z = self._norm(f"question.{i}.norm1", x)
            x = self._feed(f"question.{i}", x + self._attend(f"question.{i}.own", z, z))
        return self._norm("question_norm", x)

    def step(self, first: Floats, second: Floats, way: NDArray[np.int64]) -> Floats:
        """(S, states) unit vectors of the words of each step's hops, zeros for no second one -> (S, d)."""
        scale = np.float32(first.shape[-1] ** 0.5)
        x = self._linear("first", first * scale) + self._linear("second", second * scale)
        x = self._norm("step_norm", x + self.weights["way.weight"][way])
        return x + self._linear("step_down", _gelu(self._linear("step_up", x)))

    def told(self, steps: Floats, features: Floats) -> Floats:
        """Steps with what the question's words tell about them: (S, d), (S, G + similarities) -> (S, d)."""
        return steps + self._linear("told", features)

    def relevant(self, steps: Floats, question: Floats) -> Floats:
        """(S, d) told steps, (n, d) -> (S,) logits."""
        x = self._norm("relevance_norm", steps + self._attend("relevance_attention", steps, question))
        return self._linear("relevance", _gelu(self._linear("relevance_up", x)))[:, 0]

    def starts(self, question: Floats, mention: NDArray[np.int64], count: int) -> Floats:
        """(M, d) mean state of each mention; of the whole question for one that does not stand in it."""
        rows = [question[mention == k + 1] if (mention == k + 1).any() else question for k in range(count)]
        return np.stack([row.mean(0) for row in rows])

    def rate(
        self,
        steps: Floats,
        step_kinds: Floats,
        question: Floats,
        starts: Floats,
        start_kinds: Floats,
        tokens: NDArray[np.int32],
        features: Floats,
        end_kinds: Floats,
    ) -> tuple[Floats, float]:
        """(P,) logits of the plans, and that of "none of these".

        Args:
            steps: (S, d) told. step_kinds: (S, states) unit vectors of what they lead to. starts: (M, d).
            start_kinds: (M, states) unit vectors. tokens: (P, L, 4).
            features: (P, F). end_kinds: (P, states) unit vectors.
        """
        role, trail, place, ref = np.moveaxis(tokens, -1, 0)
        scale = np.float32(end_kinds.shape[-1] ** 0.5)
        w = self.weights
        x = w["role.weight"][role] + w["trail.weight"][trail] + w["place.weight"][place]
        steps = steps + self._linear("step_kind", step_kinds * scale)
        begin = self._linear("start_state", starts) + self._linear("start_kind", start_kinds * scale)
        end = self._linear("features", features) + self._linear("end_kind", end_kinds * scale)
        is_step = (role == 2) | (role == 3)
        x[is_step] += steps[ref[is_step]]
        x[role == 1] += begin[ref[role == 1]]
        is_end = role == 4
        x[is_end] += end
        blank = role == 0
        for i in range(self.plan_layers):
            z = asking = self._norm(f"plan.{i}.norm1", x)
            if i == self.plan_layers - 1:  # of the last layer only the state of the end is read
                x, asking = x[is_end][:, None], z[is_end][:, None]
            x = x + self._attend(f"plan.{i}.own", asking, z, blank)
            z = self._norm(f"plan.{i}.norm2", x).reshape(-1, x.shape[-1])
            x = x + self._attend(f"plan.{i}.other", z, question).reshape(x.shape)
            x = self._feed(f"plan.{i}", x)
        out = self._norm("plan_norm", x[:, 0])
        none = self._linear("none", question.mean(0, keepdims=True))
        return self._linear("score", out)[:, 0], float(none[0, 0])


def similarities(states: Floats, first: Floats, second: Floats) -> Floats:
    """(S, 4): of each step's words to the question's best token and to its mean; (n, states), 2 × (S, states)."""
    tokens = states / np.maximum(np.linalg.norm(states, axis=-1, keepdims=True), 1e-6)
    mean = tokens.mean(0)
    mean = mean / max(float(np.linalg.norm(mean)), 1e-6)
    columns = []
    for vectors in (first, second):
        there = np.abs(vectors).sum(-1) > 0
        columns += [2 * (vectors @ tokens.T).max(-1) * there, 2 * (vectors @ mean) * there]
    return np.stack(columns, -1)
