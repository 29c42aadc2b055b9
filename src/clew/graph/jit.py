"""`numba.njit` that imports numba when a function first runs: half a second that no process pays for nothing.

Separate so that modules with kernels can be imported by whoever only opens a graph, or asks one question of a small
one. A kernel may call kernels of its own or of other modules by their plain names.

Machine code is kept in `__pycache__` beside the source, or, where nobody may write there, in the user's own cache
folder (NUMBA_CACHE_DIR names another). numba reads it back as Python reads byte code: whoever can write there can run
code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from threading import RLock
from typing import Any

_LOCK = RLock()


def loaded() -> bool:
    """Whether numba is imported already, so that a compiled function costs no more than its run."""
    return "numba" in sys.modules


def njit(*, cache: bool = True, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """As `numba.njit` with options; with `cache`, machine code is kept on disk where a folder for it can be written."""
    return lambda function: Kernel(function, cache, options)


class Kernel:
    """A function that becomes compiled when it is first called."""

    def __init__(self, function: Callable[..., Any], cache: bool, options: dict[str, Any]):
        self._function, self._cache, self._options = function, cache, options
        self._compiled: Any = None
        self.__name__, self.__doc__ = function.__name__, function.__doc__

    def __call__(self, *arguments: Any) -> Any:
        return (self._compiled or self.compiled())(*arguments)

    def compiled(self) -> Any:
        """The function as numba compiles it."""
        import numba

        with _LOCK:
            if self._compiled is None:
                try:
                    made = numba.njit(cache=self._cache, **self._options)(self._function)
                except RuntimeError:  # "no locator available": an installation nobody may write to
                    made = numba.njit(**self._options)(self._function)
                # numba looks other functions up in the module's namespace, and knows its own kind only.
                names = self._function.__globals__
                for name in self._function.__code__.co_names:
                    if isinstance(names.get(name), Kernel) and names[name] is not self:
                        names[name] = names[name].compiled()
                self._compiled = made
        return self._compiled
