"""clew answers natural-language questions over a knowledge graph and hands over the thread it followed.

Names are loaded when they are first used, so that `import clew` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from clew import datasets, methods
    from clew.api import ask, compare, open, open_method, predict, score, synthesize, train
    from clew.errors import ClewError
    from clew.graph import Graph, build
    from clew.query.proof import verify
    from clew.settings import Configuration, configure
    from clew.types import (
        Answer,
        Candidate,
        Entity,
        Event,
        Evidence,
        Gold,
        Hop,
        Path,
        Question,
        Relation,
        Topic,
        Triple,
        Usage,
    )
    from clew.workspace import Workspace

_HOMES = {
    "clew.api": ("ask", "compare", "open", "open_method", "predict", "score", "synthesize", "train"),
    "clew.errors": ("ClewError",),
    "clew.graph": ("Graph", "build"),
    "clew.query.proof": ("verify",),
    "clew.types": (
        "Answer", "Candidate", "Entity", "Event", "Evidence", "Gold", "Hop", "Path", "Question", "Relation", "Topic",
        "Triple", "Usage",
    ),
    "clew.settings": ("Configuration", "configure"),
    "clew.workspace": ("Workspace",),
}  # fmt: skip
_HOME = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "Answer",
    "Candidate",
    "ClewError",
    "Configuration",
    "Entity",
    "Event",
    "Evidence",
    "Gold",
    "Graph",
    "Hop",
    "Path",
    "Question",
    "Relation",
    "Topic",
    "Triple",
    "Usage",
    "Workspace",
    "__version__",
    "ask",
    "build",
    "compare",
    "configure",
    "datasets",
    "methods",
    "open",
    "open_method",
    "predict",
    "query",
    "score",
    "synthesize",
    "train",
    "verify",
]


def __getattr__(name: str) -> Any:
    """PEP 562: the object is imported on first use and kept."""
    if name in ("datasets", "methods", "query"):
        return import_module(f"clew.{name}")  # packages; `query` can be called
    if name not in _HOME:
        raise AttributeError(f"module 'clew' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
