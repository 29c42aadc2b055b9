"""The files about the project say the same as the project."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from documents import ROOT

import clew
from clew.methods import cards

yaml = pytest.importorskip("yaml", reason="pip install 'clew[dev]'")


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def targets(text: str) -> list[str]:
    return re.findall(r"^make ([\w-]+)$", text, re.MULTILINE)


def test_the_workflow_runs_what_ci_runs() -> None:
    wanted = targets((ROOT / ".ci" / "run").read_text("utf-8"))
    job = read(".github/workflows/check.yml")["jobs"]["check"]
    assert job["strategy"]["matrix"]["target"] == wanted
    assert {"run": "make ${{ matrix.target }}"} in job["steps"]
    rules = (ROOT / "Makefile").read_text("utf-8")
    hooks = [hook["entry"].removeprefix("make ") for hook in read(".pre-commit-config.yaml")["repos"][0]["hooks"]]
    assert all(re.search(rf"^{target}:", rules, re.MULTILINE) for target in (*wanted, *hooks))


def test_the_citation_names_this_version_and_every_paper() -> None:
    citation = read("CITATION.cff")
    assert citation["version"] == clew.__version__
    titles = [reference["title"] for reference in citation["references"]]
    assert all(reference["authors"] for reference in citation["references"])
    ours = {card.name: card.paper for card in cards().values() if card.method.startswith("clew.") and card.paper}
    named = {name for name, paper in ours.items() if any(title in paper for title in titles)}
    assert named == set(ours) - {"cot"}
    assert len(titles) == len(named) == 5


def test_the_changelog_marks_what_breaks() -> None:
    text = Path(ROOT / "CHANGELOG.md").read_text("utf-8")
    assert "**breaking**" in text
    assert not re.findall(r"(?<!\*)\bbreaking:", text, re.IGNORECASE), "what breaks begins with **breaking**"
    assert clew.__version__ in text or "## Unreleased" in text
