"""Trains the cross-encoder of `clew.retrieval.events.second_look`; scripts/fit_events.py tells it on what.

It learns beside the ranking: the loss is a softmax over the sum of the ranking's logits, which did not see the graph,
and its own, over some plans of a question, what was found otherwise, and none of these. So it learns what the ranking
does not know. It starts from the weights of `clew.reading.cross_encoder`.
"""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import load_file

from clew.encoding import DEFAULT
from clew.encoding.bert import bert_shape
from clew.encoding.cross_encoder import FORMAT, SHIPPED, CrossEncoder, differences, digest, tensors
from clew.encoding.local import find_weights
from clew.reading.cross_fitting import SPREAD, CrossDescent, CrossNet, CrossSettings
from clew.retrieval.events.second_look import MAKER, sequences

RIGHT = 2  # of the plans, that are right
RATE, WARMUP, DROPOUT = 3e-5, 600, 0.2  # unlike those of `CrossSettings`: it has few questions, and starts from more
SHOWN = 0.7  # share of the questions with what was found otherwise
UNKNOWN = 0.3  # weight of a question that has an answer, which nothing gives


@dataclass(frozen=True)
class Pairs:
    """One question with its plans in words."""

    question: str
    answerable: bool
    plans: list[str]
    logits: list[float]  # of the ranking; the last is that of none of them
    right: list[bool]
    nothing: bool  # whether no candidate is right, also none of those left out here
    found: str  # otherwise; empty where there is nothing
    sure: float  # of it, a probability
    found_right: bool

    def drawn(
        self, chance: random.Random, noise: np.random.Generator, plans: int
    ) -> tuple[list[str], list[float], list[bool]]:
        """Texts, logits of the ranking, and which of them are right; the last one stands for none of them."""
        logits = np.array(self.logits)
        right = [i for i, each in enumerate(self.right) if each]
        wrong = np.array([i for i, each in enumerate(self.right) if not each], np.int64)
        kept = right if len(right) <= RIGHT else [right[0], chance.choice(right[1:])]
        noisy = logits[wrong] + SPREAD * noise.gumbel(size=len(wrong))
        taken = [*kept, *wrong[np.argsort(-noisy)][: plans - len(kept)].tolist()]
        texts = [self.plans[i] for i in taken]
        beside, meant = logits[taken].tolist(), [True] * len(kept) + [False] * (len(taken) - len(kept))
        if self.found and chance.random() < SHOWN:
            texts.append(self.found)
            beside.append(float(np.log(max(self.sure, 1e-3)) + np.logaddexp.reduce(logits)))
            meant.append(self.found_right)
        nothing = self.nothing and not (self.found and self.found_right)
        return [*texts, ""], [*beside, self.logits[-1]], [*meant, nothing]

    def weight(self, meant: Sequence[bool]) -> float:
        if not any(meant):
            return 0.0
        return UNKNOWN if self.answerable and meant[-1] else 1.0


def trained(some: Sequence[Pairs], questions: int, seed: int = 0) -> CrossNet:
    """A cross-encoder that has read so many of some questions, each several times."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    folder, reads = find_weights(DEFAULT), CrossEncoder(SHIPPED, MAKER, marks=1)
    shape = bert_shape(folder)
    assert shape is not None
    settings = CrossSettings(questions=questions, rate=RATE, warmup=WARMUP, dropout=DROPOUT, seed=seed)
    net = CrossNet(folder, shape, settings.dropout)
    net.start(load_file(SHIPPED))
    descent = CrossDescent(net, settings)
    chance, noise = random.Random(seed), np.random.default_rng(seed)
    order = list[int]()
    net.train()
    for seen in range(0, questions, settings.batch):
        if len(order) < settings.batch:
            order = chance.sample(range(len(some)), len(some))
        part = [some[order.pop()] for _ in range(settings.batch)]
        drawn = [each.drawn(chance, noise, settings.plans) for each in part]
        rows = [
            row
            for each, (texts, _, _) in zip(part, drawn, strict=True)
            for row in sequences(each.question, texts, reads)
        ]
        loss = torch.zeros(())
        split = net.rate(rows).split([len(texts) for texts, _, _ in drawn])  # type: ignore[no-untyped-call]
        for each, own, (_, beside, meant) in zip(part, split, drawn, strict=True):
            if weight := each.weight(meant):
                both = own + torch.tensor(beside)
                loss = loss - weight * (torch.logsumexp(both[torch.tensor(meant)], 0) - torch.logsumexp(both, 0))
        descent.step(loss / settings.batch, seen)
    return net.eval()


def write(nets: Sequence[CrossNet], path: Path) -> None:
    """The mean of some weights, as differences to those that they started from."""
    every = [net.weights() for net in nets]
    mean = {name: np.mean([each[name].detach().numpy() for each in every], axis=0) for name in every[0]}
    mean["mark.weight"] = mean["mark.weight"][:1]  # every token has the same mark
    about = {"format": FORMAT, "encoder": DEFAULT, "base": digest(SHIPPED)}
    save_file(differences(mean, tensors(SHIPPED)), path, metadata={"clew": json.dumps(about)})
