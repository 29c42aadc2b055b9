"""Memory of a long-running process with many threads: what a replaced graph held goes back to the system.

Kept apart because it speaks to the C library. glibc keeps freed memory per thread and arena, so that a service which
reloads its graph from ever new threads grows although nothing leaks. Where the C library is another one, nothing is
done.
"""

from __future__ import annotations

import ctypes
import gc

_SETTINGS = (  # of malloc.h
    (-8, 2),  # M_ARENA_MAX
    (-3, 1 << 20),  # M_MMAP_THRESHOLD in bytes: unless told, it grows with the largest array that was ever freed
    (-1, 8 << 20),  # M_TRIM_THRESHOLD in bytes: free memory at the end of an arena that is kept
)


def steady_memory() -> None:
    """Have all threads allocate from a few arenas, and large arrays by themselves, so that they leave no gaps behind.

    To be called before threads start. After eight reloads of the demo graph under questions 20 to 50 MB of the arenas
    are gaps, without it 165 MB.
    """
    mallopt = getattr(_c_library(), "mallopt", None)
    if mallopt is not None:
        for setting, value in _SETTINGS:
            mallopt(setting, value)


def give_back() -> None:
    """Free what only refers to itself (numpy's arrays do not make the collector run), and return it to the system."""
    gc.collect()
    trim()


def trim() -> None:
    """Return what is free inside the arenas to the system; takes a few milliseconds."""
    found = getattr(_c_library(), "malloc_trim", None)
    if found is not None:
        found(0)


def _c_library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):  # TypeError: Windows has no library of the whole process
        return None
