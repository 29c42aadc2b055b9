"""The tables of docs/stem.md are what the rows in results/stem/ say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_generated_tables_are_up_to_date() -> None:
    command = [sys.executable, "benchmarks/stem_tables.py", "check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
