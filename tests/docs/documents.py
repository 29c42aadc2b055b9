"""The project's documents and the fenced blocks in them, for the tests that keep them true."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").rglob("*.md"))
DOCUMENTS = [*(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "SECURITY.md")), *PAGES]
_BLOCK = re.compile(
    r"^(?:<!-- (?P<mark>check(?:: slow)?|file: \S+) -->\n+)?"
    r"```(?P<kind>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"^<!-- (?:check|file:).*-->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, what the line above says of it, and its file name where it has one."""

    kind: str
    mark: str  # "", "check", "check: slow" or "file: NAME"
    title: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a document. A mark that stands above none is an error."""
    found = [
        Block(m["kind"], m["mark"] or "", m["title"] or "", m["text"], page.count("\n", 0, m.start("text")) + 1)
        for m in _BLOCK.finditer(page)
    ]
    marked = [block for block in found if block.mark]
    assert len(marked) == len(_MARK.findall(page)), "a mark such as `<!-- check -->` stands above no block"
    return found


def files(page: str) -> dict[str, str]:
    """The files that a document writes down: blocks with a title, by that name."""
    return {block.title: block.text for block in blocks(page) if block.title}
