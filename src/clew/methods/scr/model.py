"""A trained model: its folder, what it was trained for, and the graph as it sees it.

Kept apart from the method so that training, which evaluates by really searching, and answering open it in one way.

Shapes: N entities, T triples, R relations, E width of the encoder, D width of the network.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from clew.config import Settings
from clew.errors import InputError
from clew.graph import Subgraph
from clew.learning.checkpoints import fill, load_weights, save_weights
from clew.learning.folders import base_name, check_encoder, read_record, write_record
from clew.learning.layers import Edges
from clew.methods.scr.config import NetworkConfig
from clew.methods.scr.features import Floats, entity_vectors, relation_vectors, token_kind
from clew.methods.scr.network import CandidateTables, StepwiseNetwork
from clew.protocols import TextEncoder

DESCRIPTION, WEIGHTS = "model.json", "weights.safetensors"


class ScrCalibration(Settings):
    """What the dev set taught about scores: the chance that an answer is right, and where to cut the list."""

    slope: float = 1.0  # of the logistic map from log-odds of a score to log-odds of being right
    shift: float = 0.0
    cut: float = 0.5  # an answer needs this share of the best one's score
    similarity_weight: float = 0.0  # how much the encoder's similarity of relation path and question counts

    def __call__(self, score: float) -> float:
        """The chance that an answer with this score is right."""
        p = min(max(score, 1e-6), 1 - 1e-6)
        return float(1 / (1 + np.exp(-(self.slope * np.log(p / (1 - p)) + self.shift))))


class Trained(Settings):
    """What a model's folder says about it."""

    network: NetworkConfig
    encoder: str
    encoder_width: int
    tokens: Literal["tokens", "words"]
    hops: int
    returns: Literal["edge", "none"]
    siblings: bool
    mask_topics: bool
    topics_answer: bool = True  # whether any training question had a topic among its answers
    conjunction: float = 1.0
    hub_limit: int | None = 4000  # None: every candidate of a step is scored
    graph: str
    relations: tuple[str, ...]
    calibration: ScrCalibration = ScrCalibration()


@dataclass(eq=False)
class ScrModel:
    """A network with what it was trained for."""

    network: StepwiseNetwork
    trained: Trained
    digest: str  # of the weights; names what is derived from them
    encoder_folder: Path | None = None  # of the trainable encoder, where the network has one


def encoder_folder(network: NetworkConfig, encoder: str) -> Path | None:
    """Where the weights and the tokenizer of a trainable question encoder lie."""
    if network.question == "states":
        return None
    from clew.encoding.local import find_weights

    return find_weights(base_name(encoder))


def save_model(folder: Path, network: StepwiseNetwork, trained: Trained, *, half: bool) -> None:
    """Write weights and description into `folder`; the description last, so that a folder with one is whole."""
    tensors = network.state_dict()
    if half:
        tensors = {name: t.half() if t.is_floating_point() else t for name, t in tensors.items()}
    digest = save_weights(folder / WEIGHTS, tensors)
    write_record(folder / DESCRIPTION, trained, digest)


def load_model(folder: Path, encoder: TextEncoder, device: str = "cpu") -> ScrModel:
    """The model in `folder`. Raises NotFoundError, FormatError, or InputError for another encoder than its own."""
    trained, digest = read_record(Trained, folder / DESCRIPTION)
    check_encoder(folder, encoder, trained.encoder, trained.encoder_width)
    if trained.network.question == "states" and token_kind(encoder) != trained.tokens:
        raise InputError(
            f"model {folder}: was trained on {trained.tokens} of the encoder, this one gives {token_kind(encoder)}"
        )
    weights = load_weights(folder / WEIGHTS, digest)
    home = encoder_folder(trained.network, trained.encoder)
    network = StepwiseNetwork(trained.network, trained.encoder_width, len(trained.relations), home)
    fill(network, {name: t.float() if t.is_floating_point() else t for name, t in weights.items()}, str(folder))
    network.to(device).eval().requires_grad_(False)
    return ScrModel(network, trained, digest, home)


def unlike(trained: Trained, relations: tuple[str, ...]) -> str:
    """A warning when a graph has other relations than the one a model was trained on, else "".

    Raises InputError where the network has parameters for each relation and cannot read others.
    """
    known = set(trained.relations)
    strange = [relation for relation in relations if relation not in known]
    if trained.network.gnn == "rgcn" and relations != trained.relations:
        raise InputError(
            f"the model was trained on graph {trained.graph!r} and has parameters for its relations; this graph has "
            f"others ({', '.join(strange[:3]) or 'in another order'}). Train on this graph, or with gnn = 'attention'"
        )
    if 2 * len(strange) > len(relations):
        return (
            f"trained on graph {trained.graph!r}: {len(strange)} of this graph's {len(relations)} relations were not "
            f"there ({', '.join(strange[:3])} …); answers rest on how alike the names are"
        )
    return ""


@dataclass(eq=False)
class GraphView:
    """A graph as a model sees it: frozen vectors, and the tables that candidates are scored with."""

    graph: Subgraph
    vectors: Floats  # (N, E)
    relations: Tensor  # (R, E)
    tables: CandidateTables


def relation_names(graph: Subgraph) -> tuple[str, ...]:
    return tuple(graph.relation(r).id for r in range(graph.num_relations))


@torch.no_grad()
def view(network: StepwiseNetwork, graph: Subgraph, encoder: TextEncoder, vectors: Floats | None = None) -> GraphView:
    """One pass of the graph encoder over all of `graph` (Eq. 6). It depends on no question."""
    frozen = entity_vectors(graph, encoder) if vectors is None else vectors
    relations = torch.from_numpy(relation_vectors(graph, encoder)).to(network.log_temperature.device)
    return pass_over(network, graph, frozen, relations)


@torch.no_grad()
def pass_over(network: StepwiseNetwork, graph: Subgraph, frozen: Floats, relations: Tensor) -> GraphView:
    """The pass with (N, E) vectors of entities and (R, E) of relations, these on the network's device."""
    device = relations.device
    edges = whole_edges(graph).to(device)
    encoded = network.encode_graph(torch.from_numpy(frozen).to(device), [edges] * len(network.layers), relations)
    return GraphView(graph, frozen, relations, network.tables(encoded, relations))


def whole_edges(graph: Subgraph) -> Edges:
    """Messages over every triple of `graph`, both ways."""
    return Edges.from_triples(graph.heads, graph.rels, graph.tails, graph.num_entities, graph.num_relations)
