"""What the stages of a training share: the questions, the graph, and the method with what has been trained so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from clew.errors import InputError
from clew.learning.training import Training
from clew.methods.decompose.compositions import Known, answer_set, gold_path
from clew.methods.decompose.config import Config, TrainConfig
from clew.methods.decompose.evidence_paths import anchors
from clew.methods.decompose.method import Decompose
from clew.methods.decompose.roles import DECOMPOSER, READER
from clew.methods.decompose.soft import FOLDER
from clew.methods.decompose.work import Seen, Work, plain
from clew.paths.examples import NO_PATH, arrays_of
from clew.protocols import Example, OnEvent, Tools, TrainRequest

GATHERED = 32  # questions that are retrieved for together


class DecomposeTraining(Training):
    """What every stage works with.

    Raises UnsupportedError for a graph whose triples are not at hand, InputError without a question or a stage.
    """

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        self.settings: TrainConfig = request.train_config or TrainConfig()
        small = self.settings.decomposer.enabled + self.settings.reader.enabled
        super().__init__(
            request,
            on_event,
            small + self.settings.encoder,
            needs=("trl",) if small else (),
            made=(DECOMPOSER, READER, FOLDER),
        )
        self.graph = arrays_of(request.graph)
        self.metrics: dict[str, float] = {}
        if not self.examples:
            raise InputError("training decompose: no training questions; name some with --questions")
        if not small and not self.settings.encoder:
            raise InputError("training decompose: every stage is switched off; nothing to do")
        self.hold_out(self.settings.dev_share)

    def method(self, **changes: Any) -> Decompose:
        """The method with what has been trained so far."""
        tools = self.request.tools
        config: Config = self.request.config.model_copy(update={"graph_encoder": False, **changes})
        return Decompose(config, Tools(tools.encoder, tools.language_model, self.request.out, tools.link, tools.cache))

    def view(self, method: Decompose) -> Seen:
        """The graph as the method sees it whole."""
        return method.view(self.request.graph, ())

    def lessons(
        self, method: Decompose, examples: Sequence[Example], *, gather: bool = True
    ) -> Iterator[tuple[Work, Example, Known]]:
        """The examples that name an entity and whose answers a path leads to, with their merged graphs if these are to
        be gathered. The others are counted, those of an earlier call no more."""
        self.left = {}
        for at in range(0, len(examples), GATHERED):
            part = [(method.start(e.question, self.request.graph), e) for e in examples[at : at + GATHERED]]
            works = [work for work, _ in part if isinstance(work, Work) and work.topics]
            if gather:
                method.gather(works)
                method.merge(works)
            for work, example in part:
                if not isinstance(work, Work) or not work.topics:
                    self.leave_out({"unknown topic": [example.question.id]})
                elif (known := self._known(work, example)) is None:
                    self.leave_out({NO_PATH: [example.question.id]})
                else:
                    yield work, example, known
            if gather and at % (8 * GATHERED) == 0:
                done = min(at + GATHERED, len(examples))
                self.tell(f"{done} of {len(examples)} questions retrieved", step=at, steps=len(examples))

    def _known(self, work: Work, example: Example) -> Known | None:
        """The question with its gold steps, or None where the graph holds none."""
        starts = anchors(self.graph, [topic.entity for topic in work.topics])
        similarity = partial(work.seen.judge.similarity, question=plain(work.masked.text))
        language = work.seen.language
        steps = gold_path(language, starts, example.gold, self.request.config.hops, similarity)
        return Known(work.masked.text, starts, steps, answer_set(language.index, example.gold)) if steps else None
