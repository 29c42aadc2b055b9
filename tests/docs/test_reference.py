"""The reference pages say what the source says."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
from documents import ROOT


@pytest.fixture(scope="module")
def reference() -> ModuleType:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["reference"] = module  # where dataclasses look for their annotations
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(reference: ModuleType) -> dict[Path, str]:
    found: dict[Path, str] = reference.pages()
    return found


def test_the_pages_are_current(pages: dict[Path, str]) -> None:
    for path, text in pages.items():
        said = "run  python scripts/reference.py write"
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is not what the source says: {said}"


def test_every_setting_has_a_meaning(pages: dict[Path, str]) -> None:
    page = pages[ROOT / "docs" / "reference" / "settings.md"]
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| `")]
    silent = [row[0].strip("| `") for row in rows if not row[2].strip(" |")]
    assert len(rows) > 200
    assert not silent, f"say beside them what they mean: {', '.join(silent)}"


def test_meanings_are_read_from_beside_the_fields(reference: ModuleType) -> None:
    source = '''class Some(Settings):
    """Settings."""

    plain: int = 1  # what it is
    long: int = Field(
        default=2
    )  # [K] behind the bracket
    # Search
    first: int = 3  # begins,
    # and goes on
    second: int = 4  # next
    # above it, for
    # two lines
    third: int = 5
    fourth: int = 6
    """Below it."""
'''
    assert reference.read_class(source) == {
        "plain": ("", "what it is"),
        "long": ("", "[K] behind the bracket"),
        "first": ("Search", "begins, and goes on"),
        "second": ("Search", "next"),
        "third": ("Search", "above it, for two lines"),
        "fourth": ("Search", "Below it."),
    }
