"""Every switch of RoE, for answering and for training; defaults are what an untrained chat model is asked with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from clew.config import Settings, merge
from clew.learning.tuning import ReinforceSettings, TuneSettings

Notation = Literal["json", "numbers", "names", "words"]
Repeats = Literal["nothing", "triples"]
Siblings = Literal["group", "each"]


class Config(Settings):
    """How to explore."""

    # The others are short forms for small trained models; "words" for graphs not seen. A decoder that is trained from
    # scratch gets "names" where none is stated; a trained model is always asked in the one it learned.
    notation: Notation = "json"
    state: Literal["path", "level"] = "path"  # one path per state, or all paths of a depth as in Algorithm 1
    siblings: Siblings = "group"  # all entities by one relation are one option, or each is its own
    # What a path may meet again: simple paths, or walks that never turn round at once. None: what a trained model's
    # questions asked for, else simple paths.
    repeats: Repeats | None = None
    max_depth: int = Field(default=5, ge=1)  # [D_max] hops of the longest path
    max_frontier: int = Field(default=16, ge=1)  # paths opened per depth, first come
    max_calls: int = Field(default=64, ge=1)  # per question
    max_question_tokens: int = Field(default=0, ge=0)  # per question, prompts and replies together; 0: no limit
    max_seconds: float = Field(default=0.0, ge=0)  # per question; 0: no limit
    # in JSON states: nameless nodes as ids, or with their own facts; auto: inline, where the notation is json
    mediators: Literal["auto", "keep", "inline"] = "auto"
    batch_triples: int = Field(default=50, ge=1)  # shown in one state
    batch_tokens: int = Field(default=3000, ge=32)  # taken by the neighbours of one state
    # States that show the neighbours of one path, where an encoder puts those most like the question first; 0: all
    max_batches: int = Field(default=5, ge=0)
    batch_options: int = Field(default=24, ge=1)  # relation groups in one state of the short notations
    shown: int = Field(default=10, ge=1)  # entities shown of a group; the rest is counted
    max_tokens: int = Field(default=512, ge=4)  # of a reply; the short notations hardly need more than 64
    every_batch: bool = False  # as in the paper: the other neighbours of a path are shown though some have answered
    closed_answers: bool = True  # an answer that was not seen in its state is dropped, else kept as unsupported
    stage: Literal["last", "supervised"] = "last"  # of a trained folder: which model to ask
    device: str = "auto"  # of a trained model; auto: CUDA where there is one
    prompt: Path | None = None  # a file that replaces ours

    removed: ClassVar[Mapping[str, Any]] = {
        "dtype": "auto",
        "max_entities": 20_000,
        "max_answers": 1000,
        "max_question": 1500,
        "constrained": True,
        "mask_topics": True,
        "temperature": 0.0,
        "batch_size": 64,
    }


class TrainConfig(Settings):
    """How to train: Stage I by supervision, Stage II by rewards.

    The defaults are for a pretrained model. A decoder from scratch takes `SCRATCH` for what is not stated.
    """

    base: str = ""  # a checkpoint folder or hub name; empty: a decoder from scratch of `size`
    size: str = "3m"  # see clew.learning.scratch
    max_questions: int = Field(default=0, ge=0)  # drawn at random; 0: all
    share: float = Field(default=0.6, gt=0, le=1)  # of the questions for Stage I; the rest is for Stage II
    gold: Literal["best", "all"] = "best"  # relation paths that fit the answers best, or all simple paths (the paper)
    hops: int = Field(default=0, ge=0, le=4)  # [L_max] 0: the most that the questions state, else 2
    slack: int = Field(default=1, ge=0)  # with "all": a gold path may be so much longer than the shortest
    max_states: int = Field(default=100_000, ge=1)  # most training states of Stage I
    stage_one: TuneSettings = TuneSettings()
    rl: bool = True  # Stage II; off is an ablation of Figure 4
    # What Stage II learns from; supervision is the fair control: as many steps on the same questions, by gold actions.
    stage_two_by: Literal["rewards", "supervision"] = "rewards"
    discovery: Literal["clipped", "paper", "off"] = "clipped"  # off is an ablation of Figure 4
    beta: float = Field(default=0.5, ge=0)  # [β] what an invented answer or path costs
    # On gold prefixes; where the supervised model goes; or of those the ones it gets wrong, with as many others.
    rl_states: Literal["gold", "visited", "hard"] = "gold"
    stage_two: ReinforceSettings = ReinforceSettings()
    validate_on: int = Field(default=200, ge=0)  # dev questions asked at the end

    removed: ClassVar[Mapping[str, Any]] = {
        "max_paths": 256,
        "max_siblings": 32,
        "sibling_states": 2,
        "negatives": 1.0,
        "precision": 0.5,
        "max_rl_states": 2000,
    }


SCRATCH: dict[str, Any] = {
    "size": "1m",
    "share": 0.75,
    "rl_states": "hard",
    "stage_one": {"epochs": 6.0, "batch": 32, "learning_rate": 1e-3},
    "stage_two": {"max_steps": 40, "groups": 8, "learning_rate": 2e-5, "max_tokens": 16, "loss": "dapo"},
}
"""What a decoder from scratch is trained with; chosen on the development questions of PathQuestion."""


def for_scratch(train: TrainConfig) -> TrainConfig:
    """`train` with `SCRATCH` wherever nothing was stated."""
    return TrainConfig.model_validate(merge(SCRATCH, train.model_dump(exclude_unset=True)))
