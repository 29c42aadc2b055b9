"""Memory of a long-running process with many threads: what a replaced graph held goes back to the system.

Kept apart because it speaks to the C library. glibc keeps freed memory per thread and arena, so that a service which
reloads its graph from ever new threads grows although nothing leaks. Where the C library is another one, nothing is
done.
"""

from __future__ import annotations

import ctypes
import gc

_ARENA_MAX = -8  # M_ARENA_MAX of malloc.h
_ARENAS = 2


def share_arenas() -> None:
    """Have all threads allocate from a few arenas; to be called before they start."""
    mallopt = getattr(_c_library(), "mallopt", None)
    if mallopt is not None:
        mallopt(_ARENA_MAX, _ARENAS)


def give_back() -> None:
    """Free what only refers to itself (numpy's arrays do not make the collector run), and return it to the system."""
    gc.collect()
    trim = getattr(_c_library(), "malloc_trim", None)
    if trim is not None:
        trim(0)


def _c_library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(None)
    except (OSError, TypeError):  # TypeError: Windows has no library of the whole process
        return None
