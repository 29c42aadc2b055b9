"""Training invariants: it learns, repeats itself, resumes to the same bits, and says what it left out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from scr_films import Trainer

from clew.config import parse
from clew.encoding import HashEncoder
from clew.errors import ConfigError, FormatError, InputError, TrainingError
from clew.graph import Graph
from clew.learning.checkpoints import load_weights
from clew.methods.scr import sampling
from clew.methods.scr.config import Config, NetworkConfig, TrainConfig
from clew.methods.scr.method import Scr
from clew.methods.scr.model import WEIGHTS
from clew.protocols import Event, Example, Tools
from clew.types import Gold, Question
from films import film_triples


def test_it_overfits_a_few_questions(model_folder: Path) -> None:
    trained = json.loads((model_folder / "model.json").read_text())
    assert trained["hops"] == 2 and trained["graph"].startswith("films")
    curve = json.loads((model_folder / "curve.json").read_text())
    assert curve[-1]["loss"] < 0.3 < curve[0]["loss"]
    assert max(row.get("hits@1", 0) for row in curve) == 1.0
    assert "<svg" in (model_folder / "curve.svg").read_text()
    assert not (model_folder / "checkpoints").exists()


@pytest.mark.parametrize(
    "update",
    [
        {"network": {"gnn": "rgcn"}},
        {"network": {"gnn": "none"}},
        {"gold": "shortest", "returns": "none", "siblings": False},
    ],
    ids=["rgcn", "no graph network", "the paper's walks"],
)
def test_every_variant_learns(tmp_path: Path, trainer: Trainer, update: dict[str, Any]) -> None:
    assert trainer(tmp_path, update=update).metrics["hits@1"] >= 0.9


def test_it_learns_from_sampled_neighbours(tmp_path: Path, trainer: Trainer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sampling, "WHOLE", 0)
    assert trainer(tmp_path).metrics["hits@1"] >= 0.9


def test_without_the_edge_director_and_writer_cannot_be_told_apart(tmp_path: Path, trainer: Trainer) -> None:
    off = {"relation_aware": False, "message_relation": False}
    assert trainer(tmp_path, update={"network": off}).metrics["hits@1"] < 0.9


def test_same_seed_same_weights(tmp_path: Path, trainer: Trainer) -> None:
    update = {"fit": {"steps": 6}}
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        trainer(tmp_path / name, update=update, seed=seed)
    a, b, c = ((tmp_path / name / WEIGHTS).read_bytes() for name in "abc")
    assert a == b != c


SCRIPT = """
import os, sys
from pathlib import Path
sys.path[:0] = sys.argv[2].split(os.pathsep)
from films import film_examples, film_triples
from scr_films import TINY
from clew.config import merge, parse
from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.scr import sampling
from clew.methods.scr.config import Config, TrainConfig
from clew.methods.scr.train import train
from clew.protocols import Tools, TrainRequest
settings = merge(TINY, {"fit": {"steps": 40, "checkpoint_s": 0, "evaluate_every": 10}, "network": {"dropout": 0.2}})
config = parse(TrainConfig, settings, "train")
graph, examples = Graph.from_triples(film_triples(), name="films"), film_examples()
tools = Tools(encoder=HashEncoder(48))
train(TrainRequest(graph, examples, examples, Config(), config, tools, Path(sys.argv[1]), resume="resume" in sys.argv))
"""


@pytest.mark.slow  # three processes that import torch
def test_killed_and_resumed_equals_uninterrupted(tmp_path: Path) -> None:
    here = Path(__file__).resolve().parent
    roots = os.pathsep.join(map(str, (here, here.parents[1])))
    (tmp_path / "go.py").write_text(SCRIPT)

    def start(out: str, *more: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, str(tmp_path / "go.py"), str(tmp_path / out), roots, *more])

    whole = start("whole")
    cut = start("cut")
    deadline = time.monotonic() + 60
    while not list((tmp_path / "cut" / "checkpoints").glob("step-*")) and time.monotonic() < deadline:
        time.sleep(0.01)
    cut.send_signal(signal.SIGKILL)
    assert cut.wait() == -signal.SIGKILL and not (tmp_path / "cut" / "model.json").exists()
    assert start("cut", "resume").wait() == 0 and whole.wait() == 0
    assert (tmp_path / "whole" / WEIGHTS).read_bytes() == (tmp_path / "cut" / WEIGHTS).read_bytes()
    assert (tmp_path / "whole" / "model.json").read_text() == (tmp_path / "cut" / "model.json").read_text()


def test_bad_questions_are_counted_and_named(tmp_path: Path, trainer: Trainer, examples: list[Example]) -> None:
    bad = [
        Example(Question("t", "who directed nothing", ("no such film",)), Gold(("person 1",))),
        Example(Question("a", "who directed film 1", ("film 1",)), Gold(("nobody",))),
        Example(Question("n", "who directed film 2?", ("film 2",)), Gold(())),
        Example(Question("p", "what follows", ("1990",)), Gold(("alone",))),
        examples[0],
    ]
    graph = Graph.from_triples([*film_triples(), ("alone", "near", "lonely")], name="films")
    trainer(tmp_path, update={"fit": {"steps": 2}}, examples=[*examples, *bad], graph=graph)
    report = json.loads((tmp_path / "mining.json").read_text())
    assert report["left out"] == {
        "unknown topic": ["t"],
        "unknown answers": ["a"],
        "no answers": ["n"],
        "duplicate": [examples[0].question.id],
    }
    assert report["without a path"] == ["p"]


@pytest.mark.parametrize(("included", "expected"), [(1, False), (12, True)])
def test_topics_answer_where_they_mostly_do(tmp_path: Path, trainer: Trainer, included: int, expected: bool) -> None:
    rows: list[tuple[str, str, str]] = []
    examples = []
    for i in range(12):
        rows += [
            (f"film {i}", "written by", f"w{i}"),
            (f"film {i}", "directed by", f"w{i}"),
            (f"film {i}", "directed by", f"d{i}"),
        ]
        gold = (f"d{i}", f"w{i}") if i < included else (f"d{i}",)
        examples.append(
            Example(Question(f"q{i}", f"who directed the films that w{i} wrote", (f"w{i}",)), Gold(gold, gold))
        )
    graph = Graph.from_triples(rows, name="credits")
    trainer(tmp_path, graph=graph, examples=examples, dev=examples, update={"fit": {"steps": 2}})
    assert json.loads((tmp_path / "model.json").read_text())["topics_answer"] is expected


def test_nothing_to_learn_from_is_an_error(tmp_path: Path, trainer: Trainer) -> None:
    with pytest.raises(TrainingError, match=r"no question has a path.*ids or labels of this graph"):
        trainer(tmp_path, examples=[Example(Question("q", "what", ("film 1",)), Gold(("nobody",)))])


def test_a_loss_that_is_no_number_stops(tmp_path: Path, trainer: Trainer) -> None:
    with pytest.raises(TrainingError, match="smaller lr"):
        trainer(tmp_path, update={"fit": {"lr": 1e30, "warmup": 0.0}})
    assert not (tmp_path / "model.json").exists()


def test_a_model_for_another_encoder_is_refused(model_folder: Path) -> None:
    with pytest.raises(InputError, match=r"trained with the encoder 'hash-48' \(48 dimensions\), not 'hash-64'"):
        Scr(Config(), Tools(encoder=HashEncoder(64), model=model_folder))


@pytest.mark.parametrize("file", [WEIGHTS, "model.json"])
def test_a_model_cut_short_is_refused(model_folder: Path, tmp_path: Path, encoder: HashEncoder, file: str) -> None:
    for path in model_folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / file).write_bytes((tmp_path / file).read_bytes()[:-40])
    with pytest.raises(FormatError, match="cut short"):
        Scr(Config(), Tools(encoder=encoder, model=tmp_path))


def test_a_graph_of_other_relations_is_warned_about_or_refused(
    model_folder: Path, tmp_path: Path, encoder: HashEncoder, trainer: Trainer
) -> None:
    other = Graph.from_triples(
        [("film 1", "painted_by", "person 1"), ("person 1", "born_in", "1990")], name="paintings"
    )
    question = Question("q", "who painted film 1", ("film 1",))
    events: list[Event] = []
    Scr(Config(), Tools(encoder=encoder, model=model_folder)).answer(question, other, on_event=events.append)
    assert any(e.stage == "warning" and "2 of this graph's 2 relations were not there" in e.message for e in events)
    trainer(tmp_path, update={"network": {"gnn": "rgcn"}, "fit": {"steps": 2}})
    with pytest.raises(InputError, match="has parameters for its relations"):
        Scr(Config(), Tools(encoder=encoder, model=tmp_path)).answer(question, other)


def test_the_paper_preset_sets_what_the_paper_says() -> None:
    paper = parse(TrainConfig, {"preset": "paper", "batch": 3}, "train")
    assert (paper.network.relation_aware, paper.network.layers, paper.network.question) == (False, 3, "bert")
    assert (paper.gold, paper.returns, paper.siblings, paper.batch) == ("shortest", "none", False, 3)
    # What the paper names: ten hops, Eq. 13 and 14 as they stand, every neighbour a candidate, nothing fitted on dev.
    assert (paper.as_printed, paper.conjunction) == (True, 0.0)
    assert (Config().threshold, Config().beam) == (0.02, 10)
    assert (paper.network.message_relation, paper.network.width) == (False, 0)
    with pytest.raises(ConfigError, match="nearest: 'batch'"):
        parse(TrainConfig, {"batc": 3}, "train")
    # What an earlier version wrote down is read where it says what is now a constant.
    assert parse(TrainConfig, {"fanout": [8, 6, 4], "network": {"heads": 1}}, "train") == TrainConfig()
    with pytest.raises(ConfigError, match="train: network: heads = 2 is no setting any more: it is always 1"):
        parse(TrainConfig, {"network": {"heads": 2}}, "train")
    assert NetworkConfig().relation_aware


def test_saved_halves_are_what_answers(model_folder: Path) -> None:
    weights = load_weights(model_folder / WEIGHTS)
    assert all(t.dtype == torch.float16 for t in weights.values() if t.is_floating_point())
