"""Training for `decompose`: a small decomposer, a small reader, and the graph encoder against a frozen model.

Read from the bottom: `train` is the list of stages. Each later stage answers its questions with what the earlier ones
left in the folder, through the very code that answers a user (sub-answers are taken from text alone, which breaks the
circle that the paper leaves open: merged graphs need sub-answers, and those a trained encoder).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from clew.errors import InputError, UnsupportedError
from clew.graph import Graph
from clew.learning import Stage, run_stages
from clew.learning.beams import ScoredBeams, best_similarity_weight
from clew.learning.checkpoints import fill, load_weights
from clew.learning.loop import fit
from clew.learning.scratch import SIZES, create_decoder
from clew.learning.tuning import Pair, TuneSettings, tune
from clew.llm import ModelSettings, backend_of
from clew.llm.local import LocalModel
from clew.methods.decompose.compositions import (
    Known,
    answer_set,
    gold_path,
    leads_to_answers,
    made,
    plan_pair,
    reader_pair,
    single_tokens,
    spoken_answer,
    step_pairs,
)
from clew.methods.decompose.config import Config, SmallConfig, TrainConfig
from clew.methods.decompose.evidence_paths import anchors
from clew.methods.decompose.hybrid import GraphVectors
from clew.methods.decompose.method import Decompose, Seen, Work, plain
from clew.methods.decompose.network import GraphBatch, GraphEncoder, batch_graphs, save_network
from clew.methods.decompose.plan import QuestionPlan
from clew.methods.decompose.plan_choice import PlanChoice, best_minimum_score, save_plan_choice
from clew.methods.decompose.roles import DECOMPOSER, READER, Role
from clew.methods.decompose.soft import FOLDER
from clew.protocols import Example, Message, OnEvent, Tools, TrainRequest, TrainResult, ignore
from clew.types import Event, Gold

GATHERED = 32  # questions that are retrieved for together


@dataclass(frozen=True, slots=True)
class ReaderExample:
    """What a frozen model is shown and should write, and the merged graph behind it."""

    prompt: tuple[Message, ...]
    completion: str
    graph: Any  # Subgraph
    vectors: GraphVectors


@dataclass
class TrainingState:
    """Everything that the stages hand on."""

    request: TrainRequest
    on_event: OnEvent
    train: list[Example] = field(default_factory=list)
    dev: list[Example] = field(default_factory=list)
    metrics: dict[str, float] = field(default_factory=dict)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def settings(self) -> TrainConfig:
        return self.request.train_config or TrainConfig()

    @property
    def graph(self) -> Graph:
        assert isinstance(self.request.graph, Graph)  # checked when the training starts
        return self.request.graph

    def method(self, **changes: Any) -> Decompose:
        """The method with what has been trained so far."""
        tools = self.request.tools
        config: Config = self.request.config.model_copy(update={"graph_encoder": False, **changes})
        return Decompose(config, Tools(tools.encoder, tools.language_model, self.request.out, tools.link, tools.cache))

    def draw(self, examples: Sequence[Example], count: int, salt: int) -> list[Example]:
        """A sample in a fixed order, the same for the same seed."""
        order = np.random.default_rng((self.request.seed, salt)).permutation(len(examples))[:count]
        return [examples[i] for i in order.tolist()]

    def works(self, method: Decompose, examples: Sequence[Example]) -> list[tuple[Work, Example]]:
        """Examples whose question names an entity, ready for the stages of the method."""
        started = [(method.start(example.question, self.graph), example) for example in examples]
        return [(work, example) for work, example in started if work.seen is not None and work.topics]

    def known(self, work: Work, gold: Gold) -> Known | None:
        """The question with its gold steps, or None where the graph holds none."""
        assert work.seen is not None
        starts = anchors(self.graph.whole, [topic.entity for topic in work.topics])
        similarity = partial(work.seen.judge.similarity, question=plain(work.masked.text))
        language = work.seen.language
        steps = gold_path(language, starts, gold, self.request.config.hops, similarity)
        return Known(work.masked.text, starts, steps, answer_set(language.index, gold)) if steps else None


# -- small models ------------------------------------------------------------------------------------------------------


def train_decomposer(state: TrainingState) -> None:
    """Masked questions → relation steps, from given questions and synthetic compositions."""
    config, out = state.settings.decomposer, state.request.out / DECOMPOSER
    if not (out / "model").is_dir():
        method = state.method(small=False)
        given = state.draw(state.train, config.given, 1)
        synthetic = made(state.graph.whole, config.synthetic, state.request.config.hops, state.request.seed)
        seen = method.view(state.graph, ())
        pairs = []
        for examples, repeat in ((given, config.repeat), (list(synthetic), 1)):
            for work, example in state.works(method, examples):
                known = state.known(work, example.gold)
                if known is not None:
                    pairs += [plan_pair(known, seen.language)] * repeat
        state.details["decomposer_pairs"] = len(pairs)
        _tune(state, config, pairs, seen, out)
    _choose_plans(state, out)


def _choose_plans(state: TrainingState, out: Path) -> None:
    """On held-out questions: how the encoder's similarity weighs, and how sure a plan must be to be asked."""
    method = state.method(decomposer=ModelSettings())
    asked: list[tuple[Work, Known]] = []
    for work, example in state.works(method, state.draw(state.dev, state.settings.validate_on, 2)):
        known = state.known(work, example.gold)
        if known is not None:
            asked.append((work, known))
    offered = method.options([work for work, _ in asked])
    kept = [(work, known, options) for (work, known), options in zip(asked, offered, strict=True) if options]
    if not kept:
        state.metrics["plans"] = 0.0
        return
    beams = [
        ScoredBeams(
            np.array([option.logprob for option in options]),
            np.array([option.similarity for option in options]),
            np.array([leads_to_answers(state.graph.whole, known.starts, o.steps, known) for o in options]),
        )
        for _, known, options in kept
    ]
    weight = best_similarity_weight(beams)
    best = [options[each.best(weight)] for (_, _, options), each in zip(kept, beams, strict=True)]
    works = [work for work, _, _ in kept]
    whole = _matched(method, kept, [method.small_plan(work, None) for work in works])
    split = _matched(method, kept, [method.small_plan(work, option) for work, option in zip(works, best, strict=True)])
    scores = [float(each.scores(weight).max()) for each in beams]
    minimum_score = best_minimum_score(scores, [int(b) - int(a) for a, b in zip(whole, split, strict=True)])
    save_plan_choice(out, PlanChoice(weight, minimum_score))
    right = sum(bool(each.right[each.best(weight)]) for each in beams)
    sure = [minimum_score is None or score >= minimum_score for score in scores]
    state.metrics["plans"] = right / len(asked)
    state.metrics["plans_by_the_decoder_alone"] = sum(bool(c.right[c.best(0.0)]) for c in beams) / len(asked)
    state.metrics["plans_among_the_beams"] = sum(bool(each.right.any()) for each in beams) / len(asked)
    state.metrics["plans_asked"] = sum(sure) / len(asked)
    state.metrics["matched_whole"] = float(np.mean(whole))
    state.metrics["matched"] = float(np.mean([s if ok else w for s, w, ok in zip(split, whole, sure, strict=True)]))
    state.details |= {
        "choosing": {"similarity_weight": weight, "minimum_score": minimum_score},
        "choosing_questions": len(asked),
    }


def _matched(method: Decompose, kept: Sequence[tuple[Work, Known, Any]], plans: Sequence[QuestionPlan]) -> list[bool]:
    """Whether the merged graph of each question holds an answer (Exact Matching), asked by these plans."""
    found = []
    for (work, known, _), plan in zip(kept, plans, strict=True):
        work.plan, work.parts, work.answers, work.carried = plan, [], [], []
        method.follow_plans([work])
        method.merge([work])
        assert work.seen is not None
        ids = (work.seen.language.graph.entity(int(answer)).id for answer in known.answers)
        found.append(any(work.parts[-1].local(id) is not None for id in ids))
    return found


def train_reader(state: TrainingState) -> None:
    """Masked question and evidence paths of the merged graph → the evidence path that answers."""
    config, out = state.settings.reader, state.request.out / READER
    if (out / "model").is_dir():
        return
    method = state.method()
    examples = state.draw(state.train, config.given, 3)
    examples += made(state.graph.whole, config.synthetic, state.request.config.hops, state.request.seed + 1)
    seen = method.view(state.graph, ())
    rng = np.random.default_rng((state.request.seed, 6))
    pairs: list[Pair] = []
    for work, _, known in _gathered(state, method, examples):
        merged, starts, ranked, _ = method.offer(work)
        bare = bool(rng.random() < config.bare)
        shown = ranked[: state.request.config.candidates]
        pair = reader_pair(known, state.graph.whole, shown, seen.language, bare=bare)
        if pair is not None:
            pairs.append(pair)
        if len(starts):
            pairs += step_pairs(known, state.graph.whole, merged, seen.language, "[T1]", bare)
    state.details["reader_pairs"] = len(pairs)
    _tune(state, config, pairs, seen, out)


def _gathered(
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


def _tune(state: TrainingState, config: SmallConfig, pairs: Sequence[Pair], seen: Seen, out: Path) -> None:
    if not pairs:
        raise InputError(
            "training decompose: no question leads from its entities to its answers in this graph; "
            "check that topics and answers are names of its entities"
        )
    if isinstance(config.size, str) and config.size not in SIZES:
        raise InputError(f"training decompose: no decoder size {config.size!r}; known: {', '.join(SIZES)}")
    size = SIZES[config.size] if isinstance(config.size, str) else config.size
    keep = single_tokens(pairs, seen.language, size.vocabulary)
    start = out / "start"
    if not (start / "config.json").is_file():
        texts = [text for pair in pairs for text in (pair.prompt[0].content, pair.completion)]
        create_decoder(start, texts, size=size, keep=keep, seed=state.request.seed)
    settings = TuneSettings(
        epochs=config.epochs,
        batch=config.batch,
        learning_rate=config.learning_rate,
        max_tokens=config.max_tokens,
        bf16=config.bf16,
    )
    request = state.request
    tuned = tune(start, pairs, out, settings, seed=request.seed, resume=request.resume, on_event=state.on_event)
    state.details[f"{out.name}_curve"] = [
        {name: round(row[name], 4) for name in ("step", "loss", "seconds")}
        for row in tuned.curve[:: 1 + len(tuned.curve) // 20]
    ]
    state.details[f"{out.name}_seconds"] = round(tuned.seconds, 1)


# -- graph encoder -----------------------------------------------------------------------------------------------------


def train_encoder(state: TrainingState) -> None:
    """Graph transformer and projector, through the frozen model's input vectors (4.4)."""
    settings = state.settings
    method = state.method()
    role = method.reader
    if role is None or "soft_prompt" not in role.model.abilities:
        has = "none" if role is None else role.model.name
        raise UnsupportedError(
            f"training the graph encoder needs a language model in this process, this is {has}: set "
            "language_model.backend = 'local', or train.encoder = false"
        )
    frozen = FrozenModel(role)
    unread = _unread(state) if role.small else state.train
    train = _lessons(state, method, role, state.draw(unread, settings.encoder_questions, 4))
    dev = _lessons(state, method, role, state.draw(state.dev, settings.validate_on, 5))
    if not train or not dev:
        raise InputError("training the graph encoder: no question has both an answer and a retrieved graph")
    encoder = state.request.tools.encoder
    assert encoder is not None
    torch.manual_seed(state.request.seed)
    network = GraphEncoder(settings.network, encoder.dim, frozen.width)
    per_epoch = math.ceil(len(train) / settings.batch)
    config = settings.fit.model_copy(
        update={
            "steps": max(1, round(settings.epochs * per_epoch)),
            "warmup": min(1.0, 1 / settings.epochs),
            "evaluate_every": settings.fit.evaluate_every or per_epoch,
        }
    )

    def batch(n: int) -> list[ReaderExample]:
        epoch, at = divmod(n, per_epoch)
        order = np.random.default_rng((state.request.seed, epoch)).permutation(len(train))
        return [train[i] for i in order[at * settings.batch : (at + 1) * settings.batch].tolist()]

    def loss(lessons: list[ReaderExample]) -> Tensor:
        return frozen.loss(lessons, network(_graphs(lessons)))

    def validate() -> dict[str, float]:
        return {"likelihood": -_mean(frozen, dev, settings.batch, network)}

    out = state.request.out / FOLDER
    out.mkdir(exist_ok=True)
    progress = fit(
        network, batch, loss, out, config, evaluate=validate, metric="likelihood",
        resume=state.request.resume, seed=state.request.seed, on_event=state.on_event,
    )  # fmt: skip
    fill(network, load_weights(out / "best.safetensors"), str(out))
    network.eval()
    with torch.no_grad():
        state.metrics["loss_with_soft_prompt"] = _mean(frozen, dev, settings.batch, network)
        state.metrics["loss_without_soft_prompt"] = _mean(frozen, dev, settings.batch, None)
    state.details["encoder_steps"] = len(progress.curve)
    state.details["encoder_questions"] = len(train)
    made_for = {"language_model": role.model.name, "encoder": encoder.name}
    save_network(out, network, encoder.dim, made_for)


def _unread(state: TrainingState) -> list[Example]:
    """Training questions that the small reader did not learn from; all of them where it saw nearly every one.

    A frozen model that knows its questions by heart leaves a soft prompt nothing to say.
    """
    rest = state.draw(state.train, len(state.train), 3)[state.settings.reader.given :]
    return rest if len(rest) >= state.settings.batch else state.train


def _lessons(state: TrainingState, method: Decompose, role: Role, examples: Sequence[Example]) -> list[ReaderExample]:
    """What the frozen model would be asked about these questions, and what it should answer."""
    lessons = []
    for work, example, known in _gathered(state, method, examples):
        assert work.seen is not None
        merged, _, ranked, _ = method.offer(work)
        if role.small:
            shown, bare = ranked[: state.request.config.candidates], not state.request.config.text_graph
            pair = reader_pair(known, state.graph.whole, shown, work.seen.language, bare=bare)
            if pair is None:
                continue
        else:
            pair = Pair(method.final_messages(work, role), spoken_answer(example.gold))
        lessons.append(ReaderExample(pair.prompt, pair.completion, merged, work.seen.vectors))
    return lessons


def _graphs(lessons: Sequence[ReaderExample]) -> GraphBatch:
    return batch_graphs([(reader_example.graph, reader_example.vectors) for reader_example in lessons])


def _mean(frozen: FrozenModel, lessons: Sequence[ReaderExample], batch: int, network: GraphEncoder | None) -> float:
    """Loss per token over all lessons."""
    total = tokens = 0.0
    for at in range(0, len(lessons), batch):
        part = lessons[at : at + batch]
        count = frozen.tokens(part)
        soft = None if network is None else network(_graphs(part))
        total += float(frozen.loss(part, soft)) * count
        tokens += count
    return total / max(tokens, 1.0)


class FrozenModel:
    """A local model whose weights stay; gradients pass through it to a soft prompt."""

    def __init__(self, role: Role) -> None:
        inner = backend_of(role.model)
        if not isinstance(inner, LocalModel):
            raise UnsupportedError(f"training the graph encoder: {role.model.name} is not in this process")
        self._model = inner
        for parameter in inner.module.parameters():
            parameter.requires_grad_(False)

    @property
    def width(self) -> int:
        return self._model.width

    def tokens(self, lessons: Sequence[ReaderExample]) -> int:
        """Tokens that the loss of these lessons is a mean over."""
        return sum(len(self._completion(reader_example)) for reader_example in lessons)

    def _completion(self, reader_example: ReaderExample) -> list[int]:
        ids = self._model.tokenizer(reader_example.completion, add_special_tokens=False)["input_ids"]
        return [*ids, self._model.tokenizer.eos_token_id]

    def loss(self, lessons: Sequence[ReaderExample], soft: Tensor | None) -> Tensor:
        """Mean loss of the completions' tokens; (B, K, M) soft prompts go in where generation puts them."""
        table = self._model.module.get_input_embeddings()
        rows, labels = [], []
        for i, reader_example in enumerate(lessons):
            prompt, completion = self._model.prompt(reader_example.prompt), self._completion(reader_example)
            vectors = table(torch.tensor(prompt + completion, device=table.weight.device))
            silent = len(prompt)
            if soft is not None:
                at = int(bool(prompt) and prompt[0] == self._model.tokenizer.bos_token_id)
                vectors = torch.cat((vectors[:at], soft[i].to(vectors), vectors[at:]))
                silent += soft.shape[1]
            rows.append(vectors)
            labels.append(torch.tensor([-100] * silent + completion, device=vectors.device))
        inputs = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
        targets = torch.nn.utils.rnn.pad_sequence(labels, batch_first=True, padding_value=-100)
        mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(row), device=inputs.device) for row in rows], True)
        logits = self._model.module(inputs_embeds=inputs, attention_mask=mask.long()).logits
        return cross_entropy(logits[:, :-1].flatten(0, 1).float(), targets[:, 1:].flatten())


# -- the training ------------------------------------------------------------------------------------------------------


def _split(state: TrainingState) -> None:
    """The questions; without a dev set a share of the training questions stands in."""
    request = state.request
    state.train, state.dev = list(request.examples), list(request.dev)
    if not state.train:
        raise InputError("training decompose: no training questions; name some with --questions")
    if not state.dev:
        shuffled = state.draw(state.train, len(state.train), 0)
        held = max(1, round(state.settings.dev_share * len(shuffled)))
        state.dev, state.train = shuffled[:held], shuffled[held:] or shuffled[:held]


def train(request: TrainRequest, on_event: OnEvent = ignore) -> TrainResult:
    """Leave a folder with `decomposer/`, `reader/` and `graph_encoder/`, those of them that were asked for.

    Raises:
        UnsupportedError: the graph is not an embedded one, or the graph encoder has no model in this process.
        InputError: no question can be learnt from.
    """
    if not isinstance(request.graph, Graph):
        raise UnsupportedError(f"training decompose needs an embedded graph; build one from {request.graph.name!r}")
    state = TrainingState(request, on_event)
    settings = state.settings
    _split(state)
    stages: list[Stage] = []

    def add(name: str, stage: Callable[[TrainingState], None], *needs: str) -> None:
        stages.append(Stage(name, lambda: stage(state), needs))

    if settings.decomposer.enabled:
        add("decomposer", train_decomposer, "trl")
    if settings.reader.enabled:
        add("reader", train_reader, "trl")
    if settings.encoder:
        add("graph encoder", train_encoder)
    if not stages:
        raise InputError("training decompose: every stage is switched off; nothing to do")
    seconds = run_stages(stages, on_event)
    return TrainResult(request.out, state.metrics, seconds, state.details)
