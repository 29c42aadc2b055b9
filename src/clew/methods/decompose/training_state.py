"""What the stages of a training share: the questions, the graph, and the method with what has been trained so far."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from clew.errors import InputError, UnsupportedError
from clew.graph import Subgraph, has_arrays
from clew.methods.decompose.compositions import (
    Known,
    answer_set,
    gold_path,
)
from clew.methods.decompose.config import Config, TrainConfig
from clew.methods.decompose.evidence_paths import anchors
from clew.methods.decompose.method import Decompose
from clew.methods.decompose.work import Seen, Work, plain
from clew.protocols import Example, OnEvent, Tools, TrainRequest
from clew.types import Event, Gold

GATHERED = 32  # questions that are retrieved for together


def drawn(request: TrainRequest, examples: Sequence[Example], count: int, salt: int) -> list[Example]:
    """A sample in a fixed order, the same for the same seed."""
    order = np.random.default_rng((request.seed, salt)).permutation(len(examples))[:count]
    return [examples[i] for i in order.tolist()]


@dataclass(frozen=True)
class TrainingState:
    """What every stage works with, and what all of them tell."""

    request: TrainRequest
    on_event: OnEvent
    settings: TrainConfig
    graph: Subgraph
    train: tuple[Example, ...]
    dev: tuple[Example, ...]
    metrics: dict[str, float] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, request: TrainRequest, on_event: OnEvent) -> TrainingState:
        """The questions; without a dev set a share of the training questions stands in.

        Raises UnsupportedError for a graph whose triples are not at hand, InputError without a question.
        """
        store, settings = request.graph, request.train_config or TrainConfig()
        if not has_arrays(store):
            raise UnsupportedError(f"training decompose needs an embedded graph; build one from {store.name!r}")
        train, dev = list(request.examples), list(request.dev)
        if not train:
            raise InputError("training decompose: no training questions; name some with --questions")
        if not dev:
            shuffled = drawn(request, train, len(train), 0)
            held = max(1, round(settings.dev_share * len(shuffled)))
            dev, train = shuffled[:held], shuffled[held:] or shuffled[:held]
        return cls(request, on_event, settings, store.as_subgraph, tuple(train), tuple(dev))

    def method(self, **changes: Any) -> Decompose:
        """The method with what has been trained so far."""
        tools = self.request.tools
        config: Config = self.request.config.model_copy(update={"graph_encoder": False, **changes})
        return Decompose(config, Tools(tools.encoder, tools.language_model, self.request.out, tools.link, tools.cache))

    def draw(self, examples: Sequence[Example], count: int, salt: int) -> list[Example]:
        """A sample in a fixed order, the same for the same seed."""
        return drawn(self.request, examples, count, salt)

    def works(self, method: Decompose, examples: Sequence[Example]) -> list[tuple[Work, Example]]:
        """Examples whose question names an entity, ready for the stages of the method."""
        started = [(method.start(example.question, self.request.graph), example) for example in examples]
        return [(work, example) for work, example in started if isinstance(work, Work) and work.topics]

    def view(self, method: Decompose) -> Seen:
        """The graph as the method sees it whole."""
        return method.view(self.request.graph, ())

    def known(self, work: Work, gold: Gold) -> Known | None:
        """The question with its gold steps, or None where the graph holds none."""
        starts = anchors(self.graph, [topic.entity for topic in work.topics])
        similarity = partial(work.seen.judge.similarity, question=plain(work.masked.text))
        language = work.seen.language
        steps = gold_path(language, starts, gold, self.request.config.hops, similarity)
        return Known(work.masked.text, starts, steps, answer_set(language.index, gold)) if steps else None


def gathered(
    state: TrainingState, method: Decompose, examples: Sequence[Example]
) -> Iterable[tuple[Work, Example, Known]]:
    """Examples with their merged graphs, some at a time."""
    for at in range(0, len(examples), GATHERED):
        part = state.works(method, examples[at : at + GATHERED])
        method.gather([work for work, _ in part])
        method.merge([work for work, _ in part])
        for work, example in part:
            known = state.known(work, example.gold)
            if known is not None:
                yield work, example, known
        if at % (8 * GATHERED) == 0:
            message = f"{min(at + GATHERED, len(examples))} of {len(examples)} questions retrieved"
            state.on_event(Event("train", message, {"step": at, "steps": len(examples)}))
