"""The trained graph encoder at work: merged graphs to soft prompts. Loads torch only where there is one to load."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from clew.errors import ConfigError, NotFoundError
from clew.graph.subgraph import Subgraph
from clew.llm import require_abilities
from clew.methods.decompose.config import Config
from clew.methods.decompose.hybrid import Floats, GraphVectors
from clew.methods.decompose.roles import Role
from clew.protocols import Ability, TextEncoder

FOLDER = "graph_encoder"
SOFT: tuple[Ability, ...] = ("soft_prompt",)


class GraphPrompter:
    """Turns graphs into soft prompts with a trained network."""

    def __init__(self, network: Any) -> None:
        self._network = network

    def prompts(self, graphs: Sequence[tuple[Subgraph, GraphVectors]]) -> list[Floats]:
        """(graph_tokens, width of the language model) per graph."""
        import torch

        from clew.methods.decompose.network import batch_graphs

        if not graphs:
            return []
        with torch.inference_mode():
            made: list[Floats] = list(self._network(batch_graphs(graphs)).float().cpu().numpy())
        return made


def open_prompter(
    config: Config, model: Path | None, reader: Role | None, encoder: TextEncoder
) -> GraphPrompter | None:
    """The graph encoder in a trained folder, if it fits the model that gives the final answer.

    Raises:
        UnsupportedError: `graph_encoder = true` with a model that takes no soft prompt (a remote one).
        ConfigError, NotFoundError: it is required and there is none, or it was trained against another model.
    """
    if config.graph_encoder is False:
        return None
    required = config.graph_encoder is True
    if required and reader is None:
        raise ConfigError("method.graph_encoder = true needs a language model that takes soft prompts; none is set")
    if required and reader is not None:
        require_abilities(reader.model, SOFT, "method.graph_encoder = true")
    there = model is not None and (model / FOLDER / "weights.safetensors").is_file()
    if not there:
        if required:
            raise NotFoundError(
                "method.graph_encoder = true: no trained graph encoder; name a folder from `clew train decompose` "
                "with --model, or leave the setting out"
            )
        return None
    if reader is None or "soft_prompt" not in reader.model.abilities:
        return None  # text only, as with every remote model
    assert model is not None
    from clew.methods.decompose.network import load_network

    network, made_for = load_network(model / FOLDER, config.device)
    for what, own, theirs in (
        ("language model", reader.model.name, made_for.language_model),
        ("encoder", encoder.name, made_for.encoder),
    ):
        if own != theirs:
            message = f"{model / FOLDER}: trained for {what} {theirs!r}, this is {own!r}"
            if required:
                raise ConfigError(f"{message}; use that one, train again, or leave method.graph_encoder out")
            return None
    return GraphPrompter(network)
