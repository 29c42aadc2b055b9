"""One letter off among very many names: the hashed halves against a comparison with every name."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from clew.errors import FormatError
from clew.graph import Graph, build, damage, halves, name_files, pages, repair, spelling
from clew.graph.generation import Generation
from clew.graph.memory import LEAST, Memory
from clew.graph.names import NameIndex, words_of

texts = st.text("abc é東", max_size=9).map(spelling.normalise)
quick = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def made(names: list[str]) -> halves.Halves:
    """The halves of names, without any file."""
    data, offsets = spelling.string_buffers(names)
    bits, keys = halves.bits_for(len(names)), halves.keys_of(np.ascontiguousarray(data), offsets)
    order = np.argsort(keys, kind="stable")
    buckets, entries = halves.entries_of(keys[order], (order >> 1).astype(np.int32), bits)
    places = np.zeros((1 << bits) + 1, np.int64)
    np.cumsum(np.bincount(buckets, minlength=1 << bits), out=places[1:])
    return halves.Halves(places, entries)


@given(st.lists(texts, min_size=1, max_size=40), texts)
@quick
def test_no_name_that_is_one_letter_off_is_missed(names: list[str], query: str) -> None:
    found = {names[row] for row in made(names).near([query.encode()], 1000).tolist()}
    near = {name for name in names if len(name) >= halves.SHORTEST and OSA.distance(name, query) <= 1}
    assert near <= found


@given(
    st.text("abcdefgh ", min_size=4, max_size=30).map(spelling.normalise), st.integers(0, 29), st.sampled_from("az ")
)
@quick
def test_every_kind_of_slip_is_found_at_every_place(name: str, at: int, letter: str) -> None:
    index, at = made([name]), min(at, len(name) - 1)
    swapped = name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :]
    for wrong in (
        name[:at] + name[at + 1 :],
        name[:at] + letter + name[at:],
        name[:at] + letter + name[at + 1 :],
        swapped,
    ):
        assert len(name) < halves.SHORTEST or index.near([wrong.encode()], 9).tolist() == [0], wrong


def test_little_else_is_nominated() -> None:
    rng = random.Random(0)
    names = ["".join(rng.choice("abcdefghijklmnopqrst ") for _ in range(rng.randrange(6, 20))) for _ in range(20_000)]
    index = made(names)
    assert sum(len(index.near([f"x{name[1:]}".encode()], 100)) for name in names[:200]) < 260


def test_several_texts_are_sought_at_once_and_long_ones_not() -> None:
    index = made(["amsterdam", "rotterdam", "x" * 2000])
    assert index.near([b"amsterdm", b"utrecht", b"roterdam"], 9).tolist() == [0, 1]
    assert index.near([], 9).tolist() == index.near([b"", b"x" * 1999], 9).tolist() == []


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if a hundred names were a million."""
    for module in ("name_files", "names"):
        monkeypatch.setattr(f"clew.graph.{module}.BRUTE_FORCE", 50)
    monkeypatch.setattr(name_files, "MANY", 100)


def graph_of_names(folder: Path, count: int = 400) -> tuple[Path, list[str]]:
    rng = random.Random(4)
    names = [f"{rng.choice(['New', 'Old'])} {''.join(rng.choices('abcdefghij', k=6))} {i}" for i in range(count)]
    (folder / "x.tsv").write_text("".join(f"e{i}\tr\te{(i + 1) % count}\n" for i in range(count)))
    (folder / "names.tsv").write_text("".join(f"e{i}\t{name}\n" for i, name in enumerate(names)))
    build(folder / "x.tsv", folder / "x.kg", labels=folder / "names.tsv")
    return folder / "x.kg", names


def test_a_name_with_a_letter_wrong_is_found_before_any_list_is_read(tmp_path: Path, many: None) -> None:
    path, names = graph_of_names(tmp_path)
    graph = Graph.open(path)
    (index,) = graph.indexes
    wrong = f"{names[7][:5]}x{names[7][6:]}"
    found = index.search(wrong)[0]
    assert (graph.labels_at([found.number]), found.reason) == ([names[7]], "spelled alike (1 letter off)")
    assert "part of the name" in {each.reason for each in index.search(names[7].split()[1])}  # nothing nearer
    assert [each.reason for each in index.search(names[7])][:1] == ["exact label"]
    first, last, off, match = index.misspelt(words_of(f"who lives in {wrong} today"))[0]
    assert (first, last, off, graph.labels_at([match.number])) == (3, 5, 1, [names[7]])


def test_halves_in_parts_are_those_made_at_once(tmp_path: Path, many: None) -> None:
    rng = random.Random(1)
    names = ["".join(rng.choices("abc ", k=rng.randrange(12))).strip() for _ in range(700)]
    data, offsets = spelling.string_buffers(names)
    owners = np.arange(len(names), dtype=np.int32)
    for part in (None, 97):
        name_files.write_index(tmp_path / f"{part}", [(data, offsets, owners)], 0, Memory(LEAST, part))
    written = [
        (tmp_path / f"{part}" / f"{stem}.npy").read_bytes() for stem in ("halves", "halves_at") for part in (None, 97)
    ]
    assert written[0] == written[1]
    assert written[2] == written[3]
    index = NameIndex.open(tmp_path / "97")
    expected = made([spelling.normalise(name) for name in names])
    assert index._halves is not None
    assert np.array_equal(index._halves.entries, expected.entries)
    assert np.array_equal(index._halves.places, expected.places)


def test_repair_adds_what_an_earlier_clew_did_not_write(
    tmp_path: Path, many: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as earlier:
        earlier.setattr(name_files, "MANY", 10**9)
        path, names = graph_of_names(tmp_path)
    (before,) = Graph.open(path).indexes
    assert before._halves is None
    assert before.search(names[3][1:])[0].number == before.exact(names[3])[0].number
    assert repair(path).rebuilt == ("names/halves.npy", "names/halves_at.npy")
    assert Generation.open(path).trusted  # and is not read through when it is opened
    assert damage(path) == []
    (after,) = Graph.open(path).indexes
    assert after._halves is not None
    assert after.search(names[3][1:])[0] == before.search(names[3][1:])[0]
    assert repair(path).rebuilt == ()


@pytest.mark.parametrize("fault", ["number", "place", "type", "absent"])
def test_damaged_halves_are_refused(tmp_path: Path, many: None, fault: str) -> None:
    graph_of_names(tmp_path)
    folder = next(tmp_path.glob("x.kg/*/names"))
    entries, places = np.load(folder / "halves.npy"), np.load(folder / "halves_at.npy")
    if fault == "number":
        entries[5] |= np.uint64(0xFFFFFFFF)
    elif fault == "place":
        places[3] = 10**6
    elif fault == "type":
        entries = entries.astype(np.int64)
    np.save(folder / "halves.npy", entries)
    np.save(folder / "halves_at.npy", places)
    if fault == "absent":
        (folder / "halves_at.npy").unlink()
    with pytest.raises(FormatError, match="halves"):
        NameIndex.open(folder)


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(2**63, 2**63 + 99), min_size=1, max_size=60), st.data())
@quick
def test_hashes_are_located_as_a_bisection_does(monkeypatch_large: None, keys: list[int], data: st.DataObject) -> None:
    ordered = np.sort(np.array(keys, np.uint64))
    asked = np.array([data.draw(st.sampled_from(keys) | st.integers(0, 2**64 - 1)) for _ in range(4)], np.uint64)
    left, right = pages.located(ordered, asked)
    assert left.tolist() == np.searchsorted(ordered, asked, "left").tolist()
    assert right.tolist() == np.searchsorted(ordered, asked, "right").tolist()


@pytest.fixture(scope="module")
def monkeypatch_large() -> object:
    """Arrays of any size count as large, and guesses as near."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pages, "LARGE", 0)
        patch.setattr(pages, "AROUND", 2)
        yield
