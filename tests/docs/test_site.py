"""The site holds every page, and links between documents lead somewhere. `make docs` also checks anchors and names."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from documents import DOCUMENTS, PAGES, ROOT

LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")


def linked(tree: Any) -> list[str]:
    """The files in a navigation."""
    if isinstance(tree, str):
        return [tree]
    return [name for each in (tree.values() if isinstance(tree, dict) else tree) for name in linked(each)]


def outside(page: Path, text: str) -> list[str]:
    """Links of a page of the site that lead nowhere, or to a file that the site has not."""
    here = (name for name in LINK.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)) if ":" not in name)
    targets = ((name, (page.parent / name).resolve()) for name in here)
    return [name for name, target in targets if not target.exists() or ROOT / "docs" not in target.parents]


def test_every_page_is_in_the_navigation() -> None:
    pages = linked(tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]["nav"])
    decisions = {f"decisions/{path.name}" for path in (ROOT / "docs" / "decisions").glob("*.md")}
    assert len(pages) == len(set(pages))
    assert {str(path.relative_to(ROOT / "docs")) for path in PAGES} == set(pages) | decisions


def test_every_decision_is_listed() -> None:
    text = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    assert set(LINK.findall(text)) == {p.name for p in (ROOT / "docs" / "decisions").glob("0*.md")}


def test_links_stay_in_the_site() -> None:
    found = {str(page.relative_to(ROOT)): outside(page, page.read_text("utf-8")) for page in PAGES}
    assert {page: wrong for page, wrong in found.items() if wrong} == {}


def test_links_of_other_documents_lead_somewhere() -> None:
    rooms = (ROOT / "src").rglob("README.md")
    for page in [*(each for each in DOCUMENTS if each not in PAGES), ROOT / "CHANGELOG.md", *rooms]:
        names = [name for name in LINK.findall(page.read_text("utf-8")) if ":" not in name]
        assert [name for name in names if not (page.parent / name).exists()] == [], page


def test_a_link_that_leaves_the_site_is_noticed() -> None:
    page = ROOT / "docs" / "index.md"
    assert outside(page, "[a](graphs.md) [b](nowhere.md) [c](../README.md) [d](https://e.org)") == [
        "nowhere.md",
        "../README.md",
    ]


@pytest.mark.slow
def test_the_site_builds_strictly(tmp_path: Path) -> None:
    pytest.importorskip("zensical", reason="pip install 'clew[docs]'")
    text = (ROOT / "zensical.toml").read_text("utf-8").replace('site_dir = "site"', f'site_dir = "{tmp_path}/site"')
    shutil.copytree(ROOT / "docs", tmp_path / "docs")  # Zensical follows no link out of its project
    (tmp_path / "src").symlink_to(ROOT / "src")
    (tmp_path / "zensical.toml").write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    page = (tmp_path / "site" / "reference" / "api" / "index.html").read_text("utf-8")
    assert "clew.api.ask" in page
    assert not re.findall(r'(?:src|href)="https?://(?:fonts|cdn|unpkg)', page), "the site fetches nothing from others"
