"""Fits the cross-encoder on packs: which of the plans that the first network likes says what is asked.

The loss is a softmax over one right plan, a few wrong ones of the same question, drawn by how much the first network
likes them, and the empty plan, which is right where nothing else is. All layers are trained, the tables of words and
places are not.

Shapes: Q questions of a batch, B their plans together, S tokens of the longest, D width.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional as F

from clew.encoding.bert import BertShape, bert_weights
from clew.encoding.cross_encoder import Sequenced
from clew.reading.fitting import EMPTIED, Batches, forward, keep, restore
from clew.reading.packs import Pack, texts_of
from clew.reading.pairs import MARKS, PairSigns, StepWords, empty_plan, pair, plan_part, question_part
from clew.reading.torchnet import ReaderNet

BEST = 0.6  # how often the right plan that the first network likes best is taken, where several are right
SPREAD = 1.5  # of the noise in what the first network likes, in logits
MARKS_FASTER = 10.0  # learning rate of what starts from nothing, against that of the layers


@dataclass(frozen=True, slots=True)
class CrossSettings:
    """How to fit."""

    questions: int = 60_000  # read in all
    batch: int = 8  # questions
    plans: int = 6  # of a question
    rate: float = 6e-5
    decay: float = 0.01
    dropout: float = 0.1
    warmup: int = 1600  # questions
    seed: int = 0
    every: int = 2_000  # questions between checkpoints


class CrossNet(nn.Module):
    """A BERT with marks and one score. Names of its weights are those of `bert_weights`."""

    def __init__(self, folder: Path, shape: BertShape, dropout: float = 0.1) -> None:
        super().__init__()
        found = {name: torch.from_numpy(np.array(array)) for name, array in bert_weights(folder, shape).items()}
        self.shape, self.dropout = shape, dropout
        self.word = found.pop("embeddings.word_embeddings.weight")
        types = found.pop("embeddings.token_type_embeddings.weight")
        self.place = found.pop("embeddings.position_embeddings.weight") + types[0]
        self.layers = nn.ParameterDict({name.replace(".", "/"): nn.Parameter(w) for name, w in found.items()})
        self.mark = nn.Embedding(MARKS, shape.width)
        self.score = nn.Linear(shape.width, 1)
        nn.init.normal_(self.mark.weight, std=0.01)
        nn.init.zeros_(self.mark.weight[0])
        nn.init.zeros_(self.score.weight)
        nn.init.zeros_(self.score.bias)

    def _linear(self, x: Tensor, name: str) -> Tensor:
        return F.linear(x, self.layers[f"{name}/weight"], self.layers[f"{name}/bias"])

    def _norm(self, x: Tensor, name: str) -> Tensor:
        w, b = self.layers[f"{name}/weight"], self.layers[f"{name}/bias"]
        return F.layer_norm(x.float(), (self.shape.width,), w, b, self.shape.epsilon)

    def forward(self, tokens: Tensor, marks: Tensor, real: Tensor) -> Tensor:
        """(B, S) token numbers, their marks, and which are no padding -> (B,) logits.

        Padding takes part in the attention alone: the other layers see the real tokens one after the other.
        """
        b, s = tokens.shape
        shape = self.shape
        scale = (shape.width // shape.heads) ** -0.5
        at = real.flatten().nonzero()[:, 0]  # (T,)
        mask = torch.zeros(b, 1, 1, s).masked_fill(~real[:, None, None, :], -1e4)

        def dropped(x: Tensor) -> Tensor:
            return F.dropout(x, self.dropout, self.training)

        def heads(x: Tensor) -> Tensor:
            wide = x.new_zeros(b * s, shape.width).index_copy(0, at, x)
            return wide.view(b, s, shape.heads, -1).transpose(1, 2)

        x = (self.word[tokens] + self.place[:s] + self.mark(marks)).view(b * s, -1)[at]
        x = dropped(self._norm(x, "embeddings/LayerNorm"))
        for i in range(shape.layers):
            layer = f"encoder/layer/{i}/"
            q, k, v = (heads(self._linear(x, f"{layer}attention/self/{part}")) for part in ("query", "key", "value"))
            weights = (q @ k.transpose(2, 3) * scale + mask).softmax(-1).to(v.dtype)
            mixed = (weights @ v).transpose(1, 2).reshape(b * s, -1)[at]
            mixed = dropped(self._linear(mixed, f"{layer}attention/output/dense"))
            x = self._norm(x + mixed, f"{layer}attention/output/LayerNorm")
            inner = F.gelu(self._linear(x, f"{layer}intermediate/dense"))
            x = self._norm(x + dropped(self._linear(inner, f"{layer}output/dense")), f"{layer}output/LayerNorm")
        first = real.sum(1).cumsum(0) - real.sum(1)
        return self.score(x[first].float()).squeeze(-1)  # type: ignore[no-any-return]

    def rate(self, rows: Sequence[Sequenced]) -> Tensor:
        """(B,) logits of sequences, computed in bfloat16."""
        with torch.autocast("cpu", torch.bfloat16):
            logits: Tensor = self(*padded_pairs(rows)).float()
        return logits

    def weights(self) -> dict[str, Tensor]:
        """What `PathCrossEncoder` reads."""
        made = {name.replace("/", "."): value for name, value in self.layers.items()}
        return {
            **made,
            "mark.weight": self.mark.weight,
            "score.weight": self.score.weight,
            "score.bias": self.score.bias,
        }

    def start(self, weights: Mapping[str, Tensor]) -> None:
        """Begin with what `weights` gave once."""
        with torch.no_grad():
            for name, value in self.weights().items():
                value.copy_(weights[name].float())


class PairSource:
    """The records of a pack as sequences."""

    def __init__(self, pack: Pack, tokenizer: Tokenizer) -> None:
        self.pack, self.batches = pack, Batches(pack)
        self._signs = PairSigns.of(tokenizer.token_to_id)
        texts, questions = (
            [read.ids for read in tokenizer.encode_batch(texts_of(joined), add_special_tokens=False)]
            for joined in (pack.texts, pack.questions)
        )
        self._texts, self._questions = texts, questions
        at = pack.plans_at
        self.answered = [i for i in range(len(pack)) if (pack.labels[at[i] : at[i + 1]] == 1).any()]

    def __len__(self) -> int:
        return len(self.pack)

    def sequence(self, record: int, plan: int | None) -> Sequenced:
        """A record's question with one of its plans, counted from its first; None is the empty plan."""
        pack = self.pack
        q = int(pack.question[record])
        flags = pack.flags[int(pack.states_at[q]) + 1 : int(pack.states_at[q + 1])].tolist()  # after the first sign
        rows = pack.steps[int(pack.steps_at[record]) : int(pack.steps_at[record + 1])].tolist()
        steps = [StepWords(self._texts[a], self._texts[b], way, self._texts[kind]) for a, b, way, kind in rows]
        mentions = pack.start_kinds[int(pack.mentions_at[record]) : int(pack.mentions_at[record + 1])].tolist()
        starts = [self._texts[kind] for kind in mentions]
        asked = question_part(self._questions[q], flags, self._signs)
        if plan is None:
            return pair(asked, empty_plan(self._signs))
        at = int(pack.plans_at[record]) + plan
        row = pack.tokens[at].tolist()
        return pair(asked, plan_part(row, steps, self._texts[int(pack.kinds[at])], starts, self._signs))


def padded_pairs(rows: Sequence[Sequenced]) -> tuple[Tensor, Tensor, Tensor]:
    """(B, S) token numbers, marks, and which are no padding."""
    longest = max(len(words) for words, _ in rows)
    tokens, marks = np.zeros((len(rows), longest), np.int64), np.zeros((len(rows), longest), np.int64)
    real = np.zeros((len(rows), longest), bool)
    for i, (words, marked) in enumerate(rows):
        tokens[i, : len(words)], marks[i, : len(words)], real[i, : len(words)] = words, marked, True
    return torch.from_numpy(tokens), torch.from_numpy(marks), torch.from_numpy(real)


@torch.no_grad()
def liked(first: ReaderNet, source: PairSource, records: Sequence[int]) -> list[np.ndarray]:
    """Per record the (P,) logits that the first network gives its plans."""
    first.eval()
    scores = forward(first, source.batches.batch(records))[0].numpy()
    at = source.pack.plans_at
    return [row[: int(at[i + 1] - at[i])] for row, i in zip(scores, records, strict=True)]


@torch.no_grad()
def right_shares(
    net: CrossNet, first: ReaderNet, source: PairSource, records: Sequence[int], most: int, weights: Sequence[float]
) -> list[float]:
    """How often the best plan is right where the cross-encoder's logits count so much beside the first network's.

    Of the records that have a right plan; "none of these" takes no part.
    """
    net.eval()
    total = np.zeros(len(weights))
    for start in range(0, len(records), 8):
        part = records[start : start + 8]
        scores = liked(first, source, part)
        tops = [np.argsort(-row)[:most] for row in scores]
        rows = [source.sequence(i, int(plan)) for i, top in zip(part, tops, strict=True) for plan in top]
        judged = net.rate(rows).numpy()
        at = 0
        for i, row, top in zip(part, scores, tops, strict=True):
            labels = source.pack.labels[int(source.pack.plans_at[i]) + top]
            for k, weight in enumerate(weights):
                label = labels[np.argmax(row[top] + weight * judged[at : at + len(top)])]
                total[k] += 1.0 if label == 1 else 0.5 if label == -1 else 0.0
            at += len(top)
    return [float(share) for share in total / max(len(records), 1)]


def drawn(
    source: PairSource, first: ReaderNet, records: Sequence[int], plans: int, chance: random.Random
) -> tuple[list[Sequenced], list[int]]:
    """Sequences of the records' plans, what is right first, and how many each record has."""
    noise = np.random.default_rng(chance.randrange(1 << 30))
    rows: list[Sequenced] = []
    counts = []
    for i, scores in zip(records, liked(first, source, records), strict=True):
        labels = source.pack.labels[int(source.pack.plans_at[i]) : int(source.pack.plans_at[i + 1])]
        right, wrong = np.flatnonzero(labels == 1).tolist(), np.flatnonzero(labels == 0)
        first_right: list[int | None] = [None]
        if right and chance.random() >= EMPTIED:
            first_right = [max(right, key=scores.__getitem__) if chance.random() < BEST else chance.choice(right)]
        order = np.argsort(-(scores[wrong] + SPREAD * noise.gumbel(size=len(wrong))))[: plans - 1]
        chosen = [*first_right, *wrong[order].tolist()]
        if None not in first_right:
            chosen.append(None)
        rows += [source.sequence(i, plan) for plan in chosen]
        counts.append(len(chosen))
    return rows, counts


class CrossDescent:
    """Steps of a fit, at a learning rate that warms up and then falls to a fiftieth."""

    def __init__(self, net: CrossNet, settings: CrossSettings) -> None:
        layers = list(net.layers.parameters())
        others = [*net.mark.parameters(), *net.score.parameters()]
        groups = [{"params": layers, "faster": 1.0}, {"params": others, "faster": MARKS_FASTER}]
        self.optimizer = torch.optim.AdamW(groups, lr=settings.rate, weight_decay=settings.decay)
        self._net, self._settings = net, settings

    def step(self, loss: Tensor, seen: int) -> None:
        """One step down a loss, after `seen` questions."""
        settings = self._settings
        slow = min(1, (seen + 1) / settings.warmup) * max(0.02, 1 - seen / settings.questions)
        for group in self.optimizer.param_groups:
            group["lr"] = settings.rate * slow * group["faster"]
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._net.parameters(), 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad(set_to_none=True)


def fit_cross(
    net: CrossNet,
    first: ReaderNet,
    sources: Mapping[str, tuple[PairSource, Sequence[int], float]],
    settings: CrossSettings,
    folder: Path,
    say: Callable[[str], None],
    measure: Callable[[], str] = lambda: "",
    resume: bool = False,
) -> None:
    """Fit in place.

    Args:
        first: the network whose best plans are looked at; it stays as it is.
        sources: per name its sequences, the numbers of its training records, and its weight in the mixture.
        folder: where checkpoints go. resume: go on from the last one there.
    """
    descent = CrossDescent(net, settings)
    seen = restore(net.start, descent.optimizer, folder) if resume else 0
    chance = random.Random(f"{settings.seed}-{seen}")
    torch.manual_seed(settings.seed + seen)
    names = list(sources)
    weights = [weight * len(numbers) ** 0.5 for _, numbers, weight in sources.values()]
    losses: list[float] = []
    began, saved = time.monotonic(), seen
    net.train()
    while seen < settings.questions:
        source, numbers, _ = sources[chance.choices(names, weights)[0]]
        records = chance.sample(list(numbers), min(settings.batch, len(numbers)))
        rows, counts = drawn(source, first, records, settings.plans, chance)
        each_own = net.rate(rows).split(counts)  # type: ignore[no-untyped-call]
        loss = torch.stack([-F.log_softmax(logits, 0)[0] for logits in each_own]).mean()
        descent.step(loss, seen)
        seen += len(records)
        losses.append(loss.item())
        if seen - saved >= settings.every or seen >= settings.questions:
            saved = seen
            keep(net.weights(), descent.optimizer, folder, seen)
            told = measure()
            net.train()
            say(f"{seen} questions, {time.monotonic() - began:.0f} s, loss {np.mean(losses[-250:]):.3f} {told}")
