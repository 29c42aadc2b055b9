"""Kernels that are compiled when they first run: by whom they are called, from which thread, with which options."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from clew.graph.jit import Kernel, njit


@njit(cache=False)
def _twice(x):  # type: ignore[no-untyped-def]
    return x + x


@njit(cache=False)
def _fourfold(x):  # type: ignore[no-untyped-def]
    return _twice(_twice(x))


def test_kernels_call_each_other_and_threads_may_begin_together() -> None:
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(_fourfold, range(40))) == [4 * i for i in range(40)]
    assert isinstance(_fourfold, Kernel)
    assert not isinstance(_twice, Kernel)  # numba's own now, which is what a compiled caller needs
    assert _twice(3) == 6


def test_modules_of_kernels_load_no_numba() -> None:
    of = ["compiled", "compiled_search", "spelling", "postings", "halves", "pcst", "bulk"]
    modules = ", ".join(f"clew.graph.{name}" for name in of)
    code = f"import sys, {modules}; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
