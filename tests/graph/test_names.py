"""Looking entities up by name: kernels against slow oracles, then what a user may type."""

from __future__ import annotations

import json
import random
import unicodedata
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import FormatError, InputError
from clew.graph import postings, spelling
from clew.graph.names import BRUTE_FORCE, NameIndex

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
ALPHABET = "abcdefghijklmnopqrstuvwxyz"
quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def pieces(data: np.ndarray, offsets: np.ndarray) -> list[str]:
    return [data.tobytes()[offsets[i] : offsets[i + 1]].decode() for i in range(len(offsets) - 1)]


@pytest.fixture
def force_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "FEWER_THAN_COMPILED", 0)


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("The  Amélie_Film!", "the amelie film"),
        ("Some Mother's Son", "some mothers son"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("M*A*S*H", "m a s h"),
        ("!!!", "!!!"),
        ("北京 (Beijing)", "北京 beijing"),
        ("𝐁old", "bold"),
        ("  ", "  "),
        ("", ""),
        ("한국", "한국"),
    ],
)
def test_normal_form(raw: str, normal: str) -> None:
    assert unicodedata.normalize("NFC", spelling.normalise(raw)) == unicodedata.normalize("NFC", normal)


@given(st.lists(text, max_size=12))
@quick
def test_normal_form_is_stable(texts: list[str]) -> None:
    for one in texts:
        assert spelling.normalise(spelling.normalise(one)) == spelling.normalise(one)


@given(st.lists(text, max_size=12))
@settings(quick, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_compiled_forms_and_hashes_equal_the_plain_ones(force_kernels: None, texts: list[str]) -> None:
    data, offsets = spelling.normalise_all(*spelling.string_buffers(texts))
    assert pieces(data, offsets) == [spelling.normalise(one) for one in texts]
    assert spelling.hash_all(data, offsets).tolist() == [spelling.hash_text(spelling.normalise(one)) for one in texts]
    most = max((len(spelling.normalise(one).split()) for one in texts), default=0)
    assert spelling.most_words(data, offsets) >= most


def test_words_are_counted_piece_by_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    names = spelling.string_buffers([*["a b"] * 7, "", "one two three four", *["c"] * 5])
    monkeypatch.setattr(spelling, "PIECE", 3)
    assert spelling.most_words(*names) == 4


def test_hash_is_fnv_1a_and_continues() -> None:
    assert spelling.hash_text("") == 0xCBF29CE484222325
    assert spelling.hash_text("a") == 0xAF63DC4C8601EC8C  # published test vector
    assert spelling.hash_text("bc", spelling.hash_text("a")) == spelling.hash_text("abc")


def test_buffers_of_sliced_and_chunked_arrays() -> None:
    array = pa.array(["x", "one", None, "two"])[1:]
    for given_array in (array, pa.chunked_array([array[:1], array[1:]])):
        assert pieces(*spelling.string_buffers(given_array)) == ["one", "", "two"]


@given(st.lists(st.text("abc ", max_size=8), min_size=1, max_size=60), st.text("abc ", min_size=1, max_size=8))
@quick
def test_similar_is_the_best_by_shared_trigrams(texts: list[str], query: str) -> None:
    def grams(one: str) -> set[str]:
        framed = f" {one} " if one else "   "
        return {framed[i : i + 3] for i in range(len(framed) - 2)}

    data, offsets = spelling.string_buffers(texts)
    found = postings.postings(data, offsets).similar(query.encode(), 5).tolist()
    assert len(found) == len(set(found)) <= 12

    def dice(i: int) -> int:
        return 510 * len(grams(query) & grams(texts[i])) // (len(grams(query)) + len(grams(texts[i])))

    best = sorted((dice(i) for i in range(len(texts))), reverse=True)[:5]
    mine = sorted((dice(i) for i in found), reverse=True)[:5]
    assert mine == [score for score in best if score > 0]
    holding = [i for i in range(len(texts)) if grams(query) <= grams(texts[i])]
    if len(holding) <= 5:
        assert set(holding) <= set(found)


def test_long_gaps_between_postings_are_read_back() -> None:
    texts = ["needle"] + ["hay"] * 300 + ["needle"] + ["hay"] * 70_000 + ["needles"]
    data, offsets = spelling.string_buffers(texts)
    found = postings.postings(data, offsets).similar(b"needle", 10)
    assert sorted(found.tolist()) == [0, 301, len(texts) - 1]


@pytest.fixture(scope="module")
def cities() -> list[str]:
    """More distinct names than are read by brute force."""
    rng = random.Random(3)
    words = ["".join(rng.choice(ALPHABET) for _ in range(rng.randint(3, 9))) for _ in range(6000)]
    return list(
        dict.fromkeys(" ".join(rng.sample(words, rng.randint(1, 3))).title() for _ in range(BRUTE_FORCE + 5000))
    )


@pytest.fixture(scope="module")
def index(cities: list[str], tmp_path_factory: pytest.TempPathFactory) -> NameIndex:
    return NameIndex.build(cities, tmp_path_factory.mktemp("names") / "index")


def typo(name: str, rng: random.Random) -> str:
    at, letter = rng.randrange(len(name)), rng.choice(ALPHABET)
    return rng.choice(
        [
            name[:at] + name[at + 1 :],
            name[:at] + letter + name[at:],
            name[:at] + letter + name[at + 1 :],
            name[:at] + name[at + 1 : at + 2] + name[at] + name[at + 2 :],
        ]
    )


def test_every_name_finds_itself_first(index: NameIndex, cities: list[str]) -> None:
    for i in range(0, len(cities), 501):
        assert index.search(cities[i], 1) == [(i, 1.0, "exact label")]
        assert index.search(cities[i].upper().replace(" ", "_"), 1)[0].score == 0.98


@pytest.mark.parametrize("rows", [400, None])
def test_one_typo_is_forgiven(index: NameIndex, cities: list[str], rows: int | None) -> None:
    chosen = index if rows is None else NameIndex.build(cities[:rows])
    rng = random.Random(5)
    numbers = [i for i in rng.sample(range(rows or len(cities)), 200) if len(cities[i]) > 4]
    hits = sum(i in [found.number for found in chosen.search(typo(cities[i], rng), 10)] for i in numbers)
    assert hits / len(numbers) >= 0.95


def test_scores_lie_in_range_and_fall(index: NameIndex, cities: list[str]) -> None:
    for query in (cities[7], cities[7][:-1], cities[7].split()[0], "x", "qqqq"):
        scores = [found.score for found in index.search(query, 20)]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)


def test_entities_that_share_a_name_are_all_returned() -> None:
    names = NameIndex.build(["Springfield", "springfield", "Springfield", "Spring field", "Other"])
    assert [found.number for found in names.search("Springfield")][:3] == [0, 2, 1]
    assert {found.number for found in names.exact("SPRINGFIELD")} == {0, 1, 2}
    assert [found.number for found in names.spans("is Springfield far?")[0].found] == [0, 2, 1]


def test_aliases_point_to_their_entity_and_rank_below_labels() -> None:
    names = NameIndex.build(["Germany", "Deutschland GmbH", "Deutschland"], numbers=[0, 1, 0], aliases_from=2)
    assert names.search("Deutschland")[0] == (0, 0.98, "exact alias")
    assert names.search("deutschland")[0].reason == "alias up to case and signs"
    assert names.search("Deutchland")[0].reason == "spelled alike (1 letter off) of an alias"
    assert [found.number for found in names.search("germany")].count(0) == 1


def test_a_part_of_a_name_is_offered_below_spelling() -> None:
    names = NameIndex.build(["Albert Einstein", "Einsteinium", "Weinstein"])
    by_number = {found.number: found for found in names.search("einstein")}
    assert by_number[0].reason == "part of the name"
    assert by_number[0].score < 0.9


def test_nothing_to_look_for(index: NameIndex) -> None:
    assert index.search("") == index.search("   ") == index.search("x", 0) == index.spans("") == index.spans("?!") == []
    assert NameIndex.build([]).search("anything") == NameIndex.build([]).spans("anything at all") == []
    assert NameIndex.build(["", "  "]).search("a") == []


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("who directed The Heat's sequel", "The Heat"),
        ("who directed [The Heat]?", "The Heat"),
        ("who directed the_heat", "the_heat"),
        ("WHO DIRECTED THE HEAT", "THE HEAT"),
        ("was “The  Heat” good", "The  Heat"),
        ("the heats of summer", "the heats"),
    ],
)
def test_mentions_in_a_question(question: str, part: str) -> None:
    span = NameIndex.build(["Heat", "The Heat", "Summer Days"]).spans(question)[0]
    assert (span.text, [found.number for found in span.found]) == (part, [1])
    assert question[span.start : span.end] == part


def test_the_longest_mention_comes_first_and_nested_ones_follow() -> None:
    names = NameIndex.build(["York", "New York", "New York City"])
    assert [span.text for span in names.spans("where is New York City")] == ["New York City", "New York", "York"]


@given(st.lists(text.filter(lambda t: spelling.normalise(t)[:1].isalnum()), min_size=1, max_size=8), st.data())
@quick
def test_every_name_is_found_in_a_sentence(names: list[str], data: st.DataObject) -> None:
    chosen = data.draw(st.sampled_from(names))
    question = f"tell me about {chosen} and more"
    found = {one.number for span in NameIndex.build(names).spans(question) for one in span.found}
    assert names.index(chosen) in found


def test_the_mapped_index_answers_like_the_one_in_memory(index: NameIndex, cities: list[str]) -> None:
    memory = NameIndex.build(cities)
    for query in (cities[3], cities[9][1:], "no such place"):
        assert memory.search(query) == index.search(query)


def test_mismatched_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="1 numbers for 2 texts"):
        NameIndex.build(["a", "b"], numbers=[0])


@pytest.mark.parametrize("damage", ["absent", "newer", "truncated", "inconsistent", "no json"])
def test_a_damaged_index_is_refused(tmp_path: Path, damage: str) -> None:
    NameIndex.build(["a", "b"], tmp_path / "i")
    meta = tmp_path / "i" / "names.json"
    if damage == "absent":
        (tmp_path / "i" / "hashes.npy").unlink()
    elif damage == "newer":
        meta.write_text(json.dumps(json.loads(meta.read_text()) | {"version": 99}))
    elif damage == "truncated":
        path = tmp_path / "i" / "offsets.npy"
        path.write_bytes(path.read_bytes()[:-4])
    elif damage == "inconsistent":
        np.save(tmp_path / "i" / "order.npy", np.zeros(1, np.int32))
    else:
        meta.write_text("{")
    with pytest.raises(FormatError, match="build the graph again"):
        NameIndex.open(tmp_path / "i")
