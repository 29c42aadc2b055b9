"""The graph encoder: a graph transformer, mean pooling and a projector into the space of a language model (4.4).

Attention over triples with the relation's vector in key and value (Shi et al. 2021, as G-Retriever uses it), written
with gathers and `index_add` so that it needs nothing beyond torch. A graph is undirected to it: each triple carries a
message both ways.

Shapes: N entities and E directed messages of all graphs of a batch, B graphs, D width of the encoder, W of the network,
H heads, M width of the language model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from clew.config import Settings
from clew.errors import ConfigError
from clew.graph.subgraph import Subgraph
from clew.learning.checkpoints import fill, load_weights, save_weights
from clew.learning.folders import read_record, write_record
from clew.methods.decompose.config import NetworkConfig
from clew.methods.decompose.hybrid import GraphVectors

HEADS = 4
RECORD = "network.json"


@dataclass(frozen=True, slots=True)
class GraphBatch:
    """Several graphs as one."""

    nodes: Tensor  # (N, D)
    edges: Tensor  # (E, D) vector of the relation
    sources: Tensor  # (E,)
    targets: Tensor  # (E,)
    owners: Tensor  # (N,) which graph an entity belongs to
    count: int  # B

    def to(self, device: torch.device | str) -> GraphBatch:
        return GraphBatch(
            self.nodes.to(device),
            self.edges.to(device),
            self.sources.to(device),
            self.targets.to(device),
            self.owners.to(device),
            self.count,
        )


def batch_graphs(graphs: Sequence[tuple[Subgraph, GraphVectors]]) -> GraphBatch:
    """The frozen vectors of some retrieved graphs, each with the vectors of the graph it was cut from."""
    sizes = np.array([graph.num_entities for graph, _ in graphs], np.int64)
    shift = np.concatenate(([0], np.cumsum(sizes)[:-1])) if len(sizes) else np.empty(0, np.int64)
    heads = [graph.heads.astype(np.int64) + at for (graph, _), at in zip(graphs, shift, strict=True)]
    tails = [graph.tails.astype(np.int64) + at for (graph, _), at in zip(graphs, shift, strict=True)]
    edges = [vectors.relations[graph.rels] for graph, vectors in graphs]
    return GraphBatch(
        torch.from_numpy(np.concatenate([vectors.of(graph) for graph, vectors in graphs])),
        torch.from_numpy(np.concatenate(edges + edges)),
        torch.from_numpy(np.concatenate(heads + tails)),
        torch.from_numpy(np.concatenate(tails + heads)),
        torch.from_numpy(np.repeat(np.arange(len(sizes)), sizes)),
        len(sizes),
    )


class GraphAttention(nn.Module):
    """One layer: every entity attends to its messages; a plain linear map of itself is added."""

    def __init__(self, width: int, edge_width: int) -> None:
        super().__init__()
        if width % HEADS:
            raise ConfigError(f"network.width = {width} is no multiple of {HEADS}, the heads of attention")
        self.each = width // HEADS
        self.query, self.key, self.value, self.skip = (nn.Linear(width, width) for _ in range(4))
        self.edge = nn.Linear(edge_width, width, bias=False)

    def forward(self, nodes: Tensor, batch: GraphBatch) -> Tensor:
        """(N, W) → (N, W)."""
        shape = (-1, HEADS, self.each)
        edge = self.edge(batch.edges).view(shape)  # (E, H, W/H)
        query = self.query(nodes).view(shape)[batch.targets]
        key = self.key(nodes).view(shape)[batch.sources] + edge
        value = self.value(nodes).view(shape)[batch.sources] + edge
        logits = (query * key).sum(-1) / self.each**0.5  # (E, H)
        # Softmax over the messages of each target, shifted by its largest logit.
        index = batch.targets[:, None].expand_as(logits)
        top = logits.new_full((len(nodes), HEADS), -torch.inf).scatter_reduce(0, index, logits, "amax")
        weights = (logits - top[batch.targets]).exp()
        total = torch.zeros_like(top).index_add(0, batch.targets, weights)
        weights = weights / total[batch.targets].clamp_min(1e-12)
        received = query.new_zeros(len(nodes), HEADS, self.each)
        received = received.index_add(0, batch.targets, weights[..., None] * value)
        mixed: Tensor = received.flatten(1) + self.skip(nodes)
        return mixed


class GraphEncoder(nn.Module):
    """A batch of graphs to (B, 1, M) soft prompts: one token stands for a graph."""

    def __init__(self, config: NetworkConfig, width: int, model_width: int) -> None:
        super().__init__()
        self.config, self.model_width = config, model_width
        self.enter = nn.Linear(width, config.width)
        self.layers = nn.ModuleList(GraphAttention(config.width, width) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.BatchNorm1d(config.width) for _ in range(config.layers - 1))
        self.project = nn.Sequential(
            nn.Linear(config.width, config.inner),
            nn.Sigmoid(),
            nn.Linear(config.inner, model_width),
        )

    def forward(self, batch: GraphBatch) -> Tensor:
        batch = batch.to(self.enter.weight.device)
        nodes = self.enter(batch.nodes)
        for i, layer in enumerate(self.layers):
            nodes = layer(nodes, batch)
            if i < len(self.norms):
                # Statistics of a single row do not exist; running ones serve it.
                norm = self.norms[i]
                nodes = torch.relu(norm(nodes) if len(nodes) > 1 or not norm.training else nodes)
        sums = nodes.new_zeros(batch.count, nodes.shape[1]).index_add(0, batch.owners, nodes)
        counts = torch.bincount(batch.owners, minlength=batch.count).clamp_min(1)
        projected: Tensor = self.project(sums / counts[:, None])
        return projected[:, None]


class EncoderRecord(Settings):
    """What `network.json` says of a graph encoder."""

    config: NetworkConfig
    width: int  # of the text encoder's vectors
    model_width: int
    language_model: str  # that it was trained against
    encoder: str


def save_network(folder: Path, network: GraphEncoder, record: EncoderRecord) -> None:
    """Write weights and what they were trained for."""
    folder.mkdir(parents=True, exist_ok=True)
    write_record(folder / RECORD, record, save_weights(folder / "weights.safetensors", network.state_dict()))


def load_network(folder: Path, device: str) -> tuple[GraphEncoder, EncoderRecord]:
    """The network and what it was trained for. Raises NotFoundError or FormatError."""
    record, digest = read_record(EncoderRecord, folder / RECORD)
    network = GraphEncoder(record.config, record.width, record.model_width)
    fill(network, load_weights(folder / "weights.safetensors", digest), str(folder))
    network.eval()
    return network.to(device), record
