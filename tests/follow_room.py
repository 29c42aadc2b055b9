"""A small real method for tests of what surrounds methods: follows the relation whose name stands in the question."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from typing import ClassVar

from clew.config import Settings
from clew.errors import InputError
from clew.graph import Graph
from clew.protocols import (
    GraphStore,
    MethodCard,
    Needs,
    OnEvent,
    Tools,
    TrainRequest,
    TrainResult,
    ignore,
)
from clew.types import Answer, Candidate, Event, Evidence, Hop, Path, Question, Topic


class Config(Settings):
    score: float = 0.5
    seconds: float = 0.0
    refuse: str = ""
    seed: int = 0


class TrainConfig(Settings):
    epochs: int = 2


class Follow:
    """Topic given or named in the question; one hop along the relation named in the question."""

    name: ClassVar[str] = "follow"

    def __init__(self, config: Config, tools: Tools) -> None:
        self.config, self.tools = config, tools

    def answer(self, question: Question, graph: GraphStore, *, on_event: OnEvent = ignore) -> Answer:
        if self.config.refuse and self.config.refuse in question.text:
            raise InputError(f"refused {question.text!r}")
        time.sleep(self.config.seconds)
        topics = [
            found for name in question.topics or _names(question.text, graph) for found in graph.find(name, limit=1)
        ]
        on_event(Event("link", f"{len(topics)} topics"))
        paths: list[Path] = []
        for entity, _ in topics:
            named = (t for t in graph.neighbors([entity.id]) if t.relation.label in question.text)
            paths += [Path(entity, (Hop(t, t.head.id == entity.id),), self.config.score) for t in named]
        ends = {path.end.id: path.end for path in paths}
        candidates = tuple(
            Candidate(end.label, self.config.score, end, tuple(i for i, p in enumerate(paths) if p.end.id == id))
            for id, end in ends.items()
        )
        return Answer(
            question,
            self.name,
            candidates,
            Evidence(tuple(paths)),
            tuple(Topic(entity, score, entity.label, "given") for entity, score in topics),
            note="" if candidates else "no relation of a topic is named in the question",
            seconds={"follow": self.config.seconds},
        )

    def predict(self, questions: Sequence[Question], graph: GraphStore, *, on_event: OnEvent = ignore) -> list[Answer]:
        return [self.answer(question, graph, on_event=on_event) for question in questions]


def opened(path: str, **settings: str) -> tuple[Callable[..., list[Answer]], GraphStore]:
    """The method and its graph, as a worker process opens them."""
    return Follow(Config.model_validate(settings), Tools()).predict, Graph.open(path)


def _names(text: str, graph: GraphStore) -> list[str]:
    words = text.strip("?").split()
    return [word for word in words if word[:1].isupper() and graph.find(word, limit=1)]


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    for step in range(request.train_config.epochs):
        on_event(Event("train", "step", {"step": step + 1, "steps": request.train_config.epochs, "loss": 0.1}))
    (request.out / "weights.json").write_text(json.dumps({"seen": len(request.examples), "seed": request.seed}))
    return TrainResult(request.out, {"hits@1": 1.0}, {"train": 0.0}, {"dev": len(request.dev)})


CARDS = (
    MethodCard("follow", "follows a relation named in the question", "", Needs(model="optional"), "follow_room:Follow",
               "follow_room:Config", "follow_room:train", "follow_room:TrainConfig"),
    MethodCard("talk", "needs a language model", "", Needs(language_model="required", abilities=frozenset({"beams"})),
               "follow_room:Follow", "follow_room:Config"),
    MethodCard("weights", "needs a trained model", "", Needs(encoder="required", model="required"),
               "follow_room:Follow", "follow_room:Config", "follow_room:train", "follow_room:TrainConfig"),
)  # fmt: skip
