"""Runs: one folder per run, so that many questions survive a crash and every score can be traced to what made it.

Separate from evaluation (which only reads) and from the methods (which never learn that they are part of a run). A
folder holds `manifest.json` (what was run), `rows.jsonl` (append-only, one JSON object a question) and
`questions.jsonl` (with gold, in the plain format, joined with the rows by `clew score`; no method is ever told where
it is).
"""

from clew.runs.energy import measured, read_energy
from clew.runs.engine import Predict, RunProgress, answer_all, answer_chunk, chunks
from clew.runs.folder import Run, RunRow, checksum
from clew.runs.manifest import environment

__all__ = [
    "Predict",
    "Run",
    "RunProgress",
    "RunRow",
    "answer_all",
    "answer_chunk",
    "checksum",
    "chunks",
    "environment",
    "measured",
    "read_energy",
]
