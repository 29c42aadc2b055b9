"""A trained STEM as a folder: two planning models, the Triple-GNN, and what they were trained for.

Kept apart from training so that answering loads no trainer. The planning models are ordinary checkpoint folders.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from clew.config import Settings
from clew.errors import ConfigError
from clew.labels import label_to_text
from clew.learning.checkpoints import fill, load_weights, save_weights
from clew.learning.folders import check_encoder, read_record, write_record
from clew.llm import ModelSettings, open_language_model
from clew.methods.stem.config import Config, NetworkConfig
from clew.methods.stem.network import TripleNetwork
from clew.methods.stem.planner import Planner
from clew.methods.stem.similarity import Similarity
from clew.protocols import TextEncoder, Tools

CARD = "stem.json"
WEIGHTS = "network.safetensors"
DECOMPOSE, GROUND = "decompose", "ground"


class Trained(Settings):
    """What `stem.json` says. Empty sums mean that the part was not trained."""

    encoder: str
    encoder_width: int
    planner: bool = False
    network: NetworkConfig | None = None
    network_sha256: str = ""
    graph: str = ""
    revisit: bool = False  # what `Config.revisit` is where it is not set


@dataclass(frozen=True, eq=False)
class StemModel:
    """A folder, opened."""

    folder: Path
    trained: Trained
    network: TripleNetwork | None


def save_model(folder: Path, trained: Trained, network: TripleNetwork | None) -> Trained:
    """Write the card, and the network's weights where there is one."""
    if network is not None:
        digest = save_weights(folder / WEIGHTS, network.state_dict())
        trained = trained.model_copy(update={"network": network.config, "network_sha256": digest})
    write_record(folder / CARD, trained)
    return trained


def load_model(folder: Path, encoder: TextEncoder, device: str) -> StemModel:
    """Open a folder. Raises FormatError when it is damaged, InputError when it was trained with another encoder."""
    trained, _ = read_record(Trained, folder / CARD)
    network = None
    if trained.network is not None:
        check_encoder(folder, encoder, trained.encoder, trained.encoder_width)
        network = TripleNetwork(trained.network, encoder.dim)
        fill(network, load_weights(folder / WEIGHTS, trained.network_sha256), str(folder / WEIGHTS))
        network.to(device).eval()
    return StemModel(folder, trained, network)


def relation_table(similarity: Similarity, encoder: TextEncoder, device: str) -> Tensor:
    """(2R, E) vectors of relations and of their inverses."""
    graph = similarity.graph
    names = [f"inverse of {label_to_text(graph.relation(r).label)}" for r in range(graph.num_relations)]
    inverse = encoder.encode(names) if names else similarity.vectors
    return torch.from_numpy(np.concatenate([similarity.vectors, inverse])).to(device)


def open_planner(config: Config, tools: Tools, model: StemModel | None) -> Planner:
    """The trained planner, or one over the configured language models."""
    trained = None if model is None or not model.trained.planner else model.folder
    if config.planner == "trained" and trained is None:
        raise ConfigError("method.planner = 'trained' needs a model folder with a planner: clew train stem GRAPH …")
    if trained is not None and config.planner != "prompted":
        two = [
            open_language_model(
                settings
                if settings.model
                else ModelSettings(backend="local", model=str((trained / part).absolute()), device=config.device)
            )
            for part, settings in ((DECOMPOSE, config.decomposer), (GROUND, config.grounder))
        ]
        return Planner(config, two[0], two[1], "trained")
    decomposer, grounder = (
        open_language_model(settings) if settings.model else tools.language_model
        for settings in (config.decomposer, config.grounder)
    )
    decomposer, grounder = decomposer or grounder, grounder or decomposer  # a model that was named alone does both
    if decomposer is None or grounder is None:
        raise ConfigError(
            "stem needs a planner: a trained one (clew train stem GRAPH --questions …, then "
            "--model), or a language model (--set language_model.model=NAME)"
        )
    return Planner(config, decomposer, grounder, "prompted")
