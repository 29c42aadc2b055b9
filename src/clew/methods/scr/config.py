"""Settings of SCR: how it searches, what network it has, how it is trained. Loads no torch.

Every departure from the paper is a switch; `preset = "paper"` sets all of them to the paper's behaviour.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from clew.config import Settings, merge
from clew.learning.fitting import FitConfig


class Config(Settings):
    """How a trained model is asked. `None` means: what the model was trained for."""

    beam: int = Field(default=10, ge=1)  # [K] walks kept (Eq. 12, 15)
    hops: int | None = Field(default=None, ge=1)  # longest path; the paper has 10
    threshold: float = Field(default=0.02, ge=0, le=1)  # least probability of an evidence path (Eq. 14)
    siblings: bool | None = None  # all entities that a chosen relation path reaches are answers
    similarity_weight: float | None = Field(
        default=None, ge=0
    )  # of a relation path's words to the question, as a second opinion
    score_stop: bool = True  # the stop probability counts (Eq. 14); the published code leaves it out
    conjunction: float | None = Field(default=None, ge=0)  # gain of an answer for each further topic that reaches it
    hub_limit: int | None = Field(default=None, ge=10)  # most candidates of one step; beyond, a first pass by relation
    reader: bool = False  # let the language model, where one is configured, write the answers (Figure 2)
    device: str = "cpu"  # "cpu", "cuda", or auto
    nearby: int = Field(
        default=1_500, ge=1
    )  # triples around the topics in a graph too large for a pass over all of it, or to be read from its server

    removed: ClassVar[Mapping[str, Any]] = {
        "returns": None,
        "topics_answer": None,
        "representatives": 3,
        "cut": None,
        "max_answers": 1000,
        "max_paths": 10,
        "neighborhood": 200_000,
    }


class NetworkConfig(Settings):
    """Sizes and variants of the network (Eq. 2-11)."""

    width: int = Field(default=192, ge=0)  # [D] 0: that of the text encoder, as in the paper
    layers: int = Field(default=2, ge=1)  # of the graph network; the paper: 3
    gnn: Literal["attention", "rgcn", "none"] = (
        "attention"  # how neighbours are summed up: by attention (paper), by relation, or not at all
    )
    message_relation: bool = True  # the relation is part of the message; the paper: of the attention only
    relation_aware: bool = True  # a candidate is an entity with the edge it is reached by; the paper: the entity
    question: Literal["states", "bert"] = (
        "states"  # small decoder over frozen token states, or a trainable BERT (paper)
    )
    hint: bool = False  # each step also looks at some words of the question and compares them, frozen, with relations
    dropout: float = Field(default=0.1, ge=0, lt=1)  # of every layer
    word_dropout: float = Field(default=0.1, ge=0, lt=1)  # share of a question's tokens hidden in training
    multi_step: bool = True  # False: Table 4, "w/o multi-step"

    removed: ClassVar[Mapping[str, Any]] = {
        "heads": 1,
        "residual": "shared",
        "pooling": "mean",
        "blocks": 2,
        "block_heads": 4,
        "temperature": 0.05,
        "learned_temperature": True,
    }


class TrainConfig(Settings):
    """How a model is trained; `preset` chooses the defaults of everything else."""

    preset: Literal["light", "paper"] = "light"  # "paper" sets every switch to the paper's behaviour
    network: NetworkConfig = NetworkConfig()
    fit: FitConfig = FitConfig(steps=1200, lr=2e-3, patience=0)
    epochs: float | None = Field(default=20.0, gt=0)  # passes over the questions; None: `fit.steps` counts
    batch: int = Field(default=32, ge=1)  # questions per step
    gold: Literal["best", "shortest"] = "best"  # relation paths with the best F1, or all shortest paths (paper)
    hops: int = Field(default=3, ge=1, le=6)  # longest gold path looked for
    mask_topics: bool = True  # the topic's name in the question becomes a plain word, as its own vector says who it is
    dev_share: float = Field(default=0.1, gt=0, lt=0.5)  # taken from the training questions when there is no dev set
    # Whether a walk may come back to an entity over another edge, or visits each once (paper), in the search as well.
    returns: Literal["edge", "none"] = "edge"
    siblings: bool = True  # as `method.siblings`
    conjunction: float = Field(default=1.0, ge=0)  # as `method.conjunction`
    device: str = "cpu"  # "cpu" or "cuda"

    removed: ClassVar[Mapping[str, Any]] = {
        "together": True,
        "walk": None,
        "hub_limit": 600,
        "max_states": 300_000,
        "candidates": 48,
        "compete": True,
        "fanout": (8, 6, 4),
        "whole": 20_000,
        "validate_on": 300,
        "every": False,
        "calibrated": True,
        "half": True,
    }

    @property
    def as_printed(self) -> bool:
        """The paper's training: right steps are each other's negatives, nothing is sampled, no hub is limited, walks
        have ten hops, every walk of Eq. 15 answers as nothing is fitted on dev, and weights are kept in 32 bits."""
        return self.preset == "paper"

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("preset") == "paper":
            return merge(PAPER, values)
        return values


PAPER: dict[str, Any] = {
    "network": {
        "width": 0,  # replaced by the encoder's width
        "layers": 3,
        "message_relation": False,
        "relation_aware": False,
        "question": "bert",
        "dropout": 0.1,
    },
    "fit": {"lr": 1e-5, "weight_decay": 1e-4, "warmup": 0.15, "clip": 10.0},
    "batch": 1,
    "gold": "shortest",
    "mask_topics": False,
    "returns": "none",
    "siblings": False,
    "conjunction": 0.0,
}
"""What the paper states; where it states nothing, its published code: AdamW 1e-5, cosine with 15 % warm-up, 20 epochs,
one graph a step. The encoder is that of the workspace (`encoder.name`); the paper has bert-base-uncased."""
