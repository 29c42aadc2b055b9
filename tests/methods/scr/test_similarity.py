"""The encoder's second opinion on walks: it moves probability between relation paths and nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from scr_films import Trainer

from clew.encoding import HashEncoder
from clew.graph import Graph
from clew.methods.scr.config import Config
from clew.methods.scr.method import Scr
from clew.methods.scr.model import GraphView, load_model
from clew.methods.scr.network import CandidateTables
from clew.methods.scr.search import FinishedWalk
from clew.methods.scr.similarity import similarity, weigh
from clew.protocols import Example, Tools
from clew.types import Question


def view_of(graph: Graph) -> GraphView:
    nothing = torch.zeros(0)
    return GraphView(graph.whole, np.zeros((0, 0), np.float32), nothing, CandidateTables(nothing, nothing, nothing))


def test_similarity_is_the_cosine_of_path_and_question() -> None:
    graph = Graph.from_triples([("a", "place_of_birth", "b"), ("b", "country", "c")])
    birth, country = (
        next(r for r in range(2) if graph.whole.relation(r).id == name) for name in ("place_of_birth", "country")
    )
    encoder, seen = HashEncoder(64), view_of(graph)
    walks = [
        FinishedWalk(0, (0,), (), (), 0.1, 0.1),
        FinishedWalk(0, (0, 1), (birth,), (0,), 0.4, 0.4),
        FinishedWalk(1, (0, 1, 2), (birth, country), (0, 1), 0.5, 0.5),
    ]
    found = similarity(seen, encoder, walks, ["place of birth of this", "country of birth"], [0, 1])
    questions = encoder.encode(["place of birth of this", "country of birth"], role="query")
    paths = encoder.encode(["place of birth", "place of birth , country"])
    assert found == pytest.approx([0.0, questions[0] @ paths[0], questions[1] @ paths[1]], abs=1e-6)
    assert not similarity(seen, encoder, walks, ["one", "and the other"], [7, 7]).any()  # two topics of one question


def test_weighing_moves_probability_between_paths_only() -> None:
    stay = FinishedWalk(0, (0,), (), (), 0.2, 0.2)
    walks = [
        stay,
        FinishedWalk(0, (0, 1), (1,), (0,), 0.2, 0.5),
        FinishedWalk(0, (0, 2), (1,), (1,), 0.3, 0.5),
        FinishedWalk(0, (0, 3), (2,), (2,), 0.3, 0.3),
    ]
    similarities = np.array([0.0, 0.1, 0.1, 0.6])
    assert weigh(walks, similarities, 0.0) == walks and weigh([stay], similarities[:1], 4.0) == [stay]
    weighed = weigh(walks, similarities, 4.0)
    assert weighed[0] == stay
    assert weighed[1].path_probability + weighed[3].path_probability == pytest.approx(0.8)
    assert weighed[3].path_probability / weighed[1].path_probability == pytest.approx(0.3 / 0.5 * np.exp(4 * 0.5))
    # Walks of one path keep their order and their shares of it.
    assert weighed[1].probability / weighed[2].probability == pytest.approx(2 / 3)
    assert [replace(w, probability=0, path_probability=0) for w in weighed] == [
        replace(w, probability=0, path_probability=0) for w in walks
    ]


def test_the_weight_is_learned_told_and_can_be_set(
    tmp_path: Path, trainer: Trainer, films: Graph, examples: list[Example], encoder: HashEncoder
) -> None:
    trainer(tmp_path / "model", config=Config(similarity_weight=3.0), update={"fit": {"steps": 2}})
    assert json.loads((tmp_path / "model" / "model.json").read_text())["calibration"]["similarity_weight"] == 3.0
    tools = Tools(encoder=encoder, model=tmp_path / "model")
    question = examples[0].question
    learned = Scr(Config(), tools).answer(question, films)
    same = Scr(Config(similarity_weight=3.0), tools).answer(question, films)
    off = Scr(Config(similarity_weight=0.0), tools).answer(question, films)
    scores = [[path.score for path in answer.evidence.paths] for answer in (learned, same, off)]
    assert scores[0] == scores[1] != scores[2]


def test_a_question_with_several_topics_is_not_weighed(
    model_folder: Path, films: Graph, examples: list[Example], encoder: HashEncoder
) -> None:
    assert load_model(model_folder, encoder).trained.calibration.similarity_weight == 0.0  # it needs no second opinion
    tools = Tools(encoder=encoder, model=model_folder)
    names = tuple(dict.fromkeys(topic for example in examples for topic in example.question.topics))[:2]
    question = Question("two", "films by these two", names)
    answers = [Scr(Config(similarity_weight=weight), tools).answer(question, films) for weight in (0.0, 9.0)]
    assert [c.score for c in answers[0].candidates] == [c.score for c in answers[1].candidates]
