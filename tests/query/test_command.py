"""`clew query` and `clew.query`: the ways in from outside."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import clew
import clew.query
from clew.errors import BudgetError, InputError, NotFoundError
from clew.graph import Graph
from clew.query import guarded as guarding
from clew.query.guarded import guarded

ROWS = [("a", "knows", "b"), ("a", "knows", "c"), ("b", "age", "7"), ("c", "age", "9")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("query") / "g.kg"
    Graph.from_triples(ROWS).save(path)
    return path


def cli(*words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clew", "query", *words], input=stdin, capture_output=True, text=True, timeout=100
    )


def test_the_command_prints_a_table(folder: Path) -> None:
    done = cli(str(folder), "top(follow(entity(a), knows), age, largest)")
    assert done.returncode == 0 and "c" in done.stdout and "9" in done.stdout and not done.stderr
    done = cli(str(folder), "-", "--json", stdin="count(follow(entity(a), knows))")
    assert json.loads(done.stdout)["rows"] == [["2"]]
    done = cli(str(folder), "count(follow(entity(a), knows))", "--show", "sparql")
    assert done.stdout.startswith("SELECT")


def test_the_command_reports_mistakes(folder: Path) -> None:
    done = cli(str(folder), "follow(entity(a), knwos)")
    assert done.returncode == 3 and done.stderr == "clew: graph 'g': no relation 'knwos'; nearest: 'knows'\n"
    done = cli(str(folder), "-", stdin="x" * 1_000_000)
    assert done.returncode == 2 and "at most 100,000" in done.stderr


def test_the_process_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarding.sys, "executable", str(_sleeper(folder.parent)))
    with pytest.raises(BudgetError, match=r"took longer than 0.2 s and was ended"):
        guarded(folder, "all()", seconds=0.2)


def _sleeper(folder: Path) -> Path:
    script = folder / "sleeper"
    script.write_text("#!/bin/sh\nexec sleep 60\n")
    script.chmod(0o755)
    return script


def test_errors_keep_their_kind_across_the_process(folder: Path) -> None:
    with pytest.raises(NotFoundError, match="no entity"):
        guarded(folder, "entity(nobody)")


def test_from_python(folder: Path) -> None:
    table = clew.query(folder, "count(follow(entity(a), knows))")  # type: ignore[operator]
    assert table.rows == (("2",),) and table.complete
    assert clew.query.run(Graph.open(folder), '{"node": "Count", "of": {"node": "All"}}').rows == (("5",),)
    assert "<table>" in table._repr_html_()
    with pytest.raises(InputError, match="the query is empty"):
        clew.query.run(folder, " ")
    with pytest.raises(InputError, match="not JSON"):
        clew.query.run(folder, "{")
