"""A BERT in plain torch: for CUDA, for 16-bit arithmetic, and where ONNX Runtime is not installed.

Loading a folder here costs what importing torch costs (about 1.5 s); through transformers it takes 3.5 s and through
sentence-transformers 5.3 s, nearly all of it imports.

Shapes: B texts of a batch, T their tokens together, S tokens of the longest, D width.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from clew.encoding.bert import BertShape, Floats, Ints, bert_weights

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
}


class TorchBert:
    """A `BertEngine` in torch. Inference only.

    Args:
        changed: weights that stand in for the folder's own, by the names of `bert_weights`.
    """

    def __init__(
        self,
        folder: Path,
        shape: BertShape,
        device: torch.device,
        dtype: torch.dtype,
        changed: Mapping[str, Floats] | None = None,
    ):
        self._shape, self._device = shape, device
        self.tokens_per_batch = 8192 if device.type == "cpu" else 65_536
        found = {**bert_weights(folder, shape), **(changed or {})}
        w = {name: torch.from_numpy(a).to(device, dtype) for name, a in found.items()}
        self._embeddings = tuple(w[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position"))
        self.vocabulary = len(self._embeddings[0])
        self._type = w["embeddings.token_type_embeddings.weight"][0]
        self._norm = (w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"])
        self._layers = [_layer(w, f"encoder.layer.{i}.") for i in range(shape.layers)]

    @torch.inference_mode()
    def vectors(self, tokens: Ints, lengths: Ints) -> Floats:
        """See `BertEngine`."""
        x, real, sizes = self._forward(tokens, lengths)
        pooled = x[:, 0] if self._shape.pooling == "cls" else (x * real[:, :, None]).sum(1) / sizes[:, None]
        result: Floats = F.normalize(pooled, dim=1).cpu().numpy()
        return result

    @torch.inference_mode()
    def states(self, tokens: Ints, lengths: Ints) -> Floats:
        """See `BertEngine`."""
        x, real, _ = self._forward(tokens, lengths)
        result: Floats = x[real].cpu().numpy()
        return result

    @torch.inference_mode()
    def firsts(self, tokens: Ints, lengths: Ints, added: Floats) -> Floats:
        """(B, D) states of the first token of each text, (T, D) `added` to what tokens and places are embedded as."""
        result: Floats = self._forward(tokens, lengths, added)[0][:, 0].cpu().numpy()
        return result

    def _forward(self, tokens: Ints, lengths: Ints, added: Floats | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """(B, S, D) float32 states, (B, S) which of them are no padding, and (B,) the lengths, on the device."""
        shape = self._shape
        b, s = len(lengths), int(lengths.max())
        padded = np.zeros((b, s), np.int64)
        padded[np.arange(s) < lengths[:, None]] = tokens
        ids, sizes = torch.from_numpy(padded).to(self._device), torch.from_numpy(lengths).to(self._device)
        real = torch.arange(s, device=self._device) < sizes[:, None]
        # Without padding no mask is needed, and attention takes its fastest path.
        mask = None if int(lengths.min()) == s else real[:, None, None, :]
        word, position = self._embeddings
        x = word[ids] + self._type + position[:s]
        if added is not None:
            x[real] += torch.from_numpy(added).to(x)
        x = self._normalise(x, self._norm)
        act = ACTIVATIONS[shape.activation]
        for layer in self._layers:
            qkv = F.linear(x, *layer["qkv"]).view(b, s, 3, shape.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=mask)
            mixed = mixed.transpose(1, 2).reshape(b, s, shape.width)
            x = self._normalise(x + F.linear(mixed, *layer["out"]), layer["norm1"])
            x = self._normalise(x + F.linear(act(F.linear(x, *layer["up"])), *layer["down"]), layer["norm2"])
        return x.float(), real, sizes

    def _normalise(self, x: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        return F.layer_norm(x, (self._shape.width,), *norm, eps=self._shape.epsilon)


def _layer(w: dict[str, Tensor], prefix: str) -> dict[str, tuple[Tensor, Tensor]]:
    def pair(name: str) -> tuple[Tensor, Tensor]:
        return w[f"{prefix}{name}.weight"], w[f"{prefix}{name}.bias"]

    parts = [pair(f"attention.self.{name}") for name in ("query", "key", "value")]
    return {
        "qkv": (torch.cat([weight for weight, _ in parts]), torch.cat([bias for _, bias in parts])),
        "out": pair("attention.output.dense"),
        "norm1": pair("attention.output.LayerNorm"),
        "up": pair("intermediate.dense"),
        "down": pair("output.dense"),
        "norm2": pair("output.LayerNorm"),
    }
