"""A trained STEM as a folder: two planning models, the Triple-GNN, and what they were trained for.

Kept apart from training so that answering loads no trainer. The planning models are ordinary checkpoint folders.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from pydantic import ValidationError
from torch import Tensor

from clew.config import Settings
from clew.errors import FormatError
from clew.labels import label_to_text
from clew.learning.checkpoints import fill, load_weights, read_json, save_weights, write_json
from clew.methods.stem.config import NetworkConfig
from clew.methods.stem.network import TripleNetwork
from clew.methods.stem.similarity import Similarity
from clew.protocols import TextEncoder

CARD = "stem.json"
WEIGHTS = "network.safetensors"
DECOMPOSE, GROUND = "decompose", "ground"


class Trained(Settings):
    """What `stem.json` says. Empty sums mean that the part was not trained."""

    format: int = 1
    encoder: str
    encoder_width: int
    planner: bool = False
    network: NetworkConfig | None = None
    network_sha256: str = ""
    graph: str = ""


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
    write_json(folder / CARD, trained.model_dump(mode="json"))
    return trained


def load_model(folder: Path, encoder: TextEncoder, device: str) -> StemModel:
    """Open a folder. Raises FormatError when it is damaged or was trained with another encoder."""
    record: dict[str, Any] = read_json(folder / CARD)
    try:
        trained = Trained.model_validate(record)
    except ValidationError as error:
        raise FormatError(f"{folder / CARD}: damaged ({error.errors()[0]['msg']}); train again") from None
    if trained.format != 1:
        raise FormatError(f"{folder / CARD}: format {trained.format}, this clew reads 1; use the clew that wrote it")
    network = None
    if trained.network is not None:
        if trained.encoder_width != encoder.dim:
            raise FormatError(
                f"{folder}: trained with encoder {trained.encoder} ({trained.encoder_width} numbers), "
                f"not {encoder.name} ({encoder.dim}); set encoder.name"
            )
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
