"""Roles of language models: which one decomposes the question, answers sub-questions, gives the final answer.

Three roles, each of a configured language model, of a small decoder in the trained folder, or of nobody. Models are
opened, and what they cannot do is refused, before the first question.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clew.llm import ModelSettings, open_language_model
from clew.methods.decompose.config import Config
from clew.protocols import LanguageModel, Tools

DECOMPOSER, READER = "decomposer", "reader"


@dataclass(frozen=True, slots=True)
class Role:
    """A model in a role; a small one reads and writes relations and numbers instead of names."""

    model: LanguageModel
    small: bool = False


@dataclass(frozen=True, slots=True)
class Roles:
    """None: nobody. Then the question is asked whole, or the encoder chooses among the evidence paths."""

    decomposer: Role | None
    subanswerer: Role | None
    reader: Role | None


def open_voices(config: Config, tools: Tools) -> Roles:
    """The models for the three roles."""
    given = None if tools.language_model is None else Role(tools.language_model)
    reader = given or _small(config, tools.model, READER)
    decomposer = _configured(config.decomposer) or _small(config, tools.model, DECOMPOSER) or given
    return Roles(decomposer, _configured(config.subanswerer) or reader, reader)


def small_model(folder: Path, device: str) -> LanguageModel:
    """A decoder from scratch, opened through the code that opens any other model."""
    return open_language_model(
        ModelSettings(backend="local", model=str(folder.absolute()), device=device, dtype="float32")
    )


def _configured(settings: ModelSettings) -> Role | None:
    return Role(open_language_model(settings)) if settings.model else None


def _small(config: Config, model: Path | None, role: str) -> Role | None:
    if model is None or not config.small:
        return None
    folder = model / role / "model"
    return Role(small_model(folder, config.device), small=True) if folder.is_dir() else None
