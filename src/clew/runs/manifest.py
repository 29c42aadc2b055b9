"""What made a run: versions of code and packages, for a manifest that can explain a figure a year later.

Separate from the folder, which only knows how to keep a manifest, not what belongs in it.
"""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "numpy", "numba", "pyarrow", "pyoxigraph", "rapidfuzz", "pydantic", "torch", "transformers",
    "sentence-transformers", "tokenizers", "safetensors", "openai", "trl", "peft", "faiss-cpu", "ray",
)  # fmt: skip


def environment(version_of_clew: str) -> dict[str, Any]:
    """The version of clew and its git commit (in a checkout), of Python and of the packages that count."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "clew": version_of_clew,
        "commit": commit(),
        "python": platform.python_version(),
        "platform": f"{sys.platform}-{platform.machine()}",
        "packages": found,
    }


def commit() -> str | None:
    """The git commit of the checkout this code runs from, `+changes` appended when it was edited; else None."""
    root = Path(__file__).resolve().parents[3]
    if not (root / ".git").exists():
        return None
    try:
        head = _git(root, "rev-parse", "HEAD")
        return head + ("+changes" if _git(root, "status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=True, timeout=5)
    return done.stdout.strip()
