"""What the documents show is what happens: fenced `console` and `python` blocks below a `<!-- check -->` line are run.

The blocks of one document run in order in one folder that holds the project's files. In a `console` block a line that
starts with `$ ` is a command (`\\` at its end continues it), the lines below are what it prints; `…` alone on a line
stands for any lines, inside a line for any characters. `<!-- check: slow -->` keeps a block out of the default suite.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import clew

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(
    r"^<!-- check(?P<slow>: slow)? -->\n+```(?P<kind>console|python)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
MARK = re.compile(r"^<!-- check.*-->$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    kind: str
    text: str
    slow: bool
    line: int


def blocks(text: str) -> list[Block]:
    found = [
        Block(m["kind"], m["text"], m["slow"] is not None, text.count("\n", 0, m.start("text")) + 1)
        for m in BLOCK.finditer(text)
    ]
    assert len(found) == len(MARK.findall(text)), "a `<!-- check -->` mark stands above no console or python block"
    return found


def matches(expected: str, printed: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.splitlines())) is not None


def console(text: str, folder: Path) -> None:
    tools = folder / ".bin"
    if not tools.exists():
        tools.mkdir()
        (tools / "clew").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m clew "$@"\n')
        (tools / "clew").chmod(0o755)
    source = str(Path(clew.__file__).parents[1])
    environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "PYTHONPATH": source, "NO_COLOR": "1"}
    for part in re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
        )  # fmt: skip
        assert matches(expected, done.stdout), f"$ {command}\nprinted:\n{done.stdout}\nexpected:\n{expected}"


def check(file: Path, folder: Path, *, slow: bool) -> int:
    """Run the blocks of a document and return how many there were."""
    for entry in file.parent.iterdir():
        if entry.name not in (".git", ".venv", "runs"):
            (folder / entry.name).symlink_to(entry)
    names: dict[str, object] = {}
    count = 0
    for block in blocks(file.read_text(encoding="utf-8")):
        if block.slow and not slow:
            continue
        count += 1
        if block.kind == "console":
            console(block.text, folder)
        else:
            code = compile("\n" * block.line + block.text, str(file), "exec")
            with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
                exec(code, names)  # noqa: S102 - the project's own documents
    return count


DOCUMENTS = [file for file in (ROOT / "README.md", ROOT / "CONTRIBUTING.md") if file.exists()]


@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_documents_show_what_happens(file: Path, tmp_path: Path) -> None:
    check(file, tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("file", DOCUMENTS, ids=lambda file: file.name)
def test_slow_documents_show_what_happens(file: Path, tmp_path: Path) -> None:
    check(file, tmp_path, slow=True)


def test_a_false_document_is_noticed(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    page = home / "page.md"
    page.write_text(
        "<!-- check -->\n```console\n$ echo one; echo two\none\n…\n$ clew --version\nclew …\n```\n"
        "<!-- check -->\n```python\nimport clew\nassert clew.Triple\n```\n"
        "```python\nraise SystemError\n```\n"
    )
    assert check(page, folder, slow=False) == 2
    for wrong in ("```console\n$ echo one\ntwo\n```", "```python\nassert False\n```"):
        page.write_text(f"<!-- check -->\n{wrong}\n")
        (folder / "page.md").unlink()
        with pytest.raises(AssertionError):
            check(page, folder, slow=False)
    page.write_text("<!-- check -->\nnothing\n")
    (folder / "page.md").unlink()
    with pytest.raises(AssertionError, match="no console or python block"):
        check(page, folder, slow=False)
