"""What a trained model's folder says about itself: `eperm.json` beside the folder of weights."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from clew.config import Settings
from clew.methods.eperm.config import Scorer, Style

DESCRIPTION = "eperm.json"
MODEL = "model"  # an ordinary checkpoint folder


class Trained(Settings):
    """How a model was tuned, and so is asked unless the settings say otherwise. The defaults are of an untuned one."""

    style: Style = "paper"
    relations: Literal["none", "encoder", "llm"] = "none"
    entities: Scorer = "mediators"
    hops: int = Field(default=3, ge=1)
    temperature: float = Field(default=1.0, gt=0)  # of the softmax over plans, fitted on dev
    lines: int | None = Field(default=None, ge=1)  # evidence lines that nearly all of its answer tasks had at most
    similarity_weight: float = Field(
        default=0.0, ge=0
    )  # of the encoder's similarity of question and plan, fitted on dev
