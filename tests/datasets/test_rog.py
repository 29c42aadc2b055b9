"""Sets with one graph per question: Parquet of the Hub's schema, prepared or not, gives the same examples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.datasets import SharedTriples, load, prepare_parquet, prepare_rog, question_set, rog, shared_triples
from clew.errors import FormatError, InputError, NotFoundError, UnavailableError
from clew.graph import Graph
from clew.protocols import Example

SCHEMA = pa.schema(
    [
        ("id", pa.string()),
        ("question", pa.string()),
        *((name, pa.list_(pa.string())) for name in ("answer", "q_entity", "a_entity", "choices")),
        ("graph", pa.list_(pa.list_(pa.string()))),
    ]
)
SMALL = [
    {"id": "a", "question": "a?", "answer": ["y"], "graph": [["x", "r", "y"], ["y", "s", "z"], ["x", "r", "y"]]},
    {"id": "b", "question": "b?", "answer": ["z"], "graph": [["y", "s", "z"], ["x", "r", "y"]]},
    {"id": "c", "question": "c?", "answer": ["q"], "graph": []},
    {"id": "d", "question": "d?", "answer": ["x"], "graph": [["z", "s", "y"], ["x", "r", "y"], ["m.0x", "r", "ö "]]},
]


def write(path: Path, rows: list[dict[str, Any]]) -> None:
    whole = [{"q_entity": ["x"], "a_entity": row["answer"], "choices": [], **row} for row in rows]
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(whole, SCHEMA), path, row_group_size=2)


def facts(example: Example) -> set[tuple[str, str, str]]:
    assert example.graph is not None
    return {(t.head.id, t.relation.id, t.tail.id) for t in example.graph.triples()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "raw" / "data" / "test-00000-of-00002-abc.parquet", SMALL[:2])
    write(tmp_path / "raw" / "data" / "test-00001-of-00002-abc.parquet", SMALL[2:])
    write(tmp_path / "raw" / "data" / "validation-00000-of-00001.parquet", SMALL[1:2])
    return tmp_path


def test_prepared_and_unprepared_are_the_same(folder: Path) -> None:
    meta = prepare_parquet(folder / "raw", folder / "out")
    assert meta["graphs"] == 3
    assert meta["triples"] == 4
    assert meta["splits"]["test"] == {
        "questions": 4, "triples_as_published": 8, "answer_differs_from_a_entity": 0, "empty_graphs": 1,
    }  # fmt: skip
    for split, rows in (("test", SMALL), ("dev", SMALL[1:2])):
        raw = list(rog.load_rog("rog-webqsp", split, folder / "raw", counts={}))
        prepared = list(rog.load_rog("rog-webqsp", split, folder / "out", counts={}))
        for mine, theirs, row in zip(raw, prepared, rows, strict=True):
            assert (mine.question, mine.gold) == (theirs.question, theirs.gold)
            assert mine.question.id == row["id"]
            assert facts(mine) == facts(theirs) == {tuple(triple) for triple in row["graph"]}
    prepared = list(SharedTriples.open(folder / "out").examples("test"))
    assert prepared[0].graph is prepared[1].graph
    assert not list(folder.glob(".out*"))
    assert not (folder / "out" / "keys.u64").exists()


def test_counts_are_asserted(folder: Path) -> None:
    with pytest.raises(InputError, match="4 questions, expected 1628"):
        list(rog.load_rog("rog-webqsp", "test", folder / "raw"))
    with pytest.raises(InputError, match="expected"):
        prepare_rog("rog-webqsp", folder / "out", folder / "raw")
    assert not (folder / "out").exists()
    assert sorted(path.name for path in folder.iterdir()) == ["raw"]
    prepare_parquet(folder / "raw", folder / "out")
    with pytest.raises(InputError, match="4 questions, expected 3531"):
        load("rog-cwq", "test", folder=folder / "out")
    with pytest.raises(InputError, match="already exists"):
        prepare_parquet(folder / "raw", folder / "out")
    assert question_set("rog-cwq").triples is None


def test_damage_is_named(folder: Path) -> None:
    prepare_parquet(folder / "raw", folder / "out")
    with pytest.raises(NotFoundError, match="no split 'train'"):
        list(rog.load_rog("rog-cwq", "train", folder / "out", counts={}))
    (folder / "out" / "triples.i32").write_bytes(b"\0")
    with pytest.raises(FormatError, match=r"triples\.i32: missing or not"):
        rog.load_rog("rog-cwq", "test", folder / "out", counts={})
    meta = json.loads((folder / "out" / "meta.json").read_text(encoding="utf-8"))
    (folder / "out" / "meta.json").write_text(json.dumps({**meta, "format": 99}), encoding="utf-8")
    with pytest.raises(FormatError, match="format 99"):
        SharedTriples.open(folder / "out")
    (folder / "out" / "meta.json").write_text("{", encoding="utf-8")
    with pytest.raises(FormatError, match="not a prepared question set"):
        SharedTriples.open(folder / "out")


def test_bad_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFoundError, match="neither a prepared folder nor Parquet"):
        load("rog-webqsp", "test", folder=tmp_path)
    with pytest.raises(NotFoundError, match="no Parquet files"):
        prepare_parquet(tmp_path, tmp_path / "out")
    file = tmp_path / "test-0.parquet"
    write(file, [{**SMALL[0], "graph": [["x", "r"]]}])
    with pytest.raises(InputError, match="no triples of 3"):
        prepare_parquet(tmp_path, tmp_path / "out")
    write(file, [SMALL[0], SMALL[0]])
    with pytest.raises(InputError, match="id 'a' stands twice"):
        prepare_parquet(tmp_path, tmp_path / "out")
    pq.write_table(pa.table({"id": ["a"]}), file)
    with pytest.raises(InputError, match="no column question"):
        prepare_parquet(tmp_path, tmp_path / "out")
    file.write_bytes(b"PAR1")
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        prepare_parquet(tmp_path, tmp_path / "out")
    write(file, SMALL)
    monkeypatch.setattr(shared_triples, "ENTITY_BITS", 2)
    with pytest.raises(InputError, match="more than 4 distinct names"):
        prepare_parquet(tmp_path, tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test-0.parquet"]


def test_merging_in_small_steps_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare_parquet(folder / "raw", folder / "one")
    monkeypatch.setattr(shared_triples, "MERGE", 2)
    monkeypatch.setattr(rog, "ROWS", 1)
    prepare_parquet(folder / "raw", folder / "two")
    one, two = (list(SharedTriples.open(folder / name).examples("test")) for name in ("one", "two"))
    assert [facts(example) for example in one] == [facts(example) for example in two]


def test_offline_the_hub_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    constants = pytest.importorskip("huggingface_hub.constants")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(UnavailableError, match="RoG-cwq cannot be fetched"):
        prepare_rog("rog-cwq", tmp_path / "out")


@pytest.mark.data
def test_pooled_freebase_in_the_hub_schema(data: Path, tmp_path: Path) -> None:
    triples = question_set("webqsp-pooled").triples
    assert triples is not None
    graph = Graph.from_triples(triples(data), name="pooled")
    rows = list(islice(neighbourhoods(graph, data), 60))
    write(tmp_path / "raw" / "train-00000-of-00001.parquet", rows)
    meta = prepare_parquet(tmp_path / "raw", tmp_path / "out", counts={"train": 60})
    published = meta["splits"]["train"]["triples_as_published"]
    assert meta["references"] <= published
    examples = list(SharedTriples.open(tmp_path / "out").examples("train"))
    for example, row in zip(examples, rows, strict=True):
        assert facts(example) == {tuple(triple) for triple in row["graph"]}
        assert example.graph is not None
        topic = example.graph.entity(row["q_entity"][0])
        ours = {(t.head.id, t.relation.id, t.tail.id) for t in example.graph.neighbors([topic.id])}
        assert ours == {tuple(t) for t in row["graph"] if topic.id in (t[0], t[2])}
    arrays = sum(
        (tmp_path / "out" / name).stat().st_size for name in ("triples.i32", "offsets.i64", "train.graphs.i32")
    )
    text = sum(len(term.encode()) for row in rows for triple in row["graph"] for term in triple)
    assert arrays < text / 10


def neighbourhoods(graph: Graph, data: Path) -> Iterator[dict[str, Any]]:
    """Questions with the triples within two hops of their topics, cut at 2,000."""
    whole = graph.whole
    for example in load("webqsp-pooled", "train", folder=data):
        seeds = [n for topic in example.question.topics if (n := graph.number_of(topic)) is not None]
        inside = np.isin(whole.heads, seeds) | np.isin(whole.tails, seeds)
        near = np.unique(np.concatenate([whole.heads[inside], whole.tails[inside]]))
        picked = np.flatnonzero(inside)
        around = np.flatnonzero((np.isin(whole.heads, near) | np.isin(whole.tails, near)) & ~inside)
        records = (whole.triple(int(t)) for t in np.concatenate([picked, around])[:2000])
        yield {
            "id": example.question.id,
            "question": example.question.text,
            "q_entity": [graph.entity_at(n).id for n in seeds],
            "answer": list(example.gold.answers),
            "a_entity": list(example.gold.entities),
            "graph": [[t.head.id, t.relation.id, t.tail.id] for t in records],
        }
