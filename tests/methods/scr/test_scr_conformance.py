"""SCR under the suite that every method passes, with a model trained on the suite's own questions."""

from __future__ import annotations

from pathlib import Path

import pytest
from scr_films import TINY

from clew.config import merge, parse
from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.scr.config import Config, TrainConfig
from clew.methods.scr.train import train
from clew.protocols import Example, Tools, TrainRequest
from clew.settings import configure
from clew.testing.method import EXAMPLES, TRIPLES, MethodSuite
from clew.types import Gold, Question
from clew.workspace import Workspace

MORE = [
    Example(Question("e", "what is the currency of Germany?", ("Germany",)), Gold(("Euro",))),
    Example(Question("f", "which continent is Japan in?", ("Japan",)), Gold(("Asia",))),
    Example(Question("g", "which country is Paris the capital of?", ("Paris",)), Gold(("France",))),
]


class TestScr(MethodSuite):
    name = "scr"

    @pytest.fixture(scope="class")
    @classmethod
    def model(cls, tmp_path_factory: pytest.TempPathFactory) -> Path:
        out = tmp_path_factory.mktemp("conformance") / "model"
        graph = Graph.from_triples(TRIPLES, name="conformance")
        examples = [*EXAMPLES[:3], *MORE]
        flags = {
            "method": {"name": "scr"},
            "train": merge(TINY, {"fit": {"steps": 60, "evaluate_every": 60}, "batch": 6}),
        }
        space = Workspace(configure(flags=flags, environment={}), graph=graph, encoder=HashEncoder(256))
        return space.train(examples, examples, out).model


def test_train_is_what_the_workspace_calls(tmp_path: Path) -> None:
    config = parse(TrainConfig, merge(TINY, {"fit": {"steps": 2}}), "train")
    graph = Graph.from_triples(TRIPLES, name="conformance")
    tools = Tools(encoder=HashEncoder(64))
    result = train(TrainRequest(graph, EXAMPLES[:3], (), Config(), config, tools, tmp_path))
    assert result.model == tmp_path and set(result.metrics) == {"hits@1", "hit", "f1"}
    assert result.details["dev_questions"] == 1  # taken from the training questions
