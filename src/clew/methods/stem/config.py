"""Settings of STEM: how it plans, traces and answers, what its networks are, how they are trained. Loads no torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field

from clew.config import Settings
from clew.learning.fitting import FitConfig
from clew.learning.tuning import TuneSettings
from clew.llm.settings import ModelSettings


class Config(Settings):
    """How a question is answered. Names in brackets are the paper's symbols."""

    # [SGDA, SAGB] models of their own for the two, such as tuned ones that are served; unnamed: the language model, and
    # where there is none the model of the other
    decomposer: ModelSettings = ModelSettings()
    grounder: ModelSettings = ModelSettings()
    planner: Literal["auto", "trained", "prompted"] = "auto"  # auto: the trained one where a model folder holds it
    beams: int = Field(default=4, ge=1)  # [B] plans per question
    retries: int = Field(default=1, ge=0)  # calls more when no plan of a question parses; the paper: 5
    # What a language model that plans by prompt sees of the graph: relations near the topics, most like the question,
    # with an example each; "free" is the paper's form, which sees nothing.
    schema_shown: Literal["retrieved", "free"] = "retrieved"
    breadth_fallback: bool | None = None  # a Breadth that finds no edge of θ follows the best; None: planning by prompt
    strategy: Literal["adaptive", "precision", "breadth"] = "adaptive"  # Table 11
    # Without a reader: how much the encoder's similarity of plan and question counts beside the plan's
    # log-probability. 0 (paper): the first plan that was traced to its end answers.
    similarity_weight: float = Field(default=0.0, ge=0)

    guidance: bool = True  # run the Triple-GNN where the model folder holds one
    bias_ent: bool = True  # Table 7
    bias_tri: bool = True  # Table 7
    per_triple: int = Field(default=4, ge=1)  # [K'] guided entities per schema triple
    lam: float = Field(default=1.5, ge=1)  # [λ] on anchors in the guidance graph
    tau: float = Field(default=0.5, ge=0)  # [τ] for edges in the guidance graph
    theta: float | None = None  # [θ] least T-score in Breadth; None: what suits the encoder (paper: 0.6, for its own)

    exact_match_first: bool = True  # a topic that was linked is its own anchor; False: Eq. 8-11 over all entities
    anchors: int = Field(default=50, ge=1)  # [N] nearest entity vectors that are candidates (Eq. 8)
    exact_relation_first: bool = True  # edges with the schema's own relation and direction go before all others
    revisit: bool | None = None  # such edges may be walked again on a way: "the father of her son's mother"; None: as
    # the questions that it was trained on need it
    anchor_consistency: Literal["off", "prefer", "require"] = "off"  # a second topic must be met where it is anchored
    ties: Literal["all", "guided", "first"] = "all"  # Precision: the best edge and all that read like it; of these
    # those in the guidance graph where there are any; one (paper)
    max_branch: int = Field(default=12, ge=1)  # edges of another relation per Breadth step
    edge_text: Literal["composed", "text"] = "composed"  # T-scores from relation vectors, or from each edge's text
    collapse_mediators: bool = True  # head - mediator - tail is offered as one edge, too

    hops: int = Field(default=3, ge=1)  # neighbourhood that the Triple-GNN sees
    reader: bool | None = None  # a language model writes the answers; None: where one is configured
    prompts: Path | None = None  # a folder whose decompose.txt, ground.txt, answer.txt replace ours
    device: str = "cpu"  # of the networks

    removed: ClassVar[Mapping[str, Any]] = {
        "max_edges": 5000,
        "evidence_tokens": 2048,
        "temperature": 0.7,
        "schema_lines": 80,
        "dedupe": True,
        "hub": 512,
        "neighborhood": 10_000,
        "cut": 0.95,
        "max_answers": 1000,
    }


class NetworkConfig(Settings):
    """The Triple-GNN. Width 512 and 6 layers have about 10 M parameters, and keep gigabytes for their gradient."""

    width: int = Field(default=64, ge=8)  # [d] of a state
    layers: int = Field(default=3, ge=1)  # [L] rounds of messages
    # As printed (Eq. 18-28): means, a linear head, edges one way, nothing added to what a layer or the start gave. Else
    # sums, the start state and a residual in every layer, a head of two layers, and edges both ways.
    printed: bool = False

    removed: ClassVar[Mapping[str, Any]] = {
        "aggregate": "sum",
        "boundary": True,
        "residual": True,
        "head": "mlp",
        "inverse": True,
    }


class DecomposeTune(TuneSettings):
    """How SGDA is fine-tuned; the paper: learning rate 1e-4, 2 epochs, on an 8 B model."""

    epochs: float = Field(18.0, gt=0)
    batch: int = Field(64, ge=1)
    learning_rate: float = Field(4e-3, gt=0)
    max_tokens: int = Field(192, ge=8)


class GroundTune(TuneSettings):
    """How SAGB is fine-tuned; the paper: learning rate 1e-5, 2 epochs, on an 8 B model."""

    epochs: float = Field(4.0, gt=0)
    batch: int = Field(32, ge=1)
    learning_rate: float = Field(3e-3, gt=0)
    max_tokens: int = Field(192, ge=8)


class DecomposeConfig(Settings):
    """SGDA: a decoder from scratch by size, or a checkpoint to fine-tune."""

    base: str = "tiny"  # a size of clew.learning.scratch, or a folder or hub name
    tune: DecomposeTune = DecomposeTune()


class GroundConfig(Settings):
    """SAGB: a decoder from scratch by size, or a checkpoint to fine-tune."""

    base: str = "tiny"  # as above
    tune: GroundTune = GroundTune()
    pairs: int = Field(default=4000, ge=1)  # least pairs an epoch shows


class TrainConfig(Settings):
    """How the planner and the Triple-GNN are trained."""

    parts: tuple[Literal["planner", "network"], ...] = ("planner", "network")  # what is trained
    decompose: DecomposeConfig = DecomposeConfig()
    ground: GroundConfig = GroundConfig()
    standard: bool = True  # D_std: plans mined from the training questions
    synthetic: int = Field(default=0, ge=0)  # D_syn: plans of so many questions made from the graph
    assertions: Literal["grammar", "model"] = "grammar"  # who writes the assertions of D_std (P4: a language model)
    hops: int = Field(default=3, ge=1, le=5)  # longest gold chain
    per_text: int = Field(default=8, ge=1)  # questions mined per distinct masked text; the majority's plan is kept
    network: NetworkConfig = NetworkConfig()
    fit: FitConfig = FitConfig(steps=200, lr=2e-3)
    batch: int = Field(default=8, ge=1)  # questions per step of the Triple-GNN
    questions: int = Field(default=1000, ge=1)  # that the Triple-GNN trains on
    reworded: float = Field(default=0.5, ge=0, le=1)  # share of relations changed in further wordings of each schema
    device: str = "cpu"  # of the training

    removed: ClassVar[Mapping[str, Any]] = {"triples": 3000}
