"""The tables in the documents are what the summaries of runs say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_generated_tables_are_up_to_date() -> None:
    done = subprocess.run([sys.executable, "scripts/results.py", "check"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
