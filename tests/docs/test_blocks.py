"""What the documents show is what happens.

A block below a `<!-- check -->` line is run: `python`, and `console`, where a line that starts with `$ ` is a command
(`\\` at its end continues it) and the lines below are what it prints; `…` alone on a line stands for any lines, inside
a line for any characters. The blocks of one document run in order in one folder, with the project's files and those of
its `<!-- file: NAME -->` blocks. `<!-- check: slow -->` keeps a block out of the default suite. Every other block is
looked at without running it: commands parse, Python compiles and imports what exists, TOML is a configuration, JSON is
JSON.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from documents import DOCUMENTS, ROOT, Block, blocks
from typer.main import get_command

from clew.cli import main
from clew.cli.app import app
from clew.settings import Configuration

SHELLS = ("", "bash", "console", "sh")
KINDS = (*SHELLS, "python", "toml", "json", "csv", "text", "markdown")
OTHERS = {"pyproject.toml"}  # TOML that is no configuration of ours, by title
COMMANDS = vars(get_command(app))["commands"]
KEPT_OUT = (".git", ".venv", "runs", "site")


def matches(expected: str, printed: str) -> bool:
    pattern = "".join(
        r"(?:.*\n)*?" if line.strip() == "…" else ".*?".join(map(re.escape, line.rstrip().split("…"))) + r"[ \t]*\n"
        for line in expected.splitlines()
    )
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.splitlines())) is not None


def commands(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with what it should print."""
    parts = re.split(r"^\$ ", text.replace("\\\n", " "), flags=re.MULTILINE)[1:]
    return [(command, expected) for command, _, expected in (part.partition("\n") for part in parts)]


def run_command(command: str, patch: pytest.MonkeyPatch) -> str:
    """What a command prints; one of clew alone runs in this process, which is ten times as fast."""
    words = shlex.split(command, comments=True)
    if words[0] != "clew" or any(sign in command for sign in "|<>;&"):
        done = subprocess.run(
            ["bash", "-c", command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )
        return done.stdout
    printed = io.StringIO()
    with patch.context() as here:
        here.setattr(sys, "argv", words)
        here.setattr(sys, "stdout", printed)
        here.setattr(sys, "stderr", printed)
        with contextlib.suppress(SystemExit):
            main()
    return printed.getvalue()


def run(file: Path, folder: Path, patch: pytest.MonkeyPatch, *, slow: bool) -> int:
    """Run the marked blocks of a document and return how many there were."""
    for entry in file.parent.iterdir():
        if entry.name not in KEPT_OUT:
            (folder / entry.name).symlink_to(entry)
    names: dict[str, object] = {}
    count = 0
    with contextlib.chdir(folder):
        for block in blocks(file.read_text(encoding="utf-8")):
            if block.mark.startswith("file: "):
                Path(block.mark.removeprefix("file: ")).write_text(block.text, encoding="utf-8")
            elif block.mark == "check" or (slow and block.mark):
                count += 1
                if block.kind == "console":
                    for command, expected in commands(block.text):
                        printed = run_command(command, patch)
                        assert matches(expected, printed), f"$ {command}\nprinted:\n{printed}\nexpected:\n{expected}"
                else:
                    code = compile("\n" * block.line + block.text, str(file), "exec")
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(code, names)  # noqa: S102 - the project's own documents
    return count


def faults(block: Block) -> list[str]:
    """What is wrong with a block that is only looked at."""
    if block.kind not in KINDS:
        return [f"a block of the unknown kind {block.kind!r}"]
    if block.kind == "json":
        return [fault for line in block.text.split("\n\n") if (fault := _not_json(line))]
    if block.kind == "toml":
        tree = tomllib.loads(block.text)
        return [] if block.title in OTHERS else _unknown_keys(tree, Configuration, "")
    if block.kind == "python":
        return [fault for node in ast.walk(ast.parse(block.text)) for fault in _unknown_names(node)]
    lines = _shell_lines(block) if block.kind in SHELLS else []
    return [fault for line in lines if (fault := _does_not_parse(line))]


def _not_json(text: str) -> str:
    try:
        json.loads(text)
    except ValueError as error:
        return f"no JSON: {error}"
    return ""


def _unknown_keys(tree: Any, model: Any, prefix: str) -> list[str]:
    """Keys that the configuration has not; the settings of methods are checked by `test_conformance`."""
    found = []
    for key, value in tree.items():
        field = model.model_fields.get(key)
        if field is None:
            found.append(f"no setting {prefix}{key}")
        elif isinstance(value, dict) and hasattr(field.annotation, "model_fields"):
            found += _unknown_keys(value, field.annotation, f"{prefix}{key}.")
    return found


def _unknown_names(node: ast.AST) -> list[str]:
    """Imports from clew that find nothing."""
    if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("clew"):
        return []
    try:
        spec = find_spec(str(node.module))
    except ModuleNotFoundError:
        spec = None
    if spec is None or spec.origin is None:
        return [f"no module {node.module}"]
    known = _bound(spec.origin)
    if "__getattr__" in known:
        return []
    return [f"{node.module} has no {name.name}" for name in node.names if name.name not in known]


@cache
def _bound(file: str) -> set[str]:
    """The names that a module binds, read and not run: adapters would import whole frameworks."""
    found: set[str] = set()
    for node in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(each.asname or each.name).partition(".")[0] for each in node.names}
        else:
            found |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found


def _shell_lines(block: Block) -> list[str]:
    text = block.text.replace("\\\n", " ")
    if re.search(r"^\$ ", text, re.MULTILINE):
        return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
    return text.splitlines()


def _does_not_parse(line: str) -> str:
    """Why a line that calls clew is no command; "" for others."""
    line = re.split(r"\s[|<>]|;|&&", line)[0]
    words = [word for word in shlex.split(line, comments=True) if not re.fullmatch(r"[A-Z_]+=.*", word)]
    if not words or words[0] != "clew" or len(words) == 1 or words[1].startswith("-"):
        return ""
    if words[1] not in COMMANDS:
        return f"no command: clew {words[1]}"
    try:
        COMMANDS[words[1]].make_context(words[1], words[2:])
    except SystemExit:
        return ""
    except Exception as error:  # noqa: BLE001 - of the parser, whose module differs between versions
        return f"{line}: {error.format_message() if hasattr(error, 'format_message') else error}"
    return ""


MARKS = {file: {block.mark for block in blocks(file.read_text(encoding="utf-8"))} for file in DOCUMENTS}
CHECKED = [file for file, marks in MARKS.items() if "check" in marks]
SLOW = [file for file, marks in MARKS.items() if "check: slow" in marks]


def named(file: Path) -> str:
    return str(file.relative_to(ROOT))


@pytest.mark.parametrize("file", CHECKED, ids=named)
def test_documents_show_what_happens(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(file, tmp_path, monkeypatch, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("file", SLOW, ids=named)
def test_slow_documents_show_what_happens(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(file, tmp_path, monkeypatch, slow=True)


@pytest.mark.parametrize("file", DOCUMENTS, ids=named)
def test_every_block_is_sound(file: Path) -> None:
    found = blocks(file.read_text(encoding="utf-8"))
    wrong = [f"{named(file)}:{block.line}: {fault}" for block in found for fault in faults(block)]
    assert not wrong, "\n".join(wrong)


def test_a_false_document_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    page = home / "page.md"
    page.write_text(
        "<!-- file: one.txt -->\n```text\none\n```\n"
        "<!-- check -->\n```console\n$ cat one.txt; echo two\none\n…\n$ clew --version\nclew …\n```\n"
        "<!-- check -->\n```python\nimport clew\nassert clew.Triple\n```\n"
        "```python\nraise SystemError\n```\n"
    )
    assert run(page, folder, monkeypatch, slow=False) == 2
    for wrong in ("```console\n$ echo one\ntwo\n```", "```console\n$ clew --version\ntwo\n```",
                  "```python\nassert False\n```"):  # fmt: skip
        page.write_text(f"<!-- check -->\n{wrong}\n")
        (folder / "page.md").unlink()
        with pytest.raises(AssertionError):
            run(page, folder, monkeypatch, slow=False)
    with pytest.raises(AssertionError, match="stands above no block"):
        blocks("<!-- check -->\nnothing\n")


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        ("", "clew ask g.kg what --moethod x", "moethod"),
        ("bash", "CLEW_TOKEN=a clew serf g.kg", "no command: clew serf"),
        ("console", "$ clew ask", "Missing argument"),
        ("python", "from clew.types import Answer, Anser", "clew.types has no Anser"),
        ("toml", "[run]\nseeds = 1", "no setting run.seeds"),
        ("json", "{'a': 1}", "no JSON"),
        ("yaml", "a: 1", "unknown kind"),
    ],
)
def test_an_unsound_block_is_noticed(kind: str, text: str, fault: str) -> None:
    (found,) = faults(Block(kind, "", "", text + "\n", 1))
    assert fault in found


def test_environment_of_documents_is_the_projects_own() -> None:
    assert "CLEW_CONFIG" not in os.environ, "documents are checked with the defaults"
