"""The notebook of the documentation runs: its quick cells here and now, the whole of it in a kernel of its own."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from documents import ROOT

NOTEBOOK = ROOT / "docs" / "notebooks" / "start.ipynb"


def cells(*, slow: bool) -> list[str]:
    """The source of the code cells; those tagged `slow` only where asked for."""
    found = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = [cell for cell in found if cell["cell_type"] == "code"]
    return ["".join(cell["source"]) for cell in code if slow or "slow" not in cell["metadata"].get("tags", [])]


def test_the_quick_cells_run_and_show_something(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = []
    for source in cells(slow=False):
        tree = ast.parse(source)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(tree, str(NOTEBOOK), "exec"), names)  # noqa: S102 - the project's own documents
            value = None if last is None else eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)  # noqa: S307
        rich = getattr(value, "_repr_html_", None)
        shown.append((rich() if rich is not None else repr(value)) + printed.getvalue())
    page = "\n".join(shown)
    assert all(text.strip() for text in shown)
    for said in (
        "Terry Gilliam",
        "Russell Mulcahy",
        "directed_by→ Terry Gilliam",
        "no answer found",
        "hits@1",
        "count(",
    ):
        assert said in page, said


def test_it_is_kept_without_outputs() -> None:
    found = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    assert len(cells(slow=True)) == len(cells(slow=False)) + 1
    assert all(not cell.get("outputs") and not cell.get("execution_count") for cell in found)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # the kernel's own
def test_the_whole_notebook_runs_in_a_kernel(tmp_path: Path) -> None:
    client = pytest.importorskip("nbclient", reason="pip install 'clew[dev]'")
    formats = pytest.importorskip("nbformat", reason="pip install 'clew[dev]'")
    pytest.importorskip("ipykernel", reason="pip install 'clew[dev]'")
    notebook = formats.read(NOTEBOOK, as_version=4)
    client.NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    tables = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert any("text/html" in out.get("data", {}) for out in tables)
