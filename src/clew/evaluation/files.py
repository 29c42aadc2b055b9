"""Writing a page or a table as a whole: after a kill the old text stands there or the new one.

Kept apart because both the report and the table in somebody's Markdown file are written so.
"""

from __future__ import annotations

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Put `text` into `path`, through a link to where it points, into a pipe or device as it is. Raises OSError."""
    target = path.resolve()
    if target.exists() and not target.is_file():
        path.write_text(text, encoding="utf-8")
        return
    beside = target.with_name(f".{target.name[:200]}.{os.getpid()}.tmp")
    try:
        with beside.open("w", encoding="utf-8") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
