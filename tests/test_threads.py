"""What threads share is listed: a module with a thread or a lock that the page does not name is found."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAKES = re.compile(r"^\s*(from threading import|import threading|from concurrent\.futures import)", re.MULTILINE)


def test_every_module_with_a_thread_or_a_lock_is_listed() -> None:
    source = ROOT / "src" / "clew"
    made = {
        file.relative_to(source).with_suffix("").as_posix().replace("/", ".")
        for file in source.rglob("*.py")
        if "testing" not in file.parts and MAKES.search(file.read_text(encoding="utf-8"))
    }
    page = (ROOT / "docs" / "threads.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`([\w.]+)`", page.split("## Where the locks are")[1])) - {"clew"}
    assert listed == made
