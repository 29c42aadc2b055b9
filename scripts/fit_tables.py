"""Fits the ranking of a table's plans: on questions with answers alone, over many tables.

    CLEW_DATA=… python scripts/fit_tables.py CASES [--count 6000] [--epochs 6] [--seed 0] [--show]

Questions of the training part of WikiTableQuestions; those about every tenth table are held out and only measured. The
plans of each question, and which of them give its answer, are kept in the folder CASES, so that a second run goes on
where one was ended and then only fits. Maximised is the likelihood of all plans that give the answer; a question that
none answers is left out. Writes src/clew/retrieval/tables/weights.npz unless --show.

Shapes: C candidates of a question, P parts, V entries of x, D numbers.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.encoding import open_encoder, remembering
from clew.evaluation.denotation import wtq
from clew.graph.tables import table_graph
from clew.retrieval.tables.candidates import TableCandidates
from clew.retrieval.tables.ranking import ASKS, ENCODED, NUMBERS, Described, TableModel, save
from clew.retrieval.tables.words import TableWords, tokens

DATA = Path(os.environ.get("CLEW_DATA", "../shared/data")) / "wikitablequestions"
BLOCK = 200  # questions of one file of cases
LEAST_PART, LEAST_TRIGGER = 15, 12  # questions that a part or a word has to occur in
MOST_TRIGGERS = 900
BLIND = 0.2  # share of the steps in which a question is shown without what an encoder makes of it
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Case:
    """A question as the model sees it."""

    names: list[str]  # words and pairs of words
    vector: Floats
    parts: list[str]  # those of all its plans
    at: NDArray[np.int32]  # (n,) plan of each of n entries
    part: NDArray[np.int32]  # (n,) place of its part in `parts`
    asks: NDArray[np.int64]
    numbers: Floats
    right: NDArray[np.bool_]
    held_out: bool


def lines(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(DATA / name, "rt") as stream:
        yield from map(json.loads, stream)


def grow(folder: Path, count: int) -> None:
    """The cases of the first `count` questions, in files of BLOCK; what is there is kept."""
    folder.mkdir(parents=True, exist_ok=True)
    tables = {row["id"]: row for row in lines("tables.jsonl.gz")}
    rows = list(lines("train.jsonl.gz"))
    random.Random(7).shuffle(rows)
    encoder = remembering(open_encoder())
    for start in range(0, min(count, len(rows)), BLOCK):
        file = folder / f"{start:06d}.npz"
        if file.exists():
            continue
        made: dict[str, Any] = {}
        for i, row in enumerate(rows[start : start + BLOCK]):
            table = tables[row["table"]]
            words = tokens(row["question"])
            grown = TableCandidates(TableWords.of(table_graph(table["header"], table["rows"])), words)
            found = grown.found()
            right = [wtq(list(each.texts), row["answer"])["denotation"] == 1.0 for each in found]
            if not any(right):
                continue
            seen = Described(found, grown, row["question"], encoder)
            parts = list(dict.fromkeys(name for names in seen.parts for name in names))
            place = {name: k for k, name in enumerate(parts)}
            pairs = [(c, place[name]) for c, names in enumerate(seen.parts) for name in names]
            held_out = zlib.crc32(row["table"].encode()) % 10 == 0
            made |= {
                f"{i}.about": np.array(json.dumps([seen.names(), parts, held_out])),
                f"{i}.vector": encoder.encode([row["question"]], role="query")[0].astype(np.float16),
                f"{i}.pairs": np.array(pairs, np.int16),
                f"{i}.asks": seen.asks.astype(np.int8),
                f"{i}.numbers": seen.numbers.astype(np.float16),
                f"{i}.right": np.array(right),
            }
        part = file.with_suffix(".part.npz")
        np.savez_compressed(part, **made)
        part.replace(file)
        print(f"{start + BLOCK} questions, {len(made) // 6} of the last {BLOCK} can be answered", flush=True)


def cases(folder: Path, count: int) -> Iterator[Case]:
    for file in sorted(folder.glob("[0-9]*[0-9].npz"))[: (count + BLOCK - 1) // BLOCK]:
        with np.load(file, allow_pickle=False) as held:
            for i in sorted({int(key.split(".")[0]) for key in held}):
                names, parts, held_out = json.loads(str(held[f"{i}.about"]))
                pairs = held[f"{i}.pairs"].astype(np.int32)
                yield Case(
                    names, held[f"{i}.vector"].astype(np.float32), parts, pairs[:, 0], pairs[:, 1],
                    held[f"{i}.asks"].astype(np.int64), held[f"{i}.numbers"].astype(np.float32), held[f"{i}.right"],
                    held_out,
                )  # fmt: skip


class Fit:
    """AdaGrad over questions in a random order; the gradient of one question is a rank-one matrix."""

    def __init__(self, train: list[Case], *, rate: float, decay: float) -> None:
        parts = Counter(name for case in train for name in set(case.parts))
        triggers = Counter(name for case in train for name in set(case.names))
        self.parts = {name: i for i, (name, n) in enumerate(parts.most_common()) if n >= LEAST_PART}
        kept = [name for name, n in triggers.most_common(MOST_TRIGGERS) if n >= LEAST_TRIGGER]
        self.triggers = {name: i for i, name in enumerate(kept)}
        width = len(kept) + len(train[0].vector)
        self.w = np.zeros((len(self.parts), width), np.float32)
        self.d = np.zeros((len(ASKS), NUMBERS), np.float32)
        self._rate, self._decay = rate, decay
        self._squares = [np.full_like(self.w, 1e-2), np.full_like(self.d, 1e-2)]
        self._ready = {id(case): self._indexed(case) for case in train}

    def _indexed(self, case: Case) -> tuple[Any, Any, Floats, Any]:
        place = np.array([self.parts.get(name, -1) for name in case.parts], np.int64)
        part = place[case.part]
        keep = part >= 0
        x = np.zeros(self.w.shape[1], np.float32)
        x[[self.triggers[n] for n in case.names if n in self.triggers]] = 1.0
        x[len(self.triggers) :] = case.vector
        return case.at[keep], part[keep], x, np.unique(part[keep])

    def scores(self, case: Case, *, blind: bool = False) -> tuple[Floats, Any]:
        at, part, x, used = self._ready.get(id(case)) or self._indexed(case)
        numbers = case.numbers
        if blind:
            x, numbers = x.copy(), numbers.copy()
            x[len(self.triggers) :] = 0.0
            numbers[:, ENCODED] = 0.0
        of_parts = np.zeros(len(self.w), np.float32)
        of_parts[used] = self.w[used] @ x
        by_part = np.bincount(at, of_parts[part], minlength=len(case.right))
        return by_part + (self.d[case.asks] * numbers).sum(1), (at, part, x, used, numbers)

    def step(self, case: Case, *, blind: bool = False) -> float:
        """AdaGrad on the logarithm of the right plans' share. Returns it."""
        scores, (at, part, x, used, numbers) = self.scores(case, blind=blind)
        chance = np.exp(scores - scores.max())
        chance /= chance.sum()
        mine = float(chance[case.right].sum())
        target = np.where(case.right, chance, 0.0) / max(mine, 1e-12)
        error = (target - chance).astype(np.float32)
        of_parts = np.bincount(part, error[at], minlength=len(self.w)).astype(np.float32)[used]
        gradient = of_parts[:, None] * x[None, :] - self._decay * self.w[used]
        self._squares[0][used] += gradient**2
        self.w[used] += self._rate * gradient / np.sqrt(self._squares[0][used])
        dense = np.zeros_like(self.d)
        np.add.at(dense, case.asks, error[:, None] * numbers)
        self._squares[1] += dense**2
        self.d += self._rate * dense / np.sqrt(self._squares[1])
        return float(np.log(max(mine, 1e-12)))

    def right(self, case: Case, *, blind: bool = False) -> bool:
        return bool(case.right[int(np.argmax(self.scores(case, blind=blind)[0]))])


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("cases", type=Path)
    asked.add_argument("--count", type=int, default=6000)
    asked.add_argument("--epochs", type=int, default=6)
    asked.add_argument("--rate", type=float, default=0.03)
    asked.add_argument("--decay", type=float, default=1e-4)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--show", action="store_true")
    given = asked.parse_args()
    grow(given.cases, given.count)
    known = list(cases(given.cases, given.count))
    train, held_out = [c for c in known if not c.held_out], [c for c in known if c.held_out]
    fit, chosen = Fit(train, rate=given.rate, decay=given.decay), random.Random(given.seed)
    print(f"{len(train)} questions, {len(held_out)} held out, {len(fit.parts)} parts, {len(fit.triggers)} words")
    for epoch in range(given.epochs):
        chosen.shuffle(train)
        likelihood = np.mean([fit.step(case, blind=chosen.random() < BLIND) for case in train])
        mine, theirs, blind = (
            np.mean([fit.right(case, blind=b) for case in some])
            for some, b in ((train[:400], False), (held_out, False), (held_out, True))
        )
        print(
            f"{epoch + 1}: {likelihood:.3f}, right {mine:.3f}, held out {theirs:.3f}, without an encoder {blind:.3f}",
            flush=True,
        )
    if not given.show:
        save(TableModel(fit.parts, fit.triggers, fit.w, fit.d))


if __name__ == "__main__":
    main()
