"""Settings of `decompose`: what is retrieved, who answers, how its small models and its graph encoder are trained."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from clew.config import Settings
from clew.learning.fitting import FitConfig
from clew.learning.scratch import DecoderSize
from clew.llm import ModelSettings


class Config(Settings):
    """How a question is answered. The defaults are the paper's where it states one."""

    complex_weight: float = Field(default=0.7, ge=0, le=1)  # [α] of the whole question; 1: plain G-Retriever retrieval
    nodes: int = Field(default=3, ge=0)  # [K_n] entities with a prize, per sub-question
    edges: int = Field(default=10, ge=0)  # [K_e] levels of relations with a prize, per sub-question; the paper: 5
    # Of an edge in the Steiner tree; the paper: 0.5, beside which a relation with many triples is worth nothing.
    edge_cost: float = Field(default=0.001, gt=0)
    connectivity: Literal["pcst", "topk"] = "pcst"  # "topk": Table 3, "w/o graph connectivity"
    anchored: bool = True  # topics and the answer before carry the highest prize, and are always shown
    mediator_facts: bool = True  # a nameless node in the tree brings all its triples
    dependency: bool = True  # a sub-question sees the answers before it
    around: Literal["topics", "similar", "whole"] = "topics"  # where the tree may grow, see the README
    region: int = Field(default=2, ge=1)  # hops of that region; one through a mediator counts two
    similarity_weight: float | None = Field(
        default=None, ge=0
    )  # of a plan's similarity to the question; None: as trained
    hops: int = Field(default=3, ge=1, le=6)  # longest evidence path of an answer; a mediator is no hop
    follow_plan: bool = True  # without a reader: the path that a small decomposer named answers, if it is retrieved
    siblings: bool = True  # without a reader: everything the winning relation path reaches in the graph is an answer
    text_graph: bool = True  # False: Table 3, "w/o textual graph"
    graph_encoder: bool | None = None  # soft prompt; None: where a trained one fits the model; True: required
    evidence_tokens: int = Field(default=1024, ge=16)  # of the textual graph; the paper: 512
    max_tokens: int = Field(default=512, ge=1)  # of a reply; the paper's 32 cut a list of names
    small: bool = True  # use the small models in the trained folder where no other is configured
    decomposer: ModelSettings = ModelSettings()  # no model named: the trained small one, else the language model
    subanswerer: ModelSettings = ModelSettings()  # no model named: whoever gives the final answer
    prompts: Path | None = None  # a folder with decompose.txt, subanswer.txt and answer.txt that replace ours
    device: str = "cpu"  # of the graph encoder

    removed: ClassVar[Mapping[str, Any]] = {
        "plan_tokens": 512,
        "region_triples": 10_000,
        "plans": 8,
        "constrained": True,
        "minimum_score": None,
        "max_subquestions": 6,
        "path_weight": 0.1,
        "candidates": 16,
    }


class NetworkConfig(Settings):
    """The graph transformer and its projector. The paper: width 1024, inner 2048."""

    width: int = Field(default=128, ge=8)  # of a node
    layers: int = Field(default=4, ge=1)  # of the transformer
    inner: int = Field(default=256, ge=8)  # width inside the projector

    removed: ClassVar[Mapping[str, Any]] = {"heads": 4, "dropout": 0.0, "graph_tokens": 1}


class SmallConfig(Settings):
    """A small decoder from scratch for one of the stages."""

    enabled: bool = True  # whether it is trained
    size: str | DecoderSize = "3m"  # see clew.learning.scratch
    synthetic: int = Field(default=4000, ge=0)  # questions made from the graph alone, beside those given
    given: int = Field(default=6000, ge=0)  # most of the given questions
    repeat: int = Field(default=1, ge=1)  # how often a given question counts for each synthetic one
    bare: float = Field(default=0.25, ge=0, le=1)  # share of a reader's lessons without the textual graph
    epochs: float = Field(default=4.0, gt=0)  # passes over the questions
    batch: int = Field(default=32, ge=1)  # questions per step
    learning_rate: float = Field(default=1e-3, gt=0)  # highest of the schedule

    removed: ClassVar[Mapping[str, Any]] = {"max_tokens": 512, "bf16": False}


class TrainConfig(Settings):
    """What is trained: small models in the place of large ones, and the graph encoder against a frozen model."""

    decomposer: SmallConfig = SmallConfig()
    reader: SmallConfig = SmallConfig(epochs=3.0)
    encoder: bool = True  # the graph encoder and projector; needs a language model in this process
    network: NetworkConfig = NetworkConfig()
    fit: FitConfig = FitConfig(lr=1e-3, weight_decay=0.05, clip=0.1, patience=2)
    epochs: float = Field(default=10.0, gt=0)  # most passes of the graph encoder; one of them warms up
    batch: int = Field(default=4, ge=1)  # questions per step of the graph encoder
    encoder_questions: int = Field(default=400, ge=1)  # most questions that the graph encoder sees
    validate_on: int = Field(default=100, ge=1)  # dev questions per evaluation
    dev_share: float = Field(default=0.1, gt=0, lt=0.5)  # taken from the training questions without a dev set
