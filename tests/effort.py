"""How hard the suite tries: a part of the inputs of each property; with CLEW_THOROUGH=1 (`make check-slow`) all."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = os.environ.get("CLEW_THOROUGH") == "1"


def some_of(count: int) -> int:
    """`count` in a thorough run, else a sixth of it, twenty at least."""
    return count if THOROUGH else min(count, max(20, count // 6))


def examples(count: int) -> Callable[[Any], Any]:
    """As `hypothesis.settings(max_examples=count, deadline=None)`, by `some_of`; the test is one of `-m thorough`."""

    def decorated(test: Any) -> Any:
        return pytest.mark.thorough(settings(max_examples=some_of(count), deadline=None)(test))

    return decorated
