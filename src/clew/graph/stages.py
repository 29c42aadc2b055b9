"""The stages of a build: each runs once, and a build that was killed goes on at the first that had not finished.

Kept apart because it knows nothing of graphs: a stage is a name, work that leaves files and a few numbers, and the
files that nobody needs any more when it is done. What is noted holds for one command on one boot of the machine: after
a power cut nobody knows which files reached the disk.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from clew.graph.layout import write_whole

NOTES = "stages.json"


def key_of(files: Sequence[Path], options: dict[str, Any]) -> str | None:
    """What tells one command from another: its files as they are now, its options, and this boot of the machine.

    None where that cannot be told: an input that is a pipe, or a system that does not say when it was started.
    """
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        seen = [(str(file.absolute()), file.stat().st_size, file.stat().st_mtime_ns) for file in files]
        said = json.dumps([boot, seen, options], sort_keys=True, default=_unknown)
    except (OSError, TypeError, ValueError):
        return None
    return hashlib.sha256(said.encode("utf-8", "surrogateescape")).hexdigest()


def _unknown(value: object) -> Any:
    raise TypeError(f"{value!r} cannot be told from another")


def noted(folder: Path) -> dict[str, Any]:
    """What the stages in a folder noted; empty where none did."""
    try:
        found = json.loads((folder / NOTES).read_bytes())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("done"), dict) else {}


class Stages:
    """The stages of one build, in the folder in which it is made. `key` None: nothing is noted."""

    def __init__(self, folder: Path, key: str | None) -> None:
        self._folder, self._key = folder, key
        before = noted(folder)
        self._done: dict[str, Any] = before["done"] if key is not None and before.get("key") == key else {}
        self.resumed = tuple(self._done)

    def run(self, name: str, work: Callable[[], dict[str, Any] | None], drop: Iterable[Path] = ()) -> dict[str, Any]:
        """What a stage found; its work is done where it was not yet, and then the files to drop are deleted."""
        if name not in self._done:
            self._done[name] = work() or {}
            if self._key is not None:
                said = {"key": self._key, "done": self._done}
                write_whole(self._folder / NOTES, json.dumps(said).encode())
        for file in drop:
            file.unlink(missing_ok=True)
        found: dict[str, Any] = self._done[name]
        return found

    def end(self) -> None:
        """Forget it all, before the folder becomes a graph."""
        (self._folder / NOTES).unlink(missing_ok=True)
