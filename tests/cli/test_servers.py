"""Commands over a graph in a server: an endpoint in this process instead of a folder, the same commands."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from clew.graph import Graph, build
from clew.graph.remote import ServerGraph
from clew.graph.remote.http import Http
from clew.testing.endpoint import BASE, LocalEndpoint

pytest.importorskip("pyoxigraph", reason="the extra sparql is not installed")
httpx = pytest.importorskip("httpx", reason="the extra sparql is not installed")

Run = Callable[..., Any]
SMALL = ("--set", "encoder.name=hash-64", "--quiet")


@pytest.fixture
def endpoint(graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with LocalEndpoint(Graph.open(graph)) as running:
        yield running.url


def there(*arguments: str) -> tuple[str, ...]:
    return (*arguments, "--set", f"graph.server.base={BASE}")


def triples(folder: Path) -> set[tuple[str, str, str]]:
    return {(t.head.id, t.relation.id, t.tail.id) for t in Graph.open(folder).triples()}


def test_pull_copies_a_part_and_sync_brings_it_up_to_date(
    clew: Run, endpoint: str, graph: Path, tmp_path: Path
) -> None:
    topics, part = tmp_path / "topics.txt", tmp_path / "part.kg"
    topics.write_text("France\n")
    said = clew(*there("pull", endpoint, "-o", str(part), "--around", str(topics), "--hops", "1"))
    assert said.code == 0, said.err
    assert triples(part) == {row for row in triples(graph) if "France" in row}
    model = part / "models" / "mine"
    model.mkdir(parents=True)
    assert clew(*there("sync", endpoint, str(part))).code == 0
    (tmp_path / "facts.tsv").write_text((tmp_path / "facts.tsv").read_text() + "Lyon\tlocated in\tFrance\n")
    build([tmp_path / "facts.tsv"], tmp_path / "later.kg")
    with LocalEndpoint(Graph.open(tmp_path / "later.kg")) as later:
        refused = clew(*there("sync", later.url, str(part)))
    assert refused.code != 0 and "is a copy of a part of" in refused.err  # another address is another graph
    assert model.is_dir()


def test_link_index_is_built_once_and_used(clew: Run, endpoint: str) -> None:
    said = clew(*there("link-index", endpoint, "--json"))
    assert said.code == 0, said.err
    made = json.loads(said.out)
    assert made["entities"] == 6 and Path(made["path"]).is_dir()
    found = clew(
        *there("link", endpoint, "what is the curency of Germny?", "--json"), "--set", "graph.server.names=index"
    )
    assert found.code == 0 and "Germany" in found.out, found.err


def test_predict_and_resume_over_a_server(clew: Run, endpoint: str, questions: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    asked = there("predict", endpoint, str(questions), "--method", "walk", "--run", str(run), *SMALL)
    first = clew(*asked)
    assert first.code == 0, first.err
    rows = (run / "rows.jsonl").read_bytes()
    assert rows.count(b"\n") == 3
    again = clew(*asked, "--resume")
    assert again.code == 0 and (run / "rows.jsonl").read_bytes() == rows, again.err


def test_a_run_whose_server_dies_keeps_its_rows_and_goes_on(
    clew: Run, endpoint: str, questions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tmp_path / "run"
    settings = ("graph.server.triples_at_once=0", "graph.server.retries=0", "run.batch=1")
    flags = [*SMALL, *(part for each in settings for part in ("--set", each))]
    asked = there("predict", endpoint, str(questions), "--method", "walk", "--run", str(run), *flags)
    send = Http._send

    def dying(self: Http, form: str, *rest: Any) -> Any:
        if (run / "rows.jsonl").is_file() and (run / "rows.jsonl").read_text().count("\n"):
            raise httpx.ReadError("the server is gone")
        return send(self, form, *rest)

    monkeypatch.setattr(ServerGraph, "_keep", lambda *_: None)  # each question asks for its facts
    monkeypatch.setattr(Http, "_send", dying)
    first = clew(*asked)
    rows = [json.loads(line) for line in (run / "rows.jsonl").read_text().splitlines()]
    failed = [row for row in rows if "error" in row]
    assert 0 < len(failed) < len(rows) == 3 and "the server is gone" in first.err
    monkeypatch.setattr(Http, "_send", send)
    again = clew(*asked, "--resume")
    assert again.code == 0, again.err


@pytest.mark.slow  # opens torch and trains
def test_training_over_a_server_cuts_the_part_around_the_topics(
    clew: Run, endpoint: str, questions: Path, tmp_path: Path
) -> None:
    tiny = ["train.fit.steps=2", "train.fit.evaluate_every=2", "train.batch=3", "train.network.width=16"]
    flags = [part for each in tiny for part in ("--set", each)]
    out = tmp_path / "model"
    said = clew(*there("train", "scr", endpoint, "--questions", str(questions), "--out", str(out), *SMALL), *flags)
    assert said.code == 0, said.err
    assert (out / "trained.json").is_file()
    asked = clew(*there("ask", endpoint, "currency of France?", "--model", str(out), *SMALL[:2]))
    assert asked.code in (0, 1), asked.err


def test_a_plan_is_executed_in_the_server(clew: Run, endpoint: str) -> None:
    said = clew("query", endpoint, 'follow(entity("Euro"), ^currency)', "--json", "--set", f"graph.server.base={BASE}")
    assert said.code == 0, said.err
    assert {row[0] for row in json.loads(said.out)["rows"]} == {"France", "Germany"}
