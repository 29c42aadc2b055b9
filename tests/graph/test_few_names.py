"""A small name index, read through, finds what the compiled searches find."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest

from clew.graph import postings, spelling
from clew.graph.few_names import FewNames

WORDS = [
    "university",
    "of",
    "the",
    "and",
    "art",
    "arts",
    "new",
    "york",
    "ufo",
    "of course",
    "x",
    "a.b",
    "(c",
    "münchen",
]


def indexed(names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    return spelling.normalise_all(*spelling.string_buffers(names))


@pytest.mark.parametrize("seed", range(5))
def test_it_finds_what_the_compiled_searches_find(seed: int) -> None:
    chance = random.Random(seed)
    names = [" ".join(chance.choices(WORDS, k=chance.randint(1, 5))) for _ in range(300)] + ["", "!?", "\n", "art"]
    data, offsets = indexed(names)
    few, lists = FewNames(data, offsets), postings.postings(data, offsets)
    for text in [*WORDS, "new york", "york new", "the art", "absent", "rk ne"]:
        wanted = spelling.normalise(text).encode()
        assert len(wanted) > 0
        for parts in ([wanted], wanted.split()):
            found = few.holding(parts, 1000).tolist()
            assert found == lists.holding(parts, data, offsets, 1000).tolist(), parts
            pattern = re.compile(r"\b.*\b".join(rf"(?<!\S){re.escape(part.decode())}(?!\S)" for part in parts))
            plain = [spelling.normalise(name) for name in names]
            longer = [len(name.encode()) > sum(map(len, parts)) for name in plain]
            assert found == [i for i, name in enumerate(plain) if longer[i] and pattern.search(name)], parts
    for text in ["universty of york", "a course of arts", "nothing alike here", "ab"]:
        for limit in (3, 20, 1000):
            wanted = text.encode()
            assert few.within(wanted, limit).tolist() == lists.within(wanted, limit).tolist(), (text, limit)
    for letters in ("uoa", "ny", "nya", "xx", "ua", "oo"):
        found = few.initials(letters.encode(), 1000).tolist()
        compiled = spelling.initials(letters.encode(), data, offsets, 1000).tolist()
        assert set(compiled) <= set(found), letters  # the compiled search never goes back on a word it took


def test_of_too_many_the_shortest_are_kept() -> None:
    data, offsets = indexed(["art of war", "art", "the art", "modern art museum", "art x"])
    assert FewNames(data, offsets).holding([b"art"], 2).tolist() == [2, 4]


def test_initials_may_leave_out_small_words_but_not_the_first() -> None:
    names = ["Ultimate Fighting Championship", "Union of the Four Cities", "The Ultimate Fighting Championship"]
    assert FewNames(*indexed(names)).initials(b"ufc", 10).tolist() == [0, 1]
