"""What a folder with a BERT-shaped sentence encoder holds: its shape, its weights, and which texts share a batch.

Most small sentence encoders (all-MiniLM, bge, e5, gte) are a BERT, a pooling and a norm. Two engines run such a folder,
`onnx_bert` without torch and `torch_bert`; what they share is here. Folders of any other shape go to
sentence-transformers (see `local`), and a test holds all three to the same vectors.

Shapes: B texts of a batch, T their tokens together, D width.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.errors import FormatError

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ACTIVATIONS = ("gelu", "gelu_new", "relu")
TOKENIZED = 16_384  # texts tokenized at a time: bounds the memory of their token lists
LETTERS_PER_TOKEN = 100  # a text is cut at this many times the model's limit of tokens before it is tokenized
LARGEST_HEADER = 100_000_000  # bytes, the limit of the safetensors format itself


@dataclass(frozen=True, slots=True)
class BertShape:
    """What the JSON files of a sentence-transformers folder say about a BERT that our engines can run."""

    layers: int
    heads: int
    width: int
    inner: int  # width between the two matrices of the feed-forward part
    epsilon: float
    activation: str
    pooling: str  # "mean" or "cls"
    max_tokens: int


class BertEngine(Protocol):
    """One BERT, ready to run on texts given as the numbers of their tokens, one after the other without padding."""

    vocabulary: int  # rows of the table of word embeddings
    tokens_per_batch: int  # what runs fastest, and bounds the memory of a batch

    def states(self, tokens: Ints, lengths: Ints) -> Floats:
        """(T,) token numbers of texts with (B,) lengths to the (T, D) states of the last layer."""
        ...

    def vectors(self, tokens: Ints, lengths: Ints) -> Floats:
        """The same texts to (B, D) pooled unit vectors."""
        ...


def bert_shape(folder: Path) -> BertShape | None:
    """The shape of the encoder in `folder`, or None when it is not a plain BERT + pooling (+ norm).

    A folder without modules.json is a bare BERT: its vectors are the mean over the tokens, as in sentence-transformers.
    Raises FormatError for JSON that cannot be read.
    """
    config = read_json(folder / "config.json")
    if not isinstance(config, dict) or config.get("model_type") != "bert":
        return None
    if config.get("position_embedding_type", "absolute") != "absolute" or config.get("hidden_act") not in ACTIVATIONS:
        return None
    if not (folder / "model.safetensors").is_file() or not (folder / "tokenizer.json").is_file():
        return None
    pooling = _pooling(folder)
    limits = read_json(folder / "sentence_bert_config.json")
    if pooling is None or limits.get("do_lower_case"):  # lower-casing outside the tokenizer
        return None
    try:
        positions = int(config["max_position_embeddings"])
        return BertShape(
            layers=int(config["num_hidden_layers"]),
            heads=int(config["num_attention_heads"]),
            width=int(config["hidden_size"]),
            inner=int(config["intermediate_size"]),
            epsilon=float(config["layer_norm_eps"]),
            activation=str(config["hidden_act"]),
            pooling=pooling,
            max_tokens=min(int(limits.get("max_seq_length") or positions), positions),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise FormatError(f"{folder / 'config.json'}: {error}: missing or no number; fetch the model again") from None


def _pooling(folder: Path) -> str | None:
    """How token states become one vector, or None where the modules of the folder do more than our engines do."""
    modules = read_json(folder / "modules.json")
    if not modules:
        return "mean"
    try:
        kinds = [str(module["type"]).rsplit(".", 1)[-1] for module in modules]
        paths = [str(module["path"]) for module in modules]
    except (KeyError, TypeError) as error:
        raise FormatError(f"{folder / 'modules.json'}: a module without {error}; fetch the model again") from None
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]) or paths[0]:
        return None
    settings = read_json(folder / paths[1] / "config.json")
    modes = [key for key, value in settings.items() if key.startswith("pooling_mode_") and value is True]
    known = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls"}
    return known.get(modes[0]) if len(modes) == 1 else None


def bert_weights(folder: Path, shape: BertShape) -> dict[str, Floats]:
    """The float32 tensors of a BERT by name, mapped from the file where it holds float32.

    Raises FormatError when the file is damaged, or a tensor is missing or has another shape than config.json says.
    """
    path = folder / "model.safetensors"
    found = {name.removeprefix("bert."): tensor for name, tensor in _map_safetensors(path).items()}
    d, inner = shape.width, shape.inner
    wanted: dict[str, tuple[int, int] | tuple[int]] = {}
    for kind, least in (("word", 1), ("position", shape.max_tokens), ("token_type", 1)):
        name = f"embeddings.{kind}_embeddings.weight"
        rows = found[name].shape[0] if name in found and found[name].ndim else 0
        wanted[name] = (max(least, rows), d)
    linear: dict[str, tuple[int, int]] = {}
    norms = ["embeddings.LayerNorm"]
    for i in range(shape.layers):
        layer = f"encoder.layer.{i}."
        linear |= {f"{layer}attention.self.{part}": (d, d) for part in ("query", "key", "value")}
        linear |= {f"{layer}attention.output.dense": (d, d)}
        linear |= {f"{layer}intermediate.dense": (inner, d), f"{layer}output.dense": (d, inner)}
        norms += [f"{layer}attention.output.LayerNorm", f"{layer}output.LayerNorm"]
    for name, matrix in linear.items():
        wanted |= {f"{name}.weight": matrix, f"{name}.bias": matrix[:1]}
    for name in norms:
        wanted |= {f"{name}.weight": (d,), f"{name}.bias": (d,)}
    for name, expected in wanted.items():
        if name not in found:
            raise FormatError(f"{path}: no tensor {name!r}, expected the weights of a BERT")
        if found[name].shape != expected:
            raise FormatError(f"{path}: {name} has shape {found[name].shape}, config.json asks for {expected}")
    return {name: found[name] for name in wanted}


def _map_safetensors(path: Path) -> dict[str, Floats]:
    """Every floating-point tensor of the file: views of the mapped file, or copies where it holds 16-bit numbers.

    The library's own reader copies what it reads; mapped, the rows of a vocabulary that no text uses are never read.
    """
    try:
        data = np.memmap(path, np.uint8, "c")  # copy on write, since torch refuses arrays that cannot be written
        size = int.from_bytes(data[:8].tobytes(), "little")
        if not 2 <= size <= min(LARGEST_HEADER, len(data) - 8):
            raise ValueError(f"a header of {size} bytes in a file of {len(data)}")
        header = json.loads(data[8 : 8 + size].tobytes())
        body = data[8 + size :]
        return {name: _tensor(body, name, entry) for name, entry in header.items() if _is_float(entry)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise FormatError(f"{path}: cannot be read as safetensors ({error}); fetch the model again") from None


def _is_float(entry: Any) -> bool:
    return entry.get("dtype") in ("F32", "F16", "BF16")


def _tensor(body: NDArray[np.uint8], name: str, entry: Any) -> Floats:
    first, last = entry["data_offsets"]
    shape = tuple(int(n) for n in entry["shape"])
    width = 4 if entry["dtype"] == "F32" else 2
    if not 0 <= first <= last <= len(body) or min(shape, default=1) < 0 or last - first != width * prod(shape):
        raise ValueError(f"{name}: bytes {first} to {last} for shape {shape}, the file holds {len(body)}")
    raw = np.asarray(body[first:last])
    if entry["dtype"] == "F32":
        flat: Floats = raw.view("<f4")
    elif entry["dtype"] == "F16":
        flat = raw.view("<f2").astype(np.float32)
    else:  # bfloat16 is the upper half of a float32
        flat = (raw.view("<u2").astype(np.uint32) << 16).view(np.float32)
    return flat.reshape(shape)


class BertTexts:
    """Texts → token numbers → batches of similar length → one pass of the engine each."""

    def __init__(self, engine: BertEngine, folder: Path, shape: BertShape, batch: int):
        from tokenizers import Tokenizer

        self._engine, self._shape, self._batch = engine, shape, batch
        try:
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # noqa: BLE001 - the library raises bare Exception
            raise FormatError(f"{folder / 'tokenizer.json'}: no tokenizer ({error}); fetch the model again") from None
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(shape.max_tokens)

    def vectors(self, texts: Sequence[str]) -> Floats:
        """(L, D) unit vectors."""
        result = np.empty((len(texts), self._shape.width), np.float32)
        for members, tokens, lengths in self._batches(texts):
            result[members] = self._engine.vectors(tokens, lengths)
        return result

    def states(self, texts: Sequence[str]) -> tuple[Floats, Ints]:
        """(T, D) states of all tokens in the order of the texts, and the (L + 1,) offsets of each text."""
        done: list[tuple[Ints, Ints, Floats]] = []
        lengths = np.zeros(len(texts), np.int64)
        for members, tokens, sizes in self._batches(texts):
            done.append((members, sizes, self._engine.states(tokens, sizes)))
            lengths[members] = sizes
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        result = np.empty((int(offsets[-1]), self._shape.width), np.float32)
        while done:
            members, sizes, states = done.pop()
            result[_ranges(offsets[members], sizes)] = states
        return result, offsets

    def _batches(self, texts: Sequence[str]) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Positions of some texts, (T,) their token numbers one after the other, and (B,) how many each has."""
        for start in range(0, len(texts), TOKENIZED):
            read = self._read(self._tokenizer.encode_batch_fast, texts[start : start + TOKENIZED])
            rows = [encoding.ids for encoding in read]
            sizes = np.fromiter(map(len, rows), np.int64, len(rows))
            order = np.argsort(sizes, kind="stable")
            at = 0
            while at < len(order):
                members = order[at : at + self._batch]
                # Padded to the longest, as the attention is.
                padded = sizes[members] * np.arange(1, len(members) + 1)
                members = members[: max(1, int(np.count_nonzero(padded <= self._engine.tokens_per_batch)))]
                tokens = np.concatenate([np.array(rows[i], np.int64) for i in members.tolist()])
                if int(tokens.max()) >= self._engine.vocabulary:
                    raise FormatError(
                        f"tokenizer.json has a token {int(tokens.max())}, but model.safetensors only "
                        f"{self._engine.vocabulary} rows of word embeddings: they are not of one model; fetch it again"
                    )
                yield start + members, tokens, sizes[members]
                at += len(members)

    def spans(self, texts: Sequence[str]) -> Ints:
        """(T, 2) the characters that each token of `states` stands for; 0, 0 for special tokens."""
        parts = []
        for start in range(0, len(texts), TOKENIZED):
            found = self._read(self._tokenizer.encode_batch, texts[start : start + TOKENIZED])
            parts += [np.array(encoding.offsets, np.int64).reshape(-1, 2) for encoding in found]
        return np.concatenate(parts)

    def _read(self, tokenize: Callable[[list[str]], list[Any]], texts: Sequence[str]) -> list[Any]:
        most = LETTERS_PER_TOKEN * self._shape.max_tokens
        cut = [text[:most] for text in texts]
        try:
            return tokenize(cut)
        except (TypeError, UnicodeEncodeError):  # a lone surrogate, which no tokenizer reads
            return tokenize([text.encode("utf-8", "replace").decode() for text in cut])


def _ranges(starts: Ints, sizes: Ints) -> Ints:
    """starts[0], starts[0] + 1, … sizes[0] times; then the same from starts[1], and so on."""
    before = np.cumsum(sizes) - sizes
    found: Ints = np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))
    return found


def read_json(path: Path) -> Any:
    """The JSON in `path`, or {} where there is no such file. Raises FormatError for a damaged file."""
    if not path.is_file():
        return {}
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FormatError(f"{path}: not valid JSON ({error}); fetch the model again") from None
