"""The pages on extending clew are followed in a scratch folder: what they write down is written, run and tested.

The conformance suites of the pages run here as they stand there, one class each.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from documents import ROOT, files

from clew.methods import registry

PAGES = ROOT / "docs" / "extending"
METHOD, STORE, ENCODER = (files((PAGES / f"{name}.md").read_text("utf-8")) for name in ("method", "store", "encoder"))
ROOM = [name for name in METHOD if name.startswith("pathrank/")]


FOLDER = Path(tempfile.mkdtemp(prefix="clew-extending-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def written(pages: dict[str, str], folder: Path) -> None:
    """Write the files of a page into a folder."""
    for name, text in pages.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def suite(pages: dict[str, str], name: str) -> Any:
    """The test class that a page writes down."""
    written(pages, FOLDER)
    names: dict[str, Any] = {"__name__": Path(name).stem}
    sys.path.insert(0, str(FOLDER))
    try:
        exec(compile(pages[name], name, "exec"), names)  # noqa: S102 - the project's own documents
    finally:
        sys.path.remove(str(FOLDER))
    return next(value for key, value in names.items() if key.startswith("Test"))


@pytest.fixture(scope="module", autouse=True)
def _known() -> Iterator[None]:
    """The pages' modules can be imported, and their method is registered."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER))
        patch.setattr(registry, "ROOMS", (*registry.ROOMS, "pathrank"))
        yield


TestPathRank = suite(METHOD, "test_pathrank.py")
TestSqliteStore = suite(STORE, "test_sqlite_store.py")
TestTrigrams = suite(ENCODER, "test_trigrams.py")


def test_a_method_that_trains_takes_under_150_lines() -> None:
    assert len(ROOM) == 3
    assert sum(len(METHOD[name].splitlines()) for name in ROOM) < 150


@pytest.mark.parametrize("pages", [STORE, ENCODER], ids=["store", "encoder"])
def test_the_pages_use_what_they_made(pages: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(pages["use.py"], "use.py", "exec"), {})  # noqa: S102


def test_the_code_of_the_pages_is_as_ours() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", str(ROOT / "pyproject.toml"),
         "--ignore", "I001", str(FOLDER)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_an_installed_method_is_known_to_every_command(tmp_path: Path) -> None:
    """As the page says, by an entry point: `clew methods`, `train`, `ask` in processes of their own."""
    written({name: METHOD[name] for name in ROOM}, tmp_path)
    info = tmp_path / "pathrank-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pathrank\nVersion: 0.1.0\n")
    (info / "entry_points.txt").write_text("[clew.methods]\npathrank = pathrank\n")
    (tmp_path / "films.tsv").write_text(
        "Brazil\tdirected by\tTerry Gilliam\nBrazil\tstarred actors\tJonathan Pryce\n"
        "Time Bandits\tdirected by\tTerry Gilliam\nTime Bandits\tstarred actors\tJohn Cleese\n"
    )
    (tmp_path / "train.jsonl").write_text(
        '{"id": "1", "question": "who made Brazil?", "q_entity": ["Brazil"], "answer": ["Terry Gilliam"]}\n'
        '{"id": "2", "question": "who plays in Brazil?", "q_entity": ["Brazil"], "answer": ["Jonathan Pryce"]}\n'
    )
    paths = os.pathsep.join([str(tmp_path), str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1"}

    def clew(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "clew", *words],
            cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stdout

    clew("build", "films.tsv", "-o", "films.kg")
    assert "pathrank" in clew("methods")
    clew("train", "pathrank", "films.kg", "--questions", "train.jsonl", "-q")
    said = clew("ask", "films.kg", "who plays in Time Bandits?", "--method", "pathrank")
    assert said.startswith("John Cleese"), said
