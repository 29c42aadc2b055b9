"""The forward pass of BERT-shaped sentence encoders in plain torch, for a first answer that comes quickly.

Most small sentence encoders (all-MiniLM, bge, e5, gte) are a BERT, a pooling and a norm. Loading such a folder here
costs what importing torch costs (about 1.5 s); through transformers it takes 3.5 s and through sentence-transformers
5.3 s, nearly all of it imports. Folders of any other shape go to sentence-transformers (see `local`), and a test holds
both to the same vectors.

Shapes: B texts of a batch, S tokens (padded), H width, A attention heads.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from clew.errors import FormatError

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "gelu": F.gelu,
    "gelu_new": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
}


@dataclass(frozen=True, slots=True)
class BertShape:
    """What the three JSON files of a sentence-transformers folder say about a BERT that this module can run."""

    layers: int
    heads: int
    width: int
    epsilon: float
    activation: str
    pooling: str  # "mean" or "cls"
    max_tokens: int


def bert_shape(folder: Path) -> BertShape | None:
    """The shape of the encoder in `folder`, or None when it is not a plain BERT + pooling (+ norm)."""
    modules = _read(folder / "modules.json")
    config = _read(folder / "config.json")
    if not isinstance(modules, list) or not isinstance(config, dict):
        return None
    kinds = [str(module.get("type", "")).rsplit(".", 1)[-1] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or modules[0]["path"]:
        return None
    if config.get("model_type") != "bert" or config.get("position_embedding_type", "absolute") != "absolute":
        return None
    if config.get("hidden_act") not in ACTIVATIONS or not (folder / "model.safetensors").is_file():
        return None
    if not (folder / "tokenizer.json").is_file():
        return None
    pooling = _read(folder / modules[1]["path"] / "config.json") or {}
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode_") and value is True]
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    if len(modes) != 1 or modes[0] not in known:
        return None
    limits = _read(folder / "sentence_bert_config.json") or {}
    if limits.get("do_lower_case"):  # lower-casing outside the tokenizer: leave it to sentence-transformers
        return None
    positions = int(config["max_position_embeddings"])
    return BertShape(
        layers=int(config["num_hidden_layers"]),
        heads=int(config["num_attention_heads"]),
        width=int(config["hidden_size"]),
        epsilon=float(config["layer_norm_eps"]),
        activation=str(config["hidden_act"]),
        pooling=known[modes[0]],
        max_tokens=min(int(limits.get("max_seq_length") or positions), positions),
    )


class Bert:
    """Token numbers to unit vectors. Inference only."""

    def __init__(self, folder: Path, shape: BertShape, device: torch.device, dtype: torch.dtype):
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        path = folder / "model.safetensors"
        try:
            weights = load_file(path)
        except (SafetensorError, OSError) as error:
            raise FormatError(f"{path}: cannot be read as safetensors ({error}); fetch the model again") from None
        self.shape, self.device = shape, device
        w = {k.removeprefix("bert."): v.to(device, dtype) for k, v in weights.items() if v.is_floating_point()}
        try:
            self._embeddings = tuple(w[f"embeddings.{kind}_embeddings.weight"] for kind in ("word", "position"))
            self._type = w["embeddings.token_type_embeddings.weight"][0]
            self._norm = (w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"])
            self._layers = [_layer(w, f"encoder.layer.{i}.") for i in range(shape.layers)]
        except KeyError as error:
            raise FormatError(f"{path}: no tensor {error}, expected the weights of a BERT") from None

    @torch.inference_mode()
    def __call__(self, tokens: Tensor, lengths: Tensor) -> Tensor:
        """(B, S) padded token numbers and (B,) their lengths to (B, H) float32 unit vectors."""
        x, real = self.states(tokens, lengths)
        if self.shape.pooling == "cls":
            pooled = x[:, 0]
        else:
            pooled = (x * real[:, :, None]).sum(1) / lengths[:, None]
        return F.normalize(pooled, dim=1)

    @torch.inference_mode()
    def states(self, tokens: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor]:
        """(B, S, H) float32 states of the last layer before pooling, and (B, S) which of them are no padding."""
        shape = self.shape
        b, s = tokens.shape
        real = torch.arange(s, device=tokens.device) < lengths[:, None]  # (B, S)
        # Without padding no mask is needed, and attention takes its fastest path.
        mask = None if bool(real.all()) else real[:, None, None, :]
        word, position = self._embeddings
        x = self._normalise(word[tokens] + self._type + position[:s], self._norm)
        act = ACTIVATIONS[shape.activation]
        for layer in self._layers:
            qkv = F.linear(x, *layer["qkv"]).view(b, s, 3, shape.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2], attn_mask=mask)
            mixed = mixed.transpose(1, 2).reshape(b, s, shape.width)
            x = self._normalise(x + F.linear(mixed, *layer["out"]), layer["norm1"])
            x = self._normalise(x + F.linear(act(F.linear(x, *layer["up"])), *layer["down"]), layer["norm2"])
        return x.float(), real

    def _normalise(self, x: Tensor, norm: tuple[Tensor, Tensor]) -> Tensor:
        return F.layer_norm(x, (self.shape.width,), *norm, eps=self.shape.epsilon)


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


def _read(path: Path) -> Any:
    """The JSON in `path`, or None where there is no such file. A damaged file is an error."""
    if not path.is_file():
        return None
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"{path}: not valid JSON ({error}); fetch the model again") from None
