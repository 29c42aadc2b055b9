"""The shipped demo: small, whole, attributed, and its questions answerable from its graph."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from typing import Any

import pytest

from clew.datasets import demo

ox = pytest.importorskip("pyoxigraph")


def rows(split: demo.Split) -> list[dict[str, Any]]:
    return [json.loads(line) for line in demo.questions_file(split).read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def statements() -> set[tuple[str, str, str]]:
    data = gzip.decompress(demo.graph_file().read_bytes())
    return {(q.subject.value, q.predicate.value, q.object.value) for q in ox.parse(data, format=ox.RdfFormat.TURTLE)}


def test_size_and_attribution(statements: set[tuple[str, str, str]]) -> None:
    assert 20_000 < len(statements) < 60_000
    assert sum(f.stat().st_size for f in demo.FOLDER.iterdir() if f.is_file()) < 1_500_000
    assert "CC BY 4.0" in gzip.decompress(demo.graph_file().read_bytes())[:400].decode()
    assert "Creative Commons Attribution 4.0" in (demo.FOLDER / "ATTRIBUTION.md").read_text(encoding="utf-8")


def test_questions_cover_the_kinds(statements: set[tuple[str, str, str]]) -> None:
    kinds = Counter(row["type"] for row in rows("test"))
    assert sum(kinds.values()) >= 150
    assert all(kinds[k] >= 10 for k in ("1 hop", "2 hop", "3 hop", "conjunction", "unanswerable"))
    known = {x for s, _, o in statements for x in (s, o)}
    for split in ("test", "dev", "train"):
        for row in rows(split):
            assert set(row["q_entity"]) <= known and set(row["a_entity"]) <= known, row
            assert bool(row["answer"]) == (row["type"] != "unanswerable"), row


def test_an_answer_is_what_the_graph_says(statements: set[tuple[str, str, str]]) -> None:
    france = "https://sws.geonames.org/3017382/"
    capital = {o for s, p, o in statements if s == france and p.endswith("/geo/capital")}
    (row,) = [r for r in rows("test") if r["question"] == "What is the capital of France?"]
    assert row["q_entity"] == [france] and set(row["a_entity"]) == capital and row["answer"] == ["Paris"]


def test_training_shares_no_wording_and_no_fact_with_evaluation() -> None:
    def mask(text: str) -> str:
        words = text.replace("?", "").replace(".", "").replace("'s", "").split()
        return " ".join("X" if w[0].isupper() and i else w.casefold() for i, w in enumerate(words))

    asked = {json.dumps([sorted(r["q_entity"]), sorted(r["a_entity"])]) for r in rows("test")}
    wordings = {mask(r["question"]) for r in rows("test")}
    for split in ("train", "dev"):
        for row in rows(split):
            if row["answer"]:
                assert json.dumps([sorted(row["q_entity"]), sorted(row["a_entity"])]) not in asked
            assert mask(row["question"]) not in wordings
