"""Training the graph encoder: a graph transformer and a projector against a frozen language model (4.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from clew.errors import InputError, UnsupportedError
from clew.learning.loop import fit
from clew.learning.tuning import Pair
from clew.llm import backend_of
from clew.llm.local import LocalModel
from clew.methods.decompose.compositions import (
    reader_pair,
    spoken_answer,
)
from clew.methods.decompose.hybrid import GraphVectors
from clew.methods.decompose.method import CANDIDATES, Decompose
from clew.methods.decompose.network import EncoderRecord, GraphBatch, GraphEncoder, batch_graphs, save_network
from clew.methods.decompose.roles import Role
from clew.methods.decompose.soft import FOLDER
from clew.methods.decompose.training_state import DecomposeTraining
from clew.protocols import Example, Message


@dataclass(frozen=True, slots=True)
class ReaderExample:
    """What a frozen model is shown and should write, and the merged graph behind it."""

    prompt: tuple[Message, ...]
    completion: str
    graph: Any  # Subgraph
    vectors: GraphVectors


def train_encoder(state: DecomposeTraining) -> None:
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
    unread = unread_by_reader(state) if role.small else state.examples
    train = _examples(state, method, role, state.sample(unread, settings.encoder_questions, 4))
    dev = _examples(state, method, role, state.sample(state.dev, settings.validate_on, 5))
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

    def loss(examples: list[ReaderExample]) -> Tensor:
        return frozen.loss(examples, network(_graphs(examples)))

    def validate() -> dict[str, float]:
        return {"likelihood": -_mean(frozen, dev, settings.batch, network)}

    out = state.request.out / FOLDER
    out.mkdir(exist_ok=True)
    progress = fit(
        network, batch, loss, out, config, evaluate=validate, metric="likelihood",
        resume=state.request.resume, seed=state.request.seed, on_event=state.on_event,
    )  # fmt: skip
    with torch.no_grad():
        state.metrics["loss_with_soft_prompt"] = _mean(frozen, dev, settings.batch, network)
        state.metrics["loss_without_soft_prompt"] = _mean(frozen, dev, settings.batch, None)
    state.details["encoder_steps"] = len(progress.curve)
    state.details["encoder_questions"] = len(train)
    record = EncoderRecord(
        config=settings.network,
        width=encoder.dim,
        model_width=frozen.width,
        language_model=role.model.name,
        encoder=encoder.name,
    )
    save_network(out, network, record)


def unread_by_reader(state: DecomposeTraining) -> Sequence[Example]:
    """Training questions that the small reader did not learn from; all of them where it saw nearly every one.

    A frozen model that knows its questions by heart leaves a soft prompt nothing to say.
    """
    rest = state.sample(state.examples, len(state.examples), 3)[state.settings.reader.given :]
    return rest if len(rest) >= state.settings.batch else state.examples


def _examples(
    state: DecomposeTraining, method: Decompose, role: Role, examples: Sequence[Example]
) -> list[ReaderExample]:
    """What the frozen model would be asked about these questions, and what it should answer."""
    found = []
    for work, example, known in state.lessons(method, examples):
        merged, _, ranked, _ = method.offer(work)
        pair: Pair | None = None
        if role.small:
            shown, bare = ranked[:CANDIDATES], not state.request.config.text_graph
            pair = reader_pair(known, state.graph, shown, work.seen.language, bare=bare)
        else:
            pair = Pair(method.final_messages(work, role), spoken_answer(example.gold))
        if pair is not None:
            found.append(ReaderExample(pair.prompt, pair.completion, merged, work.seen.vectors))
    return found


def _graphs(examples: Sequence[ReaderExample]) -> GraphBatch:
    return batch_graphs([(each.graph, each.vectors) for each in examples])


def _mean(frozen: FrozenModel, examples: Sequence[ReaderExample], batch: int, network: GraphEncoder | None) -> float:
    """Loss per token over all examples."""
    total = tokens = 0.0
    for at in range(0, len(examples), batch):
        part = examples[at : at + batch]
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

    def tokens(self, examples: Sequence[ReaderExample]) -> int:
        """Tokens that the loss of these examples is a mean over."""
        return sum(len(self._completion(each)) for each in examples)

    def _completion(self, each: ReaderExample) -> list[int]:
        ids = self._model.tokenizer(each.completion, add_special_tokens=False)["input_ids"]
        return [*ids, self._model.tokenizer.eos_token_id]

    def loss(self, examples: Sequence[ReaderExample], soft: Tensor | None) -> Tensor:
        """Mean loss of the completions' tokens; (B, K, M) soft prompts go in where generation puts them."""
        table = self._model.module.get_input_embeddings()
        rows, labels = [], []
        for i, each in enumerate(examples):
            prompt, completion = self._model.prompt(each.prompt), self._completion(each)
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
