"""The named sets, on the real files: counts, topics, answers in the graph, splits."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from clew.datasets import data_folder, load, question_set, question_sets
from clew.datasets.pathquestion import COUNTS as PATHQUESTION
from clew.datasets.pathquestion import _parts
from clew.errors import InputError, NotFoundError


def test_every_set_states_where_it_comes_from() -> None:
    for name, each in question_sets().items():
        assert each.name == name
        assert each.source.url
        assert each.source.licence
        assert each.splits
    assert "trained on dev" in question_set("metaqa-r-1hop").notice.replace("methods are ", "")
    assert "not comparable" in question_set("webqsp-pooled").notice


def test_the_demo_needs_no_folder() -> None:
    test = list(load("demo:test"))
    assert len(test) >= 150
    assert any(example.gold.stated and not example.gold.answers for example in test)
    splits = [{example.question.text for example in load("demo", split)} for split in ("test", "dev", "train")]
    assert not splits[0] & splits[2]


@pytest.mark.data
@pytest.mark.parametrize("hops", [2, 3])
def test_pathquestion(data: Path, hops: int) -> None:
    name = f"pq-{hops}h"
    every = list(load(name, "all", folder=data))
    assert len(every) == PATHQUESTION[hops]
    triples = question_set(name).triples
    assert triples is not None
    graph = set(triples(data))
    assert len(graph) == {2: 1211, 3: 2839}[hops]
    for example in every:
        (path,) = example.gold.paths
        assert set(path) <= graph
        assert path[0][0] == example.question.topics[0]
        assert path[-1][2] in example.gold.answers
    for kind in ("", "disjoint-"):
        parts = [list(load(name, f"{kind}{part}", folder=data)) for part in ("train", "dev", "test")]
        ids = [example.question.id for part in parts for example in part]
        assert sorted(ids) == [example.question.id for example in every]
        assert abs(len(parts[0]) / len(every) - 0.8) < 0.01
        assert abs(len(parts[1]) / len(parts[2]) - 1) < 0.05
        train, test = ({example.gold.paths for example in parts[i]} for i in (0, 2))
        shared = len(train & test)
        assert shared == 0 if kind else shared > 50
    other = {example.question.id for example in load(name, "test", folder=data, seed=1)}
    assert other != {example.question.id for example in load(f"{name}:test", folder=data)}


def test_the_recorded_split_never_moves() -> None:
    assert _parts([str(i) for i in range(10)], 0) == ([4, 9, 5, 0, 3, 2, 7, 6], [8], [1])


@pytest.mark.data
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_metaqa(data: Path, hops: int) -> None:
    triples = question_set("metaqa-r-1hop").triples
    assert triples is not None
    entities = {name for head, _, tail in triples(data) for name in (head, tail)}
    for split, count in (("dev", {1: 9992, 2: 14872, 3: 14274}), ("test", {1: 9947, 2: 14872, 3: 14274})):
        examples = list(load(f"metaqa-r-{hops}hop", split, folder=data))
        assert len(examples) == count[hops]
        assert len({example.question.id for example in examples}) == count[hops]
        lost = sum(not set(example.question.topics) <= entities for example in examples)
        assert lost <= 11  # of 14,872: the graph is a reconstruction
        assert all("[" not in example.question.text for example in examples)
        assert all(example.gold.kind and example.gold.kind.count("_to_") == hops for example in examples)
        missing = sum(not set(example.gold.entities) <= entities for example in examples)
        assert missing / count[hops] < 0.01


@pytest.mark.data
@pytest.mark.parametrize(("part", "counts"), [("webqsp", (685, 235)), ("cwq", (1492, 469))])
def test_freebase_pooled(data: Path, part: str, counts: tuple[int, int]) -> None:
    triples = question_set(f"{part}-pooled").triples
    assert triples is not None
    rows = list(triples(data))
    assert len(rows) == len(set(rows)) == 97_562
    entities = {name for head, _, tail in rows for name in (head, tail)}
    ids: set[str] = set()
    for split, count in zip(("train", "dev"), counts, strict=True):
        examples = list(load(f"{part}-pooled", split, folder=data))
        assert len(examples) == count
        assert not ids & {example.question.id for example in examples}
        ids |= {example.question.id for example in examples}
        assert all(entities.intersection(example.question.topics) for example in examples)
        assert all(entities.intersection(example.gold.entities) for example in examples)
        assert all(example.gold.hops for example in examples)


@pytest.mark.data
def test_a_changed_or_shortened_file_is_refused(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pathquestion"
    folder.mkdir()
    for name in ("PQ-2H.txt", "2H-kb.txt"):
        shutil.copyfile(data / "pathquestion" / name, folder / name)
    text = (folder / "PQ-2H.txt").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "PQ-2H.txt").write_text("".join(text[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match="sha256"):
        load("pq-2h", "test", folder=tmp_path)
    with pytest.raises(InputError, match="1907 questions, expected 1908"):
        load("pq-2h", "test", folder=tmp_path, verify=False)
    (folder / "PQ-2H.txt").write_text("one field\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"PQ-2H\.txt:1: 1 fields, expected 3"):
        load("pq-2h", "test", folder=tmp_path, verify=False)
    with pytest.raises(NotFoundError, match="no such file"):
        list(load("metaqa-r-1hop", "test", folder=tmp_path))


def test_the_folder_is_an_argument_or_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("CLEW_DATA", raising=False)
    with pytest.raises(NotFoundError, match="set CLEW_DATA"):
        data_folder()
    monkeypatch.setenv("CLEW_DATA", str(tmp_path))
    assert data_folder() == tmp_path
    with pytest.raises(NotFoundError, match="not a folder"):
        data_folder(tmp_path / "none")
