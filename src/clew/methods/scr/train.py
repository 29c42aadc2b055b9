"""Training SCR: mine gold walks, encode the frozen texts, fit the network, calibrate, write the model's folder.

Read from the bottom: `train` is the list of stages. Validation runs the very search that answers questions.
"""

from __future__ import annotations

import math
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from clew.errors import InputError
from clew.learning.fitting import FitConfig
from clew.learning.loop import fit
from clew.learning.losses import info_nce
from clew.learning.training import Training
from clew.methods.scr.asking import settle
from clew.methods.scr.calibration import fitted, measure, results_of, search_dev
from clew.methods.scr.config import TrainConfig
from clew.methods.scr.features import (
    Floats,
    QuestionStates,
    entity_vectors,
    question_states,
    relation_vectors,
    token_kind,
)
from clew.methods.scr.gold import STAY, TopicGold, TopicQuestion, gold_walks, masked_questions
from clew.methods.scr.model import (
    ScrCalibration,
    ScrModel,
    Trained,
    encoder_folder,
    relation_names,
    save_model,
)
from clew.methods.scr.network import MAX_STEPS, BertReader, StepwiseNetwork
from clew.methods.scr.reading import QuestionReading, StateReading, TextReading
from clew.methods.scr.sampling import Batch, BatchSampler, Item
from clew.paths.examples import NO_PATH, EntityIndex, arrays_of, training_graph
from clew.paths.gold import GoldLimits
from clew.paths.walks import Int, follow
from clew.protocols import OnEvent, TrainRequest, TrainResult, ignore

RETURNING = 500  # training questions that are looked at for whether topics answer
VALIDATED, CALIBRATED = 300, 1000  # dev questions of an evaluation, and of the calibration at the end
HUB, EVERYTHING = 600, 1_000_000_000  # mining passes through no entity with more triples; the paper's through any
MAX_STATES = 300_000  # partial paths of one question in mining
PAPER_HOPS = 10  # of a walk
HUB_LIMIT = 4000  # candidates of a step that are scored in the search


@dataclass(frozen=True, slots=True)
class MinedWalks:
    """What can be learned from questions, and those that judge."""

    dev: list[TopicQuestion]
    texts: list[str]  # that items have; a text's place is its row
    items: list[Item]
    topics_answer: bool

    @property
    def hops(self) -> int:
        """Of the longest gold walk."""
        return max((len(walks.codes) for item in self.items for walks in item.gold), default=1)


def loss_of(
    network: StepwiseNetwork,
    batch: Batch,
    reading: Callable[[Int], QuestionReading],
    vectors: Floats,
    relations: Tensor,
    *,
    compete: bool,
) -> Tensor:
    """InfoNCE of one batch (Eq. 10)."""
    device = relations.device
    edges = [layer.to(device) for layer in batch.edges]
    encoded = network.encode_graph(torch.from_numpy(vectors[batch.nodes]).to(device), edges, relations)
    tables = network.tables(encoded, relations)
    b = len(batch.texts)
    queries = reading(batch.texts).every_step(np.arange(b), batch.entities, batch.codes)
    queries = queries[batch.walk.to(device), batch.step.to(device)]
    scores = network.scores(queries, tables, batch.candidates.to(device), batch.candidate_codes.to(device))
    scores = scores + batch.weights.to(device)
    return info_nce(scores, batch.positive.to(device), batch.real.to(device), others=compete)


class ScrTraining(Training):
    """The stages over one request."""

    def __init__(self, request: TrainRequest, on_event: OnEvent) -> None:
        if request.tools.encoder is None:
            raise InputError("training scr needs a text encoder")
        made = ("checkpoints", "best.safetensors")
        super().__init__(request, on_event, 4, needs=("torch", "safetensors"), made=made)
        self.encoder = request.tools.encoder
        config: TrainConfig = request.train_config or TrainConfig()
        if config.network.width == 0:
            config = config.model_copy(
                update={"network": config.network.model_copy(update={"width": self.encoder.dim})}
            )
        if config.network.question == "bert" and config.network.width != self.encoder.dim:
            raise InputError(
                f"train.network.width = {config.network.width}: a bert question encoder needs {self.encoder.dim}"
            )
        if config.hops >= MAX_STEPS:
            raise InputError(f"train.hops = {config.hops}: at most {MAX_STEPS - 1}")
        self.config = config
        # What is calibrated are the walks' own answers, whether or not a language model reads them later.
        self.asked = request.config.model_copy(update={"reader": False})
        source = training_graph(self.examples, request.graph)
        self.graph, self.graph_name = arrays_of(source), source.name
        self.home = encoder_folder(config.network, self.encoder.name)
        self.hold_out(config.dev_share)

    def mine(self) -> MinedWalks:
        """Gold walks of every topic of every question."""
        index, mask = EntityIndex(self.graph), self.config.mask_topics
        questions, left = masked_questions(self.examples, index, mask=mask)
        self.leave_out(left)
        dev, _ = masked_questions(self.dev, index, mask=mask)
        topics_answer = self._topics_answer(questions)
        texts: dict[str, int] = {}
        items: list[Item] = []
        cut = 0
        for question in questions:
            before = len(items)
            # A walk without a step is learned where it is the paper's, or where there is no answer.
            may_stay = self.config.gold == "shortest" or not len(question.answers)
            golds = self._gold(question, topics_answer)
            for topic, text, gold in zip(question.topics, question.texts, golds, strict=True):
                cut += gold.cut
                walks = tuple(walks for walks in gold.walks if walks.codes or may_stay)
                if walks:
                    items.append(Item(texts.setdefault(text, len(texts)), topic, walks, question.answers))
            if len(items) == before:
                self.leave_out({NO_PATH: [question.source.example.question.id]})
        hops = Counter(str(len(walks.codes)) for item in items for walks in item.gold[:1])
        report = {"items": len(items), "topics whose search was cut": cut, "hops": dict(sorted(hops.items()))}
        self.tell_mined(len(items), "walks to learn", len(questions), report)
        self.details["dev_questions"] = len(dev)
        return MinedWalks(dev, list(texts), items, topics_answer)

    def _gold(self, question: TopicQuestion, topics_answer: bool) -> list[TopicGold]:
        """The gold walks of each topic."""
        config = self.config
        if not len(question.answers):
            return [TopicGold((STAY,) if config.network.multi_step else (), False) for _ in question.topics]
        return gold_walks(
            self.graph,
            question.topics,
            question.answers,
            GoldLimits(config.hops, EVERYTHING if config.as_printed else HUB, MAX_STATES),
            mode=config.gold,
            topics_answer=topics_answer,
            stated=question.source.stated,
        )

    def _topics_answer(self, questions: Sequence[TopicQuestion]) -> bool:
        """Whether a topic that a gold walk leads back to is an answer more often than not.

        Data sets differ: the directors of the films that John Hughes wrote include him, or are the others.
        """
        if self.config.returns == "none":
            return True  # no walk comes back to its topic, and another topic is an entity as any other (paper)
        if not any(topic in q.answers for q in questions for topic in q.topics):
            return False
        yes = no = 0
        for question in self.sample(questions, RETURNING, 2):
            if any(topic in question.answers for topic in question.topics):
                yes += 1
                continue
            for topic, gold in zip(question.topics, self._gold(question, False), strict=True):
                paths = [walks.codes for walks in gold.walks if walks.codes]
                no += any(topic in follow(self.graph, topic, codes)[0][-1].targets for codes in paths)
        return yes >= no

    def encode(self, mined: MinedWalks) -> tuple[Floats, QuestionStates | None]:
        """Frozen vectors of the graph's entities, and of the questions' tokens where the network reads those."""
        reads_states = self.config.network.question == "states"
        states = question_states(self.encoder, mined.texts) if reads_states else None
        return entity_vectors(self.graph, self.encoder), states

    def fit(self, mined: MinedWalks, vectors: Floats, states: QuestionStates | None) -> StepwiseNetwork:
        """The network with its best weights."""
        config, request, graph = self.config, self.request, self.graph
        torch.manual_seed(request.seed)
        network = StepwiseNetwork(config.network, self.encoder.dim, graph.num_relations, self.home)
        if self.home is not None and isinstance(network.question, BertReader):
            network.question.start_from(self.home)
        network.to(config.device)
        relations = torch.from_numpy(relation_vectors(graph, self.encoder)).to(config.device)
        sampler = BatchSampler(graph, mined.items, config, len(network.layers), request.seed)
        dev = self.sample(mined.dev, VALIDATED, 2)
        start = ScrCalibration(cut=0.0) if config.as_printed else ScrCalibration()
        model = ScrModel(network, self.trained(mined, start), "", self.home)
        settings = settle(self.asked, model)

        def reading(rows: Int) -> QuestionReading:
            if states is not None:
                return StateReading(network, states, rows, vectors, relations)
            assert self.home is not None
            return TextReading(network, self.home, [mined.texts[row] for row in rows], graph, relations.device)

        def evaluate() -> dict[str, float]:
            searched = search_dev(model, self.encoder, settings, graph, vectors, dev)
            return measure(results_of(settings, graph, searched, self.asked.similarity_weight or 0.0), start.cut)

        progress = fit(
            network,
            sampler,
            lambda batch: loss_of(network, batch, reading, vectors, relations, compete=not config.as_printed),
            request.out,
            self._fit_config(len(mined.items)),
            evaluate=evaluate,
            resume=request.resume,
            seed=request.seed,
            on_event=self.on_event,
        )
        self.details["best_step"], self.details["steps"] = progress.best_step, len(progress.curve)
        self.details["parameters"] = sum(p.numel() for p in network.parameters() if p.requires_grad)
        return network

    def _fit_config(self, items: int) -> FitConfig:
        """The loop's settings with `epochs` turned into steps."""
        config = self.config
        if config.epochs is None:
            return config.fit
        steps = max(1, math.ceil(config.epochs * items / (config.batch * config.fit.accumulate)))
        return config.fit.model_copy(update={"steps": steps})

    def trained(self, mined: MinedWalks, calibration: ScrCalibration) -> Trained:
        config = self.config
        return Trained(
            network=config.network,
            encoder=self.encoder.name,
            encoder_width=self.encoder.dim,
            tokens=token_kind(self.encoder),
            hops=PAPER_HOPS if config.as_printed else mined.hops,
            returns=config.returns,
            siblings=config.siblings,
            mask_topics=config.mask_topics,
            topics_answer=mined.topics_answer,
            conjunction=config.conjunction,
            hub_limit=None if config.as_printed else HUB_LIMIT,
            graph=self.graph_name,
            relations=relation_names(self.graph),
            calibration=calibration,
        )

    def finish(self, mined: MinedWalks, vectors: Floats, network: StepwiseNetwork) -> dict[str, float]:
        """Calibrate the best weights on the dev set, write the folder, and return the metrics."""
        out, half = self.request.out, not self.config.as_printed
        if half:  # judged as they are kept
            network.half().float()
        model = ScrModel(network, self.trained(mined, ScrCalibration()), "", self.home)
        settings = settle(self.asked, model)
        weight = 0.0 if self.config.as_printed else self.asked.similarity_weight
        dev = self.sample(mined.dev, CALIBRATED, 2)
        searched = search_dev(
            model, self.encoder, settings, self.graph, vectors, dev, similarities=weight is None or weight > 0
        )
        if self.config.as_printed:
            calibration = ScrCalibration(cut=0.0)
            metrics = measure(results_of(settings, self.graph, searched, 0.0), 0.0)
        else:
            metrics, calibration = fitted(settings, self.graph, searched, weight)
        save_model(out, network, self.trained(mined, calibration), half=half)
        (out / "best.safetensors").unlink()
        shutil.rmtree(out / "checkpoints", ignore_errors=True)
        return metrics


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Train a model for `request.graph` from `request.examples`.

    Raises TrainingError when no question has a path to an answer or the loss is no number, InputError for impossible
    settings. What was left out and why stands in `mining.json` beside the model.
    """
    work = ScrTraining(request, on_event)
    mined = work.run("mine gold walks", work.mine)
    vectors, states = work.run("encode texts", work.encode, mined)
    network = work.run("fit the network", work.fit, mined, vectors, states)
    return work.result(work.run("calibrate and write", work.finish, mined, vectors, network))
