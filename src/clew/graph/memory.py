"""How much memory a build may take, and how many rows each of its steps may hold for that.

Kept apart because every step asks the same question. What a build needs whatever its size is a constant here; beside
that, the table of terms grows with the entities, and everything else is done in parts that fit.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from clew.errors import InputError

BASE = 384 << 20  # bytes that Python, numpy, pyarrow and numba take, here and in the process that parses
LEAST = 512 << 20
UNKNOWN = 8 << 30  # what counts as free where the system does not say
_UNITS = {"": 1, "b": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}


def size_of_text(text: str) -> int:
    """Bytes in "8GB", "600 MB", "2GiB" or "1000000000". Raises InputError for anything else."""
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([kmgt]?i?)b?\s*", text.casefold())
    if match is None or match[2] not in _UNITS:
        raise InputError(f"{text[:40]!r} is no amount of memory; expected one such as 8GB or 600MB")
    return int(float(match[1]) * _UNITS[match[2]])


def shown(size: float) -> str:
    """Bytes for people: "3.4 GB"."""
    for unit, factor in (("TB", 10**12), ("GB", 10**9), ("MB", 10**6)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{int(size):,} bytes"


def free() -> int:
    """Bytes that processes may still take: what the system says is available, and what this one's group may have."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return UNKNOWN
    available = next((int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:")), UNKNOWN)
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            most, taken = (int((Path("/sys/fs/cgroup") / name).read_text(encoding="ascii")) for name in (limit, used))
        except (OSError, ValueError):  # no such group, or "max"
            continue
        available = min(available, max(most - taken, 0))
    return available


@dataclass(frozen=True, slots=True)
class Memory:
    """What a build may take. `part`: rows to hold at once, whatever they take; for tests."""

    limit: int
    part: int | None = None

    @classmethod
    def of(cls, given: str | int | None, part: int | None = None) -> Memory:
        """A limit as it was given; None is half of what is free.

        Raises:
            InputError: less than a build needs, or no amount.
        """
        limit = max(free() // 2, LEAST) if given is None else size_of_text(given) if isinstance(given, str) else given
        if limit < LEAST:
            raise InputError(
                f"a memory limit of {shown(limit)}: a build of any size needs {shown(LEAST)}; say --memory with more"
            )
        return cls(limit, part)

    @property
    def table(self) -> int:
        """Bytes that the table of terms may take before it goes on in a file."""
        return (self.limit - BASE) * 3 // 4

    def rows(self, each: int, most: int = 1 << 24) -> int:
        """How many rows of `each` bytes a step may hold; at least some thousand, at most `most`."""
        if self.part is not None:
            return self.part
        return max(min((self.limit - BASE) * 2 // 5 // each, most), 1 << 13)
