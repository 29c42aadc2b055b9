"""Fits the network on packs: batches, the loss, the loop with checkpoints, and how often the best plan is right.

Loss: softmax over a question's plans and "none of these", the right plans together against the rest (a question whose
right plans were taken away has "none of these" for answer); and each step's own yes or no.

Shapes: B questions, P plans, L tokens, n question tokens, S steps, M mentions.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from clew.reading.packs import Pack
from clew.reading.torchnet import ReaderNet

EMPTIED = 0.06  # share of training questions whose right plans are taken away
OTHER_STEPS = 10  # steps of a question that no plan of the batch walks, kept for the relevance
MOST_RIGHT = 3
BIG = -1e4


@dataclass(frozen=True, slots=True)
class FitSettings:
    """How to fit."""

    questions: int = 100_000  # read in all
    batch: int = 16
    plans: int = 14  # of a question in a batch
    rate: float = 1e-3
    decay: float = 0.02
    warmup: int = 2000  # questions
    noise: float = 0.2  # of every text's vector and token's state, against its own spread
    hidden: float = 0.08  # share of the question's tokens that are not read, topics apart
    seed: int = 0
    every: int = 5_000  # questions between checkpoints


class Batches:
    """Random batches of a pack, and fixed ones for measuring."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self.vectors = torch.from_numpy(pack.vectors.astype(np.float32) * np.float32(pack.vectors.shape[1] ** 0.5))

    def batch(self, numbers: Sequence[int], plans: int = 0, chance: random.Random | None = None) -> dict[str, Tensor]:
        """The tensors of some records; all their plans, or `plans` drawn by `chance`."""
        pack = self.pack
        parts = [self._part(int(i), plans, chance) for i in numbers]
        spans = [(int(pack.states_at[q]), int(pack.states_at[q + 1])) for q in pack.question[list(numbers)]]
        b, n = len(parts), max(e - s for s, e in spans)
        p, s = max(len(part[0]) for part in parts), max(len(part[1]) for part in parts)
        m = max(1, max(len(part[3]) for part in parts))
        length = max(int((part[2][..., 0] > 0).sum(1).max()) for part in parts)
        states, flags = np.zeros((b, n, pack.states.shape[1]), np.float32), np.zeros((b, n), np.int64)
        hidden = np.ones((b, n), bool)
        tokens, features = np.zeros((b, p, length, 4), np.int64), np.zeros((b, p, pack.features.shape[1]), np.float32)
        kinds, labels = np.zeros((b, p), np.int64), np.full((b, p), -1, np.int64)
        steps, told = np.zeros((b, s, 4), np.int64), np.zeros((b, s, pack.step_features.shape[1]), np.float32)
        asked, starts = np.full((b, s), -1, np.int64), np.zeros((b, m), np.int64)
        for i, ((chosen, walked, rows, begin), (first, last)) in enumerate(zip(parts, spans, strict=True)):
            states[i, : last - first], flags[i, : last - first] = pack.states[first:last], pack.flags[first:last]
            hidden[i, : last - first] = False
            k = len(chosen)
            tokens[i, :k], features[i, :k] = rows[:, :length], pack.features[chosen]
            kinds[i, :k], labels[i, :k] = pack.kinds[chosen], pack.labels[chosen]
            steps[i, : len(walked)], told[i, : len(walked)] = pack.steps[walked], pack.step_features[walked]
            asked[i, : len(walked)], starts[i, : len(begin)] = pack.asked[walked], begin
        t = torch.from_numpy
        return {
            "states": t(states), "flags": t(flags), "hidden": t(hidden), "tokens": t(tokens), "features": t(features),
            "kinds": self.vectors[t(kinds)], "labels": t(labels), "first": self.vectors[t(steps[..., 0])],
            "second": self.vectors[t(steps[..., 1])], "way": t(steps[..., 2]),
            "step_kinds": self.vectors[t(steps[..., 3])], "told": t(told), "asked": t(asked),
            "start_kinds": self.vectors[t(starts)],
        }  # fmt: skip

    def _part(self, i: int, plans: int, chance: random.Random | None) -> tuple[Any, Any, Any, Any]:
        """Plans and steps of a record by number, the plans' tokens with steps renumbered, the kinds of its topics."""
        pack = self.pack
        chosen = np.arange(pack.plans_at[i], pack.plans_at[i + 1])
        walked = np.arange(pack.steps_at[i], pack.steps_at[i + 1])
        begin = pack.start_kinds[pack.mentions_at[i] : pack.mentions_at[i + 1]]
        if chance is None:
            return chosen, walked, pack.tokens[chosen], begin
        right, wrong = chosen[pack.labels[chosen] == 1], chosen[pack.labels[chosen] == 0]
        if chance.random() < EMPTIED and len(wrong):
            right = right[:0]
        right = np.array(chance.sample(right.tolist(), min(len(right), MOST_RIGHT)), np.int64)
        wrong = np.array(chance.sample(wrong.tolist(), min(len(wrong), plans - len(right))), np.int64)
        chosen = np.concatenate([right, wrong])
        rows = pack.tokens[chosen].copy()
        is_step = (rows[..., 0] == 2) | (rows[..., 0] == 3)
        used = np.unique(rows[..., 3][is_step]).astype(np.int64)
        rest = np.setdiff1d(np.arange(len(walked)), used)
        rest = np.array(chance.sample(rest.tolist(), min(len(rest), OTHER_STEPS)), np.int64)
        kept = np.concatenate([used, rest])
        place = np.zeros(len(walked), np.int16)
        place[kept] = np.arange(len(kept))
        rows[..., 3] = np.where(is_step, place[rows[..., 3] * is_step], rows[..., 3])
        return chosen, walked[kept], rows, begin


def disturbed(batch: Mapping[str, Tensor], settings: FitSettings) -> dict[str, Tensor]:
    """A training batch with noise in its vectors and a few words unread, so that no wording is learned by heart."""
    made = dict(batch)
    states = made["states"]
    spread = states.norm(dim=-1, keepdim=True) / states.shape[-1] ** 0.5
    made["states"] = states + settings.noise * spread * torch.randn_like(states)
    for name in ("first", "second", "kinds", "step_kinds"):
        vectors = made[name]
        there = vectors.abs().sum(-1, keepdim=True) > 0
        made[name] = vectors + settings.noise * torch.randn_like(vectors) * there
    unread = (torch.rand(made["hidden"].shape) < settings.hidden) & (made["flags"] == 0)
    unread[:, 0] = False
    made["hidden"] = made["hidden"] | unread
    return made


def forward(net: ReaderNet, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """(B, P) logits of the plans, (B,) of "none of these", (B, S) of the steps."""
    states, hidden, flags = batch["states"], batch["hidden"], batch["flags"]
    most = net.mention.num_embeddings - 1
    read = net.read(states, flags.clamp(max=most), hidden)
    unit = states / states.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    mean = (unit * ~hidden.unsqueeze(-1)).sum(1)
    mean = mean / mean.norm(dim=-1, keepdim=True).clamp(min=1e-6)
    columns = [batch["told"]]
    for side in ("first", "second"):
        vectors = batch[side] / states.shape[-1] ** 0.5
        there = (vectors.abs().sum(-1) > 0).float()
        best = (unit @ vectors.transpose(1, 2)).masked_fill(hidden.unsqueeze(-1), -1).amax(1)
        columns += [(2 * best * there).unsqueeze(-1), 2 * (vectors @ mean.unsqueeze(-1)) * there.unsqueeze(-1)]
    steps = net.step(batch["first"], batch["second"], batch["way"]) + net.told(torch.cat(columns, -1))
    relevant = net.relevant(steps, read, hidden)
    mentions = torch.stack([(flags == k + 1).float() for k in range(batch["start_kinds"].shape[1])], 1)
    stands = mentions.sum(-1, keepdim=True)
    whole = (~hidden).float().unsqueeze(1)
    mentions = torch.where(stands > 0, mentions / stands.clamp(min=1), whole / whole.sum(-1, keepdim=True))
    scores, none = net.rate(
        steps, batch["step_kinds"], read, hidden, mentions @ read, batch["start_kinds"], batch["tokens"],
        batch["features"], batch["kinds"],
    )  # fmt: skip
    return scores.masked_fill(batch["tokens"][..., 0].amax(-1) == 0, BIG), none, relevant


def loss_of(net: ReaderNet, batch: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """The loss of the plans and that of the steps."""
    scores, none, relevant = forward(net, batch)
    labels, asked = batch["labels"], batch["asked"]
    logits = torch.cat([scores.masked_fill(labels == -1, BIG), none[:, None]], 1)
    right = torch.cat([labels == 1, (labels != 1).all(1, keepdim=True)], 1)
    plans = (logits.logsumexp(1) - logits.masked_fill(~right, BIG).logsumexp(1)).mean()
    known = asked >= 0
    return plans, nn.functional.binary_cross_entropy_with_logits(relevant[known], asked[known].float())


@torch.no_grad()
def right_share(net: ReaderNet, batches: Batches, numbers: Sequence[int]) -> float:
    """How often the best plan is right, of those at hand; one that is neither right nor wrong counts half."""
    net.eval()
    total = 0.0
    for i in range(0, len(numbers), 16):
        batch = batches.batch(numbers[i : i + 16])
        scores, _, _ = forward(net, batch)
        label = batch["labels"].gather(1, scores.argmax(1, keepdim=True))[:, 0]
        total += float((label == 1).sum()) + 0.5 * float((label == -1).sum())
    return total / max(len(numbers), 1)


def start_from_words(net: ReaderNet, batches: Sequence[Batches]) -> None:
    """Begin where like words already attend to each other: projections on the main directions of the words' vectors."""
    states, d = net.shape.states, net.shape.width
    vectors = torch.cat([each.vectors[1:3000] for each in batches]) / states**0.5
    _, sizes, directions = torch.linalg.svd(vectors - vectors.mean(0), full_matrices=False)
    scale = (sizes[:d] / sizes[0]) ** -0.5
    basis = directions[:d] * (scale / scale.mean())[:, None]
    spread = torch.eye(d)[torch.arange(d).view(-1, net.shape.heads).t().reshape(-1)]
    with torch.no_grad():
        for layer, share in ((net.word, 1.0), (net.first, 1.0), (net.second, 0.7), (net.end_kind, 0.7),
                             (net.start_kind, 0.3), (net.step_kind, 0.3)):  # fmt: skip
            layer.weight.copy_(basis * share)
        for attention in net.readers:
            attention.q.weight.add_(spread)
            attention.k.weight.add_(spread)
            attention.v.weight.add_(0.5 * spread)


def fit(
    net: ReaderNet,
    sources: Mapping[str, tuple[Batches, Sequence[int], float]],
    settings: FitSettings,
    folder: Path,
    say: Callable[[str], None],
    measure: Callable[[], str] = lambda: "",
    resume: bool = False,
) -> None:
    """Fit in place.

    Args:
        sources: per name its batches, the numbers of its training records, and its weight in the mixture.
        folder: where checkpoints go. resume: go on from the last one there.
    """
    optimizer = torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=settings.decay, betas=(0.9, 0.98))
    seen = restore(net.load_state_dict, optimizer, folder) if resume else 0
    chance = random.Random(f"{settings.seed}-{seen}")
    torch.manual_seed(settings.seed + seen)
    names = list(sources)
    weights = [weight * len(numbers) ** 0.25 for _, numbers, weight in sources.values()]
    losses: list[float] = []
    began, saved = time.monotonic(), seen
    net.train()
    while seen < settings.questions:
        part = seen / settings.questions
        for group in optimizer.param_groups:
            group["lr"] = settings.rate * min(1, (seen + 1) / settings.warmup) * 0.5 * (1 + math.cos(math.pi * part))
        batches, numbers, _ = sources[chance.choices(names, weights)[0]]
        drawn = chance.sample(list(numbers), min(settings.batch, len(numbers)))
        plans, steps = loss_of(net, disturbed(batches.batch(drawn, settings.plans, chance), settings))
        (plans + steps).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        seen += len(drawn)
        losses.append(plans.item())
        if seen - saved >= settings.every or seen >= settings.questions:
            saved = seen
            keep(net.state_dict(), optimizer, folder, seen)
            told = measure()
            net.train()
            say(f"{seen} questions, {time.monotonic() - began:.0f} s, loss {np.mean(losses[-500:]):.3f} {told}")


def keep(weights: Mapping[str, Tensor], optimizer: torch.optim.Optimizer, folder: Path, seen: int) -> None:
    """One file, replaced whole: weights, the optimiser's state, and how far it is."""
    state = {f"net.{name}": value.detach().clone() for name, value in weights.items()}
    for i, values in optimizer.state_dict()["state"].items():
        state |= {f"optimizer.{i}.{name}": torch.as_tensor(value).clone() for name, value in values.items()}
    folder.mkdir(parents=True, exist_ok=True)
    save_file({**state, "seen": torch.tensor(seen)}, folder / "checkpoint.part")
    (folder / "checkpoint.part").replace(folder / "checkpoint.safetensors")


def restore(put: Callable[[dict[str, Tensor]], object], optimizer: torch.optim.Optimizer, folder: Path) -> int:
    """How far the training in `folder` was, 0 where none is; `put` takes its weights."""
    path = folder / "checkpoint.safetensors"
    if not path.is_file():
        return 0
    kept = load_file(path)
    put({name.removeprefix("net."): value for name, value in kept.items() if name.startswith("net.")})
    state: dict[int, dict[str, Tensor]] = {}
    for name, value in kept.items():
        if name.startswith("optimizer."):
            _, number, what = name.split(".", 2)
            state.setdefault(int(number), {})[what] = value
    whole = optimizer.state_dict()
    optimizer.load_state_dict({**whole, "state": state})
    return int(kept["seen"])
