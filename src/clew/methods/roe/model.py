"""A trained RoE as a folder: where its weights lie, and the notation that it learned."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from clew.config import Settings
from clew.errors import ConfigError
from clew.learning.folders import read_record
from clew.llm import ModelSettings, open_language_model
from clew.methods.roe.config import Config, Notation, Repeats
from clew.protocols import LanguageModel

RECORD = "roe.json"
BATCH = 64  # states that a trained model is shown together
Part = Literal["supervised/model", "reinforced/model", "continued/model"]
"""Where a training leaves weights; nowhere else, whatever a record says."""


class StageFolders(Settings):
    """The weights of each stage."""

    supervised: Part
    last: Part


class RoeRecord(Settings):
    """What `roe.json` says."""

    notation: Notation | None = None  # models of earlier versions do not say
    repeats: Repeats = "nothing"  # what `Config.repeats` is where it is not set
    stages: StageFolders


@dataclass(frozen=True, slots=True)
class TrainedRoe:
    """A folder, read once."""

    folder: Path
    record: RoeRecord

    def asked_with(self, config: Config) -> Config:
        """`config` with the notation that the model learned, and what its paths may meet again."""
        learned: dict[str, str] = {"notation": self.record.notation} if self.record.notation else {}
        if config.repeats is None:
            learned["repeats"] = self.record.repeats
        return config.model_copy(update=learned)

    def weights(self, stage: Literal["last", "supervised"]) -> Path:
        stages = self.record.stages
        return self.folder / (stages.last if stage == "last" else stages.supervised)

    def open(self, config: Config) -> LanguageModel:
        """The model of the stage that `config` names."""
        weights = self.weights(config.stage)
        return open_language_model(
            ModelSettings(
                backend="local",
                model=str(weights.absolute()),
                device=config.device,
                batch_size=BATCH,
            )
        )


def read_trained(folder: Path) -> TrainedRoe:
    """Raises NotFoundError where the folder holds no model of RoE, FormatError where it is damaged."""
    return TrainedRoe(folder, read_record(RoeRecord, folder / RECORD)[0])


def check(config: Config) -> None:
    """Raises ConfigError for settings that do not go together."""
    if config.notation != "json" and config.siblings == "each":
        raise ConfigError('siblings = "each" needs notation = "json": the short notations name whole groups')
    if config.notation in ("names", "words") and config.state == "level":
        raise ConfigError('state = "level" needs notation = "json" or "numbers": relations repeat between its paths')
    if config.notation != "json" and config.mediators == "inline":
        raise ConfigError('mediators = "inline" needs notation = "json": the short notations show no entities')
