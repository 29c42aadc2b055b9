"""Every switch of RoE, for answering and for training; defaults are what an untrained chat model is asked with."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

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
    repeats: Repeats = "nothing"  # what a path may meet again: simple paths, or walks that never turn round at once
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
    max_entities: int = Field(default=20_000, ge=1)  # a group beyond it is cut, and the answer says so
    max_answers: int = Field(default=1000, ge=1)  # of a question
    max_tokens: int = Field(default=512, ge=4)  # of a reply; the short notations hardly need more than 64
    max_question: int = Field(default=1500, ge=16)  # characters of a question that are shown
    every_batch: bool = False  # as in the paper: the other neighbours of a path are shown though some have answered
    closed_answers: bool = True  # an answer that was not seen in its state is dropped, else kept as unsupported
    constrained: bool = True  # decode under a grammar where the model can; replies are checked either way
    mask_topics: bool = True  # in the short notations: names of topics become placeholders
    temperature: float = Field(default=0.0, ge=0)  # of sampling; 0: the likeliest reply
    stage: Literal["last", "supervised"] = "last"  # of a trained folder: which model to ask
    batch_size: int = Field(default=64, ge=1)  # states that a trained model is shown together
    device: str = "auto"  # of a trained model; auto: CUDA where there is one
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"  # of its weights
    prompt: Path | None = None  # a file that replaces ours


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
    slack: int = Field(default=1, ge=0)  # a gold path may be so much longer than the shortest
    max_paths: int = Field(default=256, ge=1)  # per question
    max_siblings: int = Field(default=32, ge=1)  # gold extensions through one relation, where siblings = "each"
    sibling_states: int = Field(default=2, ge=0)  # states off the gold paths per step
    negatives: float = Field(default=1.0, ge=0)  # states without gold for each state with gold
    precision: float = Field(default=0.5, ge=0, le=1)  # a group counts as gold when so much of it is
    max_states: int = Field(default=100_000, ge=1)  # most training states of Stage I
    stage_one: TuneSettings = TuneSettings()
    rl: bool = True  # Stage II; off is an ablation of Figure 4
    # What Stage II learns from; supervision is the fair control: as many steps on the same questions, by gold actions.
    stage_two_by: Literal["rewards", "supervision"] = "rewards"
    discovery: Literal["clipped", "paper", "off"] = "clipped"  # off is an ablation of Figure 4
    beta: float = Field(default=0.5, ge=0)  # [β] what an invented answer or path costs
    # On gold prefixes; where the supervised model goes; or of those the ones it gets wrong, with as many others.
    rl_states: Literal["gold", "visited", "hard"] = "gold"
    max_rl_states: int = Field(default=2000, ge=1)  # most states of Stage II
    stage_two: ReinforceSettings = ReinforceSettings()
    validate_on: int = Field(default=200, ge=0)  # dev questions asked at the end


SCRATCH: dict[str, Any] = {
    "size": "1m",
    "rl_states": "hard",
    "stage_one": {"epochs": 6.0, "batch": 32, "learning_rate": 1e-3},
    "stage_two": {"max_steps": 40, "groups": 8, "learning_rate": 2e-5, "max_tokens": 16, "loss": "dapo"},
}
"""What a decoder from scratch is trained with; chosen on the development questions of PathQuestion."""


def for_scratch(train: TrainConfig) -> TrainConfig:
    """`train` with `SCRATCH` wherever nothing was stated."""
    return TrainConfig.model_validate(merge(SCRATCH, train.model_dump(exclude_unset=True)))
