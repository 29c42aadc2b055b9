"""Fixtures that every part of the suite shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from clew import secrecy
from clew.graph import Graph
from clew.testing.graph_store import TOY

# Compiling a kernel on its first call takes seconds.
settings.register_profile("clew", deadline=None, derandomize=True)
settings.load_profile("clew")

ROOT = Path(__file__).resolve().parent.parent


# Tests that import the training libraries, eight seconds of a processor for each worker that does.
TRAINERS = ("test_tuning.py", "test_trained.py", "eperm/test_train.py", "test_roe_train.py", "test_decompose_train.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Those go first and together, so that one worker of two has them; what is first is also what nobody waits for."""
    items.sort(key=lambda item: not str(item.path).endswith(TRAINERS))


@pytest.fixture(autouse=True)
def forget_secrets() -> Iterator[None]:
    """Keys are known to the whole process; those of one test must not hold back or redact the text of another."""
    known = secrecy._forms
    yield
    secrecy._forms = known


@pytest.fixture(scope="session")
def toy() -> Graph:
    """A small multigraph with parallel and reciprocal relations and a mediator."""
    return Graph.from_triples(TOY, name="toy")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of public question sets; tests that need it are skipped where it is absent."""
    folder = Path(os.environ.get("CLEW_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data folder at {folder}: set CLEW_DATA to run this test")
    return folder
