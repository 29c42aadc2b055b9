"""Vectors kept on disk: by whom, found again, resumed, shared between processes, refused when they do not fit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.encoding import CachedEncoder, HashEncoder, open_encoder, text_vectors
from clew.encoding.vectors import vector_file
from clew.errors import FormatError, UnsupportedError
from clew.protocols import Role, TextEncoder
from clew.testing.text_encoder import TextEncoderSuite


class Counting(HashEncoder):
    """Remembers what it was asked, and may treat queries apart."""

    def __init__(self, dim: int = 64):
        super().__init__(dim)
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> np.ndarray:
        self.asked += texts
        return super().encode([f"{role} {text}" for text in texts])


class TestCached(TextEncoderSuite):
    @pytest.fixture(scope="class")
    @classmethod
    def encoder(cls, tmp_path_factory: pytest.TempPathFactory) -> TextEncoder:
        return open_encoder("hash-256", cache=tmp_path_factory.mktemp("cache"))


def test_a_cache_can_what_its_encoder_can(tmp_path: Path) -> None:
    plain = CachedEncoder(HashEncoder(), tmp_path)
    assert plain.abilities == frozenset()
    with pytest.raises(UnsupportedError, match=r"hash-256.*no token states"):
        plain.encode_tokens(["x"])


def test_nothing_is_encoded_twice_nor_across_processes(tmp_path: Path) -> None:
    first, second = Counting(), Counting()
    once = CachedEncoder(first, tmp_path).encode(["a", "b", "a", "c"])
    again = CachedEncoder(second, tmp_path).encode(["c", "a", "d"])
    assert first.asked == ["a", "b", "c"]
    assert second.asked == ["d"]
    np.testing.assert_array_equal(once[[3, 0]], again[:2])
    np.testing.assert_array_equal(once, Counting().encode(["a", "b", "a", "c"]))


def test_roles_are_kept_apart(tmp_path: Path) -> None:
    cached = CachedEncoder(Counting(), tmp_path)
    assert not np.array_equal(cached.encode(["x"], role="query"), cached.encode(["x"], role="passage"))


def test_encoders_are_kept_apart(tmp_path: Path) -> None:
    assert CachedEncoder(HashEncoder(64), tmp_path).encode(["x"]).shape == (1, 64)
    assert CachedEncoder(HashEncoder(32), tmp_path).encode(["x"]).shape == (1, 32)


def test_another_width_under_one_name_is_refused(tmp_path: Path) -> None:
    narrow, wide = HashEncoder(32), HashEncoder(64)
    narrow.name = wide.name = "same"
    CachedEncoder(narrow, tmp_path).encode(["x"])
    with pytest.raises(FormatError, match="holds dim 32, expected 64"):
        CachedEncoder(wide, tmp_path).encode(["x"])


def test_a_row_without_its_key_is_cut_off(tmp_path: Path) -> None:
    encoder = Counting()
    CachedEncoder(encoder, tmp_path).encode(["a", "b"])
    folder = next(tmp_path.iterdir())
    with (folder / "vectors.f32").open("ab") as file:
        file.write(b"torn" * 50)
    with (folder / "keys.b16").open("ab") as file:
        file.write(b"half")
    vectors = CachedEncoder(encoder, tmp_path).encode(["c", "a", "b"])
    np.testing.assert_array_equal(vectors, Counting().encode(["c", "a", "b"]))
    np.testing.assert_array_equal(CachedEncoder(Counting(), tmp_path).encode(["b", "c"]), Counting().encode(["b", "c"]))


@pytest.mark.parametrize("damage", ["meta", "missing"])
def test_damage_is_refused(tmp_path: Path, damage: str) -> None:
    CachedEncoder(HashEncoder(), tmp_path).encode(["a"])
    folder = next(tmp_path.iterdir())
    if damage == "meta":
        (folder / "meta.json").write_text("{}")
    else:
        (folder / "keys.b16").unlink()
    with pytest.raises(FormatError, match="delete the folder"):
        CachedEncoder(HashEncoder(), tmp_path).encode(["a"])


WRITER = """
import sys
from pathlib import Path
from clew.encoding import CachedEncoder, HashEncoder
cached = CachedEncoder(HashEncoder(64), Path(sys.argv[1]))
for i in range(int(sys.argv[2]), int(sys.argv[3])):
    cached.encode([f"text {i}", f"shared {i % 50}"])
"""


def start(folder: Path, low: int, high: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(low), str(high)])


def assert_whole(folder: Path) -> None:
    texts = [f"text {i}" for i in range(600)] + [f"shared {i}" for i in range(50)]
    np.testing.assert_array_equal(CachedEncoder(HashEncoder(64), folder).encode(texts), HashEncoder(64).encode(texts))


def test_two_processes_may_write_at_once(tmp_path: Path) -> None:
    writers = [start(tmp_path, 0, 300), start(tmp_path, 300, 600)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    rows = len(vector_file(tmp_path, HashEncoder(64)))
    assert rows == 650
    assert_whole(tmp_path)


def test_a_killed_writer_loses_and_spoils_nothing(tmp_path: Path) -> None:
    """Each is ended a moment after it has written something new."""

    def written() -> int:
        return sum(file.stat().st_size for file in tmp_path.glob("*/keys.b16"))

    rng = random.Random(0)
    for _ in range(4):
        before = written()
        writer = start(tmp_path, 0, 100_000)
        while written() == before:
            assert writer.poll() is None
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.15))
        os.kill(writer.pid, signal.SIGKILL)
        assert writer.wait(60) == -signal.SIGKILL
    file = vector_file(tmp_path, HashEncoder(64))
    assert len(file) > 0
    assert_whole(tmp_path)


def test_a_table_of_texts_is_mapped_in_order(tmp_path: Path) -> None:
    texts = [f"name {i}" for i in range(500)]
    table = text_vectors(tmp_path, HashEncoder(), texts)
    assert (len(table), table.dim, table.encoder) == (500, 256, "hash-256")
    assert isinstance(table.matrix(), np.memmap)
    np.testing.assert_array_equal(table.matrix(), HashEncoder().encode(texts))
    np.testing.assert_array_equal(table[np.array([7, 3])], HashEncoder().encode(["name 7", "name 3"]))


def test_an_edit_encodes_only_what_is_new(tmp_path: Path) -> None:
    text_vectors(tmp_path, Counting(), ["a", "b", "c"])
    encoder = Counting()
    told: list[tuple[int, int]] = []
    table = text_vectors(tmp_path, encoder, ["c", "new", "a", "c"], progress=lambda *counts: told.append(counts))
    assert encoder.asked == ["new"]
    assert told == [(1, 1)]
    np.testing.assert_array_equal(table.matrix(), Counting().encode(["c", "new", "a", "c"]))


class Breaking(Counting):
    """Fails after its first chunk, as a killed pass would stop."""

    def encode(self, texts: Sequence[str], *, role: Role = "passage") -> np.ndarray:
        if self.asked:
            raise KeyboardInterrupt
        return super().encode(texts, role=role)


def test_an_interrupted_pass_is_taken_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.encoding.vectors.CHUNK", 10)
    texts = [f"t{i}" for i in range(25)]
    with pytest.raises(KeyboardInterrupt):
        text_vectors(tmp_path, Breaking(), texts)
    rest = Counting()
    table = text_vectors(tmp_path, rest, texts)
    assert rest.asked == texts[10:]
    np.testing.assert_array_equal(table.matrix(), Counting().encode(texts))


def test_every_changed_byte_of_a_cache_is_found(tmp_path: Path) -> None:
    """Of unchanged length: a flipped bit is a message, wherever it is, or the vectors are the same."""
    encoder = HashEncoder(8)
    texts = [f"text {i}" for i in range(60)]
    CachedEncoder(encoder, tmp_path).encode(texts[:40])
    CachedEncoder(encoder, tmp_path).encode(texts)
    true = encoder.encode(texts)
    (folder,) = tmp_path.iterdir()
    draw = random.Random(0)
    silent = found = 0
    for file in sorted(folder.iterdir()):
        good = file.read_bytes()
        for _ in range(60 if good else 0):
            bad = bytearray(good)
            bad[draw.randrange(len(bad))] ^= 1 << draw.randrange(8)
            file.write_bytes(bytes(bad))
            try:
                got = CachedEncoder(encoder, tmp_path).encode(texts)
            except FormatError as error:
                found += 1
                assert "delete the folder" in str(error) or "Use the same encoder" in str(error)
                continue
            silent += not np.array_equal(got, true)
        file.write_bytes(good)
    assert (silent, found >= 200) == (0, True)


def test_a_cache_without_checksums_is_made_again(tmp_path: Path) -> None:
    encoder = HashEncoder(8)
    CachedEncoder(encoder, tmp_path).encode(["a", "b"])
    (folder,) = tmp_path.iterdir()
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({**meta, "version": 1}))
    (folder / "sums.u32").unlink()
    assert np.array_equal(CachedEncoder(encoder, tmp_path).encode(["a"]), encoder.encode(["a"]))
    assert len(vector_file(tmp_path, encoder)) == 1
