"""Training SCR: mine gold walks, encode the frozen texts, fit the network, calibrate, write the model's folder.

Read from the bottom: `train` is the list of stages. Validation runs the very search that answers questions.
"""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from clew.errors import InputError, TrainingError
from clew.graph import Subgraph
from clew.learning import Stage, run_stages
from clew.learning.checkpoints import fill, load_weights, write_json
from clew.learning.fitting import FitConfig
from clew.learning.loop import FitProgress, fit
from clew.learning.losses import info_nce
from clew.methods.scr.answers import ScoredEntity, abstains, reach
from clew.methods.scr.config import Config, TrainConfig
from clew.methods.scr.features import (
    Floats,
    QuestionStates,
    entity_vectors,
    question_states,
    relation_vectors,
    token_kind,
    without_topic,
)
from clew.methods.scr.gold import STAY, TopicGold, gold_walks
from clew.methods.scr.method import confident, run_search
from clew.methods.scr.model import (
    ScrCalibration,
    ScrModel,
    Trained,
    encoder_folder,
    relation_names,
    save_model,
    view,
)
from clew.methods.scr.network import MAX_STEPS, BertReader, StepwiseNetwork
from clew.methods.scr.reading import QuestionReading, StateReading, TextReading
from clew.methods.scr.sampling import Batch, BatchSampler, Item
from clew.methods.scr.search import FinishedWalk
from clew.methods.scr.similarity import WEIGHTS, Reals, similarity, weigh
from clew.paths.examples import EntityIndex, TrainingQuestion, resolve, training_graph
from clew.paths.gold import GoldLimits
from clew.paths.walks import Int, follow
from clew.protocols import Example, OnEvent, TextEncoder, TrainRequest, TrainResult, ignore
from clew.types import Event

RETURNING = 500  # training questions that are looked at for whether topics answer
LEAST_GAIN = 0.02  # in Hits@1 + F1 on the dev questions, for the encoder's similarity to be asked at all
CUTS = tuple(i / 20 for i in range(1, 20))


@dataclass(frozen=True, slots=True)
class TopicQuestion:
    """A training question with its text as each of its topics sees it."""

    source: TrainingQuestion
    texts: tuple[str, ...]  # one per topic

    @property
    def topics(self) -> tuple[int, ...]:
        return self.source.topics

    @property
    def answers(self) -> Int:
        return self.source.answers


@dataclass(slots=True)
class TrainingState:
    """What the stages hand on to each other."""

    graph: Subgraph
    questions: list[TopicQuestion] = field(default_factory=list)
    dev: list[TopicQuestion] = field(default_factory=list)
    texts: dict[str, int] = field(default_factory=dict)
    items: list[Item] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)
    topics_answer: bool = True
    vectors: Floats | None = None
    states: QuestionStates | None = None
    network: StepwiseNetwork | None = None
    progress: FitProgress | None = None
    metrics: dict[str, float] = field(default_factory=dict)


def masked_questions(
    examples: Sequence[Example], index: EntityIndex, *, mask: bool
) -> tuple[list[TopicQuestion], dict[str, list[str]]]:
    """The usable questions, each text with the same topics once, and why each other one was left out."""
    found, left = resolve(examples, index)
    usable: dict[tuple[str, tuple[int, ...]], TopicQuestion] = {}
    for each in found:
        question = each.example.question
        if (question.text, each.topics) in usable:
            left.setdefault("duplicate", []).append(question.id)
            continue
        names = index.graph.labels(np.array(each.topics, np.int32))
        texts = tuple(
            without_topic(question.text, [*question.topics, name]) if mask else question.text for name in names
        )
        usable[question.text, each.topics] = TopicQuestion(each, texts)
    return list(usable.values()), left


Results = list[tuple[list[ScoredEntity], set[int]]]  # per question: what was reached, best first, and the answers


@dataclass(frozen=True, slots=True)
class DevWalks:
    """The walks that a search found for one dev question."""

    walks: list[FinishedWalk]
    similarities: Reals  # of each walk's relation path to the question
    topics: dict[int, int]  # of each start, the entity it stands at
    answers: set[int]


def search_dev(
    model: ScrModel,
    encoder: TextEncoder,
    config: Config,
    graph: Subgraph,
    vectors: Floats,
    dev: Sequence[TopicQuestion],
    *,
    similarities: bool = False,
) -> list[DevWalks]:
    """A real search for each of `dev`; with `similarities` also what the encoder thinks of the walks."""
    seen = view(model.network, graph, encoder, vectors)
    found: list[DevWalks] = []
    for at in range(0, len(dev), 64):
        part = dev[at : at + 64]
        starts = [(i, topic, text) for i, q in enumerate(part) for topic, text in zip(q.topics, q.texts, strict=True)]
        texts, topics, owners = [s[2] for s in starts], [s[1] for s in starts], [s[0] for s in starts]
        finished, _ = run_search(model, encoder, config, seen, texts, topics, owners)
        near = similarity(seen, encoder, finished, texts, owners) if similarities else np.zeros(len(finished))
        for i, question in enumerate(part):
            own = {row: topic for row, (owner, topic, _) in enumerate(starts) if owner == i}
            rows = [row for row, walk in enumerate(finished) if walk.start in own]
            found.append(DevWalks([finished[row] for row in rows], near[rows], own, set(question.answers.tolist())))
    return found


def results_of(
    model: ScrModel, config: Config, graph: Subgraph, searched: Sequence[DevWalks], weight: float
) -> Results:
    """What each question's walks reach, the encoder's similarity counting `weight`."""
    siblings = model.trained.siblings if config.siblings is None else config.siblings
    results: Results = []
    for each in searched:
        walks = weigh(each.walks, each.similarities, weight) if len(each.topics) == 1 else each.walks
        none = abstains(walks, by_path=siblings)
        chosen = [] if none else confident(walks, config.threshold, by_path=siblings)
        reached, _ = reach(
            graph,
            chosen,
            each.topics,
            siblings=siblings,
            conjunction=model.trained.conjunction if config.conjunction is None else config.conjunction,
            topics_answer=model.trained.topics_answer if config.topics_answer is None else config.topics_answer,
        )
        named = [entity for entity in reached if not graph.mediators[entity.entity]]
        results.append((named or reached, each.answers))
    return results


def measure(results: Results, cut: float) -> dict[str, float]:
    """Hits@1, Hit and F1. A question without an answer counts as right where nothing is answered."""
    hits1 = hit = f1 = 0.0
    for reached, gold in results:
        kept = [each.entity for each in reached if each.score >= cut * reached[0].score]
        if not gold:
            hits1, hit, f1 = hits1 + (not kept), hit + (not kept), f1 + (not kept)
            continue
        right = sum(entity in gold for entity in kept)
        hits1 += bool(kept) and kept[0] in gold
        hit += right > 0
        f1 += 2 * right / (len(kept) + len(gold)) if right else 0.0
    n = max(1, len(results))
    return {"hits@1": hits1 / n, "hit": hit / n, "f1": f1 / n}


def calibrate(results: Results) -> ScrCalibration:
    """The cut with the best F1, and a logistic map from scores to the chance of being right (Platt)."""
    cut = max(CUTS, key=lambda c: (round(measure(results, c)["f1"], 6), c))
    scores = np.array([each.score for reached, _ in results for each in reached[:20]])
    right = np.array([each.entity in gold for reached, gold in results for each in reached[:20]], float)
    if len(scores) < 20 or right.all() or not right.any():
        return ScrCalibration(cut=cut)
    p = np.clip(scores, 1e-6, 1 - 1e-6)
    x = np.stack([np.log(p / (1 - p)), np.ones(len(p))], 1)
    w = np.array([1.0, 0.0])
    for _ in range(25):  # Newton, with a weak pull towards the identity map
        probability = 1 / (1 + np.exp(-np.clip(x @ w, -30, 30)))
        gradient = x.T @ (probability - right) + (w - [1.0, 0.0])
        hessian = (x * (probability * (1 - probability))[:, None]).T @ x + np.eye(2)
        w = w - np.linalg.solve(hessian, gradient)
    slope = float(w[0])
    if slope <= 0:  # scores say nothing on this dev set: keep their order
        return ScrCalibration(cut=cut)
    return ScrCalibration(slope=slope, shift=float(w[1]), cut=cut)


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


class _Training:
    """The stages over one `TrainingState`."""

    def __init__(self, request: TrainRequest, on_event: OnEvent):
        if request.tools.encoder is None:
            raise InputError("training scr needs a text encoder")
        self.request, self.on_event, self.encoder = request, on_event, request.tools.encoder
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
        self.source = training_graph(request.examples, request.graph)
        self.material = TrainingState(self.source.whole)
        torch.set_num_threads(max(1, torch.get_num_threads()))

    def gold_paths(self) -> None:
        """Gold walks of every topic of every question."""
        config, m = self.config, self.material
        index = EntityIndex(m.graph)
        m.questions, left = masked_questions(self.request.examples, index, mask=config.mask_topics)
        if self.request.dev:
            m.dev, _ = masked_questions(self.request.dev, index, mask=config.mask_topics)
        else:
            order = np.random.default_rng(self.request.seed).permutation(len(m.questions))
            held = max(1, round(config.dev_share * len(order)))
            m.dev, m.questions = [m.questions[i] for i in order[:held]], [m.questions[i] for i in order[held:]]
        unreachable: list[str] = []
        cut = 0
        m.topics_answer = self._topics_answer()
        for question in m.questions:
            reached = False
            for topic, text, gold in zip(question.topics, question.texts, self._gold(question), strict=True):
                cut += gold.cut
                walks = tuple(walks for walks in gold.walks if walks.codes or self._may_stay(question))
                if walks:
                    row = m.texts.setdefault(text, len(m.texts))
                    m.items.append(Item(row, topic, walks, question.answers))
                    reached = True
            if not reached:
                unreachable.append(question.source.example.question.id)
        m.report = {
            "questions": len(m.questions),
            "items": len(m.items),
            "without a path": unreachable,
            "left out": left,
            "topics whose search was cut": cut,
            "hops": _counts(len(walks.codes) for item in m.items for walks in item.gold[:1]),
        }
        write_json(self.request.out / "mining.json", m.report)
        told = ", ".join(f"{len(ids)} {reason}" for reason, ids in left.items())
        self.on_event(
            Event(
                "train",
                f"{len(m.items)} walks to learn from {len(m.questions)} questions; {len(unreachable)} without a path"
                + (f"; left out: {told}" if told else ""),
                {"items": len(m.items), "without_a_path": len(unreachable)},
            )
        )
        if not m.items:
            raise TrainingError(
                "no question has a path from a topic to an answer: check that topics and answers are ids or labels of "
                f"this graph (graph {self.request.graph.name!r}); the reasons are in {self.request.out / 'mining.json'}"
            )

    def _gold(self, question: TopicQuestion) -> list[TopicGold]:
        """The gold walks of each topic."""
        config, m = self.config, self.material
        if not len(question.answers):
            return [TopicGold((STAY,) if config.network.multi_step else (), False) for _ in question.topics]
        return gold_walks(
            m.graph,
            question.topics,
            question.answers,
            GoldLimits(config.hops, config.hub_limit, config.max_states),
            mode=config.gold,
            together=config.together,
            topics_answer=m.topics_answer,
            stated=question.source.stated,
        )

    def _topics_answer(self) -> bool:
        """Whether a topic that a gold walk leads back to is an answer more often than not.

        Data sets differ: the directors of the films that John Hughes wrote include him, or are the others.
        """
        m = self.material
        if self.config.returns == "none":
            return True  # no walk comes back to its topic, and another topic is an entity as any other (paper)
        if not any(topic in q.answers for q in m.questions for topic in q.topics):
            return False
        m.topics_answer = False
        yes = no = 0
        for question in _sampled(m.questions, RETURNING, self.request.seed):
            if any(topic in question.answers for topic in question.topics):
                yes += 1
                continue
            for topic, gold in zip(question.topics, self._gold(question), strict=True):
                paths = [walks.codes for walks in gold.walks if walks.codes]
                no += any(topic in follow(m.graph, topic, codes)[0][-1].targets for codes in paths)
        return yes >= no

    def _may_stay(self, question: TopicQuestion) -> bool:
        """Whether a walk without a step may be learned from a question."""
        return self.config.gold == "shortest" or not len(question.answers)

    def encode(self) -> None:
        """Frozen vectors of all texts."""
        m = self.material
        m.vectors = entity_vectors(m.graph, self.encoder)
        if self.config.network.question == "states":
            m.states = question_states(self.encoder, list(m.texts))

    def fit(self) -> None:
        """The network."""
        m, config, request = self.material, self.config, self.request
        assert m.vectors is not None
        torch.manual_seed(request.seed)
        home = encoder_folder(config.network, self.encoder.name)
        network = StepwiseNetwork(config.network, self.encoder.dim, m.graph.num_relations, home)
        if home is not None and isinstance(network.question, BertReader):
            network.question.start_from(home)
        m.network = network.to(config.device)
        vectors = m.vectors
        relations = torch.from_numpy(relation_vectors(m.graph, self.encoder)).to(config.device)
        sampler = BatchSampler(m.graph, m.items, config, len(network.layers), request.seed)
        dev = _sampled(m.dev, config.validate_on, request.seed)
        start = ScrCalibration() if config.calibrated else ScrCalibration(cut=0.0)
        model = ScrModel(network, self.trained(start), "", home)
        texts = list(m.texts)

        def reading(rows: Int) -> QuestionReading:
            if m.states is not None:
                return StateReading(network, m.states, rows, vectors, relations)
            assert home is not None
            return TextReading(network, home, [texts[row] for row in rows], m.graph, relations.device)

        def evaluate() -> dict[str, float]:
            searched = search_dev(model, self.encoder, request.config, m.graph, vectors, dev)
            weight = request.config.similarity_weight or 0.0
            cut = model.trained.calibration.cut if request.config.cut is None else request.config.cut
            return measure(results_of(model, request.config, m.graph, searched, weight), cut)

        m.progress = fit(
            network,
            sampler,
            lambda batch: loss_of(network, batch, reading, vectors, relations, compete=config.compete),
            request.out,
            self.fit_config(),
            evaluate=evaluate,
            resume=request.resume,
            seed=request.seed,
            on_event=self.on_event,
        )

    def fit_config(self) -> FitConfig:
        """The loop's settings with `epochs` turned into steps."""
        config = self.config
        if config.epochs is None:
            return config.fit
        per_step = config.batch * config.fit.accumulate
        return config.fit.model_copy(
            update={"steps": max(1, math.ceil(config.epochs * len(self.material.items) / per_step))}
        )

    def trained(self, calibration: ScrCalibration) -> Trained:
        config = self.config
        return Trained(
            network=config.network,
            encoder=self.encoder.name,
            encoder_width=self.encoder.dim,
            tokens=token_kind(self.encoder),
            hops=config.walk
            or max((len(walks.codes) for item in self.material.items for walks in item.gold), default=1),
            returns=config.returns,
            siblings=config.siblings,
            mask_topics=config.mask_topics,
            topics_answer=self.material.topics_answer,
            conjunction=config.conjunction,
            hub_limit=None if config.every else 4000,
            graph=self.source.name,
            relations=relation_names(self.material.graph),
            calibration=calibration,
        )

    def finish(self) -> None:
        """Calibrate the best weights on the dev set and write the folder."""
        m, out = self.material, self.request.out
        assert m.network is not None and m.vectors is not None and m.progress is not None
        weights = load_weights(out / "best.safetensors")
        if self.config.half:
            weights = {k: t.half().float() if t.is_floating_point() else t for k, t in weights.items()}
        fill(m.network, weights, str(out / "best.safetensors"))
        m.network.eval()
        home = encoder_folder(self.config.network, self.encoder.name)
        model = ScrModel(m.network, self.trained(ScrCalibration()), "", home)
        dev = _sampled(m.dev, 1000, self.request.seed)
        config = self.request.config
        tried = WEIGHTS if config.similarity_weight is None else (config.similarity_weight,)
        if not self.config.calibrated:
            tried = (0.0,)
        searched = search_dev(model, self.encoder, config, m.graph, m.vectors, dev, similarities=any(tried))
        calibrated = []
        for weight in tried:
            results = results_of(model, config, m.graph, searched, weight)
            found = calibrate(results) if self.config.calibrated else ScrCalibration(cut=0.0)
            calibration = found.model_copy(update={"similarity_weight": weight})
            calibrated.append((measure(results, calibration.cut), calibration))
        m.metrics, calibration = max(calibrated, key=_worth)
        if _worth((m.metrics, calibration))[0] < _worth(calibrated[0])[0] + LEAST_GAIN:
            m.metrics, calibration = calibrated[0]  # the lowest weight: it costs nothing
        save_model(out, m.network, self.trained(calibration), half=self.config.half)
        (out / "best.safetensors").unlink()
        shutil.rmtree(out / "checkpoints", ignore_errors=True)


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Train a model for `request.graph` from `request.examples`.

    Raises TrainingError when no question has a path to an answer or the loss is no number, InputError for impossible
    settings. What was left out and why stands in `mining.json` beside the model.
    """
    request.out.mkdir(parents=True, exist_ok=True)
    if not request.resume:
        shutil.rmtree(request.out / "checkpoints", ignore_errors=True)
        (request.out / "best.safetensors").unlink(missing_ok=True)
    work = _Training(request, on_event)
    stages = [
        Stage("mine gold walks", work.gold_paths),
        Stage("encode texts", work.encode, ("torch",)),
        Stage("fit the network", work.fit, ("torch", "safetensors")),
        Stage("calibrate and write", work.finish),
    ]
    seconds = run_stages(stages, on_event)
    m = work.material
    assert m.progress is not None and m.network is not None
    details = {
        "best_step": m.progress.best_step,
        "steps": len(m.progress.curve),
        "parameters": sum(p.numel() for p in m.network.parameters() if p.requires_grad),
        "questions": len(m.questions),
        "without_a_path": len(m.report["without a path"]),
        "dev_questions": len(m.dev),
    }
    return TrainResult(request.out, m.metrics, seconds, details)


def _worth(each: tuple[dict[str, float], ScrCalibration]) -> tuple[float, float]:
    """Hits@1 and F1 together; of equals the lower weight of similarity."""
    metrics, calibration = each
    return round(metrics["hits@1"] + metrics["f1"], 6), -calibration.similarity_weight


def _sampled(questions: Sequence[TopicQuestion], n: int, seed: int) -> list[TopicQuestion]:
    if len(questions) <= n:
        return list(questions)
    chosen = np.random.default_rng((seed, 2)).permutation(len(questions))[:n]
    return [questions[i] for i in sorted(chosen.tolist())]


def _counts(values: Any) -> dict[str, int]:
    found: dict[str, int] = {}
    for value in values:
        found[str(value)] = found.get(str(value), 0) + 1
    return dict(sorted(found.items()))
