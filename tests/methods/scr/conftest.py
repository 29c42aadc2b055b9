"""The films as fixtures, and a model trained on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs clew[models]")

from scr_films import TINY, Trainer

from clew.config import merge, parse
from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.scr.config import Config, TrainConfig
from clew.methods.scr.train import train
from clew.protocols import Example, Tools, TrainRequest, TrainResult
from films import film_examples, film_triples


@pytest.fixture(scope="session")
def films() -> Graph:
    return Graph.from_triples(film_triples(), name="films")


@pytest.fixture(scope="session")
def examples() -> list[Example]:
    return film_examples()


@pytest.fixture(scope="session")
def encoder() -> HashEncoder:
    return HashEncoder(48)


@pytest.fixture(scope="session")
def trainer(films: Graph, examples: list[Example], encoder: HashEncoder) -> Trainer:
    """Train into a folder; keyword `update` changes TrainConfig, others the request."""

    def run(out: Path, *, update: dict[str, Any] | None = None, **request: Any) -> TrainResult:
        settings = merge(merge(TINY, {"fit": {"steps": 60}}), update or {})
        values: dict[str, Any] = {
            "graph": films,
            "examples": examples,
            "dev": examples,
            "config": Config(),
            "tools": Tools(encoder=encoder),
            **request,
        }
        return train(TrainRequest(out=out, train_config=parse(TrainConfig, settings, "train"), **values))

    return run


@pytest.fixture(scope="session")
def model_folder(trainer: Trainer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that knows the films."""
    out = tmp_path_factory.mktemp("scr") / "model"
    trainer(out, update={"fit": {"steps": 120}})
    return out
