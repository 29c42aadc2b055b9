"""The demo: a graph of the world's countries and cities that may be shipped, with questions and their answers.

Kept as a package so that the files travel with the code. Made by scripts/make_demo.py; see ATTRIBUTION.md beside this.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

FOLDER = Path(__file__).resolve().parent

Split = Literal["test", "dev", "train"]

_FILES: dict[Split, str] = {"test": "questions.jsonl", "dev": "dev.jsonl", "train": "train.jsonl"}


def graph_file() -> Path:
    """The graph, gzipped Turtle: about 37,000 triples with types, labels and aliases."""
    return FOLDER / "world.ttl.gz"


def questions_file(split: Split = "test") -> Path:
    """Questions in the plain format: "test" was written by hand, "train" and "dev" come from other wordings."""
    return FOLDER / _FILES[split]
