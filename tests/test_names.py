"""One class name, one definition, and files where a room says they are: a reader who looks for a name finds it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "clew"
# Each room declares these under one name, because a method's card and its training ask for them by role; rooms import
# no other room, so that none of them ever meets its namesake.
OF_EVERY_ROOM = {"Config", "TrainConfig", "NetworkConfig", "Trained", "TrainingState"}
# One adapter for each framework, named as its users import it.
OF_EVERY_ADAPTER = {"ClewRetriever"}


def test_no_public_class_name_has_two_definitions() -> None:
    found = defaultdict(list)
    for file in PACKAGE.rglob("*.py"):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(str(file.relative_to(PACKAGE)))
    twice = {name: files for name, files in found.items() if len(files) > 1}
    assert not {n: files for n, files in twice.items() if n not in OF_EVERY_ROOM | OF_EVERY_ADAPTER}
    assert {name for name, files in found.items() if name in OF_EVERY_ADAPTER and len(files) > 1} == OF_EVERY_ADAPTER


def test_the_files_that_a_room_names_are_there() -> None:
    missing = {
        f"{readme.parent.name}: {name}"
        for readme in (PACKAGE / "methods").glob("*/README.md")
        for name in re.findall(r"`([\w/]+\.py)`", readme.read_text(encoding="utf-8"))
        if not any((place / name).is_file() for place in (readme.parent, PACKAGE.parent.parent))
    }
    assert not missing
