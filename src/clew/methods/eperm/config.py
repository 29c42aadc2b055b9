"""Settings of EPERM: what each stage asks, keeps and weighs, and how the one model is tuned. Loads no torch.

What the paper leaves open is decided here; README.md beside this file says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from clew.config import Settings
from clew.learning.scratch import DecoderSize
from clew.learning.tuning import TuneSettings
from clew.llm.settings import ModelSettings

Scorer = Literal["none", "encoder", "llm", "mediators"]
Style = Literal["paper", "short"]


class Config(Settings):
    """How a question is answered. `None` means: what the model was trained for."""

    # models of their own for plans and for scores of relations and entities; unnamed: the language model. Where there
    # is none, the one that is named does everything
    planner: ModelSettings = ModelSettings()
    scorer: ModelSettings = ModelSettings()
    style: Style | None = None  # of the prompts; "short" is for small decoders. Without a trained model: "paper"
    # A. subgraph retriever
    relations: Literal["none", "encoder", "llm"] | None = None  # who scores relations; "none" (default without a
    # trained model) takes the neighbourhood whole
    relation_limit: int = Field(default=5, ge=1)  # [K] relation paths kept per step and topic
    hops: int | None = Field(default=None, ge=1)  # [D] and the longest plan; 3 without a trained model
    # B1. weighted plans
    examples: Path | None = (
        None  # training questions with answers (JSONL): those most like a question stand in its plan
    )
    # prompt, where a model states plans itself, with the plans that lead to their answers
    plans: int = Field(default=6, ge=1)  # [s] weighted plans per question
    weighing: Literal["auto", "beams", "samples", "self"] = "auto"  # auto: beams where the model can, else what
    # the model itself says of several plans in one reply; samples in the style "short"
    temperature: float | None = Field(default=None, gt=0)  # of the softmax over plans; the paper has 1
    similarity_weight: float | None = Field(
        default=None, ge=0
    )  # of the encoder's similarity of question and plan in it; paper: 0
    vocabulary: int = Field(default=120, ge=1)  # relations named per hop in the plan prompt of the style "paper"; the
    # first hop is named whole
    # B2. weighted evidence paths

    # Who scores the entities on a path; "mediators" (default without a trained model): the language model, where
    # several mediators stand side by side, and nobody elsewhere
    entities: Scorer | None = None
    beam: int = Field(default=4, ge=1)  # [S] partial paths kept per plan and hop
    batch_scoring: bool = True  # one call per step; False: one per candidate, as in the paper
    facts: int = Field(default=12, ge=1)  # triples shown of a candidate
    aside: float = Field(
        default=0.1, gt=0, le=1
    )  # factor of a path for each other topic of the question that none of its entities touches; paper: 1
    # C. answer predictor
    lines: int | None = Field(default=None, ge=1)  # evidence lines shown; 100 without a trained model
    evidence_tokens: int = Field(default=4096, ge=16)  # of the evidence in the answer prompt
    max_tokens: int = Field(default=1024, ge=4)  # of the predictor's reply
    # Ablations, Tables 3 and 4
    finder: bool = True  # False: the question alone goes to the predictor
    filter: bool = True  # False: no weights, nothing is scored or filtered
    predictor: bool = True  # False: every end of a path is an answer
    device: str = "auto"  # of the trained model; auto: CUDA where there is one

    removed: ClassVar[Mapping[str, Any]] = {
        "entity_limit": 64,
        "max_triples": 20_000,
        "shots": 3,
        "sampling": 0.8,
        "corrections": 1,
        "ties": 500,
        "preselect": 32,
        "normalise": True,
        "share": 0.25,
        "question_words": 200,
        "batch": 64,
    }


HOPS = 2  # of the longest plan where neither a setting nor a question says it


class TrainConfig(Settings):
    """How the model is tuned on plans and answers together (Eq. 8)."""

    base: str = ""  # checkpoint folder or hub name; empty: a small decoder from scratch
    size: str | DecoderSize = "3m"  # of that decoder
    style: Style | None = None  # None: short from scratch, else paper
    relations: Literal["none", "encoder", "llm"] = "none"  # the retriever that the model will be asked with
    entities: Scorer = "none"  # as `method.entities`
    hops: int = Field(default=0, ge=0, le=6)  # of the longest plan; 0: the most that the questions state, else 2
    threshold: float = Field(default=0.5, ge=0, le=1)  # [t] answers reached / entities reached (Eq. 5)
    posterior: Literal["f1", "ratio"] = "f1"  # which plans above t are gold: those near the best F1, or all (paper)
    distractors: int = Field(default=5, ge=0)  # wrong plans shown beside the gold ones in an answer task, at most
    scorers: bool = False  # relation and entity scoring tasks in the union; the paper leaves the scorers untrained
    tune: TuneSettings = TuneSettings(epochs=8, batch=32, learning_rate=1e-3, bf16=False)
    max_questions: int | None = Field(default=None, ge=1)  # drawn by chance; None: all
    validate_on: int = Field(default=150, ge=0)  # dev questions for metrics and the temperature of the plan weights
    dev_share: float = Field(default=0.1, ge=0, lt=0.5)  # without a dev set: taken from the training questions for it

    removed: ClassVar[Mapping[str, Any]] = {
        "max_plans": 4,
        "together": True,
        "agreement": True,
        "stated": True,
        "misleading": 0.1,
        "answers": True,
        "drawings": 1,
    }

    @property
    def longest(self) -> int:
        """Hops of the longest plan."""
        return self.hops or HOPS
