"""Settings of SCR: how it searches, what network it has, how it is trained. Loads no torch.

Every departure from the paper is a switch; `preset = "paper"` sets all of them to the paper's behaviour.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from clew.config import Settings, merge
from clew.learning.fitting import FitConfig


class Config(Settings):
    """How a trained model is asked. `None` means: what the model was trained for."""

    beam: int = Field(default=10, ge=1)  # [K] walks kept (Eq. 12, 15)
    hops: int | None = Field(default=None, ge=1)  # longest path; the paper has 10
    threshold: float = Field(default=0.02, ge=0, le=1)  # least probability of an evidence path (Eq. 14)
    returns: Literal["edge", "none"] | None = None  # "edge": back over another edge; "none": visited once (paper)
    topics_answer: bool | None = None  # a topic may be an answer to its own question
    siblings: bool | None = None  # all entities that a chosen relation path reaches are answers
    representatives: int = Field(default=3, ge=1)  # most hypotheses of one relation path in the beam, with siblings
    cut: float | None = Field(default=None, ge=0, le=1)  # an answer needs this share of the best one's score
    similarity_weight: float | None = Field(
        default=None, ge=0
    )  # of a relation path's words to the question, as a second opinion
    score_stop: bool = True  # the stop probability counts (Eq. 14); the published code leaves it out
    conjunction: float | None = Field(default=None, ge=0)  # gain of an answer for each further topic that reaches it
    hub_limit: int | None = Field(default=None, ge=10)  # most candidates of one step; beyond, a first pass by relation
    max_answers: int = Field(default=1000, ge=1)  # of a question
    max_paths: int = Field(default=10, ge=1)  # threads of an answer, relation paths shown to a reader (the paper: 10)
    reader: bool = False  # let the language model, where one is configured, write the answers (Figure 2)
    device: str = "cpu"  # "cpu", "cuda", or auto
    nearby: int = Field(
        default=3_000, ge=1
    )  # triples around the topics in a graph too large for a pass over all of it, or to be read from its server
    neighborhood: int = Field(default=200_000, ge=1)  # triples fetched per question from any other store


class NetworkConfig(Settings):
    """Sizes and variants of the network (Eq. 2-11)."""

    width: int = Field(default=192, ge=0)  # [D] 0: that of the text encoder, as in the paper
    layers: int = Field(default=2, ge=1)  # of the graph network; the paper: 3
    heads: int = Field(default=1, ge=1)  # the published code: 2
    residual: Literal["shared", "separate"] = "shared"  # the published code: separate
    gnn: Literal["attention", "rgcn", "none"] = (
        "attention"  # how neighbours are summed up: by attention (paper), by relation, or not at all
    )
    message_relation: bool = True  # the relation is part of the message; the paper: of the attention only
    relation_aware: bool = True  # a candidate is an entity with the edge it is reached by; the paper: the entity
    question: Literal["states", "bert"] = (
        "states"  # small decoder over frozen token states, or a trainable BERT (paper)
    )
    pooling: Literal["mean", "cls"] = "mean"  # of the trainable BERT
    blocks: int = Field(default=2, ge=1)  # of the small decoder
    block_heads: int = Field(default=4, ge=1)  # attention heads of each
    hint: bool = False  # each step also looks at some words of the question and compares them, frozen, with relations
    dropout: float = Field(default=0.1, ge=0, lt=1)  # of every layer
    word_dropout: float = Field(default=0.1, ge=0, lt=1)  # share of a question's tokens hidden in training
    temperature: float = Field(default=0.05, gt=0)  # [τ] of the softmax over candidates (Eq. 11)
    learned_temperature: bool = True  # the published code learns it
    multi_step: bool = True  # False: Table 4, "w/o multi-step"


class TrainConfig(Settings):
    """How a model is trained; `preset` chooses the defaults of everything else."""

    preset: Literal["light", "paper"] = "light"  # "paper" sets every switch to the paper's behaviour
    network: NetworkConfig = NetworkConfig()
    fit: FitConfig = FitConfig(steps=1200, lr=2e-3, patience=0)
    epochs: float | None = Field(default=20.0, gt=0)  # passes over the questions; None: `fit.steps` counts
    batch: int = Field(default=32, ge=1)  # questions per step
    gold: Literal["best", "shortest"] = "best"  # relation paths with the best F1, or all shortest paths (paper)
    together: bool = True  # with "best": the paths of several topics are judged by what they reach in common
    hops: int = Field(default=3, ge=1, le=6)  # longest gold path looked for
    walk: int | None = Field(default=None, ge=1)  # longest walk of the search; None: that of the gold ones; paper: 10
    hub_limit: int = Field(default=600, ge=1)  # mining does not pass through entities with more triples
    max_states: int = Field(default=300_000, ge=1000)  # partial paths of one question in mining
    candidates: int = Field(default=48, ge=2)  # most candidates of a step in training
    compete: bool = True  # several right next steps compete as one; False: they are each other's negatives (paper)
    fanout: tuple[int, ...] = (8, 6, 4)  # neighbours sampled per layer; a graph below `whole` triples is taken whole
    whole: int = Field(default=20_000, ge=0)  # triples
    mask_topics: bool = True  # the topic's name in the question becomes a plain word, as its own vector says who it is
    validate_on: int = Field(default=300, ge=1)  # questions of the dev set per evaluation
    dev_share: float = Field(default=0.1, gt=0, lt=0.5)  # taken from the training questions when there is no dev set
    returns: Literal["edge", "none"] = "edge"  # as `method.returns`; the search then does the same
    siblings: bool = True  # as `method.siblings`
    conjunction: float = Field(default=1.0, ge=0)  # as `method.conjunction`
    every: bool = False  # no sampling of candidates or messages, no `hub_limit` in the search (paper)
    calibrated: bool = (
        True  # cut, similarity and chances are chosen on dev; False: every walk of Eq. 15 answers (paper)
    )
    half: bool = True  # the model's folder holds 16-bit weights
    device: str = "cpu"  # "cpu" or "cuda"

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
    "compete": False,
    "walk": 10,
    "hub_limit": 1_000_000_000,
    "mask_topics": False,
    "returns": "none",
    "siblings": False,
    "conjunction": 0.0,
    "every": True,
    "calibrated": False,
    "half": False,
}
"""What the paper states; where it states nothing, its published code: AdamW 1e-5, cosine with 15 % warm-up, 20 epochs,
one graph a step. The encoder is that of the workspace (`encoder.name`); the paper has bert-base-uncased."""
